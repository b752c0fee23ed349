package certify

import (
	"context"
	"fmt"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file checks the certificate of a proof by the exploration of all paths: a tree that says how
// the runs of a program were divided (verdict.PathTree).
//
// # Soundness
//
// The checker walks the program as the tree says. At each time it has a set of paths; a path is a stack
// of activations, each with ways that it has not taken, and perhaps a block under way. Claim: every run
// of the program is on exactly one path, on one way of it or in the block under way of the
// top activation; or it has ended; or it meets a claim that is recorded. It holds at the start,
// and each thing that the walk does keeps it:
//
//	(1) An instruction is encoded as in any other certificate (step.go, memory.go); what must not happen
//	    is recorded as a claim.
//	(2) Behind a branch there is a way for each condition that the simplifier does not refute.
//	(3) Ways that lead into one block are joined, by guards that exclude each other. A way carries the values
//	    of the phis and of all that lives in the block, so others may be left for later, in any order.
//	(4) A way that the tree drops, and a value of an operand that it has no part for, is recorded as a claim:
//	    that no run is there. So is everything that is left where the tree ends.
//	(5) When a path is divided, each of its ways goes to one part; those of the callers, and the block under way of
//	    other ways, to the first.
//
// In the end no claim may hold. So a wrong tree costs an acceptance, and never lets a wrong proof pass.
//
// # Cost
//
// Linear in the tree. Claims are decided in groups as they come, most of them without a solver: parsers
// look at single bytes, and two tests of one byte that exclude each other are found by trying its 256
// values (bytes.go).

// walkFrame is an activation of a path.
type walkFrame struct {
	*frame
	caller *walkFrame
	shared bool // by several paths: copied before it changes
	ways   []walkWay
	round  int // the blocks that were begun, less one
}

// walkWay is a way that is not taken yet; to is 0 for a return.
type walkWay struct {
	id verdict.PathWay
	to ir.BlockID
	edge
}

// walk is a path.
type walk struct {
	top   *walkFrame
	steps int64
	made  []memory.ObjectID // in their order
}

// walker walks over the tree.
type walker struct {
	*checker
	bytes bytes
	// refuted are the slices of claims that a solver has refuted, by name.
	refuted map[term.ID]bool
	left    int // nodes to come, so that a tree which is a graph ends
}

// Paths checks a tree of paths: every run is on one of them, and violates no target. The error is nil, the
// context's, an ErrRejected or an ErrIncomplete.
func Paths(ctx context.Context, m *ir.Module, o Options, t *verdict.PathTree) (checker string, err error) {
	entry := m.Func(m.Entry)
	switch {
	case entry == nil || entry.IsDecl():
		return "", ErrIncomplete{Why: fmt.Sprintf("the entry function %q has no body", m.Entry)}
	case t.Root == nil:
		return "", ErrIncomplete{Why: "the tree has no root"}
	}
	w := &walker{checker: newChecker(ctx, m, o, nil), refuted: map[term.ID]bool{}, left: maxNodes}
	defer w.close()
	w.bytes.c = w.checker
	initial := w.initial()
	p := &walk{}
	w.call(p, w.function(entry), edge{guard: w.st.True(), mem: initial}, nil)
	if err := w.follow(p, t.Root); err != nil {
		return "", err
	}
	if err := w.decideClaims(); err != nil {
		return "", err
	}
	return w.acceptedPaths(), nil
}

// maxNodes bounds the nodes of a tree.
const maxNodes = 1 << 24

func (w *walker) acceptedPaths() string {
	how := "second walk over all paths, by simplification and by trying bytes"
	switch {
	case w.solver != nil && w.o.Engine == Z3:
		how = "second walk over all paths, by CaDiCaL"
	case w.proof:
		how = "second walk over all paths, by a proof in clauses"
	case w.solver != nil:
		how = "second walk over all paths, by Z3"
	}
	if w.o.Strict {
		how += ", without the simplifier"
	}
	return how
}

func malformed(format string, args ...any) error {
	return ErrIncomplete{Why: "the tree of paths: " + fmt.Sprintf(format, args...)}
}

// call pushes an activation; in.values are the arguments.
func (w *walker) call(p *walk, fn *function, in edge, types []ir.Type) {
	fr := &frame{fn: fn, env: make([]value, fn.values), stamp: make([]uint32, fn.values)}
	if p.top != nil {
		fr.caller = p.top.frame
	}
	for i, x := range in.values {
		if i < len(fn.f.Params) {
			a := fn.f.Params[i]
			fr.env[a], fr.stamp[a] = x, always
		} else {
			fr.variadic = append(fr.variadic, argument{x, types[i]})
		}
	}
	p.top = &walkFrame{frame: fr, caller: p.top, round: -1, ways: []walkWay{{to: 1, edge: edge{guard: in.guard, mem: in.mem}}}}
}

// own makes the top activation one of this path alone.
func (p *walk) own() *walkFrame {
	if p.top.shared {
		p.top = p.top.clone()
	}
	return p.top
}

func (f *walkFrame) clone() *walkFrame {
	g := *f
	fr := *f.frame
	fr.env, fr.stamp = slices.Clone(f.env), slices.Clone(f.stamp)
	fr.stack, fr.variadic = slices.Clip(f.stack), slices.Clip(f.variadic)
	if fr.mem != nil {
		fr.mem = fr.mem.Fork()
	}
	g.frame, g.shared, g.ways = &fr, false, slices.Clone(f.ways)
	return &g
}

// part is a copy of a path without ways, those of the callers included.
func (p *walk) part() *walk {
	q := &walk{made: slices.Clip(p.made)}
	p.made = slices.Clip(p.made)
	q.top = p.top.clone()
	q.top.ways = nil
	last := q.top
	withWays := 0
	depth := 0
	for f := p.top.caller; f != nil; f = f.caller {
		f.shared = true
		if depth++; len(f.ways) > 0 {
			withWays = depth
		}
	}
	for f := p.top.caller; withWays > 0; f, withWays = f.caller, withWays-1 {
		g := f.clone()
		g.ways = nil
		last.caller, last = g, g
	}
	return q
}

// follow walks a path as a node says, and those into which it is divided.
func (w *walker) follow(p *walk, n *verdict.PathNode) error {
	if w.left--; w.left < 0 {
		return malformed("it has more than %d nodes", maxNodes)
	}
	moves := n.Moves
	for {
		if len(moves) > 0 && moves[0].Step < p.steps {
			return malformed("a move comes too late")
		}
		if p.top == nil {
			return nil // no run is left, even if the tree goes on
		}
		f := p.own()
		due := len(n.Parts) > 0 && len(moves) == 0 && n.End == p.steps
		switch {
		case f.block != 0 && due && n.Operand >= 0:
			return w.byValues(p, n)
		case f.block != 0:
			if err := w.step(p); err != nil {
				return err
			}
		case len(f.ways) == 0:
			p.top = f.caller
			if p.top != nil {
				p.own()
				p.top.call, p.top.block = nil, 0 // nothing comes back
			}
		case len(moves) > 0 && moves[0].Step == p.steps:
			m := moves[0]
			moves = moves[1:]
			if err := w.move(p, m); err != nil {
				return err
			}
		case due && n.Operand < 0:
			return w.byWays(p, n)
		default:
			if err := w.only(p); err != nil {
				return err
			}
		}
	}
}

// only takes the only way that there is. The tree may have seen that others are none.
func (w *walker) only(p *walk) error {
	f := p.top
	for i := 0; len(f.ways) > 1 && i < len(f.ways); {
		if w.bytes.refute(f.ways[i].guard) {
			f.ways = slices.Delete(f.ways, i, i+1)
			continue
		}
		feasible, err := w.feasible(f.ways[i].guard)
		if err != nil {
			return err
		}
		if feasible {
			i++
		} else {
			f.ways = slices.Delete(f.ways, i, i+1)
		}
	}
	if len(f.ways) != 1 {
		return malformed("it does not say which of %d ways are taken in %s", len(f.ways), f.fn.f.Name)
	}
	return w.take(p, f.ways, nil)
}

// pick divides the ways of the top activation into those listed and others.
func (p *walk) pick(ids []verdict.PathWay) (listed, others []walkWay) {
	for _, x := range p.top.ways {
		if slices.Contains(ids, x.id) {
			listed = append(listed, x)
		} else {
			others = append(others, x)
		}
	}
	return listed, others
}

func (w *walker) move(p *walk, m verdict.PathMove) error {
	listed, others := p.pick(m.Ways)
	if m.Drop {
		w.drop(p, listed)
		p.top.ways = others
		return nil
	}
	if len(listed) == 0 {
		return malformed("it takes a way that is not there in %s", p.top.fn.f.Name)
	}
	return w.take(p, listed, others)
}

// drop records that no run is on ways.
func (w *walker) drop(p *walk, ways []walkWay) {
	for _, x := range ways {
		v := w.blockValue(p.top.fn, max(1, x.id.From))
		w.claim(limit, p.top.frame, x.guard, v, "a way is taken that the tree of paths has dropped")
	}
}

// take joins ways into one block, and leaves the others.
func (w *walker) take(p *walk, ways, others []walkWay) error {
	f := p.top
	to := ways[0].to
	edges := make([]edge, len(ways))
	for i, x := range ways {
		if x.to != to {
			return malformed("it joins ways into different blocks of %s", f.fn.f.Name)
		}
		edges[i] = x.edge
	}
	in := w.join(edges)
	f.ways = slices.Clone(others)
	if to != 0 {
		f.round++
		w.start(f.frame, to, in)
		return nil
	}
	if len(f.ways) > 0 {
		return malformed("an activation of %s returns and stays", f.fn.f.Name)
	}
	for _, s := range f.stack {
		in.mem.Remove(s.object)
	}
	p.top = f.caller
	c := p.own()
	call := c.call
	c.call = nil
	w.comeBack(c.frame, call, in)
	if w.st.IsFalse(c.guard) {
		c.block = 0
	}
	return nil
}

// step encodes the next instruction of the block under way.
func (w *walker) step(p *walk) error {
	f := p.top
	v := f.fn.f.Blocks[f.block].Instrs[f.pc]
	d := &f.fn.f.Values[v]
	p.steps++
	if p.steps%pollInterval == 0 {
		if err := w.checker.poll(); err != nil {
			return err
		}
	}
	st := w.st
	switch d.Op {
	case ir.Br:
		w.branch(f, []term.ID{st.True()}, []int{0})
		return w.polled()
	case ir.CondBr:
		t := w.truth(f.frame, d, 0)
		w.branch(f, []term.ID{t, st.Not(t)}, []int{0, 1})
		return w.polled()
	case ir.Switch:
		x := w.bits(f.frame, d, 0)
		none := st.True()
		var conds []term.ID
		var succs []int
		for i, k := range d.Cases {
			is := st.Eq(x, st.Const(k))
			conds, succs = append(conds, st.And(none, is)), append(succs, i+1)
			none = st.And(none, st.Not(is))
		}
		w.branch(f, append(conds, none), append(succs, 0))
		return w.polled()
	case ir.Ret:
		if f.caller == nil {
			break
		}
		e := edge{guard: f.guard, mem: f.mem, values: w.values(len(d.Args))}
		for i := range d.Args {
			e.values[i] = f.get(d.Args[i])
		}
		f.ways = append(f.ways, walkWay{id: verdict.PathWay{From: f.block, Round: f.round}, edge: e})
		f.block = 0
		return nil
	case ir.Call:
		f.pc++
		return w.calls(p, d, v)
	}
	f.pc++
	objects := w.sp.Objects()
	goesOn, err := w.instruction(f.frame, v)
	if err != nil {
		return err
	}
	for o := objects + 1; o <= w.sp.Objects(); o++ {
		p.made = append(p.made, memory.ObjectID(o))
	}
	if !goesOn || st.IsFalse(f.guard) {
		f.block = 0
	}
	return nil
}

// polled looks at the limits once a block, and decides the claims that there are if they are many.
func (w *walker) polled() error {
	if err := w.poll(); err != nil {
		return err
	}
	if len(w.claims) < claimsTogether {
		return nil
	}
	return w.decideClaims()
}

// branch adds the ways behind the block under way; the conditions exclude each other.
func (w *walker) branch(f *walkFrame, conds []term.ID, succs []int) {
	from := f.block
	f.block = 0
	last := -1
	for i, t := range conds {
		conds[i] = w.st.And(f.guard, t)
		if !w.st.IsFalse(conds[i]) {
			last = i
		}
	}
	for i, g := range conds {
		if w.st.IsFalse(g) {
			continue
		}
		mem := f.mem
		if i != last {
			mem = f.mem.Fork()
		}
		fn := f.fn
		to := fn.f.Succs(from)[succs[i]]
		phis, live := fn.phis[to], fn.live[to]
		e := edge{guard: g, mem: mem, values: make([]value, 0, len(phis)+len(live))}
		if len(phis) > 0 {
			k := predecessor(fn.f, from, to, succs[i])
			for _, v := range phis {
				e.values = append(e.values, f.get(fn.f.Values[v].Args[k]))
			}
		}
		for _, v := range live {
			e.values = append(e.values, f.get(v))
		}
		f.ways = append(f.ways, walkWay{verdict.PathWay{From: from, Succ: succs[i], Round: f.round}, to, e})
	}
}

// calls enters the one function that a call can enter on the path.
func (w *walker) calls(p *walk, d *ir.Def, v ir.Value) error {
	f := p.top
	call := w.prepare(f.frame, d, v)
	for i := 0; i < len(call.ways) && len(call.ways)+len(call.back) > 1; {
		feasible, err := w.feasible(call.ways[i].guard)
		if err != nil {
			return err
		}
		if feasible {
			i++
		} else {
			call.ways = slices.Delete(call.ways, i, i+1)
		}
	}
	switch {
	case len(call.ways)+len(call.back) > 1:
		w.claim(uncovered, f.frame, f.guard, v, "a call may go to several functions on one path")
		f.block = 0
	case len(call.back) == 1:
		w.comeBack(f.frame, call, call.back[0])
	case len(call.ways) == 0:
		f.block = 0
	default:
		x := call.ways[0]
		f.call = call
		w.call(p, x.fn, edge{guard: x.guard, mem: x.mem, values: call.args}, call.types)
	}
	return nil
}

// byWays follows the parts of a path that is divided by its ways: the ways of each part but the
// first are taken at once; the first keeps all others.
func (w *walker) byWays(p *walk, n *verdict.PathNode) error {
	var parts []*walk
	for _, x := range n.Parts[1:] {
		listed, others := p.pick(x.Ways)
		if len(listed) == 0 { // no run is on it
			parts = append(parts, &walk{})
			continue
		}
		q := p.part()
		p.top.ways = others
		if err := w.take(q, listed, nil); err != nil {
			return err
		}
		parts = append(parts, q)
	}
	p.steps = 0
	if err := w.follow(p, n.Parts[0].Node); err != nil {
		return err
	}
	for i, q := range parts {
		if err := w.follow(q, n.Parts[i+1].Node); err != nil {
			return err
		}
		parts[i] = nil
	}
	return nil
}

// byValues follows the parts of a path that is divided by the values of an operand of the next
// instruction.
func (w *walker) byValues(p *walk, n *verdict.PathNode) error {
	f := p.top
	st := w.st
	v := f.fn.f.Blocks[f.block].Instrs[f.pc]
	d := &f.fn.f.Values[v]
	if n.Operand >= len(d.Args) {
		return malformed("an instruction of %s has no operand %d", f.fn.f.Name, n.Operand)
	}
	arg := d.Args[n.Operand]
	x := f.get(arg)
	if ir.IsConst(f.fn.f.Values[arg].Op) {
		return malformed("it divides a path by a constant of %s", f.fn.f.Name)
	}
	parts := []*walk{p}
	for range n.Parts[1:] {
		parts = append(parts, p.part())
	}
	// The runs with a value that two parts have are on both: nothing is lost.
	rest := f.guard
	for i, q := range parts {
		is, as, err := w.caseOf(p, x, n.Parts[i].Value)
		if err != nil {
			return err
		}
		q.top.guard = st.And(q.top.guard, is)
		q.top.env[arg].Value = as
		rest = st.And(rest, st.Not(is))
	}
	w.claim(limit, f.frame, rest, v, "an operand has a value that the tree of paths has no part for")
	for i, q := range parts {
		q.steps = 0
		if w.st.IsFalse(q.top.guard) {
			q.top.block = 0
		}
		if err := w.follow(q, n.Parts[i].Node); err != nil {
			return err
		}
		parts[i] = nil
	}
	return nil
}

// caseOf is the condition under which an operand has a value, and the operand there.
func (w *walker) caseOf(p *walk, x value, is verdict.PathValue) (cond term.ID, as memory.Value, err error) {
	st := w.st
	if !x.IsPointer() {
		if is.Bits.Width() != st.Width(x.Bits) {
			return 0, as, malformed("a value has %d bits instead of %d", is.Bits.Width(), st.Width(x.Bits))
		}
		t := st.Const(is.Bits)
		return st.Eq(x.Bits, t), memory.Value{Bits: t}, nil
	}
	object := memory.ObjectID(0)
	switch {
	case is.Symbol != "":
		o, ok := w.sp.Symbol(is.Symbol)
		if !ok {
			return 0, as, malformed("there is no symbol %q", is.Symbol)
		}
		object = o
	case is.Made != 0:
		if is.Made < 0 || is.Made > len(p.made) {
			return 0, as, malformed("a path has made %d objects, and not %d", len(p.made), is.Made)
		}
		object = p.made[is.Made-1]
	}
	as = w.sp.Pointer(object, x.Offset)
	cond = st.Eq(x.Object, as.Object)
	if n := is.Offset.Width(); n != 0 {
		if n != st.Width(x.Offset) {
			return 0, as, malformed("an offset has %d bits", n)
		}
		as.Offset = st.Const(is.Offset)
		cond = st.And(cond, st.Eq(x.Offset, as.Offset))
	}
	return cond, as, nil
}

// claimsTogether is the number of claims about which one question is asked.
const claimsTogether = 48

// decideClaims decides the claims that there are: none of them may hold. They are asked about without
// what has nothing to do with their last conjuncts, and as a whole only if that does not refute them.
func (w *walker) decideClaims() error {
	var open []claim
	var asked []term.ID
	some := w.st.False()
	for _, x := range w.claims {
		if w.bytes.refute(x.cond) {
			continue
		}
		t, name := w.bytes.slice(x.cond)
		if w.refuted[name] {
			continue
		}
		open = append(open, x)
		asked = append(asked, t)
		some = w.st.Or(some, t)
	}
	w.claims = open
	if len(open) == 0 {
		return nil
	}
	status, err := w.decide(some)
	if err == nil && status == smt.Sat {
		some = w.st.False()
		for _, x := range open {
			some = w.st.Or(some, x.cond)
		}
		if status, err = w.decide(some); err == nil && status == smt.Unsat {
			w.claims = w.claims[:0]
			return nil
		}
	}
	if err != nil {
		return err
	}
	if status == smt.Unsat {
		// Facts may have come up while it was asked: a name that was good before may not tell now
		// what they are about.
		for _, t := range asked {
			w.refuted[w.bytes.canonical(t)] = true
		}
		w.claims = w.claims[:0]
		return nil
	}
	if x := w.happening(uncovered); x != nil {
		return ErrIncomplete{Why: fmt.Sprintf("%s, in %s at %s", x.what, x.f.Name, w.position(x))}
	}
	x := w.happening(violation)
	return ErrRejected{What: x.what, Func: x.f.Name, At: w.position(x), Pos: x.f.Values[x.v].Pos}
}
