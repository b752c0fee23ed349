package integerize

// Integers that stand for bit-vectors.

import (
	"math/big"

	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// interval is a set of integers, perhaps without bounds.
type interval struct {
	lo, hi       linear.Number
	hasLo, hasHi bool
}

func between(lo, hi linear.Number) interval { return interval{lo, hi, true, true} }

func exactly(n linear.Number) interval { return between(n, n) }

// constraints say that f is in the interval.
func (r interval) constraints(f linear.Form) (cs []linear.Constraint) {
	if r.hasLo {
		cs = append(cs, linear.AtLeast(f, linear.Constant(r.lo)))
	}
	if r.hasHi {
		cs = append(cs, linear.AtMost(f, linear.Constant(r.hi)))
	}
	return cs
}

func (r interval) within(o interval) bool {
	return (!o.hasLo || r.hasLo && r.lo.Cmp(o.lo) >= 0) && (!o.hasHi || r.hasHi && r.hi.Cmp(o.hi) <= 0)
}

func (r interval) meet(o interval) interval {
	if o.hasLo && (!r.hasLo || o.lo.Cmp(r.lo) > 0) {
		r.lo, r.hasLo = o.lo, true
	}
	if o.hasHi && (!r.hasHi || o.hi.Cmp(r.hi) < 0) {
		r.hi, r.hasHi = o.hi, true
	}
	return r
}

func (r interval) add(o interval) interval {
	return interval{r.lo.Add(o.lo), r.hi.Add(o.hi), r.hasLo && o.hasLo, r.hasHi && o.hasHi}
}

func (r interval) scale(k linear.Number) interval {
	if k.Sign() < 0 {
		return interval{r.hi.Mul(k), r.lo.Mul(k), r.hasHi, r.hasLo}
	}
	return interval{r.lo.Mul(k), r.hi.Mul(k), r.hasLo, r.hasHi}
}

func (r interval) mul(o interval) interval {
	if !r.hasLo || !r.hasHi || !o.hasLo || !o.hasHi {
		nonneg := func(i interval) bool { return i.hasLo && i.lo.Sign() >= 0 }
		if nonneg(r) && nonneg(o) {
			return interval{lo: r.lo.Mul(o.lo), hasLo: true}
		}
		return interval{}
	}
	out := exactly(r.lo.Mul(o.lo))
	for _, n := range []linear.Number{r.lo.Mul(o.hi), r.hi.Mul(o.lo), r.hi.Mul(o.hi)} {
		if n.Cmp(out.lo) < 0 {
			out.lo = n
		}
		if n.Cmp(out.hi) > 0 {
			out.hi = n
		}
	}
	return out
}

func (r interval) nonNegative() bool { return r.hasLo && r.lo.Sign() >= 0 }
func (r interval) negative() bool    { return r.hasHi && r.hi.Sign() < 0 }

// number is an integer form with a range that holds on the path. It stands for a
// bit-vector that it equals modulo 2^w.
type number struct {
	form linear.Form
	interval
}

func constant(n linear.Number) number { return number{linear.Constant(n), exactly(n)} }

func (n number) add(o number) number {
	return number{n.form.Add(o.form), n.interval.add(o.interval)}.tight()
}
func (n number) scale(k linear.Number) number {
	return number{n.form.Scale(k), n.interval.scale(k)}.tight()
}
func (n number) neg() number         { return n.scale(linear.Int(-1)) }
func (n number) sub(o number) number { return n.add(o.neg()) }

// tight makes the interval of a constant exact.
func (n number) tight() number {
	if n.form.IsConstant() {
		n.interval = exactly(n.form.Const)
	}
	return n
}

// value is the number that n is, if it is a constant.
func (n number) value() (linear.Number, bool) { return n.form.Const, n.form.IsConstant() }

// view is how the bits of a number are read.
type view uint8

const (
	signed view = iota
	unsigned
)

var one = big.NewInt(1)

// power is 2^k.
func power(k uint32) linear.Number {
	if k < 62 {
		return linear.Int(1 << k)
	}
	return linear.FromBigInt(new(big.Int).Lsh(one, uint(k)))
}

// limits are the numbers of a view.
func limits(width uint32, v view) interval {
	if v == unsigned {
		return between(linear.Int(0), power(width).Add(linear.Int(-1)))
	}
	return between(power(width-1).Neg(), power(width-1).Add(linear.Int(-1)))
}

// viewOf is the view of a value.
func (fn *function) viewOf(v ir.Value) view {
	if fn.unsigned[v] {
		return unsigned
	}
	return signed
}

// normalise brings a number into the range of a view, by cases if need be.
// Over mathematical integers it is there.
func (t *translation) normalise(s *state, n number, width uint32, v view) number {
	if t.o.Semantics == Integers && width > 1 {
		return n
	}
	r := limits(width, v)
	if n.within(r) {
		return n
	}
	modulus := power(width)
	if c, ok := n.value(); ok {
		return constant(c.Sub(modulus.Mul(c.Sub(r.lo).Div(modulus).Floor())))
	}
	for i := len(s.normal) - 1; i >= 0; i-- {
		if m := &s.normal[i]; m.width == width && m.view == v && m.form.Equal(n.form) {
			return m.is
		}
	}
	// The number of wraps is from lo to hi.
	wraps := interval{hasLo: n.hasLo, hasHi: n.hasHi}
	if n.hasLo {
		wraps.lo = n.lo.Sub(r.lo).Div(modulus).Floor()
	}
	if n.hasHi {
		wraps.hi = n.hi.Sub(r.lo).Div(modulus).Floor()
	}
	note := func(s *state, is number) {
		s.normal = append(s.normal, normalised{n.form, width, v, is})
	}
	shifted := func(q linear.Number) number {
		k := modulus.Mul(q).Neg()
		m := number{n.form.Plus(k), interval{n.lo.Add(k), n.hi.Add(k), n.hasLo, n.hasHi}}
		m.interval = m.meet(r)
		return m
	}
	// general has the number of wraps as a temporary.
	general := func(s *state, w interval) number {
		q := s.fresh(w, false)
		m := number{n.form.AddScaled(modulus.Neg(), q.form), r}
		s.about(q, r.constraints(m.form)...)
		return m
	}
	if t.o.Whole { // its range is that of the other variables
		is := general(s, interval{})
		note(s, is)
		return is
	}
	type option struct {
		wraps interval
		cs    []linear.Constraint
	}
	var options []option
	lo, hi := linear.Int(-1), linear.Int(1)
	few := false
	if wraps.hasLo && wraps.lo.Cmp(lo) >= 0 && wraps.hasHi && wraps.hi.Cmp(hi) <= 0 {
		few = true
		lo, hi = wraps.lo, wraps.hi
	}
	one := linear.Int(1)
	consider := func(w interval) {
		o := option{wraps: w}
		if w.hasLo {
			o.cs = append(o.cs, linear.AtLeast(n.form, linear.Constant(r.lo.Add(modulus.Mul(w.lo)))))
		}
		if w.hasHi {
			o.cs = append(o.cs, linear.AtMost(n.form, linear.Constant(r.hi.Add(modulus.Mul(w.hi)))))
		}
		if t.feasible(s, o.cs...) {
			options = append(options, o)
		}
	}
	if few {
		for q := lo; q.Cmp(hi) <= 0; q = q.Add(one) {
			consider(exactly(q))
		}
	} else {
		consider(exactly(linear.Int(0)))
		if !wraps.hasLo || wraps.lo.Sign() < 0 {
			w := wraps
			w.hi, w.hasHi = linear.Int(-1), true
			consider(w)
		}
		if !wraps.hasHi || wraps.hi.Sign() > 0 {
			w := wraps
			w.lo, w.hasLo = one, true
			consider(w)
		}
	}
	finish := func(s *state, w interval) number {
		var is number
		if w.hasLo && w.hasHi && w.lo.Equal(w.hi) {
			is = shifted(w.lo)
		} else {
			is = general(s, w)
		}
		note(s, is)
		return is
	}
	switch {
	case len(options) == 0: // the path is impossible
		panic(split{})
	case len(options) == 1:
		return finish(s, options[0].wraps)
	case s.splits >= maxSplits:
		return finish(s, wraps)
	}
	var out []alternative
	for _, o := range options {
		out = append(out, alternative{o.cs, func(s *state) { finish(s, o.wraps) }})
	}
	panic(split{out})
}
