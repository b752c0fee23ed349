package ltl

import "fmt"

// This file brings formulas into negation normal form: !, before atoms only, &&, ||,
// X, U and R. The other operators are
//
//	F a = true U a    G a = false R a    a W b = b R (a || b)
//
// and those of propositional logic. Nested equivalences double the formula each;
// NormalSize counts before.

// NormalSize is the size that the normal form of f has, at most limit.
func NormalSize(f Formula, limit int) int {
	type sizes struct{ positive, negative int }
	memo := map[Formula]sizes{}
	var count func(Formula) sizes
	count = func(f Formula) (s sizes) {
		if s, ok := memo[f]; ok {
			return s
		}
		defer func() {
			s.positive, s.negative = min(limit, s.positive), min(limit, s.negative)
			memo[f] = s
		}()
		switch f := f.(type) {
		case Constant:
			return sizes{1, 1}
		case Prop:
			return sizes{1, 2}
		case Unary:
			s := count(f.F)
			switch f.Op {
			case NotOp:
				return sizes{s.negative, s.positive}
			case NextOp:
				return sizes{s.positive + 1, s.negative + 1}
			}
			return sizes{s.positive + 2, s.negative + 2}
		case Binary:
			l, r := count(f.L), count(f.R)
			switch f.Op {
			case IffOp, XorOp:
				n := l.positive + l.negative + r.positive + r.negative + 3
				return sizes{n, n}
			case ImpliesOp:
				return sizes{l.negative + r.positive + 1, l.positive + r.negative + 1}
			case WeakUntilOp:
				return sizes{l.positive + 2*r.positive + 2, l.negative + 2*r.negative + 2}
			}
			return sizes{l.positive + r.positive + 1, l.negative + r.negative + 1}
		}
		panic(fmt.Sprintf("unexpected %T", f))
	}
	return count(f).positive
}

// Normal is the negation normal form of f.
func Normal(f Formula) Formula { return normal(f, true) }

// normal is the normal form of f, or of its negation.
func normal(f Formula, positive bool) Formula {
	switch f := f.(type) {
	case Constant:
		return Constant(bool(f) == positive)
	case Prop:
		if positive {
			return f
		}
		return Not(f)
	case Unary:
		switch f.Op {
		case NotOp:
			return normal(f.F, !positive)
		case NextOp:
			return Next(normal(f.F, positive))
		}
		g := normal(f.F, positive)
		if (f.Op == FinallyOp) == positive {
			return Until(True, g)
		}
		return Release(False, g)
	case Binary:
		l, r := normal(f.L, positive), normal(f.R, positive)
		switch f.Op {
		case AndOp, OrOp:
			if (f.Op == AndOp) == positive {
				return And(l, r)
			}
			return Or(l, r)
		case ImpliesOp:
			if positive {
				return Or(normal(f.L, false), r)
			}
			return And(normal(f.L, true), r)
		case IffOp, XorOp:
			// l and r are as they are with this sign; both signs of both are needed.
			l, r = normal(f.L, true), normal(f.R, true)
			notL, notR := normal(f.L, false), normal(f.R, false)
			if (f.Op == IffOp) == positive {
				return Or(And(l, r), And(notL, notR))
			}
			return Or(And(l, notR), And(notL, r))
		case UntilOp, ReleaseOp:
			if (f.Op == UntilOp) == positive {
				return Until(l, r)
			}
			return Release(l, r)
		case WeakUntilOp:
			if positive {
				return Release(r, Or(l, r))
			}
			return Until(r, And(l, r))
		}
	}
	panic(fmt.Sprintf("unexpected %T", f))
}
