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
	nodes := 0
	s.Walk(values, func(ID) { nodes++ })
	if nodes > maxCaseNodes {
		budget = 0
	}
	return s.byCases(values, &budget, of)
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
