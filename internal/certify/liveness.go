package certify

import (
	"math/bits"

	"assay/internal/program/ir"
)

// This file computes which values an instance must be given: those that are
// live at the start of its block. It solves the usual equations over bit sets,
//
//	out(b) = phis(b) ∪ ⋃ in(s) over successors s
//	in(b)  = used(b) ∪ out(b) \ defined(b)
//
// where phis(b) are the arguments that phis of successors take from b, and
// used(b) does not count values defined earlier in b. Constants and parameters
// belong to a function's activation and are not carried.

// slot is the number of a value that is carried: an ir.Value, or above them a
// result of a call beyond the first, which Extract reads.
type slot = ir.Value

// furtherResults gives slots to the results of calls beyond the first: for
// each call, those of its results 1, 2, and so on, 0 where it is not read.
func furtherResults(f *ir.Func) (further map[ir.Value][]slot, slots int) {
	slots = len(f.Values)
	for v := range f.Values {
		d := &f.Values[v]
		if d.Op != ir.Extract {
			continue
		}
		if further == nil {
			further = map[ir.Value][]slot{}
		}
		list := further[d.Args[0]]
		for int64(len(list)) < d.Aux {
			list = append(list, 0)
		}
		if list[d.Aux-1] == 0 {
			list[d.Aux-1] = slot(slots)
			slots++
		}
		further[d.Args[0]] = list
	}
	return further, slots
}

type bitset []uint64

func (s bitset) add(v slot)    { s[v/64] |= 1 << (v % 64) }
func (s bitset) remove(v slot) { s[v/64] &^= 1 << (v % 64) }

// or adds the elements of t.
func (s bitset) or(t bitset) {
	for i, w := range t {
		s[i] |= w
	}
}

// liveness holds the sets of one function.
type liveness struct {
	words                  int
	in, out, used, defined []uint64 // by block, words each
}

func (l *liveness) set(of []uint64, b ir.BlockID) bitset { return of[int(b)*l.words:][:l.words] }

// liveIn lists the slots live at the start of each block, ascending.
// Values in extra count as used at the start of their block.
func liveIn(t *forest, further map[ir.Value][]slot, slots int, extra map[ir.BlockID][]ir.Value) [][]slot {
	f := t.f
	l := &liveness{words: (slots + 63) / 64}
	size := l.words * len(f.Blocks)
	all := make([]uint64, 4*size)
	l.in, l.out, l.used, l.defined = all[:size], all[size:2*size], all[2*size:3*size], all[3*size:]
	for _, b := range t.rpo {
		l.local(t, further, b)
		for _, v := range extra[b] {
			l.set(l.used, b).add(v)
		}
	}
	for changed := true; changed; {
		changed = false
		for i := len(t.rpo) - 1; i >= 0; i-- {
			b := t.rpo[i]
			out, in := l.set(l.out, b), l.set(l.in, b)
			for _, s := range f.Succs(b) {
				out.or(l.set(l.in, s))
			}
			used, defined := l.set(l.used, b), l.set(l.defined, b)
			for k := range in {
				w := used[k] | out[k]&^defined[k]
				changed = changed || w != in[k]
				in[k] = w
			}
		}
	}
	lists := make([][]slot, len(f.Blocks))
	for _, b := range t.rpo {
		for i, w := range l.set(l.in, b) {
			for ; w != 0; w &= w - 1 {
				lists[b] = append(lists[b], slot(64*i+bits.TrailingZeros64(w)))
			}
		}
	}
	return lists
}

// local computes what a block alone uses and defines, and what its phis take
// from its predecessors.
func (l *liveness) local(t *forest, further map[ir.Value][]slot, b ir.BlockID) {
	f := t.f
	used, defined := l.set(l.used, b), l.set(l.defined, b)
	instrs := f.Blocks[b].Instrs
	for k := len(instrs) - 1; k >= 0; k-- {
		v := instrs[k]
		d := &f.Values[v]
		used.remove(v)
		defined.add(v)
		switch d.Op {
		case ir.Phi:
			for i, p := range f.Blocks[b].Preds {
				if a := d.Args[i]; f.Values[a].Block != 0 && t.in[p] != nil {
					l.set(l.out, p).add(a)
				}
			}
			continue
		case ir.Extract:
			used.add(further[d.Args[0]][d.Aux-1])
			continue
		case ir.Call:
			for _, s := range further[v] {
				if s != 0 {
					used.remove(s)
					defined.add(s)
				}
			}
		}
		for _, a := range d.Args {
			if f.Values[a].Block != 0 {
				used.add(a)
			}
		}
	}
}
