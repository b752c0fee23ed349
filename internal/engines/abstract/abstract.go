// Package abstract proves properties of programs by abstract interpretation alone: of a
// program in which package absint excludes every violation, what it knows at the heads of
// the loops is a proof by invariants that are inductive by themselves [Floyd67]. It costs
// about as much as the program has instructions, where a proof by formulas asks about all
// loops together.
//
// The analysis is not believed. A checker makes its own formulas from the predicates of the
// heads, and it may refuse: where the analysis knows more than predicates can say (what
// pointers point to, what is known in one calling context only), or is wrong.
package abstract

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/engines/guess"
	"assay/internal/evidence/verdict"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// Options say what to prove.
type Options struct {
	// Targets are the kinds of events that must not happen.
	Targets []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// Parts proves function by function: functions that are called often are analysed once, and their
	// contracts are inferred.
	Parts bool
}

// Result is a proof, or what is in its way.
type Result struct {
	// Proof is nil if there is none.
	Proof *verdict.Induction
	// Unclean are guards of undefined behaviour outside of the property that may be
	// broken.
	Unclean []verdict.Guard
	// Open are the checks that the analysis does not exclude, in the order of the program.
	Open []verdict.Guard
	// Excluded is the number of the checks that it does.
	Excluded int
	// Why says what is missing, if there is no proof.
	Why error
}

// Prove analyses the module. The certificate has not been checked by anybody else.
func Prove(ctx context.Context, m *ir.Module, o Options) (r Result) {
	p, err := analyse(ctx, m, absint.Options{Asked: o.Targets, Summaries: o.Parts}, o)
	if err != nil {
		r.Why = err
		return r
	}
	if !o.Parts && len(p.open) > 0 && absint.Partitions(m) {
		apart, err := analyse(ctx, m, absint.Options{Asked: o.Targets, Partition: true}, o)
		if err == nil && len(apart.open) < len(p.open) {
			p = apart
		}
	}
	r.Open, r.Unclean, r.Excluded = p.open, p.unclean, len(p.excluded)
	if len(r.Open) > 0 {
		r.Why = errOpen
		return r
	}
	r.Proof = p.proof()
	return r
}

// InParts says whether a program is to be proved function by function: it is much longer with each call replaced by
// what is called, or it has recursive functions.
func InParts(m *ir.Module) bool {
	p := absint.Parts(m)
	return len(p.Parts) > 0 && p.Recursive == nil && (p.Cut || p.Inlined > max(leastInlined, 2*p.Size))
}

// leastInlined is the number of instructions up to which a program is proved as a whole.
const leastInlined = 400

var errOpen = errors.New("checks are open")

// Each is what was proved of the checks one by one.
type Each struct {
	// Proof is one for all checks in Proved; nil if there is none.
	Proof *verdict.Induction
	// Proved are checks that are excluded, Open the others.
	Proved, Open []verdict.Site
	// Why says why nothing was found out.
	Why error
}

// ProveEach decides each check on its own: runs go on behind a violation.
func ProveEach(ctx context.Context, m *ir.Module, o Options) (r Each) {
	p, err := analyse(ctx, m, absint.Options{}, o)
	if err != nil {
		r.Why = err
		return r
	}
	return Each{Proof: p.proof(), Proved: p.excluded, Open: p.sites}
}

// program is a module with what the analysis says of its guards.
type program struct {
	m     *ir.Module
	loops []*cut.Loop
	facts *absint.Facts
	// excluded are the checks of the targets that no run violates; open, and sites, those
	// guards of the targets that may be broken.
	excluded, sites []verdict.Site
	open, unclean   []verdict.Guard
}

// analyse finds out about the guards of the module, in runs that end where a guard of a
// kind asked for is broken.
func analyse(ctx context.Context, m *ir.Module, a absint.Options, o Options) (*program, error) {
	loops, err := cut.Loops(m)
	if err != nil {
		return nil, err
	}
	if a.Summaries {
		if f := absint.Parts(m).Recursive; f != nil {
			return nil, fmt.Errorf("%s is recursive", f.Name)
		}
	} else if recursive, err := cut.RecursiveComponents(m); err != nil {
		return nil, err
	} else if len(recursive) > 0 {
		return nil, fmt.Errorf("%s is recursive", recursive[0].Funcs[0].Name)
	}
	facts, err := absint.Analyze(ctx, m, a)
	switch {
	case err != nil:
		return nil, err
	case facts.Incomplete != "":
		return nil, fmt.Errorf("the analysis was given up: %s", facts.Incomplete)
	}
	p := &program{m: m, loops: loops, facts: facts}
	for i, f := range m.Funcs {
		for b := 1; b < len(f.Blocks); b++ {
			for _, v := range f.Blocks[b].Instrs {
				p.judge(i, v, facts.Reached(i, ir.BlockID(b)), &o)
			}
		}
	}
	if leaks := slices.ContainsFunc(o.Targets, func(k ir.CheckKind) bool { return k == ir.MemTrack || k == ir.MemCleanup }); leaks && facts.MayLeak() && len(p.open) == 0 {
		p.open = append(p.open, verdict.Guard{Kind: ir.MemTrack, Text: "a block may be lost"})
	}
	return p, nil
}

// judge sorts the guards of an instruction.
func (p *program) judge(fn int, v ir.Value, reached bool, o *Options) {
	f := p.m.Funcs[fn]
	d := &f.Values[v]
	if d.Op == ir.Label && d.Sym == cmp.Or(o.Label, "ERROR") && reached && slices.Contains(o.Targets, ir.ErrorLabel) {
		p.open = append(p.open, verdict.Guard{Kind: ir.ErrorLabel, Text: "label " + d.Sym, Func: f.Name, Pos: d.Pos})
		p.sites = append(p.sites, verdict.Site{Func: f.Name, Value: v, Kind: ir.ErrorLabel})
	}
	for k := ir.CheckNone + 1; k <= ir.Incompatible; k++ {
		site := verdict.Site{Func: f.Name, Value: v, Kind: k}
		target := slices.Contains(o.Targets, k)
		if !reached || !p.facts.MayViolate(fn, v, k) {
			if target && d.Op == ir.Check && ir.CheckKind(d.Aux) == k {
				p.excluded = append(p.excluded, site)
			}
			continue
		}
		guard := verdict.Guard{Kind: k, Text: verdict.KindText(k), Func: f.Name, Pos: d.Pos}
		switch {
		case d.Op == ir.Check && d.Sym != "":
			guard.Text = d.Sym
		case d.Op == ir.Load && k == ir.InvalidDeref:
			guard.Text = "invalid read"
		case d.Op == ir.Store && k == ir.InvalidDeref:
			guard.Text = "invalid write"
		}
		switch {
		case target:
			p.open, p.sites = append(p.open, guard), append(p.sites, site)
		case k.Undefined() && !slices.Contains(p.unclean, guard):
			p.unclean = append(p.unclean, guard)
		}
	}
}

// proof is what is known at the heads of the loops.
func (p *program) proof() *verdict.Induction {
	return &verdict.Induction{Heads: guess.Heads(p.loops, guess.Known(p.m, p.facts, p.loops)), Contracts: guess.KnownContracts(p.facts)}
}
