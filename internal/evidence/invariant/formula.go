package invariant

import (
	"fmt"
	"strings"

	"assay/internal/logic/term"
)

// Formula is any condition on what is there at a loop head, without quantifiers. It
// holds if it speaks of memory that is not there.
type Formula struct {
	// Root is a Bool of Store, which does not change any more. Names says what its
	// variables are, bit-vectors all; Coeff and Signed have no meaning there, and the
	// bits of a pointer are those of its offset.
	Store *term.Store
	Root  term.ID
	Names map[term.ID]Term
}

// Each calls f for what the variables are, with their widths, in the order of their
// first use.
func (x *Formula) Each(f func(t Term, width uint32)) {
	for _, v := range x.Store.Vars(x.Root) {
		f(x.Names[v], x.Store.Width(v))
	}
}

// Named says whether all variables of the formula have names.
func (x *Formula) Named() bool {
	for _, v := range x.Store.Vars(x.Root) {
		if _, ok := x.Names[v]; !ok {
			return false
		}
	}
	return true
}

// maxText bounds the text of a formula.
const maxText = 2000

// signs of operations in C.
var signs = map[term.Op]string{
	term.OpNot: "!", term.OpAnd: "&&", term.OpOr: "||", term.OpXor: "!=", term.OpEq: "==", term.OpAdd: "+", term.OpMul: "*", term.OpNeg: "-",
	term.OpSDiv: "/", term.OpSRem: "%", term.OpBVNot: "~", term.OpBVAnd: "&", term.OpBVOr: "|", term.OpBVXor: "^", term.OpShl: "<<", term.OpLShr: ">>", term.OpULt: "<", term.OpULe: "<=",
}

// Text is the formula in the manner of C. Where C has no sign for an operation, it
// has the name that it has in SMT-LIB.
func (x *Formula) Text(name func(Term) string) string {
	s := x.Store
	left := maxText
	var text func(t term.ID) string
	var row func(t term.ID, op term.Op) string
	row = func(t term.ID, op term.Op) string {
		if s.Op(t) != op || left <= 0 {
			return text(t)
		}
		return row(s.Arg(t, 0), op) + " " + signs[op] + " " + row(s.Arg(t, 1), op)
	}
	text = func(t term.ID) string {
		if left <= 0 {
			return "..."
		}
		op := s.Op(t)
		out := ""
		arg := func(i int) string { return text(s.Arg(t, i)) }
		switch {
		case op == term.OpVar:
			out = name(x.Names[t])
		case op == term.OpTrue:
			out = "1"
		case op == term.OpFalse:
			out = "0"
		case op == term.OpConst:
			out = s.ConstValue(t).Signed().String()
		case op == term.OpIte:
			out = fmt.Sprintf("(%s ? %s : %s)", arg(0), arg(1), arg(2))
		case op == term.OpExtract:
			hi, lo := s.ExtractBounds(t)
			if out = fmt.Sprintf("%s[%d:%d]", arg(0), hi, lo); hi == lo {
				out = fmt.Sprintf("%s[%d]", arg(0), lo)
			}
		case op == term.OpZExt || op == term.OpSExt:
			out = fmt.Sprintf("(%s%d)%s", map[term.Op]string{term.OpZExt: "u", term.OpSExt: "i"}[op], s.Width(t), arg(0))
		case op == term.OpEq && s.Width(s.Arg(t, 0)) == 1 && s.IsConst(s.Arg(t, 0)): // a bit
			if out = arg(1); s.ConstValue(s.Arg(t, 0)).IsZero() {
				out = "!" + out
			}
		case op == term.OpEq && s.Width(s.Arg(t, 0)) == 1 && s.IsConst(s.Arg(t, 1)):
			if out = arg(0); s.ConstValue(s.Arg(t, 1)).IsZero() {
				out = "!" + out
			}
		case op == term.OpAnd || op == term.OpOr: // without brackets within a row
			out = "(" + row(t, op) + ")"
		case signs[op] != "" && s.NumArgs(t) == 1:
			out = signs[op] + arg(0)
		case signs[op] != "":
			out = fmt.Sprintf("(%s %s %s)", arg(0), signs[op], arg(1))
		default:
			var args []string
			for i := range s.NumArgs(t) {
				args = append(args, arg(i))
			}
			out = fmt.Sprintf("%s(%s)", op, strings.Join(args, ", "))
		}
		left -= len(out)
		return out
	}
	return text(x.Root)
}
