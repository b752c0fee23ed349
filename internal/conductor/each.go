package conductor

import (
	"context"
	"maps"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/abstract"
	"assay/internal/engines/induction"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/transform"
	"assay/internal/transform/skeleton"
)

// This file decides each check on its own: bounded search refutes, and proves what loops
// that end allow; induction proves sets of checks, each as one conjunction.

// settled is what bounded search asks at every depth: whether nothing is left to do. It
// also tells induction which checks are refuted.
func (r *run) settled(ctx context.Context, m *ir.Module) func(decided func(verdict.Site) bool) bool {
	known := r.sites(m)
	refuted := 0
	return func(byBounded func(verdict.Site) bool) bool {
		// A check of a library model is one for each call, of which another engine refutes one.
		decided := func(x verdict.Site) bool { return byBounded(x) || r.isRefuted(x) && !m.Func(x.Func).Model }
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
// and has it checked: of the program, and if its loops cannot be cut, of its skeleton. It answers if that is
// everything; what it has proved is on the board.
func (r *run) inductEach(ctx context.Context, m *ir.Module) Reply {
	return r.inductEachBeside(ctx, m, nil)
}

// inductEachBeside does so beside the same engines at work on all checks together: of a check that alone is left open
// by abstract interpretation the induction of theirs asks the same, and is waited for.
func (r *run) inductEachBeside(ctx context.Context, m *ir.Module, whole *run) Reply {
	e := &eachProof{r: r, m: m, whole: whole}
	e.within(ctx, transform.Unchanged(m))
	targets := slices.Concat(r.Targets, r.Disputed)
	if r.Options.Only == "" && !r.allProved(m) && uncut(m, targets, r.Label) {
		if s := skeleton.Of(ctx, m); s != nil {
			e.within(ctx, s)
		}
	}
	if e.last.Certificate != nil || r.Options.Only == "abstract" {
		r.prove(ctx, m, e.last, r.sites(m), "induction", true) // nothing more
	}
	if e.last.Certificate != nil && r.allProved(m) {
		return Reply{Verdict: e.last.True}
	}
	return unknown(distinct(e.why)...)
}

// eachProof proves checks of a program one by one.
type eachProof struct {
	r     *run
	m     *ir.Module
	whole *run
	last  part
	why   []verdict.Reason
}

// sameQuestion is how long an engine that is asked the same is waited for.
const sameQuestion = 3 * time.Second

// within proves what it can of a program in which instructions have the numbers that they have in the program in question.
func (e *eachProof) within(ctx context.Context, p *transform.Program) {
	r := e.r
	blind := func(k ir.CheckKind) bool { return slices.Contains(p.Blind, k) }
	sub := r.with(func(t *Task) {
		t.Targets = slices.DeleteFunc(slices.Clone(t.Targets), blind)
		t.Disputed = slices.DeleteFunc(slices.Clone(t.Disputed), blind)
	})
	if len(sub.Targets) == 0 {
		return
	}
	unseen := slices.DeleteFunc(slices.Clone(r.sites(e.m)), func(x verdict.Site) bool { return !blind(x.Kind) })
	gaveUp := func(err error) {
		if err != nil && ctx.Err() == nil {
			e.why = append(e.why, unproved(ctx, err))
		}
	}
	claim := func(by string, proof *verdict.Induction, excluded []verdict.Site) {
		if t, ok := sub.certified(ctx, p.Module, proof, excluded); ok {
			e.last = part{p.Proof(t), p.Module}
			r.prove(ctx, e.m, e.last, slices.Concat(excluded, unseen), by, false)
		}
	}
	alone := r.Options.Only == "abstract"
	if alone || r.Options.Only == "" && !r.Options.chosen() {
		a := abstract.ProveEach(ctx, p.Module, abstract.Options{Targets: slices.Concat(sub.Targets, sub.Disputed), Label: r.Label})
		gaveUp(a.Why)
		if a.Proof != nil {
			claim("abstract", a.Proof, a.Open)
		}
	}
	if alone || r.allProved(e.m) {
		return
	}
	if e.whole != nil && len(r.open(e.m)) == 1 {
		e.whole.awaitEnd(ctx, "induction", sameQuestion)
	}
	options := sub.inductionOptions(ctx, p.Module)
	options.Refuted = func(x verdict.Site) bool {
		refuted, _, _ := look[RefutedChecks](r.board, e.m)
		return refuted[x] || r.isProved(x) || r.isRefuted(x)
	}
	i := induction.ProveEach(ctx, p.Module, options)
	for _, x := range i.Proofs {
		claim("induction", x.Proof, x.Excluded)
	}
	gaveUp(i.Why)
}

// certified has a proof checked, which claims all checks but those excluded.
func (r *run) certified(ctx context.Context, m *ir.Module, proof *verdict.Induction, excluded []verdict.Site) (t verdict.True, ok bool) {
	if r.Options.Uncertified {
		return verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}}, true
	}
	checker, err := accept.Program(ctx, &verdict.Claim{
		Program: m, Evidence: proof, Targets: slices.Concat(r.Targets, r.Disputed), Label: r.Label,
		All: true, Excluded: excluded, Solver: verdict.CaDiCaL,
	})
	if err != nil {
		return t, false
	}
	proof.Checker = checker
	return verdict.True{Certificate: proof}, true
}

// part is a proof of some checks, and the program that it is about.
type part struct {
	verdict.True
	Program *ir.Module
}

// prove notes a proof of all checks but those excluded, and tells the others what is proved so
// far; final says that induction will prove no more.
func (r *run) prove(ctx context.Context, m *ir.Module, proof part, excluded []verdict.Site, by string, final bool) {
	all := r.sites(m)
	t := &r.known
	t.telling.Lock()
	defer t.telling.Unlock()
	proof.True = r.asPart(proof.True)
	not := map[verdict.Site]bool{}
	for _, x := range excluded {
		not[x] = true
	}
	t.mu.Lock()
	if t.proofs == nil {
		t.proofs = map[verdict.Site]verdict.True{}
	}
	new := false
	for _, x := range all {
		if _, before := t.proofs[x]; !before && !not[x] {
			t.proofs[x], new = proof.True, true
		}
	}
	if new {
		t.parts = append(t.parts, proof)
	}
	t.final = t.final || final
	f := ProvedChecks{Proofs: maps.Clone(t.proofs), Final: t.final}
	t.mu.Unlock()
	for _, x := range all {
		if _, isProved := f.Proofs[x]; !isProved {
			f.Open = append(f.Open, x)
		}
	}
	for _, x := range excluded {
		if slices.Contains(r.Disputed, x.Kind) {
			f.Open = append(f.Open, x)
		}
	}
	f.Final = f.Final || len(f.Open) == 0
	worth := Certified
	if r.Options.Uncertified {
		worth = Proved
	}
	r.board.publish(ctx, m, Post{Fact: f, By: by, Worth: worth})
	r.decidedOne()
	r.tell(m)
}

// asPart is a proof for some checks, which does not tell of others that are asked about: these are decided on their own.
func (r *run) asPart(t verdict.True) verdict.True {
	t.Unclean = slices.DeleteFunc(slices.Clone(t.Unclean), func(g verdict.Guard) bool { return slices.Contains(r.Targets, g.Kind) })
	return t
}

func (r *run) isProved(x verdict.Site) bool {
	r.known.mu.Lock()
	defer r.known.mu.Unlock()
	_, proved := r.known.proofs[x]
	return proved
}

// violated notes that some run violates a check.
func (r *run) violated(m *ir.Module, c CheckResult) {
	r.known.mu.Lock()
	r.known.refute(c)
	r.known.mu.Unlock()
	r.decidedOne()
	r.tell(m)
}

func (r *run) isRefuted(x verdict.Site) bool {
	r.known.mu.Lock()
	defer r.known.mu.Unlock()
	for at := range r.known.refuted {
		if at.Site == x {
			return true
		}
	}
	return false
}

func (r *run) allProved(m *ir.Module) bool {
	return !slices.ContainsFunc(r.sites(m), func(x verdict.Site) bool { return !r.isProved(x) })
}

// open are the checks that are neither proved nor refuted.
func (r *run) open(m *ir.Module) []verdict.Site {
	return slices.DeleteFunc(slices.Clone(r.sites(m)), func(x verdict.Site) bool { return r.isProved(x) || r.isRefuted(x) })
}
