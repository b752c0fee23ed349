package conductor

import (
	"context"

	"assay/internal/engines/symex"
	"assay/internal/program/ir"
)

// Refinement of what proofs say of values, as --heap and --values-refine of 2LS
// ask for [2LS §3.1, §6.5]: cheap abstractions first, stronger ones where a proof fails.
//
// With --heap the abstraction is the shape of what is on the heap: a symbolic
// execution graph with segments of lists and trees, of whose nodes no integer is
// known. --values-refine adds bounds of the fields of nodes, and then relations of
// fields with one another and with variables, which are found at once with the shapes,
// not in an invariant of their own as in 2LS.
//
// --values-refine alone takes one domain of induction after the other, each with
// k = 1, and all of them with k-induction in the end.
//
// Bounded search runs beside that, for what has no proof because it is wrong.

// domainSteps are the domains of --values-refine, without --heap.
var domainSteps = [][]string{{"intervals"}, {"zones"}, {"octagons"}, {"equalities", "polyhedra"}, nil}

// valueSteps are what is said of values with --heap.
var valueSteps = []symex.Values{symex.NoValues, symex.BoundsOfValues, symex.AllValues}

// refine searches a proof that says more from step to step.
func (r *run) refine(ctx context.Context, m *ir.Module) (a Reply) {
	if r.Options.Heap {
		for _, values := range valueSteps {
			a = r.executeWith(ctx, m, values)
			if decided(a.Verdict) || ctx.Err() != nil || !r.Options.ValuesRefine {
				break
			}
		}
		return a
	}
	for _, domains := range domainSteps {
		a = r.with(func(t *Task) { t.Options.Domains = domains }).induct(ctx, m)
		if decided(a.Verdict) || ctx.Err() != nil {
			break
		}
	}
	return a
}
