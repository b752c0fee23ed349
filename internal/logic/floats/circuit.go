package floats

import "assay/internal/logic/term"

// This file has the operations on bit-vectors that the algorithms share and
// that terms do not have. Widths of 0 are allowed where a parameter says how
// many bits to add.

// circuit builds terms in a store.
type circuit struct{ *term.Store }

// zeros is 0 in the given width.
func (c circuit) zeros(width uint32) term.ID { return c.ConstU(width, 0) }

// ones has all bits set.
func (c circuit) ones(width uint32) term.ID { return c.BVNot(c.zeros(width)) }

// bit is bit i as a Bool.
func (c circuit) bit(x term.ID, i uint32) term.ID { return c.BVToBool(c.Extract(x, i, i)) }

// top is the most significant bit as a Bool.
func (c circuit) top(x term.ID) term.ID { return c.bit(x, c.Width(x)-1) }

// none says whether all bits are 0.
func (c circuit) none(x term.ID) term.ID { return c.Eq(x, c.zeros(c.Width(x))) }

// any says whether some bit is 1.
func (c circuit) any(x term.ID) term.ID { return c.Not(c.none(x)) }

// padRight appends n zeros after the least significant bit.
func (c circuit) padRight(x term.ID, n uint32) term.ID {
	if n == 0 {
		return x
	}
	return c.Concat(x, c.zeros(n))
}

// widen puts zeros before the most significant bit; width may be that of x.
func (c circuit) widen(x term.ID, width uint32) term.ID {
	if width == c.Width(x) {
		return x
	}
	return c.ZExt(x, width)
}

// condense keeps the highest bits of x and makes one bit of the others: their
// disjunction, the sticky bit of [Muller18]. So it has keep+1 bits, or is x if
// that has no more.
func (c circuit) condense(x term.ID, keep uint32) term.ID {
	w := c.Width(x)
	if w <= keep+1 {
		return x
	}
	return c.Concat(c.Extract(x, w-1, w-keep), c.BoolToBV(c.any(c.Extract(x, w-keep-1, 0))))
}

// flip is the complement of x if the condition holds, else x.
func (c circuit) flip(condition, x term.ID) term.ID {
	return c.Ite(condition, c.BVNot(x), x)
}

// addWithCarry is x + y + carry modulo 2^width, with one adder: the carry
// comes out of an additional lowest place.
func (c circuit) addWithCarry(x, y, carry term.ID) term.ID {
	w := c.Width(x)
	sum := c.Add(c.Concat(x, c.ones(1)), c.Concat(y, c.BoolToBV(carry)))
	return c.Extract(sum, w, 1)
}

// subtract is x - y modulo 2^width. Unlike Sub, which is x + (-y), it is one
// adder for every bit-blaster.
func (c circuit) subtract(x, y term.ID) term.ID {
	return c.addWithCarry(x, c.BVNot(y), c.True())
}

// addOrSubtract is x - y if the condition holds, else x + y, with one adder.
func (c circuit) addOrSubtract(subtract, x, y term.ID) term.ID {
	return c.addWithCarry(x, c.flip(subtract, y), subtract)
}

// negateIf is -x if the condition holds, else x.
func (c circuit) negateIf(condition, x term.ID) term.ID {
	return c.addOrSubtract(condition, c.zeros(c.Width(x)), x)
}

// subtractIfAtMost is the step of every digit-by-digit algorithm here: whether
// y <= x, and x - y if so, else x, in the given width, which must suffice. The
// wider one of x and y decides the width of the adder.
func (c circuit) subtractIfAtMost(x, y term.ID, width uint32) (atMost, rest term.ID) {
	w := max(c.Width(x), c.Width(y)) + 1
	difference := c.subtract(c.widen(x, w), c.widen(y, w))
	negative := c.top(difference)
	low := func(t term.ID) term.ID {
		if c.Width(t) <= width {
			return c.widen(t, width)
		}
		return c.Extract(t, width-1, 0)
	}
	return c.Not(negative), c.Ite(negative, low(x), low(difference))
}

// shiftRight is x shifted right by an unsigned amount of any width.
func (c circuit) shiftRight(x, amount term.ID) term.ID {
	w := c.Width(x)
	wide := max(w, c.Width(amount))
	shifted := c.LShr(c.widen(x, wide), c.widen(amount, wide))
	if wide == w {
		return shifted
	}
	return c.Extract(shifted, w-1, 0)
}

// finish chooses between the canonical NaN and a signed magnitude.
func (c circuit) finish(f Format, nan, sign, magnitude term.ID) term.ID {
	return c.Ite(nan, f.nan(c), c.Concat(c.BoolToBV(sign), magnitude))
}
