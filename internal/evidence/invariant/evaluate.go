package invariant

import (
	"math/big"

	"assay/internal/logic/bv"
)

// This file evaluates predicates in states. It is the only evaluator: those that induction
// and the tests have beside it, for speed or as a second opinion, are compared with it.

// Valuation gives the value of a term in a state, and for an element the one with index k.
// ok is false if the term speaks of memory that is not there.
type Valuation func(t Term, k int64) (x bv.BV, ok bool)

// Holds says whether a predicate holds in a state. A comparison, an order and an equation
// about memory that is not there holds, and so it does as a condition; so does a ForAll
// whose range is not there, and each element that is not there holds by itself. Of ranges,
// the first and the last most indices are looked at; a sum of more elements is not
// calculated, and equations with it hold.
func Holds(p Predicate, value Valuation, most int64) bool {
	return p.holds(&evaluation{value: value, most: most})
}

// evaluation is that of one predicate in one state.
type evaluation struct {
	value Valuation
	most  int64
	k     int64
}

// integer is the integer of a summand, without its coefficient.
func (e *evaluation) integer(t Term) (n *big.Int, ok bool) {
	if t.Index {
		n = big.NewInt(e.k)
		if t.Square {
			n.Mul(n, n)
		}
		return n, true
	}
	x, ok := e.value(t, e.k)
	switch {
	case !ok:
		return nil, false
	case t.Signed:
		return x.Signed(), true
	}
	return x.Unsigned(), true
}

// sum adds the summands to a constant.
func (e *evaluation) sum(terms []Term, constant *big.Int) (sum *big.Int, ok bool) {
	sum = new(big.Int).Set(constant)
	for _, t := range terms {
		n, ok := e.integer(t)
		if !ok {
			return nil, false
		}
		sum.Add(sum, n.Mul(n, big.NewInt(t.Coeff)))
	}
	return sum, true
}

func (p Comparison) holds(e *evaluation) bool {
	sum, ok := e.sum(p.Terms, new(big.Int))
	return !ok || p.Compare(sum)
}

func (p Order) holds(e *evaluation) bool {
	sum := new(big.Int)
	for _, t := range p.Terms {
		x, ok := e.value(t, 0)
		if !ok {
			return true
		}
		n := Position(x)
		if n > Infinity(t.Bits) || -n > Infinity(t.Bits) {
			return false
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(t.Coeff), big.NewInt(n)))
	}
	return sum.Cmp(p.Bound) <= 0
}

func (p Guarded) holds(e *evaluation) bool {
	for _, c := range p.If {
		if !c.holds(e) {
			return true
		}
	}
	return p.Then.holds(e)
}

func (p ForAll) holds(e *evaluation) bool {
	from, ok := e.sum(p.Range.From.Terms, p.Range.From.Const)
	to, ok2 := e.sum(p.Range.To.Terms, p.Range.To.Const)
	if !ok || !ok2 || !from.IsInt64() || !to.IsInt64() {
		return true
	}
	first, end := from.Int64(), to.Int64()
	for k := first; k < end; k++ {
		if k-first == e.most && uint64(end-k) > uint64(e.most) {
			k = end - e.most
		}
		if !p.Body.holds(&evaluation{e.value, e.most, k}) {
			return false
		}
	}
	return true
}

func (p *Polynomial) holds(e *evaluation) bool {
	sum := new(big.Int)
	for _, m := range p.Monomials {
		x := new(big.Int).SetUint64(m.Coeff)
		for _, t := range m.Factors {
			n, ok := e.integer(t)
			if !ok {
				return true
			}
			x.Mul(x, n)
		}
		sum.Add(sum, x)
	}
	return vanishes(sum, p.Width)
}

func (e *SumEquation) holds(at *evaluation) bool {
	total, ok := at.sum(e.Terms, big.NewInt(e.Constant))
	if !ok {
		return true
	}
	for i := range e.Sums {
		s := &e.Sums[i]
		count, ok := at.sum(s.Count.Terms, s.Count.Const)
		if !ok || count.Cmp(big.NewInt(at.most)) > 0 {
			return true
		}
		if count.Sign() < 0 {
			count.SetInt64(0)
		}
		for k := range count.Int64() {
			n, ok := (&evaluation{at.value, at.most, k}).integer(e.element(s))
			if !ok { // any number
				return true
			}
			total.Add(total, n.Mul(n, big.NewInt(s.Coeff)))
		}
	}
	return vanishes(total, e.Width)
}

// vanishes says that a number is 0 modulo 2^width.
func vanishes(n *big.Int, width uint32) bool {
	return new(big.Int).Mod(n, new(big.Int).Lsh(big.NewInt(1), uint(width))).Sign() == 0
}
