// Package bound has upper bounds as data: expressions over the initial values of a
// program's variables, and certificates, which say how a bound follows from local claims.
// It knows no engine and no checker.
//
// Expressions are kept in a normal form, such that equal computations give equal
// expressions: a sum of monomials with rational coefficients, of which the factors are
// atoms with exponents: variables, maxima of expressions, exponentials, and logarithms. The normal
// form is not canonical: x and max(x, x - y*y) are different expressions. A caller that compares
// must compute in the same way.
//
//	expression.go  sums and products        class.go        asymptotic classes
//	maximum.go     maxima                   certificate.go  certificates
//	print.go       as people read them      parse.go        as people write them
//	script.go      for Z3
package bound

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/logic/linear"
)

// Expression is a function of the initial values of the variables. The zero value is 0.
// Expressions are values and never change.
type Expression struct {
	terms []monomial // sorted by key, coefficients not 0
}

// monomial is a product of atoms; without factors it is a constant.
type monomial struct {
	coef    linear.Number
	factors []factor // sorted by key of the atom, without repetition
	key     string
}

type factor struct {
	atom  atom
	power int // at least 1
}

// atom is a variable, maximum or exponential.
type atom interface{ key() string }

// variable is the initial value of a variable.
type variable linear.Var

// maximum is the greatest of at least two expressions, sorted by key.
type maximum struct {
	of   []Expression
	name string
}

// exponential is Base to the power of a function that is never negative.
type exponential struct {
	base     linear.Number // an integer that is at least 2
	exponent Expression
	name     string
}

// logarithm is that to base 2, rounded up, of an expression, or of 1 where that is less.
type logarithm struct {
	of   Expression
	name string
}

func (l logarithm) key() string   { return l.name }
func (v variable) key() string    { return fmt.Sprintf("x%d", v) }
func (m maximum) key() string     { return m.name }
func (e exponential) key() string { return e.name }

// Constant is the expression n.
func Constant(n linear.Number) Expression {
	if n.IsZero() {
		return Expression{}
	}
	return Expression{[]monomial{{coef: n}}}
}

// Int is the expression n.
func Int(n int64) Expression { return Constant(linear.Int(n)) }

// Variable is the initial value of v.
func Variable(v linear.Var) Expression { return ofAtom(variable(v)) }

func ofAtom(a atom) Expression {
	return Expression{[]monomial{newMonomial(linear.Int(1), []factor{{a, 1}})}}
}

// Form is a linear form over initial values.
func Form(f linear.Form) Expression {
	e := Constant(f.Const)
	for _, t := range f.Terms {
		e = e.Add(Variable(t.Var).Scale(t.Coef))
	}
	return e
}

func newMonomial(coef linear.Number, factors []factor) monomial {
	var key strings.Builder
	for _, f := range factors {
		fmt.Fprintf(&key, "%s^%d.", f.atom.key(), f.power)
	}
	return monomial{coef, factors, key.String()}
}

// Key is a text that equal expressions share, and others do not.
func (e Expression) Key() string {
	var b strings.Builder
	b.WriteByte('(')
	for _, m := range e.terms {
		b.WriteString(m.coef.String() + "*" + m.key + "+")
	}
	b.WriteByte(')')
	return b.String()
}

// Equal says whether e and f have the same normal form.
func (e Expression) Equal(f Expression) bool { return e.Key() == f.Key() }

// IsConstant says whether e is a number, and which.
func (e Expression) IsConstant() (linear.Number, bool) {
	switch {
	case len(e.terms) == 0:
		return linear.Number{}, true
	case len(e.terms) == 1 && len(e.terms[0].factors) == 0:
		return e.terms[0].coef, true
	}
	return linear.Number{}, false
}

// Size is the number of atoms in e, for limits.
func (e Expression) Size() int {
	n := 1
	for _, m := range e.terms {
		n++
		for _, f := range m.factors {
			switch a := f.atom.(type) {
			case variable:
				n++
			case maximum:
				for _, o := range a.of {
					n += o.Size()
				}
			case exponential:
				n += a.exponent.Size()
			case logarithm:
				n += a.of.Size()
			default:
				panic(fmt.Sprintf("unexpected %T", a))
			}
		}
	}
	return n
}

// Add is e + f.
func (e Expression) Add(f Expression) Expression {
	out := make([]monomial, 0, len(e.terms)+len(f.terms))
	i, j := 0, 0
	for i < len(e.terms) || j < len(f.terms) {
		switch {
		case j == len(f.terms) || i < len(e.terms) && e.terms[i].key < f.terms[j].key:
			out = append(out, e.terms[i])
			i++
		case i == len(e.terms) || f.terms[j].key < e.terms[i].key:
			out = append(out, f.terms[j])
			j++
		default:
			m := e.terms[i]
			if m.coef = m.coef.Add(f.terms[j].coef); !m.coef.IsZero() {
				out = append(out, m)
			}
			i++
			j++
		}
	}
	return Expression{out}
}

// Scale is k·e.
func (e Expression) Scale(k linear.Number) Expression {
	if k.IsZero() {
		return Expression{}
	}
	out := make([]monomial, len(e.terms))
	for i, m := range e.terms {
		m.coef = m.coef.Mul(k)
		out[i] = m
	}
	return Expression{out}
}

// Sub is e - f.
func (e Expression) Sub(f Expression) Expression { return e.Add(f.Scale(linear.Int(-1))) }

// Mul is e·f.
func (e Expression) Mul(f Expression) Expression {
	var out Expression
	for _, m := range e.terms {
		for _, n := range f.terms {
			out = out.Add(Expression{[]monomial{newMonomial(m.coef.Mul(n.coef), mulFactors(m.factors, n.factors))}})
		}
	}
	return out
}

func mulFactors(fs, gs []factor) []factor {
	out := slices.Clone(fs)
	for _, g := range gs {
		i, found := slices.BinarySearchFunc(out, g, func(a, b factor) int { return strings.Compare(a.atom.key(), b.atom.key()) })
		if found {
			out[i].power += g.power
		} else {
			out = slices.Insert(out, i, g)
		}
	}
	return out
}

// Power is base to the power of max(0, exponent); the base is an integer of at least 2.
func Power(base linear.Number, exponent Expression) Expression {
	exponent = Max(exponent, Expression{})
	if base.Cmp(linear.Int(2)) < 0 || !base.IsInt() {
		panic("bound: the base of an exponential must be an integer that is at least 2")
	}
	if n, ok := exponent.IsConstant(); ok && n.IsInt() {
		if k, small := n.Int64(); small && k <= maxPower {
			out := linear.Int(1)
			for range k {
				out = out.Mul(base)
			}
			return Constant(out)
		}
	}
	return ofAtom(exponential{base, exponent, "exp(" + base.String() + "," + exponent.Key() + ")"})
}

// Log is the logarithm to base 2 of max(1, e), rounded up.
func Log(e Expression) Expression {
	if n, ok := e.IsConstant(); ok {
		return Constant(linear.FromBigInt(big.NewInt(ceilLog(n.Big()))))
	}
	return ofAtom(logarithm{e, "log(" + e.Key() + ")"})
}

// ceilLog is the least exponent of 2 that is not below a number.
func ceilLog(x *big.Rat) int64 {
	n := linear.FromBig(x).Ceil().BigInt()
	if n.Cmp(big.NewInt(1)) <= 0 {
		return 0
	}
	return int64(n.Sub(n, big.NewInt(1)).BitLen())
}

// maxPower is the greatest exponent for which powers are computed.
const maxPower = 64

// Eval is the value for initial values of the variables, and false if that would be too
// great to compute. Where an exponent is a fraction, it is rounded up.
func (e Expression) Eval(value func(linear.Var) *big.Int) (*big.Rat, bool) {
	sum := new(big.Rat)
	for _, m := range e.terms {
		p := m.coef.Big()
		for _, f := range m.factors {
			a, ok := evalAtom(f.atom, value)
			if !ok {
				return nil, false
			}
			for range f.power {
				p.Mul(p, a)
			}
		}
		sum.Add(sum, p)
	}
	return sum, true
}

// maxExponent is the greatest exponent with which Eval computes.
const maxExponent = 100_000

func evalAtom(a atom, value func(linear.Var) *big.Int) (*big.Rat, bool) {
	switch a := a.(type) {
	case variable:
		return new(big.Rat).SetInt(value(linear.Var(a))), true
	case maximum:
		var best *big.Rat
		for _, o := range a.of {
			x, ok := o.Eval(value)
			if !ok {
				return nil, false
			}
			if best == nil || x.Cmp(best) > 0 {
				best = x
			}
		}
		return best, true
	case logarithm:
		x, ok := a.of.Eval(value)
		if !ok {
			return nil, false
		}
		return big.NewRat(ceilLog(x), 1), true
	case exponential:
		x, ok := a.exponent.Eval(value)
		if !ok {
			return nil, false
		}
		n := linear.FromBig(x).Ceil().BigInt()
		if n.Sign() < 0 {
			panic("bound: a negative exponent")
		}
		if n.BitLen() > 20 || n.Int64() > maxExponent {
			return nil, false
		}
		return new(big.Rat).SetInt(new(big.Int).Exp(a.base.BigInt(), n, nil)), true
	}
	panic(fmt.Sprintf("unexpected %T", a))
}
