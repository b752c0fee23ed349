package assay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"assay/internal/run/pause"
)

// planted is a context with which the engine whose functions begin with this name has a
// bug: it panics at its next look at the others.
func planted(ctx context.Context, function string) context.Context {
	return pause.Probe(ctx, func() {
		if strings.Contains(string(debug.Stack()), function) {
			panic("planted in " + function)
		}
	})
}

// TestPanicsOfEngines: a panic of any engine, in whatever goroutine, is an internal error,
// never the end of the process.
func TestPanicsOfEngines(t *testing.T) {
	const loop = `
extern void __VERIFIER_assume(int); extern unsigned nondet(void);
int main(void) {
	unsigned x = 0, n = nondet();
	for (unsigned i = 0; i < n; i++) { x += 2; if (x == 8) x = 0; }
	return x == 5 ? *(int *)0 : 0;
}`
	const endless = `extern int nondet(void); int main(void) { int x = nondet(), y = nondet(); while (x > y) { if (nondet()) x = x - y; else y = y + 1; } return 0; }`
	safe, ends := []Property{ValidDeref}, []Property{Termination}
	for _, c := range []struct {
		function   string
		source     string
		properties []Property
		engine     string
		semantics  Semantics
	}{
		{"assay/internal/engines/bmc.", loop, safe, EngineBMC, SemanticsC},
		{"assay/internal/engines/induction.", loop, safe, EngineInduction, SemanticsC},
		{"assay/internal/engines/symex.", loop, safe, EngineSymex, SemanticsC},
		{"assay/internal/finite/ic3.", loop, safe, EngineIC3, SemanticsC},
		{"assay/internal/integers/ranking.", endless, ends, EngineAuto, SemanticsIntegers},
		{"assay/internal/integers/refutation.", endless, ends, EngineAuto, SemanticsIntegers},
	} {
		t.Run(c.function, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.c")
			if err := os.WriteFile(file, []byte(c.source), 0o666); err != nil {
				t.Fatal(err)
			}
			task := Task{Files: []string{file}, Properties: c.properties, Timeout: time.Minute, Engine: Engine{Only: c.engine}, Program: Program{Semantics: c.semantics}}
			_, err := Check(planted(t.Context(), c.function), task)
			var internal *InternalError
			if !errors.As(err, &internal) || !strings.Contains(internal.Error(), "planted in "+c.function) {
				t.Errorf("got %v, want the planted panic as an internal error", err)
			}
		})
	}
}
