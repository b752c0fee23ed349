// Package tableau makes Büchi automata of formulas of linear temporal logic in a way
// that is simple to believe: a declarative tableau in the manner of [GPVW95], for the
// checker. It shares the formulas of package ltl with the engine's translation and
// nothing else: there is no normal form, no simplification, no reduction.
//
// A state is a set of claims, formulas with the truth that they must have from here
// on. To read a letter, the claims are expanded until only claims about atoms and
// about what follows remain: those about atoms are the label, the others the next
// state. Where a claim has several reasons, the expansions exclude each other: a || b
// is true because a is, or because a is not and b is. So
//
//	a word has at most one run from a state, and
//	the run knows of each formula in it whether it is true of what follows.
//
// This is what makes the automaton fit for comparison: who follows a run of it
// need not guess (package inclusion). For this, claims about what follows are split,
// too, down to atoms and temporal operators: X (a || b) is true because of a or of b.
//
// A claim that something happens, as that a U b is true, can be put off. The edges
// that put it off lack its mark; a run is accepting if it has each mark infinitely often.
package tableau

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/internal/ltl"
)

// Literals are the atoms that a letter must have, and must not have, by their bits.
type Literals struct{ True, False uint64 }

// Edge goes to a state, with the letters of its label.
type Edge struct {
	Label Literals
	To    int
	Marks uint64
}

// Automaton is a generalised Büchi automaton; state 0 is the initial one.
type Automaton struct {
	Atoms []ltl.Atom // atom i is bit i of literals
	Edges [][]Edge
	Marks int // a run has each of so many marks infinitely often
}

// The bounds.
const (
	maxAtoms  = 64
	maxStates = 1 << 16
)

// claim says that a formula has a truth.
type claim struct {
	formula int // its index
	truth   bool
}

// tableau is an automaton in the making.
type tableau struct {
	formulas []ltl.Formula // all subformulas
	index    map[ltl.Formula]int
	atom     map[ltl.Atom]int
	events   map[claim]int // the claims that can be put off, by their marks
	a        *Automaton
}

// New makes the automaton of a formula. The error says which bound it exceeds.
func New(f ltl.Formula) (*Automaton, error) {
	t := &tableau{formulas: ltl.Subformulas(f), index: map[ltl.Formula]int{}, atom: map[ltl.Atom]int{}, events: map[claim]int{}, a: &Automaton{Atoms: ltl.Atoms(f)}}
	for i, g := range t.formulas {
		t.index[g] = i
	}
	for i, a := range t.a.Atoms {
		t.atom[a] = i
	}
	if len(t.a.Atoms) > maxAtoms {
		return nil, fmt.Errorf("%d atoms, more than %d", len(t.a.Atoms), maxAtoms)
	}
	number := map[string]int{}
	var states [][]claim
	get := func(claims []claim) int {
		key := key(claims)
		i, ok := number[key]
		if !ok {
			i = len(states)
			number[key] = i
			states = append(states, claims)
		}
		return i
	}
	get([]claim{{t.index[f], true}})
	type half struct {
		to     int
		label  Literals
		putOff []int
	}
	var halves [][]half
	for i := 0; i < len(states); i++ {
		if len(states) > maxStates {
			return nil, fmt.Errorf("more than %d states", maxStates)
		}
		var all []half
		t.expand(states[i], func(n *node) {
			all = append(all, half{get(n.next), n.label, slices.Clone(n.putOff)})
		})
		halves = append(halves, all)
	}
	if len(t.events) > maxAtoms {
		return nil, fmt.Errorf("%d claims that can be put off, more than %d", len(t.events), maxAtoms)
	}
	t.a.Marks = len(t.events)
	for _, all := range halves {
		var edges []Edge
		for _, h := range all {
			marks := uint64(1)<<t.a.Marks - 1
			for _, k := range h.putOff {
				marks &^= 1 << k
			}
			edges = append(edges, Edge{h.label, h.to, marks})
		}
		t.a.Edges = append(t.a.Edges, edges)
	}
	return t.a, nil
}

// key is a state as a string. Claims are sorted and different.
func key(claims []claim) string {
	var b strings.Builder
	for _, c := range claims {
		fmt.Fprintf(&b, "%d %t,", c.formula, c.truth)
	}
	return b.String()
}

// node is an expansion that is not complete. First the claims of todo are expanded,
// then those of later, which are about what follows the letter.
type node struct {
	todo, later       []claim
	known, knownLater map[int]bool
	label             Literals
	next              []claim
	putOff            []int // marks
}

// expand calls f with each complete expansion of claims.
func (t *tableau) expand(claims []claim, f func(*node)) {
	t.step(&node{todo: slices.Clone(claims), known: map[int]bool{}, knownLater: map[int]bool{}}, f)
}

// clone is a copy of the node.
func (n *node) clone() *node {
	return &node{
		todo: slices.Clone(n.todo), later: slices.Clone(n.later), known: maps.Clone(n.known), knownLater: maps.Clone(n.knownLater),
		label: n.label, next: slices.Clone(n.next), putOff: slices.Clone(n.putOff),
	}
}

// pop takes the last claim; done says that it is known already, and ok that it is
// not known to be wrong.
func pop(claims *[]claim, known map[int]bool) (c claim, done, ok bool) {
	c = (*claims)[len(*claims)-1]
	*claims = (*claims)[:len(*claims)-1]
	truth, done := known[c.formula]
	known[c.formula] = c.truth
	return c, done, !done || truth == c.truth
}

// step expands the last claim of a node.
func (t *tableau) step(n *node, f func(*node)) {
	if len(n.todo) == 0 {
		t.stepLater(n, f)
		return
	}
	c, done, ok := pop(&n.todo, n.known)
	switch {
	case !ok:
		return
	case done:
		t.step(n, f)
		return
	}
	for _, r := range t.reasons(c) {
		m := n.clone()
		m.todo = append(m.todo, r.now...)
		if r.next {
			m.later = append(m.later, r.then)
		}
		if r.putOff {
			m.putOff = append(m.putOff, t.event(c))
		}
		m.label.True |= r.label.True
		m.label.False |= r.label.False
		if m.label.True&m.label.False == 0 {
			t.step(m, f)
		}
	}
}

// stepLater splits the last claim about what follows.
func (t *tableau) stepLater(n *node, f func(*node)) {
	if len(n.later) == 0 {
		slices.SortFunc(n.next, func(a, b claim) int { return a.formula - b.formula })
		f(n)
		return
	}
	c, done, ok := pop(&n.later, n.knownLater)
	switch {
	case !ok:
		return
	case done:
		t.stepLater(n, f)
		return
	case !t.propositional(c.formula):
		n.next = append(n.next, c)
		t.stepLater(n, f)
		return
	}
	for _, r := range t.reasons(c) {
		m := n.clone()
		m.later = append(m.later, r.now...)
		t.stepLater(m, f)
	}
}

// propositional says that a formula is a constant or has a propositional operator at
// the top: its reasons are about the same observation, and no letter.
func (t *tableau) propositional(i int) bool {
	switch f := t.formulas[i].(type) {
	case ltl.Constant:
		return true
	case ltl.Unary:
		return !f.Op.Temporal()
	case ltl.Binary:
		return !f.Op.Temporal()
	}
	return false
}

// event is the mark of a claim that can be put off.
func (t *tableau) event(c claim) int {
	k, ok := t.events[c]
	if !ok {
		k = len(t.events)
		t.events[c] = k
	}
	return k
}

// reason is one way in which a claim is right.
type reason struct {
	now    []claim  // about this observation and what follows
	label  Literals // about the letter
	next   bool     // whether there is a claim about what follows the next letter
	then   claim
	putOff bool // the claim is put off
}

// reasons are the ways in which a claim is right. They exclude each other.
func (t *tableau) reasons(c claim) []reason {
	is := func(f ltl.Formula, truth bool) claim { return claim{t.index[f], truth} }
	now := func(claims ...claim) reason { return reason{now: claims} }
	again := func(putOff bool, claims ...claim) reason {
		return reason{now: claims, next: true, then: c, putOff: putOff}
	}
	switch f := t.formulas[c.formula].(type) {
	case ltl.Constant:
		if bool(f) == c.truth {
			return []reason{{}}
		}
		return nil
	case ltl.Prop:
		bit := uint64(1) << t.atom[f.Atom]
		if c.truth {
			return []reason{{label: Literals{True: bit}}}
		}
		return []reason{{label: Literals{False: bit}}}
	case ltl.Unary:
		switch f.Op {
		case ltl.NotOp:
			return []reason{now(is(f.F, !c.truth))}
		case ltl.NextOp:
			return []reason{{next: true, then: is(f.F, c.truth)}}
		case ltl.FinallyOp:
			if c.truth {
				return []reason{now(is(f.F, true)), again(true, is(f.F, false))}
			}
			return []reason{again(false, is(f.F, false))}
		case ltl.GloballyOp:
			if c.truth {
				return []reason{again(false, is(f.F, true))}
			}
			return []reason{now(is(f.F, false)), again(true, is(f.F, true))}
		}
	case ltl.Binary:
		l := func(truth bool) claim { return is(f.L, truth) }
		r := func(truth bool) claim { return is(f.R, truth) }
		switch f.Op {
		case ltl.AndOp:
			if c.truth {
				return []reason{now(l(true), r(true))}
			}
			return []reason{now(l(false)), now(l(true), r(false))}
		case ltl.OrOp:
			if c.truth {
				return []reason{now(l(true)), now(l(false), r(true))}
			}
			return []reason{now(l(false), r(false))}
		case ltl.ImpliesOp:
			if c.truth {
				return []reason{now(l(false)), now(l(true), r(true))}
			}
			return []reason{now(l(true), r(false))}
		case ltl.IffOp, ltl.XorOp:
			equal := (f.Op == ltl.IffOp) == c.truth
			return []reason{now(l(true), r(equal)), now(l(false), r(!equal))}
		case ltl.UntilOp:
			if c.truth {
				return []reason{now(r(true)), again(true, r(false), l(true))}
			}
			return []reason{now(r(false), l(false)), again(false, r(false), l(true))}
		case ltl.WeakUntilOp:
			if c.truth {
				return []reason{now(r(true)), again(false, r(false), l(true))}
			}
			return []reason{now(r(false), l(false)), again(true, r(false), l(true))}
		case ltl.ReleaseOp:
			if c.truth {
				return []reason{now(r(true), l(true)), again(false, r(true), l(false))}
			}
			return []reason{now(r(false)), again(true, r(true), l(false))}
		}
	}
	panic(fmt.Sprintf("unexpected %v", t.formulas[c.formula]))
}
