package inspect

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/engines/inference"
	"assay/internal/finite/ts/btor2"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
)

const evens = `extern int __VERIFIER_nondet_int(void);
extern void reach_error(void);
int main(void) {
	unsigned x = 0;
	while (__VERIFIER_nondet_int())
		if (x < 1000) x += 2;
	if (x % 2) reach_error();
}
`

// load compiles a program, for assertions.
func load(t *testing.T, source string) *Subject {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	return &Subject{Module: p.Module, Targets: []ir.CheckKind{ir.Assertion}, Files: []string{file}}
}

func write(t *testing.T, v View, s *Subject) string {
	t.Helper()
	var b strings.Builder
	if err := Write(t.Context(), &b, v, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestIR: what is written is read as the same program.
func TestIR(t *testing.T) {
	s := load(t, evens)
	text := write(t, IR, s)
	m, err := ir.Parse(text)
	if err != nil || ir.Verify(m) != nil || ir.Print(m) != text {
		t.Errorf("%v\n%s", err, text)
	}
}

// TestSSA asks Z3 whether the formula is satisfiable: it is if a run of so many iterations
// violates the property.
func TestSSA(t *testing.T) {
	z3, err := exec.LookPath("z3")
	if err != nil {
		t.Skip("there is no z3 command")
	}
	source := strings.Replace(evens, "x % 2", "x == 6", 1)
	for unwind, want := range map[int]string{2: "unsat", 3: "sat"} {
		s := load(t, source)
		s.Unwind = unwind
		command := exec.Command(z3, "-in", "-T:60")
		command.Stdin = strings.NewReader(write(t, SSA, s))
		out, err := command.Output()
		if err != nil || strings.TrimSpace(string(out)) != want {
			t.Errorf("unwound %d times: %s, %v, want %s", unwind, out, err, want)
		}
	}
}

// TestGraph: the graph has a state at the loop head, and where there is none, it says why.
func TestGraph(t *testing.T) {
	if text := write(t, Graph, load(t, evens)); !strings.HasPrefix(text, "digraph") || !strings.Contains(text, "f.c:5") {
		t.Error(text)
	}
	text := write(t, Graph, load(t, "extern double sin(double);\nint main(void) { asm volatile (\"nop\" ::: \"memory\"); return 0; }"))
	if !strings.HasPrefix(text, "digraph") && !strings.HasPrefix(text, "// ") {
		t.Error(text)
	}
}

// TestSystem: the system is read again, and its bad state is one.
func TestSystem(t *testing.T) {
	text := write(t, System, load(t, evens))
	model, err := btor2.Read([]byte(text))
	if err != nil || len(model.System.Bad) != 1 {
		t.Errorf("%v\n%s", err, text)
	}
	text = write(t, System, load(t, "int f(int n) { return n ? f(n - 1) + 1 : 0; }\nextern int __VERIFIER_nondet_int(void);\nint main(void) { return f(__VERIFIER_nondet_int()); }"))
	if !strings.Contains(text, "; inexact: ") || !strings.Contains(text, "f.c:1: the recursion") {
		t.Error(text)
	}
}

// TestFacts has what the abstract interpretation finds, and what engines tell each other.
func TestFacts(t *testing.T) {
	s := load(t, evens)
	heads, err := inference.Ladder(t.Context(), s.Module, s.Targets)
	if err != nil {
		t.Fatal(err)
	}
	s.Told = []Told{{"somebody", heads}}
	text := write(t, Facts, s)
	if !strings.Contains(text, "f.c:5") || !strings.Contains(text, "x % 2 == 0 (abstract interpretation)") || !strings.Contains(text, "(somebody)") {
		t.Error(text)
	}
}
