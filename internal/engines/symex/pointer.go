package symex

import (
	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// This file compares pointers, and makes numbers of them.

// extent says whether the address of p is inside of its object, or its start.
func (x *explorer) extent(s *state, p value) bool {
	off := x.offset(p)
	return x.k.isZero(off) || x.k.atLeast(off, linear.Number{}) && x.k.atLeast(s.Objects[p.Object].Size.Sub(off), linear.Int(1))
}

// pointerEqual decides whether two pointers have the same address.
func (x *explorer) pointerEqual(s *state, f *frame, d *ir.Def) (truth, ok bool) {
	p, q := x.operand(s, f, d.Args[0]), x.operand(s, f, d.Args[1])
	if p.Kind == symgraph.Pointer && q.Kind == symgraph.Pointer {
		if p.Object == q.Object && p.Object != symgraph.Token {
			g := x.offset(p).Sub(x.offset(q))
			if w := two(x.pointerBits()); x.k.low(g).Cmp(w.Neg()) > 0 && x.k.high(g).Cmp(w) < 0 {
				return x.decideZero(g)
			}
		} else {
			zero := func(p value) bool {
				return p.Object == symgraph.Null && p.Form.IsConstant() && p.Form.Const.IsZero()
			}
			inside := func(p value) bool {
				return p.Object >= 0 && !s.Objects[p.Object].Dead && x.extent(s, p)
			}
			if inside(p) && (inside(q) || zero(q)) || inside(q) && zero(p) {
				return false, true
			}
		}
	}
	return x.toss()
}

// pointerLess decides a comparison of addresses.
func (x *explorer) pointerLess(s *state, f *frame, d *ir.Def) (truth, ok bool) {
	p, q := x.operand(s, f, d.Args[0]), x.operand(s, f, d.Args[1])
	if p.Kind == symgraph.Pointer && q.Kind == symgraph.Pointer && p.Object == q.Object && p.Object >= 0 {
		a, b := x.offset(p), x.offset(q)
		n := s.Objects[p.Object].Size
		within := func(g linear.Form) bool {
			return x.k.atLeast(g, linear.Number{}) && x.k.atLeast(n.Sub(g), linear.Number{})
		}
		if within(a) && within(b) {
			g := b.Sub(a)
			if d.Op == ir.ULt {
				g = g.Plus(linear.Int(-1))
			}
			return x.decide(g)
		}
	}
	return x.toss()
}

// toss is an arbitrary truth value: both, one after the other.
func (x *explorer) toss() (truth, ok bool) {
	if x.tossed != nil {
		t := *x.tossed
		x.tossed = nil
		return t, true
	}
	yes, no := true, false
	x.split = append(x.split, alternative{toss: &yes}, alternative{toss: &no})
	return false, false
}

// address is the address of a pointer: the base of the object is a symbol.
func (x *explorer) address(s *state, f *frame, v ir.Value, d *ir.Def) control {
	p := x.operand(s, f, d.Args[0])
	if p.Kind != symgraph.Pointer || p.Object == symgraph.Token {
		f.Values[v] = x.arbitrary(d.Type, false)
		return next
	}
	if p.Object == symgraph.Null {
		if d.Type.Bits > x.pointerBits() {
			g, ok := x.fits(p.Form, x.pointerBits(), false)
			if !ok {
				f.Values[v] = x.arbitrary(d.Type, false)
				return next
			}
			p.Form = g
		}
		f.Values[v] = integer(p.Form)
		return next
	}
	o := &s.Objects[p.Object]
	if d.Type.Bits > x.pointerBits() || o.Dead {
		f.Values[v] = x.arbitrary(d.Type, false)
		return next
	}
	if !o.HasBase {
		_, most := rangeOf(x.pointerBits(), false)
		o.HasBase, o.Base = true, x.fresh(linear.Int(1), most)
	}
	f.Values[v] = integer(o.Base.Add(x.offset(p)))
	return next
}
