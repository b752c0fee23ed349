package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/Target.h"

// The metadata kinds that assay_scan looks for or drops.
typedef struct { unsigned annotation, range, nonnull, noundef; } assay_kinds;

// assay_pointer gives an atomic access of a pointer its type: clang loads and stores it as an integer, by way of a temporary
// object that is a pointer, so that what is moved would be an address. It is the access itself then.
static LLVMValueRef assay_pointer(LLVMValueRef i, LLVMBuilderRef builder) {
	int load = LLVMGetInstructionOpcode(i) == LLVMLoad;
	LLVMValueRef read = load ? i : LLVMGetOperand(i, 0), write = i;
	if (!LLVMIsALoadInst(read) || LLVMGetTypeKind(LLVMTypeOf(read)) != LLVMIntegerTypeKind) return i;
	LLVMUseRef use = LLVMGetFirstUse(read);
	if (!use || LLVMGetNextUse(use)) return i;
	if (load) write = LLVMGetUser(use);
	if (!LLVMIsAStoreInst(write) || LLVMGetOperand(write, 0) != read) return i;
	LLVMValueRef temporary = load ? LLVMGetOperand(write, 1) : LLVMGetOperand(read, 0);
	if (!LLVMIsAAllocaInst(temporary)) return i;
	LLVMTypeRef pointer = LLVMGetAllocatedType(temporary);
	LLVMModuleRef module = LLVMGetGlobalParent(LLVMGetBasicBlockParent(LLVMGetInstructionParent(i)));
	if (LLVMGetTypeKind(pointer) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(pointer) != 0
		|| LLVMGetIntTypeWidth(LLVMTypeOf(read)) != 8 * LLVMPointerSize(LLVMGetModuleDataLayout(module))) return i;
	LLVMPositionBuilderBefore(builder, read);
	LLVMValueRef now = LLVMBuildLoad2(builder, pointer, LLVMGetOperand(read, 0), "");
	LLVMSetAlignment(now, LLVMGetAlignment(read));
	LLVMSetVolatile(now, LLVMGetVolatile(read));
	LLVMSetOrdering(now, LLVMGetOrdering(read));
	LLVMInstructionSetDebugLoc(now, LLVMInstructionGetDebugLoc(read));
	LLVMSetOperand(write, 0, now);
	LLVMInstructionEraseFromParent(read);
	return load ? now : i;
}

// assay_scan normalises the accesses of a block and counts its annotated
// instructions and allocas.
static int assay_scan(LLVMBasicBlockRef b, LLVMBuilderRef builder, const assay_kinds *k, unsigned *annotated, unsigned *allocas) {
	int marked = 0;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
		LLVMOpcode op = LLVMGetInstructionOpcode(i);
		if ((op == LLVMLoad || op == LLVMStore) && LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) i = assay_pointer(i, builder);
		switch (op) {
		case LLVMLoad:
			LLVMSetMetadata(i, k->range, NULL);
			LLVMSetMetadata(i, k->nonnull, NULL);
			LLVMSetMetadata(i, k->noundef, NULL);
			// fall through
		case LLVMStore:
			if (LLVMGetVolatile(i)) { LLVMSetVolatile(i, 0); marked = 1; }
			if (LLVMGetOrdering(i) != LLVMAtomicOrderingNotAtomic) { LLVMSetOrdering(i, LLVMAtomicOrderingNotAtomic); marked = 1; }
			break;
		case LLVMAlloca: (*allocas)++; break;
		}
		if (LLVMGetMetadata(i, k->annotation)) (*annotated)++;
	}
	return marked;
}
*/
import "C"

import "slices"

import "unsafe"

// This file gives every object arbitrary content where C says that its content
// is indeterminate, and does so before any pass runs: promotion would turn a
// local that is read before it is written into undef, and then fold whatever
// depends on it.
//
// Arbitrary content is a memcpy from the external object @assay.nondet. When
// promotion splits it, loads from that object remain, and the importer makes a
// fresh value of each load. A first-class aggregate would not do: its padding
// stays undef, and an array of 20,000 elements becomes 20,000 instructions.
//
// clang marks the places by !annotation "auto-init" (-ftrivial-auto-var-init):
// declarations without initialiser, also where they are executed again in a
// loop made of goto, variable-length arrays, alloca(). It misses declarations
// that are jumped over, so that promote.go gives the objects that it promotes
// arbitrary content at the entry as well.

// NondetObject is the name of the object whose content is arbitrary.
const NondetObject = "assay.nondet"

// Prepare makes the module ready for Copy: arbitrary content where it is due,
// volatile and atomic accesses made plain (the program has one thread), and
// locals promoted to values where that cannot lose undefined behaviour.
func (s *Session) Prepare() error {
	p := &preparation{s: s, builder: C.LLVMCreateBuilderInContext(s.context)}
	defer C.LLVMDisposeBuilder(p.builder)
	p.kinds = C.assay_kinds{
		annotation: s.metadataKind("annotation"),
		_range:     s.metadataKind("range"),
		nonnull:    s.metadataKind("nonnull"),
		noundef:    s.metadataKind("noundef"),
	}
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		if C.LLVMIsDeclaration(f) == 0 {
			if s.FromSource {
				s.keepPoison(f)
			}
			p.function(f)
			if s.CheckAlignment && !hasStringAttribute(f, libraryAttribute) {
				p.checkAlignments(f)
			}
		}
	}
	if s.Unpromoted {
		p.functions = slices.DeleteFunc(p.functions, func(a allocation) bool { return !slices.Contains(s.Promoted, valueName(a.function)) })
	} else if s.LocalsAtExit {
		active := s.activeAtExit()
		for i := range p.functions {
			a := &p.functions[i]
			a.active = active[a.function] && !slices.Contains(s.Promoted, valueName(a.function))
		}
	}
	return p.promote()
}

type preparation struct {
	s       *Session
	builder C.LLVMBuilderRef
	kinds   C.assay_kinds
	nondet  C.LLVMValueRef
	// allocas of the functions that have any, in the order of the module.
	functions []allocation
	// looked and asksLess belong to mayAskLess.
	looked, asksLess bool
}

// allocation are the static allocas of a function.
type allocation struct {
	function C.LLVMValueRef
	allocas  []C.LLVMValueRef
	marked   bool
	active   bool // perhaps where the program ends: its locals are there then
}

func (s *Session) metadataKind(name string) C.uint {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return C.LLVMGetMDKindIDInContext(s.context, cname, C.uint(len(name)))
}

func (p *preparation) function(f C.LLVMValueRef) {
	var annotated, allocas C.uint
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		if C.assay_scan(b, p.builder, &p.kinds, &annotated, &allocas) != 0 {
			p.s.volatile = true
		}
	}
	if annotated > 0 {
		for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
			p.replaceInitialisations(b)
		}
	}
	if allocas > 0 {
		p.hoist(f)
		p.literals(f)
		p.functions = append(p.functions, allocation{function: f, allocas: staticAllocas(f)})
	}
}

// nondetObject declares @assay.nondet.
func (p *preparation) nondetObject() C.LLVMValueRef {
	if p.nondet == nil {
		name := C.CString(NondetObject)
		defer C.free(unsafe.Pointer(name))
		if p.nondet = C.LLVMGetNamedGlobal(p.s.module, name); p.nondet == nil {
			p.nondet = C.LLVMAddGlobal(p.s.module, C.LLVMInt8TypeInContext(p.s.context), name)
		}
	}
	return p.nondet
}

// arbitrary builds a memcpy of arbitrary content at the builder's place.
func (p *preparation) arbitrary(object C.LLVMValueRef, align C.uint, size C.LLVMValueRef) {
	C.LLVMBuildMemCpy(p.builder, object, align, p.nondetObject(), 1, size)
}

func (p *preparation) sizeConstant(n uint64) C.LLVMValueRef {
	return C.LLVMConstInt(C.LLVMIntPtrTypeInContext(p.s.context, p.s.layout), C.ulonglong(n), 0)
}

// replaceInitialisations replaces clang's automatic initialisations by
// arbitrary content of the same range.
func (p *preparation) replaceInitialisations(b C.LLVMBasicBlockRef) {
	var next C.LLVMValueRef
	for i := C.LLVMGetFirstInstruction(b); i != nil; i = next {
		next = C.LLVMGetNextInstruction(i)
		if !p.isInitialisation(i) {
			continue
		}
		C.LLVMPositionBuilderBefore(p.builder, i)
		C.LLVMSetCurrentDebugLocation2(p.builder, C.LLVMInstructionGetDebugLoc(i))
		switch C.LLVMGetInstructionOpcode(i) {
		case C.LLVMStore:
			size := C.LLVMStoreSizeOfType(p.s.layout, C.LLVMTypeOf(C.LLVMGetOperand(i, 0)))
			p.arbitrary(C.LLVMGetOperand(i, 1), C.LLVMGetAlignment(i), p.sizeConstant(uint64(size)))
		case C.LLVMCall: // memset or memcpy: the length is operand 2 of both
			p.arbitrary(C.LLVMGetOperand(i, 0), 1, C.LLVMGetOperand(i, 2))
		}
		C.LLVMInstructionEraseFromParent(i)
	}
}

// isInitialisation recognises the annotation on a store, memset or memcpy.
func (p *preparation) isInitialisation(i C.LLVMValueRef) bool {
	node := C.LLVMGetMetadata(i, p.kinds.annotation)
	if node == nil {
		return false
	}
	found := false
	for _, o := range operands(node) {
		found = found || o != nil && C.LLVMIsAMDString(o) != nil && metadataString(o) == "auto-init"
	}
	if !found {
		return false
	}
	switch C.LLVMGetInstructionOpcode(i) {
	case C.LLVMStore:
		return true
	case C.LLVMCall:
		switch intrinsicOf(i) {
		case memset, memcpy:
			return true
		}
	}
	return false
}

// intrinsic ids that preparation has to know.
var (
	memcpy        = intrinsicID("llvm.memcpy")
	memmove       = intrinsicID("llvm.memmove")
	memset        = intrinsicID("llvm.memset")
	lifetimeStart = intrinsicID("llvm.lifetime.start")
	lifetimeEnd   = intrinsicID("llvm.lifetime.end")
	stackRestore  = intrinsicID("llvm.stackrestore")
)

func intrinsicID(name string) C.uint {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return C.LLVMLookupIntrinsicID(cname, C.size_t(len(name)))
}

// intrinsicOf is the intrinsic that a call names, 0 for other calls.
func intrinsicOf(call C.LLVMValueRef) C.uint {
	if callee := C.LLVMGetCalledValue(call); C.LLVMGetValueKind(callee) == C.LLVMFunctionValueKind {
		return C.LLVMGetIntrinsicID(callee)
	}
	return 0
}

// staticAllocas lists the allocas of the entry block that promotion may look at.
func staticAllocas(f C.LLVMValueRef) []C.LLVMValueRef {
	var list []C.LLVMValueRef
	for i := C.LLVMGetFirstInstruction(C.LLVMGetEntryBasicBlock(f)); i != nil; i = C.LLVMGetNextInstruction(i) {
		if C.LLVMGetInstructionOpcode(i) == C.LLVMAlloca && allocaCount(i) == 1 {
			list = append(list, i)
		}
	}
	return list
}

// allocaCount is the number of elements of an alloca, 0 if it is not constant.
func allocaCount(a C.LLVMValueRef) uint64 {
	count := C.LLVMGetOperand(a, 0)
	if C.LLVMGetValueKind(count) != C.LLVMConstantIntValueKind {
		return 0
	}
	return uint64(C.LLVMConstIntGetZExtValue(count))
}

// hoist turns alloca() with a constant size into a static object of the entry
// block, so that it can be promoted like a local. The block of the alloca must
// not be in a cycle: then it runs at most once in a call, and it cannot be told
// when the object was made. In a function that restores the stack the end of
// the object's life would change.
func (p *preparation) hoist(f C.LLVMValueRef) {
	entry := C.LLVMGetEntryBasicBlock(f)
	var found []C.LLVMValueRef
	for b := C.LLVMGetFirstBasicBlock(f); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		for i := C.LLVMGetFirstInstruction(b); i != nil; i = C.LLVMGetNextInstruction(i) {
			switch C.LLVMGetInstructionOpcode(i) {
			case C.LLVMAlloca:
				if n := allocaCount(i); n > 1 && n < 1<<20 || n == 1 && b != entry {
					found = append(found, i)
				}
			case C.LLVMCall:
				if intrinsicOf(i) == stackRestore {
					return
				}
			}
		}
	}
	if len(found) == 0 {
		return
	}
	graph := newFlowGraph(f)
	for _, a := range found {
		block := C.LLVMGetInstructionParent(a)
		if graph.inCycle(graph.index[block]) {
			continue
		}
		t := C.LLVMGetAllocatedType(a)
		if n := allocaCount(a); n > 1 {
			t = C.LLVMArrayType2(t, C.uint64_t(n))
		}
		C.LLVMPositionBuilderBefore(p.builder, C.LLVMGetFirstInstruction(entry))
		C.LLVMSetCurrentDebugLocation2(p.builder, nil)
		empty := C.CString("")
		object := C.LLVMBuildAlloca(p.builder, t, empty)
		C.free(unsafe.Pointer(empty))
		C.LLVMSetAlignment(object, C.LLVMGetAlignment(a))
		C.LLVMReplaceAllUsesWith(a, object)
		C.LLVMInstructionEraseFromParent(a)
	}
}
