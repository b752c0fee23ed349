package guess

import (
	"slices"

	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file reads linear forms off the program: what is stored in an array and at
// which index, in terms of the variables of the loops. It guesses: wrapping is
// not looked at, for what is made of forms is proved afterwards.

// atom is a variable of a form: a value, a scalar in memory, or an element; or the index
// of a predicate, or its square.
type atom struct {
	cut.Place
	unsigned bool
	square   bool
	element  *arrayElement
}

// product is an atom with its coefficient.
type product struct {
	coeff int64
	atom
}

// form is a sum of products and a constant.
type form struct {
	products []product
	constant int64
}

// arrayElement is a place in an array: Offset + Stride*index bytes from a root, of
// which 0 <= Offset < Stride.
type arrayElement struct {
	root           ir.Value
	offset, stride uint64
	bits           uint32
	index          form
}

// sameArray says that two elements belong to the same array.
func (e *arrayElement) sameArray(o *arrayElement) bool {
	return e.root == o.root && e.offset == o.offset && e.stride == o.stride && e.bits == o.bits
}

func (a atom) same(b atom) bool {
	if a.element != nil || b.element != nil {
		return a.element != nil && b.element != nil && a.element.sameArray(b.element) && a.element.index.equal(b.element.index)
	}
	return a.Place == b.Place && a.square == b.square
}

func (f form) equal(g form) bool {
	d, ok := f.minus(g).isConstant()
	return ok && d == 0
}

func (f form) isConstant() (int64, bool) { return f.constant, len(f.products) == 0 }

func (f form) plus(g form, factor int64) form {
	out := form{slices.Clone(f.products), f.constant + factor*g.constant}
	for _, p := range g.products {
		i := slices.IndexFunc(out.products, func(q product) bool { return q.same(p.atom) })
		if i < 0 {
			p.coeff *= factor
			out.products = append(out.products, p)
			continue
		}
		out.products[i].coeff += factor * p.coeff
	}
	out.products = slices.DeleteFunc(out.products, func(p product) bool { return p.coeff == 0 })
	return out
}

func (f form) minus(g form) form { return f.plus(g, -1) }

func (f form) times(n int64) form { return form{}.plus(f, n) }

func number64(n int64) form { return form{constant: n} }

// replace puts a form in the place of an atom.
func (f form) replace(a atom, by form) form {
	for i, p := range f.products {
		if p.same(a) {
			rest := form{slices.Delete(slices.Clone(f.products), i, i+1), f.constant}
			return rest.plus(by, p.coeff)
		}
	}
	return f
}

// maxForm bounds the number of products.
const maxForm = 6

// linear is the form of a value; what is no sum is an atom.
func linear(f *ir.Func, v ir.Value, depth int) (out form, ok bool) {
	d := f.Def(v)
	if d.Type.Kind != ir.Int || d.Type.Bits > 64 || depth > 12 {
		return form{}, false
	}
	self := form{products: []product{{1, atom{Place: cut.Place{Value: v, Bits: d.Type.Bits}}}}}
	binary := func(sign int64) (form, bool) {
		a, ok := linear(f, d.Args[0], depth+1)
		b, ok2 := linear(f, d.Args[1], depth+1)
		if s := a.plus(b, sign); ok && ok2 && len(s.products) <= maxForm {
			return s, true
		}
		return self, true
	}
	switch d.Op {
	case ir.Const:
		if d.Const.Signed().IsInt64() {
			return number64(d.Const.Signed().Int64()), true
		}
		return form{}, false
	case ir.Add:
		return binary(1)
	case ir.Sub:
		return binary(-1)
	case ir.Mul, ir.Shl:
		for i := range d.Args {
			c := f.Def(d.Args[i])
			if c.Op != ir.Const || d.Op == ir.Shl && i == 0 || !c.Const.Signed().IsInt64() {
				continue
			}
			n := c.Const.Signed().Int64()
			if d.Op == ir.Shl {
				if n < 0 || n > 31 {
					continue
				}
				n = 1 << n
			}
			if Magnitude(n) >= 1<<32 {
				continue
			}
			if x, ok := linear(f, d.Args[1-i], depth+1); ok {
				return x.times(n), true
			}
		}
	case ir.SExt, ir.Trunc, ir.Freeze:
		return linear(f, d.Args[0], depth+1)
	case ir.ZExt:
		x, ok := linear(f, d.Args[0], depth+1)
		x.products = slices.Clone(x.products)
		for i := range x.products {
			x.products[i].unsigned = true
		}
		return x, ok
	case ir.Load:
		if p := f.Def(d.Args[0]); p.Op == ir.GlobalAddr && d.Type.Bits%8 == 0 {
			self.products[0].Place = cut.Place{Value: d.Args[0], Cell: true, Bits: d.Type.Bits}
		} else if e := elementAt(f, d.Args[0], d.Type.Bits, depth+1); e != nil {
			self.products[0].element = e
		}
	}
	return self, true
}

// elementAt is the element of an array to which a pointer points, nil if it is none.
func elementAt(f *ir.Func, p ir.Value, bits uint32, depth int) *arrayElement {
	if bits%8 != 0 {
		return nil
	}
	offset := form{}
	for f.Def(p).Op == ir.PtrAdd || f.Def(p).Op == ir.Freeze {
		d := f.Def(p)
		if d.Op == ir.PtrAdd {
			x, ok := linear(f, d.Args[1], depth+1)
			if !ok {
				return nil
			}
			offset = offset.plus(x, 1)
		}
		p = d.Args[0]
	}
	switch f.Def(p).Op {
	case ir.Null, ir.IntToPtr:
		return nil
	}
	if len(offset.products) == 0 && offset.constant%int64(bits/8) != 0 {
		return nil
	}
	stride := int64(0)
	for _, x := range offset.products {
		if n := Magnitude(x.coeff); stride == 0 || n < stride {
			stride = n
		}
	}
	if stride == 0 {
		stride = int64(bits / 8)
	}
	e := &arrayElement{root: p, stride: uint64(stride), bits: bits}
	for _, x := range offset.products {
		if x.coeff%stride != 0 {
			return nil
		}
		x.coeff /= stride
		e.index.products = append(e.index.products, x)
	}
	rest := ((offset.constant % stride) + stride) % stride
	e.offset, e.index.constant = uint64(rest), (offset.constant-rest)/stride
	return e
}
