package ir

// signature says what an operation looks like: the types that its result and
// operands must have, and what Aux and Sym mean. The verifier, the printer and
// the parser are driven by this table; what it cannot say (widths of
// conversions, calls, phis) is in the verifier.
type signature struct {
	// result is the class of the result's type: one of the letters of args, or
	// '-' for void, or '*' if a call decides.
	result byte
	// args has one letter for each operand: i integer, b truth value, 8 byte,
	// w pointer-wide integer, p pointer, f float, q integer or pointer, n any
	// type but void, = the type of the result, 0 the type of the first operand.
	// A final ? makes the last operand optional, * allows any number of any type.
	args string
	aux  auxMeaning
	sym  symMeaning
}

// auxMeaning is what Def.Aux holds.
type auxMeaning uint8

const (
	auxNone     auxMeaning = iota
	auxAlign               // alignment in bytes, 0 or a power of two
	auxCheck               // CheckKind
	auxVar                 // index into Func.Vars
	auxIndex               // index of a result
	auxRounding            // RoundingMode
	auxNondet              // NondetKind
	auxHalt                // HaltKind
	auxCede                // 0, or Cede for a pointer
	auxHavoc               // 0 or Indeterminate
)

// symMeaning is what Def.Sym holds.
type symMeaning uint8

const (
	symNone   symMeaning = iota
	symText              // free text
	symGlobal            // the name of a global
	symFunc              // the name of a function
	symCallee            // the name of a function, or empty for an indirect call
)

var signatures = [opMax]signature{
	Param:      {result: 'n'},
	Const:      {result: 'n'},
	Null:       {result: 'p'},
	GlobalAddr: {result: 'p', sym: symGlobal},
	FuncAddr:   {result: 'p', sym: symFunc},

	Add: {result: 'i', args: "=="}, Sub: {result: 'i', args: "=="}, Mul: {result: 'i', args: "=="},
	UDiv: {result: 'i', args: "=="}, SDiv: {result: 'i', args: "=="}, URem: {result: 'i', args: "=="}, SRem: {result: 'i', args: "=="},
	Shl: {result: 'i', args: "=="}, LShr: {result: 'i', args: "=="}, AShr: {result: 'i', args: "=="},
	And: {result: 'i', args: "=="}, Or: {result: 'i', args: "=="}, Xor: {result: 'i', args: "=="},
	SAddOvf: {result: 'b', args: "i0"}, UAddOvf: {result: 'b', args: "i0"}, SSubOvf: {result: 'b', args: "i0"},
	USubOvf: {result: 'b', args: "i0"}, SMulOvf: {result: 'b', args: "i0"}, UMulOvf: {result: 'b', args: "i0"},
	Ctpop: {result: 'i', args: "="}, Ctlz: {result: 'i', args: "="}, Cttz: {result: 'i', args: "="},
	Bswap: {result: 'i', args: "="}, Bitreverse: {result: 'i', args: "="},
	FShl: {result: 'i', args: "==="}, FShr: {result: 'i', args: "==="},
	Eq: {result: 'b', args: "q0"}, Ne: {result: 'b', args: "q0"}, ULt: {result: 'b', args: "q0"}, ULe: {result: 'b', args: "q0"},
	SLt: {result: 'b', args: "i0"}, SLe: {result: 'b', args: "i0"},
	ZExt: {result: 'i', args: "i"}, SExt: {result: 'i', args: "i"}, Trunc: {result: 'i', args: "i"},
	PtrToInt: {result: 'i', args: "p"}, IntToPtr: {result: 'p', args: "i"}, BitCast: {result: 'n', args: "n"},
	Select: {result: 'n', args: "b=="}, Phi: {result: 'n', args: "*"}, Freeze: {result: 'n', args: "=", aux: auxCede},

	FAdd: {result: 'f', args: "=="}, FSub: {result: 'f', args: "=="}, FMul: {result: 'f', args: "=="}, FDiv: {result: 'f', args: "=="},
	FRem: {result: 'f', args: "=="}, FNeg: {result: 'f', args: "="}, FAbs: {result: 'f', args: "="}, FSqrt: {result: 'f', args: "="},
	FMA: {result: 'f', args: "==="}, FCopySign: {result: 'f', args: "=="}, FMin: {result: 'f', args: "=="}, FMax: {result: 'f', args: "=="},
	FRound: {result: 'f', args: "=", aux: auxRounding},
	FEq:    {result: 'b', args: "f0"}, FLt: {result: 'b', args: "f0"}, FLe: {result: 'b', args: "f0"}, FUno: {result: 'b', args: "f0"},
	FToSI: {result: 'i', args: "f"}, FToUI: {result: 'i', args: "f"}, SIToF: {result: 'f', args: "i"}, UIToF: {result: 'f', args: "i"},
	FToF: {result: 'f', args: "f"},

	Alloca: {result: 'p', args: "w", aux: auxAlign, sym: symText},
	Load:   {result: 'n', args: "p", aux: auxAlign}, Store: {result: '-', args: "np", aux: auxAlign},
	PtrAdd: {result: 'p', args: "pw"}, PtrDiff: {result: 'w', args: "pp"},
	MemCpy: {result: '-', args: "ppi"}, MemSet: {result: '-', args: "p8i"}, Havoc: {result: '-', args: "pi", aux: auxHavoc, sym: symText},
	LifetimeStart: {result: '-', args: "p"}, LifetimeEnd: {result: '-', args: "p"},
	StackSave: {result: 'p'}, StackRestore: {result: '-', args: "p"},
	Malloc: {result: 'p', args: "w", sym: symText}, Free: {result: '-', args: "p"},
	ObjectSize: {result: 'w', args: "p"}, ObjectOffset: {result: 'w', args: "p"},
	ValidRange: {result: 'b', args: "pi"}, IsHeapStart: {result: 'b', args: "p"}, SameObject: {result: 'b', args: "pp"},

	Call:    {result: '*', args: "*", sym: symCallee},
	Extract: {result: 'n', args: "n", aux: auxIndex},

	Nondet: {result: 'n', aux: auxNondet, sym: symText},
	Check:  {result: '-', args: "b", aux: auxCheck, sym: symText},
	Assume: {result: '-', args: "b"},
	Dbg:    {result: '-', args: "n?", aux: auxVar},
	Label:  {result: '-', sym: symText}, VaStart: {result: '-', args: "p"}, Accept: {result: '-'},

	Br: {result: '-'}, CondBr: {result: '-', args: "b"}, Switch: {result: '-', args: "i"}, Ret: {result: '-', args: "*"},
	Halt: {result: '-', aux: auxHalt}, Unreachable: {result: '-'}, Unsupported: {result: '-', sym: symText},
}

// arity returns the least number of operands and the greatest, -1 for any.
func (s signature) arity() (least, most int) {
	switch n := len(s.args); {
	case n > 0 && s.args[n-1] == '*':
		return 0, -1
	case n > 0 && s.args[n-1] == '?':
		return n - 2, n - 1
	default:
		return n, n
	}
}

// HasResult says whether the operation yields a value: always, or never; a
// Call yields one if its type is not void.
func (d *Def) HasResult() bool { return d.Type.Kind != Void }
