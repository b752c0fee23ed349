package its

import (
	"fmt"
	"math/big"
	"slices"

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
	values, known := make([]linear.Number, n+t.Temps), make([]bool, n+t.Temps)
	for i, x := range slices.Concat(state, inputs) {
		if x != nil {
			values[i], known[i] = linear.FromBigInt(x), true
		}
	}
	for _, p := range t.Products {
		known[p.Temp] = false
	}
	eval := func(f linear.Form) (linear.Number, error) {
		sum := f.Const
		for _, m := range f.Terms {
			if !known[m.Var] {
				return sum, fmt.Errorf("its: %s has no value", s.VarName(m.Var))
			}
			sum = sum.Add(m.Coef.Mul(values[m.Var]))
		}
		return sum, nil
	}
	whole := func(f linear.Form) (linear.Number, error) {
		sum, err := eval(f)
		if err == nil && !sum.IsInt() {
			err = fmt.Errorf("its: %v is not an integer", sum)
		}
		return sum, err
	}
	for _, p := range t.Products {
		a, err := whole(p.A)
		if err != nil {
			return nil, err
		}
		b, err := whole(p.B)
		if err != nil {
			return nil, err
		}
		values[p.Temp], known[p.Temp] = a.Mul(b), true
	}
	for _, c := range t.Guard {
		v, err := eval(c.Form)
		if err != nil {
			return nil, err
		}
		if c.Equality && v.Sign() != 0 || v.Sign() < 0 {
			return nil, blocked{s, c}
		}
	}
	next := make([]*big.Int, n)
	for v, u := range t.Update {
		w, err := whole(u)
		if err != nil {
			return nil, err
		}
		next[v] = w.BigInt()
	}
	return next, nil
}

// blocked says which guard does not hold. Walks try many transitions and do not ask.
type blocked struct {
	s *System
	c linear.Constraint
}

func (b blocked) Error() string {
	return fmt.Sprintf("its: the guard %s does not hold", b.c.Format(b.s.VarName))
}
