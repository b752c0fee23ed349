package ltl

import (
	"fmt"
	"strings"
	"sync"
)

// This file is the table of rewriting rules of Simplify. A rule is data: what it
// matches, the result, and a condition, all over the formulas a, b and c. The tests
// prove each rule in two ways: for all rows of truth that a, b and c can have on
// lassos up to a length, those that the condition admits; and for all infinite words
// on which the condition holds everywhere, by a tableau.
//
// Most are those of [SomenziBloem00] and [EtessamiHolzmann00].
// The conditions are
//
//	a implies b     where a is true, b is; decided by the structure, see implies.go
//	a excludes b    where a is true, b is not
//	a or b          everywhere one of them is true
//	a eventual      if a is true somewhere, it was true before: X a implies a
//	a universal     if a is true, it stays true: a implies X a
type rule struct {
	match, result string
	when          string
}

// rules are tried in this order, each at every subformula. Those with && or || at
// the top match any two operands of longer conjunctions and disjunctions.
var rules = []rule{
	// Constants.
	{"true && a", "a", ""},
	{"false && a", "false", ""},
	{"true || a", "true", ""},
	{"false || a", "a", ""},
	{"X true", "true", ""},
	{"X false", "false", ""},
	{"a U true", "true", ""},
	{"a U false", "false", ""},
	{"false U a", "a", ""},
	{"a R true", "true", ""},
	{"a R false", "false", ""},
	{"true R a", "a", ""},
	// Operands that imply or exclude one another.
	{"a && b", "a", "a implies b"},
	{"a || b", "b", "a implies b"},
	{"a && b", "false", "a excludes b"},
	{"a || b", "true", "a or b"},
	{"(a && b) || c", "b || c", "a or c"},
	{"(a || b) && c", "b && c", "a excludes c"},
	{"a U b", "b", "a implies b"},
	{"a R b", "b", "b implies a"},
	{"a U b", "F b", "a or b"},
	{"a R b", "G b", "a excludes b"},
	// What comes sooner or later comes; what holds once holds for ever.
	{"a U b", "b", "b eventual"},
	{"a R b", "b", "b universal"},
	// X outwards, so that it is taken once; away where it says nothing.
	{"X a && X b", "X (a && b)", ""},
	{"X a || X b", "X (a || b)", ""},
	{"X a U X b", "X (a U b)", ""},
	{"X a R X b", "X (a R b)", ""},
	{"F X a", "X F a", ""},
	{"G X a", "X G a", ""},
	{"a && X G a", "G a", ""},
	{"a || X F a", "F a", ""},
	// One temporal operator for two.
	{"(a U b) && (c U b)", "(a && c) U b", ""},
	{"(a U b) || (a U c)", "a U (b || c)", ""},
	{"(a R b) && (a R c)", "a R (b && c)", ""},
	{"(a R b) || (c R b)", "(a || c) R b", ""},
	{"G F a || G F b", "G F (a || b)", ""},
	{"F G a && F G b", "F G (a && b)", ""},
	// Operators within their like.
	{"a U (b U c)", "b U c", "a implies b"},
	{"a U (b U c)", "a U c", "b implies a"},
	{"a R (b R c)", "b R c", "b implies a"},
	{"a R (b R c)", "a R c", "a implies b"},
	{"F (a U b)", "F b", ""},
	{"G (a R b)", "G b", ""},
	{"G F (a && F b)", "G F a && G F b", ""},
	{"F G (a || G b)", "F G a || F G b", ""},
	{"F (a && b)", "F a && b", "b eventual and universal"},
	{"F (a || b)", "F a || b", "b eventual"},
	{"G (a && b)", "G a && b", "b universal"},
	{"G (a || b)", "G a || b", "b eventual and universal"},
	{"X a", "a", "a eventual and universal"},
	// What an operand of && or || says of the other.
	{"G a && (b U c)", "G a && F c", "a implies b"},
	{"F a || (b R c)", "F a || G c", "b implies a"},
}

// pattern is a rule, parsed.
type pattern struct {
	rule
	from, to  Formula
	condition condition
}

// condition is about two of the variables, or one.
type condition struct {
	word string // "", implies, excludes, or, eventual, universal, both
	a, b Atom
}

// patterns are the rules, parsed when they are first needed.
var patterns = sync.OnceValue(func() []pattern { return parseRules(rules) })

// parseRules parses the table.
func parseRules(table []rule) []pattern {
	var all []pattern
	for _, r := range table {
		all = append(all, pattern{r, Normal(MustParse(r.match)), Normal(MustParse(r.result)), parseCondition(r.when)})
	}
	return all
}

// parseCondition parses the condition of a rule.
func parseCondition(text string) condition {
	w := strings.Fields(text)
	variable := func(i int) Atom { return Atom{CAtom, w[i]} }
	switch {
	case len(w) == 0:
		return condition{}
	case len(w) == 2:
		return condition{w[1], variable(0), variable(0)}
	case len(w) == 3:
		return condition{w[1], variable(0), variable(2)}
	case text == w[0]+" eventual and universal":
		return condition{"both", variable(0), variable(0)}
	}
	panic(fmt.Sprintf("condition %q", text))
}
