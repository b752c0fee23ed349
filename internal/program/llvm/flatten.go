package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
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
//	(4) A number that is left is compared with the places where it is used as a pointer. It is the pointer into the
//	    object in which it lies; if there is none, InPlaceFunction is told, which ends the run. Pointers that are
//	    read from memory, too, for they may have been put there as numbers; but they may be other objects'.
//
// LLVM's passes are trusted with the lifted program (always-inline, sroa, early-cse, instsimplify, instcombine, dse, adce). They may use
// its undefined behaviour: the code is compiled so that arithmetic wraps and types do not matter for aliases.

// PlaceFunction is the function that says where an object is.
const PlaceFunction = "assay_place"

// InPlaceFunction gets whether a number that is used as a pointer is the address of a byte of some object.
const InPlaceFunction = "assay_in_place"

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
	empty := C.CString("")
	defer C.free(unsafe.Pointer(empty))
	globals := s.placeGlobals()
	// The root knows all objects, the functions that are kept the globals.
	each := func(do func(*resolution, C.LLVMValueRef) bool) (found bool) {
		list := globals
		if place != nil {
			list = append(s.places(place), globals...)
		}
		for g := C.LLVMGetFirstFunction(s.module); g != nil; g = C.LLVMGetNextFunction(g) {
			r := &resolution{s: s, builder: builder, list: globals, phis: map[number]C.LLVMValueRef{}, word: s.word(), empty: empty}
			if g == f {
				r.list = list
			}
			found = do(r, g) || found
		}
		return found
	}
	for round := range maxFlattenRounds {
		found := each((*resolution).resolve)
		if err := s.runPasses("function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>)"); err != nil {
			return err
		}
		if !found && round > 1 { // the first only folds constants
			break
		}
	}
	each(func(r *resolution, g C.LLVMValueRef) bool { r.choose(g); return false })
	if place != nil {
		eraseCalls(place)
	}
	s.overflowFlags(f)
	return s.runPasses("function(sroa,early-cse<memssa>,instcombine<no-verify-fixpoint>,dse,adce,sroa,instcombine<no-verify-fixpoint>)")
}

// word is the type of numbers that are addresses.
func (s *Session) word() C.LLVMTypeRef {
	return C.LLVMIntTypeInContext(s.context, C.uint(s.PointerBits()))
}

// locate gives an instruction of a function the place of the function.
func (s *Session) locate(v, f C.LLVMValueRef) {
	if scope := C.LLVMGetSubprogram(f); scope != nil {
		C.LLVMInstructionSetDebugLoc(v, C.LLVMDIBuilderCreateDebugLocation(s.context, 0, 0, scope, nil))
	}
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

// globalGap lies at least between two of them.
const globalGap = 0x1000

// placeGlobals gives addresses to the globals that are made numbers. Until they are resolved, all uses are of these.
func (s *Session) placeGlobals() (list []placed) {
	next := uint64(firstGlobal)
	for g := C.LLVMGetFirstGlobal(s.module); g != nil; g = C.LLVMGetNextGlobal(g) {
		if C.LLVMIsDeclaration(g) != 0 || !isNumber(g) {
			continue
		}
		size := uint64(C.LLVMABISizeOfType(s.layout, C.LLVMGlobalGetValueType(g)))
		list = append(list, placed{g, next, size})
		C.LLVMReplaceAllUsesWith(g, C.LLVMConstIntToPtr(C.LLVMConstInt(s.word(), C.ulonglong(next), 0), C.LLVMTypeOf(g)))
		next += (size + 2*globalGap - 1) &^ (globalGap - 1)
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

// resolution is one round.
type resolution struct {
	s       *Session
	builder C.LLVMBuilderRef
	list    []placed
	phis    map[number]C.LLVMValueRef // made for those of numbers
	word    C.LLVMTypeRef
	empty   *C.char
}

// resolve makes pointers into the objects of the constant addresses in a function, and says whether there were some.
func (r *resolution) resolve(f C.LLVMValueRef) bool {
	found := false
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		for i := C.LLVMGetFirstInstruction(b); i != nil; i = C.LLVMGetNextInstruction(i) {
			if C.LLVMIsAPHINode(i) != nil {
				continue
			}
			for k := range C.uint(C.LLVMGetNumOperands(i)) {
				n := number{value: C.assay_number(C.LLVMGetOperand(i, k))}
				if n.value == nil || !r.isAddress(n, nil) {
					continue
				}
				C.LLVMSetOperand(i, k, r.pointer(n, i))
				found = true
			}
		}
	}
	return found
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

// extensions are what happens to a number before it is used as an address: extensions from the widths in the
// bytes, the first one first, with the high bit for signed ones.
type extensions string

const signedExtension = 0x80

// widened is the operand of an extension, and what happens to that; nil if n is none.
func (then extensions) widened(n C.LLVMValueRef) (C.LLVMValueRef, extensions) {
	signed := C.LLVMIsASExtInst(n) != nil
	if !signed && C.LLVMIsAZExtInst(n) == nil {
		return nil, ""
	}
	operand := C.LLVMGetOperand(n, 0)
	step := byte(C.LLVMGetIntTypeWidth(C.LLVMTypeOf(operand)))
	if step > 64 {
		return nil, ""
	}
	if signed {
		step |= signedExtension
	}
	return operand, extensions(step) + then
}

// of is the address that a constant becomes; false if that has more than 64 bits.
func (then extensions) of(n C.LLVMValueRef) (uint64, bool) {
	if C.LLVMIsAConstantInt(n) == nil || C.LLVMGetIntTypeWidth(C.LLVMTypeOf(n)) > 64 {
		return 0, false
	}
	x := uint64(C.LLVMConstIntGetZExtValue(n))
	for k := range len(then) {
		shift := 64 - then[k]&^signedExtension
		if then[k]&signedExtension != 0 {
			x = uint64(int64(x<<shift) >> shift)
		} else {
			x = x << shift >> shift
		}
	}
	return x, true
}

// number is one, and what happens to it.
type number struct {
	value C.LLVMValueRef
	then  extensions
}

// isAddress says whether a number is a constant address in an object, or a choice among such.
func (r *resolution) isAddress(n number, seen []number) bool {
	if slices.Contains(seen, n) {
		return true
	}
	if address, ok := n.then.of(n.value); ok {
		_, ok = r.at(address)
		return ok
	}
	if operand, then := n.then.widened(n.value); operand != nil {
		return r.isAddress(number{operand, then}, seen)
	}
	seen = append(seen, n)
	switch {
	case C.LLVMIsAPHINode(n.value) != nil:
		for k := range C.uint(C.LLVMCountIncoming(n.value)) {
			if !r.isAddress(number{C.LLVMGetIncomingValue(n.value, k), n.then}, seen) {
				return false
			}
		}
		return true
	case C.LLVMIsASelectInst(n.value) != nil:
		return r.isAddress(number{C.LLVMGetOperand(n.value, 1), n.then}, seen) && r.isAddress(number{C.LLVMGetOperand(n.value, 2), n.then}, seen)
	}
	return false
}

// pointer is the pointer that an address (isAddress) is, for use before an instruction.
func (r *resolution) pointer(n number, before C.LLVMValueRef) C.LLVMValueRef {
	if address, ok := n.then.of(n.value); ok {
		p, _ := r.at(address)
		C.LLVMPositionBuilderBefore(r.builder, before)
		return r.inside(p, C.LLVMConstInt(r.word, C.ulonglong(address-p.address), 0))
	}
	if operand, then := n.then.widened(n.value); operand != nil {
		return r.pointer(number{operand, then}, before)
	}
	if v := n.value; C.LLVMIsASelectInst(v) != nil {
		yes, no := r.pointer(number{C.LLVMGetOperand(v, 1), n.then}, v), r.pointer(number{C.LLVMGetOperand(v, 2), n.then}, v)
		C.LLVMPositionBuilderBefore(r.builder, v)
		return C.LLVMBuildSelect(r.builder, C.LLVMGetOperand(v, 0), yes, no, r.empty)
	}
	if p := r.phis[n]; p != nil {
		return p
	}
	C.LLVMPositionBuilderBefore(r.builder, n.value)
	phi := C.LLVMBuildPhi(r.builder, C.LLVMPointerTypeInContext(r.s.context, 0), r.empty)
	r.phis[n] = phi
	for k := range C.uint(C.LLVMCountIncoming(n.value)) {
		block := C.LLVMGetIncomingBlock(n.value, k)
		value := r.pointer(number{C.LLVMGetIncomingValue(n.value, k), n.then}, C.LLVMGetBasicBlockTerminator(block))
		C.LLVMAddIncoming(phi, &value, &block, 1)
	}
	return phi
}

// inside is the pointer to a byte of an object.
func (r *resolution) inside(p placed, offset C.LLVMValueRef) C.LLVMValueRef {
	return C.LLVMBuildGEP2(r.builder, C.LLVMInt8TypeInContext(r.s.context), p.object, &offset, 1, r.empty)
}

// choose does what resolve does with the numbers that are left in a function, which the program computes, after (4).
func (r *resolution) choose(f C.LLVMValueRef) {
	type use struct {
		user    C.LLVMValueRef
		operand C.uint
	}
	var uses []use
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		for i := C.LLVMGetFirstInstruction(b); i != nil; i = C.LLVMGetNextInstruction(i) {
			for k := range C.uint(C.LLVMGetNumOperands(i)) {
				if v := C.LLVMGetOperand(i, k); C.assay_number(v) != nil || madeOfNumber(v) || isLoadedPointer(v) {
					uses = append(uses, use{i, k})
				}
			}
		}
	}
	for _, u := range uses {
		before := u.user
		if C.LLVMIsAPHINode(u.user) != nil {
			before = C.LLVMGetBasicBlockTerminator(C.LLVMGetIncomingBlock(u.user, u.operand))
		}
		pointer := C.LLVMGetOperand(u.user, u.operand)
		C.LLVMPositionBuilderBefore(r.builder, before)
		n := C.LLVMBuildPtrToInt(r.builder, pointer, r.word, r.empty)
		known := C.LLVMConstInt(C.LLVMInt1TypeInContext(r.s.context), 0, 0)
		if isLoadedPointer(pointer) {
			known = C.LLVMConstInt(C.LLVMInt1TypeInContext(r.s.context), 1, 0)
		}
		for _, p := range r.list {
			offset := C.LLVMBuildSub(r.builder, n, C.LLVMConstInt(r.word, C.ulonglong(p.address), 0), r.empty)
			in := C.LLVMBuildICmp(r.builder, C.LLVMIntULT, offset, C.LLVMConstInt(r.word, C.ulonglong(p.size), 0), r.empty)
			pointer = C.LLVMBuildSelect(r.builder, in, r.inside(p, offset), pointer, r.empty)
			known = C.LLVMBuildOr(r.builder, known, in, r.empty)
		}
		if check := r.s.function(InPlaceFunction); check != nil {
			call := C.LLVMBuildCall2(r.builder, C.LLVMGlobalGetValueType(check), check, &known, 1, r.empty)
			if C.LLVMInstructionGetDebugLoc(call) == nil {
				r.s.locate(call, f)
			}
		}
		C.LLVMSetOperand(u.user, u.operand, pointer)
	}
}

// isLoadedPointer says whether a pointer was read from memory, where the bytes of a number may have been.
func isLoadedPointer(v C.LLVMValueRef) bool {
	return C.LLVMIsALoadInst(v) != nil && C.LLVMGetTypeKind(C.LLVMTypeOf(v)) == C.LLVMPointerTypeKind
}

// madeOfNumber says whether a number that became a pointer is in a constant.
func madeOfNumber(v C.LLVMValueRef) bool {
	if C.LLVMIsAConstant(v) == nil || C.LLVMIsAGlobalValue(v) != nil {
		return false
	}
	for k := range C.uint(max(0, C.LLVMGetNumOperands(v))) {
		if part := C.LLVMGetOperand(v, k); C.assay_number(part) != nil || madeOfNumber(part) {
			return true
		}
	}
	return false
}
