package conductor

import (
	"context"
	"errors"
	"slices"

	"assay/internal/certify/accept"
	"assay/internal/engines/transition"
	"assay/internal/evidence/verdict"
	"assay/internal/finite/solve"
	"assay/internal/program/ir"
)

// This file proves fair termination where no run executes ir.Accept at all: k-liveness
// [ClaessenSorensson12] with k = 0, which is safety, and decided by IC3 on the program's transition
// system. In products with automata, loops of Accepts often stand for what is not reached. The
// invariant becomes a ranking argument without functions: between two visits of a head there is
// no Accept.

// unreached decides whether Accept is reached.
func (r *run) unreached(ctx context.Context, m *ir.Module) Reply {
	var found *verdict.Ranking
	judge := func(ctx context.Context, c *verdict.Claim) (string, error) {
		e, ok := c.Evidence.(*verdict.Induction)
		if !ok || len(e.Contracts) > 0 || e.Module != nil {
			return "", errors.New("the invariant is not one of a ranking argument")
		}
		found = &verdict.Ranking{Program: m, K: e.K, Heads: e.Heads, Fair: r.Fair}
		if r.Options.Uncertified {
			return "", nil
		}
		checker, err := accept.Program(ctx, &verdict.Claim{Program: m, Evidence: found, Fair: r.Fair, Solver: c.Solver})
		found.Checker = checker
		return checker, err
	}
	d := transition.Decide(ctx, withoutAccept(m), transition.Options{Targets: []ir.CheckKind{ir.Decrease}, Engine: solve.IC3, Accept: judge})
	t, ok := d.Verdict.(verdict.True)
	switch {
	case ok && r.Options.Uncertified:
		t.Certificate = verdict.Unchecked{Why: "certification is off"}
	case ok:
		t.Certificate = found
	case d.Verdict != nil: // some run reaches Accept
		return unknown(verdict.Reason{Cause: verdict.CauseUnranked, Text: "IC3: an accepting state is reached"})
	default:
		return unknown(d.Why)
	}
	return Reply{Verdict: t}
}

// withoutAccept is the program in which a check fails where Accept is reached.
func withoutAccept(m *ir.Module) *ir.Module {
	accepts := func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Accept })
	}
	return ir.Rewrite(m, accepts, func(e *ir.Editor, _ *ir.Func) {
		never := e.Number(1, 0)
		e.Each(func(v ir.Value) {
			if e.Func.Def(v).Op == ir.Accept {
				e.Replace(v, ir.Def{Op: ir.Check, Args: []ir.Value{never}, Aux: int64(ir.Decrease), Sym: "an accepting state is reached"})
			}
		})
	})
}
