package differential

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/tests/corpus"
)

// needClang skips a test that cannot compile.
func needClang(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("clang-19 is not installed")
	}
}

// load compiles and imports a program.
func load(t *testing.T, p Program) (*Native, *Interpreted) {
	t.Helper()
	native, why, err := Compile(t.Context(), p, t.TempDir(), time.Second) // what the interpreter ends in 200,000 steps takes milliseconds
	if err != nil {
		t.Fatal(err)
	}
	if why != "" {
		t.Log(why)
		native = nil
	}
	i, err := Interpret(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	return native, i
}

// machineChooses are programs whose runs depend on what the machine chooses and an input
// cannot say. They are compared without and with promotion only.
var machineChooses = map[string]string{
	"place_realloc":     "where a block lies after realloc",
	"place_locals":      "whether locals of two blocks share a place",
	"lib_environ":       "what is in the environment",
	"lib_environ_empty": "what is in the environment",
}

// TestCorpus compares the programs of the corpus, each with several inputs.
func TestCorpus(t *testing.T) {
	t.Parallel()
	needClang(t)
	programs, err := corpus.Programs()
	if err != nil {
		t.Fatal(err)
	}
	const seeds, steps = 8, 200_000
	var reached atomic.Int32 // programs with a run that was compared natively
	t.Cleanup(func() { t.Logf("%d of %d programs compared natively", reached.Load(), len(programs)) })
	for k, c := range programs {
		if k%12 != 0 && os.Getenv("ASSAY_CORPUS") != "all" {
			continue // a twelfth, for time; make fuzz-native takes all
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			files, err := c.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			native, i := load(t, Program{Name: c.Name, Files: files, ILP32: c.ILP32})
			if why := machineChooses[c.Name]; why != "" {
				t.Log("not compared natively: " + why)
				native = nil
			}
			compared := 0
			skipped := map[string]int{}
			for seed := range uint64(seeds) {
				o, err := i.Compare(t.Context(), native, seed, steps)
				if err != nil {
					t.Fatal(err)
				}
				if o.Difference != "" {
					t.Errorf("seed %d: %s\ninputs %v", seed, o.Difference, o.Promoted.Inputs)
				}
				if o.Compared {
					compared++
				} else {
					skipped[o.Skipped]++
				}
			}
			if compared > 0 {
				reached.Add(1)
			}
			t.Logf("%d of %d runs compared natively; others: %v", compared, seeds, skipped)
		})
	}
}

// TestLibrary compares assay's models of the C library with the library, on
// random texts, numbers and formats.
func TestLibrary(t *testing.T) {
	t.Parallel()
	needClang(t)
	files, err := filepath.Glob("testdata/library/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	const steps = 2_000_000
	for _, file := range files {
		for _, ilp32 := range []bool{false, true} {
			seeds := sequences(t, 12)
			if ilp32 { // a run takes three times as long where the kernel does not do it
				seeds = sequences(t, 5)
			}
			t.Run(fmt.Sprintf("%s/ilp32=%v", filepath.Base(file), ilp32), func(t *testing.T) {
				t.Parallel()
				p := Program{Name: filepath.Base(file), Files: []string{file}, ILP32: ilp32}
				native, why, err := Compile(t.Context(), p, t.TempDir(), 5*time.Second)
				if err != nil || why != "" {
					t.Fatal(why, err)
				}
				i, err := Interpret(t.Context(), p)
				if err != nil {
					t.Fatal(err)
				}
				exact := i.Exact()
				all := strings.HasPrefix(p.Name, "exact_")
				for seed := range seeds {
					i := i
					if all || seed%2 == 1 {
						i = exact
					}
					o, err := i.Compare(t.Context(), native, seed, steps)
					if err != nil {
						t.Fatal(err)
					}
					if o.Difference != "" {
						t.Errorf("seed %d: %s", seed, o.Difference)
					} else if !o.Compared {
						t.Errorf("seed %d was not compared: %s, events %v, end %v", seed, o.Skipped, o.Promoted.Events, o.Promoted.End)
					}
				}
			})
		}
	}
}

// TestCsmith compares a few programs of csmith; make fuzz-csmith takes more.
func TestCsmith(t *testing.T) {
	t.Parallel()
	needClang(t)
	if _, err := exec.LookPath("csmith"); err != nil {
		t.Skip("csmith is not installed")
	}
	g := Generator{Limits: Limits{Native: time.Second, Interpret: 10 * time.Second, Steps: 20_000_000, Decide: 3 * time.Second}}
	var s Summary
	for _, seed := range []int{1, 3, 4, 5, 7} {
		r, err := g.Check(t.Context(), t.TempDir(), seed)
		if err != nil {
			t.Fatal(err)
		}
		var line strings.Builder
		s.Add(&line, r)
		t.Log(line.String())
	}
	t.Log(&s)
	if s.Bad() {
		t.Error("see above")
	}
}

// TestPromotion compares only the two runs in the interpreter, on the front
// end's own programs, which meet all kinds of undefined behaviour.
func TestPromotion(t *testing.T) {
	t.Parallel()
	needClang(t)
	files, err := filepath.Glob("../../program/frontend/testdata/run/*.c")
	if err != nil || len(files) == 0 {
		t.Fatal("no programs", err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			if source, err := os.ReadFile(file); err != nil || strings.Contains(string(source), "// function: ") {
				t.Skip("the program has no main", err)
			}
			i, err := Interpret(t.Context(), Program{Files: []string{file}})
			if err != nil {
				t.Fatal(err)
			}
			for seed := range uint64(40) {
				o, err := i.Compare(t.Context(), nil, seed, 200_000)
				if err != nil || o.Difference != "" {
					t.Fatalf("seed %d: %s %v", seed, o.Difference, err)
				}
			}
		})
	}
}

// TestDifferences makes sure that differences are noticed.
func TestDifferences(t *testing.T) {
	t.Parallel()
	needClang(t)
	const same = `void reach_error(void); int __VERIFIER_nondet_int(void); int printf(const char *, ...);
unsigned long long observe(unsigned long long value, const char *name) {
#ifdef NATIVE
  printf("observed %llx %s\n", value, name);
  if (0) reach_error();
#define OTHER 1
#else
#define OTHER 0
#endif
  return value;
}
`
	for _, test := range []struct{ body, want string }{
		{"int main(void) { observe(7, \"x\"); return 300; }", ""},
		{"int main(void) { observe(5, \"x\"); observe(5 + OTHER, \"y\"); }", "observations differ at 1: native: 0x6, promoted: 0x5 (y)"},
		{"int main(void) { if (OTHER) observe(5, \"x\"); }", "observations differ at 0: native: 0x5, promoted: none (x)"},
		{"int main(void) { return OTHER; }", "native: exit 1, promoted: exit 0"},
		{"int main(void) { if (OTHER) reach_error();\nelse reach_error(); }", "native: assertion failed in line 12, promoted: assertion failed in line 13"},
		{"int main(void) { if (!OTHER) __VERIFIER_nondet_int(); return 0; }", ""},
		{"int main(void) { if (OTHER) __VERIFIER_nondet_int(); return 0; }", "native: other inputs asked for inputs-end, promoted: exit 0"},
		{"int main(void) { int d = !OTHER; return 3 / d; }", "native: killed floating point exception, promoted: exit 3"},
	} {
		file := filepath.Join(t.TempDir(), "main.c")
		if err := os.WriteFile(file, []byte(same+test.body), 0o644); err != nil {
			t.Fatal(err)
		}
		native, i := load(t, Program{Files: []string{file}})
		o, err := i.Compare(t.Context(), native, 1, 1000)
		if err != nil {
			t.Fatal(err)
		}
		if !o.Compared || o.Difference != test.want {
			t.Errorf("%s:\ngot  %q (%s)\nwant %q", test.body, o.Difference, o.Skipped, test.want)
		}
	}
	a := Run{Events: []string{"x"}, Inputs: []Value{{"f", 1}}, Undefined: true}
	b := Run{Inputs: []Value{{"g", 1}}}
	if d := difference("memory", a, "promoted", b); d != "inputs differ at 0: memory: f 0x1, promoted: g 0x1" {
		t.Error(d)
	}
}

// TestChecksum makes sure that testdata/csmith.h computes what csmith's own
// header does.
func TestChecksum(t *testing.T) {
	t.Parallel()
	needClang(t)
	if _, err := exec.LookPath("csmith"); err != nil {
		t.Skip("csmith is not installed")
	}
	dir := t.TempDir()
	g := Generator{Limits: Limits{Native: time.Second}}
	p, err := g.Generate(t.Context(), dir, 4)
	if err != nil {
		t.Fatal(err)
	}
	native, why, err := Compile(t.Context(), p, dir, time.Second)
	if err != nil || why != "" {
		t.Fatal(why, err)
	}
	r, err := native.Run(t.Context(), nil)
	if err != nil || len(r.Observed) == 0 {
		t.Fatal(r, err)
	}
	own := r.Observed[len(r.Observed)-1]
	// Without ours beside it, the program includes csmith's header.
	if err := os.Remove(filepath.Join(dir, "csmith.h")); err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "theirs")
	if why, err := compiled(t.Context(), "clang-19", []string{"-w", "-I" + csmithInclude, p.Files[0], "-o", binary}); err != nil || why != "" {
		t.Fatal(why, err)
	}
	out, err := exec.Command(binary).Output()
	if want := fmt.Sprintf("checksum = %X\n", own.Bits); err != nil || string(out) != want {
		t.Errorf("csmith says %q (%v), we say %q", out, err, want)
	}
}
