package bitblast

import (
	"fmt"

	"assay/internal/logic/sat"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// This file translates terms to words of literals.
//
// Invariants, for every term t with offset[t] != 0:
//
//	(1) lits[offset[t]:][:w] is t's word, w being its width (1 for a Bool), and
//	    never changes;
//	(2) all operands of t (see operands) have words, too;
//	(3) flags[t] has hasSelect iff t's word depends on that of an OpSelect.
//
// An array has no word. A select has a word of its own inputs, which arrays.go
// makes consistent.

// Bits of Solver.flags.
const (
	hasSelect uint8 = 1 << iota
	permanent       // an OpSelect, or a term with one, below an assertion
)

// enlarge makes room in the tables for all terms of the store.
func (s *Solver) enlarge() {
	if n := s.store.Len() - len(s.offset); n > 0 {
		n += len(s.offset) / 4
		s.offset = append(s.offset, make([]uint32, n)...)
		s.flags = append(s.flags, make([]uint8, n)...)
		s.mark = append(s.mark, make([]uint32, n)...)
	}
}

// word is the word of a blasted term.
func (s *Solver) word(t term.ID) word {
	o := s.offset[t]
	w := s.width(t)
	return s.lits[o : o+w : o+w]
}

// bit is the literal of a blasted Bool.
func (s *Solver) bit(t term.ID) sat.Lit { return s.lits[s.offset[t]] }

// width is the length of t's word.
func (s *Solver) width(t term.ID) uint32 { return max(s.store.Width(t), 1) }

// operands appends the terms whose words t's word is made of.
func (s *Solver) operands(t term.ID, ts []term.ID) ([]term.ID, error) {
	switch op := s.store.Op(t); op {
	case term.OpSelect:
		return append(ts, s.store.Arg(t, 1)), nil
	case term.OpAdd:
		// A negated summand is subtracted: the negation needs no word.
		a, b, _ := s.summands(t)
		return append(ts, a, b), nil
	case term.OpFAdd, term.OpFMul, term.OpFDiv, term.OpFRem, term.OpFSqrt, term.OpFMA, term.OpFRound,
		term.OpFEq, term.OpFLt, term.OpFLe, term.OpFToSI, term.OpFToUI, term.OpSIToF, term.OpUIToF, term.OpFToF:
		low, ok := s.lowered[t]
		if !ok {
			if s.options.Lower == nil {
				return nil, smt.ErrUnsupported{What: fmt.Sprintf("%v", op)}
			}
			low = s.options.Lower(s.store, t)
			if low == t || s.store.Sort(low) != s.store.Sort(t) {
				panic(fmt.Sprintf("bitblast: %v lowered to a term of sort %v", op, s.store.Sort(low)))
			}
			s.lowered[t] = low
			s.enlarge()
		}
		return append(ts, low), nil
	case term.OpMul, term.OpUDiv, term.OpURem, term.OpSDiv, term.OpSRem, term.OpEq:
		if s.options.Leave == nil {
			break
		}
		low, ok := s.lowered[t]
		if !ok {
			if low = s.options.Leave(s.store, t); low == t {
				break
			}
			s.lowered[t] = low
			s.enlarge()
		}
		return append(ts, low), nil
	}
	if x, y, _, ok := s.fitting(t); ok {
		return append(ts, x, y), nil
	}
	for i := range s.store.NumArgs(t) {
		ts = append(ts, s.store.Arg(t, i))
	}
	return ts, nil
}

// summands are the operands of the OpAdd t; b is to be subtracted if negated.
func (s *Solver) summands(t term.ID) (a, b term.ID, negated bool) {
	a, b = s.store.Arg(t, 0), s.store.Arg(t, 1)
	switch {
	case s.store.Op(b) == term.OpNeg:
		return a, s.store.Arg(b, 0), true
	case s.store.Op(a) == term.OpNeg:
		return b, s.store.Arg(a, 0), true
	}
	return a, b, false
}

// blast gives words to root and everything below it. If the context ends, what has a
// word by then keeps it: the next call goes on.
func (s *Solver) blast(root term.ID) (err error) {
	defer func() {
		if p := recover(); p != nil {
			i, ok := p.(interrupted)
			if !ok {
				panic(p)
			}
			err = i.err
		}
	}()
	s.enlarge()
	s.stack = append(s.stack[:0], root)
	for len(s.stack) > 0 {
		top := len(s.stack) - 1
		t := s.stack[top]
		if s.offset[t] != 0 {
			s.stack = s.stack[:top]
			continue
		}
		if s.looks++; s.looks%256 == 0 {
			s.circuit.look()
		}
		s.args, err = s.operands(t, s.args[:0])
		if err != nil {
			return err
		}
		for i := len(s.args) - 1; i >= 0; i-- {
			if s.offset[s.args[i]] == 0 {
				s.stack = append(s.stack, s.args[i])
			}
		}
		if len(s.stack) == top+1 {
			s.stack = s.stack[:top]
			s.place(t)
		}
	}
	return nil
}

// place gives t its word; s.args are its operands, which have theirs.
func (s *Solver) place(t term.ID) {
	for _, a := range s.args {
		s.flags[t] |= s.flags[a] & hasSelect
	}
	if low, ok := s.lowered[t]; ok {
		s.offset[t] = s.offset[low]
		return
	}
	offset := len(s.lits)
	if uint64(offset) >= 1<<32 {
		panic("bitblast: more than 2^32 bits")
	}
	s.lits = s.build(s.lits, t)
	if len(s.lits) != offset+int(s.width(t)) {
		panic(fmt.Sprintf("bitblast: word of %d bits for %s", len(s.lits)-offset, s.store.String(t)))
	}
	s.offset[t] = uint32(offset)
}

// build appends the word of t to dst.
func (s *Solver) build(dst word, t term.ID) word {
	c, g := s.circuit, s.circuit.g
	arg := func(i int) word { return s.word(s.store.Arg(t, i)) }
	bit := func(i int) sat.Lit { return s.bit(s.store.Arg(t, i)) }
	switch op := s.store.Op(t); op {
	case term.OpTrue:
		return append(dst, sat.True)
	case term.OpFalse:
		return append(dst, sat.False)
	case term.OpConst:
		v := s.store.ConstValue(t)
		for i := range v.Width() {
			dst = append(dst, sat.Constant(v.Bit(i)))
		}
		return dst
	case term.OpVar:
		return s.inputs(dst, t)
	case term.OpSelect:
		s.flags[t] |= hasSelect
		return s.inputs(dst, t)

	case term.OpNot:
		return append(dst, bit(0).Not())
	case term.OpAnd:
		return append(dst, g.And(bit(0), bit(1)))
	case term.OpOr:
		if x, y, signed, ok := s.fitting(t); ok {
			return append(dst, c.fits(s.word(x), s.word(y), signed))
		}
		return append(dst, g.Or(bit(0), bit(1)))
	case term.OpXor:
		return append(dst, g.Xor(bit(0), bit(1)))
	case term.OpEq:
		if x, y, signed, ok := s.fitting(t); ok {
			return append(dst, c.fits(s.word(x), s.word(y), signed))
		}
		return append(dst, c.equal(arg(0), arg(1)))
	case term.OpIte:
		return c.ite(dst, bit(0), arg(1), arg(2))

	case term.OpAdd:
		a, b, negated := s.summands(t)
		if negated {
			return c.sub(dst, s.word(a), s.word(b))
		}
		return c.add(dst, s.word(a), s.word(b), sat.False)
	case term.OpMul:
		return c.mul(dst, arg(0), arg(1))
	case term.OpNeg:
		return c.negIf(dst, arg(0), sat.True)
	case term.OpUDiv, term.OpURem, term.OpSDiv, term.OpSRem:
		q, r := s.quotient(op, s.store.Arg(t, 0), s.store.Arg(t, 1))
		if op == term.OpUDiv || op == term.OpSDiv {
			return append(dst, q...)
		}
		return append(dst, r...)
	case term.OpShl:
		return c.shift(dst, arg(0), arg(1), left, sat.False)
	case term.OpLShr:
		return c.shift(dst, arg(0), arg(1), right, sat.False)
	case term.OpAShr:
		x := arg(0)
		return c.shift(dst, x, arg(1), right, x[len(x)-1])
	case term.OpBVNot:
		for _, l := range arg(0) {
			dst = append(dst, l.Not())
		}
		return dst
	case term.OpBVAnd:
		return zip(dst, arg(0), arg(1), g.And)
	case term.OpBVOr:
		return zip(dst, arg(0), arg(1), g.Or)
	case term.OpBVXor:
		return zip(dst, arg(0), arg(1), g.Xor)

	case term.OpULt:
		return append(dst, c.borrow(arg(0), arg(1), sat.False))
	case term.OpULe:
		return append(dst, c.borrow(arg(0), arg(1), sat.True))
	case term.OpSLt:
		return append(dst, c.signedBorrow(arg(0), arg(1), sat.False))
	case term.OpSLe:
		return append(dst, c.signedBorrow(arg(0), arg(1), sat.True))

	case term.OpConcat:
		return append(append(dst, arg(1)...), arg(0)...)
	case term.OpExtract:
		hi, lo := s.store.ExtractBounds(t)
		return append(dst, arg(0)[lo:hi+1]...)
	case term.OpZExt, term.OpSExt:
		x := arg(0)
		fill := sat.False
		if op == term.OpSExt {
			fill = x[len(x)-1]
		}
		dst = append(dst, x...)
		for range int(s.width(t)) - len(x) {
			dst = append(dst, fill)
		}
		return dst
	default:
		panic(fmt.Sprintf("bitblast: no word for %v", op))
	}
}

func zip(dst, x, y word, gate func(a, b sat.Lit) sat.Lit) word {
	for i := range x {
		dst = append(dst, gate(x[i], y[i]))
	}
	return dst
}

// inputs appends new inputs for the variable or select t.
func (s *Solver) inputs(dst word, t term.ID) word {
	for range s.width(t) {
		dst = append(dst, s.circuit.g.Input())
	}
	return dst
}

// division is a divider circuit.
type division struct {
	signed   bool
	dividend term.ID
	divisor  term.ID
}

// quotient has the results of the one divider for the operands.
func (s *Solver) quotient(op term.Op, x, y term.ID) (quotient, remainder word) {
	d := division{op == term.OpSDiv || op == term.OpSRem, x, y}
	r, ok := s.divisions[d]
	if !ok {
		if d.signed {
			r[0], r[1] = s.circuit.signedDivide(s.word(x), s.word(y))
		} else {
			r[0], r[1] = s.circuit.divide(s.word(x), s.word(y))
		}
		s.divisions[d] = r
	}
	return r[0], r[1]
}
