// Package ir is assay's intermediate representation: typed control-flow graphs
// in static single assignment form, in plain Go.
//
// LLVM gives C its meaning; a module is copied out of libLLVM into this
// package once (package frontend), and everything after that works on it. The
// representation is total: it has no poison and no undef, every operation
// yields a value of its type in every state, and what C calls undefined is
// either an explicit Check instruction or a named guard of the operation (see
// Op and docs/soundness.md, which holds the table).
//
// Values are small integers local to a function (type Value), blocks likewise
// (type BlockID); both start at 1 so that zero means none. Tables are slices
// indexed by them.
package ir

import "assay/internal/logic/bv"

// Kind is the class of a first-class type.
type Kind uint8

// The kinds. Aggregates and vectors do not exist here: the importer turns
// them into scalars.
const (
	Void  Kind = iota
	Int        // a bit-vector of Type.Bits bits, 1 for truth values
	Ptr        // (object, offset); Bits is the module's pointer width
	Float      // IEEE-754 binary16, binary32 or binary64; Bits is 16, 32 or 64
)

// Type is a first-class type. The zero value is void.
type Type struct {
	Kind Kind
	Bits uint32
}

// Value names an instruction result, a parameter or a constant of a function.
type Value int32

// BlockID names a basic block of a function. Block 1 is the entry.
type BlockID int32

// Pos is a source position; the zero value is unknown. File indexes Module.Files.
type Pos struct {
	File int32
	Line int32
	Col  int32
}

// Module is a whole program.
type Module struct {
	// PointerBits is 32 or 64.
	PointerBits uint32
	// Files are the source file names that positions refer to.
	Files []string
	// Globals in the order of the source, string literals included.
	Globals []*Global
	// Funcs are the functions with a body and those without (Blocks empty).
	Funcs []*Func
	// Entry is the function where runs start: it has no parameters and no
	// results; the front end makes it (global constructors, arguments, the call
	// of main or of the function under analysis, exit handlers).
	Entry string
	// Constructors are the global constructors in the order of execution.
	Constructors []string
	// Optimized notes that the input was LLVM IR produced elsewhere, whose
	// undefined behaviour may already have been exploited.
	Optimized bool
}

// Global is an object with static storage duration.
type Global struct {
	Name     string // unique in the module, shared name space with functions
	CName    string // the C name, empty for compiler-made objects
	CType    CType  // its type in C, if there is a name
	Size     uint64 // bytes
	Align    uint64
	Constant bool // writes are undefined behaviour (kind InvalidDeref)
	// External objects have no initialiser: arbitrary content at the start.
	External bool
	// Init holds the initial bytes; nil means all zero. len(Init) == Size otherwise.
	Init []byte
	// Relocs are the pointers inside the initialiser, by ascending offset;
	// the bytes of Init under them are zero.
	Relocs []Reloc
	Pos    Pos
	Layout Layout
	// Counter names a global with a number n such that the elements 1 to n-1 of this array are in
	// use; empty if there is none. It is a hint, too.
	Counter string
}

// Reloc is a pointer to Target+Addend stored at Offset of a global's initialiser.
// An empty Target is an integer address cast to a pointer (null if Addend is 0).
type Reloc struct {
	Offset uint64
	Target string // a global or function
	Addend int64
}

// Layout describes how an object is usually accessed. It is a hint: accesses
// of any other shape have the same meaning.
type Layout struct {
	// Stride is the size in bytes of the repeated element (of the innermost
	// array element for arrays of arrays), 0 if the object is not an array.
	Stride uint64
	// Cell is the greatest power of two that divides the offset and the size
	// of every scalar in the object; 0 means unknown.
	Cell uint64
	// Pointers says that some scalar of the object is a pointer.
	Pointers bool
}

// Func is a function, or a declaration if it has no blocks.
type Func struct {
	Name string
	// Params are the values of the parameters (Op Param), in order.
	Params []Value
	// Results are the types of the returned values; aggregates returned in
	// registers are several values. Empty for void.
	Results  []Type
	Variadic bool
	// Values is indexed by Value; index 0 is unused.
	Values []Def
	// Blocks is indexed by BlockID; index 0 is unused. Nil for declarations.
	Blocks []Block
	// Vars are the C variables that Dbg instructions refer to.
	Vars []Var
	// Locals are the C variables that stay in memory, by where they are declared: the Pos of
	// their Alloca. For people only; the text form does not have them.
	Locals map[Pos]Var
	Pos    Pos
	// Model says that the body is assay's model of a library function.
	Model bool
}

// Var is a C variable of a function, for traces.
type Var struct {
	Name string
	Pos  Pos
	// Type says how to print it.
	Type CType
}

// CType is what a trace needs to know of a C type.
type CType struct {
	Name   string // as written, e.g. "unsigned int"
	Bits   uint32
	Signed bool
	Float  bool
	Ptr    bool
	Bool   bool
	// Parts are those of an array, a structure or a union, and what a pointer points to. They only name things: the text of
	// a module leaves them out.
	Parts *Parts
}

// Parts is what a type is made of.
type Parts struct {
	Element CType // of an array, or behind a pointer; Name is empty if there is none
	Members []Member
}

// Member is a part of a structure or a union.
type Member struct {
	Name   string // empty if it has none
	Offset uint64 // in bits
	Type   CType
}

// Block is a basic block: phis first, then other instructions, then exactly
// one terminator.
type Block struct {
	Name   string
	Instrs []Value
	// Preds are the predecessors. A block appears once for each edge; the
	// arguments of a Phi correspond to them.
	Preds []BlockID
}

// Def defines a value or an instruction without result (Type void).
type Def struct {
	Op   Op
	Type Type
	// Args are the operands; see Op for their number and meaning.
	Args []Value
	// Block is the block of an instruction, 0 for parameters and constants.
	Block BlockID
	// Succs are the successors of a terminator.
	Succs []BlockID
	// Const is the value of a Const, and the case values of a Switch are in Cases.
	Const bv.BV
	Cases []bv.BV
	// Sym is the symbol of GlobalAddr and FuncAddr, the callee of a direct
	// Call, the reason of Unsupported, the text of Check, the pointer to what a Malloc of a harness makes.
	Sym string
	// Aux: Check: the CheckKind; Alloca: alignment; Dbg: index into Vars; Load,
	// Store: alignment; Extract: result index; FRound: RoundingMode; Nondet: NondetKind; Freeze: 0 or Cede;
	// Havoc: 0 or Indeterminate.
	Aux    int64
	Layout Layout // Alloca and Malloc
	Pos    Pos
}

// Op is an operation. "arbitrary" means: any value, chosen anew at each
// execution, recorded as a nondeterministic choice.
type Op uint8

//go:generate stringer is not used: names live in opNames (names.go).
const (
	OpInvalid Op = iota

	// Values outside blocks.
	Param      // a parameter
	Const      // Const, of type Int or Float (the bits)
	Null       // the null pointer: object 0, offset 0
	GlobalAddr // address of global Sym
	FuncAddr   // address of function Sym

	// Integer arithmetic, two operands of the result's type; all wrap.
	Add
	Sub
	Mul
	UDiv // arbitrary if the divisor is 0
	SDiv // arbitrary if the divisor is 0; the least number by -1 wraps
	URem // arbitrary if the divisor is 0
	SRem // arbitrary if the divisor is 0; 0 for the least number by -1
	Shl  // arbitrary if the amount is >= the width (unsigned)
	LShr
	AShr
	And
	Or
	Xor

	// Overflow predicates, two operands of one width, result Int 1.
	SAddOvf
	UAddOvf
	SSubOvf
	USubOvf
	SMulOvf
	UMulOvf

	// Bit counting and permutation, one operand, result of its type.
	Ctpop
	Ctlz // width if the operand is 0
	Cttz // width if the operand is 0
	Bswap
	Bitreverse
	// Funnel shifts, three operands: high, low, amount (modulo the width).
	FShl
	FShr

	// Comparisons, result Int 1. Eq, Ne and the unsigned ones also take
	// pointers, which compare by address.
	Eq
	Ne
	ULt
	ULe
	SLt
	SLe

	// Conversions.
	ZExt
	SExt
	Trunc
	PtrToInt // the address, zero-extended or truncated to the result
	IntToPtr // a bare address; where it is used it points to the live object whose range holds it, if any
	BitCast  // between Int and Float of the same width

	// Choice of values.
	Select // condition, then, else
	Phi    // one argument for each predecessor of the block
	Freeze // the operand itself; kept for readability. Aux 1, of a pointer: see Cede

	// Floating point, round to nearest even. NaN results have an arbitrary
	// payload only where it can be seen (docs/soundness.md).
	FAdd
	FSub
	FMul
	FDiv
	FRem // fmod
	FNeg
	FAbs
	FSqrt
	FMA
	FCopySign
	FMin   // llvm.minnum
	FMax   // llvm.maxnum
	FRound // to an integral value, Aux is a RoundingMode
	FEq    // ordered comparisons, result Int 1
	FLt
	FLe
	FUno  // one operand is NaN
	FToSI // arbitrary if out of range or NaN
	FToUI
	SIToF
	UIToF
	FToF // between formats

	// Memory. An access is valid if its object is alive and holds all its
	// bytes, and for a write, is not Constant. An invalid read yields an arbitrary value, an invalid
	// write or free has no effect; each is a guard of kind InvalidDeref or
	// InvalidFree that checks turns into a property.
	Alloca        // Args[0] = size in bytes (pointer-wide Int); a fresh stack object, alive until return (or LifetimeEnd, StackRestore), arbitrary content
	Load          // pointer
	Store         // value, pointer
	PtrAdd        // pointer, pointer-wide Int: offset addition, wraps
	PtrDiff       // unused by the importer; reserved
	MemCpy        // destination, source, size (Int): as memmove
	MemSet        // destination, byte (Int 8), size
	Havoc         // pointer, size (Int): arbitrary content of the range; Sym is the function without body that may have put it there, if any
	LifetimeStart // pointer: the stack object becomes alive, with arbitrary content
	LifetimeEnd   // pointer: the stack object is dead
	StackSave     // a token (pointer) for StackRestore
	StackRestore  // kills stack objects of this frame made since the token

	// Heap, used by the library models.
	Malloc       // size (pointer-wide Int): a fresh heap object of arbitrary content, never null
	Free         // pointer: null does nothing; else must be the start of a live heap object (guard InvalidFree)
	ObjectSize   // pointer: size of the object pointed into, 0 for null and for pointers to nothing
	ObjectOffset // pointer: its offset
	ValidRange   // pointer, size: Int 1, whether a read of size bytes at the pointer is valid (size 0 is valid)
	IsHeapStart  // pointer: Int 1, whether Free of it (not null) would be valid
	SameObject   // pointer, pointer: Int 1

	// Calls. A direct call names its callee in Sym and has the arguments in
	// Args; an indirect one has Sym empty and the function pointer in Args[0].
	// The result is the first returned value; Extract gives the others.
	Call
	Extract // Args[0] is the Call, Aux the index (>= 1)

	// Verification.
	Nondet  // an arbitrary value of the type
	Check   // condition Int 1; Aux is a CheckKind, Sym the text; the run goes on
	Assume  // condition Int 1: a run on which it is false ends here and violates nothing
	Dbg     // Args[0] (optional) is the new value of Vars[Aux]
	Label   // the C label Sym
	VaStart // pointer to the va_list object; fills it as the x86 ABI does
	Accept  // no effect; an accepting state of an automaton that runs beside the program (accept.go)

	// Terminators.
	Br          // Succs[0]
	CondBr      // condition; Succs[0] if true, Succs[1] else
	Switch      // value; Succs[0] is the default, Succs[i+1] belongs to Cases[i]
	Ret         // Args are the results
	Halt        // the program ends (exit, abort); Aux is a HaltKind
	Unreachable // executing it is a guard of kind ReachedUnreachable; the run ends
	Unsupported // Sym says what; reaching it makes the answer unknown

	opMax
)

// CheckKind classifies what must not happen. The first group are properties of
// Check instructions, the second the implicit guards of other instructions.
type CheckKind uint8

// The kinds of checks and guards.
const (
	CheckNone          CheckKind = iota
	Assertion                    // assert, reach_error, __VERIFIER_error, __CPROVER_assert: property unreach-call
	ErrorLabel                   // the C label ERROR: property unreach-label
	Overflow                     // signed overflow: property no-overflow
	ShiftOverflow                // a left shift of a signed value that loses bits (flag of no-overflow)
	DivByZero                    // property div-by-zero
	ShiftRange                   // shift amount: property shift
	InvalidDeref                 // property valid-deref
	InvalidFree                  // property valid-free
	ReachedUnreachable           // end of a non-void function whose value is used, __builtin_unreachable, a noreturn function that returns
	FloatConversion              // a float that does not fit the integer
	Precondition                 // a library model's precondition (overlap of memcpy, ...)
	MemTrack                     // property valid-memtrack
	MemCleanup                   // property valid-memcleanup
	Incompatible                 // a call of a function of an incompatible type
	Invariant                    // a predicate of a loop head, in a program whose loops are cut
	Decrease                     // a ranking argument of a loop, in a program made to show that it ends
	UnsignedOverflow             // unsigned arithmetic that wraps: property unsigned-overflow. Defined behaviour, as the next two
	ImplicitConversion           // an implicit conversion that changes a value: property implicit-conversion
	NotANumber                   // a NaN of operands that are none: property nan
	Uninitialised                // a value that was never written decides something: property valid-init
	ArrayLength                  // an array of variable length has a length that is not positive
	ArrayIndex                   // an index outside of an array, perhaps within the structure around it: property array-bounds
	checkMax
)

// RoundingMode of FRound.
type RoundingMode uint8

// The rounding modes of FRound.
const (
	RoundNearestEven RoundingMode = iota
	RoundNearestAway
	RoundTowardZero
	RoundUp
	RoundDown
)

// NondetKind says where a Nondet comes from, for traces.
type NondetKind uint8

// The sources of arbitrary values.
const (
	NondetInput       NondetKind = iota // __VERIFIER_nondet_*; Sym is the function called
	NondetUninit                        // an uninitialised object
	NondetUnknown                       // result of a function with neither body nor model; Sym is its name
	NondetUndef                         // a left-over undef or poison
	NondetApproximate                   // a superset of what the library function Sym may return: no violation may depend on it
	NondetGhost                         // a choice of a check, which changes nothing that the program does
	NondetExact                         // a Bool: whether a run goes the exact way through Sym, see frontend.Program.Exact
)

// Cede as Aux of a Freeze of a pointer gives up the place of the heap object that starts there:
// what is made from now on may lie there, though the object still lives, and until it
// is freed its content is got at through the result only. realloc may thus leave
// a block where it is. An engine without addresses may take it for the operand.
const Cede = 1

// Indeterminate as Aux of a Havoc says that the content is that of an object without initialiser.
const Indeterminate = 1

// Approximate says that what the instruction chooses is a superset of what it stands
// for: the results of library functions that a model over-approximates, and what a
// function without body may leave in memory. No violation may depend on such a choice.
func (d *Def) Approximate() bool {
	return d.Op == Nondet && NondetKind(d.Aux) == NondetApproximate || d.Op == Havoc && d.Sym != ""
}

// HaltKind says how a program ends.
type HaltKind uint8

// The ways to end.
const (
	HaltExit  HaltKind = iota // exit: handlers have run, memory cleanup is checked
	HaltAbort                 // abort, failed assertion: nothing is checked
)
