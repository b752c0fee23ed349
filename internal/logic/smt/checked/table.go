package checked

import (
	"maps"
	"slices"

	"assay/internal/logic/term"
)

// This file reads tables: the classes of characters, the steps of a state machine, a checksum. Such an array is a chain of
// stores of constants at constant indices. A fact for each store that a read may pass makes hundreds of equalities and as many
// words. Each bit of what is read is a function of the bits of the index, and its circuit a decision diagram: gates are made
// once, and equal parts of a table are one.
//
// # Soundness
//
// To (3) in checked.go. Of several stores at one index the last one counts, which is met first; at any other index a read is the
// read of the array below all of them. A read goes from a table to what is below, and never to a part of it (below, in arrays.go).

// minTable is the least number of stores of a table; fewer are cheaper one by one, as assignments ask for them.
const minTable = 8

// table is an array of constants, above another one.
type table struct {
	elements map[uint64]term.ID // by their indices
	below    term.ID            // where the others are
}

// table is the table that an array is, or nil.
func (t *translation) table(a term.ID) *table {
	if tb, known := t.tables[a]; known {
		return tb
	}
	st := t.store
	found, top := &table{elements: map[uint64]term.ID{}}, a
	for st.Op(a) == term.OpStore && st.IsConst(st.Arg(a, 1)) && st.IsConst(st.Arg(a, 2)) {
		t.look()
		index := st.ConstValue(st.Arg(a, 1)).Uint64()
		if _, hidden := found.elements[index]; !hidden {
			found.elements[index] = st.Arg(a, 2)
		}
		a = st.Arg(a, 0)
	}
	if found.below = a; len(found.elements) < minTable {
		found = nil
	}
	t.tables[top] = found
	return found
}

// lookUp adds what a read of a table is.
func (t *translation) lookUp(tb *table, r *read) {
	index := t.words[r.index]
	hit, element := t.decision(tb, slices.Sorted(maps.Keys(tb.elements)), index, len(index)-1)
	var rest word
	if t.store.Op(tb.below) == term.OpConstArray {
		rest = t.words[t.store.Arg(tb.below, 0)]
	} else {
		rest = t.read(tb.below, r.index).word
	}
	t.implyEqual(yes, r.word, t.choose(hit, element, rest))
}

// decision is the circuit for those elements that have the given indices, which agree in all bits above one: whether the
// index is one of them, and the element then. Without elements there is no word.
func (t *translation) decision(tb *table, indices []uint64, index word, bit int) (hit int32, element word) {
	t.look()
	switch {
	case len(indices) == 0:
		return no, nil
	case bit < 0:
		return yes, t.words[tb.elements[indices[0]]]
	}
	middle, _ := slices.BinarySearchFunc(indices, 1, func(i uint64, set int) int { return int(i>>bit&1) - set })
	high, one := t.decision(tb, indices[middle:], index, bit-1)
	low, zero := t.decision(tb, indices[:middle], index, bit-1)
	hit = t.mux(index[bit], high, low)
	switch {
	case one == nil:
		return hit, zero
	case zero == nil:
		return hit, one
	}
	return hit, t.choose(index[bit], one, zero)
}
