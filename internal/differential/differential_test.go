package differential

import (
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay/internal/corpus"
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
	native, why, err := Compile(t.Context(), p, t.TempDir(), 5*time.Second)
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

// TestCorpus compares the programs of the corpus, each with several inputs.
func TestCorpus(t *testing.T) {
	needClang(t)
	programs, err := corpus.Programs()
	if err != nil {
		t.Fatal(err)
	}
	const seeds, steps = 12, 200_000
	var reached atomic.Int32 // programs with a run that was compared natively
	t.Cleanup(func() { t.Logf("%d of %d programs compared natively", reached.Load(), len(programs)) })
	for _, c := range programs {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			files, err := c.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			native, i := load(t, Program{Name: c.Name, Files: files, ILP32: c.ILP32})
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

// TestCsmith compares a few programs of csmith; make fuzz-csmith takes more.
func TestCsmith(t *testing.T) {
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
