package walk

import (
	"math/big"
	"math/rand/v2"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// maxSolved is the number of temporaries up to which their numbers are looked for with the guard.
const maxSolved = 16

// inputs are numbers for the temporaries of a transition, chosen one after the other within what
// the constraints say of it that have no other one without a number: a rest of a division, which two of a
// thousand numbers are, is not found by chance. Those of products are computed, and stay nil.
func inputs(s *its.System, rng *rand.Rand, t *its.Transition, state []*big.Int, number func() *big.Int) []*big.Int {
	out := make([]*big.Int, t.Temps)
	if t.Temps > maxSolved || t.Temps == 0 {
		for i := range out {
			out[i] = number()
		}
		return out
	}
	c := choice{variables: len(s.Variables), t: t, values: slices.Concat(state, out)}
	for range out {
		c.products()
		k, r := c.next()
		if k < 0 {
			break
		}
		c.values[k] = r.pick(rng, number)
		out[k-c.variables] = c.values[k]
	}
	return out
}

// choice is a state with the numbers that temporaries have so far.
type choice struct {
	variables int
	t         *its.Transition
	values    []*big.Int
}

// products computes those whose factors have numbers.
func (c *choice) products() {
	for _, p := range c.t.Products {
		if c.values[p.Temp] != nil {
			continue
		}
		a, okA := c.eval(p.A)
		b, okB := c.eval(p.B)
		if n := a.Mul(b); okA && okB && n.IsInt() {
			c.values[p.Temp] = n.BigInt()
		}
	}
}

func (c *choice) eval(f linear.Form) (linear.Number, bool) {
	for _, m := range f.Terms {
		if c.values[m.Var] == nil {
			return linear.Number{}, false
		}
	}
	return f.Eval(func(v linear.Var) linear.Number { return linear.FromBigInt(c.values[v]) }), true
}

// next is a temporary without a number, and what it may be: one that an equation determines, or the best.
func (c *choice) next() (int, span) {
	spans := make([]span, len(c.values)-c.variables)
	for _, g := range c.t.Guard {
		open, coef := -1, linear.Number{}
		for _, m := range g.Form.Terms {
			if c.values[m.Var] == nil {
				if open >= 0 {
					open = -2
					break
				}
				open, coef = int(m.Var), m.Coef
			}
		}
		if open < 0 {
			continue
		}
		v := linear.Var(open)
		rest, _ := c.eval(g.Form.AddScaled(coef.Neg(), linear.Variable(v)))
		spans[open-c.variables].meet(rest.Neg().Div(coef), g.Equality, coef.Sign() > 0)
	}
	// One with two bounds, or a factor of a product, which then bounds others, or one with a bound.
	best, rank := -1, -1
	for k := range spans {
		v := linear.Var(c.variables + k)
		if c.values[v] != nil || slices.ContainsFunc(c.t.Products, func(p its.Product) bool { return p.Temp == v }) {
			continue
		}
		r := 0
		switch low, high := spans[k].low != nil, spans[k].high != nil; {
		case low && high:
			return int(v), spans[k]
		case slices.ContainsFunc(c.t.Products, func(p its.Product) bool { return p.A.Has(v) || p.B.Has(v) }):
			r = 2
		case low || high:
			r = 1
		}
		if r > rank {
			best, rank = int(v), r
		}
	}
	if best < 0 {
		return -1, span{}
	}
	return best, spans[best-c.variables]
}

// span is a range of integers; nil is no bound.
type span struct{ low, high *big.Int }

// meet takes a bound into account: from below, from above, or both.
func (r *span) meet(bound linear.Number, both, below bool) {
	if n := bound.Ceil().BigInt(); (both || below) && (r.low == nil || n.Cmp(r.low) > 0) {
		r.low = n
	}
	if n := bound.Floor().BigInt(); (both || !below) && (r.high == nil || n.Cmp(r.high) < 0) {
		r.high = n
	}
}

// pick is one of them, near a bound if most are far.
func (r *span) pick(rng *rand.Rand, number func() *big.Int) *big.Int {
	n := number()
	below, above := r.low != nil && n.Cmp(r.low) < 0, r.high != nil && n.Cmp(r.high) > 0
	if !below && !above {
		return n
	}
	n.Abs(n)
	if r.low != nil && r.high != nil {
		size := new(big.Int).Sub(r.high, r.low)
		if size.Sign() < 0 {
			return n // there is none
		}
		n.Mod(n, size.Add(size, big.NewInt(1)))
	}
	if r.low != nil && (r.high == nil || rng.IntN(2) == 0) {
		return n.Add(r.low, n)
	}
	return n.Sub(r.high, n)
}
