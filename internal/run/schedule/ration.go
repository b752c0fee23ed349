package schedule

import (
	"context"
	"time"

	"assay/internal/run/pause"
)

// This file says when an engine rests. Of engines that run side by side one answers, and what the others have done
// until then was for nothing: what a question costs is the work of the one that answers, divided by its part of the
// processors. So an engine that answers early or hardly ever (Engine.Share) works for a while as all do, and then in turns:
//
//	(C1) it works for a slice, and rests until the others have had their part of it, in time that passes as well as in
//	     processor time of the process, which is what counts on a machine that is busy with other things (start.go);
//	(C2) it does not rest while nobody else is at work but those that rest themselves, or while that is not at work which
//	     its line names (Engine.Behind): where an engine can do nothing that answers more often, this one has all;
//	(C3) a rest takes at most a few times as long as it should: the others may wait for something else than a processor.

// slice is how long an engine works before it rests.
const slice = 20 * time.Millisecond

// longestRest is how many times its length a rest may take.
const longestRest = 4

// rationed is the context of an engine that rests; stop ends that, and waits until it has ended.
func (s *start) rationed(ctx context.Context, share float64, burst time.Duration, behind string) (own context.Context, stop func()) {
	own, hold, release := pause.Own(ctx)
	if hold == nil {
		return ctx, func() {}
	}
	turns, end := context.WithCancel(ctx)
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		rest := time.Duration(float64(slice) * (1/share - 1))
		for s.passes(turns, now(), max(burst, slice), longest) {
			burst = 0
			if !s.waitsFor(behind) {
				continue
			}
			hold()
			s.passes(turns, now(), rest, longestRest)
			release()
		}
	}()
	return own, func() {
		end()
		<-ended
	}
}

// waitsFor says whether an engine is at work that one that rests leaves its time to: that of a name, or any.
func (s *start) waitsFor(behind string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if behind != "" {
		_, works := s.working[behind]
		return works
	}
	for _, rests := range s.working {
		if !rests {
			return true
		}
	}
	return false
}
