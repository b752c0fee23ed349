package term

import (
	"cmp"
	"slices"
)

// This file brings sums of products to a normal form: modulo 2^w, with w <= 64, a term
// is a sum of monomials, each a coefficient and factors that are no sums or products
// themselves. Multiplication of words is hard for solvers, and so are sums with
// coefficients; two terms that are equal as polynomials have one normal form, and
// of two that differ by little most is shared, as the factors are in the order of
// their IDs: what is computed first comes first.

// Limits of polynomials.
const (
	maxMonomials = 24
	maxDegree    = 6
	maxExpanded  = 40 // nodes that are looked into
)

// Monomial is Coeff times its factors, which are words of Polynomial.Width bits in the
// order of their IDs.
type Monomial struct {
	Coeff   uint64
	Factors []ID
}

// Polynomial is a sum of monomials modulo 2^Width; that without factors, if any, comes
// last.
type Polynomial struct {
	Width     uint32
	Monomials []Monomial
}

func (p *Polynomial) mask() uint64 { return ^uint64(0) >> (64 - p.Width) }

// compareFactors orders monomials by their latest factors, the constant last.
func compareFactors(a, b []ID) int {
	if len(a) == 0 || len(b) == 0 {
		return len(b) - len(a)
	}
	if c := cmp.Compare(a[len(a)-1], b[len(b)-1]); c != 0 {
		return c
	}
	return slices.Compare(a, b)
}

// add adds a monomial.
func (p *Polynomial) add(m Monomial) {
	i, found := slices.BinarySearchFunc(p.Monomials, m, func(a, b Monomial) int { return compareFactors(a.Factors, b.Factors) })
	m.Coeff &= p.mask()
	switch {
	case found:
		p.Monomials[i].Coeff = (p.Monomials[i].Coeff + m.Coeff) & p.mask()
		if p.Monomials[i].Coeff == 0 {
			p.Monomials = slices.Delete(p.Monomials, i, i+1)
		}
	case m.Coeff != 0:
		p.Monomials = slices.Insert(p.Monomials, i, m)
	}
}

// AddTimes adds coeff times q to p, in place.
func (p *Polynomial) AddTimes(coeff uint64, q Polynomial) {
	for _, m := range q.Monomials {
		p.add(Monomial{coeff * m.Coeff, m.Factors})
	}
}

// times is the product; ok is false if it is too large.
func (p *Polynomial) times(q Polynomial) (r Polynomial, ok bool) {
	r.Width = p.Width
	for _, a := range p.Monomials {
		for _, b := range q.Monomials {
			f := slices.Concat(a.Factors, b.Factors)
			if len(f) > maxDegree {
				return r, false
			}
			slices.Sort(f)
			r.add(Monomial{a.Coeff * b.Coeff, f})
		}
		if len(r.Monomials) > maxMonomials {
			return r, false
		}
	}
	return r, true
}

// Product is p times q, a polynomial or, if that is too large, a single factor.
func (s *Store) Product(p, q Polynomial) Polynomial {
	if r, ok := p.times(q); ok {
		return r
	}
	return s.atom(s.Mul(s.Sum(p), s.Sum(q)), p.Width)
}

func (s *Store) atom(t ID, w uint32) Polynomial {
	return Polynomial{w, []Monomial{{1, []ID{t}}}}
}

// Polynomial is the low w <= 64 bits of a term of at least that width, as a polynomial.
func (s *Store) Polynomial(t ID, w uint32) Polynomial {
	budget := maxExpanded
	return s.polynomial(t, w, &budget)
}

func (s *Store) polynomial(t ID, w uint32, budget *int) Polynomial {
	p := Polynomial{Width: w}
	n := s.nodes[t]
	if *budget--; *budget < 0 {
		return s.atom(s.Extract(t, w-1, 0), w)
	}
	switch n.op {
	case OpConst:
		if s.Width(t) <= 64 {
			v, _ := s.ConstUint64(t)
			p.add(Monomial{v, nil})
			return p
		}
	case OpAdd:
		p.AddTimes(1, s.polynomial(n.args[0], w, budget))
		p.AddTimes(1, s.polynomial(n.args[1], w, budget))
		if len(p.Monomials) <= maxMonomials {
			return p
		}
	case OpNeg:
		p.AddTimes(^uint64(0), s.polynomial(n.args[0], w, budget))
		return p
	case OpBVNot: // -x - 1
		p.AddTimes(^uint64(0), s.polynomial(n.args[0], w, budget))
		p.add(Monomial{^uint64(0), nil})
		return p
	case OpMul:
		q := s.polynomial(n.args[1], w, budget)
		p = s.polynomial(n.args[0], w, budget)
		if r, ok := p.times(q); ok {
			return r
		}
	case OpConcat:
		low := n.args[1]
		k := s.Width(low)
		v, ok := s.ConstUint64(low)
		if !ok || v != 0 {
			break
		}
		// 2^k times what is above, of which w-k bits matter.
		if k >= w {
			return p
		}
		high := n.args[0]
		if s.is(high, OpExtract) {
			if hi, lo := s.ExtractBounds(high); lo == 0 && hi+1 >= w-k {
				high = s.arg(high, 0)
			}
		}
		if s.Width(high) >= w {
			p.AddTimes(1<<k, s.polynomial(high, w, budget))
			return p
		}
	case OpExtract:
		if hi, lo := s.ExtractBounds(t); lo == 0 && hi+1 >= w {
			return s.polynomial(n.args[0], w, budget)
		}
	case OpZExt, OpSExt:
		if s.Width(n.args[0]) >= w {
			return s.polynomial(n.args[0], w, budget)
		}
	}
	return s.atom(s.Extract(t, w-1, 0), w)
}

// Sum is the normal form as a term.
func (s *Store) Sum(p Polynomial) ID {
	sum := ID(0)
	for _, m := range p.Monomials {
		x := s.monomial(p.Width, m)
		if sum == 0 {
			sum = x
		} else {
			sum = s.Add(sum, x)
		}
	}
	if sum == 0 {
		return s.ConstU(p.Width, 0)
	}
	return sum
}

func (s *Store) monomial(w uint32, m Monomial) ID {
	x := s.ConstU(w, m.Coeff)
	if len(m.Factors) > 0 {
		y := m.Factors[0]
		for _, f := range m.Factors[1:] {
			y = s.Mul(y, f)
		}
		x = s.Mul(y, x)
	}
	return x
}

// IsZero says that a polynomial is 0, as an equation of two sums with positive
// coefficients: between 3*i and 3*n a solver sees no difference where i is n, between
// -3*i and 3*n it does.
func (s *Store) IsZero(p Polynomial) ID {
	sides := [2]Polynomial{{Width: p.Width}, {Width: p.Width}}
	for _, m := range p.Monomials {
		if m.Coeff>>(p.Width-1) == 1 && m.Coeff != 1<<(p.Width-1) {
			sides[1].add(Monomial{-m.Coeff, m.Factors})
		} else {
			sides[0].add(m)
		}
	}
	return s.Eq(s.Sum(sides[0]), s.Sum(sides[1]))
}
