package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"
*/
import "C"

import (
	"math/big"
	"strings"
	"unsafe"

	"assay/internal/logic/bv"
)

// This file copies operands. Globals and functions that an operand names are
// put on the copier's list: what is reachable is what gets copied.

// value copies an operand that is not local to the function being copied.
func (c *copier) value(v C.LLVMValueRef) Value {
	if known, ok := c.values[v]; ok {
		return known
	}
	var n Value
	switch C.LLVMGetValueKind(v) {
	case C.LLVMFunctionValueKind:
		return c.function(v)
	case C.LLVMGlobalVariableValueKind:
		return c.global(v)
	case C.LLVMGlobalAliasValueKind:
		// An alias may lead to another one; LLVM's verifier forbids cycles.
		n = c.value(C.LLVMAliasGetAliasee(v))
	case C.LLVMBasicBlockValueKind:
		return c.block(C.LLVMValueAsBasicBlock(v))
	case C.LLVMInlineAsmValueKind:
		n = c.asm(v)
	case C.LLVMBlockAddressValueKind:
		c.function(C.LLVMGetBlockAddressFunction(v))
		n = &Expr{Op: BlockAddress, Type: c.typeOf(C.LLVMTypeOf(v)), Args: []Value{c.block(C.LLVMGetBlockAddressBasicBlock(v))}}
	case C.LLVMConstantExprValueKind:
		n = c.expression(v)
	default:
		n = c.constant(v)
	}
	c.values[v] = n
	return n
}

func (c *copier) expression(v C.LLVMValueRef) Value {
	e := &Expr{Op: Opcode(C.LLVMGetConstOpcode(v)), Type: c.typeOf(C.LLVMTypeOf(v))}
	if e.Op == GetElementPtr {
		e.Elem = c.typeOf(C.LLVMGetGEPSourceElementType(v))
	}
	for i := range C.LLVMGetNumOperands(v) {
		e.Args = append(e.Args, c.value(C.LLVMGetOperand(v, C.uint(i))))
	}
	return e
}

func (c *copier) asm(v C.LLVMValueRef) Value {
	var n C.size_t
	text := C.LLVMGetInlineAsmAsmString(v, &n)
	a := &Asm{Text: C.GoStringN(text, C.int(n)), Type: c.typeOf(C.LLVMGetInlineAsmFunctionType(v))}
	constraints := C.LLVMGetInlineAsmConstraintString(v, &n)
	a.Constraints = C.GoStringN(constraints, C.int(n))
	return a
}

func (c *copier) constant(v C.LLVMValueRef) Value {
	n := &Const{Type: c.typeOf(C.LLVMTypeOf(v)), Kind: OtherConst}
	switch C.LLVMGetValueKind(v) {
	case C.LLVMUndefValueValueKind:
		n.Kind = UndefConst
	case C.LLVMPoisonValueValueKind:
		n.Kind = PoisonConst
	case C.LLVMConstantPointerNullValueKind, C.LLVMConstantAggregateZeroValueKind, C.LLVMConstantTargetNoneValueKind:
		n.Kind = ZeroConst
	case C.LLVMConstantIntValueKind:
		if n.Type.Kind == IntType {
			n.Kind, n.Bits = IntConst, integer(v, n.Type.Bits)
		}
	case C.LLVMConstantFPValueKind:
		bits := floatBits[n.Type.Kind]
		if n.Type.Kind == OtherFloatType {
			bits = uint32(C.LLVMSizeOfTypeInBits(c.s.layout, C.LLVMTypeOf(v)))
		}
		if bits != 0 {
			// The bit pattern, because a NaN would not survive a conversion.
			n.Kind, n.Bits = FloatConst, integer(C.LLVMConstBitCast(v, C.LLVMIntTypeInContext(c.s.context, C.uint(bits))), bits)
		}
	case C.LLVMConstantDataArrayValueKind:
		if C.LLVMIsConstantString(v) != 0 {
			var size C.size_t
			p := C.LLVMGetAsString(v, &size)
			n.Kind, n.Bytes = BytesConst, C.GoBytes(unsafe.Pointer(p), C.int(size))
			break
		}
		c.elements(n, v, n.Type.Len)
	case C.LLVMConstantDataVectorValueKind, C.LLVMConstantArrayValueKind, C.LLVMConstantVectorValueKind:
		c.elements(n, v, n.Type.Len)
	case C.LLVMConstantStructValueKind:
		c.elements(n, v, uint64(len(n.Type.Fields)))
	}
	return n
}

// elements copies the elements of an aggregate constant.
func (c *copier) elements(n *Const, v C.LLVMValueRef, count uint64) {
	n.Kind, n.Elems = AggregateConst, make([]Value, count)
	for i := range n.Elems {
		n.Elems[i] = c.value(C.LLVMGetAggregateElement(v, C.uint(i)))
	}
}

var floatBits = map[TypeKind]uint32{HalfType: 16, FloatType: 32, DoubleType: 64, ExtendedType: 80}

// integer reads an integer constant. The C API has no access to more than 64
// bits except through the printed text.
func integer(v C.LLVMValueRef, bits uint32) bv.BV {
	if bits <= 64 {
		return bv.New(bits, uint64(C.LLVMConstIntGetZExtValue(v)))
	}
	p := C.LLVMPrintValueToString(v)
	text := C.GoString(p)
	C.LLVMDisposeMessage(p)
	number, ok := new(big.Int).SetString(text[strings.LastIndexByte(text, ' ')+1:], 10)
	if !ok {
		panic("llvm: integer constant printed as " + text)
	}
	return bv.FromBig(bits, number)
}
