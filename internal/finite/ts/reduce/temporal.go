package reduce

import (
	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// This file decides whether a circuit is better looked at from a later step on.
//
// Cited paper:
//
//	[CaseMonyBaumgartner09] M. Case, H. Mony, J. Baumgartner, R. Kanzelman. Enhanced
//	Verification by Temporal Decomposition. FMCAD 2009.
//
// Some latches change in the first steps and never again. If the first k steps are
// searched by unrolling, they are constants of the circuit that starts in step k:
// the initial value of each latch is a function of the original initial values and
// of the inputs of those steps, which become inputs of the later circuit.
//
// Departure from the paper: initial values that are functions cost more than
// constants, so k is used only if it makes a tenth of the latches constant, and at
// least twice as many as it makes initial values unknown.

// maxShift bounds k; maxShiftGates the gates of the unrolling.
const (
	maxShift      = 16
	maxShiftGates = 1 << 17
)

// Shift is a circuit that starts k steps later.
type Shift struct {
	K        int
	Circuit  *ts.Circuit // normalised
	original *ts.Circuit
	inputs   int // number of inputs of original
}

// Transient finds a k and shifts the circuit, which ts.Normalise made; or it
// returns nil. The caller has to search the first k steps.
func Transient(c *ts.Circuit, o Options) *Shift {
	if o == (Options{}) {
		o = Default
	}
	s := newSimulator(c)
	state := make([]byte, len(c.Latches))
	for i, l := range c.Latches {
		state[i] = unknown
		if l.Reset.IsConstant() {
			state[i] = uint8(l.Reset)
		}
	}
	var states [][]byte
	seen := map[string]bool{}
	for len(states) < o.TernarySteps && len(states)*len(state) < o.TernaryCubes && !seen[string(state)] {
		seen[string(state)] = true
		states = append(states, state)
		state = s.step(state)
	}
	if !seen[string(state)] {
		return nil
	}
	loop := 0
	for string(states[loop]) != string(state) {
		loop++
	}
	// From the end: the latches that are constant from step k on.
	join := append([]byte(nil), states[len(states)-1]...)
	constants := make([]int, len(states))
	for k := len(states) - 1; k >= 0; k-- {
		for i, v := range states[k] {
			if join[i] != v {
				join[i] = unknown
			}
			if join[i] != unknown {
				constants[k]++
			}
		}
	}
	best, gain := 0, 0
	for k := 1; k <= min(loop, maxShift); k++ {
		lost := 0
		for i, v := range states[k] {
			if v == unknown && states[0][i] != unknown {
				lost++
			}
		}
		if g := constants[k] - constants[0]; g > gain && g >= 2*lost && 10*g >= len(c.Latches) && k*c.Graph.Gates() < maxShiftGates {
			best, gain = k, g
		}
	}
	if best == 0 {
		return nil
	}
	return newShift(c, best)
}

// newShift unrolls k steps.
func newShift(c *ts.Circuit, k int) *Shift {
	d := &ts.Circuit{Graph: sat.NewGraph()}
	private := 0
	extra := func() sat.Lit {
		in := d.Graph.Input()
		d.Inputs = append(d.Inputs, in)
		d.InputBits = append(d.InputBits, ts.Bit{Index: int32(ts.Private - private)})
		private++
		return in
	}
	// Private inputs: the arbitrary initial values of all latches (unused ones
	// disappear), then the inputs of each step.
	values := make([]sat.Lit, len(c.Latches))
	for i, l := range c.Latches {
		values[i] = extra()
		if !l.Arbitrary() {
			values[i] = l.Reset
		}
	}
	for range k {
		copier := ts.NewCopier(c.Graph, d.Graph)
		for i, l := range c.Latches {
			copier.Set(l.Lit, values[i])
		}
		for _, l := range c.Inputs {
			copier.Set(l, extra())
		}
		d.Init = append(append(d.Init, copier.Lits(c.Constraints)...), copier.Lits(c.Transitions)...)
		next := make([]sat.Lit, len(c.Latches))
		for i, l := range c.Latches {
			next[i] = copier.Lit(l.Next)
		}
		values = next
	}
	var init []sat.Lit
	for _, l := range d.Init {
		if l != sat.True {
			init = append(init, l)
		}
	}
	d.Init = init
	copier := ts.NewCopier(c.Graph, d.Graph)
	for i, l := range c.Inputs {
		in := d.Graph.Input()
		copier.Set(l, in)
		d.Inputs = append(d.Inputs, in)
		d.InputBits = append(d.InputBits, c.InputBits[i])
	}
	for i, l := range c.Latches {
		in := d.Graph.Input()
		copier.Set(l.Lit, in)
		d.Latches = append(d.Latches, ts.Latch{Lit: in, Reset: values[i]})
		d.LatchBits = append(d.LatchBits, c.LatchBits[i])
	}
	for i, l := range c.Latches {
		d.Latches[i].Next = copier.Lit(l.Next)
	}
	d.Constraints, d.Transitions, d.Bad = copier.Lits(c.Constraints), copier.Lits(c.Transitions), copier.Lits(c.Bad)
	return &Shift{K: k, Circuit: d.Normalise(nil), original: c, inputs: len(c.Inputs)}
}

// Run is the run of the original circuit that a run of a circuit made from s
// stands for: s.Circuit, or a reduction of it.
func (s *Shift) Run(d *ts.Circuit, r *ts.Run) *ts.Run {
	c := s.original
	out := &ts.Run{Latches: make([]bool, len(c.Latches))}
	for i, l := range c.Latches {
		out.Latches[i] = l.Reset == sat.True
	}
	for range s.K + len(r.Inputs) {
		out.Inputs = append(out.Inputs, make([]bool, s.inputs))
	}
	position := map[ts.Bit]int{}
	for i, b := range c.InputBits {
		if b.Index != ts.None {
			position[b] = i
		}
	}
	for i, b := range d.InputBits {
		if b.Index > ts.Private {
			for k := range r.Inputs {
				out.Inputs[s.K+k][position[b]] = r.Inputs[k][i]
			}
			continue
		}
		value := r.Inputs[0][i]
		switch n := int(ts.Private - b.Index); {
		case n >= len(c.Latches):
			n -= len(c.Latches)
			out.Inputs[n/s.inputs][n%s.inputs] = value
		case c.Latches[n].Arbitrary():
			out.Latches[n] = value
		}
	}
	return out
}
