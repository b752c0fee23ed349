package itscheck

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// checkCases checks (K5) of modular.go.
func checkCases(old, new *its.System, c *equations.Cased) error {
	list := slices.Clone(old.Transitions)
	for _, x := range c.Cases {
		if x.Transition < 0 || x.Transition >= len(list) {
			return fmt.Errorf("there is no such transition")
		}
		t := list[x.Transition]
		if int(x.Temp) < len(old.Variables) || int(x.Temp) >= len(old.Variables)+t.Temps || x.High-x.Low > maxRange {
			return fmt.Errorf("there is no such temporary, or it has too many values")
		}
		if slices.ContainsFunc(t.Products, func(p its.Product) bool { return p.Temp == x.Temp }) {
			return fmt.Errorf("a product has cases")
		}
		low, high := extent(t.Guard, x.Temp)
		if low == nil || high == nil || low.Cmp(big.NewInt(x.Low)) < 0 || high.Cmp(big.NewInt(x.High)) > 0 {
			return fmt.Errorf("a temporary may have other values")
		}
		var cases []its.Transition
		for n := x.Low; n <= x.High; n++ {
			cases = append(cases, withValue(t, x.Temp, linear.Int(n)))
		}
		list = slices.Concat(list[:x.Transition], cases, list[x.Transition+1:])
	}
	if len(list) != len(new.Transitions) {
		return fmt.Errorf("there are other transitions")
	}
	for i := range list {
		want, got := list[i], new.Transitions[i]
		want.Path, want.Inputs, want.Name = got.Path, got.Inputs, got.Name
		if len(want.Products) == 0 && len(got.Products) == 0 {
			want.Products, got.Products = nil, nil
		}
		if !reflect.DeepEqual(want, got) {
			return fmt.Errorf("transition %d is another one", i)
		}
	}
	return nil
}

// withValue is a transition in which a temporary has a value.
func withValue(t its.Transition, v linear.Var, n linear.Number) its.Transition {
	put := func(f linear.Form) linear.Form {
		return f.Substitute(func(u linear.Var) (linear.Form, bool) { return linear.Constant(n), u == v })
	}
	u := t
	u.Guard, u.Update, u.Products, u.Cost = nil, nil, nil, put(t.Cost)
	for _, c := range t.Guard {
		u.Guard = append(u.Guard, linear.Constraint{Form: put(c.Form), Equality: c.Equality})
	}
	for _, f := range t.Update {
		u.Update = append(u.Update, put(f))
	}
	for _, p := range t.Products {
		u.Products = append(u.Products, its.Product{Temp: p.Temp, A: put(p.A), B: put(p.B)})
	}
	return u
}

// extent is between what the value of a variable lies in all states that satisfy a guard, as far as the constraints on single variables
// tell; nil is no bound.
func extent(guard []linear.Constraint, v linear.Var) (low, high *big.Int) {
	least, most := map[linear.Var]*big.Rat{}, map[linear.Var]*big.Rat{}
	// cut uses a*u + rest >= 0 with rest <= upper.
	cut := func(u linear.Var, a, upper *big.Rat) {
		n := quotient(difference(big.NewRat(0, 1), upper), a)
		if a.Sign() > 0 {
			if old := least[u]; old == nil || n.Cmp(old) > 0 {
				least[u] = n
			}
		} else if old := most[u]; old == nil || n.Cmp(old) < 0 {
			most[u] = n
		}
	}
	var forms []linear.Form
	for _, c := range guard {
		forms = append(forms, c.Form)
		if c.Equality {
			forms = append(forms, c.Form.Neg())
		}
	}
	for _, f := range forms {
		if len(f.Terms) == 1 {
			cut(f.Terms[0].Var, f.Terms[0].Coef.Big(), f.Const.Big())
		}
	}
	for _, f := range forms {
		a := f.Coef(v).Big()
		if a.Sign() == 0 {
			continue
		}
		upper, known := new(big.Rat).Set(f.Const.Big()), true
		for _, m := range f.Terms {
			if m.Var == v {
				continue
			}
			end := most[m.Var]
			if m.Coef.Sign() < 0 {
				end = least[m.Var]
			}
			if end == nil {
				known = false
				break
			}
			upper.Add(upper, product(m.Coef.Big(), end))
		}
		if known {
			cut(v, a, upper)
		}
	}
	if x := least[v]; x != nil {
		low = new(big.Int).Neg(floor(new(big.Rat).Neg(x)))
	}
	if x := most[v]; x != nil {
		high = floor(x)
	}
	return low, high
}

// floor rounds down.
func floor(x *big.Rat) *big.Int { return new(big.Int).Div(x.Num(), x.Denom()) }
