package graph

import (
	"fmt"
	"math/big"

	"assay/internal/evidence/symgraph"
	"assay/internal/program/ir"
)

// This file says what is read from a constant object at an offset that is not constant. Elements of its type
// from one on that are in a line (each as much more than the one before it) are one fact: if the offset is that of
// the k-th of them, the value is first + k·step. Nothing is said of offsets between elements.

// Limits of the facts of one read, and of the elements that are looked at.
const maxLines, maxElements = 64, 4096

// tabulated asserts what is known of the value v of a read of type t at an offset of a constant object, inside
// of it.
func (c *checkerState) tabulated(ob *object, at number, t ir.Type, v value) {
	g := ob.global
	if g == nil || !g.Constant || !ob.pristine || len(g.Relocs) > 0 || v.kind != symgraph.Int || t.Kind != ir.Int || t.Bits%8 != 0 || t.Bits > 64 {
		return
	}
	size := int64(t.Size())
	first, last := int64(0), int64(g.Size/uint64(size))-1 // elements
	if at.low.IsInt64() && at.low.Sign() > 0 {
		first = at.low.Int64() / size
	}
	if at.high.IsInt64() && at.high.Sign() >= 0 {
		last = min(last, at.high.Int64()/size)
	}
	if last < first || last-first >= maxElements {
		return
	}
	element := func(k int64) *big.Int {
		n := new(big.Int)
		for i := size - 1; i >= 0; i-- {
			n.Lsh(n, 8)
			if g.Init != nil {
				n.Or(n, big.NewInt(int64(g.Init[k*size+i])))
			}
		}
		if n.Bit(int(t.Bits-1)) != 0 {
			n.Sub(n, pow(t.Bits))
		}
		return n
	}
	index, aligned := at, ""
	if size > 1 {
		var rest number
		index, rest = c.quotient(at, small(size))
		aligned = "(= 0 " + rest.t + ") "
	}
	signed := c.view(v.n, t.Bits, true)
	var facts []string
	for k := first; k <= last; {
		from, step := k, new(big.Int)
		if k < last {
			step.Sub(element(k+1), element(k))
		}
		for k++; k <= last && new(big.Int).Sub(element(k), element(k-1)).Cmp(step) == 0; k++ {
		}
		if len(facts) == maxLines {
			return
		}
		line := fmt.Sprintf("(+ %s (* %s (- %s %d)))", integer(element(from)), integer(step), index.t, from)
		facts = append(facts, fmt.Sprintf("(=> (and %s(<= %d %s %d)) (= %s %s))", aligned, from, index.t, k-1, signed.t, line))
	}
	for _, f := range facts {
		c.define(f)
	}
}
