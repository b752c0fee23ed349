package complexity

import (
	"fmt"
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/logic/linear"
)

// This file bounds forms over the state where a block begins, on demand. Ways, of which the one with
// the finest class is taken:
//
//	Limited    the conditions of the block have a greatest value of the form
//	Initial    the block leaves the start
//	Potential  how the form changes on the blocks of the component: it keeps within what it
//	           was, plus what each block adds, times how often that is executed; or a block
//	           sets it to something else [BEFFG16, Sec. 4]
//	Iterated   the closed form of the loop where the block begins
//	Sum        the terms one by one
//	Dominated  a condition of the block says that another form is greater
//
// A form that depends on itself has no bound this way: those in progress are marked. That
// something has no bound is remembered until there is a new claim about runs, unless a mark was the reason.

// sizes remembers claims about sizes.
type sizes struct {
	known  map[string]int // a claim, or -1
	active map[string]bool
	blamed int // the marks that were met so far
	depth  int
	work   int
}

// Limits on the search for one size.
const (
	maxSizeDepth = 24
	maxSizeWork  = 4000
	maxTerms     = 400 // of an expression
)

func (s *sizes) forget() {
	for k, v := range s.known {
		if v < 0 {
			delete(s.known, k)
		}
	}
	s.work = 0
}

// size is a claim that bounds the form where block b begins, or -1.
func (a *analysis) size(b int, g linear.Form, detours int) int {
	s := &a.sizes
	if s.known == nil {
		s.known, s.active = map[string]int{}, map[string]bool{}
	}
	key := fmt.Sprint(b, "|", detours, "|", g)
	if c, ok := s.known[key]; ok {
		return c
	}
	if s.active[key] || s.depth >= maxSizeDepth {
		s.blamed++
		return -1
	}
	if s.work++; s.work > maxSizeWork || a.ctx.Err() != nil {
		s.blamed++
		return -1
	}
	s.active[key] = true
	s.depth++
	blamed := s.blamed
	c := a.sizeAnew(b, g, detours)
	s.depth--
	delete(s.active, key)
	if c >= 0 || s.blamed == blamed {
		s.known[key] = c
	}
	return c
}

// maximum is the greatest value of a form over variables and temporaries of block b.
func (a *analysis) maximum(b int, f linear.Form) (linear.Number, bool) {
	n, st := a.solvers[b].Minimize(f.Neg())
	if st != linear.Feasible {
		return n, false
	}
	if n = n.Neg(); f.IsIntegral() {
		n = n.Floor()
	}
	return n, true
}

// great says whether a number looks like the range of a type.
func great(n linear.Number) bool { return n.Abs().Cmp(linear.Int(bound.ShortRange)) >= 0 }

func (a *analysis) sizeAnew(b int, g linear.Form, detours int) int {
	if k := contentOf(g); !k.IsOne() {
		// A multiple is that of the bound. A form that is doubled again and again is then one that grows.
		c := a.size(b, g.Plus(g.Const.Neg()).Scale(k.Inv()), detours)
		if c < 0 {
			return -1
		}
		return a.add(bound.Size{Block: b, Form: g, Bound: a.claims[c].Limit().Scale(k).Add(bound.Constant(g.Const)), Rule: bound.Sum{Parts: []bound.Part{{Coef: k, Size: c}}}})
	}
	best := -1
	consider := func(c int) {
		if c >= 0 && a.claims[c].Limit().Size() <= maxTerms && (best < 0 || better(a.claims[c].Limit(), a.claims[best].Limit())) {
			best = c
		}
	}
	limit := -1
	if n, ok := a.maximum(b, g); ok {
		limit = a.add(bound.Size{Block: b, Form: g, Bound: bound.Constant(n), Rule: bound.Limited{}})
		if !great(n) {
			return limit
		}
	}
	if a.blocks[b].from == 0 {
		return a.add(bound.Size{Block: b, Form: g, Bound: bound.Form(g), Rule: bound.Initial{}})
	}
	consider(a.potential(b, g))
	if best >= 0 && a.claims[best].Limit().ClassWithRanges(bound.ShortRange).Degree <= 1 && !a.claims[best].Limit().ClassWithRanges(bound.ShortRange).Exponential {
		return best
	}
	consider(a.iterated(b, g))
	if len(g.Terms) > 1 {
		consider(a.sum(b, g, detours))
	}
	if detours > 0 {
		for _, k := range a.dominating(b, g) {
			m, ok := a.amountWith(b, k, detours-1)
			if ok {
				c := bound.Size{Block: b, Form: g, Bound: a.valueOf(m), Rule: bound.Dominated{By: m}}
				if best < 0 || better(c.Bound, a.claims[best].Limit()) {
					consider(a.add(c))
				}
			}
		}
	}
	if best < 0 {
		return limit
	}
	return best
}

// contentOf is the greatest integer by which the numerators of the coefficients of the variables can be divided, 1 if there are none.
func contentOf(g linear.Form) linear.Number {
	var k linear.Number
	for _, t := range g.Terms {
		k = linear.GCD(k, t.Coef.Mul(t.Coef.Denominator()))
	}
	if k.IsZero() {
		return linear.Int(1)
	}
	return k
}

// sum bounds the terms one by one.
func (a *analysis) sum(b int, g linear.Form, detours int) int {
	e := bound.Constant(g.Const)
	var parts []bound.Part
	for _, t := range g.Terms {
		f := linear.Variable(t.Var)
		if t.Coef.Sign() < 0 {
			f = f.Neg()
		}
		c := a.size(b, f, detours)
		if c < 0 {
			return -1
		}
		k := t.Coef.Abs()
		parts = append(parts, bound.Part{Coef: k, Size: c})
		e = e.Add(a.claims[c].Limit().Scale(k))
	}
	return a.add(bound.Size{Block: b, Form: g, Bound: e, Rule: bound.Sum{Parts: parts}})
}

// maxDominating bounds the forms that are tried in place of another.
const maxDominating = 6

// dominating are forms over the variables that are not below g where block b is executed,
// with one variable of g less.
func (a *analysis) dominating(b int, g linear.Form) (out []linear.Form) {
	for _, t := range g.Terms {
		for _, c := range a.blocks[b].known {
			for _, f := range c.Inequalities() {
				k := f.Coef(t.Var)
				if k.Sign()*t.Coef.Sign() >= 0 || int(f.MaxVar()) >= a.variables {
					continue
				}
				h := g.AddScaled(t.Coef.Neg().Div(k), f)
				if len(h.Terms) > 0 && len(out) < maxDominating && !slices.ContainsFunc(out, h.Equal) {
					out = append(out, h)
				}
			}
		}
	}
	return out
}

// potential bounds the form by how it changes: first with the same form at all nodes of the
// component, then with forms that a linear program chooses.
func (a *analysis) potential(b int, g linear.Form) int {
	at := a.blocks[b].from
	nodes := []int{at}
	for u := 1; u < len(a.nodes); u++ {
		if u != at && a.component[u] == a.component[at] {
			nodes = append(nodes, u)
		}
	}
	same := make([]bound.NodeForm, len(nodes))
	for i, u := range nodes {
		same[i] = bound.NodeForm{Node: u, Form: g}
	}
	c := a.potentialOf(b, g, same)
	if len(nodes) > 1 {
		if c >= 0 && a.claims[c].Limit().ClassWithRanges(bound.ShortRange).Compare(bound.Class{}) <= 0 {
			return c
		}
		if forms := a.potentialForms(at, g, nodes); forms != nil {
			if d := a.potentialOf(b, g, forms); d >= 0 && (c < 0 || better(a.claims[d].Limit(), a.claims[c].Limit())) {
				c = d
			}
		}
	}
	return c
}

// potentialOf finds the steps of a potential.
func (a *analysis) potentialOf(b int, g linear.Form, forms []bound.NodeForm) int {
	of := make([]*linear.Form, len(a.nodes))
	for i := range forms {
		of[forms[i].Node] = &forms[i].Form
	}
	var steps []bound.Step
	for i, k := range a.blocks {
		if of[k.to] == nil {
			continue
		}
		s := a.sizeStep(i, of[k.from], *of[k.to])
		if s == nil {
			return -1
		}
		steps = append(steps, s)
	}
	e, ok := a.potentialBound(steps)
	if !ok {
		return -1
	}
	return a.add(bound.Size{Block: b, Form: g, Bound: e, Rule: bound.Potential{Forms: forms, Steps: steps}})
}

// potentialBound is the expression of a potential, as the checker computes it.
func (a *analysis) potentialBound(steps []bound.Step) (bound.Expression, bool) {
	var resets []bound.Expression
	var added []bound.Charge
	var growth []bound.Growth
	for _, s := range steps {
		switch s := s.(type) {
		case bound.Reset:
			resets = append(resets, a.valueOf(s.To))
		case bound.Increase:
			if n, ok := s.By.Amounts[0].Constant(); !ok || n.Sign() > 0 {
				added = append(added, s.By)
			}
		case bound.Growth:
			added = append(added, s.By)
			growth = append(growth, s)
		default:
			panic(fmt.Sprintf("unexpected %T", s))
		}
	}
	if len(resets) == 0 {
		return bound.Expression{}, false
	}
	e := bound.Max(resets...)
	if len(growth) > 0 {
		e = bound.Max(bound.Expression{}, e)
	}
	e = e.Add(a.charges(added))
	for _, g := range growth {
		e = e.Mul(bound.Power(g.Factor, a.claims[g.By.Runs].Limit()))
	}
	return e, e.Size() <= maxTerms
}

// behind is a form over the state behind block b, over its variables and temporaries before.
func (a *analysis) behind(b int, f linear.Form) linear.Form {
	return f.Substitute(func(v linear.Var) (linear.Form, bool) { return a.blocks[b].update[v], true })
}

// sizeStep is what a block does to a potential, nil if that is not bounded. from is nil if
// the block enters the potential's nodes.
func (a *analysis) sizeStep(b int, from *linear.Form, to linear.Form) bound.Step {
	after := a.behind(b, to)
	if from != nil {
		if n, ok := a.maximum(b, after.Sub(*from)); ok && n.Sign() <= 0 {
			return bound.Increase{By: bound.Charge{Block: b, Runs: -1, Amounts: []bound.Amount{{Form: linear.Constant(n)}}}}
		}
	}
	var best bound.Step
	var cost bound.Expression
	consider := func(s bound.Step, e bound.Expression) {
		if best == nil || better(e, cost) {
			best, cost = s, e
		}
	}
	if m, ok := a.amount(b, after); ok {
		consider(bound.Reset{Block: b, To: m}, a.valueOf(m))
	}
	if from == nil || a.runs[b] < 0 {
		return best
	}
	charge := func(m bound.Amount) bound.Charge {
		return bound.Charge{Block: b, Runs: a.runs[b], Amounts: []bound.Amount{m}}
	}
	if m, ok := a.amount(b, after.Sub(*from)); ok {
		c := charge(m)
		consider(bound.Increase{By: c}, a.charges([]bound.Charge{c}))
	}
	if best != nil && !cost.Class().Exponential {
		return best
	}
	for _, t := range from.Terms {
		k := after.Coef(t.Var).Div(t.Coef).Ceil()
		if k.Cmp(linear.Int(2)) < 0 {
			continue
		}
		if m, ok := a.amount(b, after.AddScaled(k.Neg(), *from)); ok {
			return bound.Growth{Factor: k, By: charge(m)}
		}
	}
	return best
}
