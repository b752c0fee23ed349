package bitblast

import (
	"fmt"
	"maps"
	"math/big"

	"assay/internal/logic/bv"
	"assay/internal/logic/sat"
	"assay/internal/logic/term"
)

// This file reads models. A model is the values of the inputs that CaDiCaL
// found; those of gates are computed from them, because the encoding leaves
// gate variables free where their values do not matter. All is done on demand:
// CaDiCaL's values are fetched a block at a time, and gates are evaluated only
// below the literals asked for.

type modelState uint8

const (
	noModel   modelState = iota
	satisfied            // Value may be called
	refuted              // Core may be called
)

// block is the number of values fetched from CaDiCaL at once.
const block = 1024

type model struct {
	s         *Solver
	state     modelState
	values    []int8  // of CNF variable v at v-1
	fetched   []int64 // epoch in which the block was fetched
	epoch     int64
	gates     *sat.Evaluator
	terms     *term.Evaluator // of terms without words, or with selects; nil if not used
	termsFull bool            // terms has values of this model
	arrays    map[term.ID]map[uint64]bv.BV
}

func (m *model) init(s *Solver) {
	m.s = s
	m.gates = sat.NewEvaluator(s.circuit.g, m.input)
}

func (m *model) bytes() int64 {
	return int64(cap(m.values)) + int64(cap(m.fetched))*8 + m.gates.Bytes()
}

// drop forgets the model.
func (m *model) drop() { m.state = noModel }

// reset makes the assignment that CaDiCaL just found the model.
func (m *model) reset() {
	m.epoch++
	m.gates.Reset()
	m.termsFull, m.arrays = false, nil
}

// input is the value of an input of the graph. Inputs without a CNF variable
// are false.
func (m *model) input(n int32) bool {
	v := int(m.s.cnf.Variable(n)) - 1
	if v < 0 {
		return false
	}
	b := v / block
	for b >= len(m.fetched) {
		m.fetched = append(m.fetched, 0)
		m.values = append(m.values, make([]int8, block)...)
	}
	if m.fetched[b] != m.epoch {
		m.s.sat.Values(int32(b*block+1), m.values[b*block:][:block])
		m.fetched[b] = m.epoch
	}
	return m.values[v] > 0
}

func (m *model) bit(l sat.Lit) bool { return m.gates.Value(l) }

// same says whether two words have the same value.
func (m *model) same(x, y word) bool {
	for i := range x {
		if m.bit(x[i]) != m.bit(y[i]) {
			return false
		}
	}
	return true
}

// uint64 is the value of a word of at most 64 bits.
func (m *model) uint64(w word) uint64 {
	var v uint64
	for i, l := range w {
		if m.bit(l) {
			v |= 1 << i
		}
	}
	return v
}

// bv is the value of a word.
func (m *model) bv(w word) bv.BV {
	if len(w) <= 64 {
		return bv.New(uint32(len(w)), m.uint64(w))
	}
	v := new(big.Int)
	for i, l := range w {
		if m.bit(l) {
			v.SetBit(v, i, 1)
		}
	}
	return bv.FromBig(uint32(len(w)), v)
}

// Value implements smt.Solver.
func (s *Solver) Value(t term.ID) bv.BV {
	s.needModel("Value")
	s.enlarge()
	// Selects that were not relevant for the check have arbitrary words: what
	// depends on selects is computed from the variables.
	if s.offset[t] != 0 && s.flags[t]&hasSelect == 0 {
		return s.model.bv(s.word(t))
	}
	return s.model.evaluator().Value(t)
}

// evaluator computes values of terms from those of the variables.
func (m *model) evaluator() *term.Evaluator {
	s := m.s
	if m.terms == nil {
		m.terms = term.NewEvaluator(s.store, func(v term.ID) (bv.BV, bool) {
			s.enlarge()
			if s.offset[v] == 0 {
				return bv.BV{}, false
			}
			return m.bv(s.word(v)), true
		})
		m.terms.SetArrays(func(v term.ID) (map[uint64]bv.BV, bv.BV, bool) {
			return m.array(v), bv.New(s.store.Width(v), 0), true
		})
	} else if !m.termsFull {
		m.terms.Reset()
	}
	if !m.termsFull {
		// What became a variable has its value.
		for t, low := range s.lowered {
			if s.store.Op(low) == term.OpVar && s.offset[low] != 0 {
				m.terms.Set(t, m.bv(s.word(low)))
			}
		}
	}
	m.termsFull = true
	return m.terms
}

// ArrayValue implements smt.Solver. The elements are those that relevant
// selects read.
func (s *Solver) ArrayValue(t term.ID) (elements map[uint64]bv.BV, other bv.BV) {
	s.needModel("ArrayValue")
	if s.store.Sort(t).Kind != term.SortArray || s.store.Op(t) != term.OpVar {
		panic(fmt.Sprintf("bitblast: ArrayValue of %s", s.store.String(t)))
	}
	return maps.Clone(s.model.array(t)), bv.New(s.store.Width(t), 0)
}

// array has the elements of the array variable t.
func (m *model) array(t term.ID) map[uint64]bv.BV {
	if m.arrays == nil {
		m.arrays = map[term.ID]map[uint64]bv.BV{}
		for a, r := range m.s.accesses {
			if m.s.store.Op(a.array) != term.OpVar {
				continue
			}
			if m.arrays[a.array] == nil {
				m.arrays[a.array] = map[uint64]bv.BV{}
			}
			m.arrays[a.array][a.index] = m.bv(m.s.word(r))
		}
	}
	if m.arrays[t] == nil {
		m.arrays[t] = map[uint64]bv.BV{}
	}
	return m.arrays[t]
}

func (s *Solver) needModel(what string) {
	if s.model.state != satisfied {
		panic("bitblast: " + what + " without a model")
	}
}
