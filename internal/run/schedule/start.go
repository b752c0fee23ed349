package schedule

import (
	"context"
	"sync"
	"time"

	"assay/internal/run/work"
)

// This file says when an engine begins. Start is time in which those before it work: on a machine that is busy with
// other things, forty milliseconds pass in which they have done nothing, and all engines would begin at once, though
// the first one is about to answer. So Start counts processor time of the process as well as the time that passes:
//
//	(B1) no engine begins before Start has passed;
//	(B2) nor before the process has used so much processor time, unless no engine is at work, or Start has passed
//	     many times: those that work may wait for something else than a processor.

// longest is how many times Start may pass before an engine begins anyway.
const longest = 10

// processor is the processor time of the process, 0 if there is no such clock; tests have their own.
var processor = work.Process

// start is when the engines of a table begin.
type start struct {
	clock
	mu sync.Mutex
	// working are the engines that are at work, and whether they rest at times (ration.go).
	working map[string]bool
}

func newStart() *start { return &start{clock: now(), working: map[string]bool{}} }

func now() clock { return clock{time.Now(), processor()} }

// wait returns true when the time of an engine has come, false if its context ends before.
func (s *start) wait(ctx context.Context, after time.Duration) bool {
	return s.passes(ctx, s.clock, after, longest)
}

// works notes that an engine is at work, the returned function that it is not any more.
func (s *start) works(engine string, rests bool) (ended func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.working[engine] = rests
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.working, engine)
	}
}

// idle says that no engine is at work.
func (s *start) idle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.working) == 0
}

// clock is when a time began, and what the process had used by then.
type clock struct {
	begin time.Time
	used  time.Duration
}

// passes returns true when a time has passed, and the process has worked for as long, or most times the time has passed;
// false if the context ends before.
func (s *start) passes(ctx context.Context, since clock, after, most time.Duration) bool {
	for {
		left := s.left(since, after, most)
		if left <= 0 {
			return true
		}
		timer := time.NewTimer(left)
		select {
		case <-ctx.Done():
			timer.Stop()
			return false
		case <-timer.C:
		}
	}
}

// left is how long to wait before one looks again.
func (s *start) left(since clock, after, most time.Duration) time.Duration {
	passed := time.Since(since.begin)
	if passed < after {
		return after - passed
	}
	if passed >= most*after || s.idle() || since.used == 0 {
		return 0
	}
	if missing := after - (processor() - since.used); missing > 0 {
		return min(max(missing, time.Millisecond), 10*time.Millisecond)
	}
	return 0
}
