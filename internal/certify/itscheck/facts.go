package itscheck

import (
	"fmt"
	"math/big"
	"slices"
	"strings"

	"assay/internal/integers/equations"
	"assay/internal/logic/linear"
)

// This file checks the facts of a rewritten system, and what they imply (R6). Z3 is asked whether the premises of a
// transition exclude the contrary: the guard, and facts and equations of the location that it leaves, as polynomials whose
// monomials are integers of any value. They are asserted as they are, and once more with variables replaced by what multiples, and
// implied forms, say that they are. A fact brings an integer: the quotient of a multiple, or of a power that is not 1 by its base.

// maxExponent of powers that are assigned.
const maxExponent = 20

// premises are those of a transition, as assertions of a query.
type premises struct {
	r         *rewritten
	q         *query
	names     map[string]string // of monomials
	facts     []equations.Fact
	replaced  map[rune]expanded
	equations []expanded
	zero      []expanded // what multiples say, and what is implied so far
}

// quotient of the fact with an index.
func (r *rewritten) quotient(k int) rune { return rune(r.vars + r.old.Temps + k + 1) }

// known checks what is implied and returns the hypotheses that facts add.
func (r *rewritten) known(c *equations.Certificate, i int, given []expanded) (hypotheses []expanded, p *premises, err error) {
	facts := c.Facts[r.old.From]
	if r.vars+r.old.Temps+len(facts) > maxNumber {
		return nil, nil, fmt.Errorf("too many variables")
	}
	p = &premises{r: r, q: r.query, facts: facts, equations: given}
	for k, f := range facts {
		if err := r.valid(f); err != nil {
			return nil, nil, err
		}
		if m, ok := f.(equations.Multiple); ok {
			p.zero = append(p.zero, expanded{monomial{rune(m.Variable + 1)}.key(): big.NewRat(1, 1)}.plus(expanded{monomial{r.quotient(k)}.key(): big.NewRat(m.Of, 1)}, -1).plus(constantOf(m.Rest), -1))
		}
	}
	for k, f := range c.Implied[i] {
		if int(f.MaxVar()) >= r.vars+r.old.Temps+len(facts) {
			return nil, nil, fmt.Errorf("form %d is about more than variables", k)
		}
		zero := r.form(f)
		no, err := p.exclude(func(term func(expanded) string) string { return "(not (= 0 " + term(zero) + "))" })
		if err != nil {
			return nil, nil, err
		}
		if !no {
			return nil, nil, fmt.Errorf("form %d is not implied", k)
		}
		p.zero = append(p.zero, zero)
	}
	return p.zero, p, nil
}

// valid checks that a fact is one.
func (r *rewritten) valid(f equations.Fact) error {
	var v linear.Var
	factor := int64(2)
	switch f := f.(type) {
	case equations.Holds:
		v = f.Form.MaxVar()
	case equations.Multiple:
		v, factor = f.Variable, f.Of
	case equations.Power:
		v, factor = f.Variable, f.Base
	default:
		return fmt.Errorf("a fact of an unknown kind")
	}
	if int(v) >= r.vars || factor < 2 {
		return fmt.Errorf("a fact that is about no variable, or no number")
	}
	return nil
}

func constantOf(n int64) expanded {
	out := expanded{}
	out.add("", big.NewRat(n, 1))
	return out
}

// exclude says whether the premises exclude a formula.
func (p *premises) exclude(formula func(term func(expanded) string) string) (bool, error) {
	p.names = map[string]string{}
	p.solve()
	p.q.push()
	defer p.q.pop()
	for _, z := range p.zero {
		p.compare(z, true)
	}
	for k, f := range p.facts {
		switch f := f.(type) {
		case equations.Holds:
			p.compare(p.r.form(f.Form), f.Equality)
		case equations.Power:
			v, u := p.variable(rune(f.Variable+1)), p.variable(p.r.quotient(k))
			p.q.assert(fmt.Sprintf("(and (>= %s 1) (or (= %s 1) (= %s (* %d %s))))", v, v, v, f.Base, u))
		}
	}
	for _, e := range p.equations {
		p.twice(e, true)
	}
	for _, c := range p.r.old.Guard {
		p.twice(p.r.form(c.Form), c.Equality)
	}
	return p.q.refuted(formula(p.term))
}

// twice asserts of a polynomial that it is 0, or not negative, as it is and with variables replaced.
func (p *premises) twice(e expanded, zero bool) {
	p.compare(e, zero)
	other := e.substitute(func(v rune) expanded {
		if by := p.replaced[v]; by != nil {
			return by
		}
		return expanded{monomial{v}.key(): big.NewRat(1, 1)}
	})
	if len(other.plus(e, -1)) > 0 {
		p.compare(other, zero)
	}
}

func (p *premises) compare(e expanded, zero bool) {
	operator := ">="
	if zero {
		operator = "="
	}
	p.q.assert("(" + operator + " " + p.term(e) + " 0)")
}

// solve finds what variables are by forms that are 0: each time the first of the program's that has the coefficient
// 1 or -1, if nothing is about it.
func (p *premises) solve() {
	p.replaced = map[rune]expanded{}
	about := func(e expanded, v rune) bool {
		for m := range e {
			if strings.ContainsRune(m, v) {
				return true
			}
		}
		return false
	}
	for _, z := range p.zero {
		var candidates []rune
		for m := range z {
			if v := []rune(m); len(v) == 1 && int(v[0]) <= p.r.vars {
				candidates = append(candidates, v[0])
			} else if len(v) > 1 {
				candidates = nil
				break
			}
		}
		slices.Sort(candidates)
		for _, v := range candidates {
			key := monomial{v}.key()
			c := z[key]
			if !c.IsInt() || new(big.Int).Abs(c.Num()).Cmp(big.NewInt(1)) != 0 {
				continue
			}
			by := expanded{key: big.NewRat(1, 1)}
			scaled := expanded{}
			for m, d := range z {
				scaled.add(m, new(big.Rat).Mul(c, d))
			}
			by = by.plus(scaled, -1)
			free := p.replaced[v] == nil
			for w, e := range p.replaced {
				free = free && !about(by, w) && !about(e, v)
			}
			if free {
				p.replaced[v] = by
				break
			}
		}
	}
}

// variable is the name of a variable in the query.
func (p *premises) variable(v rune) string { return p.nameOf(monomial{v}.key()) }

func (p *premises) nameOf(m string) string {
	if p.names[m] == "" {
		p.names[m] = p.q.declare()
	}
	return p.names[m]
}

// term is a positive multiple of a polynomial, with integers.
func (p *premises) term(e expanded) string { return (&terms{p.nameOf}).of(e) }

// terms are polynomials for Z3.
type terms struct{ declared func(monomial string) string }

// of is a positive multiple of a polynomial, with integers.
func (t *terms) of(e expanded) string {
	factor := big.NewInt(1)
	for _, c := range e {
		d := c.Denom()
		factor.Mul(factor, new(big.Int).Quo(d, new(big.Int).GCD(nil, nil, factor, d)))
	}
	var keys []string
	for m := range e {
		keys = append(keys, m)
	}
	slices.Sort(keys)
	var b strings.Builder
	b.WriteString("(+ 0")
	for _, m := range keys {
		c := new(big.Rat).Mul(e[m], new(big.Rat).SetInt(factor)).Num()
		text := c.String()
		if c.Sign() < 0 {
			text = "(- " + new(big.Int).Abs(c).String() + ")"
		}
		if m != "" {
			text = "(* " + text + " " + t.declared(m) + ")"
		}
		b.WriteString(" " + text)
	}
	b.WriteString(")")
	return b.String()
}

// holds checks that a fact of the target holds behind the transition.
func (p *premises) holds(f equations.Fact) error {
	if err := p.r.valid(f); err != nil {
		return err
	}
	after := func(v linear.Var) (expanded, error) {
		e := p.r.form(p.r.old.Update[v])
		for _, c := range e {
			if !c.IsInt() {
				return nil, fmt.Errorf("an update is not integral")
			}
		}
		return e, nil
	}
	contrary := func(func(expanded) string) string { return "true" }
	switch f := f.(type) {
	case equations.Holds:
		e := p.r.form(f.Form).substitute(func(v rune) expanded { return p.r.form(p.r.old.Update[v-1]) })
		contrary = func(term func(expanded) string) string {
			if f.Equality {
				return "(not (= " + term(e) + " 0))"
			}
			return "(< " + term(e) + " 0)"
		}
	case equations.Multiple:
		e, err := after(f.Variable)
		if err != nil {
			return err
		}
		contrary = func(term func(expanded) string) string {
			return fmt.Sprintf("(not (= 0 (mod %s %d)))", term(e.plus(constantOf(f.Rest), -1)), f.Of)
		}
	case equations.Power:
		e, err := after(f.Variable)
		if err != nil {
			return err
		}
		contrary = func(term func(expanded) string) string { return p.noPower(e, f.Base, term) }
	}
	no, err := p.exclude(contrary)
	if err != nil {
		return err
	}
	if !no {
		return fmt.Errorf("it does not hold behind the transition")
	}
	return nil
}

// noPower says that a number is not positive, or that nothing says that it is a power: it is none of the first ones, nor
// equal to one before the transition, or to that times the base, or divided by the base.
func (p *premises) noPower(e expanded, base int64, term func(expanded) string) string {
	parts := []string{}
	power := big.NewInt(1)
	for range maxExponent {
		parts = append(parts, fmt.Sprintf("(not (= %s %v))", term(e), power))
		power = new(big.Int).Mul(power, big.NewInt(base))
	}
	for _, g := range p.facts {
		if g, ok := g.(equations.Power); ok && g.Base == base {
			n, v := term(e), p.variable(rune(g.Variable+1))
			parts = append(parts, fmt.Sprintf("(not (= %s %s)) (not (= %s (* %d %s))) (not (= (* %d %s) %s))", n, v, n, base, v, base, n, v))
		}
	}
	return "(or (< " + term(e) + " 1) (and " + strings.Join(parts, " ") + "))"
}
