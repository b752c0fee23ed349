package equations

import (
	"context"
	"math/big"
	"slices"
	"time"

	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
	"assay/internal/logic/smt"
)

// This file asks what the premises of a transition imply (F2, F4). Whoever checks the certificate asks again.

// premises are those of a transition.
type premises struct {
	x      *rewriting
	index  int
	number map[rational.Monomial]linear.Var // of monomials that are no variables
	next   linear.Var
	query  conjunction.Query
	solved solved
}

// timeout of a question.
const questionTimeout = 300 * time.Millisecond

// premises collects them; false if degrees are too great.
func (x *rewriting) premises(i int) (*premises, bool) {
	t := &x.s.Transitions[i]
	facts := x.facts[t.From]
	p := &premises{x: x, index: i, number: map[rational.Monomial]linear.Var{}, next: quotient(x.s, t, len(facts)), solved: solved{}}
	for k, f := range facts {
		q := quotient(x.s, t, k)
		switch f := f.(type) {
		case Holds:
			p.assert(f.Constraint)
		case Multiple:
			p.assert(linear.Constraint{Form: f.is(q), Equality: true})
			p.solved.add(f.is(q), len(x.s.Variables))
		case Power:
			v := linear.Variable(f.Variable)
			one := linear.Constant(linear.Int(1))
			p.assert(linear.AtLeast(v, one))
			p.query.Clauses = append(p.query.Clauses, []linear.Constraint{linear.Equals(v, one), linear.Equals(v, linear.Variable(q).Scale(linear.Int(f.Base)))})
		}
	}
	for _, f := range x.implied[i] {
		p.assert(linear.Constraint{Form: f, Equality: true})
		p.solved.add(f, len(x.s.Variables))
	}
	both := func(q rational.Polynomial, equality bool) bool {
		p.assert(linear.Constraint{Form: p.form(q), Equality: equality})
		if q.Degree() < 2 || len(p.solved) == 0 {
			return true
		}
		other, ok := q.Substitute(func(v linear.Var) rational.Polynomial {
			if by := p.solved[v]; by != nil {
				return by
			}
			return rational.Variable(v)
		})
		if ok {
			p.assert(linear.Constraint{Form: p.form(other), Equality: equality})
		}
		return ok
	}
	for _, e := range x.equations[t.From] {
		if !both(e, true) {
			return nil, false
		}
	}
	for k, g := range x.expanded[i].guard {
		if !both(g, t.Guard[k].Equality) {
			return nil, false
		}
	}
	return p, true
}

func (p *premises) assert(c linear.Constraint) {
	c.Form = c.Form.Integral()
	p.query.Constraints = append(p.query.Constraints, c)
}

// form is a polynomial with numbers in the place of monomials.
func (p *premises) form(q rational.Polynomial) linear.Form {
	var terms []linear.Term
	constant := linear.Number{}
	for _, m := range q.Monomials() {
		switch m.Degree() {
		case 0:
			constant = q[m]
		case 1:
			terms = append(terms, linear.Term{Var: linear.Var(m[0] - 1), Coef: q[m]})
		default:
			v, known := p.number[m]
			if !known {
				v = p.next
				p.number[m] = v
				p.next++
			}
			terms = append(terms, linear.Term{Var: v, Coef: q[m]})
		}
	}
	return linear.NewForm(constant, terms...)
}

// refuted says whether the premises exclude clauses, of each of which a constraint would hold; else a model, if
// there is one.
func (p *premises) refuted(ctx context.Context, clauses ...[]linear.Constraint) (bool, []*big.Int) {
	q := p.query
	q.Variables = int(p.next) + 1 // one more for whoever asks
	q.Clauses = slices.Concat(q.Clauses, clauses)
	status, model, err := p.x.solver.Solve(ctx, q)
	if err != nil || status == smt.Unknown {
		return false, nil
	}
	return status == smt.Unsat, model
}

// not0 says that a form is not 0.
func not0(f linear.Form) []linear.Constraint {
	one := linear.Constant(linear.Int(1))
	f = f.Integral()
	return []linear.Constraint{linear.AtLeast(f, one), linear.AtLeast(f.Neg(), one)}
}

// imply finds what is implied to be 0: the form 1 if the transition is never taken; quotients of powers; rests of
// divisions.
func (x *rewriting) imply(ctx context.Context, i int) {
	x.implied[i] = nil
	t := &x.s.Transitions[i]
	p, ok := x.premises(i)
	if !ok {
		return
	}
	never, model := p.refuted(ctx)
	if never {
		x.implied[i] = []linear.Form{linear.Constant(linear.Int(1))}
		return
	}
	for k, f := range x.facts[t.From] {
		if f, ok := f.(Power); ok {
			x.implies(ctx, i, linear.Variable(f.Variable).Sub(linear.Variable(quotient(x.s, t, k)).Scale(linear.Int(f.Base))))
		}
	}
	if model == nil {
		return
	}
	for range 2 { // what is implied may imply more
		for k, g := range t.Guard {
			if len(x.rests[i]) == 0 || !x.rests[i][k] {
				continue
			}
			if value := g.Form.Eval(func(v linear.Var) linear.Number { return linear.FromBigInt(model[v]) }); value.IsInt() {
				x.implies(ctx, i, g.Form.Plus(value.Neg()))
			}
		}
	}
}

// implies adds a form that is implied.
func (x *rewriting) implies(ctx context.Context, i int, f linear.Form) {
	if slices.ContainsFunc(x.implied[i], f.Equal) {
		return
	}
	p, ok := x.premises(i)
	if !ok {
		return
	}
	if yes, _ := p.refuted(ctx, not0(f)); yes {
		x.implied[i] = append(x.implied[i], f)
	}
}

// maxExponent of powers that are assigned.
const maxExponent = 20

// factHolds says whether a fact of the target holds behind a transition.
func (x *rewriting) factHolds(ctx context.Context, i int, f Fact) bool {
	p, ok := x.premises(i)
	e := &x.expanded[i]
	if !ok || !e.ok {
		return false
	}
	switch f := f.(type) {
	case Holds:
		after, ok := rational.FromForm(f.Form).Substitute(func(v linear.Var) rational.Polynomial { return e.update[v] })
		if !ok {
			return false
		}
		c := linear.Constraint{Form: p.form(after).Integral(), Equality: f.Equality}
		yes, _ := p.refuted(ctx, c.Negations())
		return yes
	case Multiple:
		// The rest is between 1 and Of - 1.
		after := p.form(e.update[f.Variable]).Plus(linear.Int(-f.Rest))
		if !after.IsIntegral() {
			return false
		}
		q := linear.Variable(p.next)
		rest := after.Sub(q.Scale(linear.Int(f.Of)))
		yes, _ := p.refuted(ctx, []linear.Constraint{linear.AtLeast(rest, linear.Constant(linear.Int(1)))}, []linear.Constraint{linear.AtMost(rest, linear.Constant(linear.Int(f.Of-1)))})
		return yes
	case Power:
		after := p.form(e.update[f.Variable])
		if !after.IsIntegral() {
			return false
		}
		var none [][]linear.Constraint
		for _, zero := range powersOf(after, f.Base, x.facts[x.s.Transitions[i].From]) {
			none = append(none, not0(zero))
		}
		if yes, _ := p.refuted(ctx, none...); !yes {
			return false
		}
		yes, _ := p.refuted(ctx, []linear.Constraint{linear.AtMost(after, linear.Constant(linear.Int(0)))})
		return yes
	}
	panic("equations: unexpected fact")
}

// powersOf are forms: if a positive number is such that one of them is 0, it is a power.
func powersOf(number linear.Form, base int64, facts []Fact) (list []linear.Form) {
	n := linear.Int(1)
	for range maxExponent {
		list = append(list, number.Plus(n.Neg()))
		n = n.Mul(linear.Int(base))
	}
	for _, g := range facts {
		if g, ok := g.(Power); ok && g.Base == base {
			v := linear.Variable(g.Variable)
			list = append(list, number.Sub(v), number.Sub(v.Scale(linear.Int(base))), number.Scale(linear.Int(base)).Sub(v))
		}
	}
	return list
}
