package invariant

import (
	"fmt"
	"math/big"
	"strings"

	"assay/internal/bv"
)

// Polynomial is a sum of products of integers, modulo 2^Width. A predicate with one says
// that it is 0: it has no terms and no conditions, its relation is Congruent and its
// bound 0, so that who does not look at the polynomial reads that 0 is 0.
type Polynomial struct {
	Width     uint32 // 2 to 64
	Monomials []Monomial
}

// Monomial is Coeff times its factors, whose coefficients are 1; none is wider than the
// polynomial, and what is narrower is extended as its Signed says.
type Monomial struct {
	Coeff   uint64
	Factors []Term
}

// IsZero makes a predicate of a polynomial.
func (p *Polynomial) IsZero() Predicate {
	return Predicate{Relation: Congruent, Bound: new(big.Int), Modulus: 2, Polynomial: p}
}

// IllFormed says what is wrong with the polynomial of a predicate, if anything is.
func (p *Predicate) IllFormed() string {
	q := p.Polynomial
	switch {
	case q == nil:
		return ""
	case len(p.Terms) > 0 || len(p.If) > 0 || p.Range != nil || p.Relation != Congruent || p.Bound == nil || p.Bound.Sign() != 0:
		return "a predicate with a polynomial says more"
	case q.Width < 2 || q.Width > 64:
		return fmt.Sprintf("a polynomial modulo 2^%d", q.Width)
	}
	for _, m := range q.Monomials {
		for _, t := range m.Factors {
			if t.Float || t.Index || t.Stride != 0 || t.Coeff != 1 || t.Bits > q.Width {
				return "a factor of a monomial is no integer of its width"
			}
		}
	}
	return ""
}

// Eval is the value of the polynomial; value gives the integers of the factors.
func (p *Polynomial) Eval(value func(Term) bv.BV) uint64 {
	sum := uint64(0)
	for _, m := range p.Monomials {
		x := m.Coeff
		for _, t := range m.Factors {
			v := value(t)
			if t.Signed {
				x *= uint64(v.Int64())
			} else {
				x *= v.Uint64()
			}
		}
		sum += x
	}
	return sum & (^uint64(0) >> (64 - p.Width))
}

// Text is the equation in the syntax of C.
func (p *Polynomial) Text(name func(Term) string) string {
	sides := [2]strings.Builder{}
	for _, m := range p.Monomials {
		c := m.Coeff << (64 - p.Width) >> (64 - p.Width)
		b := &sides[0]
		if c>>(p.Width-1) == 1 {
			c = -c << (64 - p.Width) >> (64 - p.Width)
			b = &sides[1]
		}
		if b.Len() > 0 {
			b.WriteString(" + ")
		}
		var factors []string
		if c != 1 || len(m.Factors) == 0 {
			factors = append(factors, fmt.Sprint(c))
		}
		for _, t := range m.Factors {
			factors = append(factors, name(t))
		}
		b.WriteString(strings.Join(factors, "*"))
	}
	for i := range sides {
		if sides[i].Len() == 0 {
			sides[i].WriteString("0")
		}
	}
	unsigned := map[uint32]string{8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}[p.Width]
	if unsigned == "" {
		return fmt.Sprintf("(%s - (%s)) %% 2^%d == 0", sides[0].String(), sides[1].String(), p.Width)
	}
	return fmt.Sprintf("(%s)%s == (%s)%s", unsigned, enclosed(sides[0].String()), unsigned, enclosed(sides[1].String()))
}
