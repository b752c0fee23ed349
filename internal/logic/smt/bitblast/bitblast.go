// Package bitblast decides bit-vector and array terms with a SAT solver: terms
// become words of literals of an and-inverter graph (blast.go and the circuits),
// the graph becomes clauses (package sat), and CaDiCaL solves them. Arrays are
// treated by lemmas on demand (arrays.go).
//
// Only what occurs in asserted or assumed terms is translated, once; a check
// under assumptions assumes one literal for each.
package bitblast

import (
	"context"
	"errors"

	"assay/internal/logic/sat"
	"assay/internal/logic/sat/cadical"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// Options are what a solver can be told at its birth.
type Options struct {
	// Lower gives, for an OpF* term, an equivalent Bool or bit-vector term
	// without that head symbol; its arguments may hold more of them. Without it,
	// floating-point terms are unsupported.
	Lower func(store *term.Store, t term.ID) term.ID
	// Leave gives, for a product, quotient, remainder or equation, a variable that stands for it,
	// without any circuit, or the term itself. Without it none is left out.
	Leave func(store *term.Store, t term.ID) term.ID
	// Cadical sets options of CaDiCaL itself.
	Cadical []cadical.Option
}

// Solver implements smt.Solver.
type Solver struct {
	store   *term.Store
	options Options
	circuit circuit
	cnf     *sat.CNF
	sat     *cadical.Solver
	limit   int64
	looks   uint32 // at the context
	checks  int64
	lemmas  int64

	pending []term.ID // asserted, not yet translated

	// Translation; see blast.go. offset, flags and mark are tables by term.
	lits      word
	offset    []uint32
	flags     []uint8
	lowered   map[term.ID]term.ID
	divisions map[division][2]word
	stack     []term.ID
	args      []term.ID

	arrays

	core     []term.ID
	assigned []int32 // the assumptions' CNF literals
	model    model
}

// arrays are the lemmas about arrays; see arrays.go.
type arrays struct {
	selects  []term.ID // below assertions
	relevant []term.ID // of the current check
	mark     []uint32  // epoch of the check whose relevant cone the term is in
	epoch    uint32
	accesses map[access]term.ID
	steps    map[term.ID][]term.ID
}

var _ smt.Solver = (*Solver)(nil)

// New is a solver without assertions for terms of the store.
func New(store *term.Store, options Options) *Solver {
	g := sat.NewGraph()
	solver := cadical.New(options.Cadical...)
	s := &Solver{
		store:     store,
		options:   options,
		circuit:   circuit{g: g},
		cnf:       sat.NewCNF(g, solver.AddClauses),
		sat:       solver,
		lits:      make(word, 1, 1024), // offset 0 means no word
		lowered:   map[term.ID]term.ID{},
		divisions: map[division][2]word{},
		arrays:    arrays{accesses: map[access]term.ID{}, steps: map[term.ID][]term.ID{}},
	}
	s.model.init(s)
	return s
}

// Assert adds a Bool term for good.
func (s *Solver) Assert(t term.ID) {
	if s.store.Sort(t).Kind != term.SortBool {
		panic("bitblast: assertion of a non-Bool")
	}
	s.pending = append(s.pending, t)
}

// SetConflictLimit bounds the next checks, in conflicts; 0 is no limit.
func (s *Solver) SetConflictLimit(n int64) { s.limit = n }

// Check implements smt.Solver.
func (s *Solver) Check(ctx context.Context, assumptions ...term.ID) (smt.Status, error) {
	s.checks++
	s.circuit.ctx = ctx
	defer func() { s.circuit.ctx = nil }()
	s.model.drop()
	s.core = s.core[:0]
	if s.epoch++; s.epoch == 0 {
		clear(s.mark)
		s.epoch = 1
	}
	if err := s.translate(); err != nil {
		return smt.Unknown, err
	}
	s.relevant = append(s.relevant[:0], s.selects...)
	s.assigned = s.assigned[:0]
	for _, t := range assumptions {
		if err := s.blast(t); err != nil {
			return smt.Unknown, err
		}
		s.relevant = s.collect(s.relevant, t)
		l := s.bit(t)
		if l == sat.False {
			s.core = append(s.core, t)
			return s.unsat()
		}
		s.assigned = append(s.assigned, s.cnf.Literal(l))
	}
	budget := s.limit
	for {
		if !s.cnf.Encode(func() bool { return ctx.Err() != nil }) {
			return smt.Unknown, ctx.Err()
		}
		s.sat.Assume(s.assigned...)
		s.sat.SetConflictLimit(-1)
		if s.limit > 0 {
			s.sat.SetConflictLimit(budget)
		}
		before := s.sat.Learned()
		r, err := s.sat.Solve(ctx)
		switch {
		case errors.Is(err, cadical.ErrMemory):
			return smt.Unknown, smt.ErrMemory
		case err != nil:
			return smt.Unknown, err
		case r == cadical.Unsat:
			s.readCore(assumptions)
			return s.unsat()
		case r == cadical.Unknown:
			return smt.Unknown, smt.ErrLimit{Conflicts: s.limit}
		}
		s.model.reset()
		added, err := s.refine()
		if err != nil {
			return smt.Unknown, err
		}
		if added == 0 {
			s.model.state = satisfied
			return smt.Sat, nil
		}
		budget = max(budget-(s.sat.Learned()-before), 0)
	}
}

func (s *Solver) unsat() (smt.Status, error) {
	s.model.state = refuted
	return smt.Unsat, nil
}

// translate turns pending assertions into clauses.
func (s *Solver) translate() error {
	for len(s.pending) > 0 {
		t := s.pending[0]
		if err := s.blast(t); err != nil {
			return err
		}
		s.pending = s.pending[1:]
		s.collectPermanent(t)
		s.cnf.AssertClause(s.bit(t))
	}
	return nil
}

// readCore maps the failed literals back to assumptions. Of several terms with
// one literal the first is enough.
func (s *Solver) readCore(assumptions []term.ID) {
	failed := map[int32]bool{}
	for _, lit := range s.sat.Failed(s.assigned, nil) {
		failed[lit] = true
	}
	for i, lit := range s.assigned {
		if failed[lit] {
			s.core = append(s.core, assumptions[i])
			delete(failed, lit)
		}
	}
}

// Core implements smt.Solver.
func (s *Solver) Core() []term.ID {
	if s.model.state != refuted {
		panic("bitblast: Core without unsatisfiability")
	}
	return append([]term.ID(nil), s.core...)
}

// Stats implements smt.Solver. Bytes counts our own tables, and for CaDiCaL's
// clauses what they take at least.
func (s *Solver) Stats() smt.Stats {
	own := s.circuit.g.Bytes() + s.cnf.Bytes() + s.model.bytes() +
		int64(cap(s.lits))*4 + int64(cap(s.offset))*4 + int64(cap(s.flags)) + int64(cap(s.mark))*4
	const perClause, perLiteral, perVariable = 56, 4, 150
	return smt.Stats{
		Checks:    s.checks,
		Conflicts: s.sat.Learned(),
		Variables: int64(s.cnf.Variables()),
		Clauses:   s.cnf.Clauses(),
		Gates:     int64(s.circuit.g.Gates()),
		Lemmas:    s.lemmas,
		Bytes: own + s.cnf.Clauses()*perClause + s.cnf.Literals()*perLiteral +
			int64(s.cnf.Variables())*perVariable,
	}
}

// Close implements smt.Solver.
func (s *Solver) Close() {
	s.sat.Close()
	s.model.drop()
}
