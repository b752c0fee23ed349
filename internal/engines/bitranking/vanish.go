package bitranking

import "math/bits"

// This file finds sums that vanish: s becomes a multiple of a higher power of two in each iteration, until it is 0
// modulo 2^w and stays so. Over the integers such a sum grows, and x = 2*x + y has no affine ranking function;
// but machine integers end: after w iterations at most, s is 0, which is an equation that what ranks the loop from
// there on may use. So
//
//	f = w - (the number of low bits of s that are 0, at most w)
//
// does not increase, and decreases as long as s is not 0 modulo 2^w. It is a function by cases, s being a
// multiple of 2^w, of 2^(w-1), ..., so nothing is new for the checker.
//
// Where they come from: let s be L + k, L linear in the places with small coefficients, and s = m*s0 for an even m, s0 being
// that of the iteration before. Then k*(m-1) = L - m*L0 modulo 2^w, and as m-1 is odd, one pair of states gives
// k. The other pairs must then have sums that vanish, for whatever even m.

// Limits: the places in a sum, their coefficients, the sums that are tried, and those that are offered.
const (
	maxVanishing = 3
	maxMultiple  = 2
	maxSums      = 1 << 17
	maxOffered   = 4
)

// multipliers are the m that are tried.
var multipliers = []uint64{2, 0, 4, ^uint64(1)}

// vanishing lists functions that the pairs do not refute. With all, they must decrease on those that were accepted.
func vanishing(places []place, fixed int, pairs []pair, all bool) (out []function) {
	if len(pairs) < 2 {
		return nil // anything would do
	}
	tried := 0
	var sum []summand
	var choose func(from int)
	choose = func(from int) {
		if len(sum) > 0 {
			if tried++; tried <= maxSums && len(out) < maxOffered {
				for _, m := range multipliers {
					if k, ok := constantOf(places, sum, pairs, m, all); ok {
						out = append(out, zeros(places[sum[0].place].Bits, sum, k))
						break
					}
				}
			}
		}
		if len(sum) == maxVanishing {
			return
		}
		for i := from; i < len(places)-fixed; i++ {
			w := places[i].Bits
			if w < 2 || w > 62 || len(sum) > 0 && w != places[sum[0].place].Bits {
				continue
			}
			for c := int64(-maxMultiple); c <= maxMultiple; c++ {
				if c == 0 || len(sum) == 0 && c < 0 || tried > maxSums || len(out) == maxOffered {
					continue // a sum vanishes where its negative does
				}
				sum = append(sum, summand{i, c, true})
				choose(i + 1)
				sum = sum[:len(sum)-1]
			}
		}
	}
	choose(0)
	return out
}

// constantOf is k for a sum and a multiplier, if no pair refutes that the sum with it vanishes.
func constantOf(places []place, sum []summand, pairs []pair, m uint64, all bool) (k uint64, ok bool) {
	w := places[sum[0].place].Bits
	mask := uint64(1)<<w - 1
	at := func(x []uint64) (n uint64) {
		for _, s := range sum {
			n += uint64(s.coeff) * x[s.place]
		}
		return n
	}
	k = (at(pairs[0].now) - m*at(pairs[0].before)) * inverse(m-1) & mask
	some := false
	for _, q := range pairs {
		before, now := (at(q.before)+k)&mask, (at(q.now)+k)&mask
		switch {
		case before == 0 && now == 0:
			if all && q.accepted {
				return 0, false
			}
		case now != 0 && bits.TrailingZeros64(now) <= bits.TrailingZeros64(before):
			return 0, false
		default:
			some = true
		}
	}
	return k, some
}

// inverse is that of an odd number modulo 2^64, by Newton's iteration.
func inverse(n uint64) uint64 {
	x := n // right modulo 8
	for range 5 {
		x *= 2 - n*x
	}
	return x
}

// zeros is w less the number of low bits that are 0 of a sum and a constant, of w bits.
func zeros(w uint32, sum []summand, k uint64) function {
	var f function
	shift := 64 - w
	bound := -(int64(k<<shift) >> shift) // the sum is this where it vanishes
	terms := append([]summand(nil), sum...)
	for n := w; n > 0; n-- {
		f = append(f, piece{when: []condition{{sum: terms, bound: bound, modulus: 1 << n}}, constant: int64(w - n)})
	}
	return append(f, piece{constant: int64(w)})
}
