package interp

// How the machine talks to the outside: events to the observer, questions to
// the oracle.

import (
	"errors"
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// State gives an observer access to the run while it handles an event.
type State struct{ m *machine }

// Value is what the value of the current function holds, its address if it is
// a pointer. A value that has not been computed has any bits.
func (s State) Value(v ir.Value) bv.BV { return s.m.bits(s.m.cur.registers[v], s.m.cur.f.Type(v)) }

// Pointer is the object that the pointer value v of the current function points
// into, and the offset in it.
func (s State) Pointer(v ir.Value) (Object, uint64) {
	r := s.m.cur.registers[v]
	p := s.m.pointer(r)
	o := &s.m.mem.objects[p.object]
	x := Object{Size: o.size, Alive: o.state == stateAlive, ID: p.object}
	switch {
	case p.object == 0:
	case o.kind == kindFunction:
		x.Func = s.m.p.functions[p.object-1].f
	case o.kind == kindGlobal:
		x.Global = s.m.p.m.Globals[int(p.object)-1-len(s.m.p.functions)]
	default:
		x.Maker, x.Site = s.m.p.functions[o.maker].f, o.site
	}
	return x, (p.address - o.base) & s.m.mem.mask
}

// Object is an object of a run: one of its fields says what made it.
type Object struct {
	Func   *ir.Func
	Global *ir.Global
	// Maker and Site are the function and the instruction that made an object of
	// the stack or the heap.
	Maker *ir.Func
	Site  ir.Value
	Size  uint64
	Alive bool
	// ID is 0 for the object of null and of pointers to nothing. Numbers are used
	// again.
	ID uint64
}

// Symbol is the address of a function or global.
func (s State) Symbol(name string) uint64 { return s.m.mem.objects[s.m.p.objects[name]].base }

// CallSite is the instruction that called the current function, 0 for the entry.
func (s State) CallSite() ir.Value {
	if f := s.m.frames[len(s.m.frames)-1]; f.site != nil {
		return f.site.v
	}
	return 0
}

// CallerValue is Value in the function that called the current one.
func (s State) CallerValue(v ir.Value) bv.BV {
	caller, _ := s.Caller()
	return caller.Value(v)
}

// Func is the current function.
func (s State) Func() *ir.Func { return s.m.cur.f }

// Caller is the state as the function sees it that called the current one; ok is false in the entry.
func (s State) Caller() (caller State, ok bool) {
	last := len(s.m.frames) - 1
	if last == 0 {
		return s, false
	}
	m := *s.m
	m.frames = m.frames[:last]
	g := m.frames[last-1]
	m.cur, m.window, m.bigWind = g.code, m.words[g.base:], m.bigs[g.bigBase:]
	return State{&m}, true
}

// UserPos is the position of an event at pos in the current function, or of the call that led
// into a library model, if it is in one.
func (s State) UserPos(pos ir.Pos) ir.Pos {
	f := s.m.cur.f
	for i := len(s.m.frames) - 1; i > 0 && f.Model; i-- {
		at := s.m.frames[i].site
		if f = s.m.frames[i-1].code.f; at == nil {
			break
		}
		pos = f.Def(at.v).Pos
	}
	return pos
}

// Memory is a copy of n bytes at the address, or ok = false if no live object
// holds them all.
func (s State) Memory(address, n uint64) (b []byte, ok bool) {
	o, at, ok := s.m.mem.readable(s.m.mem.find(address), n)
	if !ok || n == 0 {
		return nil, ok
	}
	return append(b, o.bytes[at:at+n]...), true
}

// emit reports an event of the current function and says whether the run goes on.
func (m *machine) emit(e Event) bool {
	if !m.observe {
		return true
	}
	if e.Func == nil {
		e.Func = m.cur.f
	}
	if e.Pos == (ir.Pos{}) {
		e.Pos = e.Func.Pos
		if e.Value != 0 {
			e.Pos = e.Func.Def(e.Value).Pos
		}
	}
	e.Step, e.Depth, e.State = m.stepsBefore(e), len(m.frames), State{m}
	if m.opts.Observe != nil {
		m.opts.Observe(e)
	}
	if m.opts.StopAt != nil && m.opts.StopAt(e) {
		m.out.End, m.out.Value, m.out.Text = Stopped, e.Value, e.Text
		m.out.Func, m.out.Pos, m.out.Event = e.Func, e.Pos, e
		return false
	}
	return true
}

// stepsBefore is the number of steps before the instruction of an event. The
// machine counts at calls and at the ends of blocks only.
func (m *machine) stepsBefore(e Event) int64 {
	n := m.steps
	f := m.cur.f
	if e.Value == 0 || e.Func != f || e.Kind == Leave {
		return n
	}
	d := f.Def(e.Value)
	if d.Op == ir.Call || d.Op == ir.Extract { // the call has been counted already
		return n - 1
	}
	return n + int64(m.cur.stepsSince()[e.Value])
}

// stepsSince are the steps from the last call, or the begin of the block, up to each value, on demand.
func (c *code) stepsSince() []int32 {
	c.countedOnce.Do(func() {
		c.counted = make([]int32, len(c.f.Values))
		for _, b := range c.f.Blocks {
			since := int32(0)
			for _, v := range b.Instrs {
				c.counted[v] = since
				switch c.f.Def(v).Op {
				case ir.Phi, ir.Dbg, ir.Label:
				case ir.Call:
					since = 0
				default:
					since++
				}
			}
		}
	})
	return c.counted
}

// violation reports that an instruction did what must not happen.
func (m *machine) violation(k ir.CheckKind, v ir.Value) bool {
	if !m.observe {
		return true
	}
	return m.emit(Event{Kind: Violation, Check: k, Value: v, Text: m.guardText(k, v)})
}

// bytesText is a number of bytes.
func bytesText(n uint64) string {
	if n == 1 {
		return "1 byte"
	}
	return fmt.Sprintf("%d bytes", n)
}

// guardText describes a violated guard.
func (m *machine) guardText(k ir.CheckKind, v ir.Value) string {
	f := m.cur.f
	d := f.Def(v)
	switch d.Op {
	case ir.Load:
		return "invalid read of " + bytesText(d.Type.Size())
	case ir.Store:
		return "invalid write of " + bytesText(f.Type(d.Args[0]).Size())
	case ir.MemCpy: // also that of memmove, and of structures
		return "invalid copy"
	case ir.MemSet, ir.Havoc, ir.VaStart:
		return "invalid write"
	}
	switch k {
	case ir.DivByZero:
		return "division by zero"
	case ir.Overflow:
		return "the quotient does not fit"
	case ir.ShiftRange:
		return "the shift amount is not less than the width"
	case ir.FloatConversion:
		return "the number does not fit " + d.Type.String()
	case ir.InvalidFree:
		return "not the start of a live heap object"
	case ir.Incompatible:
		return ir.MistypedCall
	case ir.InvalidDeref: // of the other instructions only calls
		return "call through a pointer that points to no function"
	case ir.ReachedUnreachable:
		return "reached what must be unreachable"
	}
	return k.String()
}

// failedCheck reports a Check whose condition is false.
func (m *machine) failedCheck(v ir.Value) bool {
	d := m.cur.f.Def(v)
	return m.emit(Event{Kind: Violation, Check: ir.CheckKind(d.Aux), Value: v, Text: d.Sym})
}

// undefined reports a violated guard and makes the result arbitrary.
func (m *machine) undefined(k ir.CheckKind, v ir.Value) bool {
	return m.violation(k, v) && m.arbitrary(v)
}

// arbitrary lets the oracle decide the value of v.
func (m *machine) arbitrary(v ir.Value) bool {
	if !m.ask(Request{Func: m.cur.f, Value: v, Kind: WantValue, Type: m.cur.f.Type(v)}) {
		return false
	}
	m.setBits(m.cur.registers[v], m.choice.Bits)
	return true
}

// ask asks the oracle, checks that the answer fits the question, and leaves it
// in m.choice.
func (m *machine) ask(r Request) bool {
	var err error
	m.choice, err = m.oracle.Next(r)
	c := &m.choice
	if err == nil {
		if r.Kind == WantValue && c.Bits.Width() != r.Type.Bits {
			msg := fmt.Sprintf("a value of %d bits instead of %d", c.Bits.Width(), r.Type.Bits)
			err = &DesyncError{m.asked, r, *c, msg}
		}
	}
	m.asked++
	if err != nil {
		return m.refuse(r.Value, err)
	}
	return !m.observe || m.emit(Event{Kind: ChoiceMade, Value: r.Value, Choice: *c, Bits: c.Bits})
}

// misplaced ends the run because the last choice does not fit for another reason.
func (m *machine) misplaced(r Request, why string) bool {
	return m.refuse(r.Value, &DesyncError{m.asked - 1, r, m.choice, why})
}

// refuse ends the run because the input does not fit it.
func (m *machine) refuse(v ir.Value, err error) bool {
	m.out.Err = err
	if errors.Is(err, ErrOutOfChoices) {
		return m.end(OutOfChoices, v, err.Error())
	}
	return m.end(Desynced, v, err.Error())
}
