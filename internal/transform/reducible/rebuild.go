package reducible

import (
	"slices"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// This file makes the function of a graph: instructions are copied with their blocks, and
// each use of a value takes the definition that reaches it.

type rebuilder struct {
	f    *ir.Func
	g    *graph
	out  *ir.Func
	into [][]edge                // of nodes, in the order of ComputePreds
	own  []map[ir.Value]ir.Value // by node: what a value that the block defines is called there
	many map[ir.Value]bool       // values with several definitions
	at   map[place]ir.Value      // what a value is called at the start of a node
	phis map[int][]ir.Value      // new ones, by node
	same map[ir.Value]ir.Value   // phis that are another value
}

type edge struct{ from, nth int } // nth edge from that node to this one

type place struct {
	v    ir.Value
	node int
}

// rebuild makes the function; nil if the results of a call have names in other blocks, of
// which there is no phi.
func rebuild(f *ir.Func, g *graph) *ir.Func {
	g.compact()
	r := &rebuilder{f: f, g: g, into: make([][]edge, len(g.of)), own: make([]map[ir.Value]ir.Value, len(g.of)),
		many: map[ir.Value]bool{}, at: map[place]ir.Value{}, phis: map[int][]ir.Value{}, same: map[ir.Value]ir.Value{}}
	n := *f
	n.Values = slices.Clone(f.Values)
	n.Blocks = make([]ir.Block, len(g.of))
	r.out = &n
	for u := 1; u < len(g.of); u++ {
		nth := map[int]int{}
		for _, v := range g.next[u] {
			r.into[v] = append(r.into[v], edge{u, nth[v]})
			nth[v]++
		}
	}
	r.name()
	for _, d := range f.Values {
		if d.Op == ir.Extract && r.many[d.Args[0]] && f.Def(d.Args[0]).Block != d.Block {
			return nil
		}
	}
	for u := 1; u < len(g.of); u++ {
		r.block(u)
	}
	r.drop()
	n.ComputePreds()
	return &n
}

// compact drops nodes that are not reached.
func (g *graph) compact() {
	reached := g.reached()
	number := make([]int, len(g.of))
	k := 0
	for u := range g.of {
		if u == 0 || reached[u] {
			number[u] = k
			g.of[k], g.next[k] = g.of[u], g.next[u]
			k++
		}
	}
	g.of, g.next = g.of[:k], g.next[:k]
	for u := range g.next {
		for i, v := range g.next[u] {
			g.next[u][i] = number[v]
		}
	}
}

// name gives the instructions of copies their values. The first node of a block has its names.
func (r *rebuilder) name() {
	first := map[ir.BlockID]bool{}
	for u := 1; u < len(r.g.of); u++ {
		b := r.g.of[u]
		r.own[u] = map[ir.Value]ir.Value{}
		for _, v := range r.f.Blocks[b].Instrs {
			if !first[b] {
				r.own[u][v] = v
				continue
			}
			r.many[v] = true
			r.out.Values = append(r.out.Values, *r.f.Def(v))
			r.own[u][v] = ir.Value(len(r.out.Values) - 1)
		}
		first[b] = true
	}
	for b := range r.f.Blocks { // blocks that are not reached
		if b > 0 && !first[ir.BlockID(b)] {
			for _, v := range r.f.Blocks[b].Instrs {
				r.out.Values[v] = nothing
			}
		}
	}
}

// nothing is a value that is never used.
var nothing = ir.Def{Op: ir.Const, Type: ir.BoolType, Const: bv.New(1, 0)}

// block makes the instructions of a node.
func (r *rebuilder) block(u int) {
	b := r.g.of[u]
	old := &r.f.Blocks[b]
	r.out.Blocks[u].Name = old.Name
	// Where the edges into the node are among those into the block.
	from := make([]int, len(r.into[u]))
	for i, e := range r.into[u] {
		from[i] = r.edgeOf(u, e)
	}
	for _, v := range old.Instrs {
		d := *r.f.Def(v)
		d.Block = ir.BlockID(u)
		args := make([]ir.Value, 0, len(d.Args))
		if d.Op == ir.Phi {
			for i, e := range r.into[u] {
				args = append(args, r.atEnd(d.Args[from[i]], e.from))
			}
		} else {
			for _, a := range d.Args {
				args = append(args, r.within(a, u))
			}
		}
		d.Args = args
		d.Succs = nil
		if ir.IsTerminator(d.Op) {
			for _, s := range r.g.next[u] {
				d.Succs = append(d.Succs, ir.BlockID(s))
			}
		}
		r.out.Values[r.own[u][v]] = d
		r.out.Blocks[u].Instrs = append(r.out.Blocks[u].Instrs, r.own[u][v])
	}
}

// edgeOf is the index, among the predecessors of a node's block, of an edge into the node.
func (r *rebuilder) edgeOf(u int, e edge) int {
	// Which successor of the terminator it is.
	at := -1
	for k, v := range r.g.next[e.from] {
		if v == u {
			if e.nth == 0 {
				at = k
				break
			}
			e.nth--
		}
	}
	// How many edges to the block come before it.
	p, b := r.g.of[e.from], r.g.of[u]
	nth := 0
	for _, s := range r.f.Succs(p)[:at] {
		if s == b {
			nth++
		}
	}
	for i, q := range r.f.Blocks[b].Preds {
		if q == p {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	panic("reducible: an edge is not there")
}

// within is the name of a value where an instruction of a node uses it.
func (r *rebuilder) within(v ir.Value, u int) ir.Value {
	if !r.many[v] {
		return v
	}
	if w, ok := r.own[u][v]; ok {
		return w
	}
	return r.atStart(v, u)
}

// atEnd is its name at the end of a node.
func (r *rebuilder) atEnd(v ir.Value, u int) ir.Value { return r.within(v, u) }

// atStart is its name at the start of a node. All paths there come from a definition.
func (r *rebuilder) atStart(v ir.Value, u int) ir.Value {
	k := place{v, u}
	if w, ok := r.at[k]; ok {
		return w
	}
	in := r.into[u]
	if len(in) == 1 {
		w := r.atEnd(v, in[0].from)
		r.at[k] = w
		return w
	}
	d := r.f.Def(v)
	r.out.Values = append(r.out.Values, ir.Def{Op: ir.Phi, Type: d.Type, Block: ir.BlockID(u), Pos: d.Pos})
	w := ir.Value(len(r.out.Values) - 1)
	r.at[k] = w
	r.phis[u] = append(r.phis[u], w)
	args := make([]ir.Value, 0, len(in))
	for _, e := range in {
		args = append(args, r.atEnd(v, e.from))
	}
	r.out.Values[w].Args = args
	return w
}

// find is what a value is, if phis that are another value are that.
func (r *rebuilder) find(v ir.Value) ir.Value {
	for {
		w, ok := r.same[v]
		if !ok {
			return v
		}
		v = w
	}
}

// drop drops new phis whose arguments are all the same, or the phi itself, and puts the others
// into their blocks.
func (r *rebuilder) drop() {
	for changed := true; changed; {
		changed = false
		for u := range r.g.of {
			for _, p := range r.phis[u] {
				if _, gone := r.same[p]; gone {
					continue
				}
				only, several := ir.Value(0), false
				for _, a := range r.out.Values[p].Args {
					if a = r.find(a); a == p || a == only {
						continue
					}
					several = several || only != 0
					only = a
				}
				if !several && only != 0 {
					r.same[p], changed = only, true
				}
			}
		}
	}
	for v := range r.out.Values {
		d := &r.out.Values[v]
		for i, a := range d.Args {
			d.Args[i] = r.find(a)
		}
	}
	for u, list := range r.phis {
		list = slices.DeleteFunc(slices.Clone(list), func(p ir.Value) bool { _, gone := r.same[p]; return gone })
		r.out.Blocks[u].Instrs = append(list, r.out.Blocks[u].Instrs...)
	}
	for p := range r.same {
		r.out.Values[p] = nothing
	}
}
