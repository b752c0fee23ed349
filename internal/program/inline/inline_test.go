package inline_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/program/inline"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
)

// random makes a module with many calls, and without numbers for addresses.
func random(seed, stream uint64, acyclic bool) *ir.Module {
	rng := rand.New(rand.NewPCG(seed, stream))
	return irtest.Random(rng, irtest.Options{Acyclic: acyclic, Funcs: 4, Blocks: 5, Instrs: 20, Only: func(op ir.Op) bool {
		switch op {
		case ir.Call:
			return true
		case ir.PtrToInt, ir.IntToPtr, ir.StackSave, ir.StackRestore:
			return false
		}
		return rng.IntN(4) == 0
	}})
}

// everything inlines what is not recursive; stack objects die where a body returns.
func everything(t *testing.T, m *ir.Module) (*ir.Module, *inline.Flat) {
	t.Helper()
	out := *m
	scratch := &ir.Module{PointerBits: m.PointerBits}
	b := ir.NewFunc(scratch, m.Entry)
	called, byName := inline.Recursive(m), m.Index().Funcs
	vars := map[*inline.Activation]int{}
	var in *inline.Inliner
	in = inline.New(b, 1<<20, func(a *inline.Activation, v ir.Value, d *ir.Def) (bool, error) {
		if _, ok := vars[a]; !ok {
			vars[a] = len(b.Func.Vars)
			b.Func.Vars = append(b.Func.Vars, a.Func.Vars...)
		}
		switch g := byName[d.Sym]; {
		case d.Op == ir.Dbg:
			d.Aux += int64(vars[a])
		case d.Op == ir.Call && g != nil && !g.IsDecl() && !g.Variadic && !called[g.Name]:
			token := b.Op(ir.StackSave, m.PtrType())
			returns, err := in.Call(a, v, d, g)
			if returns {
				b.Op(ir.StackRestore, ir.Type{}, token)
			}
			return true, err
		}
		return false, nil
	})
	b.At(b.Block("entry"))
	entry := m.Func(m.Entry)
	results, returns, err := in.Inline(nil, 0, entry, nil)
	if err != nil {
		t.Fatal(err)
	}
	if returns {
		b.Ret(results...)
	} else {
		b.Unreachable()
	}
	b.Func.Results = entry.Results
	flat := in.Done()
	out.Funcs = slices.Clone(m.Funcs)
	out.Funcs[slices.Index(m.Funcs, entry)] = flat.Func
	if err := ir.Verify(&out); err != nil {
		t.Fatalf("%v\n%s", err, ir.Print(&out))
	}
	return &out, flat
}

// events are what a run does, in terms of the original program: back takes places there.
func events(t *testing.T, m *ir.Module, seed uint64, back func(*ir.Func, ir.Value) string) (list []string, end interp.Outcome) {
	t.Helper()
	end, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Random(seed), MaxSteps: 4000, MaxFrames: 200, Observe: func(e interp.Event) {
		switch e.Kind {
		case interp.Violation:
			// Frames that were left hold no pointers any more, which MemTrack is about; both are
			// found at the end of the program, which is no instruction of the flat one.
			if e.Check != ir.MemTrack && e.Check != ir.MemCleanup {
				list = append(list, fmt.Sprint(back(e.Func, e.Value), e.Check, e.Text, e.Pos))
			}
		case interp.ChoiceMade:
			list = append(list, fmt.Sprint(back(e.Func, e.Value), e.Choice.Bits, e.Choice.Bytes))
		case interp.Assign:
			list = append(list, fmt.Sprint(back(e.Func, e.Value), e.Var.Name, e.Bits))
		case interp.LabelReached, interp.Accepted:
			list = append(list, fmt.Sprint(back(e.Func, e.Value), e.Text))
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return list, end
}

// TestRuns: a flat program runs as the program does, and the way back leads to the instruction
// that the program executes.
func TestRuns(t *testing.T) {
	inlined, compared, ended := 0, 0, 0
	for seed := range uint64(1000) {
		m := random(seed, 7, seed%2 == 0)
		flat, way := everything(t, m)
		inlined += len(way.Activations) - 1
		entry := flat.Func(flat.Entry)
		place := func(f *ir.Func, v ir.Value) string { return fmt.Sprint(f.Name, " ", v, " ") }
		for run := range uint64(5) {
			want, end := events(t, m, run, place)
			got, flatEnd := events(t, flat, run, func(f *ir.Func, v ir.Value) string {
				if f != entry {
					return place(f, v)
				}
				o := way.Values[v]
				if v != 0 && (o.Value == 0 || o.Activation.Func.Def(o.Value).Op != f.Def(v).Op) {
					t.Fatalf("seed %d: %%%d comes from %+v", seed, v, o)
				}
				return place(o.Activation.Func, o.Value)
			})
			limited := func(e interp.End) bool {
				return e == interp.StepLimit || e == interp.StackLimit || e == interp.MemoryLimit
			}
			if limited(end.End) || limited(flatEnd.End) { // calls are no steps of the flat program
				n := min(len(want), len(got))
				want, got = want[:n], got[:n]
			} else {
				ended++
				if end.End != flatEnd.End {
					t.Fatalf("seed %d, run %d: %v, flat %v\n%s%s", seed, run, end, flatEnd, ir.Print(m), ir.Print(flat))
				}
			}
			compared += len(want)
			for i := range max(len(want), len(got)) {
				if i >= len(want) || i >= len(got) || want[i] != got[i] {
					t.Fatalf("seed %d, run %d, event %d:\n%q\n%q\n%s%s", seed, run, i, want[i:], got[i:], ir.Print(m), ir.Print(flat))
				}
			}
		}
	}
	t.Logf("%d calls inlined, %d events compared, %d runs to the end", inlined, compared, ended)
	if inlined < 500 || compared < 5000 || ended < 500 {
		t.Error("the modules are too small")
	}
}

// TestOrigins: values and blocks of the flat function stand for those of the activations, and
// activations for calls.
func TestOrigins(t *testing.T) {
	for seed := range uint64(100) {
		m := random(seed, 8, true)
		_, flat := everything(t, m)
		if len(flat.Values) != len(flat.Func.Values) || len(flat.Blocks) != len(flat.Func.Blocks) {
			t.Fatalf("%d origins of %d values, %d of %d blocks", len(flat.Values), len(flat.Func.Values), len(flat.Blocks), len(flat.Func.Blocks))
		}
		for i, a := range flat.Activations {
			if a.Index != i || (a.Caller == nil) != (i == 0) {
				t.Fatalf("activation %d: %+v", i, a)
			}
			if a.Caller != nil && a.Caller.Func.Def(a.Call).Sym != a.Func.Name {
				t.Fatalf("activation %d of %s stands for %%%d", i, a.Func.Name, a.Call)
			}
			if !a.Within(a.Func) || !a.Within(m.Func(m.Entry)) {
				t.Fatalf("activation %d is not within its own function and the entry function", i)
			}
			for v, n := range a.Values {
				if n == 0 || flat.Values[n].Activation != a {
					continue // nothing, a constant, an argument, or the result of a body
				}
				if o := flat.Values[n]; o.Value != ir.Value(v) || o.Block != a.Func.Def(o.Value).Block {
					t.Fatalf("%%%d of activation %d has the value %%%d, which comes from %+v", v, i, n, o)
				}
			}
		}
		for b := 1; b < len(flat.Blocks); b++ {
			if o := flat.Blocks[b]; o.Activation != nil && (o.Block < 1 || int(o.Block) >= len(o.Activation.Func.Blocks)) {
				t.Fatalf("block %d comes from %+v", b, o)
			}
		}
	}
}

const nested = `module 64 entry @main

func @pair(%1: i32) -> i32, i32 {
entry:
  %2 = add i32 %1, i32 1
  %3 = ret %1, %2
}

func @never() -> i32, i32 {
entry:
  %1 = halt exit
}

func @even(%1: i32) -> i32 {
entry:
  %2 = call i32 @odd(%1)
  %3 = ret %2
}

func @odd(%1: i32) -> i32 {
entry:
  %2 = call i32 @even(%1)
  %3 = ret %2
}

func @self() -> i32 {
entry:
  %1 = call i32 @self()
  %2 = ret %1
}

func @main() -> i32 {
entry:
  %1 = call i32 @pair(i32 4)
  %2 = extract i32 %1, 1
  %3 = call i32 @never()
  %4 = extract i32 %3, 1
  %5 = add i32 %2, %4
  %6 = ret %5
}
`

func TestRecursive(t *testing.T) {
	m, err := ir.Parse(nested)
	if err != nil {
		t.Fatal(err)
	}
	got := inline.Recursive(m)
	for _, f := range m.Funcs {
		want := f.Name == "even" || f.Name == "odd" || f.Name == "self"
		if got[f.Name] != want {
			t.Errorf("%s: %v", f.Name, got[f.Name])
		}
	}
}

// TestLimit: a function that grows too large is an error that says where.
func TestLimit(t *testing.T) {
	m, err := ir.Parse(nested)
	if err != nil {
		t.Fatal(err)
	}
	b := ir.NewFunc(&ir.Module{PointerBits: 64}, "flat")
	b.At(b.Block("entry"))
	in := inline.New(b, 3, func(*inline.Activation, ir.Value, *ir.Def) (bool, error) { return false, nil })
	_, _, err = in.Inline(nil, 0, m.Func("main"), nil)
	large := (*inline.TooLarge)(nil)
	if !errors.As(err, &large) || large.Func.Name != "main" || large.Limit != 3 {
		t.Fatal(err)
	}
	if want := "the program has more than 3 instructions when its calls are inlined"; err.Error() != want {
		t.Errorf("%q", err)
	}
}
