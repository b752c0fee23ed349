// Package work replaces time by work, so that a run does the same on every machine, however fast it is
// and whatever else it does (`assay check --deterministic`).
//
// In a context of With, WithTimeout is a budget of work, and not a time limit. Work is counted where it is
// done: conflicts and resources of solvers, and a little for each look at the context, of which every loop that may take long
// has one. The unit is about a microsecond; nothing depends on how well that is met.
//
// The rules:
//
//	(1) All that is done in the context is done by one goroutine at a time, in a fixed order: package
//	    schedule runs engines one after the other there.
//	(2) A budget ends in the goroutine that does the work, when it counts the work that exceeds it. No timer and no
//	    other goroutine ends a context of With, except when the process is to end: its outermost context.
//	(3) A solver gets what is left as its own limit (Left), in its own units, and counts what it has used.
package work

import (
	"context"
	"errors"
	"sync"
	"time"
)

// Units of work.
const (
	Second   = 1_000_000 // what WithTimeout takes for a second
	Step     = 500       // for a call of pause.Wait
	Term     = 3         // for a term that is made where a program is encoded
	Conflict = 30        // of CaDiCaL, and one for so many literals of its clauses:
	Literals = 1000
	Solve    = 20 // for a call of a solver
	Resource = 8  // so many of Z3's resource units are a unit of work
	look     = 2  // for a look at the context
)

type key struct{}

// meter counts the work of a run.
type meter struct {
	mu      sync.Mutex
	spent   int64
	budgets map[*budget]struct{}
}

// budget ends a context.
type budget struct {
	limit  int64 // the work of the meter at which it ends
	cancel func()
}

// metered is a context whose looks are counted.
type metered struct {
	context.Context
	meter *meter
}

// Err counts a look. A budget that is over is a deadline to those who ask.
func (c *metered) Err() error {
	c.meter.add(look)
	err := c.Context.Err()
	if err != nil && errors.Is(context.Cause(c.Context), context.DeadlineExceeded) {
		return context.DeadlineExceeded
	}
	return err
}

// exhausted is the cause of a context whose budget is over: a deadline, with the cause that was given.
type exhausted struct{ error }

func (exhausted) Is(target error) bool { return target == context.DeadlineExceeded }
func (e exhausted) Unwrap() error      { return e.error }

// Value hands out the innermost context for Charge.
func (c *metered) Value(k any) any {
	if k == (key{}) {
		return c
	}
	return c.Context.Value(k)
}

// With is a context in which time is work.
func With(ctx context.Context) context.Context {
	return &metered{Context: ctx, meter: &meter{budgets: map[*budget]struct{}{}}}
}

func of(ctx context.Context) *metered {
	c, _ := ctx.Value(key{}).(*metered)
	return c
}

// Counted says whether time is work in a context.
func Counted(ctx context.Context) bool { return of(ctx) != nil }

// WithTimeout is context.WithTimeout, or a budget of as much work.
func WithTimeout(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	return WithTimeoutCause(ctx, limit, nil)
}

// WithTimeoutCause is context.WithTimeoutCause, or a budget of as much work.
func WithTimeoutCause(ctx context.Context, limit time.Duration, cause error) (context.Context, context.CancelFunc) {
	c := of(ctx)
	if c == nil {
		return context.WithTimeoutCause(ctx, limit, cause)
	}
	if cause == nil {
		cause = context.DeadlineExceeded
	}
	inner, cancel := context.WithCancelCause(ctx)
	b := &budget{cancel: func() { cancel(exhausted{cause}) }}
	m := c.meter
	m.mu.Lock()
	b.limit = m.spent + int64(limit/time.Microsecond)*(Second/1_000_000)
	m.budgets[b] = struct{}{}
	m.mu.Unlock()
	m.add(0)
	return &metered{Context: inner, meter: m}, func() {
		m.mu.Lock()
		delete(m.budgets, b)
		m.mu.Unlock()
		cancel(context.Canceled)
	}
}

// Charge counts work that was done in a context.
func Charge(ctx context.Context, units int64) {
	if c := of(ctx); c != nil {
		c.meter.add(units)
	}
}

// Spent is the work that was done so far, as time.
func Spent(ctx context.Context) time.Duration {
	c := of(ctx)
	if c == nil {
		return 0
	}
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	return time.Duration(c.meter.spent) * time.Second / Second
}

// Left is the work that the budgets of a context leave, -1 if there is none. It is at least 1.
func Left(ctx context.Context) int64 {
	c := of(ctx)
	if c == nil {
		return -1
	}
	c.meter.mu.Lock()
	defer c.meter.mu.Unlock()
	left := int64(-1)
	for b := range c.meter.budgets {
		if n := max(1, b.limit-c.meter.spent); left < 0 || n < left {
			left = n
		}
	}
	return left
}

// Remaining is the time, or the work as time, that a context leaves; false if it has no limit.
func Remaining(ctx context.Context) (time.Duration, bool) {
	if Counted(ctx) {
		left := Left(ctx)
		return time.Duration(left) * (time.Second / Second), left >= 0
	}
	deadline, ok := ctx.Deadline()
	return time.Until(deadline), ok
}

// add counts work and ends the contexts whose budgets are over.
func (m *meter) add(units int64) {
	m.mu.Lock()
	m.spent += units
	var over []*budget
	for b := range m.budgets {
		if m.spent >= b.limit {
			over = append(over, b)
			delete(m.budgets, b)
		}
	}
	m.mu.Unlock()
	for _, b := range over {
		b.cancel()
	}
}
