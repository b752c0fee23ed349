package cdcl

import (
	"math"
	"slices"
)

// analyze derives the clause of the first unique implication point into
// s.learnt, implied literal first and a literal of the level to go back to
// second, and returns that level.
func (s *Solver) analyze(conflict uint32) int {
	out := append(s.learnt[:0], 0)
	open, index := 0, len(s.trail)-1
	current := int32(len(s.limits))
	var p Lit
	first := true
	for {
		if s.arena[conflict]&learnedFlag != 0 {
			s.bumpClause(conflict)
		}
		for _, q := range s.lits(conflict) {
			l := Lit(q)
			if !first && l == p {
				continue
			}
			v := l.Var()
			if s.seen[v] != 0 || s.level[v] == 0 {
				continue
			}
			s.bump(v)
			s.seen[v] = 1
			if s.level[v] >= current {
				open++
			} else {
				out = append(out, l)
			}
		}
		for s.seen[s.trail[index].Var()] == 0 {
			index--
		}
		p = s.trail[index]
		index--
		first = false
		conflict = s.reason[p.Var()]
		s.seen[p.Var()] = 0
		if open--; open == 0 {
			break
		}
	}
	out[0] = p.Not()
	s.toClear = append(s.toClear[:0], out...)
	s.seen[p.Var()] = 1
	kept := out[:1]
	for _, l := range out[1:] {
		if s.reason[l.Var()] == noReason || !s.redundant(l) {
			kept = append(kept, l)
		}
	}
	for _, l := range s.toClear {
		s.seen[l.Var()] = 0
	}
	s.learnt = kept
	if len(kept) == 1 {
		return 0
	}
	at := 1
	for i := 2; i < len(kept); i++ {
		if s.level[kept[i].Var()] > s.level[kept[at].Var()] {
			at = i
		}
	}
	kept[1], kept[at] = kept[at], kept[1]
	return int(s.level[kept[1].Var()])
}

// redundant says whether l follows from the other literals of the clause, which
// are marked 1 in seen; 2 marks known redundant ones, 3 known failures.
func (s *Solver) redundant(l Lit) bool {
	type frame struct {
		l Lit
		k int
	}
	var local [64]frame
	stack := append(local[:0], frame{l, 0})
	for {
		top := &stack[len(stack)-1]
		ls := s.lits(s.reason[top.l.Var()])
		if top.k == len(ls) {
			if v := top.l.Var(); s.seen[v] == 0 {
				s.seen[v] = 2
				s.toClear = append(s.toClear, top.l)
			}
			stack = stack[:len(stack)-1]
			if len(stack) == 0 {
				return true
			}
			continue
		}
		q := Lit(ls[top.k])
		top.k++
		v := q.Var()
		if v == top.l.Var() || s.level[v] == 0 || s.seen[v] == 1 || s.seen[v] == 2 {
			continue
		}
		if s.reason[v] == noReason || s.seen[v] == 3 || len(stack) >= 1000 {
			for _, f := range stack {
				if w := f.l.Var(); s.seen[w] == 0 {
					s.seen[w] = 3
					s.toClear = append(s.toClear, f.l)
				}
			}
			return false
		}
		stack = append(stack, frame{q, 0})
	}
}

// final collects the assumptions from which it follows that the assumption p is
// false, p included.
func (s *Solver) final(p Lit) {
	s.addCore(p)
	if s.level[p.Var()] == 0 {
		return
	}
	s.seen[p.Var()] = 1
	for i := len(s.trail) - 1; i >= int(s.limits[0]); i-- {
		l := s.trail[i]
		v := l.Var()
		if s.seen[v] == 0 {
			continue
		}
		s.seen[v] = 0
		if s.reason[v] == noReason {
			s.addCore(l)
			continue
		}
		for _, q := range s.lits(s.reason[v]) {
			if w := Lit(q).Var(); w != v && s.level[w] > 0 {
				s.seen[w] = 1
			}
		}
	}
}

func (s *Solver) addCore(l Lit) {
	if !s.failed[l] {
		s.failed[l] = true
		s.core = append(s.core, l)
	}
}

func (s *Solver) bump(v uint32) {
	s.activity[v] += s.increment
	if s.heap.at[v] >= 0 {
		s.heap.up(int(s.heap.at[v]), s.activity)
	}
}

func (s *Solver) rescale() {
	for i := range s.activity {
		s.activity[i] *= 1e-100
	}
	s.increment *= 1e-100
}

func (s *Solver) clauseActivity(ref uint32) float32 { return math.Float32frombits(s.arena[ref+1]) }

func (s *Solver) bumpClause(ref uint32) {
	s.arena[ref+1] = math.Float32bits(s.clauseActivity(ref) + s.step)
}

func (s *Solver) rescaleClauses() {
	for _, ref := range s.learned {
		s.arena[ref+1] = math.Float32bits(s.clauseActivity(ref) * 1e-20)
	}
	s.step *= 1e-20
}

func (s *Solver) medianActivity() float32 {
	as := make([]float32, len(s.learned))
	for i, ref := range s.learned {
		as[i] = s.clauseActivity(ref)
	}
	slices.Sort(as)
	return as[len(as)/2]
}
