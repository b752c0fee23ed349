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

// interpret proves by abstract interpretation alone, and has the proof checked.
func (r *run) interpret(ctx context.Context, m *ir.Module) (a Reply) {
	targets := slices.Concat(r.Targets, r.Disputed)
	begin := time.Now()
	p := abstract.Prove(ctx, m, abstract.Options{Targets: targets, Label: r.Label})
	analysed := time.Since(begin)
	why := p.Why
	if p.Proof != nil && !r.Options.Uncertified {
		begin = time.Now()
		checker, err := accept.Program(ctx, &verdict.Claim{Program: m, Evidence: p.Proof, Targets: targets, Label: r.Label, Solver: verdict.CaDiCaL})
		a.Stats.Phases = []Phase{{"abstract interpretation", analysed}, {"its certificate", time.Since(begin)}}
		p.Proof.Checker = checker
		if err != nil {
			why = fmt.Errorf("a proof was found, but not accepted: %w", err)
		}
	}
	switch {
	case why != nil && ctx.Err() != nil:
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{verdict.Stopped(ctx, "abstract interpretation")}}
	case why != nil:
		reason := verdict.Reason{Cause: verdict.CauseUnwinding, Text: "abstract interpretation: " + why.Error()}
		if len(p.Open) > 0 {
			reason.Cause, reason.Func, reason.Pos = verdict.CauseInexact, p.Open[0].Func, p.Open[0].Pos
			reason.Text += "; the first is " + p.Open[0].Text
		}
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{reason}}
	case r.Options.Uncertified:
		a.Verdict = verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: p.Unclean}
	default:
		a.Verdict = verdict.True{Certificate: p.Proof, Unclean: p.Unclean}
	}
	return a
}
