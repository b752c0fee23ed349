package conductor

import (
	"context"
	"fmt"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/abstract"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// interpret proves by abstract interpretation alone, and has the proof checked: function by function where that
// is much less, and else, or if there is no such proof, the whole program.
func (r *run) interpret(ctx context.Context, m *ir.Module) (a Reply) {
	if abstract.InParts(m) {
		if a = r.interpretAs(ctx, m, true); ctx.Err() != nil {
			return a
		}
		if _, proved := a.Verdict.(verdict.True); proved {
			return a
		}
	}
	return r.interpretAs(ctx, m, false)
}

func (r *run) interpretAs(ctx context.Context, m *ir.Module, parts bool) (a Reply) {
	targets := slices.Concat(r.Targets, r.Disputed)
	begin := time.Now()
	p := abstract.Prove(ctx, m, abstract.Options{Targets: targets, Label: r.Label, Parts: parts})
	analysed := time.Since(begin)
	why := p.Why
	if p.Proof != nil && !r.Options.Uncertified {
		begin = time.Now()
		checker, err := accept.Fewest(ctx, &verdict.Claim{Program: m, Targets: targets, Label: r.Label, Solver: verdict.CaDiCaL}, p.Proof)
		a.Stats.Phases = []Phase{{"abstract interpretation", analysed}, {"its certificate", time.Since(begin)}}
		p.Proof.Checker = checker
		if err != nil {
			why = fmt.Errorf("a proof was found, but not accepted: %w", err)
		}
	}
	if !parts && r.Options.Parts && !r.Options.EachCheck && len(p.Open) > 0 && (p.Excluded > 0 || !allOpen(targets, p.Open)) {
		r.interpretParts(ctx, m)
	}
	switch {
	case why != nil && ctx.Err() != nil:
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{verdict.Stopped(ctx, "abstract interpretation")}}
	case why != nil:
		reason := verdict.Reason{Cause: verdict.CauseUnwinding, Text: "abstract interpretation: " + why.Error()}
		if len(p.Open) > 0 {
			reason.Cause, reason.Func, reason.Pos = verdict.CauseInexact, p.Open[0].Func, p.Open[0].Pos
			reason.Checks = &verdict.CheckCount{Open: slices.DeleteFunc(slices.Clone(p.Open), func(g verdict.Guard) bool { return g.Pos.Line == 0 || m.Func(g.Func).Model })}
			if n := len(reason.Checks.Open); n > 0 {
				reason.Func, reason.Pos = reason.Checks.Open[0].Func, reason.Checks.Open[0].Pos
				reason.Checks.Proved = max(0, len(Asked(m, targets, r.Label))-n)
			}
			reason.Text = "abstract interpretation does not exclude: " + slices.Concat(reason.Checks.Open, p.Open)[0].Text
		}
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{reason}}
	case r.Options.Uncertified:
		a.Verdict = verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: p.Unclean}
	default:
		a.Verdict = verdict.True{Certificate: p.Proof, Unclean: p.Unclean}
	}
	return a
}

// allOpen says that a check of each of the kinds is open.
func allOpen(kinds []ir.CheckKind, open []verdict.Guard) bool {
	return !slices.ContainsFunc(kinds, func(k ir.CheckKind) bool {
		return !slices.ContainsFunc(open, func(g verdict.Guard) bool { return g.Kind == k })
	})
}

// interpretParts proves what abstract interpretation excludes in runs that go on behind violations, and has it checked; it puts
// what is accepted on the board.
func (r *run) interpretParts(ctx context.Context, m *ir.Module) {
	a := abstract.ProveEach(ctx, m, abstract.Options{Targets: slices.Concat(r.Targets, r.Disputed), Label: r.Label})
	if a.Proof == nil {
		return
	}
	if proof, ok := r.certified(ctx, m, a.Proof, a.Open); ok {
		r.prove(ctx, m, part{proof, m}, a.Open, "abstract", false)
	}
}

// excludedKinds are the kinds asked for of which all checks are proved.
func (r *run) excludedKinds(m *ir.Module) (kinds []ir.CheckKind) {
	proved, ok, _ := look[ProvedChecks](r.board, m)
	if !ok {
		return nil
	}
	open := map[ir.CheckKind]bool{}
	for _, x := range r.sites(m) {
		if _, isProved := proved.Proofs[x]; !isProved {
			open[x.Kind] = true
		}
	}
	for _, x := range proved.Open {
		if slices.Contains(r.Disputed, x.Kind) { // whether it is an overflow is not agreed on
			open[ir.Overflow] = true
		}
	}
	for _, k := range r.Targets {
		if !open[k] {
			kinds = append(kinds, k)
		}
	}
	return kinds
}
