package llvm

/*
#include <stdlib.h>
#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
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
func (s *Session) Remove(name string) bool { return remove(s.module, name) }

func remove(m C.LLVMModuleRef, name string) bool {
	f := functionIn(m, name)
	if f == nil || C.LLVMIsDeclaration(f) != 0 {
		return false
	}
	temporary := C.CString("")
	defer C.free(unsafe.Pointer(temporary))
	g := C.LLVMAddFunction(m, temporary, C.LLVMGlobalGetValueType(f))
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

// Replacement lets everything in a module but the function By itself, and Kept, call By instead of Name. Without By,
// Name loses its body.
type Replacement struct{ Name, By, Kept string }

// in replaces in a module that has both.
func (r Replacement) in(m C.LLVMModuleRef) {
	if r.By == "" {
		remove(m, r.Name)
		return
	}
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

// shadow takes away the bodies of those functions of a module that are defined already, with the same type, and names them.
func (s *Session) shadow(m C.LLVMModuleRef) (names []string) {
	for f := C.LLVMGetFirstFunction(m); f != nil; f = C.LLVMGetNextFunction(f) {
		if C.LLVMIsDeclaration(f) != 0 || C.LLVMGetLinkage(f) != C.LLVMExternalLinkage {
			continue
		}
		name := valueName(f)
		g := s.function(name)
		if g != nil && C.LLVMIsDeclaration(g) == 0 && C.LLVMGetLinkage(g) == C.LLVMExternalLinkage && C.LLVMGlobalGetValueType(f) == C.LLVMGlobalGetValueType(g) {
			names = append(names, name)
		}
	}
	for _, name := range names {
		remove(m, name)
	}
	return names
}

// Static is a function that only its file knows.
type Static struct {
	// Name is that in the linked program, Source that in C, File the file that has it, perhaps a header.
	Name, Source, File string
}

// Statics are those functions with a body, as far as they have debug information.
func (s *Session) Statics() (list []Static) {
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		if C.LLVMGetLinkage(f) != C.LLVMInternalLinkage || C.LLVMIsDeclaration(f) != 0 {
			continue
		}
		scope := C.LLVMGetSubprogram(f)
		if scope == nil {
			continue
		}
		var n C.uint
		file := C.LLVMDIFileGetFilename(C.LLVMDIScopeGetFile(scope), &n)
		source := metadataString(operand(operands(C.LLVMMetadataAsValue(s.context, scope)), 2))
		list = append(list, Static{Name: valueName(f), Source: source, File: C.GoStringN(file, C.int(n))})
	}
	return list
}
