package conductor

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"assay/internal/engines/bmc"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/schedule"
)

// This file has the table of all checks of a program (Options.EachCheck): which there are,
// and what is known of each, at any time. What is decided stays decided, whatever happens
// to the others and to the run.

// sites are the places of the program, library models included, where a violation of one of
// the kinds may happen as far as the instruction tells.
func sites(m *ir.Module, kinds []ir.CheckKind, label string) (out []verdict.Site) {
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				for _, k := range kindsOf(f.Def(v), cmp.Or(label, "ERROR")) {
					if slices.Contains(kinds, k) {
						out = append(out, verdict.Site{Func: f.Name, Value: v, Kind: k})
					}
				}
			}
		}
	}
	return out
}

// kindsOf are the kinds of violations that an instruction may make.
func kindsOf(d *ir.Def, label string) []ir.CheckKind {
	switch d.Op {
	case ir.Check:
		return []ir.CheckKind{ir.CheckKind(d.Aux)}
	case ir.Label:
		if d.Sym == label {
			return []ir.CheckKind{ir.ErrorLabel}
		}
	case ir.Load, ir.Store, ir.MemCpy, ir.MemSet, ir.Havoc, ir.VaStart:
		return []ir.CheckKind{ir.InvalidDeref}
	case ir.Call:
		if d.Sym == "" { // by a pointer
			return []ir.CheckKind{ir.InvalidDeref, ir.Incompatible}
		}
	case ir.Free:
		return []ir.CheckKind{ir.InvalidFree}
	case ir.Halt:
		return []ir.CheckKind{ir.MemTrack, ir.MemCleanup}
	case ir.Unreachable:
		return []ir.CheckKind{ir.ReachedUnreachable}
	case ir.FToSI, ir.FToUI:
		return []ir.CheckKind{ir.FloatConversion}
	case ir.UDiv, ir.SDiv, ir.URem, ir.SRem:
		return []ir.CheckKind{ir.DivByZero}
	case ir.Shl, ir.LShr, ir.AShr:
		return []ir.CheckKind{ir.ShiftRange}
	}
	return nil
}

// Asked are the places in the program, library models excepted, where one of the kinds of
// checks may fail.
func Asked(m *ir.Module, kinds []ir.CheckKind, label string) (out []verdict.Guard) {
	for _, x := range sites(m, kinds, label) {
		if f := m.Func(x.Func); !f.Model {
			d := f.Def(x.Value)
			out = append(out, verdict.Guard{Kind: x.Kind, Text: guardText(d), Func: x.Func, Pos: d.Pos})
		}
	}
	return out
}

// CheckResult is the answer for one check.
type CheckResult = bmc.CheckResult

// FirstViolation is the index of the first check that is violated, -1 if none is.
func FirstViolation(checks []CheckResult) int {
	return slices.IndexFunc(checks, func(c CheckResult) bool { _, ok := c.Verdict.(verdict.False); return ok })
}

// checkTable is what is known of the checks while the engines run.
type checkTable struct {
	mu     sync.Mutex
	checks []bmc.CheckResult // decided by bounded search
	sites  map[*ir.Module][]verdict.Site
	// unwound says that bounded search has found no violation with each loop unwound once.
	unwound atomic.Bool
	// proofs are those that were accepted; final says that induction will prove no more.
	proofs map[verdict.Site]verdict.True
	final  bool
	// parts are the proofs that proved anything new, in the order in which they were accepted.
	parts []part
	// refuted are the checks that some engine has refuted.
	refuted map[met]bmc.CheckResult
	// asked are the checks that askTogether asks about at the moment, stop ends that.
	asked []verdict.Site
	stop  context.CancelFunc
	// telling is held while proofs are put on the board, so that the last ones stay there.
	telling sync.Mutex
}

// met is a check where a run meets it: that of a library model at the call of the program.
type met struct {
	verdict.Site
	pos ir.Pos
}

func metAt(c *CheckResult) met {
	return met{verdict.Site{Func: c.Guard.Func, Value: c.Value, Kind: c.Guard.Kind}, c.Guard.Pos}
}

// sites are those of a program, made once.
func (r *run) sites(m *ir.Module) []verdict.Site {
	t := &r.known
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.sites == nil {
		t.sites = map[*ir.Module][]verdict.Site{}
	}
	out, ok := t.sites[m]
	if !ok {
		out = sites(m, r.Targets, r.Label)
		t.sites[m] = out
	}
	return out
}

// refute notes that some run violates a check; mu is held.
func (t *checkTable) refute(c CheckResult) {
	if t.refuted == nil {
		t.refuted = map[met]CheckResult{}
	}
	if at := metAt(&c); t.refuted[at].Verdict == nil {
		t.refuted[at] = c
	}
}

// violations are the checks that are refuted, in an order that depends on nothing but these.
func (t *checkTable) violations() []CheckResult {
	t.mu.Lock()
	defer t.mu.Unlock()
	return slices.SortedFunc(maps.Values(t.refuted), func(a, b CheckResult) int {
		return cmp.Or(strings.Compare(a.Guard.Func, b.Guard.Func), cmp.Compare(a.Value, b.Value), cmp.Compare(a.Guard.Pos.Line, b.Guard.Pos.Line), cmp.Compare(a.Guard.Pos.Col, b.Guard.Pos.Col))
	})
}

// found notes what bounded search has decided.
func (r *run) found(m *ir.Module, checks []bmc.CheckResult) {
	r.known.mu.Lock()
	r.known.checks = checks
	for _, c := range checks {
		if _, refuted := c.Verdict.(verdict.False); refuted {
			r.known.refute(c)
		}
	}
	r.known.mu.Unlock()
	r.decidedOne()
	r.tell(m)
}

// Known is what is known while the engines run.
type Known struct {
	// Module is the program that it is about.
	Module *ir.Module
	// Checks are the answers for each check, with Options.EachCheck.
	Checks []CheckResult
	// Reasons say why there is no answer so far.
	Reasons []verdict.Reason
}

// tell reports the table as it is, and what the engines say.
func (r *run) tell(m *ir.Module) {
	if r.Decided == nil {
		return
	}
	r.Decided(func(stopped verdict.Reason) Known {
		out := Known{Module: m}
		r.said.mu.Lock()
		list := slices.Clone(r.said.list)
		r.said.mu.Unlock()
		out.Reasons = r.obstacles(m, list, &stopped)
		if r.Options.EachCheck {
			proved, _, _ := look[ProvedChecks](r.board, m)
			r.known.mu.Lock()
			checks := r.known.checks
			r.known.mu.Unlock()
			out.Checks = r.joined(m, checks, proved.Proofs, verdict.Unknown{})
		}
		return out
	})
}

// joined is the table of the checks: what bounded search says of them and, where it says
// nothing, what other engines have refuted, or proved. Of all others rest is the answer. Checks of library models are
// listed where bounded search has met them, at the calls of the program. It panics if
// the two contradict each other.
func (r *run) joined(m *ir.Module, checks []bmc.CheckResult, proofs map[verdict.Site]verdict.True, rest verdict.Verdict) []bmc.CheckResult {
	checks = slices.Clone(checks)
	for _, x := range r.known.violations() {
		i := slices.IndexFunc(checks, func(c CheckResult) bool { return metAt(&c) == metAt(&x) })
		if i < 0 {
			checks = append(checks, x)
		} else if _, isUnknown := checks[i].Verdict.(verdict.Unknown); isUnknown {
			checks[i].Verdict = x.Verdict
		}
	}
	listed := map[verdict.Site]bool{}
	var out []bmc.CheckResult
	for _, x := range checks {
		key := verdict.Site{Func: x.Guard.Func, Value: x.Value, Kind: x.Guard.Kind}
		listed[key] = true
		proof, isProved := proofs[key]
		switch x.Verdict.(type) {
		case verdict.False:
			if isProved {
				panic(&schedule.Failure{Engine: "bmc and induction", Value: "they contradict each other: one proves a check that bounded search refutes"})
			}
		case verdict.Unknown:
			if isProved {
				x.Verdict = proof
			}
		}
		out = append(out, x)
	}
	for _, key := range r.sites(m) {
		f := m.Func(key.Func)
		if listed[key] || f.Model || key.Kind == ir.MemTrack || key.Kind == ir.MemCleanup {
			continue
		}
		d := f.Def(key.Value)
		v := rest
		if proof, isProved := proofs[key]; isProved {
			v = proof
		}
		out = append(out, bmc.CheckResult{Guard: verdict.Guard{Kind: key.Kind, Text: guardText(d), Func: key.Func, Pos: d.Pos}, Value: key.Value, Verdict: v})
	}
	return out
}

// guardText says what an instruction checks.
func guardText(d *ir.Def) string {
	switch d.Op {
	case ir.Load:
		return "invalid read"
	case ir.Store:
		return "invalid write"
	case ir.Label:
		return "label " + d.Sym
	case ir.Check:
		return d.Sym
	}
	return ""
}

// joinChecks puts the answers of both engines for single checks together, and the verdict
// on all of them.
func (r *run) joinChecks(m *ir.Module, out *Answer, search *Reply) {
	c, _, _ := look[ProvedChecks](r.board, m)
	rest := verdict.Verdict(verdict.Unknown{})
	var checks []bmc.CheckResult
	if search != nil {
		if _, isUnknown := search.Verdict.(verdict.Unknown); !isUnknown && search.Verdict != nil {
			out.Verdict = search.Verdict
		}
		checks = search.Checks
		if search.Rest != nil {
			rest = search.Rest
		}
	}
	if checks == nil {
		r.known.mu.Lock()
		checks = r.known.checks
		r.known.mu.Unlock()
	}
	out.Checks = r.joined(m, checks, c.Proofs, rest)
	if _, isUnknown := out.Verdict.(verdict.Unknown); !isUnknown {
		return
	}
	// The whole is violated if a check is, and proved if all are.
	proofs := map[verdict.Site]verdict.Verdict{}
	for x, proof := range c.Proofs {
		proofs[x] = proof
	}
	for _, x := range out.Checks {
		key := verdict.Site{Func: x.Guard.Func, Value: x.Value, Kind: x.Guard.Kind}
		switch v := x.Verdict.(type) {
		case verdict.False:
			out.Verdict = v
			return
		case verdict.Unknown:
			proofs[key] = v
		case verdict.True:
			if proofs[key] == nil {
				proofs[key] = v
			}
		}
	}
	var last verdict.True
	for _, x := range r.sites(m) {
		proof, isTrue := proofs[x].(verdict.True)
		if !isTrue {
			return
		}
		last = proof
	}
	if last.Certificate != nil {
		out.Verdict = last
	}
}
