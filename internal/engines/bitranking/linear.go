package bitranking

import (
	"context"

	"assay/internal/logic/linear"
)

// This file finds affine functions by a linear program: of those that increase on no
// pair seen, and decrease by 1 at least on one pair or on all, one with the smallest
// sum of coefficients (in absolute value).

// maxGuesses bounds the functions that are found so in a row, maxCoefficient
// their coefficients.
const (
	maxGuesses     = 12
	maxCoefficient = 1 << 20
	maxRows        = 80
)

// guessLinear finds a function, nil if there is none.
func guessLinear(ctx context.Context, places []place, fixed int, pairs []pair, all bool) function {
	if len(pairs) > maxRows {
		pairs = pairs[len(pairs)-maxRows:]
	}
	var columns []summand
	for i, x := range places[:len(places)-fixed] {
		columns = append(columns, summand{i, 1, x.Bits > 1})
		if x.Bits > 1 && readsDifferently(places, i, pairs) {
			columns = append(columns, summand{i, 1, false})
		}
	}
	if !all {
		// Of several pairs, the last is the one that must decrease.
		for i := len(pairs) - 1; i >= 0 && i >= len(pairs)-3; i-- {
			if f := solve(ctx, places, columns, pairs, func(k int) bool { return k == i }); f != nil {
				return f
			}
		}
		return nil
	}
	return solve(ctx, places, columns, pairs, func(k int) bool { return pairs[k].accepted })
}

// readsDifferently says whether a place is negative in some pair.
func readsDifferently(places []place, i int, pairs []pair) bool {
	sign := uint64(1) << (places[i].Bits - 1)
	for _, q := range pairs {
		if (q.before[i]|q.now[i])&sign != 0 {
			return true
		}
	}
	return false
}

func solve(ctx context.Context, places []place, columns []summand, pairs []pair, strictly func(int) bool) function {
	s := linear.NewSimplex(ctx)
	plus, minus := make([]linear.Var, len(columns)), make([]linear.Var, len(columns))
	var size linear.Form
	for i := range columns {
		plus[i], minus[i] = s.NewVar(), s.NewVar()
		s.AssertLower(plus[i], linear.Int(0), 0)
		s.AssertLower(minus[i], linear.Int(0), 0)
		size = size.Add(linear.Variable(plus[i])).Add(linear.Variable(minus[i]))
	}
	for k, q := range pairs {
		var loss linear.Form // f(before) - f(now)
		for i, c := range columns {
			d := exact(places, []summand{c}, q.before)
			n := linear.FromBigInt(d.Sub(d, exact(places, []summand{c}, q.now)))
			loss = loss.AddScaled(n, linear.Variable(plus[i])).AddScaled(n.Neg(), linear.Variable(minus[i]))
		}
		if strictly(k) {
			loss = loss.Plus(linear.Int(-1))
		}
		if !s.Assert(linear.Constraint{Form: loss}, 0) {
			return nil
		}
	}
	if _, status := s.Minimize(size); status != linear.Feasible {
		return nil
	}
	var f linear.Form
	for i := range columns {
		f = f.AddScaled(s.Value(plus[i]).Add(s.Value(minus[i]).Neg()), linear.Variable(linear.Var(i)))
	}
	f = f.Integral()
	var sum []summand
	for _, t := range f.Terms {
		n, ok := t.Coef.Int64()
		if !ok || magnitude(n) > maxCoefficient {
			return nil
		}
		c := columns[t.Var]
		c.coeff = n
		sum = append(sum, c)
	}
	if len(sum) == 0 {
		return nil
	}
	return affine(sum...)
}
