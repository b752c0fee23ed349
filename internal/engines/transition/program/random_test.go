package program

import (
	"context"
	"flag"
	"math/rand/v2"
	"testing"
	"time"

	"assay/internal/finite/incremental"
	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
	"assay/internal/logic/sat"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
)

var (
	modules = flag.Int("modules", 150, "random modules to encode")
	seed    = flag.Uint64("seed", 1, "seed of the first of them")
)

// randomOracle decides at random, mostly by small numbers.
type randomOracle struct{ *rand.Rand }

func (randomOracle) Global(string, uint64) ir.GlobalChoice { return ir.GlobalChoice{} }

func (o randomOracle) Next(r interp.Request) (ir.Choice, error) {
	c := ir.Choice{Func: r.Func.Name, Value: r.Value}
	switch {
	case r.Kind == interp.WantValue && r.Type.Kind == ir.Ptr:
		c.Bits = bv.New(r.Type.Bits, 0)
	case r.Kind == interp.WantValue:
		c.Bits = bv.New(r.Type.Bits, uint64(o.IntN(8))-3)
	default:
		c.Bytes = make([]byte, min(r.Size, 64))
		for i := range c.Bytes {
			c.Bytes[i] = byte(o.IntN(4))
		}
	}
	return c, nil
}

// plain are the operations whose encoding is exact without facts about addresses.
func plain(op ir.Op) bool {
	switch op {
	case ir.PtrToInt, ir.IntToPtr, ir.VaStart, ir.StackSave, ir.StackRestore, ir.Malloc, ir.Free, ir.MemCpy, ir.Unsupported:
		return false
	}
	return op < ir.FAdd || op > ir.FToF
}

var asked = []ir.CheckKind{ir.Assertion, ir.DivByZero, ir.ShiftRange, ir.InvalidDeref}

// violates runs a module until it violates something asked, or for some steps.
func violates(t *testing.T, m *ir.Module, oracle interp.Oracle, steps int64) (bool, interp.Outcome) {
	found := false
	out, err := interp.Run(t.Context(), m, interp.Options{Oracle: oracle, MaxSteps: steps, StopAt: func(e interp.Event) bool {
		if e.Kind == interp.Violation {
			for _, k := range asked {
				found = found || e.Check == k
			}
		}
		return found
	}})
	if err != nil {
		t.Fatal(err)
	}
	return found, out
}

// TestRandom compares systems of random modules with the interpreter: what it
// violates within some steps the system violates, and each run of the system is one
// of the interpreter. Pointers to integers and the like are left out, for which the
// system has more runs.
func TestRandom(t *testing.T) {
	const steps = 40
	encoded, found, refuted, inexact := 0, 0, 0, 0
	why := map[string]int{}
	for n := range uint64(*modules) {
		m := irtest.Random(rand.New(rand.NewPCG(*seed+n, 5)), irtest.Options{Funcs: 2, Blocks: 5, Instrs: 4, Only: plain})
		hit := false
		rng := rand.New(rand.NewPCG(n, 6))
		for range 30 {
			if h, _ := violates(t, m, randomOracle{rng}, steps); h {
				hit = true
				break
			}
		}
		for _, small := range []bool{false, true} {
			ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
			s, err := Encode(ctx, m, Options{Targets: asked, Small: small})
			if err != nil {
				why[err.Error()]++
				cancel()
				continue
			}
			encoded++
			run, exact := search(t, ctx, s, steps+2)
			cancel()
			switch {
			case run == nil && hit && exact:
				t.Errorf("seed %d, small %v: the interpreter violates what the system does not\n%s", *seed+n, small, ir.Print(m))
				return
			case run != nil:
				found++
				if ok, out := violates(t, m, interp.Replay(run.Input), 1<<20); !ok {
					refuted++
					t.Errorf("seed %d, small %v: %v\n%s", *seed+n, small, out, ir.Print(m))
					return
				}
			case !exact:
				inexact++
			}
		}
	}
	t.Logf("%d systems, %d runs found, %d refuted, %d inexact; %v", encoded, found, refuted, inexact, why)
}

// search looks for a violation; exact says that no obstacle comes first.
func search(t *testing.T, ctx context.Context, s *System, steps int) (run *Run, exact bool) {
	c, err := ts.Blast(context.Background(), s.System)
	if err != nil {
		t.Fatal(err)
	}
	c = c.Normalise(nil)
	look := func(bad sat.Lit) *ts.Trace {
		r, err := incremental.Search(ctx, c, bad, incremental.Options{Steps: steps})
		if err != nil {
			exact = false
			return nil
		}
		if r.Run == nil {
			return nil
		}
		return s.Lift(c, r.Run)
	}
	exact = true
	if trace := look(c.Bad[s.Violation]); trace != nil {
		trace.Property = s.Violation
		run, err := s.Input(trace)
		if err != nil {
			t.Fatal(err)
		}
		return run, true
	}
	return nil, exact && look(c.Bad[s.Obstacle]) == nil && exact
}
