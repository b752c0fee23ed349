package sat

// This file translates the part of a Graph that is asked for into clauses.
//
// Cited paper:
//
//	[PlaistedGreenbaum86] D. Plaisted, S. Greenbaum. A Structure-Preserving Clause
//	Form Translation. Journal of Symbolic Computation 2(3), 1986.
//
// A node gets a variable when it is first needed. The positive half of its
// definition are the clauses of "variable implies function", the negative half
// those of the converse; only the half is emitted that the polarity of the
// occurrence calls for, and the other one if an occurrence of the other
// polarity comes later. No half is emitted twice.
//
// Invariants:
//
//	(1) half&1 of a node: its positive half is emitted, and for every literal l
//	    in those clauses, other than the node's own, the half of l.Node() that
//	    belongs to l's sign is emitted or on the stack (the inputs have none);
//	    likewise half&2 and the negative half;
//	(2) every emitted clause holds if each variable has its node's value: the
//	    two halves may be emitted at different times, after the flattening of
//	    and-gates has changed, since they need not fit together.
//
// By (1), if a model of the clauses sets the literal that Literal(l) returned,
// then l evaluates to true under the model's inputs. The model's values of other
// gates mean nothing: Evaluator computes them from the inputs.
//
// Departures from the paper: n-ary conjunctions, multiplexers (6 clauses, of
// which 2 are redundant but propagate more), exclusive or of two (4) or three
// operands (8), and majorities (6) are one gate each.

// CNF encodes literals of one Graph. Literal, AssertClause and AddClause say
// what is wanted; Encode makes the clauses of all gates below it.
type CNF struct {
	g        *Graph
	sink     func(flat []int32)
	vars     []int32 // of the nodes; 0 is none
	half     []uint8 // of the nodes: bit 0 positive, bit 1 negative
	numVars  int32
	flat     []int32
	clauses  int64
	literals int64
	todo     []Lit
	ops      []Lit
	scratch  [3]Lit
	wideXor  bool // use shapeXor3
}

// batch is the number of literals from which on a buffer of clauses is handed
// to the sink.
const batch = 1 << 16

// NewCNF has no clauses yet. Encode hands clauses to the sink in batches, as
// literals of DIMACS, each clause ended by 0; the slice is valid only during the
// call.
func NewCNF(g *Graph, sink func(flat []int32)) *CNF {
	return &CNF{g: g, sink: sink, wideXor: true}
}

// Variables is the number of variables so far; they are 1 to Variables.
func (c *CNF) Variables() int32 { return c.numVars }

// Clauses is the number of clauses so far.
func (c *CNF) Clauses() int64 { return c.clauses }

// Literals is the number of literals in them.
func (c *CNF) Literals() int64 { return c.literals }

// Bytes is the memory of the tables and the buffer.
func (c *CNF) Bytes() int64 {
	return int64(cap(c.vars))*4 + int64(cap(c.half)) + int64(cap(c.flat))*4
}

// Variable is the variable of node n, or 0 if it has none.
func (c *CNF) Variable(n int32) int32 {
	if int(n) < len(c.vars) {
		return c.vars[n]
	}
	return 0
}

// Literal is the CNF literal for l. Once encoded, a model of the clauses in which
// it is true makes l true.
func (c *CNF) Literal(l Lit) int32 { return c.need(l) }

// Encode makes all clauses that are wanted and hands them to the sink. It polls
// stop after each batch, and returns false if that ended it; a later call goes on.
func (c *CNF) Encode(stop func() bool) bool {
	for len(c.todo) > 0 {
		l := c.todo[len(c.todo)-1]
		c.todo = c.todo[:len(c.todo)-1]
		c.encode(l)
		if len(c.flat) >= batch {
			c.flush()
			if stop() {
				return false
			}
		}
	}
	c.flush()
	return true
}

func (c *CNF) flush() {
	if len(c.flat) > 0 {
		c.sink(c.flat)
		c.flat = c.flat[:0]
	}
}

// AssertClause adds clauses that make one of the literals true for good. A
// single conjunction is split into its conjuncts, and disjunctions among the
// literals become part of the clause.
func (c *CNF) AssertClause(ls ...Lit) {
	if len(ls) == 1 {
		c.assertAnd(ls[0])
	} else {
		c.assertOr(ls)
	}
}

// AddClause adds one clause for good, with a variable for each of its literals
// that is no constant. It suits literals that occur in many clauses.
func (c *CNF) AddClause(ls ...Lit) {
	for _, l := range ls {
		if l == True {
			return
		}
	}
	n := 0
	for _, l := range ls {
		if l != False {
			c.flat = append(c.flat, c.need(l))
			n++
		}
	}
	c.end(n)
}

// assertAnd asserts the conjuncts of l one by one. Conjunctions get no
// variable even if they are used elsewhere too: that of their operands follow.
func (c *CNF) assertAnd(l Lit) {
	stack := []Lit{l}
	for len(stack) > 0 {
		l := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := l.Node()
		if l == True {
			continue
		}
		if !c.g.IsAnd(n) {
			c.assertOr([]Lit{l})
			continue
		}
		s, ops := c.function(n, c.ops[:0])
		c.ops = ops
		switch {
		case s != shapeAnd && c.g.fanout[n] == 0 && c.Variable(n) == 0:
			c.define(s, ops, 0, !l.Negated())
		case s != shapeAnd || l.Negated():
			c.assertOr([]Lit{l})
		default:
			nd := c.g.nodes[n]
			stack = append(stack, nd.b, nd.a)
		}
	}
}

// assertOr emits one clause, in which negated conjunctions are opened that
// nothing else uses. (A conjunction with another use gets a variable, because
// that use then profits from the variable's value.)
func (c *CNF) assertOr(ls []Lit) {
	var disjuncts, inner []Lit
	for _, l := range ls {
		switch {
		case l == True:
			return
		case l == False:
		case l.Negated() && c.dissolves(l.Node(), 0):
			nd := c.g.nodes[l.Node()]
			inner = append(inner, nd.b.Not(), nd.a.Not())
		default:
			disjuncts = append(disjuncts, l)
		}
	}
	for len(inner) > 0 {
		l := inner[len(inner)-1]
		inner = inner[:len(inner)-1]
		if l.Negated() && len(inner)+len(disjuncts) < maxAnd && c.dissolves(l.Node(), 1) {
			nd := c.g.nodes[l.Node()]
			inner = append(inner, nd.b.Not(), nd.a.Not())
			continue
		}
		disjuncts = append(disjuncts, l)
	}
	for _, l := range disjuncts {
		c.flat = append(c.flat, c.need(l))
	}
	c.end(len(disjuncts))
}

func (c *CNF) end(literals int) {
	c.flat = append(c.flat, 0)
	c.clauses++
	c.literals += int64(literals)
}

// need is the CNF literal for l; the half of the definition that belongs to
// l's sign is put on the stack unless it is there already.
func (c *CNF) need(l Lit) int32 {
	n := l.Node()
	if int(n) >= len(c.vars) {
		k := c.g.Len() - len(c.vars)
		c.vars = append(c.vars, make([]int32, k)...)
		c.half = append(c.half, make([]uint8, k)...)
	}
	v := c.vars[n]
	if v == 0 {
		c.numVars++
		v = c.numVars
		c.vars[n] = v
	}
	bit := uint8(1)
	if l.Negated() {
		v, bit = -v, 2
	}
	if c.half[n]&bit == 0 {
		c.half[n] |= bit
		c.todo = append(c.todo, l)
	}
	return v
}

// encode emits the half of the definition of l's node that belongs to l.
func (c *CNF) encode(l Lit) {
	n := l.Node()
	if n == 0 {
		// The constant: its variable is false, whatever half is asked for.
		if c.half[0]&4 == 0 {
			c.half[0] |= 4
			c.flat = append(c.flat, -c.vars[0])
			c.end(1)
		}
		return
	}
	s, ops := c.classify(n, c.ops[:0])
	c.ops = ops
	if s != shapeInput {
		c.define(s, ops, c.vars[n], !l.Negated())
	}
}

// define emits one half of the definition of variable v as the function s of
// the operands: the positive half says v implies it. With v = 0 the function
// (or its negation, for the negative half) is asserted.
func (c *CNF) define(s shape, ops []Lit, v int32, positive bool) {
	if positive {
		v = -v
	}
	switch s {
	case shapeAnd:
		if positive {
			for _, l := range ops {
				c.clause(v, l)
			}
			return
		}
		if v != 0 {
			c.flat = append(c.flat, v)
		}
		for _, l := range ops {
			c.flat = append(c.flat, c.need(l.Not()))
		}
		c.end(len(ops) + 1)
	case shapeXor:
		x, y := ops[0].XorSign(!positive), ops[1]
		c.clause(v, x, y)
		c.clause(v, x.Not(), y.Not())
	case shapeXor3:
		x, y, z := ops[0].XorSign(!positive), ops[1], ops[2]
		c.clause(v, x, y, z)
		c.clause(v, x, y.Not(), z.Not())
		c.clause(v, x.Not(), y, z.Not())
		c.clause(v, x.Not(), y.Not(), z)
	case shapeMux:
		i, t, e := ops[0], ops[1].XorSign(!positive), ops[2].XorSign(!positive)
		c.clause(v, i.Not(), t)
		c.clause(v, i, e)
		c.clause(v, t, e)
	case shapeMajority:
		x, y, z := ops[0].XorSign(!positive), ops[1].XorSign(!positive), ops[2].XorSign(!positive)
		c.clause(v, x, y)
		c.clause(v, x, z)
		c.clause(v, y, z)
	}
}

// clause emits v ∨ ls, without v if it is 0.
func (c *CNF) clause(v int32, ls ...Lit) {
	k := len(ls)
	if v != 0 {
		c.flat = append(c.flat, v)
		k++
	}
	for _, l := range ls {
		c.flat = append(c.flat, c.need(l))
	}
	c.end(k)
}
