package assay

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestStrict: --certify=strict accepts what it ends on, of every kind of certificate.
func TestStrict(t *testing.T) {
	const head = "extern unsigned nondet(void); void reach_error(void) {}\n"
	for _, c := range []struct {
		name, source, engine string
		properties           []Property
	}{
		{"unwinding", `int main(void) { unsigned x = nondet(); for (int i = 0; i < 3; i++) x |= 1u << i; if ((x & 7) != 7) reach_error(); return 0; }`, EngineBMC, nil},
		{"unwinding with memory", `int main(void) { unsigned a[4]; unsigned n = nondet(); for (int i = 0; i < 4; i++) a[i] = i; if (n < 4 && a[n] > 3) reach_error(); return 0; }`, EngineBMC, nil},
		{"induction", `int main(void) { unsigned x = 0, n = nondet(); for (unsigned i = 0; i < n; i++) x += 2; if (x == 5) reach_error(); return 0; }`, EngineInduction, nil},
		{"ic3", `int main(void) { unsigned char x = 0; while (nondet()) x += 2; if (x == 5) reach_error(); return 0; }`, EngineIC3, nil},
		{"ranking", `int main(void) { unsigned x = nondet(); while (x) x &= x - 1; return 0; }`, EngineAuto, []Property{Termination}},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "main.c")
			if err := os.WriteFile(file, []byte(head+c.source), 0o666); err != nil {
				t.Fatal(err)
			}
			r, err := Check(t.Context(), Task{Files: []string{file}, Properties: c.properties, Timeout: time.Minute, Engine: Engine{Only: c.engine, Strict: true}})
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != True || !strings.Contains(r.Certificate.Checker, "without the simplifier") {
				t.Errorf("%s, %v, %+v", r.Line(), r.Reasons, r.Certificate)
			}
		})
	}
}
