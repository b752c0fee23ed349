package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
*/
import "C"

import "unsafe"

// This file says which locals a program may still have where it ends by a call: those are roots for what is lost
// at the end, and stay in memory (LocalsAtExit). A function is active there only if it calls, perhaps through others,
// a function that ends the program. Of the locals of these, numbers are promoted nevertheless: a value of an active
// function that happens to be an address keeps its block from being called lost, as memory does (interp, leak.go).
// If the program never allocates from the heap, nothing can be lost.
//
// No answer rests on this file: for a proof no value is a root, for a violation all values of active functions are.
// A pointer that is promoted where it should stay makes an answer unknown.

// endings are the functions that end a program, with the locals of all that are active.
var endings = []string{"exit", "_exit", "_Exit", "quick_exit"}

// allocators are the functions from which all blocks of the heap come.
var allocators = []string{"malloc", "calloc", "__assay_malloc"}

// used gives those functions of a list that the module uses.
func (s *Session) used(names []string) (list []C.LLVMValueRef) {
	for _, n := range names {
		name := C.CString(n)
		f := C.LLVMGetNamedFunction(s.module, name)
		C.free(unsafe.Pointer(name))
		if f != nil && C.LLVMGetFirstUse(f) != nil {
			list = append(list, f)
		}
	}
	return list
}

// activeAtExit are the functions that may be active where a call ends the program.
func (s *Session) activeAtExit() map[C.LLVMValueRef]bool {
	ends := s.used(endings)
	if len(ends) == 0 || !s.Harnessed && len(s.used(allocators)) == 0 {
		return nil
	}
	active := map[C.LLVMValueRef]bool{}
	pending, taken := ends, false
	add := func(f C.LLVMValueRef) {
		if !active[f] {
			active[f] = true
			pending = append(pending, f)
		}
	}
	for len(pending) > 0 {
		f := pending[len(pending)-1]
		pending = pending[:len(pending)-1]
		for use := C.LLVMGetFirstUse(f); use != nil; use = C.LLVMGetNextUse(use) {
			user := C.LLVMGetUser(use)
			if C.LLVMIsACallInst(user) != nil && C.LLVMGetCalledValue(user) == f {
				add(C.LLVMGetBasicBlockParent(C.LLVMGetInstructionParent(user)))
			} else if !taken { // it may be what a pointer calls
				taken = true
				for g := C.LLVMGetFirstFunction(s.module); g != nil; g = C.LLVMGetNextFunction(g) {
					if callsPointer(g) {
						add(g)
					}
				}
			}
		}
	}
	return active
}

// callsPointer says whether a function calls through a pointer.
func callsPointer(f C.LLVMValueRef) bool {
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		for i := C.LLVMGetFirstInstruction(b); i != nil; i = C.LLVMGetNextInstruction(i) {
			if C.LLVMIsACallInst(i) != nil && C.LLVMGetValueKind(C.LLVMGetCalledValue(i)) != C.LLVMFunctionValueKind {
				return true
			}
		}
	}
	return false
}

// holdsNumber says whether an object is one number, and not longer than a word.
func (p *preparation) holdsNumber(object C.LLVMValueRef) bool {
	t := C.LLVMGetAllocatedType(object)
	switch C.LLVMGetTypeKind(t) {
	case C.LLVMIntegerTypeKind:
		return uint64(C.LLVMGetIntTypeWidth(t)) <= uint64(p.s.PointerBits())
	case C.LLVMFloatTypeKind, C.LLVMDoubleTypeKind:
		return true
	}
	return false
}
