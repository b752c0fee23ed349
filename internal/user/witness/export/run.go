package export

import (
	"cmp"
	"slices"
	"strings"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/syntax"
	"assay/internal/user/show"
	"assay/internal/user/witness"
)

// This file says a run as a violation witness. With its inputs a run is determined, so these are the witness:
//
//	(1) What a function without body returns is a waypoint function_return at the call; what a library model returns that has chosen
//	    something, too, if the program uses it.
//	(2) What a local has that is not initialised is an assumption at the statement behind its declaration.
//	(3) The target is the full expression, or the call, with which the run violates the property.
//	(4) Of a run that does not end, the inputs of the period are waypoints of the cycle, and at each visit of the loop what its
//	    variables have, but for those on which nothing depends; if the state does not come back, what holds at the loop for ever.

// maxWaypoints bounds a witness.
const maxWaypoints = 20_000

// maxVisits bounds the visits of a loop in a cycle that are told one by one.
const maxVisits = 50

// maxEarlier bounds the visits of that loop before the cycle.
const maxEarlier = 2_000

// narrator turns the events of a run into waypoints.
type narrator struct {
	*exporter
	head    ir.BlockID // of the loop at which the cycle is told
	cycle   bool
	visits  int
	pending []pending
	// visited is the waypoint of a visit whose condition is not evaluated yet, at the first statement of the body.
	visited *pending
	order   *ir.WTO // of the function of the loop
	chosen  bool    // the library model that runs has chosen something
	idle    []bool  // values of that function, once they were asked for
}

// pending is an assumption whose place comes behind the rest of a declaration, which may have inputs of its own.
type pending struct {
	waypoint   witness.Waypoint
	step       witness.GraphStep
	file       *syntax.File
	begin, end int // of the declaration
	variable   *ir.Var
}

// settle adds the assumptions that a run has come to when it is at a byte of a file.
func (n *narrator) settle(f *syntax.File, at int) {
	var settled, left []pending
	for _, p := range n.pending {
		last := len(settled) - 1
		switch {
		case f == p.file && p.begin <= at && at < p.end:
			left = append(left, p)
		case last >= 0 && settled[last].waypoint.At == p.waypoint.At && settled[last].waypoint.Action == p.waypoint.Action:
			// A waypoint is one visit of its place.
			w, s := &settled[last].waypoint, &settled[last].step
			w.Value += " && " + p.waypoint.Value
			s.Assumption += " " + p.step.Assumption
		default:
			settled = append(settled, p)
		}
	}
	n.pending = left
	for _, p := range settled {
		n.add(p.waypoint, p.step)
	}
}

// violation says a run.
func (x *exporter) violation(v verdict.False) error {
	if v.OverIntegers != nil || x.Run == nil {
		return &ErrNone{"the answer is about mathematical integers, and a witness about those of the machine"}
	}
	if v.Endless != nil && !x.needs21("the cycle of a run that does not end") {
		return &ErrNone{"a run that does not end needs format 2.1, or GraphML"}
	}
	endless := v.Endless
	if endless == nil {
		return x.narrate(v, 0)
	}
	// The cycle is told at the head of the loop; if its body is not executed for ever, at that of a loop around it.
	f := x.Module.Func(endless.Func)
	order := ir.NewWTO(f)
	heads := []ir.BlockID{endless.Head}
	for b := range f.Blocks {
		if h := ir.BlockID(b); h != endless.Head && order.IsHead(h) && order.Contains(h, endless.Head) {
			heads = append(heads, h)
		}
	}
	slices.SortStableFunc(heads[1:], func(a, b ir.BlockID) int { return cmp.Compare(order.Order[b], order.Order[a]) }) // inner ones first
	for _, head := range heads {
		x.out.Witness.Segments, x.out.Steps, x.out.Cycle, x.out.Invariant = nil, nil, -1, ""
		if err := x.narrate(v, head); err != nil {
			return err
		}
		if list := x.out.Witness.Segments; len(list) > 0 && list[len(list)-1].Last().Action == witness.Cycle {
			return nil
		}
	}
	return &ErrNone{"what goes on for ever is no loop statement of the program: there is no place for the cycle"}
}

// narrate tells the run; of one that does not end, head is that of the loop at which the cycle is told.
func (x *exporter) narrate(v verdict.False, head ir.BlockID) error {
	n := &narrator{exporter: x, head: head}
	endless := v.Endless
	options := interp.Options{Oracle: interp.Replay(v.Input), Accelerate: endless == nil, Blocks: endless != nil, Repeats: endless != nil && endless.Set == nil}
	violated := false
	at := v.Violation.Pos
	var in *ir.Func // where the violation is, or the call of the library model that it is in
	var violating ir.Value
	options.StopAt = func(e interp.Event) bool {
		if endless != nil && e.Step >= endless.LastStep {
			return true
		}
		n.event(e, endless)
		if g, broken := verdict.Broken(e, strings.TrimPrefix(v.Violation.Text, "label ")); endless == nil && broken && g == v.Violation {
			violated = true
			if e.Ends.Line > 0 {
				at = e.Ends
			}
			in, violating = e.Func, e.Value
			for state, ok := e.State, true; ok && in.Model; {
				violating = state.CallSite()
				if state, ok = state.Caller(); ok {
					in = state.Func()
				}
			}
		}
		return violated
	}
	if _, err := interp.Run(x.ctx, x.Module, options); err != nil {
		return err
	}
	if len(v.Input.Jumps) > 0 {
		x.leave("what happens in iterations of loops that the run makes at once")
	}
	n.arrive()
	n.settle(nil, 0)
	if endless == nil {
		return x.target(v, at, in, violating)
	}
	return nil
}

// event looks at an event of the run.
func (n *narrator) event(e interp.Event, endless *verdict.Endless) {
	if endless != nil && !n.cycle && e.Step >= endless.FirstStep && (e.Kind == interp.BlockEntered && e.Block == endless.Head && e.Func.Name == endless.Func || e.Kind == interp.Enter && endless.Recursion && e.Func.Name == endless.Func) {
		n.cycle, n.visits = true, 0
	}
	switch e.Kind {
	case interp.ChoiceMade:
		if n.cycle && endless.Set != nil && e.Func.Name != endless.Func {
			n.leave("inputs of functions that the cycle calls, which may not call them each time")
			return
		}
		n.choice(e)
	case interp.Leave:
		n.returned(e)
	case interp.Assign:
		n.assigned(e)
	case interp.BlockEntered:
		if endless != nil {
			n.entered(e, endless)
		}
		if (n.cycle || endless != nil && endless.Set == nil) && e.Func.Name == endless.Func && e.Block == n.head && !endless.Recursion {
			n.visit(e, endless)
		}
	case interp.Enter:
		if !e.Func.Model {
			n.chosen = false
		} else if caller, ok := e.State.Caller(); ok && !caller.Func().Model {
			n.chosen = false
		}
		if n.cycle && endless.Recursion && e.Func.Name == endless.Func {
			n.enter(e)
		}
	}
}

// action is that of a waypoint to which the run comes now.
func (n *narrator) action() witness.Action {
	if n.cycle {
		return witness.Cycle
	}
	return witness.Follow
}

// add adds a waypoint as a segment, and a step for format 1.0.
func (n *narrator) add(w witness.Waypoint, s witness.GraphStep) {
	if len(n.out.Witness.Segments) >= maxWaypoints {
		n.leave("more than %d inputs", maxWaypoints)
		return
	}
	if w.Action == "" {
		w.Action = n.action()
	}
	n.out.Witness.Segments = append(n.out.Witness.Segments, witness.Segment{w})
	s.Line, s.Function = w.At.Line, w.At.Function
	n.out.Steps = append(n.out.Steps, s)
}

// value is a value as a constant of C, and whether it is one that can be compared.
func value(v bv.BV, c ir.CType) (string, bool) {
	switch {
	case c.Ptr || v.Width() > 64:
		return "", false
	case c.Float:
		text := invariantFloat(v)
		return text, text != "NAN" && !strings.Contains(text, "INFINITY")
	case c.Bool || c.Signed:
		if c.Bool {
			v = v.And(bv.New(v.Width(), 1))
			return v.Unsigned().String(), true
		}
		return show.Literal(v.Signed()), true
	case v.Width() < 32:
		return v.Unsigned().String(), true
	}
	suffix := "U"
	if v.Unsigned().BitLen() > 32 {
		suffix = "ULL"
	}
	return v.Unsigned().String() + suffix, true
}

// choice says what a function without body returns.
func (n *narrator) choice(e interp.Event) {
	if e.Func.Model {
		n.chosen = n.chosen || e.Choice.Bits.Width() > 0
		return
	}
	d := e.Func.Def(e.Value)
	switch {
	case d.Op == ir.Nondet && (ir.NondetKind(d.Aux) == ir.NondetInput || ir.NondetKind(d.Aux) == ir.NondetUnknown):
	case d.Op == ir.Nondet:
		return // a variable tells it
	default:
		if len(e.Choice.Bytes) > 0 && strings.Trim(string(e.Choice.Bytes), "\x00") != "" {
			n.leave("what memory holds that is not initialised, and what functions leave in it")
		}
		return
	}
	where := show.PositionOf(n.Module, d.Pos)
	c := ir.InputType(d.Sym, d.Type.Bits)
	c.Float, c.Ptr = d.Type.Kind == ir.Float, d.Type.Kind == ir.Ptr
	text, ok := value(e.Choice.Bits, c)
	if !ok {
		n.leave("the value of %s() at %s, which is no number", d.Sym, where)
		return
	}
	n.returns(e.Func, e.Value, text)
}

// returned says what a library model returns that has chosen something.
func (n *narrator) returned(e interp.Event) {
	state, ok := e.State.Caller()
	if !ok || !e.Func.Model || state.Func().Model || !n.chosen {
		return
	}
	caller, call := state.Func(), e.State.CallSite()
	n.chosen = false
	// Whether a narrow result is signed the program does not say.
	if w := e.Bits.Width(); w < 32 || w > 64 || e.Func.Results[0].Kind != ir.Int || !used(caller, call) {
		return
	}
	n.returns(caller, call, show.Literal(e.Bits.Signed()))
}

// used says whether something but the debugger looks at a value.
func used(f *ir.Func, v ir.Value) bool {
	for b := range f.Blocks {
		for _, i := range f.Blocks[b].Instrs {
			if d := f.Def(i); d.Op != ir.Dbg && slices.Contains(d.Args, v) {
				return true
			}
		}
	}
	return false
}

// returns adds a waypoint where a call returns a value.
func (n *narrator) returns(in *ir.Func, call ir.Value, text string) {
	d := in.Def(call)
	where := show.PositionOf(n.Module, d.Pos)
	f, at, ok := n.offsetOf(in, call)
	if !ok || f.Word(at) != d.Sym {
		n.leave("the value %s of %s() at %s: it is called in a macro, or not by its name", text, d.Sym, where)
		return
	}
	end := f.ClosingOfCall(at)
	if end < 0 {
		n.leave("the value %s of %s() at %s: it is called in a macro", text, d.Sym, where)
		return
	}
	n.settle(f, at)
	n.add(witness.Waypoint{Type: witness.FunctionReturn, At: location(f, end), Value: `\result == ` + text},
		witness.GraphStep{Assumption: `\result == (` + text + `);`, Result: d.Sym})
}

// assigned says what a local has that is not initialised.
func (n *narrator) assigned(e interp.Event) {
	if e.Func.Model || e.Bits.Width() == 0 || e.Var == nil {
		return
	}
	d := e.Func.Def(e.Value)
	if len(d.Args) == 0 {
		return
	}
	s := e.Func.Def(d.Args[0])
	if s.Op != ir.Nondet || ir.NondetKind(s.Aux) != ir.NondetUninit {
		return
	}
	text, ok := value(e.Bits, e.Var.Type)
	f, declared := n.place(e.Var.Pos, e.Var.Name)
	if !ok || f == nil {
		return
	}
	fn := f.Func(e.Func.Name)
	if fn == nil {
		return
	}
	declaration, next := behind(f, fn, declared.line, e.Var.Name)
	if next == nil || !n.visible(f, fn, e.Var.Name, next.Begin, e.Var.Pos, false) {
		n.leave("that %s of %s, which is not initialised, has the value %s: no statement stands behind its declaration", e.Var.Name, e.Func.Name, text)
		return
	}
	if slices.ContainsFunc(n.pending, func(p pending) bool { return p.variable == e.Var }) { // the run comes here once more
		n.settle(nil, 0)
	}
	n.pending = append(n.pending, pending{
		witness.Waypoint{Type: witness.Assumption, Action: n.action(), At: location(f, next.Begin), Value: e.Var.Name + " == " + text},
		witness.GraphStep{Assumption: e.Var.Name + " == (" + text + ");"}, f, declaration.Begin, declaration.End, e.Var,
	})
}

// behind is the declaration of a variable, and the statement behind it.
func behind(f *syntax.File, fn *syntax.Func, line int, name string) (declaration, next *syntax.Node) {
	for i := range fn.Locals {
		v := &fn.Locals[i]
		if v.Line != line || v.Name != name && !strings.HasPrefix(name, v.Name+".") && !strings.HasPrefix(name, v.Name+"[") {
			continue
		}
		fn.Body.Walk(func(n *syntax.Node) {
			if n.Kind != syntax.Compound {
				return
			}
			for k, c := range n.Inner {
				if c.Kind == syntax.Declaration && c.Begin <= v.Begin && v.Begin <= c.End && k+1 < len(n.Inner) && !n.Inner[k+1].Macro {
					declaration, next = c, n.Inner[k+1]
				}
			}
		})
	}
	return declaration, next
}

// target says where the run violates the property: at an instruction, or, of a leak, where the program ends.
func (x *exporter) target(v verdict.False, p ir.Pos, in *ir.Func, violating ir.Value) error {
	leak := v.Violation.Kind == ir.MemTrack || v.Violation.Kind == ir.MemCleanup
	if !leak && x.Violation != nil && x.Violation.Pos.Line > 0 {
		for i, name := range x.Module.Files {
			if same(name, x.Violation.Pos.File) {
				p = ir.Pos{File: int32(i), Line: int32(x.Violation.Pos.Line), Col: int32(x.Violation.Pos.Col)}
			}
		}
	}
	var at witness.Location
	f, o, ok := x.offset(p)
	if !leak && x.second != nil && in != nil && violating != 0 {
		f, o, ok = x.offsetOf(in, violating)
	}
	if ok {
		at = location(f, o)
		if fn := f.At(o); fn != nil {
			if n := enclosing(fn, o); n != nil {
				at = location(f, n.Begin)
			}
		}
	} else {
		_, there := x.place(p)
		name := x.Options.Files[0]
		for _, f := range x.Options.Files {
			if same(f, there.file) {
				name = f
			}
		}
		if there.line > 0 && !same(name, there.file) || there.line == 0 && p.Line > 0 {
			return &ErrNone{"the property is violated at " + show.PositionOf(x.Module, p).String() + ", which is in none of the files that a witness is about"}
		}
		at = witness.Location{File: name, Line: max(there.line, 1), Function: v.Violation.Func}
		x.leave("the column of the target")
	}
	x.out.Witness.Segments = append(x.out.Witness.Segments, witness.Segment{{Type: witness.Target, Action: witness.Follow, At: at}})
	x.out.Steps = append(x.out.Steps, witness.GraphStep{Line: at.Line, Function: at.Function})
	return nil
}

// enclosing is the full expression around a byte, or the smallest statement.
func enclosing(fn *syntax.Func, at int) *syntax.Node {
	var best *syntax.Node
	fn.Body.Walk(func(n *syntax.Node) {
		if n.Begin > at || at >= n.End && !(n.Macro && n.Begin <= at && at <= n.End) {
			return
		}
		if n.Full || n.Kind.Statement() && n.Kind != syntax.Compound && (best == nil || !best.Full) {
			best = n
		}
	})
	return best
}

// visit says what the variables of a loop have.
func (n *narrator) visit(e interp.Event, endless *verdict.Endless) {
	limit := maxEarlier
	if n.cycle {
		limit = maxVisits
	}
	if n.visits++; n.visits > limit {
		if n.visits == limit+1 {
			n.leave("what the variables have in later iterations of the cycle")
		}
		return
	}
	n.arrive() // the body has no instructions
	f, loop := n.statement(e.Func, e.Block)
	if loop == nil {
		n.label(e)
		return
	}
	first := body(f, loop)
	if first == nil {
		return
	}
	text := "1"
	if fn := f.At(loop.Begin); fn != nil && quiet(f.Text[loop.Cond:loop.CondEnd]) {
		var parts []string
		if endless.Set != nil {
			parts = n.recurrent(endless)
		} else {
			idle := n.idleValues(endless)
			for _, v := range show.Current(e.Func, e.Block) {
				if idle != nil && idle[v.Value] {
					continue
				}
				for _, c := range v.Vars {
					if t, ok := value(e.State.Value(v.Value), c.Type); ok && !c.Type.Float && n.visible(f, fn, c.Name, first.Begin, c.Pos, false) {
						parts = append(parts, c.Name+" == "+t)
					}
				}
			}
		}
		if len(parts) > 0 {
			text = strings.Join(parts, " && ")
		}
	}
	n.visited = &pending{witness.Waypoint{Type: witness.Assumption, Action: n.action(), At: location(f, first.Begin), Value: text}, witness.GraphStep{Assumption: "(" + text + ");"}, f, first.Begin, loop.End, nil}
	n.entered(e, endless)
}

// idleValues are those of the loop's function that are others at each visit, and on which nothing depends.
func (n *narrator) idleValues(endless *verdict.Endless) []bool {
	if endless.Idle && n.idle == nil {
		n.idle = ir.Idle(n.Module)[slices.IndexFunc(n.Module.Funcs, func(f *ir.Func) bool { return f.Name == endless.Func })]
	}
	return n.idle
}

// label adds a waypoint where a jump makes the loop: at the statement that the run comes to again.
func (n *narrator) label(e interp.Event) {
	for _, i := range e.Func.Blocks[e.Block].Instrs {
		d := e.Func.Def(i)
		f, at, ok := n.offsetOf(e.Func, i)
		if !ok || d.Op == ir.Phi || d.Op == ir.Dbg || d.Op == ir.Label {
			continue
		}
		fn := f.At(at)
		if fn == nil {
			return
		}
		s := statement(fn, at)
		if s == nil || s.Macro || slices.ContainsFunc(n.pending, func(p pending) bool { return p.waypoint.At == location(f, s.Begin) }) {
			return // the same visit is there
		}
		n.settle(nil, 0)
		if n.cycle {
			n.begin("1")
		}
		n.add(witness.Waypoint{Type: witness.Assumption, At: location(f, s.Begin), Value: "1"}, witness.GraphStep{Assumption: "(1);"})
		return
	}
}

// statement is the smallest statement around a byte that is one of a block.
func statement(fn *syntax.Func, at int) *syntax.Node {
	var best *syntax.Node
	fn.Body.Walk(func(n *syntax.Node) {
		if n.Begin <= at && at < n.End && n.Kind.Statement() && n.Kind != syntax.Compound && n.Kind != syntax.Label && n.Parent != nil && n.Executed() {
			best = n
		}
	})
	return best
}

// arrive adds the waypoint of the visit.
func (n *narrator) arrive() {
	v := n.visited
	if n.visited = nil; v == nil {
		return
	}
	n.settle(nil, 0)
	if v.waypoint.Action == witness.Cycle {
		n.begin(v.waypoint.Value)
	}
	n.add(v.waypoint, v.step)
}

// entered adds the waypoint of a visit once the run comes to the body of the loop; if it leaves the loop there is none.
func (n *narrator) entered(e interp.Event, endless *verdict.Endless) {
	v := n.visited
	if v == nil || e.Func.Name != endless.Func {
		return
	}
	if n.order == nil {
		n.order = ir.NewWTO(e.Func)
	}
	if !n.order.Contains(n.head, e.Block) {
		n.visited = nil
		return
	}
	for _, i := range e.Func.Blocks[e.Block].Instrs {
		d := e.Func.Def(i)
		if d.Op == ir.Phi || d.Op == ir.Dbg { // they stand elsewhere
			continue
		}
		if f, at, ok := n.offsetOf(e.Func, i); ok && f == v.file && v.begin <= at && at < v.end {
			n.arrive()
			return
		}
	}
}

// begin notes where the cycle begins, for format 1.0.
func (n *narrator) begin(invariant string) {
	if n.cycle && n.out.Cycle < 0 {
		n.out.Cycle, n.out.Invariant = len(n.out.Steps), invariant
	}
}

// enter says that a function is called again.
func (n *narrator) enter(e interp.Event) {
	f, _ := n.place(e.Func.Pos, e.Func.Name)
	if f == nil || n.visits >= maxVisits {
		return
	}
	n.visits++
	fn := f.Func(e.Func.Name)
	if fn == nil || len(fn.Body.Inner) == 0 || fn.Body.Inner[0].Macro {
		return
	}
	n.settle(nil, 0)
	n.begin("1")
	n.add(witness.Waypoint{Type: witness.Assumption, At: location(f, fn.Body.Inner[0].Begin), Value: "1"}, witness.GraphStep{Enter: e.Func.Name})
}

// recurrent is what holds at the loop for ever.
func (n *narrator) recurrent(endless *verdict.Endless) []string {
	var out []string
	heads := endless.Set.Proof.Heads
	for i := range heads {
		h := &heads[i]
		if h.Func != endless.Func || h.Head != n.head {
			continue
		}
		if f, loop := n.loop(endless.Set.Program, h); loop != nil {
			texts, _ := show.Expressions(endless.Set.Program, h, n.sees(endless.Set.Program, f, loop))
			for _, t := range texts {
				out = append(out, "("+t+")")
			}
		}
	}
	return out
}

// body is the first statement of a loop's body.
func body(f *syntax.File, loop *syntax.Node) *syntax.Node {
	var b *syntax.Node
	for _, c := range loop.Inner {
		if c.Kind.Statement() && (loop.Kind != syntax.For || c.Begin > loop.CondEnd) {
			b = c
		}
	}
	if loop.Kind == syntax.Do && len(loop.Inner) > 0 {
		b = loop.Inner[0]
	}
	if b == nil || b.Macro && b.Kind != syntax.Compound {
		if loop.Kind.Loop() && len(loop.Inner) > 0 {
			// The body is an expression.
			if last := loop.Inner[len(loop.Inner)-1]; loop.Kind != syntax.Do && !last.Macro && last.Begin > loop.CondEnd {
				return last
			}
		}
		return nil
	}
	if b.Kind == syntax.Compound {
		if len(b.Inner) == 0 {
			return b
		}
		if b = b.Inner[0]; b.Macro {
			return nil
		}
	}
	return b
}

// quiet says that a condition changes nothing, so that what holds before it holds behind it.
func quiet(cond string) bool {
	return strings.TrimSpace(cond) == "" || witness.Impure(cond, false) == ""
}

func invariantFloat(v bv.BV) string {
	if v.Width() != 32 && v.Width() != 64 {
		return "NAN"
	}
	return show.Float(v)
}

// rankings says the ranking functions of loops, as transition invariants.
func (x *exporter) rankings(c *verdict.Ranking) {
	for i := range c.Loops {
		l := &c.Loops[i]
		where := show.PositionOf(c.Program, l.Pos).String()
		if l.Recursion {
			x.leave("why the calls of %s end: a witness has ranking functions of loops only", l.Func)
			continue
		}
		if ir.NameInC(l.Func) != l.Func {
			x.leave("why the loop at %s ends in some of the calls of %s", where, ir.NameInC(l.Func))
			continue
		}
		f, loop := x.statement(c.Program.Func(l.Func), l.Head)
		if loop == nil {
			x.leave("why the loop at %s ends: no loop statement stands there", where)
			continue
		}
		if len(l.Functions) == 0 {
			continue
		}
		text, why := show.Descent(c.Program, l, x.sees(c.Program, f, loop))
		if why != "" {
			x.leave("why the loop at %s ends: %s", where, why)
			continue
		}
		if x.out.Witness.Version != witness.V21 {
			x.leave("ranking functions: only format 2.1 has them, as a draft (--witness-format 2.1)")
			return
		}
		x.out.Witness.Invariants = append(x.out.Witness.Invariants, witness.Invariant{Type: witness.LoopTransitionInvariant, At: location(f, loop.Begin), Value: text})
	}
}

// contracts says what holds of recursive functions.
func (x *exporter) contracts(m *ir.Module, list []invariant.Contract) {
	for i := range list {
		k := &list[i]
		f := m.Func(k.Func)
		if f == nil || f.Model || len(k.Pre)+len(k.Post) == 0 {
			continue
		}
		file, _ := x.place(f.Pos, f.Name)
		if file == nil {
			x.leave("the contract of %s: its place is not known", k.Func)
			continue
		}
		fn := file.Func(k.Func)
		if fn == nil {
			x.leave("the contract of %s, which the text of the program does not have", k.Func)
			continue
		}
		requires, ensures, left := show.ContractExpressions(m, k, func(name string, declared ir.Pos, global bool) bool {
			return x.visible(file, fn, name, fn.Body.Begin, declared, global)
		})
		for _, why := range left {
			x.leave("a part of the contract of %s: %s", k.Func, why)
		}
		if requires == "" && ensures == "" || !x.needs21("the contract of "+k.Func) {
			continue
		}
		x.out.Witness.Contracts = append(x.out.Witness.Contracts, witness.Contract{At: location(file, fn.Begin), Requires: requires, Ensures: ensures})
	}
}
