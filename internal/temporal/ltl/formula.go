// Package ltl is linear temporal logic over the observations of a C program: the
// formulas, their syntax, a normal form with simplification, and their meaning on
// lassos.
//
// A formula is a comparable value. Two formulas with the same structure are equal
// by ==, and a formula is a key of maps. Atoms carry their text only; where they
// stand in the source is in the Property that Parse returns.
//
// A run gives an infinite row of observations, and each atom is true or false at
// each of them. The operators are those of [Pnueli77]: X is the next observation,
// U is the until that has to end, W the one that need not, and R the dual of U.
package ltl

import "fmt"

// Formula is a Constant, a Prop, a Unary or a Binary.
type Formula interface {
	isFormula()
	// String prints the formula; Parse reads it back.
	String() string
}

// Constant is true or false.
type Constant bool

// Prop is an atom.
type Prop struct{ Atom Atom }

// Unary is an operator with one operand.
type Unary struct {
	Op UnaryOp
	F  Formula
}

// Binary is an operator with two operands.
type Binary struct {
	Op   BinaryOp
	L, R Formula
}

func (Constant) isFormula() {}
func (Prop) isFormula()     {}
func (Unary) isFormula()    {}
func (Binary) isFormula()   {}

// UnaryOp is an operator of Unary.
type UnaryOp uint8

// The unary operators.
const (
	NotOp      UnaryOp = iota // !
	NextOp                    // X
	FinallyOp                 // F
	GloballyOp                // G
)

// BinaryOp is an operator of Binary.
type BinaryOp uint8

// The binary operators, from those that bind least.
const (
	IffOp       BinaryOp = iota // <==>
	ImpliesOp                   // ==>
	OrOp                        // ||
	XorOp                       // ^^
	AndOp                       // &&
	UntilOp                     // U
	WeakUntilOp                 // W
	ReleaseOp                   // R
)

// The constants.
const (
	True  = Constant(true)
	False = Constant(false)
)

// Constructors that read like the formula.
func Not(f Formula) Formula        { return Unary{NotOp, f} }
func Next(f Formula) Formula       { return Unary{NextOp, f} }
func Finally(f Formula) Formula    { return Unary{FinallyOp, f} }
func Globally(f Formula) Formula   { return Unary{GloballyOp, f} }
func Iff(f, g Formula) Formula     { return Binary{IffOp, f, g} }
func Or(f, g Formula) Formula      { return Binary{OrOp, f, g} }
func And(f, g Formula) Formula     { return Binary{AndOp, f, g} }
func Until(f, g Formula) Formula   { return Binary{UntilOp, f, g} }
func Release(f, g Formula) Formula { return Binary{ReleaseOp, f, g} }

// Temporal says that the operator looks beyond the present observation.
func (o UnaryOp) Temporal() bool { return o != NotOp }

// Temporal says that the operator looks beyond the present observation.
func (o BinaryOp) Temporal() bool { return o >= UntilOp }

// AtomKind says what an atom speaks about.
type AtomKind uint8

// The kinds of atoms.
const (
	CAtom        AtomKind = iota // a C expression is not zero
	AtAtom                       // control is at a label
	CalledAtom                   // a function has just been called
	ReturnedAtom                 // a function has just returned
)

// events are the words for the atoms that are no C expressions.
var events = map[string]AtomKind{"at": AtAtom, "called": CalledAtom, "returned": ReturnedAtom}

// Atom is what is true or false of an observation. Text is a C expression with
// one blank where C wants or likes one, or the name of a label or function; both
// may qualify names by their function, as in main::x.
type Atom struct {
	Kind AtomKind
	Text string
}

// String is the atom in the syntax of formulas.
func (a Atom) String() string {
	for word, k := range events {
		if k == a.Kind {
			return word + "(" + a.Text + ")"
		}
	}
	if plainName(a.Text) {
		return a.Text
	}
	return "AP(" + a.Text + ")"
}

// Children are the operands of a formula.
func Children(f Formula) []Formula {
	switch f := f.(type) {
	case Constant, Prop:
		return nil
	case Unary:
		return []Formula{f.F}
	case Binary:
		return []Formula{f.L, f.R}
	}
	panic(fmt.Sprintf("unexpected %T", f))
}

// Subformulas are the different formulas within f, operands before what they are
// operands of; f is the last.
func Subformulas(f Formula) []Formula {
	var all []Formula
	seen := map[Formula]bool{}
	var visit func(Formula)
	visit = func(f Formula) {
		if seen[f] {
			return
		}
		seen[f] = true
		for _, c := range Children(f) {
			visit(c)
		}
		all = append(all, f)
	}
	visit(f)
	return all
}

// Atoms are the atoms of f in the order in which they appear first.
func Atoms(f Formula) []Atom {
	var all []Atom
	for _, g := range Subformulas(f) {
		if p, ok := g.(Prop); ok {
			all = append(all, p.Atom)
		}
	}
	return all
}

// Size counts the operators, atoms and constants of f as it is written.
func Size(f Formula) int {
	n := 1
	for _, c := range Children(f) {
		n += Size(c)
	}
	return n
}
