package ic3

import (
	"slices"

	"assay/internal/finite/ic3/cdcl"
	"assay/internal/finite/ts"
)

// This file extracts the invariant and minimises it: of the lemmas of the
// inductive frame those are kept from which safety follows, and, again and
// again, those from which the inductiveness of the kept ones follows. Cores of
// the queries say which.

func sortCube(c cube) { slices.Sort(c) }

// invariant is the clauses of the inductive frame, minimised.
func (e *engine) invariant() ([][]ts.LatchLiteral, error) {
	level := e.inductiveLevel()
	lemmas := slices.Clone(e.forever)
	for i := level; i < len(e.frames); i++ {
		lemmas = append(lemmas, e.frames[i]...)
	}
	e.stats.Clauses = len(lemmas)
	kept, err := e.minimise(lemmas)
	if err != nil {
		return nil, err
	}
	e.stats.Minimised = len(kept)
	return clausesOf(kept), nil
}

func clausesOf(lemmas []*lemma) (clauses [][]ts.LatchLiteral) {
	for _, l := range lemmas {
		var clause []ts.LatchLiteral
		for _, x := range l.cube {
			clause = append(clause, ts.LatchLiteral{Latch: int32(x.latch()), Negated: x&1 == 0})
		}
		clauses = append(clauses, clause)
	}
	return clauses
}

// minimise is an inductive subset of the lemmas that implies safety.
func (e *engine) minimise(lemmas []*lemma) ([]*lemma, error) {
	// Each lemma gets a guard: a variable that no gate defines.
	s, guards := e.definitions.Extend(len(lemmas))
	for _, l := range e.constraints {
		s.Permanent(l.Var())
		s.AddClause(l)
	}
	for i, l := range lemmas {
		e.clause = append(e.clause[:0], guards[i].Not())
		for _, x := range l.cube {
			e.clause = append(e.clause, e.current(x).Not())
			s.Permanent(e.current(x).Var())
		}
		s.Permanent(guards[i].Var())
		s.AddClause(e.clause...)
	}
	needed := make([]bool, len(lemmas))
	var kept []*lemma
	ask := func(roots []cdcl.Lit) error {
		// Lemmas that are kept anyway come first: they are used where possible.
		e.assumed = e.assumed[:0]
		for _, first := range []bool{true, false} {
			for i := range lemmas {
				if needed[i] == first {
					e.assumed = append(e.assumed, guards[i])
				}
			}
		}
		e.assumed = append(e.assumed, roots...)
		switch s.Solve(e.assumed, nil) {
		case cdcl.Unknown:
			return e.ctx.Err()
		case cdcl.Sat:
			panic("ic3: the last frame is not inductive")
		}
		for i, l := range lemmas {
			if !needed[i] && s.InCore(guards[i]) {
				needed[i] = true
				kept = append(kept, l)
			}
		}
		return nil
	}
	if err := ask([]cdcl.Lit{e.bad}); err != nil {
		return nil, err
	}
	for i := 0; i < len(kept); i++ {
		if err := e.ctx.Err(); err != nil {
			return nil, err
		}
		roots := slices.Clone(e.transitions)
		for _, x := range kept[i].cube {
			roots = append(roots, e.primed(x))
		}
		if err := ask(roots); err != nil {
			return nil, err
		}
	}
	e.stats.Queries += s.Queries
	return kept, nil
}
