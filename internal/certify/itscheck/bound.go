package itscheck

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file checks certificates of upper bounds: that the blocks are what runs are made of, and that
// the local facts hold on each block. File bound_claims.go checks how claims follow
// from each other, and says which local facts they need.
//
// A run is a sequence of blocks between nodes, and at its end a path that reaches no node, the
// tail. The locations of nodes other than the start are the cutpoints.

// Bound checks that no run of the system costs more than the certificate says. nil means
// yes; an *its.Rejected says why not, other errors that it could not be decided.
func Bound(ctx context.Context, s *its.System, c *bound.Certificate) error {
	if err := s.Check(); err != nil {
		return err
	}
	if s.Branching {
		return reject("a step with several calls costs what they cost together")
	}
	b := &boundChecker{s: s, c: c, nodesAt: make([][]int, len(s.Locations)), blocks: map[string][]int{}, onPath: make([]bool, len(s.Locations)), facts: make([][]fact, len(c.Blocks))}
	if err := b.shape(); err != nil {
		return err
	}
	if err := b.claims(); err != nil {
		return err
	}
	q, err := newQuery(ctx, s)
	if err != nil {
		return err
	}
	defer q.close()
	b.q = q
	if err := b.checkSigns(); err != nil {
		return err
	}
	if err := b.prune(); err != nil {
		return err
	}
	tail, err := b.tail()
	if err != nil {
		return err
	}
	total, err := b.charges(c.Costs)
	if err != nil {
		return err
	}
	if err := b.checkCharges(); err != nil {
		return err
	}
	if total = total.Add(bound.Constant(tail)); !total.Equal(c.Bound) {
		return reject("the bound is not the sum of the costs")
	}
	for u := range c.Nodes {
		q.push()
		e := q.arbitrary()
		q.assert(constraints(c.Nodes[u].Region, e))
		if err := b.explore(u, c.Nodes[u].Location, nil, e, e, nil); err != nil {
			return err
		}
		q.pop()
	}
	return nil
}

type boundChecker struct {
	s       *its.System
	c       *bound.Certificate
	q       *query
	nodesAt [][]int // by location: nodes other than the start
	blocks  map[string][]int
	facts   [][]fact // by block: what its claims need
	signs   []signs  // what closed forms need
	out     [][]int  // by location: transitions that are possible
	onward  []bool   // by location: a cutpoint can be reached from there
	onPath  []bool
}

// fact says that before(x) + products(x) + after(x') is not negative, where x is the state before
// a block and x' that behind it. All forms are over variables that were looked at: a form with a claim has
// been, and those of products have claims. The forms may have fractions.
type fact struct {
	before   linear.Form
	products []bound.Product
	after    linear.Form
	why      string
}

func blockKey(from int, path []int) string { return fmt.Sprint(from, path) }

// shape checks that everything exists that the certificate mentions.
func (b *boundChecker) shape() error {
	n := linear.Var(len(b.s.Variables))
	if len(b.c.Nodes) == 0 || b.c.Nodes[0].Location != b.s.Initial || len(b.c.Nodes[0].Region) > 0 {
		return reject("the first node is not the start")
	}
	for i, u := range b.c.Nodes {
		if u.Location < 0 || int(u.Location) >= len(b.s.Locations) {
			return reject("a node at a location that does not exist")
		}
		if linear.MaxVar(u.Region) >= n {
			return reject("a region over unknown variables")
		}
		if i > 0 {
			b.nodesAt[u.Location] = append(b.nodesAt[u.Location], i)
		}
	}
	for i, k := range b.c.Blocks {
		if k.From < 0 || k.From >= len(b.c.Nodes) || k.To <= 0 || k.To >= len(b.c.Nodes) || len(k.Path) == 0 {
			return reject("a block without nodes or path, or one that leads to the start")
		}
		at := b.c.Nodes[k.From].Location
		for _, t := range k.Path {
			if t < 0 || t >= len(b.s.Transitions) || b.s.Transitions[t].From != at {
				return reject("the path of a block is none")
			}
			at = b.s.Transitions[t].To
		}
		if at != b.c.Nodes[k.To].Location {
			return reject("a block does not lead to its node")
		}
		key := blockKey(k.From, k.Path)
		b.blocks[key] = append(b.blocks[key], i)
	}
	return nil
}

// prune keeps the transitions that are satisfiable on their own.
func (b *boundChecker) prune() error {
	n := len(b.s.Locations)
	b.out = make([][]int, n)
	b.onward = make([]bool, n)
	for i := range b.s.Transitions {
		b.q.push()
		b.q.step(&b.s.Transitions[i], b.q.arbitrary())
		no, err := b.q.refuted("true")
		b.q.pop()
		if err != nil {
			return err
		}
		if !no {
			from := b.s.Transitions[i].From
			b.out[from] = append(b.out[from], i)
		}
	}
	for l := range b.nodesAt {
		b.onward[l] = len(b.nodesAt[l]) > 0
	}
	for again := true; again; {
		again = false
		for l, ts := range b.out {
			if !b.onward[l] && slices.ContainsFunc(ts, func(t int) bool { return b.onward[b.s.Transitions[t].To] }) {
				b.onward[l], again = true, true
			}
		}
	}
	return nil
}

// tail is the greatest cost of a path from a node that visits no cutpoint behind it.
func (b *boundChecker) tail() (linear.Number, error) {
	known := map[its.Location]linear.Number{}
	active := map[its.Location]bool{}
	var from func(l its.Location) (linear.Number, error)
	from = func(l its.Location) (linear.Number, error) {
		if n, ok := known[l]; ok {
			return n, nil
		}
		active[l] = true
		defer delete(active, l)
		most := linear.Number{}
		for _, i := range b.out[l] {
			t := &b.s.Transitions[i]
			switch {
			case len(b.nodesAt[t.To]) > 0:
				continue
			case active[t.To]:
				return most, reject("a cycle through %s has no cutpoint", b.s.Locations[t.To])
			case !t.Cost.IsConstant():
				return most, reject("the end of a run has a cost that is not constant")
			}
			n, err := from(t.To)
			if err != nil {
				return most, err
			}
			if n = n.Add(t.Cost.Const); n.Cmp(most) > 0 {
				most = n
			}
		}
		known[l] = most
		return most, nil
	}
	most := linear.Number{}
	for _, u := range b.c.Nodes {
		n, err := from(u.Location)
		if err != nil {
			return most, err
		}
		if n.Cmp(most) > 0 {
			most = n
		}
	}
	return most, nil
}

// explore follows all paths from node u, where the values are first, to cutpoints. The path
// so far leads to location l, where the values are e.
func (b *boundChecker) explore(u int, l its.Location, path []int, first, e environment, costs []string) error {
	b.onPath[l] = true
	defer func() { b.onPath[l] = false }()
	for _, i := range b.out[l] {
		t := &b.s.Transitions[i]
		if !b.onward[t.To] {
			continue // part of a tail
		}
		b.q.push()
		at, next := b.q.take(t, e)
		no, err := b.q.refuted("true")
		if err != nil {
			return err
		}
		if !no {
			if !t.Cost.IsIntegral() {
				return reject("a cost that is not integral")
			}
			longer := append(slices.Clone(path), i)
			sum := append(slices.Clone(costs), term(t.Cost, at))
			switch {
			case len(b.nodesAt[t.To]) > 0:
				err = b.arrive(u, longer, first, next, sum)
			case b.onPath[t.To]:
				err = reject("a cycle through %s has no cutpoint", b.s.Locations[t.To])
			default:
				err = b.explore(u, t.To, longer, first, next, sum)
			}
			if err != nil {
				return err
			}
		}
		b.q.pop()
	}
	return nil
}

// arrive checks a path that ends at a cutpoint: one of its blocks has the state behind it
// in the region of its node, and all of them have the facts that the claims need.
func (b *boundChecker) arrive(u int, path []int, first, e environment, costs []string) error {
	blocks := b.blocks[blockKey(u, path)]
	regions := make([]string, len(blocks))
	for i, k := range blocks {
		regions[i] = constraints(b.c.Nodes[b.c.Blocks[k].To].Region, e)
	}
	ok, err := b.q.refuted("(not " + disjunction(regions) + ")")
	if err != nil {
		return err
	}
	if !ok {
		return reject("a path of node %d arrives outside of the invariant: %v", u, path)
	}
	cost := "(+ 0 " + strings.Join(costs, " ") + ")"
	for i, k := range blocks {
		b.q.push()
		b.q.assert(regions[i])
		facts := []string{b.costFact(k, first, cost)}
		for _, f := range b.facts[k] {
			facts = append(facts, f.formula(first, e))
		}
		ok, err := b.q.refuted("(not " + conjunction(facts) + ")")
		if err != nil {
			return err
		}
		for j := 0; j < len(facts) && !ok; j++ {
			one, err := b.q.refuted("(not " + facts[j] + ")")
			if err != nil {
				return err
			}
			if one {
				continue
			}
			why := "its cost"
			if j > 0 {
				why = b.facts[k][j-1].why
			}
			return reject("block %d does not have %s", k, why)
		}
		b.q.pop()
	}
	return nil
}

// costFact says that the cost is at most the amounts that the block is charged, or nothing if it is not charged.
func (b *boundChecker) costFact(k int, first environment, cost string) string {
	var cases []string
	for _, c := range b.c.Costs {
		if c.Block != k {
			continue
		}
		for _, a := range c.Amounts {
			f := fact{before: a.Form, products: a.Products}
			cases = append(cases, f.formulaMinus(first, nil, cost))
		}
	}
	if cases == nil {
		return "(<= " + cost + " 0)"
	}
	return disjunction(cases)
}

// formula is the fact for two states.
func (f fact) formula(x, y environment) string { return f.formulaMinus(x, y, "0") }

// formulaMinus says that the sum is not below a term.
func (f fact) formulaMinus(x, y environment, less string) string {
	l := linear.Int(1)
	common := func(n linear.Number) { l = l.Mul(n).Div(linear.GCD(l, n)) }
	common(denominator(f.before))
	common(denominator(f.after))
	for _, p := range f.products {
		common(denominator(p.A).Mul(denominator(p.B)).Mul(p.Coef.Denominator()))
	}
	sum := "(+ " + term(f.before.Scale(l), x) + " " + term(f.after.Scale(l), y)
	for _, p := range f.products {
		// l·coef·A·B, each factor with integers.
		a, b := denominator(p.A), denominator(p.B)
		k := l.Mul(p.Coef).Div(a.Mul(b))
		sum += " (* " + term(linear.Constant(k), nil) + " " + term(p.A.Scale(a), x) + " " + term(p.B.Scale(b), x) + ")"
	}
	return "(<= (* " + l.String() + " " + less + ") " + sum + "))"
}

// denominator is a common one of all numbers of the form.
func denominator(f linear.Form) linear.Number {
	l := f.Const.Denominator()
	for _, t := range f.Terms {
		d := t.Coef.Denominator()
		l = l.Mul(d).Div(linear.GCD(l, d))
	}
	return l
}
