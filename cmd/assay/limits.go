package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/dustin/go-humanize"
)

// This file holds commands to their limits. Everything that may take long looks at its
// context; but a library may be in the middle of something, and there may be a loop that
// does not look. So the process has a watchdog: what has not ended a moment after a limit
// of time or memory, or after a signal, is ended by the process itself, with what is known.

// patience is how long after its limit a command may go on. With what it takes to end the
// process it is less than 2 seconds.
const patience = 1500 * time.Millisecond

// limit is the watchdog of a command.
type limit struct {
	cancel   context.CancelFunc
	finished atomic.Bool
	memory   uint64
}

// limited is a context that ends with the time, with the memory (0 is no limit), or with
// SIGINT or SIGTERM. If the command does not call finish soon after that, the
// process ends: last writes what is known, and gives the exit code.
func limited(timeout time.Duration, memory uint64, last func(why string) int) (context.Context, *limit) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	l := &limit{cancel: stop, memory: memory}
	if timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, timeout)
		l.cancel = func() { cancel(); stop() }
	}
	if memory > 0 {
		below := l.cancel
		var cancel context.CancelFunc
		ctx, cancel = withinMemory(ctx, memory)
		l.cancel = func() { cancel(); below() }
	}
	go func() {
		<-ctx.Done()
		time.Sleep(patience)
		if l.finished.CompareAndSwap(false, true) {
			os.Exit(last(l.why(ctx)))
		}
	}()
	return ctx, l
}

// finish says that the command has its answer: from now on it is the only one that
// writes. If the watchdog was first, it does not return.
func (l *limit) finish() {
	if !l.finished.CompareAndSwap(false, true) {
		select {}
	}
	l.cancel()
}

// why names the limit that was reached.
func (l *limit) why(ctx context.Context) string {
	switch {
	case errors.Is(context.Cause(ctx), errMemory):
		return fmt.Sprintf("the limit of %s was reached", humanize.IBytes(l.memory))
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "the time limit was reached"
	}
	return "interrupted"
}

// withoutOutput is the last word of commands that write a file: there is none.
func withoutOutput(why string) int {
	fmt.Fprintf(errorOutput(), "unknown: %s; nothing was written\n", why)
	return exitUnknown
}
