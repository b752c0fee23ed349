package integerize

// Truth values: what has to hold for an integer of one bit to be 1, and to be 0,
// each as a disjunction of conjunctions of constraints.

import (
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// maxCases bounds the conjunctions of a condition; beyond it, it is arbitrary.
const maxCases = 24

type conjunct = []linear.Constraint

// truth is the number of a truth value, by cases.
func (t *translation) truth(s *state, fr *frame, v ir.Value) number {
	k := valueKey{frame: fr, value: v}
	if n, ok := s.values.get(k); ok {
		return n
	}
	pos, neg := t.conditions(s, fr, v)
	var out []alternative
	add := func(cs []conjunct, n int64) {
		for _, c := range cs {
			if t.feasible(s, c...) {
				out = append(out, alternative{c, func(s *state) { s.values.set(k, constant(linear.Int(n))) }})
			}
		}
	}
	add(pos, 1)
	before := len(out)
	add(neg, 0)
	if before == len(out) && before > 0 || before == 0 && len(out) > 0 {
		// Decided: no need for a split, but the cases of a disjunction stay together.
		n := constant(linear.Int(1))
		if before == 0 {
			n = constant(zero)
		}
		s.values.set(k, n)
		return n
	}
	panic(split{out})
}

// conditions of a truth value.
func (t *translation) conditions(s *state, fr *frame, v ir.Value) (pos, neg []conjunct) {
	always, never := []conjunct{{}}, []conjunct(nil)
	if n, ok := s.values.get(valueKey{frame: fr, value: v}); ok {
		return ofNumber(n)
	}
	d := fr.fn.f.Def(v)
	if n, ok := t.known(fr, v); ok && d.Op != ir.Const {
		return ofNumber(n)
	}
	switch d.Op {
	case ir.Const:
		if d.Const.IsTrue() {
			return always, never
		}
		return never, always
	case ir.Freeze:
		return t.conditions(s, fr, d.Args[0])
	case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		pos, neg = t.comparison(s, fr, d)
		return pos, neg
	case ir.And, ir.Mul:
		p, n := t.conditions(s, fr, d.Args[0])
		q, m := t.conditions(s, fr, d.Args[1])
		return t.limited(s, fr, v, both(p, q), append(n[:len(n):len(n)], m...))
	case ir.Or:
		p, n := t.conditions(s, fr, d.Args[0])
		q, m := t.conditions(s, fr, d.Args[1])
		return t.limited(s, fr, v, append(p[:len(p):len(p)], q...), both(n, m))
	case ir.Xor, ir.Add, ir.Sub:
		p, n := t.conditions(s, fr, d.Args[0])
		q, m := t.conditions(s, fr, d.Args[1])
		return t.limited(s, fr, v, append(both(p, m), both(n, q)...), append(both(p, q), both(n, m)...))
	case ir.Select:
		c, e := t.conditions(s, fr, d.Args[0])
		p, n := t.conditions(s, fr, d.Args[1])
		q, m := t.conditions(s, fr, d.Args[2])
		return t.limited(s, fr, v, append(both(c, p), both(e, q)...), append(both(c, n), both(e, m)...))
	case ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf:
		if t.o.Semantics == Integers {
			return never, always
		}
		return t.overflow(s, fr, d)
	case ir.Trunc:
		_, bit := s.floor(t.eval(s, fr, d.Args[0]), linear.Int(2))
		return ofNumber(bit)
	}
	return ofNumber(t.eval(s, fr, v))
}

// ofNumber: from a number that is 0 or 1.
func ofNumber(n number) (pos, neg []conjunct) {
	if k, ok := n.value(); ok {
		if k.IsZero() {
			return nil, []conjunct{{}}
		}
		return []conjunct{{}}, nil
	}
	return []conjunct{{linear.AtLeast(n.form, formOf(1))}}, []conjunct{{linear.AtMost(n.form, linear.Form{})}}
}

// both distributes a conjunction.
func both(a, b []conjunct) (out []conjunct) {
	for _, x := range a {
		for _, y := range b {
			out = append(out, append(x[:len(x):len(x)], y...))
		}
	}
	return out
}

// limited gives up on conditions with too many cases.
func (t *translation) limited(s *state, fr *frame, v ir.Value, pos, neg []conjunct) ([]conjunct, []conjunct) {
	if len(pos)+len(neg) <= maxCases {
		return pos, neg
	}
	n := s.fresh(between(zero, linear.Int(1)), true)
	s.values.set(valueKey{frame: fr, value: v}, n)
	return ofNumber(n)
}

func (t *translation) comparison(s *state, fr *frame, d *ir.Def) (pos, neg []conjunct) {
	f := fr.fn.f
	x, y := d.Args[0], d.Args[1]
	ty := f.Type(x)
	if ty.Kind != ir.Int {
		n := s.fresh(between(zero, linear.Int(1)), true)
		return ofNumber(n)
	}
	var view view
	switch d.Op {
	case ir.Eq, ir.Ne:
		side := x
		if f.Def(x).Op == ir.Const {
			side = y
		}
		view = fr.fn.viewOf(side)
		// One of them signed in its range, the other unsigned: no matter, if the
		// difference is less than the modulus.
		a, b := t.eval(s, fr, x), t.eval(s, fr, y)
		diff := a.sub(b)
		if t.o.Semantics != Integers && !diff.within(between(power(ty.Bits).Neg().Add(linear.Int(1)), power(ty.Bits).Add(linear.Int(-1)))) {
			diff = t.in(s, fr, x, view).sub(t.in(s, fr, y, view))
		}
		eq := []conjunct{{linear.Equals(diff.form, linear.Form{})}}
		ne := []conjunct{{linear.AtLeast(diff.form, formOf(1))}, {linear.AtMost(diff.form, formOf(-1))}}
		if diff.nonNegative() {
			ne = ne[:1]
		} else if diff.hasHi && diff.hi.Sign() <= 0 {
			ne = ne[1:]
		}
		if k, ok := diff.value(); ok {
			if eq, ne = []conjunct{{}}, nil; !k.IsZero() {
				eq, ne = ne, eq
			}
		}
		if d.Op == ir.Eq {
			return eq, ne
		}
		return ne, eq
	case ir.ULt, ir.ULe:
		view = unsigned
	}
	a, b := t.in(s, fr, x, view), t.in(s, fr, y, view)
	less := linear.Less(a.form, b.form)
	if d.Op == ir.ULe || d.Op == ir.SLe {
		less = linear.AtMost(a.form, b.form)
	}
	return decided(less)
}

// decided drops what constants decide.
func decided(c linear.Constraint) (pos, neg []conjunct) {
	no := c.Negate()
	if !c.Tighten().IsFalse() {
		pos = []conjunct{{c}}
	}
	if !no.Tighten().IsFalse() {
		neg = []conjunct{{no}}
	}
	return pos, neg
}

// overflow conditions compare the exact result with the limits.
func (t *translation) overflow(s *state, fr *frame, d *ir.Def) (pos, neg []conjunct) {
	w := fr.fn.f.Type(d.Args[0]).Bits
	v := unsigned
	if d.Op == ir.SAddOvf || d.Op == ir.SSubOvf || d.Op == ir.SMulOvf {
		v = signed
	}
	a, b := t.in(s, fr, d.Args[0], v), t.in(s, fr, d.Args[1], v)
	var n number
	switch d.Op {
	case ir.SAddOvf, ir.UAddOvf:
		n = a.add(b)
	case ir.SSubOvf, ir.USubOvf:
		n = a.sub(b)
	default:
		if k, ok := a.value(); ok {
			n = b.scale(k)
		} else if k, ok := b.value(); ok {
			n = a.scale(k)
		} else {
			n = s.product(a, b)
		}
	}
	r := limits(w, v)
	if n.within(r) {
		return nil, []conjunct{{}}
	}
	return []conjunct{{linear.Less(n.form, linear.Constant(r.lo))}, {linear.Less(linear.Constant(r.hi), n.form)}}, []conjunct{r.constraints(n.form)}
}
