package llvm

import (
	"slices"

	"assay/internal/logic/bv"
)

// This file declares the copy of a module in plain Go. It keeps LLVM's own
// notions (opcodes, first-class aggregates, constant expressions): giving them
// assay's meaning is the importer's work.

// Program is the reachable part of a module.
type Program struct {
	// PointerBits is the width of pointers in address space 0.
	PointerBits uint32
	// Triple is the target triple.
	Triple string
	// BigEndian says that the target stores the most significant byte first.
	BigEndian bool
	// Files are the source files that positions refer to.
	Files []string
	// Globals and Functions that are reachable from the roots, in the order of
	// the module.
	Globals   []*Global
	Functions []*Function
	// Defined are the names of all functions with a body that have external
	// linkage and did not come with LinkLibrary, reachable or not.
	Defined []string
	// Constructors is the content of llvm.global_ctors, in the order of the module.
	Constructors []Constructor
	// Destructors is the content of llvm.global_dtors, likewise.
	Destructors []Constructor
	// ModuleAsm says that the module has assembly text at file level.
	ModuleAsm bool
	// Started is the name of a section whose functions are called before main, or at the end, if an
	// object is put into one (.init_array, .dtors, ...).
	Started string
	// Marked says that the program names __VERIFIER_ltl_step, perhaps where no run comes.
	Marked bool
	// Volatile says that accesses were volatile or atomic; Prepare has made
	// plain accesses of them.
	Volatile bool
}

// Constructor is an entry of llvm.global_ctors or llvm.global_dtors. Of
// constructors the lower priorities run first, of destructors the higher ones.
type Constructor struct {
	Priority uint64
	Func     Value
}

// Function is the function with the given name, or nil.
func (p *Program) Function(name string) *Function {
	for _, f := range p.Functions {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// TypeKind classifies types.
type TypeKind uint8

// The kinds of types.
const (
	VoidType TypeKind = iota
	IntType
	PointerType
	HalfType
	FloatType
	DoubleType
	ExtendedType   // x86_fp80
	OtherFloatType // bfloat, fp128, ppc_fp128: not modelled
	VectorType
	ArrayType
	StructType
	FunctionType
	OtherType // labels, metadata, tokens, scalable vectors, target types
)

// Type is an LLVM type. Types are unique: equal types are the same pointer
// (identified structs are equal if they have the same name).
type Type struct {
	Kind TypeKind
	// Bits is the width of an IntType.
	Bits uint32
	// Elem and Len describe vectors and arrays.
	Elem *Type
	Len  uint64
	// Fields and Offsets (in bytes) describe structs.
	Fields  []*Type
	Offsets []uint64
	// Params, Return and Variadic describe functions.
	Params   []*Type
	Return   *Type
	Variadic bool
	// Size is the distance of array elements, StoreSize the bytes written by a
	// store; 0 for types without size.
	Size, StoreSize, Align uint64
	// Sized says that values of the type have a size.
	Sized bool
	// Text is the type as LLVM writes it.
	Text string
}

// Value is an operand: *Param, *Inst, *Block, *Global, *Function, *Const,
// *Expr or *Asm.
type Value interface {
	// ValueType is the type of the operand: the pointer type for globals and
	// functions, nil for blocks and assembly.
	ValueType() *Type
}

// ValueType is the type of the parameter.
func (p *Param) ValueType() *Type { return p.Type }

// ValueType is the type of the result.
func (i *Inst) ValueType() *Type { return i.Type }

// ValueType is nil: blocks have no type.
func (b *Block) ValueType() *Type { return nil }

// ValueType is the pointer type.
func (g *Global) ValueType() *Type { return g.address }

// ValueType is the pointer type.
func (f *Function) ValueType() *Type { return f.address }

// ValueType is the type of the constant.
func (c *Const) ValueType() *Type { return c.Type }

// ValueType is the type of the expression.
func (e *Expr) ValueType() *Type { return e.Type }

// ValueType is nil.
func (a *Asm) ValueType() *Type { return nil }

// Param is a parameter of a function.
type Param struct {
	Index int
	Name  string
	Type  *Type
	// ByVal is the type of the callee-owned copy that the parameter points to;
	// nil for all other parameters.
	ByVal *Type
	Align uint64
}

// Global is a variable.
type Global struct {
	Name string
	Type *Type
	// Init is nil for a declaration.
	Init     Value
	Constant bool
	// Mergeable says that the address means nothing (unnamed_addr).
	Mergeable bool
	// Local says that the name is not visible to other modules.
	Local bool
	// Common says that the source has no initialiser for the object (with -fcommon).
	Common bool
	// Weak says that the object may be absent; then its address is null.
	Weak        bool
	ThreadLocal bool
	Align       uint64
	// CName is the name in the source, empty if the compiler made the object.
	CName   string
	CType   *CType
	Pos     Pos
	address *Type
}

// Function is a function or a declaration (Blocks is nil).
type Function struct {
	Name   string
	Type   *Type
	Params []*Param
	Blocks []*Block
	// Intrinsic says that the name is one of LLVM's.
	Intrinsic bool
	NoReturn  bool
	// Weak says that the function may be absent; then its address is null.
	Weak bool
	// Attribute is one that changes what a call means, and that is not modelled.
	Attribute string
	// Library says that the function came with LinkLibrary.
	Library bool
	// Unoptimised says that the function is as a compiler first wrote it: it is
	// marked optnone, or it had locals in memory that Prepare could promote.
	Unoptimised bool
	// CTypes are the result (nil for void) and the parameters as the source
	// has them; nil if unknown.
	CTypes  []*CType
	Pos     Pos
	address *Type
}

// Block is a basic block.
type Block struct {
	// Index is the position in Function.Blocks.
	Index  int
	Name   string
	Instrs []*Inst
	// Func is the function that the block belongs to.
	Func *Function
}

// Inst is an instruction.
type Inst struct {
	Op   Opcode
	Type *Type
	// Args are the operands that are values. Of a call they are the arguments;
	// of a switch only the condition.
	Args []Value
	// Blocks are the successors of a terminator (of a switch the default
	// first), and the incoming blocks of a phi.
	Blocks []*Block
	// Cases are the case values of a switch, for Blocks[1:].
	Cases []bv.BV
	// Callee and ByVal belong to calls; ByVal is nil or has an element for each
	// argument, which is nil unless the argument is passed by value.
	Callee Value
	ByVal  []*Type
	// Bundles are the operand bundles of a call.
	Bundles []Bundle
	// SRet is the type of the object that the first argument points to and
	// that the callee fills in as its result; nil if it returns nothing so.
	SRet *Type
	// NoReturn is the call's attribute.
	NoReturn bool
	// Defined has for each argument whether it must not be undefined (noundef); nil if none must.
	Defined []bool
	// Used says that the result of a call is an operand of something.
	Used bool
	// Pred is the predicate of a comparison, or the operation of an AtomicRMW.
	Pred Predicate
	// Elem is the allocated type of an alloca, the source element type of a
	// getelementptr, the function type of a call.
	Elem *Type
	// Indices of extractvalue and insertvalue.
	Indices []uint32
	// Mask of a shufflevector; -1 selects poison.
	Mask []int
	// NSW, NUW and Exact are the flags of integer arithmetic.
	NSW, NUW, Exact bool
	// Part says of a sum or product without these flags that clang may have made it of complex numbers, by its name or for want of one.
	Part bool
	// Variadic says of a load that it is what va_arg reads.
	Variadic bool
	Align    uint64
	Pos      Pos
	// Var, Fragment and Label belong to the debug pseudo instructions.
	Var      *Variable
	Fragment *Fragment
	Label    string
	// Indirect says that the expression of a debug record computes something
	// from the operand, so that the operand is not the variable's value.
	Indirect bool
}

// Bundle is an operand bundle of a call.
type Bundle struct {
	Tag  string
	Args []Value
}

// Const is a constant without operands, or an aggregate of constants.
type Const struct {
	Kind ConstKind
	Type *Type
	// Bits is the value of IntConst and FloatConst.
	Bits bv.BV
	// Bytes are the elements of a BytesConst, an array of i8.
	Bytes []byte
	// Elems are the elements of an AggregateConst.
	Elems []Value
}

// ConstKind classifies a Const.
type ConstKind uint8

// The kinds of constants.
const (
	IntConst ConstKind = iota
	FloatConst
	ZeroConst // null pointer, zeroinitializer
	UndefConst
	PoisonConst
	AggregateConst
	BytesConst
	OtherConst // not modelled
)

// Expr is a constant expression. A block address is an Expr with Op
// BlockAddress and the block as its only argument.
type Expr struct {
	Op   Opcode
	Type *Type
	Args []Value
	Elem *Type // source element type of a getelementptr
}

// Asm is inline assembly.
type Asm struct {
	Text        string
	Constraints string
	Type        *Type
}

// Pos is a source position. File indexes Program.Files, Line 0 is unknown.
type Pos struct{ File, Line, Col int32 }

// Variable is a local variable of the source.
type Variable struct {
	Name string
	Type *CType
	Pos  Pos
}

// Fragment is the part of a variable, in bits, that a debug record describes.
type Fragment struct{ Offset, Size uint64 }

// CType is a type of the source, from the debug information.
type CType struct {
	Kind CTypeKind
	// Name is a name as C writes it, as far as one exists; Declare makes one.
	Name string
	Bits uint64
	// Base is the type that a pointer points to, an array consists of, or a
	// typedef or qualified type stands for; nil for void.
	Base *CType
	// Count is the number of elements of an array, -1 if it is not fixed.
	Count int64
	// Members of a struct or union.
	Members []Member
	// Signature of a function: the result (nil for void) and the parameters.
	Signature []*CType
	// Enumerators are the values of an enumeration.
	Enumerators []int64
	// Signed holds for signed integers and enumerations.
	Signed bool
	// Const says that a CAlias is the qualifier.
	Const bool
}

// Member is a member of a struct or union.
type Member struct {
	Name   string
	Type   *CType
	Offset uint64 // in bits
	Bits   uint64
}

// CTypeKind classifies a CType.
type CTypeKind uint8

// The kinds of source types.
const (
	CUnknown CTypeKind = iota
	CInt
	CBool
	CFloat
	CPointer
	CArray
	CStruct
	CUnion
	CEnum
	CFunction
	CAlias // typedef, const, volatile, restrict, _Atomic
	CComplexInt
)

// HasComplexInteger says that values of a type, or what it points to, are complex integers, or have such elements or members.
func (t *CType) HasComplexInteger() bool {
	seen := map[*CType]bool{}
	var has func(t *CType) bool
	has = func(t *CType) bool {
		if t == nil || seen[t] {
			return false
		}
		seen[t] = true
		return t.Kind == CComplexInt || has(t.Base) || slices.ContainsFunc(t.Members, func(m Member) bool { return has(m.Type) })
	}
	return has(t)
}

// Strip removes typedefs and qualifiers. Nil is void.
func (t *CType) Strip() *CType {
	for t != nil && t.Kind == CAlias {
		t = t.Base
	}
	return t
}

// Declare writes the type as C does, without the names of array bounds.
func (t *CType) Declare() string {
	switch {
	case t == nil:
		return "void"
	case t.Name != "":
		return t.Name
	case t.Kind == CPointer && t.Base.Strip() != nil && t.Base.Strip().Kind == CFunction:
		return "function *"
	case t.Kind == CPointer:
		return pointerName(t.Base.Declare())
	case t.Kind == CArray:
		return t.Base.Declare() + "[]"
	case t.Kind == CAlias:
		return t.Base.Declare()
	case t.Kind == CFunction:
		return "function"
	}
	return "?"
}

func pointerName(base string) string {
	if base[len(base)-1] == '*' {
		return base + "*"
	}
	return base + " *"
}
