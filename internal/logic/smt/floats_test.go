package smt_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
)

// floatOperation builds a term from up to three arguments of a format.
type floatOperation struct {
	name  string
	arity int
	term  func(s *term.Store, x []term.ID) term.ID
}

func floatOperations() []floatOperation {
	ops := []floatOperation{
		{"add", 2, func(s *term.Store, x []term.ID) term.ID { return s.FAdd(x[0], x[1]) }},
		{"mul", 2, func(s *term.Store, x []term.ID) term.ID { return s.FMul(x[0], x[1]) }},
		{"div", 2, func(s *term.Store, x []term.ID) term.ID { return s.FDiv(x[0], x[1]) }},
		{"rem", 2, func(s *term.Store, x []term.ID) term.ID { return s.FRem(x[0], x[1]) }},
		{"sqrt", 1, func(s *term.Store, x []term.ID) term.ID { return s.FSqrt(x[0]) }},
		{"fma", 3, func(s *term.Store, x []term.ID) term.ID { return s.FMA(x[0], x[1], x[2]) }},
		{"eq", 2, func(s *term.Store, x []term.ID) term.ID { return s.FEq(x[0], x[1]) }},
		{"lt", 2, func(s *term.Store, x []term.ID) term.ID { return s.FLt(x[0], x[1]) }},
		{"le", 2, func(s *term.Store, x []term.ID) term.ID { return s.FLe(x[0], x[1]) }},
	}
	for mode := term.RoundNearestEven; mode <= term.RoundNearestAway; mode++ {
		ops = append(ops, floatOperation{"round" + mode.String(), 1, func(s *term.Store, x []term.ID) term.ID { return s.FRound(x[0], mode) }})
	}
	for _, w := range []uint32{1, 8, 16, 17, 32, 64} {
		ops = append(ops,
			floatOperation{fmt.Sprint("tosi", w), 1, func(s *term.Store, x []term.ID) term.ID { return s.FToSI(x[0], w) }},
			floatOperation{fmt.Sprint("toui", w), 1, func(s *term.Store, x []term.ID) term.ID { return s.FToUI(x[0], w) }})
	}
	for _, w := range []uint32{16, 32, 64} {
		ops = append(ops,
			floatOperation{fmt.Sprint("tof", w), 1, func(s *term.Store, x []term.ID) term.ID { return s.FToF(x[0], w) }},
			floatOperation{fmt.Sprint("sitof", w), 1, func(s *term.Store, x []term.ID) term.ID { return s.SIToF(x[0], w) }},
			floatOperation{fmt.Sprint("uitof", w), 1, func(s *term.Store, x []term.ID) term.ID { return s.UIToF(x[0], w) }})
	}
	return ops
}

var floatConstants = term.NewStore()

// interestingFloat is a bit pattern: random, special, or near an integer.
func interestingFloat(r *rand.Rand, width uint32) bv.BV {
	s := floatConstants
	switch r.IntN(4) {
	case 0:
		return bv.New(width, r.Uint64())
	case 1:
		special := []float64{0, math.Copysign(0, -1), 1, -1, math.Inf(1), math.Inf(-1), math.NaN(), 0.5, -0.5, 1.5, 2.5, 65504, 3.4028234663852886e38, math.MaxFloat64, 5e-324, 6e-8, 1e-45, 2, 3, 0.1}
		return s.ConstValue(s.ConstF(width, special[r.IntN(len(special))]))
	case 2:
		return s.ConstValue(s.ConstF(width, (r.Float64()-0.5)*math.Ldexp(1, r.IntN(70))))
	}
	v := s.ConstValue(s.ConstF(width, math.Ldexp(float64(1-2*r.IntN(2)), r.IntN(66)-1)))
	return v.Add(bv.NewSigned(width, r.Int64N(3)-1))
}

// TestFloatConstants compares Z3's simplifier with the evaluator, in all formats.
func TestFloatConstants(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	n := 150
	if testing.Short() {
		n = 30
	}
	for _, width := range []uint32{16, 32, 64} {
		for _, op := range floatOperations() {
			store := term.NewRawStore()
			wrong := store.False()
			for range n {
				var x []term.ID
				for range op.arity {
					x = append(x, store.Const(interestingFloat(r, width)))
				}
				tm := op.term(store, x)
				want := term.NewEvaluator(store, nil).Value(tm)
				wrong = store.Or(wrong, store.Not(store.Eq(tm, literal(store, want, tm))))
			}
			s := z3.New(store, z3.Options{})
			s.Assert(wrong)
			got, err := s.Check(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if got != smt.Unsat {
				t.Errorf("%s at width %d: some value is wrong", op.name, width)
			}
			s.Close()
		}
	}
}

// TestFloatCircuits compares the solvers' circuits with the evaluator, on
// symbolic inputs that are then fixed.
func TestFloatCircuits(t *testing.T) {
	for _, solver := range []solverKind{solvers[0], solvers[2]} {
		t.Run(solver.name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(2, 9))
			for _, width := range []uint32{16, 32} {
				for _, op := range floatOperations() {
					n := 6
					switch {
					case width == 32 && (op.name == "rem" || op.name == "div" || op.name == "sqrt"):
						continue // seconds each
					case width == 32 || testing.Short():
						n = 2
					}
					testFloatCircuit(t, solver, r, width, op, n)
				}
			}
		})
	}
}

func testFloatCircuit(t *testing.T, solver solverKind, r *rand.Rand, width uint32, op floatOperation, inputs int) {
	store := term.NewRawStore()
	s := solver.make(store)
	defer s.Close()
	var x []term.ID
	for i := range op.arity {
		x = append(x, store.Var(fmt.Sprint("x", i), term.BitVec(width)))
	}
	tm := op.term(store, x)
	for range inputs {
		fixed := store.True()
		values := map[term.ID]bv.BV{}
		for i := range x {
			values[x[i]] = interestingFloat(r, width)
			fixed = store.And(fixed, store.Eq(x[i], store.Const(values[x[i]])))
		}
		want := term.NewEvaluator(store, func(v term.ID) (bv.BV, bool) { return values[v], true }).Value(tm)
		right := store.Eq(tm, literal(store, want, tm))
		for _, c := range []struct {
			claim  term.ID
			status smt.Status
		}{{right, smt.Sat}, {store.Not(right), smt.Unsat}} {
			got, err := s.Check(t.Context(), fixed, c.claim)
			if err != nil {
				t.Fatalf("%s: %v", op.name, err)
			}
			if got != c.status {
				t.Fatalf("%s of %v: %v is %v", op.name, values, want, got)
			}
		}
	}
}
