package symex

// States that are kept apart by the constants in them: trace partitioning by the values
// of variables, as in [RivalMauborgne07 §3], where the values that stay few are found
// while the graph grows.
//
// A join forgets how the values of one path belong together: that the counter was 2 where
// the mask was 0xC0, that the state of a parser was IN_STRING where its buffer was not
// empty. So a node has, besides its shape, the constants that live locals and cells of memory
// hold. A counter of a loop over data of any size would have a node for each value: what
// takes more than maxValues constants at one place of the program is no part of the key from
// then on, and the graph is built anew. So
//
//	P1. the nodes of one shape are at most as many as the products of few values, and
//	    where they are more than maxParts, the local or cell with the most values is dropped;
//	P2. each graph that is given up drops at least one local or cell, of which there are
//	    finitely many at finitely many places.
//
// What a node is called is nothing that the checker looks at.

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// Limits of the constants of one local, or cell, at one place, and of the nodes of one shape.
const maxValues, maxParts = 16, 200

// holder is a local or a cell that may hold a constant, where a path arrives.
type holder struct {
	f     *ir.Func // of the loop head
	block ir.BlockID
	frame int      // of a local, else the number of frames
	value ir.Value // of a local
	// Of a cell: its object, and its offset.
	object int32
	at     string
}

// partition is what has been seen of constants; it outlives the graph that is built anew.
type partition struct {
	seen    map[holder]map[string]bool
	dropped map[holder]bool
	nodes   map[string]int // by shape
}

// part is the constants of a state as text. If it is not ok, the graph has to be built anew.
func (x *explorer) part(s *state, shape string) (text string, ok bool) {
	t := top(s)
	var b strings.Builder
	var held []holder
	note := func(h holder, n linear.Number, key string) {
		if x.partition.dropped[h] {
			return
		}
		if x.partition.seen[h] == nil {
			x.partition.seen[h] = map[string]bool{}
		}
		v := n.String()
		x.partition.seen[h][v] = true
		held = append(held, h)
		b.WriteString(" " + key + "=" + v)
	}
	for i := range s.Frames {
		f := &s.Frames[i]
		for v := range f.Values {
			w := &f.Values[v]
			if w.Form.IsConstant() && (w.Kind == symgraph.Int || w.Kind == symgraph.Pointer && w.Object >= 0 && s.Objects[w.Object].Kind == symgraph.Global) {
				note(holder{f: t.Func, block: t.Block, frame: i, value: ir.Value(v)}, w.Form.Const, strconv.Itoa(i)+"%"+strconv.Itoa(v))
			}
		}
	}
	for i := range s.Objects {
		o := &s.Objects[i]
		if o.List != nil || o.Global != nil && o.Global.Constant {
			continue
		}
		for k := range o.Cells {
			c := &o.Cells[k]
			if c.Value.Kind == symgraph.Int && c.Value.Form.IsConstant() && c.Offset.IsConstant() {
				at := c.Offset.Const.String()
				note(holder{f: t.Func, block: t.Block, frame: len(s.Frames), object: int32(i), at: at}, c.Value.Form.Const, strconv.Itoa(i)+"+"+at)
			}
		}
	}
	drop := func(many int) bool {
		if len(held) == 0 {
			return false
		}
		most := slices.MaxFunc(held, func(h, g holder) int { return cmp.Compare(len(x.partition.seen[h]), len(x.partition.seen[g])) })
		if len(x.partition.seen[most]) <= many {
			return false
		}
		x.partition.dropped[most] = true
		return true
	}
	text = b.String()
	if drop(maxValues) {
		return text, false
	}
	if x.table[shape+text] == nil {
		if x.partition.nodes[shape]++; x.partition.nodes[shape] > maxParts && drop(1) {
			return text, false
		}
	}
	return text, true
}

// newPartition begins to look for constants.
func newPartition() *partition {
	return &partition{seen: map[holder]map[string]bool{}, dropped: map[holder]bool{}, nodes: map[string]int{}}
}

// anew counts the nodes from the beginning: the graph is built once more.
func (p *partition) anew() {
	if p != nil {
		clear(p.nodes)
	}
}

// thin drops what was read at places that move, if nothing else in the state has to do with the value: a
// parser looks at each byte once, and what the last ones were would be in all facts.
func (x *explorer) thin(s *state) {
	used := map[linear.Var]int{}
	count := func(f linear.Form) {
		for _, t := range f.Terms {
			used[t.Var]++
		}
	}
	for i := range s.Frames {
		for _, w := range s.Frames[i].Values {
			count(w.Form)
		}
	}
	for i := range s.Objects {
		o := &s.Objects[i]
		if o.List != nil || o.Slots != nil || o.Strings != nil {
			return
		}
		count(o.Size)
		for k := range o.Cells {
			count(o.Cells[k].Offset)
			count(o.Cells[k].Value.Form)
		}
	}
	for i := range s.Objects {
		o := &s.Objects[i]
		o.Cells = slices.DeleteFunc(slices.Clone(o.Cells), func(c cell) bool {
			return c.Value.Kind == symgraph.Int && !c.Offset.IsConstant() && !c.Value.Form.IsConstant() &&
				!slices.ContainsFunc(c.Value.Form.Terms, func(t linear.Term) bool { return used[t.Var] > 1 })
		})
	}
}
