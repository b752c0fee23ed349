package translation

import (
	"fmt"
	"math/bits"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
)

// This file makes the very weak alternating co-Büchi automaton of a formula
// [GastinOddoux01]. Its states are formulas in normal form: atoms and those
// with a temporal operator at the top. A transition has a label and a set of states
// that must all accept what follows. A state leads to itself and to its subformulas
// only; a run may not stay in an until for ever.

// maxStates is how many states the alternating automaton may have, and maxUntils
// how many of them may be untils.
const (
	maxStates = 256
	maxUntils = 64
)

// set is a set of states of the alternating automaton.
type set [maxStates / 64]uint64

func (s set) has(i int) bool { return s[i/64]>>(i%64)&1 != 0 }
func (s set) with(i int) set { s[i/64] |= 1 << (i % 64); return s }

func (s set) union(t set) set {
	for i := range s {
		s[i] |= t[i]
	}
	return s
}

func (s set) subset(t set) bool {
	for i := range s {
		if s[i]&^t[i] != 0 {
			return false
		}
	}
	return true
}

// members calls f with the members.
func (s set) members(f func(int)) {
	for w, word := range s {
		for ; word != 0; word &= word - 1 {
			f(w*64 + bits.TrailingZeros64(word))
		}
	}
}

// move is a transition: with a letter of the label, to all states of a set. left has
// the untils that it satisfies: those of which it has a move in it that leaves them.
type move struct {
	label buchi.Cube
	to    set
	left  uint64
}

// alternating is the automaton; states get numbers when they are met.
type alternating struct {
	atoms  []ltl.Atom
	states []ltl.Formula
	number map[ltl.Formula]int
	moves  [][]move // by state; nil if not computed
	untils []int    // the states that are untils
	until  map[int]int
	// within[i] are the states that state i takes along: each move of i has in it a
	// move of theirs.
	within []set
}

// tooLarge is the panic of a formula that is beyond the bounds.
type tooLarge struct{ text string }

func newAlternating(atoms []ltl.Atom) *alternating {
	return &alternating{atoms: atoms, number: map[ltl.Formula]int{}, until: map[int]int{}}
}

// state is the number of a formula.
func (v *alternating) state(f ltl.Formula) int {
	if i, ok := v.number[f]; ok {
		return i
	}
	i := len(v.states)
	if i == maxStates {
		panic(tooLarge{fmt.Sprintf("more than %d temporal subformulas", maxStates)})
	}
	v.number[f] = i
	v.states = append(v.states, f)
	v.moves = append(v.moves, nil)
	if b, ok := f.(ltl.Binary); ok && b.Op == ltl.UntilOp {
		if len(v.untils) == maxUntils {
			panic(tooLarge{fmt.Sprintf("more than %d untils", maxUntils)})
		}
		v.until[i] = len(v.untils)
		v.untils = append(v.untils, i)
	}
	v.within = append(v.within, set{})
	if b, ok := f.(ltl.Binary); ok && b.Op == ltl.ReleaseOp {
		for _, g := range conjuncts(b.R) {
			if g, ok := g.(ltl.Binary); ok && g.Op.Temporal() {
				j := v.state(g)
				v.within[i] = v.within[i].with(j).union(v.within[j])
			}
		}
	}
	return i
}

// conjuncts are the formulas between the conjunctions at the top of f.
func conjuncts(f ltl.Formula) []ltl.Formula {
	if b, ok := f.(ltl.Binary); ok && b.Op == ltl.AndOp {
		return append(conjuncts(b.L), conjuncts(b.R)...)
	}
	return []ltl.Formula{f}
}

// sets are the sets of states one of which has to accept, for f to be true: its
// disjunctive normal form.
func (v *alternating) sets(f ltl.Formula) []set {
	switch f := f.(type) {
	case ltl.Constant:
		if f {
			return []set{{}}
		}
		return nil
	case ltl.Binary:
		switch f.Op {
		case ltl.OrOp:
			return append(v.sets(f.L), v.sets(f.R)...)
		case ltl.AndOp:
			var all []set
			for _, s := range v.sets(f.L) {
				for _, t := range v.sets(f.R) {
					all = append(all, s.union(t))
				}
			}
			return all
		}
	}
	return []set{set{}.with(v.state(f))}
}

// of are the moves of state i.
func (v *alternating) of(i int) []move {
	if v.moves[i] == nil {
		v.moves[i] = append([]move{}, v.step(v.states[i])...)
	}
	return v.moves[i]
}

// step are the moves of a formula [GastinOddoux01].
func (v *alternating) step(f ltl.Formula) []move {
	literal := func(a ltl.Atom, positive bool) []move {
		for i, b := range v.atoms {
			if a == b {
				if positive {
					return []move{{label: buchi.Cube{Pos: 1 << i}}}
				}
				return []move{{label: buchi.Cube{Neg: 1 << i}}}
			}
		}
		panic(fmt.Sprintf("no atom %v", a))
	}
	switch f := f.(type) {
	case ltl.Constant:
		if f {
			return []move{{}}
		}
		return nil
	case ltl.Prop:
		return literal(f.Atom, true)
	case ltl.Unary:
		if p, ok := f.F.(ltl.Prop); ok && f.Op == ltl.NotOp {
			return literal(p.Atom, false)
		}
		if f.Op == ltl.NextOp {
			var all []move
			for _, s := range v.sets(f.F) {
				all = append(all, move{to: s})
			}
			return least(all)
		}
	case ltl.Binary:
		switch f.Op {
		case ltl.OrOp:
			return least(append(append([]move{}, v.step(f.L)...), v.step(f.R)...))
		case ltl.AndOp:
			return both(v.step(f.L), v.step(f.R))
		case ltl.UntilOp:
			// R now, or L now and the same again.
			q := v.state(f)
			all := both(v.step(f.L), []move{{to: set{}.with(q)}})
			for _, m := range v.step(f.R) {
				m.left |= 1 << v.until[q]
				all = append(all, m)
			}
			return least(all)
		case ltl.ReleaseOp:
			// R now, and L now or the same again.
			return both(v.step(f.R), append(append([]move{}, v.step(f.L)...), move{to: set{}.with(v.state(f))}))
		}
	}
	panic(fmt.Sprintf("%v is not in normal form", f))
}

// both are the moves that make one of each.
func both(a, b []move) []move {
	var all []move
	for _, m := range a {
		for _, n := range b {
			if label, ok := m.label.And(n.label); ok {
				all = append(all, move{label, m.to.union(n.to), m.left | n.left})
			}
		}
	}
	return least(all)
}

// least takes moves out that another makes needless: with more letters, to fewer
// states, and satisfying as many untils. The last is not needed in the alternating
// automaton, but for the marks that the next one has.
func least(moves []move) []move {
	var all []move
next:
	for i, m := range moves {
		for j, n := range moves {
			if i != j && m.label.Implies(n.label) && n.to.subset(m.to) && m.left&^n.left == 0 && (m != n || j < i) {
				continue next
			}
		}
		all = append(all, m)
	}
	return all
}
