package invariant

import (
	"fmt"
	"strings"

	"assay/internal/program/ir"
)

// This file holds equations about sums of elements of arrays, as "s is the sum of the
// elements below i", modulo 2^w. A loop adds up what no predicate about single elements
// can tell.

// SumEquation says that Constant, and the Terms, and the Sums are 0 together, modulo
// 2^Width.
type SumEquation struct {
	Width    uint32 // of the elements: 8, 16, 32 or 64
	Terms    []Term // integers, taken modulo 2^Width; without floats, elements and indices
	Sums     []ElementSum
	Constant int64
}

// ElementSum is Coeff times the sum of the first Count elements of an array, none if Count
// is negative: the integers of the width of the equation that are stored one after the other
// from Offset bytes beyond Base on. What is beyond the object counts as any numbers, which
// stay as they are until something is written to the object.
type ElementSum struct {
	Coeff  int64
	Base   ir.Value // a pointer, as the Value of a cell is
	Offset uint64
	Count  Sum
}

// Each calls f for the terms; the arrays appear as elements.
func (e *SumEquation) Each(f func(Term)) {
	for _, t := range e.Terms {
		f(t)
	}
	for i := range e.Sums {
		s := &e.Sums[i]
		f(e.element(s))
		for _, t := range s.Count.Terms {
			f(t)
		}
	}
}

// element is an element of an array as a term.
func (e *SumEquation) element(s *ElementSum) Term {
	return Term{Coeff: s.Coeff, Value: s.Base, Cell: true, Offset: s.Offset, Stride: uint64(e.Width / 8), Bits: e.Width}
}

// IllFormed says what is wrong with the equation, if anything is.
func (e *SumEquation) IllFormed() string {
	if e.Width != 8 && e.Width != 16 && e.Width != 32 && e.Width != 64 {
		return fmt.Sprintf("sums of elements modulo 2^%d", e.Width)
	}
	for _, t := range e.Terms {
		if t.Float || t.Index || t.Stride != 0 {
			return "a summand beside sums of elements is no integer"
		}
	}
	for i := range e.Sums {
		c := &e.Sums[i].Count
		if c.Const == nil || c.Const.BitLen() > 40 || len(c.Terms) > 8 {
			return "a number of elements is too large"
		}
		for _, t := range c.Terms {
			if t.Float || t.Index || t.Stride != 0 || t.Bits > 32 || t.Coeff > 1<<16 || t.Coeff < -1<<16 {
				return "a number of elements is no small sum"
			}
		}
	}
	return ""
}

// Text is the equation in the syntax of C, but for the sums.
func (e *SumEquation) Text(name func(Term) string) string {
	var b strings.Builder
	add := func(c int64, what string) {
		switch {
		case c < 0:
			b.WriteString(" - ")
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		if c != 1 && c != -1 {
			fmt.Fprintf(&b, "%d*", max(c, -c))
		}
		b.WriteString(what)
	}
	for _, t := range e.Terms {
		add(t.Coeff, name(t))
	}
	for i := range e.Sums {
		s := &e.Sums[i]
		t := e.element(s)
		t.Signed = true
		add(s.Coeff, fmt.Sprintf("sum(%s, 0 <= k < %s)", element(t, name), s.Count.Text(name)))
	}
	if e.Constant != 0 {
		fmt.Fprintf(&b, " + %d", e.Constant)
	}
	return fmt.Sprintf("(%s) %% 2^%d == 0", strings.TrimSpace(b.String()), e.Width)
}
