package bitblast

import (
	"context"

	"assay/internal/logic/sat"
)

// This file has the circuits that are chains of full adders: addition,
// negation, comparison.
//
// A full adder is an exclusive or of three and a majority; sat.CNF encodes them
// as one gate each, with the 14 clauses that are all prime implicates of the
// two functions. So unit propagation is as strong as it can be for one adder.
// Tried and dropped: carry = ite(a⊕b, c, a), with two binary exclusive ors; an
// unsatisfiable equation of sums of five terms then took ten times as long.

// word is a bit-vector of literals, the least significant first.
type word []sat.Lit

// circuit builds words over a graph. Its methods append the result to dst,
// which must not overlap the operands, and return the extended slice.
type circuit struct {
	g *sat.Graph
	// ctx ends the making of a circuit; nil never does.
	ctx context.Context
}

// interrupted is the panic of a circuit whose context has ended. Its recipient is blast.
type interrupted struct{ err error }

// look is called for each row of what has a quadratic number of gates.
func (c circuit) look() {
	if c.ctx != nil && c.ctx.Err() != nil {
		panic(interrupted{c.ctx.Err()})
	}
}

// add appends x + y + carry.
func (c circuit) add(dst, x, y word, carry sat.Lit) word {
	for i := range x {
		dst = append(dst, c.g.Xor(c.g.Xor(x[i], y[i]), carry))
		if i+1 < len(x) && !repeats(x, y, i) {
			carry = c.g.Majority(x[i], y[i], carry)
		}
	}
	return dst
}

// sub appends x - y, which is x + ¬y + 1.
func (c circuit) sub(dst, x, y word) word {
	carry := sat.True
	for i := range x {
		dst = append(dst, c.g.Xor(c.g.Xor(x[i], y[i].Not()), carry))
		if i+1 < len(x) && !repeats(x, y, i) {
			carry = c.g.Majority(x[i], y[i].Not(), carry)
		}
	}
	return dst
}

// repeats says that position i has the same operands as the one below it. Then
// its carry is that one's, since majority(a, b, majority(a, b, c)) is
// majority(a, b, c). So extended operands make extended sums, whose upper bits
// are one literal, at no cost.
func repeats(x, y word, i int) bool { return i > 0 && x[i] == x[i-1] && y[i] == y[i-1] }

// negIf appends -x if condition, else x.
func (c circuit) negIf(dst, x word, condition sat.Lit) word {
	carry := condition
	for _, l := range x {
		l = c.g.Xor(l, condition)
		dst = append(dst, c.g.Xor(l, carry))
		carry = c.g.And(l, carry)
	}
	return dst
}

// borrow is the carry out of x - y - in: for in = False, x < y as unsigned
// numbers, for in = True, x <= y.
func (c circuit) borrow(x, y word, in sat.Lit) sat.Lit {
	for i := range x {
		if !repeats(x, y, i) {
			in = c.g.Majority(x[i].Not(), y[i], in)
		}
	}
	return in
}

// signedBorrow is borrow for numbers in two's complement.
func (c circuit) signedBorrow(x, y word, in sat.Lit) sat.Lit {
	top := len(x) - 1
	in = c.borrow(x[:top], y[:top], in)
	return c.g.Majority(x[top], y[top].Not(), in)
}

// equal is x = y.
func (c circuit) equal(x, y word) sat.Lit {
	r := sat.True
	for i := range x {
		r = c.g.And(r, c.g.Iff(x[i], y[i]))
	}
	return r
}

// any is the disjunction of the bits of x.
func (c circuit) any(x word) sat.Lit {
	r := sat.False
	for _, l := range x {
		r = c.g.Or(r, l)
	}
	return r
}

// ite appends x if condition, else y.
func (c circuit) ite(dst word, condition sat.Lit, x, y word) word {
	for i := range x {
		dst = append(dst, c.g.Ite(condition, x[i], y[i]))
	}
	return dst
}

// isConstant says whether no bit of x depends on an input.
func isConstant(x word) bool {
	for _, l := range x {
		if !l.IsConstant() {
			return false
		}
	}
	return true
}
