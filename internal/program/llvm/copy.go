package llvm

/*
#include <stdlib.h>
#include <string.h>
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
#include "llvm-c/Target.h"

// assay_variadic says that a load is what va_arg reads: clang names the address so, and the load not at all; what optimisation makes of a
// copy of a structure has a name.
static unsigned assay_variadic(LLVMValueRef i) {
	size_t n;
	const char *s;
	LLVMGetValueName2(i, &n);
	if (n != 0) return 0;
	s = LLVMGetValueName2(LLVMGetOperand(i, 0), &n);
	return n >= 8 && (!memcmp(s, "vaarg.ad", 8) || !memcmp(s, "argp.cur", 8) || (n >= 9 && !memcmp(s, "argp.next", 9)));
}

// What the importer asks of every instruction, collected in one call for a
// whole block: a cgo call for each would take longer than everything else.
typedef struct {
	LLVMValueRef value;
	LLVMTypeRef type, elem;
	LLVMMetadataRef scope;
	unsigned op, operands, successors, line, col, align, pred;
	unsigned nsw, nuw, exact, used, part, variadic;
} assay_inst;

// assay_part says that clang computes a part of a complex number by an operation: it names them add.r, mul.il and so on,
// and those of a division, products among them, not at all; what C multiplies has other names, and sums without one are of va_arg.
static unsigned assay_part(LLVMValueRef i) {
	static const char *const names[] = {"add", "sub", "mul", "neg", "conj"};
	size_t n;
	const char *s = LLVMGetValueName2(i, &n);
	if (n == 0) return LLVMGetInstructionOpcode(i) == LLVMMul;
	for (unsigned k = 0; k < sizeof names / sizeof *names; k++) {
		size_t l = strlen(names[k]);
		if (n > l + 1 && !memcmp(s, names[k], l) && s[l] == '.' && (s[l + 1] == 'r' || s[l + 1] == 'i')) return 1;
	}
	return 0;
}

static unsigned assay_count(LLVMBasicBlockRef b) {
	unsigned n = 0;
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) n++;
	return n;
}

static void assay_block(LLVMBasicBlockRef b, assay_inst *r) {
	for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i), r++) {
		r->value = i;
		r->type = LLVMTypeOf(i);
		r->op = LLVMGetInstructionOpcode(i);
		r->operands = LLVMGetNumOperands(i);
		switch (r->op) {
		case LLVMAlloca: r->elem = LLVMGetAllocatedType(i); r->align = LLVMGetAlignment(i); break;
		case LLVMLoad: case LLVMStore: case LLVMAtomicRMW: case LLVMAtomicCmpXchg:
			if (r->op == LLVMLoad) r->variadic = assay_variadic(i);
			r->align = LLVMGetAlignment(i);
			if (r->op == LLVMAtomicRMW) r->pred = LLVMGetAtomicRMWBinOp(i);
			break;
		case LLVMGetElementPtr: r->elem = LLVMGetGEPSourceElementType(i); break;
		case LLVMCall: case LLVMInvoke:
			r->elem = LLVMGetCalledFunctionType(i);
			r->used = LLVMGetFirstUse(i) != NULL;
			break;
		case LLVMICmp: r->pred = LLVMGetICmpPredicate(i); break;
		case LLVMFCmp: r->pred = LLVMGetFCmpPredicate(i); break;
		case LLVMAdd: case LLVMSub: case LLVMMul: case LLVMShl:
			r->nsw = LLVMGetNSW(i); r->nuw = LLVMGetNUW(i);
			if (r->op != LLVMShl && !r->nsw && !r->nuw) r->part = assay_part(i);
			break;
		case LLVMSDiv: case LLVMUDiv: case LLVMLShr: case LLVMAShr: r->exact = LLVMGetExact(i); break;
		}
		if (LLVMIsATerminatorInst(i)) r->successors = LLVMGetNumSuccessors(i);
		LLVMMetadataRef loc = LLVMInstructionGetDebugLoc(i);
		if (loc) {
			r->line = LLVMDILocationGetLine(loc);
			r->col = LLVMDILocationGetColumn(loc);
			r->scope = LLVMDILocationGetScope(loc);
		}
	}
}
*/
import "C"

import (
	"sort"
	"unsafe"

	"assay/internal/run/lazyregexp"
)

// This file copies functions, blocks and instructions. Functions are copied
// when something that is copied names them, so that the copy holds exactly
// what the roots reach.

// calledSections are the sections of which the C library, or its loader, calls what is put there.
var calledSections = lazyregexp.New(`^\.(preinit_array|init_array|fini_array|ctors|dtors|init|fini)(\.|$)`)

type copier struct {
	s      *Session
	p      *Program
	types  map[C.LLVMTypeRef]*Type
	values map[C.LLVMValueRef]Value // everything but the instructions of other functions
	blocks map[C.LLVMBasicBlockRef]*Block
	work   []func()
	order  map[C.LLVMValueRef]int // position of globals and functions in the module
	debug  debugInfo

	byVal, noReturn, sret, optNone, noUndef C.uint // attribute kinds
	buffer                                  []C.assay_inst
}

// Copy copies the definitions of the roots and all that they reach. Roots that
// do not exist are ignored; global constructors are roots, too.
func (s *Session) Copy(roots ...string) *Program {
	C.LLVMSetIsNewDbgInfoFormat(s.module, 0) // the C API cannot iterate debug records
	c := &copier{
		s: s,
		p: &Program{
			PointerBits: uint32(C.LLVMPointerSize(s.layout)) * 8,
			Triple:      C.GoString(C.LLVMGetTarget(s.module)),
			BigEndian:   C.LLVMByteOrder(s.layout) == C.LLVMBigEndian,
			Volatile:    s.volatile,
		},
		types:    map[C.LLVMTypeRef]*Type{},
		values:   map[C.LLVMValueRef]Value{},
		blocks:   map[C.LLVMBasicBlockRef]*Block{},
		order:    map[C.LLVMValueRef]int{},
		byVal:    attributeKind("byval"),
		noReturn: attributeKind("noreturn"),
		noUndef:  attributeKind("noundef"),
		sret:     attributeKind("sret"),
		optNone:  attributeKind("optnone"),
	}
	c.debug.init()
	var n C.size_t
	C.LLVMGetModuleInlineAsm(s.module, &n)
	c.p.ModuleAsm = n > 0
	for g := C.LLVMGetFirstGlobal(s.module); g != nil; g = C.LLVMGetNextGlobal(g) {
		c.order[g] = len(c.order)
		switch valueName(g) {
		case "llvm.global_ctors":
			c.p.Constructors = c.constructors(g)
		case "llvm.global_dtors":
			c.p.Destructors = c.constructors(g)
		}
		if section := C.GoString(C.LLVMGetSection(g)); calledSections.MatchString(section) {
			c.p.Started = section
		}
	}
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		c.order[f] = len(c.order)
		if C.LLVMIsDeclaration(f) == 0 && C.LLVMGetLinkage(f) == C.LLVMExternalLinkage && !hasStringAttribute(f, libraryAttribute) {
			c.p.Defined = append(c.p.Defined, valueName(f))
		}
	}
	for _, name := range roots {
		if f := s.function(name); f != nil {
			c.function(f)
		}
	}
	for len(c.work) > 0 {
		next := c.work[len(c.work)-1]
		c.work = c.work[:len(c.work)-1]
		next()
	}
	c.sortByModule()
	return c.p
}

func attributeKind(name string) C.uint {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return C.LLVMGetEnumAttributeKindForName(cname, C.size_t(len(name)))
}

func (c *copier) constructors(g C.LLVMValueRef) []Constructor {
	init := C.LLVMGetInitializer(g)
	if init == nil {
		return nil
	}
	list, ok := c.value(init).(*Const)
	if !ok {
		return nil
	}
	var all []Constructor
	for _, e := range list.Elems {
		if entry, ok := e.(*Const); ok && len(entry.Elems) >= 2 {
			if priority, ok := entry.Elems[0].(*Const); ok && priority.Kind == IntConst {
				all = append(all, Constructor{Priority: priority.Bits.Uint64(), Func: entry.Elems[1]})
			}
		}
	}
	return all
}

// sortByModule gives globals and functions the order of the module: they were
// found in an order that no reader would expect.
func (c *copier) sortByModule() {
	position := map[Value]int{}
	for v, i := range c.order {
		if copied, ok := c.values[v]; ok {
			position[copied] = i
		}
	}
	sort.Slice(c.p.Globals, func(i, j int) bool { return position[c.p.Globals[i]] < position[c.p.Globals[j]] })
	sort.Slice(c.p.Functions, func(i, j int) bool { return position[c.p.Functions[i]] < position[c.p.Functions[j]] })
}

func (c *copier) global(v C.LLVMValueRef) *Global {
	if known, ok := c.values[v]; ok {
		return known.(*Global)
	}
	linkage := C.LLVMGetLinkage(v)
	g := &Global{
		Name:        valueName(v),
		address:     c.typeOf(C.LLVMTypeOf(v)),
		Type:        c.typeOf(C.LLVMGlobalGetValueType(v)),
		Constant:    C.LLVMIsGlobalConstant(v) != 0,
		Mergeable:   C.LLVMGetUnnamedAddress(v) == C.LLVMGlobalUnnamedAddr,
		ThreadLocal: C.LLVMIsThreadLocal(v) != 0,
		Align:       uint64(C.LLVMGetAlignment(v)),
		Weak:        linkage == C.LLVMExternalWeakLinkage,
		Local:       linkage == C.LLVMInternalLinkage || linkage == C.LLVMPrivateLinkage,
		Common:      linkage == C.LLVMCommonLinkage,
	}
	c.values[v] = g
	c.p.Globals = append(c.p.Globals, g)
	c.debug.global(c, v, g)
	if init := C.LLVMGetInitializer(v); init != nil && C.LLVMIsExternallyInitialized(v) == 0 {
		c.work = append(c.work, func() { g.Init = c.value(init) })
	}
	return g
}

func (c *copier) function(v C.LLVMValueRef) *Function {
	if known, ok := c.values[v]; ok {
		return known.(*Function)
	}
	f := &Function{
		Name:      valueName(v),
		address:   c.typeOf(C.LLVMTypeOf(v)),
		Type:      c.typeOf(C.LLVMGlobalGetValueType(v)),
		Intrinsic: C.LLVMGetIntrinsicID(v) != 0,
		Weak:      C.LLVMGetLinkage(v) == C.LLVMExternalWeakLinkage,
		NoReturn:  C.LLVMGetEnumAttributeAtIndex(v, functionIndex, c.noReturn) != nil,
	}
	f.Attribute = strangeAttribute(v)
	c.values[v] = f
	c.p.Functions = append(c.p.Functions, f)
	if C.LLVMIsDeclaration(v) == 0 {
		f.Library = hasStringAttribute(v, libraryAttribute)
		f.Unoptimised = hasStringAttribute(v, unoptimisedAttribute) || C.LLVMGetEnumAttributeAtIndex(v, functionIndex, c.optNone) != nil
		c.debug.function(c, v, f)
		c.work = append(c.work, func() { c.body(v, f) })
	}
	return f
}

// strangeAttribute is an attribute of a function or a parameter that changes what calls
// mean, in a way that is not modelled; "" if there is none.
func strangeAttribute(f C.LLVMValueRef) string {
	for _, name := range []string{"returns_twice", "naked", "presplitcoroutine"} {
		if C.LLVMGetEnumAttributeAtIndex(f, functionIndex, attributeKind(name)) != nil {
			return name
		}
	}
	for i := range C.LLVMCountParams(f) {
		for _, name := range []string{"inalloca", "preallocated", "swifterror", "swiftasync", "byref"} {
			if C.LLVMGetEnumAttributeAtIndex(f, C.LLVMAttributeIndex(i+1), attributeKind(name)) != nil {
				return name
			}
		}
	}
	return ""
}

func (c *copier) block(b C.LLVMBasicBlockRef) *Block {
	if known, ok := c.blocks[b]; ok {
		return known
	}
	n := &Block{Name: C.GoString(C.LLVMGetBasicBlockName(b))}
	c.blocks[b] = n
	return n
}

// pending is an instruction whose operands are still to be copied.
type pending struct {
	inst *Inst
	raw  rawInst
}

type rawInst = C.assay_inst

func (c *copier) body(v C.LLVMValueRef, f *Function) {
	for i, p := 0, C.LLVMGetFirstParam(v); p != nil; i, p = i+1, C.LLVMGetNextParam(p) {
		param := &Param{Index: i, Name: valueName(p), Type: c.typeOf(C.LLVMTypeOf(p))}
		if a := C.LLVMGetEnumAttributeAtIndex(v, C.LLVMAttributeIndex(i+1), c.byVal); a != nil {
			param.ByVal = c.typeOf(C.LLVMGetTypeAttributeValue(a))
		}
		f.Params = append(f.Params, param)
		c.values[p] = param
	}
	var todo []pending
	for b := C.LLVMGetFirstBasicBlock(v); b != nil; b = C.LLVMGetNextBasicBlock(b) {
		n := c.block(b)
		n.Index, n.Func = len(f.Blocks), f
		f.Blocks = append(f.Blocks, n)
		count := int(C.assay_count(b))
		if cap(c.buffer) < count {
			c.buffer = make([]C.assay_inst, 2*count)
		}
		raw := c.buffer[:count]
		clear(raw)
		C.assay_block(b, &raw[0])
		insts := make([]Inst, count)
		for i := range raw {
			insts[i] = Inst{Op: Opcode(raw[i].op), Type: c.typeOf(raw[i]._type), Align: uint64(raw[i].align), Pos: c.debug.position(c, &raw[i])}
			c.values[raw[i].value] = &insts[i]
			n.Instrs = append(n.Instrs, &insts[i])
			todo = append(todo, pending{&insts[i], raw[i]})
		}
	}
	for _, t := range todo {
		c.instruction(t.inst, &t.raw)
	}
	// Instructions are named by nothing outside their function.
	for _, t := range todo {
		delete(c.values, t.raw.value)
	}
}
