package equations

import (
	"math/big"

	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file finds comparisons of odd powers: with α and β integers, and d odd, α^d >= β^d is α >= β, and
// α^d >= β^d + 1 is α >= β + 1. Cohen's cubes end where (n + 1)^3 > (a + 1)^3: in the reachable states that is what
// x + y > (a + 1)^3 says.
//
// One side is read off the polynomial: of a variable with λ*v^d + μ*v^(d-1) it is v + μ/(dλ). The other one is tried: a
// variable plus a small number for which the difference is the same in all sampled states. Then the identity
// is calculated as others are.

// Powers says that a form is Factor*(Left^Degree - Right^Degree) plus a constant.
type Powers struct {
	Degree      int // odd
	Factor      linear.Number
	Left, Right linear.Form
	Constant    linear.Number
}

// Comparison is the form that is not negative where the powers are not, or 0 where they are; false if there is none.
func (w *Powers) Comparison(equality bool) (linear.Form, bool) {
	least := w.Constant.Neg().Div(w.Factor).Ceil() // the difference of the powers is at least that
	difference := w.Left.Sub(w.Right)
	switch {
	case w.Degree%2 == 0 || w.Degree < 1 || w.Factor.Sign() <= 0 || equality && !w.Constant.IsZero():
		return linear.Form{}, false
	case least.IsZero():
		return difference, true
	case least.Equal(linear.Int(1)):
		return difference.Plus(linear.Int(-1)), true
	}
	return linear.Form{}, false
}

const (
	maxShift  = 3  // of a variable in a power
	maxPoints = 25 // states at which a candidate is tried
)

// CandidatePowers are comparisons of powers, without their constants, that a polynomial may be: one side is a power in it,
// the other one that of a variable plus a small number.
func CandidatePowers(p rational.Polynomial, variables []linear.Var) (list []*Powers) {
	d := p.Degree()
	if d%2 == 0 || d < 3 {
		return nil
	}
	for _, m := range p.Monomials() {
		v, pure := power(m, d)
		if !pure {
			continue
		}
		factor, second := p[m], linear.Number{}
		for n, c := range p {
			if u, pure := power(n, d-1); pure && u == v {
				second = c
			}
		}
		shift := second.Div(factor.Mul(linear.Int(int64(d))))
		if !shift.Denominator().IsOne() {
			continue
		}
		for _, u := range variables {
			for t := int64(-maxShift); t <= maxShift && u != v; t++ {
				w := &Powers{Degree: d, Factor: factor, Left: linear.Variable(v).Plus(shift), Right: linear.Variable(u).Plus(linear.Int(t))}
				if factor.Sign() < 0 {
					w.Factor, w.Left, w.Right = factor.Neg(), w.Right, w.Left
				}
				list = append(list, w)
			}
		}
	}
	return list
}

// powers finds a comparison of powers that a constraint is.
func (x *rewriting) powers(i int, p rational.Polynomial, equality bool, hypotheses []rational.Polynomial) (Change, bool) {
	from := x.s.Transitions[i].From
	if x.states == nil || len(x.states[from]) == 0 {
		return Change{}, false
	}
	points := x.states[from][:min(len(x.states[from]), maxPoints)]
	var variables []linear.Var
	for v := range x.s.Variables {
		variables = append(variables, linear.Var(v))
	}
	for _, w := range CandidatePowers(p, variables) {
		if w.Left.MaxVar() >= linear.Var(len(variables)) || w.Right.MaxVar() >= linear.Var(len(variables)) {
			continue // a temporary
		}
		if c, ok := x.proved(w, p, equality, points, hypotheses); ok {
			return c, true
		}
	}
	return Change{}, false
}

// proved is the change to a comparison, if its constant is the same at all points, and the identity holds.
func (x *rewriting) proved(w *Powers, p rational.Polynomial, equality bool, points [][]*big.Int, hypotheses []rational.Polynomial) (Change, bool) {
	difference, ok := w.Without(p)
	if !ok {
		return Change{}, false
	}
	var constant *big.Rat
	for _, point := range points {
		switch c := difference.Eval(point); {
		case constant == nil:
			constant = c
		case c.Cmp(constant) != 0:
			return Change{}, false
		}
	}
	w.Constant = linear.FromBig(constant)
	by, ok := w.Comparison(equality)
	if !ok {
		return Change{}, false
	}
	r, ok := rational.Reduce(difference.AddScaled(linear.Int(-1), rational.Constant(w.Constant)), hypotheses, -1)
	if !ok {
		return Change{}, false
	}
	return Change{By: by, Cofactors: r.Cofactors, Powers: w}, true
}

// Without is a polynomial less the powers; false if a degree is too great.
func (w *Powers) Without(p rational.Polynomial) (rational.Polynomial, bool) {
	left, right := rational.FromForm(w.Left), rational.FromForm(w.Right)
	powerOf := func(q rational.Polynomial) (out rational.Polynomial, ok bool) {
		out = rational.Constant(linear.Int(1))
		for range w.Degree {
			if out, ok = out.Times(q); !ok {
				return nil, false
			}
		}
		return out, true
	}
	l, ok1 := powerOf(left)
	r, ok2 := powerOf(right)
	if !ok1 || !ok2 {
		return nil, false
	}
	return p.AddScaled(w.Factor.Neg(), l).AddScaled(w.Factor, r), true
}

// power is the variable of which a monomial is a power.
func power(m rational.Monomial, degree int) (v linear.Var, ok bool) {
	if m.Degree() != degree || degree == 0 {
		return 0, false
	}
	for _, u := range m[:degree] {
		if u != m[0] {
			return 0, false
		}
	}
	return linear.Var(m[0] - 1), true
}
