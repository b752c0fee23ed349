package conductor

import (
	"context"
	"testing"

	"assay/internal/certify/accept"
	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"os"
	"path/filepath"
)

// loaded is a C program as the engines for termination have it.
func loaded(t *testing.T, source string) *ir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.c")
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}, DataModel: frontend.LP64})
	if err != nil {
		t.Fatal(err)
	}
	return ir.WithGlobals(p.Module)
}

// TestExcludedOverflows: that an engine lists no overflow is a claim, and it is checked.
// The engine here lists none, whatever the program does.
func TestExcludedOverflows(t *testing.T) {
	for _, c := range []struct {
		name, source string
		listed       bool
	}{
		{"in bounds", `extern int nondet(void); int main(void) { int x = nondet(); if (x < 0 || x > 9) return 0; for (int i = 0; i < 4; i++) x = x + i; return x; }`, false},
		{"no say", `extern int nondet(void); int main(void) { int x = nondet(); for (int i = 0; i < 4; i++) x = x + i; return 0; }`, false},
		{"the branch depends on it", `extern int nondet(void); int main(void) { int x = nondet(); for (int i = 0; i < 4; i++) { x = x + i; if (x < 0) return 1; } return 0; }`, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := loaded(t, c.source)
			r := newRun(Task{Semantics: C})
			main := m.Func("main")
			var bounds []verdict.Bound
			for b := range main.Blocks {
				bounds = append(bounds, verdict.Bound{Func: "main", Head: ir.BlockID(b), N: 5})
			}
			got := r.excluding(t.Context(), m, nil, func(ctx context.Context, claim *verdict.Claim) error {
				claim.Evidence = &verdict.Unwinding{Bounds: bounds}
				_, err := accept.Program(ctx, claim)
				return err
			})
			if overflowMatters(m, got) != c.listed {
				t.Errorf("listed: %v, want some: %t", got, c.listed)
			}
			if byGraph := r.excludingByGraph(t.Context(), m, nil); c.listed && !overflowMatters(m, byGraph) {
				t.Errorf("by a graph: listed: %v", byGraph)
			}
			wraps := newRun(Task{Semantics: Wrap})
			if got := wraps.excluding(t.Context(), m, nil, func(context.Context, *verdict.Claim) error { t.Error("asked"); return nil }); len(got) > 0 {
				t.Errorf("where arithmetic wraps: %v", got)
			}
		})
	}
}
