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

// checkFreed checks (K4) of modular.go.
func checkFreed(old, new *its.System, observed []bool, facts [][]linear.Constraint, c *equations.Freed) error {
	n := len(old.Transitions)
	if len(c.Frozen) != len(old.Variables) || len(c.Free) != n || len(c.Dropped) != n || len(facts) != n {
		return reject("a table of the certificate has a wrong length")
	}
	for v, yes := range observed {
		if yes && c.Frozen[v] {
			return reject("an observed variable is frozen")
		}
	}
	for i := range old.Transitions {
		t, u := &old.Transitions[i], &new.Transitions[i]
		if err := free(t, u, len(old.Variables), facts[i], c.Frozen, c.Free[i], c.Dropped[i]); err != nil {
			return reject("transition %d: %v", i, err)
		}
	}
	return nil
}

func free(t, u *its.Transition, vars int, facts []linear.Constraint, frozen []bool, free []linear.Var, dropped []int) error {
	want := *t
	want.Guard, want.Update, want.Products = nil, slices.Clone(t.Update), u.Products
	for k, c := range t.Guard {
		if !slices.Contains(dropped, k) {
			want.Guard = append(want.Guard, c)
		}
	}
	for v := range want.Update {
		if frozen[v] {
			want.Update[v] = linear.Variable(linear.Var(v))
		}
	}
	want.Path, want.Inputs, want.Name = u.Path, u.Inputs, u.Name
	got := *u
	if len(want.Guard) == 0 && len(got.Guard) == 0 {
		want.Guard, got.Guard = nil, nil
	}
	if !reflect.DeepEqual(want, got) {
		return fmt.Errorf("it differs in what the certificate does not say")
	}
	for _, p := range t.Products {
		if len(free) > 0 && (p.A.MaxVar() >= p.Temp || p.B.MaxVar() >= p.Temp) {
			return fmt.Errorf("a product is made of later temporaries")
		}
		kept := slices.ContainsFunc(u.Products, func(q its.Product) bool { return p.Temp == q.Temp && sameForm(p.A, q.A) && sameForm(p.B, q.B) })
		if !kept && mentions(u, p.Temp) {
			return fmt.Errorf("a product that is used is dropped")
		}
	}
	if len(u.Products) > len(t.Products) || slices.ContainsFunc(u.Products, func(p its.Product) bool {
		return !slices.ContainsFunc(t.Products, func(q its.Product) bool { return p.Temp == q.Temp && sameForm(p.A, q.A) && sameForm(p.B, q.B) })
	}) {
		return fmt.Errorf("a product that is new")
	}
	// Nothing that stays is about frozen variables or free temporaries.
	stays := func(f linear.Form) bool {
		return !slices.ContainsFunc(f.Terms, func(m linear.Term) bool {
			return int(m.Var) < vars && frozen[m.Var] || slices.Contains(free, m.Var)
		})
	}
	for v, f := range u.Update {
		if !frozen[v] && !stays(f) {
			return fmt.Errorf("a variable depends on a frozen one, or on a free temporary")
		}
	}
	if !stays(u.Cost) || slices.ContainsFunc(u.Guard, func(c linear.Constraint) bool { return !stays(c.Form) }) ||
		slices.ContainsFunc(u.Products, func(p its.Product) bool { return !stays(p.A) || !stays(p.B) }) {
		return fmt.Errorf("what stays depends on a frozen variable, or on a free temporary")
	}
	// Each dropped constraint is a fact, or one of products, or is about a free temporary, the last one in it, with just one other that is.
	pairs := map[linear.Var][]linear.Constraint{}
	for _, k := range dropped {
		if k < 0 || k >= len(t.Guard) {
			return fmt.Errorf("a constraint that does not exist")
		}
		c := t.Guard[k]
		if !slices.ContainsFunc(c.Form.Terms, func(m linear.Term) bool { return slices.Contains(free, m.Var) }) {
			if !isFact(facts, c) && !ofProduct(t, c) {
				return fmt.Errorf("constraint %d is dropped, and no fact", k)
			}
			continue
		}
		pairs[c.Form.MaxVar()] = append(pairs[c.Form.MaxVar()], c)
	}
	products := map[linear.Var]bool{}
	for _, p := range t.Products {
		products[p.Temp] = true
	}
	for v, pair := range pairs {
		if int(v) < vars || !slices.Contains(free, v) || products[v] || len(pair) != 2 {
			return fmt.Errorf("constraints are dropped that are not those of the range of a free temporary")
		}
		a, b := pair[0], pair[1]
		sum := a.Form.Add(b.Form)
		if a.Equality || b.Equality || !a.Form.IsIntegral() || !b.Form.IsIntegral() || len(sum.Terms) > 0 ||
			sum.Const.Cmp(a.Form.Coef(v).Abs().Sub(linear.Int(1))) < 0 {
			return fmt.Errorf("a free temporary may find no place in a range")
		}
	}
	return nil
}

// isFact says that a fact implies a constraint on the same variable.
func isFact(facts []linear.Constraint, c linear.Constraint) bool {
	if c.Equality || len(c.Form.Terms) != 1 {
		return false
	}
	for _, b := range facts {
		if !b.Equality && b.Form.SameTerms(c.Form) && b.Form.Const.Cmp(c.Form.Const) <= 0 {
			return true
		}
	}
	return false
}

// ofProduct says that a constraint on a product holds by the intervals of its factors, in which variables have the extents that the other
// constraints give. They are constraints on variables, and so stay, or are facts.
func ofProduct(t *its.Transition, c linear.Constraint) bool {
	if c.Equality || len(c.Form.Terms) != 1 {
		return false
	}
	m := c.Form.Terms[0]
	for _, p := range t.Products {
		if p.Temp != m.Var {
			continue
		}
		if sameForm(p.A, p.B) && m.Coef.Sign() > 0 && c.Form.Const.Sign() >= 0 {
			return true // a square
		}
		a, b := ends(t, p.A), ends(t, p.B)
		if a == nil || b == nil {
			return false
		}
		for _, x := range a { // a product is greatest, and least, at corners
			for _, y := range b {
				value := new(big.Rat).SetInt(new(big.Int).Mul(x, y))
				if product(value, m.Coef.Big()).Cmp(new(big.Rat).Neg(c.Form.Const.Big())) < 0 {
					return false
				}
			}
		}
		return true
	}
	return false
}

// ends are the least and the greatest value of a form over variables, nil if they are not known.
func ends(t *its.Transition, f linear.Form) []*big.Int {
	if !f.IsIntegral() {
		return nil
	}
	low, high := new(big.Int).Set(f.Const.BigInt()), new(big.Int).Set(f.Const.BigInt())
	for _, m := range f.Terms {
		if int(m.Var) >= len(t.Update) {
			return nil
		}
		var own []linear.Constraint
		for _, c := range t.Guard {
			if len(c.Form.Terms) == 1 && c.Form.Terms[0].Var == m.Var {
				own = append(own, c)
			}
		}
		least, most := extent(own, m.Var)
		if least == nil || most == nil {
			return nil
		}
		if m.Coef.Sign() < 0 {
			least, most = most, least
		}
		low.Add(low, new(big.Int).Mul(m.Coef.BigInt(), least))
		high.Add(high, new(big.Int).Mul(m.Coef.BigInt(), most))
	}
	return []*big.Int{low, high}
}

// mentions says whether a temporary occurs in a transition.
func mentions(t *its.Transition, v linear.Var) bool {
	return t.Cost.Has(v) || slices.ContainsFunc(t.Guard, func(c linear.Constraint) bool { return c.Form.Has(v) }) ||
		slices.ContainsFunc(t.Update, func(f linear.Form) bool { return f.Has(v) }) ||
		slices.ContainsFunc(t.Products, func(p its.Product) bool { return p.A.Has(v) || p.B.Has(v) })
}

// sameForm says that two forms are written alike.
func sameForm(f, g linear.Form) bool { return f.SameTerms(g) && f.Const.Equal(g.Const) }
