package absint

import (
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/irtest"
)

var i32 = ir.IntType(32)

// structured is a random module that uses memory as C programs do.
func structured(seed uint64) *ir.Module { return irtest.Structured(seed, true) }

// TestStructuredModules compares runs of such modules with their facts.
func TestStructuredModules(t *testing.T) {
	modules := modulesToTry("ASSAY_LADDER_STRUCTURED", 300)
	var values, pointers, cells, runs, incomplete, reached, proved int
	for seed := range modules {
		m := structured(uint64(seed))
		if seed%3 == 2 {
			m = irtest.Narrow(uint64(seed))
		}
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		opts := Options{Asked: askedSets[seed%len(askedSets)]}
		switch seed % 7 {
		case 5:
			opts.MaxContexts = 4
		case 6:
			opts.MaxContexts = 1
		}
		f := analyzed(t, m, opts)
		if f.Incomplete != "" {
			incomplete++
			continue
		}
		r, p := count(f, []ir.CheckKind{ir.InvalidDeref, ir.DivByZero, ir.Assertion})
		reached, proved = reached+r, proved+p
		for run := range 8 {
			c := compare(t, f, uint64(run), 3000)
			runs++
			values, pointers, cells = values+c.values, pointers+c.pointers, cells+c.cells
			if c.bad != "" {
				t.Fatalf("module %d (asked %v), run %d: %s\n%s", seed, opts.Asked, run, c.bad, ir.Print(m))
			}
		}
	}
	t.Logf("%d runs: %d values, %d pointers, %d cells compared; %d of %d checks proved; %d modules given up", runs, values, pointers, cells, proved, reached, incomplete)
	if incomplete > modules/20 {
		t.Errorf("%d modules were given up", incomplete)
	}
}
