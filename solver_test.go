package assay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestOtherSolver: a certificate is checked by the solver that did not find it.
func TestOtherSolver(t *testing.T) {
	const unwound = `extern unsigned char nondet(void); void reach_error(void) {}
int main(void) { unsigned x = nondet(), y = nondet(); for (int i = 0; i < 3; i++) y++; if (x > 1 && x * y == 251) reach_error(); return 0; }`
	const looping = `extern unsigned nondet(void); void reach_error(void) {}
int main(void) { unsigned x = 0, n = nondet(); for (unsigned i = 0; i < n; i++) x += 2; if (x == 5) reach_error(); return 0; }`
	const small = `extern void __VERIFIER_assume(int); void reach_error(void) {}
int main(void) { unsigned x = 1; while (1) { __VERIFIER_assume(x < 7); x++; if (x >= 8) reach_error(); } }`
	for _, c := range []struct {
		name, source, engine, solver, by string
	}{
		{"unwinding by CaDiCaL", unwound, EngineBMC, "cadical", "Z3"},
		{"unwinding by Z3", unwound, EngineBMC, "z3", "CaDiCaL"},
		{"unwinding by both", unwound, EngineBMC, "both", "Z3"},
		{"induction, by CaDiCaL", looping, EngineInduction, "z3", "Z3"},
		{"IC3, by its own solver", looping, EngineIC3, "z3", "Z3"},
		{"Spacer, in Z3", small, EngineSpacer, "cadical", "CaDiCaL"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.c")
			if err := os.WriteFile(file, []byte(c.source), 0o666); err != nil {
				t.Fatal(err)
			}
			r, err := Check(t.Context(), Task{Files: []string{file}, Timeout: time.Minute, Engine: Engine{Only: c.engine, Solver: c.solver}})
			if err != nil {
				t.Fatal(err)
			}
			by := "nobody"
			if r.Certificate != nil {
				by = r.Certificate.Checker
			}
			// A proof in clauses is nobody's: it was checked.
			proof := c.by == "Z3" && strings.Contains(by, "a proof in clauses")
			if !strings.Contains(by, c.by) && !proof || c.by == "CaDiCaL" && strings.Contains(by, "Z3") {
				t.Errorf("%s, %v: accepted by %q, want %s", r.Line(), r.Reasons, by, c.by)
			}
		})
	}
}
