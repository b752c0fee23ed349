package program

import (
	"fmt"

	"assay/internal/logic/floats"
	"assay/internal/logic/term"
)

// This file replaces what circuits do not have: floating-point operations by
// circuits, and arrays by their elements. An array is a term over a variable or a
// constant array; its element k is computed where somebody reads it:
//
//	element(store(a, i, v), k) = ite(i = k, v, element(a, k))
//	select(a, i)               = ite(i = 0, element(a, 0), ite(i = 1, ...))
//
// The elements that exist are those of the content's size. A select beyond them
// has no meaning (package memory asks whether an access is valid) and is 0.

// maxLowered bounds the terms that lowering may add.
const maxLowered = 1 << 21

type elementKey struct {
	array term.ID
	index uint64
}

// lowerer lowers terms of a store.
type lowerer struct {
	st    *term.Store
	image map[term.ID]term.ID
	// size gives the number of elements of an array variable.
	size func(array term.ID) (uint64, bool)
	// most is the greatest number of elements of an object, by their width.
	most map[uint32]uint64
	// elements are those of arrays, cached; of array variables they are variables.
	elements map[elementKey]term.ID
	counts   map[term.ID]uint64
	limit    int
}

// tooLarge is the panic of a lowering that needs too many terms.
type tooLarge struct{ why string }

func newLowerer(st *term.Store, size func(term.ID) (uint64, bool), most map[uint32]uint64) *lowerer {
	return &lowerer{st: st, image: map[term.ID]term.ID{}, size: size, most: most, elements: map[elementKey]term.ID{}, counts: map[term.ID]uint64{}, limit: st.Len() + maxLowered}
}

// all lowers terms that are no arrays.
func (l *lowerer) all(ts []term.ID) (out []term.ID, err error) {
	defer func() {
		if r := recover(); r != nil {
			t, ok := r.(tooLarge)
			if !ok {
				panic(r)
			}
			out, err = nil, &ErrUnsupported{Why: t.why}
		}
	}()
	var order []term.ID
	l.st.Walk(ts, func(t term.ID) { order = append(order, t) })
	for _, t := range order {
		l.term(t)
	}
	for _, t := range ts {
		out = append(out, l.image[t])
	}
	return out, nil
}

// term lowers a term whose arguments are lowered.
func (l *lowerer) term(t term.ID) {
	st := l.st
	if _, ok := l.image[t]; ok || st.Sort(t).Kind == term.SortArray {
		return
	}
	if st.Len() > l.limit {
		panic(tooLarge{fmt.Sprintf("the elements of arrays need more than %d terms", maxLowered)})
	}
	switch op := st.Op(t); {
	case op == term.OpSelect:
		l.image[t] = l.selected(st.Arg(t, 0), l.image[st.Arg(t, 1)])
	case op >= term.OpFAdd && op <= term.OpFToF:
		x := st.Rebuild(t, func(_ int, a term.ID) term.ID { return l.image[a] })
		y := floats.Lower(st, x)
		if y != x {
			// A circuit may be made of other operations.
			var order []term.ID
			st.Walk([]term.ID{y}, func(t term.ID) { order = append(order, t) })
			for _, t := range order {
				l.term(t)
			}
			y = l.image[y]
		}
		l.image[t] = y
	default:
		l.image[t] = st.Rebuild(t, func(_ int, a term.ID) term.ID { return l.image[a] })
		// What the simplifier makes of lowered arguments is lowered.
		l.image[l.image[t]] = l.image[t]
	}
}

// count is the number of elements of an array that matter.
func (l *lowerer) count(a term.ID) uint64 {
	if n, ok := l.counts[a]; ok {
		return n
	}
	st := l.st
	var n uint64
	switch st.Op(a) {
	case term.OpVar:
		if m, ok := l.size(a); ok {
			n = m
		}
	case term.OpStore:
		n = l.count(st.Arg(a, 0))
		if i, ok := st.ConstUint64(l.image[st.Arg(a, 1)]); ok {
			n = max(n, i+1)
		} else {
			n = max(n, l.most[st.Sort(a).Width])
		}
	case term.OpIte:
		n = max(l.count(st.Arg(a, 1)), l.count(st.Arg(a, 2)))
	}
	l.counts[a] = n
	return n
}

// selected is an element at a symbolic index.
func (l *lowerer) selected(a, i term.ID) term.ID {
	st := l.st
	if k, ok := st.ConstUint64(i); ok {
		return l.element(a, k)
	}
	n := l.count(a)
	first := uint64(0)
	if lo, hi, ok := st.UnsignedRange(i); ok {
		first = lo
		if hi < n {
			n = hi + 1
		}
	}
	zero := st.ConstU(st.Sort(a).Width, 0)
	if base, ok := l.constant(a); ok {
		zero = base
	}
	out := zero
	for k := n; k > first; k-- {
		out = st.Ite(st.Eq(i, st.ConstU(st.Width(i), k-1)), l.element(a, k-1), out)
	}
	return out
}

// constant is the value of all elements that no store names.
func (l *lowerer) constant(a term.ID) (term.ID, bool) {
	for l.st.Op(a) == term.OpStore {
		if _, ok := l.st.ConstUint64(l.image[l.st.Arg(a, 1)]); !ok {
			return 0, false
		}
		a = l.st.Arg(a, 0)
	}
	if l.st.Op(a) != term.OpConstArray {
		return 0, false
	}
	return l.image[l.st.Arg(a, 0)], true
}

// element is the element of constant index k.
func (l *lowerer) element(a term.ID, k uint64) term.ID {
	key := elementKey{a, k}
	if e, ok := l.elements[key]; ok {
		return e
	}
	st := l.st
	if st.Len() > l.limit {
		panic(tooLarge{fmt.Sprintf("the elements of arrays need more than %d terms", maxLowered)})
	}
	var e term.ID
	switch st.Op(a) {
	case term.OpVar:
		e = st.Fresh("element", term.BitVec(st.Sort(a).Width))
		l.image[e] = e
	case term.OpConstArray:
		e = l.image[st.Arg(a, 0)]
	case term.OpStore:
		i, v := l.image[st.Arg(a, 1)], l.image[st.Arg(a, 2)]
		is := st.Eq(i, st.ConstU(st.Width(i), k))
		switch {
		case st.IsTrue(is):
			e = v
		case st.IsFalse(is):
			e = l.element(st.Arg(a, 0), k)
		default:
			e = st.Ite(is, v, l.element(st.Arg(a, 0), k))
		}
	case term.OpIte:
		e = st.Ite(l.image[st.Arg(a, 0)], l.element(st.Arg(a, 1), k), l.element(st.Arg(a, 2), k))
	default:
		panic("program: no array: " + st.String(a))
	}
	l.elements[key] = e
	return e
}
