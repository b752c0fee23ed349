package induction

import (
	"context"
	"slices"
	"time"

	"assay/internal/engines/inference"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file decides properties on their own [2LS §5.2]: each check of the
// program is one. What holds is proved as one conjunction, in which the
// properties strengthen each other: first all are assumed to hold early, and what
// a model violates, or breaks of the rules, is dropped, until nothing is. So a
// property is proved only with others that are proved with it.

// Each is what was proved of the properties.
type Each struct {
	// Proofs are conjunctions that were proved, one for each k that proved more.
	Proofs []inference.EachProof
	// Open are the properties that none of them proves; nil also if Why says that
	// there was no search.
	Open []verdict.Site
	// Why says what is missing, if some are open.
	Why   error
	Stats inference.Stats
}

// ProveEach searches proofs for as many properties as it can.
func ProveEach(ctx context.Context, m *ir.Module, o inference.Options) (r Each) {
	begin := time.Now()
	defer func() { r.Stats.Time = time.Since(begin) }()
	p, err := inference.New(ctx, m, &o, &r.Stats)
	if err == nil && len(p.Recursive) > 0 {
		err = cut.Refuse(p.Recursive[0].Funcs[0], "its checks are not decided one by one")
	}
	if err != nil {
		r.Why = err
		return r
	}
	for i, t := range p.Attempts() {
		r.Stats.K = t.K
		proof, err := p.ProveEach(ctx, t)
		if err != nil {
			r.Why = err
			return r
		}
		if i == 0 {
			r.Open = slices.Concat(proof.Proved, proof.Excluded)
		}
		if slices.ContainsFunc(proof.Proved, func(x verdict.Site) bool { return slices.Contains(r.Open, x) }) {
			r.Proofs = append(r.Proofs, proof)
			r.Open = slices.DeleteFunc(r.Open, func(x verdict.Site) bool { return slices.Contains(proof.Proved, x) })
		}
		if !slices.ContainsFunc(r.Open, func(x verdict.Site) bool { return !p.IsRefuted(x) }) {
			return r
		}
	}
	r.Why = inference.ErrNoProof
	return r
}
