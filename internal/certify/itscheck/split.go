package itscheck

import (
	"fmt"
	"math/big"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file checks where a polynomial in one variable is not negative, or is 0. The integers are cut where
// pieces begin and end. In a bounded range it is evaluated everywhere. In an unbounded one, from a
// to the right, p(a + t) is expanded, and to the left p(a - t): if no two of its coefficients have
// different signs, the sign is that of p(a) for all t >= 0, or p is 0 only if p(a) is.

// maxRange bounds the integers at which a polynomial is evaluated.
const maxRange = 200000

// checkSplit checks one split.
func checkSplit(s *its.System, x *equations.Split) error {
	if x.Transition < 0 || x.Transition >= len(s.Transitions) {
		return fmt.Errorf("there is no such transition")
	}
	t := &s.Transitions[x.Transition]
	if x.Constraint < 0 || x.Constraint >= len(t.Guard) || int(x.Variable) >= len(s.Variables) || len(s.Variables)+t.Temps > maxNumber {
		return fmt.Errorf("there is no such constraint or variable")
	}
	r := &rewritten{vars: len(s.Variables), old: t, products: map[linear.Var]expanded{}}
	for _, p := range t.Products {
		r.products[p.Temp] = r.form(p.A).times(r.form(p.B))
	}
	c := t.Guard[x.Constraint]
	u, err := univariateOf(r.form(c.Form), rune(x.Variable+1))
	if err != nil {
		return err
	}
	holds := func(sign int) bool { return sign == 0 || sign > 0 && !c.Equality }
	// next is the first integer that no piece before has, nil if there is none before.
	var next *big.Int
	for i, p := range x.Pieces {
		if p.Low == nil && i > 0 || p.Low != nil && p.High != nil && p.Low.Cmp(p.High) > 0 || i > 0 && next == nil || i > 0 && p.Low.Cmp(next) < 0 {
			return fmt.Errorf("the pieces are not in order")
		}
		if p.Low != nil {
			before := new(big.Int).Sub(p.Low, big.NewInt(1))
			if i == 0 || before.Cmp(next) >= 0 {
				if err := u.everywhere(next, before, func(sign int) bool { return !holds(sign) }); err != nil {
					return err
				}
			}
		}
		if err := u.everywhere(p.Low, p.High, holds); err != nil {
			return err
		}
		next = nil
		if p.High != nil {
			next = new(big.Int).Add(p.High, big.NewInt(1))
		} else if i+1 < len(x.Pieces) {
			return fmt.Errorf("the pieces are not in order")
		}
	}
	if len(x.Pieces) == 0 || next != nil {
		return u.everywhere(next, nil, func(sign int) bool { return !holds(sign) })
	}
	return nil
}

// applySplit is the system with a transition for each piece.
func applySplit(s *its.System, x *equations.Split) *its.System {
	out := *s
	out.Transitions = nil
	for i, t := range s.Transitions {
		if i != x.Transition {
			out.Transitions = append(out.Transitions, t)
			continue
		}
		for _, p := range x.Pieces {
			part := t
			part.Guard = nil
			for k, c := range t.Guard {
				if k != x.Constraint {
					part.Guard = append(part.Guard, c)
				}
			}
			v := linear.Variable(x.Variable)
			if p.Low != nil {
				part.Guard = append(part.Guard, linear.AtLeast(v, linear.Constant(linear.FromBigInt(p.Low))))
			}
			if p.High != nil {
				part.Guard = append(part.Guard, linear.AtMost(v, linear.Constant(linear.FromBigInt(p.High))))
			}
			out.Transitions = append(out.Transitions, part)
		}
	}
	return &out
}

// univariate is a polynomial in one variable: the coefficients, by degree.
type univariate []*big.Rat

func univariateOf(p expanded, variable rune) (univariate, error) {
	var u univariate
	for m, c := range p {
		degree := 0
		for _, v := range m {
			if v != variable {
				return nil, fmt.Errorf("the constraint is about another variable, too")
			}
			degree++
		}
		for len(u) <= degree {
			u = append(u, new(big.Rat))
		}
		u[degree] = c
	}
	return u, nil
}

// sign at an integer.
func (u univariate) sign(n *big.Int) int {
	sum, x := new(big.Rat), new(big.Rat).SetInt(n)
	for i := len(u) - 1; i >= 0; i-- {
		sum.Mul(sum, x)
		sum.Add(sum, u[i])
	}
	return sum.Sign()
}

// shifted is p(a + t), or p(a - t) if direction is -1, as a polynomial in t.
func (u univariate) shifted(a *big.Int, direction int64) univariate {
	out := make(univariate, len(u))
	for i := range out {
		out[i] = new(big.Rat)
	}
	shift, step := new(big.Rat).SetInt(a), big.NewRat(direction, 1)
	for i := len(u) - 1; i >= 0; i-- { // Horner's rule
		for k := len(out) - 1; k >= 0; k-- {
			next := new(big.Rat).Mul(out[k], shift)
			if k > 0 {
				next.Add(next, new(big.Rat).Mul(out[k-1], step))
			}
			out[k] = next
		}
		out[0].Add(out[0], u[i])
	}
	return out
}

// beyond checks that the sign is as wanted from an integer on, in a direction.
func (u univariate) beyond(from *big.Int, direction int64, wanted func(sign int) bool) error {
	positive, negative := false, false
	for i, c := range u.shifted(from, direction) {
		if i > 0 {
			positive, negative = positive || c.Sign() > 0, negative || c.Sign() < 0
		}
	}
	first := u.sign(from)
	if positive && (negative || first < 0) || negative && first > 0 {
		return fmt.Errorf("the sign of the polynomial beyond %v is not known", from)
	}
	// Behind the first integer the sign is that of the coefficients.
	rest := first
	if positive {
		rest = 1
	} else if negative {
		rest = -1
	}
	if !wanted(first) || !wanted(rest) {
		return fmt.Errorf("the sign of the polynomial is another one beyond %v", from)
	}
	return nil
}

// everywhere checks that the sign is as wanted between two integers, nil is no bound.
func (u univariate) everywhere(low, high *big.Int, wanted func(sign int) bool) error {
	fails := fmt.Errorf("the sign of the polynomial is another one between %v and %v", low, high)
	switch {
	case low == nil && high == nil:
		if err := u.everywhere(nil, big.NewInt(-1), wanted); err != nil {
			return err
		}
		return u.everywhere(new(big.Int), nil, wanted)
	case low == nil || high == nil:
		from, direction := low, int64(1)
		if low == nil {
			from, direction = high, -1
		}
		// Near the roots coefficients may have different signs: a part is evaluated first.
		var err error
		for _, part := range []int64{0, 100, 5000, 50000} {
			at := new(big.Int).Add(from, big.NewInt(part*direction))
			if err = u.beyond(at, direction, wanted); err != nil {
				continue
			}
			if direction > 0 {
				return u.everywhere(from, at, wanted)
			}
			return u.everywhere(at, from, wanted)
		}
		return err
	}
	size := new(big.Int).Sub(high, low)
	if !size.IsInt64() || size.Int64() > maxRange {
		return fmt.Errorf("the range from %v to %v is too large to look at", low, high)
	}
	for n := new(big.Int).Set(low); n.Cmp(high) <= 0; n.Add(n, big.NewInt(1)) {
		if !wanted(u.sign(n)) {
			return fails
		}
	}
	return nil
}
