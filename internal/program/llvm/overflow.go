package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"

// assay_binary says whether a value is such an operation, of an instruction.
static int assay_binary(LLVMValueRef v, LLVMOpcode op, LLVMValueRef *a, LLVMValueRef *b) {
	if (!LLVMIsAInstruction(v) || LLVMGetInstructionOpcode(v) != op)
		return 0;
	*a = LLVMGetOperand(v, 0);
	*b = LLVMGetOperand(v, 1);
	return 1;
}

// assay_constant says whether a value is a constant integer.
static int assay_constant(LLVMValueRef v, unsigned long long n) {
	return LLVMIsAConstantInt(v) && LLVMGetIntTypeWidth(LLVMTypeOf(v)) <= 64 && LLVMConstIntGetZExtValue(v) == n;
}
*/
import "C"

import "unsafe"

// This file gives the overflow flag its meaning. In lifted programs that of y = x - c is, with the signs
// s = y >> (w-1) and t = x >> (w-1),
//
//	((s ^ t) + t) == 2        the signs are 0 and 1
//
// which is true if and only if y >= 0 and x < 0: engines that think in integers see that. If the shifts are
// arithmetic, which C printers without unsigned types make of them, s and t are 0 or -1, and it is false.

// overflowFlags replaces these comparisons in a function.
func (s *Session) overflowFlags(f C.LLVMValueRef) {
	builder := C.LLVMCreateBuilderInContext(s.context)
	defer C.LLVMDisposeBuilder(builder)
	empty := C.CString("")
	defer C.free(unsafe.Pointer(empty))
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		for i := C.LLVMGetFirstInstruction(b); i != nil; i = C.LLVMGetNextInstruction(i) {
			var sum, two, xor, t, u, v C.LLVMValueRef
			if C.LLVMIsAICmpInst(i) == nil || C.LLVMGetICmpPredicate(i) != C.LLVMIntEQ {
				continue
			}
			sum, two = C.LLVMGetOperand(i, 0), C.LLVMGetOperand(i, 1)
			if C.assay_constant(two, 2) == 0 || C.assay_binary(sum, C.LLVMAdd, &xor, &t) == 0 {
				continue
			}
			if C.assay_binary(xor, C.LLVMXor, &u, &v) == 0 {
				xor, t = t, xor
				if C.assay_binary(xor, C.LLVMXor, &u, &v) == 0 {
					continue
				}
			}
			if u == t {
				u, v = v, u
			}
			if v != t {
				continue
			}
			y, logicalY := signOf(u)
			x, logicalX := signOf(t)
			if y == nil || x == nil || logicalX != logicalY {
				continue
			}
			kind := C.LLVMTypeOf(x)
			if kind != C.LLVMTypeOf(y) {
				continue
			}
			value := C.LLVMConstInt(C.LLVMTypeOf(i), 0, 0)
			if logicalX {
				C.LLVMPositionBuilderBefore(builder, i)
				zero := C.LLVMConstInt(kind, 0, 0)
				value = C.LLVMBuildAnd(builder, C.LLVMBuildICmp(builder, C.LLVMIntSGE, y, zero, empty), C.LLVMBuildICmp(builder, C.LLVMIntSLT, x, zero, empty), empty)
			}
			C.LLVMReplaceAllUsesWith(i, value)
		}
	}
}

// signOf is the number whose sign, 0 or 1 if it is logical, else 0 or -1, a value is; nil if it is none.
func signOf(v C.LLVMValueRef) (of C.LLVMValueRef, logical bool) {
	var n, shift C.LLVMValueRef
	logical = C.assay_binary(v, C.LLVMLShr, &n, &shift) != 0
	if !logical && C.assay_binary(v, C.LLVMAShr, &n, &shift) == 0 {
		return nil, false
	}
	if C.assay_constant(shift, C.ulonglong(C.LLVMGetIntTypeWidth(C.LLVMTypeOf(n))-1)) == 0 {
		return nil, false
	}
	return n, logical
}
