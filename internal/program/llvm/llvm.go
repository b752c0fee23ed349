// Package llvm is the only binding to libLLVM, through LLVM 19's C API.
//
// It reads modules (bitcode or text), links them, prepares them for the
// importer, and copies what is reachable into plain Go data (type Program).
// No C type leaves the package, and nothing walks C objects after Copy: the
// caller closes the session and works on the copy. The steps are
//
//	Open → Read… → Link → Prepare (arbitrary.go, promote.go) → Copy → Close
//
// libLLVM aborts on input that is malformed in ways its reader does not check.
// Bitcode that this program did not have compiled must therefore be read in a
// child process first (package frontend does that).
package llvm

/*
#cgo CFLAGS: -I/usr/lib/llvm-19/include
#include <stdlib.h>
#include <string.h>
#include "llvm-c/Core.h" // not found? install llvm-19-dev
#include "llvm-c/Analysis.h"
#include "llvm-c/BitReader.h"
#include "llvm-c/BitWriter.h"
#include "llvm-c/IRReader.h"
#include "llvm-c/Linker.h"
#include "llvm-c/Target.h"

// The messages of errors and of nothing else, one a line. The default handler
// of a context would end the process on an error.
typedef struct { char *text; } assay_messages;

static void assay_diagnose(LLVMDiagnosticInfoRef info, void *context) {
	assay_messages *m = context;
	if (LLVMGetDiagInfoSeverity(info) != LLVMDSError) return;
	char *d = LLVMGetDiagInfoDescription(info);
	size_t old = m->text ? strlen(m->text) + 1 : 0;
	char *t = realloc(m->text, old + strlen(d) + 1);
	if (t) {
		if (old) t[old - 1] = '\n';
		strcpy(t + old, d);
		m->text = t;
	}
	LLVMDisposeMessage(d);
}

static void assay_listen(LLVMContextRef c, assay_messages *m) {
	LLVMContextSetDiagnosticHandler(c, assay_diagnose, m);
}
*/
import "C"

import (
	"errors"
	"fmt"
	"strings"
	"unsafe"
)

// Session owns one LLVM context and the module that is being prepared in it.
// It belongs to one goroutine at a time.
type Session struct {
	// Unpromoted keeps Prepare from promoting locals to values; LocalsAtExit those that may hold
	// pointers where a call of exit ends the program (active.go). Promoted are functions whose locals it
	// promotes anyway. Harnessed says that the heap has blocks that the module does not allocate.
	Unpromoted, LocalsAtExit, Harnessed bool
	Promoted                            []string
	// Kept are the names of stack objects that it does not promote, by function; a number may follow.
	Kept map[string][]string
	// CheckAlignment makes Prepare mark the accesses that must be aligned;
	// FromSource says that the modules are as clang -O0 wrote them.
	CheckAlignment, FromSource bool
	// FirstDefinition lets Read keep the first body of a function; Shadowed names those whose later bodies it has dropped.
	FirstDefinition bool
	Shadowed        []string

	context  C.LLVMContextRef
	module   C.LLVMModuleRef // nil before the first Read
	layout   C.LLVMTargetDataRef
	messages *C.assay_messages
	volatile bool // Prepare has seen volatile or atomic accesses
}

// Open starts a session. Close must be called.
func Open() *Session {
	s := &Session{context: C.LLVMContextCreate()}
	s.messages = (*C.assay_messages)(C.calloc(1, C.size_t(unsafe.Sizeof(C.assay_messages{}))))
	C.assay_listen(s.context, s.messages)
	return s
}

// Close frees everything that libLLVM holds for the session.
func (s *Session) Close() {
	if s.context == nil {
		return
	}
	if s.module != nil {
		C.LLVMDisposeModule(s.module)
	}
	C.LLVMContextDispose(s.context)
	C.free(unsafe.Pointer(s.messages.text))
	C.free(unsafe.Pointer(s.messages))
	*s = Session{}
}

// SyntaxError says why a module cannot be read.
type SyntaxError struct{ Text string }

func (e *SyntaxError) Error() string { return e.Text }

// Read parses a module, bitcode or text, and links it to what was read before.
// The name is used in messages. The error is a *SyntaxError, or a *LinkError.
func (s *Session) Read(name string, content []byte, replaced ...Replacement) error {
	m, err := s.parse(name, content)
	if err != nil {
		return err
	}
	for _, r := range replaced {
		r.in(m)
	}
	if s.FirstDefinition && s.module != nil {
		s.Shadowed = append(s.Shadowed, s.shadow(m)...)
	}
	if s.module == nil {
		s.setModule(m)
		return nil
	}
	return s.link(name, m)
}

func (s *Session) parse(name string, content []byte) (C.LLVMModuleRef, error) {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	// The copy is terminated by a NUL, which the text parser needs.
	buffer := C.LLVMCreateMemoryBufferWithMemoryRangeCopy((*C.char)(unsafe.Pointer(unsafe.SliceData(content))), C.size_t(len(content)), cname)
	var m C.LLVMModuleRef
	var message *C.char
	if C.LLVMParseIRInContext(s.context, buffer, &m, &message) != 0 { // frees the buffer
		text := C.GoString(message)
		C.LLVMDisposeMessage(message)
		if more := s.takeMessages(); more != "" {
			text += "\n" + more
		}
		return nil, &SyntaxError{Text: strings.TrimSpace(text)}
	}
	if text := s.takeMessages(); text != "" {
		C.LLVMDisposeModule(m)
		return nil, &SyntaxError{Text: text}
	}
	return m, nil
}

func (s *Session) setModule(m C.LLVMModuleRef) {
	s.module = m
	s.layout = C.LLVMGetModuleDataLayout(m)
}

func (s *Session) takeMessages() string {
	text := C.GoString(s.messages.text)
	C.free(unsafe.Pointer(s.messages.text))
	s.messages.text = nil
	return text
}

// LinkError says why two modules do not fit together.
type LinkError struct{ Text string }

func (e *LinkError) Error() string { return e.Text }

func (s *Session) link(name string, m C.LLVMModuleRef) error {
	if C.LLVMLinkModules2(s.module, m) != 0 { // disposes of m
		text := s.takeMessages()
		if text == "" {
			text = "cannot be linked"
		}
		return &LinkError{Text: fmt.Sprintf("%s: %s", name, text)}
	}
	s.takeMessages()
	return nil
}

// libraryAttribute marks the functions that LinkLibrary has added.
const libraryAttribute = "assay-library"

// LinkLibrary adds those definitions of a bitcode library that the module
// declares and does not define, and what they need in turn. Their functions
// are marked (Function.Library), even if linking has to rename them. The
// library is read lazily: what is not needed costs next to nothing.
func (s *Session) LinkLibrary(name string, bitcode []byte) error {
	m, err := s.parseLazily(name, bitcode)
	if err != nil {
		return err
	}
	s.makeOptional(m, libraryAttribute)
	return s.link(name, m)
}

// LinkDefinitions links the functions and objects of these names, whatever their linkage, and what they
// need of their module, to what was read before, which may be nothing. A module must be
// linked once only, or its static objects would exist twice.
func (s *Session) LinkDefinitions(name string, bitcode []byte, definitions []string) error {
	m, err := s.parseLazily(name, bitcode)
	if err != nil {
		return err
	}
	if s.module == nil {
		title := C.CString(name)
		defer C.free(unsafe.Pointer(title))
		empty := C.LLVMModuleCreateWithNameInContext(title, s.context)
		C.LLVMSetDataLayout(empty, C.LLVMGetDataLayoutStr(m))
		C.LLVMSetTarget(empty, C.LLVMGetTarget(m))
		s.setModule(empty)
	}
	for _, definition := range definitions {
		cname := C.CString(definition)
		defer C.free(unsafe.Pointer(cname))
		if f := C.LLVMGetNamedFunction(m, cname); f != nil {
			if C.LLVMGetNamedFunction(s.module, cname) == nil {
				C.LLVMAddFunction(s.module, cname, C.LLVMGlobalGetValueType(f))
			}
			C.LLVMSetLinkage(f, C.LLVMLinkOnceAnyLinkage)
			continue
		}
		g := C.LLVMGetNamedGlobal(m, cname)
		if g == nil {
			C.LLVMDisposeModule(m)
			return &LinkError{Text: fmt.Sprintf("%s: does not define %s", name, definition)}
		}
		if C.LLVMGetNamedGlobal(s.module, cname) == nil {
			C.LLVMAddGlobal(s.module, C.LLVMGlobalGetValueType(g), cname)
		}
	}
	s.makeOptional(m, "")
	return s.link(name, m)
}

// parseLazily reads a module whose functions are read when they are linked.
func (s *Session) parseLazily(name string, bitcode []byte) (C.LLVMModuleRef, error) {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	buffer := C.LLVMCreateMemoryBufferWithMemoryRangeCopy((*C.char)(unsafe.Pointer(unsafe.SliceData(bitcode))), C.size_t(len(bitcode)), cname)
	var m C.LLVMModuleRef
	if C.LLVMGetBitcodeModuleInContext2(s.context, buffer, &m) != 0 { // frees the buffer
		return nil, errors.New(name + ": " + s.takeMessages())
	}
	return m, nil
}

// makeOptional lets the linker take those definitions only that it needs, and marks the
// functions.
func (s *Session) makeOptional(m C.LLVMModuleRef, attribute string) {
	var mark C.LLVMAttributeRef
	if attribute != "" {
		mark = s.stringAttribute(attribute)
	}
	for f := C.LLVMGetFirstFunction(m); f != nil; f = C.LLVMGetNextFunction(f) {
		if C.LLVMIsDeclaration(f) != 0 {
			continue
		}
		if attribute != "" {
			C.LLVMAddAttributeAtIndex(f, functionIndex, mark)
		}
		if C.LLVMGetLinkage(f) != C.LLVMInternalLinkage {
			C.LLVMSetLinkage(f, C.LLVMLinkOnceAnyLinkage)
		}
	}
	for g := C.LLVMGetFirstGlobal(m); g != nil; g = C.LLVMGetNextGlobal(g) {
		if C.LLVMIsDeclaration(g) == 0 {
			switch C.LLVMGetLinkage(g) {
			case C.LLVMInternalLinkage, C.LLVMPrivateLinkage, C.LLVMAppendingLinkage:
			default:
				C.LLVMSetLinkage(g, C.LLVMLinkOnceAnyLinkage)
			}
		}
	}
}

// Attribute indices of the C API.
const (
	returnIndex   = C.LLVMAttributeIndex(0)
	functionIndex = ^C.LLVMAttributeIndex(0)
)

func (s *Session) stringAttribute(key string) C.LLVMAttributeRef {
	k := C.CString(key)
	defer C.free(unsafe.Pointer(k))
	return C.LLVMCreateStringAttribute(s.context, k, C.uint(len(key)), k, 0)
}

func hasStringAttribute(f C.LLVMValueRef, key string) bool {
	k := C.CString(key)
	defer C.free(unsafe.Pointer(k))
	return C.LLVMGetStringAttributeAtIndex(f, functionIndex, k, C.uint(len(key))) != nil
}

// Verify runs LLVM's verifier on the module.
func (s *Session) Verify() error {
	var message *C.char
	if C.LLVMVerifyModule(s.module, C.LLVMReturnStatusAction, &message) != 0 {
		text := C.GoString(message)
		C.LLVMDisposeMessage(message)
		return &SyntaxError{Text: strings.TrimSpace(text)}
	}
	C.LLVMDisposeMessage(message)
	return nil
}

// Text is the module in LLVM's assembly language, for debugging and tests.
func (s *Session) Text() string {
	text := C.LLVMPrintModuleToString(s.module)
	defer C.LLVMDisposeMessage(text)
	return C.GoString(text)
}

func (s *Session) function(name string) C.LLVMValueRef {
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	return C.LLVMGetNamedFunction(s.module, cname)
}

func valueName(v C.LLVMValueRef) string {
	var n C.size_t
	p := C.LLVMGetValueName2(v, &n)
	return C.GoStringN(p, C.int(n))
}

// PointerBits is the width of pointers.
func (s *Session) PointerBits() uint32 { return uint32(C.LLVMPointerSize(s.layout)) * 8 }

// BigEndian says that the target stores the most significant byte first.
func (s *Session) BigEndian() bool { return C.LLVMByteOrder(s.layout) == C.LLVMBigEndian }

// Declares says whether the module names the function without defining it.
func (s *Session) Declares(name string) bool {
	f := s.function(name)
	return f != nil && C.LLVMIsDeclaration(f) != 0
}

// Uses says whether something in the module names the function, perhaps where no run comes.
func (s *Session) Uses(name string) bool {
	f := s.function(name)
	return f != nil && C.LLVMGetFirstUse(f) != nil
}

// Declare adds the declaration of a function without parameters and result,
// unless the name exists.
func (s *Session) Declare(name string) {
	if s.function(name) != nil {
		return
	}
	cname := C.CString(name)
	defer C.free(unsafe.Pointer(cname))
	C.LLVMAddFunction(s.module, cname, C.LLVMFunctionType(C.LLVMVoidTypeInContext(s.context), nil, 0, 0))
}

// Reserved is a name in the module that belongs to assay, "" if there is none.
func (s *Session) Reserved() string {
	for g := C.LLVMGetFirstGlobal(s.module); g != nil; g = C.LLVMGetNextGlobal(g) {
		if name := valueName(g); strings.HasPrefix(name, "assay.") {
			return name
		}
	}
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		if name := valueName(f); strings.HasPrefix(name, "assay.") {
			return name
		}
	}
	return ""
}

// Undefined are the names that the module declares and does not define,
// intrinsics excepted.
func (s *Session) Undefined() []string {
	var names []string
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		if C.LLVMIsDeclaration(f) != 0 && C.LLVMGetIntrinsicID(f) == 0 {
			names = append(names, valueName(f))
		}
	}
	for g := C.LLVMGetFirstGlobal(s.module); g != nil; g = C.LLVMGetNextGlobal(g) {
		if C.LLVMIsDeclaration(g) != 0 {
			names = append(names, valueName(g))
		}
	}
	return names
}

// CalledWith says whether all uses of a function are direct calls in which the
// argument is a string literal that satisfies ok.
func (s *Session) CalledWith(name string, argument int, ok func(text string) bool) bool {
	f := s.function(name)
	if f == nil {
		return true
	}
	for u := C.LLVMGetFirstUse(f); u != nil; u = C.LLVMGetNextUse(u) {
		call := C.LLVMGetUser(u)
		if C.LLVMIsACallInst(call) == nil || C.LLVMGetCalledValue(call) != f || int(C.LLVMGetNumArgOperands(call)) <= argument {
			return false
		}
		text, literal := stringLiteral(C.LLVMGetOperand(call, C.uint(argument)))
		if !literal || !ok(text) {
			return false
		}
	}
	return true
}

// stringLiteral is the text of a constant object that holds a string.
func stringLiteral(v C.LLVMValueRef) (text string, ok bool) {
	if C.LLVMIsAGlobalVariable(v) == nil || C.LLVMIsGlobalConstant(v) == 0 {
		return "", false
	}
	init := C.LLVMGetInitializer(v)
	if init == nil || C.LLVMIsAConstantDataSequential(init) == nil || C.LLVMIsConstantString(init) == 0 {
		return "", false
	}
	var n C.size_t
	p := C.LLVMGetAsString(init, &n)
	return strings.TrimRight(C.GoStringN(p, C.int(n)), "\x00"), true
}

// Exported are the names of the functions that the module defines for others.
func (s *Session) Exported() []string {
	var names []string
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		if C.LLVMIsDeclaration(f) == 0 && C.LLVMGetLinkage(f) != C.LLVMInternalLinkage {
			names = append(names, valueName(f))
		}
	}
	return names
}

// Provided are the names of functions and objects that the module defines for others.
func (s *Session) Provided() []string {
	names := s.Exported()
	for g := C.LLVMGetFirstGlobal(s.module); g != nil; g = C.LLVMGetNextGlobal(g) {
		if C.LLVMIsDeclaration(g) == 0 {
			switch C.LLVMGetLinkage(g) {
			case C.LLVMInternalLinkage, C.LLVMPrivateLinkage, C.LLVMAppendingLinkage:
			default:
				names = append(names, valueName(g))
			}
		}
	}
	return names
}

// FunctionNames are the names of the functions that the module defines.
func (s *Session) FunctionNames() []string {
	var names []string
	for f := C.LLVMGetFirstFunction(s.module); f != nil; f = C.LLVMGetNextFunction(f) {
		if C.LLVMIsDeclaration(f) == 0 {
			names = append(names, valueName(f))
		}
	}
	return names
}

// Bitcode is the module as bitcode.
func (s *Session) Bitcode() []byte {
	buffer := C.LLVMWriteBitcodeToMemoryBuffer(s.module)
	defer C.LLVMDisposeMemoryBuffer(buffer)
	return C.GoBytes(unsafe.Pointer(C.LLVMGetBufferStart(buffer)), C.int(C.LLVMGetBufferSize(buffer)))
}
