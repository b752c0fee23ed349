package btor2

import (
	"fmt"

	"assay/internal/logic/term"
)

// This file gives the operations of BTOR2 their meaning as terms.

// arities has the number of operands of the operations without further arguments.
var arities = map[string]int{
	"not": 1, "inc": 1, "dec": 1, "neg": 1, "redand": 1, "redor": 1, "redxor": 1,
	"iff": 2, "implies": 2, "eq": 2, "neq": 2, "ne": 2,
	"sgt": 2, "ugt": 2, "sgte": 2, "ugte": 2, "slt": 2, "ult": 2, "slte": 2, "ulte": 2,
	"and": 2, "nand": 2, "nor": 2, "or": 2, "xnor": 2, "xor": 2,
	"rol": 2, "ror": 2, "sll": 2, "sra": 2, "srl": 2,
	"add": 2, "mul": 2, "udiv": 2, "sdiv": 2, "smod": 2, "urem": 2, "srem": 2, "sub": 2,
	"saddo": 2, "uaddo": 2, "sdivo": 2, "udivo": 2, "smulo": 2, "umulo": 2, "ssubo": 2, "usubo": 2,
	"concat": 2, "read": 2, "ite": 3, "write": 3,
}

// bit is a truth value.
func (r *reader) bit(c term.ID) value {
	return value{sort: sort{width: 1}, terms: []term.ID{r.store.BoolToBV(c)}}
}

// apply is an operation on values, whose sorts it checks.
func (r *reader) apply(op string, args []value) value {
	s := r.store
	switch op {
	case "read":
		return r.read(args[0], args[1])
	case "write":
		return r.write(args[0], args[1], args[2])
	case "ite":
		r.same(args[0].sort, sort{width: 1})
		r.same(args[2].sort, args[1].sort)
		c := s.BVToBool(args[0].terms[0])
		v := value{sort: args[1].sort}
		for i := range args[1].terms {
			v.terms = append(v.terms, s.Ite(c, args[1].terms[i], args[2].terms[i]))
		}
		return v
	case "eq", "neq", "ne":
		r.same(args[1].sort, args[0].sort)
		c := s.True()
		for i := range args[0].terms {
			c = s.And(c, s.Eq(args[0].terms[i], args[1].terms[i]))
		}
		if op != "eq" {
			c = s.Not(c)
		}
		return r.bit(c)
	case "concat":
		a, b := r.wantBits(args[0]), r.wantBits(args[1])
		if w := uint64(args[0].sort.width) + uint64(args[1].sort.width); w > maxWidth {
			r.fail("a bit-vector of width %d", w)
		}
		t := s.Concat(a, b)
		return value{sort: sort{width: s.Width(t)}, terms: []term.ID{t}}
	}
	a := r.wantBits(args[0])
	if len(args) == 1 {
		return r.unary(op, a)
	}
	r.same(args[1].sort, args[0].sort)
	b := args[1].terms[0]
	if op == "iff" || op == "implies" {
		r.same(args[0].sort, sort{width: 1})
	}
	if c, ok := r.predicate(op, a, b); ok {
		return r.bit(c)
	}
	return value{sort: args[0].sort, terms: []term.ID{r.binary(op, a, b)}}
}

// unary is an operation on one bit-vector.
func (r *reader) unary(op string, a term.ID) value {
	s, w := r.store, r.store.Width(a)
	word := func(t term.ID) value { return value{sort: sort{width: w}, terms: []term.ID{t}} }
	switch op {
	case "not":
		return word(s.BVNot(a))
	case "inc":
		return word(s.Add(a, s.ConstU(w, 1)))
	case "dec":
		return word(s.Sub(a, s.ConstU(w, 1)))
	case "neg":
		return word(s.Neg(a))
	case "redand":
		return r.bit(s.Eq(a, s.BVNot(s.ConstU(w, 0))))
	case "redor":
		return r.bit(s.Not(s.Eq(a, s.ConstU(w, 0))))
	case "redxor":
		x := s.Extract(a, 0, 0)
		for i := uint32(1); i < w; i++ {
			x = s.BVXor(x, s.Extract(a, i, i))
		}
		return value{sort: sort{width: 1}, terms: []term.ID{x}}
	}
	panic(fmt.Sprintf("btor2: no meaning for %s", op))
}

// predicate is a truth value of two bit-vectors of one width; ok is false if op gives
// another bit-vector.
func (r *reader) predicate(op string, a, b term.ID) (c term.ID, ok bool) {
	s, w := r.store, r.store.Width(a)
	switch op {
	case "iff":
		return s.Eq(a, b), true
	case "implies":
		return s.Implies(s.BVToBool(a), s.BVToBool(b)), true
	case "sgt":
		return s.SLt(b, a), true
	case "ugt":
		return s.ULt(b, a), true
	case "sgte":
		return s.SLe(b, a), true
	case "ugte":
		return s.ULe(b, a), true
	case "slt":
		return s.SLt(a, b), true
	case "ult":
		return s.ULt(a, b), true
	case "slte":
		return s.SLe(a, b), true
	case "ulte":
		return s.ULe(a, b), true
	case "uaddo":
		return s.ULt(s.Add(a, b), a), true
	case "usubo":
		return s.ULt(a, b), true
	case "saddo":
		return r.overflows(s.Add(s.SExt(a, w+1), s.SExt(b, w+1)), w), true
	case "ssubo":
		return r.overflows(s.Sub(s.SExt(a, w+1), s.SExt(b, w+1)), w), true
	case "smulo":
		return r.overflows(s.Mul(s.SExt(a, 2*w), s.SExt(b, 2*w)), w), true
	case "umulo":
		p := s.Mul(s.ZExt(a, 2*w), s.ZExt(b, 2*w))
		return s.Not(s.Eq(s.Extract(p, 2*w-1, w), s.ConstU(w, 0))), true
	case "udivo":
		return s.False(), true
	case "sdivo":
		least := s.Shl(s.ConstU(w, 1), s.ConstU(w, uint64(w-1)))
		if w == 1 {
			least = s.ConstU(1, 1)
		}
		return s.And(s.Eq(a, least), s.Eq(b, s.BVNot(s.ConstU(w, 0)))), true
	}
	return 0, false
}

// binary is an operation on two bit-vectors of one width that gives another one.
func (r *reader) binary(op string, a, b term.ID) term.ID {
	s, w := r.store, r.store.Width(a)
	switch op {
	case "and":
		return s.BVAnd(a, b)
	case "nand":
		return s.BVNot(s.BVAnd(a, b))
	case "nor":
		return s.BVNot(s.BVOr(a, b))
	case "or":
		return s.BVOr(a, b)
	case "xnor":
		return s.BVNot(s.BVXor(a, b))
	case "xor":
		return s.BVXor(a, b)
	case "rol", "ror":
		return r.rotate(a, b, w, op == "rol")
	case "sll":
		return s.Shl(a, b)
	case "sra":
		return s.AShr(a, b)
	case "srl":
		return s.LShr(a, b)
	case "add":
		return s.Add(a, b)
	case "mul":
		return s.Mul(a, b)
	case "udiv":
		return s.UDiv(a, b)
	case "sdiv":
		return s.SDiv(a, b)
	case "urem":
		return s.URem(a, b)
	case "srem":
		return s.SRem(a, b)
	case "smod":
		// The remainder with the sign of b.
		m := s.SRem(a, b)
		zero := s.ConstU(w, 0)
		differ := s.Xor(s.SLt(m, zero), s.SLt(b, zero))
		return s.Ite(s.And(differ, s.Not(s.Eq(m, zero))), s.Add(m, b), m)
	case "sub":
		return s.Sub(a, b)
	}
	panic(fmt.Sprintf("btor2: no meaning for %s", op))
}

// overflows says that the signed t, which is wider, does not fit in w bits.
func (r *reader) overflows(t term.ID, w uint32) term.ID {
	s := r.store
	return s.Not(s.Eq(t, s.SExt(s.Extract(t, w-1, 0), s.Width(t))))
}

// rotate turns a by b modulo its width.
func (r *reader) rotate(a, b term.ID, w uint32, left bool) term.ID {
	s := r.store
	if w == 1 {
		return a
	}
	// One bit more holds the width itself; the amount is below it.
	amount := s.ZExt(b, w+1)
	if w < 63 && uint64(w) < 1<<w || w >= 63 {
		amount = s.URem(amount, s.ConstU(w+1, uint64(w)))
	}
	rest := s.Sub(s.ConstU(w+1, uint64(w)), amount)
	x := s.ZExt(a, w+1)
	up, down := amount, rest
	if !left {
		up, down = rest, amount
	}
	return s.Extract(s.BVOr(s.Shl(x, up), s.LShr(x, down)), w-1, 0)
}

func (r *reader) wantArray(v value) {
	if !v.sort.isArray {
		r.fail("sort error: %v where an array is needed", v.sort)
	}
}

// read is the element of an array: a tree of conditionals over the bits of the index.
func (r *reader) read(a, i value) value {
	r.wantArray(a)
	r.same(i.sort, sort{width: a.sort.index})
	s := r.store
	level := a.terms
	for b := uint32(0); b < a.sort.index; b++ {
		c := s.BVToBool(s.Extract(i.terms[0], b, b))
		half := make([]term.ID, len(level)/2)
		for k := range half {
			half[k] = s.Ite(c, level[2*k+1], level[2*k])
		}
		level = half
	}
	return value{sort: sort{width: a.sort.width}, terms: level}
}

// write is the array with one element changed.
func (r *reader) write(a, i, e value) value {
	r.wantArray(a)
	r.same(i.sort, sort{width: a.sort.index})
	r.same(e.sort, sort{width: a.sort.width})
	s := r.store
	v := value{sort: a.sort, terms: make([]term.ID, len(a.terms))}
	for k, old := range a.terms {
		v.terms[k] = s.Ite(s.Eq(i.terms[0], s.ConstU(a.sort.index, uint64(k))), e.terms[0], old)
	}
	return v
}
