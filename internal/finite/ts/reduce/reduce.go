// Package reduce makes circuits smaller before an engine sees them: latches that
// are constant, and latches that always equal others, are replaced.
//
// What is removed from a circuit is part of the invariant that proves it safe, so
// every reduction leaves evidence that is checked together with the engine's
// clauses: ternary states, and two clauses for each equality.
package reduce

import (
	"context"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// Reduction is a smaller circuit and the facts it rests on.
type Reduction struct {
	Circuit *ts.Circuit // a normalised circuit
	// Facts about the original circuit, which hold in all reachable states and are
	// inductive together: clauses, and a list of cubes of which one holds, unless
	// it is empty.
	Clauses [][]ts.LatchLiteral
	Cubes   [][]ts.LatchLiteral
	// What was done.
	Constants, Equal int
}

// Options bound the effort.
type Options struct {
	TernarySteps   int   // of ternary simulation before values are joined
	TernaryCubes   int   // literals in all ternary states together
	Simulation     int   // steps of random simulation, 64 runs at once
	ConflictLimit  int64 // of one query about an equality
	RefinementSize int   // queries in all
}

// Default is what Reduce uses for zero Options.
var Default = Options{TernarySteps: 256, TernaryCubes: 1 << 18, Simulation: 32, ConflictLimit: 200, RefinementSize: 20000}

// Reduce reduces a circuit that ts.Normalise made. The error is the context's.
func Reduce(ctx context.Context, c *ts.Circuit, o Options) (*Reduction, error) {
	if o == (Options{}) {
		o = Default
	}
	r := &Reduction{Circuit: c}
	values, cubes := ternary(c, o)
	image := make([]sat.Lit, len(c.Latches)) // in terms of c; the latch itself if kept
	for i, l := range c.Latches {
		image[i] = l.Lit
		if values[i] != unknown {
			image[i] = sat.Constant(values[i] == one)
			r.Constants++
			if cubes == nil {
				r.Clauses = append(r.Clauses, []ts.LatchLiteral{{Latch: int32(i), Negated: values[i] == zero}})
			}
		}
	}
	r.Cubes = cubes
	if err := correspond(ctx, c, o, image); err != nil {
		return nil, err
	}
	latchOf := map[int32]int32{}
	for i, l := range c.Latches {
		latchOf[l.Lit.Node()] = int32(i)
	}
	changed := r.Constants > 0
	for i, l := range c.Latches {
		switch {
		case image[i] == l.Lit || values[i] != unknown:
		case image[i].IsConstant():
			r.Constants++
			changed = true
			r.Clauses = append(r.Clauses, []ts.LatchLiteral{{Latch: int32(i), Negated: image[i] == sat.False}})
		default:
			r.Equal++
			changed = true
			k, negated := latchOf[image[i].Node()], image[i].Negated()
			r.Clauses = append(r.Clauses,
				[]ts.LatchLiteral{{Latch: int32(i), Negated: true}, {Latch: k, Negated: negated}},
				[]ts.LatchLiteral{{Latch: int32(i)}, {Latch: k, Negated: !negated}})
		}
	}
	if changed {
		r.Circuit = substitute(c, image).Normalise(nil)
	}
	return r, nil
}

// substitute is the circuit with latches replaced by their images; those with an
// image of their own disappear with the next Normalise, because nothing refers to
// them.
func substitute(c *ts.Circuit, image []sat.Lit) *ts.Circuit {
	d := &ts.Circuit{Graph: sat.NewGraph(), InputBits: c.InputBits, LatchBits: c.LatchBits}
	copier := ts.NewCopier(c.Graph, d.Graph)
	for _, l := range c.Inputs {
		in := d.Graph.Input()
		copier.Set(l, in)
		d.Inputs = append(d.Inputs, in)
	}
	own := make([]sat.Lit, len(c.Latches))
	for i, l := range c.Latches {
		own[i] = d.Graph.Input()
		if image[i] == l.Lit {
			copier.Set(l.Lit, own[i])
		}
	}
	for i, l := range c.Latches {
		if image[i] != l.Lit {
			copier.Set(l.Lit, copier.Lit(image[i]))
		}
	}
	for i, l := range c.Latches {
		reset := l.Reset
		if l.Arbitrary() {
			reset = own[i]
		}
		d.Latches = append(d.Latches, ts.Latch{Lit: own[i], Next: copier.Lit(l.Next), Reset: reset})
	}
	d.Constraints, d.Transitions = copier.Lits(c.Constraints), copier.Lits(c.Transitions)
	d.Bad, d.Fair = copier.Lits(c.Bad), copier.Lits(c.Fair)
	for _, j := range c.Justice {
		d.Justice = append(d.Justice, copier.Lits(j))
	}
	return d
}

// Extend adds the facts to an invariant that LiftClauses made of the reduced
// circuit's clauses. original is the circuit that Reduce was given.
func (r *Reduction) Extend(original *ts.Circuit, inv *ts.Invariant) {
	facts := ts.LiftClauses(original, r.Clauses)
	inv.Prefix = max(inv.Prefix, facts.Prefix)
	inv.Clauses = append(inv.Clauses, facts.Clauses...)
	if len(r.Cubes) > 0 {
		inv.Cubes = ts.LiftCubes(original, r.Cubes)
	}
}
