package interp

// Loops that only count. Where an iteration of a loop follows a path on which every
// register and every memory cell that it reads first grows by a constant, many
// iterations are done at once [KroeningWeissenbacher10: D. Kroening, G.
// Weissenbacher. Verification and Falsification of Programs with Loops Using
// Predicate Abstraction. Formal Aspects of Computing 22(2), 2010: acceleration],
// exactly: up to the iteration before one in which something wraps, changes its
// sign, or takes another way. That one is executed as any other.
//
// # How it works
//
// A path is executed over values of the form base + slope*n, where n is the number of
// the iteration from here, twice. The first time, all slopes are 0: what comes out
// are the values after one iteration, and from these the slopes of the inputs, which
// are the registers and cells that the path reads before it writes them. The second
// time with these slopes. Each operation limits n to where its result has the same
// form, a truth value is the same, and a check holds:
//
//	(A1) for n < horizon, each word of the path is the integer base + slope*n;
//	(A2) for n < horizon, each branch, switch, check and assumption goes as for n = 0;
//	(A3) the value of each input after iteration n is its value in iteration n + 1.
//
// By induction horizon iterations take the path, and leave what (A1) says for n =
// horizon - 1. Whatever has no rule below ends the attempt.

import (
	"math/bits"

	"assay/internal/program/ir"
)

// A head is tried after so many visits; then after more, if it was in vain.
const (
	firstAttempt = 64
	againAfter   = 16
	maxWait      = 1 << 24
	// leastGain is the number of iterations that are worth a jump, and maxPath the
	// number of instructions of a path.
	leastGain = 8
	maxPath   = 512
	forever   = 1 << 62 // nothing limits the iterations
	maxTotal  = 1 << 62 // steps of a run
)

// heat counts the visits of a loop head.
type heat struct{ left, wait uint32 }

// linear is base + slope*n.
type linear struct {
	base  uint64
	slope int64
}

// cell is memory at a constant address.
type cell struct {
	object   uint64
	at, size uint64
	start    linear
	now      linear
	input    bool // it was read before it was written
	written  bool
}

// accelerator is the work on one path.
type accelerator struct {
	m       *machine
	words   []linear
	state   []uint8 // by word: wasRead, wasWritten
	touched []uint32
	slopes  []int64 // of inputs, by word
	cells   []cell
	known   []cell       // of the first pass
	path    []ir.BlockID // with Options.Blocks
	horizon uint64
	steps   int64
}

const (
	wasRead    = 1 << iota // before it was written
	wasWritten             // in this pass
)

// accelerate is called at a loop head, whose first instruction is at pc. The result
// is the number of iterations that were done.
func (m *machine) accelerate(pc int, block uint32) (rounds uint64) {
	if m.accelerator == nil {
		m.accelerator = &accelerator{m: m}
	}
	a := m.accelerator
	n := m.cur.words
	if len(a.words) < n {
		a.words, a.state, a.slopes = make([]linear, n), make([]uint8, n), make([]int64, n)
	}
	clear(a.slopes)
	a.known = a.known[:0]
	if !a.pass(pc, block) {
		return 0
	}
	for _, w := range a.touched {
		if a.state[w] == wasRead|wasWritten {
			a.slopes[w] = int64(a.words[w].base - m.window[w])
		}
	}
	a.known = append(a.known[:0], a.cells...)
	if !a.pass(pc, block) || a.horizon < m.leastGain() || a.horizon == forever {
		return 0
	}
	for _, w := range a.touched {
		if a.state[w] == wasRead|wasWritten && a.words[w] != (linear{m.window[w] + uint64(a.slopes[w]), a.slopes[w]}) {
			return 0
		}
	}
	for _, c := range a.cells {
		if c.input && c.written && c.now != (linear{c.start.base + uint64(c.start.slope), c.start.slope}) {
			return 0
		}
	}
	rounds = min(a.horizon, uint64(maxTotal-m.steps)/uint64(max(a.steps, 1)))
	if rounds < m.leastGain() {
		return 0
	}
	last := func(x linear) uint64 { return x.base + uint64(x.slope)*(rounds-1) }
	for _, w := range a.touched {
		if a.state[w]&wasWritten != 0 {
			m.window[w] = last(a.words[w])
		}
	}
	for _, c := range a.cells {
		if c.written {
			o := &m.mem.objects[c.object]
			if o.shadow != nil {
				o.shadow.forget(o.bytes, c.at, c.size)
			}
			storeBits(o.bytes[c.at:c.at+c.size], last(c.now))
		}
	}
	done := int64(rounds) * a.steps
	m.steps += done
	m.skipped += done - int64(m.leastGain())*a.steps // what the jump costs
	m.limit += done - int64(m.leastGain())*a.steps
	return rounds
}

func (m *machine) leastGain() uint64 {
	if m.opts.eager {
		return 2
	}
	return leastGain
}

func (a *accelerator) touch(w uint32, how uint8) {
	if a.state[w] == 0 {
		a.touched = append(a.touched, w)
	}
	a.state[w] |= how
}

// get is the value of a register.
func (a *accelerator) get(w uint32) linear {
	if a.state[w] == 0 {
		a.touch(w, wasRead)
		a.words[w] = linear{a.m.window[w], a.slopes[w]}
	}
	return a.words[w]
}

func (a *accelerator) set(w uint32, x linear) {
	a.touch(w, wasWritten)
	a.words[w] = x
}

// within limits the horizon to where lo <= x.base + x.slope*n <= hi, as words.
func (a *accelerator) within(x linear, lo, hi uint64) bool {
	if x.base < lo || x.base > hi {
		return false
	}
	switch {
	case x.slope > 0:
		a.until((hi-x.base)/uint64(x.slope) + 1)
	case x.slope < 0:
		a.until((x.base-lo)/-uint64(x.slope) + 1)
	}
	return true
}

// until limits the horizon; 0 stands for 2^64.
func (a *accelerator) until(n uint64) {
	if n != 0 {
		a.horizon = min(a.horizon, n)
	}
}

// modular is a result of w bits whose value is right modulo 2^w: it is linear as long
// as it does not wrap.
func (a *accelerator) modular(base uint64, slope int64, w uint32) (linear, bool) {
	x := linear{base & mask(w), signed(uint64(slope), uint8(w))}
	return x, a.within(x, 0, mask(w))
}

// halves limits a word of w bits to where its sign is what it is now, and gives it as
// a signed number, with its slope.
func (a *accelerator) halves(x linear, w uint8) (int64, bool) {
	half := uint64(1) << (w - 1)
	if x.base < half {
		return int64(x.base), a.within(x, 0, half-1)
	}
	return signed(x.base, w), a.within(x, half, mask(uint32(w)))
}

// maxSlope keeps differences of slopes from wrapping.
const maxSlope = 1 << 61

func gentle(s int64) bool { return -maxSlope < s && s < maxSlope }

// less limits the horizon to where the truth of x < y is what it is now, for numbers
// with gap = |y - x|.
func (a *accelerator) less(truth bool, gap uint64, x, y int64) bool {
	if !gentle(x) || !gentle(y) {
		return false
	}
	d := x - y // how fast x gains on y
	switch {
	case truth && d > 0: // until x >= y
		a.until((gap-1)/uint64(d) + 1)
	case !truth && d < 0: // until x < y
		if n := gap / uint64(-d); n+1 != 0 {
			a.until(n + 1)
		}
	}
	return true
}

// quotient is x / d and x % d, for words. The quotient is linear if the slope is a
// multiple of d, and else constant as long as it is.
func (a *accelerator) quotient(x linear, d uint64) (q, r linear, ok bool) {
	q.base, r.base = x.base/d, x.base%d
	switch {
	case x.slope == 0:
		return q, r, true
	case d < 1<<62 && x.slope%int64(d) == 0:
		q.slope = x.slope / int64(d)
		return q, r, true
	}
	r.slope = x.slope
	return q, r, a.within(x, x.base-r.base, x.base-r.base+min(d-1, ^uint64(0)-(x.base-r.base)))
}

// find is the cell for an access of size bytes, or nil.
func (a *accelerator) find(p, object linear, size uint64, write bool) *cell {
	if p.slope != 0 || object.slope != 0 || size == 0 || size > 8 {
		return nil
	}
	o := &a.m.mem.objects[object.base]
	at, n := p.base-o.base, uint64(len(o.bytes))
	if n < size || at > n-size || write && o.readOnly {
		return nil
	}
	for i := range a.cells {
		c := &a.cells[i]
		if c.object == object.base && c.at == at && c.size == size {
			return c
		}
		if c.object == object.base && c.at < at+size && at < c.at+c.size {
			return nil
		}
	}
	start := linear{loadBits(o.bytes[at : at+size]), 0}
	for _, k := range a.known {
		if k.object == object.base && k.at == at && k.size == size && k.input && k.written {
			start.slope = int64(k.now.base - start.base)
		}
	}
	a.cells = append(a.cells, cell{object: object.base, at: at, size: size, start: start, now: start})
	return &a.cells[len(a.cells)-1]
}

// pass executes the path from the head back to it. False says that it is not one of
// which the iterations can be summed up.
func (a *accelerator) pass(pc int, block uint32) bool {
	m := a.m
	for _, w := range a.touched {
		a.state[w] = 0
	}
	a.touched, a.cells, a.path = a.touched[:0], a.cells[:0], a.path[:0]
	a.horizon, a.steps = forever, 0
	for range maxPath {
		in := &m.cur.insts[pc]
		pc++
		switch in.op {
		case opBlock:
			a.path = append(a.path, ir.BlockID(in.a))
		case opStored:
		case opCount:
			if in.a == block {
				return true
			}
		case opJump:
			pc = int(in.b)
		case opcode(ir.Br):
			pc = int(in.b)
			a.steps += int64(in.k)
		case opcode(ir.CondBr):
			c := a.get(in.a)
			if c.slope != 0 {
				return false
			}
			if pc = int(in.c); c.base != 0 {
				pc = int(in.b)
			}
			a.steps += int64(in.k)
		case opcode(ir.Switch):
			c := a.get(in.a)
			if c.slope != 0 || in.w == uint8(wide) {
				return false
			}
			pc = int(m.cur.switches[in.b].find(c.base))
			a.steps += int64(in.k)
		case opcode(ir.Check), opcode(ir.Assume):
			if c := a.get(in.a); c.slope != 0 || c.base == 0 {
				return false
			}
		case opSlow:
			switch m.cur.f.Values[in.v].Op {
			case ir.Dbg:
			case ir.Label:
				if _, told := m.passed[labelled{m.cur, in.v}]; !told {
					return false
				}
			case ir.Load: // watched (Options.Unwritten)
				load := *in
				load.op = accessOp(opLoad8, m.cur.f.Values[in.v].Type)
				if load.op > opLoad64 || !a.operation(&load) {
					return false
				}
			default:
				return false
			}
		default:
			if !a.operation(in) {
				return false
			}
		}
	}
	return false
}

// operation is an instruction that neither branches nor checks.
func (a *accelerator) operation(in *inst) bool {
	width := uint32(bits.Len64(in.k)) // of the result
	switch in.op {
	case opMove:
		a.set(in.dst, a.get(in.a))
		return true
	case opMovePair:
		x, o := a.get(in.a), a.get(in.a+1)
		a.set(in.dst, x)
		a.set(in.dst+1, o)
		return true
	case opcode(ir.Select), opSelectPair:
		c := a.get(in.a)
		if c.slope != 0 {
			return false
		}
		from := in.c
		if c.base != 0 {
			from = in.b
		}
		x := a.get(from)
		if in.op == opSelectPair {
			o := a.get(from + 1)
			a.set(in.dst+1, o)
		}
		a.set(in.dst, x)
		return true
	case opLoad8, opLoad16, opLoad32, opLoad64:
		c := a.find(a.get(in.a), a.get(in.a+1), 1<<(in.op-opLoad8), false)
		if c == nil {
			return false
		}
		if !c.written {
			if o := &a.m.mem.objects[c.object]; o.hasUnwritten(c.at, c.size) {
				return false // each read of it is told
			}
			c.input = true
		}
		a.set(in.dst, c.now)
		return true
	case opStore8, opStore16, opStore32, opStore64:
		size := uint64(1) << (in.op - opStore8)
		c := a.find(a.get(in.b), a.get(in.b+1), size, true)
		if c == nil {
			return false
		}
		x := a.get(in.a)
		var ok bool
		if c.now, ok = a.modular(x.base, x.slope, uint32(8*size)); !ok {
			return false
		}
		c.written = true
		return true
	case opcode(ir.PtrAdd):
		x, y, o := a.get(in.a), a.get(in.b), a.get(in.a+1)
		r, ok := a.modular(x.base+y.base, x.slope+y.slope, width)
		a.set(in.dst, r)
		a.set(in.dst+1, o)
		return ok && o.slope == 0
	}
	r, ok := a.value(in, width)
	if ok {
		a.set(in.dst, r)
	}
	return ok
}

// value is the result of an operation on words.
func (a *accelerator) value(in *inst, width uint32) (linear, bool) {
	none := linear{}
	x := a.get(in.a)
	switch in.op {
	case opMask:
		return a.modular(x.base, x.slope, width)
	case opSignExtend:
		s, ok := a.halves(x, in.w)
		return linear{uint64(s) & in.k, x.slope}, ok
	}
	if in.op < opcode(ir.Add) || in.op > opcode(ir.SLe) {
		return none, false
	}
	switch in.op {
	case opcode(ir.Ctpop), opcode(ir.Ctlz), opcode(ir.Cttz), opcode(ir.Bswap), opcode(ir.Bitreverse), opcode(ir.FShl), opcode(ir.FShr):
		return none, false
	}
	y := a.get(in.b)
	constant := x.slope == 0 && y.slope == 0
	switch in.op {
	case opcode(ir.Add):
		return a.modular(x.base+y.base, x.slope+y.slope, width)
	case opcode(ir.Sub):
		return a.modular(x.base-y.base, x.slope-y.slope, width)
	case opcode(ir.Mul):
		if x.slope != 0 && y.slope != 0 {
			return none, false
		}
		return a.modular(x.base*y.base, x.slope*int64(y.base)+y.slope*int64(x.base), width)
	case opcode(ir.Shl):
		if y.slope != 0 || y.base >= uint64(in.w) {
			return none, false
		}
		return a.modular(x.base<<y.base, x.slope<<y.base, width)
	case opcode(ir.And), opcode(ir.Or), opcode(ir.Xor):
		return a.bitwise(in.op, x, y, width)
	case opcode(ir.UDiv), opcode(ir.URem), opcode(ir.LShr), opcode(ir.AShr), opcode(ir.SDiv), opcode(ir.SRem):
		return a.divide(in, x, y)
	case opcode(ir.Eq), opcode(ir.Ne):
		if !gentle(x.slope) || !gentle(y.slope) {
			return none, false
		}
		equal := x.base == y.base
		switch d := x.slope - y.slope; {
		case d == 0:
		case equal:
			a.until(1)
		case x.base < y.base && d > 0:
			if gap := y.base - x.base; gap%uint64(d) == 0 {
				a.until(gap / uint64(d))
			}
		case x.base > y.base && d < 0:
			if gap := x.base - y.base; gap%uint64(-d) == 0 {
				a.until(gap / uint64(-d))
			}
		}
		return linear{truth(equal == (in.op == opcode(ir.Eq))), 0}, true
	case opcode(ir.ULt), opcode(ir.USubOvf):
		t := x.base < y.base
		return linear{truth(t), 0}, a.less(t, distance(x.base, y.base), x.slope, y.slope)
	case opcode(ir.ULe): // not y < x
		t := y.base < x.base
		return linear{truth(!t), 0}, a.less(t, distance(x.base, y.base), y.slope, x.slope)
	case opcode(ir.SLt), opcode(ir.SLe):
		p, ok := a.halves(x, in.w)
		q, ok2 := a.halves(y, in.w)
		if !ok || !ok2 {
			return none, false
		}
		gap := uint64(q) - uint64(p)
		if p > q {
			gap = -gap
		}
		if in.op == opcode(ir.SLt) {
			return linear{truth(p < q), 0}, a.less(p < q, gap, x.slope, y.slope)
		}
		return linear{truth(p <= q), 0}, a.less(q < p, gap, y.slope, x.slope)
	case opcode(ir.SAddOvf), opcode(ir.SSubOvf), opcode(ir.SMulOvf), opcode(ir.UAddOvf), opcode(ir.UMulOvf):
		if constant {
			return linear{overflowBit(in.op, x.base, y.base, in.w), 0}, true
		}
		return none, a.fits(in, x, y)
	}
	return none, false
}

func distance(x, y uint64) uint64 {
	if x < y {
		return y - x
	}
	return x - y
}

// overflowBit is the truth of an overflow.
func overflowBit(op opcode, x, y uint64, w uint8) uint64 {
	p, q := x<<(64-w), y<<(64-w)
	switch op {
	case opcode(ir.SAddOvf):
		return (p ^ (p + q)) & (q ^ (p + q)) >> 63
	case opcode(ir.SSubOvf):
		return (p ^ q) & (p ^ (p - q)) >> 63
	case opcode(ir.UAddOvf):
		return truth(p+q < p)
	case opcode(ir.SMulOvf):
		return truth(signedProductOverflows(x, y, w))
	}
	hi, lo := bits.Mul64(x, y)
	return truth(hi != 0 || lo > mask(uint32(w)))
}

// fits limits the horizon to where a sum or product of w bits does not overflow; it
// does not now.
func (a *accelerator) fits(in *inst, x, y linear) bool {
	if overflowBit(in.op, x.base, y.base, in.w) != 0 || !gentle(x.slope) || !gentle(y.slope) || in.w > 62 {
		return false
	}
	w := uint32(in.w)
	switch in.op {
	case opcode(ir.UAddOvf):
		return a.within(linear{x.base + y.base, x.slope + y.slope}, 0, mask(w))
	case opcode(ir.UMulOvf), opcode(ir.SMulOvf):
		if x.slope != 0 && y.slope != 0 {
			return false
		}
		if x.slope != 0 {
			x, y = y, x // x is the constant
		}
		if in.op == opcode(ir.UMulOvf) {
			s, over := product(int64(x.base), y.slope)
			return !over && a.within(linear{x.base * y.base, s}, 0, mask(w))
		}
		q, ok := a.halves(y, in.w)
		s, over := product(signed(x.base, in.w), y.slope)
		return ok && !over && a.signedWithin(signed(x.base, in.w)*q, s, w)
	}
	p, ok := a.halves(x, in.w)
	q, ok2 := a.halves(y, in.w)
	if !ok || !ok2 {
		return false
	}
	if in.op == opcode(ir.SSubOvf) {
		return a.signedWithin(p-q, x.slope-y.slope, w)
	}
	return a.signedWithin(p+q, x.slope+y.slope, w)
}

// product is a product of signed numbers, and whether it is too large.
func product(x, y int64) (int64, bool) {
	return x * y, signedProductOverflows(uint64(x), uint64(y), 64) || !gentle(x*y)
}

// signedWithin limits the horizon to where the number is a signed one of w bits.
func (a *accelerator) signedWithin(base, slope int64, w uint32) bool {
	half := uint64(1) << (w - 1)
	return a.within(linear{uint64(base) + half, slope}, 0, mask(w)) // shifted to the unsigned ones
}

// bitwise is And, Or, Xor: of constants; with the mask of all bits; And also with a
// mask of low bits, or one that does not reach the bits that change.
func (a *accelerator) bitwise(op opcode, x, y linear, width uint32) (linear, bool) {
	if x.slope != 0 {
		x, y = y, x
	}
	switch {
	case x.slope != 0:
		return linear{}, false
	case y.slope == 0:
		switch op {
		case opcode(ir.And):
			return linear{x.base & y.base, 0}, true
		case opcode(ir.Or):
			return linear{x.base | y.base, 0}, true
		}
		return linear{x.base ^ y.base, 0}, true
	case op == opcode(ir.Xor) && x.base == mask(width):
		return linear{x.base - y.base, -y.slope}, true
	case op == opcode(ir.Xor) && x.base == 0 || op == opcode(ir.Or) && x.base == 0:
		return y, true
	case op != opcode(ir.And):
		return linear{}, false
	case x.base == 0:
		return linear{}, true
	}
	n := uint32(bits.Len64(x.base))
	switch {
	case uint64(y.slope)&mask(n) == 0:
		return linear{x.base & y.base, 0}, true
	case x.base == mask(n):
		return a.modular(y.base, y.slope, n)
	}
	return linear{}, false
}

// divide is a division or a shift right by a constant, of what is not negative.
func (a *accelerator) divide(in *inst, x, y linear) (linear, bool) {
	if y.slope != 0 {
		return linear{}, false
	}
	d := y.base
	switch in.op {
	case opcode(ir.LShr), opcode(ir.AShr):
		if d >= uint64(in.w) || d > 61 {
			return linear{}, false
		}
		d = 1 << d
	}
	if d == 0 {
		return linear{}, false
	}
	switch in.op {
	case opcode(ir.SDiv), opcode(ir.SRem), opcode(ir.AShr):
		if s, ok := a.halves(x, in.w); !ok || s < 0 || in.op != opcode(ir.AShr) && signed(d, in.w) < 0 {
			return linear{}, false
		}
	}
	q, r, ok := a.quotient(x, d)
	if in.op == opcode(ir.URem) || in.op == opcode(ir.SRem) {
		return r, ok
	}
	return q, ok
}
