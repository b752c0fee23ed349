package symex

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
	"assay/internal/run/pause"
)

type (
	value  = symgraph.Value
	state  = symgraph.State
	frame  = symgraph.Frame
	object = symgraph.Object
	cell   = symgraph.Cell
)

// effort says what an exploration keeps apart and looks for: more of it takes longer, and is
// asked for when less was not enough.
type effort struct {
	final     bool       // record edges and suspicions
	shape     bool       // pointers in memory are part of a state's shape
	fine      bool       // nodes with different constants are not in one segment
	trees     bool       // kinds of trees are sought
	hasty     bool       // stop where there may be some
	owning    bool       // what nodes own is sought
	patient   bool       // bounds move a few times before they are dropped
	partition *partition // nodes with different constants are apart
}

// shapes are the kinds of data that are folded.
type shapes struct {
	kinds  []listKind  // of lists and trees
	owners []owner     // what nodes own
	arrays []arrayKind // arrays that own what is in their slots
}

// signs are what an exploration has met: more effort may help.
type signs struct {
	again     bool // a kind was found: build the graph anew
	dropped   bool // a join forgot what a pointer in memory points to
	branching bool // there may be trees
	mayOwn    bool // nodes may own something
}

// explorer builds one graph.
type explorer struct {
	effort
	signs
	shapes
	ctx       context.Context
	m         *ir.Module
	index     *ir.Index
	o         Options
	target    [64]bool // by ir.CheckKind
	functions map[*ir.Func]*function
	symbols   []symbol // by linear.Var
	k         *knowledge
	nodes     []*node
	table     map[string]*node
	dirty     []*node
	now       *node  // is explored
	path      *state // at the instruction under way
	stopped   bool   // now has changed: what is known of its successors is old
	obstacle  *Obstacle
	suspects  []Suspect
	tossed    *bool         // in the next step
	split     []alternative // what the instruction under way has to be split into
	stats     Stats
	pen       *pen // draws, while edges are recorded
	picked    int  // in the next step, the case of a choice, from 1
	forked    int  // objects of the states at the branches of the path under way, each once for each branch
	recursive map[*ir.Func]bool
	returns   map[*ir.Func]bool // functions that may return
	narrow    map[place]bool    // numbers of 64 bits that are written in halves
}

// alternative is one case of a split.
type alternative struct {
	facts   []linear.Constraint
	unequal []linear.Form
	toss    *bool // the truth value of an arbitrary comparison
	pick    int   // the case of a choice, from 1
}

// control says how to go on after an instruction.
type control uint8

const (
	next   control = iota // with the next instruction
	jumped                // where the state is now
	stop                  // the path ends
	forked                // once in each case of x.split
)

// node is a state at a cutpoint, while the graph grows.
type node struct {
	state   state
	key     string
	known   *knowledge // of the state, once it was asked for
	joins   int
	relaxes map[string]int // how often bounds have moved, by their forms
	isDirty bool
	edges   []edge
	index   int // in explorer.nodes
	number  int // in the graph
	reached bool
	// Of an entry: where its activations end, and the nodes from which it is called.
	returns, callers []*node
	isReturn         bool
}

// knows is what is known of the symbols of a node's state.
func (n *node) knows(x *explorer) *knowledge {
	if n.known == nil {
		n.known = x.newKnowledge(x.ctx, n.state.Constraints)
	}
	return n.known
}

// edge is a path from a node to another one: the state there is an instance, with
// these values of its symbols, under the facts of the path.
type edge struct {
	to     *node
	values map[linear.Var]linear.Form
	facts  []linear.Constraint
}

func two(n uint32) linear.Number {
	if n < 62 {
		return linear.Int(1 << n)
	}
	r := linear.Int(1 << 61)
	for range n - 61 {
		r = r.Add(r)
	}
	return r
}

// rangeOf is the range of an integer type.
func rangeOf(bits uint32, signed bool) (low, high linear.Number) {
	one := linear.Int(1)
	if signed {
		h := two(bits - 1)
		return h.Neg(), h.Sub(one)
	}
	return linear.Number{}, two(bits).Sub(one)
}

// fresh makes a symbol.
func (x *explorer) fresh(low, high linear.Number) linear.Form {
	x.symbols = append(x.symbols, symbol{low: low, high: high})
	return linear.Variable(linear.Var(len(x.symbols) - 1))
}

func (x *explorer) freshInt(bits uint32, signed bool) value {
	low, high := rangeOf(bits, signed && bits > 1)
	return integer(x.fresh(low, high))
}

func integer(f linear.Form) value { return value{Kind: symgraph.Int, Form: f} }

func constant(n int64) value { return integer(linear.Constant(linear.Int(n))) }

func pointer(o int32, f linear.Form) value {
	return value{Kind: symgraph.Pointer, Object: o, Form: f}
}

// arbitrary is an arbitrary value of a type.
func (x *explorer) arbitrary(t ir.Type, signed bool) value {
	if t.Kind == ir.Int {
		return x.freshInt(t.Bits, signed)
	}
	return value{Kind: symgraph.Any}
}

// clone is a state that can be changed without changing s.
func clone(s *state) *state {
	c := *s
	c.Frames = slices.Clone(s.Frames)
	top := &c.Frames[len(c.Frames)-1]
	top.Values = slices.Clone(top.Values)
	c.Objects = slices.Clone(s.Objects)
	return &c
}

func top(s *state) *frame { return &s.Frames[len(s.Frames)-1] }

func (x *explorer) initial() (*state, error) {
	f := x.index.Funcs[x.m.Entry]
	if f == nil || f.IsDecl() {
		return nil, fmt.Errorf("the entry function %q has no body", x.m.Entry)
	}
	s := &state{}
	for _, g := range x.m.Globals {
		s.Objects = append(s.Objects, object{
			Kind: symgraph.Global, Name: g.Name, Global: g, Pristine: !g.External,
			Size: linear.Constant(number(g.Size)),
		})
	}
	for _, g := range x.m.Funcs {
		s.Objects = append(s.Objects, object{Kind: symgraph.Function, Name: g.Name})
	}
	s.Frames = []frame{{Func: f, Block: 1, Values: make([]value, len(f.Values))}}
	return s, nil
}

func number(n uint64) linear.Number {
	if n < 1<<62 {
		return linear.Int(int64(n))
	}
	return two(62).Add(number(n - 1<<62))
}

// symbolObject is the object of a global or function.
func symbolObject(s *state, kind symgraph.ObjectKind, name string) int32 {
	for i := range s.Objects {
		if o := &s.Objects[i]; o.Kind == kind && o.Name == name {
			return int32(i)
		}
		if s.Objects[i].Kind < symgraph.Global {
			break
		}
	}
	panic("symex: no object for " + name)
}

// run follows all paths from a state, whose facts are in x.k, to their ends.
func (x *explorer) run(s *state) {
	for {
		if x.stopped || x.obstacle != nil {
			return
		}
		x.stats.Steps++
		if x.stats.Steps&15 == 0 { // a step may ask a solver
			pause.Wait(x.ctx)
		}
		if x.stats.Steps&255 == 0 && x.ctx.Err() != nil {
			x.obstacle = &Obstacle{Text: "the time limit was reached", Stopped: true}
			return
		}
		if x.stats.Steps > x.o.MaxSteps {
			x.obstacle = &Obstacle{Text: fmt.Sprintf("the graph has more than %d steps", x.o.MaxSteps)}
			return
		}
		f := top(s)
		v := f.Func.Blocks[f.Block].Instrs[f.Index]
		d := f.Func.Def(v)
		x.split, x.path = x.split[:0], s
		if x.pen != nil && d.Op != ir.Dbg && d.Op != ir.Br {
			if p := x.prepare(f.Func); p.needed[v] {
				x.pen.state(s, x.k.facts, p, v)
			}
		}
		switch x.step(s, f, v, d) {
		case next:
			top(s).Index++
		case jumped:
		case stop:
			return
		case forked:
			x.fork(s)
			return
		}
	}
}

// maxForked bounds the objects of the states that wait on the path under way, about 200 bytes
// each. A path with that many branches has neighbours beyond counting: they are the others'.
const maxForked = 1 << 20

// fork executes the instruction again in each of the cases. The last one changes the state itself, so that a chain
// of tests, such as a switch, keeps one state, and not one for each test; it counts all the same, for the neighbours are as many.
func (x *explorer) fork(s *state) {
	cases := slices.Clone(x.split)
	x.stats.Forks++
	size := len(s.Objects)
	x.forked += size
	defer func() { x.forked -= size }()
	if x.forked > maxForked {
		f := top(s)
		x.cannot(f, f.Func.Def(f.Func.Blocks[f.Block].Instrs[f.Index]), "there are too many branches, and objects, on one path between loop heads")
		return
	}
	at := x.pen.where()
	for i, a := range cases {
		x.k.push()
		if x.assume(a) {
			t := s
			if i < len(cases)-1 {
				t = clone(s)
			}
			if news := a.news(); len(news) > 0 {
				x.saturate(t, news...)
			}
			if x.k.broken == 0 {
				x.tossed, x.picked = a.toss, a.pick
				x.pen.split(at, a)
				x.run(t)
			}
		}
		x.k.pop()
		if x.stopped || x.obstacle != nil {
			return
		}
	}
}

// news are the forms of which a case says something.
func (a *alternative) news() []linear.Form {
	news := slices.Clone(a.unequal)
	for _, c := range a.facts {
		news = append(news, c.Form)
	}
	return news
}

func (x *explorer) assume(a alternative) bool {
	for _, c := range a.facts {
		if !x.k.assert(c) {
			return false
		}
	}
	for _, f := range a.unequal {
		if !x.k.assertNonzero(f) {
			return false
		}
	}
	return true
}

// cannot notes an obstacle: an instruction that is not modelled.
func (x *explorer) cannot(f *frame, d *ir.Def, text string) control {
	if x.obstacle == nil {
		x.obstacle = &Obstacle{Func: f.Func.Name, Pos: x.calledAt(d.Pos), Text: text}
	}
	return stop
}

// suspect notes a violation that is not excluded.
func (x *explorer) suspect(f *frame, v ir.Value, d *ir.Def, kind ir.CheckKind, text string) {
	if !x.final {
		return
	}
	x.pen.note(text)
	for _, s := range x.suspects {
		if s.Func == f.Func.Name && s.Value == v && s.Kind == kind {
			return
		}
	}
	s := Suspect{Func: f.Func.Name, Value: v, Pos: d.Pos, Kind: kind, Text: text}
	if f.Func.Model {
		s.Pos, s.Text = x.calledAt(d.Pos), text+", in "+f.Func.Name
	}
	x.suspects = append(x.suspects, s)
}

// calledAt is the place of the last call of the path under way that has one: library models have none.
func (x *explorer) calledAt(at ir.Pos) ir.Pos {
	for i := len(x.path.Frames) - 1; i >= 0 && at.Line == 0; i-- {
		f := &x.path.Frames[i]
		at = f.Func.Def(f.Func.Blocks[f.Block].Instrs[f.Index]).Pos
	}
	return at
}

// enter moves to a successor and evaluates its phis; at a loop head the path ends.
func (x *explorer) enter(s *state, f *frame, edge int) control {
	from := f.Func.Terminator(f.Block)
	to := from.Succs[edge]
	p := x.prepare(f.Func)
	// Which of the equal edges it is does not matter: phis agree on them.
	pred := slices.Index(f.Func.Blocks[to].Preds, f.Block)
	n := p.phis(to)
	fresh := make([]value, n)
	for i := range n {
		v := f.Func.Blocks[to].Instrs[i]
		if p.needed[v] {
			fresh[i] = x.operand(s, f, f.Func.Def(v).Args[pred])
		}
	}
	for i := range n {
		f.Values[f.Func.Blocks[to].Instrs[i]] = fresh[i]
	}
	f.Block, f.Index = to, n
	if p.heads[to] {
		x.arrive(s)
		return stop
	}
	return jumped
}

// operand is the value of an operand.
func (x *explorer) operand(s *state, f *frame, v ir.Value) value {
	d := f.Func.Def(v)
	switch d.Op {
	case ir.Const:
		if d.Type.Kind == ir.Float {
			return value{Kind: symgraph.Any}
		}
		if d.Type.Bits == 1 {
			return constant(int64(d.Const.Uint64()))
		}
		return integer(linear.Constant(linear.FromBigInt(d.Const.Signed())))
	case ir.Null:
		return pointer(symgraph.Null, linear.Form{})
	case ir.GlobalAddr:
		return pointer(symbolObject(s, symgraph.Global, d.Sym), linear.Form{})
	case ir.FuncAddr:
		return pointer(symbolObject(s, symgraph.Function, d.Sym), linear.Form{})
	}
	r := f.Values[v]
	if r.Kind == symgraph.Unset {
		// Defined by an instruction that is not needed, or on no path.
		r = x.arbitrary(d.Type, true)
		f.Values[v] = r
	}
	return r
}

// fits gives a form of the value f modulo 2^bits that is within the signed or
// unsigned range, if there is only one possible multiple of 2^bits to add.
func (x *explorer) fits(f linear.Form, bits uint32, signed bool) (linear.Form, bool) {
	low, high := rangeOf(bits, signed && bits > 1)
	if x.k.rough(f).Cmp(low) >= 0 && x.k.rough(f.Neg()).Neg().Cmp(high) <= 0 {
		return f, true
	}
	a, b := x.rounds(f, bits, low)
	if a.Equal(b) {
		return f.Plus(a.Mul(two(bits)).Neg()), true
	}
	return f, false
}

// rounds are the least and greatest number of times that 2^bits must be taken
// from f to come to the range that begins at low.
func (x *explorer) rounds(f linear.Form, bits uint32, low linear.Number) (a, b linear.Number) {
	w := two(bits)
	return x.k.low(f).Sub(low).Div(w).Floor(), x.k.high(f).Sub(low).Div(w).Floor()
}

// view reads the operand v as a signed or unsigned integer; if it is not ok, the
// instruction has to be split.
func (x *explorer) view(s *state, f *frame, v ir.Value, signed bool) (form linear.Form, ok bool) {
	bits := f.Func.Type(v).Bits
	g := x.operand(s, f, v).Form
	if r, ok := x.fits(g, bits, signed); ok {
		return r, true
	}
	low, high := rangeOf(bits, signed && bits > 1)
	a, b := x.rounds(g, bits, low)
	if n, small := b.Sub(a).Int64(); small && n <= 2 {
		w := two(bits)
		for i := int64(0); i <= n; i++ {
			shift := a.Add(linear.Int(i)).Mul(w)
			x.split = append(x.split, alternative{facts: []linear.Constraint{
				{Form: g.Plus(low.Add(shift).Neg())}, {Form: g.Neg().Plus(high.Add(shift))},
			}})
		}
		return g, false
	}
	// Too many cases: the value is known no more than its type.
	r := x.freshInt(bits, signed)
	f.Values[v] = r
	return r.Form, true
}

// choose says whether a truth value is 1; if it is not ok, there is a split.
func (x *explorer) choose(s *state, f *frame, v ir.Value) (truth, ok bool) {
	g, ok := x.view(s, f, v, false)
	if !ok {
		return false, false
	}
	if g.IsConstant() {
		return !g.Const.IsZero(), true
	}
	one := linear.Int(1)
	if x.k.atLeast(g, one) {
		return true, true
	}
	if x.k.atLeast(g.Neg(), linear.Number{}) {
		return false, true
	}
	x.split = append(x.split,
		alternative{facts: []linear.Constraint{linear.Equals(g, linear.Constant(one))}},
		alternative{facts: []linear.Constraint{linear.Equals(g, linear.Form{})}})
	return false, false
}

// decide makes the truth value of g >= 0, splitting if it is not known.
func (x *explorer) decide(g linear.Form) (truth, ok bool) {
	if x.k.atLeast(g, linear.Number{}) {
		return true, true
	}
	if x.k.atLeast(g.Neg(), linear.Int(1)) {
		return false, true
	}
	yes := linear.Constraint{Form: g}
	x.split = append(x.split, alternative{facts: []linear.Constraint{yes}}, alternative{facts: []linear.Constraint{yes.Negate()}})
	return false, false
}

// decideZero makes the truth value of g = 0.
func (x *explorer) decideZero(g linear.Form) (truth, ok bool) {
	if x.k.nonzero(g) {
		return false, true
	}
	if x.k.isZero(g) {
		return true, true
	}
	zero := alternative{facts: []linear.Constraint{{Form: g, Equality: true}}}
	if x.o.SplitUnequal && x.k.low(g).Sign() < 0 && x.k.high(g).Sign() > 0 {
		x.split = append(x.split, zero,
			alternative{facts: []linear.Constraint{{Form: g.Plus(linear.Int(-1))}}},
			alternative{facts: []linear.Constraint{{Form: g.Neg().Plus(linear.Int(-1))}}})
	} else {
		x.split = append(x.split, zero, alternative{unequal: []linear.Form{g}})
	}
	return false, false
}
