package llvm

/*
#include <stdlib.h>
#include "llvm-c/Core.h"
#include "llvm-c/DebugInfo.h"
*/
import "C"

import (
	"fmt"
	"strconv"
	"strings"

	"assay/internal/run/lazyregexp"
)

// This file reads debug information: positions, variables, types, labels.
//
// The C API has accessors for few metadata nodes. The operands of the others
// are read by position, in the order that LLVM 19's DebugInfoMetadata.cpp
// gives them:
//
//	DILocalVariable   scope, name, file, type
//	DIGlobalVariable  scope, name, file, type
//	DISubprogram      file, scope, name, linkage name, type
//	DIType            file, scope, name, base type (or the types of a signature), elements
//	DISubrange        count
//	DILabel           scope, name, file
//
// Expressions and the encoding of unusual base types are read from the printed
// text; both are few, and each is printed once.

type debugInfo struct {
	scopes      map[C.LLVMMetadataRef]int32 // file of a scope
	files       map[C.LLVMMetadataRef]int32
	names       map[string]int32
	types       map[C.LLVMMetadataRef]*CType
	variables   map[C.LLVMValueRef]*Variable
	expressions map[C.LLVMValueRef]expression
}

// expression is what is understood of a DIExpression.
type expression struct {
	fragment *Fragment
	computes bool // anything but a fragment
}

func (d *debugInfo) init() {
	d.scopes = map[C.LLVMMetadataRef]int32{}
	d.files = map[C.LLVMMetadataRef]int32{}
	d.names = map[string]int32{}
	d.types = map[C.LLVMMetadataRef]*CType{}
	d.variables = map[C.LLVMValueRef]*Variable{}
	d.expressions = map[C.LLVMValueRef]expression{}
}

func (d *debugInfo) position(c *copier, raw *rawInst) Pos {
	if raw.line == 0 || raw.scope == nil {
		return Pos{}
	}
	return Pos{File: d.scopeFile(c, raw.scope), Line: int32(raw.line), Col: int32(raw.col)}
}

func (d *debugInfo) scopeFile(c *copier, scope C.LLVMMetadataRef) int32 {
	if i, ok := d.scopes[scope]; ok {
		return i
	}
	i := d.file(c, C.LLVMDIScopeGetFile(scope))
	d.scopes[scope] = i
	return i
}

func (d *debugInfo) file(c *copier, f C.LLVMMetadataRef) int32 {
	if f == nil {
		return d.fileName(c, "<unknown>")
	}
	if i, ok := d.files[f]; ok {
		return i
	}
	var n C.uint
	p := C.LLVMDIFileGetFilename(f, &n)
	name := C.GoStringN(p, C.int(n))
	if !strings.HasPrefix(name, "/") {
		p := C.LLVMDIFileGetDirectory(f, &n)
		if directory := C.GoStringN(p, C.int(n)); directory != "" {
			name = strings.TrimSuffix(directory, "/") + "/" + strings.TrimPrefix(name, "./")
		}
	}
	i := d.fileName(c, name)
	d.files[f] = i
	return i
}

func (d *debugInfo) fileName(c *copier, name string) int32 {
	i, ok := d.names[name]
	if !ok {
		i = int32(len(c.p.Files))
		d.names[name] = i
		c.p.Files = append(c.p.Files, name)
	}
	return i
}

// operands are the operands of a metadata node; missing ones are nil.
func operands(node C.LLVMValueRef) []C.LLVMValueRef {
	if node == nil || C.LLVMIsAMDNode(node) == nil {
		return nil
	}
	n := C.LLVMGetMDNodeNumOperands(node)
	if n == 0 {
		return nil
	}
	list := make([]C.LLVMValueRef, n)
	C.LLVMGetMDNodeOperands(node, &list[0])
	return list
}

func operand(list []C.LLVMValueRef, i int) C.LLVMValueRef {
	if i < len(list) {
		return list[i]
	}
	return nil
}

func metadataString(v C.LLVMValueRef) string {
	if v == nil {
		return ""
	}
	var n C.uint
	p := C.LLVMGetMDString(v, &n)
	return C.GoStringN(p, C.int(n))
}

func (d *debugInfo) global(c *copier, v C.LLVMValueRef, g *Global) {
	var n C.size_t
	entries := C.LLVMGlobalCopyAllMetadata(v, &n)
	defer C.LLVMDisposeValueMetadataEntries(entries)
	for i := range C.uint(n) {
		node := C.LLVMValueMetadataEntriesGetMetadata(entries, i)
		if C.LLVMGetMetadataKind(node) != C.LLVMDIGlobalVariableExpressionMetadataKind {
			continue
		}
		variable := C.LLVMDIGlobalVariableExpressionGetVariable(node)
		list := operands(C.LLVMMetadataAsValue(c.s.context, variable))
		g.CName = metadataString(operand(list, 1))
		g.CType = d.ctype(c, operand(list, 3))
		g.Pos = Pos{File: d.file(c, C.LLVMDIVariableGetFile(variable)), Line: int32(C.LLVMDIVariableGetLine(variable))}
	}
}

func (d *debugInfo) function(c *copier, v C.LLVMValueRef, f *Function) {
	subprogram := C.LLVMGetSubprogram(v)
	if subprogram == nil {
		return
	}
	f.Pos = Pos{File: d.scopeFile(c, subprogram), Line: int32(C.LLVMDISubprogramGetLine(subprogram))}
	list := operands(C.LLVMMetadataAsValue(c.s.context, subprogram))
	signature := operands(operand(list, 4))
	for _, t := range operands(operand(signature, 3)) {
		f.CTypes = append(f.CTypes, d.ctype(c, t))
	}
}

// record turns a call of a debug intrinsic into a pseudo instruction.
func (d *debugInfo) record(c *copier, n *Inst, name string, v C.LLVMValueRef) {
	n.Callee = nil
	if name == "llvm.dbg.label" {
		n.Op = DbgLabel
		n.Label = metadataString(operand(operands(C.LLVMGetOperand(v, 0)), 1))
		return
	}
	n.Op = DbgValue
	if name == "llvm.dbg.declare" {
		n.Op = DbgDeclare
	}
	n.Var = d.variable(c, C.LLVMGetOperand(v, 1))
	e := d.expression(C.LLVMGetOperand(v, 2))
	n.Fragment, n.Indirect = e.fragment, e.computes
	wrapped := C.LLVMGetOperand(v, 0)
	if C.LLVMIsAValueAsMetadata(wrapped) == nil {
		return // a list of values, or nothing
	}
	if list := operands(wrapped); len(list) == 1 {
		n.Args = []Value{c.value(list[0])}
	}
}

func (d *debugInfo) variable(c *copier, v C.LLVMValueRef) *Variable {
	if known, ok := d.variables[v]; ok {
		return known
	}
	list := operands(v)
	n := &Variable{Name: metadataString(operand(list, 1)), Type: d.ctype(c, operand(list, 3))}
	node := C.LLVMValueAsMetadata(v)
	n.Pos = Pos{File: d.file(c, C.LLVMDIVariableGetFile(node)), Line: int32(C.LLVMDIVariableGetLine(node))}
	d.variables[v] = n
	return n
}

func (d *debugInfo) expression(v C.LLVMValueRef) expression {
	if known, ok := d.expressions[v]; ok {
		return known
	}
	text := printed(v)
	inner, _, _ := strings.Cut(text[strings.IndexByte(text, '(')+1:], ")")
	var e expression
	if before, after, found := strings.Cut(inner, "DW_OP_LLVM_fragment, "); found {
		offset, size, _ := strings.Cut(after, ", ")
		o, err1 := strconv.ParseUint(offset, 10, 64)
		s, err2 := strconv.ParseUint(size, 10, 64)
		e.fragment = &Fragment{o, s}
		e.computes = before != "" || err1 != nil || err2 != nil
	} else {
		e.computes = inner != ""
	}
	d.expressions[v] = e
	return e
}

func printed(v C.LLVMValueRef) string {
	p := C.LLVMPrintValueToString(v)
	defer C.LLVMDisposeMessage(p)
	return C.GoString(p)
}

// The DWARF tags of types.
const (
	tagArray        = 0x01
	tagClass        = 0x02
	tagEnumeration  = 0x04
	tagMember       = 0x0d
	tagPointer      = 0x0f
	tagReference    = 0x10
	tagStructure    = 0x13
	tagSubroutine   = 0x15
	tagTypedef      = 0x16
	tagUnion        = 0x17
	tagBase         = 0x24
	tagConst        = 0x26
	tagVolatile     = 0x35
	tagRestrict     = 0x37
	tagAtomic       = 0x47
	tagRvalueRef    = 0x42
	tagPointerToMem = 0x1f
)

// ctype copies a type; nil is void. Recursive types are recursive in the copy.
func (d *debugInfo) ctype(c *copier, v C.LLVMValueRef) *CType {
	if v == nil || C.LLVMIsAMDNode(v) == nil {
		return nil
	}
	node := C.LLVMValueAsMetadata(v)
	if known, ok := d.types[node]; ok {
		return known
	}
	t := &CType{Bits: uint64(C.LLVMDITypeGetSizeInBits(node))}
	d.types[node] = t
	var n C.size_t
	p := C.LLVMDITypeGetName(node, &n)
	t.Name = C.GoStringN(p, C.int(n))
	list := operands(v)
	switch C.LLVMGetDINodeTag(node) {
	case tagBase:
		d.baseType(t, v)
	case tagPointer, tagReference, tagRvalueRef, tagPointerToMem:
		t.Kind, t.Base = CPointer, d.ctype(c, operand(list, 3))
	case tagTypedef, tagConst, tagVolatile, tagRestrict, tagAtomic:
		t.Kind, t.Base = CAlias, d.ctype(c, operand(list, 3))
		t.Const = C.LLVMGetDINodeTag(node) == tagConst
		if t.Base != nil {
			t.Bits, t.Signed = t.Base.Bits, t.Base.Signed
		}
	case tagEnumeration:
		t.Kind = CEnum
		if base := d.ctype(c, operand(list, 3)).Strip(); base != nil {
			t.Signed = base.Signed
		}
		if t.Name != "" {
			t.Name = "enum " + t.Name
		}
		for _, e := range operands(operand(list, 4)) {
			if m := enumeratorValue.FindStringSubmatch(printed(e)); m != nil {
				if n, err := strconv.ParseInt(m[1], 10, 64); err == nil {
					t.Enumerators = append(t.Enumerators, n)
				}
			}
		}
	case tagStructure, tagClass, tagUnion:
		t.Kind = CStruct
		prefix := "struct "
		if C.LLVMGetDINodeTag(node) == tagUnion {
			t.Kind, prefix = CUnion, "union "
		}
		if t.Name == "" {
			t.Name = strings.TrimSpace(prefix)
		} else {
			t.Name = prefix + t.Name
		}
		for _, m := range operands(operand(list, 4)) {
			d.member(c, t, m)
		}
	case tagArray:
		d.arrayType(c, t, list)
	case tagSubroutine:
		t.Kind = CFunction
		for _, p := range operands(operand(list, 3)) {
			t.Signature = append(t.Signature, d.ctype(c, p))
		}
	}
	return t
}

// enumeratorValue finds the value in the text of a DIEnumerator, which has no accessor.
var enumeratorValue = lazyregexp.New(`DIEnumerator\(.*value: (-?\d+)`)

func (d *debugInfo) member(c *copier, t *CType, v C.LLVMValueRef) {
	if v == nil || C.LLVMIsAMDNode(v) == nil {
		return
	}
	node := C.LLVMValueAsMetadata(v)
	if C.LLVMGetDINodeTag(node) != tagMember {
		return
	}
	list := operands(v)
	t.Members = append(t.Members, Member{
		Name:   metadataString(operand(list, 2)),
		Type:   d.ctype(c, operand(list, 3)),
		Offset: uint64(C.LLVMDITypeGetOffsetInBits(node)),
		Bits:   uint64(C.LLVMDITypeGetSizeInBits(node)),
	})
}

// arrayType makes nested arrays of the dimensions that DWARF lists in one node.
func (d *debugInfo) arrayType(c *copier, t *CType, list []C.LLVMValueRef) {
	t.Kind, t.Count = CArray, -1
	t.Base = d.ctype(c, operand(list, 3))
	dimensions := operands(operand(list, 4))
	counts := make([]int64, len(dimensions))
	for i, s := range dimensions {
		counts[i] = -1
		if count := operand(operands(s), 0); count != nil && C.LLVMGetValueKind(count) == C.LLVMConstantIntValueKind {
			counts[i] = int64(C.LLVMConstIntGetSExtValue(count))
		}
	}
	for i := len(counts) - 1; i > 0; i-- {
		inner := &CType{Kind: CArray, Base: t.Base, Count: counts[i]}
		if inner.Base != nil && counts[i] > 0 {
			inner.Bits = inner.Base.Bits * uint64(counts[i])
		}
		t.Base = inner
	}
	if len(counts) > 0 {
		t.Count = counts[0]
	}
}

// baseType decides the encoding by the name, which clang writes in one way
// only; for other producers by the printed text.
func (d *debugInfo) baseType(t *CType, v C.LLVMValueRef) {
	switch t.Name {
	case "char", "signed char", "short", "int", "long", "long long", "__int128":
		t.Kind, t.Signed = CInt, true
	case "unsigned char", "unsigned short", "unsigned int", "unsigned long", "unsigned long long", "unsigned __int128":
		t.Kind = CInt
	case "_Bool":
		t.Kind = CBool
	case "float", "double", "_Float16", "long double":
		t.Kind = CFloat
	default:
		text := printed(v)
		switch {
		case t.Name == "complex" && !strings.Contains(text, "DW_ATE_complex_float"):
			t.Kind = CComplexInt
		case strings.Contains(text, "DW_ATE_boolean"):
			t.Kind = CBool
		case strings.Contains(text, "DW_ATE_float"):
			t.Kind = CFloat
		case strings.Contains(text, "DW_ATE_signed"):
			t.Kind, t.Signed = CInt, true
		case strings.Contains(text, "DW_ATE_unsigned"), strings.Contains(text, "DW_ATE_UTF"):
			t.Kind = CInt
		}
	}
	if t.Name == "" {
		t.Name = fmt.Sprintf("%d-bit value", t.Bits)
	}
}
