package absdomain

// Join, meet, order, widening and narrowing.

import "slices"

// Join is the least Int of this domain, nearly, that has the elements of both.
func (x Int) Join(y Int) Int {
	switch {
	case x.Width == 0 || y.Width == 0:
		return Int{}
	case x.IsBottom():
		return y
	case y.IsBottom() || x == y:
		return x
	}
	x.ULo, x.UHi = min(x.ULo, y.ULo), max(x.UHi, y.UHi)
	x.SLo, x.SHi = min(x.SLo, y.SLo), max(x.SHi, y.SHi)
	x.Zeros &= y.Zeros
	x.Ones &= y.Ones
	x.Mod, x.Rem = joinCongruence(x.Mod, x.Rem, y.Mod, y.Rem)
	return x.reduce()
}

func joinCongruence(m1, r1, m2, r2 uint64) (mod, rem uint64) {
	d := r1 - r2
	if r1 < r2 {
		d = r2 - r1
	}
	return oddCongruence(gcd(gcd(m1, m2), d), r1)
}

// oddCongruence drops the power of two from the modulus, which is not 0 unless
// the remainder is all there is.
func oddCongruence(mod, rem uint64) (uint64, uint64) {
	if mod == 0 {
		return 0, rem
	}
	for mod&1 == 0 {
		mod >>= 1
	}
	return mod, rem % mod
}

func gcd(a, b uint64) uint64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// Meet has the elements that are in both, and perhaps more of either.
func (x Int) Meet(y Int) Int {
	switch {
	case x.Width == 0 || y.Width == 0 || x == y:
		return x
	case x.IsBottom():
		return x
	case y.IsBottom():
		return y
	}
	x.ULo, x.UHi = max(x.ULo, y.ULo), min(x.UHi, y.UHi)
	x.SLo, x.SHi = max(x.SLo, y.SLo), min(x.SHi, y.SHi)
	x.Zeros |= y.Zeros
	x.Ones |= y.Ones
	// Keep the stronger congruence, unless they contradict each other.
	switch g := gcd(x.Mod, y.Mod); {
	case g != 1 && (g == 0 && x.Rem != y.Rem || g != 0 && x.Rem%g != y.Rem%g):
		return Bottom(uint32(x.Width))
	case y.Mod == 0 || x.Mod != 0 && y.Mod > x.Mod:
		x.Mod, x.Rem = y.Mod, y.Rem
	}
	return x.reduce()
}

// Leq says whether x has no element outside of y, as far as the parts show it.
func (x Int) Leq(y Int) bool {
	if x.Width == 0 || y.Width == 0 {
		return y.Width == 0
	}
	if x.IsBottom() || x == y {
		return true
	}
	return y.ULo <= x.ULo && x.UHi <= y.UHi && y.SLo <= x.SLo && x.SHi <= y.SHi &&
		y.Zeros&^x.Zeros == 0 && y.Ones&^x.Ones == 0 &&
		(y.Mod == 1 || y.Mod == 0 && x.Mod == 0 && x.Rem == y.Rem || y.Mod > 1 && x.Mod%y.Mod == 0 && x.Rem%y.Mod == y.Rem)
}

// Thresholds are bounds at which widening stops on its way to the limits of
// the type: constants of the program. Make them with NewThresholds.
type Thresholds struct {
	signed   []int64
	unsigned []uint64
}

// NewThresholds makes the thresholds for a program with the given constants, as
// signed numbers. The neighbours of a constant are taken too, since i < c and
// i <= c bound differently, and the limits of the usual types.
func NewThresholds(constants []int64) *Thresholds {
	t := &Thresholds{}
	for _, w := range []uint8{8, 16, 32, 64} {
		s := int64(signBit(w) - 1)
		t.signed = append(t.signed, s, -s-1)
		t.unsigned = append(t.unsigned, maskOf(w), signBit(w)-1)
	}
	for _, c := range append([]int64{0}, constants...) {
		for d := int64(-1); d <= 1; d++ {
			t.signed = append(t.signed, c+d) // may wrap, which is harmless
			if c+d >= 0 {
				t.unsigned = append(t.unsigned, uint64(c+d))
			}
		}
	}
	slices.Sort(t.signed)
	slices.Sort(t.unsigned)
	t.signed, t.unsigned = slices.Compact(t.signed), slices.Compact(t.unsigned)
	return t
}

func below[T int64 | uint64](list []T, v, least T) T {
	i, found := slices.BinarySearch(list, v)
	if found {
		return v
	}
	if i == 0 {
		return least
	}
	return max(least, list[i-1])
}

func above[T int64 | uint64](list []T, v, most T) T {
	i, _ := slices.BinarySearch(list, v)
	if i == len(list) {
		return most
	}
	return min(most, list[i])
}

// Widen is an upper bound of x and y, where y grew from x. Bounds that moved
// jump to the next threshold, or to the limit of the type if t is nil. Chains of
// widenings end: a bound has as many steps as there are thresholds, known bits and
// moduli only shrink. The reduction afterwards may pull a bound back by known
// bits, so the caller must also limit the number of rounds and go to Top.
func (x Int) Widen(y Int, t *Thresholds) Int {
	if x.Width == 0 || y.Width == 0 {
		return Int{}
	}
	j := x.Join(y)
	if x.IsBottom() || y.IsBottom() || j == x {
		return j
	}
	top := Top(uint32(x.Width))
	if t == nil {
		t = &Thresholds{}
	}
	if j.ULo < x.ULo {
		j.ULo = below(t.unsigned, j.ULo, 0)
	}
	if j.UHi > x.UHi {
		j.UHi = above(t.unsigned, j.UHi, top.UHi)
	}
	if j.SLo < x.SLo {
		j.SLo = below(t.signed, j.SLo, top.SLo)
	}
	if j.SHi > x.SHi {
		j.SHi = above(t.signed, j.SHi, top.SHi)
	}
	// Known bits that the bounds implied must not hold them back.
	j.Zeros, j.Ones = x.Zeros&y.Zeros, x.Ones&y.Ones
	if keep := low(trailingKnown(j)); j.UHi != x.UHi || j.ULo != x.ULo || j.SLo != x.SLo || j.SHi != x.SHi {
		j.Zeros &= keep
		j.Ones &= keep
	}
	return j.reduce()
}

// trailingKnown is the number of low bits that are known.
func trailingKnown(x Int) int {
	n := 0
	for known := x.Zeros | x.Ones; known>>n&1 == 1 && n < 64; n++ {
	}
	return min(n, int(x.Width))
}
