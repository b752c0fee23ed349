package encode

import (
	"math/rand"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// compare encodes one operation on variables and checks it against the
// interpreter for the given operands: the same value, and an undefined case
// exactly where the interpreter reports one of the same kind.
func compare(t *testing.T, d *ir.Def, widths []uint32, operands func(yield func([]bv.BV) bool)) {
	t.Helper()
	st := term.NewStore()
	args := make([]term.ID, len(widths))
	for i, w := range widths {
		args[i] = st.Var(string(rune('a'+i)), term.BitVec(w))
	}
	type undefined struct {
		kind ir.CheckKind
		cond term.ID
	}
	var cases []undefined
	r := Scalar(st, d, args, func(kind ir.CheckKind, cond term.ID, _ string) term.ID {
		cases = append(cases, undefined{kind, cond})
		return st.Fresh("any", term.BitVec(d.Type.Bits))
	})
	if r == 0 {
		t.Fatalf("%v is not encoded", d.Op)
	}
	if st.Width(r) != d.Type.Bits {
		t.Fatalf("%v: width %d, want %d", d.Op, st.Width(r), d.Type.Bits)
	}
	operands(func(vs []bv.BV) bool {
		e := term.NewEvaluator(st, func(v term.ID) (bv.BV, bool) {
			for i, a := range args {
				if a == v {
					return vs[i], true
				}
			}
			return bv.BV{}, false
		})
		want, guard := interp.Eval(d, vs)
		got := ir.CheckNone
		for _, c := range cases {
			if e.Value(c.cond).IsTrue() && got == ir.CheckNone {
				got = c.kind
			}
		}
		if got != guard {
			t.Errorf("%v %v %v: undefined %v, the interpreter says %v", d.Op, d.Type, vs, got, guard)
			return false
		}
		if guard != ir.CheckNone {
			return true
		}
		if x := e.Value(r); !x.Equal(want) {
			t.Errorf("%v %v %v: %v, the interpreter says %v", d.Op, d.Type, vs, x, want)
			return false
		}
		return true
	})
}

// everything enumerates all operands of the widths.
func everything(widths []uint32) func(func([]bv.BV) bool) {
	return func(yield func([]bv.BV) bool) {
		total := uint32(0)
		for _, w := range widths {
			total += w
		}
		for x := uint64(0); x < 1<<total; x++ {
			vs := make([]bv.BV, len(widths))
			rest := x
			for i, w := range widths {
				vs[i] = bv.New(w, rest)
				rest >>= w
			}
			if !yield(vs) {
				return
			}
		}
	}
}

// samples draws operands, with the interesting patterns often.
func samples(widths []uint32, n int) func(func([]bv.BV) bool) {
	rng := rand.New(rand.NewSource(1))
	return func(yield func([]bv.BV) bool) {
		for range n {
			vs := make([]bv.BV, len(widths))
			for i, w := range widths {
				v := bv.New(w, rng.Uint64())
				if w > 64 {
					v = bv.New(w-64, rng.Uint64()).Concat(bv.New(64, rng.Uint64()))
				}
				switch rng.Intn(6) {
				case 0:
					v = bv.New(w, 0)
				case 1:
					v = bv.New(w, 0).Not()
				case 2:
					v = bv.New(w, 1).Shl(bv.New(w, uint64(w-1)))
				case 3:
					v = v.LShr(bv.New(w, uint64(rng.Intn(int(w)))))
				}
				vs[i] = v
			}
			if !yield(vs) {
				return
			}
		}
	}
}

var binary = []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.UDiv, ir.SDiv, ir.URem, ir.SRem, ir.Shl, ir.LShr, ir.AShr, ir.And, ir.Or, ir.Xor}
var predicates = []ir.Op{ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf, ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe}
var unary = []ir.Op{ir.Ctpop, ir.Ctlz, ir.Cttz, ir.Bitreverse}

// TestIntegersExhaustively compares every integer operation with the
// interpreter for all operands of 1 to 4 bits.
func TestIntegersExhaustively(t *testing.T) {
	for w := uint32(1); w <= 4; w++ {
		two := []uint32{w, w}
		for _, op := range binary {
			compare(t, &ir.Def{Op: op, Type: ir.IntType(w), Args: make([]ir.Value, 2)}, two, everything(two))
		}
		for _, op := range predicates {
			compare(t, &ir.Def{Op: op, Type: ir.IntType(1), Args: make([]ir.Value, 2)}, two, everything(two))
		}
		for _, op := range unary {
			compare(t, &ir.Def{Op: op, Type: ir.IntType(w), Args: make([]ir.Value, 1)}, two[:1], everything(two[:1]))
		}
		three := []uint32{w, w, w}
		for _, op := range []ir.Op{ir.FShl, ir.FShr} {
			compare(t, &ir.Def{Op: op, Type: ir.IntType(w), Args: make([]ir.Value, 3)}, three, everything(three))
		}
		choice := []uint32{1, w, w}
		compare(t, &ir.Def{Op: ir.Select, Type: ir.IntType(w), Args: make([]ir.Value, 3)}, choice, everything(choice))
		for v := w + 1; v <= 6; v++ {
			compare(t, &ir.Def{Op: ir.ZExt, Type: ir.IntType(v), Args: make([]ir.Value, 1)}, []uint32{w}, everything([]uint32{w}))
			compare(t, &ir.Def{Op: ir.SExt, Type: ir.IntType(v), Args: make([]ir.Value, 1)}, []uint32{w}, everything([]uint32{w}))
			compare(t, &ir.Def{Op: ir.Trunc, Type: ir.IntType(w), Args: make([]ir.Value, 1)}, []uint32{v}, everything([]uint32{v}))
		}
	}
	compare(t, &ir.Def{Op: ir.Bswap, Type: ir.IntType(16), Args: make([]ir.Value, 1)}, []uint32{16}, everything([]uint32{16}))
}

// TestIntegersAtWidth compares on samples of the widths that programs have.
func TestIntegersAtWidth(t *testing.T) {
	for _, w := range []uint32{8, 16, 32, 64, 65, 128} {
		two := []uint32{w, w}
		for _, op := range binary {
			compare(t, &ir.Def{Op: op, Type: ir.IntType(w), Args: make([]ir.Value, 2)}, two, samples(two, 300))
		}
		for _, op := range predicates {
			compare(t, &ir.Def{Op: op, Type: ir.IntType(1), Args: make([]ir.Value, 2)}, two, samples(two, 300))
		}
		for _, op := range unary {
			compare(t, &ir.Def{Op: op, Type: ir.IntType(w), Args: make([]ir.Value, 1)}, two[:1], samples(two[:1], 100))
		}
	}
}

// TestFloats compares the floating-point operations on samples, exhaustively
// in the conversions of half to small integers.
func TestFloats(t *testing.T) {
	for _, w := range []uint32{16, 32, 64} {
		f := ir.FloatType(w)
		two := []uint32{w, w}
		for _, op := range []ir.Op{ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FCopySign, ir.FMin, ir.FMax} {
			compare(t, &ir.Def{Op: op, Type: f, Args: make([]ir.Value, 2)}, two, samples(two, 300))
		}
		for _, op := range []ir.Op{ir.FEq, ir.FLt, ir.FLe, ir.FUno} {
			compare(t, &ir.Def{Op: op, Type: ir.IntType(1), Args: make([]ir.Value, 2)}, two, samples(two, 300))
		}
		for _, op := range []ir.Op{ir.FNeg, ir.FAbs, ir.FSqrt} {
			compare(t, &ir.Def{Op: op, Type: f, Args: make([]ir.Value, 1)}, two[:1], samples(two[:1], 200))
		}
		for mode := ir.RoundNearestEven; mode <= ir.RoundDown; mode++ {
			compare(t, &ir.Def{Op: ir.FRound, Type: f, Aux: int64(mode), Args: make([]ir.Value, 1)}, two[:1], samples(two[:1], 300))
		}
	}
	half := []uint32{16}
	for _, w := range []uint32{1, 2, 4, 8, 16, 17, 32, 64} {
		for _, op := range []ir.Op{ir.FToSI, ir.FToUI} {
			d := &ir.Def{Op: op, Type: ir.IntType(w), Args: make([]ir.Value, 1)}
			if w <= 17 {
				compare(t, d, half, everything(half))
			}
			for _, fw := range []uint32{16, 32, 64} {
				compare(t, d, []uint32{fw}, boundaries(fw, w))
			}
		}
	}
}

// boundaries are the numbers around those that just fit an integer.
func boundaries(fw, w uint32) func(func([]bv.BV) bool) {
	return func(yield func([]bv.BV) bool) {
		for _, e := range []uint32{w - 1, w} {
			for _, sign := range []uint64{0, 1} {
				exponent := uint64(e) + 1<<(fw-2-fractionBits(fw)) - 1
				if exponent >= 1<<(fw-1-fractionBits(fw)) {
					continue
				}
				x := bv.New(fw, sign<<(fw-1)|exponent<<fractionBits(fw))
				for d := int64(-3); d <= 3; d++ {
					if !yield([]bv.BV{x.Add(bv.NewSigned(fw, d))}) {
						return
					}
				}
			}
		}
		samples([]uint32{fw}, 50)(yield)
	}
}

// TestSignedWidth checks the bound on magnitudes for all operands of small
// terms of every shape it looks into.
func TestSignedWidth(t *testing.T) {
	st := term.NewStore()
	a, b := st.Var("a", term.BitVec(3)), st.Var("b", term.BitVec(3))
	c := st.Var("c", term.Bool())
	const w = 8
	sa, zb := st.SExt(a, w), st.ZExt(b, w)
	terms := []term.ID{
		sa, zb, st.Add(sa, zb), st.Neg(sa), st.Mul(sa, zb), st.Mul(sa, st.SExt(b, w)), st.SRem(sa, zb), st.SRem(sa, st.ConstU(w, 3)),
		st.SRem(st.Mul(sa, zb), st.ConstU(w, 0xfd)), st.SRem(sa, st.ConstU(w, 0)), st.Ite(c, sa, zb), st.Ite(c, st.Add(sa, sa), st.ConstU(w, 0x80)),
		st.Sub(sa, zb), st.Concat(st.ConstU(w-3, 0), a), st.LShr(st.SExt(a, w), st.ConstU(w, 2)), st.ConstU(w, 0xff), st.ConstU(w, 0),
	}
	for i, x := range terms {
		n := signedWidth(st, x, maxWidthDepth)
		for v := uint64(0); v < 128; v++ {
			e := term.NewEvaluator(st, func(y term.ID) (bv.BV, bool) {
				switch y {
				case a:
					return bv.New(3, v), true
				case b:
					return bv.New(3, v>>3), true
				}
				return bv.New(1, v>>6), true
			})
			if got := e.Value(x); !got.Trunc(n).SExt(w).Equal(got) {
				t.Fatalf("term %d (%s) is %v, beyond %d bits", i, st.String(x), got, n)
			}
		}
	}
}
