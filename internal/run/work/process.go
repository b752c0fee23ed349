package work

import (
	"context"
	"runtime"
	"sync"
	"time"
)

// This file bounds work by the processor time of a whole process: the limit of somebody who works on one thing at a time,
// by several threads. On a machine that is busy with other things more time passes, and what is decided is the same.

// processSlowdown is how many times longer than its limit of processor time a process may take.
const processSlowdown = 30

// processClock is the clock of the processor time of a process, as Linux makes it of its number (clock_getcpuclockid).
func processClock(pid int) int32 { return int32(^pid)<<3 | 2 }

// ProcessorTime is how much time of processors a process has used, false if that is not known.
func ProcessorTime(pid int) (time.Duration, bool) {
	used, err := readClock(processClock(pid))
	return used, err == nil
}

// WithProcessTime is a context that ends, as by a deadline, when this process has used so much time of processors from now on, in all its
// threads, or what WithTimeout gives where time is work, or there is no such clock.
func WithProcessTime(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	begin := Process()
	if begin == 0 || Counted(ctx) {
		return WithTimeout(ctx, limit)
	}
	// It may wait for something else than a processor.
	ctx, cancel := context.WithTimeout(ctx, processSlowdown*limit)
	c := &processLimit{Context: ctx, done: make(chan struct{})}
	context.AfterFunc(ctx, func() { c.end(ctx.Err()) })
	var look func()
	look = func() {
		left := limit - (Process() - begin)
		switch {
		case ctx.Err() != nil:
		case left <= 0:
			c.end(context.DeadlineExceeded)
		default: // all processors may work for it
			time.AfterFunc(max(left/time.Duration(runtime.GOMAXPROCS(0)), time.Millisecond), look)
		}
	}
	look()
	return c, cancel
}

// processLimit is a context whose end may be a deadline that is no time of day. Contexts made of it have the same error.
type processLimit struct {
	context.Context
	once sync.Once
	done chan struct{}
	err  error // written before done is closed
}

func (c *processLimit) end(err error) {
	c.once.Do(func() {
		c.err = err
		close(c.done)
	})
}

// Done implements context.Context.
func (c *processLimit) Done() <-chan struct{} { return c.done }

// Err implements context.Context.
func (c *processLimit) Err() error {
	select {
	case <-c.done:
		return c.err
	default:
		return nil
	}
}
