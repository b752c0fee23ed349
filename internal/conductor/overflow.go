package conductor

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"assay/internal/certify/accept"
	"assay/internal/engines/symex"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/run/work"
)

// A proof of termination on machine integers is one for C if no signed overflow influences
// which way the program goes (--semantics c). Engines list the overflows that they did
// not exclude; the answer says that the others never happen. This file has that claim
// checked by the checker that accepted the proof. An overflow that it does not exclude is
// listed as possible, and termination.go goes on from there.

// excluding completes the list of overflows that a proof about m did not exclude. check
// asks the checker whether no overflow happens but at the excluded places, of which it is
// not claimed.
func (r *run) excluding(ctx context.Context, m *ir.Module, listed []verdict.Guard, check func(ctx context.Context, claim *verdict.Claim) error) []verdict.Guard {
	if r.Semantics != C || r.Options.Uncertified {
		return listed
	}
	claimed, excluded := overflows(m, listed)
	if len(claimed) == 0 {
		return listed
	}
	if overflowMatters(m, listed) { // the proof is looked at over the integers anyway
		return append(slices.Clone(listed), claimed...)
	}
	soon, stop := work.WithTimeout(ctx, wrapTimeEnding)
	defer stop()
	if check(soon, &verdict.Claim{Program: m, Targets: []ir.CheckKind{ir.Overflow}, All: true, Excluded: excluded, Solver: verdict.CaDiCaL}) == nil {
		return listed
	}
	return append(slices.Clone(listed), claimed...)
}

// excludingByGraph does so for a proof by a symbolic execution graph: a second graph, in
// which an overflow is a violation, is checked.
func (r *run) excludingByGraph(ctx context.Context, m *ir.Module, listed []verdict.Guard) []verdict.Guard {
	return r.excluding(ctx, m, listed, func(ctx context.Context, claim *verdict.Claim) error {
		b := symex.Build(ctx, m, symex.Options{Targets: claim.Targets})
		if b.Obstacle != nil || len(b.Suspects) > 0 {
			return errPossible
		}
		claim.Evidence = &verdict.SymbolicGraph{Graph: b.Graph}
		_, err := accept.Program(ctx, claim)
		return err
	})
}

// errPossible says that an overflow was not excluded.
var errPossible = errors.New("signed arithmetic may overflow")

// overflows divides the checks of signed overflow: those of which a proof claims that they
// never fail, and that matter; and the others.
func overflows(m *ir.Module, listed []verdict.Guard) (claimed []verdict.Guard, excluded []verdict.Site) {
	for _, f := range m.Funcs {
		for v := range f.Values {
			d := f.Def(ir.Value(v))
			if d.Op != ir.Check || d.Block == 0 || ir.CheckKind(d.Aux) != ir.Overflow {
				continue
			}
			if isListed(listed, d.Pos) || !mayInfluence(f, ir.Value(v)) {
				excluded = append(excluded, verdict.Site{Func: f.Name, Value: ir.Value(v), Kind: ir.Overflow})
			} else {
				claimed = append(claimed, verdict.Guard{Kind: ir.Overflow, Func: f.Name, Pos: d.Pos, Text: cmp.Or(d.Sym, ir.Overflow.String())})
			}
		}
	}
	return claimed, excluded
}

// isListed says whether guards have a signed overflow at a position. Where recursion
// became loops, one function has the body of another, so the function does not count.
func isListed(guards []verdict.Guard, at ir.Pos) bool {
	return slices.ContainsFunc(guards, func(g verdict.Guard) bool {
		return g.Kind == ir.Overflow && (g.Pos == at || g.Text == anywhere)
	})
}

// mayInfluence says whether the result of an overflow may influence in what happens next.
func mayInfluence(f *ir.Func, check ir.Value) bool {
	all := make([]bool, len(f.Blocks))
	for b := range all {
		all[b] = true
	}
	x := f.Overflowing(check)
	return x == 0 || f.Influences(x, all)
}

// overflowMatters says whether one of the guards is a signed overflow whose result may
// influence what happens next.
func overflowMatters(m *ir.Module, unclean []verdict.Guard) bool {
	for _, f := range m.Funcs {
		for v := range f.Values {
			d := f.Def(ir.Value(v))
			if d.Op == ir.Check && ir.CheckKind(d.Aux) == ir.Overflow && isListed(unclean, d.Pos) && mayInfluence(f, ir.Value(v)) {
				return true
			}
		}
	}
	return false
}
