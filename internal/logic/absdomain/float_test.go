package absdomain

import (
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// floatSamples are numbers at which floating-point arithmetic goes wrong, and some others.
func floatSamples(bits uint32, rng *rand.Rand) []uint64 {
	values := []float64{
		0, math.Copysign(0, -1), 1, -1, 0.5, 1.5, -2.5, 3, 1e10, -1e10, 1 << 31, -(1 << 31), 1<<31 - 1, 1 << 63, 1 << 53, 1e-40, 1e-310, -5e-324,
		math.MaxFloat32, -math.MaxFloat32, math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN(), 0.1, 255, 256,
	}
	var list []uint64
	for _, v := range values {
		if bits == 32 {
			list = append(list, uint64(math.Float32bits(float32(v))))
		} else {
			list = append(list, math.Float64bits(v))
		}
	}
	for range 10 {
		list = append(list, rng.Uint64()>>(64-bits))
	}
	return list
}

// floatSets are sets of some of the samples, with their best Float.
func floatSets(bits uint32, values []uint64, rng *rand.Rand, n int) (sets [][]uint64, floats []Float) {
	for range n {
		var set []uint64
		f := FloatBottom(bits)
		for range 1 + rng.IntN(4) {
			v := values[rng.IntN(len(values))]
			set = append(set, v)
			f = f.Join(FloatConst(bits, v))
		}
		// Whatever lies between is in the set too.
		for _, v := range values {
			if f.Has(v) {
				set = append(set, v)
			}
		}
		sets, floats = append(sets, set), append(floats, f)
	}
	return sets, floats
}

func TestFloatOperations(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	type operation struct {
		op    ir.Op
		mode  ir.RoundingMode
		float func(x, y Float) Float
		truth func(x, y Float) Int
		unary bool
	}
	operations := []operation{
		{op: ir.FAdd, float: Float.Add}, {op: ir.FSub, float: Float.Sub}, {op: ir.FMul, float: Float.Mul}, {op: ir.FDiv, float: Float.Div},
		{op: ir.FMin, float: Float.Min}, {op: ir.FMax, float: Float.Max},
		{op: ir.FNeg, unary: true, float: func(x, _ Float) Float { return x.Neg() }},
		{op: ir.FAbs, unary: true, float: func(x, _ Float) Float { return x.Abs() }},
		{op: ir.FSqrt, unary: true, float: func(x, _ Float) Float { return x.Sqrt() }},
		{op: ir.FRound, mode: ir.RoundNearestEven, unary: true, float: func(x, _ Float) Float { return x.Monotone(math.RoundToEven) }},
		{op: ir.FRound, mode: ir.RoundNearestAway, unary: true, float: func(x, _ Float) Float { return x.Monotone(math.Round) }},
		{op: ir.FRound, mode: ir.RoundTowardZero, unary: true, float: func(x, _ Float) Float { return x.Monotone(math.Trunc) }},
		{op: ir.FRound, mode: ir.RoundUp, unary: true, float: func(x, _ Float) Float { return x.Monotone(math.Ceil) }},
		{op: ir.FRound, mode: ir.RoundDown, unary: true, float: func(x, _ Float) Float { return x.Monotone(math.Floor) }},
		{op: ir.FEq, truth: Float.Equals}, {op: ir.FUno, truth: Float.Unordered},
		{op: ir.FLt, truth: func(x, y Float) Int { return x.Less(y, false) }},
		{op: ir.FLe, truth: func(x, y Float) Int { return x.Less(y, true) }},
	}
	for _, bits := range []uint32{32, 64} {
		values := floatSamples(bits, rng)
		sets, floats := floatSets(bits, values, rng, 25)
		for _, o := range operations {
			d := ir.Def{Op: o.op, Type: ir.FloatType(bits), Aux: int64(o.mode)}
			if o.truth != nil {
				d.Type = ir.BoolType
			}
			for i, x := range floats {
				for j, y := range floats {
					var f Float
					var b Int
					if o.truth != nil {
						b = o.truth(x, y)
					} else {
						f = o.float(x, y)
					}
					for _, u := range sets[i] {
						for _, v := range sets[j] {
							args := []bv.BV{bv.New(bits, u), bv.New(bits, v)}
							if o.unary {
								args = args[:1]
							}
							r, _ := interp.Eval(&d, args)
							if o.truth != nil && !b.Contains(r) || o.truth == nil && !f.Has(r.Uint64()) {
								t.Fatalf("%v (%v, f%d) of %v and %v is %v %v; of %v and %v it is %v", o.op, o.mode, bits, x, y, f, b, FloatConst(bits, u), FloatConst(bits, v), FloatConst(bits, r.Uint64()))
							}
						}
					}
				}
			}
		}
	}
}

func TestFloatLattice(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 2))
	values := floatSamples(64, rng)
	sets, floats := floatSets(64, values, rng, 50)
	for i, x := range floats {
		for j, y := range floats {
			join, meet, wide := x.Join(y), x.Meet(y), x.Widen(y, (i+j)%2 == 0)
			a, b := AssumeLess(x, y)
			for _, u := range sets[i] {
				if !join.Has(u) || !wide.Has(u) || x.Leq(y) && !y.Has(u) || y.Has(u) && !meet.Has(u) {
					t.Fatalf("%v in %v and %v: join %v, meet %v, widening %v", FloatConst(64, u), x, y, join, meet, wide)
				}
				for _, v := range sets[j] {
					if math.Float64frombits(u) <= math.Float64frombits(v) && !(a.Has(u) && b.Has(v)) {
						t.Fatalf("%v <= %v refines to %v and %v", x, y, a, b)
					}
				}
			}
			for _, v := range sets[j] {
				if !join.Has(v) || !wide.Has(v) {
					t.Fatalf("%v and %v: join %v, widening %v", x, y, join, wide)
				}
			}
		}
	}
}

func TestFloatConversions(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 3))
	for _, bits := range []uint32{32, 64} {
		values := floatSamples(bits, rng)
		sets, floats := floatSets(bits, values, rng, 300)
		for i, x := range floats {
			for _, w := range []uint32{8, 31, 32, 64} {
				for _, op := range []ir.Op{ir.FToSI, ir.FToUI} {
					r, fits := x.ToInt(w, op == ir.FToSI)
					d := ir.Def{Op: op, Type: ir.IntType(w)}
					for _, u := range sets[i] {
						v, guard := interp.Eval(&d, []bv.BV{bv.New(bits, u)})
						if guard != 0 && (fits || !r.IsTop()) || guard == 0 && !r.Contains(v) {
							t.Fatalf("%v of %v to %d: %v %v, but %v gives %v", op, x, w, r, fits, FloatConst(bits, u), v)
						}
					}
				}
			}
			to := 96 - bits
			r := x.Convert(to)
			for _, u := range sets[i] {
				v, _ := interp.Eval(&ir.Def{Op: ir.FToF, Type: ir.FloatType(to)}, []bv.BV{bv.New(bits, u)})
				if !r.Has(v.Uint64()) {
					t.Fatalf("%v as f%d is %v", x, to, r)
				}
			}
		}
		for range 3000 {
			w := []uint32{8, 32, 64}[rng.IntN(3)]
			lo, hi := rng.Uint64()>>rng.IntN(64)&maskOf(uint8(w)), rng.Uint64()>>rng.IntN(64)&maskOf(uint8(w))
			x := Range(w, min(lo, hi), max(lo, hi))
			for _, op := range []ir.Op{ir.SIToF, ir.UIToF} {
				r := FloatFrom(bits, x, op == ir.SIToF)
				for _, u := range []uint64{lo, hi, lo/2 + hi/2} {
					v, _ := interp.Eval(&ir.Def{Op: op, Type: ir.FloatType(bits)}, []bv.BV{bv.New(w, u)})
					if x.Has(u) && !r.Has(v.Uint64()) {
						t.Fatalf("%v of %v is %v, of %d it is %v", op, x, r, u, FloatConst(bits, v.Uint64()))
					}
				}
			}
		}
	}
}
