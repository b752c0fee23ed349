package symex

// Arrays of pointers to strings (symgraph.Strings): the command line and the environment. All
// strings that a loop of the program's start has made are described at once, whatever
// their number is: without that, each would be an object, and the states of a loop over them
// would have no end.
//
// The pointer may be one to any byte of its string: programs move along their arguments.
//
// A pointer that is read or written is taken out, as with other slots (slots.go): it is a cell of the array, and
// the string an object of the state. At loop heads it is put back if the string still ends with a 0, and
// nothing but the cell leads to it. It stays out as long as the program goes on looking at it: while
// a pointer of the state, or a number, says that slot, or the code has its number. So what is known of an index
// into the string is known from one head of a loop over its characters to the next.

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// maxStringsOut bounds the strings that stay out because the program may look at them again.
const maxStringsOut = 4

// isString says whether an object is a string that ends with its last byte.
func (x *explorer) isString(ob *object) bool {
	if ob.Kind != symgraph.Stack || ob.Frame != 0 || ob.Dead || ob.Slots != nil || ob.Strings != nil || !x.k.atLeast(ob.Size, linear.Int(1)) {
		return false
	}
	last := ob.Size.Plus(linear.Int(-1))
	return slices.ContainsFunc(ob.Cells, func(c cell) bool {
		return c.Type == ir.IntType(8) && c.Value.Kind == symgraph.Int && c.Value.Form.Equal(linear.Form{}) && x.k.isZero(c.Offset.Sub(last))
	})
}

// stringSlot is the number of the slot at an offset.
func (x *explorer) stringSlot(off linear.Form) (k linear.Form, ok bool) {
	k = off.Scale(linear.Int(int64(x.pointerBits() / 8)).Inv())
	return k, k.IsIntegral()
}

// stringAt is the offset of a slot.
func (x *explorer) stringAt(k linear.Form) linear.Form {
	return k.Scale(linear.Int(int64(x.pointerBits() / 8)))
}

// takeString makes sure that the slot at an offset is out, or leads to no string that is described; if it
// is not ok, there is a split.
func (x *explorer) takeString(s *state, o int32, off linear.Form, t ir.Type) (ok bool) {
	ob := &s.Objects[o]
	if t.Kind != ir.Ptr || ob.Strings == nil || ob.Dead {
		return true
	}
	k, ok := x.stringSlot(off)
	if !ok {
		return true
	}
	for _, f := range ob.Strings.Out {
		if is, ok := x.decideZero(k.Sub(f)); !ok || is {
			return ok
		}
	}
	for _, f := range []linear.Form{k.Sub(ob.Strings.From), ob.Strings.To.Sub(k).Plus(linear.Int(-1))} {
		if in, ok := x.decide(f); !ok || !in {
			return ok
		}
	}
	l := *ob.Strings
	l.Out = append(slices.Clip(l.Out), k)
	size := x.fresh(linear.Int(1), linear.Int(l.Most))
	text := object{Kind: symgraph.Stack, Size: size,
		Cells: []cell{{Offset: size.Plus(linear.Int(-1)), Type: ir.IntType(8), Value: constant(0)}}}
	to := pointer(int32(len(s.Objects)), x.fresh(linear.Number{}, linear.Int(l.Most-1)))
	x.k.assert(linear.Constraint{Form: size.Sub(to.Form).Plus(linear.Int(-1))})
	s.Objects = append(slices.Clip(s.Objects), text)
	ob = &s.Objects[o]
	ob.Strings = &l
	ob.Cells = append(slices.Clip(ob.Cells), cell{Offset: off, Type: t, Value: to})
	return true
}

// sparesStrings says whether a write of n bytes at an offset leaves what is described as it is.
func (x *explorer) sparesStrings(l *symgraph.Strings, off, n linear.Form) bool {
	word := linear.Constant(linear.Int(int64(x.pointerBits() / 8)))
	for _, f := range l.Out {
		if n.Equal(word) && x.k.isZero(x.stringAt(f).Sub(off)) {
			return true
		}
	}
	return x.apart(off, n, x.stringAt(l.From), x.stringAt(l.To.Sub(l.From)))
}

// putStringsBack describes the strings that arrays lead to, where that is possible; it says whether a
// string has become a part of a description.
func (x *explorer) putStringsBack(s *state) (changed bool) {
	if s.Entry != 0 {
		return false
	}
	for o := range s.Objects {
		ob := &s.Objects[o]
		if ob.Kind != symgraph.Stack || ob.Frame != 0 || ob.Dead || ob.Slots != nil || len(pointerCells(ob)) == 0 {
			continue
		}
		owned := false
		for x.putStringBack(s, int32(o), &owned) {
			changed = true
		}
	}
	return changed
}

// putStringBack does so with one string. The array's description is the state's own if owned.
func (x *explorer) putStringBack(s *state, o int32, owned *bool) bool {
	ob := &s.Objects[o]
	first, _ := references(s)
	for i := range ob.Cells {
		c := &ob.Cells[i]
		k, ok := x.stringSlot(c.Offset)
		v := &c.Value
		if !ok || c.Type.Kind != ir.Ptr || v.Kind != symgraph.Pointer || v.Object < 0 || first[v.Object] != 1 {
			continue
		}
		text := &s.Objects[v.Object]
		at := x.offset(*v)
		if !x.isString(text) || !x.k.atLeast(at, linear.Number{}) || !x.k.atLeast(text.Size.Sub(at), linear.Int(1)) {
			continue
		}
		most, small := x.k.high(text.Size).Int64()
		if !small {
			continue
		}
		if !*owned {
			l := symgraph.Strings{Most: most}
			if ob.Strings != nil {
				l = *ob.Strings
				l.Out = slices.Clone(l.Out)
			}
			ob.Strings, *owned = &l, true
			ob.Cells = slices.Clone(ob.Cells)
		}
		l := ob.Strings
		out := slices.IndexFunc(l.Out, func(f linear.Form) bool { return x.k.isZero(f.Sub(k)) })
		next := out < 0 && x.k.isZero(k.Sub(l.To))
		stays := x.looksAt(s, o, k) && len(l.Out) < maxStringsOut
		if out >= 0 && stays || out < 0 && !next {
			continue
		}
		l.Most = max(l.Most, most)
		if next {
			l.To = l.To.Plus(linear.Int(1))
			if stays {
				l.Out = append(l.Out, k)
				return true
			}
		} else {
			l.Out = slices.Delete(l.Out, out, out+1)
		}
		*text = gone
		ob.Cells = slices.Delete(ob.Cells, i, i+1)
		return true
	}
	return false
}

// looksAt says whether the program may look at slot k of an object next.
func (x *explorer) looksAt(s *state, o int32, k linear.Form) bool {
	at := x.stringAt(k)
	for i := range s.Frames {
		f := &s.Frames[i]
		for _, p := range x.prepare(f.Func).places {
			if w := &f.Values[p.base]; w.Kind == symgraph.Pointer && w.Object == o && x.k.isZero(w.Form.Add(p.offset).Sub(at)) {
				return true
			}
		}
		for v := range f.Values {
			switch w := &f.Values[v]; {
			case w.Kind == symgraph.Pointer && w.Object == o && x.k.isZero(w.Form.Sub(at)):
				return true
			case w.Kind == symgraph.Int && !k.IsConstant() && x.k.isZero(w.Form.Sub(k)):
				return true
			}
		}
	}
	for i := range s.Objects {
		for j := range s.Objects[i].Cells {
			if w := &s.Objects[i].Cells[j].Value; w.Kind == symgraph.Pointer && w.Object == o && x.k.isZero(w.Form.Sub(at)) {
				return true
			}
		}
	}
	return false
}

// strings joins the descriptions of two arrays, which are in the same places.
func (j *joiner) strings(a, b *symgraph.Strings) *symgraph.Strings {
	if a == nil || b == nil {
		j.fails = j.fails || j.first == nil && a != nil
		return nil
	}
	l := *a
	bits := j.x.pointerBits()
	l.From, l.To = j.form(a.From, b.From, bits), j.form(a.To, b.To, bits)
	l.Out = nil
	for i := range a.Out {
		l.Out = append(l.Out, j.form(a.Out[i], b.Out[i], bits))
	}
	if b.Most > a.Most {
		j.fails = j.fails || j.first == nil
		l.Most = b.Most
	}
	return &l
}
