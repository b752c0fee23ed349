// Package simulation looks for a run of a circuit to a bad state by simulating it:
// 64 runs at once, a word for each gate (as [Kuehlmann04] does to tell signals
// apart). It finds nothing that needs a particular input; what is many steps away
// but needs none it finds faster than any search does: a program that computes
// without input is one run.
//
// A batch is 64 runs from the initial states. It ends when no run goes on: because
// its constraints are violated, or its state no longer changes. The inputs of the
// first batch are 0 and 1 in half of the runs each; those of later ones are random,
// with more or fewer ones. A found run is simulated again to read its inputs off.
package simulation

import (
	"context"
	"math/rand/v2"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// gate is an and-gate: 2*index + sign of its operands.
type gate struct{ a, b int32 }

type machine struct {
	c     *ts.Circuit
	index []int32 // of nodes
	gates []gate
	words []uint64 // constant, inputs, latches, gates
	bad   int32
}

// Search simulates until about so many gates have been evaluated. It returns nil if
// no run was found. The circuit must come from ts.Normalise.
func Search(ctx context.Context, c *ts.Circuit, bad sat.Lit, budget int64) *ts.Run {
	m := newMachine(c, bad)
	cost := int64(len(m.words) + 2*len(c.Latches))
	for batch := uint64(0); budget > 0 && ctx.Err() == nil; batch++ {
		lane, step, steps := m.batch(ctx, batch, budget/cost)
		if lane >= 0 {
			return m.run(batch, lane, step)
		}
		budget -= max(steps, 16) * cost
		if len(c.Inputs) == 0 && !arbitrary(c) {
			break // all batches are the same run
		}
	}
	return nil
}

func arbitrary(c *ts.Circuit) bool {
	for _, l := range c.Latches {
		if l.Arbitrary() {
			return true
		}
	}
	return false
}

func newMachine(c *ts.Circuit, bad sat.Lit) *machine {
	m := &machine{c: c, index: make([]int32, c.Graph.Len())}
	n := int32(1)
	for _, l := range c.Inputs {
		m.index[l.Node()] = n
		n++
	}
	for _, l := range c.Latches {
		m.index[l.Lit.Node()] = n
		n++
	}
	roots := []sat.Lit{bad}
	for _, l := range c.Latches {
		roots = append(roots, l.Next)
	}
	roots = append(append(roots, c.Constraints...), c.Transitions...)
	for _, x := range ts.Cone(c.Graph, roots) {
		if !c.Graph.IsAnd(x) {
			continue
		}
		a, b := c.Graph.Children(x)
		m.gates = append(m.gates, gate{m.lit(a), m.lit(b)})
		m.index[x] = n
		n++
	}
	m.words = make([]uint64, n)
	m.bad = m.lit(bad)
	return m
}

func (m *machine) lit(l sat.Lit) int32 {
	x := 2 * m.index[l.Node()]
	if l.Negated() {
		x++
	}
	return x
}

func (m *machine) at(l int32) uint64 { return m.words[l>>1] ^ -uint64(l&1) }

// source gives the words of the inputs of a batch.
type source struct {
	batch uint64
	r     *rand.Rand
}

func newSource(batch uint64) *source { return &source{batch, rand.New(rand.NewPCG(batch, 1))} }

func (s *source) word() uint64 {
	switch s.batch % 4 {
	case 0:
		if s.batch == 0 {
			return 0xffffffff00000000
		}
		return s.r.Uint64()
	case 1:
		return s.r.Uint64() & s.r.Uint64() & s.r.Uint64()
	case 2:
		return s.r.Uint64()
	}
	return s.r.Uint64() | s.r.Uint64()
}

// batch simulates 64 runs. lane is the run that has a bad state in step, -1 if none.
func (m *machine) batch(ctx context.Context, number uint64, most int64) (lane int, step, steps int64) {
	s := newSource(number)
	next := make([]uint64, len(m.c.Latches))
	m.start(s)
	alive := ^uint64(0)
	for k := int64(0); k < most; k++ {
		if k&1023 == 1023 && ctx.Err() != nil {
			return -1, 0, k
		}
		m.step(s)
		for _, l := range m.c.Constraints {
			alive &= m.at(m.lit(l))
		}
		if hit := alive & m.at(m.bad); hit != 0 {
			for lane = 0; hit>>lane&1 == 0; lane++ {
			}
			return lane, k, k
		}
		for _, l := range m.c.Transitions {
			alive &= m.at(m.lit(l))
		}
		changed := uint64(0)
		first := len(m.c.Inputs) + 1
		for i, l := range m.c.Latches {
			next[i] = m.at(m.lit(l.Next))
			changed |= next[i] ^ m.words[first+i]
		}
		copy(m.words[first:], next)
		if alive&changed == 0 {
			return -1, 0, k + 1
		}
	}
	return -1, 0, most
}

// start sets the latches to their values in step 0.
func (m *machine) start(s *source) {
	first := len(m.c.Inputs) + 1
	for i, l := range m.c.Latches {
		switch {
		case l.Arbitrary():
			m.words[first+i] = s.word()
		case l.Reset == sat.True:
			m.words[first+i] = ^uint64(0)
		default:
			m.words[first+i] = 0
		}
	}
}

// step chooses the inputs and evaluates the gates.
func (m *machine) step(s *source) {
	for i := range m.c.Inputs {
		m.words[1+i] = s.word()
	}
	out := m.words[1+len(m.c.Inputs)+len(m.c.Latches):]
	for i, g := range m.gates {
		out[i] = (m.words[g.a>>1] ^ -uint64(g.a&1)) & (m.words[g.b>>1] ^ -uint64(g.b&1))
	}
}

// run simulates a batch again and reads one run off.
func (m *machine) run(number uint64, lane int, last int64) *ts.Run {
	s := newSource(number)
	m.start(s)
	r := &ts.Run{}
	first := len(m.c.Inputs) + 1
	for i := range m.c.Latches {
		r.Latches = append(r.Latches, m.words[first+i]>>lane&1 == 1)
	}
	next := make([]uint64, len(m.c.Latches))
	for k := int64(0); ; k++ {
		m.step(s)
		in := make([]bool, len(m.c.Inputs))
		for i := range in {
			in[i] = m.words[1+i]>>lane&1 == 1
		}
		r.Inputs = append(r.Inputs, in)
		if k == last {
			return r
		}
		for i, l := range m.c.Latches {
			next[i] = m.at(m.lit(l.Next))
		}
		copy(m.words[first:], next)
	}
}
