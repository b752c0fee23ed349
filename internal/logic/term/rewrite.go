package term

import "assay/internal/logic/bv"

// This file drives the simplifier. An application is rewritten when it is
// built, so that a term whose ID one holds is never looked at again. A rule sees
// one application and the heads of its arguments, to a fixed depth; it builds
// its result with the constructors, whose rules run in turn.
//
// Normal forms, which make rules meet. No rule is wrong where they are absent:
// maxDepth lets other terms through.
//
//   - constants, true and false are the last argument of what commutes, other
//     arguments ascend by ID;
//   - ULe, SLe and Bool Xor do not occur: they are Not of ULt, SLt, Eq;
//   - a constant on the left of ULt and SLt does not occur;
//   - Not does not occur below Not, in a condition of Ite, in an Eq of Bools;
//   - an added constant is outermost: (x + y) + k;
//   - shifts by constants, and masks of few runs of bits, are Concat and Extract;
//   - a Concat with zeros on top is a ZExt.
//
// Termination: rules shrink the term or move it along these orientations.
// maxDepth is the safety net, and bounds the stack where rules follow a chain.

// maxDepth bounds the nesting of rules that build terms.
const maxDepth = 128

// maxPush bounds how far an extraction of low bits is pushed into sums, where
// each step has two arguments.
const maxPush = 4

// rule rewrites an application; it returns 0 if it does not match.
type rule struct {
	op    Op
	name  string
	apply func(s *Store, n node) ID
}

// rules are the rules by operation, in the order in which they are tried.
var rules [opMax][]rule

func init() {
	for _, table := range [][]rule{
		booleanRules(), iteRules(), equalityRules(), sumRules(), productRules(), divisionRules(), magicRules(),
		shiftRules(), bitwiseRules(), structureRules(), extractRules(), comparisonRules(), arrayRules(),
		floatRules(),
	} {
		for _, r := range table {
			rules[r.op] = append(rules[r.op], r)
		}
	}
	for op := OpAdd; op < opMax; op++ {
		if op == OpSelect || op == OpStore || op == OpConstArray {
			continue
		}
		rules[op] = append(rules[op], rule{op, "fold-choice", foldChoice})
	}
}

// mk is the term for an application of well-sorted arguments.
func (s *Store) mk(n node) ID {
	if s.raw {
		return s.intern(n)
	}
	if s.plain {
		return s.compute(n)
	}
	if commutes[n.op] && s.after(n.args[0], n.args[1]) {
		n.args[0], n.args[1] = n.args[1], n.args[0]
	}
	if t := s.find(&n); t != 0 {
		return t
	}
	if t := s.fold(&n); t != 0 {
		return t
	}
	before := len(s.nodes)
	if s.depth < maxDepth {
		s.depth++
		for i := range rules[n.op] {
			r := &rules[n.op][i]
			if t := r.apply(s, n); t != 0 {
				s.depth--
				if s.fired != nil {
					s.fired(n.op.String() + "/" + r.name)
				}
				return t
			}
		}
		s.depth--
	}
	f := s.factOf(&n)
	if w, ok := s.narrowSort(n.sort); ok && f.lo == f.hi {
		return s.ConstU(w, f.lo)
	}
	// A rule that built terms and then declined may have added this very node.
	if len(s.nodes) != before {
		if t := s.find(&n); t != 0 {
			return t
		}
	}
	return s.add(n, f)
}

func (s *Store) narrowSort(sort uint32) (uint32, bool) {
	x := s.sorts[sort]
	return x.Width, x.Kind == SortBV && x.Width <= 64
}

// after says whether the commuting arguments a, b are in the wrong order.
func (s *Store) after(a, b ID) bool {
	if ka, kb := s.isValue(a), s.isValue(b); ka != kb {
		return ka
	}
	return a > b
}

// isValue says whether t is a constant of sort Bool or BV.
func (s *Store) isValue(t ID) bool {
	op := s.nodes[t].op
	return op == OpConst || op == OpTrue || op == OpFalse
}

// fold is the constant that an application of constants is, or 0.
func (s *Store) fold(n *node) ID {
	k := int(arity[n.op])
	for _, a := range n.args[:k] {
		if !s.isValue(a) {
			return 0
		}
	}
	if s.sorts[n.sort].Kind == SortArray || n.op == OpSelect {
		return 0
	}
	var vals [3]bv.BV
	for i, a := range n.args[:k] {
		vals[i] = s.ConstValue(a)
	}
	return s.constant(n.sort, apply(n.op, s.sorts[n.sort].Width, n.aux, vals[:k]))
}

// match: op(.., t, ..) with constants but for one t, a choice of constants; or
// two such with the same condition
// result: the choice of the folded constants
//
// A choice is Ite over constants, nested to a bounded number of leaves.
func foldChoice(s *Store, n node) ID {
	choice := ID(0)
	for _, a := range n.args[:arity[n.op]] {
		switch {
		case s.isValue(a):
		case s.nodes[a].op != OpIte || s.leaves(a, 4) < 0:
			return 0
		case choice == 0:
			choice = a
		case s.arg(a, 0) != s.arg(choice, 0):
			return 0
		}
	}
	if choice == 0 {
		return 0
	}
	then, otherwise := n, n
	for i, a := range n.args[:arity[n.op]] {
		if !s.isValue(a) {
			then.args[i], otherwise.args[i] = s.arg(a, 1), s.arg(a, 2)
		}
	}
	return s.Ite(s.arg(choice, 0), s.mk(then), s.mk(otherwise))
}

// leaves is budget less the number of leaves of a choice of constants; negative
// if there are more, or if t is not one.
func (s *Store) leaves(t ID, budget int) int {
	switch {
	case budget <= 0:
		return -1
	case s.isValue(t):
		return budget - 1
	case s.nodes[t].op != OpIte:
		return -1
	}
	if budget = s.leaves(s.arg(t, 1), budget); budget < 0 {
		return -1
	}
	return s.leaves(s.arg(t, 2), budget)
}

// What follows is how rules look at terms.

func (s *Store) is(t ID, op Op) bool  { return s.nodes[t].op == op }
func (s *Store) arg(t ID, i int) ID   { return s.nodes[t].args[i] }
func (s *Store) zero(width uint32) ID { return s.ConstU(width, 0) }

// top is the constant with all bits 1.
func (s *Store) top(width uint32) ID {
	if width <= 64 {
		return s.ConstU(width, ones(width))
	}
	return s.Const(bv.New(width, 0).Not())
}

// isNumber says whether t is the bit-vector constant v.
func (s *Store) isNumber(t ID, v uint64) bool {
	w, ok := s.ConstUint64(t)
	return ok && w == v
}

func (s *Store) isZero(t ID) bool { return s.isNumber(t, 0) }
func (s *Store) isTop(t ID) bool {
	return s.IsConst(t) && s.ConstValue(t).IsOnes()
}

// power is k if t is the constant 2^k.
func (s *Store) power(t ID) (uint32, bool) {
	if !s.IsConst(t) {
		return 0, false
	}
	if v, ok := s.ConstUint64(t); ok {
		if v == 0 || v&(v-1) != 0 {
			return 0, false
		}
	} else if u := s.ConstValue(t).Unsigned(); int(u.TrailingZeroBits()) != u.BitLen()-1 {
		return 0, false
	}
	return s.TrailingZeros(t), true
}

// plusConst splits t = base + k; ok is false if t has no added constant.
func (s *Store) plusConst(t ID) (base, k ID, ok bool) {
	if n := &s.nodes[t]; n.op == OpAdd && s.IsConst(n.args[1]) {
		return n.args[0], n.args[1], true
	}
	return t, 0, false
}

// opposite says whether one of the Bools is the Not of the other.
func (s *Store) opposite(a, b ID) bool {
	return s.is(a, OpNot) && s.arg(a, 0) == b || s.is(b, OpNot) && s.arg(b, 0) == a
}

// inverse says whether one of the bit-vectors is the BVNot of the other.
func (s *Store) inverse(a, b ID) bool {
	return s.is(a, OpBVNot) && s.arg(a, 0) == b || s.is(b, OpBVNot) && s.arg(b, 0) == a
}

// negative says whether one of the bit-vectors is the Neg of the other.
func (s *Store) negative(a, b ID) bool {
	return s.is(a, OpNeg) && s.arg(a, 0) == b || s.is(b, OpNeg) && s.arg(b, 0) == a
}

// has says whether t is an application of op to a, and the other argument.
func (s *Store) has(t ID, op Op, a ID) (other ID, ok bool) {
	n := &s.nodes[t]
	switch {
	case n.op != op:
		return 0, false
	case n.args[0] == a:
		return n.args[1], true
	case n.args[1] == a:
		return n.args[0], true
	}
	return 0, false
}

// both tries a rule on the arguments of a commuting application in both orders.
func both(f func(s *Store, a, b ID) ID) func(*Store, node) ID {
	return func(s *Store, n node) ID {
		if t := f(s, n.args[0], n.args[1]); t != 0 {
			return t
		}
		return f(s, n.args[1], n.args[0])
	}
}
