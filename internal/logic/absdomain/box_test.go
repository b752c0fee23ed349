package absdomain

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// TestBox has random terms over two variables of 4 bits bounded where these are in random intervals; every
// value that they have there must be in the bounds.
func TestBox(t *testing.T) {
	tight := 0
	for seed := range uint64(400) {
		rng := rand.New(rand.NewPCG(seed, 3))
		st := term.NewPlainStore()
		const w = 4
		x, y := st.Var("x", term.BitVec(w)), st.Var("y", term.BitVec(w))
		terms := []term.ID{x, y, st.ConstU(w, rng.Uint64N(16)), st.ConstU(w, 1+rng.Uint64N(15))}
		var bools, floats []term.ID
		pick := func() term.ID { return terms[rng.IntN(len(terms))] }
		for range 12 {
			a, b := pick(), pick()
			switch rng.IntN(26) {
			case 22:
				floats = append(floats, st.UIToF(a, 32), st.SIToF(b, 32), st.ConstF(32, float64(rng.IntN(9)-4)))
			case 23, 24, 25:
				if len(floats) > 0 {
					f, g := floats[rng.IntN(len(floats))], floats[rng.IntN(len(floats))]
					bools = append(bools, st.FLe(f, g), st.FLt(f, g), st.FEq(f, g))
					floats = append(floats, st.FAdd(f, g), st.FMul(f, g), st.FDiv(f, g), st.FToF(st.FToF(f, 64), 32))
					if len(bools) > 0 {
						floats = append(floats, st.Ite(bools[rng.IntN(len(bools))], f, g))
					}
				}
			case 0:
				terms = append(terms, st.Add(a, b))
			case 1:
				terms = append(terms, st.Mul(a, b))
			case 2:
				terms = append(terms, st.UDiv(a, b))
			case 3:
				terms = append(terms, st.SDiv(a, b))
			case 4:
				terms = append(terms, st.URem(a, b))
			case 5:
				terms = append(terms, st.SRem(a, b))
			case 6:
				terms = append(terms, st.Shl(a, b))
			case 7:
				terms = append(terms, st.LShr(a, b))
			case 8:
				terms = append(terms, st.AShr(a, b))
			case 9:
				terms = append(terms, st.BVAnd(a, b), st.BVNot(a))
			case 10:
				terms = append(terms, st.BVOr(a, b), st.Neg(b))
			case 11:
				terms = append(terms, st.BVXor(a, b))
			case 12:
				bools = append(bools, st.Eq(a, b), st.ULt(a, b))
			case 13:
				bools = append(bools, st.ULe(a, b), st.SLt(a, b))
			case 14:
				bools = append(bools, st.SLe(a, b), st.True())
			case 15:
				terms = append(terms, st.Extract(st.Concat(a, b), 5, 2))
			case 16:
				terms = append(terms, st.Extract(st.ZExt(a, 9), 6, 3))
			case 17:
				terms = append(terms, st.Extract(st.SExt(a, 9), 5, 2))
			default:
				if len(bools) > 1 {
					c, d := bools[rng.IntN(len(bools))], bools[rng.IntN(len(bools))]
					bools = append(bools, st.And(c, d), st.Or(c, st.Not(d)), st.Xor(c, d))
					terms = append(terms, st.Ite(c, a, b))
				}
			}
		}
		lox, loy := rng.Uint64N(16), rng.Uint64N(16)
		hix, hiy := lox+rng.Uint64N(16-lox), loy+rng.Uint64N(16-loy)
		box := NewBox(st, func(v term.ID) (Int, bool) {
			switch v {
			case x:
				return Range(w, lox, hix), true
			case y:
				return Range(w, loy, hiy), true
			}
			return Int{}, false
		})
		for _, r := range floats {
			if len(floats) > 12 {
				break // they are as large as their number
			}
			got := box.Float(r)
			for vx := lox; vx <= hix; vx++ {
				for vy := loy; vy <= hiy; vy++ {
					e := term.NewEvaluator(st, func(v term.ID) (bv.BV, bool) {
						if v == x {
							return bv.New(w, vx), true
						}
						return bv.New(w, vy), true
					})
					if v := e.Value(r).Uint64(); !got.Has(v) {
						t.Fatalf("seed %d: %s is %x for x = %d, y = %d, not in %s", seed, st.String(r), v, vx, vy, got)
					}
				}
			}
		}
		for _, r := range append(terms, bools...) {
			got := box.Value(r)
			if got != box.top(r) {
				tight++
			}
			for vx := lox; vx <= hix; vx++ {
				for vy := loy; vy <= hiy; vy++ {
					e := term.NewEvaluator(st, func(v term.ID) (bv.BV, bool) {
						if v == x {
							return bv.New(w, vx), true
						}
						return bv.New(w, vy), true
					})
					v := e.Value(r).Uint64()
					if !Const(uint32(got.Width), v).Leq(got) {
						t.Fatal(fmt.Sprintf("seed %d: %s is %d for x = %d, y = %d, not in %s (x in %d..%d, y in %d..%d)", seed, st.String(r), v, vx, vy, got, lox, hix, loy, hiy))
					}
				}
			}
		}
	}
	if tight < 2000 {
		t.Errorf("only %d bounds say anything", tight)
	}
}
