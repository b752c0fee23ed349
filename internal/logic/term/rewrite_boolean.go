package term

// This file has the rules of the connectives. And and Or are dual: one function
// serves both, with the operation, its dual, its neutral and its absorbing
// element.

func booleanRules() []rule {
	var r []rule
	for _, op := range []Op{OpAnd, OpOr} {
		r = append(r,
			rule{op, "value", connectiveValue},
			rule{op, "same", connectiveSame},
			rule{op, "opposite", connectiveOpposite},
			rule{op, "nested", connectiveNested},
			rule{op, "nested-both", connectiveNestedBoth},
			rule{op, "entailed", connectiveEntailed},
		)
	}
	return append(r,
		rule{OpNot, "not", notNot},
		rule{OpXor, "to-eq", xorToEq},
	)
}

// match: Not(Not(a))
// result: a
func notNot(s *Store, n node) ID {
	if a := n.args[0]; s.is(a, OpNot) {
		return s.arg(a, 0)
	}
	return 0
}

// match: Xor(a, b)
// result: Not(Eq(a, b))
func xorToEq(s *Store, n node) ID { return s.Not(s.Eq(n.args[0], n.args[1])) }

// absorbing is false for And, true for Or.
func absorbing(op Op) ID {
	if op == OpAnd {
		return falseID
	}
	return trueID
}

func dual(op Op) Op {
	switch op {
	case OpAnd:
		return OpOr
	case OpOr:
		return OpAnd
	case OpBVAnd:
		return OpBVOr
	}
	return OpBVAnd
}

// match: And(a, true), And(a, false); dually Or
// result: a, false
func connectiveValue(s *Store, n node) ID {
	switch b := n.args[1]; {
	case b == absorbing(n.op):
		return b
	case b == trueID || b == falseID:
		return n.args[0]
	}
	return 0
}

// match: And(a, a); dually Or
// result: a
func connectiveSame(s *Store, n node) ID {
	if n.args[0] == n.args[1] {
		return n.args[0]
	}
	return 0
}

// match: And(a, Not(a)); dually Or
// result: false
func connectiveOpposite(s *Store, n node) ID {
	if s.opposite(n.args[0], n.args[1]) {
		return absorbing(n.op)
	}
	return 0
}

// literal is a Bool or its negation. It stands for a Not that need not exist.
type literal struct {
	t   ID
	neg bool
}

func (s *Store) literal(t ID) literal {
	if s.is(t, OpNot) {
		return literal{s.arg(t, 0), true}
	}
	return literal{t, false}
}

func (l literal) not() literal { return literal{l.t, !l.neg} }

func (s *Store) build(l literal) ID {
	if l.neg {
		return s.Not(l.t)
	}
	return l.t
}

// parts are the arguments of l read as an application of op, which And(p, q)
// and Not(Or(p', q')) both are of And.
func (s *Store) parts(l literal, op Op) (p, q literal, ok bool) {
	switch n := &s.nodes[l.t]; {
	case !l.neg && n.op == op:
		return s.literal(n.args[0]), s.literal(n.args[1]), true
	case l.neg && n.op == dual(op):
		return s.literal(n.args[0]).not(), s.literal(n.args[1]).not(), true
	}
	return p, q, false
}

// match: And(a, And(a, c)), And(a, And(Not(a), c)), And(a, Or(a, c)), And(a, Or(Not(a), c)); dually Or
// result: And(a, c), false, a, And(a, c)
func connectiveNested(s *Store, n node) ID {
	for i := range 2 {
		a, b := n.args[i], n.args[1-i]
		l := s.literal(a)
		if p, q, ok := s.parts(s.literal(b), n.op); ok {
			switch l {
			case p, q:
				return b
			case p.not(), q.not():
				return absorbing(n.op)
			}
		}
		if p, q, ok := s.parts(s.literal(b), dual(n.op)); ok {
			switch l {
			case p, q:
				return a
			case p.not():
				return s.mk(node{op: n.op, args: [3]ID{a, s.build(q)}})
			case q.not():
				return s.mk(node{op: n.op, args: [3]ID{a, s.build(p)}})
			}
		}
	}
	return 0
}

// match: And(And(p, q), And(Not(p), r)), And(Or(p, q), Or(p, Not(q))); dually Or
// result: false, p
//
// The second joins the two sides of a branch: Or(And(g, c), And(g, Not(c))) is g.
func connectiveNestedBoth(s *Store, n node) ID {
	if p, q, ok := s.parts(s.literal(n.args[0]), n.op); ok {
		if r, t, ok := s.parts(s.literal(n.args[1]), n.op); ok {
			if p == r.not() || p == t.not() || q == r.not() || q == t.not() {
				return absorbing(n.op)
			}
		}
	}
	if p, q, ok := s.parts(s.literal(n.args[0]), dual(n.op)); ok {
		if r, t, ok := s.parts(s.literal(n.args[1]), dual(n.op)); ok {
			switch {
			case p == r && q == t.not(), p == t && q == r.not():
				return s.build(p)
			case q == r && p == t.not(), q == t && p == r.not():
				return s.build(q)
			}
		}
	}
	return 0
}

// maxEntailment bounds the work of entails.
const maxEntailment = 24

// entails says whether b evidently holds where a does: by the structure of
// conjunctions and disjunctions alone.
func (s *Store) entails(a, b literal, budget *int) bool {
	if a == b {
		return true
	}
	if *budget--; *budget < 0 {
		return false
	}
	if p, q, ok := s.parts(a, OpOr); ok {
		return s.entails(p, b, budget) && s.entails(q, b, budget)
	}
	if p, q, ok := s.parts(b, OpAnd); ok {
		return s.entails(a, p, budget) && s.entails(a, q, budget)
	}
	if p, q, ok := s.parts(a, OpAnd); ok && (s.entails(p, b, budget) || s.entails(q, b, budget)) {
		return true
	}
	if p, q, ok := s.parts(b, OpOr); ok {
		return s.entails(a, p, budget) || s.entails(a, q, budget)
	}
	return false
}

// match: And(a, b) where a entails b, or Not(b); And(a, Or(p, q)) where a entails Not(p); dually Or
// result: a, false; And(a, q)
func connectiveEntailed(s *Store, n node) ID {
	for i := range 2 {
		a, b := s.literal(n.args[i]), s.literal(n.args[1-i])
		x, y := a, b
		if n.op == OpOr { // a or b is not (not a and not b)
			x, y = a.not(), b.not()
		}
		budget := maxEntailment
		if s.entails(x, y, &budget) {
			return n.args[i]
		}
		budget = maxEntailment
		if i == 0 && s.entails(x, y.not(), &budget) {
			return absorbing(n.op)
		}
		if p, q, ok := s.parts(y, OpOr); ok {
			budget = maxEntailment
			rest := q
			if !s.entails(x, p.not(), &budget) {
				budget = maxEntailment
				if rest = p; !s.entails(x, q.not(), &budget) {
					continue
				}
			}
			if n.op == OpOr {
				rest = rest.not()
			}
			return s.mk(node{op: n.op, args: [3]ID{n.args[i], s.build(rest)}})
		}
	}
	return 0
}
