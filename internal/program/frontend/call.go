package frontend

import (
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports calls. A callee is, in this order: inline assembly, an
// LLVM intrinsic (intrinsic.go), a function with a body (a program's own
// definition wins over assay's model of it), a name that assay gives a meaning
// (verifier.go), a function without body, or a pointer.
//
// A direct call need not fit its callee: old C declares functions without
// parameters, and modules disagree. Arguments are then adapted as a register
// would carry them, and a check of kind Incompatible says so.

func (f *function) call(i *llvm.Inst) {
	if a, ok := i.Callee.(*llvm.Asm); ok {
		f.inlineAssembly(i, a)
		return
	}
	callee, direct := i.Callee.(*llvm.Function)
	if direct && f.printing != nil && f.printing.ignores(i) {
		return
	}
	if problem := unknownMeaning(i, callee); problem != "" {
		f.unsupported(problem)
		return
	}
	if direct && callee.Intrinsic {
		f.intrinsic(i, callee.Name)
		return
	}
	if direct && strings.HasPrefix(callee.Name, llvm.PoisonPrefix) {
		f.vals[i] = f.undefinedValue(i.Type.Bits)
		return
	}
	if direct && callee.Name == llvm.FoldedConversion {
		f.foldedConversion()
		return
	}
	if direct && callee.Name == llvm.AlignedFunction {
		f.aligned(i)
		return
	}
	if problem := f.representable(i); problem != "" {
		f.unsupported(problem)
		return
	}
	if !direct {
		if problem := f.im.expressible(i.Callee); problem != "" {
			f.unsupported(problem)
			return
		}
	}
	f.touch()
	if direct && callee.Blocks == nil && (i.NoReturn || callee.NoReturn) && returns(callee.Name) {
		f.unsupported(callee.Name + " is declared not to return")
		return
	}
	if direct {
		f.checkFormat(i, callee)
	}
	switch {
	case !direct:
		f.callPointer(i)
	case (callee.Blocks == nil || f.im.isOurModel(callee)) && f.printNumbers(i, callee.Name):
	case f.printDirectly(i, callee):
	case f.im.isOurModel(callee) && f.directCall(i, callee.Name):
	case callee.Blocks != nil:
		f.beforeCall(callee.Name)
		f.callFunction(i, callee)
	default:
		f.vals[i] = f.external(&externalCall{
			name:     callee.Name,
			callee:   callee,
			noReturn: i.NoReturn || callee.NoReturn,
			args:     f.callArguments(i),
			source:   i.Args,
			result:   f.im.flatten(i.Type),
			sret:     i.SRet,
			defined:  i.Defined,
		})
	}
}

// callArguments are the scalars of each argument.
func (f *function) callArguments(i *llvm.Inst) [][]ir.Value {
	args := make([][]ir.Value, len(i.Args))
	for k, a := range i.Args {
		args[k] = f.operand(a)
	}
	return args
}

// variadicArguments are the arguments beyond the fixed ones, as the slots that
// va_arg will read: whole words, the bytes of structs in place.
func (f *function) variadicArguments(i *llvm.Inst, from int) []ir.Value {
	var list []ir.Value
	for k := from; k < len(i.Args); k++ {
		values := f.operand(i.Args[k])
		switch {
		case i.ByVal != nil && i.ByVal[k] != nil:
			list = append(list, f.structWords(values[0], i.ByVal[k])...)
		case len(values) > 1: // a vector stands for one register
			list = append(list, f.joinBits(values))
		case i.Args[k].ValueType().Kind == llvm.ExtendedType: // with its padding
			list = append(list, f.resize(values[0], uint32(8*i.Args[k].ValueType().Size)))
		default:
			list = append(list, values...)
		}
	}
	return list
}

// structWords reads a struct that is passed by value, word by word. A word
// that is a pointer is read as one, so that it keeps its object.
func (f *function) structWords(p ir.Value, t *llvm.Type) []ir.Value {
	word := uint64(f.im.p.PointerBits / 8)
	pointers := map[uint64]bool{}
	walkAllPointers(t, 0, pointers)
	var list []ir.Value
	for at := uint64(0); at < t.Size; at += word {
		switch rest := min(word, t.Size-at); {
		case pointers[at]:
			list = append(list, f.b.Load(f.im.m.PtrType(), f.offset(p, at)))
		case rest == word:
			list = append(list, f.b.Load(f.im.m.WordType(), f.offset(p, at)))
		default:
			part := f.b.Load(ir.IntType(uint32(rest*8)), f.offset(p, at))
			list = append(list, f.resize(part, f.im.p.PointerBits))
		}
	}
	return list
}

func walkAllPointers(t *llvm.Type, offset uint64, found map[uint64]bool) {
	switch t.Kind {
	case llvm.PointerType:
		found[offset] = true
	case llvm.ArrayType:
		for k := range t.Len {
			walkAllPointers(t.Elem, offset+k*t.Elem.Size, found)
		}
	case llvm.StructType:
		for k, field := range t.Fields {
			walkAllPointers(field, offset+t.Offsets[k], found)
		}
	}
}

func (f *function) callPointer(i *llvm.Inst) {
	fixed := len(i.Elem.Params)
	var args []ir.Value
	for k, a := range i.Args {
		if k < fixed {
			args = append(args, f.operand(a)...)
		}
	}
	args = append(args, f.variadicArguments(i, fixed)...)
	result := f.im.flatten(i.Type)
	var t ir.Type
	if len(result.scalars) > 0 {
		t = result.scalars[0].Type
	}
	call := f.b.CallPtr(t, f.scalar(i.Callee), args...)
	f.vals[i] = f.results(call, result)
	f.afterCall(i.NoReturn)
}

// results are the values that a call returns.
func (f *function) results(call ir.Value, t *flat) []ir.Value {
	var list []ir.Value
	for k, s := range t.scalars {
		if k == 0 {
			list = append(list, call)
		} else {
			list = append(list, f.b.Extract(s.Type, call, k))
		}
	}
	return list
}

// afterCall ends the block after a call that does not return. clang writes an
// unreachable there; other producers need not.
func (f *function) afterCall(noReturn bool) {
	if noReturn {
		f.b.Unreachable()
		f.end()
	}
}

func (f *function) callFunction(i *llvm.Inst, callee *llvm.Function) {
	if callee.Library && strings.HasPrefix(callee.Name, llvm.ExtendedPrefix) {
		// Inside of the models the operation cannot be told from the steps that it takes.
		switch {
		case f.im.opts.requested(ir.NotANumber):
			f.unsupported("whether arithmetic of long double makes a NaN")
			return
		case f.im.opts.requested(ir.Uninitialised):
			f.unsupported("what arithmetic of long double makes of what was never written")
			return
		}
	}
	params := f.im.flattenAll(callee.Type.Params)
	var args []ir.Value
	variadic := len(i.Args)
	if callee.Type.Variadic {
		variadic = min(len(callee.Type.Params), len(i.Args))
	}
	for _, a := range i.Args[:variadic] {
		args = append(args, f.operand(a)...)
	}
	args, fits := f.adaptTo(callee.Name, args, params)
	symbol := ""
	if callee.Type.Variadic {
		rest := f.variadicArguments(i, variadic)
		args = append(args, rest...)
		var types []ir.Type
		for _, v := range rest {
			types = append(types, f.b.Func.Type(v))
		}
		symbol = f.im.withArguments(callee, types)
	}
	if symbol == "" {
		symbol = f.im.symbol(callee)
	}
	want, have := f.im.flatten(i.Type), f.im.flatten(callee.Type.Return)
	if !sameTypes(want, have) && i.Used {
		fits = false
	}
	if !fits {
		f.b.Check(ir.Incompatible, f.b.Const(1, 0), "call of "+callee.Name+" with a type that is not its own")
	}
	var t ir.Type
	if len(have.scalars) > 0 {
		t = have.scalars[0].Type
	}
	call := f.b.Call(t, symbol, args...)
	returned := f.results(call, have)
	if !sameTypes(want, have) && i.Used {
		var wanted []ir.Type
		for _, s := range want.scalars {
			wanted = append(wanted, s.Type)
		}
		returned, _ = f.adaptTo(callee.Name, returned, wanted)
	}
	f.vals[i] = returned
	f.afterCall(i.NoReturn || callee.NoReturn)
}

func sameTypes(a, b *flat) bool {
	if len(a.scalars) != len(b.scalars) {
		return false
	}
	for k := range a.scalars {
		if a.scalars[k].Type != b.scalars[k].Type {
			return false
		}
	}
	return true
}

// flattenAll is the list of scalar types of parameters.
func (im *importer) flattenAll(list []*llvm.Type) []ir.Type {
	var types []ir.Type
	for _, t := range list {
		for _, s := range im.flatten(t).scalars {
			types = append(types, s.Type)
		}
	}
	return types
}

// adapt makes values of the wanted types; it says whether they were so
// already. A narrower integer leaves the upper bits of the register arbitrary,
// a missing value is arbitrary, a surplus one is dropped.
func (f *function) adapt(values []ir.Value, wanted []ir.Type) (list []ir.Value, fits bool) {
	return f.adaptTo("", values, wanted)
}

// adaptTo is adapt for a call of the named function: no violation may depend on what is
// arbitrary then.
func (f *function) adaptTo(callee string, values []ir.Value, wanted []ir.Type) (list []ir.Value, fits bool) {
	arbitrary := func(t ir.Type) ir.Value {
		if callee == "" || t.Kind == ir.Ptr {
			return f.b.Nondet(t, ir.NondetUndef, "")
		}
		return f.b.Nondet(t, ir.NondetApproximate, callee)
	}
	fits = len(values) == len(wanted)
	for k, t := range wanted {
		if k >= len(values) {
			list = append(list, arbitrary(t))
			continue
		}
		v := values[k]
		from := f.b.Func.Type(v)
		if from == t {
			list = append(list, v)
			continue
		}
		fits = false
		switch {
		case from.Kind == ir.Float || t.Kind == ir.Float: // another register
			v = arbitrary(t)
		case from.Kind == ir.Int && from.Bits < t.Bits:
			high := f.b.Bin(ir.Shl, arbitrary(ir.IntType(t.Bits)), f.b.Const(t.Bits, uint64(from.Bits)))
			v = f.convert(f.b.Bin(ir.Or, high, f.resize(v, t.Bits)), t)
		default:
			v = f.convert(v, t)
		}
		list = append(list, v)
	}
	return list, fits
}
