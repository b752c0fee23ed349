package interp

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// counter is a random program with a loop, most of whose values grow by constants:
// over registers, memory cells, and pointers.
func counter(r *rand.Rand) *ir.Module {
	widths := []uint32{3, 5, 8, 8, 11, 11, 12, 32, 62, 64}
	tame := r.IntN(4) > 0 // few operations, most of them linear
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	m.Globals = append(m.Globals, &ir.Global{Name: "g", Size: 16, Align: 8})
	b := ir.NewFunc(m, "main")
	entry, head, exit := b.Block("entry"), b.Block("head"), b.Block("exit")
	b.At(entry)
	var phis, initial []ir.Value
	var types []ir.Type
	for range 1 + r.IntN(3) {
		t := ir.IntType(widths[r.IntN(len(widths))])
		types = append(types, t)
		initial = append(initial, b.Nondet(t, ir.NondetInput, ""))
	}
	g := b.GlobalAddr("g")
	if r.IntN(3) == 0 {
		g = b.Alloca(16, 8) // of which much was never written
	}
	b.Store(b.Nondet(ir.IntType(32), ir.NondetInput, ""), g)
	b.Store(b.Nondet(ir.IntType(16), ir.NondetInput, ""), b.PtrAdd(g, b.Const(64, 8)))
	b.Br(head)
	b.At(head)
	for _, t := range types {
		phis = append(phis, b.Phi(t))
	}
	c := &counterBody{Rand: r, b: b, g: g, tame: tame, values: slices.Clone(phis)}
	b.Emit(ir.Def{Op: ir.Label, Sym: "around"})
	c.instructions(r.IntN(7))
	latch := head
	if r.IntN(2) == 0 {
		b.Check(ir.Assertion, c.condition(), "holds")
	}
	if r.IntN(3) == 0 { // two ways through the body
		left, join := b.Block("left"), b.Block("join")
		b.CondBr(c.condition(), left, join)
		b.At(left)
		b.Emit(ir.Def{Op: ir.Label, Sym: "left"})
		before, known := slices.Clone(c.values), slices.Clone(c.truths)
		c.instructions(2)
		c.values, c.truths = before, known
		b.Br(join)
		b.At(join)
		latch = join
	}
	for i, p := range phis {
		next := b.Bin(ir.Add, p, c.small(types[i].Bits))
		if tame {
			next = b.Bin(ir.Add, p, b.Const(types[i].Bits, uint64(r.IntN(7))-3))
		}
		if r.IntN(5) == 0 && !tame {
			next = c.operand(types[i].Bits)
		}
		b.AddIncoming(p, initial[i], entry)
		b.AddIncoming(p, next, latch)
	}
	stop := c.condition()
	if tame {
		w := types[0].Bits
		stop = b.Cmp([]ir.Op{ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe}[r.IntN(5)], phis[0], b.Const(w, r.Uint64()))
	}
	b.CondBr(stop, head, exit)
	b.At(exit)
	for i, p := range phis {
		b.Dbg(b.Var(ir.Var{Name: fmt.Sprint("x", i)}), p)
	}
	for at := range uint64(16) {
		b.Dbg(b.Var(ir.Var{Name: "g"}), b.Load(ir.IntType(8), b.PtrAdd(g, b.Const(64, at))))
	}
	b.Halt(ir.HaltExit)
	b.Done()
	return m
}

// counterBody makes the body of such a loop.
type counterBody struct {
	*rand.Rand
	b              *ir.Builder
	g              ir.Value // the address of the global
	tame           bool
	values, truths []ir.Value
}

func (c *counterBody) small(w uint32) ir.Value {
	v := uint64(c.IntN(9))
	switch c.IntN(4) {
	case 0:
		v = -v
	case 1:
		v = c.Uint64() >> c.IntN(64)
	}
	return c.b.Const(w, v)
}

func (c *counterBody) some() ir.Value { return c.values[c.IntN(len(c.values))] }

func (c *counterBody) operand(w uint32) ir.Value {
	if c.IntN(3) > 0 {
		for range 4 {
			if v := c.some(); c.b.Func.Type(v).Bits == w {
				return v
			}
		}
	}
	return c.small(w)
}

func (c *counterBody) condition() ir.Value {
	if len(c.truths) > 0 && c.IntN(3) == 0 {
		return c.truths[c.IntN(len(c.truths))]
	}
	x := c.some()
	w := c.b.Func.Type(x).Bits
	return c.b.Cmp([]ir.Op{ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe}[c.IntN(6)], x, c.operand(w))
}

func (c *counterBody) instructions(n int) {
	for range n {
		v := c.instruction()
		switch {
		case v == 0:
		case c.b.Func.Type(v).Bits == 1:
			c.truths = append(c.truths, v)
		default:
			c.values = append(c.values, v)
		}
	}
}

// instruction makes one, or none; its result is 0 if it has none.
func (c *counterBody) instruction() ir.Value {
	b, x := c.b, c.some()
	w := b.Func.Type(x).Bits
	switch c.IntN(12) {
	case 0:
		if w < 64 {
			return b.Op(ir.ZExt, ir.IntType(min(64, w+1+uint32(c.IntN(9)))), x)
		}
	case 1:
		if w < 64 {
			return b.Op(ir.SExt, ir.IntType(min(64, w+1+uint32(c.IntN(9)))), x)
		}
	case 2:
		if w > 1 {
			return b.Op(ir.Trunc, ir.IntType(1+uint32(c.IntN(int(w)-1))), x)
		}
	case 3:
		return b.Select(c.condition(), x, c.operand(w))
	case 4:
		return b.Cmp([]ir.Op{ir.SAddOvf, ir.UAddOvf, ir.SSubOvf, ir.USubOvf, ir.SMulOvf, ir.UMulOvf}[c.IntN(6)], x, c.operand(w))
	case 5:
		return b.Load(ir.IntType([]uint32{8, 16, 32}[c.IntN(3)]), b.PtrAdd(c.g, b.Const(64, uint64(c.IntN(14)))))
	case 6:
		t := []uint32{8, 16, 32}[c.IntN(3)]
		at := b.PtrAdd(c.g, b.Const(64, uint64(c.IntN(3)*4)))
		b.Store(b.Bin(ir.Add, b.Load(ir.IntType(t), at), b.Const(t, uint64(c.IntN(5)))), at)
	case 7, 8, 9:
		if !c.tame {
			return 0
		}
		op := []ir.Op{ir.Add, ir.Sub, ir.Mul, ir.And, ir.UDiv, ir.URem, ir.LShr, ir.Xor}[c.IntN(8)]
		n := uint64(1 + c.IntN(5))
		switch op {
		case ir.And:
			n = 1<<n - 1
		case ir.Xor:
			n = ^uint64(0)
		}
		return b.Bin(op, x, b.Const(w, n))
	default:
		if !c.tame {
			op := []ir.Op{ir.Add, ir.Add, ir.Add, ir.Sub, ir.Mul, ir.And, ir.Or, ir.Xor, ir.UDiv, ir.URem, ir.SDiv, ir.SRem, ir.Shl, ir.LShr, ir.AShr}[c.IntN(15)]
			return b.Bin(op, x, c.operand(w))
		}
	}
	return 0
}

// TestAccelerateAgrees: a run has the same end, the same violations and reads of what was never written at the same
// steps, passes the same labels and blocks, and leaves the same values, whether iterations are jumped over or not.
func TestAccelerateAgrees(t *testing.T) {
	const limit = 1 << 17
	ended, jumped := 0, 0
	for seed := range uint64(1200) {
		r := rand.New(rand.NewPCG(seed, 42))
		m := counter(r)
		if err := ir.Verify(m); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p, err := Compile(m)
		if err != nil {
			t.Fatal(err)
		}
		inputs := make([]uint64, 256)
		for i := range inputs {
			inputs[i] = r.Uint64() >> (8 * r.IntN(8))
		}
		run := func(accelerate bool) (Outcome, []string) {
			var seen []string
			passed := map[string]bool{}
			pass := func(what any) { passed[fmt.Sprint(what)] = true }
			o := Options{Oracle: oracleFunc(inputs), Accelerate: accelerate, eager: true, Blocks: true, Unwritten: seed%2 == 0, Stores: seed%3 == 0, MaxSteps: limit, Observe: func(e Event) {
				switch e.Kind {
				case BlockEntered:
					pass(e.Block)
				case Accelerated:
					for _, b := range e.Path {
						pass(b)
					}
				case LabelReached:
					pass(e.Text)
				}
				switch {
				case len(seen) > 2000:
				case e.Kind == Violation || e.Kind == UnwrittenRead:
					seen = append(seen, fmt.Sprint(e.Kind, e.Check, e.Value, e.Step))
				case e.Kind == Assign:
					seen = append(seen, fmt.Sprint(e.Var.Name, e.Bits))
				}
			}}
			out, err := p.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			return out, append(seen, slices.Sorted(maps.Keys(passed))...)
		}
		plain, saw := run(false)
		fast, sees := run(true)
		if plain.Steps >= limit {
			continue
		}
		ended++
		if fast.Skipped > 0 {
			jumped++
		}
		if fast.End != plain.End || fast.Steps != plain.Steps || fast.Value != plain.Value || !slices.Equal(saw, sees) {
			t.Fatalf("seed %d: %v and %v, %d skipped\n%v\n%v\n%s", seed, plain, fast, fast.Skipped, saw, sees, ir.Print(m))
		}
	}
	t.Logf("%d runs ended, %d were accelerated", ended, jumped)
	if jumped < 100 {
		t.Error("too few runs were accelerated")
	}
}

// oracleFunc takes inputs one after the other.
func oracleFunc(inputs []uint64) Oracle { return &listed{inputs: inputs} }

type listed struct {
	Zero
	inputs []uint64
	next   int
}

func (l *listed) Next(q Request) (ir.Choice, error) {
	c, err := l.Zero.Next(q)
	if w := c.Bits.Width(); w > 0 {
		c.Bits = bv.New(w, l.inputs[l.next%len(l.inputs)])
		l.next++
	}
	return c, err
}

// TestAccelerateFar: a loop of 2^31 iterations until a wrap ends at once, also
// without an end of the loop in sight.
func TestAccelerateFar(t *testing.T) {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	i32 := ir.IntType(32)
	b := ir.NewFunc(m, "main")
	entry, head, exit := b.Block("entry"), b.Block("head"), b.Block("exit")
	b.At(entry)
	b.Br(head)
	b.At(head)
	x := b.Phi(i32)
	next := b.Bin(ir.Add, x, b.Const(32, 2))
	b.AddIncoming(x, b.Const(32, 10), entry)
	b.AddIncoming(x, next, head)
	b.CondBr(b.Cmp(ir.ULe, b.Const(32, 10), next), head, exit)
	b.At(exit)
	b.Check(ir.Assertion, b.Bin(ir.And, b.Op(ir.Trunc, ir.IntType(1), next), b.Const(1, 1)), "odd")
	b.Halt(ir.HaltExit)
	b.Done()
	out, err := Run(t.Context(), m, Options{Accelerate: true, MaxSteps: 1 << 20, StopAt: func(e Event) bool { return e.Kind == Violation }})
	if err != nil || out.End != Stopped || out.Steps < 1<<31 {
		t.Errorf("%v, %v", out, err)
	}
}

func BenchmarkAccelerate(b *testing.B) {
	m := counter(rand.New(rand.NewPCG(3, 42)))
	p, err := Compile(m)
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if _, err := p.Run(b.Context(), Options{Accelerate: true, MaxSteps: 1 << 16}); err != nil {
			b.Fatal(err)
		}
	}
}
