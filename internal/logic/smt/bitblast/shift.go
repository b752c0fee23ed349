package bitblast

import "assay/internal/logic/sat"

// This file has barrel shifters: stage s shifts by 2^s if bit s of the amount
// is set. There are as many stages as are needed to shift by width-1; amounts
// from the width on that the stages can express shift everything out, and any
// higher bit of the amount does the same.

// direction of a shift.
type direction uint8

const (
	left direction = iota
	right
)

// shift appends x shifted by amount, filled up with fill.
func (c circuit) shift(dst, x, amount word, d direction, fill sat.Lit) word {
	width := len(x)
	now := append(word(nil), x...)
	next := make(word, width)
	stages := 0
	for ; stages < len(amount) && 1<<stages < width; stages++ {
		by := 1 << stages
		for i := range now {
			from := i - by
			if d == right {
				from = i + by
			}
			in := fill
			if from >= 0 && from < width {
				in = now[from]
			}
			next[i] = c.g.Ite(amount[stages], in, now[i])
		}
		now, next = next, now
	}
	// The narrowest word has no stage: then any amount shifts everything out.
	out := c.any(amount[stages:])
	for _, l := range now {
		dst = append(dst, c.g.Ite(out, fill, l))
	}
	return dst
}
