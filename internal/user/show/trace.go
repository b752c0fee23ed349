package show

import (
	"context"
	"fmt"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// StepKind classifies a step of a trace.
type StepKind string

// The kinds of steps.
const (
	StepAssign    StepKind = "assign"    // Var = Value
	StepStore     StepKind = "store"     // Var = Value, of a cell that is written through a pointer or an index
	StepInput     StepKind = "input"     // an arbitrary value that no variable gets: Input = Value
	StepCall      StepKind = "call"      // Text is called
	StepReturn    StepKind = "return"    // Func goes on after the call of Text
	StepUndefined StepKind = "undefined" // undefined behaviour that the property does not ask about
	StepViolation StepKind = "violation" // the property fails
	StepCycle     StepKind = "cycle"     // the state that comes back, if the run has no end
	StepJump      StepKind = "jump"      // many iterations of a loop at once, as Text says
	StepObserve   StepKind = "observe"   // the truth of subformulas changes
)

// Step is one step of the run that violates the property, in terms of C.
type Step struct {
	Kind  StepKind `json:"kind"`
	Pos   Position `json:"position"`
	Func  string   `json:"function"`
	Var   string   `json:"variable,omitempty"`
	Value string   `json:"value,omitempty"`
	// Input names where the value comes from if it is an arbitrary choice:
	// a function like __VERIFIER_nondet_int, or uninitialised memory.
	Input string `json:"input,omitempty"`
	Text  string `json:"text,omitempty"`
	// Pointee is the object that an invalid access is about.
	Pointee Pointee `json:"pointee,omitzero"`
	// History is where the pointer of an invalid access got its value, the earliest step first.
	History []Origin `json:"history,omitempty"`
	// Truth is that of the subformulas of a temporal formula from the last observation on: TruthYes and its kin.
	Truth []string `json:"truth,omitempty"`
	// Depth is the number of active calls below the entry.
	Depth int `json:"depth"`
}

// Run is the run of a False.
type Run struct {
	Module *ir.Module
	Input  ir.Input
	// Violation is what goes wrong, as the engine names it.
	Violation verdict.Guard
	// Endless is set if the run does not end, and that is what is wrong.
	Endless *verdict.Endless

	truths *conductor.Truths
}

// Trace replays the run and calls emit with its steps, one by one as they happen; the
// last one is the violation. An error of emit ends it. Library models are not shown:
// what happens inside of them is reported at the call in the program.
func (r *Run) Trace(ctx context.Context, emit func(Step) error) error {
	if r.Endless != nil {
		return r.traceEndless(ctx, emit)
	}
	_, err := r.trace(ctx, emit)
	return err
}

// trace is Trace of a run that ends; the tracer knows more.
func (r *Run) trace(ctx context.Context, emit func(Step) error) (*tracer, error) {
	t := &tracer{run: r, emit: emit, inputs: map[*ir.Func]map[ir.Value]bool{}, pointed: map[uint64]string{}, wrote: map[uint64]written{}}
	out, err := interp.Run(ctx, r.Module, interp.Options{Oracle: interp.Replay(r.Input), StopAt: t.event, Blocks: true, Accelerate: true, Stores: true})
	switch {
	case err != nil:
		return nil, err
	case t.err != nil:
		return nil, t.err
	case !t.violated:
		return nil, fmt.Errorf("the replay ended before the violation: %s", out)
	}
	return t, nil
}

// activation is a call in progress.
type activation struct {
	f *ir.Func
	// block and next are where the next call is looked for.
	block ir.BlockID
	next  int
	pos   ir.Pos // of the last instruction that is known
	// shown are the last values of the variables, so that the copies of a value
	// at the merge of two paths are not shown as assignments.
	shown map[*ir.Var]shownValue
	// from is the block from which each block was entered last.
	from map[ir.BlockID]ir.BlockID
	// hidden says that the frame is a library model. What a model calls back is
	// shown.
	hidden bool
	// pending are objects that are being made.
	pending []pendingObject
}

// shownValue is a value of a variable: as it is shown, and its low bits, which are an address if it is a pointer.
type shownValue struct {
	text string
	bits uint64
}

// tracer turns the events of the interpreter into steps.
type tracer struct {
	run      *Run
	emit     func(Step) error
	stack    []activation
	inputs   map[*ir.Func]map[ir.Value]bool // choices that a variable shows
	objects  []object                       // made so far
	last     verdict.Guard                  // the last undefined behaviour
	violated bool
	cycled   bool               // the state that comes back has been shown
	history  []Origin           // of that pointer
	pointed  map[uint64]string  // the variables that got addresses last
	stores   int                // that were looked at
	searches int                // of names for stores
	wrote    map[uint64]written // the last stores of pointers, by the address of the cell
	null     cell               // where the null pointer of the last invalid access comes from
	err      error

	observed int      // observations so far
	truth    []string // of the last one
}

// event handles an event and says whether the run ends here.
func (t *tracer) event(e interp.Event) bool {
	t.settle(e)
	switch e.Kind {
	case interp.Enter:
		t.enter(e)
	case interp.Leave:
		t.leave()
	case interp.BlockEntered:
		if a := t.top(); a != nil {
			a.from[e.Block] = a.block
			a.block, a.next = e.Block, 0
		}
	case interp.Assign:
		t.assign(e)
	case interp.Jumping:
		t.jump(e, jumpText(t.run.Module, e.Jump))
	case interp.Accelerated:
		t.jump(e, fmt.Sprintf("%d iterations that only count", e.Iterations))
	case interp.ChoiceMade:
		t.choice(e)
	case interp.Stored:
		t.stored(e)
	case interp.Freed:
		t.freed(e)
	case interp.Violation, interp.LabelReached:
		return t.violation(e) || t.err != nil
	}
	t.cycle(e)
	return t.err != nil
}

func (t *tracer) top() *activation {
	if len(t.stack) == 0 {
		return nil
	}
	return &t.stack[len(t.stack)-1]
}

// visible is the innermost activation that is shown.
func (t *tracer) visible() *activation {
	for i := len(t.stack) - 1; i >= 0; i-- {
		if !t.stack[i].hidden {
			return &t.stack[i]
		}
	}
	return nil
}

// enter handles a call.
func (t *tracer) enter(e interp.Event) {
	caller := t.top()
	hidden := e.Func.Name == t.run.Module.Entry && e.Func.Pos == (ir.Pos{}) // made by the front end
	if caller != nil {
		hidden = e.Func.Model
		if site := caller.call(e.Func.Name); site != 0 {
			caller.pos = caller.f.Def(site).Pos
		}
		if !hidden && !caller.hidden {
			t.step(Step{Kind: StepCall, Text: ir.NameInC(e.Func.Name)})
		}
	}
	t.stack = append(t.stack, activation{f: e.Func, block: 1, pos: e.Func.Pos, hidden: hidden, shown: map[*ir.Var]shownValue{}, from: map[ir.BlockID]ir.BlockID{}})
}

// call finds the instruction by which a function was entered, 0 if it is not
// clear: the next call in the block that can have entered it.
func (a *activation) call(name string) ir.Value {
	if int(a.block) >= len(a.f.Blocks) {
		return 0
	}
	instrs := a.f.Blocks[a.block].Instrs
	for i := a.next; i < len(instrs); i++ {
		if d := a.f.Def(instrs[i]); d.Op == ir.Call && (d.Sym == name || d.Sym == "") {
			a.next = i + 1
			return instrs[i]
		}
	}
	return 0
}

// leave handles a return.
func (t *tracer) leave() {
	if len(t.stack) == 0 {
		return
	}
	left := *t.top()
	t.stack = t.stack[:len(t.stack)-1]
	if caller := t.top(); caller != nil && !left.hidden && !caller.hidden {
		t.step(Step{Kind: StepReturn, Text: ir.NameInC(left.f.Name)})
	}
}

// assign handles a new value of a variable.
func (t *tracer) assign(e interp.Event) {
	a := t.top()
	if a == nil || a.hidden || e.Bits.Width() == 0 || t.observes(a, e) {
		return
	}
	value := formatValue(e.Bits, e.Var.Type, e.State)
	source := a.f.Def(e.Value).Args[0]
	input := t.origin(a.f, source)
	if before, ok := a.shown[e.Var]; ok && before.text == value && input == "" {
		return
	}
	a.shown[e.Var] = shownValue{value, e.Bits.Uint64()}
	if e.Var.Type.Ptr && len(t.pointed) < maxObjects {
		t.pointed[e.Bits.Uint64()] = e.Var.Name
	}
	if p := a.assigned(e.Value, source); p.Line != 0 {
		a.pos = p
	}
	t.step(Step{Kind: StepAssign, Var: e.Var.Name, Value: value, Input: input})
}

// assigned is the position of an assignment. Debug records of promoted
// variables have none; then it is that of the value assigned, or of the next
// instruction of the block that has one.
func (a *activation) assigned(record, source ir.Value) ir.Pos {
	d := a.f.Def(record)
	if d.Pos.Line != 0 {
		return d.Pos
	}
	if s := a.f.Def(source); s.Block == d.Block && s.Op != ir.Phi && s.Pos.Line != 0 {
		return s.Pos
	}
	passed := false
	for _, v := range a.f.Blocks[d.Block].Instrs {
		if passed && a.f.Def(v).Pos.Line != 0 {
			return a.f.Def(v).Pos
		}
		passed = passed || v == record
	}
	return ir.Pos{}
}

// choice handles an arbitrary value that no variable shows.
func (t *tracer) choice(e interp.Event) {
	a := t.top()
	if a == nil || e.Func != a.f {
		return
	}
	a.made(e)
	if a.hidden {
		return
	}
	d := a.f.Def(e.Value)
	if d.Op != ir.Nondet || d.Type.Kind == ir.Ptr || t.shows(a.f)[e.Value] {
		return
	}
	if x := t.run.truths; x != nil && d.Sym == x.Choice {
		return
	}
	if k := ir.NondetKind(d.Aux); k != ir.NondetInput && k != ir.NondetUnknown {
		return
	}
	if d.Pos.Line != 0 {
		a.pos = d.Pos
	}
	c := ir.InputType(d.Sym, d.Type.Bits)
	c.Float = d.Type.Kind == ir.Float
	t.step(Step{Kind: StepInput, Input: d.Sym + "()", Value: formatValue(e.Choice.Bits, c, e.State)})
}

// jump handles iterations that are made at once.
func (t *tracer) jump(e interp.Event, text string) {
	a := t.top()
	if a == nil || a.hidden {
		return
	}
	if p := a.f.BlockPos(e.Block); p.Line != 0 {
		a.pos = p
	}
	t.step(Step{Kind: StepJump, Text: text})
}

// conversions bounds the chain of conversions from a choice to a variable.
const conversions = 4

// chosen follows conversions back to an arbitrary choice, 0 if there is none.
func chosen(f *ir.Func, v ir.Value) ir.Value {
	for range conversions {
		switch d := f.Def(v); d.Op {
		case ir.Nondet:
			return v
		case ir.Trunc, ir.ZExt, ir.SExt, ir.Freeze, ir.BitCast:
			v = d.Args[0]
		default:
			return 0
		}
	}
	return 0
}

// origin says where an arbitrary value comes from, "" if it is none.
func (t *tracer) origin(f *ir.Func, v ir.Value) string {
	c := chosen(f, v)
	if c == 0 {
		return ""
	}
	d := f.Def(c)
	switch ir.NondetKind(d.Aux) {
	case ir.NondetInput:
		if d.Sym == "" {
			return "an input"
		}
		return d.Sym + "()"
	case ir.NondetUnknown:
		return d.Sym + "(), which has no body"
	case ir.NondetUninit:
		return "uninitialised memory"
	case ir.NondetGhost:
		return "the check of uninitialised memory"
	case ir.NondetExact:
		return "the exact way through " + d.Sym
	case ir.NondetApproximate:
		return d.Sym + "(), over-approximated"
	}
	return "an undefined value"
}

// shows are the choices of a function that become the value of a variable.
func (t *tracer) shows(f *ir.Func) map[ir.Value]bool {
	set, ok := t.inputs[f]
	if !ok {
		set = map[ir.Value]bool{}
		for i := range f.Values {
			if d := &f.Values[i]; d.Op == ir.Dbg && len(d.Args) > 0 {
				if c := chosen(f, d.Args[0]); c != 0 {
					set[c] = true
				}
			}
		}
		t.inputs[f] = set
	}
	return set
}

// violation handles a broken guard and says whether it is the violation.
func (t *tracer) violation(e interp.Event) bool {
	g := verdict.Guard{Kind: e.Check, Text: e.Text, Func: e.Func.Name, Pos: e.Pos}
	if e.Kind == interp.LabelReached {
		g.Kind = ir.ErrorLabel
	}
	step := Step{Kind: StepUndefined, Text: describe(g.Kind, g.Text)}
	if t.isTheViolation(g, e.Func.Model) {
		t.violated, step.Kind = true, StepViolation
	} else if !g.Kind.Undefined() {
		return false
	}
	if g.Kind == ir.InvalidDeref || g.Kind == ir.InvalidFree {
		if why, pointee := t.blame(e); why != "" {
			step.Text += why
			step.Pointee = pointee
			step.History = t.history
		}
	}
	if g.Kind == ir.MemTrack || g.Kind == ir.MemCleanup {
		step.Text += t.leaked(e)
	}
	if g.Kind == ir.Uninitialised {
		if why, pointee := t.garbage(e); why != "" {
			step.Text += ": " + why
			step.Pointee = pointee
		}
	}
	a := t.visible()
	switch {
	case a == nil: // at the end of the program: the position is that of the allocation
		step.Func, step.Pos = ir.NameInC(e.Func.Name), PositionOf(t.run.Module, e.Pos)
	case e.Func == a.f:
		if e.Pos.Line != 0 {
			a.pos = e.Pos
		}
	default: // inside of a library model
		step.Text = "in " + t.called(e.Func) + ": " + step.Text
	}
	again := g == t.last || g.Kind == t.last.Kind && g.Pos == t.last.Pos
	t.last = g
	if t.violated || !again {
		t.step(step)
	}
	return t.violated
}

// called is the name of the library function that the program calls, where f is the model in which the run is.
func (t *tracer) called(f *ir.Func) string {
	for i := len(t.stack) - 1; i > 0 && t.stack[i].hidden; i-- {
		f = t.stack[i].f
	}
	return ir.NameInC(f.Name)
}

// isTheViolation compares a broken guard with the one of the verdict. The
// position of one inside a library model may be that of the call.
func (t *tracer) isTheViolation(g verdict.Guard, model bool) bool {
	v := t.run.Violation
	return g.Kind == v.Kind && g.Func == v.Func && (g.Pos == v.Pos || model)
}

// step completes a step with its place and hands it on.
func (t *tracer) step(s Step) {
	if t.err != nil {
		return
	}
	s.Truth = t.truth
	if a := t.visible(); a != nil {
		s.Func, s.Pos = ir.NameInC(a.f.Name), PositionOf(t.run.Module, a.pos)
		for i := range t.stack {
			if !t.stack[i].hidden {
				s.Depth++
			}
		}
		s.Depth--
	}
	t.err = t.emit(s)
}
