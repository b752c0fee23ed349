package interp

// Decoding: the first call of a function turns its blocks into one array of
// fixed-size instructions over numbered registers, so that the loop of the
// machine follows no pointers of package ir.
//
// Registers. A scalar of up to 64 bits takes one word of the frame's window, a
// pointer two (address, object), a wider integer one entry of a second window.
// The first words of a window are the function's constants, copied from a
// template on entry; then come parameters, pointers, other scalars, and three
// words to break cycles of phis.
//
//	| constants | parameters | pointers | scalars | scratch |
//
// Phis become moves on the edges: each edge to a block with phis is a sequence of
// moves, ordered so that none overwrites what a later one reads.
//
// What is rare or long - everything about objects, wide integers, floats to and
// from wide integers - is one instruction opSlow, which interprets the ir.Def.

import (
	"math/bits"
	"slices"

	"assay/internal/program/ir"
)

// opcode is an ir.Op with its meaning for operands of one word, or one of the
// following.
type opcode uint8

const (
	opSlow opcode = opcode(ir.Unsupported) + 1 + iota
	opMove
	opMovePair
	opMoveWide
	opSignExtend
	opMask
	opSelectPair
	opLoad8
	opLoad16
	opLoad32
	opLoad64
	opLoadOdd // any other number of bytes up to 8
	opLoadPtr
	opStore8
	opStore16
	opStore32
	opStore64
	opStoreOdd
	opStorePtr
	opJump   // without counting
	opBlock  // report the block
	opStored // report the store before it
	opHead   // jump, or look for a repeated state
	opCount  // count the visits of a loop head; see accelerate.go
)

// inst is a decoded instruction. dst, a, b and c are registers, or what the
// comments at the machine's cases say.
type inst struct {
	op  opcode
	w   uint8 // width of the operands
	v   ir.Value
	dst uint32
	a   uint32
	b   uint32
	c   uint32
	k   uint64 // mask of the result; for control instructions the steps to count
}

type decoder struct {
	*code
	p       *Program
	f       *ir.Func
	variant int

	start    []int // of blocks
	jumps    []jump
	scratch  register // of class pair; a scalar uses its first word
	count    uint64   // steps since the last control instruction
	extracts map[ir.Value][]ir.Value
}

// jump is an operand b or c of an instruction that must become the start of a block.
type jump struct {
	at     int
	second bool
	block  ir.BlockID
}

func mask(w uint32) uint64 { return ^uint64(0) >> (64 - w) }

func (d *decoder) decode() {
	d.allocate()
	d.extracts = map[ir.Value][]ir.Value{}
	for v := range d.f.Values {
		if e := &d.f.Values[v]; e.Op == ir.Extract {
			d.extracts[e.Args[0]] = append(d.extracts[e.Args[0]], ir.Value(v))
		}
	}
	d.start = make([]int, len(d.f.Blocks))
	var heads *ir.WTO
	if d.variant&(withHeads|withCounts) != 0 {
		heads = ir.NewWTO(d.f)
	}
	for _, b := range ir.RPO(d.f) {
		d.start[b] = len(d.insts)
		d.count = 0
		if d.variant&withBlocks != 0 {
			d.emit(inst{op: opBlock, a: uint32(b)})
		}
		if heads != nil && heads.IsHead(b) {
			if d.variant&withHeads != 0 {
				d.emit(inst{op: opHead, a: uint32(b)})
			}
			if d.variant&withCounts != 0 {
				d.emit(inst{op: opCount, a: uint32(b), b: uint32(d.heads)})
				d.heads++
			}
		}
		for _, v := range d.f.Blocks[b].Instrs {
			switch d.f.Values[v].Op {
			case ir.Phi:
			case ir.Dbg, ir.Label:
				if d.variant&withEvents != 0 {
					d.emit(inst{op: opSlow, v: v})
				}
			default:
				d.count++
				d.instr(v)
				if d.variant&withStores != 0 && !d.f.Model && d.f.Values[v].Op == ir.Store {
					d.emit(inst{op: opStored, v: v})
				}
			}
		}
	}
	for _, j := range d.jumps {
		if j.second {
			d.insts[j.at].c = uint32(d.start[j.block])
		} else {
			d.insts[j.at].b = uint32(d.start[j.block])
		}
	}
}

// allocate gives registers to all values.
func (d *decoder) allocate() {
	f := d.f
	d.registers = make([]register, len(f.Values))
	assign := func(v ir.Value) {
		c := classOf(f.Values[v].Type)
		switch c {
		case wide:
			d.registers[v] = register{c, uint32(d.wides)}
			d.wides++
		default:
			d.registers[v] = register{c, uint32(d.words)}
			d.words += 1 + int(c) // scalar or pair
		}
	}
	for v := range f.Values {
		def := &f.Values[v]
		if !ir.IsConst(def.Op) {
			continue
		}
		assign(ir.Value(v))
		switch def.Op {
		case ir.Const:
			if def.Type.Bits > 64 {
				d.wideConsts = append(d.wideConsts, def.Const)
			} else {
				d.constants = append(d.constants, def.Const.Uint64())
			}
		default:
			d.constants = append(d.constants, 0, 0)
			if def.Op != ir.Null {
				d.addresses = append(d.addresses, addressConst{d.registers[v].slot, d.p.objects[def.Sym]})
			}
		}
	}
	for _, v := range f.Params {
		assign(v)
		d.params = append(d.params, d.registers[v])
	}
	d.clearFrom = d.words
	others := func(pointers bool) {
		for v := 1; v < len(f.Values); v++ {
			if f.Values[v].Block != 0 && f.Values[v].HasResult() && (f.Values[v].Type.Kind == ir.Ptr) == pointers {
				assign(ir.Value(v))
			}
		}
	}
	others(true)
	d.clearTo = d.words
	others(false)
	d.scratch = register{pair, uint32(d.words)}
	d.words += 2
	d.wides++ // scratch
	d.objectSlots = make([]bool, d.words)
	for _, r := range d.registers {
		if r.class == pair {
			d.objectSlots[r.slot+1] = true
		}
	}
}

// idleSlots are the words of the window that hold idle values, on demand.
func (c *code) idleSlots(p *Program) []bool {
	c.idleOnce.Do(func() {
		c.idle = make([]bool, c.words)
		for v, idle := range p.idle()[c.index] {
			if r := c.registers[v]; idle && r.class == scalar {
				c.idle[r.slot] = true
			}
		}
	})
	return c.idle
}

func (d *decoder) emit(i inst) int {
	d.insts = append(d.insts, i)
	return len(d.insts) - 1
}

func (d *decoder) slot(v ir.Value) uint32 { return d.registers[v].slot }

// move emits the copy of a register.
func (d *decoder) move(to, from register) {
	d.emit(inst{op: opMove + opcode(to.class), dst: to.slot, a: from.slot})
}

// edge emits the moves for the phis of block to, on its k-th incoming edge.
func (d *decoder) edge(to ir.BlockID, k int) {
	type assignment struct{ to, from register }
	var todo []assignment
	readers := map[register]int{}
	for _, v := range d.f.Blocks[to].Instrs {
		def := &d.f.Values[v]
		if def.Op != ir.Phi {
			break
		}
		if a := (assignment{d.registers[v], d.registers[def.Args[k]]}); a.to != a.from {
			todo = append(todo, a)
			readers[a.from]++
		}
	}
	for len(todo) > 0 {
		i := slices.IndexFunc(todo, func(a assignment) bool { return readers[a.to] == 0 })
		if i < 0 {
			// Only cycles are left. Save what the first assignment overwrites.
			i = 0
			saved := register{todo[0].to.class, d.scratch.slot}
			if saved.class == wide {
				saved.slot = uint32(d.wides - 1)
			}
			d.move(saved, todo[0].to)
			for j := range todo {
				if todo[j].from == todo[0].to {
					todo[j].from = saved
				}
			}
			readers[saved], readers[todo[0].to] = readers[todo[0].to], 0
		}
		d.move(todo[i].to, todo[i].from)
		readers[todo[i].from]--
		todo = slices.Delete(todo, i, i+1)
	}
}

// edgeIndex is the index, among the predecessors of succ number s of block b, of
// that edge.
func (d *decoder) edgeIndex(b ir.BlockID, s int) int {
	succs := d.f.Succs(b)
	before := 0 // earlier edges to the same block
	for _, c := range succs[:s] {
		if c == succs[s] {
			before++
		}
	}
	for k, p := range d.f.Blocks[succs[s]].Preds {
		if p == b {
			if before == 0 {
				return k
			}
			before--
		}
	}
	panic("interp: predecessors do not match successors")
}

// branch emits the code of the edge to successor s of block b behind a
// terminator, if it has any, and returns where to go. A negative result -n-1
// stands for the start of block n, which is not known yet.
func (d *decoder) branch(b ir.BlockID, s int) int {
	to := d.f.Succs(b)[s]
	at := len(d.insts)
	d.edge(to, d.edgeIndex(b, s))
	if len(d.insts) == at {
		return -int(to) - 1
	}
	d.jumpTo(d.emit(inst{op: opJump}), false, to)
	return at
}

func (d *decoder) jumpTo(at int, second bool, to ir.BlockID) {
	d.jumps = append(d.jumps, jump{at, second, to})
}

// target sets operand b or c of a terminator to the result of branch.
func (d *decoder) target(at int, second bool, to int) {
	switch {
	case to < 0:
		d.jumpTo(at, second, ir.BlockID(-to-1))
	case second:
		d.insts[at].c = uint32(to)
	default:
		d.insts[at].b = uint32(to)
	}
}

func (d *decoder) terminator(v ir.Value, def *ir.Def) {
	i := inst{op: opcode(def.Op), v: v, k: d.count}
	switch def.Op {
	case ir.Br:
		d.edge(def.Succs[0], d.edgeIndex(def.Block, 0))
		d.jumpTo(d.emit(i), false, def.Succs[0])
	case ir.CondBr:
		i.a = d.slot(def.Args[0])
		at := d.emit(i)
		d.target(at, false, d.branch(def.Block, 0))
		d.target(at, true, d.branch(def.Block, 1))
	case ir.Switch:
		i.a, i.w = d.slot(def.Args[0]), uint8(classOf(d.f.Type(def.Args[0])))
		i.b = uint32(len(d.switches))
		d.emit(i)
		d.switches = append(d.switches, jumpTable{})
		d.switches[i.b] = d.jumpTable(def)
	case ir.Ret:
		i.b = uint32(len(d.returns))
		var rs []register
		for _, a := range def.Args {
			rs = append(rs, d.registers[a])
		}
		d.returns = append(d.returns, rs)
		d.emit(i)
	default: // Halt, Unreachable, Unsupported
		d.emit(i)
	}
}

// instr emits an instruction that is neither a phi nor observed only.
func (d *decoder) instr(v ir.Value) {
	f := d.f
	def := &f.Values[v]
	if ir.IsTerminator(def.Op) {
		d.terminator(v, def)
		return
	}
	i := inst{op: opcode(def.Op), v: v, dst: d.registers[v].slot}
	anyWide := d.registers[v].class == wide
	for k, a := range def.Args {
		r := d.registers[a]
		anyWide = anyWide || r.class == wide
		switch k {
		case 0:
			i.a, i.w = r.slot, uint8(min(64, f.Type(a).Bits))
		case 1:
			i.b = r.slot
		case 2:
			i.c = r.slot
		}
	}
	if def.HasResult() && !anyWide {
		i.k = mask(def.Type.Bits)
	}
	switch def.Op {
	case ir.Call:
		d.call(v, def)
		return
	case ir.Extract:
		return // the call has put the result into its register
	case ir.Freeze, ir.BitCast, ir.ZExt:
		if def.Op == ir.Freeze && def.Aux == ir.Cede {
			i.op = opSlow
			d.emit(i)
			return
		}
		if def.Op != ir.ZExt || !anyWide {
			d.move(d.registers[v], d.registers[def.Args[0]])
			return
		}
	}
	if anyWide {
		i.op = opSlow
		d.emit(i)
		return
	}
	size := def.Type.Size()
	switch def.Op {
	case ir.SExt:
		i.op = opSignExtend
	case ir.Trunc, ir.PtrToInt:
		i.op = opMask
	case ir.Select:
		if def.Type.Kind == ir.Ptr {
			i.op = opSelectPair
		}
	case ir.FToSI, ir.FToUI, ir.SIToF, ir.UIToF, ir.FToF:
		i.k = uint64(def.Type.Bits)
	case ir.FRound:
		i.k = uint64(def.Aux)
	case ir.IntToPtr, ir.PtrAdd:
		i.k = mask(d.p.m.PointerBits)
	case ir.Load:
		if i.op, i.w = accessOp(opLoad8, def.Type), uint8(size); d.variant&withUnwritten != 0 {
			i.op = opSlow
		}
	case ir.Store:
		t := f.Type(def.Args[0])
		i.op, i.w = accessOp(opStore8, t), uint8(t.Size())
	default:
		if !isFast(def.Op) {
			i.op = opSlow
		}
	}
	d.emit(i)
}

// isFast says whether the machine's loop has a case for the operation itself.
func isFast(op ir.Op) bool {
	switch {
	case op >= ir.Add && op <= ir.SLe, op >= ir.FAdd && op <= ir.FToF, op == ir.Check, op == ir.Assume:
		return true
	}
	return false
}

// accessOp selects the load or store for a type.
func accessOp(first opcode, t ir.Type) opcode {
	switch {
	case t.Kind == ir.Ptr:
		return first + 5
	case t.Bits%8 == 0 && bits.OnesCount32(t.Bits) == 1:
		return first + opcode(bits.TrailingZeros32(t.Bits/8))
	}
	return first + 4
}

func (d *decoder) call(v ir.Value, def *ir.Def) {
	s := callSite{v: v, callee: -1}
	args := def.Args
	if def.Sym != "" {
		s.callee = d.p.index[def.Sym]
	} else {
		s.pointer = d.slot(args[0])
		args = args[1:]
	}
	for _, a := range args {
		s.values = append(s.values, a)
		s.args = append(s.args, d.registers[a])
		s.types = append(s.types, d.f.Type(a))
	}
	if def.HasResult() {
		s.results = append(s.results, callResult{0, v, def.Type, d.registers[v]})
	}
	for _, x := range d.extracts[v] {
		e := d.f.Def(x)
		s.results = append(s.results, callResult{int(e.Aux), x, e.Type, d.registers[x]})
	}
	slices.SortStableFunc(s.results, func(a, b callResult) int { return a.index - b.index })
	d.emit(inst{op: opcode(ir.Call), v: v, b: uint32(len(d.calls)), k: d.count})
	d.count = 0
	d.calls = append(d.calls, s)
}
