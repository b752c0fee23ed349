package interp

import (
	"context"
	"encoding/binary"
	"math/bits"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/run/pause"
)

// machine is the state of one run.
type machine struct {
	p       *Program
	opts    Options
	oracle  Oracle
	ctx     context.Context
	mem     *memory
	observe bool // somebody wants events
	variant int
	repeat  *repeater // nil if repeated states are not asked for
	jumps   *jumper   // nil if the run makes every step

	frames []frame
	words  []uint64   // the windows of all frames, one after the other
	bigs   []bv.BV    // the same for wide integers
	ready  [][]uint64 // constants of functions with their addresses, by function

	// The current frame.
	cur     *code
	window  []uint64
	bigWind []bv.BV

	steps int64
	limit int64 // when to look at MaxSteps and the context again
	nans  int64 // made by VariousNaNs

	leaps

	accepts int64     // Accepts executed
	asked   int       // questions to the oracle so far
	choice  ir.Choice // its last answer
	out     Outcome
	err     error // of the context
}

// leaps are how loops that only count take one step.
type leaps struct {
	skipped     int64    // steps that were jumped over
	heats       [][]heat // of loop heads, by function
	passed      map[labelled]struct{}
	accelerator *accelerator
}

// labelled is a label of a function.
type labelled struct {
	code *code
	v    ir.Value
}

// frame is a call in progress.
type frame struct {
	code      *code
	pc        int       // where to go on
	base      int       // of the window in words
	bigBase   int       // of the window in bigs
	objects   int       // of the stack of objects below this frame's
	site      *callSite // in the caller
	arguments []argument
	serial    int64 // with repeat: numbers the calls of the run
}

// argument is a variadic argument.
type argument struct {
	t ir.Type
	x uint64 // or
	p pointer
	b bv.BV
}

const (
	defaultFrames = 1 << 18
	defaultMemory = 1 << 30
	pollInterval  = 1 << 20 // steps between looks at the context
)

// Run runs the program; see the function of that name.
func (p *Program) Run(ctx context.Context, opts Options) (Outcome, error) {
	if opts.Oracle == nil {
		opts.Oracle = Zero{}
	}
	if opts.MaxFrames == 0 {
		opts.MaxFrames = defaultFrames
	}
	if opts.MaxMemory == 0 {
		opts.MaxMemory = defaultMemory
	}
	m := &machine{p: p, opts: opts, oracle: opts.Oracle, ctx: ctx, observe: opts.Observe != nil || opts.StopAt != nil}
	if m.observe {
		m.variant = withEvents
		if opts.Blocks {
			m.variant |= withBlocks
		}
	}
	if opts.Repeats {
		m.repeat = &repeater{next: 1}
		m.variant |= withHeads
	}
	if j, ok := m.oracle.(Jumper); ok && len(j.Jumps()) > 0 {
		m.jumps = newJumper(p, j.Jumps())
		m.variant |= withHeads
	}
	if opts.Accelerate && !opts.Repeats && m.jumps == nil {
		m.variant |= withCounts
		m.heats = make([][]heat, len(p.functions))
		m.passed = map[labelled]struct{}{}
	}
	if opts.Unwritten {
		m.variant |= withUnwritten
	}
	if opts.Stores {
		m.variant |= withStores
	}
	m.ready = make([][]uint64, len(p.functions))
	defer func() {
		if m.mem != nil {
			m.mem.giveAllBack()
		}
	}()
	if m.setup() && m.enter(p.entry, nil, nil) && m.poll() {
		m.loop()
	}
	m.out.Steps, m.out.Skipped = m.steps, m.skipped
	return m.out, m.err
}

// poll looks at the limits that are not looked at in every step.
func (m *machine) poll() bool {
	if m.opts.MaxSteps > 0 && m.steps-m.skipped >= m.opts.MaxSteps {
		return m.end(StepLimit, 0, "")
	}
	pause.Wait(m.ctx)
	if m.err = m.ctx.Err(); m.err != nil {
		return false
	}
	m.limit = m.steps + pollInterval
	if m.opts.MaxSteps > 0 {
		m.limit = min(m.limit, m.opts.MaxSteps+m.skipped)
	}
	return true
}

// end records how the run ends at instruction v; it returns false, for callers
// to return.
func (m *machine) end(e End, v ir.Value, text string) bool {
	m.out.End, m.out.Value, m.out.Text = e, v, text
	if m.cur != nil {
		m.out.Func, m.out.Pos = m.cur.f, m.cur.f.Values[v].Pos
	}
	return false
}

// signed is x of w bits with its sign extended.
func signed(x uint64, w uint8) int64 { return int64(x<<(64-w)) >> (64 - w) }

// truth is the representation of a truth value.
func truth(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// loop runs until the program ends. Cases that change the frame reload the
// local copies of its parts.
func (m *machine) loop() {
	insts, r := m.cur.insts, m.window
	pc := 0
	for {
		in := &insts[pc]
		pc++
		switch in.op {
		case opSlow:
			if !m.slow(in.v) {
				return
			}

		// Moves.
		case opMove:
			r[in.dst] = r[in.a]
		case opMovePair:
			r[in.dst], r[in.dst+1] = r[in.a], r[in.a+1]
		case opMoveWide:
			m.bigWind[in.dst] = m.bigWind[in.a]
		case opMask:
			r[in.dst] = r[in.a] & in.k
		case opSignExtend:
			r[in.dst] = uint64(signed(r[in.a], in.w)) & in.k
		case opcode(ir.Select):
			if r[in.a] != 0 {
				r[in.dst] = r[in.b]
			} else {
				r[in.dst] = r[in.c]
			}
		case opSelectPair:
			from := in.c
			if r[in.a] != 0 {
				from = in.b
			}
			r[in.dst], r[in.dst+1] = r[from], r[from+1]

		// Arithmetic.
		case opcode(ir.Add):
			r[in.dst] = (r[in.a] + r[in.b]) & in.k
		case opcode(ir.Sub):
			r[in.dst] = (r[in.a] - r[in.b]) & in.k
		case opcode(ir.Mul):
			r[in.dst] = (r[in.a] * r[in.b]) & in.k
		case opcode(ir.And):
			r[in.dst] = r[in.a] & r[in.b]
		case opcode(ir.Or):
			r[in.dst] = r[in.a] | r[in.b]
		case opcode(ir.Xor):
			r[in.dst] = r[in.a] ^ r[in.b]
		case opcode(ir.UDiv), opcode(ir.URem):
			x, y := r[in.a], r[in.b]
			switch {
			case y == 0:
				if !m.undefined(ir.DivByZero, in.v) {
					return
				}
			case in.op == opcode(ir.UDiv):
				r[in.dst] = x / y
			default:
				r[in.dst] = x % y
			}
		case opcode(ir.SDiv), opcode(ir.SRem):
			x, y := signed(r[in.a], in.w), signed(r[in.b], in.w)
			switch {
			case y == 0:
				if !m.undefined(ir.DivByZero, in.v) {
					return
				}
			case in.op == opcode(ir.SDiv):
				r[in.dst] = uint64(x/y) & in.k
			default:
				r[in.dst] = uint64(x%y) & in.k
			}
		case opcode(ir.Shl), opcode(ir.LShr), opcode(ir.AShr):
			x, n := r[in.a], r[in.b]
			switch {
			case n >= uint64(in.w):
				if !m.undefined(ir.ShiftRange, in.v) {
					return
				}
			case in.op == opcode(ir.Shl):
				r[in.dst] = x << n & in.k
			case in.op == opcode(ir.LShr):
				r[in.dst] = x >> n
			default:
				r[in.dst] = uint64(signed(x, in.w)>>n) & in.k
			}
		case opcode(ir.SAddOvf):
			x, y := r[in.a]<<(64-in.w), r[in.b]<<(64-in.w)
			s := x + y
			r[in.dst] = (x ^ s) & (y ^ s) >> 63
		case opcode(ir.SSubOvf):
			x, y := r[in.a]<<(64-in.w), r[in.b]<<(64-in.w)
			r[in.dst] = (x ^ y) & (x ^ (x - y)) >> 63
		case opcode(ir.UAddOvf):
			x, y := r[in.a]<<(64-in.w), r[in.b]<<(64-in.w)
			r[in.dst] = truth(x+y < x)
		case opcode(ir.USubOvf):
			r[in.dst] = truth(r[in.a] < r[in.b])
		case opcode(ir.SMulOvf):
			r[in.dst] = truth(signedProductOverflows(r[in.a], r[in.b], in.w))
		case opcode(ir.UMulOvf):
			hi, lo := bits.Mul64(r[in.a], r[in.b])
			r[in.dst] = truth(hi != 0 || lo > mask(uint32(in.w)))
		case opcode(ir.Ctpop):
			r[in.dst] = uint64(bits.OnesCount64(r[in.a]))
		case opcode(ir.Ctlz):
			r[in.dst] = uint64(bits.LeadingZeros64(r[in.a])) - 64 + uint64(in.w)
		case opcode(ir.Cttz):
			r[in.dst] = min(uint64(bits.TrailingZeros64(r[in.a])), uint64(in.w))
		case opcode(ir.Bswap):
			r[in.dst] = bits.ReverseBytes64(r[in.a]) >> (64 - in.w)
		case opcode(ir.Bitreverse):
			r[in.dst] = bits.Reverse64(r[in.a]) >> (64 - in.w)
		case opcode(ir.FShl):
			n := r[in.c] % uint64(in.w)
			r[in.dst] = (r[in.a]<<n | r[in.b]>>(uint64(in.w)-n)) & in.k
		case opcode(ir.FShr):
			n := r[in.c] % uint64(in.w)
			r[in.dst] = (r[in.a]<<(uint64(in.w)-n) | r[in.b]>>n) & in.k

		// Comparisons; of pointers, the first word is the address.
		case opcode(ir.Eq):
			r[in.dst] = truth(r[in.a] == r[in.b])
		case opcode(ir.Ne):
			r[in.dst] = truth(r[in.a] != r[in.b])
		case opcode(ir.ULt):
			r[in.dst] = truth(r[in.a] < r[in.b])
		case opcode(ir.ULe):
			r[in.dst] = truth(r[in.a] <= r[in.b])
		case opcode(ir.SLt):
			r[in.dst] = truth(signed(r[in.a], in.w) < signed(r[in.b], in.w))
		case opcode(ir.SLe):
			r[in.dst] = truth(signed(r[in.a], in.w) <= signed(r[in.b], in.w))

		// Floats.
		case opcode(ir.FAdd), opcode(ir.FSub), opcode(ir.FMul), opcode(ir.FDiv), opcode(ir.FRem), opcode(ir.FCopySign), opcode(ir.FMin), opcode(ir.FMax):
			r[in.dst] = m.nan(ir.Op(in.op), uint32(in.w), uint32(in.w), floatBinary(ir.Op(in.op), uint32(in.w), r[in.a], r[in.b]), r[in.a], r[in.b])
		case opcode(ir.FNeg), opcode(ir.FAbs), opcode(ir.FSqrt), opcode(ir.FRound):
			r[in.dst] = m.nan(ir.Op(in.op), uint32(in.w), uint32(in.w), floatUnary(ir.Op(in.op), uint32(in.w), r[in.a], ir.RoundingMode(in.k)), r[in.a])
		case opcode(ir.FMA):
			r[in.dst] = m.nan(ir.FMA, uint32(in.w), uint32(in.w), fma(uint32(in.w), r[in.a], r[in.b], r[in.c]), r[in.a], r[in.b], r[in.c])
		case opcode(ir.FEq), opcode(ir.FLt), opcode(ir.FLe), opcode(ir.FUno):
			r[in.dst] = truth(floatCompare(ir.Op(in.op), uint32(in.w), r[in.a], r[in.b]))
		case opcode(ir.FToSI), opcode(ir.FToUI):
			x, ok := floatToInt(uint32(in.w), r[in.a], uint32(in.k), in.op == opcode(ir.FToSI))
			if ok {
				r[in.dst] = x
			} else if !m.undefined(ir.FloatConversion, in.v) {
				return
			}
		case opcode(ir.SIToF):
			r[in.dst] = intToFloat(uint32(in.k), uint64(signed(r[in.a], in.w)), true)
		case opcode(ir.UIToF):
			r[in.dst] = intToFloat(uint32(in.k), r[in.a], false)
		case opcode(ir.FToF):
			r[in.dst] = m.nan(ir.FToF, uint32(in.w), uint32(in.k), encodeFloat(uint32(in.k), decodeFloat(uint32(in.w), r[in.a])), r[in.a])

		// Pointers and memory. An offset before the object is huge.
		case opcode(ir.PtrAdd):
			r[in.dst], r[in.dst+1] = (r[in.a]+r[in.b])&in.k, r[in.a+1]
		case opcode(ir.IntToPtr):
			r[in.dst], r[in.dst+1] = r[in.a]&in.k, 0
		case opLoad8:
			o := &m.mem.objects[r[in.a+1]]
			if at, n := r[in.a]-o.base, uint64(len(o.bytes)); at < n {
				r[in.dst] = uint64(o.bytes[at])
			} else if x, ok := m.mem.loadWild(r[in.a], r[in.a+1], 1); ok {
				r[in.dst] = x
			} else if !m.undefined(ir.InvalidDeref, in.v) {
				return
			}
		case opLoad16:
			o := &m.mem.objects[r[in.a+1]]
			if at, n := r[in.a]-o.base, uint64(len(o.bytes)); n >= 2 && at <= n-2 {
				r[in.dst] = uint64(binary.LittleEndian.Uint16(o.bytes[at:]))
			} else if x, ok := m.mem.loadWild(r[in.a], r[in.a+1], 2); ok {
				r[in.dst] = x
			} else if !m.undefined(ir.InvalidDeref, in.v) {
				return
			}
		case opLoad32:
			o := &m.mem.objects[r[in.a+1]]
			if at, n := r[in.a]-o.base, uint64(len(o.bytes)); n >= 4 && at <= n-4 {
				r[in.dst] = uint64(binary.LittleEndian.Uint32(o.bytes[at:]))
			} else if x, ok := m.mem.loadWild(r[in.a], r[in.a+1], 4); ok {
				r[in.dst] = x
			} else if !m.undefined(ir.InvalidDeref, in.v) {
				return
			}
		case opLoad64:
			o := &m.mem.objects[r[in.a+1]]
			if at, n := r[in.a]-o.base, uint64(len(o.bytes)); n >= 8 && at <= n-8 {
				r[in.dst] = binary.LittleEndian.Uint64(o.bytes[at:])
			} else if x, ok := m.mem.loadWild(r[in.a], r[in.a+1], 8); ok {
				r[in.dst] = x
			} else if !m.undefined(ir.InvalidDeref, in.v) {
				return
			}
		case opLoadOdd:
			o, at, ok := m.mem.readable(pointer{r[in.a], r[in.a+1]}, uint64(in.w))
			if ok {
				r[in.dst] = loadBits(o.bytes[at:at+uint64(in.w)]) & in.k
			} else if !m.undefined(ir.InvalidDeref, in.v) {
				return
			}
		case opLoadPtr:
			o, at, ok := m.mem.readable(pointer{r[in.a], r[in.a+1]}, uint64(in.w))
			if ok {
				p := m.mem.loadPointer(o, at)
				r[in.dst], r[in.dst+1] = p.address, p.object
			} else if !m.undefined(ir.InvalidDeref, in.v) {
				return
			}
		case opStore8:
			o := &m.mem.objects[r[in.b+1]]
			if at, n := r[in.b]-o.base, uint64(len(o.bytes)); at < n && !o.readOnly {
				if o.shadow != nil {
					o.shadow.forget(o.bytes, at, 1)
				}
				o.bytes[at] = byte(r[in.a])
			} else if !m.mem.storeWild(r[in.b], r[in.b+1], 1, r[in.a]) && !m.violation(ir.InvalidDeref, in.v) {
				return
			}
		case opStore16:
			o := &m.mem.objects[r[in.b+1]]
			if at, n := r[in.b]-o.base, uint64(len(o.bytes)); n >= 2 && at <= n-2 && !o.readOnly {
				if o.shadow != nil {
					o.shadow.forget(o.bytes, at, 2)
				}
				binary.LittleEndian.PutUint16(o.bytes[at:], uint16(r[in.a]))
			} else if !m.mem.storeWild(r[in.b], r[in.b+1], 2, r[in.a]) && !m.violation(ir.InvalidDeref, in.v) {
				return
			}
		case opStore32:
			o := &m.mem.objects[r[in.b+1]]
			if at, n := r[in.b]-o.base, uint64(len(o.bytes)); n >= 4 && at <= n-4 && !o.readOnly {
				if o.shadow != nil {
					o.shadow.forget(o.bytes, at, 4)
				}
				binary.LittleEndian.PutUint32(o.bytes[at:], uint32(r[in.a]))
			} else if !m.mem.storeWild(r[in.b], r[in.b+1], 4, r[in.a]) && !m.violation(ir.InvalidDeref, in.v) {
				return
			}
		case opStore64:
			o := &m.mem.objects[r[in.b+1]]
			if at, n := r[in.b]-o.base, uint64(len(o.bytes)); n >= 8 && at <= n-8 && !o.readOnly {
				if o.shadow != nil {
					o.shadow.forget(o.bytes, at, 8)
				}
				binary.LittleEndian.PutUint64(o.bytes[at:], r[in.a])
			} else if !m.mem.storeWild(r[in.b], r[in.b+1], 8, r[in.a]) && !m.violation(ir.InvalidDeref, in.v) {
				return
			}
		case opStoreOdd:
			o, at, ok := m.mem.writable(pointer{r[in.b], r[in.b+1]}, uint64(in.w))
			if ok {
				o.overwrite(at, uint64(in.w))
				storeBits(o.bytes[at:at+uint64(in.w)], r[in.a])
			} else if !m.violation(ir.InvalidDeref, in.v) {
				return
			}
		case opStorePtr:
			o, at, ok := m.mem.writable(pointer{r[in.b], r[in.b+1]}, uint64(in.w))
			if ok {
				m.mem.storePointer(o, at, pointer{r[in.a], r[in.a+1]})
			} else if !m.violation(ir.InvalidDeref, in.v) {
				return
			}

		// Checks.
		case opcode(ir.Check):
			if r[in.a] == 0 && !m.failedCheck(in.v) {
				return
			}
		case opcode(ir.Assume):
			if r[in.a] == 0 {
				m.end(AssumeFailed, in.v, "")
				return
			}

		// Control.
		case opJump:
			pc = int(in.b)
		case opBlock:
			if !m.emit(Event{Kind: BlockEntered, Block: ir.BlockID(in.a)}) {
				return
			}
		case opStored:
			if !m.emit(Event{Kind: Stored, Value: in.v}) {
				return
			}
		case opCount:
			h := m.heats[m.cur.index]
			if h == nil {
				h = m.newHeats()
			}
			if t := &h[in.b]; t.left > 0 {
				t.left--
			} else if n := m.accelerate(pc, in.a); n > 0 {
				t.left, t.wait = againAfter, firstAttempt
				if !m.emit(Event{Kind: Accelerated, Block: ir.BlockID(in.a), Iterations: n, Path: m.accelerator.path}) {
					return
				}
			} else {
				t.wait = min(4*t.wait, maxWait)
				t.left = t.wait
			}
		case opHead:
			m.frames[len(m.frames)-1].pc = pc
			if m.jumps != nil && !m.jump(ir.BlockID(in.a)) || m.repeat != nil && !m.visitHead(ir.BlockID(in.a)) {
				return
			}
		case opcode(ir.Br):
			pc = int(in.b)
			if m.steps += int64(in.k); m.steps >= m.limit && !m.poll() {
				return
			}
		case opcode(ir.CondBr):
			if r[in.a] != 0 {
				pc = int(in.b)
			} else {
				pc = int(in.c)
			}
			if m.steps += int64(in.k); m.steps >= m.limit && !m.poll() {
				return
			}
		case opcode(ir.Switch):
			if t := &m.cur.switches[in.b]; in.w == uint8(wide) {
				pc = int(t.findWide(m.bigWind[in.a]))
			} else {
				pc = int(t.find(r[in.a]))
			}
			if m.steps += int64(in.k); m.steps >= m.limit && !m.poll() {
				return
			}
		case opcode(ir.Call):
			m.frames[len(m.frames)-1].pc = pc
			if m.steps += int64(in.k); m.steps >= m.limit && !m.poll() || !m.call(&m.cur.calls[in.b]) {
				return
			}
			insts, r, pc = m.cur.insts, m.window, m.frames[len(m.frames)-1].pc
		case opcode(ir.Ret):
			if m.steps += int64(in.k); m.steps >= m.limit && !m.poll() || !m.leave(in.v, m.cur.returns[in.b]) {
				return
			}
			insts, r, pc = m.cur.insts, m.window, m.frames[len(m.frames)-1].pc
		default: // Halt, Unreachable, Unsupported
			m.steps += int64(in.k)
			m.finish(in.v)
			return
		}
	}
}

// newHeats are those of the current function, which has not been counted yet.
func (m *machine) newHeats() []heat {
	h := make([]heat, m.cur.heads)
	for i := range h {
		if h[i] = (heat{firstAttempt, firstAttempt}); m.opts.eager {
			h[i] = heat{1, 1}
		}
	}
	m.heats[m.cur.index] = h
	return h
}

// signedProductOverflows says whether the product of signed numbers of w bits
// is none of w bits.
func signedProductOverflows(a, b uint64, w uint8) bool {
	x, y := signed(a, w), signed(b, w)
	hi, lo := bits.Mul64(uint64(x), uint64(y)) // unsigned; correct the high word
	if x < 0 {
		hi -= uint64(y)
	}
	if y < 0 {
		hi -= uint64(x)
	}
	t := signed(lo, w)
	return uint64(t) != lo || uint64(t>>63) != hi
}

// finish executes a terminator that ends the run.
func (m *machine) finish(v ir.Value) {
	d := m.cur.f.Def(v)
	switch {
	case d.Op == ir.Unsupported:
		m.end(UnsupportedReached, v, d.Sym)
	case d.Op == ir.Unreachable:
		if m.violation(ir.ReachedUnreachable, v) {
			m.end(UnreachableReached, v, "")
		}
	case d.Aux == int64(ir.HaltAbort):
		m.end(Aborted, v, "")
	default:
		if m.reportLeaks(v) {
			m.end(Halted, v, "")
		}
	}
}
