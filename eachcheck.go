package assay

import (
	"cmp"
	"context"
	"slices"
	"sync"
	"time"

	"assay/internal/bmc"
	"assay/internal/certify"
	"assay/internal/induction"
	"assay/internal/ir"
	"assay/internal/show"
	"assay/internal/verdict"
)

// eachCheck lists every check with its own answer, in the order of the source.
// The engine lists those that a run may violate as far as it knows; the others
// are true, if all runs were looked at to their end.
func eachCheck(m *ir.Module, kinds []ir.CheckKind, answer bmc.Result) []CheckResult {
	var out []CheckResult
	listed := map[Place]bool{}
	_, complete := answer.Verdict.(verdict.True)
	for _, c := range answer.Checks {
		r := explainCheck(m, c.Guard, c.Verdict)
		listed[r.Place] = true
		complete = complete || r.Answer == True
		out = append(out, r)
	}
	if complete {
		for _, g := range explicitChecks(m, kinds) {
			if p := show.PlaceOf(m, g); !listed[p] {
				listed[p] = true
				out = append(out, CheckResult{Place: p, Property: violated(g.Kind), Answer: True})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b CheckResult) int {
		p, q := a.Place.Pos, b.Place.Pos
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return out
}

// explicitChecks are the check instructions of the program, library models
// excepted.
func explicitChecks(m *ir.Module, kinds []ir.CheckKind) []verdict.Guard {
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

// searchEach decides each check on its own: bounded search refutes, and proves
// what loops that end allow; induction proves sets of checks, each as one
// conjunction. Bounded search ends when it has refuted all that is not proved.
func (r *run) searchEach(ctx context.Context, m *ir.Module, o bmc.Options) bmc.Result {
	var mu sync.Mutex
	var proved map[induction.Property]verdict.True // nil: not known yet
	var open []induction.Property
	search, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	proofs, give := context.WithCancel(ctx)
	defer give()
	done := make(chan any, 1)
	refuted := map[induction.Property]bool{}
	known := checkProperties(m, o.Targets)
	isRefuted := func(x induction.Property) bool {
		mu.Lock()
		defer mu.Unlock()
		return refuted[x]
	}
	o.Settled = func(decided func(string, ir.Value, ir.CheckKind) bool) bool {
		mu.Lock()
		defer mu.Unlock()
		for _, x := range known {
			if decided(x.Func, x.Value, x.Kind) {
				refuted[x] = true
			}
		}
		return proved != nil && !slices.ContainsFunc(open, func(x induction.Property) bool { return !decided(x.Func, x.Value, x.Kind) })
	}
	go func() {
		defer func() { done <- recover() }()
		p, left := r.proveEach(proofs, m, o, isRefuted)
		mu.Lock()
		defer mu.Unlock()
		if proved, open = p, left; proved != nil && len(open) == 0 {
			stop(errAnswered)
		}
	}()
	b := bmc.Run(search, m, o)
	if _, isTrue := b.Verdict.(verdict.True); isTrue {
		give()
	}
	if p := <-done; p != nil {
		panic(p)
	}
	if len(proved) == 0 {
		return b
	}
	return combineEach(m, o.Targets, b, proved, open)
}

// combineEach puts the answers of both engines together.
func combineEach(m *ir.Module, targets []ir.CheckKind, b bmc.Result, proved map[induction.Property]verdict.True, open []induction.Property) bmc.Result {
	listed := map[induction.Property]bool{}
	refuted, unknown := false, len(open) > 0
	for i := range b.Checks {
		c := &b.Checks[i]
		key := induction.Property{Func: c.Guard.Func, Value: c.Value, Kind: c.Guard.Kind}
		listed[key] = true
		proof, isProved := proved[key]
		switch c.Verdict.(type) {
		case verdict.False:
			if refuted = true; isProved {
				c.Verdict = verdict.Unknown{Reasons: []verdict.Reason{{
					Cause: verdict.CauseInternal, Text: "k-induction proves what bounded search refutes",
				}}}
				b.Verdict = c.Verdict
				return b
			}
		case verdict.Unknown:
			if isProved {
				c.Verdict = proof
			} else {
				unknown = true
			}
		}
	}
	for key, proof := range proved {
		if !listed[key] && slices.Contains(targets, key.Kind) {
			d := m.Func(key.Func).Def(key.Value)
			guard := verdict.Guard{Kind: key.Kind, Text: d.Sym, Func: key.Func, Pos: d.Pos}
			b.Checks = append(b.Checks, bmc.CheckResult{Guard: guard, Value: key.Value, Verdict: proof})
		}
		if _, isUnknown := b.Verdict.(verdict.Unknown); isUnknown && !refuted && !unknown {
			b.Verdict = proof
		}
	}
	return b
}

// proveEach proves what induction can, and has it checked; open is what it
// leaves open. There is no answer if it could not begin.
func (r *run) proveEach(ctx context.Context, m *ir.Module, o bmc.Options, isRefuted func(induction.Property) bool) (proved map[induction.Property]verdict.True, open []induction.Property) {
	select { // bounded search refutes most of what is false at once
	case <-ctx.Done():
		return nil, nil
	case <-time.After(headStart):
	}
	options := r.inductionOptions(o)
	options.Refuted = isRefuted
	p := induction.ProveEach(ctx, m, options)
	if len(p.Proofs) == 0 {
		return nil, nil
	}
	proved, open = map[induction.Property]verdict.True{}, p.Open
	for _, x := range p.Proofs {
		cert := verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}}
		if o.Certify {
			claimed := certify.Options{Targets: slices.Concat(o.Targets, o.Disputed), Label: o.Label, All: true, Engine: certify.CaDiCaL}
			for _, e := range x.Excluded {
				claimed.Excluded = append(claimed.Excluded, certify.Place{Func: e.Func, Value: e.Value, Kind: e.Kind})
			}
			checker, err := certify.Induction(ctx, m, claimed, x.Proof)
			if err != nil {
				open = append(open, x.Proved...)
				continue
			}
			x.Proof.Checker = checker
			cert.Certificate = x.Proof
		}
		for _, y := range x.Proved {
			proved[y] = cert
		}
	}
	return proved, open
}

// checkProperties are the checks of a program as properties.
func checkProperties(m *ir.Module, kinds []ir.CheckKind) []induction.Property {
	var out []induction.Property
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				if d := f.Def(v); d.Op == ir.Check && slices.Contains(kinds, ir.CheckKind(d.Aux)) {
					out = append(out, induction.Property{Func: f.Name, Value: v, Kind: ir.CheckKind(d.Aux)})
				}
			}
		}
	}
	return out
}
