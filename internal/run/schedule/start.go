package schedule

import (
	"context"
	"sync/atomic"
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
	begin   time.Time
	used    time.Duration
	working atomic.Int64 // engines
}

func newStart() *start { return &start{begin: time.Now(), used: processor()} }

// wait returns true when the time of an engine has come, false if its context ends before.
func (s *start) wait(ctx context.Context, after time.Duration) bool {
	for {
		left := s.left(after)
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
func (s *start) left(after time.Duration) time.Duration {
	passed := time.Since(s.begin)
	if passed < after {
		return after - passed
	}
	if passed >= longest*after || s.working.Load() == 0 || s.used == 0 {
		return 0
	}
	if missing := after - (processor() - s.used); missing > 0 {
		return min(max(missing, time.Millisecond), 10*time.Millisecond)
	}
	return 0
}
