// Package aiger reads and writes and-inverter graphs with latches in the AIGER
// format 1.9, ASCII and binary, and its witnesses.
//
// Cited paper:
//
//	[BiereHeljankoWieringa11] A. Biere, K. Heljanko, S. Wieringa. AIGER 1.9 And
//	Beyond. Technical Report 11/2, FMV, JKU Linz, 2011.
//
// A literal is 2*variable + sign; 0 is false and 1 is true. Beyond the format of
// the report, the reset of a latch may be any literal that does not depend on the
// latch itself, as in the model checking competition of 2025.
package aiger

import (
	"fmt"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
	"assay/internal/logic/term"
)

// Model is a file.
type Model struct {
	MaxVar      uint32
	Inputs      []uint32 // literals
	Latches     []Latch
	Outputs     []uint32
	Bad         []uint32
	Constraints []uint32
	Justice     [][]uint32
	Fair        []uint32
	Ands        []And // in no particular order if the file was ASCII
	Symbols     map[Symbol]string
}

// Latch is a state bit; Reset is 0, 1, Lit itself (arbitrary), or a function.
type Latch struct{ Lit, Next, Reset uint32 }

// And is the gate Out = A ∧ B.
type And struct{ Out, A, B uint32 }

// Symbol names a line: Kind is one of i l o b c j f.
type Symbol struct {
	Kind  byte
	Index int
}

func (m *Model) name(kind byte, i int) string {
	if s := m.Symbols[Symbol{kind, i}]; s != "" {
		return s
	}
	return fmt.Sprintf("%c%d", kind, i)
}

// BadLiterals are the bad states: the outputs, if the file has none of the
// sections of AIGER 1.9.
func (m *Model) BadLiterals() []uint32 {
	if len(m.Bad) == 0 && len(m.Justice) == 0 {
		return m.Outputs
	}
	return m.Bad
}

// order is the gates, operands first. A cycle gives the literal of a gate on it.
func (m *Model) order() (order []int, cycle uint32) {
	gate := make([]int32, m.MaxVar+1) // index + 1
	for i, a := range m.Ands {
		gate[a.Out>>1] = int32(i + 1)
	}
	color := make([]uint8, len(m.Ands))
	var stack []int32
	for root := range m.Ands {
		if color[root] != 0 {
			continue
		}
		stack = append(stack[:0], int32(root))
		for len(stack) > 0 {
			i := stack[len(stack)-1]
			if color[i] == 2 {
				stack = stack[:len(stack)-1]
				continue
			}
			color[i] = 1
			ready := true
			for _, l := range []uint32{m.Ands[i].A, m.Ands[i].B} {
				if k := gate[l>>1]; k > 0 && color[k-1] != 2 {
					if color[k-1] == 1 {
						return nil, m.Ands[k-1].Out
					}
					stack = append(stack, k-1)
					ready = false
				}
			}
			if ready {
				color[i] = 2
				order = append(order, int(i))
				stack = stack[:len(stack)-1]
			}
		}
	}
	return order, 0
}

// System is the model as a transition system, term by term as it is in the file:
// a certificate is checked against it, not against our simplified graph.
func (m *Model) System() *ts.System {
	store := term.NewRawStore()
	s := &ts.System{Store: store}
	terms := make([]term.ID, m.MaxVar+1)
	terms[0] = store.False()
	used := map[string]bool{}
	variable := func(kind byte, i int) (term.ID, string) {
		name := m.name(kind, i)
		for base := name; used[name]; {
			name = fmt.Sprintf("%s!%c%d", base, kind, i)
			base = name
		}
		used[name] = true
		return store.Var(name, term.Bool()), name
	}
	for i, l := range m.Inputs {
		v, name := variable('i', i)
		terms[l>>1] = v
		s.Inputs = append(s.Inputs, ts.Input{Term: v, Name: name})
	}
	for i, l := range m.Latches {
		v, name := variable('l', i)
		terms[l.Lit>>1] = v
		s.States = append(s.States, ts.State{Term: v, Name: name})
	}
	of := func(l uint32) term.ID {
		t := terms[l>>1]
		if t == 0 {
			t = store.False() // an undefined variable that nothing refers to
		}
		switch {
		case l == 1:
			return store.True()
		case l&1 == 1:
			return store.Not(t)
		}
		return t
	}
	order, _ := m.order()
	for _, i := range order {
		a := m.Ands[i]
		terms[a.Out>>1] = store.And(of(a.A), of(a.B))
	}
	all := func(ls []uint32) []term.ID {
		var ts []term.ID
		for _, l := range ls {
			ts = append(ts, of(l))
		}
		return ts
	}
	for i, l := range m.Latches {
		s.States[i].Next = of(l.Next)
		if l.Reset != l.Lit {
			s.States[i].Init = of(l.Reset)
		}
	}
	kind := byte('b')
	if len(m.Bad) == 0 {
		kind = 'o'
	}
	for i, l := range m.BadLiterals() {
		s.Bad = append(s.Bad, ts.Property{Term: of(l), Name: m.name(kind, i)})
	}
	for i, j := range m.Justice {
		s.Justice = append(s.Justice, ts.Justice{Terms: all(j), Name: m.name('j', i)})
	}
	s.Constraints, s.Fair = all(m.Constraints), all(m.Fair)
	return s
}

// FromCircuit makes a model of a circuit, whose Init and Transitions must be
// empty. Names come from the system, if there is one.
func FromCircuit(c *ts.Circuit, s *ts.System) *Model {
	if len(c.Init)+len(c.Transitions) > 0 {
		panic("aiger: circuit with initial or transition conditions")
	}
	m := &Model{Symbols: map[Symbol]string{}}
	lits := make([]uint32, c.Graph.Len())
	next := uint32(0)
	fresh := func(n int32) uint32 {
		next++
		lits[n] = 2 * next
		return 2 * next
	}
	taken := map[string]bool{}
	bitName := func(kind byte, i int, b ts.Bit, name func(int32) (string, uint32)) {
		if s == nil || b.Index < 0 {
			return
		}
		n, width := name(b.Index)
		if width > 1 {
			n = fmt.Sprintf("%s[%d]", n, b.Bit)
		}
		// ABC wants the names of inputs and latches to be different.
		for k, plain := 2, n; taken[n]; k++ {
			n = fmt.Sprintf("%s#%d", plain, k)
		}
		taken[n] = true
		m.Symbols[Symbol{kind, i}] = n
	}
	for i, l := range c.Inputs {
		m.Inputs = append(m.Inputs, fresh(l.Node()))
		bitName('i', i, c.InputBits[i], func(k int32) (string, uint32) { return s.Inputs[k].Name, s.Width(s.Inputs[k].Term) })
	}
	for i, l := range c.Latches {
		m.Latches = append(m.Latches, Latch{Lit: fresh(l.Lit.Node())})
		bitName('l', i, c.LatchBits[i], func(k int32) (string, uint32) { return s.States[k].Name, s.Width(s.States[k].Term) })
	}
	of := func(l sat.Lit) uint32 {
		x := lits[l.Node()]
		if l.Negated() {
			x ^= 1
		}
		return x
	}
	for _, n := range ts.Cone(c.Graph, c.Roots()) {
		if c.Graph.IsAnd(n) {
			a, b := c.Graph.Children(n)
			x, y := of(a), of(b)
			m.Ands = append(m.Ands, And{fresh(n), max(x, y), min(x, y)})
		}
	}
	all := func(ls []sat.Lit) []uint32 {
		var out []uint32
		for _, l := range ls {
			out = append(out, of(l))
		}
		return out
	}
	for i, l := range c.Latches {
		m.Latches[i].Next, m.Latches[i].Reset = of(l.Next), of(l.Reset)
	}
	m.Bad, m.Constraints, m.Fair = all(c.Bad), all(c.Constraints), all(c.Fair)
	for _, j := range c.Justice {
		m.Justice = append(m.Justice, all(j))
	}
	m.MaxVar = next
	return m
}
