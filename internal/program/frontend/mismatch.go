package frontend

import (
	"strings"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// This file has the checks of arguments without types: of a call that prints a literal format the
// arguments are there, and a number is no text; what va_arg reads as a floating-point number was
// one, and what it reads as anything else was none. C leaves everything else undefined, and
// processors read another register. No more is read of an integer than was passed: what lies behind
// it on the stack is anything. That less is read, and whether a pointer is printed as a number, is not looked at.

// checkedFormats are the positions of formats among the arguments of what prints.
var checkedFormats = map[string]int{
	"printf": 0, "fprintf": 1, "dprintf": 1, "sprintf": 1, "snprintf": 2, "asprintf": 1, "syslog": 1,
}

// checkFormat makes a check that fails of a call that prints a literal format with other arguments.
func (f *function) checkFormat(i *llvm.Inst, callee *llvm.Function) {
	position, ok := checkedFormats[callee.Name]
	if !ok || callee.Blocks != nil && !f.im.isOurModel(callee) || len(i.Args) <= position {
		return
	}
	format, ok := literalText(i.Args[position])
	if !ok {
		return
	}
	var passed []byte
	for k := position + 1; k < len(i.Args); k++ {
		passed = append(passed, classOf(i, k))
	}
	if problem := mismatch(format, passed, f.im.p.PointerBits == 64); problem != "" {
		f.b.Check(ir.Precondition, f.b.Const(1, 0), callee.Name+": "+problem)
	}
}

// classOf is the class of an argument: i is an integer, w one of more than 32 bits, p a pointer, d a double, l a long double, and ?
// what is passed in parts.
func classOf(i *llvm.Inst, k int) byte {
	if i.ByVal != nil && i.ByVal[k] != nil {
		return '?'
	}
	switch t := i.Args[k].ValueType(); t.Kind {
	case llvm.IntType:
		if t.Bits > 32 {
			return 'w'
		}
		return 'i'
	case llvm.PointerType:
		return 'p'
	case llvm.DoubleType:
		return 'd'
	case llvm.ExtendedType:
		return 'l'
	}
	return '?'
}

// mismatch says what is wrong with arguments of these classes for a printf format, "" if nothing is
// or the format is not known. wide says that long has 64 bits.
func mismatch(format string, passed []byte, wide bool) string {
	take := func(wanted, conversion string) string {
		if len(passed) == 0 {
			return "there is no argument for " + conversion
		}
		class := passed[0]
		passed = passed[1:]
		if !strings.ContainsRune(wanted, rune(class)) {
			return "the argument for " + conversion + " is of another type"
		}
		return ""
	}
	for {
		_, after, found := strings.Cut(format, "%")
		if !found {
			return ""
		}
		start := "%" + after
		format = strings.TrimLeft(after, "-+ #0'")
		for range 2 { // the width and the precision
			if rest, star := strings.CutPrefix(format, "*"); star {
				format = rest
				if strings.IndexByte("0123456789", (format + " ")[0]) >= 0 {
					return "" // a position
				}
				if problem := take("iw", "*"); problem != "" {
					return problem
				}
			}
			format = strings.TrimPrefix(strings.TrimLeft(format, "0123456789"), ".")
		}
		length := format
		format = strings.TrimLeft(format, "hlqjztL")
		length = length[:len(length)-len(format)]
		if format == "" {
			return ""
		}
		conversion := start[:len(start)-len(format)+1]
		kind := format[0]
		format = format[1:]
		wanted := ""
		switch {
		case kind == '%' || kind == 'm':
			continue
		case strings.IndexByte("dioxXu", kind) >= 0 && (strings.ContainsAny(length, "jqL") || length == "ll" || wide && strings.ContainsAny(length, "lzt")):
			wanted = "wp"
		case strings.IndexByte("dioxXuc", kind) >= 0:
			wanted = "iwp"
		case kind == 's' || kind == 'n':
			wanted = "p"
		case kind == 'p':
			wanted = "piw"
		case strings.IndexByte("fFeEgGaA", kind) >= 0 && length == "L":
			wanted = "l"
		case strings.IndexByte("fFeEgGaA", kind) >= 0:
			wanted = "d"
		default:
			return ""
		}
		if len(passed) > 0 && passed[0] == '?' {
			return ""
		}
		if problem := take(wanted, conversion); problem != "" {
			return problem
		}
	}
}

// checkVariadic makes a check at a load of va_arg: where it reads an argument of the function itself, a
// floating-point number is read as one, and nothing else is.
func (f *function) checkVariadic(i *llvm.Inst, p ir.Value) {
	if f.arguments == 0 || !i.Variadic {
		return
	}
	var types []ir.Type
	for _, v := range f.extra {
		types = append(types, f.b.Func.Type(v))
	}
	offsets, _ := f.im.slots(types)
	float := func(t ir.Type) bool { return t.Kind == ir.Float }
	read := i.Type.Kind == llvm.DoubleType || i.Type.Kind == llvm.FloatType
	if i.Type.Kind != llvm.IntType && i.Type.Kind != llvm.PointerType && !read {
		return
	}
	shorter := func(t ir.Type) bool { return t.Kind == ir.Int && t.Size() < i.Type.Size && !f.b.Func.Model }
	for k, t := range types {
		if (float(t) != read || shorter(t)) && t.Size() <= 8 {
			f.b.Check(ir.Precondition, f.not(f.b.Cmp(ir.Eq, p, f.offset(f.arguments, offsets[k]))), "va_arg: the argument is of another type")
		}
	}
}
