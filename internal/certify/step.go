package certify

import (
	"fmt"

	"assay/internal/logic/term"
	"assay/internal/models/encode"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file encodes single instructions; memory.go has those on memory, call.go
// calls. docs/soundness.md is the table that they implement.

// execute encodes the block under way from where it stands, up to its end or to
// a call.
func (c *checker) execute(fr *frame) error {
	if err := c.poll(); err != nil {
		return err
	}
	instrs := fr.fn.f.Blocks[fr.block].Instrs
	for {
		v := instrs[fr.pc]
		fr.pc++
		goesOn, err := c.instruction(fr, v)
		if err != nil {
			return err
		}
		if fr.call != nil {
			return nil
		}
		if !goesOn || c.st.IsFalse(fr.guard) {
			fr.block = 0
			return nil
		}
	}
}

// operand is operand i of an instruction, as it is where the instruction is reached.
func (c *checker) operand(fr *frame, d *ir.Def, i int) value {
	return c.narrowed(fr, fr.get(d.Args[i]))
}

// narrowed is a value, simplified under the guard of the instance under way.
func (c *checker) narrowed(fr *frame, x value) value {
	if x.IsPointer() {
		x.Object, x.Offset = c.st.Under(fr.guard, x.Object), c.st.Under(fr.guard, x.Offset)
	} else {
		x.Bits = c.st.Under(fr.guard, x.Bits)
	}
	return x
}

// bits is an operand as a bit-vector: a pointer is its address.
func (c *checker) bits(fr *frame, d *ir.Def, i int) term.ID {
	x := c.operand(fr, d, i)
	if x.IsPointer() {
		return c.sp.PtrToInt(x.Value)
	}
	return x.Bits
}

// truth is an operand of type Int 1.
func (c *checker) truth(fr *frame, d *ir.Def, i int) term.ID { return c.st.BVToBool(c.bits(fr, d, i)) }

// size is an operand as wide as a pointer.
func (c *checker) size(fr *frame, d *ir.Def, i int) term.ID {
	return c.st.ZExtOrTrunc(c.bits(fr, d, i), c.m.PointerBits)
}

func (fr *frame) typeOf(v ir.Value) ir.Type { return fr.fn.f.Values[v].Type }

// instruction encodes one instruction. It says whether the run can go on to the
// next of the block, now or when the call that it started returns.
func (c *checker) instruction(fr *frame, v ir.Value) (goesOn bool, err error) {
	st := c.st
	d := &fr.fn.f.Values[v]
	switch d.Op {
	case ir.Br:
		c.deliver(fr, 0, fr.guard, fr.mem)
		return false, nil
	case ir.CondBr:
		t := c.truth(fr, d, 0)
		c.fork(fr, []term.ID{t, st.Not(t)}, []int{0, 1})
		return false, nil
	case ir.Switch:
		c.switches(fr, d)
		return false, nil
	case ir.Ret:
		e := edge{guard: fr.guard, mem: fr.mem, values: c.values(len(d.Args))}
		for i := range d.Args {
			e.values[i] = fr.get(d.Args[i])
		}
		if fr.caller == nil && !c.inBody() {
			c.stopped(fr, v, st.True(), "the program ends")
			c.ends(fr, v)
		}
		fr.returns = append(fr.returns, e)
		return false, nil
	case ir.Halt:
		c.stopped(fr, v, st.True(), "the program ends")
		if ir.HaltKind(d.Aux) == ir.HaltExit {
			c.ends(fr, v)
		}
		return false, nil
	case ir.Unreachable:
		c.stopped(fr, v, st.True(), "the program ends")
		c.undefined(fr, v, ir.ReachedUnreachable, st.True(), "a place marked unreachable is reached")
		return false, nil
	case ir.Unsupported:
		c.claim(obstacle, fr, fr.guard, v, "%s", d.Sym)
		return false, nil
	case ir.Call:
		return c.calls(fr, d, v)
	case ir.Check:
		c.undefined(fr, v, ir.CheckKind(d.Aux), st.Not(c.truth(fr, d, 0)), d.Sym)
	case ir.Assume:
		t := c.truth(fr, d, 0)
		c.stopped(fr, v, st.Not(t), "an assumption does not hold")
		fr.guard = st.And(fr.guard, t)
	case ir.Label:
		if d.Sym == c.o.Label {
			c.undefined(fr, v, ir.ErrorLabel, st.True(), "the label is reached")
		}
	case ir.Dbg, ir.Accept:
	case ir.Nondet:
		x, ok := c.fixed(fr, d, v)
		if !ok {
			x = c.arbitrary(d.Type)
		}
		fr.set(v, x)
		c.known(fr, v)
	case ir.Extract:
		fr.set(v, fr.get(fr.fn.further[d.Args[0]][d.Aux-1]))
	case ir.PtrToInt:
		fr.set(v, bitsValue(st.ZExtOrTrunc(c.bits(fr, d, 0), d.Type.Bits)))
	case ir.IntToPtr:
		fr.set(v, value{Value: c.sp.IntToPtr(c.size(fr, d, 0))})
		c.known(fr, v)
	case ir.PtrAdd:
		fr.set(v, value{Value: c.sp.Add(c.operand(fr, d, 0).Value, c.size(fr, d, 1))})
		c.based(fr, v)
	case ir.Select:
		fr.set(v, c.choose(c.truth(fr, d, 0), c.operand(fr, d, 1), c.operand(fr, d, 2)))
	case ir.Freeze:
		x := c.operand(fr, d, 0)
		if d.Aux == ir.Cede {
			x.Value = fr.mem.Cede(x.Value, fr.guard)
			c.gaveUp(fr, v)
		}
		fr.set(v, x)
	case ir.Eq, ir.Ne, ir.ULt, ir.ULe:
		if fr.typeOf(d.Args[0]).Kind == ir.Ptr {
			c.comparePointers(fr, d, v)
		} else {
			c.scalar(fr, d, v)
		}
	default:
		if !c.memory(fr, d, v) {
			c.scalar(fr, d, v)
		}
	}
	return true, nil
}

// scalar encodes an operation on scalars.
func (c *checker) scalar(fr *frame, d *ir.Def, v ir.Value) {
	var few [3]term.ID
	args := few[:0]
	loose := false
	for i := range d.Args {
		x := c.operand(fr, d, i)
		// The sign that copysign takes and the bits of a cast can be seen.
		if d.Op == ir.FCopySign && i == 1 || d.Op == ir.BitCast {
			x = c.visible(x)
		}
		loose = loose || x.loose
		args = append(args, x.Bits)
	}
	t := encode.Scalar(c.st, d, args, func(kind ir.CheckKind, cond term.ID, text string) term.ID {
		c.undefined(fr, v, kind, cond, text)
		if c.stops(kind) {
			return c.st.ConstU(d.Type.Bits, 0) // on no run
		}
		return c.arbitrary(d.Type).Bits
	})
	if t == 0 {
		panic(fmt.Sprintf("certify: no encoding of operation %v", d.Op))
	}
	x := bitsValue(t)
	switch d.Op {
	case ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FSqrt, ir.FMA, ir.FRound, ir.FToF:
		x.loose = true
	case ir.FNeg, ir.FAbs, ir.FCopySign, ir.FMin, ir.FMax:
		x.loose = loose
	}
	fr.set(v, x)
}

// visible is a value whose bits can be seen from now on: if it is a NaN that an
// operation made, it is now any NaN.
func (c *checker) visible(x value) value {
	if !x.loose {
		return x
	}
	st := c.st
	nan := encode.IsNaN(st, x.Bits)
	if st.IsFalse(nan) {
		return value{Value: x.Value}
	}
	any := st.Fresh("nan", term.BitVec(st.Width(x.Bits)))
	return bitsValue(st.Ite(st.And(nan, encode.IsNaN(st, any)), any, x.Bits))
}

// comparePointers encodes a comparison of pointers, which is by address.
func (c *checker) comparePointers(fr *frame, d *ir.Def, v ir.Value) {
	p, q := c.operand(fr, d, 0).Value, c.operand(fr, d, 1).Value
	var t term.ID
	switch d.Op {
	case ir.Eq:
		t = fr.mem.Equal(p, q, fr.guard)
	case ir.Ne:
		t = c.st.Not(fr.mem.Equal(p, q, fr.guard))
	case ir.ULt:
		t = fr.mem.Less(p, q, false, fr.guard)
	default:
		t = fr.mem.Less(p, q, true, fr.guard)
	}
	c.gaveUp(fr, v)
	fr.set(v, bitsValue(c.st.BoolToBV(t)))
}

// switches encodes a switch as the chain of its cases: each is taken under the
// condition that none before it is, which joins undo one by one.
func (c *checker) switches(fr *frame, d *ir.Def) {
	st := c.st
	x := c.bits(fr, d, 0)
	conds := make([]term.ID, 0, len(d.Succs))
	succs := make([]int, 0, len(d.Succs))
	none := st.True()
	for i, k := range d.Cases {
		is := st.Eq(x, st.Const(k))
		conds, succs = append(conds, st.And(none, is)), append(succs, i+1)
		none = st.And(none, st.Not(is))
		if st.IsFalse(none) {
			break
		}
	}
	conds, succs = append(conds, none), append(succs, 0)
	c.fork(fr, conds, succs)
}

// fork delivers one edge for each condition that can hold; they exclude each other.
func (c *checker) fork(fr *frame, conds []term.ID, succs []int) {
	st := c.st
	last := -1
	for i, t := range conds {
		conds[i] = st.And(fr.guard, t)
		if !st.IsFalse(conds[i]) {
			last = i
		}
	}
	for i, g := range conds {
		switch {
		case st.IsFalse(g):
		case i == last:
			c.deliver(fr, succs[i], g, fr.mem)
		default:
			c.deliver(fr, succs[i], g, fr.mem.Fork())
		}
	}
}

// ends encodes the regular end of a run: what is still allocated then.
func (c *checker) ends(fr *frame, v ir.Value) {
	if !c.target[ir.MemCleanup] && !c.target[ir.MemTrack] {
		return
	}
	if c.inBody() {
		c.claim(uncovered, fr, fr.guard, v, "a function with a contract ends the program, and what is allocated then is asked")
		return
	}
	st := c.st
	leak := st.False()
	fr.mem.Each(func(o memory.ObjectID) {
		if c.sp.Object(o).Kind == memory.HeapObject {
			leak = st.Or(leak, fr.mem.Alive(o))
		}
	})
	// A block that a run loses on its way is allocated at its end, and lost.
	if c.target[ir.MemTrack] && !c.target[ir.MemCleanup] && !c.excluded[Place{fr.fn.f.Name, v, ir.MemTrack}] && !st.IsFalse(leak) {
		lost, vague := fr.mem.Lost(nil)
		c.claim(uncovered, fr, st.And(fr.guard, st.Or(lost, vague)), v, "memory is still allocated at the end, and perhaps lost")
	}
	c.undefined(fr, v, ir.MemCleanup, leak, "memory is still allocated at the end of the program")
}
