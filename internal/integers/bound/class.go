package bound

import (
	"fmt"
	"strings"

	"assay/internal/logic/linear"
)

// Class is an asymptotic class: how a bound grows when all the values that it mentions do.
type Class struct {
	// Exponential says that no polynomial is an upper bound; Degree then is 0.
	Exponential bool
	Degree      int
	// Logarithms is how many logarithms are factors, besides: O(n*log n) has one. Exponentials have none.
	Logarithms int
}

func (c Class) String() string {
	if c.Exponential {
		return "EXP"
	}
	var factors []string
	for _, f := range []struct {
		base, power string
		times       int
	}{{"n", "n^%d", c.Degree}, {"log n", "log^%d n", c.Logarithms}} {
		switch f.times {
		case 0:
		case 1:
			factors = append(factors, f.base)
		default:
			factors = append(factors, fmt.Sprintf(f.power, f.times))
		}
	}
	if factors == nil {
		return "O(1)"
	}
	return "O(" + strings.Join(factors, "*") + ")"
}

// Compare is negative if c is finer than d.
func (c Class) Compare(d Class) int {
	switch {
	case c.Exponential != d.Exponential && c.Exponential:
		return 1
	case c.Exponential != d.Exponential:
		return -1
	}
	if c.Degree != d.Degree {
		return c.Degree - d.Degree
	}
	return c.Logarithms - d.Logarithms
}

// Class is the class of the expression as it is written: the greatest degree of a
// monomial in it, also where others cancel it.
func (e Expression) Class() Class {
	return e.classWhere(func(linear.Number) bool { return false })
}

// ClassWithRanges is the class if numbers from least on are not constants, but grow like variables: those that
// may come from the ranges of types.
func (e Expression) ClassWithRanges(least int64) Class {
	return e.classWhere(func(n linear.Number) bool { return n.Abs().Cmp(linear.Int(least)) >= 0 })
}

// Numbers from which on they are likely to be ranges, or near those of int.
const (
	ShortRange = 1 << 14
	IntRange   = 1<<31 - 1 - nearRange
)

func (e Expression) classWhere(grows func(linear.Number) bool) Class {
	var out Class
	for _, m := range e.terms {
		var c Class
		if grows(m.coef) {
			c.Degree = 1
		}
		for _, f := range m.factors {
			a := classOf(f.atom, grows)
			c.Exponential = c.Exponential || a.Exponential
			c.Degree += f.power * a.Degree
			c.Logarithms += f.power * a.Logarithms
		}
		if c.Exponential {
			c.Degree, c.Logarithms = 0, 0
		}
		if c.Compare(out) > 0 {
			out = c
		}
	}
	return out
}

func classOf(a atom, grows func(linear.Number) bool) Class {
	switch a := a.(type) {
	case variable:
		return Class{Degree: 1}
	case exponential:
		return Class{Exponential: a.exponent.classWhere(grows).Compare(Class{}) > 0}
	case logarithm:
		c := a.of.classWhere(grows)
		switch {
		case c.Exponential:
			return c // which polynomial it is the logarithm does not say
		case c.Degree > 0, c.Logarithms > 0:
			return Class{Logarithms: 1}
		}
		return Class{}
	case maximum:
		var out Class
		for _, e := range a.of {
			if c := e.classWhere(grows); c.Compare(out) > 0 {
				out = c
			}
		}
		return out
	}
	panic(fmt.Sprintf("unexpected %T", a))
}

// Variables are those that occur in e.
func (e Expression) Variables() map[linear.Var]bool {
	out := map[linear.Var]bool{}
	var visit func(e Expression)
	visit = func(e Expression) {
		for _, m := range e.terms {
			for _, f := range m.factors {
				switch a := f.atom.(type) {
				case variable:
					out[linear.Var(a)] = true
				case exponential:
					visit(a.exponent)
				case logarithm:
					visit(a.of)
				case maximum:
					for _, o := range a.of {
						visit(o)
					}
				default:
					panic(fmt.Sprintf("unexpected %T", a))
				}
			}
		}
	}
	visit(e)
	return out
}
