// Package polynomial computes with polynomials over the integers modulo 2^w, w <= 64,
// which is what programs compute as long as they add, subtract and multiply words of
// one width: it says whether an equation follows from others (ideal.go), and which
// equations hold in many points (vanishing.go).
//
// A polynomial is a sorted slice of terms, a monomial an array of the numbers of
// its variables: no pointers, no strings. What has a greater degree than MaxDegree
// cannot be said; the operations that may get there say so.
package polynomial

import (
	"cmp"
	"slices"
)

// MaxDegree is the greatest degree of a monomial.
const MaxDegree = 8

// Monomial is a product of variables: their numbers, from 1, in ascending order, one for
// each occurrence, and then zeros. The empty product is 1.
type Monomial [MaxDegree]uint16

// Of is a variable as a monomial.
func Of(v uint16) Monomial { return Monomial{v} }

// Degree is the number of factors.
func (m Monomial) Degree() int {
	n := 0
	for n < MaxDegree && m[n] != 0 {
		n++
	}
	return n
}

// Has says whether a variable is a factor.
func (m Monomial) Has(v uint16) bool { return slices.Contains(m[:], v) }

// Times is the product; ok is false if its degree is too great.
func (m Monomial) Times(n Monomial) (p Monomial, ok bool) {
	a, b := m.Degree(), n.Degree()
	if a+b > MaxDegree {
		return p, false
	}
	i, j := 0, 0
	for k := range a + b {
		if j == b || i < a && m[i] <= n[j] {
			p[k] = m[i]
			i++
		} else {
			p[k] = n[j]
			j++
		}
	}
	return p, true
}

// Over is the quotient; ok is false if n does not divide m.
func (m Monomial) Over(n Monomial) (q Monomial, ok bool) {
	j, k := 0, 0
	for _, v := range m {
		switch {
		case v == 0:
		case j < MaxDegree && n[j] == v:
			j++
		default:
			q[k] = v
			k++
		}
	}
	return q, j == n.Degree()
}

// Compare orders monomials by degree, and those of one degree by their variables.
func Compare(m, n Monomial) int {
	if c := cmp.Compare(m.Degree(), n.Degree()); c != 0 {
		return c
	}
	return slices.Compare(m[:], n[:])
}

// Term is a monomial with a coefficient that is not 0.
type Term struct {
	Monomial Monomial
	Coeff    uint64
}

// Polynomial is a sum of terms, the greatest first.
type Polynomial []Term

// Ring is that of the polynomials modulo 2^Width.
type Ring struct{ Width uint32 }

func (r Ring) mask() uint64 { return ^uint64(0) >> (64 - r.Width) }

// Constant is a polynomial of degree 0.
func (r Ring) Constant(c uint64) Polynomial {
	if c &= r.mask(); c != 0 {
		return Polynomial{{Coeff: c}}
	}
	return nil
}

// Variable is a variable as a polynomial.
func (r Ring) Variable(v uint16) Polynomial { return Polynomial{{Of(v), 1}} }

// Degree is the greatest degree of a monomial, 0 of the polynomial 0.
func (p Polynomial) Degree() int {
	if len(p) == 0 {
		return 0
	}
	return p[0].Monomial.Degree()
}

// Each calls f for the variables, once for each occurrence.
func (p Polynomial) Each(f func(v uint16)) {
	for i := range p {
		for _, v := range p[i].Monomial {
			if v == 0 {
				break
			}
			f(v)
		}
	}
}

// Plus is p + c*q.
func (r Ring) Plus(p Polynomial, c uint64, q Polynomial) Polynomial {
	mask := r.mask()
	out := make(Polynomial, 0, len(p)+len(q))
	i, j := 0, 0
	for i < len(p) || j < len(q) {
		order := 0
		switch {
		case i == len(p):
			order = -1
		case j == len(q):
			order = 1
		default:
			order = Compare(p[i].Monomial, q[j].Monomial)
		}
		var t Term
		if order >= 0 {
			t = p[i]
			i++
		}
		if order <= 0 {
			t.Monomial = q[j].Monomial
			t.Coeff += c * q[j].Coeff
			j++
		}
		if t.Coeff &= mask; t.Coeff != 0 {
			out = append(out, t)
		}
	}
	return out
}

// Times is p * q; ok is false if the degree or the size is too great.
func (r Ring) Times(p, q Polynomial) (out Polynomial, ok bool) {
	if len(p) == 1 && p[0].Monomial == (Monomial{}) {
		return r.Plus(nil, p[0].Coeff, q), true
	}
	if len(p)*len(q) > maxProducts {
		return nil, false
	}
	sum := make(Polynomial, 0, len(p)*len(q))
	for _, a := range p {
		for _, b := range q {
			m, ok := a.Monomial.Times(b.Monomial)
			if !ok {
				return nil, false
			}
			sum = append(sum, Term{m, a.Coeff * b.Coeff})
		}
	}
	return r.normal(sum), true
}

// maxProducts bounds the size of a product.
const maxProducts = 4000

// normal sorts terms and adds up those of one monomial, in place.
func (r Ring) normal(p Polynomial) Polynomial {
	slices.SortFunc(p, func(a, b Term) int { return Compare(b.Monomial, a.Monomial) })
	mask := r.mask()
	out := p[:0]
	for i := 0; i < len(p); {
		t := p[i]
		for i++; i < len(p) && p[i].Monomial == t.Monomial; i++ {
			t.Coeff += p[i].Coeff
		}
		if t.Coeff &= mask; t.Coeff != 0 {
			out = append(out, t)
		}
	}
	return out
}

// Eval is the value of p in a point; at gives that of the variables.
func (r Ring) Eval(p Polynomial, at func(v uint16) uint64) uint64 {
	sum := uint64(0)
	for _, t := range p {
		x := t.Coeff
		for _, v := range t.Monomial {
			if v == 0 {
				break
			}
			x *= at(v)
		}
		sum += x
	}
	return sum & r.mask()
}

// equal says whether two polynomials are the same.
func equal(p, q Polynomial) bool { return slices.Equal(p, q) }
