package ts

import "assay/internal/logic/sat"

// This file makes circuits that plain tools understand, which know only latches
// with reset 0 and one output.

// Plain is a circuit in which every latch has reset 0, there are no conditions,
// and one Bad, reachable exactly if one of the given bad literals of the original
// circuit is.
type Plain struct {
	Circuit *Circuit
	from    *Circuit
	fresh   []int // by latch of from: the input that is its value in step 0, or -1
}

// NewPlain transforms a circuit that Normalise made. A latch with reset 1 is
// inverted; an arbitrary one is read, in step 0, from a new input, for which there
// is a latch `initialised`. A latch remembers that a constraint or a transition
// condition did not hold.
func NewPlain(c *Circuit) *Plain {
	d := &Circuit{Graph: sat.NewGraph()}
	p := &Plain{Circuit: d, from: c, fresh: make([]int, len(c.Latches))}
	g := d.Graph
	copier := NewCopier(c.Graph, g)
	for i, l := range c.Inputs {
		in := g.Input()
		copier.Set(l, in)
		d.Inputs = append(d.Inputs, in)
		d.InputBits = append(d.InputBits, c.InputBits[i])
	}
	arbitrary := false
	for i, l := range c.Latches {
		p.fresh[i] = -1
		if l.Arbitrary() {
			arbitrary = true
			p.fresh[i] = len(d.Inputs)
			d.Inputs = append(d.Inputs, g.Input())
			d.InputBits = append(d.InputBits, Bit{Index: None})
		}
	}
	add := func(bit Bit) sat.Lit {
		in := g.Input()
		d.Latches = append(d.Latches, Latch{Lit: in, Reset: sat.False})
		d.LatchBits = append(d.LatchBits, bit)
		return in
	}
	for i, l := range c.Latches {
		copier.Set(l.Lit, add(c.LatchBits[i]).XorSign(l.Reset == sat.True))
	}
	if arbitrary {
		initialised := add(Bit{Index: None})
		d.Latches[len(d.Latches)-1].Next = sat.True
		for i, l := range c.Latches {
			if k := p.fresh[i]; k >= 0 {
				copier.Set(l.Lit, g.Ite(initialised, d.Latches[i].Lit, d.Inputs[k]))
			}
		}
	}
	for i, l := range c.Latches {
		d.Latches[i].Next = copier.Lit(l.Next).XorSign(l.Reset == sat.True)
	}
	bad := sat.False
	for _, l := range copier.Lits(c.Bad) {
		bad = g.Or(bad, l)
	}
	if len(c.Constraints)+len(c.Transitions) > 0 {
		holds := sat.True
		for _, l := range copier.Lits(c.Constraints) {
			holds = g.And(holds, l)
		}
		goes := holds
		for _, l := range copier.Lits(c.Transitions) {
			goes = g.And(goes, l)
		}
		failed := add(Bit{Index: None})
		d.Latches[len(d.Latches)-1].Next = g.Or(failed, goes.Not())
		bad = g.And(bad, g.And(holds, failed.Not()))
	}
	d.Bad = []sat.Lit{bad}
	return p
}

// Original is the run of the original circuit with the inputs of a run of p.
func (p *Plain) Original(inputs [][]bool) *Run {
	r := &Run{Latches: make([]bool, len(p.from.Latches))}
	for i, l := range p.from.Latches {
		switch k := p.fresh[i]; {
		case k >= 0:
			r.Latches[i] = len(inputs) > 0 && inputs[0][k]
		default:
			r.Latches[i] = l.Reset == sat.True
		}
	}
	for _, in := range inputs {
		r.Inputs = append(r.Inputs, in[:len(p.from.Inputs)])
	}
	return r
}

// Unconditional replaces the transition conditions of a circuit that Normalise
// made by a latch that remembers whether all have held so far; it must be true
// where a bad, justice or fairness literal counts.
func Unconditional(c *Circuit) *Circuit {
	if len(c.Transitions) == 0 {
		return c
	}
	d := *c
	g := NewCopier(c.Graph, sat.NewGraph())
	d.Graph = g.to
	for _, l := range c.Inputs {
		g.Set(l, d.Graph.Input())
	}
	for _, l := range c.Latches {
		g.Set(l.Lit, d.Graph.Input())
	}
	d.Inputs, d.Constraints = g.Lits(c.Inputs), g.Lits(c.Constraints)
	d.Latches, d.Transitions = nil, nil
	for _, l := range c.Latches {
		d.Latches = append(d.Latches, Latch{Lit: g.Lit(l.Lit), Next: g.Lit(l.Next), Reset: g.Lit(l.Reset)})
	}
	failed := d.Graph.Input()
	next := failed
	for _, l := range c.Transitions {
		next = d.Graph.Or(next, g.Lit(l).Not())
	}
	d.Latches = append(d.Latches, Latch{Lit: failed, Next: next, Reset: sat.False})
	d.LatchBits = append(append([]Bit(nil), c.LatchBits...), Bit{Index: None})
	guard := func(ls []sat.Lit) []sat.Lit {
		out := make([]sat.Lit, len(ls))
		for i, l := range ls {
			out[i] = d.Graph.And(g.Lit(l), failed.Not())
		}
		return out
	}
	d.Bad, d.Fair, d.Justice = guard(c.Bad), guard(c.Fair), nil
	for _, j := range c.Justice {
		d.Justice = append(d.Justice, guard(j))
	}
	return &d
}
