package ltl

// This file decides by structure, and thus not always, what the conditions of rules
// ask: implication [SomenziBloem00], and pure eventualities and
// universalities [EtessamiHolzmann00]. Yes is always right. Formulas are in
// negation normal form.

// both is a pair of formulas.
type both struct{ f, g Formula }

// implies says that where f is true, g is.
func (s *simplifier) implies(f, g Formula) bool {
	if f == g || f == False || g == True {
		return true
	}
	k := both{f, g}
	if v, ok := s.implied[k]; ok {
		return v
	}
	v := s.impliesOperands(f, g)
	s.implied[k] = v
	return v
}

func (s *simplifier) impliesOperands(f, g Formula) bool {
	if f, ok := f.(Binary); ok {
		switch f.Op {
		case AndOp:
			if s.implies(f.L, g) || s.implies(f.R, g) {
				return true
			}
		case OrOp:
			return s.implies(f.L, g) && s.implies(f.R, g)
		case UntilOp:
			// Either operand is true at once. Sooner or later R is.
			if s.implies(f.L, g) && s.implies(f.R, g) || s.eventual(g) && s.implies(f.R, g) {
				return true
			}
		case ReleaseOp:
			if s.implies(f.R, g) {
				return true
			}
		}
	}
	if g, ok := g.(Binary); ok {
		switch g.Op {
		case AndOp:
			return s.implies(f, g.L) && s.implies(f, g.R)
		case OrOp:
			if s.implies(f, g.L) || s.implies(f, g.R) {
				return true
			}
		case UntilOp:
			if s.implies(f, g.R) {
				return true
			}
		case ReleaseOp:
			if s.implies(f, g.L) && s.implies(f, g.R) || s.universal(f) && s.implies(f, g.R) {
				return true
			}
		}
		if f, ok := f.(Binary); ok && f.Op == g.Op && g.Op.Temporal() && s.implies(f.L, g.L) && s.implies(f.R, g.R) {
			return true
		}
	}
	next, isNext := f.(Unary)
	isNext = isNext && next.Op == NextOp
	other, otherNext := g.(Unary)
	otherNext = otherNext && other.Op == NextOp
	switch {
	case isNext && otherNext && s.implies(next.F, other.F):
		return true
	case isNext && s.eventual(g) && s.implies(next.F, g):
		return true
	case otherNext && s.universal(f) && s.implies(f, other.F):
		return true
	}
	return false
}

// eventual says that if f is true somewhere, it was true before.
func (s *simplifier) eventual(f Formula) bool {
	switch f := f.(type) {
	case Constant:
		return true
	case Unary:
		return f.Op == NextOp && s.eventual(f.F)
	case Binary:
		switch f.Op {
		case AndOp, OrOp:
			return s.eventual(f.L) && s.eventual(f.R)
		case UntilOp:
			return f.L == True || s.eventual(f.R)
		case ReleaseOp:
			return s.eventual(f.R)
		}
	}
	return false
}

// universal says that once f is true, it stays true.
func (s *simplifier) universal(f Formula) bool {
	switch f := f.(type) {
	case Constant:
		return true
	case Unary:
		return f.Op == NextOp && s.universal(f.F)
	case Binary:
		switch f.Op {
		case AndOp, OrOp:
			return s.universal(f.L) && s.universal(f.R)
		case ReleaseOp:
			return f.L == False || s.universal(f.R)
		case UntilOp:
			return s.universal(f.R)
		}
	}
	return false
}
