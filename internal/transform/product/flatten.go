package product

import (
	"errors"
	"slices"

	"assay/internal/program/inline"
	"assay/internal/program/ir"
	"assay/internal/temporal/ltl"
)

// This file makes one function of the program, with its observations. In it
//
//   - a Label observeLabel is an observation; its operands are the truth values of the atoms;
//   - a Halt is an end of the program, behind a Label endLabel whose operands are the truth
//     values of the atoms there;
//   - a failed assertion goes to such an end;
//   - the first variables (Func.Vars) are the atoms, which observations and ends assign, the last
//     one last: traces show them, and the refutation of a formula is looked at again.
//
// Observations within the models of library functions would show what no C program sees; a
// call of a model has one observation, behind it. A loop of a model that writes what atoms
// read is unsupported, for its head would have to be observed (P2).

const (
	observeLabel = "assay.observe"
	endLabel     = "assay.end"
)

// flat is a program as one function.
type flat struct {
	f *ir.Func
	// steps says that the program marks its points of observation.
	steps bool
	// main is the function whose initial state is the first observation.
	main string
}

type flattener struct {
	q         *Question
	b         *ir.Builder
	in        *inline.Inliner
	byName    map[string]*ir.Func
	recursive map[string]bool
	reads     *reads
	active    map[string]bool // must be inlined (activity.go)
	loops     map[*ir.Func]*ir.WTO
	frames    map[*inline.Activation]*frame
	begins    map[*ir.Func]map[ir.Value]ir.Value // where locals get their first values (locals.go)
	out       *flat
	model     int // the depth of library models around
	wrote     bool
	// started says that main was entered: there are observations from then on.
	started bool
	at      ir.Pos // the observation
}

// frame is what the rules know of an activation.
type frame struct {
	observer bool // the function tells whether an atom is true
	vars     int  // the index of the function's first variable in the flat function
	initial  bool // the observation of the initial state is still to come, behind the objects of main
	block    ir.BlockID
	at       ir.Value // the instruction in it
	behind   bool     // the place is behind it
	head     bool     // the block is a loop head whose observation is still to come
}

func flatten(q *Question) (*flat, error) {
	scratch := &ir.Module{PointerBits: q.Program.PointerBits}
	x := &flattener{
		q: q, b: ir.NewFunc(scratch, q.Program.Entry), byName: q.Program.Index().Funcs, recursive: inline.Recursive(q.Program),
		loops: map[*ir.Func]*ir.WTO{}, frames: map[*inline.Activation]*frame{}, begins: map[*ir.Func]map[ir.Value]ir.Value{},
		out: &flat{steps: q.Step != ""},
	}
	x.in = inline.New(x.b, maxFlat, x.instruction)
	x.out.main = x.main()
	x.reads = readsOf(q, x.byName)
	x.active = x.activity()
	for _, a := range q.Automaton.Atoms {
		x.b.Var(ir.Var{Name: a.String(), Type: ir.CType{Name: "_Bool", Bits: 1, Bool: true}})
	}
	x.b.At(x.b.Block("entry"))
	if _, returns, err := x.inline(nil, x.byName[q.Program.Entry], nil); err != nil {
		return nil, located(err)
	} else if returns {
		if err := x.halt(nil, ir.HaltExit, ir.Pos{}); err != nil {
			return nil, located(err)
		}
	} else {
		x.b.Unreachable()
	}
	x.out.f = x.in.Done().Func
	return x.out, nil
}

// located is an error of the inliner as one of this package.
func located(err error) error {
	if large := (*inline.TooLarge)(nil); errors.As(err, &large) {
		return &Error{large.Pos, large.Error()}
	}
	return err
}

// halt ends the program in the current block, of an activation or behind all of them.
func (x *flattener) halt(a *inline.Activation, kind ir.HaltKind, pos ir.Pos) error {
	x.at = pos
	values, err := x.atoms(a, func(ltl.Atom) bool { return false })
	if err != nil {
		return err
	}
	x.b.Emit(ir.Def{Op: ir.Label, Sym: endLabel, Args: values})
	x.b.Halt(kind)
	return nil
}

// atoms appends the evaluation of all atoms; happens says which events take place.
func (x *flattener) atoms(a *inline.Activation, happens func(ltl.Atom) bool) ([]ir.Value, error) {
	var values []ir.Value
	for i, atom := range x.q.Automaton.Atoms {
		observer := x.q.Observers[i]
		if observer.Func == "" {
			v := uint64(0)
			if happens(atom) {
				v = 1
			}
			values = append(values, x.b.Const(1, v))
			continue
		}
		x.b.SetPos(x.at)
		v, err := x.truth(a, observer)
		if err != nil {
			return nil, err
		}
		values = append(values, v)
	}
	x.b.SetPos(x.at)
	for i, v := range values {
		x.b.Dbg(i, v)
	}
	return values, nil
}

// observe appends an observation.
func (x *flattener) observe(a *inline.Activation, pos ir.Pos, happens func(ltl.Atom) bool) error {
	x.at = pos
	values, err := x.atoms(a, happens)
	if err != nil {
		return err
	}
	x.b.Emit(ir.Def{Op: ir.Label, Sym: observeLabel, Args: values, Pos: pos})
	return nil
}

// passes says that an instruction puts an argument, or the bytes of one, into its parameter.
func passes(f *ir.Func, d *ir.Def) bool {
	switch d.Op {
	case ir.Store:
		return slices.Contains(f.Params, d.Args[0])
	case ir.MemCpy:
		return slices.Contains(f.Params, base(f, d.Args[1]))
	}
	return false
}

func nothing(ltl.Atom) bool { return false }

// events says whether some atom is such an event.
func (x *flattener) events(kind ltl.AtomKind, function, name string) bool {
	return slices.ContainsFunc(x.q.Automaton.Atoms, func(a ltl.Atom) bool { return event(a, kind, function, name) })
}

// unsupported ends the current block; what follows in the source goes into a block that nothing reaches.
func (x *flattener) unsupported(why string) {
	x.b.Emit(ir.Def{Op: ir.Unsupported, Sym: why})
	x.b.At(x.b.Block("never"))
}

// inline appends the body of a function that no instruction calls: the
// entry function, or one that tells whether an atom is true.
func (x *flattener) inline(caller *inline.Activation, f *ir.Func, args []ir.Value) (results []ir.Value, returns bool, err error) {
	err = x.around(caller, f, func() (bool, error) {
		results, returns, err = x.in.Inline(caller, 0, f, args)
		return returns, err
	})
	return results, returns, err
}

// around has a body appended. Its stack objects die where it returns.
func (x *flattener) around(caller *inline.Activation, f *ir.Func, body func() (returns bool, err error)) error {
	if f.Model {
		x.model++
		defer func() { x.model-- }()
	}
	var token ir.Value
	if caller != nil && slices.ContainsFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Alloca || d.Op == ir.VaStart }) {
		token = x.b.Op(ir.StackSave, x.q.Program.PtrType())
	}
	returns, err := body()
	if err == nil && returns && token != 0 {
		x.b.Op(ir.StackRestore, ir.Type{}, token)
	}
	return err
}

// frame is that of an activation, made at its first instruction.
func (x *flattener) frame(a *inline.Activation) *frame {
	fr := x.frames[a]
	if fr == nil {
		f := a.Func
		fr = &frame{
			observer: x.reads.observer[f.Name], vars: len(x.b.Func.Vars),
			initial: !x.started && a.Caller != nil && a.Caller.Caller == nil && f.Name == x.out.main,
		}
		if !fr.observer {
			x.b.Func.Vars = append(x.b.Func.Vars, f.Vars...)
		}
		if x.loops[f] == nil {
			x.loops[f] = ir.NewWTO(f)
		}
		x.frames[a] = fr
	}
	return fr
}

// instruction is the rule of the inliner.
func (x *flattener) instruction(a *inline.Activation, v ir.Value, d *ir.Def) (replaced bool, err error) {
	fr := x.frame(a)
	if fr.block != d.Block {
		fr.block, fr.head = d.Block, x.loops[a.Func].IsHead(d.Block) && !x.out.steps && !x.q.Next && !x.reads.locals && x.started && !fr.observer
	}
	fr.at, fr.behind = v, false
	if fr.observer {
		d.Pos = x.at // an atom is where it is observed
		x.b.SetPos(d.Pos)
		if x.observerInstruction(a, v, d) {
			return true, nil
		}
	} else if err := x.before(a, fr, d); err != nil {
		return false, err
	}
	if replaced, err := x.replace(a, fr, v, d); replaced || err != nil {
		return replaced, err
	}
	return x.copy(a, v, d)
}

// before appends the observations in front of an instruction of the program.
func (x *flattener) before(a *inline.Activation, fr *frame, d *ir.Def) error {
	f := a.Func
	if fr.initial && d.Op != ir.Alloca && d.Op != ir.Dbg && d.Op != ir.LifetimeStart && !passes(f, d) {
		fr.initial, x.started = false, true
		if err := x.observe(a, d.Pos, func(a ltl.Atom) bool { return event(a, ltl.CalledAtom, "", f.Name) }); err != nil {
			return err
		}
	}
	if fr.head && d.Op != ir.Phi {
		fr.head = false
		if x.model > 0 && x.unsettled(a) {
			x.unsupported("a loop of the library model " + f.Name + ", which may write what an atom reads")
		} else if err := x.observe(a, f.BlockPos(d.Block), nothing); err != nil {
			return err
		}
		x.b.SetPos(d.Pos)
	}
	return nil
}

// observerInstruction is about functions that tell whether an atom is true: what C does not define
// in them is unsupported, and they assign no variables.
func (x *flattener) observerInstruction(a *inline.Activation, v ir.Value, d *ir.Def) (replaced bool) {
	switch d.Op {
	case ir.Dbg:
		return true
	case ir.Check:
		switch ir.CheckKind(d.Aux) {
		case ir.DivByZero, ir.ShiftRange, ir.Assertion:
			x.defined(x.in.Operand(a, d.Args[0]), "an atom whose value C does not define: "+d.Sym)
		}
		return true
	case ir.Load:
		if p := x.in.Operand(a, d.Args[0]); !x.inside(p, d.Type) {
			x.defined(x.b.Cmp(ir.ValidRange, p, x.b.Word(d.Type.Size())), "an atom reads through an invalid pointer")
		}
	}
	return false
}

// defined appends that something else than the condition is unsupported.
func (x *flattener) defined(condition ir.Value, why string) {
	off := x.unless(condition)
	on := x.b.Current()
	x.b.At(off)
	x.b.Emit(ir.Def{Op: ir.Unsupported, Sym: why})
	x.b.At(on)
}

// unless continues where a condition holds; the block is where it does not.
func (x *flattener) unless(condition ir.Value) (off ir.BlockID) {
	on, off := x.b.Block("on"), x.b.Block("off")
	x.b.CondBr(condition, on, off)
	x.b.At(on)
	return off
}

// replace puts observations, ends and bodies in the place of what stands for them.
func (x *flattener) replace(a *inline.Activation, fr *frame, v ir.Value, d *ir.Def) (replaced bool, err error) {
	switch d.Op {
	case ir.Dbg:
		d.Aux += int64(fr.vars)
	case ir.Check:
		if ir.CheckKind(d.Aux) == ir.Assertion {
			off := x.unless(x.in.Operand(a, d.Args[0]))
			on := x.b.Current()
			x.b.At(off)
			if err := x.halt(a, ir.HaltAbort, d.Pos); err != nil {
				return false, err
			}
			x.b.At(on)
			return true, nil
		}
	case ir.Label:
		if d.Sym == x.q.Step && x.out.steps {
			return true, x.observe(a, d.Pos, nothing)
		}
		if f := a.Func; x.started && x.events(ltl.AtAtom, f.Name, d.Sym) {
			return false, x.observe(a, d.Pos, func(a ltl.Atom) bool { return event(a, ltl.AtAtom, f.Name, d.Sym) })
		}
	case ir.Call:
		return x.call(a, v, d)
	case ir.Switch:
		if !opens(a.Func, d) {
			d.Succs = slices.Clone(d.Succs)
			d.Succs[0] = d.Succs[1]
		}
	case ir.Unreachable:
		*d = ir.Def{Op: ir.Unsupported, Pos: d.Pos, Sym: "the run ends by undefined behaviour (U8), of which a temporal property says nothing"}
	case ir.Halt:
		return true, x.halt(a, ir.HaltKind(d.Aux), d.Pos)
	}
	return false, nil
}

// copy appends an instruction, and an observation behind it if it may change an atom. Phis, returns
// and results of calls are left to the inliner.
func (x *flattener) copy(a *inline.Activation, v ir.Value, d *ir.Def) (replaced bool, err error) {
	switch d.Op {
	case ir.Phi, ir.Extract, ir.Ret:
		return false, nil
	}
	if !x.reads.changes(x.b.Func, x.in.Copy(a, v, *d)) || indeterminate(a.Func, v) {
		return true, nil
	}
	x.frames[a].behind = true
	x.wrote = x.wrote || x.model > 0
	if x.started && !x.out.steps && x.model == 0 && !((x.q.Next || x.reads.locals) && unnamed(a.Func, v)) {
		return true, x.observe(a, d.Pos, nothing)
	}
	return true, nil
}

// opens says that a switch may go to its default. clang leaves blocks with several ends by a switch
// over which one it was, whose default is unreachable.
func opens(f *ir.Func, d *ir.Def) bool {
	from := f.Def(d.Args[0])
	if from.Op != ir.Phi || len(d.Cases) == 0 {
		return true
	}
	return slices.ContainsFunc(from.Args, func(v ir.Value) bool {
		c := f.Def(v)
		return c.Op != ir.Const || !slices.ContainsFunc(d.Cases, c.Const.Equal)
	})
}

// unsettled says that what atoms read may have been written by the library models around.
func (x *flattener) unsettled(a *inline.Activation) bool {
	for ; a != nil; a = a.Caller {
		if a.Func.Model && x.reads.writes(a.Func) {
			return true
		}
	}
	return x.wrote
}

// main is the function whose initial state is observed: main, or else the first that the entry
// function calls, constructors apart.
func (x *flattener) main() string {
	entry := x.byName[x.q.Program.Entry]
	name := ""
	for b := range entry.Blocks {
		for _, v := range entry.Blocks[b].Instrs {
			if d := entry.Def(v); d.Op == ir.Call && !slices.Contains(x.q.Program.Constructors, d.Sym) && (name == "" || d.Sym == "main") {
				name = d.Sym
			}
		}
	}
	return name
}

// call has a call inlined; replaced is false if it is left as it is.
func (x *flattener) call(a *inline.Activation, v ir.Value, d *ir.Def) (replaced bool, err error) {
	g := x.byName[d.Sym]
	if g == nil || g.IsDecl() || g.Variadic || len(d.Args) != len(g.Params) || a.Within(g) || x.recursive[g.Name] {
		why := x.forbids(d)
		if why != "" {
			x.unsupported(why)
			x.in.Define(a, v, x.anything(g, d.Type)...)
		}
		return why != "", nil
	}
	first := !x.started
	if x.started && x.events(ltl.CalledAtom, "", g.Name) {
		if err := x.observe(a, d.Pos, func(a ltl.Atom) bool { return event(a, ltl.CalledAtom, "", g.Name) }); err != nil {
			return false, err
		}
	}
	if x.model == 0 {
		x.wrote = false
	}
	returns := false
	if err := x.around(a, g, func() (bool, error) {
		returns, err = x.in.Call(a, v, d, g)
		return returns, err
	}); err != nil {
		return false, err
	}
	wrote := x.model == 0 && x.wrote
	if x.model == 0 {
		x.wrote = false
	}
	if returns && x.started && !first && (x.events(ltl.ReturnedAtom, "", g.Name) || (wrote || hasNamed(g)) && !x.out.steps) {
		return true, x.observe(a, d.Pos, func(a ltl.Atom) bool { return event(a, ltl.ReturnedAtom, "", g.Name) })
	}
	return true, nil
}

// anything are results of a call of g, or of a pointer that gives t, where no run arrives.
func (x *flattener) anything(g *ir.Func, t ir.Type) (results []ir.Value) {
	if g != nil && len(g.Results) > 0 {
		for _, t := range g.Results {
			results = append(results, x.in.Zero(t))
		}
	} else if t.Kind != ir.Void {
		results = append(results, x.in.Zero(t))
	}
	return results
}
