package equations

import (
	"context"
	"math/big"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file splits transitions by constraints with products that are about one variable: x*x <= 49
// says that x is between -7 and 7, and x*x >= 50 that it is at most -8 or at least 8. The integers at which
// the polynomial changes its sign are found by evaluating it, up to Cauchy's bound of
// its roots: 1 plus the greatest quotient of a coefficient and the first one.

// Split replaces a transition by one for each piece, in which the variable lies in the piece in the place of
// the constraint.
type Split struct {
	Transition, Constraint int
	Variable               linear.Var
	Pieces                 []Piece
}

// Piece is a range of integers; nil is no bound.
type Piece struct{ Low, High *big.Int }

// Constraints are those of the piece.
func (p Piece) Constraints(v linear.Var) []linear.Constraint {
	var out []linear.Constraint
	if p.Low != nil {
		out = append(out, linear.AtLeast(linear.Variable(v), linear.Constant(linear.FromBigInt(p.Low))))
	}
	if p.High != nil {
		out = append(out, linear.AtMost(linear.Variable(v), linear.Constant(linear.FromBigInt(p.High))))
	}
	return out
}

// Limits of what is split; what is beyond them stays as it is.
const (
	maxRoot   = 20000 // of the polynomial
	maxPieces = 4
	maxSplits = 40
)

// split splits what it can.
func split(ctx context.Context, s *its.System) (*its.System, []Split) {
	var splits []Split
	for i := 0; i < len(s.Transitions) && len(splits) < maxSplits && ctx.Err() == nil; i++ {
		t := &s.Transitions[i]
		x := expand(s, t)
		for _, k := range x.guards {
			if _, square := squareRoot(x.guard[k]); square && !t.Guard[k].Equality {
				continue // always true
			}
			v, ok := onlyVariable(x.guard[k], len(s.Variables))
			if !ok {
				continue
			}
			pieces, ok := piecesOf(x.guard[k], v, t.Guard[k].Equality)
			if !ok {
				continue
			}
			one := Split{i, k, v, pieces}
			s = one.Apply(s)
			splits = append(splits, one)
			i-- // the pieces may have further constraints
			break
		}
	}
	return s, splits
}

// Apply is the system with the transition split.
func (x *Split) Apply(s *its.System) *its.System {
	out := s.Clone()
	t := s.Transitions[x.Transition]
	var parts []its.Transition
	for _, p := range x.Pieces {
		part := t
		part.Guard = slices.Concat(t.Guard[:x.Constraint], t.Guard[x.Constraint+1:], p.Constraints(x.Variable))
		parts = append(parts, part)
	}
	out.Transitions = slices.Replace(out.Transitions, x.Transition, x.Transition+1, parts...)
	return out
}

// onlyVariable is the variable of a polynomial that has no other.
func onlyVariable(p rational.Polynomial, variables int) (linear.Var, bool) {
	only := uint16(0)
	for m := range p {
		for _, v := range m[:m.Degree()] {
			if only != 0 && v != only || int(v) > variables {
				return 0, false
			}
			only = v
		}
	}
	return linear.Var(only) - 1, only != 0
}

// piecesOf are the ranges in which a polynomial in one variable is not negative, or is 0.
func piecesOf(p rational.Polynomial, v linear.Var, zero bool) (pieces []Piece, ok bool) {
	p = positiveMultiple(p)
	leading := p[p.Monomials()[0]]
	bound := int64(1)
	for _, c := range p {
		q := c.Div(leading).Abs().Ceil()
		n, small := q.Int64()
		if !small || n >= maxRoot {
			return nil, false
		}
		bound = max(bound, n+2)
	}
	point := make([]*big.Int, v+1)
	inside := func(n int64) bool {
		point[v] = big.NewInt(n)
		sign := p.Eval(point).Sign()
		return sign == 0 || sign > 0 && !zero
	}
	var open *Piece
	for n := -bound; n <= bound; n++ {
		in := inside(n)
		switch {
		case in && open == nil:
			open = &Piece{Low: big.NewInt(n)}
			if n == -bound {
				open.Low = nil
			}
		case !in && open != nil:
			open.High = big.NewInt(n - 1)
			pieces = append(pieces, *open)
			open = nil
		}
	}
	if open != nil {
		pieces = append(pieces, *open)
	}
	return pieces, len(pieces) <= maxPieces
}

// positiveMultiple is a positive multiple with integers as coefficients.
func positiveMultiple(p rational.Polynomial) rational.Polynomial {
	factor := linear.Int(1)
	for _, c := range p {
		d := c.Denominator()
		factor = factor.Mul(d).Div(linear.GCD(factor, d))
	}
	return rational.Polynomial{}.AddScaled(factor, p)
}
