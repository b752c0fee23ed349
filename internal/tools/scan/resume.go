package scan

import "time"

// This file is about what a scan leaves open when its time is up. The next one with the same limits does not try again: it would
// take as long, and what costs least was done first. It says how many functions are left; greater limits, or Continue, go on with them, with what is
// known of them, and so does a change of what they depend on. What was found out to its end holds under all limits.

// limits are those of a scan that bound what it finds out.
type limits struct{ Function, Effort, Timeout time.Duration }

// allow says that a scan with these limits finds out no less than one with others: 0 does not bound.
func (l limits) allow(other limits) bool {
	most := func(a, b time.Duration) bool { return a <= 0 || b > 0 && a >= b }
	return most(l.Function, other.Function) && most(l.Effort, other.Effort) && most(l.Timeout, other.Timeout)
}

// record is what the cache keeps of a function.
type record struct {
	// Answer is nil if the time was up before anybody looked at it.
	Answer *answer
	// Ended are the limits of the scan that left it open, nil if more time would change nothing.
	Ended *limits `json:",omitempty"`
}

// limits are those of this scan.
func (s *scanner) limits() limits {
	return limits{s.o.FunctionTimeout, s.o.Effort, s.o.Timeout}
}

// recall takes what is known of a function from the cache, and says whether that is all that this scan has to say of it.
func (s *scanner) recall(t *target) bool {
	r := s.cache.record(t.key)
	if r == nil {
		return false
	}
	t.answer, t.cached = r.Answer, r.Answer != nil
	t.left = r.Ended != nil
	return r.Ended == nil || !s.o.Continue && r.Ended.allow(s.limits())
}

// leave keeps what is known of functions that more time may tell more of.
func (s *scanner) leave(open []*target) {
	l := s.limits()
	for _, t := range open {
		t.left = true
		if t.answer == nil || t.answer.Failed == "" {
			s.cache.putRecord(t.key, &record{t.answer, &l})
		}
	}
}
