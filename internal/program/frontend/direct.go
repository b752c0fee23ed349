package frontend

import (
	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports calls of those library functions that are one operation of
// ir: the operation stands in the caller, with the position of the call. The
// models in C mean the same; they serve calls through pointers, and the
// semantics in which allocations may fail.

// directCall emits the operation of a library function; it says whether the
// function is one of these.
func (f *function) directCall(i *llvm.Inst, name string) bool {
	c := &externalCall{name: name, args: f.callArguments(i), source: i.Args, result: f.im.flatten(i.Type)}
	emit, arity := directOperations[name], directArity[name]
	if emit == nil || len(c.args) != arity {
		return false
	}
	for _, a := range c.args {
		if len(a) != 1 {
			return false
		}
	}
	if (name == "malloc" || name == "calloc") && f.im.opts.MallocMayFail {
		return false
	}
	list, ok := emit(f, c)
	if !ok {
		return false
	}
	f.vals[i] = f.padResults(list, c)
	return true
}

var directArity = map[string]int{"malloc": 1, "calloc": 2, "free": 1, "memcpy": 3, "memmove": 3, "memset": 3, "assert": 1}

var directOperations map[string]func(f *function, c *externalCall) ([]ir.Value, bool)

func init() {
	directOperations = map[string]func(f *function, c *externalCall) ([]ir.Value, bool){
		"malloc":  func(f *function, c *externalCall) ([]ir.Value, bool) { return f.malloc(c), true },
		"calloc":  (*function).callocDirect,
		"free":    func(f *function, c *externalCall) ([]ir.Value, bool) { return f.free(c), true },
		"memcpy":  (*function).memcpyDirect,
		"memmove": func(f *function, c *externalCall) ([]ir.Value, bool) { f.memcpyCall(c); return c.args[0], true },
		"assert":  (*function).assertDirect,
		"memset":  func(f *function, c *externalCall) ([]ir.Value, bool) { f.memsetCall(c); return c.args[0], true },
	}
}

// assertDirect is the function assert of a program that does not include
// assert.h, where it is declared by its first use and takes whatever it is given.
func (f *function) assertDirect(c *externalCall) ([]ir.Value, bool) {
	holds := f.truth(c, 0)
	f.b.Check(ir.Assertion, holds, "assertion failed")
	f.b.Assume(holds) // a failed assertion ends the run
	return nil, true
}

// callocDirect handles sizes that are known to fit.
func (f *function) callocDirect(c *externalCall) ([]ir.Value, bool) {
	n, isConst1 := f.isConst(f.word(c, 0))
	size, isConst2 := f.isConst(f.word(c, 1))
	if !isConst1 || !isConst2 || n.Uint64() >= 1<<15 || size.Uint64() >= 1<<15 {
		return nil, false
	}
	bytes := f.b.Word(n.Uint64() * size.Uint64())
	p := f.b.Op(ir.Malloc, f.im.m.PtrType(), bytes)
	f.b.Op(ir.MemSet, ir.Type{}, p, f.b.Const(8, 0), bytes)
	return []ir.Value{p}, true
}

// memcpyDirect checks that the ranges do not overlap, as models/memory.c does.
func (f *function) memcpyDirect(c *externalCall) ([]ir.Value, bool) {
	to, from, size := f.pointer(c, 0), f.pointer(c, 1), f.word(c, 2)
	word := f.im.m.WordType()
	a, b := f.b.Op(ir.ObjectOffset, word, to), f.b.Op(ir.ObjectOffset, word, from)
	distance := f.b.Select(f.b.Cmp(ir.ULt, a, b), f.b.Bin(ir.Sub, b, a), f.b.Bin(ir.Sub, a, b))
	apart := f.b.Cmp(ir.Or, f.not(f.b.Cmp(ir.SameObject, to, from)), f.b.Cmp(ir.ULe, size, distance))
	f.b.Check(ir.Precondition, apart, "memcpy with overlapping ranges")
	f.b.Op(ir.MemCpy, ir.Type{}, to, from, size)
	return []ir.Value{to}, true
}
