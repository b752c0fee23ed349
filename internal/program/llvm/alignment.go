package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/Target.h"
*/
import "C"

import (
	"unsafe"

	"assay/internal/run/lazyregexp"
)

// This file notes which accesses must be aligned, by calls of
//
//	assay.aligned(pointer, alignment, certain)
//
// in front of them. Promotion comes later: it would turn an access at a
// constant offset of a local into a value, and it could no longer be told that
// it was misaligned. The call keeps the local in memory. There is none where
// the alignment follows from that of the object and from the offsets, so that
// most locals are promoted as ever.
//
// Mostly the access itself says what its type asks. But clang gives an access
// the alignment of the declared object, if it sees it: *(short *)s.d, with a
// char array d, is marked "align 1", as an access to a packed struct is. So
// where an access asks less than its type does (natural), it depends on the
// place where its pointer comes from, directly:
//
//   - through a pointer that was loaded or computed, from a packed struct, or
//     where the object has a scalar of that size: what clang says is right. So it
//     is where the object would not give that alignment.
//   - from an object of another type, there is a cast in between, and the
//     natural alignment counts: certainly so, if the module has nothing that
//     asks less than its LLVM type: types with attributes, bit-fields. Else
//     the importer makes the answer unknown where such an access is misaligned.
//
// Arguments and results that are structs are moved in registers: these accesses
// are recognised by their position, which is that of the call or return.

// AlignedFunction is the name of the function that marks accesses.
const AlignedFunction = "assay.aligned"

// accessTo is what an instruction does with memory at a pointer.
type accessTo struct {
	pointer C.LLVMValueRef
	// align is what the instruction asks, natural what its type would.
	align, natural uint64
	// size is the number of bytes, 0 if it is not constant.
	size int64
	// copied says that the natural alignment is a guess: only the size is known.
	copied bool
}

// checkAlignments puts the calls in front of the accesses of a function.
func (p *preparation) checkAlignments(f C.LLVMValueRef) {
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		for i := C.LLVMGetFirstInstruction(b); i != nil; i = C.LLVMGetNextInstruction(i) {
			for _, a := range p.accesses(i) {
				align, certain := p.asked(i, a)
				if align > 1 && p.s.knownAlignment(a.pointer) < align {
					p.markAligned(i, a.pointer, align, certain)
				}
			}
		}
	}
}

func (p *preparation) accesses(i C.LLVMValueRef) []accessTo {
	typed := func(pointer C.LLVMValueRef, t C.LLVMTypeRef) []accessTo {
		if C.LLVMTypeIsSized(t) == 0 || C.LLVMGetTypeKind(t) == C.LLVMScalableVectorTypeKind {
			return nil
		}
		a := accessTo{pointer: pointer, align: uint64(C.LLVMGetAlignment(i)), size: p.s.storeSize(t)}
		if a.natural = a.align; a.size&(a.size-1) == 0 { // else it is a bit-field, or part of a struct
			a.natural = uint64(C.LLVMABIAlignmentOfType(p.s.layout, t))
		}
		return []accessTo{a}
	}
	switch C.LLVMGetInstructionOpcode(i) {
	case C.LLVMLoad:
		return typed(C.LLVMGetOperand(i, 0), C.LLVMTypeOf(i))
	case C.LLVMStore:
		return typed(C.LLVMGetOperand(i, 1), C.LLVMTypeOf(C.LLVMGetOperand(i, 0)))
	case C.LLVMAtomicRMW, C.LLVMAtomicCmpXchg:
		return typed(C.LLVMGetOperand(i, 0), C.LLVMTypeOf(C.LLVMGetOperand(i, 1)))
	case C.LLVMCall:
		return p.argumentAccesses(i)
	}
	return nil
}

// argumentAccesses are those of copies, fills, and arguments passed by value.
func (p *preparation) argumentAccesses(call C.LLVMValueRef) (list []accessTo) {
	attribute := func(k int, kind C.uint) C.LLVMAttributeRef {
		return C.LLVMGetCallSiteEnumAttribute(call, C.LLVMAttributeIndex(k+1), kind)
	}
	byVal := attributeKind("byval")
	intrinsic := intrinsicOf(call)
	for k := range int(C.LLVMGetNumArgOperands(call)) {
		a := accessTo{pointer: C.LLVMGetOperand(call, C.uint(k))}
		switch {
		case intrinsic == memset && k == 0, (intrinsic == memcpy || intrinsic == memmove) && k <= 1:
			if n := attribute(k, attributeKind("align")); n != nil {
				a.align = uint64(C.LLVMGetEnumAttributeValue(n))
			}
			a.natural = a.align
			if n := constantLength(call); intrinsic != memset && n > 0 && !isInitialiser(C.LLVMGetOperand(call, 1)) {
				a.size = n
				a.natural, a.copied = p.copiedAlignment(C.LLVMGetOperand(call, C.uint(1-k)), n)
			}
		case intrinsic == 0 && attribute(k, byVal) != nil:
			a.align = uint64(C.LLVMABIAlignmentOfType(p.s.layout, C.LLVMGetTypeAttributeValue(attribute(k, byVal))))
			a.natural = a.align
		default:
			continue
		}
		list = append(list, a)
	}
	return list
}

// copiedAlignment is the natural alignment of the struct that a copy copies, if the other
// side of the copy shows it. Structs of the source have names. Else it is the most
// that a struct of this size can ask.
func (p *preparation) copiedAlignment(other C.LLVMValueRef, n int64) (align uint64, guessed bool) {
	if t, direct := p.s.pointee(other); direct && isNamedStruct(t) && p.s.storeSize(t) == n {
		return uint64(C.LLVMABIAlignmentOfType(p.s.layout, t)), false
	}
	return uint64(min(n&-n, 16)), true
}

func isNamedStruct(t C.LLVMTypeRef) bool {
	return C.LLVMGetTypeKind(t) == C.LLVMStructTypeKind && C.LLVMGetStructName(t) != nil
}

// isInitialiser recognises the sources of copies that initialise objects.
func isInitialiser(v C.LLVMValueRef) bool {
	return C.LLVMIsAGlobalVariable(v) != nil && (C.LLVMGetLinkage(v) == C.LLVMPrivateLinkage || valueName(v) == NondetObject)
}

// asked is the alignment that an access asks.
func (p *preparation) asked(i C.LLVMValueRef, a accessTo) (align uint64, certain bool) {
	if a.natural <= a.align || !p.s.FromSource || p.s.knownAlignment(a.pointer) < a.align {
		return a.align, true
	}
	t, direct := p.s.pointee(a.pointer)
	if !direct || p.s.startsWith(t, a.size) && !p.isCast(i, t, a) {
		return a.align, true
	}
	return a.natural, !a.copied && !p.mayAskLess()
}

// pointee is the type that the object has at the pointer: the pointer is an object, or
// an element of one, and on the way there is no packed struct.
func (s *Session) pointee(pointer C.LLVMValueRef) (t C.LLVMTypeRef, direct bool) {
	for v := pointer; ; v = C.LLVMGetOperand(v, 0) {
		switch {
		case C.LLVMIsAAllocaInst(v) != nil:
			if t == nil {
				t = C.LLVMGetAllocatedType(v)
			}
		case C.LLVMIsAGlobalVariable(v) != nil:
			if t == nil {
				t = C.LLVMGlobalGetValueType(v)
			}
		case C.LLVMIsAGetElementPtrInst(v) != nil || C.LLVMIsAConstantExpr(v) != nil && C.LLVMGetConstOpcode(v) == C.LLVMGetElementPtr:
			element, packed := elementType(v)
			if packed {
				return nil, false
			}
			if t == nil {
				t = element
			}
			continue
		default:
			return nil, false
		}
		return t, !isPacked(t)
	}
}

func isPacked(t C.LLVMTypeRef) bool {
	return C.LLVMGetTypeKind(t) == C.LLVMStructTypeKind && C.LLVMIsPackedStruct(t) != 0
}

// elementType is the type that a getelementptr ends at.
func elementType(gep C.LLVMValueRef) (t C.LLVMTypeRef, packed bool) {
	t = C.LLVMGetGEPSourceElementType(gep)
	packed = isPacked(t)
	for k := 2; k < int(C.LLVMGetNumOperands(gep)); k++ {
		if C.LLVMGetTypeKind(t) == C.LLVMStructTypeKind {
			t = C.LLVMStructGetTypeAtIndex(t, C.uint(C.LLVMConstIntGetZExtValue(C.LLVMGetOperand(gep, C.uint(k)))))
		} else {
			t = C.LLVMGetElementType(t)
		}
		packed = packed || isPacked(t)
	}
	return t, packed
}

// startsWith says whether the type, or what it begins with, has the size. A
// getelementptr with zeros of a constant is the constant.
func (s *Session) startsWith(t C.LLVMTypeRef, size int64) bool {
	for C.LLVMTypeIsSized(t) != 0 && s.storeSize(t) >= size {
		if s.storeSize(t) == size {
			return true
		}
		switch C.LLVMGetTypeKind(t) {
		case C.LLVMStructTypeKind:
			if C.LLVMCountStructElementTypes(t) == 0 {
				return false
			}
			t = C.LLVMStructGetTypeAtIndex(t, 0)
		case C.LLVMArrayTypeKind:
			t = C.LLVMGetElementType(t)
		default:
			return false
		}
	}
	return false
}

// isCast says whether a scalar access reads or writes a whole aggregate, but for the
// ones that move structs from and to registers.
func (p *preparation) isCast(i C.LLVMValueRef, t C.LLVMTypeRef, a accessTo) bool {
	switch C.LLVMGetTypeKind(t) {
	case C.LLVMStructTypeKind, C.LLVMArrayTypeKind:
	default:
		return false
	}
	switch C.LLVMGetInstructionOpcode(i) {
	case C.LLVMCall: // copies to and from registers are copies of structs without name
		return !a.copied && (isNamedStruct(t) || C.LLVMGetTypeKind(t) == C.LLVMArrayTypeKind)
	case C.LLVMLoad:
		use := C.LLVMGetFirstUse(i)
		if use == nil || C.LLVMGetNextUse(use) != nil {
			return true
		}
		user := C.LLVMGetUser(use)
		switch C.LLVMGetInstructionOpcode(user) {
		case C.LLVMCall, C.LLVMRet, C.LLVMInsertValue:
			return !samePosition(i, user)
		}
	case C.LLVMStore:
		v := C.LLVMGetOperand(i, 0)
		if C.LLVMIsAArgument(v) != nil {
			return false
		}
		if C.LLVMIsAExtractValueInst(v) != nil {
			v = C.LLVMGetOperand(v, 0)
		}
		if C.LLVMIsACallInst(v) != nil {
			return !samePosition(i, v)
		}
	}
	return true
}

func samePosition(a, b C.LLVMValueRef) bool {
	x, y := C.LLVMInstructionGetDebugLoc(a), C.LLVMInstructionGetDebugLoc(b)
	if x == nil || y == nil {
		return x == y
	}
	return C.LLVMDILocationGetLine(x) == C.LLVMDILocationGetLine(y) && C.LLVMDILocationGetColumn(x) == C.LLVMDILocationGetColumn(y)
}

// lessAligned finds packed structs, types with an attribute, and bit-fields in
// the text of a module.
var lessAligned = lazyregexp.New(`<\{|DW_TAG_(?:typedef|member|structure_type|union_type)[^\n]*align: |DIFlagBitField`)

// mayAskLess says whether the module has types that ask less than LLVM's types do.
func (p *preparation) mayAskLess() bool {
	if !p.looked {
		p.looked, p.asksLess = true, lessAligned.MatchString(p.s.Text())
	}
	return p.asksLess
}

// knownAlignment is what the object and the offsets give a pointer.
func (s *Session) knownAlignment(v C.LLVMValueRef) uint64 {
	const most = 1 << 32
	switch {
	case C.LLVMIsAAllocaInst(v) != nil:
		return uint64(C.LLVMGetAlignment(v))
	case C.LLVMIsAGlobalVariable(v) != nil:
		return uint64(C.LLVMGetAlignment(v))
	case C.LLVMIsAGetElementPtrInst(v) != nil || C.LLVMIsAConstantExpr(v) != nil && C.LLVMGetConstOpcode(v) == C.LLVMGetElementPtr:
	default:
		return 1
	}
	known := s.knownAlignment(C.LLVMGetOperand(v, 0))
	divide := func(n uint64) {
		if n != 0 {
			known = min(known, n&-n)
		}
	}
	t := C.LLVMGetGEPSourceElementType(v)
	for k := 1; k < int(C.LLVMGetNumOperands(v)); k++ {
		index := C.LLVMGetOperand(v, C.uint(k))
		constant := C.LLVMIsAConstantInt(index) != nil && C.LLVMGetIntTypeWidth(C.LLVMTypeOf(index)) <= 64
		if k > 1 {
			if C.LLVMGetTypeKind(t) == C.LLVMStructTypeKind {
				if !constant {
					return 1
				}
				n := C.uint(C.LLVMConstIntGetZExtValue(index))
				divide(uint64(C.LLVMOffsetOfElement(s.layout, t, n)))
				t = C.LLVMStructGetTypeAtIndex(t, n)
				continue
			}
			t = C.LLVMGetElementType(t)
		}
		if C.LLVMTypeIsSized(t) == 0 || C.LLVMGetTypeKind(t) == C.LLVMScalableVectorTypeKind {
			return 1
		}
		size := uint64(C.LLVMABISizeOfType(s.layout, t))
		if constant {
			n := uint64(C.LLVMConstIntGetSExtValue(index))
			if size >= most || n+most >= 2*most {
				return 1
			}
			divide(n * size)
			continue
		}
		divide(size)
	}
	return known
}

// markAligned puts the call in front of the instruction.
func (p *preparation) markAligned(i, pointer C.LLVMValueRef, align uint64, certain bool) {
	word, bit := C.LLVMInt64TypeInContext(p.s.context), C.LLVMInt1TypeInContext(p.s.context)
	types := [3]C.LLVMTypeRef{C.LLVMPointerTypeInContext(p.s.context, 0), word, bit}
	t := C.LLVMFunctionType(C.LLVMVoidTypeInContext(p.s.context), &types[0], 3, 0)
	f := p.s.function(AlignedFunction)
	if f == nil {
		name := C.CString(AlignedFunction)
		defer C.free(unsafe.Pointer(name))
		f = C.LLVMAddFunction(p.s.module, name, t)
	}
	flag := C.ulonglong(0)
	if certain {
		flag = 1
	}
	args := [3]C.LLVMValueRef{pointer, C.LLVMConstInt(word, C.ulonglong(align), 0), C.LLVMConstInt(bit, flag, 0)}
	C.LLVMPositionBuilderBefore(p.builder, i)
	C.LLVMSetCurrentDebugLocation2(p.builder, C.LLVMInstructionGetDebugLoc(i))
	empty := C.CString("")
	defer C.free(unsafe.Pointer(empty))
	C.LLVMBuildCall2(p.builder, t, f, &args[0], 3, empty)
}
