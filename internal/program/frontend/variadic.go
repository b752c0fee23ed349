package frontend

import (
	"fmt"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports functions with a variable number of arguments. A call knows how many there are, and
// of which types, and a function is imported once for each list of types with which it is called, without
// "...": the arguments are parameters, which it puts into an object at its entry, and va_start makes a
// va_list that leads there. So to what calls it the function is like any other one, and what va_arg reads is
// in memory of the function.
//
// The object is what the interpreter makes of such arguments (interp/variadic.go): slots of whole words as
// the System V ABI lays them out on the stack, the rest of a slot anything (zero in the interpreter's own); what lies beyond the last slot is not
// in the object. A function keeps "..." for those who call it through a pointer, and where there are more
// lists than maxLists.

// maxLists bounds the lists of types for which one function is imported.
const maxLists = 32

// withArguments is the name of a function as it is imported for more arguments of these types, "" if it is
// not.
func (im *importer) withArguments(callee *llvm.Function, types []ir.Type) string {
	key := im.functionKey(callee) + "\x00" + fmt.Sprint(types)
	if s := im.specialised[key]; s != nil {
		return s.symbol
	}
	if len(im.copies[callee]) >= maxLists || im.opts.namesLocalOf(callee.Name) {
		return ""
	}
	return im.specialise(key, &specialised{of: callee, extra: types})
}

// slots are the offsets at which arguments of these types lie, and where the last one ends.
func (im *importer) slots(types []ir.Type) (offsets []uint64, end uint64) {
	word := uint64(im.p.PointerBits / 8)
	for _, t := range types {
		n := t.Size()
		if word == 8 && n == 16 {
			end = (end + 15) &^ 15
		}
		offsets = append(offsets, end)
		end = (end + n + word - 1) &^ (word - 1)
	}
	return offsets, end
}

// keepArguments puts the arguments that va_arg reads into their object, if va_start is called.
func (f *function) keepArguments() {
	starts := false
	eachInstruction(f.src, func(i *llvm.Inst) { starts = starts || intrinsicOf(i) == "va_start" })
	if !starts {
		return
	}
	var types []ir.Type
	for _, v := range f.extra {
		types = append(types, f.b.Func.Type(v))
	}
	offsets, end := f.im.slots(types)
	f.arguments = f.b.Emit(ir.Def{
		Op: ir.Alloca, Type: f.im.m.PtrType(), Args: []ir.Value{f.b.Word(end)}, Aux: 16,
		Layout: ir.Layout{Stride: uint64(f.im.p.PointerBits / 8), Cell: 4},
	})
	for i, v := range f.extra {
		f.b.Store(v, f.offset(f.arguments, offsets[i]))
	}
}

// startList makes a va_list that reads all arguments from their object: on x86-64 no register is left.
func (f *function) startList(list ir.Value) {
	if f.im.p.PointerBits == 32 {
		f.b.Store(f.arguments, list)
		return
	}
	f.b.Store(f.b.Const(32, 48), list)
	f.b.Store(f.b.Const(32, 176), f.offset(list, 4))
	f.b.Store(f.arguments, f.offset(list, 8))
	f.b.Store(f.b.Null(), f.offset(list, 16))
}
