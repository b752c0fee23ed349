package btor2

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strings"

	"assay/internal/finite/ts"
	"assay/internal/logic/term"
)

// writer numbers what it prints. Bools are bit-vectors of width 1.
type writer struct {
	w     *bufio.Writer
	s     *ts.System
	last  int
	sorts map[uint32]int
	ids   map[term.ID]int
}

// Write prints a system. Initial conditions become constraints of the first step,
// by a state that is 1 exactly there; transition conditions are remembered by a
// state that disables the properties after a step that is none.
func Write(to io.Writer, s *ts.System) error {
	w := &writer{w: bufio.NewWriter(to), s: s, sorts: map[uint32]int{}, ids: map[term.ID]int{}}
	for _, v := range s.Inputs {
		if v.NextOf > 0 && nextOnly(s, v) {
			continue // the state has no next line
		}
		w.ids[v.Term] = w.node("input %d%s", w.sort(s.Width(v.Term)), symbol(v.Name))
	}
	for _, v := range s.States {
		w.ids[v.Term] = w.node("state %d%s", w.sort(s.Width(v.Term)), symbol(v.Name))
	}
	order, err := s.InitOrder()
	if err != nil {
		return err
	}
	for _, i := range order {
		v := s.States[i]
		for _, x := range s.Store.Vars(v.Init) {
			for _, in := range s.Inputs {
				if in.Term == x {
					return errors.New("an initial value depends on an input, which BTOR2 cannot express")
				}
			}
		}
		value := w.term(v.Init)
		w.node("init %d %d %d", w.sort(s.Width(v.Term)), w.ids[v.Term], value)
	}
	for _, v := range s.States {
		if _, known := w.ids[v.Next]; !known && s.Store.Op(v.Next) == term.OpVar {
			continue // an arbitrary next value
		}
		value := w.term(v.Next)
		w.node("next %d %d %d", w.sort(s.Width(v.Term)), w.ids[v.Term], value)
	}
	one := w.sort(1)
	if len(s.Init) > 0 {
		first := w.node("state %d", one)
		w.node("init %d %d %d", one, first, w.node("one %d", one))
		w.node("next %d %d %d", one, first, w.node("zero %d", one))
		for _, c := range s.Init {
			w.node("constraint %d", w.node("implies %d %d %d", one, first, w.term(c)))
		}
	}
	for _, c := range s.Constraints {
		w.node("constraint %d", w.term(c))
	}
	guard := func(t term.ID) int { return w.term(t) }
	if len(s.Transitions) > 0 {
		holds := w.node("state %d", one)
		w.node("init %d %d %d", one, holds, w.node("one %d", one))
		next := holds
		for _, c := range s.Transitions {
			next = w.node("and %d %d %d", one, next, w.term(c))
		}
		w.node("next %d %d %d", one, holds, next)
		guard = func(t term.ID) int { return w.node("and %d %d %d", one, holds, w.term(t)) }
	}
	for _, b := range s.Bad {
		w.node("bad %d%s", guard(b.Term), symbol(b.Name))
	}
	for _, f := range s.Fair {
		w.node("fair %d", guard(f))
	}
	for _, j := range s.Justice {
		var ids strings.Builder
		for _, t := range j.Terms {
			fmt.Fprintf(&ids, " %d", guard(t))
		}
		w.node("justice %d%s%s", len(j.Terms), ids.String(), symbol(j.Name))
	}
	return w.w.Flush()
}

// nextOnly says whether the input is nothing but the next value of its state.
func nextOnly(s *ts.System, in ts.Input) bool {
	var roots []term.ID
	for i, v := range s.States {
		if i != in.NextOf-1 {
			roots = append(roots, v.Next)
		}
		if v.Init != 0 {
			roots = append(roots, v.Init)
		}
	}
	roots = append(append(append(append(roots, s.Init...), s.Constraints...), s.Transitions...), s.Fair...)
	for _, b := range s.Bad {
		roots = append(roots, b.Term)
	}
	for _, j := range s.Justice {
		roots = append(roots, j.Terms...)
	}
	for _, v := range s.Store.Vars(roots...) {
		if v == in.Term {
			return false
		}
	}
	return true
}

// symbol is a name as the end of a line; names have no blanks in BTOR2.
func symbol(name string) string {
	if name == "" {
		return ""
	}
	return " " + strings.Map(func(r rune) rune {
		if r <= ' ' || r == ';' {
			return '_'
		}
		return r
	}, name)
}

func (w *writer) node(format string, args ...any) int {
	w.last++
	fmt.Fprintf(w.w, "%d ", w.last)
	fmt.Fprintf(w.w, format, args...)
	w.w.WriteByte('\n')
	return w.last
}

func (w *writer) sort(width uint32) int {
	if n := w.sorts[width]; n != 0 {
		return n
	}
	n := w.node("sort bitvec %d", width)
	w.sorts[width] = n
	return n
}

// term is the node of a term, printed with all it needs, operands first.
func (w *writer) term(root term.ID) int {
	if n, ok := w.ids[root]; ok {
		return n
	}
	w.s.Store.Walk([]term.ID{root}, func(t term.ID) {
		if _, ok := w.ids[t]; !ok {
			w.ids[t] = w.apply(t)
		}
	})
	return w.ids[root]
}

// binary has the operations that are one line with two operands.
var binary = map[term.Op]string{
	term.OpAnd: "and", term.OpOr: "or", term.OpXor: "xor", term.OpEq: "eq",
	term.OpAdd: "add", term.OpMul: "mul", term.OpUDiv: "udiv", term.OpURem: "urem", term.OpSDiv: "sdiv", term.OpSRem: "srem",
	term.OpShl: "sll", term.OpLShr: "srl", term.OpAShr: "sra",
	term.OpBVAnd: "and", term.OpBVOr: "or", term.OpBVXor: "xor",
	term.OpULt: "ult", term.OpULe: "ulte", term.OpSLt: "slt", term.OpSLe: "slte", term.OpConcat: "concat",
}

func (w *writer) apply(t term.ID) int {
	s := w.s.Store
	sort := w.sort(w.s.Width(t))
	arg := func(i int) int { return w.ids[s.Arg(t, i)] }
	if op, ok := binary[s.Op(t)]; ok {
		return w.node("%s %d %d %d", op, sort, arg(0), arg(1))
	}
	switch op := s.Op(t); op {
	case term.OpTrue:
		return w.node("one %d", sort)
	case term.OpFalse:
		return w.node("zero %d", sort)
	case term.OpConst:
		return w.node("const %d %s", sort, bits(s.ConstValue(t)))
	case term.OpNot, term.OpBVNot:
		return w.node("not %d %d", sort, arg(0))
	case term.OpNeg:
		return w.node("neg %d %d", sort, arg(0))
	case term.OpIte:
		return w.node("ite %d %d %d %d", sort, arg(0), arg(1), arg(2))
	case term.OpExtract:
		hi, lo := s.ExtractBounds(t)
		return w.node("slice %d %d %d %d", sort, arg(0), hi, lo)
	case term.OpZExt:
		return w.node("uext %d %d %d", sort, arg(0), w.s.Width(t)-w.s.Width(s.Arg(t, 0)))
	case term.OpSExt:
		return w.node("sext %d %d %d", sort, arg(0), w.s.Width(t)-w.s.Width(s.Arg(t, 0)))
	default:
		panic(fmt.Sprintf("btor2: no way to write %v", op))
	}
}
