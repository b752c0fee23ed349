package absint

import (
	"context"
	"os"
	"os/exec"
	"testing"
	"time"

	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/tests/corpus"
)

// propertyKinds are the checks of the corpus' properties.
var propertyKinds = map[string][]ir.CheckKind{
	"unreach-call": {ir.Assertion}, "unreach-label": {ir.ErrorLabel}, "no-overflow": {ir.Overflow}, "no-overflow:shift": {ir.Overflow, ir.ShiftOverflow, ir.ShiftRange},
	"no-overflow:noshift": {ir.Overflow}, "div-by-zero": {ir.DivByZero}, "shift": {ir.ShiftRange}, "valid-deref": {ir.InvalidDeref}, "valid-free": {ir.InvalidFree},
	"valid-memtrack": {ir.MemTrack}, "valid-memcleanup": {ir.MemCleanup}, "valid-memsafety": {ir.InvalidDeref, ir.InvalidFree, ir.MemTrack},
}

// count counts the checks and guards of those kinds, in user code and models,
// and those proved.
func count(f *Facts, kinds []ir.CheckKind) (reached, proved int) {
	for i, fn := range f.Module.Funcs {
		if fn.IsDecl() {
			continue
		}
		for v := range fn.Values {
			d := fn.Def(ir.Value(v))
			if d.Block == 0 {
				continue
			}
			for _, k := range kinds {
				if !guards(d, k) {
					continue
				}
				reached++
				if !f.Reached(i, d.Block) || d.Op != ir.Label && !f.MayViolate(i, ir.Value(v), k) {
					proved++
				}
			}
		}
	}
	return reached, proved
}

// guards says whether the instruction has a check or guard of that kind.
func guards(d *ir.Def, k ir.CheckKind) bool {
	switch d.Op {
	case ir.Check:
		return ir.CheckKind(d.Aux) == k
	case ir.Label:
		return k == ir.ErrorLabel && d.Sym == "ERROR"
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		return k == ir.DivByZero
	case ir.Shl, ir.LShr, ir.AShr:
		return k == ir.ShiftRange
	case ir.Load, ir.Store, ir.MemCpy, ir.MemSet, ir.Havoc:
		return k == ir.InvalidDeref
	case ir.Free:
		return k == ir.InvalidFree
	}
	return false
}

func load(t testing.TB, p corpus.Program) *ir.Module {
	t.Helper()
	files, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	o := frontend.Options{Files: files}
	if p.ILP32 {
		o.DataModel = frontend.ILP32
	}
	program, err := frontend.Load(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return program.Module
}

// TestCorpus compares runs of the programs of the corpus with their facts, and
// counts what is proved.
func TestCorpus(t *testing.T) {
	if _, err := exec.LookPath("clang-19"); err != nil {
		t.Skip("clang-19 is not installed")
	}
	programs, err := corpus.Programs()
	if err != nil {
		t.Fatal(err)
	}
	var reached, proved, settled, positive int
	var longest, all time.Duration
	for i, p := range programs {
		// clang takes most of the time; ASSAY_LADDER_ALL asks for all programs.
		if i%10 != 0 && os.Getenv("ASSAY_LADDER_ALL") == "" {
			continue
		}
		m := load(t, p)
		kinds := propertyKinds[p.Properties]
		for _, asked := range [][]ir.CheckKind{kinds, askedSets[i%len(askedSets)]} {
			start := time.Now()
			f := analyzed(t, m, Options{Asked: asked})
			d := time.Since(start)
			if f.Incomplete != "" {
				t.Errorf("%s: %s", p.Name, f.Incomplete)
				continue
			}
			for run := range uint64(8) {
				if c := compare(t, f, run, 20000); c.bad != "" {
					t.Fatalf("%s (asked %v), run %d: %s", p.Name, asked, run, c.bad)
				}
			}
			if len(kinds) > 0 && len(asked) == len(kinds) && asked[0] == kinds[0] {
				r, q := count(f, kinds)
				reached, proved = reached+r, proved+q
				longest, all = max(longest, d), all+d
				if p.Expected[0] == "true" {
					positive++
					if r == q {
						settled++
					}
				}
				if testing.Verbose() {
					t.Logf("%-28s %-16s %-24s %3d/%3d %8v %6d steps %d contexts", p.Name, p.Properties, p.Expected[0], q, r, d.Round(10*time.Microsecond), f.Steps, len(f.Contexts))
				}
				if p.Expected[0] != "true" && p.Expected[0] != "unknown" && r == q && kinds[0] != ir.MemTrack && kinds[0] != ir.MemCleanup {
					t.Errorf("%s: all checks are proved, but the verdict is %s", p.Name, p.Expected[0])
				}
			}
		}
	}
	t.Logf("%d of %d checks proved; %d of %d true programs settled; %v in all, at most %v", proved, reached, settled, positive, all, longest)
}
