package conductor

import (
	"context"
	"slices"
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/work"
	"assay/internal/transform/flat"
	"assay/internal/transform/reducible"
)

// flatGraph is how long a graph of the flat program is built and checked, before induction is asked: most are found at
// once, or not at all.
const flatGraph = 3 * time.Second

// proveFlat proves what functions hand to each other by addresses of locals: of the program in which
// calls are replaced by bodies, and locals are values (package flat), and of which loops are
// entered at their heads. Values of a body that is over are left there, which must not count as pointers
// to what is lost; so nothing may be allocated at the end.
func (r *run) proveFlat(ctx context.Context, m *ir.Module) Reply {
	p := flat.Make(m).Then(reducible.Make)
	q := p.Then(flat.Offsets)
	if !q.Changed() {
		return unknown(verdict.Reason{Cause: verdict.CauseUnsupported, Text: "no local that functions hand to each other becomes a value"})
	}
	asked, ok := q.Asked(withoutLoss(slices.Concat(r.Targets, r.Disputed)))
	if !ok {
		panic("conductor: nothing is asked of the flat program that it cannot say")
	}
	r = r.with(func(t *Task) { t.Targets, t.Disputed = asked, nil })
	a := Reply{}
	if p.Changed() {
		graph, cancel := work.WithProcessorTime(ctx, flatGraph)
		a = r.execute(graph, p.Module)
		cancel()
	}
	if !decided(a.Verdict) && ctx.Err() == nil {
		p = q
		a = r.induct(ctx, p.Module)
	}
	if t, ok := a.Verdict.(verdict.True); ok {
		a.Verdict, a.About = p.Proof(t), p.Module
	}
	return a
}

// withoutLoss are kinds of which a proof excludes that memory is lost by excluding that any is left.
func withoutLoss(kinds []ir.CheckKind) []ir.CheckKind {
	if !slices.Contains(kinds, ir.MemTrack) {
		return kinds
	}
	out := slices.DeleteFunc(slices.Clone(kinds), func(k ir.CheckKind) bool { return k == ir.MemTrack })
	if !slices.Contains(out, ir.MemCleanup) {
		out = append(out, ir.MemCleanup)
	}
	return out
}
