package term

import (
	"fmt"

	"assay/internal/logic/bv"
)

// ArrayValue is a concrete array: the elements that differ, by index, and the
// element of all other indices.
type ArrayValue struct {
	Elements map[uint64]bv.BV
	Other    bv.BV
}

// Evaluator computes values of terms under one assignment of the variables.
// Values are kept, so that terms with common parts cost no more than their
// union. It does not recurse: terms may be a million deep. Several evaluators
// may read a store that does not grow at the same time.
type Evaluator struct {
	store  *Store
	lookup func(variable ID) (bv.BV, bool)
	arrays func(variable ID) (elements map[uint64]bv.BV, other bv.BV, ok bool)
	values []bv.BV // by term; width 0 if not computed; 1 bit as a mark for arrays
	stack  []ID
}

// NewEvaluator is an evaluator with the given assignment of the variables of
// sort Bool (width 1) and BV. Variables without a value are 0.
func NewEvaluator(store *Store, lookup func(variable ID) (bv.BV, bool)) *Evaluator {
	return &Evaluator{store: store, lookup: lookup}
}

// SetArrays gives values to the array variables; without it, and where ok is
// false, every element is 0.
func (e *Evaluator) SetArrays(lookup func(variable ID) (elements map[uint64]bv.BV, other bv.BV, ok bool)) {
	e.arrays = lookup
}

// Reset forgets all values, for when the assignment has changed.
func (e *Evaluator) Reset() { clear(e.values) }

// Set gives a value to a term, until Reset, in the place of the one that follows
// from its arguments.
func (e *Evaluator) Set(t ID, v bv.BV) {
	if need := e.store.Len() - len(e.values); need > 0 {
		e.values = append(e.values, make([]bv.BV, need)...)
	}
	e.values[t] = v
}

// Value is the value of a Bool (width 1) or bit-vector term.
func (e *Evaluator) Value(t ID) bv.BV {
	if e.store.Sort(t).Kind == SortArray {
		panic(fmt.Sprintf("term: Value of the array %s", e.store.String(t)))
	}
	e.visit(t)
	return e.values[t]
}

// Bool is the value of a Bool term.
func (e *Evaluator) Bool(t ID) bool {
	if e.store.Sort(t).Kind != SortBool {
		panic(fmt.Sprintf("term: truth of the non-Bool %s", e.store.String(t)))
	}
	return e.Value(t).IsTrue()
}

// Array is the value of an array term.
func (e *Evaluator) Array(t ID) ArrayValue {
	sort := e.store.Sort(t)
	if sort.Kind != SortArray {
		panic(fmt.Sprintf("term: array value of the non-array %s", e.store.String(t)))
	}
	e.visit(t)
	r := ArrayValue{Elements: map[uint64]bv.BV{}}
	for {
		n := &e.store.nodes[t]
		switch n.op {
		case OpStore:
			i := e.values[n.args[1]].Uint64()
			if _, hidden := r.Elements[i]; !hidden {
				r.Elements[i] = e.values[n.args[2]]
			}
			t = n.args[0]
		case OpIte:
			t = e.branch(n)
		case OpConstArray:
			r.Other = e.values[n.args[0]]
			return r.normal()
		case OpVar:
			elements, other := e.arrayVariable(t)
			r.Other = other
			for i, v := range elements {
				if _, hidden := r.Elements[i]; !hidden {
					r.Elements[i] = v
				}
			}
			return r.normal()
		default:
			panic(fmt.Sprintf("term: array value of %s", n.op))
		}
	}
}

// normal drops the elements that are like all others.
func (a ArrayValue) normal() ArrayValue {
	for i, v := range a.Elements {
		if v.Equal(a.Other) {
			delete(a.Elements, i)
		}
	}
	return a
}

// visit computes the values of all terms below t, and of t.
func (e *Evaluator) visit(t ID) {
	if need := e.store.Len() - len(e.values); need > 0 {
		e.values = append(e.values, make([]bv.BV, need)...)
	}
	e.stack = append(e.stack[:0], t)
	for len(e.stack) > 0 {
		t := e.stack[len(e.stack)-1]
		if e.values[t].Width() != 0 {
			e.stack = e.stack[:len(e.stack)-1]
			continue
		}
		n := &e.store.nodes[t]
		ready := true
		for _, a := range n.args[:arity[n.op]] {
			if e.values[a].Width() == 0 {
				e.stack = append(e.stack, a)
				ready = false
			}
		}
		if ready {
			e.values[t] = e.compute(t, n)
			e.stack = e.stack[:len(e.stack)-1]
		}
	}
}

func (e *Evaluator) compute(t ID, n *node) bv.BV {
	sort := e.store.sorts[n.sort]
	if sort.Kind == SortArray {
		// The value of an array is never built for a Select: element walks the
		// term instead. This is only the mark that its arguments are there.
		return bv.Bool(true)
	}
	switch n.op {
	case OpTrue, OpFalse, OpConst:
		return e.store.ConstValue(t)
	case OpVar:
		width := max(sort.Width, 1)
		if e.lookup != nil {
			if v, ok := e.lookup(t); ok {
				if v.Width() != width {
					panic(fmt.Sprintf("term: value %s for variable %s of sort %s", v, e.store.VarName(t), sort))
				}
				return v
			}
		}
		return bv.New(width, 0)
	case OpSelect:
		return e.element(n.args[0], e.values[n.args[1]].Uint64())
	}
	var vals [3]bv.BV
	k := int(arity[n.op])
	for i, a := range n.args[:k] {
		vals[i] = e.values[a]
	}
	return apply(n.op, sort.Width, n.aux, vals[:k])
}

// element is the element of array t at index i.
func (e *Evaluator) element(t ID, i uint64) bv.BV {
	for {
		n := &e.store.nodes[t]
		switch n.op {
		case OpStore:
			if e.values[n.args[1]].Uint64() == i {
				return e.values[n.args[2]]
			}
			t = n.args[0]
		case OpIte:
			t = e.branch(n)
		case OpConstArray:
			return e.values[n.args[0]]
		case OpVar:
			elements, other := e.arrayVariable(t)
			if v, ok := elements[i]; ok {
				return v
			}
			return other
		default:
			panic(fmt.Sprintf("term: element of %s", n.op))
		}
	}
}

func (e *Evaluator) branch(ite *node) ID {
	if e.values[ite.args[0]].IsTrue() {
		return ite.args[1]
	}
	return ite.args[2]
}

func (e *Evaluator) arrayVariable(t ID) (map[uint64]bv.BV, bv.BV) {
	if e.arrays != nil {
		if elements, other, ok := e.arrays(t); ok {
			return elements, other
		}
	}
	return nil, bv.New(e.store.Width(t), 0)
}
