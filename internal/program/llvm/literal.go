package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/Target.h"
*/
import "C"

import (
	"strings"
	"unsafe"
)

// This file marks the lives of compound literals. Such an object lives as long
// as the block that it is written in, and each entry of the block makes another one; clang
// marks where variables live, but not literals. The block is known from the
// positions: it is the lexical block of the instructions that use the literal. The
// life begins where control comes into it from outside, and ends where control leaves it;
// jumps within it leave the object as it is. What is written in no inner block lives
// as long as the call. A body of a loop without braces has no lexical block of its
// own: a literal in it lives as long as what is around the loop.

// literals marks the lives of the compound literals of a function.
func (p *preparation) literals(f C.LLVMValueRef) {
	for _, a := range staticAllocas(f) {
		var n C.size_t
		name := C.LLVMGetValueName2(a, &n)
		if !strings.HasPrefix(C.GoStringN(name, C.int(n)), ".compoundliteral") {
			continue
		}
		if block := p.s.homeOf(a); block != nil {
			p.markLife(f, a, block)
		}
	}
}

// homeOf is the lexical block around the uses of an alloca; nil if they have
// none, or not the same.
func (s *Session) homeOf(a C.LLVMValueRef) C.LLVMMetadataRef {
	var home C.LLVMMetadataRef
	for use := C.LLVMGetFirstUse(a); use != nil; use = C.LLVMGetNextUse(use) {
		user := C.LLVMGetUser(use)
		if isMarker(user) {
			return nil // code from elsewhere
		}
		at := C.LLVMInstructionGetDebugLoc(user)
		if at == nil {
			continue
		}
		scope := C.LLVMDILocationGetScope(at)
		if home != nil && scope != home {
			return nil
		}
		home = scope
	}
	if home == nil || C.LLVMGetMetadataKind(home) != C.LLVMDILexicalBlockMetadataKind {
		return nil
	}
	return home
}

// within says whether a scope is a block, or lies in it.
func (s *Session) within(scope, block C.LLVMMetadataRef) bool {
	for scope != nil && scope != block {
		if C.LLVMGetMetadataKind(scope) == C.LLVMDISubprogramMetadataKind {
			return false
		}
		parent := operand(operands(C.LLVMMetadataAsValue(s.context, scope)), 1)
		if parent == nil {
			return false
		}
		scope = C.LLVMValueAsMetadata(parent)
	}
	return scope != nil
}

// stretch is what is known of a basic block: whether its first and its last
// instruction belong to the lexical block.
type stretch struct{ first, last, known bool }

// markLife adds the markers.
func (p *preparation) markLife(f, object C.LLVMValueRef, block C.LLVMMetadataRef) {
	inside := func(i C.LLVMValueRef) (in, known bool) {
		at := C.LLVMInstructionGetDebugLoc(i)
		if at == nil || C.LLVMGetInstructionOpcode(i) == C.LLVMPHI || isMarker(i) {
			return false, false
		}
		return p.s.within(C.LLVMDILocationGetScope(at), block), true
	}
	graph := newFlowGraph(f)
	stretches := make([]stretch, len(graph.blocks))
	var starts, ends []C.LLVMValueRef // markers come before these
	for b, ref := range graph.blocks {
		x := &stretches[b]
		for i := C.LLVMGetFirstInstruction(ref); i != nil; i = C.LLVMGetNextInstruction(i) {
			in, known := inside(i)
			switch {
			case !known:
				continue
			case !x.known:
				x.first, x.known = in, true
			case in && !x.last:
				starts = append(starts, i)
			case !in && x.last:
				ends = append(ends, i)
			}
			x.last = in
		}
	}
	predecessors := make([][]int, len(graph.blocks))
	for b := range graph.blocks {
		for _, to := range graph.successors[b] {
			predecessors[to] = append(predecessors[to], b)
		}
	}
	// A block without positions belongs to where control comes from.
	for changed := true; changed; {
		changed = false
		for b := range stretches {
			for _, from := range predecessors[b] {
				if x := &stretches[b]; !x.known && stretches[from].known {
					*x = stretch{stretches[from].last, stretches[from].last, true}
					changed = true
				}
			}
		}
	}
	for b, x := range stretches {
		var outside []int
		for _, from := range predecessors[b] {
			if !stretches[from].last {
				outside = append(outside, from)
			}
		}
		body := firstAfterPhis(graph.blocks[b])
		switch {
		case !x.first && len(outside) < len(predecessors[b]):
			ends = append(ends, body)
		case x.first && len(outside) == len(predecessors[b]) && len(outside) > 0:
			starts = append(starts, body)
		case x.first:
			for _, from := range outside {
				starts = append(starts, C.LLVMGetBasicBlockTerminator(graph.blocks[from]))
			}
		}
	}
	for _, i := range ends {
		p.mark(lifetimeEnd, object, i)
	}
	for _, i := range starts {
		p.mark(lifetimeStart, object, i)
	}
}

// isMarker says whether an instruction begins or ends the life of an object. Those at the end of a
// block have the position of what is around it.
func isMarker(i C.LLVMValueRef) bool {
	if C.LLVMGetInstructionOpcode(i) != C.LLVMCall {
		return false
	}
	k := intrinsicOf(i)
	return k == lifetimeStart || k == lifetimeEnd
}

func firstAfterPhis(b C.LLVMBasicBlockRef) C.LLVMValueRef {
	i := C.LLVMGetFirstInstruction(b)
	for C.LLVMGetInstructionOpcode(i) == C.LLVMPHI {
		i = C.LLVMGetNextInstruction(i)
	}
	return i
}

// mark calls a lifetime intrinsic before an instruction.
func (p *preparation) mark(intrinsic C.uint, object, before C.LLVMValueRef) {
	pointer := C.LLVMTypeOf(object)
	f := C.LLVMGetIntrinsicDeclaration(p.s.module, intrinsic, &pointer, 1)
	t := C.LLVMIntrinsicGetType(p.s.context, intrinsic, &pointer, 1)
	size := C.LLVMABISizeOfType(p.s.layout, C.LLVMGetAllocatedType(object))
	args := []C.LLVMValueRef{C.LLVMConstInt(C.LLVMInt64TypeInContext(p.s.context), C.ulonglong(size), 0), object}
	C.LLVMPositionBuilderBefore(p.builder, before)
	C.LLVMSetCurrentDebugLocation2(p.builder, C.LLVMInstructionGetDebugLoc(before))
	empty := C.CString("")
	C.LLVMBuildCall2(p.builder, t, f, &args[0], 2, empty)
	C.free(unsafe.Pointer(empty))
}
