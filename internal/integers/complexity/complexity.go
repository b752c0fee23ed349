// Package complexity finds upper bounds of the cost of runs of integer transition systems, as
// functions of the initial values: bounds on how often blocks are executed and on how great
// forms get, in turns, component by component [BEFFG16, Sec. 3-5].
//
//	complexity.go  the blocks, the answer      sizes.go    how great a form gets
//	runs.go        how often blocks run        amounts.go  forms behind a block, by those before
//	levels.go      ranking functions           charge.go   claims and their expressions
//	orbit.go       loops as recurrences        closed.go   claims of their closed forms
//	split.go       phases by flags             premises.go the claims that others need
//	family.go      runs that nothing bounds    halved.go   what is halved: logarithms
//
// Invariants: (1) every claim uses earlier ones only; (2) a block that counts as bounded has
// a claim. The answer is a certificate; this package believes in it, and the checker
// does not.
//
// Departures from the paper: sizes have a sign and belong to linear forms, not to absolute
// values of variables, and are computed on demand; ranking functions may increase on
// blocks that are bounded already, by what these are then charged (amortised bounds); nested ranking
// functions of several phases [LeikeHeizmann15] give linear bounds; control flow is
// refined by the regions of a termination proof. Not done: recursion.
package complexity

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/integers/forward"
	"assay/internal/integers/its"
	"assay/internal/integers/ranking"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// Result is Found or Failed.
type Result interface{ isResult() }

// Found carries a certificate.
type Found struct{ Certificate bound.Certificate }

// Failed names the transitions, of the system that was asked about, at the beginning of the
// blocks that have no bound.
type Failed struct {
	Reason string
	Open   []int
}

func (Found) isResult()  {}
func (Failed) isResult() {}

// Upper looks for an upper bound of the cost of all runs of the system: first with the
// locations as they are, then with those of a termination proof, which may have split them.
func Upper(ctx context.Context, s *its.System) Result {
	p, err := prepare(ctx, s)
	if err != nil {
		return Failed{Reason: err.Error()}
	}
	first := p.upper(ctx, nil)
	if _, ok := first.(Found); ok || ctx.Err() != nil {
		return first
	}
	if q, ok := p.split(ctx); ok {
		if second, ok := q.upper(ctx, nil).(Found); ok {
			return second
		}
	}
	proof, ok := ranking.Prove(ctx, s, ranking.Options{}).(ranking.Proved)
	if !ok {
		return first
	}
	if third, ok := p.upper(ctx, proof.Argument.Nodes).(Found); ok {
		return third
	}
	return first
}

// prepared is the simplified system: its transitions are paths of the original one.
type prepared struct {
	original *its.System
	simple   *its.System
	origin   []its.Location // by location of simple: that of the original; the start's is not looked at
	at       []polyhedra.Polyhedron
}

func prepare(ctx context.Context, s *its.System) (*prepared, error) {
	if err := s.Check(); err != nil {
		return nil, err
	}
	if s.Branching {
		return nil, errors.New("rules with several calls are not supported: what they cost together is not the cost of one run")
	}
	simple := s.Clone()
	constant := !slices.ContainsFunc(s.Transitions, func(t its.Transition) bool { return !t.Cost.IsConstant() })
	if constant {
		simple, _ = its.Simplify(ctx, s, its.Options{Growth: its.DefaultOptions.Growth, Limit: its.DefaultOptions.Limit, KeepCosts: true, KeepDuplicates: true})
	} else {
		// What a path costs that ends between nodes would not be known: every location is a node.
		for i, t := range simple.Transitions {
			simple.Transitions[i] = simple.Normalize(t)
		}
	}
	if slices.ContainsFunc(simple.Transitions, func(t its.Transition) bool { return t.To == simple.Initial }) {
		start := simple.AddLocation("start")
		for _, t := range simple.Transitions {
			if t.From == simple.Initial {
				t.From = start
				simple.Transitions = append(simple.Transitions, t)
			}
		}
		simple.Initial = start
	}
	if err := ctx.Err(); err != nil {
		return nil, errors.New("out of time")
	}
	knowSquares(simple)
	p := &prepared{original: s, simple: simple, at: forward.Invariants(ctx, simple, polyhedra.Polyhedron{})}
	for l := range simple.Locations {
		p.origin = append(p.origin, its.Location(l))
	}
	return p, nil
}

// block is a block of the certificate with what is known of it.
type block struct {
	from, to int
	path     []int
	temps    int
	known    []linear.Constraint // over variables and temporaries
	products []its.Product
	update   []linear.Form
	cost     linear.Form
}

// analysis is the search for a certificate.
type analysis struct {
	ctx       context.Context
	variables int
	relevant  []linear.Var
	nodes     []bound.Node
	ranks     [][]its.Level // by node: of the termination proof, if there is one
	blocks    []block
	component []int // by node; blocks lead to the same or a smaller number
	solvers   []*linear.Solver
	claims    []bound.Claim
	runs      []int // by block: the claim that counts it, or -1
	sizes     sizes
	solutions []solution // by block
}

// upper searches with the nodes given, or with one for each location.
func (p *prepared) upper(ctx context.Context, nodes []its.RankNode) Result {
	a := &analysis{ctx: ctx, variables: len(p.simple.Variables)}
	for v, r := range p.simple.Relevant(true) {
		if r {
			a.relevant = append(a.relevant, linear.Var(v))
		}
	}
	at := p.place(a, nodes)
	a.connect(p, at)
	a.runs = make([]int, len(a.blocks))
	for i := range a.runs {
		a.runs[i] = -1
	}
	edges := make([][2]int, len(a.blocks))
	for i, b := range a.blocks {
		edges[i] = [2]int{b.from, b.to}
	}
	component, count := its.Components(len(a.nodes), edges)
	a.component = component
	// A run enters a component once, by one of the blocks that lead there.
	entering := make([][]int, count)
	for i, b := range a.blocks {
		if c := component[b.to]; component[b.from] != c {
			entering[c] = append(entering[c], i)
		}
	}
	for _, blocks := range entering {
		if len(blocks) > 0 {
			a.add(bound.Runs{Blocks: blocks, Bound: bound.Int(1), Rule: bound.Acyclic{}})
		}
	}
	for c := count - 1; c >= 0; c-- {
		open := a.runsOf(c)
		open = slices.DeleteFunc(open, a.free) // how often they are executed makes no difference
		if len(open) > 0 {
			return Failed{a.why(open), a.starts(open)}
		}
	}
	return a.certificate(p)
}

// place makes the nodes, and says which are at a location of the simplified system.
func (p *prepared) place(a *analysis, nodes []its.RankNode) [][]int {
	at := make([][]int, len(p.simple.Locations))
	a.nodes = []bound.Node{{Location: p.original.Initial}}
	a.ranks = [][]its.Level{nil}
	at[p.simple.Initial] = []int{0}
	used := make([]bool, len(p.simple.Locations))
	for _, t := range p.simple.Transitions {
		used[t.From], used[t.To] = true, true
	}
	for l := range p.simple.Locations {
		if its.Location(l) == p.simple.Initial || !used[l] {
			continue
		}
		for _, n := range nodes {
			if int(n.Location) == l {
				at[l] = append(at[l], len(a.nodes))
				a.nodes = append(a.nodes, bound.Node{Location: n.Location, Region: n.Region})
				a.ranks = append(a.ranks, n.Rank)
			}
		}
		if at[l] == nil {
			at[l] = []int{len(a.nodes)}
			a.nodes = append(a.nodes, bound.Node{Location: p.origin[l], Region: p.at[l].Constraints()})
			a.ranks = append(a.ranks, nil)
		}
	}
	return at
}

// ascends says whether the rank is sure not to decrease from one node to another. A run need not go
// there: the proof says that it can be at a node with a smaller rank. Only levels that
// are constant are looked at.
func (a *analysis) ascends(u, v int) bool {
	if u == 0 || a.ranks[u] == nil || a.ranks[v] == nil {
		return false
	}
	level := func(ls []its.Level, i int) its.Level {
		if i < len(ls) {
			return ls[i]
		}
		return its.Level{{}}
	}
	for i := range max(len(a.ranks[u]), len(a.ranks[v])) {
		f, g := level(a.ranks[u], i), level(a.ranks[v], i)
		if len(f) != 1 || len(g) != 1 || !f[0].IsConstant() || !g[0].IsConstant() {
			return false
		}
		if c := f[0].Const.Cmp(g[0].Const); c != 0 {
			return c < 0
		}
	}
	return true
}

// connect makes the blocks: each transition between all nodes at its ends.
func (a *analysis) connect(p *prepared, at [][]int) {
	for i := range p.simple.Transitions {
		t := &p.simple.Transitions[i]
		for _, u := range at[t.From] {
			for _, v := range at[t.To] {
				if a.ascends(u, v) {
					continue
				}
				known := append(slices.Clone(a.nodes[u].Region), t.Guard...)
				for _, c := range a.nodes[v].Region {
					c.Form = c.Form.Substitute(func(x linear.Var) (linear.Form, bool) { return t.Update[x], true })
					known = append(known, c)
				}
				known = linear.Irredundant(a.ctx, known)
				if len(known) == 1 && known[0].IsFalse() {
					continue
				}
				a.blocks = append(a.blocks, block{u, v, t.Path, t.Temps, known, t.Products, t.Update, t.Cost})
				a.solvers = append(a.solvers, linear.NewSolver(a.ctx, a.variables+t.Temps, known))
			}
		}
	}
}

// free says that a block costs nothing.
func (a *analysis) free(b int) bool {
	c := a.blocks[b].cost
	return c.IsConstant() && c.Const.Sign() <= 0
}

func (a *analysis) starts(blocks []int) (out []int) {
	for _, b := range blocks {
		if t := a.blocks[b].path[0]; !slices.Contains(out, t) {
			out = append(out, t)
		}
	}
	return out
}

func (a *analysis) why(open []int) string {
	if a.ctx.Err() != nil {
		return "out of time"
	}
	return fmt.Sprintf("there is no bound of how often %d blocks of transitions are executed: no ranking function of the supported forms, or none whose size at the entry is bounded", len(open))
}

// certificate sums up the costs.
func (a *analysis) certificate(p *prepared) Result {
	c := bound.Certificate{Nodes: a.nodes}
	for i, b := range a.blocks {
		c.Blocks = append(c.Blocks, bound.Block{From: b.from, To: b.to, Path: b.path})
		if a.runs[i] < 0 {
			continue
		}
		amount, ok := a.amount(i, b.cost)
		if !ok {
			return Failed{"there is no bound of the cost of a transition", a.starts([]int{i})}
		}
		c.Costs = append(c.Costs, bound.Charge{Block: i, Runs: a.runs[i], Amounts: []bound.Amount{amount}})
	}
	c.Bound = a.charges(c.Costs).Add(bound.Constant(p.tail(a)))
	c.Claims, c.Costs = needed(a.claims, c.Costs)
	return Found{c}
}

// tail is the greatest cost of a path that ends between nodes.
func (p *prepared) tail(a *analysis) linear.Number {
	cut := make([]bool, len(p.original.Locations))
	for _, n := range a.nodes[1:] {
		cut[n.Location] = true
	}
	out := p.original.Outgoing()
	known := map[its.Location]linear.Number{}
	active := map[its.Location]bool{}
	var from func(l its.Location) linear.Number
	from = func(l its.Location) linear.Number {
		if n, ok := known[l]; ok {
			return n
		}
		active[l] = true
		defer delete(active, l)
		most := linear.Number{}
		for _, i := range out[l] {
			t := &p.original.Transitions[i]
			if cut[t.To] || active[t.To] || !t.Cost.IsConstant() || !linear.IsFeasible(a.ctx, t.Guard) {
				continue
			}
			if n := from(t.To).Add(t.Cost.Const); n.Cmp(most) > 0 {
				most = n
			}
		}
		known[l] = most
		return most
	}
	most := linear.Number{}
	for _, n := range a.nodes {
		if c := from(n.Location); c.Cmp(most) > 0 {
			most = c
		}
	}
	return most
}
