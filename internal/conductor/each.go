package conductor

import (
	"context"
	"maps"
	"slices"

	"assay/internal/certify/accept"
	"assay/internal/engines/abstract"
	"assay/internal/engines/induction"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// This file decides each check on its own: bounded search refutes, and proves what loops
// that end allow; induction proves sets of checks, each as one conjunction.

// settled is what bounded search asks at every depth: whether nothing is left to do. It
// also tells induction which checks are refuted.
func (r *run) settled(ctx context.Context, m *ir.Module) func(decided func(verdict.Site) bool) bool {
	known := r.sites(m)
	refuted := 0
	return func(decided func(verdict.Site) bool) bool {
		found := RefutedChecks{}
		for _, x := range known {
			if decided(x) {
				found[x] = true
			}
		}
		if len(found) > refuted {
			refuted = len(found)
			r.board.publish(ctx, m, Post{Fact: found, By: "bmc", Worth: Proved})
		}
		proved, ok, _ := look[ProvedChecks](r.board, m)
		return ok && proved.Final && !slices.ContainsFunc(proved.Open, func(x verdict.Site) bool { return !decided(x) })
	}
}

// inductEach proves what abstract interpretation can, then of the rest what induction can,
// and has it checked. It answers if that is everything; what it has proved is on the board.
func (r *run) inductEach(ctx context.Context, m *ir.Module) Reply {
	e := &eachProof{r: r, m: m, proved: map[verdict.Site]verdict.True{}}
	alone := r.Options.Only == "abstract"
	var why []verdict.Reason
	gaveUp := func(err error) {
		if err != nil && ctx.Err() == nil {
			why = append(why, unproved(ctx, err))
		}
	}
	if alone || r.Options.Only == "" && !r.Options.chosen() {
		a := abstract.ProveEach(ctx, m, abstract.Options{Targets: slices.Concat(r.Targets, r.Disputed), Label: r.Label})
		gaveUp(a.Why)
		if a.Proof != nil && e.add(ctx, a.Proof, a.Open) {
			e.publish(ctx, "abstract", ProvedChecks{Open: a.Open, Final: len(a.Open) == 0 || alone})
			if len(a.Open) == 0 {
				return Reply{Verdict: e.last}
			}
		}
	}
	if alone {
		if len(e.proved) == 0 { // nothing, for good
			e.publish(ctx, "abstract", ProvedChecks{Open: r.sites(m), Final: true})
		}
		return unknown(distinct(why)...)
	}
	options := r.inductionOptions(ctx, m)
	options.Refuted = func(x verdict.Site) bool {
		refuted, _, _ := look[RefutedChecks](r.board, m)
		_, done := e.proved[x]
		return refuted[x] || done
	}
	p := induction.ProveEach(ctx, m, options)
	open := slices.DeleteFunc(p.Open, func(x verdict.Site) bool {
		_, done := e.proved[x]
		return done
	})
	for _, x := range p.Proofs {
		if !e.add(ctx, x.Proof, x.Excluded) {
			open = append(open, x.Proved...)
		}
	}
	gaveUp(p.Why)
	if len(p.Proofs) == 0 {
		return unknown(distinct(why)...)
	}
	e.publish(ctx, "induction", ProvedChecks{Open: open, Final: true})
	if len(open) == 0 {
		return Reply{Verdict: e.last}
	}
	return unknown(distinct(why)...)
}

// eachProof collects proofs for sets of checks.
type eachProof struct {
	r      *run
	m      *ir.Module
	proved map[verdict.Site]verdict.True
	last   verdict.True
}

// add has a proof checked, which claims all checks but those excluded. It says whether it
// was accepted.
func (e *eachProof) add(ctx context.Context, proof *verdict.Induction, excluded []verdict.Site) bool {
	cert := verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}}
	if !e.r.Options.Uncertified {
		checker, err := accept.Program(ctx, &verdict.Claim{
			Program: e.m, Evidence: proof, Targets: slices.Concat(e.r.Targets, e.r.Disputed), Label: e.r.Label,
			All: true, Excluded: excluded, Solver: verdict.CaDiCaL,
		})
		if err != nil {
			return false
		}
		proof.Checker = checker
		cert.Certificate = proof
	}
	e.last = cert
	open := map[verdict.Site]bool{}
	for _, x := range excluded {
		open[x] = true
	}
	for _, x := range e.r.sites(e.m) {
		if _, before := e.proved[x]; !before && !open[x] {
			e.proved[x] = cert
		}
	}
	return true
}

// publish tells the others what is proved so far.
func (e *eachProof) publish(ctx context.Context, by string, f ProvedChecks) {
	f.Proofs = maps.Clone(e.proved)
	worth := Certified
	if e.r.Options.Uncertified {
		worth = Proved
	}
	e.r.board.publish(ctx, e.m, Post{Fact: f, By: by, Worth: worth})
	e.r.tell(e.m)
}
