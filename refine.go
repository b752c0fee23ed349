package assay

import (
	"context"

	"assay/internal/bmc"
	"assay/internal/ir"
	"assay/internal/symex"
	"assay/internal/verdict"
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

// refine searches a proof step by step, and a refutation beside it.
func (r *run) refine(ctx context.Context, m *ir.Module, o bmc.Options) bmc.Result {
	search, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	sides, give := context.WithCancel(ctx)
	defer give()
	proofs := make(chan symbolicAnswer, 1)
	go func() {
		a := r.refinedProof(sides, m, o)
		if a.verdict != nil {
			stop(errAnswered)
		}
		proofs <- a
	}()
	b := bmc.Run(search, m, o)
	if u, unknown := b.Verdict.(verdict.Unknown); !unknown || hopeless(u) {
		give()
	}
	a := <-proofs
	if a.panic != nil {
		panic(a.panic)
	}
	b.Verdict = together(b.Verdict, a.verdict)
	if u, unknown := b.Verdict.(verdict.Unknown); unknown && a.reason.Text != "" {
		b.Verdict = verdict.Unknown{Reasons: append(append([]verdict.Reason{}, u.Reasons...), a.reason)}
	}
	return b
}

// refinedProof searches a proof that says more from step to step.
func (r *run) refinedProof(ctx context.Context, m *ir.Module, o bmc.Options) (a symbolicAnswer) {
	if r.task.Engine.Heap {
		for _, values := range valueSteps {
			a = r.executeWith(ctx, m, o.Targets, o.Disputed, o.Label, 0, values)
			if a.verdict != nil || a.panic != nil || ctx.Err() != nil || !r.task.Engine.ValuesRefine {
				break
			}
		}
		return a
	}
	for _, domains := range domainSteps {
		step := run{task: r.task}
		step.task.Engine.Domains = domains
		i := step.induct(ctx, m, o, 0)
		a = symbolicAnswer{verdict: i.verdict, panic: i.panic}
		if i.why != nil {
			a.reason = i.reason(ctx)
		}
		if a.verdict != nil || a.panic != nil || ctx.Err() != nil {
			break
		}
	}
	return a
}
