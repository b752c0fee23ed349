package stackusage

import (
	"slices"

	"assay/internal/logic/components"
	"assay/internal/program/ir"
)

// Chain is what is known of calls that are active at a time.
type Chain struct {
	// Bytes are the frames of the deepest chain, in which of functions that call each other only the first call
	// is counted: the rest depends on how deep the recursion is.
	Bytes int64
	// Functions of it, outermost first.
	Functions []string
	// Recursive are functions that may be active more than once, and Recursion has one number for those of one
	// recursion.
	Recursive []string
	Recursion map[string]int
	// Uncounted are functions that are called and have no size, and Dynamic those whose size is not constant.
	Uncounted, Dynamic []string
}

// graph is the call graph of a module. A call through a pointer may lead to every function whose address is taken.
type graph struct {
	m      *ir.Module
	number map[string]int
	next   [][]int
}

func newGraph(m *ir.Module) *graph {
	g := &graph{m: m, number: map[string]int{}, next: make([][]int, len(m.Funcs))}
	for i, f := range m.Funcs {
		g.number[f.Name] = i
	}
	taken := g.addresses()
	for i, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				switch d := f.Def(v); {
				case d.Op != ir.Call:
				case d.Sym == "":
					for _, j := range taken {
						g.edge(i, j)
					}
				default:
					if j, ok := g.number[d.Sym]; ok {
						g.edge(i, j)
					}
				}
			}
		}
	}
	return g
}

func (g *graph) edge(i, j int) {
	if !slices.Contains(g.next[i], j) {
		g.next[i] = append(g.next[i], j)
	}
}

// addresses are the functions whose addresses are taken.
func (g *graph) addresses() (out []int) {
	add := func(name string) {
		if i, ok := g.number[name]; ok && !slices.Contains(out, i) {
			out = append(out, i)
		}
	}
	for _, x := range g.m.Globals {
		for _, r := range x.Relocs {
			add(r.Target)
		}
	}
	for _, f := range g.m.Funcs {
		for v := range f.Values {
			if d := f.Def(ir.Value(v)); d.Op == ir.FuncAddr {
				add(d.Sym)
			}
		}
	}
	return out
}

// Deepest finds the deepest chain of calls from the entry of a module.
func (f *Frames) Deepest(m *ir.Module) Chain {
	g := newGraph(m)
	entry, ok := g.number[m.Entry]
	if !ok {
		return Chain{}
	}
	next := components.Graph{N: len(m.Funcs), Next: func(node int, visit func(int)) {
		for _, to := range g.next[node] {
			visit(to)
		}
	}}
	cs := components.Of(next, entry)
	cyclic := cs.Cyclic(next)
	chain := Chain{Recursion: map[string]int{}}
	most := make([]int64, len(cs.Nodes)) // by component: of a chain that begins there
	first := make([]int, len(cs.Nodes))  // the function with the greatest frame
	below := make([]int, len(cs.Nodes))  // the component that follows, -1 for none
	for c, nodes := range cs.Nodes {     // edges lead to smaller numbers
		below[c], first[c] = -1, nodes[0]
		var deepest int64
		for _, i := range nodes {
			name := m.Funcs[i].Name
			size, known := f.Bytes[name]
			switch {
			case f.Dynamic[name]:
				chain.Dynamic = append(chain.Dynamic, name)
			case !known && i != entry && isForeign(name):
				chain.Uncounted = append(chain.Uncounted, name)
			}
			if cyclic[c] {
				chain.Recursive = append(chain.Recursive, name)
				chain.Recursion[name] = c
			}
			if size > f.Bytes[m.Funcs[first[c]].Name] {
				first[c] = i
			}
			for _, j := range g.next[i] {
				if d := cs.Of[j]; d != c && (below[c] < 0 || most[d] > deepest) {
					below[c], deepest = d, most[d]
				}
			}
		}
		most[c] = f.Bytes[m.Funcs[first[c]].Name] + deepest
	}
	chain.Bytes = most[cs.Of[entry]]
	for c := cs.Of[entry]; c >= 0; c = below[c] {
		if name := m.Funcs[first[c]].Name; f.Bytes[name] > 0 {
			chain.Functions = append(chain.Functions, name)
		}
	}
	slices.Sort(chain.Uncounted)
	slices.Sort(chain.Recursive)
	slices.Sort(chain.Dynamic)
	return chain
}

// isForeign says whether a function is one of a program or library, not of what the front end adds.
func isForeign(name string) bool { return len(name) < 2 || name[:2] != "__" }
