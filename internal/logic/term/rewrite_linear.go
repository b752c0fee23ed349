package term

import "slices"

// This file has a rule of Eq about sums of several terms. The order in which a
// program adds is not the order in which an invariant does; a solver needs
// thousands of conflicts to see that two sums of three words are the same.

// Limits of the sums that are put in order.
const (
	minSummands = 3
	maxSummands = 12
)

// summand is a term with a coefficient, modulo 2^width.
type summand struct {
	t     ID
	coeff uint64
}

// summands adds coeff·t to the sum; false if there are too many.
func (s *Store) summands(t ID, coeff uint64, sum []summand, constant *uint64, depth int) ([]summand, bool) {
	if v, ok := s.ConstUint64(t); ok {
		*constant += coeff * v
		return sum, true
	}
	switch n := s.nodes[t]; {
	case depth == 0:
		return nil, false
	case n.op == OpAdd:
		sum, ok := s.summands(n.args[0], coeff, sum, constant, depth-1)
		if !ok {
			return nil, false
		}
		return s.summands(n.args[1], coeff, sum, constant, depth-1)
	case n.op == OpNeg:
		return s.summands(n.args[0], -coeff, sum, constant, depth-1)
	}
	for i := range sum {
		if sum[i].t == t {
			sum[i].coeff += coeff
			return sum, true
		}
	}
	return append(sum, summand{t, coeff}), len(sum) < maxSummands
}

// match: Eq(x, y) where x - y is a sum of several terms with the coefficients 1 and -1, of width <= 64
// result: Eq(a + b + .., c + d + .. + k): what has the coefficient of the term of
// least ID on the left, the others on the right, both by ID
func eqLinear(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	if s.keep || !s.is(x, OpAdd) && !s.is(y, OpAdd) {
		return 0
	}
	w := s.Width(x)
	if w > 64 {
		return 0
	}
	var constant uint64
	sum, ok := s.summands(x, 1, nil, &constant, maxSummands)
	if !ok {
		return 0
	}
	if sum, ok = s.summands(y, ^uint64(0), sum, &constant, maxSummands); !ok || len(sum) < minSummands {
		return 0
	}
	slices.SortFunc(sum, func(a, b summand) int { return int(a.t) - int(b.t) })
	mask := ones(w)
	sides := [2]ID{}
	first := uint64(0)
	for _, a := range sum {
		c := a.coeff & mask
		switch {
		case c == 0:
			continue
		case c != 1 && c != mask:
			return 0
		case first == 0:
			first = c
		}
		side := 0
		if c != first {
			side = 1
		}
		if sides[side] == 0 {
			sides[side] = a.t
		} else {
			sides[side] = s.Add(sides[side], a.t)
		}
	}
	if first == 0 {
		return s.Bool(constant&mask == 0)
	}
	if first == 1 {
		constant = -constant
	}
	k := s.ConstU(w, constant&mask)
	if sides[1] == 0 {
		sides[1] = k
	} else {
		sides[1] = s.Add(sides[1], k)
	}
	if sides == [2]ID{x, y} || sides == [2]ID{y, x} {
		return 0
	}
	return s.Eq(sides[0], sides[1])
}
