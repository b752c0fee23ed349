package term

// This file is all that a store does that has no simplifier. Who makes terms of a program
// decides by constants which branches there are, so what is a constant must be one; nothing
// else is rewritten:
//
//	(1) an application of constants is its value (apply);
//	(2) a Boolean operand that is a constant decides its operation, or drops out;
//	(3) equal terms are equal.
//
// Nothing here looks into a term.

// compute is the term for an application of well-sorted arguments.
func (s *Store) compute(n node) ID {
	if t := s.fold(&n); t != 0 {
		return t
	}
	a := n.args
	switch n.op {
	case OpAnd, OpOr:
		neutral, decisive := trueID, falseID
		if n.op == OpOr {
			neutral, decisive = falseID, trueID
		}
		switch {
		case a[0] == decisive || a[1] == decisive:
			return decisive
		case a[0] == neutral || a[0] == a[1]:
			return a[1]
		case a[1] == neutral:
			return a[0]
		}
	case OpIte:
		switch {
		case a[0] == trueID || a[1] == a[2]:
			return a[1]
		case a[0] == falseID:
			return a[2]
		}
	case OpEq:
		if a[0] == a[1] {
			return trueID
		}
	}
	return s.intern(n)
}
