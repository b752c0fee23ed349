package itscheck

import (
	"fmt"
	"math/big"
	"slices"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// checkShifted checks (K1) to (K3) of modular.go.
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
	hypotheses, err := r.multiples(c)
	if err != nil {
		return err
	}
	if err := r.keeps(c, i, hypotheses, modulus); err != nil {
		return err
	}
	guard, update, err := r.shifted(c.Shifts[i], hypotheses, modulus)
	if err != nil {
		return err
	}
	return r.sameAs(guard, update)
}

// multiples are the polynomials whose values are multiples of 2^w before a transition that is taken: the congruences of its location and
// its equations.
func (r *rewritten) multiples(c *equations.Shifted) ([]expanded, error) {
	var hypotheses []expanded
	for _, h := range c.Equations[r.old.From] {
		p, err := r.equation(h)
		if err != nil {
			return nil, err
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
			return nil, fmt.Errorf("a hypothesis has fractions as coefficients")
		}
	}
	return hypotheses, nil
}

// keeps checks (K2).
func (r *rewritten) keeps(c *equations.Shifted, i int, hypotheses []expanded, modulus *big.Int) error {
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
	return nil
}

// shifted are the forms of the old transition with the shifts made one after the other, which it checks by (K3).
func (r *rewritten) shifted(shifts []equations.Shift, hypotheses []expanded, modulus *big.Int) (guard, update []expanded, err error) {
	guard, update = make([]expanded, len(r.old.Guard)), make([]expanded, len(r.old.Update))
	for k, x := range r.old.Guard {
		guard[k] = r.form(x.Form)
	}
	for v, f := range r.old.Update {
		update[v] = r.form(f)
	}
	for _, x := range shifts {
		if int(x.Temp) < r.vars || int(x.Temp) >= r.vars+r.old.Temps {
			return nil, nil, fmt.Errorf("there is no such temporary")
		}
		for _, p := range r.old.Products {
			if p.Temp == x.Temp || p.A.Has(x.Temp) || p.B.Has(x.Temp) {
				return nil, nil, fmt.Errorf("a shifted temporary is a product, or part of one")
			}
		}
		by := expanded{}
		for m, n := range x.By {
			by.add(keyOf(m), n.Big())
		}
		own := rune(x.Temp + 1)
		if r.old.Cost.Has(x.Temp) || by.about(own) || !by.integral() || r.unknown(by) {
			return nil, nil, fmt.Errorf("a shift is not one")
		}
		if err := congruent(by, hypotheses, x.Cofactors, modulus); err != nil {
			return nil, nil, fmt.Errorf("shift of temporary %d: %w", x.Temp, err)
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
	return guard, update, nil
}

// sameAs checks that the new transition has these forms, with the products that are left.
func (r *rewritten) sameAs(guard, update []expanded) error {
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
