package ic3

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"
	"time"

	"assay/internal/finite/ic3/cdcl"
	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
	"assay/internal/logic/sat/cadical"
)

// builder makes circuits.
type builder struct{ c *ts.Circuit }

func newBuilder() *builder { return &builder{&ts.Circuit{Graph: sat.NewGraph()}} }

func (b *builder) input() sat.Lit {
	l := b.c.Graph.Input()
	b.c.Inputs = append(b.c.Inputs, l)
	b.c.InputBits = append(b.c.InputBits, ts.Bit{Index: ts.None})
	return l
}

func (b *builder) latch(reset sat.Lit) sat.Lit {
	l := b.c.Graph.Input()
	b.c.Latches = append(b.c.Latches, ts.Latch{Lit: l, Next: l, Reset: reset})
	b.c.LatchBits = append(b.c.LatchBits, ts.Bit{Index: int32(len(b.c.Latches) - 1)})
	return l
}

// counter is n bits that count when go holds, back to 0 after the value top.
func counter(n int, top uint64) *ts.Circuit {
	b := newBuilder()
	g := b.c.Graph
	step := b.input()
	atTop := sat.True
	var bits []sat.Lit
	for i := range n {
		l := b.latch(sat.False)
		bits = append(bits, l)
		atTop = g.And(atTop, l.XorSign(top>>i&1 == 0))
	}
	carry := step
	for i, l := range bits {
		b.c.Latches[i].Next = g.And(g.Xor(l, carry), g.And(step, atTop).Not())
		carry = g.And(carry, l)
	}
	return b.c
}

func value(c *ts.Circuit, v uint64) sat.Lit {
	l := sat.True
	for i, latch := range c.Latches {
		l = c.Graph.And(l, latch.Lit.XorSign(v>>i&1 == 0))
	}
	return l
}

func TestCounter(t *testing.T) {
	for _, o := range []Options{Default, {}, {Lifting: Core}, {Shared: true, Infinite: true, CTGs: 3, CTGDepth: 1}, {Lifting: Justification, CTGs: 3, CTGDepth: 2}} {
		c := counter(5, 19)
		r, err := Check(context.Background(), c, value(c, 20), o)
		if err != nil || r.Run != nil {
			t.Fatalf("20 is not reachable: %v, %v", r, err)
		}
		checkInvariant(t, c, value(c, 20), r.Invariant)
		r, err = Check(context.Background(), c, value(c, 19), o)
		if err != nil || r.Run == nil || len(r.Run.Inputs) < 20 {
			t.Fatalf("19 is reachable in 19 steps: %v, %v", r, err)
		}
	}
}

// checkInvariant enumerates the states of a circuit with few latches and one
// input.
func checkInvariant(t *testing.T, c *ts.Circuit, bad sat.Lit, clauses [][]ts.LatchLiteral) {
	t.Helper()
	n := len(c.Latches)
	holds := func(s uint64) bool {
		for _, clause := range clauses {
			sat := false
			for _, l := range clause {
				sat = sat || (s>>l.Latch&1 == 1) != l.Negated
			}
			if !sat {
				return false
			}
		}
		return true
	}
	if !holds(0) {
		t.Error("the initial state is not in the invariant")
	}
	var state, in uint64
	e := sat.NewEvaluator(c.Graph, func(node int32) bool {
		for i, l := range c.Latches {
			if l.Lit.Node() == node {
				return state>>i&1 == 1
			}
		}
		return in == 1
	})
	for state = range uint64(1) << n {
		if !holds(state) {
			continue
		}
		for in = range uint64(2) {
			e.Reset()
			next := uint64(0)
			for i, l := range c.Latches {
				if e.Value(l.Next) {
					next |= 1 << i
				}
			}
			if e.Value(bad) || !holds(next) {
				t.Fatalf("the invariant fails at state %d", state)
			}
		}
	}
}

// TestInterrupt: a hopeless task ends soon after its context.
func TestInterrupt(t *testing.T) {
	c := counter(40, 1<<39+1)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	start := time.Now()
	_, err := Check(ctx, c, value(c, 1<<39), Default)
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	if d := time.Since(start); d > 5*time.Second {
		t.Errorf("it took %v", d)
	}
}

func TestSubset(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		var a, b cube
		in := map[lit]bool{}
		for l := range lit(12) {
			if r.IntN(2) == 0 {
				b = append(b, l)
				in[l] = true
			}
			if r.IntN(4) == 0 {
				a = append(a, l)
			}
		}
		want := true
		for _, l := range a {
			want = want && in[l]
		}
		if a.subset(b) != want {
			t.Fatalf("%v in %v: %v", a, b, !want)
		}
		if want && a.signature()&^b.signature() != 0 {
			t.Fatalf("signature of %v in %v", a, b)
		}
	}
}

// randomCircuit has, for each latch, gates of its own over a few neighbouring
// latches and inputs, as hardware does.
func randomCircuit(latches, inputs, gates int) *ts.Circuit {
	r := rand.New(rand.NewPCG(5, 5))
	b := newBuilder()
	var leaves []sat.Lit
	for range latches {
		leaves = append(leaves, b.latch(sat.False))
	}
	for range inputs {
		leaves = append(leaves, b.input())
	}
	for i := range b.c.Latches {
		var lits []sat.Lit
		for range 10 {
			lits = append(lits, leaves[(i+r.IntN(30))%latches], leaves[latches+r.IntN(inputs)])
		}
		for range gates {
			x, y := lits[r.IntN(len(lits))], lits[r.IntN(len(lits))]
			lits = append(lits, b.c.Graph.Ite(x, y, lits[r.IntN(len(lits))]))
		}
		b.c.Latches[i].Next = lits[len(lits)-1]
	}
	return b.c
}

// BenchmarkQuery is one query of IC3: is a random cube of few literals inductive?
// The same queries go to our solver and to CaDiCaL, with constrain for the
// temporary clause.
func BenchmarkQuery(b *testing.B) {
	const latches = 200
	c := randomCircuit(latches, 100, 20)
	r := rand.New(rand.NewPCG(3, 3))
	var cubes []cube
	for range 1000 {
		var d cube
		for range 1 + r.IntN(6) {
			l := lit(r.IntN(2 * latches))
			if !d.has(l) && !d.has(l^1) {
				d = append(d, l)
			}
		}
		sortCube(d)
		cubes = append(cubes, d)
	}
	b.Run("cdcl", func(b *testing.B) {
		e := newEngine(context.Background(), c, sat.False, Default)
		e.extend()
		i, unsat := 0, 0
		for b.Loop() {
			answer, _ := e.step(1, cubes[i%len(cubes)], true)
			if answer == cdcl.Unsat {
				unsat++
			}
			i++
		}
		b.ReportMetric(float64(unsat)/float64(i), "unsat/query")
	})
	b.Run("cadical", func(b *testing.B) {
		solver := cadical.New()
		defer solver.Close()
		cnf := sat.NewCNF(c.Graph, solver.AddClauses)
		var current, next []int32
		for _, l := range c.Latches {
			cnf.Literal(l.Next.Not())
			next = append(next, cnf.Literal(l.Next))
			current = append(current, cnf.Literal(l.Lit))
		}
		cnf.Encode(func() bool { return false })
		sign := func(l lit, of []int32) int32 {
			if l&1 == 1 {
				return -of[l.latch()]
			}
			return of[l.latch()]
		}
		i, unsat := 0, 0
		for b.Loop() {
			var clause []int32
			for _, l := range cubes[i%len(cubes)] {
				solver.Assume(sign(l, next))
				clause = append(clause, -sign(l, current))
			}
			solver.Constrain(clause...)
			answer, _ := solver.Solve(context.Background())
			if answer == cadical.Unsat {
				unsat++
			}
			i++
		}
		b.ReportMetric(float64(unsat)/float64(i), "unsat/query")
	})
}
