package frontend

import (
	"slices"

	"assay/internal/program/initialised"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file asks for checks of uninitialised memory (package initialised), and says in calls that vanish on import which
// values go out of the program there.

// output notes that values go out of the program.
func (f *function) output(args [][]ir.Value) {
	if !f.im.opts.requested(ir.Uninitialised) || f.b.Func.Model {
		return
	}
	if f.im.m.Func(initialised.Output) == nil {
		f.im.m.Funcs = append(f.im.m.Funcs, &ir.Func{Name: initialised.Output, Variadic: true, Values: make([]ir.Def, 1)})
	}
	var list []ir.Value
	for _, v := range slices.Concat(args...) {
		if f.b.Func.Type(v).Kind == ir.Ptr {
			v = f.b.Cmp(ir.Ne, v, f.b.Null())
		}
		list = append(list, v)
	}
	f.b.Call(ir.Type{}, initialised.Output, list...)
}

// inputObject says that what a pointer points to is an input, though it was made without content.
func (f *function) inputObject(c *externalCall) []ir.Value {
	if f.im.opts.requested(ir.Uninitialised) {
		f.havocObject(c)
	}
	return nil
}

// definedArguments are the arguments that are no parts of structures, which are passed with their padding.
func (c *externalCall) definedArguments() (list [][]ir.Value) {
	for i, a := range c.args {
		if i < len(c.defined) && c.defined[i] {
			list = append(list, a)
		}
	}
	return list
}

// returnsScalar says that a function returns no structure, which would have padding.
func returnsScalar(fn *llvm.Function) bool {
	if len(fn.CTypes) == 0 || fn.CTypes[0] == nil {
		return false
	}
	switch fn.CTypes[0].Strip().Kind {
	case llvm.CInt, llvm.CBool, llvm.CFloat, llvm.CPointer, llvm.CEnum:
		return true
	}
	return false
}

// Request adds checks of kinds that are made when the program is read already.
func (p *Program) Request(kinds []ir.CheckKind) {
	if p.initialised || !slices.Contains(kinds, ir.Uninitialised) {
		return
	}
	p.initialised = true
	for _, name := range initialised.Unseen {
		if p.Module.Func(name) != nil {
			p.Notes = append(p.Notes, Note{Name: name, Text: "puts out what was written before: valid-init does not look at it"})
		}
	}
	p.Module = initialised.Check(p.Module)
	if p.Exact != nil {
		p.Exact = initialised.Check(p.Exact)
	}
}
