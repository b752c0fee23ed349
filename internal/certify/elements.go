package certify

import (
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file checks equations about sums of elements (invariant.SumEquation). The sum of
// the first n elements of a content is a variable S(n), of which is known
//
//	n <= 0              implies  S(n) = 0
//	m = n               implies  S(m) = S(n)
//	m = n + 1, n >= 0   implies  S(m) = S(n) + element n
//
// for all n and m that are asked about. For every content there is such a function, by
// recursion on n: elements beyond the object are some numbers, too, in the array that
// stands for the content. So the facts exclude no run. Counts are sums of few integers of 32
// bits (SumEquation.IllFormed), which wrap in no 64 bits. Of contents that are not the same
// term nothing is known together.

// prefix is S(count) for a content from an element on.
type prefix struct {
	content term.ID
	first   uint64
	count   term.ID // of 64 bits
	sum     term.ID
}

// elementSums says whether an equation holds of a way into a head. If it speaks of memory
// that is not there, it holds.
func (c *checker) elementSums(fr *frame, head ir.BlockID, in edge, e *invariant.SumEquation) term.ID {
	st := c.st
	there := st.True()
	integer := func(t invariant.Term, w uint32) term.ID {
		bits, valid := c.atHead(fr, head, in, t.Value).Bits, st.True()
		if t.Cell {
			bits, valid = c.cellAtHead(fr, head, in, c.atHead(fr, head, in, t.Value).Value, t)
		}
		there = st.And(there, valid)
		if t.Signed {
			bits = st.SExtOrTrunc(bits, w)
		} else {
			bits = st.ZExtOrTrunc(bits, w)
		}
		return st.Mul(st.ConstU(w, uint64(t.Coeff)), bits)
	}
	sum := st.ConstU(e.Width, uint64(e.Constant))
	for _, t := range e.Terms {
		sum = st.Add(sum, integer(t, e.Width))
	}
	for i := range e.Sums {
		s := &e.Sums[i]
		count := st.ConstU(64, uint64(s.Count.Const.Int64()))
		for _, t := range s.Count.Terms {
			count = st.Add(count, integer(t, 64))
		}
		base := c.atHead(fr, head, in, s.Base).Value
		o, ok := st.ConstUint64(base.Object)
		at, ok2 := st.ConstUint64(base.Offset)
		size := uint64(e.Width / 8)
		at += s.Offset
		var content term.ID
		if ok = ok && ok2 && at%size == 0; ok {
			content, ok = in.mem.Elements(memory.ObjectID(o), e.Width/8)
		}
		if !ok {
			c.claim(uncovered, fr, in.guard, c.blockValue(fr.fn, head), "the elements of a sum are not those of an array")
			return st.True()
		}
		sum = st.Add(sum, st.Mul(st.ConstU(e.Width, uint64(s.Coeff)), c.prefixSum(content, at/size, count)))
	}
	return st.Implies(there, st.Eq(sum, st.ConstU(e.Width, 0)))
}

// withoutReads decides claims over the integers: sums modulo 2^w are hard bit by bit.
func (c *checker) withoutReads() error {
	c.facts = append(c.facts, c.sp.Facts()...)
	var roots []term.ID
	for _, x := range c.claims {
		roots = append(roots, x.cond)
	}
	plain, ok := c.withoutArrays(append(roots, c.facts...))
	if !ok {
		return nil
	}
	claims, facts := c.claims, c.facts
	c.claims, c.facts = slices.Clone(claims), plain[len(roots):]
	for i := range c.claims {
		c.claims[i].cond, c.claims[i].number = plain[i], i
	}
	err := c.overIntegers(integerTime)
	left := claims[:0:0]
	for _, x := range c.claims {
		left = append(left, claims[x.number])
	}
	c.claims, c.facts = left, facts
	return err
}

// prefixSum is S(count).
func (c *checker) prefixSum(content term.ID, first uint64, count term.ID) term.ID {
	st := c.st
	zero, one := st.ConstU(64, 0), st.ConstU(64, 1)
	for _, p := range c.prefixes {
		if p.content == content && p.first == first && p.count == count {
			return p.sum
		}
	}
	x := prefix{content, first, count, st.Fresh("sum", term.BitVec(st.Sort(content).Width))}
	c.facts = append(c.facts, st.Implies(st.SLe(count, zero), st.Eq(x.sum, st.ConstU(st.Width(x.sum), 0))))
	next := func(p, q prefix) {
		element := st.Select(content, st.Add(st.ConstU(c.m.PointerBits, first), st.ZExtOrTrunc(p.count, c.m.PointerBits)))
		follows := st.And(st.Eq(q.count, st.Add(p.count, one)), st.SLe(zero, p.count))
		c.facts = append(c.facts, st.Implies(follows, st.Eq(q.sum, st.Add(p.sum, element))))
	}
	for _, p := range c.prefixes {
		if p.content == content && p.first == first {
			c.facts = append(c.facts, st.Implies(st.Eq(p.count, count), st.Eq(p.sum, x.sum)))
			next(p, x)
			next(x, p)
		}
	}
	c.prefixes = append(c.prefixes, x)
	return x.sum
}
