package its

import (
	"fmt"
	"math/big"

	"assay/internal/logic/linear"
)

// Step executes a transition concretely: the state has a value for each
// variable, inputs one for each temporary (those of products are computed, and
// may be nil). It is an error if the guard does not hold.
func (s *System) Step(t *Transition, state, inputs []*big.Int) ([]*big.Int, error) {
	n := len(s.Variables)
	if len(state) != n || len(inputs) != t.Temps {
		return nil, fmt.Errorf("its: %d values and %d inputs for %d variables and %d temporaries", len(state), len(inputs), n, t.Temps)
	}
	values := make([]*big.Int, 0, n+len(inputs))
	values = append(append(values, state...), inputs...)
	for _, p := range t.Products {
		values[p.Temp] = nil
	}
	eval := func(f linear.Form) (*big.Int, error) {
		sum := new(big.Rat).Set(f.Const.Big())
		for _, m := range f.Terms {
			if values[m.Var] == nil {
				return nil, fmt.Errorf("its: %s has no value", s.VarName(m.Var))
			}
			p := new(big.Rat).SetInt(values[m.Var])
			sum.Add(sum, p.Mul(p, m.Coef.Big()))
		}
		if !sum.IsInt() {
			return nil, fmt.Errorf("its: %v is not an integer", sum)
		}
		return sum.Num(), nil
	}
	for _, p := range t.Products {
		a, err := eval(p.A)
		if err != nil {
			return nil, err
		}
		b, err := eval(p.B)
		if err != nil {
			return nil, err
		}
		values[p.Temp] = new(big.Int).Mul(a, b)
	}
	for _, c := range t.Guard {
		f := c.Form.Integral()
		f = f.Scale(f.Const.Denominator())
		v, err := eval(f)
		if err != nil {
			return nil, err
		}
		if c.Equality && v.Sign() != 0 || v.Sign() < 0 {
			return nil, fmt.Errorf("its: the guard %s does not hold", c.Format(s.VarName))
		}
	}
	next := make([]*big.Int, n)
	for v, u := range t.Update {
		w, err := eval(u)
		if err != nil {
			return nil, err
		}
		next[v] = w
	}
	return next, nil
}
