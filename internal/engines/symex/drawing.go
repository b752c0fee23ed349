package symex

import (
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// pen draws the graph while its edges are collected: paths are followed once more
// then, and every state on them can be seen. A nil pen draws nothing.
type pen struct {
	d     symgraph.Drawing
	most  int
	at    int // the vertex where the path is, -1 at the start of one
	kind  symgraph.ArrowKind
	by    alternative   // of the split that leads to the next vertex
	nodes map[*node]int // their vertices
}

func newPen(most int) *pen {
	return &pen{most: most, at: -1, nodes: map[*node]int{}}
}

// begin is the start of the paths from a node.
func (p *pen) begin(n *node) {
	if p == nil {
		return
	}
	p.at = p.node(n)
	p.d.Vertices[p.at].Facts = n.state.Constraints
	p.kind = symgraph.Generalization // the first state is that of the node
}

// node is the vertex of a node.
func (p *pen) node(n *node) int {
	i, ok := p.nodes[n]
	if !ok {
		i = len(p.d.Vertices)
		p.nodes[n] = i
		f := top(&n.state)
		p.d.Vertices = append(p.d.Vertices, symgraph.Vertex{
			State: &n.state, Func: f.Func, Instr: f.Func.Blocks[f.Block].Instrs[f.Index], Cutpoint: true,
		})
	}
	return i
}

// state is a state before an instruction that matters, with the values that are live.
func (p *pen) state(s *state, facts []linear.Constraint, f *function, v ir.Value) {
	if p == nil {
		return
	}
	if p.kind == symgraph.Generalization {
		p.kind = symgraph.Evaluation
		return
	}
	if len(p.d.Vertices) >= p.most {
		p.d.Omitted = true
		return
	}
	c := clone(s)
	now := top(c)
	values := make([]value, len(now.Values))
	for _, v := range f.liveAt(now.Block, now.Index) {
		values[v] = now.Values[v]
	}
	now.Values = values
	p.d.Vertices = append(p.d.Vertices, symgraph.Vertex{State: c, Facts: slices.Clone(facts), Func: f.f, Instr: v})
	p.arrow(len(p.d.Vertices)-1, nil)
	p.at = len(p.d.Vertices) - 1
	p.kind = symgraph.Evaluation
}

func (p *pen) arrow(to int, symbols map[linear.Var]linear.Form) {
	a := symgraph.Arrow{From: p.at, To: to, Kind: p.kind, Symbols: symbols}
	if p.kind == symgraph.Refinement {
		a.Case, a.Unequal, a.Toss = p.by.facts, p.by.unequal, p.by.toss
	}
	p.d.Arrows = append(p.d.Arrows, a)
}

// split is the start of one case of a split at the vertex from; it is where the path
// was before.
func (p *pen) split(from int, by alternative) {
	if p != nil {
		p.at, p.kind, p.by = from, symgraph.Refinement, by
	}
}

// where is the vertex of the path.
func (p *pen) where() int {
	if p == nil {
		return -1
	}
	return p.at
}

// arrived is the end of a path at a node, of which the state is an instance.
func (p *pen) arrived(s *state, facts []linear.Constraint, f *function, n *node, symbols map[linear.Var]linear.Form) {
	if p == nil {
		return
	}
	now := top(s)
	p.state(s, facts, f, f.f.Blocks[now.Block].Instrs[now.Index])
	p.kind = symgraph.Generalization
	p.arrow(p.node(n), symbols)
}

// note says what may happen where the path is.
func (p *pen) note(violation string) {
	if p != nil && p.at >= 0 && p.d.Vertices[p.at].Violation == "" {
		p.d.Vertices[p.at].Violation = violation
	}
}

// end is the end of the run.
func (p *pen) end() {
	if p != nil && p.at >= 0 {
		p.d.Vertices[p.at].End = true
	}
}
