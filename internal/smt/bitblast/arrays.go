package bitblast

import (
	"assay/internal/sat"
	"assay/internal/term"
)

// This file makes selects consistent with their arrays, by lemmas on demand.
//
// Cited paper:
//
//	[BrummayerBiere09] R. Brummayer, A. Biere. Lemmas on Demand for the Extensional
//	Theory of Arrays. JSAT 6, 2009, Sections 4 and 5.
//
// A select r = select(a, i) is a word of free inputs. After the SAT solver has
// found an assignment σ, each relevant select is walked down its array:
//
//	store(b, j, e):  if σ(i) = σ(j) then σ(r) must be σ(e), and the walk ends;
//	                 else it goes on to b
//	ite(c, b, b'):   it goes on to the branch that σ(c) takes
//	const(e):        σ(r) must be σ(e), and the walk ends
//	variable:        the walk ends
//
// and at every array b that it visits, (b, σ(i)) is looked up in a table of
// accesses: if another select came by with the same index, its value must be the
// same, and the rest of the way need not be walked again. Where a value is
// wrong, the lemma
//
//	the decisions on the way(s) to the array  ⇒  the two values are equal
//
// is added, whose decisions are i ≠ j, c, ¬c, and at the end i = j, or equality
// of the two selects' indices. The lemma is valid in the theory and false under
// σ. Lemmas are built from finitely many terms, so the loop ends, and an
// assignment without a wrong value extends to the arrays: variable a has, at
// index σ(i), the value σ(r) for every access (a, σ(i)) by r in the table.
//
// Relevant are the selects below asserted and assumed terms, and below the
// conditions, indices and values that the walks meet. These are blasted when
// they are met; inputs without a CNF variable have the value 0.
//
// Departures from the paper: there is no equality of arrays, so accesses only
// move down; a value written is compared where the walk meets it, and not made
// an access of its own.

// access is an array term and a concrete index.
type access struct {
	array term.ID
	index uint64
}

// collect appends the selects below t that are not in the relevant cone of this
// check yet. t has been blasted.
func (s *Solver) collect(selects []term.ID, t term.ID) []term.ID {
	return s.cone(selects, t, func(t term.ID) bool {
		if s.mark[t] == s.epoch || s.flags[t]&permanent != 0 {
			return false
		}
		s.mark[t] = s.epoch
		return true
	})
}

// collectPermanent adds the selects below the asserted t to those relevant for
// every check.
func (s *Solver) collectPermanent(t term.ID) {
	s.selects = s.cone(s.selects, t, func(t term.ID) bool {
		if s.flags[t]&permanent != 0 {
			return false
		}
		s.flags[t] |= permanent
		return true
	})
}

// cone appends the selects below t; enter says, at each term with selects,
// whether it is new.
func (s *Solver) cone(selects []term.ID, t term.ID, enter func(term.ID) bool) []term.ID {
	s.stack = append(s.stack[:0], t)
	for len(s.stack) > 0 {
		t := s.stack[len(s.stack)-1]
		s.stack = s.stack[:len(s.stack)-1]
		if s.flags[t]&hasSelect == 0 || !enter(t) {
			continue
		}
		if s.store.Op(t) == term.OpSelect {
			selects = append(selects, t)
		}
		// No error is possible: t has been blasted.
		s.stack, _ = s.operands(t, s.stack)
	}
	return selects
}

// refine walks the relevant selects and adds lemmas where the assignment is
// inconsistent. It returns their number.
func (s *Solver) refine() (int, error) {
	clear(s.accesses)
	added := 0
	for k := 0; k < len(s.relevant); k++ { // the walk may append
		wrong, err := s.walk(s.relevant[k])
		if err != nil {
			return 0, err
		}
		if wrong {
			added++
		}
	}
	s.lemmas += int64(added)
	return added, nil
}

// meet blasts a term that a walk needs, and makes its selects relevant.
func (s *Solver) meet(t term.ID) error {
	if s.offset[t] == 0 {
		if err := s.blast(t); err != nil {
			return err
		}
	}
	s.relevant = s.collect(s.relevant, t)
	return nil
}

// walk checks one select, and adds a lemma if its value is wrong.
func (s *Solver) walk(r term.ID) (wrong bool, err error) {
	i := s.store.Arg(r, 1)
	at := s.model.uint64(s.word(i))
	a := s.store.Arg(r, 0)
	for {
		key := access{a, at}
		if other, ok := s.accesses[key]; ok {
			if s.model.same(s.word(r), s.word(other)) {
				return false, nil
			}
			s.clause = s.way(s.clause[:0], r, a)
			s.clause = s.way(s.clause, other, a)
			s.clause = append(s.clause, s.equal(i, s.store.Arg(other, 1)).Not())
			s.conclude(r, other)
			return true, nil
		}
		s.accesses[key] = r
		var end term.ID // the value that r must have
		switch s.store.Op(a) {
		case term.OpStore:
			j := s.store.Arg(a, 1)
			if err := s.meet(j); err != nil {
				return false, err
			}
			if s.model.uint64(s.word(j)) == at {
				end = s.store.Arg(a, 2)
			}
		case term.OpIte:
			if err := s.meet(s.store.Arg(a, 0)); err != nil {
				return false, err
			}
		case term.OpConstArray:
			end = s.store.Arg(a, 0)
		case term.OpVar:
			return false, nil
		}
		if end == 0 {
			a = s.next(a)
			continue
		}
		if err := s.meet(end); err != nil {
			return false, err
		}
		if s.model.same(s.word(r), s.word(end)) {
			return false, nil
		}
		s.clause = s.way(s.clause[:0], r, a)
		if s.store.Op(a) == term.OpStore {
			s.clause = append(s.clause, s.equal(i, s.store.Arg(a, 1)).Not())
		}
		s.conclude(r, end)
		return true, nil
	}
}

// next is where a walk goes from the store or ite a.
func (s *Solver) next(a term.ID) term.ID {
	if s.store.Op(a) == term.OpStore || s.model.bit(s.bit(s.store.Arg(a, 0))) {
		if s.store.Op(a) == term.OpStore {
			return s.store.Arg(a, 0)
		}
		return s.store.Arg(a, 1)
	}
	return s.store.Arg(a, 2)
}

// way appends the negated decisions by which r's walk came to the array a.
func (s *Solver) way(clause []sat.Lit, r, a term.ID) []sat.Lit {
	for b := s.store.Arg(r, 0); b != a; b = s.next(b) {
		if s.store.Op(b) == term.OpStore {
			clause = append(clause, s.equal(s.store.Arg(r, 1), s.store.Arg(b, 1)))
			continue
		}
		c := s.bit(s.store.Arg(b, 0))
		clause = append(clause, c.XorSign(s.model.bit(c)))
	}
	return clause
}

// equal is the literal that two blasted terms are equal.
func (s *Solver) equal(x, y term.ID) sat.Lit { return s.circuit.equal(s.word(x), s.word(y)) }

// conclude adds the lemma with the collected premises and conclusion x = y.
func (s *Solver) conclude(x, y term.ID) {
	s.clause = append(s.clause, s.equal(x, y))
	s.cnf.AssertClause(s.clause...)
}
