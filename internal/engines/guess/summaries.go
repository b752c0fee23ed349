package guess

import (
	"math/big"

	"assay/internal/evidence/invariant"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
)

// This file turns what abstract interpretation knows of functions that it analyses once for all calls into contracts: bounds
// and congruences of integers, at the entry of the parameters and of globals, and at the return of results and of globals that
// may have been written.

// maxClauses bounds the clauses of one side of a contract.
const maxClauses = 64

// KnownContracts are the contracts of the parts, also those that say nothing.
func KnownContracts(facts *absint.Facts) (out []invariant.Contract) {
	for _, p := range facts.Parts() {
		k := invariant.Contract{Func: p.Func.Name, Pos: p.Func.Pos}
		about := func(to *[]invariant.Predicate, t invariant.Term, x absint.Fact) {
			if x.Type().Kind != ir.Int || x.Type().Bits > 64 || x.IsBottom() {
				return
			}
			t.Bits = x.Type().Bits
			for _, c := range fewest(intBounds(nil, t, x.Int())) {
				if len(*to) < maxClauses && !invariant.Trivial(c.Predicate) {
					*to = append(*to, c.Predicate)
				}
			}
		}
		cells := func(to *[]invariant.Predicate, list []absint.CellFact, old bool) {
			for _, c := range list {
				if g := c.Object.Global; g != nil && !g.Constant {
					about(to, invariant.Term{Global: g.Name, Offset: c.Offset, Old: old}, c.Fact)
				}
			}
		}
		for i, x := range p.Params {
			about(&k.Pre, invariant.Term{Value: p.Func.Params[i]}, x)
		}
		cells(&k.Pre, p.Before, true)
		if !p.Returns {
			k.Post = append(k.Post, invariant.Comparison{Bound: big.NewInt(-1)}) // 0 <= -1
		} else if len(p.Results) > 0 {
			about(&k.Post, invariant.Term{}, p.Results[0])
		}
		cells(&k.Post, p.After, false)
		out = append(out, k)
	}
	return out
}
