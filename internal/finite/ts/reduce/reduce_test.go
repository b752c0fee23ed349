package reduce

import (
	"context"
	"math/rand/v2"
	"testing"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// random is a circuit of n latches and two inputs in which some latches are copies
// or negations of others and some are constant.
func random(r *rand.Rand, n int) *ts.Circuit {
	g := sat.NewGraph()
	c := &ts.Circuit{Graph: g}
	var lits []sat.Lit
	for range 2 {
		in := g.Input()
		c.Inputs = append(c.Inputs, in)
		c.InputBits = append(c.InputBits, ts.Bit{Index: ts.None})
		lits = append(lits, in)
	}
	for i := range n {
		l := g.Input()
		latch := ts.Latch{Lit: l, Reset: sat.Constant(r.IntN(2) == 0)}
		if r.IntN(6) == 0 {
			latch.Reset = l
		}
		c.Latches = append(c.Latches, latch)
		c.LatchBits = append(c.LatchBits, ts.Bit{Index: int32(i)})
		lits = append(lits, l)
	}
	for range 12 {
		x, y := lits[r.IntN(len(lits))], lits[r.IntN(len(lits))]
		lits = append(lits, g.And(x.XorSign(r.IntN(2) == 0), y.XorSign(r.IntN(2) == 0)))
	}
	for i := range c.Latches {
		c.Latches[i].Next = lits[r.IntN(len(lits))].XorSign(r.IntN(2) == 0)
		if i > 0 && r.IntN(3) == 0 { // a copy, or a negation, of the one before
			other, sign := c.Latches[i-1], r.IntN(2) == 0
			if other.Reset.IsConstant() {
				c.Latches[i].Reset = other.Reset.XorSign(sign)
				c.Latches[i].Next = other.Next.XorSign(sign)
			}
		}
	}
	if r.IntN(3) == 0 {
		c.Constraints = []sat.Lit{lits[len(lits)-1]}
	}
	c.Bad = []sat.Lit{lits[len(lits)-2], lits[len(lits)-3]}
	// Everything is relevant, so that Normalise keeps all latches.
	c.Justice = [][]sat.Lit{lits}
	return c
}

// run simulates a run with random inputs; it ends where a constraint fails.
func run(c *ts.Circuit, r *rand.Rand, steps int, visit func(state []bool, at func(sat.Lit) bool)) {
	values := map[int32]bool{}
	e := sat.NewEvaluator(c.Graph, func(n int32) bool { return values[n] })
	state := make([]bool, len(c.Latches))
	for i, l := range c.Latches {
		state[i] = l.Reset == sat.True || l.Arbitrary() && r.IntN(2) == 0
	}
	for range steps {
		for i, l := range c.Latches {
			values[l.Lit.Node()] = state[i]
		}
		for _, l := range c.Inputs {
			values[l.Node()] = r.IntN(2) == 0
		}
		e.Reset()
		for _, l := range c.Constraints {
			if !e.Value(l) {
				return
			}
		}
		visit(state, e.Value)
		next := make([]bool, len(state))
		for i, l := range c.Latches {
			next[i] = e.Value(l.Next)
		}
		state = next
	}
}

// TestFactsHoldInRuns: what the reduction claims is true in random runs, and it
// finds copies.
func TestFactsHoldInRuns(t *testing.T) {
	constants, equal, cubes := 0, 0, 0
	for seed := range uint64(300) {
		r := rand.New(rand.NewPCG(seed, 3))
		c := random(r, 6).Normalise(nil)
		red, err := Reduce(context.Background(), c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := red.Circuit.Check(); err != nil {
			t.Fatal(err)
		}
		constants += red.Constants
		equal += red.Equal
		cubes += len(red.Cubes)
		for range 10 {
			run(c, r, 20, func(state []bool, _ func(sat.Lit) bool) {
				for _, clause := range red.Clauses {
					holds := false
					for _, l := range clause {
						holds = holds || state[l.Latch] != l.Negated
					}
					if !holds {
						t.Fatalf("seed %d: clause %v does not hold in a run", seed, clause)
					}
				}
				covered := len(red.Cubes) == 0
				for _, cube := range red.Cubes {
					holds := true
					for _, l := range cube {
						holds = holds && state[l.Latch] != l.Negated
					}
					covered = covered || holds
				}
				if !covered {
					t.Fatalf("seed %d: no cube covers a reachable state", seed)
				}
			})
		}
	}
	if constants < 50 || equal < 50 || cubes < 20 {
		t.Errorf("%d constants, %d equal, %d cubes: the reduction does little", constants, equal, cubes)
	}
}

// TestSweep: the swept circuit computes the same functions, and equal gates that
// hashing does not see are merged.
func TestSweep(t *testing.T) {
	for seed := range uint64(200) {
		r := rand.New(rand.NewPCG(seed, 4))
		c := random(r, 4)
		g := c.Graph
		x, y, z := c.Inputs[0], c.Inputs[1], c.Latches[0].Lit
		// Two forms of (x ∨ y) ∧ (x ∨ z).
		c.Bad = append(c.Bad, g.And(g.Or(x, y), g.Or(x, z)), g.Or(x, g.And(y, z)))
		c = c.Normalise(nil)
		d, err := Sweep(context.Background(), c, Options{})
		if err != nil {
			t.Fatal(err)
		}
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
		if n := len(c.Bad); d.Bad[n-1] != d.Bad[n-2] {
			t.Errorf("seed %d: equal gates are not merged", seed)
		}
		if len(d.Latches) != len(c.Latches) || len(d.Inputs) != len(c.Inputs) {
			continue // what became irrelevant is gone
		}
		for range 50 {
			bits := r.Uint64()
			var outputs [2][]bool
			for k, c := range []*ts.Circuit{c, d} {
				values := map[int32]bool{}
				for i, l := range c.Inputs {
					values[l.Node()] = bits>>i&1 == 1
				}
				for i, l := range c.Latches {
					values[l.Lit.Node()] = bits>>(i+8)&1 == 1
				}
				e := sat.NewEvaluator(c.Graph, func(n int32) bool { return values[n] })
				for _, l := range c.Roots() {
					outputs[k] = append(outputs[k], e.Value(l))
				}
			}
			for i := range outputs[0] {
				if i < len(outputs[1]) && len(outputs[0]) == len(outputs[1]) && outputs[0][i] != outputs[1][i] {
					t.Fatalf("seed %d: root %d differs", seed, i)
				}
			}
		}
	}
}
