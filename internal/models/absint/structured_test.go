package absint

import (
	"strconv"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
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
		opts.Partition = seed%2 == 0
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

// TestMachines compares runs of state machines with the facts of an analysis that keeps their states apart, and with the
// cases at the heads: one holds each time.
func TestMachines(t *testing.T) {
	modules := modulesToTry("ASSAY_LADDER_MACHINES", 300)
	cases, apart, runs := 0, 0, 0
	for seed := range modules {
		m := irtest.Machine(uint64(seed))
		if err := ir.Verify(m); err != nil {
			t.Fatalf("%v\n%s", err, ir.Print(m))
		}
		if !Partitions(m) {
			continue // the state never changes
		}
		plain := analyzed(t, m, Options{Asked: askedSets[0]})
		f := analyzed(t, m, Options{Asked: askedSets[0], Partition: true})
		for v := range m.Funcs[0].Values {
			if x, y := plain.Value(0, ir.Value(v)), f.Value(0, ir.Value(v)); x.Type().Kind == ir.Int && !x.Int().IsWide() && !x.Int().Leq(y.Int()) {
				apart++
			}
		}
		for run := range 12 {
			c := compare(t, f, uint64(run), 2000)
			if c.bad != "" {
				t.Fatalf("module %d, run %d: %s\n%s", seed, run, c.bad, ir.Print(m))
			}
			runs++
		}
		cases += checkCases(t, seed, f)
	}
	t.Logf("%d runs, %d cases, %d values differ from those of the analysis without partitions", runs, cases, apart)
	if cases < modules || apart < modules/2 {
		t.Errorf("%d cases, %d values differ", cases, apart)
	}
}

// checkCases looks at the states at the heads of runs: the case of the key holds. It gives the number of cases.
func checkCases(t *testing.T, seed int, f *Facts) (n int) {
	t.Helper()
	fn := f.Module.Funcs[0]
	watched := ir.Rewrite(f.Module, func(*ir.Func) bool { return true }, func(e *ir.Editor, old *ir.Func) {
		for b := 1; b < len(old.Blocks); b++ {
			phis := e.Phis(ir.BlockID(b))
			if len(phis) == 0 {
				continue
			}
			e.Before(e.AfterPhis(ir.BlockID(b)), func() {
				for _, v := range phis {
					e.Func.Vars = append(e.Func.Vars, ir.Var{Name: strconv.Itoa(int(v))})
					e.Emit(ir.Def{Op: ir.Dbg, Args: []ir.Value{v}, Aux: int64(len(e.Func.Vars) - 1)})
				}
			})
		}
	})
	w := ir.NewWTO(fn)
	for _, h := range w.Blocks {
		if !w.IsHead(h) {
			continue
		}
		cases := f.Root.Cases(h)
		n += len(cases)
		phis := 0
		for _, v := range fn.Blocks[h].Instrs {
			if fn.Def(v).Op == ir.Phi {
				phis++
			}
		}
		for run := range uint64(6) {
			now := map[ir.Value]uint64{} // what the phis are, the others when they were last set
			_, err := interp.Run(t.Context(), watched, interp.Options{Oracle: interp.Random(run), MaxSteps: 2000, Observe: func(e interp.Event) {
				if e.Kind != interp.Assign {
					return
				}
				v, _ := strconv.Atoi(e.Var.Name)
				now[ir.Value(v)] = e.Bits.Uint64()
				if v != int(fn.Blocks[h].Instrs[phis-1]) || len(cases) == 0 { // the last of the head
					return
				}
				holds := false
				for _, c := range cases {
					if now[c.Value] != c.Key {
						continue
					}
					holds = true
					for _, x := range c.Values {
						if is, known := now[x.Value]; known && fn.Def(x.Value).Op == ir.Phi && !x.Fact.Int().Has(is) {
							t.Fatalf("module %d, run %d: value %d is %d at block %d where %d is %d: %v\n%s", seed, run, x.Value, is, h, c.Value, c.Key, x.Fact, ir.Print(f.Module))
						}
					}
				}
				if !holds {
					t.Fatalf("module %d, run %d: no case at block %d\n%s", seed, run, h, ir.Print(f.Module))
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	return n
}
