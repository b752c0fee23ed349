package chc

import (
	"fmt"
	"math/big"
	"strings"

	"assay/internal/finite/ts"
	"assay/internal/logic/term"
)

// This file turns bit-vector terms into integers (C2). A term of w bits has two
// forms, the integer that it is as unsigned and as signed; each variable is one
// of the two, and the other one follows by a case.
//
//	(Z1) Sums, negations, products with constants and shifts by constants are
//	     linear sums modulo 2^w; where the range of the sum needs at most one wrap
//	     in each direction that is a case, else a remainder.
//	(Z2) Extensions, extracts, concatenations, shifts right, and divisions by
//	     constants are sums, quotients and remainders of integers.
//	(Z3) Everything else is an auxiliary variable within the range of the type,
//	     with what is easily known of it. The clauses are then not exact.

// reading says how variables are read: terms whose values go into each other are
// read alike, as signed or as unsigned, by the votes of the operations on them.
type reading struct {
	store *term.Store
	above map[term.ID]term.ID // union-find
	votes map[term.ID]int     // of representatives: > 0 for signed
}

func newReading(s *ts.System) *reading {
	r := &reading{s.Store, map[term.ID]term.ID{}, map[term.ID]int{}}
	var roots []term.ID
	for _, v := range s.States {
		roots = append(roots, v.Next)
		r.join(v.Term, v.Next)
		if v.Init != 0 {
			roots = append(roots, v.Init)
			r.join(v.Term, v.Init)
		}
	}
	for _, list := range [][]term.ID{s.Init, s.Constraints, s.Transitions} {
		roots = append(roots, list...)
	}
	for _, b := range s.Bad {
		roots = append(roots, b.Term)
	}
	st := s.Store
	type vote struct {
		t term.ID
		n int
	}
	var votes []vote
	st.Walk(roots, func(t term.ID) {
		arg := func(i int) term.ID { return st.Arg(t, i) }
		switch st.Op(t) {
		case term.OpAdd, term.OpMul:
			r.join(t, arg(0))
			r.join(t, arg(1))
		case term.OpNeg, term.OpBVNot:
			r.join(t, arg(0))
		case term.OpIte:
			r.join(t, arg(1))
			r.join(t, arg(2))
		case term.OpEq:
			r.join(arg(0), arg(1))
		case term.OpSLt, term.OpSLe, term.OpSDiv, term.OpSRem:
			votes = append(votes, vote{arg(0), 2}, vote{arg(1), 2})
		case term.OpULt, term.OpULe, term.OpUDiv, term.OpURem:
			votes = append(votes, vote{arg(0), -2}, vote{arg(1), -2})
		case term.OpSExt, term.OpAShr:
			votes = append(votes, vote{arg(0), 2})
		case term.OpZExt, term.OpLShr, term.OpConcat:
			votes = append(votes, vote{arg(0), -1})
		}
	})
	for _, v := range votes {
		r.votes[r.find(v.t)] += v.n
	}
	return r
}

func (r *reading) find(t term.ID) term.ID {
	for r.above[t] != 0 {
		t = r.above[t]
	}
	return t
}

// join reads two terms alike. Constants are read either way.
func (r *reading) join(a, b term.ID) {
	st := r.store
	if st.Sort(a).Kind != term.SortBV || st.Op(a) == term.OpConst || st.Op(b) == term.OpConst {
		return
	}
	if a, b = r.find(a), r.find(b); a != b {
		r.above[a] = b
	}
}

// of is how a term is read.
func (r *reading) of(t term.ID) as {
	if r.store.Sort(t).Kind != term.SortBV {
		return plain
	}
	if r.votes[r.find(t)] < 0 {
		return unsigned
	}
	return signed
}

var one = big.NewInt(1)

func power(w uint32) *big.Int { return new(big.Int).Lsh(one, uint(w)) }

// bounds are the least and the greatest integer of w bits.
func bounds(w uint32, f as) (lo, hi *big.Int) {
	if f == signed {
		hi = power(w - 1)
		return new(big.Int).Neg(hi), new(big.Int).Sub(hi, one)
	}
	return new(big.Int), new(big.Int).Sub(power(w), one)
}

func number(n *big.Int) string {
	if n.Sign() < 0 {
		return fmt.Sprintf("(- %s)", new(big.Int).Neg(n))
	}
	return n.String()
}

// integer is a term in a form; plain is the form of Bools, and for bit-vectors
// that in which they are read.
func (c *clause) integer(t term.ID, f as) string {
	st := c.s.Store
	if st.Sort(t).Kind == term.SortBool {
		return c.boolean(t)
	}
	if f == plain {
		return c.text(t, c.reading.of(t))
	}
	w := st.Width(t)
	arg := func(i int, f as) string { return c.text(st.Arg(t, i), f) }
	switch op := st.Op(t); op {
	case term.OpConst:
		if f == signed {
			return number(st.ConstValue(t).Signed())
		}
		return number(st.ConstValue(t).Unsigned())
	case term.OpVar:
		return c.other(c.known[form{t, c.reading.of(t)}], w, f)
	case term.OpIte:
		return fmt.Sprintf("(ite %s %s %s)", arg(0, plain), arg(1, f), arg(2, f))
	case term.OpAdd, term.OpNeg:
		return c.sum(t, f)
	case term.OpMul, term.OpShl:
		if _, _, ok := c.factor(t); ok {
			return c.sum(t, f)
		}
	case term.OpBVNot:
		if f == signed {
			return fmt.Sprintf("(- (- 1) %s)", arg(0, signed))
		}
		_, top := bounds(w, unsigned)
		return fmt.Sprintf("(- %s %s)", number(top), arg(0, unsigned))
	case term.OpZExt:
		return arg(0, unsigned) // the same as signed: the sign is 0
	case term.OpSExt:
		if f == signed {
			return arg(0, signed)
		}
		return c.other(arg(0, signed), w, unsigned)
	case term.OpConcat:
		u := fmt.Sprintf("(+ (* %s %s) %s)", power(st.Width(st.Arg(t, 1))), arg(0, unsigned), arg(1, unsigned))
		if f == unsigned {
			return u
		}
		return fmt.Sprintf("(+ (* %s %s) %s)", power(st.Width(st.Arg(t, 1))), arg(0, signed), arg(1, unsigned))
	case term.OpExtract:
		return c.extract(t, f)
	case term.OpLShr, term.OpAShr:
		k, ok := st.ConstUint64(st.Arg(t, 1))
		if ok && k < uint64(w) {
			if op == term.OpAShr {
				q := fmt.Sprintf("(div %s %s)", arg(0, signed), power(uint32(k)))
				if f == signed {
					return q
				}
				return c.other(q, w, unsigned)
			}
			q := fmt.Sprintf("(div %s %s)", arg(0, unsigned), power(uint32(k)))
			if f == unsigned || k > 0 {
				return q
			}
			return c.other(q, w, signed)
		}
	case term.OpUDiv, term.OpURem:
		if d := st.Arg(t, 1); st.Op(d) == term.OpConst && !st.ConstValue(d).IsZero() {
			q := fmt.Sprintf("(%s %s %s)", map[term.Op]string{term.OpUDiv: "div", term.OpURem: "mod"}[op], arg(0, unsigned), number(st.ConstValue(d).Unsigned()))
			if f == unsigned {
				return q
			}
			return c.other(q, w, signed)
		}
	case term.OpSDiv, term.OpSRem:
		if d := st.Arg(t, 1); st.Op(d) == term.OpConst && st.ConstValue(d).Signed().Sign() > 0 {
			x, n := c.define(arg(0, signed)), number(st.ConstValue(d).Signed())
			q := fmt.Sprintf("(ite (<= 0 %s) (div %s %s) (- (div (- %s) %s)))", x, x, n, x, n)
			if op == term.OpSRem {
				q = fmt.Sprintf("(ite (<= 0 %s) (mod %s %s) (- (mod (- %s) %s)))", x, x, n, x, n)
			}
			if f == signed {
				return q
			}
			return c.other(q, w, unsigned)
		}
	case term.OpBVAnd, term.OpBVOr, term.OpBVXor:
		if text, ok := c.bitwise(t); ok {
			if f == unsigned {
				return text
			}
			return c.other(text, w, signed)
		}
	}
	return c.anything(t, f)
}

// other makes the form f of a text that is an integer of w bits in either form.
func (c *clause) other(text string, w uint32, f as) string {
	text = c.define(text)
	if f == unsigned {
		return fmt.Sprintf("(ite (< %s 0) (+ %s %s) %s)", text, text, power(w), text)
	}
	return fmt.Sprintf("(ite (< %s %s) %s (- %s %s))", text, power(w-1), text, text, power(w))
}

// boolean is a term of sort Bool.
func (c *clause) boolean(t term.ID) string {
	st := c.s.Store
	op := st.Op(t)
	f := plain
	switch op {
	case term.OpTrue, term.OpFalse:
		return op.String()
	case term.OpVar:
		panic("chc: a variable without name")
	case term.OpULt, term.OpULe:
		f = unsigned
	case term.OpSLt, term.OpSLe:
		f = signed
	case term.OpEq:
		// Constants are read as the other side is.
		for i := range 2 {
			if a := st.Arg(t, i); st.Sort(a).Kind == term.SortBV && st.Op(a) != term.OpConst {
				f = c.reading.of(a)
			}
		}
	case term.OpNot, term.OpAnd, term.OpOr, term.OpXor, term.OpIte:
	default:
		c.err = fmt.Errorf("%s has no meaning as an integer", op)
		return "false"
	}
	text := "(" + map[term.Op]string{
		term.OpULt: "<", term.OpSLt: "<", term.OpULe: "<=", term.OpSLe: "<=", term.OpEq: "=", term.OpNot: "not",
		term.OpAnd: "and", term.OpOr: "or", term.OpXor: "xor", term.OpIte: "ite",
	}[op]
	for i := range st.NumArgs(t) {
		text += " " + c.text(st.Arg(t, i), f)
	}
	return text + ")"
}

// maxSummands bounds the summands that one sum collects.
const maxSummands = 12

// factor is the constant that a product or a shift has, and the other operand.
func (c *clause) factor(t term.ID) (k *big.Int, x term.ID, ok bool) {
	st := c.s.Store
	a, b := st.Arg(t, 0), st.Arg(t, 1)
	if st.Op(t) == term.OpShl {
		n, ok := st.ConstUint64(b)
		if !ok || n >= uint64(st.Width(t)) {
			return nil, 0, false
		}
		return power(uint32(n)), a, true
	}
	if st.Op(a) == term.OpConst {
		a, b = b, a
	}
	if st.Op(b) != term.OpConst {
		return nil, 0, false
	}
	return st.ConstValue(b).Signed(), a, true
}

// sum is a linear sum (Z1).
func (c *clause) sum(t term.ID, f as) string {
	st := c.s.Store
	w := st.Width(t)
	constant := new(big.Int)
	coefficients := map[term.ID]*big.Int{}
	var order []term.ID
	budget := maxSummands
	var collect func(t term.ID, k *big.Int)
	collect = func(t term.ID, k *big.Int) {
		_, named := c.known[form{t, signed}]
		_, namedToo := c.known[form{t, unsigned}]
		if budget > 0 && !named && !namedToo {
			switch st.Op(t) {
			case term.OpConst:
				constant.Add(constant, new(big.Int).Mul(k, st.ConstValue(t).Signed()))
				return
			case term.OpAdd:
				budget--
				collect(st.Arg(t, 0), k)
				collect(st.Arg(t, 1), k)
				return
			case term.OpNeg:
				collect(st.Arg(t, 0), new(big.Int).Neg(k))
				return
			case term.OpMul, term.OpShl:
				if n, x, ok := c.factor(t); ok {
					collect(x, new(big.Int).Mul(k, n))
					return
				}
			}
		}
		if st.Op(t) == term.OpConst {
			constant.Add(constant, new(big.Int).Mul(k, st.ConstValue(t).Signed()))
			return
		}
		if coefficients[t] == nil {
			coefficients[t] = new(big.Int)
			order = append(order, t)
		}
		coefficients[t].Add(coefficients[t], k)
	}
	switch st.Op(t) { // t itself has no name yet
	case term.OpAdd:
		collect(st.Arg(t, 0), one)
		collect(st.Arg(t, 1), one)
	case term.OpNeg:
		collect(st.Arg(t, 0), big.NewInt(-1))
	default:
		k, x, _ := c.factor(t)
		collect(x, k)
	}
	size := power(w)
	reduce := func(n *big.Int) *big.Int { // to the least absolute value modulo 2^w
		n = new(big.Int).Mod(n, size)
		if n.Bit(int(w)-1) == 1 {
			n.Sub(n, size)
		}
		return n
	}
	if f == signed || len(order) > 0 {
		constant = reduce(constant)
	}
	lo, hi := new(big.Int).Set(constant), new(big.Int).Set(constant)
	parts := []string{}
	for _, x := range order {
		k := reduce(coefficients[x])
		if k.Sign() == 0 {
			continue
		}
		how := c.reading.of(x)
		a, b := c.rangeOf(x, how)
		if k.Sign() < 0 {
			a, b = b, a
		}
		lo.Add(lo, new(big.Int).Mul(k, a))
		hi.Add(hi, new(big.Int).Mul(k, b))
		if k.Cmp(one) == 0 {
			parts = append(parts, c.text(x, how))
		} else {
			parts = append(parts, fmt.Sprintf("(* %s %s)", number(k), c.text(x, how)))
		}
	}
	if constant.Sign() != 0 || len(parts) == 0 {
		parts = append(parts, number(constant))
	}
	text := parts[0]
	if len(parts) > 1 {
		text = "(+ " + strings.Join(parts, " ") + ")"
	}
	return c.wrap(t, text, lo, hi, f)
}

// rangeOf is what an integer lies within.
func (c *clause) rangeOf(t term.ID, f as) (lo, hi *big.Int) {
	st := c.s.Store
	w := st.Width(t)
	if a, b, ok := st.UnsignedRange(t); ok && (f == unsigned || b < 1<<(w-1)) {
		return new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
	}
	return bounds(w, f)
}

// wrap brings the integer text, which lies in [lo, hi] and is congruent to t, into
// the range of t.
func (c *clause) wrap(t term.ID, text string, lo, hi *big.Int, f as) string {
	w := c.s.Store.Width(t)
	least, greatest := bounds(w, f)
	size := power(w)
	under, over := lo.Cmp(least) < 0, hi.Cmp(greatest) > 0
	switch {
	case !under && !over:
		return text
	case new(big.Int).Add(lo, size).Cmp(least) < 0 || new(big.Int).Sub(hi, size).Cmp(greatest) > 0:
		if least.Sign() == 0 {
			return fmt.Sprintf("(mod %s %s)", text, size)
		}
		return fmt.Sprintf("(+ (mod (- %s %s) %s) %s)", text, number(least), size, number(least))
	}
	name := c.define(text)
	out := name
	if over {
		out = fmt.Sprintf("(ite (< %s %s) (- %s %s) %s)", number(greatest), name, name, size, out)
	}
	if under {
		out = fmt.Sprintf("(ite (< %s %s) (+ %s %s) %s)", name, number(least), name, size, out)
	}
	return out
}

// extract is a part of the bits (Z2).
func (c *clause) extract(t term.ID, f as) string {
	st := c.s.Store
	x := st.Arg(t, 0)
	hi, lo := st.ExtractBounds(t)
	w := hi - lo + 1
	if hi == st.Width(x)-1 && f == signed {
		return fmt.Sprintf("(div %s %s)", c.text(x, signed), power(lo))
	}
	if hi == lo && hi == st.Width(x)-1 && c.reading.of(x) == signed {
		return fmt.Sprintf("(ite (< %s 0) 1 0)", c.text(x, signed))
	}
	how := c.reading.of(x)
	if lo > 0 {
		how = unsigned
	}
	text := c.text(x, how)
	if lo > 0 {
		text = fmt.Sprintf("(div %s %s)", text, power(lo))
	}
	if hi < st.Width(x)-1 || how == signed {
		text = fmt.Sprintf("(mod %s %s)", text, power(w))
	}
	if f == signed {
		return c.other(text, w, signed)
	}
	return text
}

// bitwise is the unsigned form of an operation on bits, if it has one.
func (c *clause) bitwise(t term.ID) (string, bool) {
	st := c.s.Store
	w, op := st.Width(t), st.Op(t)
	a, b := st.Arg(t, 0), st.Arg(t, 1)
	if w == 1 {
		x, y := fmt.Sprintf("(= %s 1)", c.text(a, unsigned)), fmt.Sprintf("(= %s 1)", c.text(b, unsigned))
		return fmt.Sprintf("(ite (%s %s %s) 1 0)", map[term.Op]string{term.OpBVAnd: "and", term.OpBVOr: "or", term.OpBVXor: "xor"}[op], x, y), true
	}
	if st.Op(a) == term.OpConst {
		a, b = b, a
	}
	if op != term.OpBVAnd || st.Op(b) != term.OpConst {
		return "", false
	}
	// Masks are runs of ones, or the complement of a low run.
	m := st.ConstValue(b).Unsigned()
	if m.Sign() == 0 {
		return "0", true
	}
	low := uint32(m.TrailingZeroBits())
	run := new(big.Int).Add(new(big.Int).Rsh(m, uint(low)), one)
	n := uint32(run.BitLen() - 1)
	if run.TrailingZeroBits() != uint(n) {
		return "", false
	}
	text := c.text(a, unsigned)
	if low+n < w {
		text = fmt.Sprintf("(mod %s %s)", text, power(low+n))
	}
	if low > 0 {
		text = fmt.Sprintf("(* %s (div %s %s))", power(low), text, power(low))
	}
	return text, true
}

// anything is an auxiliary variable for a term (Z3).
func (c *clause) anything(t term.ID, f as) string {
	st := c.s.Store
	c.Exact = false
	name := fmt.Sprintf("a%d", t)
	if _, ok := c.known[form{t, plain}]; !ok {
		c.known[form{t, plain}] = name
		c.extra = append(c.extra, fmt.Sprintf("(%s Int)", name))
		lo, hi := bounds(st.Width(t), unsigned)
		if a, b, ok := st.UnsignedRange(t); ok {
			lo, hi = new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
		}
		c.body = append(c.body, fmt.Sprintf("(<= %s %s %s)", number(lo), name, number(hi)))
		switch st.Op(t) {
		case term.OpBVAnd:
			c.body = append(c.body, fmt.Sprintf("(<= %s %s)", name, c.text(st.Arg(t, 0), unsigned)), fmt.Sprintf("(<= %s %s)", name, c.text(st.Arg(t, 1), unsigned)))
		case term.OpBVOr:
			c.body = append(c.body, fmt.Sprintf("(>= %s %s)", name, c.text(st.Arg(t, 0), unsigned)), fmt.Sprintf("(>= %s %s)", name, c.text(st.Arg(t, 1), unsigned)))
		case term.OpURem:
			x, y := c.text(st.Arg(t, 0), unsigned), c.text(st.Arg(t, 1), unsigned)
			c.body = append(c.body, fmt.Sprintf("(<= %s %s)", name, x), fmt.Sprintf("(or (= %s 0) (< %s %s))", y, name, y))
		case term.OpUDiv:
			x, y := c.text(st.Arg(t, 0), unsigned), c.text(st.Arg(t, 1), unsigned)
			c.body = append(c.body, fmt.Sprintf("(or (= %s 0) (<= %s %s))", y, name, x))
		}
	}
	if f == unsigned {
		return name
	}
	return c.other(name, st.Width(t), signed)
}
