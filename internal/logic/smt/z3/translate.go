package z3

/*
#include "shim.h"
*/
import "C"

import (
	"math/big"

	"assay/internal/logic/term"
)

// This file turns terms into the steps by which shim.c builds them.
//
// Invariants: slots[t] != 0 iff t has been translated; the slots of arguments
// are smaller; all slots below next-len(steps) exist in C.

// stepOf has the opcode of each operation.
var stepOf = map[term.Op]C.uint32_t{
	term.OpTrue: C.STEP_TRUE, term.OpFalse: C.STEP_FALSE, term.OpConst: C.STEP_CONST, term.OpVar: C.STEP_VAR,
	term.OpNot: C.STEP_NOT, term.OpAnd: C.STEP_AND, term.OpOr: C.STEP_OR, term.OpXor: C.STEP_XOR,
	term.OpEq: C.STEP_EQ, term.OpIte: C.STEP_ITE,
	term.OpAdd: C.STEP_ADD, term.OpMul: C.STEP_MUL, term.OpNeg: C.STEP_NEG,
	term.OpUDiv: C.STEP_UDIV, term.OpURem: C.STEP_UREM, term.OpSDiv: C.STEP_SDIV, term.OpSRem: C.STEP_SREM,
	term.OpShl: C.STEP_SHL, term.OpLShr: C.STEP_LSHR, term.OpAShr: C.STEP_ASHR,
	term.OpBVNot: C.STEP_BVNOT, term.OpBVAnd: C.STEP_BVAND, term.OpBVOr: C.STEP_BVOR, term.OpBVXor: C.STEP_BVXOR,
	term.OpULt: C.STEP_ULT, term.OpULe: C.STEP_ULE, term.OpSLt: C.STEP_SLT, term.OpSLe: C.STEP_SLE,
	term.OpConcat: C.STEP_CONCAT, term.OpExtract: C.STEP_EXTRACT, term.OpZExt: C.STEP_ZEXT, term.OpSExt: C.STEP_SEXT,
	term.OpSelect: C.STEP_SELECT, term.OpStore: C.STEP_STORE, term.OpConstArray: C.STEP_CONST_ARRAY,
	term.OpFAdd: C.STEP_FADD, term.OpFMul: C.STEP_FMUL, term.OpFDiv: C.STEP_FDIV, term.OpFRem: C.STEP_FREM,
	term.OpFSqrt: C.STEP_FSQRT, term.OpFMA: C.STEP_FMA, term.OpFRound: C.STEP_FROUND,
	term.OpFEq: C.STEP_FEQ, term.OpFLt: C.STEP_FLT, term.OpFLe: C.STEP_FLE,
	term.OpFToSI: C.STEP_FTOSI, term.OpFToUI: C.STEP_FTOUI,
	term.OpSIToF: C.STEP_SITOF, term.OpUIToF: C.STEP_UITOF, term.OpFToF: C.STEP_FTOF,
}

// translate gives slots to root and everything below it; flush must follow.
func (s *Solver) translate(root term.ID) {
	if n := s.store.Len() - len(s.slots); n > 0 {
		s.slots = append(s.slots, make([]C.uint32_t, n)...)
	}
	s.stack = append(s.stack[:0], root)
	for len(s.stack) > 0 {
		top := len(s.stack) - 1
		t := s.stack[top]
		if s.slots[t] == 0 {
			for i := s.store.NumArgs(t) - 1; i >= 0; i-- {
				if a := s.store.Arg(t, i); s.slots[a] == 0 {
					s.stack = append(s.stack, a)
				}
			}
			if len(s.stack) > top+1 {
				continue
			}
			s.steps = append(s.steps, s.step(t))
			s.slots[t] = s.next
			s.next++
		}
		s.stack = s.stack[:top]
	}
}

// step describes t, whose arguments have slots.
func (s *Solver) step(t term.ID) C.assay_z3_step {
	op, sort := s.store.Op(t), s.store.Sort(t)
	p := C.assay_z3_step{op: stepOf[op], width: C.uint32_t(sort.Width)}
	for i := range s.store.NumArgs(t) {
		p.args[i] = s.slots[s.store.Arg(t, i)]
	}
	if sort.Kind == term.SortArray {
		s.hasArrays = true
		p.aux = C.uint32_t(sort.Index)
	}
	switch op {
	case term.OpConst:
		v := s.store.ConstValue(t)
		if v.Width() <= 64 {
			p.args[0], p.args[1] = C.uint32_t(v.Uint64()), C.uint32_t(v.Uint64()>>32)
			break
		}
		p.args[0] = C.uint32_t(len(s.words))
		s.words = appendWords(s.words, v.Unsigned(), v.Width())
	case term.OpExtract:
		_, lo := s.store.ExtractBounds(t)
		p.aux = C.uint32_t(lo)
	case term.OpFRound:
		p.aux = C.uint32_t(s.store.RoundMode(t))
	}
	s.hasFloats = s.hasFloats || op >= term.OpFAdd
	s.hasConstArrays = s.hasConstArrays || op == term.OpConstArray
	return p
}

// appendWords appends the 32-bit words of v, the lowest first.
func appendWords(words []C.uint32_t, v *big.Int, width uint32) []C.uint32_t {
	low := big.NewInt(1<<32 - 1)
	for range (width + 31) / 32 {
		words = append(words, C.uint32_t(new(big.Int).And(v, low).Uint64()))
		v.Rsh(v, 32)
	}
	return words
}

// flush builds in C what has been translated.
func (s *Solver) flush() {
	if len(s.steps) == 0 || s.failed != nil {
		return
	}
	var words *C.uint32_t
	if len(s.words) > 0 {
		words = &s.words[0]
	}
	C.assay_z3_build(s.c, &s.steps[0], C.int64_t(len(s.steps)), words)
	s.steps, s.words = s.steps[:0], s.words[:0]
	s.takeError()
}
