package slice

import (
	"flag"
	"fmt"
	"slices"
	"testing"

	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
)

// programs is the number of random programs; thousands are worth while after a change.
var programs = flag.Int("programs", 200, "random programs to slice")

func sliced(t *testing.T, m *ir.Module, targets []ir.CheckKind) *ir.Module {
	t.Helper()
	facts, err := absint.Analyze(t.Context(), m, absint.Options{Asked: targets})
	if err != nil {
		t.Fatal(err)
	}
	p := Of(m, facts, targets)
	if p == nil {
		return nil
	}
	if err := ir.Verify(p.Module); err != nil {
		t.Fatalf("%v\n%s\nof\n%s", err, ir.Print(p.Module), ir.Print(m))
	}
	return p.Module
}

// violation is the first violation of the targets in a run; ok is false if the run was cut.
func violation(t *testing.T, m *ir.Module, targets []ir.CheckKind, run uint64) (where string, ok bool) {
	t.Helper()
	out, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Random(run), MaxSteps: 4000, StopAt: func(e interp.Event) bool {
		if e.Kind == interp.Violation && slices.Contains(targets, e.Check) {
			where = fmt.Sprint(e.Func.Name, " ", e.Value, " ", e.Check)
		}
		return where != ""
	}})
	if err != nil {
		t.Fatal(err)
	}
	return where, out.End != interp.StepLimit && out.End != interp.MemoryLimit
}

// TestRandom: a run of the program has the same first violation in the slice.
func TestRandom(t *testing.T) {
	made, compared, violated := 0, 0, 0
	for seed := range uint64(*programs) {
		targets := [][]ir.CheckKind{{ir.Assertion}, {ir.InvalidDeref}, {ir.DivByZero, ir.Assertion}}[seed%3]
		m := irtest.Structured(seed, seed%2 == 0)
		p := sliced(t, m, targets)
		if p == nil {
			continue
		}
		made++
		for run := range uint64(20) {
			want, ended := violation(t, m, targets, run)
			got, _ := violation(t, p, targets, run)
			if !ended && want == "" {
				continue // what a slice leaves out may take longer
			}
			compared++
			if want != "" {
				violated++
			}
			if got != want {
				t.Fatalf("program %d, run %d: %q, of the slice %q\n%s\n%s", seed, run, want, got, ir.Print(m), ir.Print(p))
			}
		}
	}
	t.Logf("%d of %d programs sliced, %d runs compared, %d of them with a violation", made, *programs, compared, violated)
	if made < *programs/10 || violated == 0 {
		t.Errorf("%d slices, %d violations", made, violated)
	}
}

// chain has loops one behind the other, each with its own sum; of the assertions about
// sums the last is open. The bounds of the loops depend on each other.
func chain(n int) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	i32 := ir.IntType(32)
	b.At(b.Block("entry"))
	most := b.Nondet(i32, ir.NondetInput, "most")
	for k := range n {
		head, body, out := b.Block("head"), b.Block("body"), b.Block("out")
		before := b.Current()
		b.Br(head)
		b.At(head)
		i, sum := b.Phi(i32), b.Phi(i32)
		b.AddIncoming(i, b.Const(32, 0), before)
		b.AddIncoming(sum, b.Const(32, 0), before)
		b.CondBr(b.Cmp(ir.ULt, i, most), body, out)
		b.At(body)
		b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(32, 1)), body)
		b.AddIncoming(sum, b.Bin(ir.Add, sum, b.Const(32, 4)), body)
		b.Br(head)
		b.At(out)
		mask := uint64(3)
		if k == n-1 {
			mask = 7
		}
		b.Check(ir.Assertion, b.Cmp(ir.Eq, b.Bin(ir.And, sum, b.Const(32, mask)), b.Const(32, 0)), "sum")
		most = b.Bin(ir.URem, most, b.Const(32, uint64(50+k)))
	}
	b.Halt(ir.HaltExit)
	b.Done()
	return m
}

func loops(m *ir.Module) (n int) {
	f := m.Func("main")
	w := ir.NewWTO(f)
	for _, b := range w.Blocks {
		if w.IsHead(b) {
			n++
		}
	}
	return n
}

// TestLoops: only the loop whose assertion is open stays, with what its bound depends on.
func TestLoops(t *testing.T) {
	m := chain(5)
	p := sliced(t, m, []ir.CheckKind{ir.Assertion})
	if p == nil || loops(m) != 5 || loops(p) != 1 {
		t.Fatalf("%d loops, %v", loops(m), p)
	}
	rests := 0
	for _, d := range p.Func("main").Values {
		if d.Op == ir.URem {
			rests++
		}
	}
	if rests != 4 {
		t.Errorf("%d remainders, want those of the loops before\n%s", rests, ir.Print(p))
	}
}

// TestNothing: a program without anything to leave out has no slice.
func TestNothing(t *testing.T) {
	if p := sliced(t, chain(1), []ir.CheckKind{ir.Assertion}); p != nil {
		t.Errorf("%s", ir.Print(p))
	}
}

// BenchmarkOf slices programs of 100 and 1,000 loops.
func BenchmarkOf(b *testing.B) {
	for _, n := range []int{100, 1000} {
		m := chain(n)
		facts, err := absint.Analyze(b.Context(), m, absint.Options{Asked: []ir.CheckKind{ir.Assertion}})
		if err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				Of(m, facts, []ir.CheckKind{ir.Assertion})
			}
		})
	}
}
