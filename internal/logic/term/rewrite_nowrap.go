package term

import (
	"cmp"
	"math/big"
	"slices"

	"assay/internal/logic/bv"
)

// This file has one rule, of comparisons and equations of sums of extended words
// that are too short to wrap: those of integers. Predicates and checks of overflow
// come in this form,
//
//	SExt(x, 67) + -SExt(y, 67) < 1,
//
// where a solver adds 67 bits to compare 32. What is subtracted goes to the other
// side, equal summands cancel, and both sides become as narrow as their ranges
// allow: SLe(x, y).

// Limits of the sums that are looked at.
const (
	maxIntegers    = 12
	maxCoefficient = 1 << 31
)

// integer is a summand: coeff times the unsigned or signed number of a word.
type integer struct {
	t      ID
	signed bool
	coeff  int64
}

// integers is a sum of integers. As a word it is known modulo 2^width only.
type integers struct {
	sum      []integer
	constant *big.Int
	// moves says that something is subtracted, or summands were joined.
	moves bool
}

// add adds coeff·t; false if t is no sum of constants and extended words.
func (z *integers) add(s *Store, t ID, coeff int64, depth int) bool {
	if coeff > maxCoefficient || coeff < -maxCoefficient || depth == 0 {
		return false
	}
	switch n := s.nodes[t]; n.op {
	case OpConst:
		x := s.ConstValue(t).Signed()
		z.constant.Add(z.constant, x.Mul(x, big.NewInt(coeff)))
		return true
	case OpAdd:
		return z.add(s, n.args[0], coeff, depth-1) && z.add(s, n.args[1], coeff, depth-1)
	case OpNeg:
		return z.add(s, n.args[0], -coeff, depth-1)
	case OpMul:
		if !s.IsConst(n.args[1]) {
			return false
		}
		k := s.ConstValue(n.args[1]).Signed()
		if k.BitLen() > 31 {
			return false
		}
		return z.add(s, n.args[0], coeff*k.Int64(), depth-1)
	case OpConcat:
		// What is missing on top of the high part is a multiple of 2^width.
		k := s.Width(n.args[1])
		return s.isZero(n.args[1]) && k < 31 && z.add(s, n.args[0], coeff<<k, depth-1)
	case OpZExt, OpSExt:
		return z.join(integer{n.args[0], n.op == OpSExt, coeff})
	}
	return false
}

func (z *integers) join(x integer) bool {
	z.moves = z.moves || x.coeff < 0
	for i := range z.sum {
		if y := &z.sum[i]; y.t == x.t && y.signed == x.signed {
			y.coeff += x.coeff
			z.moves = true
			return max(y.coeff, -y.coeff) <= maxCoefficient
		}
	}
	z.sum = append(z.sum, x)
	return len(z.sum) <= maxIntegers
}

// bounds are the least and the greatest value.
func (z *integers) bounds(s *Store) (lo, hi *big.Int) {
	lo, hi = new(big.Int).Set(z.constant), new(big.Int).Set(z.constant)
	for _, x := range z.sum {
		least, most := new(big.Int), new(big.Int).Lsh(big.NewInt(1), uint(s.Width(x.t)))
		if x.signed {
			most.Rsh(most, 1)
			least.Neg(most)
		}
		most.Sub(most, big.NewInt(1))
		c := big.NewInt(x.coeff)
		least.Mul(least, c)
		most.Mul(most, c)
		if x.coeff < 0 {
			least, most = most, least
		}
		lo.Add(lo, least)
		hi.Add(hi, most)
	}
	return lo, hi
}

// settle adds a multiple of 2^width to the constant so that all values lie between
// least and 2^width + least - 1; false if none does that. Then the sum is the
// number of the word.
func (z *integers) settle(s *Store, width uint32, least *big.Int) bool {
	lo, hi := z.bounds(s)
	turn := new(big.Int).Lsh(big.NewInt(1), uint(width))
	turns := new(big.Int).Sub(lo, least)
	turns.Div(turns, turn) // rounds down
	turns.Mul(turns, turn)
	z.constant.Sub(z.constant, turns)
	return hi.Sub(hi, turns).Cmp(turn.Add(turn, least)) < 0
}

// minus is z - y.
func (z *integers) minus(y *integers) bool {
	z.constant.Sub(z.constant, y.constant)
	z.moves = z.moves || y.moves
	for _, x := range y.sum {
		moves := z.moves
		n := len(z.sum)
		x.coeff = -x.coeff
		if !z.join(x) {
			return false
		}
		z.moves = moves || len(z.sum) == n
	}
	return true
}

// splitBySign splits a sum into two with positive coefficients: z = left - right.
func (z *integers) splitBySign() (left, right integers) {
	left.constant, right.constant = new(big.Int), new(big.Int)
	for _, x := range z.sum {
		switch {
		case x.coeff > 0:
			left.sum = append(left.sum, x)
		case x.coeff < 0:
			x.coeff = -x.coeff
			right.sum = append(right.sum, x)
		}
	}
	for _, side := range [2]*integers{&left, &right} {
		slices.SortFunc(side.sum, func(a, b integer) int { return cmp.Compare(a.t, b.t) })
	}
	if z.constant.Sign() > 0 {
		left.constant.Set(z.constant)
	} else {
		right.constant.Neg(z.constant)
	}
	return left, right
}

// word is the sum in a width in which it does not wrap.
func (z *integers) word(s *Store, width uint32) ID {
	t := s.zero(width)
	for _, x := range z.sum {
		op := OpZExt
		if x.signed {
			op = OpSExt
		}
		t = s.Add(t, s.Mul(s.extend(op, x.t, width), s.ConstU(width, uint64(x.coeff))))
	}
	return s.Add(t, s.Const(bv.FromBig(width, z.constant)))
}

// match: ULt(x, y), SLt(x, y), Eq(x, y) of sums of extended words that do not wrap,
// if something is subtracted, occurs twice, or the sums fit in fewer bits
// result: the relation of the sums of positive summands, in the least width
func integerRelation(s *Store, n node) ID {
	x, y := n.args[0], n.args[1]
	if s.Sort(x).Kind != SortBV || s.keep && n.op == OpEq || !s.isSum(x) && !s.isSum(y) {
		return 0
	}
	w := s.Width(x)
	a, b := integers{constant: new(big.Int)}, integers{constant: new(big.Int)}
	if !a.add(s, x, 1, maxIntegers) || !b.add(s, y, 1, maxIntegers) {
		return 0
	}
	least := new(big.Int) // of the numbers that are compared
	switch n.op {
	case OpSLt:
		least.Rsh(least.Lsh(big.NewInt(1), uint(w)), 1)
		least.Neg(least)
	case OpEq:
		// The difference is a multiple of 2^w; 0 must be the only one.
		if !a.minus(&b) {
			return 0
		}
		b = integers{constant: new(big.Int)}
		lo, hi := a.bounds(s)
		turn := new(big.Int).Lsh(big.NewInt(1), uint(w))
		if hi.Cmp(turn) >= 0 || lo.Cmp(turn.Neg(turn)) <= 0 {
			return 0
		}
	}
	if n.op != OpEq && (!a.settle(s, w, least) || !b.settle(s, w, least) || !a.minus(&b)) {
		return 0
	}
	left, right := a.splitBySign()
	if len(left.sum)+len(right.sum) == 0 {
		return 0 // decided by other rules
	}
	not := n.op != OpEq && right.constant.Cmp(big.NewInt(1)) == 0 && len(right.sum) > 0
	if not { // l < r + 1
		right.constant.SetInt64(0)
		left, right = right, left
	}
	low, high := left.bounds(s)
	lo, hi := right.bounds(s)
	signed := min(low.Sign(), lo.Sign()) < 0
	narrow := uint32(1)
	for _, v := range []*big.Int{low, high, lo, hi} {
		narrow = max(narrow, signedBits(v))
	}
	if !signed && narrow > 1 {
		narrow--
	}
	if narrow > w || narrow == w && !a.moves {
		return 0
	}
	l, r := left.word(s, narrow), right.word(s, narrow)
	if l == x && r == y {
		return 0
	}
	switch {
	case n.op == OpEq:
		return s.Eq(l, r)
	case signed:
		l = s.SLt(l, r)
	default:
		l = s.ULt(l, r)
	}
	if not {
		l = s.Not(l)
	}
	return l
}

// isSum says whether t is worth a look as a sum of integers.
func (s *Store) isSum(t ID) bool {
	switch s.nodes[t].op {
	case OpAdd, OpNeg, OpZExt, OpSExt:
		return true
	}
	return false
}

// signedBits is the width of v in two's complement.
func signedBits(v *big.Int) uint32 {
	if v.Sign() < 0 {
		return uint32(new(big.Int).Not(v).BitLen()) + 1
	}
	return uint32(v.BitLen()) + 1
}
