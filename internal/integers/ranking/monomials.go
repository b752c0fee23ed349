package ranking

import (
	"slices"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file makes products of variables variables themselves. Where x*y is compared with a bound, and a step adds
// 1 to x, the new variable for x*y grows by y: what was a product that linear reasoning takes for any integer is a sum. So
// systems have ranking functions and invariants that are polynomials, linear ones in more variables
// (as solvable loops are linear ones [RodriguezCarbonellKapur07]).
//
//	(P1) Monomials are those that occur in conditions and updates of components in which there are fair cycles, and
//	     those that these become by a step there, up to a degree and a number.
//	(P2) A step gives each the product of the new values of its factors, multiplied out: a form over variables,
//	     monomials, and temporaries. What is left, a product with a temporary or one beyond the limits, is a temporary,
//	     one for each.
//	(P3) What is known of squares holds in the state that a step leaves.
//
// The system that comes out over-approximates: its steps are those of the first one, and more where (P2) forgets something.
// So it serves proofs only. The argument names the monomials; a checker gives them their meaning again.

const (
	maxMonomials      = 10
	maxMonomialDegree = 3
)

// withMonomials is the system with more variables, and the factors of each; nil if there are no products of
// variables where there are fair cycles.
func withMonomials(s *its.System) (*its.System, [][]linear.Var) {
	if !slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return len(t.Products) > 0 }) {
		return nil, nil
	}
	m := &monomials{s: s, n: len(s.Variables), number: map[rational.Monomial]int{}}
	if m.collect(); len(m.list) == 0 {
		return nil, nil
	}
	out := s.Clone()
	var factors [][]linear.Var
	for _, x := range m.list {
		fs := factorsOf(x)
		var names []string
		for _, v := range fs {
			names = append(names, s.Variables[v])
		}
		factors = append(factors, fs)
		out.Variables = append(out.Variables, strings.Join(names, "*"))
	}
	for i := range out.Transitions {
		out.Transitions[i] = m.transition(&s.Transitions[i])
	}
	return out, factors
}

// monomials are those that become variables.
type monomials struct {
	s      *its.System
	n      int // variables of s
	list   []rational.Monomial
	number map[rational.Monomial]int
}

// factorsOf are the variables of a monomial.
func factorsOf(m rational.Monomial) (out []linear.Var) {
	for _, v := range m[:m.Degree()] {
		out = append(out, linear.Var(v-1))
	}
	return out
}

// collect finds the monomials (P1).
func (m *monomials) collect() {
	component, fair := m.s.Components()
	var inside []*expandedStep
	for i := range m.s.Transitions {
		t := &m.s.Transitions[i]
		if c := component[t.From]; c != component[t.To] || !fair[c] {
			continue
		}
		e, ok := expandStep(t, m.n)
		if !ok {
			continue
		}
		inside = append(inside, e)
	}
	for _, e := range inside {
		for _, p := range slices.Concat(e.guard, e.update) {
			m.add(p)
		}
	}
	for k := 0; k < len(m.list); k++ {
		for _, e := range inside {
			if p, ok := e.after(m.list[k]); ok {
				m.add(p)
			}
		}
	}
}

// add adds the monomials of a polynomial.
func (m *monomials) add(p rational.Polynomial) {
	for _, x := range p.Monomials() {
		_, there := m.number[x]
		if d := x.Degree(); there || d < 2 || d > maxMonomialDegree || len(m.list) == maxMonomials {
			continue
		}
		if slices.ContainsFunc(factorsOf(x), func(v linear.Var) bool { return int(v) >= m.n }) {
			continue
		}
		m.number[x] = len(m.list)
		m.list = append(m.list, x)
	}
}

// expandedStep is a transition with its products multiplied out, over the variables and other temporaries.
type expandedStep struct {
	guard, update []rational.Polynomial
	cost          rational.Polynomial
}

// expandStep multiplies out; false if that goes beyond the degrees of package rational.
func expandStep(t *its.Transition, n int) (*expandedStep, bool) {
	if n+t.Temps >= 1<<15 {
		return nil, false
	}
	value := map[linear.Var]rational.Polynomial{}
	fits := true
	of := func(f linear.Form) rational.Polynomial {
		p, ok := rational.FromForm(f).Substitute(func(v linear.Var) rational.Polynomial {
			if p, ok := value[v]; ok {
				return p
			}
			return rational.Variable(v)
		})
		fits = fits && ok
		return p
	}
	for _, p := range t.Products {
		c, ok := of(p.A).Times(of(p.B))
		if !ok || !fits {
			return nil, false
		}
		value[p.Temp] = c
	}
	e := &expandedStep{cost: of(t.Cost)}
	for _, c := range t.Guard {
		e.guard = append(e.guard, of(c.Form))
	}
	for _, u := range t.Update {
		e.update = append(e.update, of(u))
	}
	return e, fits
}

// after is a monomial behind the step.
func (e *expandedStep) after(x rational.Monomial) (rational.Polynomial, bool) {
	out := rational.Constant(linear.Int(1))
	for _, v := range factorsOf(x) {
		var ok bool
		if out, ok = out.Times(e.update[v]); !ok {
			return nil, false
		}
	}
	return out, true
}

// transition is a step of the system with more variables (P2, P3).
func (m *monomials) transition(t *its.Transition) its.Transition {
	k := linear.Var(len(m.list))
	shift := func(v linear.Var) linear.Var {
		if int(v) >= m.n {
			v += k
		}
		return v
	}
	u := *t
	u.Guard, u.Update, u.Products, u.Inputs = nil, nil, nil, nil
	for _, f := range t.Inputs {
		u.Inputs = append(u.Inputs, f.Rename(shift))
	}
	fresh := func() linear.Var {
		u.Temps++
		return linear.Var(m.n) + k + linear.Var(u.Temps-1)
	}
	e, ok := expandStep(t, m.n)
	if !ok {
		for _, c := range t.Guard {
			u.Guard = append(u.Guard, linear.Constraint{Form: c.Form.Rename(shift), Equality: c.Equality})
		}
		for _, f := range t.Update {
			u.Update = append(u.Update, f.Rename(shift))
		}
		for _, p := range t.Products {
			u.Products = append(u.Products, its.Product{Temp: shift(p.Temp), A: p.A.Rename(shift), B: p.B.Rename(shift)})
		}
		u.Cost = t.Cost.Rename(shift)
		for range m.list {
			u.Update = append(u.Update, linear.Variable(fresh()))
		}
		return u
	}
	left := map[rational.Monomial]linear.Var{}
	form := func(p rational.Polynomial) linear.Form {
		var f linear.Form
		for _, x := range p.Monomials() {
			v, there := left[x]
			switch i, is := m.number[x]; {
			case x.Degree() == 0:
				f = f.Plus(p[x])
				continue
			case x.Degree() == 1:
				v = shift(linear.Var(x[0] - 1))
			case is:
				v = linear.Var(m.n + i)
			case !there:
				v = fresh()
				left[x] = v
				if fs := factorsOf(x); len(fs) == 2 {
					u.Products = append(u.Products, its.Product{Temp: v, A: linear.Variable(shift(fs[0])), B: linear.Variable(shift(fs[1]))})
				}
			}
			f = f.AddScaled(p[x], linear.Variable(v))
		}
		return f
	}
	for i, c := range t.Guard {
		u.Guard = append(u.Guard, linear.Constraint{Form: form(e.guard[i]), Equality: c.Equality}.Tighten())
	}
	u.Guard = append(u.Guard, m.squares()...)
	for _, p := range e.update {
		u.Update = append(u.Update, form(p))
	}
	u.Cost = form(e.cost)
	for _, x := range m.list {
		if p, ok := e.after(x); ok {
			u.Update = append(u.Update, form(p))
		} else {
			u.Update = append(u.Update, linear.Variable(fresh()))
		}
	}
	return u
}

// squares are what is known of monomials that are squares: they are not negative, and that of a variable is not less than it, nor
// than its negation.
func (m *monomials) squares() (out []linear.Constraint) {
	for i, x := range m.list {
		fs := factorsOf(x)
		if len(fs) != 2 || fs[0] != fs[1] {
			continue
		}
		square, v := linear.Variable(linear.Var(m.n+i)), linear.Variable(fs[0])
		out = append(out, linear.AtLeast(square, v), linear.AtLeast(square, v.Neg()))
	}
	return out
}
