package ir

// The part of the verifier that looks at one instruction at a time: the types
// of its result and operands, and what its other fields hold. The table of
// signatures drives it; special has the rules that the table cannot say.

import "fmt"

// valueType checks that t is a type of values.
func (v *verifier) valueType(t Type, what string) bool {
	ok := false
	switch t.Kind {
	case Int:
		ok = t.Bits > 0
	case Ptr:
		ok = t.Bits == v.m.PointerBits
	case Float:
		ok = t.Bits == 16 || t.Bits == 32 || t.Bits == 64
	}
	if !ok {
		v.errorf("%s has the type {%s %d}", what, t.Kind, t.Bits)
	}
	return ok
}

// fits says whether t is in the class of a letter of signatures.
func (v *verifier) fits(class byte, t, result, first Type) bool {
	switch class {
	case 'i':
		return t.Kind == Int
	case 'b':
		return t == BoolType
	case '8':
		return t == IntType(8)
	case 'w':
		return t == v.m.WordType()
	case 'p':
		return t.Kind == Ptr
	case 'f':
		return t.Kind == Float
	case 'q':
		return t.Kind == Int || t.Kind == Ptr
	case 'n':
		return t.Kind != Void
	case '=':
		return t == result
	case '0':
		return t == first
	}
	return true
}

// operands checks the types and numbers of operands, and what Aux, Sym, Succs
// and Cases hold.
func (v *verifier) operands(f *Func, d *Def) {
	if d.Op >= opMax {
		v.errorf("unknown operation")
		return
	}
	for _, a := range d.Args {
		if a < 1 || int(a) >= len(f.Values) || f.Values[a].Op == OpInvalid {
			v.errorf("operand %%%d does not exist", a)
			return
		}
	}
	sig := signatures[d.Op]
	if d.Type != (Type{}) && !v.valueType(d.Type, "result") {
		return
	}
	if (sig.result == '-') != (d.Type.Kind == Void) && sig.result != '*' || sig.result != '-' && !v.fits(sig.result, d.Type, Type{}, Type{}) {
		v.errorf("result of type %s", d.Type)
		return
	}
	least, most := sig.arity()
	if len(d.Args) < least || most >= 0 && len(d.Args) > most {
		v.errorf("%d operands", len(d.Args))
		return
	}
	for i, a := range d.Args {
		t := f.Values[a].Type
		class := byte('n')
		if most >= 0 {
			class = sig.args[i]
		}
		if !v.fits(class, t, d.Type, f.Values[d.Args[0]].Type) {
			v.errorf("operand %d (%%%d) has the type %s", i+1, a, t)
			return
		}
	}
	v.aux(f, d, sig)
	v.symbol(d, sig)
	v.special(f, d)
}

func (v *verifier) aux(f *Func, d *Def, sig signature) {
	below := func(n int) bool { return d.Aux >= 0 && d.Aux < int64(n) }
	ok := true
	switch sig.aux {
	case auxNone:
		ok = d.Aux == 0
	case auxAlign:
		ok = alignOK(d.Aux)
	case auxCheck:
		ok = d.Aux != int64(CheckNone) && below(int(checkMax))
	case auxVar:
		ok = below(len(f.Vars))
	case auxCede:
		ok = d.Aux == 0 || d.Aux == Cede && d.Type.Kind == Ptr
	case auxHavoc:
		ok = d.Aux == 0 || d.Aux == Indeterminate
	case auxIndex:
		ok = d.Aux >= 1
	case auxRounding:
		ok = below(len(roundingNames))
	case auxNondet:
		ok = below(len(nondetNames))
	case auxHalt:
		ok = below(len(haltNames))
	}
	if !ok {
		v.errorf("Aux is %d", d.Aux)
	}
}

func (v *verifier) symbol(d *Def, sig signature) {
	ok := true
	switch sig.sym {
	case symNone:
		ok = d.Sym == ""
	case symGlobal:
		ok = v.index.Globals[d.Sym] != nil
	case symFunc:
		ok = v.index.Funcs[d.Sym] != nil
	case symCallee:
		ok = d.Sym == "" || v.index.Funcs[d.Sym] != nil
	}
	if !ok {
		v.errorf("symbol %q is not defined, or must be empty", d.Sym)
	}
}

// special has the rules that are not in the table.
func (v *verifier) special(f *Func, d *Def) {
	arg := func(i int) Type { return f.Values[d.Args[i]].Type }
	bad := ""
	succs := 0
	switch d.Op {
	case Const:
		if d.Type.Kind == Ptr || d.Const.Width() != d.Type.Bits {
			bad = fmt.Sprintf("constant of width %d for type %s", d.Const.Width(), d.Type)
		}
	case ZExt, SExt:
		if d.Type.Bits <= arg(0).Bits {
			bad = "does not extend"
		}
	case Trunc:
		if d.Type.Bits >= arg(0).Bits {
			bad = "does not truncate"
		}
	case FToF:
		if d.Type == arg(0) {
			bad = "converts to the same format"
		}
	case BitCast:
		if a := arg(0); a.Bits != d.Type.Bits || !(a.Kind == Int && d.Type.Kind == Float || a.Kind == Float && d.Type.Kind == Int) {
			bad = fmt.Sprintf("from %s to %s", a, d.Type)
		}
	case Bswap:
		if d.Type.Bits%8 != 0 {
			bad = "width is no multiple of 8"
		}
	case PtrDiff:
		bad = "reserved"
	case Phi:
		preds := f.Blocks[d.Block].Preds
		if len(d.Args) != len(preds) {
			bad = fmt.Sprintf("%d arguments for %d predecessors", len(d.Args), len(preds))
			break
		}
		for i := range d.Args {
			if arg(i) != d.Type {
				bad = fmt.Sprintf("argument %d has the type %s", i+1, arg(i))
			}
		}
	case Call:
		bad = v.call(f, d)
	case Extract:
		bad = v.extract(f, d)
	case VaStart:
		if !f.Variadic {
			bad = "in a function that is not variadic"
		}
	case Br:
		succs = 1
	case CondBr:
		succs = 2
	case Switch:
		succs = 1 + len(d.Cases)
		seen := map[string]bool{}
		for _, c := range d.Cases {
			if c.Width() != arg(0).Bits || seen[c.String()] {
				bad = fmt.Sprintf("case %s is of another width or appears twice", c)
			}
			seen[c.String()] = true
		}
	case Ret:
		if len(d.Args) != len(f.Results) {
			bad = fmt.Sprintf("%d results instead of %d", len(d.Args), len(f.Results))
			break
		}
		for i := range d.Args {
			if arg(i) != f.Results[i] {
				bad = fmt.Sprintf("result %d has the type %s instead of %s", i+1, arg(i), f.Results[i])
			}
		}
	}
	if bad == "" && len(d.Succs) != succs {
		bad = fmt.Sprintf("%d successors instead of %d", len(d.Succs), succs)
	}
	if bad == "" && d.Op != Switch && d.Cases != nil {
		bad = "has cases"
	}
	if bad == "" && d.Op != Alloca && d.Op != Malloc && d.Layout != (Layout{}) {
		bad = "has a layout"
	}
	if bad == "" && d.Op != Const && d.Const.Width() != 0 {
		bad = "has a constant"
	}
	if bad != "" {
		v.errorf("%s", bad)
	}
}

// call checks a call against the callee. A direct call must match it: where C
// lets them differ, the call goes through FuncAddr and is judged when it runs.
func (v *verifier) call(f *Func, d *Def) string {
	if d.Sym == "" {
		if len(d.Args) == 0 || f.Type(d.Args[0]).Kind != Ptr {
			return "indirect call without function pointer"
		}
		return ""
	}
	callee := v.index.Funcs[d.Sym]
	if callee == nil {
		return "" // reported as an undefined symbol
	}
	args := make([]Type, len(d.Args))
	for i, a := range d.Args {
		args[i] = f.Type(a)
	}
	if !callee.Accepts(args) {
		return fmt.Sprintf("arguments %v do not match @%s", args, d.Sym)
	}
	if r := callee.Result(0); r != d.Type {
		return fmt.Sprintf("type %s, but @%s returns %s", d.Type, d.Sym, r)
	}
	return ""
}

func (v *verifier) extract(f *Func, d *Def) string {
	c := f.Def(d.Args[0])
	if c.Op != Call {
		return "operand is no call"
	}
	if callee := v.index.Funcs[c.Sym]; callee != nil {
		if r := callee.Result(int(d.Aux)); r != d.Type {
			return fmt.Sprintf("type %s, but result %d of @%s is %s", d.Type, d.Aux, c.Sym, r)
		}
	}
	return ""
}

// Accepts says whether the function can be called with arguments of these types.
func (f *Func) Accepts(args []Type) bool {
	if len(args) < len(f.Params) || len(args) > len(f.Params) && !f.Variadic {
		return false
	}
	for i, p := range f.Params {
		if f.Type(p) != args[i] {
			return false
		}
	}
	return true
}

// Result is the type of the i-th result, void if there is none.
func (f *Func) Result(i int) Type {
	if i < len(f.Results) {
		return f.Results[i]
	}
	return Type{}
}
