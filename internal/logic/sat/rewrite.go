package sat

// This file makes and-gates, simplified by what is seen two levels deep.
//
// Cited paper:
//
//	[BrummayerBiere06] R. Brummayer, A. Biere. Local Two-Level And-Inverter Graph
//	Minimization without Blowup. MEMICS 2006, Tables 1 and 2: the rules' names.
//
// All rules of the levels 1 to 4 are here. Rules of level 1 and 2 return an
// existing literal; those of level 3 and 4 replace the gate asked for by
// another one, so that no call makes more than one new gate, and go on with
// that. The loop ends: each such step replaces an operand by one of its
// children, which is an older node.
//
// Departures from the paper: of the symmetric substitution and idempotence
// rules, where both operands can be replaced, the first in the order of the
// code is chosen; the paper leaves that open too.

// And is a ∧ b.
func (g *Graph) And(a, b Lit) Lit {
	for {
		// Level 1: neutrality, boundedness, idempotence, contradiction.
		switch {
		case a == False || b == False || a == b.Not():
			return False
		case a == True || a == b:
			return b
		case b == True:
			return a
		}
		// The later gate is the more likely one to have the other below it.
		if a < b {
			a, b = b, a
		}
		na, nb := g.nodes[a.Node()], g.nodes[b.Node()]
		andA, andB := na.a >= 0, nb.a >= 0
		if !andA && !andB {
			return g.gate(a, b)
		}
		if andA {
			if r, x, y := oneSided(a, na, b); r == replaced {
				a, b = x, y
				continue
			} else if r == found {
				return x
			}
		}
		if andB {
			if r, x, y := oneSided(b, nb, a); r == replaced {
				a, b = x, y
				continue
			} else if r == found {
				return x
			}
		}
		if !andA || !andB {
			return g.gate(a, b)
		}
		var r outcome
		var x, y Lit
		switch {
		case !a.Negated() && !b.Negated():
			r, x, y = twoPositive(a, na, b, nb)
		case a.Negated() && b.Negated():
			r, x = twoNegative(na, nb)
		case a.Negated():
			r, x, y = oneNegative(na, b, nb)
		default:
			r, x, y = oneNegative(nb, a, na)
		}
		switch r {
		case found:
			return x
		case none:
			return g.gate(a, b)
		}
		a, b = x, y
	}
}

// outcome says what a group of rules did.
type outcome uint8

const (
	none     outcome = iota // no rule matches
	found                   // the conjunction is the first literal
	replaced                // the conjunction is that of the two literals
)

// oneSided has the asymmetric rules: a is a gate with the children n, or its
// negation, and c any literal.
func oneSided(a Lit, n node, c Lit) (outcome, Lit, Lit) {
	if !a.Negated() {
		switch {
		case n.a == c.Not() || n.b == c.Not(): // contradiction: (x∧y)∧¬x = 0
			return found, False, 0
		case n.a == c || n.b == c: // idempotence: (x∧y)∧x = x∧y
			return found, a, 0
		}
		return none, 0, 0
	}
	switch {
	case n.a == c.Not() || n.b == c.Not(): // subsumption: ¬(x∧y)∧¬x = ¬x
		return found, c, 0
	case n.a == c: // substitution: ¬(x∧y)∧x = ¬y∧x
		return replaced, n.b.Not(), c
	case n.b == c:
		return replaced, n.a.Not(), c
	}
	return none, 0, 0
}

// twoPositive has the symmetric rules for (x∧y) ∧ (z∧u).
func twoPositive(a Lit, x node, b Lit, z node) (outcome, Lit, Lit) {
	switch {
	case x.a == z.a.Not() || x.a == z.b.Not() || x.b == z.a.Not() || x.b == z.b.Not(): // contradiction
		return found, False, 0
	case x.a == z.a || x.b == z.a: // idempotence: (x∧y)∧(x∧u) = (x∧y)∧u
		return replaced, a, z.b
	case x.a == z.b || x.b == z.b:
		return replaced, a, z.a
	}
	return none, 0, 0
}

// oneNegative has the symmetric rules for ¬(x∧y) ∧ (z∧u), where b is the
// latter.
func oneNegative(x node, b Lit, z node) (outcome, Lit, Lit) {
	switch {
	case x.a == z.a.Not() || x.a == z.b.Not() || x.b == z.a.Not() || x.b == z.b.Not(): // subsumption: = z∧u
		return found, b, 0
	case x.a == z.a || x.a == z.b: // substitution: ¬(z∧y)∧(z∧u) = ¬y∧(z∧u)
		return replaced, x.b.Not(), b
	case x.b == z.a || x.b == z.b:
		return replaced, x.a.Not(), b
	}
	return none, 0, 0
}

// twoNegative has resolution: ¬(x∧y) ∧ ¬(x∧¬y) = ¬x.
func twoNegative(x, z node) (outcome, Lit) {
	switch {
	case x.a == z.a && x.b == z.b.Not(), x.a == z.b && x.b == z.a.Not():
		return found, x.a.Not()
	case x.b == z.b && x.a == z.a.Not(), x.b == z.a && x.a == z.b.Not():
		return found, x.b.Not()
	}
	return none, 0
}
