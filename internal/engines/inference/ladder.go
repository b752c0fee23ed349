package inference

import (
	"context"
	"math/big"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// Ladder are the predicates of loop heads that the abstract interpretation finds.
func Ladder(ctx context.Context, m *ir.Module, targets []ir.CheckKind) ([]invariant.Head, error) {
	loops, err := cut.Loops(m)
	if err != nil { // no loops that can be cut, and nothing to say of them
		return nil, nil
	}
	facts, err := absint.Analyze(ctx, m, absint.Options{Asked: targets})
	if err != nil {
		return nil, err
	}
	var rules []*rule
	for _, c := range fromLadder(m, facts, loops) {
		if !invariant.Trivial(c.Predicate) {
			rules = append(rules, &rule{Candidate: c})
		}
	}
	return heads(loops, rules), nil
}

// fromLadder turns what the abstract interpretation knows of the phis of the
// loop heads into candidates: they hold, but are proved again with the others.
func fromLadder(m *ir.Module, facts *absint.Facts, loops []*cut.Loop) []cut.Candidate {
	if facts == nil || facts.Incomplete != "" {
		return nil
	}
	index := map[*ir.Func]int{}
	for i, f := range m.Funcs {
		index[f] = i
	}
	var out []cut.Candidate
	for _, l := range loops {
		for _, v := range l.Func.Blocks[l.Head].Instrs {
			d := l.Func.Def(v)
			if d.Op != ir.Phi {
				break
			}
			if d.Type.Kind == ir.Float && (d.Type.Bits == 32 || d.Type.Bits == 64) {
				out = append(out, guess.FloatBounds(l, cut.Place{Value: v, Bits: d.Type.Bits, Float: true}, facts.Value(index[l.Func], v).Float())...)
			}
			if d.Type.Kind != ir.Int || d.Type.Bits > 64 {
				continue
			}
			x := facts.Value(index[l.Func], v).Int()
			if x.IsTop() || x.IsBottom() {
				continue
			}
			add := func(coeff int64, signed bool, r invariant.Relation, bound *big.Int, modulus uint64) {
				t := invariant.Term{Coeff: coeff, Value: v, Bits: d.Type.Bits, Signed: signed}
				out = append(out, cut.Candidate{Loop: l, Predicate: invariant.Comparison{Terms: []invariant.Term{t}, Relation: r, Bound: bound, Modulus: modulus}})
			}
			add(1, true, invariant.AtMost, big.NewInt(x.SHi), 0)
			add(-1, true, invariant.AtMost, new(big.Int).Neg(big.NewInt(x.SLo)), 0)
			add(1, false, invariant.AtMost, new(big.Int).SetUint64(x.UHi), 0)
			add(-1, false, invariant.AtMost, new(big.Int).Neg(new(big.Int).SetUint64(x.ULo)), 0)
			if mod, rem := x.Congruence(); mod > 1 {
				add(1, false, invariant.Congruent, new(big.Int).SetUint64(rem), mod)
			}
		}
	}
	return out
}
