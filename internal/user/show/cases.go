package show

import (
	"fmt"
	"math/bits"
	"strings"

	"assay/internal/evidence/invariant"
)

// This file writes a set of values of one integer as a person would: as bounds (n <= 1023), as cases (n in
// {0, 3, 7}), as what is left out (n != 5), as a remainder (n % 4 == 0).
//
// The set is { r + 2^k q : q in Q }, for Q a list of intervals of numbers of w-k bits, and r < 2^k. Most sets that
// clauses over bits describe are so: they fix some low bits, and say little of the others. The text is equivalent to
// the set, which a test shows for all small sets.

// interval has the numbers from lo to hi.
type interval struct{ lo, hi uint64 }

// values is a set of numbers of w bits.
type values struct {
	w, k uint32
	r    uint64
	// list is Q, in ascending order, none next to another.
	list []interval
}

// low has the low n bits.
func low(n uint32) uint64 {
	if n >= 64 {
		return ^uint64(0)
	}
	return 1<<n - 1
}

// add adds an interval behind the others.
func add(list []interval, x interval) []interval {
	if n := len(list); n > 0 && list[n-1].hi+1 == x.lo && x.lo != 0 {
		list[n-1].hi = x.hi
		return list
	}
	return append(list, x)
}

// both are the numbers in two lists.
func both(a, b []interval) (out []interval) {
	for _, x := range a {
		for _, y := range b {
			if z := (interval{max(x.lo, y.lo), min(x.hi, y.hi)}); z.lo <= z.hi {
				out = add(out, z)
			}
		}
	}
	return out
}

// restrict leaves of the set what is among some numbers of w bits.
func (s *values) restrict(list []interval) {
	var allowed []interval
	for _, x := range list {
		if x.hi < s.r {
			continue
		}
		lo, hi := uint64(0), (x.hi-s.r)>>s.k
		if x.lo > s.r {
			lo = (x.lo - s.r) >> s.k
			if lo<<s.k != x.lo-s.r {
				lo++
			}
		}
		if hi = min(hi, low(s.w-s.k)); lo <= hi {
			allowed = add(allowed, interval{lo, hi})
		}
	}
	s.list = both(s.list, allowed)
}

// has says whether a number is in the set.
func (s *values) has(x uint64) bool {
	if x&low(s.k) != s.r {
		return false
	}
	for _, i := range s.list {
		if i.lo <= x>>s.k && x>>s.k <= i.hi {
			return true
		}
	}
	return false
}

// Limits of what is written.
const (
	mostCases = 8 // of one integer
	mostGaps  = 4
)

// count is the number of values, or more than mostCases.
func (s *values) count() uint64 {
	n := uint64(0)
	for _, x := range s.list {
		if d := x.hi - x.lo; d >= mostCases {
			return mostCases + 1
		} else if n += d + 1; n > mostCases {
			return n
		}
	}
	return n
}

// short says that the text is one that somebody reads.
func (s *values) short() bool { return len(s.list) <= mostGaps+1 || s.count() <= mostCases }

// texts is the set as conditions that hold together.
func (s *values) texts(name string, signed bool) (out []string) {
	if len(s.list) == 0 {
		return []string{"false"}
	}
	if s.w == 1 {
		switch {
		case s.has(0) && s.has(1):
			return nil
		case s.has(0):
			return []string{"!" + name}
		}
		return []string{name}
	}
	// In the order of signed numbers those with the sign come first: their keys have the other top bit.
	turn := uint64(0)
	if signed && s.k < s.w {
		turn = 1 << (s.w - s.k - 1)
	}
	text := func(key uint64) string { return number((key^turn)<<s.k|s.r, s.w, signed) }
	list := s.list
	if turn != 0 {
		list = nil
		for _, half := range []interval{{turn, low(s.w - s.k)}, {0, turn - 1}} {
			for _, x := range both(s.list, []interval{half}) {
				list = add(list, interval{x.lo ^ turn, x.hi ^ turn})
			}
		}
	}
	last := list[len(list)-1].hi
	if n := s.count(); n == 1 {
		return []string{name + " == " + text(last)}
	} else if n <= mostCases && (len(list) > 1 || s.k > 0) {
		var cases []string
		for _, x := range list {
			for key := x.lo; ; key++ {
				if cases = append(cases, text(key)); key == x.hi {
					break
				}
			}
		}
		return []string{name + " in {" + strings.Join(cases, ", ") + "}"}
	}
	if list[0].lo > 0 {
		out = append(out, name+" >= "+text(list[0].lo))
	}
	if last < low(s.w-s.k) {
		out = append(out, name+" <= "+text(last))
	}
	for i, x := range list[1:] {
		if from := list[i].hi; from+2 == x.lo && s.k == 0 {
			out = append(out, name+" != "+text(from+1))
		} else {
			out = append(out, name+" <= "+text(from)+" || "+name+" >= "+text(x.lo))
		}
	}
	if s.k > 0 {
		negative := signed && (s.k == s.w || list[0].lo < turn)
		out = append(out, remainder(name, s.k, s.r, negative))
	}
	return out
}

// remainder says what the low k bits are.
func remainder(name string, k uint32, r uint64, negative bool) string {
	if k <= 20 && (r == 0 || !negative) {
		return fmt.Sprintf("%s %% %d == %d", name, uint64(1)<<k, r)
	}
	return masked(name, low(k), r)
}

// masked says what the bits of a mask are.
func masked(name string, m, r uint64) string {
	if r == m && bits.OnesCount64(m) == 1 {
		return fmt.Sprintf("(%s & %s) != 0", name, hex(m))
	}
	return fmt.Sprintf("(%s & %s) == %s", name, hex(m), hex(r))
}

// number is one of w bits in decimal.
func number(x uint64, w uint32, signed bool) string {
	if signed {
		return fmt.Sprint(int64(x<<(64-w)) >> (64 - w))
	}
	return fmt.Sprint(x & low(w))
}

// hex is a mask.
func hex(x uint64) string {
	if x < 10 {
		return fmt.Sprint(x)
	}
	return fmt.Sprintf("%#x", x)
}

// rangeOf are the numbers of w bits, read as unsigned, of which a comparison with a constant holds; ok is false if
// it is none.
func rangeOf(p invariant.Comparison) (list []interval, ok bool) {
	if len(p.Terms) != 1 || p.Relation == invariant.Congruent {
		return nil, false
	}
	t := p.Terms[0]
	if t.Coeff != 1 && t.Coeff != -1 || t.Bits > 64 || t.Float || t.Index || t.Stride != 0 || !p.Bound.IsInt64() && !p.Bound.IsUint64() {
		return nil, false
	}
	// The bound is that of the value: what is beyond the type is no bound, or excludes all.
	bound := *p.Bound
	if t.Coeff < 0 {
		bound.Neg(&bound)
	}
	turn := uint64(0)
	if t.Signed {
		turn = 1 << (t.Bits - 1)
	}
	key, below, above := uint64(0), false, false
	switch {
	case t.Signed && !bound.IsInt64(), !t.Signed && bound.Sign() >= 0 && !bound.IsUint64():
		below, above = bound.Sign() < 0, bound.Sign() > 0
	case t.Signed:
		n := bound.Int64()
		least := int64(-1) << (t.Bits - 1)
		below, above = n < least, n > -(least+1)
		key = uint64(n)&low(t.Bits) ^ turn
	case bound.Sign() < 0:
		below = true
	default:
		key = bound.Uint64()
		above = key > low(t.Bits)
	}
	top := low(t.Bits)
	var keys []interval
	switch {
	case p.Relation == invariant.NotEqual:
		if below || above {
			return []interval{{0, top}}, true
		}
		if key > 0 {
			keys = append(keys, interval{0, key - 1})
		}
		if key < top {
			keys = append(keys, interval{key + 1, top})
		}
	case t.Coeff > 0 && below, t.Coeff < 0 && above:
		return nil, true
	case below, above:
		return []interval{{0, top}}, true
	case t.Coeff > 0:
		keys = []interval{{0, key}}
	default:
		keys = []interval{{key, top}}
	}
	if turn == 0 {
		return keys, true
	}
	for _, half := range []interval{{turn, top}, {0, turn - 1}} {
		for _, x := range both(keys, []interval{half}) {
			list = add(list, interval{x.lo ^ turn, x.hi ^ turn})
		}
	}
	return list, true
}
