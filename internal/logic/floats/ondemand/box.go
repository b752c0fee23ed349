package ondemand

import (
	"math"
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file makes the lemmas. The box of an operand at level 0 reaches from one
// to the next of the numbers that the formula compares it with, around its value in
// the model, and no farther than what its own operation makes of the boxes of its
// operands, so that bounds travel from the inputs of a formula to its outputs. Each
// level cuts the box in two and keeps the half with the value.

// box are the bounds of the operands, as bit patterns of float64.
type box [4]uint64

// maxBounds bounds the numbers with which a term is compared.
const maxBounds = 1000

// compared notes the number in a comparison.
func (o *Operations) compared(t term.ID) {
	for i := range 2 {
		if c, x := o.st.Arg(t, i), o.st.Arg(t, 1-i); o.st.IsConst(c) && o.st.Width(c) >= 32 {
			if v := number(o.st.ConstValue(c)); v == v && !math.IsInf(v, 0) {
				o.addBound(x, v, maxChoices)
			}
		}
	}
}

// addBound notes a number for a term and for those that it is chosen from: where
// those are used without the choice, they are as it says.
func (o *Operations) addBound(t term.ID, v float64, depth int) {
	if v == 0 {
		v = 0 // not -0
	}
	if bs := o.bounds[t]; len(bs) < maxBounds && !slices.Contains(bs, v) {
		o.bounds[t] = append(bs, v)
		if o.st.Op(t) == term.OpIte && depth > 0 && !o.st.IsConst(t) {
			o.addBound(o.st.Arg(t, 1), v, depth-1)
			o.addBound(o.st.Arg(t, 2), v, depth-1)
		}
	}
}

// number is the float with these bits.
func number(x bv.BV) float64 {
	if x.Width() == 32 {
		return float64(math.Float32frombits(uint32(x.Uint64())))
	}
	return math.Float64frombits(x.Uint64())
}

// constant is a float as a term; the number has the format.
func (o *Operations) constant(width uint32, v float64) term.ID {
	if width == 32 {
		return o.st.ConstU(32, uint64(math.Float32bits(float32(v))))
	}
	return o.st.ConstU(64, math.Float64bits(v))
}

// boundsOf are the numbers with which a float is compared, and those that it is
// chosen from.
func (o *Operations) boundsOf(t term.ID, depth int, out []float64) []float64 {
	if len(out) > 2*maxBounds || depth == 0 {
		return out
	}
	if o.st.IsConst(t) {
		if v := number(o.st.ConstValue(t)); v == v {
			out = append(out, v)
		}
		return out
	}
	out = append(out, o.bounds[t]...)
	switch o.st.Op(t) {
	case term.OpIte:
		out = o.boundsOf(o.st.Arg(t, 1), depth-1, out)
		out = o.boundsOf(o.st.Arg(t, 2), depth-1, out)
	case term.OpBVXor, term.OpConcat: // a change of the sign
		if x := o.st.FNeg(t); x < t {
			for _, v := range o.boundsOf(x, depth-1, nil) {
				out = append(out, -v)
			}
		}
	case term.OpFToF:
		if o.st.Width(o.st.Arg(t, 0)) >= 32 {
			for _, v := range o.boundsOf(o.st.Arg(t, 0), depth-1, nil) {
				if o.st.Width(t) == 32 {
					v = float64(float32(v))
				}
				out = append(out, v)
			}
		}
	case term.OpZExt: // the absolute value
		if x := o.st.Arg(t, 0); o.st.Op(x) == term.OpExtract && o.st.FAbs(o.st.Arg(x, 0)) == t {
			for _, v := range o.boundsOf(o.st.Arg(x, 0), depth-1, nil) {
				out = append(out, math.Abs(v))
			}
		}
	}
	return out
}

// maxChoices bounds how deep choices are looked into.
const maxChoices = 12

// interval is the box of a term at the level under way, bounds the numbers with
// which it is compared, sorted.
func (o *Operations) interval(t term.ID, v float64, bounds []float64, value func(term.ID) bv.BV) absdomain.Float {
	width := o.st.Width(t)
	if o.st.IsConst(t) || math.IsInf(v, 0) && o.level > 0 {
		return absdomain.FloatOf(width, v)
	}
	r := absdomain.FloatRange(width, math.Inf(-1), math.Inf(1))
	if i, found := slices.BinarySearch(bounds, v); found { // widen chooses a side
		return absdomain.FloatOf(width, v)
	} else {
		if i > 0 {
			r.Lo = bounds[i-1]
		}
		if i < len(bounds) {
			r.Hi = bounds[i]
		}
	}
	for range o.level {
		m := middle(width, r.Lo, r.Hi)
		if !(r.Lo < m && m < r.Hi) {
			break
		}
		if v <= m {
			r.Hi = m
		} else {
			r.Lo = m
		}
	}
	if m := r.Meet(o.computed(t, maxChoices, value)); m.Lo <= v && v <= m.Hi {
		m.NaN = false
		return m
	}
	return r
}

// computed is what the operation that a term takes its value from in the model makes
// of the boxes of its operands.
func (o *Operations) computed(t term.ID, depth int, value func(term.ID) bv.BV) absdomain.Float {
	st := o.st
	if i, ok := o.index[t]; ok && o.all[i].now.Bits != 0 {
		return o.all[i].now
	}
	switch op := st.Op(t); {
	case depth == 0:
	case op == term.OpIte && !value(st.Arg(t, 0)).IsZero():
		return o.computed(st.Arg(t, 1), depth-1, value)
	case op == term.OpIte:
		return o.computed(st.Arg(t, 2), depth-1, value)
	case op == term.OpBVXor || op == term.OpConcat:
		if x := st.FNeg(t); x < t {
			return o.computed(x, depth-1, value).Neg()
		}
	case op == term.OpFToF && st.Width(st.Arg(t, 0)) >= 32:
		return o.computed(st.Arg(t, 0), depth-1, value).Convert(st.Width(t))
	}
	return absdomain.FloatTop(st.Width(t))
}

// linearUpTo is up to where an interval is cut at its middle; beyond, the
// exponents are.
const linearUpTo = 1 << 20

// middle is a number of few digits between two others, if there is one.
func middle(width uint32, lo, hi float64) float64 {
	if math.Abs(lo) <= linearUpTo && math.Abs(hi) <= linearUpTo && (hi-lo)*64 > math.Max(math.Abs(lo), math.Abs(hi)) {
		return short(width, (lo+hi)/2, 12)
	}
	a, b := position(width, lo), position(width, hi)
	return short(width, at(width, a+(b-a)/2), 8)
}

// short drops the digits of a number after the first ones.
func short(width uint32, v float64, digits uint) float64 {
	if width == 32 {
		return float64(math.Float32frombits(math.Float32bits(float32(v)) &^ (1<<(23-digits) - 1)))
	}
	return math.Float64frombits(math.Float64bits(v) &^ (1<<(52-digits) - 1))
}

// position is the place of a number in the order of those of its format, at its
// inverse.
func position(width uint32, v float64) int64 {
	n := int64(math.Float64bits(math.Abs(v)))
	if width == 32 {
		n = int64(math.Float32bits(float32(math.Abs(v))))
	}
	if v < 0 {
		return -n
	}
	return n
}

func at(width uint32, n int64) float64 {
	m := max(n, -n)
	v := math.Float64frombits(uint64(m))
	if width == 32 {
		v = float64(math.Float32frombits(uint32(m)))
	}
	if n < 0 {
		return -v
	}
	return v
}

// notANumber says that a NaN makes a NaN.
func (o *Operations) notANumber(x *operation) term.ID {
	l := o.st.True()
	for i := range o.st.NumArgs(x.t) {
		l = o.st.And(l, o.st.Implies(o.isNaN(o.st.Arg(x.t, i)), o.st.Eq(x.variable, o.nan(o.st.Width(x.t)))))
	}
	return l
}

// lemma is one of the level under way that the model breaks, 0 if there is none.
func (o *Operations) lemma(x *operation, value func(term.ID) bv.BV) term.ID {
	st := o.st
	width := st.Width(x.t)
	n := st.NumArgs(x.t)
	x.now = absdomain.FloatTop(width)
	if o.square(x) {
		n = 1
	}
	var in [2]absdomain.Float
	var bounds [2][]float64
	for i := range n {
		a := st.Arg(x.t, i)
		v := number(value(a))
		if v != v {
			return 0
		}
		bounds[i] = o.boundsOf(a, maxChoices, []float64{0})
		slices.Sort(bounds[i])
		in[i] = o.interval(a, v, bounds[i], value)
	}
	got := value(x.variable)
	excluded := func() (out absdomain.Float, yes bool) {
		out = o.result(x, in)
		if v := number(got); v == v {
			return out, v < out.Lo || out.Hi < v
		}
		return out, !out.NaN || !got.Equal(st.ConstValue(o.nan(width)))
	}
	out, yes := excluded()
	x.now = out
	if !yes {
		return 0
	}
	for i := range n {
		if !st.IsConst(st.Arg(x.t, i)) {
			o.widen(&in[i], bounds[i], func() bool { _, yes := excluded(); return yes })
		}
	}
	out, _ = excluded()
	key := box{math.Float64bits(in[0].Lo), math.Float64bits(in[0].Hi), math.Float64bits(in[1].Lo), math.Float64bits(in[1].Hi)}
	if x.stated[key] {
		return 0
	}
	x.stated[key] = true
	premise, conclusion := st.True(), st.False()
	for i := range n {
		premise = st.And(premise, o.within(st.Arg(x.t, i), in[i]))
	}
	if out.Lo <= out.Hi {
		conclusion = o.within(x.variable, out)
	}
	if out.NaN {
		conclusion = st.Or(conclusion, st.Eq(x.variable, o.nan(width)))
	}
	return st.Implies(premise, conclusion)
}

// widen moves each side of a box outwards as far as the lemma stays of use.
func (o *Operations) widen(x *absdomain.Float, bounds []float64, useful func() bool) {
	for _, side := range []struct {
		at   *float64
		sign float64
	}{{&x.Lo, -1}, {&x.Hi, 1}} {
		was := *side.at
		try := func(v float64) bool {
			*side.at = v
			if useful() {
				return true
			}
			*side.at = was
			return false
		}
		if math.IsInf(was, 0) || try(math.Inf(int(side.sign))) {
			continue
		}
		for k := range bounds {
			b := bounds[k] // from the least for a lower side
			if side.sign > 0 {
				b = bounds[len(bounds)-1-k]
			}
			if (b-was)*side.sign <= 0 || try(b) {
				break
			}
		}
	}
}

func (o *Operations) nan(width uint32) term.ID {
	if width == 32 {
		return o.st.ConstU(32, 0x7fc00000)
	}
	return o.st.ConstU(64, 0x7ff8000000000000)
}

func (o *Operations) isNaN(t term.ID) term.ID { return o.st.Not(o.st.FEq(t, t)) }

// within says that a float is a number in the box.
func (o *Operations) within(t term.ID, x absdomain.Float) term.ID {
	width := o.st.Width(t)
	lo, hi := o.st.FLe(o.constant(width, x.Lo), t), o.st.FLe(t, o.constant(width, x.Hi))
	o.own[lo], o.own[hi] = true, true
	return o.st.And(lo, hi)
}

// square says that both operands are the same.
func (o *Operations) square(x *operation) bool {
	return o.st.NumArgs(x.t) == 2 && o.st.Arg(x.t, 0) == o.st.Arg(x.t, 1)
}

// result is what the operation makes of operands in the boxes.
func (o *Operations) result(x *operation, in [2]absdomain.Float) absdomain.Float {
	a, b := in[0], in[1]
	same := o.square(x)
	if same {
		b = a
	}
	switch o.st.Op(x.t) {
	case term.OpFAdd:
		return a.Add(b)
	case term.OpFMul:
		if same {
			a = a.Abs()
			b = a
		}
		return a.Mul(b)
	case term.OpFDiv:
		return a.Div(b)
	}
	return a.Sqrt()
}
