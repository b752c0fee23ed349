package frontend

import (
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file imports the functions that stand for one operation of ir: those
// that assay's models are written with, and CBMC's.

// word is an argument as a pointer-wide number, pointer one as a pointer. A
// missing one is arbitrary.
func (f *function) word(c *externalCall, k int) ir.Value { return f.typed(c, k, f.im.m.WordType()) }

func (f *function) pointer(c *externalCall, k int) ir.Value { return f.typed(c, k, f.im.m.PtrType()) }

func (f *function) typed(c *externalCall, k int, t ir.Type) ir.Value {
	v, ok := c.arg(k)
	if !ok || f.b.Func.Type(v).Kind == ir.Float {
		return f.b.Nondet(t, ir.NondetUndef, "")
	}
	return f.convert(v, t)
}

func (f *function) allocaCall(c *externalCall) []ir.Value {
	return []ir.Value{f.b.Emit(ir.Def{Op: ir.Alloca, Type: f.im.m.PtrType(), Args: []ir.Value{f.word(c, 0)}, Aux: 16})}
}

func (f *function) malloc(c *externalCall) []ir.Value {
	return []ir.Value{f.b.Op(ir.Malloc, f.im.m.PtrType(), f.word(c, 0))}
}

func (f *function) free(c *externalCall) []ir.Value {
	f.b.Op(ir.Free, ir.Type{}, f.pointer(c, 0))
	return nil
}

func (f *function) cede(c *externalCall) []ir.Value {
	return []ir.Value{f.b.Emit(ir.Def{Op: ir.Freeze, Type: f.im.m.PtrType(), Args: []ir.Value{f.pointer(c, 0)}, Aux: ir.Cede})}
}

// boolean is a truth value as the result type of the call has it.
func (f *function) boolean(v ir.Value, c *externalCall) []ir.Value {
	if len(c.result.scalars) == 1 && c.result.scalars[0].Type.Kind == ir.Int {
		v = f.resize(v, c.result.scalars[0].Type.Bits)
	}
	return []ir.Value{v}
}

func (f *function) validRange(c *externalCall) []ir.Value {
	return f.boolean(f.b.Cmp(ir.ValidRange, f.pointer(c, 0), f.word(c, 1)), c)
}

// writableRange is validRange of an object that may be written.
func (f *function) writableRange(c *externalCall) []ir.Value {
	p, n := f.pointer(c, 0), f.word(c, 1)
	writable := f.b.Const(1, 1)
	for _, g := range f.im.p.Globals {
		if g.Constant && g.Init != nil && g.Name != llvm.NondetObject && !strings.HasPrefix(g.Name, "llvm.") {
			writable = f.b.Bin(ir.And, writable, f.not(f.b.Cmp(ir.SameObject, p, f.b.GlobalAddr(f.im.symbol(g)))))
		}
	}
	nothing := f.b.Cmp(ir.Eq, n, f.b.Word(0))
	return f.boolean(f.b.Bin(ir.And, f.b.Cmp(ir.ValidRange, p, n), f.b.Bin(ir.Or, nothing, writable)), c)
}

func (f *function) objectSize(c *externalCall) []ir.Value {
	return []ir.Value{f.b.Op(ir.ObjectSize, f.im.m.WordType(), f.pointer(c, 0))}
}

func (f *function) objectOffset(c *externalCall) []ir.Value {
	return []ir.Value{f.b.Op(ir.ObjectOffset, f.im.m.WordType(), f.pointer(c, 0))}
}

// objectStart is the address at which the object begins that a pointer points into: objects that
// live have different ones. CBMC, whose function this is, numbers objects.
func (f *function) objectStart(c *externalCall) []ir.Value {
	p, word := f.pointer(c, 0), f.im.m.WordType()
	return []ir.Value{f.b.Bin(ir.Sub, f.b.Op(ir.PtrToInt, word, p), f.b.Op(ir.ObjectOffset, word, p))}
}

func (f *function) sameObject(c *externalCall) []ir.Value {
	return f.boolean(f.b.Cmp(ir.SameObject, f.pointer(c, 0), f.pointer(c, 1)), c)
}

func (f *function) heapStart(c *externalCall) []ir.Value {
	return f.boolean(f.b.Cmp(ir.IsHeapStart, f.pointer(c, 0)), c)
}

// stackSave and stackRestore are those of LLVM, which clang writes for arrays of variable length.
func (f *function) stackSave(*externalCall) []ir.Value {
	return []ir.Value{f.b.Op(ir.StackSave, f.im.m.PtrType())}
}

func (f *function) stackRestore(c *externalCall) []ir.Value {
	f.b.Op(ir.StackRestore, ir.Type{}, f.pointer(c, 0))
	return nil
}

func (f *function) memcpyCall(c *externalCall) []ir.Value {
	f.b.Op(ir.MemCpy, ir.Type{}, f.pointer(c, 0), f.pointer(c, 1), f.word(c, 2))
	return nil
}

func (f *function) memsetCall(c *externalCall) []ir.Value {
	f.b.Op(ir.MemSet, ir.Type{}, f.pointer(c, 0), f.typed(c, 1, ir.IntType(8)), f.word(c, 2))
	return nil
}

func (f *function) havocCall(c *externalCall) []ir.Value {
	f.b.Op(ir.Havoc, ir.Type{}, f.pointer(c, 0), f.word(c, 1))
	return nil
}

// havocObject makes the whole object arbitrary that a pointer points into.
func (f *function) havocObject(c *externalCall) []ir.Value {
	p := f.pointer(c, 0)
	word := f.im.m.WordType()
	back := f.b.Bin(ir.Sub, f.b.Word(0), f.b.Op(ir.ObjectOffset, word, p))
	f.b.Op(ir.Havoc, ir.Type{}, f.b.PtrAdd(p, back), f.b.Op(ir.ObjectSize, word, p))
	return nil
}

// checkCall is a model's check of its precondition. The run goes on as if the
// condition held: what follows is guarded like any other operation.
func (f *function) checkCall(c *externalCall) []ir.Value {
	kind := ir.Precondition
	if len(c.source) > 1 {
		if k, ok := constInt(c.source[1]); ok {
			kind = modelCheckKinds[k]
		}
	}
	f.b.Check(kind, f.truth(c, 0), c.text(2))
	return nil
}

// modelCheckKinds are the kinds that assay_model.h numbers.
var modelCheckKinds = map[uint64]ir.CheckKind{0: ir.Precondition, 1: ir.Assertion, 2: ir.Overflow, 3: ir.InvalidDeref, 4: ir.InvalidFree, 5: ir.FloatConversion}

func (f *function) unsupportedCall(c *externalCall) []ir.Value {
	f.unsupported(c.text(0))
	return nil
}

// remainder is fmod.
func (f *function) remainder(c *externalCall) []ir.Value {
	x, _ := c.arg(0)
	y, _ := c.arg(1)
	result := f.b.Bin(ir.FRem, x, y)
	f.nanCheck(ir.FRem, result, x, y)
	return []ir.Value{result}
}

// mallocFails says whether an allocation of so many bytes fails in the chosen semantics. Where allocations may fail, those
// fail that no process gets: glibc refuses more than PTRDIFF_MAX bytes, and the addresses that Linux gives to
// a process on x86-64 that does not ask for others are below 2^47.
func (f *function) mallocFails(c *externalCall) []ir.Value {
	if !f.im.opts.MallocMayFail {
		return f.boolean(f.b.Const(1, 0), c)
	}
	most := uint64(1)<<47 - 1
	if f.im.p.PointerBits == 32 {
		most = 1<<31 - 1
	}
	fails := f.b.Nondet(ir.BoolType, ir.NondetInput, "malloc fails")
	return f.boolean(f.b.Bin(ir.Or, fails, f.b.Cmp(ir.ULt, f.b.Word(most), f.word(c, 0))), c)
}
