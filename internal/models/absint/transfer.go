package absint

// The instructions.

import (
	"math"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// execute runs block b from the state in and sets the states of its out-edges.
func (a *analysis) execute(c *callContext, b ir.BlockID, in *state) {
	fn, fr := c.fn, c.frame
	fr.begin(fn.f)
	for i, v := range fn.slots[b] {
		fr.vals[v] = in.vals[i]
	}
	a.visit++
	a.trail = a.trail[:0]
	instrs := fn.f.Blocks[b].Instrs
	fr.known = append(append(fr.known, fn.slots[b]...), instrs...)
	a.step(len(instrs))
	if a.recording {
		c.reached[b] = true
		for _, v := range fn.slots[b][:fn.phis[b]] {
			a.noteValue(c, v)
		}
	}
	if !a.recording {
		for _, e := range fn.outEdges[b] {
			c.edges[e].reached = false
		}
	}
	mem := in.mem
	for i, v := range instrs {
		if i < int(fn.phis[b]) {
			continue
		}
		if d := &fn.f.Values[v]; ir.IsTerminator(d.Op) {
			a.terminate(c, b, v, d, mem)
			return
		}
		if !a.instr(c, v, &mem, i) {
			return
		}
	}
}

// violate notes that a check or guard of that kind may be violated at v.
func (a *analysis) violate(c *callContext, v ir.Value, k ir.CheckKind) {
	if a.recording {
		c.possible[v] |= 1 << k
	}
}

// noteValue notes that v has been computed.
func (a *analysis) noteValue(c *callContext, v ir.Value) {
	if !a.recording {
		return
	}
	x := &c.frame.vals[v]
	if c.values[v].Kind == ir.Void {
		c.values[v] = *x
	} else {
		c.values[v] = a.sets.join(&c.values[v], x)
	}
}

// instr executes an instruction that is neither a phi nor a terminator; i is its
// index in the block. False if no run goes on behind it.
func (a *analysis) instr(c *callContext, v ir.Value, mem *store, i int) bool {
	fr, f := c.frame, c.fn.f
	d := &f.Values[v]
	arg := func(i int) *Value { return &fr.vals[d.Args[i]] }
	switch d.Op {
	case ir.Dbg, ir.Label, ir.Accept:
		return true
	case ir.Call:
		return a.callInstr(c, v, mem)
	case ir.Extract: // set by the call
		return true
	case ir.Check:
		kind := ir.CheckKind(d.Aux)
		if !arg(0).Int.IsTrue() {
			a.violate(c, v, kind)
			if a.asked[kind] {
				return a.assume(c, d.Args[0], true, mem, d.Block, i)
			}
		}
		return true
	case ir.Assume:
		return arg(0).Int.IsTrue() || a.assume(c, d.Args[0], true, mem, d.Block, i)
	case ir.UDiv, ir.URem, ir.SDiv, ir.SRem:
		if !a.divisor(c, v, d, mem, i) {
			return false
		}
	case ir.Shl, ir.LShr, ir.AShr:
		w := d.Type.Bits
		limit := absdomain.Range(w, 0, uint64(w-1))
		if w == 1 {
			limit = absdomain.Const(1, 0)
		}
		if n := arg(1).Int; n.IsWide() || n.UHi >= uint64(w) {
			a.violate(c, v, ir.ShiftRange)
			if a.asked[ir.ShiftRange] && !a.restrict(c, d.Args[1], limit, mem, d.Block, i) {
				return false
			}
		}
	case ir.FToSI, ir.FToUI:
		r, fits := arg(0).Float.ToInt(d.Type.Bits, d.Op == ir.FToSI)
		if !fits {
			a.violate(c, v, ir.FloatConversion)
		}
		fr.vals[v] = intValue(r)
		a.noteValue(c, v)
		return !r.IsBottom()
	case ir.Nondet:
		fr.vals[v] = topOf(d.Type)
		a.noteValue(c, v)
		return true
	}
	if d.Op >= ir.Alloca && d.Op <= ir.SameObject || d.Op == ir.VaStart {
		if !a.memoryInstr(c, v, d, mem, i) {
			return false
		}
	} else {
		fr.vals[v] = a.eval(c, d, *mem)
	}
	if d.Type.Kind != ir.Void {
		if fr.vals[v].isBottom() {
			return false
		}
		a.noteValue(c, v)
	}
	return true
}

// divisor looks at the guards of a division, and refines its operands if a
// violation ends the run.
func (a *analysis) divisor(c *callContext, v ir.Value, d *ir.Def, mem *store, i int) bool {
	fr := c.frame
	y, w := &fr.vals[d.Args[1]].Int, d.Type.Bits
	if y.IsWide() {
		a.violate(c, v, ir.DivByZero)
		return true
	}
	if y.Has(0) {
		a.violate(c, v, ir.DivByZero)
		if a.asked[ir.DivByZero] {
			nonzero, _ := absdomain.Assume(absdomain.NotEqual, *y, absdomain.Const(w, 0))
			if !a.restrict(c, d.Args[1], nonzero, mem, d.Block, i) {
				return false
			}
		}
	}
	return true
}

// eval is the value of an operation without effect on its operands' values.
func (a *analysis) eval(c *callContext, d *ir.Def, mem store) Value {
	fr := c.frame
	var x, y, z *Value
	switch len(d.Args) {
	case 3:
		z = &fr.vals[d.Args[2]]
		fallthrough
	case 2:
		y = &fr.vals[d.Args[1]]
		fallthrough
	case 1:
		x = &fr.vals[d.Args[0]]
	}
	switch d.Op {
	case ir.Freeze:
		return *x
	case ir.Select:
		switch {
		case x.Int.IsTrue():
			return *y
		case x.Int.IsFalse():
			return *z
		}
		return a.sets.join(y, z)
	case ir.Eq, ir.Ne, ir.ULt, ir.ULe:
		if x.Kind == ir.Ptr {
			return intValue(a.comparePointers(d.Op, x, y, mem))
		}
	case ir.PtrToInt:
		return intValue(a.ptrToInt(x, d.Type.Bits, mem))
	case ir.IntToPtr:
		if x.Int.Is(0) {
			return a.pointerTo(objNull)
		}
		return topOf(d.Type)
	case ir.BitCast:
		if v, ok := x.Int.Value(); x.Kind == ir.Int && ok && d.Type.Kind == ir.Float {
			return floatValue(absdomain.FloatConst(d.Type.Bits, v))
		}
		return topOf(d.Type)
	}
	if d.Op >= ir.FAdd && d.Op <= ir.FToF {
		return evalFloat(d, x, y)
	}
	if d.Op > ir.Trunc {
		return topOf(d.Type)
	}
	return intValue(evalInt(d, x, y, z))
}

// evalInt is an operation on integers.
func evalInt(d *ir.Def, px, py, pz *Value) absdomain.Int {
	x := px.Int
	var y absdomain.Int
	if py != nil {
		y = py.Int
	}
	switch d.Op {
	case ir.Add:
		return x.Add(y)
	case ir.Sub:
		return x.Sub(y)
	case ir.Mul:
		return x.Mul(y)
	case ir.UDiv:
		return x.UDiv(y)
	case ir.SDiv:
		return x.SDiv(y)
	case ir.URem:
		return x.URem(y)
	case ir.SRem:
		return x.SRem(y)
	case ir.Shl:
		return x.Shl(y)
	case ir.LShr:
		return x.LShr(y)
	case ir.AShr:
		return x.AShr(y)
	case ir.And:
		return x.And(y)
	case ir.Or:
		return x.Or(y)
	case ir.Xor:
		return x.Xor(y)
	case ir.SAddOvf:
		return x.SAddOvf(y)
	case ir.UAddOvf:
		return x.UAddOvf(y)
	case ir.SSubOvf:
		return x.SSubOvf(y)
	case ir.USubOvf:
		return x.USubOvf(y)
	case ir.SMulOvf:
		return x.SMulOvf(y)
	case ir.UMulOvf:
		return x.UMulOvf(y)
	case ir.Ctpop:
		return x.Ctpop()
	case ir.Ctlz:
		return x.Ctlz()
	case ir.Cttz:
		return x.Cttz()
	case ir.Bswap:
		return x.Bswap()
	case ir.Bitreverse:
		return x.Bitreverse()
	case ir.FShl:
		return x.FShl(y, pz.Int)
	case ir.FShr:
		return x.FShr(y, pz.Int)
	case ir.Eq:
		return x.Eq(y)
	case ir.Ne:
		return x.Ne(y)
	case ir.ULt:
		return x.ULt(y)
	case ir.ULe:
		return x.ULe(y)
	case ir.SLt:
		return x.SLt(y)
	case ir.SLe:
		return x.SLe(y)
	case ir.ZExt:
		return x.ZExt(d.Type.Bits)
	case ir.SExt:
		return x.SExt(d.Type.Bits)
	case ir.Trunc:
		return x.Trunc(d.Type.Bits)
	}
	return absdomain.Top(d.Type.Bits)
}

var roundings = [...]func(float64) float64{
	ir.RoundNearestEven: math.RoundToEven, ir.RoundNearestAway: math.Round, ir.RoundTowardZero: math.Trunc, ir.RoundUp: math.Ceil, ir.RoundDown: math.Floor,
}

func evalFloat(d *ir.Def, px, py *Value) Value {
	x := px.Float
	var y absdomain.Float
	if py != nil {
		y = py.Float
	}
	if d.Type.Kind == ir.Float && d.Type.Bits == 16 || px.Kind == ir.Float && x.Bits == 16 {
		return topOf(d.Type)
	}
	switch d.Op {
	case ir.FAdd:
		return floatValue(x.Add(y))
	case ir.FSub:
		return floatValue(x.Sub(y))
	case ir.FMul:
		return floatValue(x.Mul(y))
	case ir.FDiv:
		return floatValue(x.Div(y))
	case ir.FNeg:
		return floatValue(x.Neg())
	case ir.FAbs:
		return floatValue(x.Abs())
	case ir.FSqrt:
		return floatValue(x.Sqrt())
	case ir.FMin:
		return floatValue(x.Min(y))
	case ir.FMax:
		return floatValue(x.Max(y))
	case ir.FRound:
		return floatValue(x.Monotone(roundings[d.Aux]))
	case ir.FEq:
		return intValue(x.Equals(y))
	case ir.FLt:
		return intValue(x.Less(y, false))
	case ir.FLe:
		return intValue(x.Less(y, true))
	case ir.FUno:
		return intValue(x.Unordered(y))
	case ir.SIToF:
		return floatValue(absdomain.FloatFrom(d.Type.Bits, px.Int, true))
	case ir.UIToF:
		return floatValue(absdomain.FloatFrom(d.Type.Bits, px.Int, false))
	case ir.FToF:
		return floatValue(x.Convert(d.Type.Bits))
	}
	return topOf(d.Type)
}

// terminate sets the states of the edges out of b.
func (a *analysis) terminate(c *callContext, b ir.BlockID, v ir.Value, d *ir.Def, mem store) {
	fr := c.frame
	switch d.Op {
	case ir.Br:
		a.leave(c, b, 0, mem)
	case ir.CondBr:
		x := fr.vals[d.Args[0]].Int
		for s, truth := range [2]bool{true, false} {
			if truth && x.IsFalse() || !truth && x.IsTrue() {
				continue
			}
			m := mem
			mark := len(a.trail)
			if _, known := x.Value(); known || a.assume(c, d.Args[0], truth, &m, b, len(c.fn.f.Blocks[b].Instrs)) {
				a.leave(c, b, s, m)
			}
			a.undo(c, mark)
		}
	case ir.Switch:
		a.switchTo(c, b, d, mem)
	case ir.Ret:
		results := make([]Value, len(d.Args))
		for i, x := range d.Args {
			results[i] = fr.vals[x]
		}
		if c.parent == nil && !c.shared && a.recording {
			a.ends(c, v, mem)
		}
		a.ret(c, results, mem)
	case ir.Halt:
		if ir.HaltKind(d.Aux) == ir.HaltExit && a.recording {
			a.ends(c, v, mem)
		}
	case ir.Unreachable:
		a.violate(c, v, ir.ReachedUnreachable)
	}
}

// ends notes that the program ends at v, where blocks of the heap that may be
// alive are leaks.
func (a *analysis) ends(c *callContext, v ir.Value, mem store) {
	for o := objFirst; int(o) < len(a.objects); o++ {
		if obj := &a.objects[o]; obj.kind == heapObject && mem.get(obj.life) != nil && !a.mustDead(mem, o) {
			obj.leaks, a.leaks = true, true
			a.violate(c, v, ir.MemTrack)
			a.violate(c, v, ir.MemCleanup)
		}
	}
}

func (a *analysis) switchTo(c *callContext, b ir.BlockID, d *ir.Def, mem store) {
	fr := c.frame
	end := len(c.fn.f.Blocks[b].Instrs)
	x := fr.vals[d.Args[0]].Int
	rest := x
	for i, k := range d.Cases {
		is, _ := absdomain.Assume(absdomain.Equal, x, absdomain.Of(k))
		if x.IsWide() {
			is = x
		}
		if is.IsBottom() {
			continue
		}
		rest, _ = absdomain.Assume(absdomain.NotEqual, rest, absdomain.Of(k))
		m, mark := mem, len(a.trail)
		if a.restrict(c, d.Args[0], is, &m, b, end) {
			a.leave(c, b, i+1, m)
		}
		a.undo(c, mark)
	}
	if !rest.IsBottom() {
		m, mark := mem, len(a.trail)
		if a.restrict(c, d.Args[0], rest, &m, b, end) {
			a.leave(c, b, 0, m)
		}
		a.undo(c, mark)
	}
}

// leave sets the state of the edge to successor s of b. The slice of the last
// visit is used again: states at heads do not share it (iterate.go), and others
// are computed again before they are used.
func (a *analysis) leave(c *callContext, b ir.BlockID, s int, mem store) {
	if a.recording { // the states are final
		return
	}
	fn, fr := c.fn, c.frame
	e := fn.outEdges[b][s]
	to := fn.edgeTo[e]
	k := fn.edgePred[e]
	vals := c.edges[e].vals
	if vals == nil {
		vals = make([]Value, len(fn.slots[to]))
	}
	for i, v := range fn.slots[to] {
		if i < int(fn.phis[to]) {
			v = fn.f.Values[v].Args[k]
		}
		vals[i] = fr.vals[v]
		if vals[i].isBottom() {
			return
		}
	}
	c.edges[e] = state{reached: true, vals: vals, mem: mem}
}
