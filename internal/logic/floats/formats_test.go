package floats

import (
	"flag"
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file tests the formats that programs use, on numbers that are likely to
// be wrong and on random ones: half against the oracle, single and double
// against the hardware too, and all three against the constant folding of
// package term.

// times is how many times as many random inputs are taken.
var times = flag.Int("times", 1, "times as many random inputs")

// edges are the patterns around the limits of a format.
func edges(f Format) []uint64 {
	r := &reference{Format: f}
	s := f.Significand
	one := uint64(f.bias()) << s
	magnitudes := []uint64{
		0, 1, 2, 3, 1<<s - 2, 1<<s - 1, 1 << s, 1<<s + 1, 2<<s - 1, 2 << s,
		one - 1<<s - 1, one - 1<<s, one - 1<<s + 1, one - 1, one, one + 1, one + 1<<(s-1), one + 1<<s - 1, one + 1<<s, one + 3<<(s-1),
		one + uint64(s)<<s, one + uint64(s)<<s + 1, one + uint64(s+1)<<s - 1, one + uint64(s+1)<<s, one + uint64(s+2)<<s,
		one + 31<<s, one + 31<<s - 1, one + 32<<s, one + 32<<s - 1, one + 63<<s, one + 63<<s - 1, one + 64<<s, one + 64<<s - 1,
		r.inf() - 1<<s, r.inf() - 2, r.inf() - 1, r.inf(), r.inf() + 1, r.nan(), r.nan() + 1, r.signBit() - 1,
	}
	var all []uint64
	for _, m := range magnitudes {
		m &= r.signBit() - 1
		all = append(all, m, m|r.signBit())
	}
	return all
}

// source makes random numbers of a format.
type source struct {
	*rand.Rand
	f     Format
	edges []uint64
}

func newSource(f Format) *source {
	return &source{rand.New(rand.NewPCG(754, 2019)), f, edges(f)}
}

// number is a random pattern; most have some structure.
func (s *source) number() uint64 {
	width := s.f.Width()
	mask := uint64(1)<<(width-1)<<1 - 1
	uniform := s.Uint64() & mask
	fraction := uint64(1)<<s.f.Significand - 1
	switch s.IntN(8) {
	case 0:
		return s.edges[s.IntN(len(s.edges))]
	case 1: // few ones in the fraction
		return uniform&^fraction | 1<<s.IntN(int(s.f.Significand)) | 1<<s.IntN(int(s.f.Significand))
	case 2: // few zeros in the fraction
		return uniform | fraction&^(1<<s.IntN(int(s.f.Significand)))
	case 3: // short fraction: products and quotients come out even or halfway
		return uniform &^ (fraction >> s.IntN(int(s.f.Significand)))
	case 4: // subnormal
		return (uniform&fraction)>>s.IntN(int(s.f.Significand)) | uniform&(1<<(width-1))
	case 5, 6: // not far from 1
		e := uint64(s.f.bias()) + s.Uint64N(uint64(2*s.f.Significand)) - uint64(s.f.Significand)
		return uniform&fraction | (e<<s.f.Significand)&(mask>>1) | uniform&(1<<(width-1))
	}
	return uniform
}

// near is a number related to a: of a similar exponent, or with the exponent
// mirrored, so that sums cancel and products are near the limits.
func (s *source) near(a uint64) uint64 {
	one := uint64(1) << s.f.Significand
	sign := uint64(1) << (s.f.Width() - 1)
	b := a &^ sign
	switch s.IntN(6) {
	case 0:
		b += s.Uint64N(8) - 4
	case 1:
		b += (s.Uint64N(5) - 2) * one
	case 2:
		b = b&^(one-1) | s.Uint64()&(one-1)
		b += (s.Uint64N(2*uint64(s.f.Significand)) - uint64(s.f.Significand)) * one
	case 3: // product near the limits of subnormal numbers
		b = uint64(s.f.bias()+1)*one - b + (s.Uint64N(uint64(2*s.f.Significand))-uint64(s.f.Significand))*one
	case 4: // product near the overflow
		b = uint64(s.f.special()+s.f.bias())*one - b + (s.Uint64N(4)-2)*one
	default:
		return s.number()
	}
	return b&(sign-1) | s.Uint64()&sign
}

// inputs are n random inputs, after all tuples of edges if these are no more.
func (s *source) inputs(operands, n int) [][]uint64 {
	tuples := [][]uint64{nil}
	for range operands {
		var next [][]uint64
		for _, in := range tuples {
			for _, e := range s.edges {
				next = append(next, append(in[:len(in):len(in)], e))
			}
		}
		tuples = next
	}
	if len(tuples) > n {
		s.Shuffle(len(tuples), func(i, j int) { tuples[i], tuples[j] = tuples[j], tuples[i] })
		tuples = tuples[:n/2]
	}
	for len(tuples) < n {
		in := []uint64{s.number()}
		for len(in) < operands {
			in = append(in, s.near(in[s.IntN(len(in))]))
		}
		tuples = append(tuples, in)
	}
	return tuples
}

func TestHalfRandom(t *testing.T) {
	s := newSource(Half)
	for _, x := range append(binary(Half), fused(Half)) {
		x.run(t, Half, s.inputs(len(x.widths), *times*12_000), 200)
	}
}

// canonical64 and canonical32 are the pattern of a hardware result.
func canonical64(v float64) uint64 {
	if v != v {
		return 0x7ff8 << 48
	}
	return math.Float64bits(v)
}

func canonical32(v float32) uint64 {
	if v != v {
		return 0x7fc0 << 16
	}
	return uint64(math.Float32bits(v))
}

// hardware64 are the operations on double as the hardware and package math do
// them; hardware32 those on single. In single, fmod and the square root are
// exact in double, or innocuous to round twice.
func hardware64() []test {
	op := func(name string, operands int, g func(s *term.Store, in []term.ID) term.ID, want func(v []float64) uint64) test {
		return test{name, []uint32{64, 64, 64}[:operands], g, func(in []uint64) uint64 {
			v := make([]float64, len(in))
			for i := range in {
				v[i] = math.Float64frombits(in[i])
			}
			return want(v)
		}}
	}
	ts := []test{
		op("add", 2, func(s *term.Store, in []term.ID) term.ID { return Add(s, Double, in[0], in[1]) },
			func(v []float64) uint64 { return canonical64(v[0] + v[1]) }),
		op("mul", 2, func(s *term.Store, in []term.ID) term.ID { return Mul(s, Double, in[0], in[1]) },
			func(v []float64) uint64 { return canonical64(v[0] * v[1]) }),
		op("div", 2, func(s *term.Store, in []term.ID) term.ID { return Div(s, Double, in[0], in[1]) },
			func(v []float64) uint64 { return canonical64(v[0] / v[1]) }),
		op("rem", 2, func(s *term.Store, in []term.ID) term.ID { return Rem(s, Double, in[0], in[1]) },
			func(v []float64) uint64 { return canonical64(math.Mod(v[0], v[1])) }),
		op("sqrt", 1, func(s *term.Store, in []term.ID) term.ID { return Sqrt(s, Double, in[0]) },
			func(v []float64) uint64 { return canonical64(math.Sqrt(v[0])) }),
		op("fma", 3, func(s *term.Store, in []term.ID) term.ID { return FMA(s, Double, in[0], in[1], in[2]) },
			func(v []float64) uint64 { return canonical64(math.FMA(v[0], v[1], v[2])) }),
		op("eq", 2, func(s *term.Store, in []term.ID) term.ID { return Eq(s, Double, in[0], in[1]) },
			func(v []float64) uint64 { return truth(v[0] == v[1]) }),
		op("lt", 2, func(s *term.Store, in []term.ID) term.ID { return Lt(s, Double, in[0], in[1]) },
			func(v []float64) uint64 { return truth(v[0] < v[1]) }),
		op("le", 2, func(s *term.Store, in []term.ID) term.ID { return Le(s, Double, in[0], in[1]) },
			func(v []float64) uint64 { return truth(v[0] <= v[1]) }),
		op("to single", 1, func(s *term.Store, in []term.ID) term.ID { return Convert(s, Double, Single, in[0]) },
			func(v []float64) uint64 { return canonical32(float32(v[0])) }),
		op("to double", 1, func(s *term.Store, in []term.ID) term.ID { return Convert(s, Double, Double, in[0]) },
			func(v []float64) uint64 { return canonical64(v[0]) }),
	}
	rounding := map[term.RoundMode]func(float64) float64{
		term.RoundNearestEven: math.RoundToEven, term.RoundNearestAway: math.Round,
		term.RoundTowardZero: math.Trunc, term.RoundUp: math.Ceil, term.RoundDown: math.Floor,
	}
	for _, m := range modes {
		ts = append(ts, op("round "+m.String(), 1,
			func(s *term.Store, in []term.ID) term.ID { return Round(s, Double, m, in[0]) },
			func(v []float64) uint64 { return canonical64(rounding[m](v[0])) }))
	}
	return ts
}

func hardware32() []test {
	op := func(name string, operands int, g func(s *term.Store, in []term.ID) term.ID, want func(v []float32) uint64) test {
		return test{name, []uint32{32, 32, 32}[:operands], g, func(in []uint64) uint64 {
			v := make([]float32, len(in))
			for i := range in {
				v[i] = math.Float32frombits(uint32(in[i]))
			}
			return want(v)
		}}
	}
	return []test{
		op("add", 2, func(s *term.Store, in []term.ID) term.ID { return Add(s, Single, in[0], in[1]) },
			func(v []float32) uint64 { return canonical32(v[0] + v[1]) }),
		op("mul", 2, func(s *term.Store, in []term.ID) term.ID { return Mul(s, Single, in[0], in[1]) },
			func(v []float32) uint64 { return canonical32(v[0] * v[1]) }),
		op("div", 2, func(s *term.Store, in []term.ID) term.ID { return Div(s, Single, in[0], in[1]) },
			func(v []float32) uint64 { return canonical32(v[0] / v[1]) }),
		op("rem", 2, func(s *term.Store, in []term.ID) term.ID { return Rem(s, Single, in[0], in[1]) },
			func(v []float32) uint64 { return canonical32(float32(math.Mod(float64(v[0]), float64(v[1])))) }),
		op("sqrt", 1, func(s *term.Store, in []term.ID) term.ID { return Sqrt(s, Single, in[0]) },
			func(v []float32) uint64 { return canonical32(float32(math.Sqrt(float64(v[0])))) }),
		op("to double", 1, func(s *term.Store, in []term.ID) term.ID { return Convert(s, Single, Double, in[0]) },
			func(v []float32) uint64 { return canonical64(float64(v[0])) }),
	}
}

func TestHardware(t *testing.T) {
	n := *times * 15_000
	single, double := newSource(Single), newSource(Double)
	run := func(s *source, x test) {
		n := n
		if x.name == "rem" {
			n /= 20
		}
		x.run(t, s.f, s.inputs(len(x.widths), n), 200)
	}
	for _, x := range hardware32() {
		run(single, x)
	}
	for _, x := range hardware64() {
		run(double, x)
	}
}

// TestOracle has what the hardware does not offer, or offers in other ways.
func TestOracle(t *testing.T) {
	n := *times * 2_000
	for _, f := range []Format{Single, Double} {
		s := newSource(f)
		tests := append(unary(f), fused(f), conversion(f, Half), conversion(f, Format{8, 7}), conversion(Format{11, 20}, f))
		for _, width := range []uint32{1, 8, 16, 32, 33, 64} {
			tests = append(tests, integers(f, width)...)
		}
		for _, x := range tests {
			r := s
			if x.name == "from signed 64" || x.name == "from unsigned 64" {
				r = newSource(Double) // patterns with some structure, as integers
			}
			inputs := r.inputs(len(x.widths), n)
			if w := x.widths[0]; w < r.f.Width() {
				for _, in := range inputs {
					in[0] >>= r.IntN(int(r.f.Width()-w) + 1)
					in[0] &= 1<<w - 1
				}
			}
			x.run(t, f, inputs, 100)
		}
	}
}

// TestLower compares Lower with the constant folding of package term, for each
// operation and format.
func TestLower(t *testing.T) {
	store := term.NewStore()
	var lowered []term.ID // pairs: operation, circuit
	add := func(ts ...term.ID) {
		for _, x := range ts {
			c := Lower(store, x)
			if c == x {
				t.Errorf("%v is not lowered", store.Op(x))
			}
			if store.Sort(c) != store.Sort(x) {
				t.Errorf("%v of %v is lowered to %v", store.Op(x), store.Sort(x), store.Sort(c))
			}
			if Lower(store, c) != c {
				t.Errorf("%v is lowered to a floating-point operation", store.Op(x))
			}
			lowered = append(lowered, x, c)
		}
	}
	values := map[term.ID]bv.BV{}
	operands := map[term.ID]*source{}
	for _, f := range []Format{Half, Single, Double} {
		w := f.Width()
		name := f.String()
		s := newSource(f)
		var v [3]term.ID
		for i := range v {
			v[i] = store.Var(name+string(rune('a'+i)), term.BitVec(w))
			operands[v[i]] = s
		}
		a, b := v[0], v[1]
		add(store.FAdd(a, b), store.FMul(a, b), store.FDiv(a, b), store.FSqrt(a), store.FMA(a, b, v[2]),
			store.FEq(a, b), store.FLt(a, b), store.FLe(a, b))
		if f != Double {
			add(store.FRem(a, b)) // slow; see TestHardware
		}
		for _, m := range modes {
			add(store.FRound(a, m))
		}
		for _, width := range []uint32{1, 7, 8, 16, 32, 64} {
			add(store.FToSI(a, width), store.FToUI(a, width))
			i := store.Var(name+"i", term.BitVec(64))
			operands[i] = newSource(Double)
			i = store.Extract(i, 63, 64-width)
			add(store.SIToF(i, w), store.UIToF(i, w))
		}
		for _, g := range []Format{Half, Single, Double} {
			if g != f {
				add(store.FToF(a, g.Width()))
			}
		}
	}
	if p := store.Var("p", term.BitVec(8)); Lower(store, p) != p || Lower(store, store.True()) != store.True() {
		t.Error("something else is lowered")
	}

	evaluator := term.NewEvaluator(store, func(v term.ID) (bv.BV, bool) {
		x, ok := values[v]
		return x, ok
	})
	for range 500 {
		clear(values)
		previous := map[*source]uint64{}
		for _, v := range store.Vars(lowered...) {
			s := operands[v]
			x := s.number()
			if p, ok := previous[s]; ok {
				x = s.near(p)
			}
			previous[s] = x
			values[v] = bv.New(store.Width(v), x)
		}
		evaluator.Reset()
		for i := 0; i < len(lowered); i += 2 {
			want, got := evaluator.Value(lowered[i]), evaluator.Value(lowered[i+1])
			if !got.Equal(want) {
				t.Fatalf("%s: circuit gives %#x, term %#x, for %v", store.String(lowered[i]), got.Uint64(), want.Uint64(), values)
			}
		}
	}
}

// BenchmarkSize reports the number of terms, and of and-gates after a plain
// bit-blasting, of each operation.
func BenchmarkSize(b *testing.B) {
	for _, f := range []Format{Single, Double} {
		tests := append(append(binary(f), fused(f)), unary(f)...)
		for _, width := range []uint32{32, 64} {
			tests = append(tests, integers(f, width)...)
		}
		tests = append(tests, conversion(f, Half), conversion(f, Single), conversion(f, Double))
		for _, x := range tests {
			b.Run(f.String()+"/"+x.name, func(b *testing.B) {
				var o operation
				for b.Loop() {
					o = build(term.NewStore(), x.build, x.widths...)
				}
				terms, gates := o.size()
				b.ReportMetric(float64(terms), "terms")
				b.ReportMetric(float64(gates), "gates")
			})
		}
	}
}
