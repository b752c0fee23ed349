package rewrite

import (
	"context"
	"slices"

	"assay/internal/certify/accept"
	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file reduces a polynomial modulo the equations of the locations of a comparison, and finds the intervals in which
// one about a single variable compares with 0 as is asked. Both end with the checker's word.

// reduction is the search for what equals a comparison.
type reduction struct {
	*linearization
	comparison *comparison
	at         []its.Location
}

// usable says that all variables of a polynomial can be named at the comparison, and are signed.
func (r *reduction) usable(p rational.Polynomial) bool {
	for m := range p {
		for _, n := range m[:m.Degree()] {
			v := r.names[linear.Var(n)-1]
			if v == nil || !v.signed || r.comparison.visible[v.name] != v {
				return false
			}
		}
	}
	return true
}

// equal is a polynomial of at most a degree, in variables that can be named, that has the same value at all locations,
// with equations of the first that show it there.
func (r *reduction) equal(ctx context.Context, p rational.Polynomial, degree int) (rest rational.Polynomial, because []string, ok bool) {
	for _, l := range r.at {
		all := r.equations[l]
		few := slices.DeleteFunc(slices.Clone(all), func(e rational.Polynomial) bool { return !r.usable(e) })
		for _, hypotheses := range [][]rational.Polynomial{all, few} {
			reduced, ok := rational.Reduce(p, hypotheses, degree)
			if !ok || !r.usable(reduced.Rest) || slices.ContainsFunc(r.at, func(k its.Location) bool { return ctx.Err() != nil || !r.same(ctx, p, reduced.Rest, k) }) {
				continue
			}
			for i, c := range reduced.Cofactors {
				if len(c) > 0 {
					because = append(because, hypotheses[i].Format(r.name)+" == 0")
				}
			}
			return reduced.Rest, because, true
		}
	}
	return nil, nil, false
}

// known are the equations between what can be named that hold at the first location, if it is the only one.
func (r *reduction) known() (list []string) {
	if len(r.at) != 1 {
		return nil
	}
	for _, e := range r.equations[r.at[0]] {
		if r.usable(e) {
			list = append(list, e.Format(r.name)+" == 0")
		}
	}
	return list
}

// because are the equations of the first location of which a polynomial is a combination.
func (r *reduction) because(p rational.Polynomial) (list []string) {
	hypotheses := r.equations[r.at[0]]
	reduced, _ := rational.Reduce(p, hypotheses, -1)
	for i, c := range reduced.Cofactors {
		if len(c) > 0 {
			list = append(list, hypotheses[i].Format(r.name)+" == 0")
		}
	}
	return list
}

// same says that two polynomials have the same value at a location: the checker agrees.
func (r *reduction) same(ctx context.Context, p, q rational.Polynomial, l its.Location) bool {
	reduced, ok := rational.Reduce(p.AddScaled(linear.Int(-1), q), r.equations[l], -1)
	return ok && accept.Congruent(ctx, p, q, r.equations[l], reduced.Cofactors) == nil
}

// intervals writes a comparison of a polynomial in one variable as intervals of the variable.
func (l *linearization) intervals(ctx context.Context, p rational.Polynomial, relation string, out *Condition) bool {
	x, ok := onlyVariable(p)
	if !ok || slices.ContainsFunc(p.Monomials(), func(m rational.Monomial) bool { return !p[m].IsInt() }) {
		return false
	}
	q, zero, negated := notNegative(p, relation)
	s := guarded(q, x, zero)
	r := equations.Rewrite(ctx, s, nil, nil)
	if r == nil || accept.Rewritten(ctx, s, r.System, nil, r.Certificate) != nil {
		return false
	}
	var positive, negative string
	switch c := r.Certificate; {
	case len(c.Splits) == 1 && c.Splits[0].Transition == 0:
		positive, negative = within(c.Splits[0].Pieces, l.name(x))
	case len(c.Splits) == 0 && len(c.Guards[0]) == 1 && c.Guards[0][0].Root != nil: // a square
		positive, negative = "1", "0"
	default:
		return false
	}
	if negated {
		positive, negative = negative, positive
	}
	out.Positive, out.Negative, out.Proof, out.Reason = positive, negative, "signs of the polynomial, checked", ""
	return true
}

// powers writes a comparison of odd powers as one of their bases.
func (r *reduction) powers(ctx context.Context, p rational.Polynomial, out *Condition) bool {
	var variables []linear.Var
	for v := range r.program.System.Variables {
		if r.usable(rational.Variable(linear.Var(v))) {
			variables = append(variables, linear.Var(v))
		}
	}
	for _, w := range equations.CandidatePowers(p, variables) {
		rest, ok := w.Without(p)
		if !ok || !r.usable(rational.FromForm(w.Left)) || !r.usable(rational.FromForm(w.Right)) ||
			slices.ContainsFunc(r.at, func(l its.Location) bool { return ctx.Err() != nil || !r.same(ctx, rest, nil, l) }) {
			continue
		}
		positive, negative, fits := comparisonOf(w.Left.Sub(w.Right), r.comparison.relation, r.name)
		if fits {
			out.Because = r.because(rest)
			out.Positive, out.Negative, out.Proof, out.Reason = positive, negative, "equations, checked; odd powers compare as their bases", ""
			return true
		}
	}
	return false
}

// onlyVariable is the variable of a polynomial that has no other.
func onlyVariable(p rational.Polynomial) (linear.Var, bool) {
	var list []uint16
	for m := range p {
		list = append(list, m[:m.Degree()]...)
	}
	slices.Sort(list)
	list = slices.Compact(list)
	if len(list) != 1 {
		return 0, false
	}
	return linear.Var(list[0]) - 1, true
}

// guarded is a system with one transition, whose guard says of its variable that a polynomial in x is not negative, or
// is 0. Products are those of Horner's rule.
func guarded(p rational.Polynomial, x linear.Var, zero bool) *its.System {
	coefficients := make([]linear.Number, p.Degree()+1)
	for m, c := range p {
		coefficients[m.Degree()] = c
	}
	s := its.NewSystem("x")
	s.Locations = append(s.Locations, "end")
	t := its.Transition{To: 1, Update: s.Identity(), Cost: linear.Constant(linear.Int(1)), Exact: true}
	sum := linear.Constant(coefficients[p.Degree()])
	for i := p.Degree() - 1; i >= 0; i-- {
		if sum.IsConstant() {
			sum = linear.Variable(0).Scale(sum.Const)
		} else {
			product := linear.Var(1 + t.Temps)
			t.Temps++
			t.Products = append(t.Products, its.Product{Temp: product, A: linear.Variable(0), B: sum})
			sum = linear.Variable(product)
		}
		sum = sum.Plus(coefficients[i])
	}
	t.Guard = []linear.Constraint{{Form: sum, Equality: zero}}
	s.Add(t)
	return s
}
