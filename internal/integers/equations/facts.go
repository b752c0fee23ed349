package equations

import (
	"fmt"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file says what is known of locations beside equations: facts that make divisions exact. A quotient by a
// constant m is a temporary t with 0 <= a - m*t <= m - 1, and no polynomial over a. Where a is known to be a multiple
// of m, a - m*t is 0, and equations go on: in binary multiplication y is even where it is halved, in
// division by hardware the divisor is B times a power of two.
//
//	(F1) Facts and equations are inductive together: each of them holds behind each transition if all of
//	     them hold before it. The initial location has none.
//	(F2) What is known on a transition are its premises: the guard, and facts and equations of the location that it
//	     leaves, with a new number for each monomial. Fact k brings a variable of its own, numbered behind the temporaries: the
//	     quotient of a multiple, or that of a power by its base.
//	(F3) Forms that premises imply to be 0 are implied, one after the other. They serve as hypotheses of equations
//	     behind the transition and of updates (not of constraints that are replaced, for those are among the premises).
//	(F4) Equations and constraints with products occur in the premises twice: as they are, and with variables replaced, of which
//	     multiples, and forms that were implied before, say what they are: if d is B*p, and p is 2*u, d is 2*(B*u), and so
//	     even.

// Fact is what is known of a location: Holds, Multiple or Power.
type Fact interface{ isFact() }

// Holds is a linear constraint over the variables.
type Holds struct{ linear.Constraint }

// Multiple says that a variable less Rest is a multiple of Of, which is at least 2.
type Multiple struct {
	Variable linear.Var
	Rest, Of int64
}

// Power says that a variable is 1, Base, Base*Base, or a further power of Base, which is at least 2.
type Power struct {
	Variable linear.Var
	Base     int64
}

func (Holds) isFact()    {}
func (Multiple) isFact() {}
func (Power) isFact()    {}

// describe is a fact for people.
func describe(f Fact, name func(linear.Var) string) string {
	switch f := f.(type) {
	case Holds:
		return f.Format(name)
	case Multiple:
		return fmt.Sprintf("%s %% %d == %d", name(f.Variable), f.Of, f.Rest)
	case Power:
		return fmt.Sprintf("%s is a power of %d", name(f.Variable), f.Base)
	}
	panic(fmt.Sprintf("equations: unexpected %T", f))
}

// quotient is the variable that the fact with an index brings to a transition.
func quotient(s *its.System, t *its.Transition, k int) linear.Var {
	return linear.Var(len(s.Variables) + t.Temps + k)
}

// is is the form that a multiple says to be 0.
func (m Multiple) is(q linear.Var) linear.Form {
	return linear.Variable(m.Variable).Sub(linear.Variable(q).Scale(linear.Int(m.Of))).Plus(linear.Int(-m.Rest))
}

// hypotheses of a transition: equations before it, and those of the guard.
func (x *rewriting) hypotheses(i int) []rational.Polynomial {
	out := slices.Clone(x.equations[x.s.Transitions[i].From])
	for _, k := range x.expanded[i].equal {
		out = append(out, x.expanded[i].guard[k])
	}
	return out
}

// known are the hypotheses, what multiples say, and what is implied.
func (x *rewriting) known(i int) []rational.Polynomial {
	out := x.hypotheses(i)
	if x.facts == nil {
		return out
	}
	t := &x.s.Transitions[i]
	for k, f := range x.facts[t.From] {
		if m, ok := f.(Multiple); ok {
			out = append(out, rational.FromForm(m.is(quotient(x.s, t, k))))
		}
	}
	for _, f := range x.implied[i] {
		out = append(out, rational.FromForm(f))
	}
	return out
}

// ghost says whether a form is about a variable that a fact brings.
func (x *rewriting) ghost(i int, f linear.Form) bool {
	return f.MaxVar() >= quotient(x.s, &x.s.Transitions[i], 0)
}

// solved are variables of which forms that are 0 say what they are, as polynomials over others: the first variable with the
// coefficient 1 or -1, if no earlier one is about it.
type solved map[linear.Var]rational.Polynomial

func (s solved) add(zero linear.Form, variables int) {
	about := func(f linear.Form) bool {
		return slices.ContainsFunc(f.Terms, func(m linear.Term) bool { _, is := s[m.Var]; return is })
	}
	for _, m := range zero.Terms {
		if int(m.Var) >= variables || !m.Coef.Abs().IsOne() {
			continue
		}
		by := linear.Variable(m.Var).Sub(zero.Scale(m.Coef))
		if about(by) || s[m.Var] != nil || slices.ContainsFunc(s.values(), func(p rational.Polynomial) bool { return mentions(p, m.Var) }) {
			continue
		}
		s[m.Var] = rational.FromForm(by)
		return
	}
}

func (s solved) values() (list []rational.Polynomial) {
	for _, p := range s {
		list = append(list, p)
	}
	return list
}

// mentions says whether a polynomial is about a variable.
func mentions(p rational.Polynomial, v linear.Var) bool {
	for m := range p {
		if slices.Contains(m[:m.Degree()], uint16(v)+1) {
			return true
		}
	}
	return false
}
