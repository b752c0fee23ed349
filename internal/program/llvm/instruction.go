package llvm

/*
#include "llvm-c/Core.h"

static void assay_operands(LLVMValueRef v, unsigned n, LLVMValueRef *out) {
	for (unsigned i = 0; i < n; i++) out[i] = LLVMGetOperand(v, i);
}
*/
import "C"

import (
	"strings"
	"unsafe"
)

// This file fills in what is particular to each kind of instruction. The
// operand lists of LLVM mix values, blocks, the callee and operand bundles;
// the copy keeps them apart.

func (c *copier) instruction(n *Inst, raw *rawInst) {
	v := C.LLVMValueRef(raw.value)
	n.NSW, n.NUW, n.Exact = raw.nsw != 0, raw.nuw != 0, raw.exact != 0
	n.Part = raw.part != 0
	n.Variadic = raw.variadic != 0
	n.Pred = Predicate(raw.pred)
	n.Used = raw.used != 0
	if raw.elem != nil {
		n.Elem = c.typeOf(raw.elem)
	}
	for i := range raw.successors {
		n.Blocks = append(n.Blocks, c.block(C.LLVMGetSuccessor(v, i)))
	}
	switch n.Op {
	case Br:
		if C.LLVMIsConditional(v) != 0 {
			n.Args = []Value{c.value(C.LLVMGetCondition(v))}
		}
	case Switch:
		n.Args = []Value{c.value(C.LLVMGetOperand(v, 0))}
		for i := C.uint(2); i < raw.operands; i += 2 {
			n.Cases = append(n.Cases, integer(C.LLVMGetOperand(v, i), n.Args[0].ValueType().Bits))
		}
	case IndirectBr:
		n.Args = []Value{c.value(C.LLVMGetOperand(v, 0))}
	case Phi:
		for i := range C.LLVMCountIncoming(v) {
			n.Args = append(n.Args, c.value(C.LLVMGetIncomingValue(v, i)))
			n.Blocks = append(n.Blocks, c.block(C.LLVMGetIncomingBlock(v, i)))
		}
	case Call, Invoke:
		c.call(n, v)
	case ExtractValue, InsertValue:
		count := C.LLVMGetNumIndices(v)
		indices := C.LLVMGetIndices(v)
		for _, i := range unsafe.Slice(indices, count) {
			n.Indices = append(n.Indices, uint32(i))
		}
		c.arguments(n, v, raw.operands)
	case ShuffleVector:
		for i := range C.LLVMGetNumMaskElements(v) {
			n.Mask = append(n.Mask, int(C.LLVMGetMaskValue(v, i)))
		}
		c.arguments(n, v, raw.operands)
	case CallBr, Unreachable:
	default:
		c.arguments(n, v, raw.operands)
	}
}

func (c *copier) arguments(n *Inst, v C.LLVMValueRef, count C.uint) {
	if count == 0 {
		return
	}
	operands := make([]C.LLVMValueRef, count)
	C.assay_operands(v, count, &operands[0])
	n.Args = make([]Value, count)
	for i, o := range operands {
		n.Args[i] = c.value(o)
	}
}

func (c *copier) call(n *Inst, v C.LLVMValueRef) {
	callee := C.LLVMGetCalledValue(v)
	n.Callee = c.value(callee)
	if f, ok := n.Callee.(*Function); ok && f.Intrinsic && strings.HasPrefix(f.Name, "llvm.dbg.") {
		c.debug.record(c, n, f.Name, v)
		return
	}
	c.arguments(n, v, C.LLVMGetNumArgOperands(v))
	for i := range C.LLVMGetNumOperandBundles(v) {
		n.Bundles = append(n.Bundles, c.bundle(C.LLVMGetOperandBundleAtIndex(v, i)))
	}
	n.NoReturn = C.LLVMGetCallSiteEnumAttribute(v, functionIndex, c.noReturn) != nil
	if attribute := C.LLVMGetCallSiteEnumAttribute(v, 1, c.sret); attribute != nil {
		n.SRet = c.typeOf(C.LLVMGetTypeAttributeValue(attribute))
	}
	for i := range n.Args {
		if C.LLVMGetCallSiteEnumAttribute(v, C.LLVMAttributeIndex(i+1), c.noUndef) != nil {
			if n.Defined == nil {
				n.Defined = make([]bool, len(n.Args))
			}
			n.Defined[i] = true
		}
	}
	for i, a := range n.Args {
		if t := a.ValueType(); t == nil || t.Kind != PointerType {
			continue
		}
		if attribute := C.LLVMGetCallSiteEnumAttribute(v, C.LLVMAttributeIndex(i+1), c.byVal); attribute != nil {
			if n.ByVal == nil {
				n.ByVal = make([]*Type, len(n.Args))
			}
			n.ByVal[i] = c.typeOf(C.LLVMGetTypeAttributeValue(attribute))
		}
	}
}

func (c *copier) bundle(b C.LLVMOperandBundleRef) Bundle {
	defer C.LLVMDisposeOperandBundle(b)
	var n C.size_t
	tag := C.LLVMGetOperandBundleTag(b, &n)
	out := Bundle{Tag: C.GoStringN(tag, C.int(n))}
	for i := range C.LLVMGetNumOperandBundleArgs(b) {
		out.Args = append(out.Args, c.value(C.LLVMGetOperandBundleArgAtIndex(b, i)))
	}
	return out
}
