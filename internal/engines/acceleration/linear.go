package acceleration

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file reads expressions as sums modulo 2^w.

// term is a multiple of an expression, whose upper bits do not count.
type term struct {
	e expr
	c bv.BV
}

// form is the sum of terms and k, modulo 2^w.
type form struct {
	w     uint32
	terms []term
	k     bv.BV
	large bool // there are more terms than were looked at
}

func (f *form) add(e expr, c bv.BV) {
	for i := range f.terms {
		if f.terms[i].e == e {
			f.terms[i].c = f.terms[i].c.Add(c)
			return
		}
	}
	f.terms = append(f.terms, term{e, c})
}

// linear is x modulo 2^w, for w up to the width of x.
func (a *arena) linear(x expr, w uint32) form {
	f := form{w: w, k: bv.New(w, 0)}
	budget := maxTerms
	a.collect(&f, x, bv.New(w, 1), &budget)
	kept := f.terms[:0]
	for _, t := range f.terms {
		if !t.c.IsZero() {
			kept = append(kept, t)
		}
	}
	f.terms = kept
	return f
}

// maxTerms bounds the expressions that are looked at for one sum: shared ones count as
// often as they occur.
const maxTerms = 1 << 10

// collect adds c times x to f.
func (a *arena) collect(f *form, x expr, c bv.BV, budget *int) {
	n := *a.at(x)
	if *budget--; *budget < 0 {
		f.large = true
		return
	}
	if n.kind == constant {
		f.k = f.k.Add(n.value.Trunc(f.w).Mul(c))
		return
	}
	if n.kind == operation && n.t.Kind == ir.Int {
		switch n.op {
		case ir.Add:
			a.collect(f, n.args[0], c, budget)
			a.collect(f, n.args[1], c, budget)
			return
		case ir.Sub:
			a.collect(f, n.args[0], c, budget)
			a.collect(f, n.args[1], c.Neg(), budget)
			return
		case ir.Mul:
			for i := range 2 {
				if k, ok := a.literal(n.args[i]); ok {
					a.collect(f, n.args[1-i], c.Mul(k.Trunc(f.w)), budget)
					return
				}
			}
		case ir.Shl:
			if k, ok := a.literal(n.args[1]); ok {
				one := bv.New(n.t.Bits, 1)
				a.collect(f, n.args[0], c.Mul(one.Shl(k).Trunc(f.w)), budget)
				return
			}
		case ir.Trunc:
			a.collect(f, n.args[0], c, budget)
			return
		case ir.ZExt, ir.SExt:
			if a.width(n.args[0]) >= f.w {
				a.collect(f, n.args[0], c, budget)
				return
			}
		}
	}
	f.add(x, c)
}

// sum is the form as an expression.
func (a *arena) sum(f form) expr {
	t := ir.IntType(f.w)
	x := a.constant(f.k)
	for _, m := range f.terms {
		y := a.truncated(m.e, f.w)
		if !m.c.Equal(bv.New(f.w, 1)) {
			y = a.make(ir.Mul, t, 0, y, a.constant(m.c))
		}
		if k, ok := a.literal(x); ok && k.IsZero() {
			x = y
		} else {
			x = a.make(ir.Add, t, 0, x, y)
		}
	}
	return x
}
