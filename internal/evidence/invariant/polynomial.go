package invariant

import (
	"fmt"
	"strings"
)

// Polynomial says that a sum of products of integers is 0, modulo 2^Width.
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

// Each calls f for the factors.
func (p *Polynomial) Each(f func(Term)) {
	for _, m := range p.Monomials {
		for _, t := range m.Factors {
			f(t)
		}
	}
}

// IllFormed says what is wrong with the polynomial, if anything is.
func (p *Polynomial) IllFormed() string {
	if p.Width < 2 || p.Width > 64 {
		return fmt.Sprintf("a polynomial modulo 2^%d", p.Width)
	}
	for _, m := range p.Monomials {
		for _, t := range m.Factors {
			if t.Float || t.Index || t.Stride != 0 || t.Coeff != 1 || t.Bits > p.Width {
				return "a factor of a monomial is no integer of its width"
			}
		}
	}
	return ""
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
