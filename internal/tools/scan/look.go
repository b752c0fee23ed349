package scan

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"assay/internal/program/frontend"
	"assay/internal/run/work"
)

// This file divides the time of a scan over its functions, however many there are. In the first round each function is looked at once, small ones
// first; in further rounds those get more that are open, first those whose findings are not settled. What a function gets is
// computed when its turn comes: a part of what is left, by the number of those that wait. Most functions take a small
// part of their share, so shares grow in the course of a round, and large functions, which come last, get the most.
//
// What is left is bounded by --effort, which is processor time, and by --timeout, which is not: how much processor time the workers will get until
// then is told by how much they have got so far.

const (
	// leastLimit is the least time for a question: less tells nothing.
	leastLimit = 50 * time.Millisecond
	// growth is how many times more a function gets in its next round, at least: all rounds before the last one take a part of the last.
	growth = 2.5
	// roundPart is the part of what is left that a round gives to questions. Functions with findings ask several of them.
	roundPart = 0.5
	// mainPart is the part that goes to each question about main where that is more: such functions reach all of a program.
	mainPart = 0.25
	// slowestRate is the least part of the processors that is counted on, and rateAfter how much time passes before it is known.
	slowestRate = 0.1
	rateAfter   = 5 * time.Second
	// closing is the most time that is left at the end, when workers tell what they know, and the report is made.
	closing = 2 * time.Second
)

// look has the workers look at the functions whose answer is not in the cache.
func (s *scanner) look(ctx context.Context) error {
	var open []*target
	all := 0
	for _, t := range s.targets {
		if t.link == nil || t.answer != nil {
			continue
		}
		all++
		known := s.recall(t)
		if t.answer != nil {
			s.done++
			s.findings += len(t.answer.Findings)
		}
		if !known {
			open = append(open, t)
		}
	}
	for _, t := range open {
		if t.name == "main" {
			s.mains++
		}
	}
	s.looking = time.Now()
	for ctx.Err() == nil && !s.spent() {
		round := s.round(open)
		if len(round) == 0 {
			break
		}
		s.ask(ctx, round, all)
		open = slices.DeleteFunc(open, func(t *target) bool { return t.answer != nil && !t.answer.TimedOut })
	}
	if ctx.Err() == nil || errors.Is(ctx.Err(), context.DeadlineExceeded) {
		s.leave(open)
	}
	return nil
}

// round is who is asked next, in order: those that were not asked yet, or else those that may get more.
func (s *scanner) round(open []*target) (list []*target) {
	for _, t := range open {
		if t.answer == nil {
			list = append(list, t)
		}
	}
	if len(list) == 0 {
		for _, t := range open {
			if t.answer.Limit < s.o.FunctionTimeout {
				list = append(list, t)
			}
		}
	}
	slices.SortStableFunc(list, func(a, b *target) int {
		return cmp.Or(first(a)-first(b), cmp.Compare(urgency(a), urgency(b)), cmp.Compare(a.def.Instructions, b.def.Instructions))
	})
	return list
}

// first orders the first round: main goes first, for what it leads to needs no argument of anybody.
func first(t *target) int {
	if t.answer == nil && t.name == "main" {
		return 0
	}
	return 1
}

// urgency orders functions for another round: findings of which it is open what they are worth go first.
func urgency(t *target) int {
	if t.answer != nil && t.answer.Unsettled {
		return 0
	}
	return 1
}

// ask has the workers look at functions once.
func (s *scanner) ask(ctx context.Context, round []*target, all int) {
	waiting := len(round)
	var jobs []job
	for _, t := range round {
		var limit time.Duration
		jobs = append(jobs, job{func() *request {
			s.mu.Lock()
			n := waiting
			waiting--
			s.mu.Unlock()
			limit = s.limit(t, n)
			return s.request(t, limit)
		}, func(a *answer, took time.Duration) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.used += took
			s.take(t, a, limit)
			s.tell("looking", t.name, all)
		}})
	}
	runJobs(ctx, jobs, s.o.Jobs, s.o.Memory, s.project.root, s.spent)
}

// limit is the processor time for each question about a function, when so many wait, with it.
func (s *scanner) limit(t *target, waiting int) time.Duration {
	limit := s.o.FunctionTimeout
	left := s.left()
	if left > 0 {
		limit = min(limit, max(leastLimit, time.Duration(roundPart*float64(left)/float64(waiting))))
	}
	if t.answer == nil && t.name == "main" && left > 0 {
		limit = max(limit, time.Duration(mainPart*float64(left)/float64(s.mains)))
	}
	if t.answer != nil {
		limit = max(limit, time.Duration(growth*float64(t.answer.Limit)))
		if left > 0 { // what does not end in time tells nothing
			limit = min(limit, max(left, leastLimit))
		}
	}
	return min(limit, s.o.FunctionTimeout)
}

// take takes an answer that a function got under a limit.
func (s *scanner) take(t *target, a *answer, limit time.Duration) {
	a.Limit = limit
	if old := t.answer; old == nil {
		s.done++
	} else {
		s.findings -= len(old.Findings)
		a.Seconds += old.Seconds
		if len(a.Findings)+len(a.Proved) == 0 { // the worker died, it may be
			a.Findings, a.Proved, a.By, a.Open, a.Assumptions, a.Answer = old.Findings, old.Proved, old.By, old.Open, old.Assumptions, old.Answer
		}
	}
	t.answer, t.cached = a, false
	s.findings += len(a.Findings)
	if a.Failed == "" && !a.TimedOut {
		t.left = false
		s.cache.putRecord(t.key, &record{Answer: a})
	}
}

// left is the processor time that is left, 0 if there is no limit.
func (s *scanner) left() time.Duration {
	left := time.Duration(0)
	bound := func(d time.Duration) {
		if d = max(d, time.Millisecond); left == 0 || d < left {
			left = d
		}
	}
	if s.o.Timeout > 0 {
		bound(time.Duration(float64(time.Until(s.until())*time.Duration(s.o.Jobs)) * s.rate()))
	}
	if s.o.Effort > 0 {
		bound(s.budget() - s.taken())
	}
	return left
}

// rate is the part of a processor that each worker gets, as far as that is known.
func (s *scanner) rate() float64 {
	passed := time.Since(s.looking)
	if passed < rateAfter {
		return 1
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	return min(1, max(slowestRate, float64(s.used)/float64(passed*time.Duration(s.o.Jobs))))
}

// budget is the processor time that Effort allows.
func (s *scanner) budget() time.Duration {
	return max(leastEffort, s.o.Effort*time.Duration(s.report.Lines)/1000)
}

// taken is the processor time that the scan has taken, but for that of workers which are at work.
func (s *scanner) taken() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return work.Process() + s.compiling + s.used
}

// spent says that the time for all functions is used up.
func (s *scanner) spent() bool {
	return s.o.Effort > 0 && s.taken() >= s.budget() || s.o.Timeout > 0 && time.Until(s.until()) <= 0
}

// until is when workers are to have told what they know, if there is a Timeout.
func (s *scanner) until() time.Time {
	return s.begin.Add(s.o.Timeout - min(closing, s.o.Timeout/10))
}

func (s *scanner) request(t *target, limit time.Duration) *request {
	refs := func(link []frontend.Linked) (list []unitRef) {
		for _, l := range link {
			i := slices.Index(s.units, l.Unit)
			list = append(list, unitRef{absolute(s.cache.unitPath(s.keys[i])), l.Names})
		}
		return list
	}
	r := &request{
		Function: t.name, Properties: s.o.Properties, Internal: t.internal, Allocates: t.allocates, Summary: s.o.Summary, Timeout: limit, Program: s.program(t.name),
		Units: refs(t.link), Made: t.made, MadeUnits: refs(t.madeLink),
	}
	if s.o.Timeout > 0 {
		r.Until = s.until()
	}
	return r
}
