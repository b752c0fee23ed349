package interp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/irtest"
)

// traceOf runs a program and writes all events down.
func traceOf(t *testing.T, p *Program, o Oracle) (log []string, out Outcome) {
	t.Helper()
	out, err := p.Run(context.Background(), Options{Oracle: o, MaxSteps: 600, MaxFrames: 50, MaxMemory: 1 << 20, Blocks: true, Observe: func(e Event) {
		e.State = State{}
		s := fmt.Sprintf("%s %s %s @%s %d block %d step %d depth %d %q", e.Kind, e.Check, e.Bits, e.Func.Name, e.Value, e.Block, e.Step, e.Depth, e.Text)
		if e.Var != nil {
			s += e.Var.Name
		}
		log = append(log, s)
	}})
	if err != nil {
		t.Fatal(err)
	}
	return log, out
}

// TestReplay records random runs of random modules and replays them; the
// replay must be the same run. So must be a run of the printed and parsed module,
// and one that nobody observes.
func TestReplay(t *testing.T) {
	ends := map[End]int{}
	kinds := map[string]int{}
	choices := 0
	for seed := range uint64(200) {
		m := irtest.Random(rand.New(rand.NewPCG(seed, 9)), irtest.Options{PointerBits: 32 << (seed % 2), Blocks: 10, Instrs: 12})
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		p, err := Compile(m)
		if err != nil {
			t.Fatal(err)
		}
		again, err := ir.Parse(ir.Print(m))
		if err != nil {
			t.Fatal(err)
		}
		p2, err := Compile(again)
		if err != nil {
			t.Fatal(err)
		}
		for run := range uint64(4) {
			var o Oracle = Random(seed*100 + run)
			if run == 0 {
				o = &prescriber{o, rand.New(rand.NewPCG(seed, 1)), 0x10000}
			}
			rec := NewRecorder(o)
			log, out := traceOf(t, p, rec)
			ends[out.End]++
			choices += len(rec.Input().Choices)
			for _, e := range log {
				kinds[e[:8]]++
			}
			log2, out2 := traceOf(t, p, Replay(rec.Input()))
			log3, out3 := traceOf(t, p2, Replay(rec.Input()))
			if !slices.Equal(log, log2) || out.String() != out2.String() || !slices.Equal(log, log3) || out.String() != out3.String() {
				t.Fatalf("seed %d.%d: %v, replayed %v, %v\n%v\n%v", seed, run, out, out2, out3, log, log2)
			}
			out4, err := p.Run(context.Background(), Options{Oracle: Replay(rec.Input()), MaxSteps: 600, MaxFrames: 50, MaxMemory: 1 << 20})
			if err != nil || out4.String() != out.String() {
				t.Fatalf("seed %d.%d: %v, unobserved %v %v", seed, run, out, out4, err)
			}
		}
	}
	t.Log(ends, choices, len(kinds))
	for _, e := range []End{Returned, Halted, Aborted, AssumeFailed, UnreachableReached, UnsupportedReached, StepLimit, StackLimit} {
		if ends[e] == 0 {
			t.Errorf("no run ended by %s", e)
		}
	}
	if ends[Desynced]+ends[OutOfChoices] > 0 {
		t.Errorf("desynchronised runs: %v", ends)
	}
}

// prescriber gives every object an address, at random distances.
type prescriber struct {
	Oracle
	rng  *rand.Rand
	next uint64
}

func (o *prescriber) place(size uint64) uint64 {
	base := o.next
	o.next = (base + size + 64) &^ 31
	if o.rng.IntN(2) == 0 {
		o.next += uint64(o.rng.IntN(1000)) * 32
	}
	return base
}

func (o *prescriber) Global(name string, size uint64) ir.GlobalChoice {
	g := o.Oracle.Global(name, size)
	g.Base = o.place(40) // no global of irtest is larger
	return g
}

func (o *prescriber) Next(r Request) (ir.Choice, error) {
	c, err := o.Oracle.Next(r)
	if r.Kind == WantObject {
		c.Base = o.place(r.Size)
	}
	return c, err
}

func TestRandomIsDeterministic(t *testing.T) {
	m := irtest.Random(rand.New(rand.NewPCG(1, 1)), irtest.Options{})
	p, err := Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	a, b := NewRecorder(Random(5)), NewRecorder(Random(5))
	traceOf(t, p, a)
	traceOf(t, p, b)
	if !reflect.DeepEqual(a.Input(), b.Input()) {
		t.Error("two runs with one seed differ")
	}
}
