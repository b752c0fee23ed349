// Package invariant holds what is known of a loop head: predicates over the
// values that are there, as template rows are [2LS §5.1.2]. Engines find them,
// package certify proves them again, and a person reads them in C.
//
// All arithmetic of a predicate is that of the integers: a value of w bits is
// read as signed or unsigned, and nothing wraps.
package invariant

import (
	"fmt"
	"math/big"
	"strings"

	"assay/internal/bv"
	"assay/internal/ir"
)

// Relation compares the sum of a predicate with its bound.
type Relation uint8

// The relations.
const (
	AtMost    Relation = iota // sum <= Bound
	NotEqual                  // sum != Bound
	Congruent                 // sum = Bound modulo Modulus
)

// Term is a summand: Coeff times the value of an integer.
type Term struct {
	Coeff int64
	// Value is defined at the loop head: a phi of it, or a value, parameter or
	// constant that dominates it. If Cell, it is a pointer (the address of a
	// global, or an Alloca), and the summand is the integer of Bits bits that is stored
	// there, Offset bytes into the object, when the head is reached.
	Value  ir.Value
	Cell   bool
	Offset uint64
	// Stride, if not 0, makes the cell an element: the integer is stored Offset +
	// Stride*k bytes into the object (modulo 2^w for pointers of w bits), where k
	// is the bound integer of the predicate's Range.
	Stride uint64
	// Index: the summand is k itself; Value is 0, Bits the width of pointers.
	Index bool
	// Square: it is k*k, in equations modulo a power of two.
	Square bool
	// Bits is the width of the integer, at most 64; Signed says how it is read.
	Bits   uint32
	Signed bool
	// Float: what is summed up is the position of a floating-point number in the
	// order of its format; see float.go.
	Float bool
	// Up says that Value is one of the caller (1), of its caller (2), and so on, of
	// the call string of the Head; only in a Literal.
	Up int
	// In contracts the value is a parameter, or 0: then the summand is the
	// function's first result, or if Global is not empty, the integer stored Offset
	// bytes into that global, when the function is left; if Old, when it is entered.
	Global string
	Old    bool
}

// Literal says that a bit of what a term names is 1, or 0 if Negated; Coeff and
// Signed have no meaning. The bits of a pointer are those of its offset.
type Literal struct {
	Term    Term
	Bit     uint32
	Negated bool
}

// Clause is a disjunction. It holds if it speaks of memory that is not there.
type Clause []Literal

// Call is a call instruction of a function.
type Call struct {
	Func  string
	Value ir.Value
}

// Predicate is a relation between a sum and a bound. Without terms the sum is 0.
type Predicate struct {
	// If are conditions, without conditions of their own: where one of them is
	// false, nothing is said [2LS §6.5].
	If       []Predicate
	Terms    []Term
	Relation Relation
	Bound    *big.Int
	Modulus  uint64 // of Congruent; 0 is 2^64
	// Polynomial, if not nil, is a sum of products that is 0; see there.
	Polynomial *Polynomial
	// Elements, if not nil, is an equation about sums of elements; see there.
	Elements *SumEquation
	// Range, if not nil, binds the integer k: the relation holds for all k in the
	// range for which all elements that it reads are in live objects.
	Range *Range
}

// Head is a loop head with what holds each time it is reached.
type Head struct {
	Func       string
	Head       ir.BlockID
	Pos        ir.Pos
	Predicates []Predicate
	// Clauses and Formulas hold if the function was entered by these calls, the outermost
	// first: one for each activation but the first. Without calls they hold always.
	Calls    []Call
	Clauses  []Clause
	Formulas []Formula // as clauses are
}

// Text is the clause in the syntax of C.
func (c Clause) Text(name func(Term) string) string {
	if len(c) == 0 {
		return "false"
	}
	var out []string
	for _, l := range c {
		t := name(l.Term)
		if l.Term.Bits > 1 {
			t = fmt.Sprintf("%s[%d]", t, l.Bit)
		}
		if l.Negated {
			t = "!" + t
		}
		out = append(out, t)
	}
	return strings.Join(out, " || ")
}

// Contract is what holds of a recursive function: if it is entered with
// parameters and globals that satisfy Pre, and if it returns, Post holds then.
// Summands of Pre are parameters and globals, all of them old.
type Contract struct {
	Func      string
	Pos       ir.Pos
	Pre, Post []Predicate
}

// Mod is the modulus of a congruence.
func (p *Predicate) Mod() *big.Int {
	if p.Modulus == 0 {
		return new(big.Int).Lsh(big.NewInt(1), 64)
	}
	return new(big.Int).SetUint64(p.Modulus)
}

// Width is a width in which the sum, the bound and their difference do not wrap.
func (p *Predicate) Width() uint32 {
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
func (p *Predicate) ModuloPower() bool {
	return p.Relation == Congruent && p.Modulus != 1 && p.Modulus&(p.Modulus-1) == 0
}

// Each calls f for the terms of the predicate, and those of its conditions and
// of its range.
func (p *Predicate) Each(f func(Term)) {
	for i := range p.If {
		p.If[i].Each(f)
	}
	for _, t := range p.Terms {
		f(t)
	}
	if p.Elements != nil {
		p.Elements.each(f)
	}
	if p.Polynomial != nil {
		for _, m := range p.Polynomial.Monomials {
			for _, t := range m.Factors {
				f(t)
			}
		}
	}
	if p.Range != nil {
		for _, s := range []*Sum{&p.Range.From, &p.Range.To} {
			for _, t := range s.Terms {
				f(t)
			}
		}
	}
}

// Holds evaluates the predicate; value gives the integers of the terms.
func (p *Predicate) Holds(value func(Term) bv.BV) bool {
	for i := range p.If {
		if !p.If[i].Holds(value) {
			return true
		}
	}
	if p.IsFloat() {
		return p.holdsFloats(value)
	}
	if p.Polynomial != nil {
		return p.Polynomial.Eval(value) == 0
	}
	sum := new(big.Int)
	for _, t := range p.Terms {
		x := value(t)
		n := x.Unsigned()
		if t.Signed {
			n = x.Signed()
		}
		sum.Add(sum, new(big.Int).Mul(big.NewInt(t.Coeff), n))
	}
	return p.Compare(sum)
}

// Compare says whether the relation holds of a sum.
func (p *Predicate) Compare(sum *big.Int) bool {
	switch p.Relation {
	case AtMost:
		return sum.Cmp(p.Bound) <= 0
	case NotEqual:
		return sum.Cmp(p.Bound) != 0
	}
	d := new(big.Int).Sub(sum, p.Bound)
	return d.Mod(d, p.Mod()).Sign() == 0
}

// Text is the predicate in the syntax of C; name gives the names of the terms.
// Sums are meant over the integers, but in equations modulo the size of a type:
// those begin with a cast to the unsigned type in which they hold.
func (p *Predicate) Text(name func(Term) string) string {
	var conditions strings.Builder
	for i := range p.If {
		fmt.Fprintf(&conditions, "!(%s) || ", p.If[i].Text(name))
	}
	return conditions.String() + p.text(name)
}

func (p *Predicate) text(name func(Term) string) string {
	if p.Elements != nil {
		return p.Elements.Text(name)
	}
	if p.Polynomial != nil {
		return p.Polynomial.Text(name)
	}
	if r := p.Range; r != nil {
		q := *p
		q.Range = nil
		body := q.text(func(t Term) string { return element(t, name) })
		return fmt.Sprintf("for all k with %s <= k < %s: %s", r.From.Text(name), r.To.Text(name), body)
	}
	if p.IsFloat() {
		return p.floatText(name)
	}
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
func (p *Predicate) wraps() bool {
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
