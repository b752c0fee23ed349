package ssa

import (
	"fmt"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/encode"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// step is the state while the instructions of one instance are encoded.
type step struct {
	u   *Unwinder
	fr  *frame
	g   *guard
	mem *memory.State
}

func (s *step) excludes(cond term.ID) bool { return s.g.excludes(s.u.st, cond) }

// arg is an operand. A pointer is simplified under the guard of the instance; a number is not: what is computed at two
// places from the same numbers stays one term, which often decides an assertion.
func (s *step) arg(d *ir.Def, i int) memory.Value {
	x, st := s.u.operand(s.fr, d.Args[i]), s.u.st
	if x.IsPointer() {
		return memory.Value{Object: st.Under(s.g.all, x.Object), Offset: st.Under(s.g.all, x.Offset)}
	}
	return x
}

func (s *step) bits(d *ir.Def, i int) term.ID {
	v := s.arg(d, i)
	if v.IsPointer() {
		return s.u.sp.PtrToInt(v)
	}
	return v.Bits
}

func (s *step) bool(d *ir.Def, i int) term.ID { return s.u.st.BVToBool(s.bits(d, i)) }

// word is an integer operand as wide as a pointer.
func (s *step) word(d *ir.Def, i int) term.ID {
	return s.u.st.ZExtOrTrunc(s.bits(d, i), s.u.m.PointerBits)
}

func (s *step) event(cond term.ID, kind ir.CheckKind, text string, v ir.Value) {
	s.g = s.u.event(s.fr, s.g, cond, kind, text, v)
}

// access is event for an access through p.
func (s *step) access(p memory.Value, cond term.ID, kind ir.CheckKind, text string, v ir.Value) {
	n := len(s.u.out.Violations)
	s.event(cond, kind, text, v)
	if len(s.u.out.Violations) > n {
		s.u.out.Violations[n].Pointer = p
	}
}

// freeVariable is the variable for a choice of the current instance.
func (s *step) freeVariable(v ir.Value, sub int32, width uint32) term.ID {
	key := s.u.key(s.fr, v)
	key.Sub = sub<<16 | int32(width)
	t, ok := s.u.free[key]
	if !ok {
		t = s.u.st.Fresh("choice", term.BitVec(width))
		s.u.free[key] = t
	}
	return t
}

// choose records a choice under g ∧ cond and returns the chosen value.
func (s *step) choose(v ir.Value, sub int32, t ir.Type, cond term.ID) memory.Value {
	x := s.freeVariable(v, sub, t.Bits)
	d := s.fr.fn.f.Def(v)
	s.u.out.Choices = append(s.u.out.Choices, Choice{
		Guard: s.u.st.And(s.g.all, cond), Func: s.fr.fn.f.Name, Value: v, Bits: x,
		Undefined: sub > 0, Approximate: d.Approximate(),
	})
	if t.Kind == ir.Ptr {
		return s.u.sp.IntToPtr(x)
	}
	return memory.Value{Bits: x}
}

// content records the choice of a content.
func (s *step) content(v ir.Value, sub int32, size term.ID, o memory.ObjectID, cond term.ID) memory.Generation {
	key := s.u.key(s.fr, v)
	key.Sub = sub
	n, _ := s.u.st.ConstUint64(size)
	gen := s.u.sp.Generation(key, n)
	s.u.out.Choices = append(s.u.out.Choices, Choice{Guard: s.u.st.And(s.g.all, cond), Func: s.fr.fn.f.Name, Value: v, Content: gen, Object: o, Approximate: s.fr.fn.f.Def(v).Approximate()})
	return gen
}

// gaveUp turns what package memory could not encode into obstacles.
func (s *step) gaveUp(v ir.Value) {
	for _, g := range s.u.sp.TakeGaveUp() {
		s.u.obstacle(s.fr, s.g, g.Cond, false, verdict.CauseInexact, v, "%s", g.Why)
	}
}

// instr encodes one instruction; false if the run does not go on in this block.
func (s *step) instr(v ir.Value) bool {
	u, fr := s.u, s.fr
	d := &fr.fn.f.Values[v]
	if u.probe = 0; fr.fn.probes != nil {
		s.record(v)
	}
	switch d.Op {
	case ir.Br:
		u.push(fr, s.g, s.mem, d.Succs[0], 0)
		return false
	case ir.CondBr, ir.Switch:
		s.branch(d)
		return false
	case ir.Ret:
		e := edge{g: s.g, mem: s.mem, values: make([]memory.Value, len(d.Args))}
		for i := range d.Args {
			e.values[i] = u.operand(fr, d.Args[i])
		}
		fr.returns = append(fr.returns, e)
		return false
	case ir.Halt:
		s.halt(d, v)
		return false
	case ir.Unreachable:
		s.event(u.st.True(), ir.ReachedUnreachable, "the end of a function whose value is used, or a place marked unreachable", v)
		return false
	case ir.Unsupported:
		u.obstacle(fr, s.g, u.st.True(), false, verdict.CauseUnsupported, v, "%s", d.Sym)
		return false
	case ir.Call:
		return s.call(d, v)
	case ir.Check:
		s.event(u.st.Not(s.bool(d, 0)), ir.CheckKind(d.Aux), d.Sym, v)
	case ir.Assume:
		s.g = s.g.and(u.st, s.bool(d, 0))
	case ir.Label:
		if u.opts.Observe != nil && fr.caller == nil {
			u.opts.Observe(d.Sym, s.g.all, s.mem.Fork(), len(u.out.Choices))
		}
		if d.Sym == u.opts.Label {
			s.event(u.st.True(), ir.ErrorLabel, "label "+d.Sym, v)
		}
	case ir.Dbg, ir.Accept:
	case ir.Nondet:
		fr.env[v] = s.choose(v, 0, d.Type, u.st.True())
	case ir.Extract:
		fr.env[v] = fr.extracts[extractKey{d.Args[0], d.Aux}]
	case ir.PtrToInt:
		fr.env[v] = memory.Value{Bits: u.st.ZExtOrTrunc(s.bits(d, 0), d.Type.Bits)}
	case ir.IntToPtr:
		fr.env[v] = u.sp.IntToPtr(s.word(d, 0))
	case ir.PtrAdd:
		fr.env[v] = u.sp.Add(s.arg(d, 0), s.word(d, 1))
	case ir.Select:
		fr.env[v] = u.sp.Ite(s.bool(d, 0), s.arg(d, 1), s.arg(d, 2))
	case ir.Freeze:
		if d.Aux == ir.Cede {
			s.mem.Excludes = s.excludes
			fr.env[v] = s.mem.Cede(s.arg(d, 0), s.g.all)
		} else {
			fr.env[v] = s.arg(d, 0)
		}
	default:
		s.mem.Excludes = s.excludes
		if !s.pointerCompare(d, v) && !s.memory(d, v) {
			s.scalar(d, v)
		}
	}
	return !u.st.IsFalse(s.g.all)
}

// record takes down the values that are asked for at an instruction.
func (s *step) record(v ir.Value) {
	want, ok := s.fr.fn.probes[v]
	if !ok {
		return
	}
	p := Probe{Func: s.fr.fn.f.Name, Value: v, Guard: s.g.all, Values: make([]memory.Value, len(want))}
	for i, x := range want {
		p.Values[i] = s.u.operand(s.fr, x)
	}
	if s.u.opts.Memory[p.Func][v] {
		p.Mem = s.mem.Fork()
	}
	s.u.out.Probes = append(s.u.out.Probes, p)
	s.u.probe = len(s.u.out.Probes)
}

// scalar encodes an operation on scalars.
func (s *step) scalar(d *ir.Def, v ir.Value) {
	args := make([]term.ID, len(d.Args))
	for i := range d.Args {
		args[i] = s.bits(d, i)
		// The sign that copysign takes and the bits of a cast can be seen.
		if t := s.fr.fn.f.Values[d.Args[i]].Type; t.Kind == ir.Float && (d.Op == ir.BitCast || d.Op == ir.FCopySign && i == 1) {
			args[i] = s.visible(args[i], d.Args[i], v)
		}
	}
	sub := int32(0)
	t := encode.Scalar(s.u.st, d, args, func(kind ir.CheckKind, cond term.ID, text string) term.ID {
		sub++
		s.event(cond, kind, text, v)
		return s.choose(v, sub, d.Type, cond).Bits
	})
	if t == 0 {
		panic(fmt.Sprintf("ssa: no encoding for operation %v", d.Op))
	}
	s.fr.env[v] = memory.Value{Bits: t}
}

// pointerCompare encodes comparisons of pointers.
func (s *step) pointerCompare(d *ir.Def, v ir.Value) bool {
	if len(d.Args) != 2 {
		return false
	}
	a, b := s.arg(d, 0), s.arg(d, 1)
	if !a.IsPointer() || !b.IsPointer() {
		return false
	}
	st := s.u.st
	var r term.ID
	switch d.Op {
	case ir.Eq:
		r = s.mem.Equal(a, b, s.g.all)
	case ir.Ne:
		r = st.Not(s.mem.Equal(a, b, s.g.all))
	case ir.ULt:
		r = s.mem.Less(a, b, false, s.g.all)
	case ir.ULe:
		r = s.mem.Less(a, b, true, s.g.all)
	default:
		return false
	}
	s.gaveUp(v)
	s.fr.env[v] = memory.Value{Bits: st.BoolToBV(r)}
	return true
}

// branch pushes the successors of a conditional branch or switch.
func (s *step) branch(d *ir.Def) {
	u, fr, st := s.u, s.fr, s.u.st
	conds := make([]term.ID, len(d.Succs))
	if d.Op == ir.CondBr {
		conds[0] = s.bool(d, 0)
		conds[1] = st.Not(conds[0])
	} else {
		x := s.bits(d, 0)
		any := st.False()
		for i, c := range d.Cases {
			conds[i+1] = st.Eq(x, st.Const(c))
			any = st.Or(any, conds[i+1])
		}
		conds[0] = st.Not(any)
	}
	s.exits(d, conds)
	// Cases with the same successor and values are one way.
	ways := 0
	for i, to := range d.Succs {
		for j := 0; j < i; j++ {
			if d.Succs[j] == to && fr.fn.sameEdge(fr.current.block, to, i, j) {
				conds[j] = st.Or(conds[j], conds[i])
				conds[i] = st.False()
				break
			}
		}
	}
	for i := range conds {
		if !st.IsFalse(conds[i]) && !st.IsFalse(st.And(s.g.all, conds[i])) {
			ways++
		}
	}
	for i, to := range d.Succs {
		g := s.g.and(st, conds[i])
		if st.IsFalse(g.all) {
			continue
		}
		mem := s.mem
		if ways > 1 {
			mem = s.mem.Fork()
		}
		ways--
		u.push(fr, g, mem, to, i)
	}
}

// exits notes for the loops around whether a branch that can leave them was
// decided by a constant.
func (s *step) exits(d *ir.Def, conds []term.ID) {
	fr, st := s.fr, s.u.st
	open := false
	for _, c := range conds {
		if !st.IsTrue(c) && !st.IsFalse(c) {
			open = true
		}
	}
	for i := range fr.levels {
		for _, to := range d.Succs {
			nest := fr.fn.nest[to]
			if (len(nest) <= i || nest[i] != fr.levels[i].head) && fr.fn.returns[to] {
				if open {
					fr.levels[i].openExit = true
				} else {
					fr.levels[i].constExit = true
				}
				break
			}
		}
	}
}

// halt ends the program: by exit or return what is still allocated counts.
func (s *step) halt(d *ir.Def, v ir.Value) {
	u := s.u
	if ir.HaltKind(d.Aux) != ir.HaltExit || !u.target[ir.MemCleanup] && !u.target[ir.MemTrack] {
		return
	}
	leak := u.st.False()
	s.mem.Each(func(o memory.ObjectID) {
		if u.sp.Object(o).Kind == memory.HeapObject {
			leak = u.st.Or(leak, s.mem.Alive(o))
		}
	})
	s.event(leak, ir.MemCleanup, "memory is still allocated at the end of the program", v)
	if u.target[ir.MemTrack] && !u.st.IsFalse(leak) {
		var registers []memory.Value
		for fr := s.fr; fr != nil; fr = fr.caller {
			for _, x := range fr.env {
				if x != (memory.Value{}) && x.IsPointer() {
					registers = append(registers, x)
				}
			}
		}
		lost, vague := s.mem.Lost(registers)
		u.obstacle(s.fr, s.g, vague, false, verdict.CauseInexact, v, "memory is still allocated at the end of the program, and it is not clear whether a pointer to it is left")
		s.event(lost, ir.MemTrack, "memory that no pointer reaches is still allocated at the end of the program", v)
	}
}

type extractKey struct {
	call  ir.Value
	index int64
}

// call encodes a call, direct or through a pointer.
func (s *step) call(d *ir.Def, v ir.Value) bool {
	u, fr := s.u, s.fr
	args := d.Args
	fr.callPos = d.Pos
	if d.Sym != "" {
		f := u.byName[d.Sym]
		return s.enter(d, v, f, args, 0)
	}
	// Through a pointer: a case split over the functions it may point to.
	target := s.arg(d, 0)
	args = args[1:]
	type way struct {
		f    *ir.Func
		cond term.ID
	}
	var ways []way
	st := u.st
	none, other := st.False(), st.False() // it points to no function, or to one of another type
	s.mem.Excludes = s.excludes
	s.mem.TargetsWithFunctions(target, s.g.all, func(o memory.ObjectID, cond, offset term.ID) {
		ob := u.sp.Object(o)
		ok := st.False()
		if o != 0 && ob.Kind == memory.FunctionObject {
			ok = st.And(cond, st.Eq(offset, st.ConstU(u.m.PointerBits, 0)))
		}
		none = st.Or(none, st.And(cond, st.Not(ok)))
		switch {
		case st.IsFalse(ok):
		case u.compatible(fr.fn.f, d, args, ob.Func):
			ways = append(ways, way{ob.Func, ok})
		default:
			other = st.Or(other, ok)
		}
	})
	s.gaveUp(v)
	bad := st.Or(none, other)
	s.event(none, ir.InvalidDeref, "call through a pointer that points to no function", v)
	s.event(other, ir.Incompatible, ir.MistypedCall, v)
	if !s.ends(ir.Incompatible) {
		u.obstacle(s.fr, s.g, other, false, verdict.CauseInexact, v, "a "+ir.MistypedCall)
	}
	var outs []edge
	g, mem := s.g, s.mem
	results := u.resultTypes(fr.fn.f, d, v)
	for i, w := range ways {
		s.g, s.mem = g.and(st, w.cond), mem.Fork()
		if st.IsFalse(s.g.all) {
			continue
		}
		if s.enter(d, v, w.f, args, int32(i+1)) {
			e := edge{g: s.g, mem: s.mem}
			for j := range results {
				e.values = append(e.values, s.result(v, j))
			}
			outs = append(outs, e)
		}
	}
	s.g, s.mem = g.and(st, bad), mem
	if !st.IsFalse(s.g.all) {
		e := edge{g: s.g, mem: mem}
		for j, t := range results {
			e.values = append(e.values, s.choose(v, int32(100+j), t, st.True()))
		}
		outs = append(outs, e)
	}
	if len(outs) == 0 {
		return false
	}
	out := u.join(outs)
	s.g, s.mem = out.g, out.mem
	s.setResults(v, out.values)
	return true
}

func (s *step) result(v ir.Value, j int) memory.Value {
	if j == 0 {
		return s.fr.env[v]
	}
	return s.fr.extracts[extractKey{v, int64(j)}]
}

func (s *step) setResults(v ir.Value, values []memory.Value) {
	for j, x := range values {
		if j == 0 {
			s.fr.env[v] = x
			continue
		}
		if s.fr.extracts == nil {
			s.fr.extracts = map[extractKey]memory.Value{}
		}
		s.fr.extracts[extractKey{v, int64(j)}] = x
	}
}

// resultTypes are the types that a call is expected to return.
func (u *Unwinder) resultTypes(f *ir.Func, d *ir.Def, v ir.Value) []ir.Type {
	if d.Type.Kind == ir.Void {
		return nil
	}
	types := []ir.Type{d.Type}
	for w := range f.Values {
		if e := &f.Values[w]; e.Op == ir.Extract && e.Args[0] == v {
			for int64(len(types)) <= e.Aux {
				types = append(types, ir.Type{})
			}
			types[e.Aux] = e.Type
		}
	}
	return types
}

// compatible says whether a call through a pointer fits a function.
func (u *Unwinder) compatible(caller *ir.Func, d *ir.Def, args []ir.Value, f *ir.Func) bool {
	if len(args) < len(f.Params) || len(args) > len(f.Params) && !f.Variadic {
		return false
	}
	for i, p := range f.Params {
		if f.Values[p].Type != caller.Values[args[i]].Type {
			return false
		}
	}
	return d.Type.Kind == ir.Void || len(f.Results) > 0 && f.Results[0] == d.Type
}

// enter encodes a call of f and sets the results; false if it never returns.
func (s *step) enter(d *ir.Def, v ir.Value, f *ir.Func, args []ir.Value, sub int32) bool {
	u, fr := s.u, s.fr
	if f == nil || len(f.Blocks) == 0 {
		name := d.Sym
		if f != nil {
			name = f.Name
		}
		u.obstacle(fr, s.g, u.st.True(), false, verdict.CauseMissingBody, v, "call of %s, which has no body", name)
		return false
	}
	values := make([]memory.Value, len(args))
	types := make([]ir.Type, len(args))
	for i, a := range args {
		values[i] = u.operand(fr, a)
		types[i] = fr.fn.f.Values[a].Type
	}
	if len(args) < len(f.Params) {
		u.obstacle(fr, s.g, u.st.True(), false, verdict.CauseUnsupported, v, "call of %s with too few arguments", f.Name)
		return false
	}
	callee := &frame{fn: u.function(f), caller: fr, at: v, way: sub}
	out, ok := u.call(callee, edge{g: s.g, mem: s.mem}, values, types)
	if !ok {
		return false
	}
	s.g, s.mem = out.g, out.mem
	s.setResults(v, out.values)
	return true
}
