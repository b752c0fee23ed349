package invariant

import (
	"fmt"
	"math/big"
	"strings"
)

// This file holds universally quantified predicates: facts about segments of
// arrays, as "all elements below i are 42".
//
//	for all k with From <= k < To:  a[k] - k <= 7
//
// The integer k is one of the width of pointers, read as signed; the bounds
// are integers, in which nothing wraps.

// Sum is a sum of integers at a loop head, and a constant.
type Sum struct {
	Terms []Term // without elements and indices
	Const *big.Int
}

// Range are the integers k with From <= k < To.
type Range struct {
	From, To Sum
}

// ForAll says that a comparison holds for all k of a range for which all elements that it
// reads are in live objects.
type ForAll struct {
	Range Range
	Body  Comparison // its terms may be elements and indices
}

// Each calls f for the terms of the body, and those of the range.
func (p ForAll) Each(f func(Term)) {
	p.Body.Each(f)
	for _, s := range []*Sum{&p.Range.From, &p.Range.To} {
		for _, t := range s.Terms {
			f(t)
		}
	}
}

// Text is the predicate in words and C.
func (p ForAll) Text(name func(Term) string) string {
	body := p.Body.Text(func(t Term) string { return element(t, name) })
	return fmt.Sprintf("for all k with %s <= k < %s: %s", p.Range.From.Text(name), p.Range.To.Text(name), body)
}

// Text is the sum in the syntax of C.
func (s *Sum) Text(name func(Term) string) string {
	var b strings.Builder
	for _, t := range s.Terms {
		switch {
		case t.Coeff < 0:
			b.WriteString(" - ")
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		if t.Coeff != 1 && t.Coeff != -1 {
			fmt.Fprintf(&b, "%d*", max(t.Coeff, -t.Coeff))
		}
		b.WriteString(name(t))
	}
	switch {
	case b.Len() == 0:
		return s.Const.String()
	case s.Const.Sign() > 0:
		return fmt.Sprintf("%s + %s", &b, s.Const)
	case s.Const.Sign() < 0:
		return fmt.Sprintf("%s - %s", &b, new(big.Int).Neg(s.Const))
	}
	return strings.TrimPrefix(b.String(), " ")
}

// element names an element or the index, given the name of what has one.
func element(t Term, name func(Term) string) string {
	switch {
	case t.Index && t.Square:
		return "k*k"
	case t.Index:
		return "k"
	case t.Stride == 0:
		return name(t)
	}
	n, rest := int64(t.Offset)/int64(t.Stride), int64(t.Offset)%int64(t.Stride)
	field := ""
	if rest != 0 {
		field = fmt.Sprintf(".byte%d", rest)
	}
	switch {
	case n > 0:
		return fmt.Sprintf("%s[k + %d]%s", name(t), n, field)
	case n < 0:
		return fmt.Sprintf("%s[k - %d]%s", name(t), -n, field)
	}
	return name(t) + "[k]" + field
}
