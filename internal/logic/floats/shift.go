package floats

import (
	"math/bits"

	"assay/internal/logic/term"
)

// This file has the shifts, all of them barrel shifters: stage k shifts by 2^k
// places or not at all. A stage costs one multiplexer a bit, so a shift of w
// bits about 3·w·log2(w) and-gates, which is most of the cost of an addition.

// shiftRightSticky shifts right by an unsigned amount of any width. What falls
// out on the right stays visible in the lowest bit, which becomes the
// disjunction of itself and all bits lost ("jamming" [Muller18]).
func (c circuit) shiftRightSticky(x, amount term.ID) term.ID {
	w := c.Width(x)
	k := uint32(0)
	for ; k < c.Width(amount) && 1<<k < w; k++ {
		// The lowest bit after the shift stands for bits n..0 before it.
		n := uint32(1) << k
		low := c.BoolToBV(c.any(c.Extract(x, n, 0)))
		shifted := low
		if n+1 < w {
			shifted = c.Concat(c.Extract(x, w-1, n+1), low)
		}
		x = c.Ite(c.bit(amount, k), c.widen(shifted, w), x)
	}
	if k < c.Width(amount) {
		far := c.any(c.Extract(amount, c.Width(amount)-1, k))
		x = c.Ite(far, c.widen(c.BoolToBV(c.any(x)), w), x)
	}
	return x
}

// normalise shifts x left until its top bit is 1 and counts the places. The
// stages go from large to small; each one looks whether as many leading bits
// are 0, so that counting costs next to nothing [Muller18]. For x
// = 0 the count is some number in its bounds.
func (c circuit) normalise(x term.ID) (term.ID, exponent) {
	w := c.Width(x)
	var count term.ID
	stages := bits.Len32(w - 1)
	for k := stages - 1; k >= 0; k-- {
		n := uint32(1) << k
		empty := c.none(c.Extract(x, w-1, w-n))
		x = c.Ite(empty, c.padRight(c.Extract(x, w-1-n, 0), n), x)
		if k == stages-1 {
			count = c.BoolToBV(empty)
		} else {
			count = c.Concat(count, c.BoolToBV(empty))
		}
	}
	return x, c.unsigned(count, 0, 1<<stages-1)
}

// normaliseSum brings a sum into the form that pack wants. The top bit of x is
// the place of the carry: it weighs as much as the unit of a number with
// exponent e+1, where e >= 1. The result is x shifted left until the top bit is
// 1, but no further than to exponent 1, and the exponent then.
//
// The limit is a mark: a single 1 that is e places below the top. If x is less
// than the mark, the mark is put into x, and normalising shifts by e places;
// afterwards the top bit is the mark, and is taken away.
func (c circuit) normaliseSum(x term.ID, e exponent) (term.ID, exponent) {
	w := c.Width(x)
	mark := c.shiftRight(c.padRight(c.ones(1), w-1), c.resize(e, uint32(bits.Len64(uint64(e.hi)))))
	subnormal := c.ULt(x, mark)
	shifted, places := c.normalise(c.BVOr(x, c.Ite(subnormal, mark, c.zeros(w))))
	normal := c.And(c.top(shifted), c.Not(subnormal))
	shifted = c.Concat(c.BoolToBV(normal), c.Extract(shifted, w-2, 0))
	return shifted, c.within(c.minus(c.plus(e, c.integer(1)), places), 1, e.hi+1)
}
