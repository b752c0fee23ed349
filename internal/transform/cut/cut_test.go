package cut_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
	"assay/internal/transform/cut"
)

var targets = []ir.CheckKind{ir.Assertion, ir.DivByZero, ir.ShiftRange, ir.InvalidDeref}

// module is a random one without objects of its own, so that the addresses in the cut program
// are the same; nil if it is recursive, or its loops cannot be cut.
func module(t *testing.T, seed uint64) (*ir.Module, []*cut.Loop) {
	t.Helper()
	m := irtest.Random(rand.New(rand.NewPCG(seed, 3)), irtest.Options{Funcs: 2, Blocks: 6, Instrs: 5, Only: func(op ir.Op) bool {
		return op != ir.Alloca && op != ir.Malloc && op != ir.PtrToInt && op != ir.IntToPtr && op != ir.VaStart && (op < ir.FAdd || op > ir.FToF)
	}})
	loops, err := cut.Loops(m)
	uncut := (*cut.ErrUncut)(nil)
	if errors.As(err, &uncut) {
		return nil, nil
	}
	recursive, err2 := cut.RecursiveComponents(m)
	if err != nil || err2 != nil && !errors.As(err2, &uncut) {
		t.Fatal(err, err2)
	}
	if err2 != nil || len(recursive) > 0 || len(loops) == 0 {
		return nil, nil
	}
	return m, loops
}

// oracle decides by the place and by how often it was asked there; loops start as they are.
type oracle struct {
	seed  uint64
	asked map[string]uint64
}

func (*oracle) Global(string, uint64) ir.GlobalChoice { return ir.GlobalChoice{} }

func (o *oracle) Next(r interp.Request) (ir.Choice, error) {
	c := ir.Choice{Func: r.Func.Name, Value: r.Value}
	if r.Kind != interp.WantValue {
		return c, nil
	}
	c.Bits = bv.New(r.Type.Bits, 0)
	if r.Func.Def(r.Value).Sym != "assay.loop" && r.Type.Kind != ir.Ptr {
		at := fmt.Sprint(r.Func.Name, r.Value)
		o.asked[at]++
		rng := rand.New(rand.NewPCG(o.seed+o.asked[at], uint64(len(at))<<32+uint64(r.Value)))
		c.Bits = bv.New(r.Type.Bits, rng.Uint64N(16))
	}
	return c, nil
}

// events are what a run does: violations, assignments, labels.
func events(t *testing.T, m *ir.Module, seed uint64) (list []string, end interp.Outcome) {
	t.Helper()
	end, err := interp.Run(t.Context(), m, interp.Options{Oracle: &oracle{seed, map[string]uint64{}}, MaxSteps: 500, MaxFrames: 30, Observe: func(e interp.Event) {
		switch e.Kind {
		case interp.Violation, interp.LabelReached, interp.Accepted:
			list = append(list, fmt.Sprint(e.Func.Name, e.Value, e.Kind, e.Check, e.Text))
		case interp.Assign:
			list = append(list, fmt.Sprint(e.Func.Name, e.Value, e.Var.Name, e.Bits))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return list, end
}

// TestAsItIs: where loops start as they are, a run of the cut program is the beginning of a run of
// the program, to the end if no loop makes more than k iterations (C1).
func TestAsItIs(t *testing.T) {
	cuts, whole, parts := 0, 0, 0
	for seed := range uint64(600) {
		m, loops := module(t, seed)
		if m == nil {
			continue
		}
		for k := 1; k <= 3; k++ {
			p, err := cut.Cut(m, loops, k, nil, nil, targets, "ERROR")
			if uncut := (*cut.ErrUncut)(nil); errors.As(err, &uncut) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			if err := ir.Verify(p.Module); err != nil {
				t.Fatalf("seed %d, k = %d: %v\n%s", seed, k, err, ir.Print(p.Module))
			}
			cuts++
			for run := range uint64(4) {
				want, end := events(t, m, run)
				got, cutEnd := events(t, p.Module, run)
				n := min(len(got), len(want))
				if !slices.Equal(got[:n], want[:n]) {
					t.Fatalf("seed %d, k = %d, run %d: the runs differ:\n%q\n%q\n%s%s", seed, k, run, want, got, ir.Print(m), ir.Print(p.Module))
				}
				switch {
				case cutEnd.End == interp.AssumeFailed && end.End != interp.AssumeFailed:
					parts++
				case end.End == interp.StepLimit || cutEnd.End == interp.StepLimit: // steps are counted otherwise
				case cutEnd.End == end.End:
					whole++
					if len(got) != len(want) {
						t.Fatalf("seed %d, k = %d, run %d: %d events, not %d", seed, k, run, len(got), len(want))
					}
				default:
					t.Fatalf("seed %d, k = %d, run %d: the end is %v, not %v", seed, k, run, cutEnd, end)
				}
			}
		}
	}
	t.Logf("%d cut programs, %d runs to the end, %d to the cut", cuts, whole, parts)
	if cuts < 100 || whole < 100 || parts < 20 {
		t.Error("the modules are too small")
	}
}

// TestProbes: the cut program takes down, at each place that may violate a target, whether the
// visit is early, and every loop has heads.
func TestProbes(t *testing.T) {
	for seed := range uint64(300) {
		m, loops := module(t, seed)
		if m == nil {
			continue
		}
		for k := range 3 {
			p, err := cut.Cut(m, loops, k, nil, nil, []ir.CheckKind{ir.Assertion}, "ERROR")
			if err != nil {
				continue
			}
			heads := map[*cut.Loop]int{}
			for site, l := range p.Heads {
				heads[l]++
				if p.Probes[site.Function][site.Value] == nil {
					t.Fatalf("seed %d, k = %d: no probe at %+v", seed, k, site)
				}
			}
			for _, l := range loops {
				if want := map[bool]int{true: 3, false: 1}[k == 0]; heads[l] != want {
					t.Fatalf("seed %d, k = %d: %d probes of a loop, not %d", seed, k, heads[l], want)
				}
			}
			for _, f := range m.Funcs {
				for b := range f.Blocks {
					for _, v := range f.Blocks[b].Instrs {
						if d := f.Def(v); d.Op == ir.Check && ir.CheckKind(d.Aux) == ir.Assertion && p.Probes[f.Name][v] == nil {
							t.Fatalf("seed %d, k = %d: no probe at %%%d of %s", seed, k, v, f.Name)
						}
					}
				}
			}
		}
	}
}
