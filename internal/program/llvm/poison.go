package llvm

/*
#include <stdlib.h>
#include <string.h>
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

// assay_cast_trap says of a block that it is clang's trap of a float that does not fit an integer.
static int assay_cast_trap(LLVMBasicBlockRef b) {
	LLVMValueRef i = LLVMGetFirstInstruction(b);
	if (!i || !LLVMIsACallInst(i) || LLVMGetNumArgOperands(i) != 1) return 0;
	size_t n;
	LLVMValueRef callee = LLVMGetCalledValue(i), k = LLVMGetOperand(i, 0);
	const char *name = LLVMGetValueName2(callee, &n);
	return n == 14 && !memcmp(name, "llvm.ubsantrap", n) && LLVMIsAConstantInt(k) && LLVMConstIntGetZExtValue(k) == 5;
}

// assay_erase erases an instruction that nothing uses, and what only it used.
static void assay_erase(LLVMValueRef i) {
	if (!LLVMIsAInstruction(i) || LLVMGetFirstUse(i)) return;
	LLVMOpcode op = LLVMGetInstructionOpcode(i);
	if (op != LLVMAnd && op != LLVMFCmp) return;
	LLVMValueRef x = LLVMGetOperand(i, 0), y = LLVMGetOperand(i, 1);
	LLVMInstructionEraseFromParent(i);
	assay_erase(x);
	if (x != y) assay_erase(y);
}

// assay_next_cast takes away the next check of a conversion of a float, behind the branch b, or the first; it gives the
// branch of one that fails on every run.
static LLVMValueRef assay_next_cast(LLVMValueRef f, LLVMValueRef last) {
	LLVMBasicBlockRef b = last ? LLVMGetNextBasicBlock(LLVMGetInstructionParent(last)) : LLVMGetFirstBasicBlock(f);
	for (; b; b = LLVMGetNextBasicBlock(b)) {
		LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
		if (!end || !LLVMIsABranchInst(end) || !LLVMIsConditional(end) || !assay_cast_trap(LLVMGetSuccessor(end, 1))) continue;
		LLVMValueRef c = LLVMGetCondition(end);
		LLVMSetCondition(end, LLVMConstInt(LLVMTypeOf(c), 1, 0));
		if (LLVMIsAConstantInt(c) && !LLVMConstIntGetZExtValue(c)) return end;
		assay_erase(c);
	}
	return NULL;
}
*/
import "C"

import (
	"fmt"
	"unsafe"
)

// This file keeps the places where clang has folded an operation that is not defined to poison (1 << 40, (int)1e20): each
// poison integer becomes a call, before promotion and simplification carry it to other places. Of which operation it is
// the result nothing tells; that it was undefined is known by clang's check, which fails on every run, just before. The
// importer makes checks of conversions of floats itself, so clang's are taken away, but for those that always fail: where
// they are there is a call.

const (
	// PoisonPrefix begins the names of the functions, one for each width.
	PoisonPrefix = "assay.poison.i"
	// FoldedConversion is called where clang has folded a conversion of a float that does not fit.
	FoldedConversion = "assay.poison.conversion"
)

// keepPoison makes the poison integers of a function calls, and folded conversions.
func (s *Session) keepPoison(f C.LLVMValueRef) {
	builder := C.LLVMCreateBuilderInContext(s.context)
	defer C.LLVMDisposeBuilder(builder)
	empty := C.CString("")
	defer C.free(unsafe.Pointer(empty))
	call := func(before C.LLVMValueRef, function string, result C.LLVMTypeRef) C.LLVMValueRef {
		C.LLVMPositionBuilderBefore(builder, before)
		name := C.CString(function)
		defer C.free(unsafe.Pointer(name))
		t := C.LLVMFunctionType(result, nil, 0, 0)
		g := C.LLVMGetNamedFunction(s.module, name)
		if g == nil {
			g = C.LLVMAddFunction(s.module, name, t)
		}
		return C.LLVMBuildCall2(builder, t, g, nil, 0, empty)
	}
	for i := C.assay_next_cast(f, nil); i != nil; i = C.assay_next_cast(f, i) {
		call(i, FoldedConversion, C.LLVMVoidTypeInContext(s.context))
	}
	for i := C.assay_next_poison(f, nil); i != nil; i = C.assay_next_poison(f, i) {
		k := C.uint(C.assay_poison(i))
		before := i
		if C.LLVMIsAPHINode(i) != nil {
			before = C.LLVMGetBasicBlockTerminator(C.LLVMGetIncomingBlock(i, k))
		}
		integer := C.LLVMTypeOf(C.LLVMGetOperand(i, k))
		C.LLVMSetOperand(i, k, call(before, fmt.Sprint(PoisonPrefix, C.LLVMGetIntTypeWidth(integer)), integer))
	}
}
