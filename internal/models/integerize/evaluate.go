package integerize

// Instructions as numbers. Operations without effect are evaluated when somebody
// asks for their result, so cases are distinguished only where they matter.

import (
	"math/big"
	"slices"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// eval is the number that an integer value is on the path, in any view.
func (t *translation) eval(s *state, fr *frame, v ir.Value) number {
	k := valueKey{frame: fr, value: v}
	if n, ok := s.values.get(k); ok {
		return n
	}
	d := fr.fn.f.Def(v)
	if d.Op == ir.Const {
		return constant(linear.FromBigInt(d.Const.Signed()))
	}
	if n, ok := t.known(fr, v); ok {
		s.values.set(k, n)
		return n
	}
	var n number
	if x, ok := t.variables[variableKey{value: k}]; ok && t.places[s.from].has[x] {
		n = t.variable(s, x)
	} else {
		n = t.refine(s, fr, v, t.compute(s, fr, v, d))
	}
	s.values.set(k, n)
	return n
}

// in is eval in a view.
func (t *translation) in(s *state, fr *frame, v ir.Value, w view) number {
	n := t.eval(s, fr, v)
	if t.o.Semantics == Integers && w == unsigned {
		if d := fr.fn.f.Def(v); d.Op == ir.Const {
			return constant(linear.FromBigInt(d.Const.Unsigned()))
		}
	}
	return t.normalise(s, n, fr.fn.f.Type(v).Bits, w)
}

// known is the constant that the abstract interpreter says a value is.
func (t *translation) known(fr *frame, v ir.Value) (number, bool) {
	if t.o.Semantics == Integers {
		return number{}, false
	}
	r, ok := t.factRange(fr, v, fr.fn.viewOf(v))
	if ok && r.lo.Equal(r.hi) {
		return constant(r.lo), true
	}
	return number{}, false
}

// factRange is the range of a value in a view.
func (t *translation) factRange(fr *frame, v ir.Value, w view) (interval, bool) {
	bits := fr.fn.f.Type(v).Bits
	r := limits(bits, w)
	if t.o.Semantics == Integers {
		if bits == 1 {
			return r, true
		}
		return interval{}, true
	}
	f, ok := t.fact(fr, v)
	if !ok {
		return r, true
	}
	x := f.Int()
	if x.IsWide() || x.IsBottom() {
		return r, !x.IsBottom()
	}
	if w == signed {
		return between(linear.Int(x.SLo), linear.Int(x.SHi)), true
	}
	return between(linear.FromBigInt(new(big.Int).SetUint64(x.ULo)), linear.FromBigInt(new(big.Int).SetUint64(x.UHi))), true
}

// refine uses what the abstract interpreter knows of a value.
func (t *translation) refine(s *state, fr *frame, v ir.Value, n number) number {
	if n.form.IsConstant() || t.o.Semantics == Integers {
		return n
	}
	w := fr.fn.viewOf(v)
	bits := fr.fn.f.Type(v).Bits
	if !n.within(limits(bits, w)) {
		return n
	}
	r, ok := t.factRange(fr, v, w)
	if !ok || n.within(r) {
		return n
	}
	s.note(r.constraints(n.form)...)
	n.interval = n.meet(r)
	return n
}

// variable is the number of a variable of the system.
func (t *translation) variable(s *state, x int) number {
	sl := t.slots[x]
	v := linear.Var(x)
	n := number{linear.Variable(v), sl.bounds}
	if _, ok := s.ranged[v]; !ok {
		s.own()
		s.ranged[v] = sl.bounds
	}
	return n
}

// unknown is any value of v's type, as far as facts tell.
func (t *translation) unknown(s *state, fr *frame, v ir.Value, inexact bool) number {
	r, ok := t.factRange(fr, v, fr.fn.viewOf(v))
	if !ok {
		r = limits(fr.fn.f.Type(v).Bits, fr.fn.viewOf(v))
	}
	return s.fresh(r, inexact)
}

// nondet is the result of a Nondet.
func (t *translation) nondet(s *state, fr *frame, v ir.Value, d *ir.Def) number {
	inexact := ir.NondetKind(d.Aux) == ir.NondetUndef || ir.NondetKind(d.Aux) == ir.NondetApproximate
	n := t.unknown(s, fr, v, inexact)
	if t.o.Semantics == Integers && d.Type.Bits > 1 {
		name, input := strings.CutPrefix(d.Sym, "__VERIFIER_nondet_")
		if input && (strings.HasPrefix(name, "u") || name == "bool" || name == "size_t" || name == "_Bool") {
			s.about(n, linear.AtLeast(n.form, linear.Form{}))
			n.lo, n.hasLo = linear.Int(0), true
		}
	}
	return n
}

func (t *translation) compute(s *state, fr *frame, v ir.Value, d *ir.Def) number {
	w := d.Type.Bits
	mine := fr.fn.viewOf(v)
	arg := func(i int) number { return t.eval(s, fr, d.Args[i]) }
	if w == 1 {
		switch d.Op {
		case ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe, ir.Select, ir.Trunc,
			ir.SAddOvf, ir.SSubOvf, ir.SMulOvf, ir.UAddOvf, ir.USubOvf, ir.UMulOvf:
			return t.truth(s, fr, v)
		}
	}
	switch d.Op {
	case ir.Freeze:
		return arg(0)
	case ir.Trunc:
		n := arg(0) // equal modulo 2^w, too
		if t.o.Semantics == Integers || n.within(limits(w, signed)) || n.within(limits(w, unsigned)) {
			return n
		}
		return t.normalise(s, n, w, mine)
	case ir.ZExt:
		if t.o.Semantics == Integers && fr.fn.f.Type(d.Args[0]).Bits > 1 {
			return arg(0)
		}
		return t.in(s, fr, d.Args[0], unsigned)
	case ir.SExt:
		return t.in(s, fr, d.Args[0], signed)
	case ir.Add, ir.Sub:
		a, b := arg(0), arg(1)
		sum := func() number {
			if d.Op == ir.Sub {
				return a.sub(b)
			}
			return a.add(b)
		}
		n := sum()
		if t.o.Semantics == Integers || n.within(between(power(w).Neg().Add(power(w).Neg()), power(w+1))) || t.lazy(s, n, w) {
			return n
		}
		a, b = t.normalise(s, a, w, mine), t.normalise(s, b, w, mine)
		return sum()
	case ir.Mul:
		return t.multiply(s, arg(0), arg(1), w, mine)
	case ir.Select:
		c := t.truth(s, fr, d.Args[0])
		if k, ok := c.value(); ok {
			if k.IsZero() {
				return arg(2)
			}
			return arg(1)
		}
		panic(split{[]alternative{
			{[]linear.Constraint{linear.AtLeast(c.form, linear.Constant(linear.Int(1)))}, func(s *state) { s.values.set(valueKey{frame: fr, value: d.Args[0]}, constant(linear.Int(1))) }},
			{[]linear.Constraint{linear.AtMost(c.form, linear.Constant(linear.Int(0)))}, func(s *state) { s.values.set(valueKey{frame: fr, value: d.Args[0]}, constant(linear.Int(0))) }},
		}})
	case ir.UDiv, ir.SDiv, ir.URem, ir.SRem:
		return t.divide(s, fr, v, d)
	case ir.Shl, ir.LShr, ir.AShr:
		return t.shift(s, fr, v, d)
	case ir.And, ir.Or, ir.Xor:
		return t.logic(s, fr, v, d)
	case ir.Ctpop, ir.Ctlz, ir.Cttz:
		return s.fresh(between(linear.Int(0), linear.Int(int64(w))), true)
	}
	return t.unknown(s, fr, v, true)
}

// multiply is a product modulo 2^w.
func (t *translation) multiply(s *state, a, b number, w uint32, v view) number {
	if _, ok := a.value(); ok {
		a, b = b, a
	}
	if k, ok := b.value(); ok {
		n := a.scale(k)
		span := power(w + 1)
		if t.o.Semantics == Integers || n.within(between(span.Neg(), span)) || t.lazy(s, n, w) {
			return n
		}
		return t.normalise(s, a, w, v).scale(k)
	}
	a, b = t.normalise(s, a, w, v), t.normalise(s, b, w, v)
	if _, ok := a.value(); ok {
		return b.scale(a.form.Const)
	}
	if k, ok := b.value(); ok {
		return a.scale(k)
	}
	return s.product(a, b)
}

// lazy says that a sum with products wraps at its end: cases for each of its terms would multiply. That is so where all
// values are observed; elsewhere linear parts are better in their ranges.
func (t *translation) lazy(s *state, n number, w uint32) bool {
	if t.o.Observed == nil || !n.within(between(power(3*w).Neg(), power(3*w))) {
		return false
	}
	return slices.ContainsFunc(n.form.Terms, func(m linear.Term) bool {
		i := int(m.Var) - int(tempBase)
		return i >= 0 && i < len(s.temps) && s.temps[i].product != nil
	})
}

// product is a temporary that is a product.
func (s *state) product(a, b number) number {
	for i, tm := range s.temps {
		if p := tm.product; p != nil && (p.A.Equal(a.form) && p.B.Equal(b.form) || p.A.Equal(b.form) && p.B.Equal(a.form)) {
			return number{linear.Variable(tempBase + linear.Var(i)), a.mul(b.interval)}
		}
	}
	r := a.mul(b.interval)
	if a.form.Equal(b.form) {
		r = r.meet(interval{hasLo: true})
	}
	n := s.fresh(r, false)
	v, _ := n.form.IsVariable()
	s.temps[v-tempBase].product = &its.Product{Temp: v, A: a.form, B: b.form}
	return n
}
