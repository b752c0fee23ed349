package scan

import (
	"slices"
	"testing"
	"time"

	"assay/internal/program/frontend"
)

// TestShares: however many functions there are, each has a share of what is left, and all shares together fit.
func TestShares(t *testing.T) {
	const budget = 500 * time.Second
	for _, c := range []struct {
		functions int
		part      float64 // of its limit that a function takes
	}{{1, 3}, {10, 3}, {700, 0.1}, {700, 1}, {3000, 1}} {
		s := &scanner{o: &Options{Effort: budget, FunctionTimeout: 10 * time.Second}, report: &Report{Lines: 1000}}
		first, last := time.Duration(0), time.Duration(0)
		for n := c.functions; n > 0; n-- {
			last = s.limit(&target{}, n)
			if n == c.functions {
				first = last
			}
			s.used += time.Duration(c.part * float64(last))
		}
		if s.spent() {
			t.Errorf("%d functions that take %v of their limit do not fit", c.functions, c.part)
		}
		if first < leastLimit || last < first && c.part < 1 || last > s.o.FunctionTimeout {
			t.Errorf("%d functions: the first gets %v, the last %v", c.functions, first, last)
		}
	}
	again := &scanner{o: &Options{FunctionTimeout: 10 * time.Second}, report: &Report{}}
	if got := again.limit(&target{answer: &answer{Limit: time.Second}}, 100); got != 10*time.Second {
		t.Errorf("nothing bounds the scan, and a function gets %v", got)
	}
	again.o.Effort, again.report.Lines = 100*time.Second, 1000
	for _, c := range []struct{ had, want time.Duration }{{time.Second, 2500 * time.Millisecond}, {9 * time.Second, 10 * time.Second}} {
		if got := again.limit(&target{answer: &answer{Limit: c.had}}, 1000); got != c.want {
			t.Errorf("a function that had %v gets %v, want %v", c.had, got, c.want)
		}
	}
}

// TestRounds: all are asked once before any is asked again; then findings that are not settled go first, and who has had all that there is is not asked.
func TestRounds(t *testing.T) {
	s := &scanner{o: &Options{FunctionTimeout: time.Second}}
	named := func(name string, size int, a *answer) *target {
		return &target{name: name, def: &frontend.Definition{Instructions: size}, answer: a}
	}
	short := time.Second / 10
	large, small := named("large", 9, nil), named("small", 2, nil)
	open, full, unsettled := named("open", 1, &answer{Limit: short}), named("full", 1, &answer{Limit: time.Second}), named("unsettled", 5, &answer{Limit: short, Unsettled: true})
	all := []*target{open, large, full, small, unsettled}
	if got := s.round(all); !slices.Equal(got, []*target{small, large}) {
		t.Errorf("first: %v", got)
	}
	large.answer, small.answer = &answer{Limit: short}, &answer{Limit: short}
	if got := s.round(all); !slices.Equal(got, []*target{unsettled, open, small, large}) {
		t.Errorf("then: %v", got)
	}
}
