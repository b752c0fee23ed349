package reduce

import (
	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// This file finds constant latches by ternary simulation: inputs and latches
// without a reset are unknown, and an unknown operand makes a result unknown
// unless the other one decides it.
//
// Simulation from the resets goes on until a ternary state comes back. The states
// met cover all reachable ones, and a latch that has the same value in all of them
// is constant. If that takes too many steps, the states are joined, value by
// value, until the join is closed under steps; its known values are constants, and
// inductive by themselves.

const (
	zero    uint8 = 0
	one     uint8 = 1
	unknown uint8 = 2
)

// simulator evaluates the next-state functions over three values.
type simulator struct {
	c     *ts.Circuit
	cone  []int32
	value []uint8 // by node
}

func newSimulator(c *ts.Circuit) *simulator {
	var roots []sat.Lit
	for _, l := range c.Latches {
		roots = append(roots, l.Next)
	}
	return &simulator{c: c, cone: ts.Cone(c.Graph, roots), value: make([]uint8, c.Graph.Len())}
}

func (s *simulator) at(l sat.Lit) uint8 {
	v := s.value[l.Node()]
	if v != unknown && l.Negated() {
		v ^= 1
	}
	return v
}

// step is the successor of a ternary state.
func (s *simulator) step(state []byte) []byte {
	for i, l := range s.c.Latches {
		s.value[l.Lit.Node()] = state[i]
	}
	for _, l := range s.c.Inputs {
		s.value[l.Node()] = unknown
	}
	for _, n := range s.cone {
		if !s.c.Graph.IsAnd(n) {
			continue
		}
		a, b := s.c.Graph.Children(n)
		x, y := s.at(a), s.at(b)
		switch {
		case x == zero || y == zero:
			s.value[n] = zero
		case x == one && y == one:
			s.value[n] = one
		default:
			s.value[n] = unknown
		}
	}
	next := make([]byte, len(state))
	for i, l := range s.c.Latches {
		next[i] = s.at(l.Next)
	}
	return next
}

// ternary is the value of each latch, unknown if it may change, and the ternary
// states that show it; these are nil if the values are inductive by themselves.
func ternary(c *ts.Circuit, o Options) (values []uint8, cubes [][]ts.LatchLiteral) {
	s := newSimulator(c)
	state := make([]byte, len(c.Latches))
	for i, l := range c.Latches {
		state[i] = unknown
		if l.Reset.IsConstant() {
			state[i] = uint8(l.Reset)
		}
	}
	join := append([]byte(nil), state...)
	merge := func(x []byte) (changed bool) {
		for i := range join {
			if join[i] != x[i] && join[i] != unknown {
				join[i] = unknown
				changed = true
			}
		}
		return changed
	}
	seen := map[string]bool{}
	var states [][]byte
	literals := 0
	for len(states) < o.TernarySteps && literals < o.TernaryCubes && !seen[string(state)] {
		seen[string(state)] = true
		states = append(states, state)
		literals += len(state)
		merge(state)
		state = s.step(state)
	}
	closed := seen[string(state)]
	met := append([]byte(nil), join...)
	for merge(s.step(join)) {
	}
	if !closed || string(met) == string(join) {
		return join, nil
	}
	for _, x := range states {
		var cube []ts.LatchLiteral
		for i, v := range x {
			if v != unknown {
				cube = append(cube, ts.LatchLiteral{Latch: int32(i), Negated: v == zero})
			}
		}
		cubes = append(cubes, cube)
	}
	return met, cubes
}
