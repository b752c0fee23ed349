package interp

// Runs that repeat themselves. A run whose whole state is equal at two visits of
// one place makes the same steps again if it makes the same decisions again, and so
// does not end. This is complete evidence: nothing is assumed about the program
// between the two visits. [2LS §6.3] finds such singleton recurrent sets in
// formulas; here a run is watched.
//
// # Two ways to repeat
//
//	(L) Lasso. At a loop head the state is equal to an earlier one: all frames
//	    with all their registers, and memory.
//	(R) Recursion. A function is entered while an earlier call of it is still
//	    active, with equal arguments, and every object that was there at the
//	    earlier entry is as it was. What the earlier call did to get here, this one
//	    can do again, one call deeper each time.
//
// # Equal memory
//
// Programs cannot see the numbers of objects, only whether two pointers have the
// same one. So for (L) memories are equal if there is a bijection between their
// objects that keeps kind, size, address, life, content and the pointers within.
// Live objects do not overlap, so their addresses give the bijection; dead ones
// count only if pointers to them are left, and are paired when the first such pointer
// is met. Addresses are decisions of the run (docs/soundness.md, I7), which are made
// again with the others. Registers that are dead count, too: in the next period they
// are as in this one.
//
// # Idle registers
//
// With Options.Idle, registers on which no run depends (ir.Idle) need not be equal for (L): a counter that is counted and
// never looked at. From the state that came back the run goes the same way, with the same memory, so the
// argument holds for the state without them.
//
// With Options.Fair, an Accept must lie between the two: then the run that goes around for
// ever executes Accept infinitely often.
//
// For (R) the objects keep their numbers. There may be new ones, of the
// calls in between; no pointer leads to them, since none does from the arguments and
// the old objects. The next period puts its own objects elsewhere: the stack of the
// abstract machine has no bound. Where the program looks at addresses, as one does that
// watches the depth of its stack, there must be no new objects.
//
// # When states are compared
//
// Cycles are found as Brent does: with one saved state, renewed at visits 1, 2, 4,
// 8, ... of all heads together [Brent80]; a cycle of n visits is noticed before 3
// times as many as are made until it is complete, or later if memory is large: what is copied for saved states is in
// proportion to the steps of the run. For recursion, the saved entry is
// renewed at depths 1, 2, 4, ...; one that returned is no longer compared.

import (
	"bytes"
	"maps"
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Repetition is a state that came back.
type Repetition struct {
	// Recursion says that it is the entry of a function, (R); otherwise it is a
	// loop head, (L).
	Recursion bool
	Func      *ir.Func
	Block     ir.BlockID // the loop head, or the entry
	// The decisions with indexes from First up to Last, exclusive, lead from the state to itself.
	First, Last int
	// The steps and the visits of heads (entries for recursion) until the two.
	FirstStep, LastStep int64
	// Visits is the number of visits of the head from one to the other, or the number of nested calls.
	Visits int64
	// Accepts is the number of Accepts from one to the other.
	Accepts int64
	// Idle says that idle registers are not what they were.
	Idle bool
}

// maxSaved bounds the bytes of memory of a state that is saved.
const maxSaved = 1 << 26

// A run may copy so many bytes of memory for its saved states, and so many for each of its steps, which takes about as long
// as a step.
const (
	freelyCopied  = 1 << 20
	copiedPerStep = 128
)

// repeater looks for equal states.
type repeater struct {
	copied    uint64 // bytes of memory, for saved states
	loop      savedState
	visits    int64
	next      int64 // the visit at which the state is saved
	recursion savedState
	serial    int64 // of frames
}

// savedState is a state that was seen.
type savedState struct {
	valid  bool
	block  ir.BlockID
	frames []frame
	serial int64 // of the current frame
	words  []uint64
	bigs   []bv.BV
	// Of memory.
	objects []object
	stack   []uint32
	heap    []uint32 // live, by address
	used    uint64
	hint    int // an object that differed at the last comparison

	asked   int
	steps   int64
	accepts int64
	visits  int64 // of this head since
	idle    bool  // idle registers differed at the last comparison

	// The bijection of objects; 0 is not known yet.
	to, from []uint32
}

// visitHead is called at loop heads; it says whether the run goes on.
func (m *machine) visitHead(block ir.BlockID) bool {
	r := m.repeat
	r.visits++
	if s := &r.loop; s.valid && s.block == block && len(s.frames) == len(m.frames) && s.frames[len(s.frames)-1].code == m.cur {
		s.visits++
		if m.fair(s) && m.sameFrames(s) && m.sameMemory(s) {
			m.out.Repetition = &Repetition{
				Func: m.cur.f, Block: block, First: s.asked, Last: m.asked, FirstStep: s.steps, LastStep: m.steps, Visits: s.visits, Accepts: m.accepts - s.accepts, Idle: s.idle,
			}
			return m.end(Repeats, m.cur.f.Blocks[block].Instrs[0], "")
		}
	}
	if r.visits >= r.next && m.worthSaving() {
		r.next = 2 * r.visits
		m.save(&r.loop, block, 0)
	}
	return true
}

// visitEntry is called when a function has been entered.
func (m *machine) visitEntry() bool {
	r := m.repeat
	r.serial++
	m.frames[len(m.frames)-1].serial = r.serial
	s, depth := &r.recursion, len(m.frames)
	if s.valid && (len(s.frames) > depth || m.frames[len(s.frames)-1].serial != s.serial) {
		s.valid = false
	}
	if s.valid && s.frames[len(s.frames)-1].code == m.cur {
		s.visits++
		if m.fair(s) && m.sameArguments(s) && m.sameOld(s) && (len(m.mem.stack) == len(s.stack) && m.mem.used == s.used || !m.p.looksAtAddresses()) {
			m.out.Repetition = &Repetition{
				Recursion: true, Func: m.cur.f, Block: 1, First: s.asked, Last: m.asked, FirstStep: s.steps, LastStep: m.steps, Visits: s.visits, Accepts: m.accepts - s.accepts,
			}
			return m.end(Repeats, m.cur.f.Blocks[1].Instrs[0], "")
		}
	}
	if (!s.valid || depth >= 2*len(s.frames)) && m.worthSaving() {
		m.save(s, 1, depth-1)
	}
	return true
}

// fair says whether a run that comes back to a saved state may count.
func (m *machine) fair(s *savedState) bool { return !m.opts.Fair || m.accepts > s.accepts }

// worthSaving says whether the run has made steps enough for a state to be saved: what has been copied stays in proportion.
func (m *machine) worthSaving() bool {
	return m.repeat.copied+m.mem.used <= freelyCopied+copiedPerStep*uint64(m.steps-m.skipped)
}

// save saves the state, with the frames from index first on.
func (m *machine) save(s *savedState, block ir.BlockID, first int) {
	s.valid = m.mem.used <= maxSaved
	if !s.valid {
		return
	}
	m.repeat.copied += m.mem.used
	top := &m.frames[len(m.frames)-1]
	s.block, s.serial, s.asked, s.steps, s.visits, s.hint = block, top.serial, m.asked, m.steps, 0, 0
	s.used, s.accepts = m.mem.used, m.accepts
	s.frames = append(s.frames[:0], m.frames...)
	from := &m.frames[first]
	s.words = append(s.words[:0], m.words[from.base:top.base+m.cur.words]...)
	s.bigs = append(s.bigs[:0], m.bigs[from.bigBase:top.bigBase+m.cur.wides]...)
	s.stack = append(s.stack[:0], m.mem.stack...)
	s.heap = m.mem.liveHeap(s.heap[:0])
	s.objects = append(s.objects[:0], m.mem.objects...)
	for i := range s.objects {
		o := &s.objects[i]
		if o.state != stateAlive || o.readOnly {
			continue
		}
		o.bytes = bytes.Clone(o.bytes)
		if o.shadow != nil {
			o.shadow = &shadow{word: o.shadow.word, whole: slices.Clone(o.shadow.whole), odd: maps.Clone(o.shadow.odd)}
		}
	}
}

// liveHeap appends the live heap objects by address.
func (m *memory) liveHeap(list []uint32) []uint32 {
	for _, id := range m.space.byBase {
		if o := &m.objects[id]; o.kind == kindHeap && o.state == stateAlive {
			list = append(list, id)
		}
	}
	return list
}

// scratch is the number of words at the end of a window that hold nothing
// between instructions.
const scratch = 2

// sameFrames compares all of the frames but the objects of pointers.
func (m *machine) sameFrames(s *savedState) bool {
	s.idle = false
	for i := len(m.frames) - 1; i >= 0; i-- {
		f, g := &m.frames[i], &s.frames[i]
		if f.code != g.code || f.site != g.site || f.objects != g.objects || f.base != g.base || f.bigBase != g.bigBase ||
			i < len(m.frames)-1 && f.pc != g.pc || len(f.arguments) != len(g.arguments) {
			return false
		}
		n := f.code.words - scratch
		x, y := m.words[f.base:f.base+n], s.words[f.base:f.base+n]
		slots := f.code.objectSlots
		for k := range x {
			if x[k] == y[k] || slots[k] {
				continue
			}
			if !m.opts.Idle || !f.code.idleSlots(m.p)[k] {
				return false
			}
			s.idle = true
		}
		for k := range f.code.wides - 1 {
			if !m.bigs[f.bigBase+k].Equal(s.bigs[f.bigBase+k]) {
				return false
			}
		}
	}
	return true
}

// sameMemory finishes the comparison of states: it finds the bijection.
func (m *machine) sameMemory(s *savedState) bool {
	if s.hint > 0 && s.hint < len(m.mem.objects) && s.hint < len(s.objects) { // objects of the initial state
		if a, b := &s.objects[s.hint], &m.mem.objects[s.hint]; a.kind == kindGlobal && !bytes.Equal(a.bytes, b.bytes) {
			return false
		}
	}
	if len(s.stack) != len(m.mem.stack) || s.used != m.mem.used {
		return false
	}
	heap := m.mem.liveHeap(nil)
	if len(heap) != len(s.heap) {
		return false
	}
	s.to, s.from = cleared(s.to, len(s.objects)), cleared(s.from, len(m.mem.objects))
	var pairs [][2]uint32
	match := func(a, b uint32) bool {
		if !m.alike(&s.objects[a], &m.mem.objects[b]) {
			return false
		}
		s.to[a], s.from[b] = b, a
		pairs = append(pairs, [2]uint32{a, b})
		return true
	}
	for i := range min(len(s.objects), len(m.mem.objects)) {
		if k := s.objects[i].kind; k != kindFunction && k != kindGlobal && i > 0 {
			break
		} else if i > 0 && !match(uint32(i), uint32(i)) {
			return false
		}
	}
	for i, a := range s.stack {
		if !match(a, m.mem.stack[i]) {
			return false
		}
	}
	for i, a := range s.heap {
		if !match(a, heap[i]) {
			return false
		}
	}
	for i := range m.frames {
		f, g := &m.frames[i], &s.frames[i]
		for k, is := range f.code.objectSlots {
			if is && !m.pairUp(s, s.words[f.base+k], m.words[f.base+k]) {
				return false
			}
		}
		for k := range f.arguments {
			x, y := &f.arguments[k], &g.arguments[k]
			if x.t != y.t || x.x != y.x || x.p.address != y.p.address || !m.pairUp(s, y.p.object, x.p.object) || x.t.Bits > 64 && !x.b.Equal(y.b) {
				return false
			}
		}
	}
	for _, p := range pairs {
		if !m.sameContent(s, &s.objects[p[0]], &m.mem.objects[p[1]]) {
			s.hint = int(p[0])
			return false
		}
	}
	return true
}

func cleared(s []uint32, n int) []uint32 {
	if cap(s) < n {
		return make([]uint32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// alike compares what is fixed for an object, and its life.
func (m *machine) alike(a, b *object) bool {
	return a.kind == b.kind && a.base == b.base && a.size == b.size && a.state == b.state && a.readOnly == b.readOnly
}

// pairUp says whether the bijection takes object a of the saved state to b; dead
// objects join it here.
func (m *machine) pairUp(s *savedState, a, b uint64) bool {
	switch {
	case a == 0 || b == 0:
		return a == b
	case s.to[a] != 0 || s.from[b] != 0:
		return uint64(s.to[a]) == b
	case s.objects[a].state != stateGone || !m.alike(&s.objects[a], &m.mem.objects[b]):
		return false
	}
	s.to[a], s.from[b] = uint32(b), uint32(a)
	return true
}

// sameContent compares bytes and pointers.
func (m *machine) sameContent(s *savedState, a, b *object) bool {
	if !bytes.Equal(a.bytes, b.bytes) {
		return false
	}
	if a.shadow == b.shadow { // none, or one that cannot be written
		return true
	}
	x, y := a.shadow, b.shadow
	none := &shadow{}
	if x == nil {
		x = none
	}
	if y == nil {
		y = none
	}
	for i := range max(len(x.whole), len(y.whole)) {
		var p, q uint32
		if i < len(x.whole) {
			p = x.whole[i]
		}
		if i < len(y.whole) {
			q = y.whole[i]
		}
		if p < 2 || q < 2 { // a number, or a pointer without object, which is one
			if p > 1 || q > 1 {
				return false
			}
		} else if !m.pairUp(s, uint64(p-1), uint64(q-1)) {
			return false
		}
	}
	if len(x.odd) != len(y.odd) {
		return false
	}
	for at, f := range x.odd {
		g, ok := y.odd[at]
		if !ok || f.k != g.k || f.p.address != g.p.address || !m.pairUp(s, f.p.object, g.p.object) {
			return false
		}
	}
	return true
}

// sameArguments compares the parameters of the current frame with those of the
// saved one.
func (m *machine) sameArguments(s *savedState) bool {
	f := &m.frames[len(m.frames)-1]
	if len(f.arguments) > 0 {
		return false
	}
	for _, r := range m.cur.params {
		switch r.class {
		case wide:
			if !m.bigWind[r.slot].Equal(s.bigs[r.slot]) {
				return false
			}
		case pair:
			if m.window[r.slot+1] != s.words[r.slot+1] {
				return false
			}
			fallthrough
		case scalar:
			if m.window[r.slot] != s.words[r.slot] {
				return false
			}
		}
	}
	return true
}

// sameOld says whether all objects of the saved state are as they were.
func (m *machine) sameOld(s *savedState) bool {
	if len(m.mem.objects) < len(s.objects) || len(m.mem.stack) < len(s.stack) {
		return false
	}
	s.to, s.from = cleared(s.to, len(s.objects)), cleared(s.from, len(m.mem.objects))
	for i := 1; i < len(s.objects); i++ {
		if !m.alike(&s.objects[i], &m.mem.objects[i]) {
			return false
		}
		s.to[i], s.from[i] = uint32(i), uint32(i)
	}
	for i := 1; i < len(s.objects); i++ {
		if !m.sameContent(s, &s.objects[i], &m.mem.objects[i]) {
			return false
		}
	}
	return true
}
