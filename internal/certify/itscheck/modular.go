package itscheck

import (
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file checks the steps by which conditions with products become linear where numbers wrap (equations/modular.go). Each makes a
// system with the same runs as the one before, as far as these satisfy the facts: constraints that
// hold in the states in which a run of the program takes a transition.
//
//	(K1) At the initial location no congruence is claimed.
//	(K2) A congruence of a location is a multiple of 2^w behind each transition into it: after the update it is the sum of the products of
//	     cofactors and hypotheses, which are multiples of 2^w before, and of a polynomial whose coefficients are multiples of 2^w. All
//	     polynomials have integers as coefficients, and all variables and temporaries are integers.
//	(K3) By of a shift is such a sum, too, and not about the temporary, which is no product and no part of one, or of the cost. Then the
//	     temporary plus By/2^w takes all integers if the temporary does. All forms of the new transition are those of the old one
//	     with that in its place, as polynomials.
//	(K4) What nothing depends on may be frozen, as in (R5). A dropped constraint is implied by a fact, or is about a product and implied by
//	     intervals, or is one of two between which a
//	     free temporary finds a place: they say of the same form F, over integers, that it is between two numbers, which are at least
//	     the coefficient of the temporary less 1 apart. Free temporaries are chosen in ascending order: F is about no later one.
//	     A product has a greater number than what it is made of, so it is known when what is made of it is looked at. No free one occurs in what stays.
//	(K5) Of a temporary that gets cases, the values are between the bounds that intervals give, and each of them gets a transition.
//	(K6) Nothing else differs. Paths and names say nothing of runs: the new system stands for itself.

// Modular checks a step; nil means yes.
func Modular(old, new *its.System, observed []bool, facts [][]linear.Constraint, step equations.Step) error {
	if !slices.Equal(old.Variables, new.Variables) || !slices.Equal(old.Locations, new.Locations) || old.Initial != new.Initial || old.Branching != new.Branching {
		return reject("the rewritten system has another shape")
	}
	if err := new.Check(); err != nil {
		return reject("the rewritten system: %v", err)
	}
	if cased, ok := step.(*equations.Cased); ok {
		if err := checkCases(old, new, cased); err != nil {
			return reject("cases: %v", err)
		}
		return nil
	}
	if len(old.Transitions) != len(new.Transitions) {
		return reject("the rewritten system has another shape")
	}
	switch step := step.(type) {
	case *equations.Shifted:
		return checkShifted(old, new, step)
	case *equations.Freed:
		return checkFreed(old, new, observed, facts, step)
	}
	return reject("an unknown step: %T", step)
}

func checkShifted(old, new *its.System, c *equations.Shifted) error {
	n := len(old.Transitions)
	if c.Width < 2 || c.Width > 64 || len(c.Equations) != len(old.Locations) || len(c.Kept) != n || len(c.Shifts) != n {
		return reject("a table of the certificate has a wrong length")
	}
	if len(c.Equations[old.Initial]) > 0 {
		return reject("a congruence is claimed of initial states")
	}
	for i := range old.Transitions {
		r := &rewritten{vars: len(old.Variables), old: &old.Transitions[i], new: &new.Transitions[i]}
		if err := r.checkShifts(c, i); err != nil {
			return reject("transition %d: %v", i, err)
		}
	}
	return nil
}

func (r *rewritten) checkShifts(c *equations.Shifted, i int) error {
	if r.vars+r.old.Temps > maxNumber {
		return fmt.Errorf("too many variables")
	}
	if r.old.From != r.new.From || r.old.To != r.new.To || r.old.Temps != r.new.Temps || r.old.Fair != r.new.Fair || r.old.Exact != r.new.Exact ||
		len(r.old.Guard) != len(r.new.Guard) || !sameForm(r.old.Cost, r.new.Cost) {
		return fmt.Errorf("it differs in what the certificate does not say")
	}
	r.products = map[linear.Var]expanded{}
	for _, p := range r.old.Products {
		r.products[p.Temp] = r.form(p.A).times(r.form(p.B))
	}
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(c.Width))
	var hypotheses []expanded
	for _, h := range c.Equations[r.old.From] {
		p, err := r.equation(h)
		if err != nil {
			return err
		}
		hypotheses = append(hypotheses, p)
	}
	for _, x := range r.old.Guard {
		if x.Equality {
			hypotheses = append(hypotheses, r.form(x.Form))
		}
	}
	for _, h := range hypotheses {
		if !h.integral() {
			return fmt.Errorf("a hypothesis has fractions as coefficients")
		}
	}
	if len(c.Kept[i]) != len(c.Equations[r.old.To]) {
		return fmt.Errorf("not each congruence of the target has cofactors")
	}
	for _, f := range r.old.Update {
		if !f.IsIntegral() {
			return fmt.Errorf("an update is not integral")
		}
	}
	for k, h := range c.Equations[r.old.To] {
		p, err := r.equation(h)
		if err != nil {
			return err
		}
		after := p.substitute(func(v rune) expanded { return r.form(r.old.Update[v-1]) })
		if err := congruent(after, hypotheses, c.Kept[i][k], modulus); err != nil {
			return fmt.Errorf("congruence %d of the target: %w", k, err)
		}
	}
	// The old forms, with the shifts made one after the other.
	guard, update := make([]expanded, len(r.old.Guard)), make([]expanded, len(r.old.Update))
	for k, x := range r.old.Guard {
		guard[k] = r.form(x.Form)
	}
	for v, f := range r.old.Update {
		update[v] = r.form(f)
	}
	for _, x := range c.Shifts[i] {
		if int(x.Temp) < r.vars || int(x.Temp) >= r.vars+r.old.Temps {
			return fmt.Errorf("there is no such temporary")
		}
		for _, p := range r.old.Products {
			if p.Temp == x.Temp || p.A.Has(x.Temp) || p.B.Has(x.Temp) {
				return fmt.Errorf("a shifted temporary is a product, or part of one")
			}
		}
		by := expanded{}
		for m, n := range x.By {
			by.add(keyOf(m), n.Big())
		}
		own := rune(x.Temp + 1)
		if r.old.Cost.Has(x.Temp) || by.about(own) || !by.integral() || r.unknown(by) {
			return fmt.Errorf("a shift is not one")
		}
		if err := congruent(by, hypotheses, x.Cofactors, modulus); err != nil {
			return fmt.Errorf("shift of temporary %d: %w", x.Temp, err)
		}
		place := expanded{monomial{own}.key(): big.NewRat(1, 1)}
		for m, n := range by {
			place.add(m, new(big.Rat).Quo(n, new(big.Rat).SetInt(modulus)))
		}
		put := func(p expanded) expanded {
			return p.substitute(func(v rune) expanded {
				if v == own {
					return place
				}
				return expanded{monomial{v}.key(): big.NewRat(1, 1)}
			})
		}
		for k := range guard {
			if guard[k].about(own) {
				guard[k] = put(guard[k])
			}
		}
		for v := range update {
			if update[v].about(own) {
				update[v] = put(update[v])
			}
		}
	}
	// The new forms mean the same, with the products that are left.
	r.products = map[linear.Var]expanded{}
	for _, p := range r.new.Products {
		if !slices.ContainsFunc(r.old.Products, func(q its.Product) bool { return p.Temp == q.Temp && sameForm(p.A, q.A) && sameForm(p.B, q.B) }) {
			return fmt.Errorf("a product that is new")
		}
		r.products[p.Temp] = r.form(p.A).times(r.form(p.B))
	}
	for _, p := range r.old.Products {
		if _, kept := r.products[p.Temp]; !kept && mentions(r.new, p.Temp) {
			return fmt.Errorf("a product that is used is dropped")
		}
	}
	for k, x := range r.new.Guard {
		if x.Equality != r.old.Guard[k].Equality || !sameConstraint(guard[k], r.form(x.Form), x.Equality) {
			return fmt.Errorf("constraint %d is another one", k)
		}
	}
	for v, f := range r.new.Update {
		if len(update[v].plus(r.form(f), -1)) > 0 {
			return fmt.Errorf("update %d is another one", v)
		}
	}
	return nil
}

// mentions says whether a temporary occurs in a transition.
func mentions(t *its.Transition, v linear.Var) bool {
	return t.Cost.Has(v) || slices.ContainsFunc(t.Guard, func(c linear.Constraint) bool { return c.Form.Has(v) }) ||
		slices.ContainsFunc(t.Update, func(f linear.Form) bool { return f.Has(v) }) ||
		slices.ContainsFunc(t.Products, func(p its.Product) bool { return p.A.Has(v) || p.B.Has(v) })
}

// sameForm says that two forms are written alike.
func sameForm(f, g linear.Form) bool { return f.SameTerms(g) && f.Const.Equal(g.Const) }

// sameConstraint says that over the integers the new polynomial is not negative, or 0, where the old one is: it is a positive multiple of
// it, where for an inequality the constant may be rounded down after a division by a common factor of the other coefficients.
func sameConstraint(old, new expanded, equality bool) bool {
	var factor *big.Rat
	for m, c := range old {
		if m != "" {
			if d := new[m]; d == nil {
				return false
			} else if q := quotient(d, c); factor == nil {
				factor = q
			} else if factor.Cmp(q) != 0 {
				return false
			}
		}
	}
	for m := range new {
		if m != "" && old[m] == nil {
			return false
		}
	}
	constant := func(p expanded) *big.Rat {
		if c := p[""]; c != nil {
			return c
		}
		return quotient(big.NewRat(0, 1), big.NewRat(1, 1))
	}
	if factor == nil { // both are constants: as true as each other
		holds := func(p expanded) bool { s := constant(p).Sign(); return s == 0 || s > 0 && !equality }
		return holds(old) == holds(new)
	}
	if factor.Sign() <= 0 {
		return false
	}
	scaled := product(constant(old), factor)
	if scaled.Cmp(constant(new)) == 0 {
		return true
	}
	if equality {
		return false
	}
	for m, c := range new { // the rest is an integer: so it may be compared with the floor
		if m != "" && !c.IsInt() {
			return false
		}
	}
	floor := new[""]
	if floor == nil {
		floor = big.NewRat(0, 1)
	}
	apart := difference(scaled, floor)
	return floor.IsInt() && apart.Sign() >= 0 && apart.Cmp(big.NewRat(1, 1)) < 0
}

func quotient(a, b *big.Rat) *big.Rat   { return new(big.Rat).Quo(a, b) }
func product(a, b *big.Rat) *big.Rat    { return new(big.Rat).Mul(a, b) }
func difference(a, b *big.Rat) *big.Rat { return new(big.Rat).Sub(a, b) }

func (p expanded) integral() bool {
	for _, c := range p {
		if !c.IsInt() {
			return false
		}
	}
	return true
}

// about says whether a variable, by its number from 1, occurs.
func (p expanded) about(v rune) bool {
	for m := range p {
		if slices.Contains([]rune(m), v) {
			return true
		}
	}
	return false
}

// unknown says that a polynomial has a variable that the transition has not, or one that is a product.
func (r *rewritten) unknown(p expanded) bool {
	for m := range p {
		for _, v := range m {
			_, isProduct := r.products[linear.Var(v-1)]
			if isProduct || int(v) > r.vars+r.old.Temps {
				return true
			}
		}
	}
	return false
}

// congruent checks that a polynomial is the sum of the products of cofactors and hypotheses, and of one whose coefficients are multiples of
// a modulus.
func congruent(p expanded, hypotheses []expanded, cofactors []rational.Polynomial, modulus *big.Int) error {
	if len(cofactors) != len(hypotheses) {
		return fmt.Errorf("%d cofactors for %d hypotheses", len(cofactors), len(hypotheses))
	}
	rest := p
	for i, q := range cofactors {
		c := expanded{}
		for m, n := range q {
			c.add(keyOf(m), n.Big())
		}
		if !c.integral() {
			return fmt.Errorf("a cofactor has fractions as coefficients")
		}
		rest = rest.plus(c.times(hypotheses[i]), -1)
	}
	for _, c := range rest {
		if !c.IsInt() || new(big.Int).Mod(c.Num(), modulus).Sign() != 0 {
			return fmt.Errorf("the sum is another polynomial modulo %v", modulus)
		}
	}
	return nil
}

// checkFreed checks (K4).
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

// checkCases checks (K5).
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
