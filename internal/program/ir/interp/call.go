package interp

// Frames: entering and leaving functions, and calls that reach none.

import (
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// enter pushes a frame for a function with a body; args are copied from the
// window of the caller.
func (m *machine) enter(callee int, s *callSite, variadic []argument) bool {
	c := m.p.code(callee, m.variant)
	if len(m.frames) >= m.opts.MaxFrames {
		return m.end(StackLimit, s.v, "")
	}
	var f frame
	if n := len(m.frames); n > 0 {
		f.base = m.frames[n-1].base + m.cur.words
		f.bigBase = m.frames[n-1].bigBase + m.cur.wides
	}
	f.code, f.site, f.arguments, f.objects = c, s, variadic, len(m.mem.stack)
	if need := f.base + c.words; need > len(m.words) {
		m.words = append(m.words, make([]uint64, max(need-len(m.words), len(m.words), 1024))...)
	}
	if need := f.bigBase + c.wides; need > len(m.bigs) {
		m.bigs = append(m.bigs, make([]bv.BV, max(need-len(m.bigs), len(m.bigs), 16))...)
	}
	w, b := m.words[f.base:f.base+c.words], m.bigs[f.bigBase:f.bigBase+c.wides]
	copy(w, m.constants(c))
	copy(b, c.wideConsts)
	if s != nil {
		from := m.frames[len(m.frames)-1].base
		bigFrom := m.frames[len(m.frames)-1].bigBase
		for i, to := range c.params {
			switch a := s.args[i]; to.class {
			case scalar:
				w[to.slot] = m.words[from+int(a.slot)]
			case pair:
				w[to.slot], w[to.slot+1] = m.words[from+int(a.slot)], m.words[from+int(a.slot)+1]
			case wide:
				b[to.slot] = m.bigs[bigFrom+int(a.slot)]
			}
		}
	}
	clear(w[c.clearFrom:c.clearTo])
	m.frames = append(m.frames, f)
	m.cur, m.window, m.bigWind = c, w, b
	if m.observe && !m.emit(Event{Kind: Enter}) {
		return false
	}
	return m.repeat == nil || m.visitEntry()
}

// constants is the template for the first words of a window.
func (m *machine) constants(c *code) []uint64 {
	if m.ready[c.index] == nil {
		m.ready[c.index] = append([]uint64{}, c.constants...)
		for _, a := range c.addresses {
			m.ready[c.index][a.slot] = m.mem.objects[a.object].base
			m.ready[c.index][a.slot+1] = a.object
		}
	}
	return m.ready[c.index]
}

// leave returns from the current frame.
func (m *machine) leave(v ir.Value, results []register) bool {
	f := m.frames[len(m.frames)-1]
	if m.observe {
		e := Event{Kind: Leave, Value: v}
		if len(results) > 0 {
			e.Bits = m.bits(results[0], m.cur.f.Results[0])
		}
		if !m.emit(e) {
			return false
		}
	}
	if f.site == nil {
		return m.reportLeaks(v) && m.end(Returned, v, "")
	}
	for _, r := range results {
		if r.class == pair {
			m.mem.objects[m.window[r.slot+1]].escaped = true
		}
	}
	m.mem.popTo(f.objects)
	m.frames = m.frames[:len(m.frames)-1]
	g := &m.frames[len(m.frames)-1]
	m.cur = g.code
	w, b := m.window, m.bigWind
	m.window = m.words[g.base : g.base+g.code.words]
	m.bigWind = m.bigs[g.bigBase : g.bigBase+g.code.wides]
	for _, r := range f.site.results {
		switch from := results[r.index]; from.class {
		case scalar:
			m.window[r.to.slot] = w[from.slot]
		case pair:
			m.window[r.to.slot], m.window[r.to.slot+1] = w[from.slot], w[from.slot+1]
		case wide:
			m.bigWind[r.to.slot] = b[from.slot]
		}
	}
	return true
}

// call executes a call: of a body, or of nothing.
func (m *machine) call(s *callSite) bool {
	callee := s.callee
	if callee < 0 {
		if callee = m.target(s); callee < 0 {
			kind := ir.InvalidDeref
			if callee == mistyped {
				kind = ir.Incompatible
			}
			return m.violation(kind, s.v) && m.arbitraryResults(s)
		}
	}
	f := m.p.functions[callee].f
	if f.IsDecl() {
		if m.opts.Output != nil {
			m.output(f.Name, s)
		}
		return m.arbitraryResults(s)
	}
	var variadic []argument
	if f.Variadic {
		for i := len(f.Params); i < len(s.args); i++ {
			variadic = append(variadic, m.argument(s.types[i], s.args[i]))
		}
	}
	return m.enter(callee, s, variadic)
}

func (m *machine) argument(t ir.Type, r register) argument {
	switch r.class {
	case pair:
		return argument{t: t, p: m.pointer(r)}
	case wide:
		return argument{t: t, b: m.bigWind[r.slot]}
	}
	return argument{t: t, x: m.window[r.slot]}
}

// What target says of a call that reaches no function, or one of another type.
const (
	noFunction = -1 - iota
	mistyped
)

// target is the function that an indirect call reaches.
func (m *machine) target(s *callSite) int {
	p := pointer{m.window[s.pointer], m.window[s.pointer+1]}
	if p.object == 0 {
		p = m.mem.find(p.address)
	}
	o := &m.mem.objects[p.object]
	if o.kind != kindFunction || p.address != o.base {
		return noFunction
	}
	i := int(p.object) - 1 // functions are the first objects
	f := m.p.functions[i].f
	if !f.Accepts(s.types) || m.cur.f.Type(s.v) != f.Result(0) {
		return mistyped
	}
	if slices.ContainsFunc(s.results, func(r callResult) bool { return f.Result(r.index) != r.t }) {
		return mistyped
	}
	return i
}

// arbitraryResults decides the results of a call that runs nothing.
func (m *machine) arbitraryResults(s *callSite) bool {
	for i, r := range s.results {
		if i > 0 && s.results[i-1].index == r.index { // a second Extract of one result
			m.setBits(r.to, m.bits(s.results[i-1].to, r.t))
		} else if !m.arbitrary(r.v) {
			return false
		}
	}
	return true
}
