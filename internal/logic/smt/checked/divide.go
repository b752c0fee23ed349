package checked

// This file has division. Quotient and remainder are new variables q and r, with what defines
// them, after SMT-LIB:
//
//	b != 0:  q*b + r = a, as numbers, without overflow, and r < b
//	b == 0:  q is all ones, r = a
//
// Either case has exactly one solution, so every assignment of a and b extends to q and r.

type division struct{ a, b string }

// divide is quotient and remainder of unsigned numbers; a pair of operands is divided once.
func (t *translation) divide(a, b word) (q, r word) {
	key := division{spell(a), spell(b)}
	if qr, ok := t.divisions[key]; ok {
		return qr[0], qr[1]
	}
	q, r = t.variable(len(a)), t.variable(len(a))
	t.divisions[key] = [2]word{q, r}
	nonzero := no
	for _, l := range b {
		nonzero = t.or(nonzero, l)
	}
	product, over := t.product(q, b, true)
	sum, carry := t.sum(product, r, no)
	for _, l := range append(over, carry) {
		t.implies(nonzero, -l)
	}
	for i := range sum {
		t.implies(nonzero, t.equal(sum[i], a[i]))
	}
	t.implies(nonzero, t.less(r, b))
	for i := range q {
		t.implies(-nonzero, q[i])
		t.implies(-nonzero, t.equal(r[i], a[i]))
	}
	return q, r
}

// signedDivide is quotient and remainder of signed numbers: of their absolute values, the
// quotient is negated where the signs differ, the remainder where a is negative.
func (t *translation) signedDivide(a, b word) (q, r word) {
	top := len(a) - 1
	q, r = t.divide(t.choose(a[top], t.negated(a), a), t.choose(b[top], t.negated(b), b))
	return t.choose(t.xor(a[top], b[top]), t.negated(q), q), t.choose(a[top], t.negated(r), r)
}

// implies adds that c implies l.
func (t *translation) implies(c, l int32) {
	if c != no && l != yes {
		t.clause(-c, l)
	}
}

// spell is a key of a word.
func spell(a word) string {
	bytes := make([]byte, 0, 4*len(a))
	for _, l := range a {
		bytes = append(bytes, byte(l), byte(l>>8), byte(l>>16), byte(l>>24))
	}
	return string(bytes)
}
