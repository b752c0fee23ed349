package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/Target.h"

// assay_number is the number that a pointer is made of; NULL if it is not made of one.
static LLVMValueRef assay_number(LLVMValueRef v) {
	if (LLVMIsAConstantExpr(v) && LLVMGetConstOpcode(v) == LLVMIntToPtr)
		return LLVMGetOperand(v, 0);
	if (LLVMIsAIntToPtrInst(v))
		return LLVMGetOperand(v, 0);
	return NULL;
}
*/
import "C"

import (
	"slices"
	"unsafe"
)

// This file makes programs that other tools have lifted from machine code look like programs. In these,
// registers are fields of an object that all functions get, and the stack is reached by numbers in one of
// them. DarkSea makes variables of the fields [Liu §4.3]; here all functions are inlined, the object, which is a
// local of main, is split into values, and numbers that are addresses in an object whose place is fixed become
// pointers into it. Then the slots of the stack are locals, too.
//
//	(1) PlaceFunction(object, address) is called in main for each object whose place is fixed. The calls
//	    are taken away in the end.
//	(2) A pointer that is made of a constant address within such an object is the pointer into it, and one that is
//	    made of a choice among such addresses is the choice among the pointers. Others are left alone.
//	    So are globals whose addresses the program makes numbers of: they get places, too.
//	(3) Rounds end when none becomes one: each makes values of slots, which may be the addresses of others.
//
// LLVM's passes are trusted with the lifted program (always-inline, sroa, early-cse, instsimplify, instcombine, dse, adce). They may use
// its undefined behaviour: the code is compiled so that arithmetic wraps and types do not matter for aliases.

// PlaceFunction is the function that says where an object is.
const PlaceFunction = "assay_place"

// maxFlattenRounds bounds the rounds.
const maxFlattenRounds = 12

// Flatten inlines all functions into the root, but those that are kept, and resolves the addresses of
// objects whose places are fixed.
func (s *Session) Flatten(root string, kept ...string) error {
	inline := s.enumAttribute("alwaysinline")
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		if n := valueName(f); C.LLVMIsDeclaration(f) == 0 && n != root && !slices.Contains(kept, n) {
			for _, contrary := range []string{"noinline", "optnone"} {
				C.LLVMRemoveEnumAttributeAtIndex(f, functionIndex, attributeKind(contrary))
			}
			C.LLVMAddAttributeAtIndex(f, functionIndex, inline)
		}
	}
	if err := s.runPasses("always-inline,function(sroa,instsimplify,sroa,instsimplify,early-cse<memssa>)"); err != nil {
		return err
	}
	f, place := s.function(root), s.function(PlaceFunction)
	if f == nil {
		return nil
	}
	builder := C.LLVMCreateBuilderInContext(s.context)
	defer C.LLVMDisposeBuilder(builder)
	globals := s.placeGlobals()
	for round := range maxFlattenRounds {
		list := globals
		if place != nil {
			list = append(s.places(place), globals...)
		}
		found := s.resolve(builder, f, list)
		for g := C.LLVMGetFirstFunction(s.module); g != nil; g = C.LLVMGetNextFunction(g) {
			if g != f && len(globals) > 0 {
				s.resolve(builder, g, globals)
			}
		}
		if err := s.runPasses("function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>)"); err != nil {
			return err
		}
		if !found && round > 1 { // the first only folds constants
			break
		}
	}
	if place != nil {
		eraseCalls(place)
	}
	s.overflowFlags(f)
	return s.runPasses("function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,dse,adce,sroa,instcombine<no-verify-fixpoint>)")
}

// enumAttribute is an attribute of LLVM's without value.
func (s *Session) enumAttribute(name string) C.LLVMAttributeRef {
	return C.LLVMCreateEnumAttribute(s.context, attributeKind(name), 0)
}

// placed is an object and its address.
type placed struct {
	object  C.LLVMValueRef
	address uint64
	size    uint64
}

// places reads the calls of PlaceFunction.
func (s *Session) places(f C.LLVMValueRef) (list []placed) {
	for use := C.LLVMGetFirstUse(f); use != nil; use = C.LLVMGetNextUse(use) {
		call := C.LLVMGetUser(use)
		object, address := C.LLVMGetOperand(call, 0), C.LLVMGetOperand(call, 1)
		if C.LLVMIsAAllocaInst(object) == nil || C.LLVMIsAConstantInt(address) == nil {
			continue
		}
		size := uint64(C.LLVMABISizeOfType(s.layout, C.LLVMGetAllocatedType(object)))
		list = append(list, placed{object, uint64(C.LLVMConstIntGetZExtValue(address)), size})
	}
	return list
}

// firstGlobal is where globals are placed whose addresses are numbers in the program.
const firstGlobal = 0x10000000

// placeGlobals gives addresses to the globals that are made numbers. Until they are resolved, all uses are of these.
func (s *Session) placeGlobals() (list []placed) {
	next := uint64(firstGlobal)
	word := C.LLVMIntTypeInContext(s.context, C.uint(s.PointerBits()))
	for g := C.LLVMGetFirstGlobal(s.module); g != nil; g = C.LLVMGetNextGlobal(g) {
		if C.LLVMIsDeclaration(g) != 0 || !isNumber(g) {
			continue
		}
		size := uint64(C.LLVMABISizeOfType(s.layout, C.LLVMGlobalGetValueType(g)))
		list = append(list, placed{g, next, size})
		C.LLVMReplaceAllUsesWith(g, C.LLVMConstIntToPtr(C.LLVMConstInt(word, C.ulonglong(next), 0), C.LLVMTypeOf(g)))
		next += (size + 0xffff) &^ 0xfff
	}
	return list
}

// isNumber says whether a number is made of a pointer, or of one that is made of it.
func isNumber(v C.LLVMValueRef) bool {
	for use := C.LLVMGetFirstUse(v); use != nil; use = C.LLVMGetNextUse(use) {
		user := C.LLVMGetUser(use)
		switch {
		case C.LLVMIsAPtrToIntInst(user) != nil:
			return true
		case C.LLVMIsAConstantExpr(user) != nil && (C.LLVMGetConstOpcode(user) == C.LLVMPtrToInt || isNumber(user)):
			return true
		case C.LLVMIsAGetElementPtrInst(user) != nil && isNumber(user):
			return true
		}
	}
	return false
}

// resolve makes pointers into the objects of constant addresses, and says whether there were some.
func (s *Session) resolve(builder C.LLVMBuilderRef, f C.LLVMValueRef, list []placed) bool {
	r := resolution{s: s, builder: builder, list: list, phis: map[C.LLVMValueRef]C.LLVMValueRef{}, empty: C.CString("")}
	defer C.free(unsafe.Pointer(r.empty))
	found := false
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		for i := C.LLVMGetFirstInstruction(b); i != nil; i = C.LLVMGetNextInstruction(i) {
			if C.LLVMIsAPHINode(i) != nil {
				continue
			}
			for k := range C.uint(C.LLVMGetNumOperands(i)) {
				n := C.assay_number(C.LLVMGetOperand(i, k))
				same := func(x uint64) uint64 { return x }
				if n == nil || !r.isAddress(n, same, nil) {
					continue
				}
				C.LLVMSetOperand(i, k, r.pointer(n, i, same))
				found = true
			}
		}
	}
	return found
}

// resolution is one round.
type resolution struct {
	s       *Session
	builder C.LLVMBuilderRef
	list    []placed
	phis    map[C.LLVMValueRef]C.LLVMValueRef // made for those of numbers
	empty   *C.char
}

// at is the object at an address.
func (r *resolution) at(address uint64) (placed, bool) {
	for _, p := range r.list {
		if address-p.address < p.size {
			return p, true
		}
	}
	return placed{}, false
}

// widened is the operand of an extension, and what that makes of a constant.
func (r *resolution) widened(n C.LLVMValueRef, then func(uint64) uint64) (C.LLVMValueRef, func(uint64) uint64) {
	signed := C.LLVMIsASExtInst(n) != nil
	if !signed && C.LLVMIsAZExtInst(n) == nil {
		return nil, nil
	}
	operand := C.LLVMGetOperand(n, 0)
	shift := 64 - C.LLVMGetIntTypeWidth(C.LLVMTypeOf(operand))
	return operand, func(x uint64) uint64 {
		if signed {
			return then(uint64(int64(x<<shift) >> shift))
		}
		return then(x << shift >> shift)
	}
}

// isAddress says whether a number is a constant address in an object, or a choice among such; then is what
// happens to it before it is used.
func (r *resolution) isAddress(n C.LLVMValueRef, then func(uint64) uint64, seen []C.LLVMValueRef) bool {
	if slices.Contains(seen, n) {
		return true
	}
	if C.LLVMIsAConstantInt(n) != nil {
		_, ok := r.at(then(uint64(C.LLVMConstIntGetZExtValue(n))))
		return ok
	}
	if operand, wide := r.widened(n, then); operand != nil {
		return r.isAddress(operand, wide, seen)
	}
	seen = append(seen, n)
	switch {
	case C.LLVMIsAPHINode(n) != nil:
		for k := range C.uint(C.LLVMCountIncoming(n)) {
			if !r.isAddress(C.LLVMGetIncomingValue(n, k), then, seen) {
				return false
			}
		}
		return true
	case C.LLVMIsASelectInst(n) != nil:
		return r.isAddress(C.LLVMGetOperand(n, 1), then, seen) && r.isAddress(C.LLVMGetOperand(n, 2), then, seen)
	}
	return false
}

// pointer is the pointer that an address (isAddress) is, for use before an instruction.
func (r *resolution) pointer(n, before C.LLVMValueRef, then func(uint64) uint64) C.LLVMValueRef {
	if C.LLVMIsAConstantInt(n) != nil {
		address := then(uint64(C.LLVMConstIntGetZExtValue(n)))
		p, _ := r.at(address)
		C.LLVMPositionBuilderBefore(r.builder, before)
		index := C.LLVMConstInt(C.LLVMInt64TypeInContext(r.s.context), C.ulonglong(address-p.address), 0)
		return C.LLVMBuildGEP2(r.builder, C.LLVMInt8TypeInContext(r.s.context), p.object, &index, 1, r.empty)
	}
	if operand, wide := r.widened(n, then); operand != nil {
		return r.pointer(operand, before, wide)
	}
	if C.LLVMIsASelectInst(n) != nil {
		yes, no := r.pointer(C.LLVMGetOperand(n, 1), n, then), r.pointer(C.LLVMGetOperand(n, 2), n, then)
		C.LLVMPositionBuilderBefore(r.builder, n)
		return C.LLVMBuildSelect(r.builder, C.LLVMGetOperand(n, 0), yes, no, r.empty)
	}
	if p := r.phis[n]; p != nil {
		return p
	}
	C.LLVMPositionBuilderBefore(r.builder, n)
	phi := C.LLVMBuildPhi(r.builder, C.LLVMPointerTypeInContext(r.s.context, 0), r.empty)
	r.phis[n] = phi
	for k := range C.uint(C.LLVMCountIncoming(n)) {
		block := C.LLVMGetIncomingBlock(n, k)
		value := r.pointer(C.LLVMGetIncomingValue(n, k), C.LLVMGetBasicBlockTerminator(block), then)
		C.LLVMAddIncoming(phi, &value, &block, 1)
	}
	return phi
}
