// Package ic3 proves that a bad state of a circuit is unreachable, by an
// inductive invariant, or finds a run to it: property directed reachability.
//
// Cited papers:
//
//	[Bradley11] A. R. Bradley. SAT-Based Model Checking without Unrolling. VMCAI 2011.
//	[EenMishchenkoBrayton11] N. Eén, A. Mishchenko, R. Brayton. Efficient
//	Implementation of Property Directed Reachability. FMCAD 2011.
//	[HassanBradleySomenzi13] Z. Hassan, A. R. Bradley, F. Somenzi. Better
//	Generalization in IC3. FMCAD 2013.
//	[SuYangCiBu25] Y. Su, Q. Yang, Y. Ci, T. Bu, Z. Huang. The rIC3 Hardware Model
//	Checker. CAV 2025.
//
// A cube is a set of latch literals, a lemma the negation of a cube. F_i, for
// 0 < i <= k, is the conjunction of the lemmas of the levels >= i (each lemma is
// kept once, at its highest level), and F_0 are the initial states. With C for
// the constraints, T for a step that satisfies constraints and transition
// conditions, and bad for the property,
//
//	(1) F_0 => F_1 => ... => F_k,
//	(2) F_i ∧ C ∧ T => F_(i+1)' for i < k,
//	(3) F_i ∧ C ∧ bad is unsatisfiable for i < k.
//
// If some level 0 < i < k has no lemma of its own, F_i = F_(i+1) is inductive.
//
// Initial states: every latch has a constant reset or none (ts.Normalise), so a
// cube contains an initial state unless a literal contradicts a reset. A
// constraint on the initial states is a constraint in the first step, which makes
// the syntactic test an over-approximation where lemmas are concerned, which is
// safe, and exact where obligations are concerned: all states of an obligation
// satisfy the constraints, with its inputs, and step into the next obligation.
//
// Departures from the papers: predecessors are first reduced by a justification
// along the gates (in place of ternary simulation; one pass instead of one
// simulation for each latch) and then by an unsatisfiable core; transition
// conditions (relational systems) are part of the step but not of the last state.
package ic3

import (
	"context"
	"errors"
	"slices"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// Options are choices of the algorithm.
type Options struct {
	// Lifting is how predecessors are generalised.
	Lifting Lifting
	// CTGs is the number of counterexamples to generalisation that are blocked
	// for one literal [HassanBradleySomenzi13]; 0 switches them off.
	CTGs int
	// CTGDepth bounds the recursion of generalisation through them.
	CTGDepth int
	// Dynamic uses them only for obligations that come back often.
	Dynamic bool
	// Infinite moves lemmas that are inductive by themselves to a frame of their
	// own, which is part of every other one. On the set hwmc that makes a quarter
	// fewer lemmas but costs as much in queries, so it is not the default.
	Infinite bool
	// Learned, if set, is told the lemmas of the last frames each time one is opened.
	// They hold for as many steps as there were frames, and need not be invariants.
	Learned func([][]ts.LatchLiteral)
	// Shared makes all frames but the first share a solver, as they do anyway
	// where the circuit is large.
	Shared bool
}

// Default is what measurement chose.
var Default = Options{Lifting: Both, CTGs: 3, CTGDepth: 1, Dynamic: true}

// Lifting is a way to generalise predecessors.
type Lifting uint8

// The ways.
const (
	Both          Lifting = iota // a justification, then a core
	Core                         // an unsatisfiable core alone
	Justification                // one pass over the gates alone
)

// Stats are deterministic counters of work.
type Stats struct {
	Frames      int
	Lemmas      int // learned in all
	Forever     int // of these in the infinite frame
	Obligations int
	Queries     int64
	Conflicts   int64
	Clauses     int // of the invariant, before and after its minimisation
	Minimised   int
}

// Result is what was found out: a run, or an invariant.
type Result struct {
	Run       *ts.Run             // to a bad state; nil if there is none
	Invariant [][]ts.LatchLiteral // clauses, if Run is nil
	Stats     Stats
}

// ErrFrames says that more frames are needed than there are activation literals.
var ErrFrames = errors.New("too many frames for a circuit of this size")

// Check decides whether bad is reachable in the circuit, which must come from
// ts.Normalise. The error is the context's, or ErrFrames.
func Check(ctx context.Context, c *ts.Circuit, bad sat.Lit, o Options) (*Result, error) {
	if len(c.Init) > 0 {
		panic("ic3: circuit with an initial condition")
	}
	for _, l := range c.Latches {
		if !l.Arbitrary() && !l.Reset.IsConstant() {
			panic("ic3: circuit with a reset function")
		}
	}
	e := newEngine(ctx, c, bad, o)
	found, err := e.run()
	e.count()
	r := &Result{Stats: e.stats}
	switch {
	case err != nil:
		return r, err
	case found != nil:
		r.Run = e.counterexample(found)
		return r, nil
	}
	r.Invariant, err = e.invariant()
	r.Stats = e.stats
	return r, err
}

// run returns the obligation that reaches the initial states, or nil if the
// frames have an inductive one.
func (e *engine) run() (*obligation, error) {
	for {
		// Block all bad states of the last frame.
		for {
			o, err := e.badState()
			if err != nil {
				return nil, err
			}
			if o == nil {
				break
			}
			found, err := e.block(o)
			if found != nil || err != nil {
				return found, err
			}
		}
		if e.shared && e.last()+2 > len(e.guards) {
			return nil, ErrFrames
		}
		e.extend()
		e.stats.Frames = e.last()
		done, err := e.propagate()
		if done || err != nil {
			return nil, err
		}
		if e.options.Learned != nil && e.last() > 1 {
			lemmas := slices.Clone(e.forever)
			for _, f := range e.frames[e.last()-1:] {
				lemmas = append(lemmas, f...)
			}
			e.options.Learned(clausesOf(lemmas))
		}
	}
}

// lit is a literal of a latch: 2*latch + 1 if negated.
type lit uint32

func (l lit) latch() uint32 { return uint32(l >> 1) }

// cube is a sorted conjunction of latch literals.
type cube []lit

// signature is a Bloom filter: that of a subset is a subset.
func (c cube) signature() uint64 {
	var s uint64
	for _, l := range c {
		s |= 1 << (uint64(l) * 0x9e3779b97f4a7c15 >> 58)
	}
	return s
}

// subset says whether all of c is in d.
func (c cube) subset(d cube) bool {
	if len(c) > len(d) {
		return false
	}
	j := 0
	for _, l := range c {
		for j < len(d) && d[j] < l {
			j++
		}
		if j == len(d) || d[j] != l {
			return false
		}
		j++
	}
	return true
}

func (c cube) has(l lit) bool {
	for _, m := range c {
		if m == l {
			return true
		}
	}
	return false
}

func (c cube) without(l lit) cube {
	d := make(cube, 0, len(c)-1)
	for _, m := range c {
		if m != l {
			d = append(d, m)
		}
	}
	return d
}

// Liftings are the names of the ways to generalise predecessors.
var Liftings = []string{"both", "core", "justification"}

// LiftingNamed is the way with that name, which is one of Liftings.
func LiftingNamed(name string) Lifting {
	for i, n := range Liftings {
		if n == name {
			return Lifting(i)
		}
	}
	panic("ic3: no lifting " + name)
}
