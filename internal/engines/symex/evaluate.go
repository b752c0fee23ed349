package symex

// The rules of instructions without memory [AProVE-BV §3]. Sums, differences,
// multiples and truncations need no case analysis, for a value is a form modulo
// 2^w; the analysis happens where a range matters (explorer.view), and only if
// both cases are possible.

import (
	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// step executes an instruction, or asks for a split.
func (x *explorer) step(s *state, f *frame, v ir.Value, d *ir.Def) control {
	if !x.prepare(f.Func).needed[v] {
		return next
	}
	if len(x.kinds) > 0 {
		if !x.unfold(s, f, d) {
			return forked
		}
		f = top(s)
	}
	switch d.Op {
	case ir.Br, ir.CondBr, ir.Switch, ir.Halt, ir.Unreachable, ir.Unsupported, ir.Ret, ir.Call, ir.Extract:
		return x.controlStep(s, f, v, d)
	case ir.Check, ir.Assume, ir.Dbg, ir.Label, ir.Accept:
		return x.observationStep(s, f, v, d)
	case ir.Alloca, ir.Malloc, ir.Load, ir.Store, ir.PtrAdd, ir.PtrToInt, ir.IntToPtr, ir.Free, ir.MemSet, ir.Havoc, ir.MemCpy,
		ir.LifetimeStart, ir.LifetimeEnd, ir.StackSave, ir.StackRestore:
		return x.memoryStep(s, f, v, d)
	case ir.ValidRange, ir.ObjectSize, ir.ObjectOffset, ir.IsHeapStart, ir.SameObject:
		return x.objectStep(s, f, v, d)
	}
	return x.valueStep(s, f, v, d)
}

// controlStep is step for instructions that go elsewhere, and for results of calls.
func (x *explorer) controlStep(s *state, f *frame, v ir.Value, d *ir.Def) control {
	switch d.Op {
	case ir.Br:
		return x.enter(s, f, 0)
	case ir.CondBr:
		t, ok := x.choose(s, f, d.Args[0])
		if !ok {
			return forked
		}
		if t {
			return x.enter(s, f, 0)
		}
		return x.enter(s, f, 1)
	case ir.Switch:
		return x.switches(s, f, d)
	case ir.Halt:
		return x.halt(s, f, v, d)
	case ir.Unreachable:
		if x.target[ir.ReachedUnreachable] {
			x.suspect(f, v, d, ir.ReachedUnreachable, "the end of a function without a result is reached")
		}
		return stop
	case ir.Unsupported:
		return x.cannot(f, d, d.Sym)
	case ir.Ret:
		return x.leave(s, f, v, d)
	case ir.Call:
		return x.call(s, f, v, d)
	case ir.Extract:
		if f.Values[v].Kind == symgraph.Unset {
			f.Values[v] = x.arbitrary(d.Type, x.prepare(f.Func).signed[v])
		}
		return next
	}
	panic("symex: " + d.Op.String() + " goes nowhere")
}

// guardOf is what an operation violates if an operand is not as it has to be: the second one, or the float
// that becomes an integer.
func guardOf(op ir.Op) (kind ir.CheckKind, ok bool) {
	switch op {
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		return ir.DivByZero, true
	case ir.Shl, ir.LShr, ir.AShr:
		return ir.ShiftRange, true
	case ir.FToSI, ir.FToUI:
		return ir.FloatConversion, true
	}
	return 0, false
}

// isGuarded says whether it is asked that an operation does not violate that.
func (x *explorer) isGuarded(op ir.Op) bool {
	kind, ok := guardOf(op)
	return ok && x.target[kind]
}

// guard goes on where the operand of a guarded operation is as it has to be. Of floats nothing is known.
func (x *explorer) guard(s *state, f *frame, v ir.Value, d *ir.Def) control {
	kind, _ := guardOf(d.Op)
	if kind == ir.FloatConversion {
		x.suspect(f, v, d, kind, "the float may not fit the integer")
		return stop
	}
	n, ok := x.view(s, f, d.Args[1], false)
	if !ok {
		return forked
	}
	var good bool
	if kind == ir.DivByZero {
		good, ok = x.decideZero(n)
		good = !good
	} else {
		good, ok = x.decide(n.Neg().Plus(linear.Int(int64(d.Type.Bits) - 1)))
	}
	switch {
	case !ok:
		return forked
	case !good:
		x.suspect(f, v, d, kind, map[bool]string{true: "the divisor may be 0", false: "the shift may be by the width or more"}[kind == ir.DivByZero])
		return stop
	}
	return next
}

// observationStep is step for checks, assumptions, and what only observers see.
func (x *explorer) observationStep(s *state, f *frame, v ir.Value, d *ir.Def) control {
	switch d.Op {
	case ir.Check, ir.Assume:
		t, ok := x.choose(s, f, d.Args[0])
		if !ok {
			return forked
		}
		if t {
			return next
		}
		if d.Op == ir.Check {
			x.suspect(f, v, d, ir.CheckKind(d.Aux), d.Sym)
		}
		return stop
	case ir.Label:
		if x.target[ir.ErrorLabel] && d.Sym == x.o.Label {
			x.suspect(f, v, d, ir.ErrorLabel, "the label "+d.Sym+" is reached")
			return stop
		}
	}
	return next
}

// valueStep is step for operations on values.
func (x *explorer) valueStep(s *state, f *frame, v ir.Value, d *ir.Def) control {
	set := func(r value) control { return set(f, v, r) }
	if x.isGuarded(d.Op) {
		if c := x.guard(s, f, v, d); c != next {
			return c
		}
	}
	switch d.Op {
	case ir.Nondet:
		return set(x.arbitrary(d.Type, x.prepare(f.Func).signed[v]))
	case ir.Freeze:
		return set(x.operand(s, f, d.Args[0]))
	case ir.Select:
		t, ok := x.choose(s, f, d.Args[0])
		if !ok {
			return forked
		}
		if t {
			return set(x.operand(s, f, d.Args[1]))
		}
		return set(x.operand(s, f, d.Args[2]))
	case ir.Add, ir.Sub:
		if d.Type.Bits == 1 {
			return x.logic(s, f, v, d)
		}
		a, b := x.operand(s, f, d.Args[0]).Form, x.operand(s, f, d.Args[1]).Form
		if d.Op == ir.Add {
			return set(integer(a.Add(b)))
		}
		return set(integer(a.Sub(b)))
	case ir.Mul:
		return x.multiply(s, f, v, d)
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		return x.divide(s, f, v, d)
	case ir.Shl, ir.LShr, ir.AShr:
		return x.shift(s, f, v, d)
	case ir.And, ir.Or, ir.Xor:
		return x.logic(s, f, v, d)
	case ir.Eq, ir.Ne:
		t, ok := x.equal(s, f, d)
		return setTruth(f, v, t == (d.Op == ir.Eq), ok)
	case ir.SLt, ir.SLe, ir.ULt, ir.ULe:
		t, ok := x.less(s, f, d)
		return setTruth(f, v, t, ok)
	case ir.SAddOvf, ir.SSubOvf, ir.SMulOvf, ir.UAddOvf, ir.USubOvf, ir.UMulOvf:
		return x.overflow(s, f, v, d)
	case ir.ZExt, ir.SExt:
		bit := f.Func.Type(d.Args[0]).Bits == 1
		a, ok := x.view(s, f, d.Args[0], d.Op == ir.SExt && !bit)
		if !ok {
			return forked
		}
		if d.Op == ir.SExt && bit {
			a = a.Neg()
		}
		return set(integer(a))
	case ir.Trunc:
		return set(integer(truncated(x.operand(s, f, d.Args[0]).Form, d.Type.Bits)))
	case ir.Ctpop, ir.Ctlz, ir.Cttz:
		return set(integer(x.fresh(linear.Number{}, linear.Int(int64(d.Type.Bits)))))
	case ir.FEq, ir.FLt, ir.FLe, ir.FUno, ir.Bswap, ir.Bitreverse, ir.FShl, ir.FShr, ir.FToSI, ir.FToUI, ir.BitCast,
		ir.FAdd, ir.FSub, ir.FMul, ir.FDiv, ir.FRem, ir.FNeg, ir.FAbs, ir.FSqrt, ir.FMA, ir.FCopySign, ir.FMin, ir.FMax,
		ir.FRound, ir.SIToF, ir.UIToF, ir.FToF:
		return set(x.arbitrary(d.Type, x.prepare(f.Func).signed[v]))
	}
	return x.unmodelled(f, d)
}

// unmodelled is an instruction that is not modelled.
func (x *explorer) unmodelled(f *frame, d *ir.Def) control {
	return x.cannot(f, d, "the instruction "+d.Op.String()+" is not modelled in symbolic execution graphs")
}

// truncated leaves out of a form what does not count modulo 2^bits.
func truncated(g linear.Form, bits uint32) linear.Form {
	w := two(bits)
	for _, t := range g.Terms {
		if t.Coef.Div(w).IsInt() {
			g = g.AddScaled(t.Coef.Neg(), linear.Variable(t.Var))
		}
	}
	return g
}

// less decides a comparison by size.
func (x *explorer) less(s *state, f *frame, d *ir.Def) (truth, ok bool) {
	if f.Func.Type(d.Args[0]).Kind == ir.Ptr {
		return x.pointerLess(s, f, d)
	}
	a, b, ok := x.views(s, f, d, d.Op == ir.SLt || d.Op == ir.SLe)
	if !ok {
		return false, false
	}
	g := b.Sub(a)
	if d.Op == ir.SLt || d.Op == ir.ULt {
		g = g.Plus(linear.Int(-1))
	}
	return x.decide(g)
}

// set gives an instruction its result.
func set(f *frame, v ir.Value, r value) control {
	f.Values[v] = r
	return next
}

// setTruth gives an instruction a truth value, if that is decided.
func setTruth(f *frame, v ir.Value, t, ok bool) control {
	if !ok {
		return forked
	}
	if t {
		return set(f, v, constant(1))
	}
	return set(f, v, constant(0))
}

// views are both operands as integers in the range of their type.
func (x *explorer) views(s *state, f *frame, d *ir.Def, signed bool) (a, b linear.Form, ok bool) {
	if a, ok = x.view(s, f, d.Args[0], signed); ok {
		b, ok = x.view(s, f, d.Args[1], signed)
	}
	return a, b, ok
}

func (x *explorer) switches(s *state, f *frame, d *ir.Def) control {
	a, ok := x.view(s, f, d.Args[0], true)
	if !ok {
		return forked
	}
	for i, c := range d.Cases {
		n := linear.FromBigInt(c.Signed())
		if c.Width() == 1 {
			n = linear.Int(int64(c.Uint64()))
		}
		t, ok := x.decideZero(a.Plus(n.Neg()))
		if !ok {
			return forked
		}
		if t {
			return x.enter(s, f, i+1)
		}
	}
	return x.enter(s, f, 0)
}

// equal decides an equality of integers or pointers.
func (x *explorer) equal(s *state, f *frame, d *ir.Def) (truth, ok bool) {
	t := f.Func.Type(d.Args[0])
	if t.Kind == ir.Ptr {
		return x.pointerEqual(s, f, d)
	}
	a, b := x.operand(s, f, d.Args[0]).Form, x.operand(s, f, d.Args[1]).Form
	g := a.Sub(b)
	w := two(t.Bits)
	if x.k.low(g).Cmp(w.Neg()) > 0 && x.k.high(g).Cmp(w) < 0 {
		return x.decideZero(g)
	}
	signed := x.prepare(f.Func).signed[d.Args[0]]
	a, b, ok = x.views(s, f, d, signed)
	if !ok {
		return false, false
	}
	return x.decideZero(a.Sub(b))
}
