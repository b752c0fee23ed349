package itscheck

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file checks closed forms. What a path does to the variables is computed as polynomials, and a
// closed form is compared with the first values of its sequence; that it stays right is
// an identity between polynomials, by the recurrence with the roots of the modes. All of that is exact
// arithmetic. Z3 is asked for the signs of the coefficients only.

// Limits on what is computed.
const (
	maxPeriod = 24
	maxShift  = 48
	maxOrder  = 24
	maxSize   = 400 // monomials
)

// polynomialPath is what a path does to the variables, nil where that is not known, and polynomials that
// are not negative where it begins.
type polynomialPath struct {
	update     []rational.Polynomial
	conditions []rational.Polynomial
}

func (b *boundChecker) follow(block int) polynomialPath {
	n := len(b.s.Variables)
	state := make([]rational.Polynomial, n)
	for v := range state {
		state[v] = rational.Variable(linear.Var(v))
	}
	var out polynomialPath
	assume := func(cs []linear.Constraint, at []rational.Polynomial) {
		for _, c := range cs {
			for _, f := range c.Inequalities() {
				if p := insert(f, at); p != nil {
					out.conditions = append(out.conditions, p)
				}
			}
		}
	}
	assume(b.c.Nodes[b.c.Blocks[block].From].Region, state)
	for _, i := range b.c.Blocks[block].Path {
		t := &b.s.Transitions[i]
		at := append(slices.Clone(state), make([]rational.Polynomial, t.Temps)...)
		for again := true; again; {
			again = false
			for _, p := range t.Products {
				x, y := insert(p.A, at), insert(p.B, at)
				if at[p.Temp] != nil || x == nil || y == nil {
					continue
				}
				if q, ok := x.Times(y); ok && len(q) <= maxSize {
					at[p.Temp], again = q, true
				}
			}
		}
		assume(t.Guard, at)
		state = make([]rational.Polynomial, n)
		for v, u := range t.Update {
			state[v] = insert(u, at)
		}
	}
	out.update = state
	return out
}

// insert puts polynomials in the place of the variables of a form, nil if one of them is.
func insert(f linear.Form, at []rational.Polynomial) rational.Polynomial {
	p := rational.Constant(f.Const)
	for _, t := range f.Terms {
		if at[t.Var] == nil {
			return nil
		}
		p = p.AddScaled(t.Coef, at[t.Var])
	}
	return p
}

func minus(p, q rational.Polynomial) rational.Polynomial { return p.AddScaled(linear.Int(-1), q) }

// loops follows loops at one node, which must have one polynomial map.
func (b *boundChecker) loops(blocks []int) (node int, paths []polynomialPath, err error) {
	for i, k := range blocks {
		if err := b.isBlock(k); err != nil {
			return 0, nil, err
		}
		if x := b.c.Blocks[k]; x.From == 0 || x.From != x.To || i > 0 && x.From != node || slices.Contains(blocks[:i], k) {
			return 0, nil, reject("block %d is no loop, or not at the same node", k)
		}
		node = b.c.Blocks[k].From
		paths = append(paths, b.follow(k))
		for v, p := range paths[i].update {
			if q := paths[0].update[v]; (p == nil) != (q == nil) || len(minus(p, q)) > 0 {
				return 0, nil, reject("loops with different updates")
			}
		}
	}
	if len(blocks) == 0 {
		return 0, nil, reject("no loops")
	}
	return node, paths, nil
}

// closedForm checks that a closed form is that of its polynomial.
func closedForm(c bound.ClosedForm, period int, update []rational.Polynomial) error {
	if c.Shift < 0 || c.Shift > maxShift || period < 1 || period > maxPeriod || len(c.Modes) > maxOrder {
		return reject("a closed form with a great period, shift or order")
	}
	h := c.Of
	behind := func(times int) error {
		for range times {
			for m := range h {
				for _, v := range m[:m.Degree()] {
					if int(v) > len(update) || update[v-1] == nil {
						return reject("a closed form of what is not a polynomial")
					}
				}
			}
			next, ok := h.Substitute(func(v linear.Var) rational.Polynomial { return update[v] })
			if !ok || len(next) > maxSize {
				return reject("a closed form of too great a degree")
			}
			h = next
		}
		return nil
	}
	if err := behind(c.Shift); err != nil {
		return err
	}
	// The recurrence has each root as often as it has powers.
	recurrence := []linear.Number{linear.Int(1)}
	for i, m := range c.Modes {
		first := i == 0 || !c.Modes[i-1].Root.Equal(m.Root)
		switch {
		case !m.Root.IsInt() || m.Power < 0 || m.Power > maxOrder || m.Root.IsZero() && m.Power > 0:
			return reject("a mode with a root that is not an integer, or a bad power")
		case i > 0 && first && c.Modes[i-1].Root.Cmp(m.Root) < 0, !first && c.Modes[i-1].Power <= m.Power:
			return reject("modes that are not in order")
		}
		if !first {
			continue
		}
		for range m.Power + 1 {
			next := make([]linear.Number, len(recurrence)+1)
			for j, k := range recurrence {
				next[j+1] = next[j+1].Add(k)
				next[j] = next[j].Sub(k.Mul(m.Root))
			}
			if recurrence = next; len(recurrence) > maxOrder+1 {
				return reject("a recurrence of a great order")
			}
		}
	}
	sum := rational.Polynomial{}
	for m, k := range recurrence {
		if m > 0 {
			if err := behind(period); err != nil {
				return err
			}
		}
		sum = sum.AddScaled(k, h)
		if m < len(recurrence)-1 && len(minus(h, modesAt(c, m))) > 0 {
			return reject("a closed form with another value after %d rounds", m)
		}
	}
	if len(sum) > 0 {
		return reject("a closed form that does not satisfy its recurrence")
	}
	return nil
}

// modesAt is the sum of the modes at m.
func modesAt(c bound.ClosedForm, m int) rational.Polynomial {
	sum := rational.Polynomial{}
	for _, x := range c.Modes {
		k := linear.Int(1)
		for range m {
			k = k.Mul(x.Root)
		}
		for range x.Power {
			k = k.Mul(linear.Int(int64(m)))
		}
		sum = sum.AddScaled(k, x.Coefficient)
	}
	return sum
}

// closed is the bound of a claim by closed forms of conditions.
func (b *boundChecker) closed(c bound.Runs, r bound.Closed) (bound.Expression, error) {
	none := bound.Expression{}
	node, paths, err := b.loops(c.Blocks)
	if err != nil {
		return none, err
	}
	for _, x := range r.Exits {
		if len(x.Modes) == 0 {
			return none, reject("a closed form without modes")
		}
		if err := closedForm(x, r.Period, paths[0].update); err != nil {
			return none, err
		}
		if err := b.coefficients(x.Modes[1:], r.Variables); err != nil {
			return none, err
		}
		for i, k := range c.Blocks {
			b.signs = append(b.signs, signs{k, paths[i].conditions, func(e environment) string { return polynomialTerm(x.Of, e, ">= ", "0") }})
		}
	}
	for i, k := range c.Blocks {
		b.signs = append(b.signs, signs{k, paths[i].conditions, func(e environment) string { return firstNegative(r.Exits, e) }})
	}
	return b.entries(node, c.Blocks, r.Variables, r.Entries, func(l bound.Limits, runs bound.Expression) (bound.Expression, error) {
		var most []bound.Expression
		for _, x := range r.Exits {
			e, ok := x.Exit(r.Period, l)
			if !ok {
				return none, reject("a closed form whose roots are not positive, or too near")
			}
			most = append(most, e)
		}
		if len(most) == 0 {
			return none, reject("no closed form")
		}
		return bound.Max(most...).Mul(runs), nil
	}, func(sum, e bound.Expression) bound.Expression { return sum.Add(e) })
}

// iterated is the bound of a size by closed forms.
func (b *boundChecker) iterated(c bound.Size, r bound.Iterated) (bound.Expression, error) {
	none := bound.Expression{}
	node, paths, err := b.loops(r.Loops)
	if err != nil {
		return none, err
	}
	if node != b.c.Blocks[c.Block].From || len(r.Forms) != r.Period {
		return none, reject("the loops are elsewhere, or a shift is missing")
	}
	for i, x := range r.Forms {
		if x.Shift != i || len(minus(x.Of, rational.FromForm(c.Form))) > 0 {
			return none, reject("a closed form of something else")
		}
		if err := closedForm(x, r.Period, paths[0].update); err != nil {
			return none, err
		}
		if err := b.coefficients(x.Modes, r.Variables); err != nil {
			return none, err
		}
	}
	var steps bound.Expression
	counted := map[int]bool{}
	for i, k := range r.Runs {
		if k < 0 || k >= len(b.c.Claims) || slices.Contains(r.Runs[:i], k) {
			return none, reject("a claim that does not come before")
		}
		runs, ok := b.c.Claims[k].(bound.Runs)
		if !ok {
			return none, reject("a claim that counts nothing")
		}
		for _, l := range runs.Blocks {
			counted[l] = true
		}
		steps = steps.Add(runs.Bound)
	}
	for _, l := range r.Loops {
		if !counted[l] {
			return none, reject("loop %d is not counted", l)
		}
	}
	steps = bound.Max(none, steps).Scale(linear.Int(int64(r.Period)).Inv())
	var most []bound.Expression
	_, err = b.entries(node, r.Loops, r.Variables, r.Entries, func(l bound.Limits, _ bound.Expression) (bound.Expression, error) {
		for _, x := range r.Forms {
			most = append(most, x.Most(steps, l))
		}
		return none, nil
	}, func(sum, _ bound.Expression) bound.Expression { return sum })
	if err != nil {
		return none, err
	}
	return bound.Max(most...), nil
}

// coefficients checks that all variables of the coefficients have limits.
func (b *boundChecker) coefficients(modes []bound.Mode, variables []linear.Var) error {
	for _, m := range modes {
		for k := range m.Coefficient {
			for _, v := range k[:k.Degree()] {
				if !slices.Contains(variables, linear.Var(v-1)) {
					return reject("a coefficient with a variable that has no limit")
				}
			}
		}
	}
	return nil
}

// entries checks the charges of all blocks that lead to a node, loops excepted, and adds up what a price asks for
// their limits; blocks that one claim counts have the greatest limits of all of them.
func (b *boundChecker) entries(node int, loops []int, variables []linear.Var, entries []bound.Charge, price func(bound.Limits, bound.Expression) (bound.Expression, error), add func(sum, e bound.Expression) bound.Expression) (sum bound.Expression, err error) {
	listed := make([]bool, len(b.c.Blocks))
	for i, v := range variables {
		if v < 0 || int(v) >= len(b.s.Variables) || i > 0 && variables[i-1] >= v {
			return sum, reject("unknown variables")
		}
	}
	groups := map[int][][]bound.Expression{} // by claim: limits of blocks
	var order []int
	for _, x := range entries {
		if err := b.isBlock(x.Block); err != nil {
			return sum, err
		}
		if listed[x.Block] || len(x.Amounts) != 2*len(variables) {
			return sum, reject("a block that enters twice, or with other limits")
		}
		listed[x.Block] = true
		if _, _, err := b.charge(x); err != nil {
			return sum, err
		}
		var limits []bound.Expression
		for i, a := range x.Amounts {
			v := linear.Variable(variables[i/2])
			if i%2 == 1 {
				v = v.Neg()
			}
			e, err := b.amount(x.Block, a)
			if err != nil {
				return sum, err
			}
			b.needAmount(x.Block, linear.Form{}, a, v.Neg(), "a variable that begins with no more")
			limits = append(limits, e)
		}
		if groups[x.Runs] == nil {
			order = append(order, x.Runs)
		}
		groups[x.Runs] = append(groups[x.Runs], limits)
	}
	for i, k := range b.c.Blocks {
		if k.To == node && !listed[i] && !slices.Contains(loops, i) {
			return sum, reject("block %d is not among the entries", i)
		}
	}
	if len(order) == 0 {
		return sum, reject("a loop that nothing enters")
	}
	for _, c := range order {
		e, err := price(func(v linear.Var, negative bool) bound.Expression {
			k := 2 * slices.Index(variables, v)
			if negative {
				k++
			}
			var es []bound.Expression
			for _, limits := range groups[c] {
				es = append(es, limits[k])
			}
			return bound.Max(es...)
		}, b.c.Claims[c].Limit())
		if err != nil {
			return sum, err
		}
		sum = add(sum, e)
	}
	return sum, nil
}

// signs is a fact about signs of polynomials where a block begins.
type signs struct {
	block      int
	conditions []rational.Polynomial
	holds      func(environment) string
}

// checkSigns has Z3 prove the facts about signs.
func (b *boundChecker) checkSigns() error {
	for _, f := range b.signs {
		b.q.push()
		e := b.q.arbitrary()
		for _, p := range f.conditions {
			b.q.assert(polynomialTerm(p, e, ">= ", "0"))
		}
		ok, err := b.q.refuted("(not " + f.holds(e) + ")")
		b.q.pop()
		var no *its.Rejected
		switch {
		case b.q.ctx.Err() != nil:
			return b.q.ctx.Err()
		case err != nil && !errors.Is(err, context.DeadlineExceeded) && !errors.As(err, &no) && !strings.Contains(err.Error(), "unknown"):
			return err
		case err != nil || !ok:
			return reject("block %d: the signs of a closed form are not as they should be", f.block)
		}
	}
	return nil
}

// firstNegative says that one of the closed forms has a mode that is at most -1 where all before it are 0.
func firstNegative(exits []bound.ClosedForm, e environment) string {
	var cases []string
	for _, c := range exits {
		zero := []string{"true"}
		for _, m := range c.Modes {
			cases = append(cases, conjunction(append(slices.Clone(zero), polynomialTerm(m.Coefficient, e, "<= ", "(- 1)"))))
			zero = append(zero, polynomialTerm(m.Coefficient, e, "= ", "0"))
		}
	}
	return disjunction(cases)
}

// polynomialTerm compares a polynomial with a number.
func polynomialTerm(p rational.Polynomial, e environment, operator, with string) string {
	l := linear.Int(1)
	for _, n := range p {
		d := n.Denominator()
		l = l.Mul(d).Div(linear.GCD(l, d))
	}
	var sum strings.Builder
	sum.WriteString("(+ 0")
	for _, m := range p.Monomials() {
		sum.WriteString(" (* " + term(linear.Constant(p[m].Mul(l)), nil))
		for _, v := range m[:m.Degree()] {
			sum.WriteString(" " + e[v-1])
		}
		sum.WriteString(")")
	}
	sum.WriteString(")")
	return fmt.Sprintf("(%s%s (* %s %s))", operator, sum.String(), l, with)
}
