package accept

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/run/schedule"
)

// load is a program with a loop of four iterations, and a product that cannot be what
// is asked: 251 is a prime.
func load(t *testing.T) *ir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "a.c")
	source := `extern unsigned char nondet(void); void reach_error(void) {}
int main(void) { unsigned x = nondet(), y = nondet(); for (int i = 0; i < 4; i++) y++; if (x > 1 && x * y == 251) reach_error(); return 0; }`
	if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	return p.Module
}

// unwound is the claim that no loop takes more than n iterations and nothing goes wrong.
func unwound(m *ir.Module, n int, solver string) *verdict.Claim {
	e := &verdict.Unwinding{}
	main := m.Func("main")
	for b := range main.Blocks {
		e.Bounds = append(e.Bounds, verdict.Bound{Func: "main", Head: ir.BlockID(b), N: n})
	}
	return &verdict.Claim{Program: m, Evidence: e, Targets: []ir.CheckKind{ir.Assertion}, Solver: solver}
}

// TestAnotherSolver: the solver that found a claim is not the one that is believed: of CaDiCaL a proof is checked.
func TestAnotherSolver(t *testing.T) {
	m := load(t)
	for found, asked := range map[string]string{verdict.CaDiCaL: "a proof in clauses", verdict.Both: "a proof in clauses", verdict.Z3: "CaDiCaL"} {
		checker, err := Program(t.Context(), unwound(m, 5, found))
		if err != nil || !strings.Contains(checker, asked) {
			t.Errorf("found by %s: %q, %v; want %s", found, checker, err, asked)
		}
	}
}

func TestRefused(t *testing.T) {
	m := load(t)
	_, err := Program(t.Context(), unwound(m, 2, verdict.CaDiCaL))
	var refused *verdict.Refused
	if !errors.As(err, &refused) || !refused.Wrong || refused.Func != "main" {
		t.Errorf("a loop that goes on: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Program(ctx, unwound(m, 5, verdict.CaDiCaL)); !errors.Is(err, context.Canceled) {
		t.Errorf("without time: %v", err)
	}
}

// TestNobodySaysWho: a claim without the solver that found it is a bug of the caller.
func TestNobodySaysWho(t *testing.T) {
	defer func() {
		if recover() == nil {
			t.Error("accepted")
		}
	}()
	_, _ = Program(t.Context(), unwound(load(t), 5, ""))
}

func TestLog(t *testing.T) {
	var kinds []string
	ctx := schedule.Log(t.Context(), func(e schedule.Event) { kinds = append(kinds, string(e.Kind)) })
	m := load(t)
	_, _ = Program(ctx, unwound(m, 5, verdict.CaDiCaL))
	_, _ = Program(ctx, unwound(m, 2, verdict.CaDiCaL))
	if got := strings.Join(kinds, " "); got != "claimed accepted claimed refused" {
		t.Errorf("got %q", got)
	}
}
