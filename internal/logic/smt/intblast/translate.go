package intblast

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"

	"assay/internal/logic/term"
)

// number is an integer expression for a term of w bits: its value is that of the term
// modulo 2^w, and lies between lo and hi.
type number struct {
	w      uint32
	text   string
	lo, hi *big.Int
}

// reading is a number in the range of a width, signed or not.
type reading struct {
	t      term.ID
	signed bool
}

// translator writes SMT-LIB: declarations, definitions one in the other (Z3 copies what a
// define-fun names wherever it is used), and what is asserted in them.
type translator struct {
	st           *term.Store
	declarations strings.Builder
	definitions  strings.Builder
	assertions   strings.Builder
	depth        int // of the definitions
	names        int
	// The terms that are done.
	truth    map[term.ID]string
	numbers  map[term.ID]number
	readings map[reading]number
}

func newTranslator(st *term.Store) *translator {
	return &translator{st: st, truth: map[term.ID]string{}, numbers: map[term.ID]number{}, readings: map[reading]number{}}
}

// text is all of it.
func (t *translator) text() string {
	return t.declarations.String() + "(assert " + t.definitions.String() + "(and true\n" + t.assertions.String() + ")" + strings.Repeat(")", t.depth) + ")\n"
}

func (t *translator) name() string {
	t.names++
	return "n" + strconv.Itoa(t.names)
}

func power(n uint32) *big.Int { return new(big.Int).Lsh(big.NewInt(1), uint(n)) }

func numeral(n *big.Int) string {
	if n.Sign() < 0 {
		return "(- " + new(big.Int).Neg(n).String() + ")"
	}
	return n.String()
}

func (t *translator) declare(sort string) string {
	n := t.name()
	fmt.Fprintf(&t.declarations, "(declare-const %s %s)\n", n, sort)
	return n
}

// fresh is a new integer within bounds.
func (t *translator) fresh(lo, hi *big.Int) string {
	n := t.declare("Int")
	t.assert("(<= %s %s %s)", numeral(lo), n, numeral(hi))
	return n
}

// define names an expression.
func (t *translator) define(format string, args ...any) string {
	n := t.name()
	fmt.Fprintf(&t.definitions, "(let ((%s ", n)
	fmt.Fprintf(&t.definitions, format, args...)
	t.definitions.WriteString("))\n")
	t.depth++
	return n
}

func (t *translator) assert(format string, args ...any) {
	fmt.Fprintf(&t.assertions, format, args...)
	t.assertions.WriteByte('\n')
}

// walk translates a term, and what it is made of first.
func (t *translator) walk(root term.ID) {
	stack := []term.ID{root}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		if t.done(x) {
			stack = stack[:len(stack)-1]
			continue
		}
		before := len(stack)
		for i := range t.transparent(x) {
			if a := t.st.Arg(x, i); !t.done(a) {
				stack = append(stack, a)
			}
		}
		if len(stack) == before {
			stack = stack[:before-1]
			t.translate(x)
		}
	}
}

func (t *translator) done(x term.ID) bool {
	if _, ok := t.truth[x]; ok {
		return true
	}
	_, ok := t.numbers[x]
	return ok
}

// transparent is the number of arguments that are looked at: all, or none where the value
// is just some value.
func (t *translator) transparent(x term.ID) int {
	switch op := t.st.Op(x); {
	case op == term.OpSelect, op >= term.OpFAdd:
		return 0
	}
	return t.st.NumArgs(x)
}

func (t *translator) translate(x term.ID) {
	st := t.st
	if st.Sort(x).Kind == term.SortBool {
		t.truth[x] = t.boolean(x)
		return
	}
	n := t.bits(x)
	n.w = st.Width(x)
	t.numbers[x] = n
}

// boolean translates a truth value.
func (t *translator) boolean(x term.ID) string {
	st := t.st
	arg := func(i int) string { return t.truth[st.Arg(x, i)] }
	compare := func(relation string, signed bool) string {
		a, b := t.read(st.Arg(x, 0), signed), t.read(st.Arg(x, 1), signed)
		return t.define("(%s %s %s)", relation, a.text, b.text)
	}
	switch st.Op(x) {
	case term.OpTrue:
		return "true"
	case term.OpFalse:
		return "false"
	case term.OpNot:
		return t.define("(not %s)", arg(0))
	case term.OpAnd:
		return t.define("(and %s %s)", arg(0), arg(1))
	case term.OpOr:
		return t.define("(or %s %s)", arg(0), arg(1))
	case term.OpXor:
		return t.define("(xor %s %s)", arg(0), arg(1))
	case term.OpIte:
		return t.define("(ite %s %s %s)", arg(0), arg(1), arg(2))
	case term.OpEq:
		if st.Sort(st.Arg(x, 0)).Kind == term.SortBool {
			return t.define("(= %s %s)", arg(0), arg(1))
		}
		return compare("=", t.readsSigned(st.Arg(x, 0), st.Arg(x, 1)))
	case term.OpULt:
		return compare("<", false)
	case term.OpULe:
		return compare("<=", false)
	case term.OpSLt:
		return compare("<", true)
	case term.OpSLe:
		return compare("<=", true)
	}
	return t.declare("Bool")
}

// readsSigned says which reading of two terms, for an equation, costs less.
func (t *translator) readsSigned(a, b term.ID) bool {
	cost := func(signed bool) (n int) {
		for _, x := range []term.ID{a, b} {
			if _, ok := t.readings[reading{x, signed}]; ok {
				continue
			}
			if v := t.numbers[x]; !v.within(signed) {
				n++
			}
		}
		return n
	}
	return cost(true) <= cost(false)
}

// within says whether a number is in the range of its width.
func (n number) within(signed bool) bool {
	lo, hi := bounds(n.w, signed)
	return n.lo.Cmp(lo) >= 0 && n.hi.Cmp(hi) <= 0
}

// bounds are those of w bits.
func bounds(w uint32, signed bool) (lo, hi *big.Int) {
	one := big.NewInt(1)
	if signed {
		hi = power(w - 1)
		return new(big.Int).Neg(hi), hi.Sub(hi, one)
	}
	hi = power(w)
	return new(big.Int), hi.Sub(hi, one)
}

// floor is the quotient rounded down, for a positive divisor.
func floor(a, b *big.Int) *big.Int {
	return new(big.Int).Div(a, b) // Euclidean, which is floor for b > 0
}

// read is the value of a term of bits.
func (t *translator) read(x term.ID, signed bool) number {
	n := t.numbers[x]
	if n.within(signed) {
		return n
	}
	key := reading{x, signed}
	if r, ok := t.readings[key]; ok {
		return r
	}
	lo, hi := bounds(n.w, signed)
	m := power(n.w)
	// lo <= n - k·m <= hi
	least := new(big.Int).Neg(floor(new(big.Int).Sub(hi, n.lo), m))
	most := floor(new(big.Int).Sub(n.hi, lo), m)
	r := number{w: n.w, lo: lo, hi: hi}
	if least.Cmp(most) == 0 {
		shift := new(big.Int).Mul(least, m)
		r.text = t.define("(- %s %s)", n.text, numeral(shift))
		r.lo, r.hi = new(big.Int).Sub(n.lo, shift), new(big.Int).Sub(n.hi, shift)
	} else {
		k := t.fresh(least, most)
		r.text = t.define("(- %s (* %s %s))", n.text, numeral(m), k)
		t.assert("(<= %s %s %s)", numeral(lo), r.text, numeral(hi))
	}
	t.readings[key] = r
	return r
}
