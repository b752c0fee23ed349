package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"
*/
import "C"

// typeOf copies a type. Only structs can be recursive in LLVM, and with opaque
// pointers not even they are, so that the recursion ends.
func (c *copier) typeOf(t C.LLVMTypeRef) *Type {
	if known, ok := c.types[t]; ok {
		return known
	}
	text := C.LLVMPrintTypeToString(t)
	n := &Type{Text: C.GoString(text)}
	C.LLVMDisposeMessage(text)
	switch C.LLVMGetTypeKind(t) {
	case C.LLVMVoidTypeKind:
		n.Kind = VoidType
	case C.LLVMIntegerTypeKind:
		n.Kind, n.Bits = IntType, uint32(C.LLVMGetIntTypeWidth(t))
	case C.LLVMPointerTypeKind:
		n.Kind = PointerType
		if C.LLVMGetPointerAddressSpace(t) != 0 {
			n.Kind = OtherType
		}
	case C.LLVMHalfTypeKind:
		n.Kind = HalfType
	case C.LLVMFloatTypeKind:
		n.Kind = FloatType
	case C.LLVMDoubleTypeKind:
		n.Kind = DoubleType
	case C.LLVMX86_FP80TypeKind:
		n.Kind = ExtendedType
	case C.LLVMBFloatTypeKind, C.LLVMFP128TypeKind, C.LLVMPPC_FP128TypeKind:
		n.Kind = OtherFloatType
	case C.LLVMVectorTypeKind:
		n.Kind, n.Len = VectorType, uint64(C.LLVMGetVectorSize(t))
		n.Elem = c.typeOf(C.LLVMGetElementType(t))
	case C.LLVMArrayTypeKind:
		n.Kind, n.Len = ArrayType, uint64(C.LLVMGetArrayLength2(t))
		n.Elem = c.typeOf(C.LLVMGetElementType(t))
	case C.LLVMStructTypeKind:
		n.Kind = StructType
		sized := C.LLVMTypeIsSized(t) != 0
		for i := range C.LLVMCountStructElementTypes(t) {
			n.Fields = append(n.Fields, c.typeOf(C.LLVMStructGetTypeAtIndex(t, i)))
			if sized {
				n.Offsets = append(n.Offsets, uint64(C.LLVMOffsetOfElement(c.s.layout, t, i)))
			}
		}
	case C.LLVMFunctionTypeKind:
		n.Kind = FunctionType
		n.Return = c.typeOf(C.LLVMGetReturnType(t))
		n.Variadic = C.LLVMIsFunctionVarArg(t) != 0
		if count := C.LLVMCountParamTypes(t); count > 0 {
			params := make([]C.LLVMTypeRef, count)
			C.LLVMGetParamTypes(t, &params[0])
			for _, p := range params {
				n.Params = append(n.Params, c.typeOf(p))
			}
		}
	default:
		n.Kind = OtherType
	}
	if n.Kind != VoidType && n.Kind != FunctionType && C.LLVMTypeIsSized(t) != 0 && C.LLVMGetTypeKind(t) != C.LLVMScalableVectorTypeKind {
		n.Sized = true
		n.Size = uint64(C.LLVMABISizeOfType(c.s.layout, t))
		n.StoreSize = uint64(C.LLVMStoreSizeOfType(c.s.layout, t))
		n.Align = uint64(C.LLVMABIAlignmentOfType(c.s.layout, t))
	}
	c.types[t] = n
	return n
}
