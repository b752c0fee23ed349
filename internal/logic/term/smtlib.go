package term

import (
	"bufio"
	"fmt"
	"io"
)

// This file prints scripts for SMT solvers.
//
// A term that is used more than once, or that would nest deeply, becomes a
// define-fun, so that the script is as large as the store's graph and a parser
// needs little stack. Floating-point operations work on bit patterns here, and
// the standard has no function from FloatingPoint to bits; the bits of a result
// are a new constant r with an assertion that r, read as a floating-point
// number, is the result.
//
// The logic is QF_ABV where that is enough and ALL elsewhere: constant arrays
// are in no standard logic, and z3 does not know the name QF_ABVFP.

// inlineDepth is the nesting that is printed without a define-fun.
const inlineDepth = 12

// script is the state of one print.
type script struct {
	*Store
	w      *bufio.Writer
	shared *visited      // terms seen; the image is 1 at first, then 2 if used again
	symbol map[ID]string // of variables and defined terms
	taken  map[string]bool
	depth  map[ID]int
	fmod   map[uint32]bool // formats whose remainder is defined
}

// WriteSMTLIB prints a script of bit-vectors, arrays and floating point, without
// quantifiers and uninterpreted functions, that asserts the roots of sort Bool and defines the others, and asks for satisfiability.
func (s *Store) WriteSMTLIB(w io.Writer, roots []ID) error {
	p := &script{
		Store: s, w: bufio.NewWriter(w), shared: newVisited(s.Len()),
		symbol: map[ID]string{}, taken: map[string]bool{}, depth: map[ID]int{}, fmod: map[uint32]bool{},
	}
	for _, name := range opNames {
		p.taken[name] = true
	}
	for _, name := range []string{"distinct", "=>", "let", "forall", "exists", "_", "!", "as", "par", "match",
		"bvsub", "bvugt", "bvuge", "bvsgt", "bvsge", "bvcomp", "bvnand", "bvnor", "bvxnor", "bvsmod", "repeat",
		"rotate_left", "rotate_right", "fmod!16", "fmod!32", "fmod!64", "fmod!m16", "fmod!m32", "fmod!m64", "fp", "to_fp_unsigned", "RNE", "RTZ", "RTN", "RTP", "RNA", "NaN"} {
		p.taken[name] = true
	}
	logic := "QF_ABV"
	s.Walk(roots, func(t ID) {
		n := &s.nodes[t]
		for _, a := range n.args[:arity[n.op]] {
			p.use(a)
		}
		if n.op >= OpFAdd || n.op == OpConstArray {
			logic = "ALL"
		}
		if n.op == OpVar {
			p.symbol[t] = p.unique(quoted(s.VarName(t)), t)
		}
	})
	for _, r := range roots {
		p.use(r)
	}
	fmt.Fprintf(p.w, "(set-logic %s)\n", logic)
	s.Walk(roots, p.declare)
	for _, r := range roots {
		if s.nodes[r].sort == 0 {
			fmt.Fprintf(p.w, "(assert %s)\n", p.text(r))
		} else if p.symbol[r] == "" {
			p.define(r)
		}
	}
	fmt.Fprintln(p.w, "(check-sat)")
	visitedPool.Put(p.shared)
	return p.w.Flush()
}

func (p *script) use(t ID) {
	if !p.shared.has(t) {
		p.shared.mark[t] = p.shared.epoch
		p.shared.image[t] = 1
		return
	}
	p.shared.image[t] = 2
}

// unique is name, or a variant of it that no other symbol of the script has.
func (p *script) unique(name string, t ID) string {
	for p.taken[name] {
		if name[len(name)-1] == '|' {
			name = fmt.Sprintf("%s!%d|", name[:len(name)-1], t)
		} else {
			name = fmt.Sprintf("%s!%d", name, t)
		}
	}
	p.taken[name] = true
	return name
}

// declare prints what must precede the use of t, whose arguments are declared.
func (p *script) declare(t ID) {
	n := &p.nodes[t]
	switch n.op {
	case OpTrue, OpFalse, OpConst:
		return
	case OpVar:
		fmt.Fprintf(p.w, "(declare-fun %s () %s)\n", p.symbol[t], p.Sort(t))
		return
	case OpFAdd, OpFMul, OpFDiv, OpFRem, OpFSqrt, OpFMA, OpFRound, OpSIToF, OpUIToF, OpFToF:
		p.declareFloat(t)
		return
	}
	depth := 0
	for _, a := range n.args[:arity[n.op]] {
		depth = max(depth, p.depth[a]+1)
	}
	p.depth[t] = depth
	if p.shared.image[t] == 2 || depth >= inlineDepth {
		p.define(t)
		p.depth[t] = 0
	}
}

// declareFloat prints the number that t is, and t as its bits.
func (p *script) declareFloat(t ID) {
	f, _ := formatOf(p.Width(t))
	if p.nodes[t].op == OpFRem && !p.fmod[f.width] {
		p.fmod[f.width] = true
		fmt.Fprint(p.w, f.fmodText())
	}
	text := p.application(t)
	value := p.unique(fmt.Sprintf("f!%d", t), t)
	name := p.unique(fmt.Sprintf("t!%d", t), t)
	p.symbol[t] = name
	fmt.Fprintf(p.w, "(define-fun %s () %s %s)\n", value, f.sortText(), text)
	fmt.Fprintf(p.w, "(declare-fun %s () %s)\n", name, p.Sort(t))
	fmt.Fprintf(p.w, "(assert (ite (fp.isNaN %s) (= %s (_ bv%d %d)) (= %s %s)))\n",
		value, name, f.nan(), f.width, f.numberText(name), value)
}

func (p *script) define(t ID) {
	text := p.text(t)
	p.symbol[t] = p.unique(fmt.Sprintf("t!%d", t), t)
	fmt.Fprintf(p.w, "(define-fun %s () %s %s)\n", p.symbol[t], p.Sort(t), text)
}

func (p *script) text(t ID) string {
	if name := p.symbol[t]; name != "" {
		return name
	}
	if arity[p.nodes[t].op] == 0 {
		return p.leaf(t)
	}
	return p.application(t)
}

// application prints t over the texts of its arguments.
func (p *script) application(t ID) string {
	n := &p.nodes[t]
	var args [3]string
	for i, a := range n.args[:arity[n.op]] {
		args[i] = p.text(a)
	}
	if n.op >= OpFAdd {
		return p.floating(t, args)
	}
	text := "(" + p.head(t)
	for _, a := range args[:arity[n.op]] {
		text += " " + a
	}
	return text + ")"
}

func (f floatFormat) sortText() string {
	return fmt.Sprintf("(_ FloatingPoint %d %d)", f.exponent, f.fraction+1)
}

// numberText reads bits as a number.
func (f floatFormat) numberText(bits string) string {
	return fmt.Sprintf("((_ to_fp %d %d) %s)", f.exponent, f.fraction+1, bits)
}

// fmodText defines the remainder of the quotient truncated to zero. The
// standard's fp.rem rounds the quotient to nearest; on magnitudes, a negative
// remainder is one divisor short of the one wanted. Adding it is exact.
func (f floatFormat) fmodText() string {
	const r = "(fp.rem (fp.abs x) (fp.abs y))"
	number := f.sortText()
	return fmt.Sprintf("(define-fun fmod!m%d ((x %s) (y %s)) %s (ite (fp.isNegative %s) (fp.add RNE %s (fp.abs y)) %s))\n"+
		"(define-fun fmod!%d ((x %s) (y %s)) %s (ite (fp.isNegative x) (fp.neg (fmod!m%d x y)) (fmod!m%d x y)))\n",
		f.width, number, number, number, r, r, r, f.width, number, number, number, f.width, f.width)
}

// floating prints an operation on floating-point numbers; its sort is
// FloatingPoint where ours is the bits of one.
func (p *script) floating(t ID, bits [3]string) string {
	n := &p.nodes[t]
	width := p.Width(t)
	if g, ok := formatOf(width); ok {
		switch n.op {
		case OpSIToF:
			return fmt.Sprintf("((_ to_fp %d %d) RNE %s)", g.exponent, g.fraction+1, bits[0])
		case OpUIToF:
			return fmt.Sprintf("((_ to_fp_unsigned %d %d) RNE %s)", g.exponent, g.fraction+1, bits[0])
		}
	}
	f, _ := formatOf(p.Width(n.args[0]))
	var v [3]string
	for i := range arity[n.op] {
		v[i] = f.numberText(bits[i])
	}
	switch n.op {
	case OpFAdd, OpFMul, OpFDiv:
		return fmt.Sprintf("(%s RNE %s %s)", n.op, v[0], v[1])
	case OpFRem:
		return fmt.Sprintf("(fmod!%d %s %s)", width, v[0], v[1])
	case OpFSqrt:
		return fmt.Sprintf("(fp.sqrt RNE %s)", v[0])
	case OpFMA:
		return fmt.Sprintf("(fp.fma RNE %s %s %s)", v[0], v[1], v[2])
	case OpFRound:
		return fmt.Sprintf("(fp.roundToIntegral %s %s)", RoundMode(n.aux), v[0])
	case OpFToF:
		g, _ := formatOf(width)
		return fmt.Sprintf("((_ to_fp %d %d) RNE %s)", g.exponent, g.fraction+1, v[0])
	case OpFToSI, OpFToUI:
		return f.toIntegerText(n.op, width, v[0])
	}
	return fmt.Sprintf("(%s %s %s)", n.op, v[0], v[1])
}

// toIntegerText prints a conversion that is 0 where the standard leaves it open.
// The bounds are powers of two, or beyond all finite numbers of the format.
func (f floatFormat) toIntegerText(op Op, width uint32, v string) string {
	whole := fmt.Sprintf("(fp.roundToIntegral RTZ %s)", v)
	power := func(k uint32) string {
		if int(k) > f.bias() {
			return ""
		}
		return f.numberText(fmt.Sprintf("(_ bv%d %d)", uint64(int(k)+f.bias())<<f.fraction, f.width))
	}
	fits := fmt.Sprintf("(not (fp.isNaN %s)) (not (fp.isInfinite %s))", v, v)
	if op == OpFToUI {
		fits += fmt.Sprintf(" (fp.leq %s %s)", f.numberText(fmt.Sprintf("(_ bv0 %d)", f.width)), whole)
		if p := power(width); p != "" {
			fits += fmt.Sprintf(" (fp.lt %s %s)", whole, p)
		}
	} else if p := power(width - 1); p != "" {
		fits += fmt.Sprintf(" (fp.leq (fp.neg %s) %s) (fp.lt %s %s)", p, whole, whole, p)
	}
	return fmt.Sprintf("(ite (and %s) ((_ %s %d) RTZ %s) (_ bv0 %d))", fits, op, width, v, width)
}
