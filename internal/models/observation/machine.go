package observation

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/run/lazyregexp"
)

// Atoms over machine integers. The variables of the system are the numbers that the variables of the program
// hold. What C makes of an atom is what integers make of it if
//
//	(1) it consists of comparisons and of variables that stand for their truth, joined by !, && and ||,
//	(2) what is compared are variables and decimal literals, and
//	(3) C compares them as the numbers that they are: after integer promotion both are signed, or the unsigned one is the wider
//	    of the two, or no operand that is signed can be negative [C11, 6.3.1.8].
//
// Other atoms are refused: in C their values may wrap.

// operand is a variable or a literal.
const operand = `([A-Za-z_]\w*(?:::[A-Za-z_]\w*)?|-\s*\d+|\d+)`

var comparison = lazyregexp.New(operand + `\s*(?:==|!=|<=|>=|<|>)\s*` + operand)

// isBoolean is (1). Comparisons become @ and variables #; what has parentheses is as good as a variable. The operand of ! is
// no comparison without parentheses: C reads !x == y as (!x) == y.
func isBoolean(text string) bool {
	text = comparison.ReplaceAllString(text, "@")
	text = name.ReplaceAllString(text, "#")
	text = strings.Join(strings.Fields(text), " ")
	for _, symbol := range []string{"(", ")", "!", "&&", "||"} {
		text = strings.ReplaceAll(strings.ReplaceAll(text, " "+symbol, symbol), symbol+" ", symbol)
	}
	reduce := strings.NewReplacer("!#", "#", "(#)", "#", "(@)", "#")
	join := strings.NewReplacer("#&&#", "@", "#&&@", "@", "@&&#", "@", "@&&@", "@", "#||#", "@", "#||@", "@", "@||#", "@", "@||@", "@")
	for {
		next := reduce.Replace(text)
		if next == text {
			next = join.Replace(text)
		}
		if next == text {
			return text == "@" || text == "#"
		}
		text = next
	}
}

// machine says why a condition over machine integers is none that integers decide; nil if it is one. declared are the
// types of variables.
func machine(text string, declared func(name string) (ir.CType, error)) error {
	for _, m := range comparison.FindAllStringSubmatch(text, -1) {
		x, err := numbers(m[1], declared)
		if err != nil {
			return err
		}
		y, err := numbers(m[2], declared)
		if err != nil {
			return err
		}
		if !comparable(x, y) {
			return fmt.Errorf("%s compares as unsigned what may be negative", strings.TrimSpace(m[0]))
		}
	}
	if !isBoolean(text) {
		return fmt.Errorf("over machine integers an atom compares variables with variables and numbers, for arithmetic may wrap; with --semantics integers it may be linear")
	}
	return nil
}

// comparand is what is known of a number that is compared.
type comparand struct {
	bits     uint32 // after promotion
	unsigned bool
	negative bool // it may be
}

// numbers are what an operand may be.
func numbers(operand string, declared func(string) (ir.CType, error)) (comparand, error) {
	if c := operand[0]; c == '-' || c >= '0' && c <= '9' {
		digits := strings.TrimSpace(strings.TrimPrefix(operand, "-"))
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || len(digits) > 1 && digits[0] == '0' {
			return comparand{}, fmt.Errorf("%s: numbers are decimal, and have 63 bits", operand)
		}
		bits := uint32(32)
		if n > 1<<31-1 {
			bits = 64
		}
		return comparand{bits: bits, negative: operand[0] == '-' && n != 0}, nil
	}
	t, err := declared(operand)
	switch {
	case err != nil:
		return comparand{}, err
	case t.Bits == 0:
		return comparand{}, fmt.Errorf("the type of %s is not known", operand)
	case t.Bits < 32:
		return comparand{bits: 32, negative: t.Signed}, nil // all its values are in int
	}
	return comparand{t.Bits, !t.Signed, t.Signed}, nil
}

// comparable is (3).
func comparable(x, y comparand) bool {
	if x.unsigned == y.unsigned {
		return true
	}
	if y.unsigned {
		x, y = y, x
	}
	return x.bits < y.bits || !y.negative
}
