// Package product makes the product of a program and a Büchi automaton: a program that
// has an accepting run if and only if some run of the first one gives a row of observations
// that the automaton accepts [VardiWolper86; Liu, Def. 2.3.3]. With the automaton of the negation of a
// formula, the formula holds if the product has no such run.
//
// The product is an ordinary module. A run of it is accepting if it executes the instruction
// ir.Accept infinitely often.
//
//	(P1) The functions of the program that are not recursive are inlined into the entry
//	     function (flatten.go), whose blocks then exist once for each component of the automaton
//	     (copies.go): that is a part of control, and loops of different components are
//	     different loops. Values are taken from copy to copy by phis (values.go).
//	(P2) An observation stands in the initial state of main, after each write that may change what an
//	     atom reads, and at loop heads, or, if the formula has X, after each write of the source;
//	     where the program has calls of __VERIFIER_ltl_step, only there and in the initial state.
//	     The end of the life of a local that an atom reads is such a write, too, and of a formula with
//	     such atoms loop heads are not observed: they may stand where it lives, but has no value yet.
//	     The automaton takes an edge whose label the observation satisfies; where several may be
//	     taken, a Nondet chooses. Without an edge, the run is none (a failed assumption).
//	     Entering an accepting state by an observation executes Accept.
//	(P3) The program's ends (return of the entry function, exit, abort, a failed assertion) repeat
//	     the last state for ever: the automaton accepts the repetition or does not, which is a
//	     condition on the atoms. If it does, the product is in an endless loop of Accepts.
//	     Else the run is none. An end by row U8 is unsupported.
//	(P4) A run may be infinite, and have finitely many observations, if not all loops have some:
//	     then the last one repeats for ever. At the head of such a loop the product may
//	     choose that there will be no observation any more, if the automaton accepts the repetition of
//	     the last one: then loops execute Accept, and an observation or an end is no run.
//	(P5) In a state that accepts whatever comes (a sink), there are no observations; the heads of
//	     all loops execute Accept. A Check of kind Assertion fails where a sink is entered, and
//	     where a repetition is accepted at an end: of an automaton that accepts nothing but by
//	     these (Product.Safety), no accepting run exists if no such Check fails. The other way
//	     round it has to be shown that the run goes on without a failed assumption.
//
// What is called and not inlined (recursive functions, functions with variable arguments, and what is
// behind pointers) must not observe, loop or end: else the call is unsupported.
package product

import (
	"fmt"
	"slices"

	"assay/internal/program/ir"
	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
	"assay/internal/transform"
)

// Question is a program with an automaton.
type Question struct {
	Program   *ir.Module
	Automaton *buchi.Automaton
	// Observers are, by the atoms of the automaton, the functions of the program that tell
	// whether they are true.
	Observers []Observer
	// Step is the label that marks points of observation; empty if they are not marked.
	Step string
	// Next says that observations count, for the formula has X. Then the program has its
	// locals in memory, so that writes to them can be seen.
	Next bool
	// Violation is the text of the checks of (P5).
	Violation string
}

// Observer is a function that tells whether an atom is true, with pointers to locals as parameters. Func is
// empty for atoms that are events.
type Observer struct {
	Func   string
	Locals []Local
}

// Local is a local variable or a parameter of a function. Its stack object has its name in Def.Sym.
type Local struct{ Func, Name string }

// Product is a program with accepting runs.
type Product struct {
	transform.Program
	// Safety says that the checks of (P5) decide.
	Safety bool
	// Extends says that a run that fails such a check is the beginning of some
	// run: no assumption and nothing unsupported can be in its way.
	Extends bool
}

// Limits of what is made.
const (
	maxFlat   = 20000 // instructions of the flat function
	maxBlocks = 20000 // blocks of the product
	maxAtoms  = 10    // atoms of which all letters are enumerated
)

// Error says why there is no product.
type Error struct {
	Pos ir.Pos
	Why string
}

func (e *Error) Error() string { return e.Why }

// Make makes the product.
func Make(q *Question) (p *Product, err error) {
	if len(q.Automaton.Atoms) > maxAtoms {
		return nil, &Error{Why: fmt.Sprintf("the formula has more than %d atoms", maxAtoms)}
	}
	flat, err := flatten(q)
	if err != nil {
		return nil, err
	}
	c := newCopier(q, flat)
	p, err = c.build()
	if err != nil {
		return nil, err
	}
	if err := ir.Verify(p.Module); err != nil {
		panic("product: the product is malformed: " + err.Error())
	}
	return p, nil
}

// HasLabel says whether a module has a label with the name, in the function if it is not empty.
func HasLabel(m *ir.Module, function, label string) bool {
	return slices.ContainsFunc(m.Funcs, func(f *ir.Func) bool {
		return (function == "" || f.Name == function) && slices.ContainsFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Label && d.Sym == label })
	})
}

// stuttering are, for each state, the letters whose repetition the automaton accepts from there.
func stuttering(a *buchi.Automaton) [][]buchi.Cube {
	out := make([][]buchi.Cube, len(a.Edges))
	full := uint64(1)<<len(a.Atoms) - 1
	for q := range a.Edges {
		from := *a
		from.Initial = q
		// An automaton with the letters as edges, to merge them to cubes.
		merged := buchi.Automaton{Atoms: a.Atoms, Edges: make([][]buchi.Edge, 1), Accepting: make([]bool, 1)}
		for l := uint64(0); l <= full; l++ {
			if from.Accepts(buchi.Word{Loop: []buchi.Letter{buchi.Letter(l)}}) {
				merged.Edges[0] = append(merged.Edges[0], buchi.Edge{Label: buchi.Cube{Pos: l, Neg: full &^ l}})
			}
		}
		merged.Tidy()
		for _, e := range merged.Edges[0] {
			out[q] = append(out[q], e.Label)
		}
	}
	return out
}

// sinks are the states that accept whatever comes: accepting, with a loop for every letter.
func sinks(a *buchi.Automaton) []bool {
	out := make([]bool, len(a.Edges))
	for q, es := range a.Edges {
		var labels []buchi.Cube
		for _, e := range es {
			if e.To == q {
				labels = append(labels, e.Label)
			}
		}
		out[q] = a.Accepting[q] && (buchi.Cube{}).Covered(labels)
	}
	return out
}

// event says whether an atom is the event of a kind at a label or function: of a function
// with the qualified name.
func event(a ltl.Atom, kind ltl.AtomKind, function, name string) bool {
	return a.Kind == kind && (a.Text == name || function != "" && a.Text == function+"::"+name)
}
