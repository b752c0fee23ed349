package llvm

/*
#include <stdlib.h>
#include <string.h>
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

static int assay_is_extended(LLVMValueRef v) { return LLVMGetTypeKind(LLVMTypeOf(v)) == LLVMX86_FP80TypeKind; }

// assay_finds_argument says whether a pointer is where va_arg reads a long double.
static int assay_finds_argument(LLVMValueRef p) {
	for (LLVMUseRef u = LLVMGetFirstUse(p); u; u = LLVMGetNextUse(u)) {
		LLVMValueRef user = LLVMGetUser(u);
		if (LLVMIsALoadInst(user) && assay_is_extended(user)) return 1;
	}
	return 0;
}

// assay_computes says whether an instruction computes with numbers of x86's extended format.
static int assay_computes(LLVMValueRef i) {
	switch (LLVMGetInstructionOpcode(i)) {
	case LLVMFAdd: case LLVMFSub: case LLVMFMul: case LLVMFDiv: case LLVMFRem: case LLVMFNeg: case LLVMFCmp:
	case LLVMFPToSI: case LLVMFPToUI: case LLVMFPTrunc:
		return assay_is_extended(LLVMGetOperand(i, 0));
	case LLVMSIToFP: case LLVMUIToFP: case LLVMFPExt:
		return assay_is_extended(i);
	case LLVMCall: {
		LLVMValueRef f = LLVMGetCalledValue(i);
		size_t n;
		if (!LLVMIsAFunction(f) || !LLVMGetNumArgOperands(i)) return 0;
		if (!strncmp(LLVMGetValueName2(f, &n), "llvm.ptrmask", 12)) return assay_finds_argument(i);
		if (!assay_is_extended(LLVMGetOperand(i, 0))) return 0;
		return LLVMGetIntrinsicID(f) || !strcmp(LLVMGetValueName2(f, &n), "__assay_fmodl");
	}
	default:
		return 0;
	}
}

// assay_next_extended is the next instruction of a function that computes so, from i on, or from the first with i null.
static LLVMValueRef assay_next_extended(LLVMValueRef f, LLVMValueRef i) {
	LLVMBasicBlockRef b = i ? LLVMGetInstructionParent(i) : LLVMGetFirstBasicBlock(f);
	if (b && !i) i = LLVMGetFirstInstruction(b);
	for (;;) {
		for (; i; i = LLVMGetNextInstruction(i)) if (assay_computes(i)) return i;
		if (!b || !(b = LLVMGetNextBasicBlock(b))) return NULL;
		i = LLVMGetFirstInstruction(b);
	}
}
*/
import "C"

import (
	"strings"
	"unsafe"
)

// This file makes arithmetic of x86's extended format, long double, calls of functions on integers, which the library models
// define (models/extended.c). For the importer a number of that format is an integer of 80 bits: what moves,
// stores and passes it stays as it is.
//
//	%z = fadd x86_fp80 %x, %y     %z = call <2 x i64> @__assay_extended_add(<2 x i64> %x', <2 x i64> %y')
//
// where %x' are the bits of %x, extended to 128, as two words. Vectors are passed alike in both data models.

// ExtendedPrefix begins the names of the functions.
const ExtendedPrefix = "__assay_extended_"

// extendedOps are the instructions whose operands and result are of the format.
var extendedOps = map[Opcode]string{FAdd: "add", FSub: "sub", FMul: "mul", FDiv: "div", FRem: "rem", FNeg: "neg"}

// extendedIntrinsics are the intrinsics that are functions of the operands.
var extendedIntrinsics = map[string]string{
	"fabs": "abs", "copysign": "copysign", "sqrt": "sqrt", "fma": "fma", "floor": "floor", "ceil": "ceil", "trunc": "trunc",
	"round": "round", "roundeven": "roundeven", "rint": "rint", "nearbyint": "rint", "minnum": "min", "maxnum": "max",
	"__assay_fmodl": "rem", // no intrinsic, but what models call
}

// integerIntrinsics round before the number becomes an integer.
var integerIntrinsics = map[string]string{"lround": "round", "llround": "round", "lrint": "rint", "llrint": "rint"}

// Extended makes what the module computes with numbers of the format calls; it says whether there was anything.
// Half precision, integers of more than 64 bits and other intrinsics are left: the importer says that they are unsupported.
func (s *Session) Extended() (found bool) {
	var x *extended
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		for i := C.assay_next_extended(f, nil); i != nil; {
			if x == nil {
				x = newExtended(s)
				defer x.dispose()
			}
			next := C.LLVMGetNextInstruction(i) // a terminator is none of them
			C.LLVMPositionBuilderBefore(x.builder, i)
			if r := x.result(i); r != nil {
				C.LLVMReplaceAllUsesWith(i, r)
				C.LLVMInstructionEraseFromParent(i)
				found = true
			}
			i = C.assay_next_extended(f, next)
		}
	}
	return found
}

// extended is the work on a module.
type extended struct {
	s                               *Session
	builder                         C.LLVMBuilderRef
	number, bits, wide, words       C.LLVMTypeRef
	word, half, float, double, flag C.LLVMTypeRef
	empty                           *C.char
}

func newExtended(s *Session) *extended {
	integer := func(n C.uint) C.LLVMTypeRef { return C.LLVMIntTypeInContext(s.context, n) }
	return &extended{
		s: s, builder: C.LLVMCreateBuilderInContext(s.context),
		number: C.LLVMX86FP80TypeInContext(s.context), bits: integer(80), wide: integer(128), words: C.LLVMVectorType(integer(64), 2),
		word: integer(64), half: integer(32), flag: integer(1),
		float: C.LLVMFloatTypeInContext(s.context), double: C.LLVMDoubleTypeInContext(s.context),
		empty: C.CString(""),
	}
}

func (x *extended) dispose() {
	C.LLVMDisposeBuilder(x.builder)
	C.free(unsafe.Pointer(x.empty))
}

// result is what an instruction computes, nil if it is left.
func (x *extended) result(i C.LLVMValueRef) C.LLVMValueRef {
	operand := func(n C.uint) C.LLVMValueRef { return C.LLVMGetOperand(i, n) }
	op := Opcode(C.LLVMGetInstructionOpcode(i))
	if name, ok := extendedOps[op]; ok {
		if op == FNeg {
			return x.numbers(name, operand(0))
		}
		return x.numbers(name, operand(0), operand(1))
	}
	switch op {
	case FCmp:
		// The predicates are sets of the outcomes equal, greater, less and unordered, in this order of bits.
		outcome := x.call("compare", x.half, x.pack(operand(0)), x.pack(operand(1)))
		set := C.LLVMConstInt(x.half, C.ulonglong(C.LLVMGetFCmpPredicate(i)), 0)
		return C.LLVMBuildTrunc(x.builder, C.LLVMBuildLShr(x.builder, set, outcome, x.empty), x.flag, x.empty)
	case FPToSI, FPToUI:
		return x.integer(C.LLVMTypeOf(i), operand(0), op == FPToSI)
	case FPTrunc:
		switch t := C.LLVMTypeOf(i); t {
		case x.double:
			return C.LLVMBuildBitCast(x.builder, x.call("to_double", x.word, x.pack(operand(0))), t, x.empty)
		case x.float:
			return C.LLVMBuildBitCast(x.builder, x.call("to_float", x.half, x.pack(operand(0))), t, x.empty)
		}
	case FPExt:
		v := operand(0)
		if C.LLVMTypeOf(v) == x.float {
			v = C.LLVMBuildFPExt(x.builder, v, x.double, x.empty)
		}
		if C.LLVMTypeOf(v) == x.double {
			return x.unpack(x.call("from_double", x.words, C.LLVMBuildBitCast(x.builder, v, x.word, x.empty)))
		}
	case SIToFP, UIToFP:
		v := operand(0)
		if t := C.LLVMTypeOf(v); C.LLVMGetTypeKind(t) != C.LLVMIntegerTypeKind || C.LLVMGetIntTypeWidth(t) > 64 {
			return nil
		}
		if op == SIToFP {
			return x.unpack(x.call("from_signed", x.words, C.LLVMBuildSExt(x.builder, v, x.word, x.empty)))
		}
		return x.unpack(x.call("from_unsigned", x.words, C.LLVMBuildZExt(x.builder, v, x.word, x.empty)))
	case Call:
		return x.intrinsic(i)
	}
	return nil
}

func (x *extended) intrinsic(i C.LLVMValueRef) C.LLVMValueRef {
	base, _, _ := strings.Cut(strings.TrimPrefix(valueName(C.LLVMGetCalledValue(i)), "llvm."), ".f80")
	if base == "is.fpclass" {
		class := x.call("class", x.half, x.pack(C.LLVMGetOperand(i, 0)))
		both := C.LLVMBuildAnd(x.builder, class, C.LLVMGetOperand(i, 1), x.empty)
		return C.LLVMBuildICmp(x.builder, C.LLVMIntNE, both, C.LLVMConstNull(x.half), x.empty)
	}
	first := C.LLVMGetOperand(i, 0)
	if strings.HasPrefix(base, "ptrmask") {
		// va_arg goes to the next multiple of 16. Only of a long double it is known that it lies there.
		at := C.LLVMBuildPtrToInt(x.builder, first, x.s.word(), x.empty)
		to := C.LLVMBuildAnd(x.builder, at, C.LLVMGetOperand(i, 1), x.empty)
		by := C.LLVMBuildSub(x.builder, to, at, x.empty)
		return C.LLVMBuildGEP2(x.builder, C.LLVMInt8TypeInContext(x.s.context), first, &by, 1, x.empty)
	}
	if rounding, ok := integerIntrinsics[base]; ok {
		return x.integer(C.LLVMTypeOf(i), x.numbers(rounding, first), true)
	}
	if base == "fmuladd" { // as -ffp-contract=off makes it
		return x.numbers("add", x.numbers("mul", first, C.LLVMGetOperand(i, 1)), C.LLVMGetOperand(i, 2))
	}
	name, ok := extendedIntrinsics[base]
	if !ok {
		return nil
	}
	var operands []C.LLVMValueRef
	for n := range C.LLVMGetNumArgOperands(i) {
		operands = append(operands, C.LLVMGetOperand(i, C.uint(n)))
	}
	return x.numbers(name, operands...)
}

// numbers is a function of numbers that gives one.
func (x *extended) numbers(name string, operands ...C.LLVMValueRef) C.LLVMValueRef {
	for k, v := range operands {
		operands[k] = x.pack(v)
	}
	return x.unpack(x.call(name, x.words, operands...))
}

func (x *extended) pack(v C.LLVMValueRef) C.LLVMValueRef {
	bits := C.LLVMBuildBitCast(x.builder, v, x.bits, x.empty)
	return C.LLVMBuildBitCast(x.builder, C.LLVMBuildZExt(x.builder, bits, x.wide, x.empty), x.words, x.empty)
}

func (x *extended) unpack(v C.LLVMValueRef) C.LLVMValueRef {
	wide := C.LLVMBuildBitCast(x.builder, v, x.wide, x.empty)
	return C.LLVMBuildBitCast(x.builder, C.LLVMBuildTrunc(x.builder, wide, x.bits, x.empty), x.number, x.empty)
}

// integer is a number, rounded toward zero, in a type of integers; nil if that is too wide.
func (x *extended) integer(t C.LLVMTypeRef, v C.LLVMValueRef, isSigned bool) C.LLVMValueRef {
	if C.LLVMGetTypeKind(t) != C.LLVMIntegerTypeKind || C.LLVMGetIntTypeWidth(t) > 64 {
		return nil
	}
	signed := C.ulonglong(0)
	if isSigned {
		signed = 1
	}
	width := C.LLVMConstInt(x.half, C.ulonglong(C.LLVMGetIntTypeWidth(t)), 0)
	n := x.call("to_integer", x.word, x.pack(v), width, C.LLVMConstInt(x.flag, signed, 0))
	if t == x.word {
		return n
	}
	return C.LLVMBuildTrunc(x.builder, n, t, x.empty)
}

// call calls the function of a name, which it declares.
func (x *extended) call(name string, result C.LLVMTypeRef, operands ...C.LLVMValueRef) C.LLVMValueRef {
	types := make([]C.LLVMTypeRef, len(operands))
	for k, v := range operands {
		types[k] = C.LLVMTypeOf(v)
	}
	t := C.LLVMFunctionType(result, &types[0], C.uint(len(types)), 0)
	cname := C.CString(ExtendedPrefix + name)
	defer C.free(unsafe.Pointer(cname))
	f := C.LLVMGetNamedFunction(x.s.module, cname)
	if f == nil {
		f = C.LLVMAddFunction(x.s.module, cname, t)
	}
	return C.LLVMBuildCall2(x.builder, t, f, &operands[0], C.uint(len(operands)), x.empty)
}
