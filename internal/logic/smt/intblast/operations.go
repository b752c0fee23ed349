package intblast

import (
	"fmt"
	"math/big"

	"assay/internal/logic/term"
)

// any is some value of a term.
func (t *translator) any(x term.ID) number {
	lo, hi := bounds(t.st.Width(x), true)
	return number{text: t.fresh(lo, hi), lo: lo, hi: hi}
}

// bits translates a term of bits.
func (t *translator) bits(x term.ID) number {
	st := t.st
	arg := func(i int) number { return t.numbers[st.Arg(x, i)] }
	read := func(i int, signed bool) number { return t.read(st.Arg(x, i), signed) }
	switch st.Op(x) {
	case term.OpConst:
		n := st.ConstValue(x).Signed()
		return number{text: numeral(n), lo: n, hi: n}
	case term.OpIte:
		a, b := arg(1), arg(2)
		lo, hi := a.lo, a.hi
		if b.lo.Cmp(lo) < 0 {
			lo = b.lo
		}
		if b.hi.Cmp(hi) > 0 {
			hi = b.hi
		}
		return number{text: t.define("(ite %s %s %s)", t.truth[st.Arg(x, 0)], a.text, b.text), lo: lo, hi: hi}
	case term.OpAdd:
		a, b := arg(0), arg(1)
		return number{text: t.define("(+ %s %s)", a.text, b.text), lo: new(big.Int).Add(a.lo, b.lo), hi: new(big.Int).Add(a.hi, b.hi)}
	case term.OpNeg:
		return t.multiple(arg(0), big.NewInt(-1))
	case term.OpBVNot:
		n := t.multiple(arg(0), big.NewInt(-1))
		one := big.NewInt(1)
		return number{text: t.define("(- %s 1)", n.text), lo: new(big.Int).Sub(n.lo, one), hi: new(big.Int).Sub(n.hi, one)}
	case term.OpMul:
		for i := range 2 {
			if a := st.Arg(x, i); st.IsConst(a) {
				return t.multiple(arg(1-i), st.ConstValue(a).Signed())
			}
		}
	case term.OpConcat:
		low := read(1, false)
		high := t.multiple(arg(0), power(st.Width(st.Arg(x, 1))))
		return number{text: t.define("(+ %s %s)", high.text, low.text), lo: new(big.Int).Add(high.lo, low.lo), hi: new(big.Int).Add(high.hi, low.hi)}
	case term.OpExtract:
		// The quotient of any number that is congruent modulo 2^w, rounded down, is
		// congruent modulo 2^(w-low).
		_, low := st.ExtractBounds(x)
		q, _ := t.divide(arg(0), power(low))
		return q
	case term.OpZExt:
		return read(0, false)
	case term.OpSExt:
		return read(0, true)
	case term.OpShl:
		if k, ok := t.shift(x); ok {
			return t.multiple(arg(0), power(k))
		}
	case term.OpLShr, term.OpAShr:
		signed := st.Op(x) == term.OpAShr
		if k, ok := t.shift(x); ok {
			q, _ := t.divide(read(0, signed), power(k))
			return q
		}
		if !signed {
			return t.atMost(x, read(0, false))
		}
	case term.OpUDiv, term.OpURem:
		isQuotient := st.Op(x) == term.OpUDiv
		a, b := read(0, false), read(1, false)
		if c := st.Arg(x, 1); st.IsConst(c) && b.lo.Sign() > 0 {
			q, r := t.divide(a, b.lo)
			if isQuotient {
				return q
			}
			return r
		}
		n := t.unsigned(x)
		if isQuotient {
			t.assert("(or (<= %s %s) (= %s 0))", n.text, a.text, b.text)
			return n
		}
		t.assert("(<= %s %s)", n.text, a.text)
		t.assert("(or (< %s %s) (= %s 0))", n.text, b.text, b.text)
		return n
	case term.OpSDiv, term.OpSRem:
		if c := st.Arg(x, 1); st.IsConst(c) && !st.ConstValue(c).IsZero() {
			q, r := t.truncate(read(0, true), st.ConstValue(c).Signed())
			if st.Op(x) == term.OpSDiv {
				return q
			}
			return r
		}
	case term.OpBVAnd:
		for i := range 2 {
			// x & (2^k - 1) = x mod 2^k
			if c := st.Arg(x, i); st.IsConst(c) {
				m := st.ConstValue(c).Unsigned()
				m = new(big.Int).Add(m, big.NewInt(1))
				if m.TrailingZeroBits() == uint(m.BitLen()-1) {
					_, r := t.divide(arg(1-i), m)
					return r
				}
			}
		}
		if t.readsSigned(st.Arg(x, 0), st.Arg(x, 1)) {
			return t.signedBitwise(x, read(0, true), read(1, true))
		}
		n := t.atMost(x, read(0, false))
		t.assert("(<= %s %s)", n.text, read(1, false).text)
		return n
	case term.OpBVOr, term.OpBVXor:
		if t.readsSigned(st.Arg(x, 0), st.Arg(x, 1)) {
			return t.signedBitwise(x, read(0, true), read(1, true))
		}
		a, b := read(0, false), read(1, false)
		n := t.unsigned(x)
		t.assert("(<= %s (+ %s %s))", n.text, a.text, b.text)
		if st.Op(x) == term.OpBVOr {
			t.assert("(<= %s %s)", a.text, n.text)
			t.assert("(<= %s %s)", b.text, n.text)
		}
		return n
	case term.OpVar, term.OpSelect:
	}
	return t.any(x)
}

// signedBitwise is some value of a & b, a | b or a ^ b, read signed as its operands are:
// its sign follows from theirs, and the inequalities of the unsigned reading hold of the
// numbers or of their complements, -1 - a. Reading a signed operand unsigned would split
// cases that the signs decide.
func (t *translator) signedBitwise(x term.ID, a, b number) number {
	n := t.any(x)
	within := func(condition, lo, hi string) {
		t.assert("(=> %s (<= %s %s %s))", condition, lo, n.text, hi)
	}
	signs := func(a, b number) string { return fmt.Sprintf("(and (<= 0 %s) (< %s 0))", a.text, b.text) }
	both := fmt.Sprintf("(and (<= 0 %s) (<= 0 %s))", a.text, b.text)
	neither := fmt.Sprintf("(and (< %s 0) (< %s 0))", a.text, b.text)
	sum := fmt.Sprintf("(+ %s %s)", a.text, b.text)
	switch t.st.Op(x) {
	case term.OpBVAnd:
		within(fmt.Sprintf("(<= 0 %s)", a.text), "0", a.text)
		within(fmt.Sprintf("(<= 0 %s)", b.text), "0", b.text)
		within(neither, "(+ 1 "+sum+")", a.text)
		within(neither, "(+ 1 "+sum+")", b.text)
	case term.OpBVOr:
		within(fmt.Sprintf("(< %s 0)", a.text), a.text, "(- 1)")
		within(fmt.Sprintf("(< %s 0)", b.text), b.text, "(- 1)")
		within(both, a.text, sum)
		within(both, b.text, sum)
	default: // exclusive or
		within(both, "0", sum)
		within(neither, "0", "(- (- 2) "+sum+")")
		within(signs(a, b), fmt.Sprintf("(- %s %s)", b.text, a.text), "(- 1)")
		within(signs(b, a), fmt.Sprintf("(- %s %s)", a.text, b.text), "(- 1)")
	}
	return n
}

// shift is the number of bits of a shift by a constant that is not too large.
func (t *translator) shift(x term.ID) (uint32, bool) {
	k, ok := t.st.ConstUint64(t.st.Arg(x, 1))
	return uint32(k), ok && k < uint64(t.st.Width(x))
}

// unsigned is some value of a term, read unsigned.
func (t *translator) unsigned(x term.ID) number {
	lo, hi := bounds(t.st.Width(x), false)
	return number{text: t.fresh(lo, hi), lo: lo, hi: hi}
}

// atMost is some value that is at most another, both read unsigned.
func (t *translator) atMost(x term.ID, a number) number {
	n := t.unsigned(x)
	t.assert("(<= %s %s)", n.text, a.text)
	n.hi = a.hi
	return n
}

// multiple is c·a.
func (t *translator) multiple(a number, c *big.Int) number {
	n := number{text: t.define("(* %s %s)", numeral(c), a.text), lo: new(big.Int).Mul(c, a.lo), hi: new(big.Int).Mul(c, a.hi)}
	if c.Sign() < 0 {
		n.lo, n.hi = n.hi, n.lo
	}
	return n
}

// divide is the quotient, rounded down, and the remainder by a positive number.
func (t *translator) divide(a number, m *big.Int) (q, r number) {
	if m.Cmp(big.NewInt(1)) == 0 {
		return a, number{text: "0", lo: new(big.Int), hi: new(big.Int)}
	}
	q.lo, q.hi = floor(a.lo, m), floor(a.hi, m)
	r.lo, r.hi = new(big.Int), new(big.Int).Sub(m, big.NewInt(1))
	q.text = t.fresh(q.lo, q.hi)
	r.text = t.define("(- %s (* %s %s))", a.text, numeral(m), q.text)
	t.assert("(<= 0 %s %s)", r.text, numeral(r.hi))
	return q, r
}

// truncate is the quotient, rounded to zero, and the remainder, by a number that is not
// zero.
func (t *translator) truncate(a number, c *big.Int) (q, r number) {
	size := new(big.Int).Abs(c)
	most := new(big.Int).Abs(a.lo)
	if n := new(big.Int).Abs(a.hi); n.Cmp(most) > 0 {
		most = n
	}
	q.hi = floor(most, size)
	q.lo = new(big.Int).Neg(q.hi)
	r.hi = new(big.Int).Sub(size, big.NewInt(1))
	r.lo = new(big.Int).Neg(r.hi)
	q.text = t.fresh(q.lo, q.hi)
	r.text = t.define("(- %s (* %s %s))", a.text, numeral(c), q.text)
	t.assert("(ite (<= 0 %s) (<= 0 %s %s) (<= %s %s 0))", a.text, r.text, numeral(r.hi), numeral(r.lo), r.text)
	return q, r
}
