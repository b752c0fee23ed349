package bound

import (
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file has closed forms of loops whose updates are polynomial maps, and what they say of how
// often such a loop runs and how great values get in it. [LommenMeyerGiesl22] and [LommenGiesl23] solve loops that
// are triangular, variable by variable. Here a polynomial is followed: h, h(F), h(F(F)), ... is
// a linear recurrence if one of these is a linear combination of those before it. The roots of its
// characteristic polynomial must be integers, which they often are for a power of F, the period.
//
// Invariants: (1) all coefficients of a closed form are polynomials over the state where the loop is
// entered; (2) 0^0 is 1.

// Mode is the term Coefficient·m^Power·Root^m of a closed form.
type Mode struct {
	Root        linear.Number // an integer
	Power       int
	Coefficient rational.Polynomial
}

// ClosedForm says what a polynomial is worth after Shift + Period·m executions of the loop: the sum of
// the modes at m, for each m >= 0.
type ClosedForm struct {
	Of    rational.Polynomial
	Shift int
	Modes []Mode // the greatest root first, of these the greatest power; each pair once
}

// Closed is a rule of Runs: the blocks are all loops at one node with one polynomial map. Each of Exits is about
// a polynomial that is not negative where any of the blocks is executed, with integers as coefficients. Where
// a block is executed, one of these has a mode with an integral coefficient of at most -1, and all
// modes before it are 0. Entries are all other blocks that lead to the node; their amounts bound
// v and -v for each of Variables in turn, which are those of the coefficients.
type Closed struct {
	Period    int
	Exits     []ClosedForm
	Variables []linear.Var
	Entries   []Charge
}

// Iterated is a rule of Size: Loops are loops at the node where the block begins with one polynomial map, which the
// claims Runs count. Forms are closed forms of the claim's form, for each shift below the period. Entries
// are as in Closed.
type Iterated struct {
	Loops     []int
	Runs      []int
	Period    int
	Forms     []ClosedForm
	Variables []linear.Var
	Entries   []Charge
}

func (Closed) isRunsRule()   {}
func (Iterated) isSizeRule() {}

// Limits says what the variables are at most: v, or -v.
type Limits func(v linear.Var, negative bool) Expression

// magnitude is what |v| is at most.
func (l Limits) magnitude(v linear.Var) Expression {
	return Max(Expression{}, l(v, false), l(v, true))
}

// most is what a polynomial is at most.
func (l Limits) most(p rational.Polynomial) Expression {
	var sum Expression
	for _, m := range p.Monomials() {
		c := p[m]
		switch d := m.Degree(); {
		case d == 0:
			sum = sum.Add(Constant(c))
		case d == 1:
			sum = sum.Add(l(linear.Var(m[0]-1), c.Sign() < 0).Scale(c.Abs()))
		case c.Sign() < 0 && isSquare(m):
		default:
			product := Constant(c.Abs())
			for _, v := range m[:d] {
				product = product.Mul(l.magnitude(linear.Var(v - 1)))
			}
			sum = sum.Add(product)
		}
	}
	return sum
}

// isSquare says whether each variable occurs an even number of times; they are sorted.
func isSquare(m rational.Monomial) bool {
	d := m.Degree()
	for i := 0; i < d; i += 2 {
		if i+1 == d || m[i] != m[i+1] {
			return false
		}
	}
	return true
}

// IsSquares says whether a polynomial is a sum of squares with coefficients that are not negative.
func IsSquares(p rational.Polynomial) bool {
	for m, c := range p {
		if c.Sign() < 0 || !isSquare(m) {
			return false
		}
	}
	return true
}

// Exit is a number of executions, at most, of a loop of one stretch, if one of the modes of the closed form is
// the first that is not 0, and that is negative; ok is false if a root is not positive, or too near another.
//
// Let mode i be that one, so that its coefficient is at most -1. For m >= 1 each later mode is
// at most C_j·max(0, coefficient)/m times m^a·r^m, its power and root. The sum of all is negative
// for every m above the sum of C_j·max(0, coefficient_j). So the loop is not executed Shift + Period·m + 1 times for
// the least such m. If no root is there twice, and there are no powers, each later mode is at most
// max(0, coefficient)·q^m times r^m, q the greatest quotient of two roots: the sum is negative for m above the
// logarithm to base 1/q of the sum of max(0, coefficient_j).
func (c ClosedForm) Exit(period int, limits Limits) (runs Expression, ok bool) {
	if e, ok := c.geometricExit(limits); ok {
		return e.Scale(linear.Int(int64(period))).Add(Int(int64(c.Shift))), true
	}
	sum := Int(1)
	for j, m := range c.Modes {
		if m.Root.Sign() <= 0 {
			return runs, false
		}
		if j == 0 {
			continue
		}
		var most linear.Number
		for _, before := range c.Modes[:j] {
			n, ok := quotient(before, m)
			if !ok {
				return runs, false
			}
			if n.Cmp(most) > 0 {
				most = n
			}
		}
		sum = sum.Add(Max(Expression{}, limits.most(m.Coefficient)).Scale(most))
	}
	return sum.Scale(linear.Int(int64(period))).Add(Int(int64(c.Shift))), true
}

// maxBits bounds how near roots may be of which logarithms are used.
const maxBits = 64

// geometricExit is the number of rounds of a closed form that is a sum of powers of different roots.
func (c ClosedForm) geometricExit(limits Limits) (Expression, bool) {
	one := linear.Int(1)
	var most linear.Number
	var sum Expression
	for j, m := range c.Modes {
		if m.Power > 0 || m.Root.Sign() <= 0 {
			return sum, false
		}
		if j == 0 {
			continue
		}
		q := m.Root.Div(c.Modes[j-1].Root)
		if q.Cmp(one) >= 0 {
			return sum, false
		}
		if q.Cmp(most) > 0 {
			most = q
		}
		sum = sum.Add(Max(Expression{}, limits.most(m.Coefficient)))
	}
	if len(c.Modes) < 2 {
		return Int(1), len(c.Modes) == 1
	}
	// A power of 1/q that is at least 2 makes of it a logarithm to base 2.
	bits, power := int64(1), most
	for power.Cmp(linear.Fraction(1, 2)) > 0 {
		if bits++; bits > maxBits {
			return sum, false
		}
		power = power.Mul(most)
	}
	return Log(sum).Scale(linear.Int(bits)).Add(Int(1)), true
}

// maxQuotient bounds the search for the greatest quotient.
const maxQuotient = 2000

// quotient is the greatest value of m·(m^b·s^m)/(m^a·r^m), m >= 1, for modes of powers a and b and roots r and
// s, of which the first is the greater one.
func quotient(first, second Mode) (linear.Number, bool) {
	one := linear.Int(1)
	e := second.Power - first.Power + 1
	if first.Root.Equal(second.Root) {
		return one, e <= 0
	}
	ratio := second.Root.Div(first.Root)
	if ratio.Cmp(one) >= 0 {
		return one, false
	}
	if e <= 0 {
		return ratio, true // the greatest is that for m = 1
	}
	// m^e·ratio^m grows as long as (m+1)^e·ratio > m^e.
	power := func(m int64) linear.Number {
		n := one
		for range e {
			n = n.Mul(linear.Int(m))
		}
		return n
	}
	geometric := ratio
	for m := int64(1); m < maxQuotient; m++ {
		if power(m+1).Mul(ratio).Cmp(power(m)) <= 0 {
			return power(m).Mul(geometric).Ceil(), true
		}
		geometric = geometric.Mul(ratio)
	}
	return one, false
}

// Most is what the polynomial is at most after Shift + Period·m executions, for any m that is at most
// steps, an expression that is never negative.
func (c ClosedForm) Most(steps Expression, limits Limits) Expression {
	var sum Expression
	for _, m := range c.Modes {
		size := m.Root.Abs()
		one := size.Cmp(linear.Int(1)) <= 0
		if m.Root.IsOne() && m.Power == 0 {
			sum = sum.Add(limits.most(m.Coefficient))
			continue
		}
		greatest := Max(Expression{}, limits.most(m.Coefficient))
		if m.Root.Sign() < 0 {
			greatest = Max(greatest, limits.most(rational.Polynomial{}.AddScaled(linear.Int(-1), m.Coefficient)))
		}
		for range m.Power {
			greatest = greatest.Mul(steps)
		}
		if !one {
			greatest = greatest.Mul(Power(size, steps))
		}
		sum = sum.Add(greatest)
	}
	return sum
}
