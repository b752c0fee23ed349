package ir

import (
	"fmt"
	"strconv"
	"strings"
)

// The words of the text form. Everything that prints operations, types, kinds
// of checks or modes uses them, so they are also what users read in reports.

var opNames = [opMax]string{
	OpInvalid: "invalid",
	Param:     "param", Const: "const", Null: "null", GlobalAddr: "globaladdr", FuncAddr: "funcaddr",
	Add: "add", Sub: "sub", Mul: "mul", UDiv: "udiv", SDiv: "sdiv", URem: "urem", SRem: "srem",
	Shl: "shl", LShr: "lshr", AShr: "ashr", And: "and", Or: "or", Xor: "xor",
	SAddOvf: "saddovf", UAddOvf: "uaddovf", SSubOvf: "ssubovf", USubOvf: "usubovf", SMulOvf: "smulovf", UMulOvf: "umulovf",
	Ctpop: "ctpop", Ctlz: "ctlz", Cttz: "cttz", Bswap: "bswap", Bitreverse: "bitreverse", FShl: "fshl", FShr: "fshr",
	Eq: "eq", Ne: "ne", ULt: "ult", ULe: "ule", SLt: "slt", SLe: "sle",
	ZExt: "zext", SExt: "sext", Trunc: "trunc", PtrToInt: "ptrtoint", IntToPtr: "inttoptr", BitCast: "bitcast",
	Select: "select", Phi: "phi", Freeze: "freeze",
	FAdd: "fadd", FSub: "fsub", FMul: "fmul", FDiv: "fdiv", FRem: "frem", FNeg: "fneg", FAbs: "fabs", FSqrt: "fsqrt",
	FMA: "fma", FCopySign: "fcopysign", FMin: "fmin", FMax: "fmax", FRound: "fround",
	FEq: "feq", FLt: "flt", FLe: "fle", FUno: "funo",
	FToSI: "ftosi", FToUI: "ftoui", SIToF: "sitof", UIToF: "uitof", FToF: "ftof",
	Alloca: "alloca", Load: "load", Store: "store", PtrAdd: "ptradd", PtrDiff: "ptrdiff",
	MemCpy: "memcpy", MemSet: "memset", Havoc: "havoc", LifetimeStart: "lifetimestart", LifetimeEnd: "lifetimeend",
	StackSave: "stacksave", StackRestore: "stackrestore",
	Malloc: "malloc", Free: "free", ObjectSize: "objectsize", ObjectOffset: "objectoffset",
	ValidRange: "validrange", IsHeapStart: "isheapstart", SameObject: "sameobject",
	Call: "call", Extract: "extract",
	Nondet: "nondet", Check: "check", Assume: "assume", Dbg: "dbg", Label: "label", VaStart: "vastart", Accept: "accept",
	Br: "br", CondBr: "condbr", Switch: "switch", Ret: "ret", Halt: "halt", Unreachable: "unreachable", Unsupported: "unsupported",
}

var checkNames = [checkMax]string{
	CheckNone:          "none",
	Assertion:          "assertion",
	ErrorLabel:         "error-label",
	Overflow:           "overflow",
	ShiftOverflow:      "shift-overflow",
	DivByZero:          "div-by-zero",
	ShiftRange:         "shift",
	InvalidDeref:       "valid-deref",
	InvalidFree:        "valid-free",
	ReachedUnreachable: "unreachable",
	FloatConversion:    "float-conversion",
	Precondition:       "precondition",
	MemTrack:           "valid-memtrack",
	MemCleanup:         "valid-memcleanup",
	Incompatible:       "incompatible-call",
	Invariant:          "invariant",
	Decrease:           "decrease",
	UnsignedOverflow:   "unsigned-overflow",
	ImplicitConversion: "implicit-conversion",
	NotANumber:         "nan",
	Uninitialised:      "valid-init",
	ArrayLength:        "array-length",
	ArrayIndex:         "array-bounds",
}

var (
	kindNames     = [...]string{Void: "void", Int: "int", Ptr: "ptr", Float: "float"}
	roundingNames = [...]string{RoundNearestEven: "nearest-even", RoundNearestAway: "nearest-away", RoundTowardZero: "toward-zero", RoundUp: "up", RoundDown: "down"}
	nondetNames   = [...]string{NondetInput: "input", NondetUninit: "uninit", NondetUnknown: "unknown", NondetUndef: "undef", NondetApproximate: "approximate", NondetGhost: "ghost", NondetExact: "exact"}
	haltNames     = [...]string{HaltExit: "exit", HaltAbort: "abort"}
)

// name is names[i], or a readable substitute for a number that has no name.
func name[T ~uint8](what string, names []string, i T) string {
	if int(i) < len(names) && names[i] != "" {
		return names[i]
	}
	return fmt.Sprintf("%s(%d)", what, i)
}

// String is the mnemonic of the text form.
func (op Op) String() string { return name("op", opNames[:], op) }

// String is the name of the property or guard, as reports show it.
func (k CheckKind) String() string { return name("check", checkNames[:], k) }

// MistypedCall is the text of the guard of a call through a pointer, where it points to
// a function of another type.
const MistypedCall = "call through a pointer to a function of another type"

// OverflowIn is the text of a check that a signed operator does not overflow.
func OverflowIn(operator string) string { return "signed overflow in " + operator }

// Undefined says whether a violation is undefined behaviour of C.
func (k CheckKind) Undefined() bool {
	switch k {
	case Overflow, ShiftOverflow, DivByZero, ShiftRange, InvalidDeref, InvalidFree,
		ReachedUnreachable, FloatConversion, Precondition, Incompatible, Uninitialised, ArrayLength:
		return true
	}
	return false
}

// String is the name of the kind.
func (k Kind) String() string { return name("kind", kindNames[:], k) }

// String is the name of the mode.
func (m RoundingMode) String() string { return name("rounding", roundingNames[:], m) }

// String is the name of the source.
func (k NondetKind) String() string { return name("nondet", nondetNames[:], k) }

// String is the way to end.
func (k HaltKind) String() string { return name("halt", haltNames[:], k) }

// ParseCheckKind is the inverse of CheckKind.String.
func ParseCheckKind(s string) (CheckKind, bool) {
	for k, n := range checkNames {
		if n == s {
			return CheckKind(k), true
		}
	}
	return CheckNone, false
}

// String is "void", "i32", "ptr" or "f64".
func (t Type) String() string {
	switch t.Kind {
	case Void:
		return "void"
	case Int:
		return "i" + strconv.FormatUint(uint64(t.Bits), 10)
	case Ptr:
		return "ptr"
	case Float:
		return "f" + strconv.FormatUint(uint64(t.Bits), 10)
	}
	return fmt.Sprintf("%v%d", t.Kind, t.Bits)
}

// IntType is the type of bit-vectors of the given width.
func IntType(bits uint32) Type { return Type{Int, bits} }

// FloatType is the type of floating-point numbers of 16, 32 or 64 bits.
func FloatType(bits uint32) Type { return Type{Float, bits} }

// BoolType is the type of truth values, Int 1.
var BoolType = Type{Int, 1}

// Size is the number of bytes that a value of the type takes in memory.
func (t Type) Size() uint64 { return (uint64(t.Bits) + 7) / 8 }

// PtrType is the type of pointers of the module.
func (m *Module) PtrType() Type { return Type{Ptr, m.PointerBits} }

// WordType is the type of pointer-wide integers.
func (m *Module) WordType() Type { return Type{Int, m.PointerBits} }

// HeapAlign is the alignment of heap objects: that of every scalar type.
func (m *Module) HeapAlign() uint64 { return uint64(m.PointerBits) / 4 }

// CopyMark is in the name of a function that the front end imports more than once, for some of its calls.
const CopyMark = ".copy."

// NameInC is the name of a function as people know it.
func NameInC(name string) string {
	name, _, _ = strings.Cut(name, CopyMark)
	return name
}

// CastInC reads what follows as an integer of a width, signed or not.
func CastInC(bits uint32, signed bool) string {
	name := map[uint32]string{8: "char", 16: "short", 64: "long long", 128: "__int128"}[bits]
	sign := "unsigned"
	if signed {
		sign = "signed"
	}
	return "(" + strings.TrimSpace(sign+" "+name) + ")"
}

// Func is the function of that name, nil if there is none. It searches; use
// Index for many names.
// BlockPos is where a block is in the source: where its first instruction with a
// position is, in the order of execution.
func (f *Func) BlockPos(b BlockID) Pos {
	for range len(f.Blocks) {
		instrs := f.Blocks[b].Instrs
		for _, v := range instrs {
			if d := f.Def(v); d.Pos.Line != 0 && d.Op != Phi && d.Op != Dbg {
				return d.Pos
			}
		}
		succs := f.Succs(b)
		if len(succs) != 1 {
			break
		}
		b = succs[0]
	}
	return f.Pos
}

func (m *Module) Func(name string) *Func {
	for _, f := range m.Funcs {
		if f.Name == name {
			return f
		}
	}
	return nil
}

// Global is the global of that name, nil if there is none. It searches; use
// Index for many names.
func (m *Module) Global(name string) *Global {
	for _, g := range m.Globals {
		if g.Name == name {
			return g
		}
	}
	return nil
}

// Counters are the names of counters, by the names of the arrays (Global.Counter).
func (m *Module) Counters() map[string]string {
	counters := map[string]string{}
	for _, g := range m.Globals {
		if g.Counter != "" {
			counters[g.Name] = g.Counter
		}
	}
	return counters
}

// Index maps the names of a module to what they name.
type Index struct {
	Funcs   map[string]*Func
	Globals map[string]*Global
}

// Index makes an index of the module as it is now.
func (m *Module) Index() *Index {
	x := &Index{Funcs: make(map[string]*Func, len(m.Funcs)), Globals: make(map[string]*Global, len(m.Globals))}
	for _, f := range m.Funcs {
		x.Funcs[f.Name] = f
	}
	for _, g := range m.Globals {
		x.Globals[g.Name] = g
	}
	return x
}

// PosString is p as "f.c:9:3", without what is unknown; "?" if all is.
func (m *Module) PosString(p Pos) string {
	if p == (Pos{}) {
		return "?"
	}
	s := "?"
	if p.File >= 0 && int(p.File) < len(m.Files) {
		s = m.Files[p.File]
	}
	if p.Line != 0 {
		s += ":" + strconv.Itoa(int(p.Line))
		if p.Col != 0 {
			s += ":" + strconv.Itoa(int(p.Col))
		}
	}
	return s
}

// Def is the definition of v. The pointer is valid until a value is added.
func (f *Func) Def(v Value) *Def { return &f.Values[v] }

// Type is the type of v.
func (f *Func) Type(v Value) Type { return f.Values[v].Type }

// IsDecl says whether the function has no body.
func (f *Func) IsDecl() bool { return len(f.Blocks) == 0 }

// ParamTypes are the types of the parameters.
func (f *Func) ParamTypes() []Type {
	ts := make([]Type, len(f.Params))
	for i, p := range f.Params {
		ts[i] = f.Values[p].Type
	}
	return ts
}

// Terminator is the last instruction of the block.
func (f *Func) Terminator(b BlockID) *Def {
	is := f.Blocks[b].Instrs
	return &f.Values[is[len(is)-1]]
}

// Succs are the successors of the block, one for each edge.
func (f *Func) Succs(b BlockID) []BlockID { return f.Terminator(b).Succs }

// IsTerminator says whether the operation ends a block.
func IsTerminator(op Op) bool { return op >= Br && op < opMax }

// IsConst says whether values of the operation are the same in all runs of
// the function: literals and addresses, which belong to no block.
func IsConst(op Op) bool { return op >= Const && op <= FuncAddr }
