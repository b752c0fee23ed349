// Package term holds hash-consed terms over truth values, bit-vectors, arrays
// and floating-point bit patterns, with a simplifier that works while terms are
// built, an evaluator and an SMT-LIB printer.
//
// A Store is flat: a term is an index into a slice of pointer-free nodes, so a
// million terms are a few allocations and nothing for the garbage collector to
// follow. Two terms of one store are equal exactly if their IDs are. Arguments
// are built before what uses them, so ascending IDs are a topological order.
package term

import (
	"fmt"
	"strconv"

	"assay/internal/logic/bv"
)

// ID is a term of one Store. 0 is no term.
type ID uint32

// node is the stored form of a term.
//
//	OpConst, width <= 64:  args[0], args[1] are the low and high halves of the value
//	OpConst, width > 64:   args[0] indexes Store.wide
//	OpVar:                 args[0] indexes Store.names
//	OpExtract:             aux is the low bound
//	OpFRound:              aux is the RoundMode
type node struct {
	op   Op
	sort uint32 // number in Store.sorts
	args [3]ID
	aux  uint32
}

// arity is the number of arguments of each operation.
var arity = [opMax]uint8{
	OpNot: 1, OpAnd: 2, OpOr: 2, OpXor: 2, OpEq: 2, OpIte: 3,
	OpAdd: 2, OpMul: 2, OpNeg: 1, OpUDiv: 2, OpURem: 2, OpSDiv: 2, OpSRem: 2,
	OpShl: 2, OpLShr: 2, OpAShr: 2, OpBVNot: 1, OpBVAnd: 2, OpBVOr: 2, OpBVXor: 2,
	OpULt: 2, OpULe: 2, OpSLt: 2, OpSLe: 2,
	OpConcat: 2, OpExtract: 1, OpZExt: 1, OpSExt: 1,
	OpSelect: 2, OpStore: 3, OpConstArray: 1,
	OpFAdd: 2, OpFMul: 2, OpFDiv: 2, OpFRem: 2, OpFSqrt: 1, OpFMA: 3, OpFRound: 1,
	OpFEq: 2, OpFLt: 2, OpFLe: 2, OpFToSI: 1, OpFToUI: 1, OpSIToF: 1, OpUIToF: 1, OpFToF: 1,
}

// commutes says which operations do not depend on the order of their first two
// arguments.
var commutes = [opMax]bool{
	OpAnd: true, OpOr: true, OpXor: true, OpEq: true, OpAdd: true, OpMul: true,
	OpBVAnd: true, OpBVOr: true, OpBVXor: true,
	OpFAdd: true, OpFMul: true, OpFMA: true, OpFEq: true,
}

// slot is a place of the hash table. The hash saves a look at the node, which is
// a cache miss, where it differs.
type slot struct {
	hash uint32
	term ID // 0 if the slot is free
}

// Store owns terms. It belongs to one goroutine while terms are built; a store
// that no longer grows may be read by many.
type Store struct {
	operations int // terms but constants
	sortTable
	nodes []node
	facts []fact // what is known of each term's value, see fact.go
	table []slot // open addressing, linear probing; the length is a power of two

	wide   []bv.BV
	wideOf map[string]uint32 // index in wide by the printed constant
	names  []string
	varOf  map[string]ID
	fresh  map[string]uint32 // next number to try by prefix

	raw    bool              // build what is asked for, see NewRawStore
	plain  bool              // compute with constants and no more, see NewPlainStore
	keep   bool              // leave sums in equations as they are, see KeepSums
	depth  int               // rewrites in progress, see rewrite.go
	pushed int               // extractions of low bits pushed into sums, see rewrite_extract.go
	fired  func(rule string) // test hook
	watch  func() error      // see Watched
}

const (
	trueID  ID = 1
	falseID ID = 2
)

// NewStore is an empty store that simplifies terms as they are built.
func NewStore() *Store {
	s := &Store{
		sortTable: newSortTable(),
		nodes:     make([]node, 1, 1024),
		facts:     make([]fact, 1, 1024),
		table:     make([]slot, 2048),
		wideOf:    map[string]uint32{},
		varOf:     map[string]ID{},
		fresh:     map[string]uint32{},
	}
	s.intern(node{op: OpTrue})
	s.intern(node{op: OpFalse})
	return s
}

// NewRawStore is an empty store that builds every application as it is asked
// for, constant or not. It is the yardstick of the simplifier.
func NewRawStore() *Store {
	s := NewStore()
	s.raw = true
	return s
}

// NewPlainStore is an empty store without the simplifier: it only computes (plain.go).
func NewPlainStore() *Store {
	s := NewStore()
	s.plain = true
	return s
}

// KeepSums turns off the rule that puts the sums of equations in one order. It helps
// where a sum is asked to be equal to another; where differences are shared by many
// equations, as in the formula of a whole program, it costs gates and conflicts.
func (s *Store) KeepSums() { s.keep = true }

// Len is one more than the largest ID.
func (s *Store) Len() int { return len(s.nodes) }

// Operations is the number of terms that are no constants.
func (s *Store) Operations() int { return s.operations }

// Op is the head symbol of t.
func (s *Store) Op(t ID) Op { return s.nodes[t].op }

// Sort is the sort of t.
func (s *Store) Sort(t ID) Sort { return s.sorts[s.nodes[t].sort] }

// Width is the number of bits of t, or of its elements if it is an array; 0 for
// a Bool.
func (s *Store) Width(t ID) uint32 { return s.sorts[s.nodes[t].sort].Width }

// NumArgs is the number of arguments of t.
func (s *Store) NumArgs(t ID) int { return int(arity[s.nodes[t].op]) }

// Arg is argument i of t.
func (s *Store) Arg(t ID, i int) ID {
	n := &s.nodes[t]
	if i >= int(arity[n.op]) {
		panic(fmt.Sprintf("term: argument %d of %s", i, n.op))
	}
	return n.args[i]
}

// IsConst says whether t is a bit-vector constant. See IsTrue and IsFalse for
// the truth values.
func (s *Store) IsConst(t ID) bool { return s.nodes[t].op == OpConst }

// IsTrue says whether t is the constant true.
func (s *Store) IsTrue(t ID) bool { return t == trueID }

// IsFalse says whether t is the constant false.
func (s *Store) IsFalse(t ID) bool { return t == falseID }

// ConstValue is the value of a constant; a truth value has width 1.
func (s *Store) ConstValue(t ID) bv.BV {
	n := &s.nodes[t]
	switch n.op {
	case OpTrue, OpFalse:
		return bv.Bool(n.op == OpTrue)
	case OpConst:
		if w := s.sorts[n.sort].Width; w <= 64 {
			return bv.New(w, n.uint64())
		}
		return s.wide[n.args[0]]
	}
	panic(fmt.Sprintf("term: value of the non-constant %s", s.String(t)))
}

func (n *node) uint64() uint64 { return uint64(n.args[0]) | uint64(n.args[1])<<32 }

// ConstUint64 is the unsigned value of a bit-vector constant; ok is false if t
// is not one, or if its value needs more than 64 bits.
func (s *Store) ConstUint64(t ID) (v uint64, ok bool) {
	n := &s.nodes[t]
	if n.op != OpConst {
		return 0, false
	}
	if s.sorts[n.sort].Width <= 64 {
		return n.uint64(), true
	}
	x := s.wide[n.args[0]]
	return x.Uint64(), x.IsUint64()
}

// VarName is the name of the variable t.
func (s *Store) VarName(t ID) string {
	if s.nodes[t].op != OpVar {
		panic(fmt.Sprintf("term: name of the non-variable %s", s.String(t)))
	}
	return s.names[s.nodes[t].args[0]]
}

// ExtractBounds are the highest and lowest bit that the OpExtract t selects.
func (s *Store) ExtractBounds(t ID) (hi, lo uint32) {
	n := &s.nodes[t]
	if n.op != OpExtract {
		panic(fmt.Sprintf("term: bounds of the non-extract %s", s.String(t)))
	}
	return n.aux + s.sorts[n.sort].Width - 1, n.aux
}

// RoundMode is the rounding mode of the OpFRound t.
func (s *Store) RoundMode(t ID) RoundMode {
	if s.nodes[t].op != OpFRound {
		panic(fmt.Sprintf("term: rounding mode of %s", s.String(t)))
	}
	return RoundMode(s.nodes[t].aux)
}

// Const is the bit-vector constant v.
func (s *Store) Const(v bv.BV) ID {
	if v.Width() <= 64 {
		return s.ConstU(v.Width(), v.Uint64())
	}
	key := v.String()
	i, ok := s.wideOf[key]
	if !ok {
		i = uint32(len(s.wide))
		s.wide = append(s.wide, v)
		s.wideOf[key] = i
	}
	return s.intern(node{op: OpConst, sort: s.bitVec(v.Width()), args: [3]ID{ID(i)}})
}

// ConstU is the bit-vector constant v modulo 2^width.
func (s *Store) ConstU(width uint32, v uint64) ID {
	if width > 64 {
		return s.Const(bv.New(width, v))
	}
	v &= ones(width)
	return s.intern(node{op: OpConst, sort: s.bitVec(width), args: [3]ID{ID(uint32(v)), ID(v >> 32)}})
}

// Var is the free variable of that name. A name belongs to one sort.
func (s *Store) Var(name string, sort Sort) ID {
	if t, ok := s.varOf[name]; ok {
		if s.Sort(t) != sort {
			panic(fmt.Sprintf("term: variable %s has sort %s, not %s", name, s.Sort(t), sort))
		}
		return t
	}
	t := s.intern(node{op: OpVar, sort: s.number(sort), args: [3]ID{ID(len(s.names))}})
	s.names = append(s.names, name)
	s.varOf[name] = t
	return t
}

// Fresh is a variable with a new name that starts with prefix.
func (s *Store) Fresh(prefix string, sort Sort) ID {
	for {
		name := prefix + "!" + strconv.Itoa(int(s.fresh[prefix]))
		s.fresh[prefix]++
		if _, taken := s.varOf[name]; !taken {
			return s.Var(name, sort)
		}
	}
}

func (n *node) hash() uint32 {
	const k = 0x9e3779b97f4a7c15
	h := (uint64(n.op) | uint64(n.sort)<<8 | uint64(n.aux)<<40) * k
	h = (h ^ h>>29 ^ (uint64(n.args[0]) | uint64(n.args[1])<<32)) * k
	h = (h ^ h>>32 ^ uint64(n.args[2])) * k
	return uint32(h >> 32)
}

// find is the term with this node, or 0.
func (s *Store) find(n *node) ID {
	mask := uint32(len(s.table) - 1)
	hash := n.hash()
	for i := hash & mask; ; i = (i + 1) & mask {
		e := s.table[i]
		if e.term == 0 || e.hash == hash && s.nodes[e.term] == *n {
			return e.term
		}
	}
}

// intern is the term with this node, added if it is new.
func (s *Store) intern(n node) ID {
	if t := s.find(&n); t != 0 {
		return t
	}
	return s.add(n, s.factOf(&n))
}

// add adds a node that is not in the store.
func (s *Store) add(n node, f fact) ID {
	if 4*len(s.nodes) >= 3*len(s.table) {
		s.grow()
	}
	if uint64(len(s.nodes)) > uint64(^ID(0)) {
		panic("term: more than 2^32 terms")
	}
	t := ID(len(s.nodes))
	if n.op != OpConst {
		s.operations++
	}
	s.nodes = append(s.nodes, n)
	s.facts = append(s.facts, f)
	s.place(slot{n.hash(), t})
	if len(s.nodes)%watchInterval == 0 && s.watch != nil {
		if err := s.watch(); err != nil {
			s.Abandon(err)
		}
	}
	return t
}

// watchInterval is the number of new terms after which a watched store asks.
const watchInterval = 1 << 14

type abandoned struct{ err error }

// Abandon ends the build that runs under Watched with an error.
func (s *Store) Abandon(err error) { panic(abandoned{err}) }

// Watched runs build, and asks watch while the store grows. At the first error
// build is abandoned, and that is the error of Watched; the store stays usable.
// Without it one instruction that makes millions of terms would obey no limit.
func (s *Store) Watched(watch func() error, build func()) (err error) {
	before, depth := s.watch, s.depth
	s.watch = watch
	defer func() {
		s.watch = before
		if r := recover(); r != nil {
			a, ok := r.(abandoned)
			if !ok {
				panic(r)
			}
			s.depth, err = depth, a.err
		}
	}()
	build()
	return nil
}

func (s *Store) place(e slot) {
	mask := uint32(len(s.table) - 1)
	i := e.hash & mask
	for s.table[i].term != 0 {
		i = (i + 1) & mask
	}
	s.table[i] = e
}

func (s *Store) grow() {
	old := s.table
	s.table = make([]slot, 2*len(old))
	for _, e := range old {
		if e.term != 0 {
			s.place(e)
		}
	}
}
