package ir_test

import (
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// TestAfter holds the closed form against iteration: all starts, steps and second steps
// of 4 bits, and of 5 and 6 bits without second step, for every number of iterations
// until all has come back, and more.
func TestAfter(t *testing.T) {
	for _, w := range []uint32{4, 5, 6} {
		size := uint64(1) << w
		seconds, rounds := size, 2*size+3
		if w > 4 {
			seconds, rounds = 1, size+3
		}
		for start := range size {
			for step := range size {
				for second := range seconds {
					c := ir.Change{Kind: ir.Summed, Start: bv.New(w, start), Step: bv.New(w, step), Second: bv.New(w, second)}
					if w > 4 {
						c.Kind = ir.Stepped
					}
					x := c.Start
					for i := range rounds {
						if got := c.After(i); !got.Equal(x) {
							t.Fatalf("%d + %d*%d + ...*%d is %s, not %s", start, i, step, second, got, x)
						}
						x = x.Add(bv.New(w, step)).Add(bv.New(w, i*second))
					}
				}
			}
		}
	}
	// The number of pairs, 2^62 * (2^63-1), needs more than 64 bits.
	c := ir.Change{Kind: ir.Summed, Start: bv.New(64, 5), Step: bv.New(64, 0), Second: bv.New(64, 1)}
	if got := c.After(1 << 63); !got.Equal(bv.New(64, 5).Sub(bv.New(64, 1<<62))) {
		t.Errorf("2^62 * (2^63-1) + 5 modulo 2^64 is %s", got)
	}
}
