package itscheck

import (
	"assay/internal/integers/bound"
	"assay/internal/logic/linear"
)

// halved is the bound of a claim about levels that are halved.
func (b *boundChecker) halved(c bound.Runs, r bound.Halved) (bound.Expression, error) {
	none := bound.Expression{}
	levels := make([]*linear.Form, len(b.c.Nodes))
	for i, l := range r.Levels {
		if l.Node <= 0 || l.Node >= len(b.c.Nodes) || len(l.Level) != 1 || levels[l.Node] != nil {
			return none, reject("a level of several forms, or one of the start, or two of a node")
		}
		if err := b.isForm(l.Level[0]); err != nil {
			return none, err
		}
		levels[l.Node] = &r.Levels[i].Level[0]
	}
	inside := make([]bool, len(b.c.Blocks))
	within := func(k int) (from, to *linear.Form, err error) {
		if err := b.isBlock(k); err != nil {
			return nil, nil, err
		}
		from, to = levels[b.c.Blocks[k].From], levels[b.c.Blocks[k].To]
		if inside[k] || from == nil || to == nil {
			return nil, nil, reject("block %d is ranked twice or leads to a node without level", k)
		}
		inside[k] = true
		return from, to, nil
	}
	for _, k := range c.Blocks {
		from, to, err := within(k)
		if err != nil {
			return none, err
		}
		b.need(k, from.Plus(linear.Int(-1)), linear.Form{}, "a level that is at least 1")
		b.need(k, *from, to.Scale(linear.Int(-2)), "a level that is halved")
	}
	for _, k := range r.Inside {
		from, to, err := within(k)
		if err != nil {
			return none, err
		}
		b.need(k, *from, to.Neg(), "a level that does not increase")
	}
	entered := make([]bool, len(b.c.Blocks))
	for _, x := range r.Entries {
		if err := b.isBlock(x.Block); err != nil {
			return none, err
		}
		to := levels[b.c.Blocks[x.Block].To]
		if to == nil || inside[x.Block] || len(x.Amounts) != 1 {
			return none, reject("block %d is no entry", x.Block)
		}
		entered[x.Block] = true
		b.needAmount(x.Block, linear.Form{}, x.Amounts[0], to.Neg(), "a level that begins with no more")
	}
	for i, k := range b.c.Blocks {
		if levels[k.To] != nil && !inside[i] && !entered[i] {
			return none, reject("block %d is not among the entries", i)
		}
	}
	return b.groups(r.Entries, bound.HalvedRuns)
}
