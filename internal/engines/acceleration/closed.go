package acceleration

import (
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file finds the closed form of a path: how each variable of the loop looks after n
// iterations along it, and what must be true at the start for all n to be made.
//
// Let d be the change of a sum of variables from one iteration to the next, modulo 2^w.
// The sum does not wrap (as a signed, or as an unsigned number) within the iterations
// 0 ... n-1 iff |d|*(n-1) is at most its distance from the end of the range. Then it is an
// arithmetic progression of integers, and
//
//	(F1) a comparison < or <= of two such sums, or that there is no overflow when they
//	     are added, subtracted, or multiplied by a constant, is a linear constraint on i:
//	     it holds for all i < n if it does for i = 0 and i = n-1;
//	(F2) x != y holds for all of them if x < y does, or y < x;
//	(F3) without any condition on wraps: x - y = r + i*d is 0 modulo 2^w first, for
//	     d = 2^t * u with u odd, at i = (-r / 2^t) * u^-1 modulo 2^(w-t) if 2^t divides r, and
//	     never if not. So x != y holds for all i < n iff n is at most that number.
//	(F4) What does not change modulo 2^w is compared once.
//
// A range that the iterations leave by a wrap is covered by two jumps with an iteration
// between them: each round of the search may jump again. Only (F2) is less than exact.

// changing is how a variable changes.
type changing uint8

const (
	unknown changing = iota
	unchanged
	stepped
	summed
	replaced
)

// variable is a phi or a cell that an iteration changes.
type variable struct {
	leaf   expr
	update expr
	how    changing
	// step is added by the first iteration, step + i*second by iteration i.
	step, second expr
}

// noWrap asks that an expression does not wrap in the iterations 0 ... n-1; it changes by
// d in each.
type noWrap struct {
	e, d   expr
	signed bool
}

// requirement is what must be true for n iterations.
type requirement struct {
	condition
	// ranges must not wrap.
	ranges []noWrap
	// last says that the condition must be true in the last iteration, and not only in the
	// first.
	last bool
	// apart says that x and y must not be equal (F3) at any i, where x-y changes by d; aside
	// that one must be less than the other (F2).
	apart, aside bool
	x, y         expr
	d            bv.BV
}

// closed is the closed form of a path.
type closed struct {
	l            *loop
	path         *path
	vars         []*variable
	byLeaf       map[expr]*variable
	requirements []requirement
	width        uint32 // of n
	// memo is what is known of invariant.
	memo map[expr]bool
}

// minCount is the least width of the number of iterations.
const minCount = 32

// close finds the closed form of a path, nil if there is none; alternates says that
// there may be one for several iterations together.
func (l *loop) close(p *path) (c *closed, alternates bool) {
	c = &closed{l: l, path: p, byLeaf: map[expr]*variable{}, memo: map[expr]bool{}, width: minCount}
	for _, v := range l.f.Blocks[l.head].Instrs {
		d := l.f.Def(v)
		if d.Op != ir.Phi {
			break
		}
		if leaf := l.leaf(phi, d.Type, int32(v)); !c.variable(leaf, p.phis[v]) {
			return nil, false
		}
	}
	for i, x := range p.cells {
		if x != 0 && !c.variable(l.leaf(cell, ir.IntType(l.cells[i].bits), int32(i)), x) {
			return nil, false
		}
	}
	if !c.classify() {
		return nil, c.turns()
	}
	for _, x := range p.conditions {
		if !c.require(x) {
			return nil, c.within(x.e)
		}
	}
	return c, false
}

// turns says that each variable of which it is not known how it changes becomes a constant,
// or a sum of variables: 1-x, or another variable.
func (c *closed) turns() bool {
	for _, v := range c.vars {
		if v.how != unknown {
			continue
		}
		f := c.l.linear(v.update, c.l.width(v.leaf))
		if f.large {
			return false
		}
		for _, t := range f.terms {
			if k := c.l.at(t.e).kind; k != phi && k != cell {
				return false
			}
		}
	}
	return true
}

// within says that an expression is a comparison of sums, or of low bits of sums.
func (c *closed) within(x expr) bool {
	n := *c.l.at(x)
	if n.kind == operation && n.op == ir.Trunc {
		_, ok := c.slope(x, nil)
		return ok
	}
	if n.kind != operation || n.op < ir.Eq || n.op > ir.SLe {
		return false
	}
	for _, a := range n.args[:2] {
		var ranges []noWrap
		if v := c.byLeaf[a]; v != nil && v.how == replaced {
			continue
		}
		if _, ok := c.slope(a, &ranges); !ok && !c.invariant(a) {
			return false
		}
	}
	return true
}

// given says that the path is only taken if the variable is the constant.
func (c *closed) given(leaf, update expr) bool {
	l := c.l
	if _, ok := l.literal(update); !ok {
		return false
	}
	equal := l.make(ir.Eq, ir.BoolType, 0, leaf, update)
	return slices.ContainsFunc(c.path.conditions, func(x condition) bool {
		n := *l.at(x.e)
		return x.e == equal && x.want || !x.want && n.kind == operation && n.op == ir.Ne && n.args == l.at(equal).args
	})
}

// variable notes what a variable becomes; it says whether that is an integer, or nothing.
func (c *closed) variable(leaf, update expr) bool {
	v := &variable{leaf: leaf, update: update}
	c.byLeaf[leaf] = v
	if leaf == update || c.given(leaf, update) {
		v.how = unchanged
		return true
	}
	c.vars = append(c.vars, v)
	t := c.l.at(leaf).t
	return t.Kind == ir.Int && t.Bits <= maxWidth
}

// classify finds how the variables change; it says whether that is known of all, and one
// changes by a step.
func (c *closed) classify() bool {
	rest := func(v *variable) (expr, bool) { // update - leaf
		f := c.l.linear(v.update, c.l.width(v.leaf))
		for i, t := range f.terms {
			if t.e == v.leaf {
				if f.large || !t.c.Equal(bv.New(f.w, 1)) {
					return 0, false
				}
				f.terms = append(f.terms[:i:i], f.terms[i+1:]...)
				return c.l.sum(f), true
			}
		}
		return 0, false
	}
	moves := false
	for _, v := range c.vars {
		if step, ok := rest(v); ok && c.invariant(step) {
			v.how, v.step = stepped, step
			clear(c.memo)
			if k, ok := c.l.literal(step); !ok || !k.IsZero() {
				moves = true
				c.width = max(c.width, c.l.width(v.leaf))
			}
		}
	}
	for _, v := range c.vars {
		if v.how != unknown {
			continue
		}
		if step, ok := rest(v); ok {
			if second, ok := c.slope(step, nil); ok {
				v.how, v.step, v.second = summed, step, second
				clear(c.memo)
				c.width = max(c.width, c.l.width(v.leaf))
			}
		}
	}
	for _, v := range c.vars {
		if v.how == unknown {
			if !c.known(v.update, map[expr]bool{}) {
				return false
			}
			v.how = replaced
			clear(c.memo)
		}
	}
	return moves
}

// known says that an expression can be computed for any iteration.
func (c *closed) known(x expr, seen map[expr]bool) bool {
	if seen[x] {
		return true
	}
	seen[x] = true
	n := *c.l.at(x)
	switch n.kind {
	case opaque:
		return false
	case phi, cell:
		v := c.byLeaf[x]
		return v == nil || v.how == unchanged || v.how == stepped
	case operation:
		for _, a := range n.args {
			if a != 0 && !c.known(a, seen) {
				return false
			}
		}
	}
	return true
}

// invariant says that an expression has the same value in all iterations.
func (c *closed) invariant(x expr) bool {
	switch c.l.at(x).kind {
	case constant, outside, symbol, choice:
		return true
	case phi, cell:
		v := c.byLeaf[x]
		return v == nil || v.how == unchanged
	case opaque:
		return false
	}
	yes, ok := c.memo[x]
	if !ok {
		yes = c.invariantOperation(x)
		c.memo[x] = yes
	}
	return yes
}

func (c *closed) invariantOperation(x expr) bool {
	n := *c.l.at(x)
	all := true
	for _, a := range n.args {
		all = all && (a == 0 || c.invariant(a))
	}
	if all {
		return true
	}
	switch n.op {
	case ir.Add, ir.Sub, ir.Mul, ir.Shl, ir.Trunc:
		if n.t.Kind == ir.Int && n.t.Bits > 1 || n.op == ir.Trunc {
			d, ok := c.slope(x, nil)
			k, literal := c.l.literal(d)
			return ok && literal && k.IsZero()
		}
	}
	return false
}

// slope is the change of an integer from one iteration to the next, modulo 2^w. With
// ranges, numbers that are extended may change, too; they must not wrap then.
func (c *closed) slope(x expr, ranges *[]noWrap) (expr, bool) {
	l := c.l
	w := l.width(x)
	if l.at(x).t.Kind != ir.Int {
		return 0, false
	}
	f := l.linear(x, w)
	if f.large {
		return 0, false
	}
	d := form{w: w, k: bv.New(w, 0)}
	for _, t := range f.terms {
		if c.invariant1(t.e, x) {
			continue
		}
		if v := c.byLeaf[t.e]; v != nil && v.how == stepped {
			d.addForm(l.linear(v.step, w), t.c)
			continue
		}
		n := *l.at(t.e)
		if ranges == nil || n.kind != operation || n.op != ir.ZExt && n.op != ir.SExt {
			return 0, false
		}
		inner, ok := c.slope(n.args[0], ranges)
		if !ok {
			return 0, false
		}
		*ranges = append(*ranges, noWrap{n.args[0], inner, n.op == ir.SExt})
		d.addForm(l.linear(l.make(ir.SExt, n.t, 0, inner), w), t.c)
	}
	return l.sum(d), true
}

// invariant1 is invariant for a term of the sum x, which may be x itself.
func (c *closed) invariant1(e, x expr) bool {
	if e != x {
		return c.invariant(e)
	}
	n := *c.l.at(e)
	if n.kind != operation {
		return c.invariant(e)
	}
	for _, a := range n.args {
		if a != 0 && !c.invariant(a) {
			return false
		}
	}
	return true
}

// addForm adds c times g.
func (f *form) addForm(g form, c bv.BV) {
	f.k = f.k.Add(g.k.Mul(c))
	for _, t := range g.terms {
		f.add(t.e, t.c.Mul(c))
	}
	kept := f.terms[:0]
	for _, t := range f.terms {
		if !t.c.IsZero() {
			kept = append(kept, t)
		}
	}
	f.terms = kept
}

// require adds what a condition asks for n iterations; it says whether that is known.
func (c *closed) require(x condition) bool {
	l := c.l
	if c.invariant(x.e) {
		c.requirements = append(c.requirements, requirement{condition: x})
		return true
	}
	n := *l.at(x.e)
	if n.kind != operation {
		return false
	}
	op := n.op
	r := requirement{condition: x, last: true}
	switch op {
	case ir.Eq, ir.Ne:
		if (op == ir.Ne) != x.want {
			return c.same(&r, n.args[0], n.args[1])
		}
		return c.differ(n.args[0], n.args[1])
	case ir.ULt, ir.ULe:
		return c.monotone(&r, false, n.args[0], n.args[1])
	case ir.SLt, ir.SLe:
		return c.monotone(&r, true, n.args[0], n.args[1])
	case ir.SAddOvf, ir.SSubOvf:
		return !x.want && c.monotone(&r, true, n.args[0], n.args[1])
	case ir.UAddOvf, ir.USubOvf:
		return !x.want && c.monotone(&r, false, n.args[0], n.args[1])
	case ir.SMulOvf, ir.UMulOvf:
		if x.want || !c.invariant(n.args[0]) && !c.invariant(n.args[1]) {
			return false
		}
		return c.monotone(&r, op == ir.SMulOvf, n.args[0], n.args[1])
	}
	return false
}

// monotone is (F1).
func (c *closed) monotone(r *requirement, signed bool, sides ...expr) bool {
	for _, s := range sides {
		if c.invariant(s) {
			continue
		}
		d, ok := c.slope(s, &r.ranges)
		if !ok {
			return false
		}
		r.ranges = append(r.ranges, noWrap{s, d, signed})
	}
	c.requirements = append(c.requirements, *r)
	return true
}

// same asks that x and y are equal in all iterations: their difference must not change, as
// long as what is extended does not wrap.
func (c *closed) same(r *requirement, x, y expr) bool {
	l := c.l
	if l.at(x).t.Kind != ir.Int {
		return false
	}
	d, ok := c.slope(l.make(ir.Sub, l.at(x).t, 0, x, y), &r.ranges)
	k, literal := l.literal(d)
	if !ok || !literal || !k.IsZero() {
		return false // equal in two iterations, and not in all
	}
	r.last = false
	c.requirements = append(c.requirements, *r)
	return true
}

// differ is (F2) and (F3): x and y must not be equal in any iteration.
func (c *closed) differ(x, y expr) bool {
	l := c.l
	if l.at(x).t.Kind != ir.Int {
		return false
	}
	if d, ok := c.slope(l.make(ir.Sub, l.at(x).t, 0, x, y), nil); ok {
		if k, ok := l.literal(d); ok {
			if k.IsZero() { // their difference does not change
				e := l.make(ir.Eq, ir.BoolType, 0, x, y)
				c.requirements = append(c.requirements, requirement{condition: condition{e, false}})
			} else {
				c.requirements = append(c.requirements, requirement{apart: true, x: x, y: y, d: k})
			}
			return true
		}
	}
	r := requirement{aside: true, x: x, y: y}
	return c.monotone(&r, true, x, y)
}
