package flat

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/transform"
)

// This file writes pointers that move within one object, in loops or where paths meet, as that object's
// pointer and an integer: invariants and rows of arrays are found of integers. A phi of which all that comes,
// through other phis and arithmetic, is one pointer q is q and a phi of offsets; offsets wrap as
// pointers do. q dominates the phi, since all paths to it pass one of its uses.

// Offsets is the program whose pointers that move within one object are it and an integer.
func Offsets(m *ir.Module) *transform.Program {
	out := m.Clone()
	done := false
	for _, f := range out.Funcs {
		done = offsets(out, f) || done
	}
	if !done {
		return transform.Unchanged(m)
	}
	if err := ir.Verify(out); err != nil {
		panic("flat: the program with offsets is malformed: " + err.Error())
	}
	return &transform.Program{From: m, Module: out, Runs: transform.Same, About: "the program with pointers that move as offsets"}
}

// offsets changes f; done says whether there were such phis.
func offsets(m *ir.Module, f *ir.Func) (done bool) {
	x := &offsetter{m: m, f: f, of: map[ir.Value]ir.Value{}, number: map[ir.Value]ir.Value{}, after: map[ir.Value]ir.Value{}}
	var all []ir.Value
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			d := f.Def(v)
			if d.Op != ir.Phi {
				break
			}
			if d.Type.Kind == ir.Ptr {
				all = append(all, v)
			}
		}
	}
	bases := x.bases(all)
	for _, v := range all {
		if q := bases[v]; q != 0 {
			f.Values = append(f.Values, ir.Def{Op: ir.Phi, Type: m.WordType(), Block: f.Def(v).Block, Pos: f.Def(v).Pos})
			x.of[v], x.number[v] = q, ir.Value(len(f.Values)-1)
		}
	}
	if len(x.of) == 0 {
		return false
	}
	for _, v := range all {
		if x.of[v] == 0 {
			continue
		}
		var args []ir.Value
		for _, a := range f.Def(v).Args {
			args = append(args, x.offset(a))
		}
		f.Def(x.number[v]).Args = args
	}
	for b := range f.Blocks {
		var phis, pointers, rest []ir.Value
		for _, v := range f.Blocks[b].Instrs {
			switch {
			case x.of[v] != 0:
				phis = append(phis, x.number[v])
				d := f.Def(v)
				*d = ir.Def{Op: ir.PtrAdd, Type: d.Type, Args: []ir.Value{x.of[v], x.number[v]}, Block: d.Block, Pos: d.Pos}
				pointers = append(pointers, v)
			case f.Def(v).Op == ir.Phi:
				phis = append(phis, v)
			default:
				rest = append(rest, v)
			}
			if n := x.after[v]; n != 0 {
				rest = append(rest, n)
			}
		}
		f.Blocks[b].Instrs = append(append(phis, pointers...), rest...)
	}
	return true
}

type offsetter struct {
	m      *ir.Module
	f      *ir.Func
	of     map[ir.Value]ir.Value // the pointer that a phi is an offset of
	number map[ir.Value]ir.Value // the offset
	after  map[ir.Value]ir.Value // the addition behind that of a pointer
	zero   ir.Value
}

// several stands for more than one pointer.
const several = ir.Value(-1)

// source is the phi, or other pointer, that a pointer is moved from.
func (x *offsetter) source(v ir.Value) ir.Value {
	for {
		switch d := x.f.Def(v); {
		case d.Op == ir.PtrAdd && x.f.Def(d.Args[0]).Op != ir.Null, d.Op == ir.Freeze && d.Aux == 0:
			v = d.Args[0]
		default:
			return v
		}
	}
}

// bases are the pointers that all that comes to a phi is moved from; 0 for a phi of which there are several.
func (x *offsetter) bases(phis []ir.Value) map[ir.Value]ir.Value {
	base := map[ir.Value]ir.Value{}
	for _, v := range phis {
		base[v] = 0
	}
	// Upwards from nothing: 0, one pointer, several. A phi of several is a pointer of its own for others.
	for changed := true; changed; {
		changed = false
		for _, v := range phis {
			if base[v] == several {
				continue
			}
			now := base[v]
			for _, a := range x.f.Def(v).Args {
				q := x.source(a)
				if b, phi := base[q]; phi && b != several {
					q = b
				}
				switch {
				case q == 0 || q == now:
				case now == 0:
					now = q
				default:
					now = several
				}
			}
			if now != base[v] {
				base[v], changed = now, true
			}
		}
	}
	for v, q := range base {
		if q == several || q == v || q != 0 && x.f.Def(q).Op == ir.Null {
			base[v] = 0
		}
	}
	return base
}

// offset is the offset of a pointer from the base of the phis that it comes to.
func (x *offsetter) offset(v ir.Value) ir.Value {
	if n := x.number[v]; n != 0 {
		return n
	}
	d := x.f.Def(v)
	switch {
	case d.Op == ir.PtrAdd && x.f.Def(d.Args[0]).Op != ir.Null:
		by := d.Args[1]
		n := x.offset(d.Args[0])
		if n == x.zero {
			return by
		}
		x.f.Values = append(x.f.Values, ir.Def{Op: ir.Add, Type: x.m.WordType(), Args: []ir.Value{n, by}, Block: d.Block, Pos: d.Pos})
		sum := ir.Value(len(x.f.Values) - 1)
		x.number[v], x.after[v] = sum, sum
		return sum
	case d.Op == ir.Freeze && d.Aux == 0:
		return x.offset(d.Args[0])
	}
	if x.zero == 0 {
		x.f.Values = append(x.f.Values, ir.Def{Op: ir.Const, Type: x.m.WordType(), Const: bv.New(x.m.PointerBits, 0)})
		x.zero = ir.Value(len(x.f.Values) - 1)
	}
	return x.zero
}
