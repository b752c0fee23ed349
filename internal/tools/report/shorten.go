package report

import (
	"strings"

	"assay"
)

// rounds is how often a step of one kind at one place is shown before the
// following ones are held back until something new happens.
const rounds = 2

// site is a place that steps come from.
type site struct {
	kind     assay.StepKind
	file     string
	line     int
	function string
	what     string
}

func siteOf(s assay.Step) site {
	return site{s.Kind, s.Pos.File, s.Pos.Line, s.Func, s.Var + s.Text + strings.Join(s.Truth, ",")}
}

// Shortener passes on the steps of a trace as they come. Of the repetitions of a loop it passes
// on the first ones and the last: a step whose site has been shown `rounds` times is
// held back, replacing the earlier one of the same site; when a step of a new
// site comes, the steps held back are passed on after the number of those that
// were left out.
type Shortener struct {
	full bool
	step func(assay.Step)
	gap  func(leftOut int)

	seen    map[site]int
	held    map[site]int // index into pending
	pending []pendingStep
	omitted int
}

// pendingStep is a step held back; replaced ones are dropped.
type pendingStep struct {
	step assay.Step
	dead bool
}

// NewShortener calls step with each step that stays, and gap where some are left out; full leaves out none.
func NewShortener(full bool, step func(assay.Step), gap func(leftOut int)) *Shortener {
	return &Shortener{full: full, step: step, gap: gap, seen: map[site]int{}, held: map[site]int{}}
}

// Add takes the next step.
func (s *Shortener) Add(x assay.Step) {
	if s.full {
		s.step(x)
		return
	}
	k := siteOf(x)
	s.seen[k]++
	if x.Kind == assay.StepViolation || s.seen[k] <= rounds {
		s.Flush()
		s.step(x)
		return
	}
	if i, ok := s.held[k]; ok {
		s.pending[i].dead = true
		s.omitted++
	}
	s.held[k] = len(s.pending)
	s.pending = append(s.pending, pendingStep{step: x})
	if len(s.pending) > 4*len(s.held)+64 {
		s.compact()
	}
}

// compact drops the dead steps, so that memory stays proportional to the sites.
func (s *Shortener) compact() {
	live := s.pending[:0]
	for _, p := range s.pending {
		if !p.dead {
			s.held[siteOf(p.step)] = len(live)
			live = append(live, p)
		}
	}
	s.pending = live
}

// Flush passes on what was held back: at the end, too.
func (s *Shortener) Flush() {
	if s.omitted > 0 {
		s.gap(s.omitted)
	}
	for _, p := range s.pending {
		if !p.dead {
			s.step(p.step)
		}
	}
	s.pending, s.omitted = s.pending[:0], 0
	clear(s.held)
}
