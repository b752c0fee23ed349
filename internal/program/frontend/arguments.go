package frontend

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"assay/internal/program/cprover"
	"assay/internal/program/harness"
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file calls a function under analysis (--function): with arbitrary scalars,
// and for each pointer null or a fresh heap object of the type pointed to, with
// arbitrary content. An Argument says more of the object; such a pointer is null only where the program may ask
// whether it is (harness.AsksNull), or Options.Nullable says so; Options.NonNull rules out null. What is
// left of these objects is freed at the end: they are no leaks.

// Argument says what a pointer parameter points to. Exactly one field is set.
type Argument struct {
	// Elements is the number of elements of an array, given as IsArray.
	Elements int
	IsArray  bool
	// Length is the integer parameter that has the number of elements.
	Length string
	// String asks for a string of any length: elements that end with one that is 0.
	String bool
	// Alias is another pointer parameter: the pointer is equal to it, or not.
	Alias string
}

// AllPointers stands for all pointer parameters in Options.NonNull.
const AllPointers = "all"

// errArgument is an Argument that does not fit the function.
func errArgument(name, problem, hint string) error {
	return &InputError{Diagnostics: []Diagnostic{{Severity: "error", Message: "the argument " + name + " " + problem}}, Hint: hint}
}

// callTarget calls the function.
func (f *function) callTarget(fn *llvm.Function) error {
	called := strings.TrimSuffix(fn.Name, cprover.EnforcedSuffix)
	if err := f.checkArguments(fn, called); err != nil {
		return err
	}
	if f.im.opts.Harness.Infer {
		f.im.plan = f.plan(fn)
		f.callPlanned(fn, f.im.plan)
		return nil
	}
	types := harness.ParameterTypes(fn)
	var pointers []string
	scalars := map[string]ir.Value{} // integers
	at := map[string]int{}           // of pointers: index in args
	var args []ir.Value
	for _, p := range fn.Params {
		flat := f.im.flatten(p.Type)
		if p.ByVal != nil {
			args = append(args, f.b.Alloca(p.ByVal.Size, max(p.ByVal.Align, 1)))
			continue
		}
		for _, s := range flat.scalars {
			if s.Type.Kind == ir.Ptr {
				pointers = append(pointers, p.Name)
				at[p.Name] = len(args)
				args = append(args, 0)
				continue
			}
			v := f.b.Nondet(s.Type, ir.NondetInput, p.Name)
			if s.Type.Kind == ir.Int {
				scalars[p.Name] = v
			}
			args = append(args, v)
		}
	}
	var objects []ir.Value
	for _, name := range pointers {
		a := f.im.opts.Arguments[called+":"+name]
		pointer, object, err := f.argumentObject(fn, name, called+":"+name, types, a, scalars[a.Length])
		if err != nil {
			return err
		}
		args[at[name]] = pointer
		objects = append(objects, object)
	}
	// All parameters that may be equal to others have their own objects first, so
	// that the order does not matter.
	own := slices.Clone(args)
	for _, name := range pointers {
		if a := f.im.opts.Arguments[called+":"+name]; a.Alias != "" {
			equal := f.b.Nondet(ir.BoolType, ir.NondetInput, name+" is equal to "+a.Alias)
			args[at[name]] = f.b.Select(equal, own[at[a.Alias]], own[at[name]])
		}
	}
	f.emitCall(fn, args)
	for _, p := range objects {
		f.b.Op(ir.Free, ir.Type{}, f.b.Select(f.b.Cmp(ir.IsHeapStart, p), p, f.b.Null()))
	}
	return nil
}

// checkArguments compares what the options say of parameters with the function.
func (f *function) checkArguments(fn *llvm.Function, called string) error {
	var names, pointers, integers []string
	for _, p := range fn.Params {
		names = append(names, p.Name)
		if p.ByVal != nil {
			continue
		}
		for _, s := range f.im.flatten(p.Type).scalars {
			switch s.Type.Kind {
			case ir.Ptr:
				pointers = append(pointers, p.Name)
			case ir.Int:
				integers = append(integers, p.Name)
			}
		}
	}
	for _, key := range slices.Sorted(maps.Keys(f.im.opts.Arguments)) {
		function, parameter, _ := strings.Cut(key, ":")
		a := f.im.opts.Arguments[key]
		switch {
		case function != called:
			return errArgument(key, "is not one of the function "+called, "write "+called+":parameter")
		case !slices.Contains(pointers, parameter):
			return errArgument(key, "is no pointer parameter", "the pointer parameters of "+called+": "+strings.Join(pointers, ", "))
		case a.Length != "" && !slices.Contains(integers, a.Length):
			return errArgument(key, fmt.Sprintf("has its length from %s, which is no integer parameter", a.Length), "the parameters of "+called+": "+strings.Join(names, ", "))
		case a.Alias != "" && (a.Alias == parameter || !slices.Contains(pointers, a.Alias)):
			return errArgument(key, fmt.Sprintf("may be equal to %s, which is no other pointer parameter", a.Alias), "the pointer parameters of "+called+": "+strings.Join(pointers, ", "))
		}
	}
	for _, key := range slices.Concat(f.im.opts.NonNull, f.im.opts.Nullable) {
		function, parameter, _ := strings.Cut(key, ":")
		switch {
		case key == AllPointers:
		case function != called:
			return errArgument(key, "is not one of the function "+called, "write "+called+":parameter")
		case !slices.Contains(pointers, parameter):
			return errArgument(key, "is no pointer parameter", "the pointer parameters of "+called+": "+strings.Join(pointers, ", "))
		}
	}
	return nil
}

// argumentObject makes what a pointer argument points to, and the argument.
func (f *function) argumentObject(fn *llvm.Function, parameter, key string, types map[string]*llvm.CType, a Argument, length ir.Value) (pointer, object ir.Value, err error) {
	word := f.im.m.WordType()
	element, terminator := uint64(0), uint32(0)
	if t := types[parameter].Strip(); t != nil && t.Kind == llvm.CPointer {
		if base := t.Base.Strip(); base != nil {
			element = (base.Bits + 7) / 8
			if base.Kind == llvm.CInt {
				terminator = uint32(element * 8)
			}
		} else if a.IsArray || a.Length != "" {
			element = 1 // void: bytes
		}
	}
	if a.String && terminator == 0 {
		return 0, 0, errArgument(key, "does not point to characters", "strings are for parameters of type char * and its like")
	}
	if element == 0 && (a.IsArray || a.Length != "") {
		return 0, 0, errArgument(key, "points to elements of unknown size", "give the elements a complete type")
	}
	var size, end ir.Value
	// most is the greatest number of elements whose size is at most half of the address space.
	most := uint64(1)<<(word.Bits-1) - 1
	switch {
	case a.IsArray:
		if uint64(a.Elements) > most/element {
			return 0, 0, errArgument(key, "has more elements than there are addresses", "give fewer")
		}
		size = f.b.Word(element * uint64(a.Elements))
	case a.Length != "":
		n := f.resize(length, word.Bits)
		if t := types[a.Length].Strip(); t != nil && t.Signed {
			n = f.signedResize(length, word.Bits)
		}
		f.b.Assume(f.b.Cmp(ir.ULe, n, f.b.Word(most/element)))
		size = f.b.Bin(ir.Mul, n, f.b.Word(element))
	case a.String:
		n := f.b.Nondet(word, ir.NondetInput, "length of "+parameter)
		f.b.Assume(f.b.Cmp(ir.ULt, n, f.b.Word(most/element)))
		end = f.b.Bin(ir.Mul, n, f.b.Word(element))
		size = f.b.Bin(ir.Add, end, f.b.Word(element))
	case element > 0:
		size = f.b.Word(element)
	default:
		size = f.b.Nondet(word, ir.NondetInput, "size of *"+parameter)
		f.b.Assume(f.b.Cmp(ir.ULt, size, f.b.Word(1<<30)))
	}
	object = f.b.Emit(ir.Def{Op: ir.Malloc, Type: f.im.m.PtrType(), Args: []ir.Value{size}})
	if end != 0 {
		f.b.Store(f.b.Const(terminator, 0), f.b.PtrAdd(object, end))
	}
	if !f.mayBeNull(fn, parameter, key, a) {
		return object, object, nil
	}
	null := f.b.Nondet(ir.BoolType, ir.NondetInput, parameter+" is null")
	return f.b.Select(null, f.b.Null(), object), object, nil
}

// mayBeNull says whether a pointer argument may be null; what follows from the program is noted.
func (f *function) mayBeNull(fn *llvm.Function, parameter, key string, a Argument) bool {
	listed := func(list []string) bool { return slices.Contains(list, AllPointers) || slices.Contains(list, key) }
	described := a.IsArray || a.Length != "" || a.String
	k := slices.IndexFunc(fn.Params, func(p *llvm.Param) bool { return p.Name == parameter })
	switch {
	case listed(f.im.opts.NonNull):
		return false
	case listed(f.im.opts.Nullable), !described, k < 0, harness.AsksNull(fn, k):
		return true
	}
	f.im.pointing = append(f.im.pointing, key)
	return false
}
