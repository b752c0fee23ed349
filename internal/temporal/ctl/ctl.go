// Package ctl is computation tree logic [ClarkeEmerson81]: formulas, their syntax (parse.go)
// and their negation normal form. Atoms are texts, which a frontend gives a meaning.
//
// A formula is about the tree of runs from a state. Runs never end: a state without
// successor is its own.
//
//	AX f, EX f         f holds in all next states, or in one
//	A[f U g], E[f U g] on all runs, or on one, g holds some time, and f until then
//	A[f W g], E[f W g] the same, or f holds for ever
//
//	E(G f && G F g)     on one run, f holds always, and g again and again
//	A(F f || F G g)     on all runs, f holds some time, or g from some time on
//
// The last two are none of CTL, but what path formulas of CTL* need besides (star.go).
// AF g is A[true U g], AG f is A[f W false]; so for E.
package ctl

import "fmt"

// Formula is a formula: Constant, Atom, Not, And, Or, Next, Until, Weak, Often or Settles.
type Formula interface {
	fmt.Stringer
	isFormula()
}

// Quantifier says of which runs something holds.
type Quantifier bool

// The quantifiers.
const (
	Some Quantifier = false
	All  Quantifier = true
)

func (q Quantifier) String() string {
	if q == All {
		return "A"
	}
	return "E"
}

// Atom is a condition on states, as it was written. If Label is not empty, it holds only where
// the program is at that label.
type Atom struct {
	Text, Label string
	// At is where the text begins, in bytes.
	At int
}

// Constant is true or false.
type Constant bool

// The operators.
type (
	Not struct{ F Formula }
	And struct{ F, G Formula }
	Or  struct{ F, G Formula }
	// Next is AX or EX.
	Next struct {
		Q Quantifier
		F Formula
	}
	// Until is A[f U g] or E[f U g].
	Until struct {
		Q    Quantifier
		F, G Formula
	}
	// Weak is A[f W g] or E[f W g].
	Weak struct {
		Q    Quantifier
		F, G Formula
	}
	// Often says that on some run F holds always, and G again and again.
	Often struct{ F, G Formula }
	// Settles says that on all runs F holds some time, or G always from some time on.
	Settles struct{ F, G Formula }
)

func (Atom) isFormula()     {}
func (Constant) isFormula() {}
func (Not) isFormula()      {}
func (And) isFormula()      {}
func (Or) isFormula()       {}
func (Next) isFormula()     {}
func (Until) isFormula()    {}
func (Weak) isFormula()     {}
func (Often) isFormula()    {}
func (Settles) isFormula()  {}

// Finally is AF or EF.
func Finally(q Quantifier, f Formula) Formula { return Until{q, Constant(true), f} }

// Globally is AG or EG.
func Globally(q Quantifier, f Formula) Formula { return Weak{q, f, Constant(false)} }

func (f Constant) String() string { return fmt.Sprint(bool(f)) }
func (f Not) String() string      { return "!" + operand(f.F) }
func (f And) String() string      { return operand(f.F) + " && " + operand(f.G) }
func (f Or) String() string       { return operand(f.F) + " || " + operand(f.G) }
func (f Next) String() string     { return fmt.Sprintf("%vX(%v)", f.Q, f.F) }

func (f Atom) String() string {
	if f.Label != "" {
		return "AP(" + f.Label + ": " + f.Text + ")"
	}
	return "AP(" + f.Text + ")"
}

func (f Until) String() string {
	if f.F == Constant(true) {
		return fmt.Sprintf("%vF(%v)", f.Q, f.G)
	}
	return fmt.Sprintf("%vU(%v, %v)", f.Q, f.F, f.G)
}

func (f Weak) String() string {
	if f.G == Constant(false) {
		return fmt.Sprintf("%vG(%v)", f.Q, f.F)
	}
	return fmt.Sprintf("%vW(%v, %v)", f.Q, f.F, f.G)
}

func (f Often) String() string {
	if f.F == Constant(true) {
		return fmt.Sprintf("E G(F(%v))", f.G)
	}
	return fmt.Sprintf("E(G(%v) && G(F(%v)))", f.F, f.G)
}

func (f Settles) String() string {
	if f.F == Constant(false) {
		return fmt.Sprintf("A F(G(%v))", f.G)
	}
	return fmt.Sprintf("A(F(%v) || F(G(%v)))", f.F, f.G)
}

// operand is a formula below an operator.
func operand(f Formula) string {
	switch f.(type) {
	case And, Or:
		return "(" + f.String() + ")"
	case Atom, Constant, Not, Next, Until, Weak, Often, Settles:
		return f.String()
	}
	panic(fmt.Sprintf("ctl: unexpected %T", f))
}

// Normal is the formula with negations at atoms only.
func Normal(f Formula) Formula { return normal(f, true) }

// Negation is the negation of a formula, with negations at atoms only.
func Negation(f Formula) Formula { return normal(f, false) }

// normal is f, or its negation. The negation of A[f U g] is E[!g W !f && !g], and so on.
func normal(f Formula, positive bool) Formula {
	dual := func(q Quantifier) Quantifier { return q == Quantifier(positive) }
	switch f := f.(type) {
	case Constant:
		return Constant(bool(f) == positive)
	case Atom:
		if positive {
			return f
		}
		return Not{f}
	case Not:
		return normal(f.F, !positive)
	case And:
		if positive {
			return And{normal(f.F, true), normal(f.G, true)}
		}
		return Or{normal(f.F, false), normal(f.G, false)}
	case Or:
		if positive {
			return Or{normal(f.F, true), normal(f.G, true)}
		}
		return And{normal(f.F, false), normal(f.G, false)}
	case Next:
		return Next{dual(f.Q), normal(f.F, positive)}
	case Until:
		if positive {
			return Until{f.Q, normal(f.F, true), normal(f.G, true)}
		}
		return Weak{!f.Q, normal(f.G, false), conjunction(normal(f.F, false), normal(f.G, false))}
	case Weak:
		if positive {
			return Weak{f.Q, normal(f.F, true), normal(f.G, true)}
		}
		return Until{!f.Q, normal(f.G, false), conjunction(normal(f.F, false), normal(f.G, false))}
	case Often:
		if positive {
			return Often{normal(f.F, true), normal(f.G, true)}
		}
		return Settles{normal(f.F, false), normal(f.G, false)}
	case Settles:
		if positive {
			return Settles{normal(f.F, true), normal(f.G, true)}
		}
		return Often{normal(f.F, false), normal(f.G, false)}
	}
	panic(fmt.Sprintf("ctl: unexpected %T", f))
}

// conjunction is And, without constants.
func conjunction(f, g Formula) Formula {
	switch {
	case f == Constant(true):
		return g
	case g == Constant(true):
		return f
	case f == Constant(false) || g == Constant(false):
		return Constant(false)
	}
	return And{f, g}
}

// Children are the formulas directly below.
func Children(f Formula) []Formula {
	switch f := f.(type) {
	case Constant, Atom:
		return nil
	case Not:
		return []Formula{f.F}
	case And:
		return []Formula{f.F, f.G}
	case Or:
		return []Formula{f.F, f.G}
	case Next:
		return []Formula{f.F}
	case Until:
		return []Formula{f.F, f.G}
	case Weak:
		return []Formula{f.F, f.G}
	case Often:
		return []Formula{f.F, f.G}
	case Settles:
		return []Formula{f.F, f.G}
	}
	panic(fmt.Sprintf("ctl: unexpected %T", f))
}

// HasNext says whether AX or EX occurs in a formula.
func HasNext(f Formula) bool {
	if _, ok := f.(Next); ok {
		return true
	}
	for _, g := range Children(f) {
		if HasNext(g) {
			return true
		}
	}
	return false
}
