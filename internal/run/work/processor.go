package work

import (
	"context"
	"runtime"
	"time"

	"golang.org/x/sys/unix"
)

// WithProcessorTime is a context that ends when the calling goroutine has used so much
// time of a processor from now on, or what WithTimeout gives in a context of With. On a
// machine that is busy with other things, more time passes until then: what is decided
// within the limit does not depend on that. The work must be done in the calling
// goroutine, which stays in its thread until it calls cancel.
func WithProcessorTime(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if Counted(ctx) {
		return WithTimeout(ctx, limit)
	}
	runtime.LockOSThread()
	clock := threadClock(unix.Gettid())
	begin, err := readClock(clock)
	if err != nil { // the kernel has no such clock
		runtime.UnlockOSThread()
		return WithTimeout(ctx, limit)
	}
	inner, cancel := context.WithCancelCause(context.WithValue(ctx, aloneKey{}, true))
	// A thread uses no more than the time that passes, so that nothing is missed by
	// looking again after as long as is left.
	var look func()
	look = func() {
		now, err := readClock(clock)
		left := limit - (now - begin)
		switch {
		case inner.Err() != nil:
		case err != nil || left <= 0:
			cancel(context.DeadlineExceeded)
		default:
			time.AfterFunc(max(left, time.Millisecond), look)
		}
	}
	time.AfterFunc(limit, look)
	return deadline{inner}, func() {
		cancel(context.Canceled)
		runtime.UnlockOSThread()
	}
}

type aloneKey struct{}

// Alone says whether the work has to be done in the calling goroutine: only its time of a processor is counted.
func Alone(ctx context.Context) bool { return Counted(ctx) || ctx.Value(aloneKey{}) != nil }

// deadline is a context that was cancelled because a limit was reached, if it was: DeadlineExceeded is
// its error, too.
type deadline struct{ context.Context }

// Err implements context.Context.
func (d deadline) Err() error {
	err := d.Context.Err()
	if err != nil && context.Cause(d.Context) == context.DeadlineExceeded {
		return context.DeadlineExceeded
	}
	return err
}

// Process is the processor time of all threads so far.
func Process() time.Duration {
	t, err := readClock(unix.CLOCK_PROCESS_CPUTIME_ID)
	if err != nil {
		return 0
	}
	return t
}

// threadClock is the clock of the processor time of a thread of this process, as Linux
// makes it of its number (pthread_getcpuclockid).
func threadClock(thread int) int32 { return int32(^thread)<<3 | 6 }

func readClock(clock int32) (time.Duration, error) {
	var t unix.Timespec
	if err := unix.ClockGettime(clock, &t); err != nil {
		return 0, err
	}
	return time.Duration(t.Nano()), nil
}
