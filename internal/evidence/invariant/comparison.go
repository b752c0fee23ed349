package invariant

import (
	"fmt"
	"math/big"
	"strings"
)

// This file holds comparisons of sums of integers, the rows of templates [2LS §5.1.2].

// Comparison is a relation between a sum of integers and a bound. Without terms the sum is 0.
type Comparison struct {
	Terms    []Term // no floats
	Relation Relation
	Bound    *big.Int
	Modulus  uint64 // of Congruent; 0 is 2^64
}

// Each calls f for the summands.
func (p Comparison) Each(f func(Term)) {
	for _, t := range p.Terms {
		f(t)
	}
}

// Mod is the modulus of a congruence.
func (p Comparison) Mod() *big.Int {
	if p.Modulus == 0 {
		return new(big.Int).Lsh(big.NewInt(1), 64)
	}
	return new(big.Int).SetUint64(p.Modulus)
}

// Width is a width in which the sum, the bound and their difference do not wrap.
func (p Comparison) Width() uint32 {
	w := uint32(p.Bound.BitLen())
	for _, t := range p.Terms {
		w = max(w, t.Bits+uint32(big.NewInt(t.Coeff).BitLen()))
	}
	if p.Relation == Congruent {
		w = max(w, uint32(p.Mod().BitLen()))
	}
	return w + uint32(big.NewInt(int64(len(p.Terms)+2)).BitLen()) + 2
}

// ModuloPower says that the predicate is an equation modulo a power of two, other than 1.
func (p Comparison) ModuloPower() bool {
	return p.Relation == Congruent && p.Modulus != 1 && p.Modulus&(p.Modulus-1) == 0
}

// Compare says whether the relation holds of a sum.
func (p Comparison) Compare(sum *big.Int) bool {
	switch p.Relation {
	case AtMost:
		return sum.Cmp(p.Bound) <= 0
	case NotEqual:
		return sum.Cmp(p.Bound) != 0
	}
	d := new(big.Int).Sub(sum, p.Bound)
	return d.Mod(d, p.Mod()).Sign() == 0
}

// Text is a comparison in the syntax of C.
func (p Comparison) Text(name func(Term) string) string {
	side := func(sign int64) string {
		var b strings.Builder
		for _, t := range p.Terms {
			c := t.Coeff * sign
			if c <= 0 {
				continue
			}
			if b.Len() > 0 {
				b.WriteString(" + ")
			}
			if c != 1 {
				fmt.Fprintf(&b, "%d*", c)
			}
			b.WriteString(name(t))
		}
		return b.String()
	}
	left, right, bound := side(1), side(-1), new(big.Int).Set(p.Bound)
	if p.Relation == AtMost && left == "" && right == "" {
		if bound.Sign() < 0 {
			return "0"
		}
		return "1"
	}
	op := map[Relation]string{AtMost: "<=", NotEqual: "!=", Congruent: "=="}[p.Relation]
	if left == "" && p.Relation == AtMost { // -x <= b is x >= -b
		return fmt.Sprintf("%s >= %s", right, bound.Neg(bound))
	}
	if p.Relation == Congruent && !p.wraps() {
		if right != "" {
			left = strings.TrimPrefix(left+" - "+enclosed(right), " - ")
		}
		switch {
		case bound.Sign() > 0:
			left += " - " + bound.String()
		case bound.Sign() < 0:
			left += " + " + bound.Neg(bound).String()
		}
		return fmt.Sprintf("%s %% %s == 0", enclosed(left), p.Mod())
	}
	if left == "" {
		left, right, bound = right, "", bound.Neg(bound)
	}
	switch {
	case right == "":
		right = bound.String()
	case bound.Sign() > 0:
		right += " + " + bound.String()
	case bound.Sign() < 0:
		right += " - " + bound.Neg(bound).String()
	}
	if p.Relation == Congruent {
		unsigned := map[uint32]string{8: "unsigned char", 16: "unsigned short", 32: "unsigned", 64: "unsigned long long"}[p.Terms[0].Bits]
		if len(p.Terms) > 1 || p.Terms[0].Coeff*p.Terms[0].Coeff != 1 {
			return "(" + unsigned + ")" + enclosed(left) + " == (" + unsigned + ")" + enclosed(right)
		}
	}
	return left + " " + op + " " + right
}

// enclosed is an expression that can be an operand.
func enclosed(s string) string {
	if strings.ContainsAny(s, " *") {
		return "(" + s + ")"
	}
	return s
}

// wraps says that a congruence is an equation in an unsigned type of C.
func (p Comparison) wraps() bool {
	if len(p.Terms) == 0 {
		return false
	}
	for _, t := range p.Terms {
		if t.Bits != p.Terms[0].Bits {
			return false
		}
	}
	w := p.Terms[0].Bits
	return (w == 8 || w == 16 || w == 32 || w == 64) && p.Mod().BitLen() == int(w)+1
}

// SumText is a sum of terms and a constant in the syntax of C.
func SumText(terms []Term, constant int64, name func(Term) string) string {
	var b strings.Builder
	for _, t := range terms {
		c := t.Coeff
		switch {
		case c == 0:
			continue
		case c < 0 && b.Len() > 0:
			b.WriteString(" - ")
			c = -c
		case b.Len() > 0:
			b.WriteString(" + ")
		case c < 0:
			b.WriteString("-")
			c = -c
		}
		if c != 1 {
			fmt.Fprintf(&b, "%d*", c)
		}
		b.WriteString(name(t))
	}
	switch {
	case b.Len() == 0:
		return fmt.Sprint(constant)
	case constant < 0:
		fmt.Fprintf(&b, " - %d", -constant)
	case constant > 0:
		fmt.Fprintf(&b, " + %d", constant)
	}
	return b.String()
}
