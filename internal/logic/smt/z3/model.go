package z3

/*
#include "shim.h"
*/
import "C"

import (
	"fmt"
	"maps"
	"math/big"

	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file reads models: Z3 gives the values of the variables, when they are
// asked for, and package term computes everything else from them.

type arrayValue struct {
	elements map[uint64]bv.BV
	other    bv.BV
}

type model struct {
	s      *Solver
	terms  *term.Evaluator
	stale  bool // terms has values of another model
	arrays map[term.ID]arrayValue
}

func (m *model) reset() { m.stale, m.arrays = true, nil }

// Value implements smt.Solver.
func (s *Solver) Value(t term.ID) bv.BV {
	s.needModel("Value")
	m := &s.model
	if m.terms == nil {
		m.terms = term.NewEvaluator(s.store, m.variable)
		m.terms.SetArrays(func(v term.ID) (map[uint64]bv.BV, bv.BV, bool) {
			a := m.array(v)
			return a.elements, a.other, true
		})
	} else if m.stale {
		m.terms.Reset()
	}
	m.stale = false
	return m.terms.Value(t)
}

// slot is the slot of a term, 0 if Z3 has not seen it.
func (m *model) slot(t term.ID) C.uint32_t {
	if int(t) < len(m.s.slots) {
		return m.s.slots[t]
	}
	return 0
}

func (m *model) variable(t term.ID) (bv.BV, bool) {
	slot := m.slot(t)
	if slot == 0 {
		return bv.BV{}, false
	}
	var low C.uint64_t
	text := C.assay_z3_value(m.s.c, slot, &low)
	return m.read(max(m.s.store.Width(t), 1), text, low), true
}

// read makes a value of what shim.c returns for it.
func (m *model) read(width uint32, text *C.char, low C.uint64_t) bv.BV {
	if m.s.takeError(); m.s.failed != nil {
		panic(fmt.Sprintf("z3: reading a model: %v", m.s.failed))
	}
	if text == nil {
		return bv.New(width, uint64(low))
	}
	v, ok := new(big.Int).SetString(C.GoString(text), 10)
	if !ok {
		panic("z3: the numeral " + C.GoString(text))
	}
	return bv.FromBig(width, v)
}

// ArrayValue implements smt.Solver.
func (s *Solver) ArrayValue(t term.ID) (elements map[uint64]bv.BV, other bv.BV) {
	s.needModel("ArrayValue")
	if s.store.Sort(t).Kind != term.SortArray || s.store.Op(t) != term.OpVar {
		panic(fmt.Sprintf("z3: ArrayValue of %s", s.store.String(t)))
	}
	a := s.model.array(t)
	return maps.Clone(a.elements), a.other
}

func (m *model) array(t term.ID) arrayValue {
	if a, ok := m.arrays[t]; ok {
		return a
	}
	width := m.s.store.Width(t)
	a := arrayValue{map[uint64]bv.BV{}, bv.New(width, 0)}
	if slot := m.slot(t); slot != 0 {
		n := C.assay_z3_array(m.s.c, slot)
		if n < 0 {
			panic("z3: cannot read the array " + m.s.store.String(t))
		}
		var low C.uint64_t
		for i := range n {
			index := uint64(C.assay_z3_array_index(m.s.c, i))
			if _, ok := a.elements[index]; !ok { // the outermost store comes first
				text := C.assay_z3_array_value(m.s.c, i, &low)
				a.elements[index] = m.read(width, text, low)
			}
		}
		text := C.assay_z3_array_value(m.s.c, -1, &low)
		a.other = m.read(width, text, low)
	}
	if m.arrays == nil {
		m.arrays = map[term.ID]arrayValue{}
	}
	m.arrays[t] = a
	return a
}

func (s *Solver) needModel(what string) {
	if s.state != satisfied {
		panic("z3: " + what + " without a model")
	}
}
