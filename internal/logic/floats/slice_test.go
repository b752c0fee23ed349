package floats

import (
	"fmt"

	"assay/internal/logic/term"
)

// This file runs circuits as gates, for the tests: bit by bit, over any
// interpretation of gates. Over lanes it evaluates a circuit on 64 inputs at
// once; over a counter it gives the size of the and-inverter graph.

// gates interprets the gates of a circuit.
type gates[B any] interface {
	constant(b bool) B
	not(a B) B
	and(a, b B) B
	xor(a, b B) B
}

// slicer interprets terms bit by bit, lowest bit first.
type slicer[B any] struct {
	gates[B]
	store *term.Store
	order []term.ID // arguments first
	bits  map[term.ID][]B
}

func newSlicer[B any](store *term.Store, g gates[B], roots ...term.ID) *slicer[B] {
	s := &slicer[B]{gates: g, store: store, bits: map[term.ID][]B{}}
	seen := map[term.ID]bool{}
	var visit func(t term.ID)
	visit = func(t term.ID) {
		if seen[t] {
			return
		}
		seen[t] = true
		for i := range store.NumArgs(t) {
			visit(store.Arg(t, i))
		}
		s.order = append(s.order, t)
	}
	for _, t := range roots {
		visit(t)
	}
	return s
}

// run interprets all terms, with the given bits of the variables.
func (s *slicer[B]) run(variables map[term.ID][]B) {
	for _, t := range s.order {
		if s.store.Op(t) == term.OpVar {
			s.bits[t] = variables[t]
		} else {
			s.bits[t] = s.interpret(t)
		}
	}
}

func (s *slicer[B]) or(a, b B) B { return s.not(s.and(s.not(a), s.not(b))) }

func (s *slicer[B]) mux(c, a, b B) B {
	return s.or(s.and(c, a), s.and(s.not(c), b))
}

// sum is a + b + carry, with the carry out. A full adder has seven gates.
func (s *slicer[B]) sum(a, b []B, carry B) ([]B, B) {
	r := make([]B, len(a))
	for i := range a {
		half := s.xor(a[i], b[i])
		r[i] = s.xor(half, carry)
		carry = s.or(s.and(a[i], b[i]), s.and(half, carry))
	}
	return r, carry
}

func (s *slicer[B]) negated(a []B) []B {
	r := make([]B, len(a))
	for i := range a {
		r[i] = s.not(a[i])
	}
	return r
}

// atLeast is a >= b: the carry out of a - b.
func (s *slicer[B]) atLeast(a, b []B) B {
	carry := s.constant(true)
	for i := range a {
		n := s.not(b[i])
		carry = s.or(s.and(a[i], n), s.and(s.or(a[i], n), carry))
	}
	return carry
}

// biased moves signed numbers to unsigned ones of the same order.
func (s *slicer[B]) biased(a []B) []B {
	r := append([]B(nil), a...)
	r[len(r)-1] = s.not(r[len(r)-1])
	return r
}

func (s *slicer[B]) interpret(t term.ID) []B {
	store := s.store
	arg := func(i int) []B { return s.bits[store.Arg(t, i)] }
	zeros := func(n int) []B {
		r := make([]B, n)
		for i := range r {
			r[i] = s.constant(false)
		}
		return r
	}
	each := func(f func(a, b B) B) []B {
		a, b := arg(0), arg(1)
		r := make([]B, len(a))
		for i := range a {
			r[i] = f(a[i], b[i])
		}
		return r
	}
	switch op := store.Op(t); op {
	case term.OpTrue, term.OpFalse:
		return []B{s.constant(op == term.OpTrue)}
	case term.OpConst:
		v := store.ConstValue(t)
		r := make([]B, v.Width())
		for i := range r {
			r[i] = s.constant(v.Bit(uint32(i)))
		}
		return r
	case term.OpNot, term.OpBVNot:
		return s.negated(arg(0))
	case term.OpAnd, term.OpBVAnd:
		return each(s.and)
	case term.OpOr, term.OpBVOr:
		return each(s.or)
	case term.OpXor, term.OpBVXor:
		return each(s.xor)
	case term.OpEq:
		r := s.constant(true)
		for _, d := range each(s.xor) {
			r = s.and(r, s.not(d))
		}
		return []B{r}
	case term.OpIte:
		c, a, b := arg(0)[0], arg(1), arg(2)
		r := make([]B, len(a))
		for i := range a {
			r[i] = s.mux(c, a[i], b[i])
		}
		return r
	case term.OpAdd:
		r, _ := s.sum(arg(0), arg(1), s.constant(false))
		return r
	case term.OpNeg:
		r, _ := s.sum(zeros(len(arg(0))), s.negated(arg(0)), s.constant(true))
		return r
	case term.OpMul:
		a, b := arg(0), arg(1)
		r := zeros(len(a))
		for i := range b {
			row := zeros(len(a))
			for j := range len(a) - i {
				row[i+j] = s.and(a[j], b[i])
			}
			r, _ = s.sum(r, row, s.constant(false))
		}
		return r
	case term.OpShl, term.OpLShr:
		r, amount := arg(0), arg(1)
		w := len(r)
		for k := range amount {
			n := w
			if k < 30 {
				n = min(w, 1<<k)
			}
			shifted := append(append([]B(nil), r[n:]...), zeros(n)...)
			if op == term.OpShl {
				shifted = append(zeros(n), r[:w-n]...)
			}
			next := make([]B, w)
			for i := range next {
				next[i] = s.mux(amount[k], shifted[i], r[i])
			}
			r = next
		}
		return r
	case term.OpULe:
		return []B{s.atLeast(arg(1), arg(0))}
	case term.OpULt:
		return []B{s.not(s.atLeast(arg(0), arg(1)))}
	case term.OpSLe:
		return []B{s.atLeast(s.biased(arg(1)), s.biased(arg(0)))}
	case term.OpSLt:
		return []B{s.not(s.atLeast(s.biased(arg(0)), s.biased(arg(1))))}
	case term.OpConcat:
		return append(append([]B(nil), arg(1)...), arg(0)...)
	case term.OpExtract:
		hi, lo := store.ExtractBounds(t)
		return arg(0)[lo : hi+1]
	case term.OpZExt:
		a := arg(0)
		return append(append([]B(nil), a...), zeros(int(store.Width(t))-len(a))...)
	case term.OpSExt:
		r := append([]B(nil), arg(0)...)
		for len(r) < int(store.Width(t)) {
			r = append(r, r[len(r)-1])
		}
		return r
	default:
		panic(fmt.Sprintf("no gates for %v", op))
	}
}

// lanes has one bit for each of 64 runs.
type lanes struct{}

func (lanes) constant(b bool) uint64 {
	if b {
		return ^uint64(0)
	}
	return 0
}
func (lanes) not(a uint64) uint64    { return ^a }
func (lanes) and(a, b uint64) uint64 { return a & b }
func (lanes) xor(a, b uint64) uint64 { return a ^ b }

// counter counts the gates of an and-inverter graph with structural hashing. A
// signal is a gate or input times 2, plus 1 if negated; the constants are 0, 1.
type counter struct {
	gates map[[2]int]int
	next  int
}

func newCounter() *counter { return &counter{gates: map[[2]int]int{}, next: 1} }

func (g *counter) input() int {
	g.next++
	return 2 * (g.next - 1)
}

func (g *counter) constant(b bool) int {
	if b {
		return 1
	}
	return 0
}

func (g *counter) not(a int) int { return a ^ 1 }

func (g *counter) and(a, b int) int {
	if a > b {
		a, b = b, a
	}
	switch {
	case a == 0 || a == b^1:
		return 0
	case a == 1 || a == b:
		return b
	}
	r, ok := g.gates[[2]int{a, b}]
	if !ok {
		r = g.input()
		g.gates[[2]int{a, b}] = r
	}
	return r
}

func (g *counter) xor(a, b int) int {
	return g.and(g.not(g.and(a, b)), g.not(g.and(g.not(a), g.not(b))))
}

// operation is a circuit with variables as inputs.
type operation struct {
	store  *term.Store
	inputs []term.ID
	root   term.ID
}

// build makes the circuit of an operation on inputs of the given widths.
func build(store *term.Store, f func(s *term.Store, in []term.ID) term.ID, widths ...uint32) operation {
	o := operation{store: store}
	for i, w := range widths {
		o.inputs = append(o.inputs, store.Var(fmt.Sprintf("x%d", i), term.BitVec(w)))
	}
	o.root = f(store, o.inputs)
	return o
}

// size is the number of terms and of and-gates.
func (o operation) size() (terms, gates int) {
	g := newCounter()
	s := newSlicer[int](o.store, g, o.root)
	variables := map[term.ID][]int{}
	for _, v := range o.inputs {
		for range o.store.Width(v) {
			variables[v] = append(variables[v], g.input())
		}
	}
	s.run(variables)
	return len(s.order), len(g.gates)
}

// check runs the circuit on all the inputs, 64 at a time, and calls wrong for
// each output that differs from the expected one.
func (o operation) check(inputs [][]uint64, expected func(in []uint64) uint64, wrong func(in []uint64, got, want uint64)) {
	s := newSlicer[uint64](o.store, lanes{}, o.root)
	variables := map[term.ID][]uint64{}
	for _, v := range o.inputs {
		variables[v] = make([]uint64, max(o.store.Width(v), 1))
	}
	for len(inputs) > 0 {
		n := min(64, len(inputs))
		for i, v := range o.inputs {
			word := variables[v]
			clear(word)
			for lane, in := range inputs[:n] {
				for b := range word {
					word[b] |= in[i] >> b & 1 << lane
				}
			}
		}
		s.run(variables)
		for lane, in := range inputs[:n] {
			var got uint64
			for b, word := range s.bits[o.root] {
				got |= word >> lane & 1 << b
			}
			if want := expected(in); got != want {
				wrong(in, got, want)
			}
		}
		inputs = inputs[n:]
	}
}
