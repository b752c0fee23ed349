package itscheck

import (
	"context"
	"fmt"
	"math/big"
	"reflect"
	"slices"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file checks that a rewritten system has the same runs as the one that it was made of
// (package equations): each claim is an identity of polynomials, which is multiplied out, in arithmetic
// of its own.
//
//	(R0) Of a split, the pieces are where the polynomial of the constraint is not negative, or is 0
//	     (split.go).
//	(R1) At the initial location no equation is claimed.
//	(R2) An equation of a location holds behind each transition into it: after the update it is the sum
//	     of the products of cofactors and hypotheses, which are 0 before.
//	(R3) A form that is replaced differs from the new one by such a sum.
//	(R4) A constraint that is dropped is a positive multiple of a square.
//	(R4a) A form that is replaced by the difference of two numbers, less 0 or 1, differs from a positive multiple of the
//	     difference of their powers of an odd degree by such a sum and a constant, with which the one is not negative
//	     exactly where the other one is.
//	(R6) Where there are facts, each of them holds behind each transition into its location, and the forms that are said to be
//	     implied are 0 whenever a transition is taken (facts.go). They are hypotheses of (R2), and of updates that are
//	     replaced.
//	(R5) Nothing else differs, but that products that are not used any more are dropped, and that
//	     frozen variables are not updated: those that are not observed, and on which no guard, no cost, no
//	     product and no other variable depends.

// Rewritten checks that; nil means yes. Observed are, by variable, those whose values matter.
func Rewritten(ctx context.Context, old, new *its.System, observed []bool, c *equations.Certificate) error {
	for i := range c.Splits {
		if err := checkSplit(old, &c.Splits[i]); err != nil {
			return reject("split %d: %v", i, err)
		}
		old = applySplit(old, &c.Splits[i])
	}
	n := len(old.Transitions)
	if len(c.Frozen) != len(old.Variables) {
		return reject("a table of the certificate has a wrong length")
	}
	for v, yes := range observed {
		if yes && c.Frozen[v] {
			return reject("an observed variable is frozen")
		}
	}
	if !slices.Equal(old.Variables, new.Variables) || !slices.Equal(old.Locations, new.Locations) || old.Initial != new.Initial || len(new.Transitions) != n {
		return reject("the rewritten system has another shape")
	}
	if len(c.Equations) != len(old.Locations) || len(c.Kept) != n || len(c.Guards) != n || len(c.Updates) != n {
		return reject("a table of the certificate has a wrong length")
	}
	if len(c.Equations[old.Initial]) > 0 {
		return reject("an equation is claimed of initial states")
	}
	var q *query
	if c.Facts != nil || c.Implied != nil {
		if len(c.Facts) != len(old.Locations) || len(c.Implied) != n {
			return reject("a table of the certificate has a wrong length")
		}
		if len(c.Facts[old.Initial]) > 0 {
			return reject("a fact is claimed of initial states")
		}
		var err error
		if q, err = newQuery(ctx, old); err != nil {
			return err
		}
		defer q.close()
	}
	for i := range old.Transitions {
		r := &rewritten{vars: len(old.Variables), old: &old.Transitions[i], new: &new.Transitions[i], query: q}
		if err := r.check(c, i); err != nil {
			return reject("transition %d: %v", i, err)
		}
	}
	return nil
}

// maxNumber is less than the first number that is no rune.
const maxNumber = 0xd000

// rewritten is a transition with its new form.
type rewritten struct {
	vars     int
	old, new *its.Transition
	products map[linear.Var]expanded
	query    *query // nil if there are no facts
}

func (r *rewritten) check(c *equations.Certificate, i int) error {
	if r.vars+r.old.Temps > maxNumber {
		return fmt.Errorf("too many variables")
	}
	if err := r.unchanged(c, i); err != nil {
		return err
	}
	r.products = map[linear.Var]expanded{}
	for _, p := range r.old.Products {
		r.products[p.Temp] = r.form(p.A).times(r.form(p.B))
	}
	var facts []expanded
	for _, h := range c.Equations[r.old.From] {
		p, err := r.equation(h)
		if err != nil {
			return err
		}
		facts = append(facts, p)
	}
	given := slices.Clone(facts)
	for _, x := range r.old.Guard {
		if x.Equality {
			given = append(given, r.form(x.Form))
		}
	}
	all := given
	if r.query != nil {
		more, p, err := r.known(c, i, facts)
		if err != nil {
			return err
		}
		all = slices.Concat(given, more)
		for k, f := range c.Facts[r.old.To] {
			if err := p.holds(f); err != nil {
				return fmt.Errorf("fact %d of the target: %w", k, err)
			}
		}
	}
	if len(c.Kept[i]) != len(c.Equations[r.old.To]) {
		return fmt.Errorf("not each equation of the target has cofactors")
	}
	for k, h := range c.Equations[r.old.To] {
		p, err := r.equation(h)
		if err != nil {
			return err
		}
		after := p.substitute(func(v rune) expanded { return r.form(r.old.Update[v-1]) })
		if err := sumsUp(after, all, c.Kept[i][k]); err != nil {
			return fmt.Errorf("equation %d of the target: %w", k, err)
		}
	}
	for _, x := range c.Guards[i] {
		old := r.old.Guard[x.Index]
		if x.Root != nil {
			if old.Equality || !x.By.IsConstant() || !x.By.Const.IsZero() {
				return fmt.Errorf("constraint %d: no inequality that a square makes true", x.Index)
			}
			if err := isSquare(r.form(old.Form), r.form(*x.Root)); err != nil {
				return fmt.Errorf("constraint %d: %w", x.Index, err)
			}
			continue
		}
		hypotheses := given
		if old.Equality {
			hypotheses = facts
		}
		if x.Powers != nil {
			if err := r.powers(&x, old, hypotheses); err != nil {
				return fmt.Errorf("constraint %d: %w", x.Index, err)
			}
			continue
		}
		if err := sumsUp(r.form(old.Form).plus(r.form(x.By), -1), hypotheses, x.Cofactors); err != nil {
			return fmt.Errorf("constraint %d: %w", x.Index, err)
		}
	}
	for _, x := range c.Updates[i] {
		if err := sumsUp(r.form(r.old.Update[x.Index]).plus(r.form(x.By), -1), all, x.Cofactors); err != nil {
			return fmt.Errorf("update %d: %w", x.Index, err)
		}
	}
	return nil
}

// maxPower bounds the degree of powers.
const maxPower = 15

// powers checks (R4a).
func (r *rewritten) powers(x *equations.Change, old linear.Constraint, hypotheses []expanded) error {
	w := x.Powers
	if w.Degree < 1 || w.Degree > maxPower || w.Degree%2 == 0 || w.Factor.Sign() <= 0 {
		return fmt.Errorf("no odd power, or no positive multiple")
	}
	if r.foreign(w.Left) || r.foreign(w.Right) || !w.Left.IsIntegral() || !w.Right.IsIntegral() {
		return fmt.Errorf("the powers are not those of integers")
	}
	left, right := r.form(w.Left), r.form(w.Right)
	difference := expanded{"": big.NewRat(1, 1)}
	of := expanded{"": big.NewRat(1, 1)}
	for range w.Degree {
		difference, of = difference.times(left), of.times(right)
	}
	difference = difference.plus(of, -1)
	rest := r.form(old.Form)
	for m, c := range difference {
		rest.add(m, new(big.Rat).Mul(c, new(big.Rat).Neg(w.Factor.Big())))
	}
	rest.add("", new(big.Rat).Neg(w.Constant.Big()))
	if err := sumsUp(rest, hypotheses, x.Cofactors); err != nil {
		return err
	}
	// The form is factor*difference + constant. Differences are integers, and 0, or at least 1, as those of the bases are.
	least := new(big.Rat).Quo(new(big.Rat).Neg(w.Constant.Big()), w.Factor.Big())
	bases := left.plus(right, -1)
	zero, one := new(big.Rat), big.NewRat(1, 1)
	switch {
	case least.Sign() == 0: // the form is not negative, or 0, where the difference is
	case !old.Equality && least.Cmp(big.NewRat(-1, 1)) > 0 && least.Cmp(zero) <= 0:
	case !old.Equality && least.Cmp(zero) > 0 && least.Cmp(one) <= 0:
		bases.add("", big.NewRat(-1, 1))
	default:
		return fmt.Errorf("the constant is not between")
	}
	if len(r.form(x.By).plus(bases, -1)) > 0 {
		return fmt.Errorf("another comparison")
	}
	return nil
}

// isSquare checks that a polynomial is a positive multiple of the square of another one.
func isSquare(p, root expanded) error {
	square := root.times(root)
	for m, c := range square {
		d := p[m]
		if d == nil {
			break
		}
		factor := new(big.Rat).Quo(d, c)
		if factor.Sign() <= 0 {
			break
		}
		scaled := expanded{}
		for n, e := range square {
			scaled[n] = new(big.Rat).Mul(e, factor)
		}
		if len(p.plus(scaled, -1)) == 0 {
			return nil
		}
		break
	}
	return fmt.Errorf("it is no square")
}

// unchanged checks (R5).
func (r *rewritten) unchanged(c *equations.Certificate, i int) error {
	want := *r.old
	want.Guard, want.Update = slices.Clone(want.Guard), slices.Clone(want.Update)
	for _, x := range c.Guards[i] {
		if x.Index < 0 || x.Index >= len(want.Guard) || r.foreign(x.By) {
			return fmt.Errorf("a constraint that does not exist")
		}
		want.Guard[x.Index] = linear.Constraint{Form: x.By, Equality: want.Guard[x.Index].Equality}.Tighten()
	}
	for _, x := range c.Updates[i] {
		if x.Index < 0 || x.Index >= len(want.Update) || r.foreign(x.By) || !x.By.IsIntegral() {
			return fmt.Errorf("an update that does not exist, or is not integral")
		}
		want.Update[x.Index] = x.By
	}
	if err := r.frozen(c, &want); err != nil {
		return err
	}
	want.Products = nil
	for _, p := range r.old.Products {
		kept := slices.ContainsFunc(r.new.Products, func(q its.Product) bool { return p.Temp == q.Temp && p.A.Equal(q.A) && p.B.Equal(q.B) })
		if kept {
			want.Products = append(want.Products, p)
			continue
		}
		used := want.Cost.Has(p.Temp) || slices.ContainsFunc(want.Guard, func(x linear.Constraint) bool { return x.Form.Has(p.Temp) }) ||
			slices.ContainsFunc(want.Update, func(f linear.Form) bool { return f.Has(p.Temp) }) ||
			slices.ContainsFunc(r.new.Products, func(q its.Product) bool { return q.A.Has(p.Temp) || q.B.Has(p.Temp) })
		if used {
			return fmt.Errorf("a product that is used is dropped")
		}
	}
	same := *r.new
	if len(want.Products) == 0 && len(same.Products) == 0 {
		want.Products, same.Products = nil, nil
	}
	if !reflect.DeepEqual(want, same) {
		return fmt.Errorf("it differs in what the certificate does not say")
	}
	return nil
}

// frozen takes the updates of frozen variables away, and checks that nothing depends on them.
func (r *rewritten) frozen(c *equations.Certificate, t *its.Transition) error {
	depends := func(f linear.Form) bool {
		return slices.ContainsFunc(f.Terms, func(x linear.Term) bool { return int(x.Var) < r.vars && c.Frozen[x.Var] })
	}
	for v := range t.Update {
		if c.Frozen[v] {
			t.Update[v] = linear.Variable(linear.Var(v))
		} else if depends(t.Update[v]) {
			return fmt.Errorf("a variable depends on a frozen one")
		}
	}
	if depends(t.Cost) || slices.ContainsFunc(t.Guard, func(x linear.Constraint) bool { return depends(x.Form) }) ||
		slices.ContainsFunc(r.new.Products, func(p its.Product) bool { return depends(p.A) || depends(p.B) }) {
		return fmt.Errorf("the transition depends on a frozen variable")
	}
	return nil
}

// foreign says that a form has a variable that the transition does not have.
func (r *rewritten) foreign(f linear.Form) bool { return int(f.MaxVar()) >= r.vars+r.old.Temps }

// equation is an equation of a location: over variables alone.
func (r *rewritten) equation(p rational.Polynomial) (expanded, error) {
	out := expanded{}
	for m, c := range p {
		for _, v := range m {
			if int(v) > r.vars {
				return nil, fmt.Errorf("an equation is about temporaries")
			}
		}
		out[keyOf(m)] = c.Big()
	}
	return out, nil
}

// form is a form with the products written out.
func (r *rewritten) form(f linear.Form) expanded {
	out := expanded{}
	if !f.Const.IsZero() {
		out[""] = f.Const.Big()
	}
	for _, t := range f.Terms {
		p, isProduct := r.products[t.Var]
		if !isProduct {
			p = expanded{monomial{rune(t.Var + 1)}.key(): big.NewRat(1, 1)}
		}
		for m, c := range p {
			out.add(m, new(big.Rat).Mul(c, t.Coef.Big()))
		}
	}
	return out
}

// monomial has the numbers of its variables, from 1, in ascending order.
type monomial []rune

func (m monomial) key() string { return string(m) }

func keyOf(m rational.Monomial) string {
	var out monomial
	for _, v := range m {
		if v != 0 {
			out = append(out, rune(v))
		}
	}
	slices.Sort(out)
	return out.key()
}

// expanded is a polynomial: coefficients by the keys of monomials.
type expanded map[string]*big.Rat

func (p expanded) add(m string, c *big.Rat) {
	sum := new(big.Rat).Set(c)
	if old := p[m]; old != nil {
		sum.Add(sum, old)
	}
	if p[m] = sum; sum.Sign() == 0 {
		delete(p, m)
	}
}

func (p expanded) plus(q expanded, factor int64) expanded {
	out := expanded{}
	for m, c := range p {
		out.add(m, c)
	}
	for m, c := range q {
		out.add(m, new(big.Rat).Mul(c, big.NewRat(factor, 1)))
	}
	return out
}

func (p expanded) times(q expanded) expanded {
	out := expanded{}
	for m, c := range p {
		for n, d := range q {
			all := monomial(m + n)
			slices.Sort(all)
			out.add(all.key(), new(big.Rat).Mul(c, d))
		}
	}
	return out
}

// substitute puts polynomials in the place of variables.
func (p expanded) substitute(by func(v rune) expanded) expanded {
	out := expanded{}
	for m, c := range p {
		x := expanded{"": c}
		for _, v := range m {
			x = x.times(by(v))
		}
		out = out.plus(x, 1)
	}
	return out
}

// sumsUp checks that a polynomial is the sum of the products of cofactors and hypotheses.
func sumsUp(p expanded, hypotheses []expanded, cofactors []rational.Polynomial) error {
	if len(cofactors) != len(hypotheses) {
		return fmt.Errorf("%d cofactors for %d hypotheses", len(cofactors), len(hypotheses))
	}
	rest := p
	for i, q := range cofactors {
		c := expanded{}
		for m, n := range q {
			c[keyOf(m)] = n.Big()
		}
		rest = rest.plus(c.times(hypotheses[i]), -1)
	}
	if len(rest) > 0 {
		return fmt.Errorf("the sum is another polynomial")
	}
	return nil
}
