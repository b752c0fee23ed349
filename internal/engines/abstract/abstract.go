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
	loops, err := cut.Loops(m)
	if err != nil {
		r.Why = err
		return r
	}
	recursive, err := cut.RecursiveComponents(m)
	if err == nil && len(recursive) > 0 {
		err = fmt.Errorf("%s is recursive", recursive[0].Funcs[0].Name)
	}
	if err != nil {
		r.Why = err
		return r
	}
	facts, err := absint.Analyze(ctx, m, absint.Options{Asked: o.Targets})
	switch {
	case err != nil:
		r.Why = err
		return r
	case facts.Incomplete != "":
		r.Why = fmt.Errorf("the analysis was given up: %s", facts.Incomplete)
		return r
	}
	r.judge(m, facts, &o)
	if len(r.Open) > 0 {
		r.Why = fmt.Errorf("it does not exclude %d of %d checks", len(r.Open), len(r.Open)+r.Excluded)
		return r
	}
	candidates := append(guess.OfPhis(m, facts, loops), guess.OfCells(m, facts, loops)...)
	r.Proof = &verdict.Induction{Heads: guess.Heads(loops, candidates)}
	return r
}

// judge sorts the guards of the program.
func (r *Result) judge(m *ir.Module, facts *absint.Facts, o *Options) {
	target := map[ir.CheckKind]bool{}
	for _, k := range o.Targets {
		target[k] = true
	}
	label := cmp.Or(o.Label, "ERROR")
	for i, f := range m.Funcs {
		for b := 1; b < len(f.Blocks); b++ {
			if !facts.Reached(i, ir.BlockID(b)) {
				continue
			}
			for _, v := range f.Blocks[b].Instrs {
				d := &f.Values[v]
				guard := func(k ir.CheckKind) verdict.Guard {
					text := d.Sym
					if d.Op != ir.Check {
						text = k.String()
					}
					return verdict.Guard{Kind: k, Text: cmp.Or(text, k.String()), Func: f.Name, Pos: d.Pos}
				}
				if d.Op == ir.Label && d.Sym == label && target[ir.ErrorLabel] {
					r.Open = append(r.Open, verdict.Guard{Kind: ir.ErrorLabel, Text: "label " + label, Func: f.Name, Pos: d.Pos})
				}
				if d.Op == ir.Check && target[ir.CheckKind(d.Aux)] && !facts.MayViolate(i, v, ir.CheckKind(d.Aux)) {
					r.Excluded++
				}
				for k := ir.CheckNone + 1; k <= ir.Incompatible; k++ {
					switch {
					case !facts.MayViolate(i, v, k):
					case target[k]:
						r.Open = append(r.Open, guard(k))
					case k.Undefined():
						if g := guard(k); !slices.Contains(r.Unclean, g) {
							r.Unclean = append(r.Unclean, g)
						}
					}
				}
			}
		}
	}
	if (target[ir.MemTrack] || target[ir.MemCleanup]) && facts.MayLeak() && len(r.Open) == 0 {
		r.Open = append(r.Open, verdict.Guard{Kind: ir.MemTrack, Text: "a block may be lost"})
	}
}
