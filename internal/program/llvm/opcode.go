package llvm

/*
#include "llvm-c/Core.h"
*/
import "C"

// Opcode is an LLVM instruction, or one of the pseudo instructions that stand
// for debug records.
type Opcode uint8

// The opcodes of LLVM 19.
const (
	Ret            Opcode = C.LLVMRet
	Br             Opcode = C.LLVMBr
	Switch         Opcode = C.LLVMSwitch
	IndirectBr     Opcode = C.LLVMIndirectBr
	Invoke         Opcode = C.LLVMInvoke
	Unreachable    Opcode = C.LLVMUnreachable
	CallBr         Opcode = C.LLVMCallBr
	FNeg           Opcode = C.LLVMFNeg
	Add            Opcode = C.LLVMAdd
	FAdd           Opcode = C.LLVMFAdd
	Sub            Opcode = C.LLVMSub
	FSub           Opcode = C.LLVMFSub
	Mul            Opcode = C.LLVMMul
	FMul           Opcode = C.LLVMFMul
	UDiv           Opcode = C.LLVMUDiv
	SDiv           Opcode = C.LLVMSDiv
	FDiv           Opcode = C.LLVMFDiv
	URem           Opcode = C.LLVMURem
	SRem           Opcode = C.LLVMSRem
	FRem           Opcode = C.LLVMFRem
	Shl            Opcode = C.LLVMShl
	LShr           Opcode = C.LLVMLShr
	AShr           Opcode = C.LLVMAShr
	And            Opcode = C.LLVMAnd
	Or             Opcode = C.LLVMOr
	Xor            Opcode = C.LLVMXor
	Alloca         Opcode = C.LLVMAlloca
	Load           Opcode = C.LLVMLoad
	Store          Opcode = C.LLVMStore
	GetElementPtr  Opcode = C.LLVMGetElementPtr
	Trunc          Opcode = C.LLVMTrunc
	ZExt           Opcode = C.LLVMZExt
	SExt           Opcode = C.LLVMSExt
	FPToUI         Opcode = C.LLVMFPToUI
	FPToSI         Opcode = C.LLVMFPToSI
	UIToFP         Opcode = C.LLVMUIToFP
	SIToFP         Opcode = C.LLVMSIToFP
	FPTrunc        Opcode = C.LLVMFPTrunc
	FPExt          Opcode = C.LLVMFPExt
	PtrToInt       Opcode = C.LLVMPtrToInt
	IntToPtr       Opcode = C.LLVMIntToPtr
	BitCast        Opcode = C.LLVMBitCast
	AddrSpaceCast  Opcode = C.LLVMAddrSpaceCast
	ICmp           Opcode = C.LLVMICmp
	FCmp           Opcode = C.LLVMFCmp
	Phi            Opcode = C.LLVMPHI
	Call           Opcode = C.LLVMCall
	Select         Opcode = C.LLVMSelect
	VAArg          Opcode = C.LLVMVAArg
	ExtractElement Opcode = C.LLVMExtractElement
	InsertElement  Opcode = C.LLVMInsertElement
	ShuffleVector  Opcode = C.LLVMShuffleVector
	ExtractValue   Opcode = C.LLVMExtractValue
	InsertValue    Opcode = C.LLVMInsertValue
	Freeze         Opcode = C.LLVMFreeze
	Fence          Opcode = C.LLVMFence
	AtomicCmpXchg  Opcode = C.LLVMAtomicCmpXchg
	AtomicRMW      Opcode = C.LLVMAtomicRMW
)

// The pseudo instructions.
const (
	DbgValue     Opcode = 200 + iota // Args[0] is the value of Var; no argument if it is lost
	DbgDeclare                       // Args[0] is the address of Var
	DbgLabel                         // a label of the source: Label
	BlockAddress                     // of an Expr
)

var opcodeNames = map[Opcode]string{
	Ret: "ret", Br: "br", Switch: "switch", IndirectBr: "indirectbr", Invoke: "invoke", Unreachable: "unreachable", CallBr: "callbr",
	FNeg: "fneg", Add: "add", FAdd: "fadd", Sub: "sub", FSub: "fsub", Mul: "mul", FMul: "fmul", UDiv: "udiv", SDiv: "sdiv", FDiv: "fdiv",
	URem: "urem", SRem: "srem", FRem: "frem", Shl: "shl", LShr: "lshr", AShr: "ashr", And: "and", Or: "or", Xor: "xor", Alloca: "alloca",
	Load: "load", Store: "store", GetElementPtr: "getelementptr", Trunc: "trunc", ZExt: "zext", SExt: "sext", FPToUI: "fptoui",
	FPToSI: "fptosi", UIToFP: "uitofp", SIToFP: "sitofp", FPTrunc: "fptrunc", FPExt: "fpext", PtrToInt: "ptrtoint", IntToPtr: "inttoptr",
	BitCast: "bitcast", AddrSpaceCast: "addrspacecast", ICmp: "icmp", FCmp: "fcmp", Phi: "phi", Call: "call", Select: "select",
	VAArg: "va_arg", ExtractElement: "extractelement", InsertElement: "insertelement", ShuffleVector: "shufflevector",
	ExtractValue: "extractvalue", InsertValue: "insertvalue", Freeze: "freeze", Fence: "fence", AtomicCmpXchg: "cmpxchg",
	AtomicRMW: "atomicrmw", DbgValue: "dbg.value", DbgDeclare: "dbg.declare", DbgLabel: "dbg.label", BlockAddress: "blockaddress",
}

func (o Opcode) String() string {
	if name := opcodeNames[o]; name != "" {
		return name
	}
	return "instruction of unknown kind"
}

// Predicate is the predicate of a comparison or the operation of an AtomicRMW.
type Predicate uint8

// The integer predicates.
const (
	IntEQ  Predicate = C.LLVMIntEQ
	IntNE  Predicate = C.LLVMIntNE
	IntUGT Predicate = C.LLVMIntUGT
	IntUGE Predicate = C.LLVMIntUGE
	IntULT Predicate = C.LLVMIntULT
	IntULE Predicate = C.LLVMIntULE
	IntSGT Predicate = C.LLVMIntSGT
	IntSGE Predicate = C.LLVMIntSGE
	IntSLT Predicate = C.LLVMIntSLT
	IntSLE Predicate = C.LLVMIntSLE
)

// The floating-point predicates: O is ordered, U unordered or.
const (
	RealFalse Predicate = C.LLVMRealPredicateFalse
	RealOEQ   Predicate = C.LLVMRealOEQ
	RealOGT   Predicate = C.LLVMRealOGT
	RealOGE   Predicate = C.LLVMRealOGE
	RealOLT   Predicate = C.LLVMRealOLT
	RealOLE   Predicate = C.LLVMRealOLE
	RealONE   Predicate = C.LLVMRealONE
	RealORD   Predicate = C.LLVMRealORD
	RealUNO   Predicate = C.LLVMRealUNO
	RealUEQ   Predicate = C.LLVMRealUEQ
	RealUGT   Predicate = C.LLVMRealUGT
	RealUGE   Predicate = C.LLVMRealUGE
	RealULT   Predicate = C.LLVMRealULT
	RealULE   Predicate = C.LLVMRealULE
	RealUNE   Predicate = C.LLVMRealUNE
	RealTrue  Predicate = C.LLVMRealPredicateTrue
)

// The operations of an AtomicRMW.
const (
	RMWXchg Predicate = C.LLVMAtomicRMWBinOpXchg
	RMWAdd  Predicate = C.LLVMAtomicRMWBinOpAdd
	RMWSub  Predicate = C.LLVMAtomicRMWBinOpSub
	RMWAnd  Predicate = C.LLVMAtomicRMWBinOpAnd
	RMWNand Predicate = C.LLVMAtomicRMWBinOpNand
	RMWOr   Predicate = C.LLVMAtomicRMWBinOpOr
	RMWXor  Predicate = C.LLVMAtomicRMWBinOpXor
	RMWMax  Predicate = C.LLVMAtomicRMWBinOpMax
	RMWMin  Predicate = C.LLVMAtomicRMWBinOpMin
	RMWUMax Predicate = C.LLVMAtomicRMWBinOpUMax
	RMWUMin Predicate = C.LLVMAtomicRMWBinOpUMin
	RMWFAdd Predicate = C.LLVMAtomicRMWBinOpFAdd
	RMWFSub Predicate = C.LLVMAtomicRMWBinOpFSub
)
