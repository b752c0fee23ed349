package conductor

import (
	"context"

	"assay/internal/engines/lasso"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// Endless says whether the run with an input comes back to a state that it was in, so that it need not end. Otherwise why says what
// it does.
func Endless(ctx context.Context, m *ir.Module, in ir.Input, s Semantics) (f *verdict.False, why string) {
	f, why, err := lasso.Confirm(ctx, m, in)
	switch {
	case err != nil:
		return nil, err.Error()
	case f != nil && f.Endless.Overflow != nil && s != Wrap:
		return nil, "it goes on for ever only because of a signed overflow"
	}
	return f, why
}
