package ts

import (
	"context"
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/logic/sat"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/term"
)

// This file has transition systems at the level of bits, and how they are made
// from systems over terms.
//
// Invariants of a Circuit:
//
//	(1) every input node of Graph that something refers to is in Inputs or is the
//	    Lit of a latch, once;
//	(2) these literals are positive;
//	(3) InputBits is parallel to Inputs, LatchBits to Latches.

// Circuit is an and-inverter graph with latches. Runs are those of System, with
// Latches for States.
type Circuit struct {
	Graph       *sat.Graph
	Inputs      []sat.Lit
	Latches     []Latch
	Init        []sat.Lit
	Constraints []sat.Lit
	Transitions []sat.Lit
	Bad         []sat.Lit
	Justice     [][]sat.Lit
	Fair        []sat.Lit

	// Where inputs and latches come from in the System.
	InputBits []Bit
	LatchBits []Bit
}

// Latch is one bit of state.
type Latch struct {
	Lit  sat.Lit // the current value, an input node of the graph
	Next sat.Lit
	// Reset is the value in step 0: Lit itself if it is arbitrary, a constant, or
	// a function of latches and inputs without a cycle.
	Reset sat.Lit
}

// Arbitrary says that the latch has no initial value.
func (l Latch) Arbitrary() bool { return l.Reset == l.Lit }

// Bit is a bit of a state or input of the System; Index is None if there is none.
type Bit struct {
	Index int32
	Bit   uint32
}

// Values of Bit.Index that are not an index.
const (
	None        = -1
	Initialised = -2 // the latch that is false exactly in step 0
	// Private and below: Private-n is the n-th input that a reduction has added.
	Private = -16
)

// Blast translates the system to bits. The error is an smt.ErrUnsupported, or the context's.
func Blast(ctx context.Context, s *System) (*Circuit, error) {
	g := sat.NewGraph()
	c := &Circuit{Graph: g}
	w := bitblast.NewWords(ctx, s.Store, g)
	for i, v := range s.Inputs {
		word, err := w.Word(v.Term)
		if err != nil {
			return nil, err
		}
		for b, l := range word {
			c.Inputs = append(c.Inputs, l)
			c.InputBits = append(c.InputBits, Bit{int32(i), uint32(b)})
		}
	}
	for i, v := range s.States {
		word, err := w.Word(v.Term)
		if err != nil {
			return nil, err
		}
		for b, l := range word {
			c.Latches = append(c.Latches, Latch{Lit: l, Reset: l})
			c.LatchBits = append(c.LatchBits, Bit{int32(i), uint32(b)})
		}
	}
	at := 0
	for _, v := range s.States {
		next, err := w.Word(v.Next)
		if err != nil {
			return nil, err
		}
		for b, l := range next {
			c.Latches[at+b].Next = l
		}
		if v.Init != 0 {
			reset, err := w.Word(v.Init)
			if err != nil {
				return nil, err
			}
			for b, l := range reset {
				c.Latches[at+b].Reset = l
			}
		}
		at += len(next)
	}
	var err error
	bools := func(ts []term.ID) []sat.Lit {
		var ls []sat.Lit
		for _, t := range ts {
			var word []sat.Lit
			if word, err = w.Word(t); err != nil {
				return nil
			}
			ls = append(ls, word[0])
		}
		return ls
	}
	for _, list := range []struct {
		from []term.ID
		to   *[]sat.Lit
	}{{s.Init, &c.Init}, {s.Constraints, &c.Constraints}, {s.Transitions, &c.Transitions}, {s.Fair, &c.Fair}} {
		*list.to = bools(list.from)
		if err != nil {
			return nil, err
		}
	}
	for _, p := range s.Bad {
		c.Bad = append(c.Bad, bools([]term.ID{p.Term})...)
	}
	for _, j := range s.Justice {
		c.Justice = append(c.Justice, bools(j.Terms))
	}
	return c, err
}

// Check verifies the invariants.
func (c *Circuit) Check() error {
	known := make([]bool, c.Graph.Len())
	mark := func(l sat.Lit) error {
		if l.Negated() || !c.Graph.IsInput(l.Node()) || known[l.Node()] {
			return fmt.Errorf("%v is not a new input node", l)
		}
		known[l.Node()] = true
		return nil
	}
	for _, l := range c.Inputs {
		if err := mark(l); err != nil {
			return err
		}
	}
	for _, l := range c.Latches {
		if err := mark(l.Lit); err != nil {
			return err
		}
	}
	if len(c.InputBits) != len(c.Inputs) || len(c.LatchBits) != len(c.Latches) {
		return fmt.Errorf("origins of %d of %d inputs, %d of %d latches", len(c.InputBits), len(c.Inputs), len(c.LatchBits), len(c.Latches))
	}
	for _, n := range Cone(c.Graph, c.Roots()) {
		if c.Graph.IsInput(n) && !known[n] {
			return fmt.Errorf("node %d is neither input nor latch", n)
		}
	}
	return nil
}

// Roots are all literals that the circuit refers to.
func (c *Circuit) Roots() []sat.Lit {
	var ls []sat.Lit
	for _, l := range c.Latches {
		ls = append(ls, l.Next, l.Reset)
	}
	ls = append(ls, c.Properties()...)
	return ls
}

// Properties are all literals but those of the latches.
func (c *Circuit) Properties() []sat.Lit {
	var ls []sat.Lit
	ls = append(append(append(ls, c.Init...), c.Constraints...), c.Transitions...)
	ls = append(append(ls, c.Bad...), c.Fair...)
	for _, j := range c.Justice {
		ls = append(ls, j...)
	}
	return ls
}

// Cone is the nodes below the roots, children first, without the constant.
func Cone(g *sat.Graph, roots []sat.Lit) []int32 {
	seen := make([]bool, g.Len())
	last := int32(0)
	for _, l := range roots {
		seen[l.Node()] = true
		last = max(last, l.Node())
	}
	count := 0
	for n := last; n > 0; n-- {
		if !seen[n] {
			continue
		}
		count++
		if g.IsAnd(n) {
			a, b := g.Children(n)
			seen[a.Node()], seen[b.Node()] = true, true
		}
	}
	nodes := make([]int32, 0, count)
	for n := int32(1); n <= last; n++ {
		if seen[n] {
			nodes = append(nodes, n)
		}
	}
	return nodes
}

// Run is a run of a circuit.
type Run struct {
	Latches []bool   // in step 0
	Inputs  [][]bool // by step
	Loop    int      // of a lasso: the step after the last one
}

// Lift makes a trace of the system from a run of a circuit that came from it:
// what the circuit does not have is 0, or follows from the initial values. The
// property is the caller's to fill in.
func (s *System) Lift(c *Circuit, r *Run) *Trace {
	t := &Trace{Loop: r.Loop}
	terms := func(n int, at func(i int) term.ID, bits []Bit, values []bool) []bv.BV {
		words := make([][]bool, n)
		for i, b := range bits {
			if b.Index >= 0 && i < len(values) && values[i] {
				if words[b.Index] == nil {
					words[b.Index] = make([]bool, s.Width(at(int(b.Index))))
				}
				words[b.Index][b.Bit] = true
			}
		}
		vs := make([]bv.BV, n)
		for i := range vs {
			vs[i] = fromBits(s.Width(at(i)), words[i])
		}
		return vs
	}
	t.Initial = terms(len(s.States), func(i int) term.ID { return s.States[i].Term }, c.LatchBits, r.Latches)
	for _, in := range r.Inputs {
		t.Inputs = append(t.Inputs, terms(len(s.Inputs), func(i int) term.ID { return s.Inputs[i].Term }, c.InputBits, in))
	}
	s.Complete(t)
	return t
}

// fromBits is the value with these bits, the least significant first; nil is 0.
func fromBits(width uint32, bits []bool) bv.BV {
	if bits == nil {
		return bv.New(width, 0)
	}
	bytes := make([]byte, (len(bits)+7)/8)
	for i, b := range bits {
		if b {
			bytes[i/8] |= 1 << (i % 8)
		}
	}
	return bv.FromBytes(bytes).Trunc(width)
}
