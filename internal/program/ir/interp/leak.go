package interp

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// reportLeaks reports, at the regular end of the program, the heap objects that
// are still alive (MemCleanup), and among them those that no pointer reaches
// (MemTrack). It finds the latter as a conservative garbage collector does, from
// globals, live stack objects and the values in the frames, through stored
// pointers and through aligned words that happen to be addresses; so an object
// that it calls lost is lost.
func (m *machine) reportLeaks(end ir.Value) bool {
	if !m.observe {
		return true
	}
	var alive []uint64
	for id := range m.mem.objects {
		if o := &m.mem.objects[id]; o.kind == kindHeap && o.state == stateAlive {
			alive = append(alive, uint64(id))
		}
	}
	if alive == nil {
		return true
	}
	reached := m.reachable()
	ends := State{m}.UserPos(m.cur.f.Def(end).Pos)
	for _, k := range []ir.CheckKind{ir.MemTrack, ir.MemCleanup} {
		for _, id := range alive {
			o := &m.mem.objects[id]
			text := "an object of " + bytesText(o.size) + " is not freed"
			if k == ir.MemTrack {
				if reached[id] {
					continue
				}
				text = "an object of " + bytesText(o.size) + " is lost"
			}
			if !m.emit(Event{Kind: Violation, Check: k, Func: m.p.functions[o.maker].f, Value: o.site, Bits: bv.New(m.p.m.PointerBits, o.base), Ends: ends, Text: text}) {
				return false
			}
		}
	}
	return true
}

// reachable marks the objects that the program can still get at.
func (m *machine) reachable() []bool {
	marked := make([]bool, len(m.mem.objects))
	var todo []uint64
	mark := func(id uint64) {
		if !marked[id] {
			marked[id] = true
			todo = append(todo, id)
		}
	}
	for id := range m.mem.objects {
		if o := &m.mem.objects[id]; o.kind != kindHeap && o.state == stateAlive {
			mark(uint64(id))
		}
	}
	for _, f := range m.frames {
		w := m.words[f.base : f.base+f.code.words]
		for v, r := range f.code.registers {
			switch d := &f.code.f.Values[v]; {
			case !d.HasResult():
			case r.class == pair:
				mark(w[r.slot+1])
			case r.class == scalar && d.Type == m.p.m.WordType():
				if p := m.mem.find(w[r.slot]); p.object != 0 {
					mark(p.object)
				}
			}
		}
		for _, a := range f.arguments {
			mark(a.p.object)
		}
	}
	for len(todo) > 0 {
		o := &m.mem.objects[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		n := uint64(len(o.bytes))
		for at := uint64(0); at+m.mem.word <= n; at += m.mem.word {
			if p := m.mem.find(loadBits(o.bytes[at : at+m.mem.word])); p.object != 0 {
				mark(p.object)
			}
		}
		if s := o.shadow; s != nil {
			for _, w := range s.whole {
				if w > 1 {
					mark(uint64(w - 1))
				}
			}
			for _, f := range s.odd {
				mark(f.p.object)
			}
		}
	}
	return marked
}
