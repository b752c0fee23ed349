package sat

// This file finds, in the and-gates below a node, the gates that have clauses
// of their own: exclusive or, multiplexer, majority, and the exclusive or of
// three. See cnf.go for their clauses.
//
// The patterns are those that Graph.Xor, Ite and Majority make, but nothing
// depends on who made them. A pattern is used although gates inside it may be
// shared: these get clauses of their own only if something else needs them.

// shape is what a node is encoded as.
type shape uint8

const (
	shapeInput    shape = iota
	shapeAnd            // of at least two operands
	shapeXor            // of two operands
	shapeXor3           // of three operands
	shapeMux            // operands: condition, then, else
	shapeMajority       // of three operands
)

// classify finds the shape of node n and appends its operands to ops.
func (c *CNF) classify(n int32, ops []Lit) (shape, []Lit) {
	if c.g.nodes[n].a < 0 {
		return shapeInput, ops
	}
	if s, ops := c.function(n, ops); s != shapeAnd {
		return s, ops
	}
	return shapeAnd, c.flattenAnd(n, ops)
}

// function finds the shape of the and-gate n if it is a special one, and
// appends its operands to ops; else it is shapeAnd, and ops is unchanged.
// Where the gate is the negation of the shape's function, the sign is moved
// into the operands.
func (c *CNF) function(n int32, ops []Lit) (shape, []Lit) {
	g := c.g
	nd := g.nodes[n]
	if !nd.a.Negated() || !nd.b.Negated() {
		return shapeAnd, ops
	}
	p, q := g.nodes[nd.a.Node()], g.nodes[nd.b.Node()]
	if p.a < 0 || q.a < 0 {
		return shapeAnd, ops
	}
	if x, y, ok := asXor(p, q); ok {
		if u, v, w, ok := g.asXor3(x, y); ok && c.wideXor {
			return shapeXor3, append(ops, u, v, w)
		}
		return shapeXor, append(ops, x, y)
	}
	if i, t, e, ok := asMux(p, q); ok {
		return shapeMux, append(ops, i, t, e)
	}
	if x, y, z, ok := g.asMajority(p, q); ok {
		return shapeMajority, append(ops, x, y, z)
	}
	if x, y, z, ok := g.asMajority(q, p); ok {
		return shapeMajority, append(ops, x, y, z)
	}
	return shapeAnd, ops
}

// asXor matches ¬(x∧y) ∧ ¬(¬x∧¬y) = x ⊕ y.
func asXor(p, q node) (x, y Lit, ok bool) {
	if p.a == q.a.Not() && p.b == q.b.Not() || p.a == q.b.Not() && p.b == q.a.Not() {
		return p.a, p.b, true
	}
	return 0, 0, false
}

// asMux matches ¬(i∧t) ∧ ¬(¬i∧e), which is ¬t if i, else ¬e.
func asMux(p, q node) (i, t, e Lit, ok bool) {
	switch {
	case p.a == q.a.Not():
		return p.a, p.b.Not(), q.b.Not(), true
	case p.a == q.b.Not():
		return p.a, p.b.Not(), q.a.Not(), true
	case p.b == q.a.Not():
		return p.b, p.a.Not(), q.b.Not(), true
	case p.b == q.b.Not():
		return p.b, p.a.Not(), q.a.Not(), true
	}
	return 0, 0, 0, false
}

// asMajority matches ¬(x∧y) ∧ ¬(z∧¬(¬x∧¬y)), the negated majority, which is
// the majority of ¬x, ¬y and ¬z.
func (g *Graph) asMajority(p, q node) (x, y, z Lit, ok bool) {
	x, y = p.a, p.b
	for _, way := range [2][2]Lit{{q.a, q.b}, {q.b, q.a}} {
		or, z := way[0], way[1]
		if !or.Negated() {
			continue
		}
		r := g.nodes[or.Node()]
		if r.a < 0 {
			continue
		}
		if r.a == x.Not() && r.b == y.Not() || r.a == y.Not() && r.b == x.Not() {
			return x.Not(), y.Not(), z.Not(), true
		}
	}
	return 0, 0, 0, false
}

// asXor3 opens one operand of x ⊕ y that is an exclusive or itself and is used
// by this one only (which refers to it twice).
func (g *Graph) asXor3(x, y Lit) (u, v, w Lit, ok bool) {
	for _, way := range [2][2]Lit{{x, y}, {y, x}} {
		in, other := way[0], way[1]
		n := in.Node()
		nd := g.nodes[n]
		if nd.a < 0 || g.fanout[n] != 2 || !nd.a.Negated() || !nd.b.Negated() {
			continue
		}
		p, q := g.nodes[nd.a.Node()], g.nodes[nd.b.Node()]
		if p.a < 0 || q.a < 0 {
			continue
		}
		if u, v, ok := asXor(p, q); ok {
			return u.XorSign(in.Negated()), v, other, true
		}
	}
	return 0, 0, 0, false
}

// maxAnd bounds the operands of one flattened and-gate.
const maxAnd = 64

// flattenAnd appends the operands of the and-gate n: unnegated and-gates that
// nothing else refers to are replaced by their own operands.
func (c *CNF) flattenAnd(n int32, ops []Lit) []Lit {
	base := len(ops)
	nd := c.g.nodes[n]
	ops = append(ops, nd.a, nd.b)
	for i := base; i < len(ops); {
		l := ops[i]
		if l.Negated() || len(ops)-base >= maxAnd || !c.dissolves(l.Node(), 1) {
			i++
			continue
		}
		nd := c.g.nodes[l.Node()]
		ops[i] = nd.a
		ops = append(ops, nd.b)
	}
	return ops
}

// dissolves says whether the and-gate n, to which this many gates refer, needs
// no variable.
func (c *CNF) dissolves(n int32, fanout uint8) bool {
	if c.g.nodes[n].a < 0 || c.g.fanout[n] != fanout || c.Variable(n) != 0 {
		return false
	}
	s, _ := c.function(n, c.scratch[:0])
	return s == shapeAnd
}
