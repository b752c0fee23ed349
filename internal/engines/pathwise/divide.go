package pathwise

import (
	"time"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
)

// This file divides paths by the values of operands: objects of pointers, sizes of allocations,
// lengths of copies, and offsets at which something is written, if there are few.

// Limits of the numbers of values.
const (
	maxObjects = 32
	maxSizes   = 16
	maxOffsets = 16
)

// pointers are the operands of an operation that it looks behind, and numbers are sizes.
func operands(d *ir.Def) (pointers, numbers []int) {
	switch d.Op {
	case ir.Alloca, ir.Malloc:
		return nil, []int{0}
	case ir.Load, ir.Free, ir.ObjectSize, ir.ObjectOffset, ir.IsHeapStart:
		return []int{0}, nil
	case ir.Store:
		return []int{1}, nil
	case ir.MemCpy:
		return []int{0, 1}, []int{2}
	case ir.MemSet:
		return []int{0}, []int{2}
	case ir.Havoc, ir.ValidRange:
		return []int{0}, []int{1}
	case ir.Call:
		if d.Sym == "" {
			return []int{0}, nil
		}
	}
	return nil, nil
}

// writes says that an operation writes where its operand i points to.
func writes(op ir.Op, i int) bool {
	return op == ir.Store || (op == ir.MemCpy || op == ir.MemSet || op == ir.Havoc) && i == 0
}

// divides says whether the path must perhaps be divided before an instruction.
func (e *explorer) divides(s *state, d *ir.Def) bool {
	if s.looked == s.p.Steps {
		return false
	}
	pointers, numbers := operands(d)
	f := s.p.Func()
	for _, i := range pointers {
		if ir.IsConst(f.Values[d.Args[i]].Op) {
			continue
		}
		x := s.p.Value(d.Args[i])
		if x.IsPointer() && (!e.st.IsConst(x.Object) || writes(d.Op, i) && !e.st.IsConst(x.Offset)) {
			return true
		}
	}
	for _, i := range numbers {
		if ir.IsConst(f.Values[d.Args[i]].Op) {
			continue
		}
		if x := s.p.Value(d.Args[i]); !x.IsPointer() && !e.st.IsConst(x.Bits) {
			return true
		}
	}
	return false
}

// divide divides the path by the values of an operand of the next instruction, if there are few. It
// says whether it has.
func (e *explorer) divide(s *state) bool {
	p := s.p
	v := p.Instruction()
	d := p.Func().Def(v)
	at := e.c.at(e.ctx, p.Guard())
	if !at.feasible {
		s.looked = p.Steps
		return false
	}
	pointers, numbers := operands(d)
	for _, i := range pointers {
		x := p.Value(d.Args[i])
		if ir.IsConst(p.Func().Values[d.Args[i]].Op) || !x.IsPointer() {
			continue
		}
		if !e.st.IsConst(x.Object) {
			if cases, ok := e.objects(s, at, x); ok && e.byCases(s, d.Args[i], i, cases) {
				return true
			}
		}
		x = p.Value(d.Args[i])
		if e.st.IsConst(x.Object) && writes(d.Op, i) && !e.st.IsConst(x.Offset) {
			if cases, ok := e.offsets(s, at, x); ok && e.byCases(s, d.Args[i], i, cases) {
				return true
			}
		}
	}
	for _, i := range numbers {
		x := p.Value(d.Args[i])
		if x.IsPointer() || e.st.IsConst(x.Bits) || ir.IsConst(p.Func().Values[d.Args[i]].Op) {
			continue
		}
		values, all := e.c.values(e.ctx, at, x.Bits, maxSizes)
		if !all {
			if !e.unbounded && (d.Op == ir.Malloc || d.Op == ir.Alloca) {
				e.unbounded, e.since = true, time.Now()
			}
			continue
		}
		var cases []division
		for _, n := range values {
			t := e.st.Const(n)
			cases = append(cases, division{cond: e.st.Eq(x.Bits, t), as: memory.Value{Bits: t}, value: verdict.PathValue{Bits: n}})
		}
		if e.byCases(s, d.Args[i], i, cases) {
			return true
		}
	}
	s.looked = p.Steps
	return false
}

// division is a part of a path: where an operand has a value.
type division struct {
	cond  term.ID
	as    memory.Value
	value verdict.PathValue
}

// objects are the cases of a pointer's object.
func (e *explorer) objects(s *state, at *condition, x memory.Value) (cases []division, ok bool) {
	values, all := e.c.values(e.ctx, at, x.Object, maxObjects)
	if !all {
		return nil, false
	}
	for _, n := range values {
		value, named := e.name(s, memory.ObjectID(n.Uint64()))
		if !named {
			return nil, false
		}
		t := e.st.Const(n)
		is := e.st.Eq(x.Object, t)
		// The offset is often a choice by the same conditions.
		off := x.Offset
		if list, all := e.c.values(e.ctx, e.c.with(e.ctx, at, is), off, 1); all && len(list) == 1 && !e.st.IsConst(off) {
			off = e.st.Const(list[0])
			is = e.st.And(is, e.st.Eq(x.Offset, off))
			value.Offset = list[0]
		}
		cases = append(cases, division{cond: is, as: memory.Value{Object: t, Offset: off}, value: value})
	}
	return cases, true
}

// offsets are the cases of the offset of a pointer to one object.
func (e *explorer) offsets(s *state, at *condition, x memory.Value) (cases []division, ok bool) {
	o, _ := e.st.ConstUint64(x.Object)
	value, named := e.name(s, memory.ObjectID(o))
	if !named || o == 0 {
		return nil, false
	}
	values, all := e.c.values(e.ctx, at, x.Offset, maxOffsets)
	if !all {
		return nil, false
	}
	for _, n := range values {
		t := e.st.Const(n)
		value.Offset = n
		cases = append(cases, division{cond: e.st.Eq(x.Offset, t), as: memory.Value{Object: x.Object, Offset: t}, value: value})
	}
	return cases, true
}

// name says which object it is on the path.
func (e *explorer) name(s *state, o memory.ObjectID) (v verdict.PathValue, ok bool) {
	if o == 0 {
		return v, true
	}
	if int(o) > e.u.Space().Objects() {
		return v, false
	}
	switch ob := e.u.Space().Object(o); ob.Kind {
	case memory.GlobalObject, memory.FunctionObject:
		v.Symbol = ob.Name
		return v, true
	}
	for i, m := range s.p.Made() {
		if m == o {
			v.Made = i + 1
			return v, true
		}
	}
	return v, false
}

// byCases divides the path; false if there is nothing to divide. A single case is no division of
// the path, but known from here on.
func (e *explorer) byCases(s *state, arg ir.Value, operand int, cases []division) bool {
	if len(cases) == 0 {
		return false
	}
	n := s.node
	n.End, n.Operand = s.p.Steps, operand
	var parts []*state
	for i := range cases {
		q := s
		if i < len(cases)-1 {
			q = &state{p: s.p.Fork(), choices: s.choices}
			q.p.Keep(func(*ssa.Way) bool { return false })
		} else {
			q = &state{p: s.p, choices: s.choices, regions: s.regions}
			q.p.Restart()
		}
		q.node, q.looked = &verdict.PathNode{Operand: -1}, -1
		c := cases[i]
		q.p.Assume(c.cond)
		q.p.Fix(arg, c.as)
		parts = append(parts, q)
	}
	// The first part of the tree is the one that keeps the ways.
	last := len(parts) - 1
	for k := range parts {
		i := (last + k) % len(parts)
		n.Parts = append(n.Parts, verdict.PathPart{Value: cases[i].value, Node: parts[i].node})
	}
	for _, q := range parts {
		e.add(q)
	}
	return true
}
