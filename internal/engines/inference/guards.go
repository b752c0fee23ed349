package inference

import (
	"fmt"
	"math/big"

	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file finds conditions on which the template of a loop is split, as the
// templates with symbolic paths of [2LS §6.5] are split on the loops taken: here
// on what the body of the loop branches on, where that is a comparison of
// integers at the head with each other or with constants. Loops whose behaviour
// has phases, and loops around a state variable, have their invariants there.

// maxConditions bounds the conditions of one loop.
const maxConditions = 6

// conditions lists the conditions that split a loop.
func (p *Search) conditions(l *cut.Loop) []invariant.Comparison {
	var out []invariant.Comparison
	seen := map[string]bool{}
	add := func(c invariant.Comparison) {
		key := c.Text(func(t invariant.Term) string { return fmt.Sprint(cut.PlaceOf(t)) })
		if !seen[key] && len(out) < maxConditions {
			seen[key] = true
			out = append(out, c)
		}
	}
	f := l.Func
	for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
		if !l.Blocks[b] {
			continue
		}
		for _, v := range f.Blocks[b].Instrs {
			switch d := f.Def(v); d.Op {
			case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
				if c, ok := p.comparison(l, d); ok {
					add(c)
				}
			}
		}
	}
	for _, x := range p.places[l] {
		if x.Bits == 1 {
			add(invariant.Comparison{Terms: []invariant.Term{x.Term(1, false)}, Bound: new(big.Int)})
		}
	}
	return out
}

// comparison reads a comparison of the program as one of the loop head.
func (p *Search) comparison(l *cut.Loop, d *ir.Def) (c invariant.Comparison, ok bool) {
	signed := d.Op == ir.SLt || d.Op == ir.SLe
	c.Bound = new(big.Int)
	for i, a := range d.Args {
		sign := int64(1 - 2*i)
		switch x := l.Func.Def(a); {
		case x.Type.Kind != ir.Int || x.Type.Bits > 64:
			return c, false
		case x.Op == ir.Const:
			n := x.Const.Unsigned()
			if signed {
				n = x.Const.Signed()
			}
			c.Bound.Sub(c.Bound, n.Mul(n, big.NewInt(sign)))
		default:
			y, ok := p.placeAt(l, a)
			if !ok {
				return c, false
			}
			c.Terms = append(c.Terms, y.Term(sign, signed))
		}
	}
	if len(c.Terms) == 0 {
		return c, false
	}
	switch d.Op {
	case ir.ULt, ir.SLt:
		c.Bound.Sub(c.Bound, big.NewInt(1))
	case ir.Ne, ir.Eq:
		c.Relation = invariant.NotEqual
	}
	return c, true
}

// placeAt is the place at the head whose integer a value is: itself, or what a
// load reads from a scalar global.
func (p *Search) placeAt(l *cut.Loop, v ir.Value) (cut.Place, bool) {
	d := l.Func.Def(v)
	for _, x := range p.places[l] {
		if x.Float {
			continue
		}
		if !x.Cell && x.Value == v || x.Cell && x.Offset == 0 && d.Op == ir.Load && d.Type == ir.IntType(x.Bits) && d.Args[0] == x.Value {
			return x, true
		}
	}
	if d.Op == ir.Freeze {
		return p.placeAt(l, d.Args[0])
	}
	return cut.Place{}, false
}

// negation is the opposite of a condition of this file.
func negation(c invariant.Comparison) invariant.Comparison {
	if c.Relation == invariant.NotEqual {
		// Between integers of w bits, equality is that modulo 2^w.
		c.Relation = invariant.Congruent
		c.Modulus = 0
		if w := c.Terms[0].Bits; w < 64 {
			c.Modulus = 1 << w
		}
		return c
	}
	n := invariant.Comparison{Bound: new(big.Int).Neg(c.Bound)}
	n.Bound.Sub(n.Bound, big.NewInt(1))
	for _, t := range c.Terms {
		t.Coeff = -t.Coeff
		n.Terms = append(n.Terms, t)
	}
	return n
}
