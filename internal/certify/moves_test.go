package certify

import (
	"math/big"
	"strings"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// TestMoves has pointers that move from object to object in a loop.
func TestMoves(t *testing.T) {
	i32 := ir.IntType(32)
	type made struct {
		m    *ir.Module
		b    *ir.Builder
		a, c ir.Value // addresses of globals
		heap ir.Value // a block, with 0 in it
	}
	// program is a loop in which a pointer, a phi or in a cell, is replaced by what next says of
	// it, and what it points to is written. After the loop it is asserted that the first
	// global is at most 5.
	program := func(inMemory bool, next func(x *made, p ir.Value) ir.Value, written uint64) *ir.Module {
		m := &ir.Module{PointerBits: 64, Entry: "main", Files: []string{"moves.c"}}
		for _, g := range []string{"a", "c"} {
			m.Globals = append(m.Globals, &ir.Global{Name: g, Size: 4, Align: 4, Layout: ir.Layout{Cell: 4}})
		}
		m.Globals = append(m.Globals, &ir.Global{Name: "cursor", Size: 8, Align: 8, Layout: ir.Layout{Cell: 8, Pointers: true}})
		b := ir.NewFunc(m, "main")
		entry, head, body, out := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("out")
		x := &made{m: m, b: b}
		b.At(entry)
		x.a, x.c = b.GlobalAddr("a"), b.GlobalAddr("c")
		x.heap = b.Op(ir.Malloc, m.PtrType(), b.Word(4))
		b.Store(b.Const(32, 0), x.heap)
		if inMemory {
			b.Store(x.c, b.GlobalAddr("cursor"))
		}
		b.Br(head)
		b.At(head)
		var p ir.Value
		if inMemory {
			b.Phi(i32)
			b.AddIncoming(b.Func.Blocks[head].Instrs[0], b.Const(32, 0), entry)
			b.AddIncoming(b.Func.Blocks[head].Instrs[0], b.Const(32, 1), body)
			p = b.Load(m.PtrType(), b.GlobalAddr("cursor"))
		} else {
			p = b.Phi(m.PtrType())
			b.AddIncoming(p, x.c, entry)
		}
		b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, "more"), body, out)
		b.At(body)
		b.Store(b.Const(32, written), p)
		q := next(x, p)
		if inMemory {
			b.Store(q, b.GlobalAddr("cursor"))
		} else {
			b.AddIncoming(p, q, body)
		}
		b.Br(head)
		b.At(out)
		b.Check(ir.Assertion, b.Cmp(ir.ULe, b.Load(i32, x.a), b.Const(32, 5)), "at most five")
		b.Halt(ir.HaltExit)
		b.Done()
		return m
	}
	among := func(list ...func(x *made) ir.Value) func(x *made, p ir.Value) ir.Value {
		return func(x *made, p ir.Value) ir.Value {
			q := p
			for _, f := range list {
				q = x.b.Op(ir.Select, x.m.PtrType(), x.b.Nondet(ir.BoolType, ir.NondetInput, "which"), f(x), q)
			}
			return q
		}
	}
	a := func(x *made) ir.Value { return x.a }
	heap := func(x *made) ir.Value { return x.heap }
	null := func(x *made) ir.Value {
		return x.b.Emit(ir.Def{Op: ir.IntToPtr, Type: x.m.PtrType(), Args: []ir.Value{x.b.Word(0)}})
	}
	fresh := func(x *made) ir.Value { return x.b.Op(ir.Malloc, x.m.PtrType(), x.b.Word(4)) }
	for _, c := range []struct {
		name    string
		next    func(x *made, p ir.Value) ir.Value
		written uint64
		target  ir.CheckKind
		want    string
	}{
		{"stays away", among(heap), 9, ir.Assertion, "ok"},
		{"to the object that is asserted of", among(a, heap), 9, ir.Assertion, "rejected"},
		{"with a value that may be there", among(a, heap), 4, ir.Assertion, "ok"},
		{"to the start", among(a, heap), 4, ir.InvalidDeref, "rejected"}, // any offset: nothing is known of it
		{"to null", among(a, null), 4, ir.InvalidDeref, "rejected"},
		{"to null, which nobody asks about", among(heap, null), 9, ir.Assertion, "ok"},
		{"to an object of the iteration", among(fresh), 9, ir.Assertion, "incomplete"},
	} {
		for _, inMemory := range []bool{false, true} {
			m := program(inMemory, c.next, c.written)
			if err := ir.Verify(m); err != nil {
				t.Fatal(err)
			}
			f := m.Func("main")
			var address ir.Value
			for v := range f.Values {
				if f.Values[v].Op == ir.GlobalAddr && f.Values[v].Sym == "a" {
					address = ir.Value(v)
				}
			}
			atMost := invariant.Comparison{Terms: []invariant.Term{{Coeff: 1, Value: address, Cell: true, Bits: 32}}, Bound: big.NewInt(5)}
			for _, k := range []int{0, 1} {
				cert := &verdict.Induction{K: k, Heads: []invariant.Head{{Func: "main", Head: 2, Predicates: []invariant.Predicate{atMost}}}}
				got := result(Induction(t.Context(), m, Options{Targets: []ir.CheckKind{c.target}}, cert))
				want := c.want
				if c.name == "to the start" && k == 1 {
					want = "ok" // one iteration later it is where it came from
				}
				if !strings.HasPrefix(got, want) {
					t.Errorf("%s, in memory %v, K %d: %s, want %s", c.name, inMemory, k, got, want)
				}
			}
		}
	}
}
