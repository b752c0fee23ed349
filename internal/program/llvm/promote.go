package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/Error.h"
#include "llvm-c/Transforms/PassBuilder.h"
*/
import "C"

import (
	"errors"
	"slices"
	"strings"
	"unsafe"
)

// This file promotes locals to values with LLVM's sroa, in a way that loses no
// undefined behaviour. Left to itself sroa deletes what is undefined: in
//
//	int z[2]; w = z[2];                    the read becomes poison
//	int *r; { int in = 3; r = &in; } *r    becomes 3
//
// because it promotes r first and then looks through it, ignores lifetimes,
// and drops accesses outside of the object. It also looks through phis and
// selects of pointers by speculating loads.
//
// So promotion goes in rounds. In each round an object is a candidate if all
// its uses are simple: loads, stores to it, copies and fills of constant size,
// at constant offsets, all within its bounds, none of them reachable from the
// end of its lifetime without passing the start; its address goes nowhere
// else. Objects that are not candidates are hidden from sroa by a call of
// @assay.keep with their address. A round may make candidates of objects whose
// address was held in a local that is gone now; the next round sees exactly
// which accesses that uncovers. Candidates get arbitrary content at the entry,
// so that no undef arises.
//
// sroa folds nothing else: its builder folds constants only, and a phi is
// simplified only if all its arguments agree.

const maxRounds = 16

func (p *preparation) promote() error {
	keep, keepType := p.keepFunction()
	defer C.LLVMDeleteFunction(keep)
	for range maxRounds {
		progress := false
		for i := range p.functions {
			a := &p.functions[i]
			var graph *flowGraph
			// Candidates leave the list: after the pass they are gone, or stay
			// in memory for good, perhaps in parts.
			rest := a.allocas[:0]
			for _, object := range a.allocas {
				u := p.s.usesOf(object)
				u.simple = u.simple && !p.s.kept(a.function, object) && !(a.active && !p.holdsNumber(object))
				if u.simple && u.ended() {
					if graph == nil {
						graph = newFlowGraph(a.function)
					}
					u.simple = graph.respectsLifetime(u)
				}
				if u.simple {
					progress = true
					p.markUnoptimised(a)
					p.initialise(object, u)
				} else {
					rest = append(rest, object)
					p.hide(object, keep, keepType)
				}
			}
			a.allocas = rest
		}
		if !progress {
			eraseCalls(keep)
			return nil
		}
		err := p.s.runPasses("function(sroa<preserve-cfg>)")
		eraseCalls(keep)
		if err != nil {
			return err
		}
	}
	return nil
}

// kept says that an object is one of Kept.
func (s *Session) kept(f, object C.LLVMValueRef) bool {
	if len(s.Kept) == 0 {
		return false
	}
	name := strings.TrimRight(valueName(object), "0123456789")
	return slices.ContainsFunc(s.Kept[valueName(f)], func(k string) bool { return strings.TrimRight(k, "0123456789") == name })
}

// unoptimisedAttribute marks functions that had locals to promote.
const unoptimisedAttribute = "assay-unoptimised"

func (p *preparation) markUnoptimised(a *allocation) {
	if !a.marked {
		a.marked = true
		C.LLVMAddAttributeAtIndex(a.function, functionIndex, p.s.stringAttribute(unoptimisedAttribute))
	}
}

// keepFunction declares @assay.keep.
func (p *preparation) keepFunction() (f C.LLVMValueRef, t C.LLVMTypeRef) {
	parameter := C.LLVMPointerTypeInContext(p.s.context, 0)
	t = C.LLVMFunctionType(C.LLVMVoidTypeInContext(p.s.context), &parameter, 1, 0)
	name := C.CString("assay.keep")
	defer C.free(unsafe.Pointer(name))
	return C.LLVMAddFunction(p.s.module, name, t), t
}

// hide calls @assay.keep right after the alloca.
func (p *preparation) hide(object, keep C.LLVMValueRef, t C.LLVMTypeRef) {
	C.LLVMPositionBuilderBefore(p.builder, C.LLVMGetNextInstruction(object))
	C.LLVMSetCurrentDebugLocation2(p.builder, nil)
	empty := C.CString("")
	defer C.free(unsafe.Pointer(empty))
	C.LLVMBuildCall2(p.builder, t, keep, &object, 1, empty)
}

// eraseCalls erases all calls of the function.
func eraseCalls(f C.LLVMValueRef) {
	for use := C.LLVMGetFirstUse(f); use != nil; use = C.LLVMGetFirstUse(f) {
		C.LLVMInstructionEraseFromParent(C.LLVMGetUser(use))
	}
}

// initialise gives a candidate arbitrary content where its life begins.
func (p *preparation) initialise(object C.LLVMValueRef, u *uses) {
	C.LLVMSetCurrentDebugLocation2(p.builder, nil)
	size := p.sizeConstant(uint64(C.LLVMABISizeOfType(p.s.layout, C.LLVMGetAllocatedType(object))))
	for _, at := range append(u.starts, object) {
		C.LLVMPositionBuilderBefore(p.builder, C.LLVMGetNextInstruction(at))
		p.arbitrary(object, 1, size)
	}
}

// runPasses runs a pipeline of the pass builder's language.
func (s *Session) runPasses(pipeline string) error {
	text := C.CString(pipeline)
	defer C.free(unsafe.Pointer(text))
	options := C.LLVMCreatePassBuilderOptions()
	defer C.LLVMDisposePassBuilderOptions(options)
	if failure := C.LLVMRunPasses(s.module, text, nil, options); failure != nil {
		message := C.LLVMGetErrorMessage(failure)
		defer C.LLVMDisposeErrorMessage(message)
		return errors.New("running " + pipeline + ": " + C.GoString(message))
	}
	return nil
}
