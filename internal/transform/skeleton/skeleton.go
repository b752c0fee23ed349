// Package skeleton takes the memory out of a program, such that the program ends
// if its skeleton does, and violates a check of numbers only if the skeleton does.
//
// # The skeleton
//
// Pointers are gone: what is one becomes the number 0 of 8 bits, parameters and results
// of functions included. What is read through a pointer, what is asked of one, and
// comparisons of pointers yield an arbitrary value each time. Writes, allocations and
// the like are left out. The one memory that stays is that of kept globals: those whose
// address is used for nothing but accesses, at constant offsets, to anything but
// pointers.
//
// # Why this is sound
//
// Take a run of the program. The skeleton has a run through the same blocks with the
// same integers and floats in all registers, and the same content of kept globals:
//
//   - An arbitrary value may be what the program computed at this place.
//   - What is left out changes no register and no kept global. An invalid write has no
//     effect, a valid one through a pointer with a provenance only in the object that it
//     was made for, and a kept global's address goes nowhere. A bare address may hit any
//     object, though: one made from an integer, read from bytes that are no
//     pointer, or never written. So if the abstract interpreter cannot tell that what
//     is written through points into objects that it knows, none is kept.
//   - Checks, assumptions and branches stay, on the same values.
//
// So if the program has an infinite run the skeleton has one, too, and if a run of the program
// violates a check, other than those of memory, one of the skeleton does. The opposite is
// false: a skeleton refutes nothing.
//
// Loops and recursions that count on numbers, whatever they do to memory, keep their
// argument, and what is checked of such numbers its proof; and skeletons of recursive functions can be made into loops (package
// recursion) even if these take pointers, write through them or make objects.
package skeleton

import (
	"context"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/run/memo"
	"assay/internal/transform"
)

// Of is the skeleton of a program; nil if functions are called through pointers, if there is
// nothing to leave out, or if the context ends. Whether the accesses to memory that are not in
// it are valid is lost. Calls with the same module in one run of the engines share the program.
func Of(ctx context.Context, m *ir.Module) *transform.Program {
	type question struct{ m *ir.Module }
	out, err := memo.Of(ctx, question{m}, func() (*transform.Program, error) { return of(ctx, m) })
	if err != nil {
		return nil
	}
	return out
}

// of is Of; the error is that of the context's end.
func of(ctx context.Context, m *ir.Module) (*transform.Program, error) {
	for _, f := range m.Funcs {
		for v := range f.Values {
			if d := &f.Values[v]; d.Op == ir.Call && d.Sym == "" {
				return nil, nil
			}
		}
	}
	s := &skeleton{kept: keptGlobals(m)}
	if len(s.kept) > 0 {
		facts, err := absint.Analyze(ctx, m, absint.Options{})
		if err != nil {
			return nil, err
		}
		if writesAnywhere(m, facts) {
			s.kept = nil
		}
	}
	out := m.Clone()
	for _, f := range out.Funcs {
		s.function(f)
	}
	if !s.changed {
		return nil, nil
	}
	if err := ir.Verify(out); err != nil {
		panic("skeleton: the program without memory is malformed: " + err.Error())
	}
	return &transform.Program{From: m, Module: out, Runs: transform.More, Blind: ofMemory, Lost: s.lost, About: "the program in which memory may hold anything"}, nil
}

// ofMemory are kinds of events that skeletons do not have, or of which they have too few.
var ofMemory = []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree, ir.MemTrack, ir.MemCleanup, ir.Incompatible, ir.Uninitialised}

// keptGlobals are the names of globals whose content the skeleton has.
func keptGlobals(m *ir.Module) map[string]bool {
	kept := map[string]bool{}
	for _, g := range m.Globals {
		kept[g.Name] = true
	}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			delete(kept, r.Target)
		}
	}
	for _, f := range m.Funcs {
		root := make([]string, len(f.Values))
		for v := range f.Values {
			root[v] = rootOf(f, ir.Value(v))
		}
		for v := range f.Values {
			d := &f.Values[v]
			for i, a := range d.Args {
				name := root[a]
				switch {
				case name == "", d.Op == ir.Load && d.Type.Kind != ir.Ptr, d.Op == ir.Dbg,
					d.Op == ir.Store && i == 1 && f.Type(d.Args[0]).Kind != ir.Ptr,
					d.Op == ir.PtrAdd && i == 0 && root[v] == name:
				default:
					delete(kept, name)
				}
			}
		}
	}
	return kept
}

// writesAnywhere says whether a write may go through a bare address.
func writesAnywhere(m *ir.Module, facts *absint.Facts) bool {
	for i, f := range m.Funcs {
		for v := range f.Values {
			d := &f.Values[v]
			var to ir.Value
			switch d.Op {
			case ir.Store:
				to = d.Args[1]
			case ir.MemCpy, ir.MemSet, ir.Havoc, ir.VaStart:
				to = d.Args[0]
			default:
				continue
			}
			targets, known := facts.Value(i, to).Targets()
			if !known || slices.ContainsFunc(targets, func(o absint.Object) bool { return o.Bare }) {
				return true
			}
		}
	}
	return false
}

// rootOf is the global that a value points into, at a constant offset; "" if there is
// none.
func rootOf(f *ir.Func, v ir.Value) string {
	for v != 0 {
		switch d := f.Def(v); d.Op {
		case ir.GlobalAddr:
			return d.Sym
		case ir.PtrAdd:
			if f.Def(d.Args[1]).Op != ir.Const {
				return ""
			}
			v = d.Args[0]
		default:
			return ""
		}
	}
	return ""
}

type skeleton struct {
	kept    map[string]bool
	changed bool
	lost    []verdict.Guard
}

// nothing is what a pointer becomes.
var nothing = ir.IntType(8)

func isPtr(t ir.Type) bool { return t.Kind == ir.Ptr }

// function takes the memory out of a copy of a function.
func (s *skeleton) function(f *ir.Func) {
	kept := make([]bool, len(f.Values)) // addresses in kept globals
	pointer := make([]bool, len(f.Values))
	for v := range f.Values {
		kept[v] = s.kept[rootOf(f, ir.Value(v))]
		pointer[v] = isPtr(f.Values[v].Type)
	}
	for i, t := range f.Results {
		if isPtr(t) {
			f.Results[i] = nothing
		}
	}
	for v := ir.Value(1); int(v) < len(f.Values); v++ {
		if d := f.Def(v); d.Block == 0 && pointer[v] && !kept[v] {
			if d.Op == ir.Param {
				d.Type = nothing
			} else {
				*d = zero()
			}
			s.changed = true
		}
	}
	for b := range f.Blocks {
		var instrs []ir.Value
		for _, v := range f.Blocks[b].Instrs {
			if s.instruction(f, v, kept, pointer) {
				instrs = append(instrs, v)
			} else {
				*f.Def(v) = zero()
				s.changed = true
			}
		}
		f.Blocks[b].Instrs = instrs
	}
}

func zero() ir.Def {
	return ir.Def{Op: ir.Const, Type: nothing, Const: bv.New(nothing.Bits, 0)}
}

// instruction changes an instruction; false if it is left out.
func (s *skeleton) instruction(f *ir.Func, v ir.Value, kept, pointer []bool) bool {
	d := f.Def(v)
	address := func(i int) bool { return kept[d.Args[i]] }
	arbitrary := func() bool {
		*d = ir.Def{Op: ir.Nondet, Type: d.Type, Aux: int64(ir.NondetInput), Sym: "memory", Block: d.Block, Pos: d.Pos}
		s.changed = true
		return true
	}
	access := func() {
		g := verdict.Guard{Kind: ir.InvalidDeref, Func: f.Name, Pos: d.Pos}
		if d.Op == ir.Free {
			g.Kind = ir.InvalidFree
		}
		if !slices.Contains(s.lost, g) {
			s.lost = append(s.lost, g)
		}
	}
	switch d.Op {
	case ir.Load:
		if address(0) {
			return true
		}
		access()
		return !isPtr(d.Type) && arbitrary()
	case ir.Store:
		if address(1) {
			return true
		}
		access()
		return false
	case ir.MemCpy, ir.MemSet, ir.Free:
		access()
		return false
	case ir.Havoc, ir.LifetimeStart, ir.LifetimeEnd, ir.StackRestore, ir.VaStart:
		return false
	case ir.Dbg:
		return len(d.Args) == 0 || !pointer[d.Args[0]]
	case ir.PtrAdd:
		return kept[v]
	case ir.Call, ir.Extract:
		if isPtr(d.Type) {
			d.Type = nothing
			s.changed = true
		}
		return true
	case ir.Phi, ir.Select, ir.Freeze, ir.Nondet, ir.Alloca, ir.Malloc, ir.StackSave, ir.IntToPtr:
		return !isPtr(d.Type)
	case ir.PtrToInt, ir.PtrDiff, ir.ObjectSize, ir.ObjectOffset, ir.ValidRange, ir.IsHeapStart, ir.SameObject:
		return arbitrary()
	case ir.Eq, ir.Ne, ir.ULt, ir.ULe, ir.SLt, ir.SLe:
		if pointer[d.Args[0]] {
			return arbitrary()
		}
	}
	return true
}
