package equations

import (
	"context"
	"math/big"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// expansion is a transition with products as polynomials over the variables and the other
// temporaries.
type expansion struct {
	ok     bool // the degrees are small enough
	guard  []rational.Polynomial
	equal  []int // the constraints that are equations
	update []rational.Polynomial
	// nonlinear constraints and updates
	guards, updates []int
}

// expand writes products out.
func expand(s *its.System, t *its.Transition) expansion {
	value := map[linear.Var]rational.Polynomial{}
	of := func(f linear.Form) (rational.Polynomial, bool) {
		return rational.FromForm(f).Substitute(func(v linear.Var) rational.Polynomial {
			if p, ok := value[v]; ok {
				return p
			}
			return rational.Variable(v)
		})
	}
	var x expansion
	for _, p := range t.Products {
		a, ok1 := of(p.A)
		b, ok2 := of(p.B)
		if !ok1 || !ok2 {
			return x
		}
		c, ok := a.Times(b)
		if !ok {
			return x
		}
		value[p.Temp] = c
	}
	for i, c := range t.Guard {
		p, ok := of(c.Form)
		if !ok {
			return x
		}
		x.guard = append(x.guard, p)
		if c.Equality {
			x.equal = append(x.equal, i)
		}
		if p.Degree() > 1 {
			x.guards = append(x.guards, i)
		}
	}
	for v, f := range t.Update {
		p, ok := of(f)
		if !ok {
			return x
		}
		x.update = append(x.update, p)
		if p.Degree() > 1 {
			x.updates = append(x.updates, v)
		}
	}
	x.ok = true
	return x
}

// rewriting is the state of a search.
type rewriting struct {
	s         *its.System
	observed  []bool
	expanded  []expansion
	equations [][]rational.Polynomial
	kept      [][][]rational.Polynomial
	states    [][][]*big.Int // sampled, by location
	// For divisions (facts.go): facts, nil if they are not looked at, by location; forms that are implied, and which constraints
	// are rests, by transition.
	facts   [][]Fact
	implied [][]linear.Form
	rests   [][]bool
	solver  *conjunction.Solver
	// width, if not 0, says that equations are congruences modulo 2^width (congruences.go).
	width uint32
}

// keep drops equations, and facts, until those that are left are kept by all transitions (E2, F1); false if the
// context ended.
func (x *rewriting) keep(ctx context.Context) bool {
	x.kept = make([][][]rational.Polynomial, len(x.s.Transitions))
	dirty := make([]bool, len(x.s.Transitions))
	for i := range dirty {
		dirty[i] = true
	}
	for changed := true; changed; {
		changed = false
		for i := range x.s.Transitions {
			if !dirty[i] {
				continue
			}
			dirty[i] = false
			if ctx.Err() != nil {
				return false
			}
			t := &x.s.Transitions[i]
			droppedFacts := false
			if x.facts != nil {
				x.imply(ctx, i)
				droppedFacts = x.keepFacts(ctx, i)
			}
			behind := x.behind(i)
			x.kept[i] = nil
			lost := map[int]bool{}
			for k, h := range x.equations[t.To] {
				c, ok := behind(h)
				if !ok {
					lost[k] = true
				}
				x.kept[i] = append(x.kept[i], c)
			}
			if len(lost) == 0 && !droppedFacts {
				continue
			}
			changed = true
			n := -1
			x.equations[t.To] = slices.DeleteFunc(slices.Clone(x.equations[t.To]), func(rational.Polynomial) bool { n++; return lost[n] })
			for j := range x.s.Transitions {
				if u := &x.s.Transitions[j]; u.To == t.To || u.From == t.To {
					dirty[j] = true
				}
			}
		}
	}
	return true
}

// behind finds cofactors for equations behind a transition.
func (x *rewriting) behind(i int) congruent {
	e := &x.expanded[i]
	hypotheses := x.known(i)
	express := func(p rational.Polynomial) ([]rational.Polynomial, bool) {
		r, ok := rational.Reduce(p, hypotheses, -1)
		return r.Cofactors, ok
	}
	if x.width > 0 {
		express = modulo(hypotheses, x.width)
	}
	return func(h rational.Polynomial) ([]rational.Polynomial, bool) {
		if !e.ok {
			return nil, false
		}
		after, ok := h.Substitute(func(v linear.Var) rational.Polynomial { return e.update[v] })
		if !ok {
			return nil, false
		}
		if x.facts != nil && x.never(i) { // the last hypothesis is 1
			cofactors := make([]rational.Polynomial, len(hypotheses))
			cofactors[len(cofactors)-1] = after
			return cofactors, true
		}
		return express(after)
	}
}

// result replaces what can be replaced (E3).
func (x *rewriting) result() *Result {
	n := len(x.s.Transitions)
	out := &Result{System: x.s.Clone(), Certificate: &Certificate{
		Equations: x.equations, Kept: x.kept, Facts: x.facts, Implied: x.implied, Guards: make([][]Change, n), Updates: make([][]Change, n),
	}}
	for i := range x.s.Transitions {
		e := &x.expanded[i]
		if len(x.s.Transitions[i].Products) == 0 {
			continue
		}
		t := x.s.Transitions[i]
		t.Guard, t.Update = slices.Clone(t.Guard), slices.Clone(t.Update)
		hypotheses, known := x.hypotheses(i), x.known(i)
		change := func(index int, p rational.Polynomial, hypotheses []rational.Polynomial) (Change, bool) {
			r, ok := rational.Reduce(p, hypotheses, 1)
			if !ok {
				return Change{}, false
			}
			by, _ := r.Rest.Form()
			return Change{Index: index, By: by, Cofactors: r.Cofactors}, true
		}
		for _, k := range e.guards {
			given := hypotheses
			if t.Guard[k].Equality { // two that are replaced by means of each other could get lost
				given = x.equations[t.From]
			}
			if root, ok := squareRoot(e.guard[k]); ok && !t.Guard[k].Equality {
				t.Guard[k] = linear.Constraint{}
				out.Certificate.Guards[i] = append(out.Certificate.Guards[i], Change{Index: k, Root: &root})
				continue
			}
			if c, ok := change(k, e.guard[k], given); ok {
				t.Guard[k] = linear.Constraint{Form: c.By, Equality: t.Guard[k].Equality}.Tighten()
				out.Certificate.Guards[i] = append(out.Certificate.Guards[i], c)
				continue
			}
			if c, ok := x.powers(i, e.guard[k], t.Guard[k].Equality, given); ok {
				c.Index = k
				t.Guard[k] = linear.Constraint{Form: c.By, Equality: t.Guard[k].Equality}.Tighten()
				out.Certificate.Guards[i] = append(out.Certificate.Guards[i], c)
			}
		}
		for _, v := range e.updates {
			if c, ok := change(v, e.update[v], known); ok && c.By.IsIntegral() && !x.ghost(i, c.By) {
				t.Update[v] = c.By
				out.Certificate.Updates[i] = append(out.Certificate.Updates[i], c)
			}
		}
		out.System.Transitions[i] = t
	}
	x.freeze(out)
	return out
}

// freeze leaves alone what nothing depends on, and drops products that are not needed (E4).
func (x *rewriting) freeze(r *Result) {
	frozen := make([]bool, len(x.s.Variables))
	for v, yes := range r.System.Relevant(true) {
		frozen[v] = !yes && (v >= len(x.observed) || !x.observed[v])
	}
	x.keepObserved(r.System, frozen)
	r.Certificate.Frozen = frozen
	for i := range r.System.Transitions {
		t := &r.System.Transitions[i]
		t.Update = slices.Clone(t.Update)
		for v := range t.Update {
			if frozen[v] {
				t.Update[v] = linear.Variable(linear.Var(v))
			}
		}
		if len(t.Products) > 0 {
			if t.Products = used(t); len(t.Products) > 0 {
				r.Left++
			}
		}
	}
}

// keepObserved takes from the frozen variables those that others depend on.
func (x *rewriting) keepObserved(s *its.System, frozen []bool) {
	for changed := true; changed; {
		changed = false
		for i := range s.Transitions {
			t := &s.Transitions[i]
			var mark func(f linear.Form)
			mark = func(f linear.Form) {
				for _, m := range f.Terms {
					if int(m.Var) < len(frozen) {
						changed = changed || frozen[m.Var]
						frozen[m.Var] = false
						continue
					}
					for _, p := range t.Products {
						if p.Temp == m.Var {
							mark(p.A)
							mark(p.B)
						}
					}
				}
			}
			for v, f := range t.Update {
				if !frozen[v] {
					mark(f)
				}
			}
		}
	}
}

// squareRoot is a form of which a polynomial is a positive multiple of the square: of forms with one
// term, for those come from factors that are equal.
func squareRoot(p rational.Polynomial) (linear.Form, bool) {
	for m, c := range p {
		if len(p) == 1 && m.Degree() == 2 && m[0] == m[1] && c.Sign() > 0 {
			return linear.Variable(linear.Var(m[0] - 1)), true
		}
	}
	return linear.Form{}, false
}

// used are the products that the guard, the updates, the costs, or other products need.
func used(t *its.Transition) []its.Product {
	needs := func(v linear.Var, kept []its.Product) bool {
		return slices.ContainsFunc(t.Guard, func(c linear.Constraint) bool { return c.Form.Has(v) }) ||
			slices.ContainsFunc(t.Update, func(f linear.Form) bool { return f.Has(v) }) || t.Cost.Has(v) ||
			slices.ContainsFunc(kept, func(p its.Product) bool { return p.A.Has(v) || p.B.Has(v) })
	}
	var kept []its.Product
	for i := len(t.Products) - 1; i >= 0; i-- {
		if needs(t.Products[i].Temp, kept) {
			kept = append(kept, t.Products[i])
		}
	}
	slices.Reverse(kept)
	return kept
}
