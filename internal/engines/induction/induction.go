// Package induction proves properties of programs with loops by k-induction with
// invariants [2LS §2.1, §5.3]: of a cut program (package cut), bounded model checking decides
// whether it violates anything, under invariants that package inference finds.
package induction

import (
	"context"
	"errors"
	"time"

	"assay/internal/engines/inference"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// Result is a proof, or what is in its way.
type Result struct {
	// Proof is nil if there is none.
	Proof *verdict.Induction
	// Unclean are guards of undefined behaviour outside of the property that may
	// be broken.
	Unclean []verdict.Guard
	// Found are predicates of the loop heads that are inductive together, provided
	// that before nothing violates the property.
	Found []invariant.Head
	// Why says what is missing, if there is no proof.
	Why   error
	Stats inference.Stats
}

// Prove searches for a proof, with greater and greater k. The certificate has
// not been checked by anybody else.
func Prove(ctx context.Context, m *ir.Module, o inference.Options) (r Result) {
	begin := time.Now()
	defer func() { r.Stats.Time = time.Since(begin) }()
	p, err := inference.New(ctx, m, &o, &r.Stats)
	if err != nil {
		r.Why = err
		return r
	}
	for tries := p.Attempts(); len(tries) > 0; {
		t := tries[0]
		if (t.K > 1 || t.Bounds) && p.More() {
			t = inference.Attempt{K: 1}
		} else {
			tries = tries[1:]
		}
		r.Stats.K = t.K
		proof, unclean, err := p.Prove(ctx, t)
		r.Found = p.Found()
		if proof != nil {
			r.Proof, r.Unclean = proof, unclean
			return r
		}
		if !errors.Is(err, inference.ErrNoProof) {
			r.Why = err
			return r
		}
		if t.K == 1 && o.Invariants != nil {
			o.Invariants(r.Found)
		}
	}
	r.Why = inference.ErrNoProof
	return r
}
