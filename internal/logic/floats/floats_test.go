package floats

import (
	"fmt"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// small are all formats with at most 7 bits and at least 2 in the exponent.
func small() []Format {
	var fs []Format
	for e := uint32(2); e <= 5; e++ {
		for s := uint32(1); 1+e+s <= 7; s++ {
			fs = append(fs, Format{e, s})
		}
	}
	return fs
}

// modes are all rounding modes.
var modes = []term.RoundMode{
	term.RoundNearestEven, term.RoundNearestAway, term.RoundTowardZero, term.RoundUp, term.RoundDown,
}

// all are all inputs of the given widths.
func all(widths ...uint32) [][]uint64 {
	inputs := [][]uint64{nil}
	for _, w := range widths {
		var next [][]uint64
		for _, in := range inputs {
			for v := range uint64(1) << w {
				next = append(next, append(in[:len(in):len(in)], v))
			}
		}
		inputs = next
	}
	return inputs
}

// test is an operation on formats or integers with its oracle.
type test struct {
	name   string
	widths []uint32
	build  func(s *term.Store, in []term.ID) term.ID
	want   func(in []uint64) uint64
}

func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// unary are the operations on one number.
func unary(f Format) []test {
	r := newReference(f)
	w := []uint32{f.Width()}
	one := func(name string, g func(s *term.Store, f Format, a term.ID) term.ID, want func(a uint64) uint64) test {
		return test{name, w,
			func(s *term.Store, in []term.ID) term.ID { return g(s, f, in[0]) },
			func(in []uint64) uint64 { return want(in[0]) }}
	}
	ts := []test{
		one("sqrt", Sqrt, r.sqrt),
		one("neg", Neg, func(a uint64) uint64 { return a ^ r.signBit() }),
		one("abs", Abs, r.magnitude),
		one("isnan", IsNaN, func(a uint64) uint64 { return truth(r.isNaN(a)) }),
		one("isinf", IsInf, func(a uint64) uint64 { return truth(r.isInf(a)) }),
		one("iszero", IsZero, func(a uint64) uint64 { return truth(r.isZero(a)) }),
	}
	for _, m := range modes {
		ts = append(ts, one("round "+m.String(),
			func(s *term.Store, f Format, a term.ID) term.ID { return Round(s, f, m, a) },
			func(a uint64) uint64 { return r.roundIntegral(a, m) }))
	}
	return ts
}

// binary are the operations on two numbers.
func binary(f Format) []test {
	r := newReference(f)
	w := []uint32{f.Width(), f.Width()}
	two := func(name string, g func(s *term.Store, f Format, a, b term.ID) term.ID, want func(a, b uint64) uint64) test {
		return test{name, w,
			func(s *term.Store, in []term.ID) term.ID { return g(s, f, in[0], in[1]) },
			func(in []uint64) uint64 { return want(in[0], in[1]) }}
	}
	compare := func(holds func(c int) bool) func(a, b uint64) uint64 {
		return func(a, b uint64) uint64 {
			c, ordered := r.compare(a, b)
			return truth(ordered && holds(c))
		}
	}
	return []test{
		two("add", Add, r.add),
		two("mul", Mul, r.mul),
		two("div", Div, r.div),
		two("rem", Rem, r.rem),
		two("eq", Eq, compare(func(c int) bool { return c == 0 })),
		two("lt", Lt, compare(func(c int) bool { return c < 0 })),
		two("le", Le, compare(func(c int) bool { return c <= 0 })),
	}
}

// fused is the operation on three numbers.
func fused(f Format) test {
	r := newReference(f)
	return test{"fma", []uint32{f.Width(), f.Width(), f.Width()},
		func(s *term.Store, in []term.ID) term.ID { return FMA(s, f, in[0], in[1], in[2]) },
		func(in []uint64) uint64 { return r.fma(in[0], in[1], in[2]) }}
}

// integers are the conversions from and to integers of the given width.
func integers(f Format, width uint32) []test {
	r := newReference(f)
	return []test{
		{fmt.Sprint("to signed ", width), []uint32{f.Width()},
			func(s *term.Store, in []term.ID) term.ID { return ToSI(s, f, in[0], width) },
			func(in []uint64) uint64 { return r.toInteger(in[0], width, true) }},
		{fmt.Sprint("to unsigned ", width), []uint32{f.Width()},
			func(s *term.Store, in []term.ID) term.ID { return ToUI(s, f, in[0], width) },
			func(in []uint64) uint64 { return r.toInteger(in[0], width, false) }},
		{fmt.Sprint("from signed ", width), []uint32{width},
			func(s *term.Store, in []term.ID) term.ID { return FromSI(s, f, in[0]) },
			func(in []uint64) uint64 { return r.fromInteger(in[0], width, true) }},
		{fmt.Sprint("from unsigned ", width), []uint32{width},
			func(s *term.Store, in []term.ID) term.ID { return FromUI(s, f, in[0]) },
			func(in []uint64) uint64 { return r.fromInteger(in[0], width, false) }},
	}
}

// conversion is the one from one format to another.
func conversion(from, to Format) test {
	r, q := newReference(from), newReference(to)
	return test{"to " + to.String(), []uint32{from.Width()},
		func(s *term.Store, in []term.ID) term.ID { return Convert(s, from, to, in[0]) },
		func(in []uint64) uint64 { return q.convert(r, in[0]) }}
}

// run checks the circuit as gates on all inputs, and a sample of the inputs in
// two more ways: with the evaluator of package term, and with constants as
// operands, from which the circuit folds to a constant.
func (x test) run(t *testing.T, f Format, inputs [][]uint64, sample int) {
	failures := 0
	report := func(how string, in []uint64, got, want uint64) {
		if failures++; failures <= 5 {
			t.Errorf("%v %s (%s): %#x gives %#x, want %#x", f, x.name, how, in, got, want)
		}
	}
	o := build(term.NewStore(), x.build, x.widths...)
	o.check(inputs, x.want, func(in []uint64, got, want uint64) { report("gates", in, got, want) })

	step := max(1, len(inputs)/max(sample, 1))
	values := map[term.ID]bv.BV{}
	evaluator := term.NewEvaluator(o.store, func(v term.ID) (bv.BV, bool) { return values[v], true })
	folding := term.NewStore()
	for i := 0; i < len(inputs) && sample > 0; i += step {
		in, want := inputs[i], x.want(inputs[i])
		var constants []term.ID
		for k, v := range in {
			values[o.inputs[k]] = bv.New(x.widths[k], v)
			constants = append(constants, folding.ConstU(x.widths[k], v))
		}
		evaluator.Reset()
		if got := evaluator.Value(o.root).Uint64(); got != want {
			report("evaluator", in, got, want)
		}
		switch folded := x.build(folding, constants); {
		case folding.IsConst(folded):
			if got := folding.ConstValue(folded).Uint64(); got != want {
				report("folded", in, got, want)
			}
		case folded != folding.Bool(want == 1) || want > 1:
			report("folded", in, uint64(folded), want)
		}
	}
}

func TestUnaryExhaustive(t *testing.T) {
	for _, f := range small() {
		for _, x := range unary(f) {
			x.run(t, f, all(x.widths...), 128)
		}
	}
}

func TestBinaryExhaustive(t *testing.T) {
	for _, f := range small() {
		for _, x := range binary(f) {
			x.run(t, f, all(x.widths...), 500)
		}
	}
}

func TestFMAExhaustive(t *testing.T) {
	for _, f := range small() {
		if f.Width() > 5 && testing.Short() || f.Width() > 6 {
			continue
		}
		x := fused(f)
		x.run(t, f, all(x.widths...), 500)
	}
}

func TestIntegersExhaustive(t *testing.T) {
	for _, f := range small() {
		for width := uint32(1); width <= 9; width++ {
			for _, x := range integers(f, width) {
				x.run(t, f, all(x.widths...), 128)
			}
		}
	}
}

func TestConvertExhaustive(t *testing.T) {
	targets := append(small(), Half, Single, Double)
	for _, from := range small() {
		for _, to := range targets {
			x := conversion(from, to)
			x.run(t, from, all(x.widths...), 128)
		}
	}
	for _, to := range append(small(), Single, Double) {
		x := conversion(Half, to)
		x.run(t, Half, all(x.widths...), 128)
	}
}

// TestHalfExhaustive has the unary operations on all numbers of half.
func TestHalfExhaustive(t *testing.T) {
	inputs := all(Half.Width())
	for _, x := range unary(Half) {
		x.run(t, Half, inputs, 1000)
	}
	for _, width := range []uint32{8, 16, 32, 64} {
		for _, x := range integers(Half, width)[:2] {
			x.run(t, Half, inputs, 1000)
		}
	}
	for _, x := range integers(Half, 16)[2:] {
		x.run(t, Half, inputs, 1000)
	}
}
