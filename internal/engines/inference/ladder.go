package inference

import (
	"context"

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
	return guess.Heads(loops, guess.OfHeads(m, facts, loops)), nil
}
