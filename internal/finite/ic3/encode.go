package ic3

import (
	"context"

	"assay/internal/finite/ic3/cdcl"
	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
)

// engine is one run of IC3.
type engine struct {
	ctx     context.Context
	c       *ts.Circuit
	options Options
	stats   Stats

	literals
	nodes       justifier    // see lift.go
	definitions *cdcl.Solver // the gates only: for lifting
	base        *cdcl.Solver // with the constraints: what every frame starts with

	solvers  []*cdcl.Solver // of F_0 to F_k
	shared   bool           // those from F_1 on are one
	guards   []cdcl.Lit     // if shared: by level
	stale    []int          // clauses of the solver that are subsumed by others
	frames   [][]*lemma     // by level; level 0 is empty
	forever  []*lemma       // the infinite frame: inductive relative to each other
	activity []float64      // by latch literal
	bumping  float64
	queue    queue
	hard     int // attempts for the lemma at hand that remained Unknown

	assumed []cdcl.Lit // scratch
	clause  []cdcl.Lit
}

// literals are the circuit in the solvers; see newEngine.
type literals struct {
	bad         cdcl.Lit
	badRoot     sat.Lit
	constraints []cdcl.Lit
	transitions []cdcl.Lit
	latch       []cdcl.Lit // current value, by latch
	next        []cdcl.Lit // next value, by latch
	input       []cdcl.Lit
	reset       []int8 // by latch: 1, 0, or -1 if arbitrary
}

// newEngine encodes the cones of the next-state functions, the constraints and
// the property. sat.CNF names the gate that a clause defines in its first
// literal, from which the operands of each gate follow.
func newEngine(ctx context.Context, c *ts.Circuit, bad sat.Lit, o Options) *engine {
	e := &engine{ctx: ctx, c: c, options: o, bumping: 1}
	var flat []int32
	cnf := sat.NewCNF(c.Graph, func(clauses []int32) { flat = append(flat, clauses...) })
	both := func(l sat.Lit) cdcl.Lit {
		cnf.Literal(l.Not())
		return solverLit(cnf.Literal(l))
	}
	for _, l := range c.Latches {
		e.latch = append(e.latch, both(l.Lit))
		e.next = append(e.next, both(l.Next))
		r := int8(-1)
		if l.Reset.IsConstant() {
			r = int8(l.Reset)
		}
		e.reset = append(e.reset, r)
	}
	for _, l := range c.Inputs {
		e.input = append(e.input, both(l))
	}
	for _, l := range c.Constraints {
		e.constraints = append(e.constraints, both(l))
	}
	for _, l := range c.Transitions {
		e.transitions = append(e.transitions, both(l))
	}
	e.bad, e.badRoot = both(bad), bad
	cnf.Encode(func() bool { return false })

	n := int(cnf.Variables())
	operands := make([][]uint32, n)
	var clauses [][]cdcl.Lit
	for start, i := 0, 0; i < len(flat); i++ {
		if flat[i] != 0 {
			continue
		}
		var clause []cdcl.Lit
		for _, l := range flat[start:i] {
			clause = append(clause, solverLit(l))
		}
		clauses = append(clauses, clause)
		gate := clause[0].Var()
		for _, l := range clause[1:] {
			known := false
			for _, v := range operands[gate] {
				known = known || v == l.Var()
			}
			if !known {
				operands[gate] = append(operands[gate], l.Var())
			}
		}
		start = i + 1
	}
	gates := cdcl.NewGates()
	for _, ops := range operands {
		gates.Add(ops...)
	}
	if e.shared = o.Shared || len(flat) > sharedSize; e.shared {
		for range maxFrames {
			e.guards = append(e.guards, cdcl.MkLit(gates.Add(), false))
		}
	}
	e.definitions = cdcl.New(gates)
	for _, clause := range clauses {
		e.definitions.AddClause(clause...)
	}
	e.definitions.Stop = func() bool { return ctx.Err() != nil }
	e.base = e.definitions.Clone()
	for _, l := range e.constraints {
		e.base.Permanent(l.Var())
		e.base.AddClause(l)
	}
	initial := e.base.Clone()
	for i, r := range e.reset {
		if r >= 0 {
			initial.Permanent(e.latch[i].Var())
			initial.AddClause(e.latch[i] ^ cdcl.Lit(1-r))
		}
	}
	e.solvers = []*cdcl.Solver{initial}
	e.stale = []int{0}
	e.frames = make([][]*lemma, 1)
	e.activity = make([]float64, 2*len(c.Latches))
	e.nodes.init(e)
	return e
}

// sharedSize is the number of literals in the clauses of a circuit from which on
// frames share a solver, and maxFrames the number of frames that then can be.
const (
	sharedSize = 1 << 20
	maxFrames  = 1 << 13
)

func solverLit(l int32) cdcl.Lit {
	if l < 0 {
		return cdcl.MkLit(uint32(-l-1), true)
	}
	return cdcl.MkLit(uint32(l-1), false)
}

// current is the solver literal of a latch literal, primed that of its next value.
func (e *engine) current(l lit) cdcl.Lit { return e.latch[l.latch()] ^ cdcl.Lit(l&1) }

func (e *engine) primed(l lit) cdcl.Lit { return e.next[l.latch()] ^ cdcl.Lit(l&1) }

// count collects the work of the solvers.
func (e *engine) count() {
	solvers := append([]*cdcl.Solver{e.definitions, e.base}, e.solvers...)
	if e.shared {
		solvers = solvers[:min(len(solvers), 4)]
	}
	for _, s := range solvers {
		e.stats.Queries += s.Queries
		e.stats.Conflicts += s.Conflicts
	}
}
