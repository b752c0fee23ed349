package acceleration

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file holds what an iteration computes: expressions over what is there at the head
// of the loop. They are shared, and simplified as far as comparisons of C's small
// integers need it: what the front end extends, masks and compares with zero.

// expr is an index into an arena; 0 is none.
type expr int32

// kind says what an expression is.
type kind uint8

const (
	operation kind = iota
	constant       // value
	phi            // id is a phi of the head
	cell           // id is an index into loop.cells: what it holds
	outside        // id is a value from outside of the loop
	symbol         // a GlobalAddr, FuncAddr or Null
	choice         // id is an index into loop.choices: an input, the same in all iterations
	opaque         // something that nothing is known of
)

// key makes expressions unique.
type key struct {
	kind kind
	op   ir.Op
	t    ir.Type
	args [3]expr
	aux  int64
	id   int32
	bits uint64
	sym  string
}

type node struct {
	key
	value bv.BV
}

// arena holds expressions.
type arena struct {
	nodes []node
	index map[key]expr
}

func newArena() *arena { return &arena{nodes: make([]node, 1), index: map[key]expr{}} }

func (a *arena) intern(n node) expr {
	if x, ok := a.index[n.key]; ok {
		return x
	}
	a.nodes = append(a.nodes, n)
	x := expr(len(a.nodes) - 1)
	a.index[n.key] = x
	return x
}

func (a *arena) at(x expr) *node { return &a.nodes[x] }

func (a *arena) width(x expr) uint32 { return a.nodes[x].t.Bits }

func (a *arena) leaf(k kind, t ir.Type, id int32) expr {
	return a.intern(node{key: key{kind: k, t: t, id: id}})
}

// fresh is a new opaque expression.
func (a *arena) fresh(t ir.Type) expr {
	return a.leaf(opaque, t, int32(len(a.nodes)))
}

// maxWidth bounds the integers that are looked at.
const maxWidth = 64

func (a *arena) constant(x bv.BV) expr {
	return a.intern(node{key: key{kind: constant, t: ir.IntType(x.Width()), bits: x.Uint64()}, value: x})
}

func (a *arena) number(w uint32, n uint64) expr { return a.constant(bv.New(w, n)) }

// literal is the value of a constant.
func (a *arena) literal(x expr) (bv.BV, bool) {
	n := a.at(x)
	return n.value, n.kind == constant && n.t.Kind == ir.Int
}

// is says that x is an operation of the kind.
func (a *arena) is(x expr, op ir.Op) bool {
	n := a.at(x)
	return n.kind == operation && n.op == op
}

// not negates a truth value.
func (a *arena) not(x expr) expr { return a.make(ir.Xor, ir.BoolType, 0, x, a.number(1, 1)) }

// truncated is x modulo 2^w.
func (a *arena) truncated(x expr, w uint32) expr {
	if a.width(x) == w {
		return x
	}
	return a.make(ir.Trunc, ir.IntType(w), 0, x)
}

// make is an operation without effects that is defined for all operands.
func (a *arena) make(op ir.Op, t ir.Type, aux int64, args ...expr) expr {
	if t.Bits > maxWidth {
		return a.fresh(t)
	}
	if x := a.simplified(op, t, args); x != 0 {
		return x
	}
	k := key{op: op, t: t, aux: aux}
	copy(k.args[:], args)
	return a.intern(node{key: k})
}

// simplified is a simpler expression for an operation, 0 if there is none.
func (a *arena) simplified(op ir.Op, t ir.Type, args []expr) expr {
	x := args[0]
	var y expr
	if len(args) > 1 {
		y = args[1]
	}
	if t.Kind == ir.Int && a.folds(op, args) {
		values := make([]bv.BV, len(args))
		for i, e := range args {
			values[i] = a.at(e).value
		}
		if v, guard := interp.Eval(&ir.Def{Op: op, Type: t}, values); guard == ir.CheckNone {
			return a.constant(v)
		}
		return 0
	}
	switch op {
	case ir.Freeze:
		return x
	case ir.Select:
		if c, ok := a.literal(x); ok {
			if c.IsTrue() {
				return y
			}
			return args[2]
		}
		if y == args[2] {
			return y
		}
	case ir.Xor:
		if c, ok := a.literal(y); ok && t.Bits == 1 {
			if c.IsZero() {
				return x
			}
			if a.is(x, ir.Xor) && a.at(x).args[1] == y {
				return a.at(x).args[0]
			}
		}
	case ir.And:
		if c, ok := a.literal(y); ok {
			if k := lowMask(c); k > 0 {
				return a.low(x, k)
			}
		} else if _, ok := a.literal(x); ok {
			return a.simplified(op, t, []expr{y, x})
		}
	case ir.URem:
		if c, ok := a.literal(y); ok {
			if k := powerOfTwo(c); k > 0 {
				return a.low(x, k)
			}
		}
	case ir.Trunc:
		return a.trunc(x, t)
	case ir.Eq, ir.Ne:
		return a.equality(op, x, y)
	}
	return 0
}

// folds says that the operation is on integer constants.
func (a *arena) folds(op ir.Op, args []expr) bool {
	if op == ir.PtrToInt || op == ir.BitCast {
		return false
	}
	for _, x := range args {
		if _, ok := a.literal(x); !ok {
			return false
		}
	}
	return true
}

// low is x modulo 2^k, of x's width.
func (a *arena) low(x expr, k uint32) expr {
	t := a.at(x).t
	if k >= t.Bits {
		return x
	}
	return a.make(ir.ZExt, t, 0, a.truncated(x, k))
}

// trunc simplifies a truncation.
func (a *arena) trunc(x expr, t ir.Type) expr {
	n := *a.at(x)
	if n.kind != operation {
		return 0
	}
	switch n.op {
	case ir.Trunc:
		return a.truncated(n.args[0], t.Bits)
	case ir.ZExt, ir.SExt:
		if w := a.width(n.args[0]); w == t.Bits {
			return n.args[0]
		} else if w > t.Bits {
			return a.truncated(n.args[0], t.Bits)
		}
	}
	return 0
}

// equality simplifies x = y and x != y.
func (a *arena) equality(op ir.Op, x, y expr) expr {
	if a.at(x).t.Kind != ir.Int {
		return 0
	}
	c, ok := a.literal(y)
	if !ok {
		if _, swap := a.literal(x); swap {
			return a.make(op, ir.BoolType, 0, y, x)
		}
		if x == y {
			return a.number(1, map[bool]uint64{true: 1}[op == ir.Eq])
		}
		return 0
	}
	if c.Width() == 1 {
		if c.IsTrue() == (op == ir.Eq) {
			return x
		}
		return a.not(x)
	}
	n := *a.at(x)
	if n.kind != operation {
		return 0
	}
	switch n.op {
	case ir.ZExt, ir.SExt:
		w := a.width(n.args[0])
		narrow := c.Trunc(w)
		back := narrow.ZExt(c.Width())
		if n.op == ir.SExt {
			back = narrow.SExt(c.Width())
		}
		if !back.Equal(c) {
			return a.number(1, map[bool]uint64{true: 1}[op == ir.Ne])
		}
		return a.make(op, ir.BoolType, 0, n.args[0], a.constant(narrow))
	case ir.SRem: // a multiple of a power of two, whatever the sign
		if d, ok := a.literal(n.args[1]); ok && c.IsZero() {
			if k := powerOfTwo(d); k > 0 && k < c.Width()-1 {
				return a.make(op, ir.BoolType, 0, a.truncated(n.args[0], k), a.number(k, 0))
			}
		}
	}
	return 0
}

// lowMask is k if x is 2^k-1, 0 if it is no such number.
func lowMask(x bv.BV) uint32 {
	k := uint32(0)
	for k < x.Width() && x.Bit(k) {
		k++
	}
	if k == x.Width() || !x.Equal(bv.New(x.Width(), 1<<k-1)) {
		return 0
	}
	return k
}

// powerOfTwo is k if x is 2^k and k > 0, 0 if not.
func powerOfTwo(x bv.BV) uint32 {
	for k := uint32(1); k < x.Width(); k++ {
		if x.Equal(bv.New(x.Width(), 1<<k)) {
			return k
		}
	}
	return 0
}
