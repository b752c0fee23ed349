package complexity

import (
	"slices"
	"time"

	"assay/internal/integers/bound"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
	"assay/internal/logic/smt"
)

// This file makes claims of closed forms. A loop ends when a polynomial that its conditions keep from
// being negative is: as soon as the mode that dominates does so, if its coefficient is negative
// (bound.Closed). What a form is worth in a loop is the sum of its modes (bound.Iterated).

// Limits on closed forms.
const (
	maxExits    = 12
	patienceZ3  = 500 * time.Millisecond // for one question about signs
	maxVariable = 12                     // that coefficients may have
)

// solution is what is known of a block as a polynomial map.
type solution struct {
	known      bool
	update     polynomialMap
	conditions []rational.Polynomial // that are not negative where it is executed
}

// solutionOf is that of a block, computed once.
func (a *analysis) solutionOf(b int) *solution {
	if a.solutions == nil {
		a.solutions = make([]solution, len(a.blocks))
	}
	s := &a.solutions[b]
	if s.known {
		return s
	}
	*s = solution{known: true, update: a.mapOf(b)}
	known := a.polynomials(b)
	for _, c := range a.blocks[b].known {
		for _, f := range c.Inequalities() {
			if p := polynomialOf(f, known); p != nil {
				s.conditions = append(s.conditions, p)
			}
		}
	}
	return s
}

// withTwins adds the other loops at the node of the first block that do what it does: they are parts of one
// loop under several conditions.
func (a *analysis) withTwins(blocks []int) []int {
	out := slices.Clone(blocks)
	first := a.blocks[blocks[0]]
	for i, k := range a.blocks {
		if first.from == first.to && k.from == first.from && k.to == first.to && !slices.Contains(out, i) && a.solutionOf(i).update.equal(a.solutionOf(blocks[0]).update) {
			out = append(out, i)
		}
	}
	return out
}

// closed is a claim that counts the blocks, which must be loops that do the same.
func (a *analysis) closed(blocks []int) (bound.Runs, bool) {
	var none bound.Runs
	node := a.blocks[blocks[0]].from
	f := a.solutionOf(blocks[0]).update
	for _, b := range blocks {
		if a.blocks[b].from != node || a.blocks[b].to != node || !a.solutionOf(b).update.equal(f) {
			return none, false
		}
	}
	for _, period := range periods {
		exits := a.exits(blocks, f, period)
		exits, ok := a.enough(blocks, exits)
		if !ok {
			continue
		}
		rule := bound.Closed{Period: period, Exits: exits}
		for _, c := range exits {
			rule.Variables = variablesOf(rule.Variables, c.Modes[1:])
		}
		var limit bound.Expression
		rule.Entries, limit, ok = a.entriesOf(node, blocks, rule.Variables, func(l bound.Limits) (bound.Expression, bool) {
			return exitOf(exits, period, l)
		})
		if !ok || limit.Size() > maxTerms {
			return none, false
		}
		return bound.Runs{Blocks: blocks, Bound: limit, Rule: rule}, true
	}
	return none, false
}

// exitOf is the greatest of the numbers of executions that closed forms allow.
func exitOf(exits []bound.ClosedForm, period int, l bound.Limits) (bound.Expression, bool) {
	var most []bound.Expression
	for _, c := range exits {
		e, ok := c.Exit(period, l)
		if !ok {
			return e, false
		}
		most = append(most, e)
	}
	return bound.Max(most...), true
}

// variablesOf adds those of the coefficients, in order.
func variablesOf(vs []linear.Var, modes []bound.Mode) []linear.Var {
	for _, m := range modes {
		for k := range m.Coefficient {
			for _, v := range k[:k.Degree()] {
				if i, found := slices.BinarySearch(vs, linear.Var(v-1)); !found {
					vs = slices.Insert(vs, i, linear.Var(v-1))
				}
			}
		}
	}
	return vs
}

// exits are the closed forms with positive roots of conditions that all blocks have.
func (a *analysis) exits(blocks []int, f polynomialMap, period int) (out []bound.ClosedForm) {
	for _, p := range a.solutionOf(blocks[0]).conditions {
		shared := !slices.ContainsFunc(blocks[1:], func(b int) bool {
			return !slices.ContainsFunc(a.solutionOf(b).conditions, func(q rational.Polynomial) bool {
				return len(p.AddScaled(linear.Int(-1), q)) == 0
			})
		})
		if !shared {
			continue
		}
		for shift := 0; shift < period+1 && len(out) < maxExits; shift++ {
			c, ok := f.closedForm(p, shift, period)
			if !ok || len(c.Modes) == 0 {
				break
			}
			if _, ok := c.Exit(period, func(linear.Var, bool) bound.Expression { return bound.Expression{} }); !ok {
				continue // a root is not positive: perhaps 0, then the next shift has it no more
			}
			out = append(out, integral(c))
			if period == 1 {
				break
			}
		}
	}
	return out
}

// enough keeps closed forms of which, where any of the blocks is executed, one has a first mode that is
// negative; ok is false if there are none.
func (a *analysis) enough(blocks []int, exits []bound.ClosedForm) ([]bound.ClosedForm, bool) {
	for i := range exits { // one that is enough alone
		if one := exits[i : i+1]; a.covers(blocks, one) {
			return one, true
		}
	}
	if len(exits) < 2 || !a.covers(blocks, exits) {
		return nil, false
	}
	for i := 0; i < len(exits) && len(exits) > 1; {
		less := slices.Delete(slices.Clone(exits), i, i+1)
		if a.covers(blocks, less) {
			exits = less
		} else {
			i++
		}
	}
	return exits, true
}

// covers asks Z3 whether one of the closed forms always has a first mode that is negative.
func (a *analysis) covers(blocks []int, exits []bound.ClosedForm) bool {
	if slices.ContainsFunc(exits, func(c bound.ClosedForm) bool { return isNegative(c.Modes[0].Coefficient) }) {
		return true
	}
	var z conjunction.Solver
	defer z.Close()
	z.Timeout = patienceZ3
	for _, b := range blocks {
		m := monomials{next: linear.Var(a.variables), number: map[rational.Monomial]linear.Var{}}
		q := conjunction.Query{}
		for _, p := range a.solutionOf(b).conditions {
			q.Constraints = append(q.Constraints, linear.Constraint{Form: m.form(p)})
		}
		for _, c := range exits {
			q.Clauses = append(q.Clauses, m.notNegative(c)...)
		}
		q.Products, q.Variables = m.products, int(m.next)
		if status, _, err := z.Solve(a.ctx, q); err != nil || status != smt.Unsat {
			return false
		}
	}
	return true
}

// isNegative says whether a polynomial is a negative constant.
func isNegative(p rational.Polynomial) bool {
	f, ok := p.Form()
	return ok && f.IsConstant() && f.Const.Sign() < 0
}

// monomials writes polynomials as linear forms over products.
type monomials struct {
	next     linear.Var
	number   map[rational.Monomial]linear.Var
	products []conjunction.Product
}

func (m *monomials) form(p rational.Polynomial) linear.Form {
	var f linear.Form
	for _, k := range p.Monomials() {
		f = f.AddScaled(p[k], m.monomial(k))
	}
	return f
}

func (m *monomials) monomial(k rational.Monomial) linear.Form {
	d := k.Degree()
	if d == 0 {
		return unit
	}
	last := linear.Variable(linear.Var(k[d-1] - 1))
	if d == 1 {
		return last
	}
	if v, ok := m.number[k]; ok {
		return linear.Variable(v)
	}
	before := k
	before[d-1] = 0
	a := m.monomial(before)
	v := m.next
	m.next++
	m.number[k] = v
	m.products = append(m.products, conjunction.Product{V: v, A: a, B: last})
	return linear.Variable(v)
}

// notNegative says, for each mode, that one before it is not 0, or it is not negative.
func (m *monomials) notNegative(c bound.ClosedForm) (out [][]linear.Constraint) {
	var before []linear.Constraint
	for _, x := range c.Modes {
		f := m.form(x.Coefficient)
		out = append(out, append(slices.Clone(before), linear.Constraint{Form: f}))
		before = append(before, linear.Less(f, linear.Form{}), linear.Less(linear.Form{}, f))
	}
	return out
}

// entriesOf charges what leads to a node, loops excepted, with limits of variables and their opposites, and sums
// up what a price asks for them.
func (a *analysis) entriesOf(node int, loops []int, variables []linear.Var, price func(bound.Limits) (bound.Expression, bool)) (entries []bound.Charge, sum bound.Expression, ok bool) {
	if len(variables) > maxVariable {
		return nil, sum, false
	}
	for i, k := range a.blocks {
		if k.to != node || slices.Contains(loops, i) {
			continue
		}
		if a.runs[i] < 0 {
			return nil, sum, false
		}
		x := bound.Charge{Block: i, Runs: a.runs[i]}
		for _, v := range variables {
			for _, f := range []linear.Form{k.update[v], k.update[v].Neg()} {
				m, ok := a.amount(i, f)
				if !ok {
					return nil, sum, false
				}
				x.Amounts = append(x.Amounts, m)
			}
		}
		entries = append(entries, x)
	}
	// Blocks that one claim counts pay for the greatest limits.
	for i, x := range entries {
		if slices.ContainsFunc(entries[:i], func(y bound.Charge) bool { return y.Runs == x.Runs }) {
			continue
		}
		e, ok := price(func(v linear.Var, negative bool) bound.Expression {
			k, _ := slices.BinarySearch(variables, v)
			k *= 2
			if negative {
				k++
			}
			var es []bound.Expression
			for _, y := range entries[i:] {
				if y.Runs == x.Runs {
					es = append(es, a.valueOf(y.Amounts[k]))
				}
			}
			return bound.Max(es...)
		})
		if !ok {
			return nil, sum, false
		}
		sum = sum.Add(a.claims[x.Runs].Limit().Mul(e))
	}
	return entries, sum, len(entries) > 0
}

// iterated bounds a form where block b begins by its closed forms in a loop there, or is -1.
func (a *analysis) iterated(b int, g linear.Form) int {
	node := a.blocks[b].from
	rule := bound.Iterated{}
	for i, k := range a.blocks {
		if k.from != node || k.to != node {
			continue
		}
		if len(rule.Loops) > 0 && !a.solutionOf(i).update.equal(a.solutionOf(rule.Loops[0]).update) {
			return -1
		}
		if a.runs[i] < 0 {
			return -1
		}
		rule.Loops = append(rule.Loops, i)
		if !slices.Contains(rule.Runs, a.runs[i]) {
			rule.Runs = append(rule.Runs, a.runs[i])
		}
	}
	if len(rule.Loops) == 0 {
		return -1
	}
	f, h := a.solutionOf(rule.Loops[0]).update, rational.FromForm(g)
	for _, rule.Period = range periods {
		rule.Forms = nil
		for shift := range rule.Period {
			c, ok := f.closedForm(h, shift, rule.Period)
			if !ok {
				break
			}
			rule.Forms = append(rule.Forms, c)
		}
		if len(rule.Forms) == rule.Period {
			break
		}
	}
	if len(rule.Forms) != rule.Period {
		return -1
	}
	for _, c := range rule.Forms {
		rule.Variables = variablesOf(rule.Variables, c.Modes)
	}
	steps := a.steps(rule)
	var ok bool
	var most []bound.Expression
	rule.Entries, _, ok = a.entriesOf(node, rule.Loops, rule.Variables, func(l bound.Limits) (bound.Expression, bool) {
		for _, c := range rule.Forms {
			most = append(most, c.Most(steps, l))
		}
		return bound.Expression{}, true
	})
	if !ok {
		return -1
	}
	return a.add(bound.Size{Block: b, Form: g, Bound: bound.Max(most...), Rule: rule})
}

// steps is how often the loops are executed divided by the period, at most.
func (a *analysis) steps(r bound.Iterated) bound.Expression {
	var sum bound.Expression
	for _, c := range r.Runs {
		sum = sum.Add(a.claims[c].Limit())
	}
	return bound.Max(bound.Expression{}, sum).Scale(linear.Int(int64(r.Period)).Inv())
}
