package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"

// assay_poison is the number of the first operand of an instruction that is a poison integer, -1 if there is none.
static int assay_poison(LLVMValueRef i) {
	int n = LLVMGetNumOperands(i);
	for (int k = 0; k < n; k++) {
		LLVMValueRef v = LLVMGetOperand(i, k);
		if (LLVMIsAConstant(v) && LLVMIsPoison(v) && LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMIntegerTypeKind) return k;
	}
	return -1;
}

// assay_next_poison is the next instruction of a function with such an operand, from i on, or from the first with i null.
static LLVMValueRef assay_next_poison(LLVMValueRef f, LLVMValueRef i) {
	LLVMBasicBlockRef b = i ? LLVMGetInstructionParent(i) : LLVMGetFirstBasicBlock(f);
	if (b && !i) i = LLVMGetFirstInstruction(b);
	for (;;) {
		for (; i; i = LLVMGetNextInstruction(i)) if (assay_poison(i) >= 0) return i;
		if (!b || !(b = LLVMGetNextBasicBlock(b))) return NULL;
		i = LLVMGetFirstInstruction(b);
	}
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// This file keeps the places where clang has folded an operation that is not defined to poison (1 << 40, (int)1e20): each
// poison integer becomes a call, before promotion and simplification carry it to other places, where nothing
// tells of which operation it is the result. The importer gives the call its meaning.

// PoisonPrefix begins the names of the functions, one for each width.
const PoisonPrefix = "assay.poison.i"

// keepPoison makes the poison integers of a function calls.
func (s *Session) keepPoison(f C.LLVMValueRef) {
	i := C.assay_next_poison(f, nil)
	if i == nil {
		return
	}
	builder := C.LLVMCreateBuilderInContext(s.context)
	defer C.LLVMDisposeBuilder(builder)
	empty := C.CString("")
	defer C.free(unsafe.Pointer(empty))
	for ; i != nil; i = C.assay_next_poison(f, i) {
		k := C.uint(C.assay_poison(i))
		before := i
		if C.LLVMIsAPHINode(i) != nil {
			before = C.LLVMGetBasicBlockTerminator(C.LLVMGetIncomingBlock(i, k))
		}
		C.LLVMPositionBuilderBefore(builder, before)
		integer := C.LLVMTypeOf(C.LLVMGetOperand(i, k))
		t := C.LLVMFunctionType(integer, nil, 0, 0)
		name := C.CString(fmt.Sprint(PoisonPrefix, C.LLVMGetIntTypeWidth(integer)))
		g := C.LLVMGetNamedFunction(s.module, name)
		if g == nil {
			g = C.LLVMAddFunction(s.module, name, t)
		}
		C.free(unsafe.Pointer(name))
		C.LLVMSetOperand(i, k, C.LLVMBuildCall2(builder, t, g, nil, 0, empty))
	}
}
