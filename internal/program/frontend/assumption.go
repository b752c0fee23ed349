package frontend

import (
	"fmt"
	"slices"

	"assay/internal/program/ir"
)

// This file puts what is assumed of the first state (Options.Assumed) into the function where runs start: behind
// its arguments. The condition is compiled as atoms are, and may name locals of the function.
//
// In the first state these have arbitrary content. They keep it until the program gives them a value:
// the places where clang lets them come to life, or says that their content is indeterminate, go. That would be
// wrong in a cycle, where the content is arbitrary again in each round.

// AssumedLabel is the label behind what is assumed.
const AssumedLabel = "assay.assumed"

// assume adds the assumption, which is the last atom. The error is an *AtomError.
func (im *importer) assume() error {
	o := im.opts
	atom := len(o.Atoms) - 1
	no := func(format string, args ...any) error {
		return &AtomError{Atom: atom, Message: fmt.Sprintf(format, args...)}
	}
	f := im.m.Func(o.entry())
	if f == nil || f.IsDecl() {
		return no("the program does not define %s", o.entry())
	}
	for _, g := range im.m.Funcs {
		again := func(d ir.Def) bool {
			return d.Op == ir.Call && d.Sym == f.Name && g.Name != im.m.Entry || d.Op == ir.FuncAddr && d.Sym == f.Name
		}
		if slices.ContainsFunc(g.Values, again) {
			return no("%s is also called by the program: what is assumed would be assumed each time", f.Name)
		}
	}
	nest := ir.NewWTO(f).Heads
	var args []ir.Value
	for _, l := range LocalsOf(o.Atoms[atom]) {
		object := slices.IndexFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Alloca && d.Sym == l.Name })
		if l.Func != f.Name || object < 0 {
			return no("%s does not live in the first state of %s", l, f.Name)
		}
		for b := range f.Blocks {
			old := len(f.Blocks[b].Instrs)
			f.Blocks[b].Instrs = slices.DeleteFunc(f.Blocks[b].Instrs, func(v ir.Value) bool { return comesToLife(f, v, ir.Value(object)) })
			if len(f.Blocks[b].Instrs) < old && len(nest[b]) > 0 {
				return no("%s is declared in a loop: it does not live in the first state of %s", l, f.Name)
			}
		}
		args = append(args, ir.Value(object))
	}
	at := slices.IndexFunc(f.Blocks[1].Instrs, func(v ir.Value) bool {
		switch d := f.Def(v); d.Op {
		case ir.Alloca, ir.Dbg, ir.LifetimeStart, ir.LifetimeEnd, ir.PtrAdd:
			return false
		case ir.Store:
			return !slices.Contains(f.Params, d.Args[0])
		case ir.MemCpy:
			return !slices.Contains(f.Params, d.Args[1])
		}
		return true
	})
	e := &ir.Editor{Module: im.m, Func: f}
	e.Before(f.Blocks[1].Instrs[at], func() {
		holds := e.Emit(ir.Def{Op: ir.Call, Type: ir.IntType(32), Sym: ObserverName(atom), Args: args})
		e.Emit(ir.Def{Op: ir.Assume, Args: []ir.Value{e.Op(ir.Ne, ir.BoolType, holds, e.Number(32, 0))}})
		e.Emit(ir.Def{Op: ir.Label, Sym: AssumedLabel})
	})
	prune(f) // what is gone
	return nil
}

// comesToLife says that an instruction only lets an object live, or gives it indeterminate content.
func comesToLife(f *ir.Func, v, object ir.Value) bool {
	d := f.Def(v)
	switch d.Op {
	case ir.LifetimeStart, ir.Havoc:
		return d.Args[0] == object
	case ir.Store:
		n := f.Def(d.Args[0])
		return d.Args[1] == object && n.Op == ir.Nondet && ir.NondetKind(n.Aux) == ir.NondetUninit
	}
	return false
}
