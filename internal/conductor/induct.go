package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/induction"
	"assay/internal/engines/inference"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/schedule"
	"assay/internal/transform/cut"
	"assay/internal/transform/heap"
)

// induct searches a proof by k-induction and has it checked: first one about what the open
// checks depend on, unless the program cannot be cut: a proof by the slice is checked on the whole program.
func (r *run) induct(ctx context.Context, m *ir.Module) (a Reply) {
	targets := slices.Concat(r.Targets, r.Disputed)
	if !r.Options.chosen() && !r.Options.ShowInvariants && !uncut(m, targets, r.Label) {
		if p := r.proveSliced(ctx, m); p.Proof != nil {
			if p.Proof.K == 1 { // where the predicates are inductive by themselves, the check is much cheaper
				floyd := *p.Proof
				floyd.K = 0
				q := p
				q.Proof = &floyd
				if a = r.inducted(ctx, m, q, targets); a.side() == schedule.Holds {
					return a
				}
			}
			if a = r.inducted(ctx, m, p, targets); a.side() == schedule.Holds || ctx.Err() != nil {
				return a
			}
		}
	}
	p := induction.Prove(ctx, m, r.inductionOptions(ctx, m))
	found, why := p.Found, p.Why
	if p.Proof == nil && ctx.Err() == nil {
		if q, turned, asked := r.proveTurned(ctx, m); q.Proof != nil {
			p, m, targets = q, turned, asked
			p.Proof.Module = m
		}
	}
	p.Why = why
	a = r.inducted(ctx, m, p, targets)
	if r.Options.ShowInvariants {
		a.Found = found
	}
	return a
}

// inducted is the answer by a proof, if there is one and it is accepted.
func (r *run) inducted(ctx context.Context, m *ir.Module, p induction.Result, targets []ir.CheckKind) (a Reply) {
	var certified time.Duration
	defer func() {
		if p.Stats.K > 0 || p.Stats.Candidates > 0 {
			a.Stats = Stats{
				SolverChecks: p.Stats.Checks, Candidates: p.Stats.Candidates, Kept: p.Stats.Kept,
				Phases: []Phase{{"induction", p.Stats.Time}, {"its certificate", certified}},
			}
		}
	}()
	if p.Proof == nil {
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{unproved(ctx, p.Why)}}
		return a
	}
	if r.Options.Uncertified {
		a.Verdict = verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: p.Unclean}
		return a
	}
	begin := time.Now()
	checker, err := accept.Program(ctx, &verdict.Claim{Program: m, Evidence: p.Proof, Targets: targets, Label: r.Label, Solver: verdict.CaDiCaL})
	certified = time.Since(begin)
	if err != nil {
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{unproved(ctx, fmt.Errorf("a proof was found, but not accepted: %w", err))}}
		return a
	}
	p.Proof.Checker = checker
	a.Verdict = verdict.True{Certificate: p.Proof, Unclean: p.Unclean}
	return a
}

// inductionOptions are what the task asks of induction about a module.
func (r *run) inductionOptions(ctx context.Context, m *ir.Module) inference.Options {
	e := &r.Options
	out := inference.Options{Targets: r.Targets, Disputed: r.Disputed, Label: r.Label, Havoc: e.Havoc, Rows: e.Rows, Thorough: e.ShowInvariants}
	out.Invariants = func(heads []invariant.Head) {
		r.board.publish(ctx, m, Post{Fact: Invariants{heads}, By: "induction", Worth: Proved, Under: "no check is violated before"})
	}
	out.More = func() []invariant.Head {
		found, _ := latest[Candidates](ctx, r.board, m)
		return found.Heads
	}
	domains := map[string]inference.Domain{
		"intervals": inference.Intervals, "zones": inference.Zones, "octagons": inference.Octagons,
		"equalities": inference.Equalities, "polyhedra": inference.Polyhedra,
	}
	for _, d := range e.Domains {
		out.Domains |= domains[d]
	}
	if len(e.Rows) > 0 {
		out.Domains |= inference.Polyhedra
	}
	if e.chosen() && !e.KInduction {
		out.MaxK = 1
	}
	return out
}

// ParseRow says whether a text is a sum for Options.Rows.
func ParseRow(text string) error {
	_, err := inference.ParseRow(text)
	return err
}

// proveTurned searches a proof about the program whose heap objects are elements
// of arrays.
func (r *run) proveTurned(ctx context.Context, m *ir.Module) (p induction.Result, turned *ir.Module, asked []ir.CheckKind) {
	full, err := heap.Turn(m, false)
	if err != nil {
		return p, nil, nil
	}
	asked, ok := full.Asked(slices.Concat(r.Targets, r.Disputed))
	if !ok {
		return p, nil, nil
	}
	few, err := heap.Turn(m, true)
	if err != nil {
		return p, nil, nil
	}
	options := r.inductionOptions(ctx, full.Module)
	options.Targets, options.Disputed, options.Runs = asked, nil, few.Module
	return induction.Prove(ctx, full.Module, options), full.Module, asked
}

// unproved is the reason why there is no proof by induction.
func unproved(ctx context.Context, why error) verdict.Reason {
	reason := verdict.Reason{Cause: verdict.CauseUnwinding, Text: "k-induction: " + why.Error()}
	var uncut *cut.ErrUncut
	switch {
	case errors.Is(why, inference.ErrNoLoop):
		reason.Text = "k-induction: there is no loop, and bounded search has not decided"
	case errors.As(why, &uncut):
		reason.Func, reason.Pos = uncut.Func, uncut.Pos
		reason.Hint = boundIt
	case ctx.Err() != nil:
		return verdict.Stopped(ctx, "k-induction")
	}
	return reason
}
