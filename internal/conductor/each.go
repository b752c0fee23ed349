package conductor

import (
	"context"
	"maps"
	"slices"

	"assay/internal/certify/accept"
	"assay/internal/engines/abstract"
	"assay/internal/engines/bmc"
	"assay/internal/engines/induction"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/schedule"
)

// This file decides each check on its own: bounded search refutes, and proves what loops
// that end allow; induction proves sets of checks, each as one conjunction.

// settled is what bounded search asks at every depth: whether nothing is left to do. It
// also tells induction which checks are refuted.
func (r *run) settled(ctx context.Context, m *ir.Module) func(decided func(string, ir.Value, ir.CheckKind) bool) bool {
	known := checkProperties(m, r.Targets)
	refuted := 0
	return func(decided func(string, ir.Value, ir.CheckKind) bool) bool {
		found := RefutedChecks{}
		for _, x := range known {
			if decided(x.Func, x.Value, x.Kind) {
				found[x] = true
			}
		}
		if len(found) > refuted {
			refuted = len(found)
			r.board.publish(ctx, m, Post{Fact: found, By: "bmc", Worth: Proved})
		}
		proved, ok, _ := look[ProvedChecks](r.board, m)
		return ok && proved.Final && !slices.ContainsFunc(proved.Open, func(x verdict.Site) bool { return !decided(x.Func, x.Value, x.Kind) })
	}
}

// inductEach proves what abstract interpretation can, then of the rest what induction can,
// and has it checked. It answers if that is everything; what it has proved is on the board.
func (r *run) inductEach(ctx context.Context, m *ir.Module) Reply {
	e := &eachProof{r: r, m: m, proved: map[verdict.Site]verdict.True{}}
	alone := r.Options.Only == "abstract"
	if alone || r.Options.Only == "" && !r.Options.chosen() {
		a := abstract.ProveEach(ctx, m, abstract.Options{Targets: slices.Concat(r.Targets, r.Disputed), Label: r.Label})
		if a.Proof != nil && e.add(ctx, a.Proof, a.Proved, a.Open) {
			e.publish(ctx, "abstract", ProvedChecks{Open: a.Open, Final: len(a.Open) == 0 || alone})
			if len(a.Open) == 0 {
				return Reply{Verdict: e.last}
			}
		}
	}
	if alone {
		if len(e.proved) == 0 { // nothing, for good
			e.publish(ctx, "abstract", ProvedChecks{Open: checkProperties(m, r.Targets), Final: true})
		}
		return Reply{}
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
		if !e.add(ctx, x.Proof, x.Proved, x.Excluded) {
			open = append(open, x.Proved...)
		}
	}
	if len(p.Proofs) == 0 {
		return Reply{}
	}
	e.publish(ctx, "induction", ProvedChecks{Open: open, Final: true})
	if len(open) == 0 {
		return Reply{Verdict: e.last}
	}
	return Reply{}
}

// eachProof collects proofs for sets of checks.
type eachProof struct {
	r      *run
	m      *ir.Module
	proved map[verdict.Site]verdict.True
	last   verdict.True
}

// add has a proof checked, of which nothing is claimed for the checks excluded. It says
// whether it was accepted.
func (e *eachProof) add(ctx context.Context, proof *verdict.Induction, proved, excluded []verdict.Site) bool {
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
	for _, x := range proved {
		e.proved[x] = cert
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
}

// joinChecks puts the answers of both engines for single checks together. It panics if
// they contradict each other.
func (r *run) joinChecks(m *ir.Module, out *Answer, search *Reply) {
	c, _, _ := look[ProvedChecks](r.board, m)
	out.Verdict, out.Checks = search.Verdict, search.Checks
	if len(c.Proofs) == 0 {
		return
	}
	listed := map[verdict.Site]bool{}
	refuted, unknown := false, len(c.Open) > 0 || !c.Final
	for i := range out.Checks {
		x := &out.Checks[i]
		key := verdict.Site{Func: x.Guard.Func, Value: x.Value, Kind: x.Guard.Kind}
		listed[key] = true
		proof, isProved := c.Proofs[key]
		switch x.Verdict.(type) {
		case verdict.False:
			if refuted = true; isProved {
				panic(&schedule.Failure{Engine: "bmc and induction", Value: "they contradict each other: one proves a check that bounded search refutes"})
			}
		case verdict.Unknown:
			if isProved {
				x.Verdict = proof
			} else {
				unknown = true
			}
		}
	}
	for key, proof := range c.Proofs {
		if !listed[key] && slices.Contains(r.Targets, key.Kind) {
			d := m.Func(key.Func).Def(key.Value)
			guard := verdict.Guard{Kind: key.Kind, Text: d.Sym, Func: key.Func, Pos: d.Pos}
			out.Checks = append(out.Checks, bmc.CheckResult{Guard: guard, Value: key.Value, Verdict: proof})
		}
		if _, isUnknown := out.Verdict.(verdict.Unknown); isUnknown && !refuted && !unknown {
			out.Verdict = proof
		}
	}
}

// checkProperties are the checks of a program as properties.
func checkProperties(m *ir.Module, kinds []ir.CheckKind) []verdict.Site {
	var out []verdict.Site
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				if d := f.Def(v); d.Op == ir.Check && slices.Contains(kinds, ir.CheckKind(d.Aux)) {
					out = append(out, verdict.Site{Func: f.Name, Value: v, Kind: ir.CheckKind(d.Aux)})
				}
			}
		}
	}
	return out
}

// Checks are the check instructions of the program, library models
// excepted.
func Checks(m *ir.Module, kinds []ir.CheckKind) []verdict.Guard {
	var out []verdict.Guard
	for _, f := range m.Funcs {
		if f.Model {
			continue
		}
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				if d := f.Def(v); d.Op == ir.Check && slices.Contains(kinds, ir.CheckKind(d.Aux)) {
					out = append(out, verdict.Guard{Kind: ir.CheckKind(d.Aux), Text: d.Sym, Func: f.Name, Pos: d.Pos})
				}
			}
		}
	}
	return out
}

// Asked are the places in the program, library models excepted, where one of the kinds of
// checks may fail: check instructions, accesses, labels and calls.
func Asked(m *ir.Module, kinds []ir.CheckKind) []verdict.Guard {
	var out []verdict.Guard
	for _, f := range m.Funcs {
		if f.Model {
			continue
		}
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				d := f.Def(v)
				kind, text := ir.CheckNone, ""
				switch d.Op {
				case ir.Check:
					kind, text = ir.CheckKind(d.Aux), d.Sym
				case ir.Load, ir.Store, ir.MemCpy, ir.MemSet:
					kind = ir.InvalidDeref
				case ir.Label:
					kind, text = ir.ErrorLabel, d.Sym
				case ir.Call:
					if d.Sym == "free" || d.Sym == "realloc" {
						kind = ir.InvalidFree
					}
				}
				if slices.Contains(kinds, kind) {
					out = append(out, verdict.Guard{Kind: kind, Text: text, Func: f.Name, Pos: d.Pos})
				}
			}
		}
	}
	return out
}
