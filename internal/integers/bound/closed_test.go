package bound

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// randomModes are modes in order with constants as coefficients, the first of which that is not 0 is negative.
func randomModes(r *rand.Rand, negativeRoots bool) (modes []Mode) {
	for root := int64(4); root >= -3; root-- {
		if root < 1 && !negativeRoots || r.IntN(2) == 0 {
			continue
		}
		top := r.IntN(3)
		if root == 0 {
			top = 0
		}
		for power := top; power >= 0; power-- {
			modes = append(modes, Mode{linear.Int(root), power, rational.Constant(linear.Int(r.Int64N(41) - 20))})
		}
	}
	return modes
}

// at is the value of the modes at m.
func at(modes []Mode, m int64) linear.Number {
	var sum linear.Number
	for _, x := range modes {
		n := x.Coefficient[rational.Monomial{}]
		for range m {
			n = n.Mul(x.Root)
		}
		for range x.Power {
			n = n.Mul(linear.Int(m))
		}
		sum = sum.Add(n)
	}
	return sum
}

// TestExit: modes of which the first that is not 0 is negative are negative at the place that Exit says, or before.
func TestExit(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 8))
	tried := 0
	for range 3000 {
		modes := randomModes(r, false)
		first := 0
		for first < len(modes) && len(modes[first].Coefficient) == 0 {
			first++
		}
		if first == len(modes) {
			continue
		}
		if modes[first].Coefficient[rational.Monomial{}].Sign() > 0 {
			modes[first].Coefficient = rational.Constant(linear.Int(-1))
		}
		tried++
		runs, ok := ClosedForm{Modes: modes}.Exit(1, nil)
		n, constant := runs.IsConstant()
		if !ok || !constant {
			t.Fatal("no number")
		}
		most, _ := n.Floor().Int64()
		m := int64(0)
		for m <= most && at(modes, m).Sign() >= 0 {
			m++
		}
		if m > most {
			t.Fatalf("%v: not negative up to %v", modes, n)
		}
	}
	if tried < 1000 {
		t.Errorf("only %d", tried)
	}
}

// TestMost: the value of modes is at most what Most says for all rounds up to a number.
func TestMost(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	for range 1000 {
		modes := randomModes(r, true)
		steps := r.Int64N(8)
		e := ClosedForm{Modes: modes}.Most(Int(steps), nil)
		limit, ok := e.Eval(func(linear.Var) *big.Int { return new(big.Int) })
		if !ok {
			t.Fatal("no value")
		}
		for m := range steps + 1 {
			if at(modes, m).Big().Cmp(limit) > 0 {
				t.Fatalf("%v is %v at %d, more than %v", modes, at(modes, m), m, limit)
			}
		}
	}
}
