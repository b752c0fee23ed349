package term

// This file simplifies values under the condition of the place where they are used. Where program paths
// meet, values become choices, by conditions that later branches and assumptions often decide: an allocation that
// failed is a choice of a pointer and null for as long as the pointer lives, though the program gave up
// the one long ago. What is computed from the choice cannot be simplified; from the one value it can.
//
// A conjunct of the guard is true where the guard is, and so are the parts of a conjunct that is a conjunction, or
// the negation of a disjunction. Nothing else is known. The guard keeps all that was
// decided, so that where paths meet again, and the guard is weaker, values are choices as before.

// Limits of the search for a conjunct, in terms, and of the choices and connectives that are taken apart.
const (
	underSteps = 200
	underDepth = 4
)

// Under is a term that equals t under each assignment that satisfies guard.
func (s *Store) Under(guard, t ID) ID {
	if s.plain || s.raw || guard == trueID {
		return t
	}
	if s.Sort(t).Kind == SortBool && s.nodes[t].op != OpIte {
		if holds, known := s.settled(guard, t, underDepth); known {
			return s.Bool(holds)
		}
	}
	return s.under(guard, t, underDepth)
}

func (s *Store) under(guard, t ID, depth int) ID {
	for s.nodes[t].op == OpIte {
		n := s.nodes[t]
		holds, known := s.settled(guard, n.args[0], underDepth)
		switch {
		case known && holds:
			t = n.args[1]
		case known:
			t = n.args[2]
		case depth == 0:
			return t
		default:
			x, y := s.under(guard, n.args[1], depth-1), s.under(guard, n.args[2], depth-1)
			if x == n.args[1] && y == n.args[2] {
				return t
			}
			return s.Ite(n.args[0], x, y)
		}
	}
	return t
}

// settled says whether c is true, or false, wherever guard is true.
func (s *Store) settled(guard, c ID, depth int) (holds, known bool) {
	negated := false
	for s.nodes[c].op == OpNot {
		c, negated = s.nodes[c].args[0], !negated
	}
	steps := underSteps
	if holds, known = s.conjunct(guard, c, false, &steps); known {
		return holds != negated, true
	}
	if n := s.nodes[c]; n.op == OpULt && depth > 0 { // of two numbers that are less than each other
		steps = underSteps
		if less, known := s.conjunct(guard, s.ULt(n.args[1], n.args[0]), false, &steps); known && less {
			return negated, true
		}
	}
	if op := s.nodes[c].op; depth > 0 && (op == OpAnd || op == OpOr) {
		x, knownX := s.settled(guard, s.nodes[c].args[0], depth-1)
		y, knownY := s.settled(guard, s.nodes[c].args[1], depth-1)
		switch absorbs := op == OpOr; { // what one argument is, is the whole
		case knownX && x == absorbs, knownY && y == absorbs:
			return absorbs != negated, true
		case knownX && knownY:
			return !absorbs != negated, true
		}
	}
	return false, false
}

// conjunct looks for c, or its negation, among the conjuncts of t, or of the negation of t. Arguments are
// older than what uses them: a term that is older than c has no part c.
func (s *Store) conjunct(t, c ID, negated bool, steps *int) (holds, known bool) {
	for *steps > 0 && t >= c {
		*steps--
		if t == c {
			return !negated, true
		}
		n := &s.nodes[t]
		switch {
		case n.op == OpNot:
			t, negated = n.args[0], !negated
		case n.op == OpAnd && !negated, n.op == OpOr && negated:
			x, y := min(n.args[0], n.args[1]), max(n.args[0], n.args[1])
			if holds, known = s.conjunct(x, c, negated, steps); known {
				return holds, true
			}
			t = y
		default:
			return false, false
		}
	}
	return false, false
}
