package assay

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestScripts: the scripts of proofs are unsatisfiable for z3, the program; of a proof that is changed they are not.
func TestScripts(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("z3, the program, is not installed")
	}
	for _, c := range []struct {
		name     string
		property Property
		engine   string
		source   string
	}{
		{"induction", UnreachCall, EngineInduction, `int main(void) { int n = __VERIFIER_nondet_int(), i = 0; if (n < 0) return 0; while (i < n) i++; if (i != n) reach_error(); }`},
		{"abstract", UnreachCall, "abstract", `int main(void) { unsigned char c = 0; while (__VERIFIER_nondet_int()) if (c < 200) c += 2; if (c > 200 || c % 2) reach_error(); }`},
		{"IC3", UnreachCall, EngineIC3, `int main(void) { int a = 0, b = 1; while (__VERIFIER_nondet_int()) { int c = a; a = b; b = c; } if (a == b) reach_error(); }`},
		{"unwinding", UnreachCall, EngineBMC, `int main(void) { int x = __VERIFIER_nondet_int(), s = 0; for (int i = 0; i < 5; i++) s += x & 1; if (s != 0 && s != 5) reach_error(); }`},
		{"memory", ValidMemSafety, EngineInduction, `int main(void) { int a[10], i; for (i = 0; i < 10; i++) a[i] = i; return a[__VERIFIER_nondet_uchar() % 10]; }`},
		{"ranking", Termination, "ranking", `int main(void) { int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); while (x > 0 && y > 0) if (__VERIFIER_nondet_int()) x--; else { x = 100; y--; } }`},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			file := writeFile(t, "f.c", declared+c.source)
			var b bytes.Buffer
			task := Task{Files: []string{file}, Properties: []Property{c.property}, Timeout: 60 * time.Second, Witnesses: []*WitnessOutput{{To: &b, Format: Script}}}
			task.Engine.Only, task.Program.Unmodelled = c.engine, UnmodelledPure
			r, err := Check(t.Context(), task)
			if err != nil || r.Answer != True || !task.Witnesses[0].Written {
				t.Fatal(r, err, task.Witnesses[0].Left)
			}
			script := b.String()
			if !strings.Contains(script, "(set-info :status unsat)") || !strings.Contains(script, "(assert ") {
				t.Error(script)
			}
			ask := func(name, text string) string {
				path := filepath.Join(t.TempDir(), name)
				if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
					t.Fatal(err)
				}
				out, err := exec.Command(z3, "-T:60", path).CombinedOutput()
				if err != nil {
					t.Fatalf("%v: %s", err, out)
				}
				return string(out)
			}
			answers := ask("proof.smt2", script)
			for a := range strings.FieldsSeq(answers) {
				if a != "unsat" {
					t.Fatalf("z3 says %s of\n%s", answers, script)
				}
			}
			if n := strings.Count(script, "(check-sat)"); n != len(strings.Fields(answers)) {
				t.Errorf("%d questions, %d answers", n, len(strings.Fields(answers)))
			}
			// Without the claims the facts are satisfiable.
			lines := strings.Split(script, "\n")
			for i, l := range lines {
				if strings.HasPrefix(l, "(assert ") {
					lines[i] = ""
					break
				}
			}
			if strings.Count(script, "(check-sat)") == 1 && !strings.HasPrefix(ask("facts.smt2", strings.Replace(strings.Join(lines, "\n"), "(set-info :status unsat)", "", 1)), "sat") {
				t.Error("the facts alone contradict each other")
			}
		})
	}
}
