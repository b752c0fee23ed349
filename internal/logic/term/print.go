package term

import (
	"fmt"
	"strings"
)

// opNames are the names of SMT-LIB where it has the operation on bit patterns;
// the floating-point ones carry the name of fp they stand for.
var opNames = [opMax]string{
	OpInvalid: "invalid", OpTrue: "true", OpFalse: "false", OpConst: "const", OpVar: "var",
	OpNot: "not", OpAnd: "and", OpOr: "or", OpXor: "xor", OpEq: "=", OpIte: "ite",
	OpAdd: "bvadd", OpMul: "bvmul", OpNeg: "bvneg", OpUDiv: "bvudiv", OpURem: "bvurem",
	OpSDiv: "bvsdiv", OpSRem: "bvsrem", OpShl: "bvshl", OpLShr: "bvlshr", OpAShr: "bvashr",
	OpBVNot: "bvnot", OpBVAnd: "bvand", OpBVOr: "bvor", OpBVXor: "bvxor",
	OpULt: "bvult", OpULe: "bvule", OpSLt: "bvslt", OpSLe: "bvsle",
	OpConcat: "concat", OpExtract: "extract", OpZExt: "zero_extend", OpSExt: "sign_extend",
	OpSelect: "select", OpStore: "store", OpConstArray: "const-array",
	OpFAdd: "fp.add", OpFMul: "fp.mul", OpFDiv: "fp.div", OpFRem: "fp.fmod", OpFSqrt: "fp.sqrt",
	OpFMA: "fp.fma", OpFRound: "fp.roundToIntegral", OpFEq: "fp.eq", OpFLt: "fp.lt", OpFLe: "fp.leq",
	OpFToSI: "fp.to_sbv", OpFToUI: "fp.to_ubv", OpSIToF: "to_fp", OpUIToF: "to_fp_unsigned", OpFToF: "fp.to_fp",
}

// String is the name of the operation.
func (op Op) String() string {
	if op < opMax {
		return opNames[op]
	}
	return fmt.Sprintf("Op(%d)", uint8(op))
}

// printDepth bounds String: what is deeper is printed as #id.
const printDepth = 8

// String prints t in the manner of SMT-LIB, to a limited depth.
func (s *Store) String(t ID) string { return s.StringDepth(t, printDepth) }

// StringDepth prints t in the manner of SMT-LIB; terms below the given depth
// are printed as # and their ID.
func (s *Store) StringDepth(t ID, depth int) string {
	var b strings.Builder
	s.print(&b, t, depth)
	return b.String()
}

func (s *Store) print(b *strings.Builder, t ID, depth int) {
	if t == 0 || int(t) >= len(s.nodes) {
		fmt.Fprintf(b, "#%d", t)
		return
	}
	n := &s.nodes[t]
	switch n.op {
	case OpTrue, OpFalse, OpConst, OpVar:
		b.WriteString(s.leaf(t))
		return
	}
	if depth == 0 {
		fmt.Fprintf(b, "#%d", t)
		return
	}
	b.WriteByte('(')
	b.WriteString(s.head(t))
	for _, a := range n.args[:arity[n.op]] {
		b.WriteByte(' ')
		s.print(b, a, depth-1)
	}
	b.WriteByte(')')
}

// leaf prints a term without arguments.
func (s *Store) leaf(t ID) string {
	switch s.nodes[t].op {
	case OpConst:
		return fmt.Sprintf("(_ bv%s %d)", s.ConstValue(t).Unsigned(), s.Width(t))
	case OpVar:
		return quoted(s.VarName(t))
	}
	return s.nodes[t].op.String()
}

// head prints the function symbol of an application, with its indices.
func (s *Store) head(t ID) string {
	n := &s.nodes[t]
	width := s.Width(t)
	switch n.op {
	case OpExtract:
		return fmt.Sprintf("(_ extract %d %d)", n.aux+width-1, n.aux)
	case OpZExt, OpSExt:
		return fmt.Sprintf("(_ %s %d)", n.op, width-s.Width(n.args[0]))
	case OpConstArray:
		return fmt.Sprintf("(as const %s)", s.Sort(t))
	case OpFToSI, OpFToUI, OpSIToF, OpUIToF, OpFToF:
		return fmt.Sprintf("(_ %s %d)", n.op, width)
	case OpFRound:
		return fmt.Sprintf("%s %s", n.op, RoundMode(n.aux))
	}
	return n.op.String()
}

// quoted is a name as an SMT-LIB symbol.
func quoted(name string) string {
	simple := name != "" && (name[0] < '0' || name[0] > '9')
	for i := 0; simple && i < len(name); i++ {
		c := name[i]
		simple = 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("~!@$%^&*_-+=<>.?/", c) >= 0
	}
	if simple {
		return name
	}
	return "|" + strings.NewReplacer("|", "?", "\\", "?").Replace(name) + "|"
}
