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

// Replace lets everything but by itself call another function. It says whether both are there.
func (s *Session) Replace(name, by string) bool {
	f, g := s.function(name), s.function(by)
	if f == nil || g == nil {
		return false
	}
	type use struct {
		user    C.LLVMValueRef
		operand C.uint
	}
	var own []use
	for u := C.LLVMGetFirstUse(f); u != nil; u = C.LLVMGetNextUse(u) {
		user := C.LLVMGetUser(u)
		if C.LLVMIsAInstruction(user) == nil || C.LLVMGetBasicBlockParent(C.LLVMGetInstructionParent(user)) != g {
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
	return true
}
