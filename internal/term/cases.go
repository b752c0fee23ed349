package term

import "slices"

// This file looks at values case by case. Where program paths meet, values are
// choices by the conditions of branches. A relation between such values is hard
// for a solver: it has to find out how the choices go together, and then that,
// say, a sum stays as it is. In one case, the same for all values, the simplifier
// sees what one path does, and often cancels all of it.

// maxCaseNodes bounds the terms that are taken apart.
const maxCaseNodes = 3000

// ByCases is of(values), put together from the cases of the conditions on which
// the values depend; after budget of them values are taken as they are.
func (s *Store) ByCases(values []ID, budget int, of func([]ID) ID) ID {
	if s.larger(values, maxCaseNodes) {
		budget = 0
	}
	return s.byCases(values, &budget, of)
}

// larger says whether terms have more than n nodes.
func (s *Store) larger(roots []ID, n int) bool {
	seen := map[ID]bool{}
	stack := append([]ID(nil), roots...)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] {
			continue
		}
		if seen[t] = true; len(seen) > n {
			return true
		}
		for _, a := range s.nodes[t].args[:arity[s.nodes[t].op]] {
			stack = append(stack, a)
		}
	}
	return false
}

func (s *Store) byCases(values []ID, budget *int, of func([]ID) ID) ID {
	c, ok := ID(0), false
	if *budget > 0 {
		c, ok = s.condition(values)
	}
	if !ok {
		return of(values)
	}
	*budget--
	yes := s.SubstituteAll(values, map[ID]ID{c: s.True()})
	no := s.SubstituteAll(values, map[ID]ID{c: s.False()})
	return s.Ite(c, s.byCases(yes, budget, of), s.byCases(no, budget, of))
}

// condition is a condition, without connectives, on which a value depends.
func (s *Store) condition(values []ID) (c ID, ok bool) {
	s.Walk(values, func(t ID) {
		if !ok && s.Op(t) == OpIte {
			c, ok = s.Arg(t, 0), true
		}
	})
	for ok {
		switch s.Op(c) {
		case OpAnd, OpOr, OpNot:
			c = s.Arg(c, 0)
			continue
		}
		break
	}
	return c, ok
}

// maxReadCases bounds the choices that a read is resolved into.
const maxReadCases = 24

// Resolve is a term whose reads, from arrays that were written or chosen, are choices
// among elements; the term itself if there are too many.
func (s *Store) Resolve(t ID) ID {
	budget := maxReadCases
	var at func(a, i ID) ID
	at = func(a, i ID) ID {
		budget--
		if budget > 0 {
			switch s.Op(a) {
			case OpStore:
				return s.Ite(s.Eq(i, s.Arg(a, 1)), s.Arg(a, 2), at(s.Arg(a, 0), i))
			case OpIte:
				return s.Ite(s.Arg(a, 0), at(s.Arg(a, 1), i), at(s.Arg(a, 2), i))
			}
		}
		return s.Select(a, i)
	}
	var resolve func(t ID) ID
	resolve = func(t ID) ID {
		switch s.Op(t) {
		case OpSelect:
			return at(s.Arg(t, 0), s.Arg(t, 1))
		case OpIte:
			return s.Ite(s.Arg(t, 0), resolve(s.Arg(t, 1)), resolve(s.Arg(t, 2)))
		}
		return t
	}
	if x := resolve(t); budget > 0 {
		return x
	}
	return t
}

// ByReads is ByCases for what is said of elements at the index k. Where a case says
// what k is in its low w bits, which must be all that matters, that takes its place: then
// what a loop has written at k is often as a term what is claimed of it.
func (s *Store) ByReads(values []ID, k ID, w uint32, budget int, of func(values []ID, k ID) ID) ID {
	if s.larger(values, maxCaseNodes) {
		budget = 0
	}
	var split func(values []ID, now ID) ID
	split = func(values []ID, now ID) ID {
		c, ok := ID(0), false
		if budget > 0 {
			c, ok = s.condition(values)
		}
		if !ok {
			return of(values, now)
		}
		budget--
		yes := s.SubstituteAll(values, map[ID]ID{c: s.True()})
		no := s.SubstituteAll(values, map[ID]ID{c: s.False()})
		by := now
		if x, ok := s.equalTo(c, k, w); ok {
			by = x
		}
		return s.Ite(c, split(yes, by), split(no, now))
	}
	return split(values, k)
}

// equalTo reads off an equation what k is in the low w bits.
func (s *Store) equalTo(c, k ID, w uint32) (by ID, ok bool) {
	if !s.is(c, OpEq) || s.Sort(s.arg(c, 0)).Kind != SortBV || w == 0 || w > 64 || s.Width(s.arg(c, 0)) < w || s.Width(k) < w {
		return 0, false
	}
	d := s.Polynomial(s.arg(c, 0), w)
	d.AddTimes(^uint64(0), s.Polynomial(s.arg(c, 1), w))
	index := s.Polynomial(k, w)
	if len(index.Monomials) != 1 || len(index.Monomials[0].Factors) != 1 || index.Monomials[0].Coeff != 1 {
		return 0, false
	}
	for i, m := range d.Monomials {
		if !slices.Equal(m.Factors, index.Monomials[0].Factors) {
			continue
		}
		if m.Coeff != 1 && m.Coeff != d.mask() {
			return 0, false
		}
		rest := Polynomial{w, slices.Delete(slices.Clone(d.Monomials), i, i+1)}
		x := Polynomial{Width: w}
		x.AddTimes(-m.Coeff, rest)
		return s.SExt(s.Sum(x), s.Width(k)), true
	}
	return 0, false
}
