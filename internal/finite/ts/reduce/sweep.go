package reduce

import (
	"context"
	"math/rand/v2"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
	"assay/internal/logic/sat/cadical"
)

// This file merges gates that compute the same function of inputs and latches, or
// its negation: SAT sweeping.
//
// Cited paper:
//
//	[Kuehlmann04] A. Kuehlmann. Dynamic Transition Relation Simplification for
//	Bounded Property Checking. ICCAD 2004.
//
// The graph is rebuilt from the leaves. A gate with the signature of an earlier one,
// in random simulation, is compared with it by a solver, with few conflicts, and
// merged if they are equal. Nothing is assumed, so the circuit stays the same
// function and no evidence is needed.

// sweepWords is the number of words of 64 random patterns; sweepGates bounds the
// circuits that are swept at all, and sweepTries how many earlier gates with its
// signature a gate is compared with. The sweep ends when more than sweepPatience
// comparisons, and twice as many as found equal gates, found different ones: programs
// have many conditions that are false for random inputs, and no others like them.
const (
	sweepWords = 4
	sweepGates = 1 << 16
	sweepTries = 2

	sweepPatience = 64
)

// Sweep is an equivalent circuit, in normal form as c is. The error is the
// context's.
func Sweep(ctx context.Context, c *ts.Circuit, o Options) (*ts.Circuit, error) {
	if o == (Options{}) {
		o = Default
	}
	cone := ts.Cone(c.Graph, c.Roots())
	if len(cone) > sweepGates {
		return c, nil
	}
	signatures := simulate(c, cone)
	d := *c
	g := sat.NewGraph()
	d.Graph = g
	image := make([]sat.Lit, c.Graph.Len())
	at := func(l sat.Lit) sat.Lit { return image[l.Node()].XorSign(l.Negated()) }
	d.Inputs, d.Latches = nil, nil
	for _, l := range c.Inputs {
		image[l.Node()] = g.Input()
		d.Inputs = append(d.Inputs, image[l.Node()])
	}
	for _, l := range c.Latches {
		image[l.Lit.Node()] = g.Input()
	}
	solver := cadical.New()
	defer solver.Close()
	cnf := sat.NewCNF(g, solver.AddClauses)
	solver.SetConflictLimit(o.ConflictLimit)
	type member struct {
		lit     sat.Lit
		negated bool
	}
	classes := map[[sweepWords]uint64][]member{}
	queries, merged := 0, 0
	for _, n := range cone {
		sig := signatures[n]
		negated := sig[0]&1 == 1
		if negated {
			for i := range sig {
				sig[i] = ^sig[i]
			}
		}
		if !c.Graph.IsAnd(n) {
			classes[sig] = append(classes[sig], member{image[n], negated})
			continue
		}
		a, b := c.Graph.Children(n)
		l := g.And(at(a), at(b))
		image[n] = l
		candidates := classes[sig]
		if sig == [sweepWords]uint64{} {
			candidates = append([]member{{sat.False, false}}, candidates...)
		}
		found := false
		for i, m := range candidates {
			other := m.lit.XorSign(negated != m.negated)
			if other == l {
				found = true
				break
			}
			if i >= sweepTries || queries >= o.RefinementSize || queries-merged > sweepPatience+2*merged {
				break
			}
			if l.IsConstant() {
				break
			}
			queries++
			differ := cnf.Literal(g.Xor(l, other))
			cnf.Encode(func() bool { return ctx.Err() != nil })
			solver.Assume(differ)
			answer, err := solver.Solve(ctx)
			if err != nil {
				return nil, err
			}
			if answer == cadical.Unsat {
				image[n] = other
				found = true
				merged++
				break
			}
		}
		if !found {
			classes[sig] = append(classes[sig], member{l, negated})
		}
	}
	if merged == 0 {
		return c, nil
	}
	all := func(ls []sat.Lit) []sat.Lit {
		out := make([]sat.Lit, len(ls))
		for i, l := range ls {
			out[i] = at(l)
		}
		return out
	}
	for _, l := range c.Latches {
		d.Latches = append(d.Latches, ts.Latch{Lit: at(l.Lit), Next: at(l.Next), Reset: at(l.Reset)})
	}
	d.Constraints, d.Transitions, d.Bad, d.Fair = all(c.Constraints), all(c.Transitions), all(c.Bad), all(c.Fair)
	d.Justice = nil
	for _, j := range c.Justice {
		d.Justice = append(d.Justice, all(j))
	}
	return d.Normalise(nil), nil
}

// simulate is the values of the nodes of the cone for random inputs and latches.
func simulate(c *ts.Circuit, cone []int32) [][sweepWords]uint64 {
	random := rand.New(rand.NewPCG(11, 12))
	values := make([][sweepWords]uint64, c.Graph.Len())
	for _, n := range cone {
		if !c.Graph.IsAnd(n) {
			for i := range values[n] {
				values[n][i] = random.Uint64()
			}
			continue
		}
		a, b := c.Graph.Children(n)
		for i := range values[n] {
			x, y := values[a.Node()][i], values[b.Node()][i]
			if a.Negated() {
				x = ^x
			}
			if b.Negated() {
				y = ^y
			}
			values[n][i] = x & y
		}
	}
	return values
}
