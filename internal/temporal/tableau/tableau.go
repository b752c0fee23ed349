// Package tableau makes Büchi automata of formulas of linear temporal logic in a way
// that is simple to believe: a declarative tableau in the manner of [GPVW95], for the
// checker. It shares the formulas of package ltl with the engine's translation and
// nothing else: there is no simplification and no reduction.
//
// A state is a set of claims, formulas that must be true from here on. To read a
// letter, the claims are expanded until only claims about atoms and about what follows
// remain: those about atoms are the label, the others the next state. Where a claim
// has several reasons, the expansions exclude each other: a || b is true because a is,
// or because a is not and b is. So
//
//	a word has at most one run from a state, and
//	the run knows of each formula in it whether it is true of what follows.
//
// This is what makes the automaton fit for comparison: who follows a run of it
// need not guess (package inclusion). For this, claims about what follows are split,
// too, down to atoms and temporal operators: X (a || b) is true because of a or of b.
//
// The claim that a U b is true can be put off. The edges that put it off lack its
// mark; a run is accepting if it has each mark infinitely often.
package tableau

import (
	"fmt"
	"slices"

	"assay/internal/temporal/ltl"
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
	maxEdges  = 1 << 22
)

// set is a set of signed formulas.
type set [2 * maxCores / 64]uint64

func (s *set) has(f signed) bool { return s[f/64]>>(f%64)&1 != 0 }
func (s *set) add(f signed)      { s[f/64] |= 1 << (f % 64) }

// tableau is an automaton in the making.
type tableau struct {
	cores
	marks map[int]int // the untils, by their marks
	count int         // edges so far
}

// New makes the automaton of a formula. The error says which bound it exceeds.
func New(f ltl.Formula) (a *Automaton, err error) {
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(tooMany); !ok {
				panic(p)
			}
			a, err = nil, fmt.Errorf("more than %d subformulas", maxCores)
		}
	}()
	t := &tableau{cores: cores{number: map[string]int{}, memo: map[ltl.Formula]signed{}}, marks: map[int]int{}}
	var start set
	start.add(t.of(f))
	for i, c := range t.all {
		if c.kind == until {
			t.marks[i] = len(t.marks)
		}
	}
	if len(t.atoms) > maxAtoms || len(t.marks) > maxAtoms {
		return nil, fmt.Errorf("more than %d atoms or untils", maxAtoms)
	}
	a = &Automaton{Atoms: t.atoms, Marks: len(t.marks)}
	number := map[set]int{start: 0}
	states := []set{start}
	for i := 0; i < len(states); i++ {
		seen := map[Edge]bool{}
		var edges []Edge
		t.expand(states[i], func(n *node) {
			to, ok := number[n.next]
			if !ok {
				to = len(states)
				number[n.next] = to
				states = append(states, n.next)
			}
			e := Edge{n.label, to, (1<<a.Marks - 1) &^ n.putOff}
			if !seen[e] {
				seen[e] = true
				edges = append(edges, e)
			}
		})
		a.Edges = append(a.Edges, edges)
		if t.count > maxEdges || len(states) > maxStates {
			return nil, fmt.Errorf("more than %d states or %d edges", maxStates, maxEdges)
		}
	}
	return a, nil
}

// node is an expansion that is not complete. First the claims of todo are expanded,
// then those of later, which are about what follows the letter.
type node struct {
	todo, later       []signed
	known, knownLater set
	label             Literals
	next              set
	putOff            uint64 // marks
}

// expand calls f with each complete expansion of claims.
func (t *tableau) expand(claims set, f func(*node)) {
	n := &node{}
	for s := range signed(2 * len(t.all)) {
		if claims.has(s) {
			n.todo = append(n.todo, s)
		}
	}
	t.step(n, f)
}

// step expands the claims of a node one after the other.
func (t *tableau) step(n *node, f func(*node)) {
	for t.count <= maxEdges {
		claims, known := &n.todo, &n.known
		if len(*claims) == 0 {
			claims, known = &n.later, &n.knownLater
		}
		if len(*claims) == 0 {
			t.count++
			f(n)
			return
		}
		c := (*claims)[len(*claims)-1]
		*claims = (*claims)[:len(*claims)-1]
		if known.has(c.not()) {
			return
		}
		if known.has(c) {
			continue
		}
		known.add(c)
		if claims == &n.later && !t.propositional(c) {
			n.next.add(c)
			continue
		}
		reasons := t.reasons(c)
		for i, r := range reasons {
			m := n
			if i < len(reasons)-1 {
				m = &node{}
				*m = *n
				m.todo, m.later = slices.Clone(n.todo), slices.Clone(n.later)
			}
			if claims == &n.later {
				m.later = append(m.later, r.now...)
			} else {
				m.todo = append(m.todo, r.now...)
				m.later = append(m.later, r.then...)
			}
			m.putOff |= r.putOff
			m.label.True |= r.label.True
			m.label.False |= r.label.False
			if m != n {
				t.step(m, f)
			}
		}
		if len(reasons) == 0 {
			return
		}
	}
}

// propositional says that the reasons of a claim are about the same observation, and
// no letter.
func (t *tableau) propositional(c signed) bool {
	switch t.all[c.core()].kind {
	case constant, conjunction, equivalence:
		return true
	}
	return false
}

// reason is one way in which a claim is right.
type reason struct {
	now    []signed // about this observation and what follows
	label  Literals // about the letter
	then   []signed // about what follows the letter
	putOff uint64   // the mark of a claim that is put off
}

// reasons are the ways in which a claim is right. They exclude each other.
func (t *tableau) reasons(c signed) []reason {
	k, positive := t.all[c.core()], c&1 == 0
	switch k.kind {
	case constant:
		if positive {
			return []reason{{}}
		}
		return nil
	case prop:
		if positive {
			return []reason{{label: Literals{True: 1 << k.atom}}}
		}
		return []reason{{label: Literals{False: 1 << k.atom}}}
	case conjunction:
		if positive {
			return []reason{{now: k.operands}}
		}
		// The first that is false is the first, the second, ...
		var all []reason
		for i, f := range k.operands {
			all = append(all, reason{now: append(slices.Clone(k.operands[:i]), f.not())})
		}
		return all
	case equivalence:
		a, b := k.operands[0], k.operands[1]
		if !positive {
			b = b.not()
		}
		return []reason{{now: []signed{a, b}}, {now: []signed{a.not(), b.not()}}}
	case next:
		return []reason{{then: []signed{k.operands[0] ^ c&1}}}
	case until:
		a, b := k.operands[0], k.operands[1]
		if positive {
			return []reason{{now: []signed{b}}, {now: []signed{b.not(), a}, then: []signed{c}, putOff: 1 << t.marks[c.core()]}}
		}
		return []reason{{now: []signed{b.not(), a.not()}}, {now: []signed{b.not(), a}, then: []signed{c}}}
	}
	panic(fmt.Sprintf("unexpected %v", k))
}
