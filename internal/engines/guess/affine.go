package guess

import (
	"math/big"
	"math/bits"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/transform/cut"
)

// This file is the domain of affine equations modulo 2^w: of all equations
// Σ c·x = c₀ (mod 2^w) between integers of w bits it keeps those that hold in the
// states joined so far [King10]. They express equalities, differences and
// parities, and they mean what programs compute: nothing is lost when it wraps.
//
// The states with a 1 appended span a module over the ring of the integers modulo
// 2^w. Elimination takes as pivot an entry that is divisible by the least power of
// two, so that it divides all that is left: the rows become 2^t·u, where u has a
// 1 at its pivot and zeros at the pivots before. A vector c is orthogonal to all
// rows iff, for each, c·u is divisible by 2^(w-t); as u is triangular, these
// products and the other coordinates of c can be chosen at will, which gives a
// basis of the equations.

// affine is an element of the domain for one width.
type Affine struct {
	w       uint32
	columns int
	// rows are the generators after elimination, pivot and shift (t) theirs.
	rows  [][]uint64
	pivot []int
	shift []int
}

func NewAffine(w uint32, columns int) *Affine { return &Affine{w: w, columns: columns} }

func (a *Affine) mask() uint64 { return ^uint64(0) >> (64 - a.w) }

// empty says that no state was joined.
func (a *Affine) empty() bool { return len(a.rows) == 0 }

// inverse of an odd number modulo 2^64, by Newton's iteration.
func inverse(x uint64) uint64 {
	y := x
	for range 6 {
		y *= 2 - x*y
	}
	return y
}

// join adds a state.
func (a *Affine) Join(state []uint64) {
	row := append(append(make([]uint64, 0, a.columns+1), state...), 1)
	rows := append(a.rows, row)
	a.rows, a.pivot, a.shift = nil, nil, nil
	mask := a.mask()
	for len(rows) > 0 {
		// The entry with the fewest factors of two.
		best, at, col := 65, -1, -1
		for i, r := range rows {
			for c, x := range r {
				if x &= mask; x != 0 && bits.TrailingZeros64(x) < best {
					best, at, col = bits.TrailingZeros64(x), i, c
				}
			}
		}
		if at < 0 {
			return
		}
		p := rows[at]
		rows = append(rows[:at:at], rows[at+1:]...)
		inv := inverse(p[col] >> best)
		for c := range p {
			p[c] = (p[c] * inv) & mask
		}
		// p[col] is 2^best up to what is lost beyond w bits.
		for _, r := range rows {
			if f := (r[col] & mask) >> best; f != 0 {
				for c := range r {
					r[c] = (r[c] - f*p[c]) & mask
				}
			}
		}
		a.rows, a.pivot, a.shift = append(a.rows, p), append(a.pivot, col), append(a.shift, best)
	}
}

// equations is a basis of the equations that hold; the constant comes last.
func (a *Affine) equations() [][]uint64 {
	n := a.columns + 1
	mask := a.mask()
	isPivot := make([]bool, n)
	for _, p := range a.pivot {
		isPivot[p] = true
	}
	solve := func(free int, which int) []uint64 {
		c := make([]uint64, n)
		if free >= 0 {
			c[free] = 1
		}
		for i := len(a.rows) - 1; i >= 0; i-- {
			y := uint64(0)
			for k := range n {
				if k != a.pivot[i] {
					y -= (a.rows[i][k] >> a.shift[i]) * c[k]
				}
			}
			// What counts is y modulo 2^(w-t); the smallest such number is nicest.
			left := a.w - uint32(a.shift[i])
			y = uint64(int64(y<<(64-left)) >> (64 - left))
			if i == which {
				y += 1 << left
			}
			c[a.pivot[i]] = y & mask
		}
		// An odd coefficient becomes 1: 3x - 3y = 6 is x - y = 2.
		if k := slices.IndexFunc(c[:a.columns], func(x uint64) bool { return x&1 == 1 }); k >= 0 {
			inv := inverse(c[k])
			for j := range c {
				c[j] = c[j] * inv & mask
			}
		}
		return c
	}
	var out [][]uint64
	for k := range n {
		if !isPivot[k] {
			out = append(out, solve(k, -1))
		}
	}
	for i, t := range a.shift {
		if t > 0 {
			out = append(out, solve(-1, i))
		}
	}
	return out
}

// predicates are the equations as predicates about places of the width.
func (a *Affine) Predicates(places []cut.Place) []invariant.Comparison {
	if a.empty() {
		return []invariant.Comparison{{Bound: big.NewInt(-1)}} // false
	}
	var out []invariant.Comparison
	for _, c := range a.equations() {
		two := uint32(64)
		for _, x := range c {
			if x != 0 {
				two = min(two, uint32(bits.TrailingZeros64(x)))
			}
		}
		if two >= a.w { // 0 = 0
			continue
		}
		w := a.w - two
		signed := func(x uint64) int64 {
			x >>= two
			return int64(x<<(64-w)) >> (64 - w)
		}
		p := invariant.Comparison{Relation: invariant.Congruent, Bound: big.NewInt(signed(c[a.columns]))}
		p.Bound.Neg(p.Bound)
		if w < 64 {
			p.Modulus = 1 << w
		}
		for i, x := range places {
			if k := signed(c[i]); k != 0 {
				p.Terms = append(p.Terms, x.Term(k, true))
			}
		}
		if len(p.Terms) > 0 {
			out = append(out, p)
		}
	}
	return out
}
