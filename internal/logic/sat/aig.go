// Package sat has the propositional layer between bit-vector terms and the SAT
// solver: and-inverter graphs (Graph), their translation to clauses (CNF), and
// their evaluation under a model (Evaluator). It is plain Go; the solver itself
// is the leaf package cadical.
//
// Naming: n is a node, l a graph literal (Lit), v a variable of the CNF, and a
// plain int32 "lit" a literal of the CNF as in DIMACS.
package sat

import "fmt"

// This file holds and-inverter graphs: the nodes are the constant, inputs and
// binary and-gates, and the edges may be negated.
//
// Invariants, for every and-node n with children a and b:
//
//	(1) a < b, both children are older than n, none is a constant, and
//	    a.Node() != b.Node();
//	(2) no other node has the same children (structural hashing);
//	(3) no rule of rewrite.go applies to n, as the graph was when n was made.
//
// So the nodes are always in topological order, and a loop from small to large
// node numbers sees children first.

// Lit is a node of a Graph or its negation: 2*node + sign.
type Lit int32

// The constant node is node 0.
const (
	False Lit = 0
	True  Lit = 1
)

// Not is the negation.
func (l Lit) Not() Lit { return l ^ 1 }

// Node is the node without the sign.
func (l Lit) Node() int32 { return int32(l >> 1) }

// Negated says whether l is a negated node.
func (l Lit) Negated() bool { return l&1 != 0 }

// XorSign is l, negated if sign.
func (l Lit) XorSign(sign bool) Lit {
	if sign {
		return l ^ 1
	}
	return l
}

// Constant is True or False.
func Constant(b bool) Lit { return False.XorSign(b) }

// IsConstant says whether l is True or False.
func (l Lit) IsConstant() bool { return l <= True }

func (l Lit) String() string {
	switch {
	case l == False:
		return "0"
	case l == True:
		return "1"
	case l.Negated():
		return fmt.Sprintf("-%d", l.Node())
	}
	return fmt.Sprint(l.Node())
}

// leaf is the first child of nodes that are no and-gates.
const leaf Lit = -1

type node struct {
	a, b Lit // of an and-gate; a == leaf for the constant and the inputs
}

// Graph is an and-inverter graph. Nodes are never removed.
type Graph struct {
	nodes  []node
	fanout []uint8 // number of and-gates that refer to the node, saturating
	table  []int32 // open addressing by the children; 0 is free
	shift  uint    // 64 - log2(len(table))
	gates  int
}

// NewGraph is a graph that holds only the constant.
func NewGraph() *Graph {
	const log = 10
	return &Graph{
		nodes:  []node{{leaf, leaf}},
		fanout: []uint8{0},
		table:  make([]int32, 1<<log),
		shift:  64 - log,
	}
}

// Len is the number of nodes, the constant and the inputs included; node
// numbers are smaller.
func (g *Graph) Len() int { return len(g.nodes) }

// Gates is the number of and-gates.
func (g *Graph) Gates() int { return g.gates }

// Bytes is the memory of the graph.
func (g *Graph) Bytes() int64 {
	return int64(cap(g.nodes))*8 + int64(cap(g.fanout)) + int64(cap(g.table))*4
}

// IsAnd says whether node n is an and-gate.
func (g *Graph) IsAnd(n int32) bool { return g.nodes[n].a >= 0 }

// IsInput says whether node n is an input.
func (g *Graph) IsInput(n int32) bool { return n != 0 && g.nodes[n].a < 0 }

// Children are the two operands of the and-gate n.
func (g *Graph) Children(n int32) (a, b Lit) { return g.nodes[n].a, g.nodes[n].b }

// Input is a new input.
func (g *Graph) Input() Lit { return g.add(node{leaf, leaf}) }

func (g *Graph) add(n node) Lit {
	if len(g.nodes) >= 1<<30 {
		panic("sat: graph with more than 2^30 nodes")
	}
	g.nodes = append(g.nodes, n)
	g.fanout = append(g.fanout, 0)
	return Lit(2 * (len(g.nodes) - 1))
}

func (g *Graph) slot(a, b Lit) uint64 {
	return (uint64(uint32(a))<<32 | uint64(uint32(b))) * 0x9e3779b97f4a7c15 >> g.shift
}

// gate is the and-gate for a and b after rewriting: the existing one if there
// is one.
func (g *Graph) gate(a, b Lit) Lit {
	if a > b {
		a, b = b, a
	}
	mask := uint64(len(g.table) - 1)
	i := g.slot(a, b)
	for ; g.table[i] != 0; i = (i + 1) & mask {
		n := g.table[i]
		if g.nodes[n].a == a && g.nodes[n].b == b {
			return Lit(2 * n)
		}
	}
	l := g.add(node{a, b})
	g.table[i] = l.Node()
	g.refer(a)
	g.refer(b)
	if g.gates++; 2*g.gates > len(g.table) {
		g.grow()
	}
	return l
}

func (g *Graph) refer(l Lit) {
	if n := l.Node(); g.fanout[n] < 255 {
		g.fanout[n]++
	}
}

func (g *Graph) grow() {
	g.table = make([]int32, 2*len(g.table))
	g.shift--
	mask := uint64(len(g.table) - 1)
	for n := range g.nodes {
		nd := g.nodes[n]
		if nd.a < 0 {
			continue
		}
		i := g.slot(nd.a, nd.b)
		for g.table[i] != 0 {
			i = (i + 1) & mask
		}
		g.table[i] = int32(n)
	}
}

// Or is a ∨ b.
func (g *Graph) Or(a, b Lit) Lit { return g.And(a.Not(), b.Not()).Not() }

// Xor is a ⊕ b, as ¬(a∧b) ∧ ¬(¬a∧¬b); the signs are moved outside first, so
// that the four sign combinations share their gates.
func (g *Graph) Xor(a, b Lit) Lit {
	sign := a.Negated() != b.Negated()
	a, b = a&^1, b&^1
	both := g.And(a, b)
	none := g.And(a.Not(), b.Not())
	return g.And(both.Not(), none.Not()).XorSign(sign)
}

// Iff is a = b.
func (g *Graph) Iff(a, b Lit) Lit { return g.Xor(a, b).Not() }

// Ite is t if c, else e.
func (g *Graph) Ite(c, t, e Lit) Lit {
	switch {
	case c == True:
		return t
	case c == False:
		return e
	case t == e:
		return t
	case t == e.Not():
		return g.Xor(c, e)
	}
	if c.Negated() {
		c, t, e = c.Not(), e, t
	}
	sign := t.Negated()
	t, e = t.XorSign(sign), e.XorSign(sign)
	return g.Or(g.And(c, t), g.And(c.Not(), e)).XorSign(sign)
}

// Majority is true iff at least two of its operands are.
func (g *Graph) Majority(a, b, c Lit) Lit {
	return g.Or(g.And(a, b), g.And(c, g.Or(a, b)))
}
