// Package bitwise has the rules of bitwise branching [Liu, Sect. 3.2] as data: what bit
// operations do to integers under conditions on their operands. A program or a
// formula branches on the condition, and the operation goes away in the branch where
// it holds.
//
// The rules whose names begin with R- and W- and a word of the paper are those of
// [Liu, Fig. 3.2] and [Liu, Fig. 3.3]; the others are ours: masks, single bits,
// alignment, neighbours, shifts by a constant, and the sign tests of lifted code [Liu,
// Sect. 4.2]. The tests prove each rule by Z3 at 8, 16, 32 and 64 bits, and by
// trying all operands at small widths.
//
// The scripts of the paper's appendix prove less than the figures say for R-OR-1,
// R-XOR-NEQ and W-OR-CONST, by slips in their conditions; the rules here are those of
// the figures. The integer translation (package integerize) and assay rewrite take their
// cases from here.
package bitwise

import "sync"

// View says how bit-vectors are read as integers.
type View uint8

// The views. A rule of Either holds in both, with operands and result in the same.
const (
	Signed View = 1 << iota
	Unsigned
	Either = Signed | Unsigned
)

// Rule says what a bit operation does. Its variables are
//
//	a, b    the operands, as integers of the view
//	r       the result, likewise
//	k, p    a number from 0 to the width, and p = 2^k; the rule holds for each k
//	w       the width
//	lo, hi  the least and the greatest integer of the view
//
// Where When holds, Match, which has the bit operations, is equal to Result, which has
// none or other ones: the rule rewrites. If Result is nil, Weak holds of r where r
// stands in one of Relations to Match: the rule weakens. Operands of & | ^ may be
// exchanged.
type Rule struct {
	Name      string
	View      View
	When      Expr
	Match     Expr
	Result    Expr
	Weak      Expr
	Relations []Op
}

// The relations of weakening rules [Liu, Fig. 3.3]; an assignment is an equality.
var (
	atMost  = []Op{"<", "<=", "=="}
	atLeast = []Op{">", ">=", "=="}
	equal   = []Op{"=="}
)

// rewrite makes a rewriting rule.
func rewrite(name string, view View, when, match, result string) Rule {
	return Rule{Name: name, View: view, When: parse(when), Match: parse(match), Result: parse(result)}
}

// weaken makes a weakening rule.
func weaken(name string, view View, when string, relations []Op, match, weak string) Rule {
	return Rule{Name: name, View: view, When: parse(when), Match: parse(match), Weak: parse(weak), Relations: relations}
}

const (
	bits = "(a == 0 || a == 1) && (b == 0 || b == 1)"
	low  = "0 <= a && a < p && 0 <= b && b < p"
	free = "a % p == 0 && 0 <= b && b < p"
)

// Rewriting are the rewriting rules, parsed when they are first asked for.
var Rewriting = sync.OnceValue(func() []Rule {
	return []Rule{
		// [Liu, Fig. 3.2].
		rewrite("R-AND-0", Either, "a == 0", "a & b", "0"),
		rewrite("R-AND-1", Either, "(a == 0 || a == 1) && b == 1", "a & b", "a"),
		rewrite("R-AND-LOG", Either, bits, "a & b", "a && b"),
		rewrite("R-OR-LOG", Either, bits, "(a | b) == 0", "a == 0 && b == 0"),
		rewrite("R-AND-LBS", Either, "a >= 0 && b == 1", "a & b", "a % 2"),
		rewrite("R-OR-0", Either, "b == 0", "a | b", "a"),
		rewrite("R-OR-1", Either, "(a == 0 || a == 1) && b == 1", "a | b", "1"),
		rewrite("R-XOR-0", Either, "b == 0", "a ^ b", "a"),
		rewrite("R-XOR-EQ", Either, "a == 0 && b == 0 || a == 1 && b == 1", "a ^ b", "0"),
		rewrite("R-XOR-NEQ", Either, "a == 1 && b == 0 || a == 0 && b == 1", "a ^ b", "1"),
		rewrite("R-RSHIFT-POS", Signed, "a >= 0 && b == w - 1", "a >> b", "0"),
		rewrite("R-RSHIFT-NEG", Signed, "a < 0 && b == w - 1", "a >> b", "-1"),
		// Equal operands, and complements.
		rewrite("and of equals", Either, "a == b", "a & b", "a"),
		rewrite("or of equals", Either, "a == b", "a | b", "a"),
		rewrite("xor of equals", Either, "a == b", "a ^ b", "0"),
		rewrite("complement", Signed, "1", "~a", "-a - 1"),
		rewrite("complement", Unsigned, "1", "~a", "hi - a"),
		rewrite("xor with all ones", Signed, "b == -1", "a ^ b", "-a - 1"),
		rewrite("xor with all ones", Unsigned, "b == hi", "a ^ b", "hi - a"),
		rewrite("and with all ones", Signed, "b == -1", "a & b", "a"),
		rewrite("and with all ones", Unsigned, "b == hi", "a & b", "a"),
		// Masks 2^k-1 and their complements.
		rewrite("low bits", Either, "b == p - 1", "a & b", "a % p"),
		rewrite("low bits away", Either, "b == p - 1", "a & ~b", "a - a % p"),
		rewrite("high bits", Signed, "b == -p", "a & b", "a - a % p"),
		rewrite("high bits", Unsigned, "b == hi + 1 - p", "a & b", "a - a % p"),
		rewrite("low bits set", Either, "b == p - 1", "a | b", "a - a % p + p - 1"),
		// One bit.
		rewrite("one bit", Either, "b == p", "a & b", "a / p % 2 * p"),
		rewrite("one bit set", Either, "b == p", "a | b", "a + (1 - a / p % 2) * p"),
		rewrite("one bit turned", Either, "b == p", "a ^ b", "a + (1 - 2 * (a / p % 2)) * p"),
		rewrite("one bit away", Either, "b == p", "a & ~b", "a - a / p % 2 * p"),
		// Alignment: no bit is in both.
		rewrite("and of aligned", Either, free, "a & b", "0"),
		rewrite("or of aligned", Either, free, "a | b", "a + b"),
		rewrite("xor of aligned", Either, free, "a ^ b", "a + b"),
		// One bit operation by another.
		rewrite("or by and", Either, "1", "a | b", "a + b - (a & b)"),
		rewrite("xor by and", Either, "1", "a ^ b", "a + b - 2 * (a & b)"),
		// Shifts by a constant.
		rewrite("shift left", Either, "b == k && k < w && lo <= a * p && a * p <= hi", "a << b", "a * p"),
		rewrite("shift right", Either, "b == k && k < w", "a >> b", "a / p"),
		rewrite("shift right with zeros", Signed, "b == k && k < w && a >= 0", "a >>> b", "a / p"),
		// Sign tests.
		rewrite("sign bit", Signed, "b == w - 1 && w > 1", "a >>> b", "a < 0"),
		rewrite("sign bit", Unsigned, "b == w - 1 && k == b", "a >> b", "a >= p"),
		rewrite("sign of and", Signed, "1", "(a & b) < 0", "a < 0 && b < 0"),
		rewrite("sign of or", Signed, "1", "(a | b) < 0", "a < 0 || b < 0"),
		rewrite("sign of xor", Signed, "1", "(a ^ b) < 0", "(a < 0) != (b < 0)"),
		rewrite("or is 0", Either, "1", "(a | b) == 0", "a == 0 && b == 0"),
		rewrite("xor is 0", Either, "1", "(a ^ b) == 0", "a == b"),
	}
})

// Weakening are the weakening rules.
var Weakening = sync.OnceValue(func() []Rule {
	return []Rule{
		// [Liu, Fig. 3.3].
		weaken("W-AND-POS", Either, "a >= 0 && b >= 0", atMost, "a & b", "r <= a && r <= b"),
		weaken("W-AND-NEG", Signed, "a < 0 && b < 0", atMost, "a & b", "r <= a && r <= b && r < 0"),
		weaken("W-AND-MIX", Signed, "a >= 0 && b < 0", equal, "a & b", "0 <= r && r <= a"),
		weaken("W-OR-CONST", Either, "a >= 0", atLeast, "a | b", "r >= b"),
		weaken("W-OR-POS", Either, "a >= 0 && b >= 0", atLeast, "a | b", "r >= a && r >= b"),
		weaken("W-OR-NEG", Signed, "a < 0 && b < 0", equal, "a | b", "r >= a && r >= b && r < 0"),
		weaken("W-OR-MIX", Signed, "a >= 0 && b < 0", equal, "a | b", "b <= r && r < 0"),
		weaken("W-XOR-POS", Either, "a >= 0 && b >= 0", atLeast, "a ^ b", "r >= 0"),
		weaken("W-XOR-NEG", Signed, "a < 0 && b < 0", atLeast, "a ^ b", "r >= 0"),
		weaken("W-XOR-MIX", Signed, "a >= 0 && b < 0", atMost, "a ^ b", "r < 0"),
		weaken("W-CPL-POS", Signed, "a >= 0", equal, "~a", "r < 0"),
		weaken("W-CPL-NEG", Signed, "a < 0", equal, "~a", "r >= 0"),
		// Bounds from both sides.
		weaken("and of negatives", Signed, "-p <= a && a < 0 && -p <= b && b < 0", equal, "a & b", "-p <= r && a + b - r <= -1"),
		weaken("and of two signs", Signed, "a >= 0 && b < 0", equal, "a & b", "a + b - r <= -1"),
		weaken("and is not negative", Signed, "a >= 0", equal, "a & b", "0 <= r && r <= a"),
		weaken("or of numbers", Either, "a >= 0 && b >= 0", equal, "a | b", "r <= a + b"),
		weaken("or in a range", Either, low, equal, "a | b", "r < p"),
		weaken("xor of numbers", Either, "a >= 0 && b >= 0", equal, "a ^ b", "0 <= r && r <= a + b && a - b <= r && b - a <= r"),
		weaken("xor in a range", Either, low, equal, "a ^ b", "r < p"),
		// Neighbours, as in x & (x-1), which clears the lowest bit; x & -x is that bit.
		weaken("and with the number before", Either, "a >= 1 && b == a - 1", equal, "a & b", "0 <= r && r <= b && r % 2 == 0"),
		weaken("lowest bit", Signed, "a >= 1 && b == -a", equal, "a & b", "1 <= r && r <= a"),
		// Shifts by any amount within the width.
		weaken("shift right of a number", Either, "a >= 0 && 0 <= b && b < w", equal, "a >> b", "0 <= r && r <= a"),
		weaken("shift right of a number by some", Either, "a >= 0 && 1 <= b && b < w", equal, "a >> b", "0 <= r && 2 * r <= a"),
		weaken("shift right of a negative", Signed, "a < 0 && 0 <= b && b < w", equal, "a >> b", "a <= r && r <= -1"),
		weaken("shift right with zeros", Signed, "a >= 0 && 0 <= b && b < w", equal, "a >>> b", "0 <= r && r <= a"),
	}
})
