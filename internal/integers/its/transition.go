package its

import (
	"slices"

	"assay/internal/logic/linear"
)

// substitute applies a substitution to everything of t. The new forms may use
// temporaries of a different numbering; temps is their number.
func (t Transition) substitute(temps int, by func(linear.Var) (linear.Form, bool), tempOf func(linear.Var) linear.Var) Transition {
	u := t
	u.Temps = temps
	u.Guard = make([]linear.Constraint, len(t.Guard))
	for i, c := range t.Guard {
		u.Guard[i] = linear.Constraint{Form: c.Form.Substitute(by), Equality: c.Equality}
	}
	u.Update = make([]linear.Form, len(t.Update))
	for i, f := range t.Update {
		u.Update[i] = f.Substitute(by)
	}
	u.Inputs = make([]linear.Form, len(t.Inputs))
	for i, f := range t.Inputs {
		u.Inputs[i] = f.Substitute(by)
	}
	u.Products = make([]Product, len(t.Products))
	for i, p := range t.Products {
		u.Products[i] = Product{tempOf(p.Temp), p.A.Substitute(by), p.B.Substitute(by)}
	}
	u.Cost = t.Cost.Substitute(by)
	return u
}

// Compose is t followed by u, which must leave where t arrives.
func (s *System) Compose(t, u Transition) Transition {
	n := linear.Var(len(s.Variables))
	shift := linear.Var(t.Temps)
	move := func(v linear.Var) linear.Var { return v + shift }
	v := u.substitute(t.Temps+u.Temps, func(v linear.Var) (linear.Form, bool) {
		if v < n {
			return t.Update[v], true
		}
		return linear.Variable(move(v)), true
	}, move)
	v.From = t.From
	v.Guard = append(slices.Clone(t.Guard), v.Guard...)
	v.Products = append(slices.Clone(t.Products), v.Products...)
	v.Cost = t.Cost.Add(v.Cost)
	v.Fair = t.Fair || u.Fair
	v.Exact = t.Exact && u.Exact
	v.Path = append(slices.Clone(t.Path), u.Path...)
	v.Inputs = append(slices.Clone(t.Inputs), v.Inputs...)
	if v.Name == "" {
		v.Name = t.Name
	}
	return s.Normalize(v)
}

// Normalize simplifies a transition without changing its steps: constraints are
// tightened; temporaries that equal a form are replaced by it; those that are
// used nowhere are dropped; products with a constant factor become linear.
func (s *System) Normalize(t Transition) Transition {
	for {
		t.Guard = linear.Simplify(t.Guard)
		t = s.linearProducts(t)
		next, changed := s.solveTemp(t)
		if !changed {
			next, changed = s.relaxTemp(t)
		}
		if !changed {
			next, changed = s.pinTemp(t)
		}
		if !changed {
			break
		}
		t = next
	}
	return s.dropTemps(t)
}

// linearProducts replaces products of which one factor is a constant.
func (s *System) linearProducts(t Transition) Transition {
	if !slices.ContainsFunc(t.Products, func(p Product) bool { return p.A.IsConstant() || p.B.IsConstant() }) {
		return t
	}
	t.Guard = slices.Clone(t.Guard)
	var kept []Product
	for _, p := range t.Products {
		a, b := p.A, p.B
		if b.IsConstant() {
			a, b = b, a
		}
		if !a.IsConstant() {
			kept = append(kept, p)
			continue
		}
		t.Guard = append(t.Guard, linear.Equals(linear.Variable(p.Temp), b.Scale(a.Const)).Tighten())
	}
	t.Products = kept
	return t
}

// solveTemp replaces one temporary that an equality determines.
func (s *System) solveTemp(t Transition) (Transition, bool) {
	n := linear.Var(len(s.Variables))
	for i, c := range t.Guard {
		if !c.Equality {
			continue
		}
	terms:
		for _, m := range c.Form.Terms {
			if m.Var < n || !m.Coef.Abs().IsOne() {
				continue
			}
			rest := c.Form.AddScaled(m.Coef.Neg(), linear.Variable(m.Var))
			if !rest.IsIntegral() {
				continue
			}
			for _, p := range t.Products {
				// A product's definition must not be lost, nor depend on products
				// that depend on it.
				if p.Temp == m.Var || (p.A.Has(m.Var) || p.B.Has(m.Var)) && t.hasProduct(rest) {
					continue terms
				}
			}
			value := rest.Scale(m.Coef.Neg())
			t.Guard = append(slices.Clone(t.Guard[:i]), t.Guard[i+1:]...)
			same := func(v linear.Var) linear.Var { return v }
			return t.substitute(t.Temps, func(v linear.Var) (linear.Form, bool) { return value, v == m.Var }, same), true
		}
	}
	return t, false
}

// hasProduct says whether the temporary of a product occurs in f.
func (t *Transition) hasProduct(f linear.Form) bool {
	return slices.ContainsFunc(t.Products, func(p Product) bool { return f.Has(p.Temp) })
}

// relaxTemp drops an inequality that a temporary, used nowhere else, can always
// satisfy. The temporary gets the value at which the inequality is tight.
func (s *System) relaxTemp(t Transition) (Transition, bool) {
	n := linear.Var(len(s.Variables))
	if t.Temps == 0 {
		return t, false
	}
	uses := make([]int, t.Temps)
	count := func(f linear.Form) {
		for _, m := range f.Terms {
			if m.Var >= n {
				uses[m.Var-n]++
			}
		}
	}
	for _, c := range t.Guard {
		count(c.Form)
	}
	for _, f := range t.Update {
		count(f)
	}
	for _, p := range t.Products {
		uses[p.Temp-n]++
		count(p.A)
		count(p.B)
	}
	count(t.Cost)
	for i, c := range t.Guard {
		for _, m := range c.Form.Terms {
			if m.Var < n || uses[m.Var-n] != 1 || !m.Coef.Abs().IsOne() {
				continue
			}
			value := c.Form.AddScaled(m.Coef.Neg(), linear.Variable(m.Var)).Scale(m.Coef.Neg())
			if !value.IsIntegral() {
				continue
			}
			t.Guard = append(slices.Clone(t.Guard[:i]), t.Guard[i+1:]...)
			same := func(v linear.Var) linear.Var { return v }
			return t.substitute(t.Temps, func(v linear.Var) (linear.Form, bool) { return value, v == m.Var }, same), true
		}
	}
	return t, false
}

// pinTemp gives a temporary that only has bounds, and is used nowhere else, a value
// within them: the choice of an input that decides nothing but a branch.
func (s *System) pinTemp(t Transition) (Transition, bool) {
	n := linear.Var(len(s.Variables))
	if t.Temps == 0 {
		return t, false
	}
	used := make([]bool, t.Temps)
	mark := func(f linear.Form) {
		for _, m := range f.Terms {
			if m.Var >= n {
				used[m.Var-n] = true
			}
		}
	}
	for _, c := range t.Guard {
		if len(c.Form.Terms) > 1 || c.Equality {
			mark(c.Form)
		}
	}
	for _, f := range t.Update {
		mark(f)
	}
	for _, p := range t.Products {
		used[p.Temp-n] = true
		mark(p.A)
		mark(p.B)
	}
	mark(t.Cost)
	for k := range used {
		if used[k] {
			continue
		}
		v := n + linear.Var(k)
		var lo, hi linear.Number
		var hasLo, hasHi bool
		for _, c := range t.Guard {
			if !c.Form.Has(v) {
				continue
			}
			a := c.Form.Coef(v)
			b := c.Form.Const.Neg().Div(a)
			if a.Sign() > 0 {
				if b = b.Ceil(); !hasLo || b.Cmp(lo) > 0 {
					lo, hasLo = b, true
				}
			} else if b = b.Floor(); !hasHi || b.Cmp(hi) < 0 {
				hi, hasHi = b, true
			}
		}
		var value linear.Number // 0 if that is allowed
		switch {
		case !hasLo && !hasHi, hasLo && hasHi && lo.Cmp(hi) > 0:
			continue
		case hasLo && lo.Sign() > 0:
			value = lo
		case hasHi && hi.Sign() < 0:
			value = hi
		}
		same := func(v linear.Var) linear.Var { return v }
		return t.substitute(t.Temps, func(u linear.Var) (linear.Form, bool) { return linear.Constant(value), u == v }, same), true
	}
	return t, false
}

// dropTemps numbers the temporaries that are used without gaps.
func (s *System) dropTemps(t Transition) Transition {
	n := linear.Var(len(s.Variables))
	used := make([]bool, t.Temps)
	mark := func(f linear.Form) {
		for _, m := range f.Terms {
			if m.Var >= n {
				used[m.Var-n] = true
			}
		}
	}
	for _, c := range t.Guard {
		mark(c.Form)
	}
	for _, f := range t.Update {
		mark(f)
	}
	mark(t.Cost)
	// A product is needed if its temporary is; it then needs its factors.
	for again := true; again; {
		again = false
		for _, p := range t.Products {
			if used[p.Temp-n] {
				before := countTrue(used)
				mark(p.A)
				mark(p.B)
				again = again || countTrue(used) > before
			}
		}
	}
	if countTrue(used) == t.Temps {
		return t
	}
	number := make([]linear.Var, t.Temps)
	next := n
	for k := range used {
		if used[k] {
			number[k] = next
			next++
		}
	}
	products := make([]Product, 0, len(t.Products))
	dropped := map[linear.Var]bool{}
	for _, p := range t.Products {
		if used[p.Temp-n] {
			products = append(products, p)
		} else {
			dropped[p.Temp] = true
		}
	}
	t.Products = products
	// An input that nothing else uses may be anything: 0. An input that is the
	// product of an unused one is computed by the executor.
	return t.substitute(int(next-n), func(v linear.Var) (linear.Form, bool) {
		if v < n {
			return linear.Form{}, false
		}
		if used[v-n] {
			return linear.Variable(number[v-n]), true
		}
		return linear.Form{}, true
	}, func(v linear.Var) linear.Var { return number[v-n] })
}

func countTrue(b []bool) int {
	n := 0
	for _, x := range b {
		if x {
			n++
		}
	}
	return n
}
