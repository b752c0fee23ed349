package ltl

import "fmt"

// This file prints formulas with the words X, F, G, U, W and R, and with the
// parentheses that Parse needs, and those around binary temporal operators that
// people need.

// unarySigns and binarySigns are the operators in print.
var (
	unarySigns  = [...]string{NotOp: "!", NextOp: "X ", FinallyOp: "F ", GloballyOp: "G "}
	binarySigns = [...]string{IffOp: "<==>", ImpliesOp: "==>", OrOp: "||", XorOp: "^^", AndOp: "&&", UntilOp: "U", WeakUntilOp: "W", ReleaseOp: "R"}
)

func (f Constant) String() string { return fmt.Sprintf("%t", bool(f)) }
func (f Prop) String() string     { return f.Atom.String() }

func (f Unary) String() string {
	return unarySigns[f.Op] + operand(f.F, func(Binary) bool { return false })
}

func (f Binary) String() string {
	left := func(g Binary) bool { return g.Op == f.Op && !g.Op.Temporal() && g.Op != ImpliesOp || binds(g.Op, f.Op) }
	right := func(g Binary) bool { return binds(g.Op, f.Op) }
	return operand(f.L, left) + " " + binarySigns[f.Op] + " " + operand(f.R, right)
}

// binds says that an operand with operator inner needs no parentheses below outer.
// Beside && and || that is left to people who know: a || b && c gets them.
func binds(inner, outer BinaryOp) bool {
	return precedence(inner) > precedence(outer) && (outer == IffOp || outer == ImpliesOp) && inner != IffOp && inner != ImpliesOp
}

// operand prints an operand, in parentheses if it is binary and not free.
func operand(f Formula, free func(Binary) bool) string {
	if b, ok := f.(Binary); ok && !free(b) {
		return "(" + b.String() + ")"
	}
	return f.String()
}

// Readable is f with F and G where a normal form has true U and false R.
func Readable(f Formula) Formula {
	switch f := f.(type) {
	case Unary:
		return Unary{f.Op, Readable(f.F)}
	case Binary:
		l, r := Readable(f.L), Readable(f.R)
		switch {
		case f.Op == UntilOp && l == True:
			return Finally(r)
		case f.Op == ReleaseOp && l == False:
			return Globally(r)
		}
		return Binary{f.Op, l, r}
	}
	return f
}
