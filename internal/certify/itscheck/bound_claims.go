package itscheck

import (
	"fmt"
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/logic/linear"
)

// This file checks how the claims of a certificate follow from those before them: the rules'
// conditions on the graph of blocks, and the expressions, which it computes again. What must be
// true of single blocks it notes as facts (file bound.go has Z3 prove them).

// claims checks all claims. While it looks at claim i, it may use those before.
func (b *boundChecker) claims() error {
	all := b.c.Claims
	defer func() { b.c.Claims = all }()
	b.c = &bound.Certificate{Nodes: b.c.Nodes, Blocks: b.c.Blocks, Claims: all, Costs: b.c.Costs, Bound: b.c.Bound}
	for i, c := range all {
		b.c.Claims = all[:i]
		var e bound.Expression
		var err error
		switch c := c.(type) {
		case bound.Runs:
			for _, k := range c.Blocks {
				if err := b.isBlock(k); err != nil {
					return err
				}
			}
			e, err = b.runs(c)
		case bound.Size:
			if err := b.isBlock(c.Block); err != nil {
				return err
			}
			e, err = b.size(c)
		default:
			panic(fmt.Sprintf("unexpected claim %T", c))
		}
		if err != nil {
			return fmt.Errorf("claim %d: %w", i, err)
		}
		if !e.Equal(c.Limit()) {
			return reject("claim %d has another bound than its rule gives", i)
		}
	}
	return nil
}

func (b *boundChecker) isBlock(k int) error {
	if k < 0 || k >= len(b.c.Blocks) {
		return reject("a claim about a block that does not exist")
	}
	return nil
}

func (b *boundChecker) isForm(f linear.Form) error {
	if f.MaxVar() >= linear.Var(len(b.s.Variables)) {
		return reject("a form over unknown variables")
	}
	return nil
}

// need notes a fact of a block.
func (b *boundChecker) need(block int, before, after linear.Form, why string) {
	b.facts[block] = append(b.facts[block], fact{before, nil, after, why})
}

// needAmount notes that the form before plus the amount plus the form after is not negative.
func (b *boundChecker) needAmount(block int, before linear.Form, a bound.Amount, after linear.Form, why string) {
	b.facts[block] = append(b.facts[block], fact{before.Add(a.Form), a.Products, after, why})
}

// amount is the expression that an amount is at most.
func (b *boundChecker) amount(block int, a bound.Amount) (bound.Expression, error) {
	e, err := b.formLimit(block, a.Form, a.Size)
	if err != nil {
		return e, err
	}
	for _, p := range a.Products {
		var limits [4]bound.Expression
		for i, f := range p.Forms() {
			if limits[i], err = b.formLimit(block, f, p.Sizes[i]); err != nil {
				return e, err
			}
		}
		e = e.Add(p.Most(limits))
	}
	return e, nil
}

func (b *boundChecker) formLimit(block int, f linear.Form, size int) (bound.Expression, error) {
	if f.IsConstant() {
		return bound.Constant(f.Const), nil
	}
	return b.sizeClaim(block, f, size)
}

func (b *boundChecker) sizeClaim(block int, f linear.Form, i int) (bound.Expression, error) {
	if i < 0 || i >= len(b.c.Claims) {
		return bound.Expression{}, reject("a claim that does not come before")
	}
	c, ok := b.c.Claims[i].(bound.Size)
	if !ok || c.Block != block || !c.Form.Equal(f) {
		return bound.Expression{}, reject("a claim that is not about the size of a form")
	}
	return c.Bound, nil
}

// charge is the most that an execution of the block takes, and the claim that counts it.
func (b *boundChecker) charge(c bound.Charge) (most bound.Expression, runs bound.Runs, err error) {
	if err := b.isBlock(c.Block); err != nil {
		return most, runs, err
	}
	if c.Runs < 0 || c.Runs >= len(b.c.Claims) {
		return most, runs, reject("a claim that does not come before")
	}
	runs, ok := b.c.Claims[c.Runs].(bound.Runs)
	if !ok || !slices.Contains(runs.Blocks, c.Block) {
		return most, runs, reject("a claim that does not count the block")
	}
	es := []bound.Expression{{}}
	for _, a := range c.Amounts {
		e, err := b.amount(c.Block, a)
		if err != nil {
			return most, runs, err
		}
		es = append(es, e)
	}
	return bound.Max(es...), runs, nil
}

// charges is the sum of all charges, each block counted at most once: blocks that one claim
// counts together pay for the greatest charge of them.
func (b *boundChecker) charges(cs []bound.Charge) (bound.Expression, error) {
	return b.groups(cs, func(most bound.Expression) bound.Expression { return most })
}

func (b *boundChecker) groups(cs []bound.Charge, price func(bound.Expression) bound.Expression) (bound.Expression, error) {
	var sum bound.Expression
	var order []int
	seen := map[int]bool{}
	most := map[int]bound.Expression{}
	for _, c := range cs {
		if seen[c.Block] {
			return sum, reject("a block is charged twice")
		}
		seen[c.Block] = true
		e, _, err := b.charge(c)
		if err != nil {
			return sum, err
		}
		if m, ok := most[c.Runs]; ok {
			most[c.Runs] = bound.Max(m, e)
		} else {
			order = append(order, c.Runs)
			most[c.Runs] = e
		}
	}
	for _, r := range order {
		sum = sum.Add(b.c.Claims[r].Limit().Mul(price(most[r])))
	}
	return sum, nil
}

// checkCharges checks that no block has two charges, or one without amounts. That a block without charge
// costs nothing is a fact like that of the others (costFact).
func (b *boundChecker) checkCharges() error {
	charged := make([]bool, len(b.c.Blocks))
	for _, c := range b.c.Costs {
		if charged[c.Block] {
			return reject("a block costs twice")
		}
		if len(c.Amounts) == 0 {
			return reject("a charge without amount")
		}
		charged[c.Block] = true
	}
	return nil
}

// runs is what the rule of a claim gives.
func (b *boundChecker) runs(c bound.Runs) (bound.Expression, error) {
	switch r := c.Rule.(type) {
	case bound.Acyclic:
		for _, i := range c.Blocks {
			for _, j := range c.Blocks {
				if b.reaches(b.c.Blocks[i].To, b.c.Blocks[j].From) {
					return bound.Expression{}, reject("a block that may be executed again")
				}
			}
		}
		return bound.Int(1), nil
	case bound.Inflow:
		return b.inflow(c, r)
	case bound.Ranked:
		return b.ranked(c, r)
	case bound.Closed:
		return b.closed(c, r)
	case bound.Halved:
		return b.halved(c, r)
	}
	panic(fmt.Sprintf("unexpected rule %T", c.Rule))
}

// reaches says whether there are blocks, or none, from one node to another.
func (b *boundChecker) reaches(from, to int) bool {
	successors := make([][]int, len(b.c.Nodes))
	for _, k := range b.c.Blocks {
		successors[k.From] = append(successors[k.From], k.To)
	}
	return closure(successors, from)[to]
}

func (b *boundChecker) inflow(c bound.Runs, r bound.Inflow) (bound.Expression, error) {
	if len(c.Blocks) != 1 {
		return bound.Expression{}, reject("an inflow of several blocks")
	}
	at := b.c.Blocks[c.Blocks[0]].From
	if at == 0 {
		return bound.Expression{}, reject("the start has no inflow")
	}
	listed := make([]bool, len(b.c.Blocks))
	one := linear.Constant(linear.Int(1))
	for _, e := range r.Entries {
		if err := b.isBlock(e.Block); err != nil {
			return bound.Expression{}, err
		}
		if len(e.Amounts) != 1 || !e.Amounts[0].Form.Equal(one) || len(e.Amounts[0].Products) > 0 {
			return bound.Expression{}, reject("an entry that does not count once")
		}
		listed[e.Block] = true
	}
	for i, k := range b.c.Blocks {
		if k.To == at && !listed[i] {
			return bound.Expression{}, reject("an inflow lacks block %d", i)
		}
	}
	return b.charges(r.Entries)
}

func (b *boundChecker) ranked(c bound.Runs, r bound.Ranked) (bound.Expression, error) {
	none := bound.Expression{}
	levels := make([][]linear.Form, len(b.c.Nodes))
	depth := 0
	for _, l := range r.Levels {
		if l.Node <= 0 || l.Node >= len(b.c.Nodes) || len(l.Level) == 0 || depth > 0 && len(l.Level) != depth {
			return none, reject("levels of several depths, or none, or one of the start")
		}
		depth = len(l.Level)
		for _, f := range l.Level {
			if err := b.isForm(f); err != nil {
				return none, err
			}
		}
		levels[l.Node] = l.Level
	}
	if depth > 1 && len(r.Increments) > 0 {
		return none, reject("a level of several forms with increments")
	}
	inside := make([]bool, len(b.c.Blocks))
	within := func(k int) error {
		if err := b.isBlock(k); err != nil {
			return err
		}
		if inside[k] || levels[b.c.Blocks[k].From] == nil || levels[b.c.Blocks[k].To] == nil {
			return reject("block %d is ranked twice or leads to a node without level", k)
		}
		inside[k] = true
		return nil
	}
	for _, k := range c.Blocks {
		if err := within(k); err != nil {
			return none, err
		}
		b.decreases(k, levels)
	}
	for _, k := range r.Inside {
		if err := within(k); err != nil {
			return none, err
		}
		from, to := levels[b.c.Blocks[k].From], levels[b.c.Blocks[k].To]
		for d := range from {
			b.need(k, from[d], to[d].Neg(), "a level that does not increase")
		}
	}
	for _, x := range r.Increments {
		if err := within(x.Block); err != nil {
			return none, err
		}
		from, to := levels[b.c.Blocks[x.Block].From], levels[b.c.Blocks[x.Block].To]
		if len(x.Amounts) != 1 {
			return none, reject("an increment that is not one")
		}
		b.needAmount(x.Block, from[0], x.Amounts[0], to[0].Neg(), "a level that increases by no more")
		// If the amount is negative, what is charged is 0, which is more.
	}
	entered := make([]bool, len(b.c.Blocks))
	for _, x := range r.Entries {
		if err := b.isBlock(x.Block); err != nil {
			return none, err
		}
		to := levels[b.c.Blocks[x.Block].To]
		if to == nil || inside[x.Block] || len(x.Amounts) != depth {
			return none, reject("block %d is no entry", x.Block)
		}
		entered[x.Block] = true
		for d, a := range x.Amounts {
			b.needAmount(x.Block, linear.Form{}, a, to[d].Neg(), "a level that begins with no more")
		}
	}
	for i, k := range b.c.Blocks {
		if levels[k.To] != nil && !inside[i] && !entered[i] {
			return none, reject("block %d is not among the entries", i)
		}
	}
	begin, err := b.groups(r.Entries, func(most bound.Expression) bound.Expression {
		if depth > 1 {
			return bound.MultiphaseRuns(depth, most)
		}
		return most
	})
	if err != nil {
		return none, err
	}
	more, err := b.charges(r.Increments)
	if err != nil {
		return none, err
	}
	return begin.Add(more), nil
}

// decreases notes what it means that a level decreases on a block.
func (b *boundChecker) decreases(k int, levels [][]linear.Form) {
	const why = "a level that decreases"
	from, to := levels[b.c.Blocks[k].From], levels[b.c.Blocks[k].To]
	one := linear.Int(1)
	if len(from) == 1 {
		b.need(k, from[0].Plus(one.Neg()), linear.Form{}, why)
	} else {
		b.need(k, from[len(from)-1], linear.Form{}, why)
	}
	for d := range from {
		before := from[d].Plus(one.Neg())
		if d > 0 {
			before = before.Add(from[d-1])
		}
		b.need(k, before, to[d].Neg(), why)
	}
}

// size is what the rule of a claim gives.
func (b *boundChecker) size(c bound.Size) (bound.Expression, error) {
	none := bound.Expression{}
	if err := b.isForm(c.Form); err != nil {
		return none, err
	}
	switch r := c.Rule.(type) {
	case bound.Limited:
		n, ok := c.Bound.IsConstant()
		if !ok {
			return none, reject("a limit that is not constant")
		}
		b.need(c.Block, linear.Constant(n).Sub(c.Form), linear.Form{}, "a limit")
		return c.Bound, nil
	case bound.Initial:
		if b.c.Blocks[c.Block].From != 0 {
			return none, reject("block %d does not leave the start", c.Block)
		}
		return bound.Form(c.Form), nil
	case bound.Dominated:
		b.needAmount(c.Block, c.Form.Neg(), r.By, linear.Form{}, "a form that is not greater")
		return b.amount(c.Block, r.By)
	case bound.Sum:
		rest, e := c.Form, none
		for _, p := range r.Parts {
			if p.Coef.Sign() <= 0 || p.Size < 0 || p.Size >= len(b.c.Claims) {
				return none, reject("a sum with a coefficient that is not positive, or without claim")
			}
			s, ok := b.c.Claims[p.Size].(bound.Size)
			if !ok || s.Block != c.Block {
				return none, reject("a sum of something else")
			}
			rest = rest.AddScaled(p.Coef.Neg(), s.Form)
			e = e.Add(s.Bound.Scale(p.Coef))
		}
		if !rest.IsConstant() {
			return none, reject("the parts are not the sum")
		}
		return e.Add(bound.Constant(rest.Const)), nil
	case bound.Potential:
		return b.potential(c, r)
	case bound.Iterated:
		return b.iterated(c, r)
	}
	panic(fmt.Sprintf("unexpected rule %T", c.Rule))
}

func (b *boundChecker) potential(c bound.Size, r bound.Potential) (bound.Expression, error) {
	none := bound.Expression{}
	forms := make([]*linear.Form, len(b.c.Nodes))
	for i, f := range r.Forms {
		if f.Node <= 0 || f.Node >= len(b.c.Nodes) {
			return none, reject("a form of the start, or of no node")
		}
		if err := b.isForm(f.Form); err != nil {
			return none, err
		}
		forms[f.Node] = &r.Forms[i].Form
	}
	if at := forms[b.c.Blocks[c.Block].From]; at == nil || !at.Equal(c.Form) {
		return none, reject("a potential is that of another form")
	}
	p := &potential{b: b, forms: forms, stepped: make([]bool, len(b.c.Blocks))}
	for _, s := range r.Steps {
		if err := p.step(s); err != nil {
			return none, err
		}
	}
	for i, k := range b.c.Blocks {
		if forms[k.To] != nil && !p.stepped[i] {
			return none, reject("block %d has no step", i)
		}
	}
	if len(p.resets) == 0 {
		return none, reject("a potential that nothing begins")
	}
	begin := bound.Max(p.resets...)
	added, err := b.charges(p.added)
	if err != nil {
		return none, err
	}
	if len(p.growth) == 0 {
		return begin.Add(added), nil
	}
	e := bound.Max(none, begin).Add(added)
	for _, g := range p.growth {
		_, runs, err := b.charge(g.By)
		if err != nil {
			return none, err
		}
		e = e.Mul(bound.Power(g.Factor, runs.Bound))
	}
	return e, nil
}

type potential struct {
	b       *boundChecker
	forms   []*linear.Form
	stepped []bool
	resets  []bound.Expression
	added   []bound.Charge
	growth  []bound.Growth
}

func (p *potential) step(s bound.Step) error {
	b := p.b
	var block int
	switch s := s.(type) {
	case bound.Reset:
		block = s.Block
	case bound.Increase:
		block = s.By.Block
	case bound.Growth:
		block = s.By.Block
	default:
		panic(fmt.Sprintf("unexpected step %T", s))
	}
	if err := b.isBlock(block); err != nil {
		return err
	}
	k := b.c.Blocks[block]
	from, to := p.forms[k.From], p.forms[k.To]
	if to == nil || p.stepped[block] {
		return reject("block %d has two steps, or leads elsewhere", block)
	}
	p.stepped[block] = true
	switch s := s.(type) {
	case bound.Reset:
		e, err := b.amount(block, s.To)
		if err != nil {
			return err
		}
		b.needAmount(block, linear.Form{}, s.To, to.Neg(), "a form that is at most what it is set to")
		p.resets = append(p.resets, e)
	case bound.Increase:
		if from == nil || len(s.By.Amounts) != 1 {
			return reject("block %d increases no form", block)
		}
		amount := s.By.Amounts[0]
		b.needAmount(block, *from, amount, to.Neg(), "a form that increases by no more")
		if n, ok := amount.Constant(); !ok || n.Sign() > 0 {
			p.added = append(p.added, s.By)
		}
	case bound.Growth:
		if from == nil || len(s.By.Amounts) != 1 || !s.Factor.IsInt() || s.Factor.Cmp(linear.Int(2)) < 0 {
			return reject("block %d lets no form grow", block)
		}
		// The form is at most factor*from + amount. Where from is negative that is at most
		// 0 + amount.
		b.needAmount(block, from.Scale(s.Factor), s.By.Amounts[0], to.Neg(), "a form that grows by no more")
		p.added = append(p.added, s.By)
		p.growth = append(p.growth, s)
	}
	return nil
}
