package show

import (
	"fmt"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
)

// This file writes formulas over bit-vectors as C expressions. Every term of up to 64 bits becomes an expression of
// type unsigned long long whose value is the number that the bits are: what an operation carries beyond them is
// masked away. So C's promotions play no part. It is no beautiful text, but an exact one.

// maxFormula bounds the text of a formula; maxWord is the widest term.
const (
	maxFormula = 4000
	maxWord    = 64
)

// formula is a formula as an expression.
func (w *writer) formula(x *invariant.Formula) (string, bool) {
	p := &formulaWriter{w: w, x: x, s: x.Store, done: map[term.ID]string{}}
	text := p.text(x.Root)
	switch {
	case p.why != "":
		return w.none("%s", p.why)
	case len(text) > maxFormula:
		return w.none("it is longer than %d characters", maxFormula)
	}
	return text, true
}

// formulaWriter writes one formula.
type formulaWriter struct {
	w    *writer
	x    *invariant.Formula
	s    *term.Store
	done map[term.ID]string
	size int
	why  string
}

func (p *formulaWriter) fail(format string, args ...any) string {
	if p.why == "" {
		p.why = fmt.Sprintf(format, args...)
	}
	return "0"
}

// text is a term: of a Bool an expression that is 0 or 1.
func (p *formulaWriter) text(t term.ID) string {
	if p.why != "" {
		return "0"
	}
	if text, ok := p.done[t]; ok {
		p.size += len(text)
		return text
	}
	s := p.s
	if s.Sort(t).Kind == term.SortBV && s.Width(t) > maxWord || s.Sort(t).Kind == term.SortArray {
		return p.fail("it is about more than 64 bits at once")
	}
	out := p.operation(t)
	if p.size += len(out); p.size > 4*maxFormula {
		return p.fail("it is longer than %d characters", maxFormula)
	}
	p.done[t] = out
	return out
}

func mask(width uint32) string {
	if width >= 64 {
		return ""
	}
	return fmt.Sprintf(" & %#xULL", uint64(1)<<width-1)
}

// operation writes a term with its operands.
func (p *formulaWriter) operation(t term.ID) string {
	s := p.s
	arg := func(i int) string { return p.text(s.Arg(t, i)) }
	binary := func(op string) string { return "(" + arg(0) + " " + op + " " + arg(1) + ")" }
	masked := func(text string) string {
		if m := mask(s.Width(t)); m != "" {
			return "(" + text + m + ")"
		}
		return text
	}
	flipped := func(i int) string { // the order of signed numbers is that of unsigned ones with the sign flipped
		return fmt.Sprintf("(%s ^ %#xULL)", arg(i), uint64(1)<<(s.Width(s.Arg(t, i))-1))
	}
	switch s.Op(t) {
	case term.OpVar:
		v := p.x.Names[t]
		width := uint32(1)
		if s.Sort(t).Kind == term.SortBV {
			width = s.Width(t)
		}
		v.Bits = max(v.Bits, width)
		o, ok := p.w.operand(v)
		if !ok || o.float || o.bits != width {
			if ok {
				p.w.why = "it is about a part of " + o.text
			}
			return p.fail("%s", p.w.why)
		}
		return "(unsigned long long)" + enclosed(o.as(false))
	case term.OpTrue:
		return "1"
	case term.OpFalse:
		return "0"
	case term.OpConst:
		return fmt.Sprintf("%dULL", s.ConstValue(t).Uint64())
	case term.OpNot:
		return "!" + arg(0)
	case term.OpAnd:
		return binary("&&")
	case term.OpOr:
		return binary("||")
	case term.OpXor:
		return binary("!=")
	case term.OpEq:
		return binary("==")
	case term.OpIte:
		return fmt.Sprintf("(%s ? %s : %s)", arg(0), arg(1), arg(2))
	case term.OpULt:
		return binary("<")
	case term.OpULe:
		return binary("<=")
	case term.OpSLt:
		return "(" + flipped(0) + " < " + flipped(1) + ")"
	case term.OpSLe:
		return "(" + flipped(0) + " <= " + flipped(1) + ")"
	case term.OpAdd:
		return masked(binary("+"))
	case term.OpMul:
		return masked(binary("*"))
	case term.OpNeg:
		return masked("(0ULL - " + arg(0) + ")")
	case term.OpBVNot:
		return masked("(~" + arg(0) + ")")
	case term.OpBVAnd:
		return binary("&")
	case term.OpBVOr:
		return binary("|")
	case term.OpBVXor:
		return binary("^")
	case term.OpExtract:
		_, lo := s.ExtractBounds(t)
		return masked(fmt.Sprintf("(%s >> %d)", arg(0), lo))
	case term.OpZExt:
		return arg(0)
	case term.OpSExt:
		sign := uint64(1) << (s.Width(s.Arg(t, 0)) - 1)
		return masked(fmt.Sprintf("((%s ^ %#xULL) - %#xULL)", arg(0), sign, sign))
	case term.OpConcat:
		return fmt.Sprintf("((%s << %d) | %s)", arg(0), s.Width(s.Arg(t, 1)), arg(1))
	case term.OpShl, term.OpLShr:
		if amount := s.Arg(t, 1); s.IsConst(amount) {
			n := s.ConstValue(amount)
			if !n.IsUint64() || n.Uint64() >= uint64(s.Width(t)) {
				return "0ULL"
			}
			op := "<<"
			if s.Op(t) == term.OpLShr {
				op = ">>"
			}
			return masked(fmt.Sprintf("(%s %s %d)", arg(0), op, n.Uint64()))
		}
	case term.OpUDiv, term.OpURem:
		if d := s.Arg(t, 1); s.IsConst(d) && !s.ConstValue(d).IsZero() {
			return binary(map[term.Op]string{term.OpUDiv: "/", term.OpURem: "%"}[s.Op(t)])
		}
	}
	return p.fail("it has the operation %s, for which there is no expression", s.Op(t))
}
