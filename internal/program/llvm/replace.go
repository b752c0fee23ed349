package llvm

/*
#include <stdlib.h>
#include <llvm-c/Core.h>
*/
import "C"

import "unsafe"

// This file replaces and removes functions of the linked program, before library models are
// linked: what a removed function does is then up to these, or unknown.

// Defines says whether the module has the body of a function.
func (s *Session) Defines(name string) bool {
	f := s.function(name)
	return f != nil && C.LLVMIsDeclaration(f) == 0
}

// Remove takes the body of a function away. It says whether there was one.
func (s *Session) Remove(name string) bool {
	if !s.Defines(name) {
		return false
	}
	f := s.function(name)
	temporary := C.CString("")
	defer C.free(unsafe.Pointer(temporary))
	g := C.LLVMAddFunction(s.module, temporary, C.LLVMGlobalGetValueType(f))
	C.LLVMReplaceAllUsesWith(f, g)
	C.LLVMDeleteFunction(f)
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	C.LLVMSetValueName2(g, cname, C.size_t(len(name)))
	return true
}

// functionIn is a function of a module, nil if there is none.
func functionIn(m C.LLVMModuleRef, name string) C.LLVMValueRef {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return C.LLVMGetNamedFunction(m, cname)
}

// Replacement lets everything in a module but the function By itself, and Kept, call By instead of Name.
type Replacement struct{ Name, By, Kept string }

// in replaces in a module that has both.
func (r Replacement) in(m C.LLVMModuleRef) {
	if f, g := functionIn(m, r.Name), functionIn(m, r.By); f != nil && g != nil {
		replace(f, g, functionIn(m, r.Kept))
	}
}

// Replace lets everything but by itself call another function. It says whether both are there.
func (s *Session) Replace(name, by string) bool {
	f, g := s.function(name), s.function(by)
	if f == nil || g == nil {
		return false
	}
	replace(f, g, nil)
	return true
}

// replace replaces the uses of f by g, but for those in g and in kept.
func replace(f, g, kept C.LLVMValueRef) {
	type use struct {
		user    C.LLVMValueRef
		operand C.uint
	}
	var own []use
	for u := C.LLVMGetFirstUse(f); u != nil; u = C.LLVMGetNextUse(u) {
		user := C.LLVMGetUser(u)
		if C.LLVMIsAInstruction(user) == nil {
			continue
		}
		if in := C.LLVMGetBasicBlockParent(C.LLVMGetInstructionParent(user)); in != g && (kept == nil || in != kept) {
			continue
		}
		for k := range C.LLVMGetNumOperands(user) {
			if C.LLVMGetOperand(user, C.uint(k)) == f {
				own = append(own, use{user, C.uint(k)})
			}
		}
	}
	C.LLVMReplaceAllUsesWith(f, g)
	for _, u := range own {
		C.LLVMSetOperand(u.user, u.operand, f)
	}
}
