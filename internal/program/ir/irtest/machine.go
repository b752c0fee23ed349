package irtest

import (
	"math/rand/v2"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Machine makes a state machine: a loop that switches over a variable of few constants, with two numbers that each
// state changes in its own way. Some states branch, or have a loop inside; they come back to the head one by one or
// through a block where they meet.
func Machine(seed uint64) *ir.Module {
	r := rand.New(rand.NewPCG(seed, 97))
	m := &ir.Module{PointerBits: 64, Entry: "main", Files: []string{"a.c"}}
	b := ir.NewFunc(m, "main")
	entry, head, body, out := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("out")
	number := func(n uint64) ir.Value { return b.Const(32, n) }
	keys := make([]uint64, 2+r.IntN(4))
	for i := range keys {
		keys[i] = uint64(3*i + r.IntN(3))
	}
	if r.IntN(4) == 0 {
		keys[0] = 1<<32 - 1
	}
	b.At(entry)
	b.Br(head)
	b.At(head)
	var phis [3]ir.Value // the state, and two numbers
	for i := range phis {
		phis[i] = b.Phi(i32)
	}
	come := func(from ir.BlockID, values [3]ir.Value) {
		for i, v := range values {
			b.AddIncoming(phis[i], v, from)
		}
	}
	come(entry, [3]ir.Value{number(keys[0]), number(uint64(r.IntN(10))), number(uint64(r.IntN(10)))})
	b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, "more"), body, out)
	b.At(out)
	b.Halt(ir.HaltExit)
	// change is what a state makes of a number.
	change := func(v ir.Value) ir.Value {
		switch r.IntN(7) {
		case 0:
			return number(uint64(r.IntN(20)))
		case 1:
			return b.Bin(ir.And, b.Nondet(i32, ir.NondetInput, ""), number(uint64(r.IntN(16))))
		case 2:
			return b.Bin([]ir.Op{ir.Add, ir.Sub, ir.Xor, ir.Or, ir.And, ir.Mul}[r.IntN(6)], v, number(uint64(1+r.IntN(8))))
		case 3:
			return b.Bin([]ir.Op{ir.UDiv, ir.URem, ir.SRem, ir.LShr}[r.IntN(4)], v, number(uint64(1+r.IntN(8))))
		case 4:
			return b.Bin([]ir.Op{ir.Add, ir.Sub}[r.IntN(2)], phis[1], phis[2])
		}
		return v
	}
	next := func() ir.Value {
		switch r.IntN(8) {
		case 0, 1:
			return phis[0]
		case 2:
			return b.Op(ir.Select, i32, b.Nondet(ir.BoolType, ir.NondetInput, ""), number(keys[r.IntN(len(keys))]), number(keys[r.IntN(len(keys))]))
		}
		return number(keys[r.IntN(len(keys))])
	}
	latch := ir.BlockID(0)
	var meeting [3]ir.Value
	if r.IntN(3) > 0 {
		latch = b.Block("latch")
		b.At(latch)
		for i := range meeting {
			meeting[i] = b.Phi(i32)
		}
		b.Br(head)
		come(latch, meeting)
	}
	leave := func(values [3]ir.Value) {
		from := b.Current()
		if latch == 0 || r.IntN(4) == 0 {
			b.Br(head)
			come(from, values)
			return
		}
		b.Br(latch)
		for i, v := range values {
			b.AddIncoming(meeting[i], v, from)
		}
	}
	var cases []bv.BV
	var targets []ir.BlockID
	for _, k := range keys[r.IntN(2):] {
		cases, targets = append(cases, bv.New(32, k)), append(targets, b.Block("state"))
	}
	other := b.Block("other")
	b.At(body)
	b.Switch(phis[0], other, cases, targets)
	for _, t := range append(targets, other) {
		b.At(t)
		x, y := change(phis[1]), change(phis[2])
		switch r.IntN(4) {
		case 0:
			then, els := b.Block("then"), b.Block("else")
			b.CondBr(b.Cmp([]ir.Op{ir.ULt, ir.SLe, ir.Eq}[r.IntN(3)], x, number(uint64(r.IntN(20)))), then, els)
			b.At(then)
			leave([3]ir.Value{next(), change(x), y})
			b.At(els)
			leave([3]ir.Value{next(), x, change(y)})
		case 1:
			from, inner, again, done := b.Current(), b.Block("inner"), b.Block("again"), b.Block("done")
			b.Br(inner)
			b.At(inner)
			i := b.Phi(i32)
			b.AddIncoming(i, number(0), from)
			b.CondBr(b.Cmp(ir.ULt, i, number(uint64(r.IntN(5)))), again, done)
			b.At(again)
			b.AddIncoming(i, b.Bin(ir.Add, i, number(1)), again)
			b.Br(inner)
			b.At(done)
			leave([3]ir.Value{next(), b.Bin(ir.Add, x, i), y})
		default:
			leave([3]ir.Value{next(), x, y})
		}
	}
	b.Done()
	return m
}
