package checked

import (
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
)

// This file adds facts about what is read of arrays, where an assignment contradicts
// the theory of arrays. A read is a place (an array term and an index term) with a word of its own.
//
// The facts are
//
//	step:        a read of store(b, j, e) at i is e if i = j, else the read of b at i;
//	             the like for ite(c, b, b') and for an array of constants
//	table:       a read of stores of constants at constant indices is what a circuit of its index
//	             says, or the read below all of them (table.go)
//	congruence:  two reads of one array are equal if their indices are
//
// as in [BrummayerBiere09], Sections 4 and 5. All of them hold in the theory of arrays.
//
// Which are added: each read is followed through its array, as the assignment has indices and
// conditions, to the element that it should have, or to a variable. Where the
// element has another value, or another read has come to the same array and index with another value,
// the reads that this depends on are stepped, and made congruent at the end. If no read
// is contradicted, the assignment is a model: a variable has the elements that were read.

// place is an array and an index.
type place struct{ array, index term.ID }

type read struct {
	place
	word    word
	stepped bool
}

// reads are all places that are read.
type reads struct {
	of   map[place]*read
	list []*read
	// tables are the arrays that are one, and nil for those that are not.
	tables map[term.ID]*table
	// met has the reads that came to an array at an index, in the last assignment.
	met map[access]*read
}

// access is an array and the value of an index.
type access struct {
	array term.ID
	index uint64
}

// read is the read of an array at an index.
func (t *translation) read(array, index term.ID) *read {
	p := place{array, index}
	r := t.of[p]
	if r == nil {
		r = &read{place: p, word: t.variable(int(t.store.Width(array)))}
		t.of[p] = r
		t.list = append(t.list, r)
	}
	return r
}

// refine adds facts that the last assignment contradicts, and says how many.
func (t *translation) refine() (added int, err error) {
	defer caught(&err)
	t.met = map[access]*read{}
	for _, r := range t.list[:len(t.list):len(t.list)] {
		t.look()
		added += t.follow(r)
	}
	return added, nil
}

// follow follows one read.
func (t *translation) follow(r *read) (added int) {
	st := t.store
	index := t.number(t.words[r.index])
	for a := r.array; ; {
		at := access{a, index}
		if other := t.met[at]; other != nil {
			if t.agree(r.word, other.word) {
				return 0
			}
			x, n := t.down(r, a)
			y, m := t.down(other, a)
			if x != y {
				same := t.same(t.words[x.index], t.words[y.index])
				t.implyEqual(same, x.word, y.word)
				n++
			}
			return n + m
		}
		t.met[at] = r
		if r.stepped {
			return 0 // the reads below are followed themselves
		}
		var element term.ID
		switch st.Op(a) {
		case term.OpVar:
			return 0
		case term.OpConstArray:
			element = st.Arg(a, 0)
		case term.OpStore:
			if tb := t.table(a); tb != nil {
				element = tb.elements[index]
			} else if t.number(t.words[st.Arg(a, 1)]) == index {
				element = st.Arg(a, 2)
			}
		}
		if element == 0 {
			a = t.below(a)
			continue
		}
		if t.agree(r.word, t.words[element]) {
			return 0
		}
		last, n := t.down(r, a)
		return n + t.step(last)
	}
}

// below is the array that a read goes on to, of an ite, or of stores at other indices.
func (t *translation) below(a term.ID) term.ID {
	st := t.store
	switch {
	case st.Op(a) == term.OpStore:
		if tb := t.table(a); tb != nil {
			return tb.below
		}
		return st.Arg(a, 0)
	case t.true(t.words[st.Arg(a, 0)][0]):
		return st.Arg(a, 1)
	}
	return st.Arg(a, 2)
}

// down steps a read, and those that it leads to, until there is one of the array.
func (t *translation) down(r *read, array term.ID) (last *read, added int) {
	for r.array != array {
		added += t.step(r)
		r = t.read(t.below(r.array), r.index)
	}
	return r, added
}

// step adds what a read has to do with the top of its array.
func (t *translation) step(r *read) int {
	if r.stepped {
		return 0
	}
	r.stepped = true
	st, a := t.store, r.array
	switch st.Op(a) {
	case term.OpStore:
		if tb := t.table(a); tb != nil {
			t.lookUp(tb, r)
			break
		}
		hit := t.same(t.words[r.index], t.words[st.Arg(a, 1)])
		t.implyEqual(hit, r.word, t.words[st.Arg(a, 2)])
		t.implyEqual(-hit, r.word, t.read(st.Arg(a, 0), r.index).word)
	case term.OpIte:
		c := t.words[st.Arg(a, 0)][0]
		t.implyEqual(c, r.word, t.read(st.Arg(a, 1), r.index).word)
		t.implyEqual(-c, r.word, t.read(st.Arg(a, 2), r.index).word)
	case term.OpConstArray:
		t.implyEqual(yes, r.word, t.words[st.Arg(a, 0)])
	default:
		panic("checked: a step of " + st.String(a))
	}
	return 1
}

// implyEqual adds that c implies a = b.
func (t *translation) implyEqual(c int32, a, b word) {
	if c == no {
		return
	}
	if c == yes {
		for i := range a {
			t.clause(-a[i], b[i])
			t.clause(a[i], -b[i])
		}
		return
	}
	for i := range a {
		t.clause(-c, -a[i], b[i])
		t.clause(-c, a[i], -b[i])
	}
}

// array has the elements of an array variable in the last assignment.
func (t *translation) array(v term.ID) map[uint64]bv.BV {
	elements := map[uint64]bv.BV{}
	for at, r := range t.met {
		if at.array == v {
			elements[at.index] = t.value(r.word)
		}
	}
	return elements
}
