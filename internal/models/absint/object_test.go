package absint

import (
	"context"
	"testing"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// again builds main with a loop of three rounds around body.
func again(b *ir.Builder, body func(round ir.Value)) {
	b.At(b.Block("entry"))
	head, in, after := b.Block("head"), b.Block("body"), b.Block("after")
	b.Br(head)
	b.At(head)
	i := b.Phi(i32)
	b.AddIncoming(i, b.Const(32, 0), 1)
	b.CondBr(b.Cmp(ir.ULt, i, b.Const(32, 3)), in, after)
	b.At(in)
	body(i)
	b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(32, 1)), b.Current())
	b.Br(head)
	b.At(after)
	b.Ret()
	b.Done()
}

func check(t *testing.T, m *ir.Module, o Options) *Facts {
	t.Helper()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	f := analyzed(t, m, o)
	if f.Incomplete != "" {
		t.Fatal(f.Incomplete)
	}
	for run := range uint64(4) {
		if c := compare(t, f, run, 1000); c.bad != "" {
			t.Fatalf("%s\n%s", c.bad, ir.Print(m))
		}
	}
	return f
}

// TestDanglingPointer: a local is made again while a pointer to its last
// instance is left.
func TestDanglingPointer(t *testing.T) {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	m.Globals = []*ir.Global{{Name: "a", Size: 4, Align: 4}, {Name: "p", Size: 8, Align: 8, Init: make([]byte, 8), Relocs: []ir.Reloc{{Target: "a"}}}}
	b := ir.NewFunc(m, "f")
	b.At(b.Block("entry"))
	x := b.Alloca(4, 4)
	read := b.Load(i32, b.Load(m.PtrType(), b.GlobalAddr("p")))
	b.Store(b.Const(32, 1), x)
	b.Store(x, b.GlobalAddr("p"))
	b.Ret()
	b.Done()
	b = ir.NewFunc(m, "main")
	again(b, func(ir.Value) { b.Call(ir.Type{}, "f") })
	f := check(t, m, Options{})
	if !f.MayViolate(0, read, ir.InvalidDeref) {
		t.Error("the read through a dangling pointer is proved")
	}
}

// TestManyBlocks: a pointer to the last block is no pointer to the new one.
func TestManyBlocks(t *testing.T) {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	head, body, write, join, after := b.Block("head"), b.Block("body"), b.Block("write"), b.Block("join"), b.Block("after")
	b.Br(head)
	b.At(head)
	last := b.Phi(m.PtrType())
	b.AddIncoming(last, b.Null(), 1)
	b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, ""), body, after)
	b.At(body)
	x := b.Op(ir.Malloc, m.PtrType(), b.Word(4))
	b.Store(b.Const(32, 1), x)
	b.CondBr(b.Cmp(ir.Ne, last, b.Null()), write, join)
	b.At(write)
	b.Store(b.Const(32, 2), last)
	v := b.Load(i32, x)
	b.Br(join)
	b.At(join)
	b.AddIncoming(last, x, join)
	b.Br(head)
	b.At(after)
	b.Ret()
	b.Done()
	f := check(t, m, Options{})
	if !f.Value(0, v).Int().Has(1) {
		t.Errorf("the new block holds %v", f.Value(0, v))
	}
}

// TestLoop: bounds, strides and indices of a counting loop are exact.
func TestLoop(t *testing.T) {
	m := &ir.Module{PointerBits: 64, Entry: "main", Globals: []*ir.Global{{Name: "a", Size: 36, Align: 4, Layout: ir.Layout{Stride: 12, Cell: 4}}, {Name: "n", Size: 4, Align: 4}}}
	b := ir.NewFunc(m, "main")
	var access, i ir.Value
	again(b, func(round ir.Value) {
		i = round
		at := b.PtrAdd(b.GlobalAddr("a"), b.Bin(ir.Mul, b.Op(ir.ZExt, m.WordType(), round), b.Word(12)))
		access = b.Store(b.Const(32, 5), b.PtrAdd(at, b.Word(4)))
		b.Store(round, b.GlobalAddr("n"))
	})
	f := check(t, m, Options{Asked: []ir.CheckKind{ir.InvalidDeref}})
	if f.MayViolate(0, access, ir.InvalidDeref) {
		t.Error("the access is in bounds")
	}
	heads := f.Root.Heads()
	if len(heads) != 1 {
		t.Fatalf("%d heads", len(heads))
	}
	var found, cell bool
	for _, x := range heads[0].Values {
		if x.Value == i && x.Fact.Int() == absdomain.Range(32, 0, 3) {
			found = true
		}
	}
	for _, x := range heads[0].Cells {
		if x.Object.Global == m.Globals[1] && x.Offset == 0 && x.Size == 4 && x.Fact.Int() == absdomain.Range(32, 0, 2) {
			cell = true
		}
	}
	if !found || !cell {
		t.Errorf("the invariant of the head is %v %v", heads[0].Values, heads[0].Cells)
	}
}

// TestAsked: what ends a run is known behind the check, and only then.
func TestAsked(t *testing.T) {
	for _, asked := range []bool{false, true} {
		m := &ir.Module{PointerBits: 64, Entry: "main"}
		b := ir.NewFunc(m, "main")
		b.At(b.Block("entry"))
		x := b.Nondet(i32, ir.NondetInput, "")
		sum := b.Bin(ir.Add, x, b.Const(32, 1))
		b.Check(ir.Overflow, b.Bin(ir.Xor, b.Cmp(ir.SAddOvf, x, b.Const(32, 1)), b.Const(1, 1)), "")
		first := ir.Value(len(b.Func.Values) - 1)
		second := b.Check(ir.Overflow, b.Cmp(ir.SLt, b.Const(32, 1<<31), sum), "")
		b.Ret()
		b.Done()
		o := Options{}
		if asked {
			o.Asked = []ir.CheckKind{ir.Overflow}
		}
		f := check(t, m, o)
		if y := f.Value(0, x).Int(); !y.IsTop() {
			t.Errorf("the input is %v", y)
		}
		if !f.MayViolate(0, first, ir.Overflow) || f.MayViolate(0, second, ir.Overflow) == asked {
			t.Errorf("asked %v: %v %v", asked, f.MayViolate(0, first, ir.Overflow), f.MayViolate(0, second, ir.Overflow))
		}
	}
}

// TestLimits: giving up is a result, cancellation an error.
func TestLimits(t *testing.T) {
	m := structured(1)
	f := analyzed(t, m, Options{MaxSteps: 10})
	if f.Incomplete == "" || !f.Reached(0, 1) || !f.MayViolate(0, 1, ir.Overflow) || !f.Value(0, m.Funcs[0].Params[0]).IsTop() {
		t.Error("an analysis that was given up knows something")
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for seed := uint64(0); ; seed++ {
		if _, err := Analyze(ctx, structured(seed), Options{}); err != nil {
			break
		}
		if seed > 1000 {
			t.Fatal("cancellation is never seen")
		}
	}
}

// TestDeterministic: two analyses of a module say the same.
func TestDeterministic(t *testing.T) {
	for seed := range uint64(40) {
		m := structured(seed)
		f, g := analyzed(t, m, Options{}), analyzed(t, m, Options{})
		if f.Steps != g.Steps || len(f.Contexts) != len(g.Contexts) {
			t.Fatalf("module %d: %d steps and %d", seed, f.Steps, g.Steps)
		}
		for i, fn := range m.Funcs {
			for v := 1; v < len(fn.Values); v++ {
				if f.Value(i, ir.Value(v)).String() != g.Value(i, ir.Value(v)).String() {
					t.Fatalf("module %d, @%s: %%%d is %v and %v", seed, fn.Name, v, f.Value(i, ir.Value(v)), g.Value(i, ir.Value(v)))
				}
			}
		}
	}
}

func BenchmarkAnalyze(b *testing.B) {
	for _, x := range []struct {
		name string
		m    *ir.Module
	}{{"structured", structured(7)}, {"nest", nest(4)}, {"long", long(400)}} {
		b.Run(x.name, func(b *testing.B) {
			b.ReportAllocs()
			var steps int64
			for b.Loop() {
				steps = analyzed(b, x.m, Options{}).Steps
			}
			b.ReportMetric(float64(steps), "steps")
		})
	}
}

// nest is a nest of loops over an array.
func nest(depth int) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main", Globals: []*ir.Global{{Name: "a", Size: 400, Align: 4, Layout: ir.Layout{Stride: 4, Cell: 4}}}}
	b := ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	var loop func(d int, sum ir.Value)
	loop = func(d int, sum ir.Value) {
		if d == 0 {
			i := b.Bin(ir.URem, sum, b.Const(32, 100))
			at := b.PtrAdd(b.GlobalAddr("a"), b.Bin(ir.Mul, b.Op(ir.ZExt, m.WordType(), i), b.Word(4)))
			b.Store(b.Bin(ir.And, b.Bin(ir.Add, b.Load(i32, at), i), b.Const(32, 255)), at)
			return
		}
		from, head, body, after := b.Current(), b.Block("head"), b.Block("body"), b.Block("after")
		b.Br(head)
		b.At(head)
		i := b.Phi(i32)
		b.AddIncoming(i, b.Const(32, 0), from)
		b.CondBr(b.Cmp(ir.ULt, i, b.Const(32, 100)), body, after)
		b.At(body)
		loop(d-1, b.Bin(ir.Add, sum, i))
		b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(32, 1)), b.Current())
		b.Br(head)
		b.At(after)
	}
	loop(depth, b.Const(32, 0))
	b.Ret()
	b.Done()
	return m
}

// long is a function of n diamonds, each with a call.
func long(n int) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main", Globals: []*ir.Global{{Name: "g", Size: 4, Align: 4}}}
	b := ir.NewFunc(m, "f", i32)
	x := b.Param(i32)
	b.At(b.Block("entry"))
	b.Ret(b.Bin(ir.And, b.Bin(ir.Add, x, b.Const(32, 1)), b.Const(32, 1023)))
	b.Done()
	b = ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	for range n {
		then, join := b.Block("then"), b.Block("join")
		v := b.Load(i32, b.GlobalAddr("g"))
		b.CondBr(b.Cmp(ir.ULt, v, b.Const(32, 500)), then, join)
		b.At(then)
		b.Store(b.Call(i32, "f", v), b.GlobalAddr("g"))
		b.Br(join)
		b.At(join)
	}
	b.Ret()
	b.Done()
	return m
}
