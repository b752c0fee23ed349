package report

import (
	"strconv"
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
	if s.Kind == assay.StepStore { // the cell is another one in each round
		return site{s.Kind, s.Pos.File, s.Pos.Line, s.Func, strconv.Itoa(s.Pos.Col)}
	}
	return site{s.Kind, s.Pos.File, s.Pos.Line, s.Func, s.Var + s.Text + strings.Join(s.Truth, ",")}
}

// Shortener passes on the steps of a trace as they come. Of the repetitions of a loop it passes
// on the first ones and the last: a step whose site has been shown `rounds` times is
// held back, replacing the earlier one of the same site; when a step of a new
// site comes, the steps held back are passed on after the number of those that
// were left out. Of a trace that is still long after that, only both ends are passed on.
type Shortener struct {
	full bool
	step func(assay.Step)
	gap  func(leftOut int, ofLoop bool)

	seen    map[site]int
	held    map[site]int // index into pending
	pending []pendingStep
	omitted int

	passed int     // steps and gaps passed on so far
	limit  int     // of them, half at each end; 0 is none
	ring   []piece // those that come after limit/2
	lost   int     // dropped from the ring
}

// pendingStep is a step held back; replaced ones are dropped.
type pendingStep struct {
	step assay.Step
	dead bool
}

// piece is a step, or a gap of so many.
type piece struct {
	step assay.Step
	gap  int
}

// NewShortener calls step with each step that stays, and gap where some are left out, of a loop or in the middle
// of a long trace. With full no repetitions are left out; limit bounds the number of steps, 0 does not.
func NewShortener(full bool, limit int, step func(assay.Step), gap func(leftOut int, ofLoop bool)) *Shortener {
	return &Shortener{full: full, limit: limit, step: step, gap: gap, seen: map[site]int{}, held: map[site]int{}}
}

// Add takes the next step.
func (s *Shortener) Add(x assay.Step) {
	if s.full {
		s.pass(piece{step: x})
		return
	}
	k := siteOf(x)
	s.seen[k]++
	if x.Kind == assay.StepViolation || s.seen[k] <= rounds {
		s.flush()
		s.pass(piece{step: x})
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

// flush passes on what was held back.
func (s *Shortener) flush() {
	if s.omitted > 0 {
		s.pass(piece{gap: s.omitted})
	}
	for _, p := range s.pending {
		if !p.dead {
			s.pass(piece{step: p.step})
		}
	}
	s.pending, s.omitted = s.pending[:0], 0
	clear(s.held)
}

// pass passes on a piece, or keeps it for the end.
func (s *Shortener) pass(p piece) {
	if s.passed++; s.limit == 0 || s.passed <= s.limit/2 {
		s.show(p)
		return
	}
	if s.ring = append(s.ring, p); len(s.ring) >= s.limit {
		s.drop()
	}
}

// drop leaves the last limit/2 pieces in the ring.
func (s *Shortener) drop() {
	n := len(s.ring) - s.limit/2
	if n <= 0 {
		return
	}
	for _, p := range s.ring[:n] {
		s.lost += max(1, p.gap)
	}
	s.ring = s.ring[:copy(s.ring, s.ring[n:])]
}

func (s *Shortener) show(p piece) {
	if p.gap > 0 {
		s.gap(p.gap, true)
	} else {
		s.step(p.step)
	}
}

// Close passes on the end of the trace.
func (s *Shortener) Close() {
	s.flush()
	s.drop()
	if s.lost > 0 {
		s.gap(s.lost, false)
	}
	for _, p := range s.ring {
		s.show(p)
	}
	s.ring = nil
}
