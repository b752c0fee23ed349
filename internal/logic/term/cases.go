package term

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
	seen := newVisited(s.Len())
	defer visitedPool.Put(seen)
	stack := append(seen.stack[:0], roots...)
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen.has(t) {
			continue
		}
		seen.mark[t] = seen.epoch
		if n--; n < 0 {
			return true
		}
		stack = append(stack, s.nodes[t].args[:arity[s.nodes[t].op]]...)
	}
	seen.stack = stack
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
