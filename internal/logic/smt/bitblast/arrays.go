package bitblast

import (
	"assay/internal/logic/sat"
	"assay/internal/logic/term"
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
// wrong, lemmas are added. They are valid in the theory of arrays:
//
//	step:        select(store(b, j, e), i) = ite(i = j, e, select(b, i)), and
//	             the like for ite and const: for r, and for the selects that
//	             this introduces, down to the array where the value is wrong
//	congruence:  i = i' ⇒ select(b, i) = select(b, i')
//
// A select is stepped at most once, and two selects of one array are made
// congruent at most once, of finitely many arrays and indices. So the loop ends,
// and an assignment without a wrong value extends to the arrays: variable a has,
// at index σ(i), the value σ(r) for every access (a, σ(i)) by r in the table.
//
// Relevant are the selects below asserted and assumed terms, below the steps of
// relevant selects, and below the conditions, indices and values that walks
// meet. These are blasted when they are met; inputs without a CNF variable have
// the value 0.
//
// Departures from the paper: there is no equality of arrays, so accesses only
// move down; a value written is compared where the walk meets it, and not made
// an access of its own. The paper's lemma is one clause, "the decisions on the
// way imply that the values are equal". Its length is that of the way, and it
// names only one end of it; steps are shared by all ways through them. Equalities
// of indices are terms, so that the simplifier sees them.

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
		s.stack = append(s.stack, s.steps[t]...)
	}
	return selects
}

// refine walks the relevant selects and adds lemmas where the assignment is
// inconsistent. It returns their number.
func (s *Solver) refine() (int, error) {
	clear(s.accesses)
	before := s.lemmas
	for k := 0; k < len(s.relevant); k++ { // the walk may append
		if err := s.walk(s.relevant[k]); err != nil {
			return 0, err
		}
	}
	return int(s.lemmas - before), nil
}

// meet blasts a term that a walk needs, and makes its selects relevant.
func (s *Solver) meet(t term.ID) error {
	if err := s.blast(t); err != nil {
		return err
	}
	s.relevant = s.collect(s.relevant, t)
	return nil
}

// walk checks one select, and adds lemmas if its value is wrong.
func (s *Solver) walk(r term.ID) error {
	at := s.model.uint64(s.word(s.store.Arg(r, 1)))
	a := s.store.Arg(r, 0)
	for {
		key := access{a, at}
		if other, ok := s.accesses[key]; ok {
			if s.model.same(s.word(r), s.word(other)) {
				return nil
			}
			return s.separate(r, other, a)
		}
		s.accesses[key] = r
		if len(s.steps[r]) > 0 {
			return nil // what is below has selects of its own
		}
		var end term.ID // the value that r must have
		switch s.store.Op(a) {
		case term.OpStore:
			j := s.store.Arg(a, 1)
			if err := s.meet(j); err != nil {
				return err
			}
			if s.model.uint64(s.word(j)) == at {
				end = s.store.Arg(a, 2)
			}
		case term.OpIte:
			if err := s.meet(s.store.Arg(a, 0)); err != nil {
				return err
			}
		case term.OpConstArray:
			end = s.store.Arg(a, 0)
		case term.OpVar:
			return nil
		}
		if end == 0 {
			a = s.next(a)
			continue
		}
		if err := s.meet(end); err != nil {
			return err
		}
		if s.model.same(s.word(r), s.word(end)) {
			return nil
		}
		low, err := s.descend(r, a)
		if err != nil || s.store.Op(low) != term.OpSelect || s.store.Arg(low, 0) != a {
			return err
		}
		return s.step(low)
	}
}

// next is where a walk goes from the ite a, or from the store a if it misses.
func (s *Solver) next(a term.ID) term.ID {
	switch {
	case s.store.Op(a) == term.OpStore:
		return s.store.Arg(a, 0)
	case s.model.bit(s.bit(s.store.Arg(a, 0))):
		return s.store.Arg(a, 1)
	}
	return s.store.Arg(a, 2)
}

// separate adds lemmas because r and other, whose indices have the same value,
// both come to the array a, but with different values.
func (s *Solver) separate(r, other, a term.ID) error {
	x, err := s.descend(r, a)
	if err != nil {
		return err
	}
	y, err := s.descend(other, a)
	if err != nil {
		return err
	}
	if x == y {
		return nil
	}
	for _, t := range []term.ID{x, y} {
		// The simplifier may have found out that the select is something else.
		// Then the steps are all that there is to say.
		if s.store.Op(t) != term.OpSelect || s.store.Arg(t, 0) != a {
			return nil
		}
	}
	same := s.store.Eq(s.store.Arg(x, 1), s.store.Arg(y, 1))
	if err := s.blast(same); err != nil {
		return err
	}
	s.implyEqual(s.bit(same), s.word(x), s.word(y))
	s.lemmas++
	return nil
}

// descend steps r and what comes of it, along the way of the walk, until that
// is a select of the array a, which it returns.
func (s *Solver) descend(r, a term.ID) (term.ID, error) {
	i := s.store.Arg(r, 1)
	for b := s.store.Arg(r, 0); b != a; {
		if s.store.Op(r) != term.OpSelect || s.store.Arg(r, 0) != b {
			return r, nil
		}
		if err := s.step(r); err != nil {
			return 0, err
		}
		b = s.next(b)
		r = s.store.Select(b, i)
	}
	return r, nil
}

// step adds the lemma that relates the select r to the top of its array.
func (s *Solver) step(r term.ID) error {
	if len(s.steps[r]) > 0 {
		return nil
	}
	a, i := s.store.Arg(r, 0), s.store.Arg(r, 1)
	var parts []term.ID // condition, value if it holds, value if not
	switch s.store.Op(a) {
	case term.OpStore:
		parts = []term.ID{s.store.Eq(i, s.store.Arg(a, 1)), s.store.Arg(a, 2), s.store.Select(s.store.Arg(a, 0), i)}
	case term.OpIte:
		parts = []term.ID{s.store.Arg(a, 0), s.store.Select(s.store.Arg(a, 1), i), s.store.Select(s.store.Arg(a, 2), i)}
	case term.OpConstArray:
		parts = []term.ID{s.store.True(), s.store.Arg(a, 0)}
	}
	for _, p := range parts {
		if err := s.blast(p); err != nil {
			return err
		}
	}
	s.steps[r] = parts
	for _, p := range parts {
		if s.flags[r]&permanent != 0 {
			n := len(s.selects)
			s.collectPermanent(p)
			s.relevant = append(s.relevant, s.selects[n:]...)
		} else {
			s.relevant = s.collect(s.relevant, p)
		}
	}
	condition := s.bit(parts[0])
	s.implyEqual(condition, s.word(r), s.word(parts[1]))
	if len(parts) > 2 {
		s.implyEqual(condition.Not(), s.word(r), s.word(parts[2]))
	}
	s.lemmas++
	return nil
}

// implyEqual adds condition ⇒ x = y.
func (s *Solver) implyEqual(condition sat.Lit, x, y word) {
	for k := range x {
		s.cnf.AddClause(condition.Not(), x[k].Not(), y[k])
		s.cnf.AddClause(condition.Not(), x[k], y[k].Not())
	}
}
