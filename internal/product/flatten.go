package product

import (
	"fmt"
	"slices"

	"assay/internal/bv"
	"assay/internal/ir"
	"assay/internal/ltl"
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
	q      *Question
	b      *ir.Builder
	byName map[string]*ir.Func
	reads  *reads
	active map[string]bool // must be inlined (activity.go)
	loops  map[string]*ir.WTO
	out    *flat
	model  int // the depth of library models around
	wrote  bool
	stack  []*ir.Func
	// started says that main was entered: there are observations from then on.
	started bool
	at      ir.Pos // the observation
}

func flatten(q *Question) (*flat, error) {
	scratch := &ir.Module{PointerBits: q.Program.PointerBits}
	x := &flattener{
		q: q, b: ir.NewFunc(scratch, q.Program.Entry), byName: q.Program.Index().Funcs, loops: map[string]*ir.WTO{},
		out: &flat{steps: q.Step != "" && HasLabel(q.Program, "", q.Step)},
	}
	x.out.main = x.main()
	x.reads = readsOf(q, x.byName)
	x.active = x.activity()
	for _, a := range q.Automaton.Atoms {
		x.b.Var(ir.Var{Name: a.String(), Type: ir.CType{Name: "_Bool", Bits: 1, Bool: true}})
	}
	entry := x.byName[q.Program.Entry]
	x.b.At(x.b.Block("entry"))
	if _, returns, err := x.inline(entry, nil); err != nil {
		return nil, err
	} else if returns {
		if err := x.halt(ir.HaltExit, ir.Pos{}); err != nil {
			return nil, err
		}
	} else {
		x.b.Unreachable()
	}
	x.out.f = x.b.Done()
	return x.out, nil
}

// halt ends the program in the current block.
func (x *flattener) halt(kind ir.HaltKind, pos ir.Pos) error {
	x.at = pos
	values, err := x.atoms(func(ltl.Atom) bool { return false })
	if err != nil {
		return err
	}
	x.b.Emit(ir.Def{Op: ir.Label, Sym: endLabel, Args: values})
	x.b.Halt(kind)
	return nil
}

// atoms appends the evaluation of all atoms; happens says which events take place.
func (x *flattener) atoms(happens func(ltl.Atom) bool) ([]ir.Value, error) {
	var values []ir.Value
	for i, a := range x.q.Automaton.Atoms {
		if x.q.Observers[i] == "" {
			v := uint64(0)
			if happens(a) {
				v = 1
			}
			values = append(values, x.b.Const(1, v))
			continue
		}
		x.b.SetPos(x.at)
		results, _, err := x.inline(x.byName[x.q.Observers[i]], nil)
		if err != nil {
			return nil, err
		}
		x.b.SetPos(x.at)
		values = append(values, x.b.Cmp(ir.Ne, results[0], x.b.Const(x.b.Func.Type(results[0]).Bits, 0)))
	}
	x.b.SetPos(x.at)
	for i, v := range values {
		x.b.Dbg(i, v)
	}
	return values, nil
}

// observe appends an observation.
func (x *flattener) observe(pos ir.Pos, happens func(ltl.Atom) bool) error {
	x.at = pos
	values, err := x.atoms(happens)
	if err != nil {
		return err
	}
	x.b.Emit(ir.Def{Op: ir.Label, Sym: observeLabel, Args: values, Pos: pos})
	return nil
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

// inline appends the body of a function, and leaves the builder where it returns.
func (x *flattener) inline(f *ir.Func, args []ir.Value) (results []ir.Value, returns bool, err error) {
	b := x.b
	observer := x.reads.observer[f.Name]
	if f.Model {
		x.model++
		defer func() { x.model-- }()
	}
	if x.loops[f.Name] == nil {
		x.loops[f.Name] = ir.NewWTO(f)
	}
	x.stack = append(x.stack, f)
	defer func() { x.stack = x.stack[:len(x.stack)-1] }()
	env := make([]ir.Value, len(f.Values))
	for i, p := range f.Params {
		env[p] = args[i]
	}
	vars := len(b.Func.Vars)
	if !observer {
		b.Func.Vars = append(b.Func.Vars, f.Vars...)
	}
	var token ir.Value
	if len(x.stack) > 1 && slices.ContainsFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Alloca || d.Op == ir.VaStart }) {
		token = b.Op(ir.StackSave, x.q.Program.PtrType())
	}
	order := ir.RPO(f)
	starts, ends := make([]ir.BlockID, len(f.Blocks)), make([]ir.BlockID, len(f.Blocks))
	for i, o := range order {
		starts[o] = b.Current()
		if i > 0 {
			starts[o] = b.Block(f.Blocks[o].Name)
		}
	}
	type ret struct {
		from   ir.BlockID
		values []ir.Value
	}
	var exit ir.BlockID
	var rets []ret
	var phis []ir.Value
	operand := func(v ir.Value) ir.Value {
		switch d := f.Def(v); d.Op {
		case ir.Const:
			return b.ConstBV(d.Type, d.Const)
		case ir.Null:
			return b.Null()
		case ir.GlobalAddr:
			return b.GlobalAddr(d.Sym)
		case ir.FuncAddr:
			return b.FuncAddr(d.Sym)
		}
		return env[v]
	}
	extracts := map[ir.Value][]ir.Value{}
	// initial is the observation of the initial state, behind the objects of main.
	initial := !x.started && len(x.stack) == 2 && f.Name == x.main()
	for _, o := range order {
		b.At(starts[o])
		head := x.loops[f.Name].IsHead(o) && !x.out.steps && !x.q.Next && x.started && !observer
		for _, v := range f.Blocks[o].Instrs {
			d := *f.Def(v)
			if observer {
				d.Pos = x.at // an atom is where it is observed
			}
			if len(b.Func.Values) > maxFlat {
				return nil, false, &Error{d.Pos, fmt.Sprintf("the program has more than %d instructions when its calls are inlined", maxFlat)}
			}
			b.SetPos(d.Pos)
			if initial && d.Op != ir.Alloca && d.Op != ir.Dbg && d.Op != ir.LifetimeStart {
				initial, x.started = false, true
				if err := x.observe(d.Pos, func(a ltl.Atom) bool { return event(a, ltl.CalledAtom, "", f.Name) }); err != nil {
					return nil, false, err
				}
				b.SetPos(d.Pos)
			}
			if head && d.Op != ir.Phi {
				head = false
				if x.model > 0 && x.unsettled() {
					x.unsupported("a loop of the library model " + f.Name + ", which may write what an atom reads")
				} else if err := x.observe(f.BlockPos(o), nothing); err != nil {
					return nil, false, err
				}
				b.SetPos(d.Pos)
			}
			switch d.Op {
			case ir.Phi:
				env[v] = b.Phi(d.Type)
				phis = append(phis, v)
				continue
			case ir.Dbg:
				if observer {
					continue
				}
				d.Aux += int64(vars)
			case ir.Extract:
				if list, ok := extracts[d.Args[0]]; ok {
					env[v] = list[d.Aux]
					continue
				}
			case ir.Check:
				kind := ir.CheckKind(d.Aux)
				if observer && (kind == ir.DivByZero || kind == ir.ShiftRange) || kind == ir.Assertion {
					on, off := b.Block("on"), b.Block("off")
					b.CondBr(operand(d.Args[0]), on, off)
					b.At(off)
					if observer {
						b.Emit(ir.Def{Op: ir.Unsupported, Sym: "an atom whose value C does not define: " + d.Sym})
					} else if err := x.halt(ir.HaltAbort, d.Pos); err != nil {
						return nil, false, err
					}
					b.At(on)
					continue
				}
				if observer {
					continue
				}
			case ir.Load:
				if p := operand(d.Args[0]); observer && b.Func.Def(p).Op != ir.GlobalAddr {
					on, off := b.Block("on"), b.Block("off")
					b.CondBr(b.Cmp(ir.ValidRange, p, b.Word(d.Type.Size())), on, off)
					b.At(off)
					b.Emit(ir.Def{Op: ir.Unsupported, Sym: "an atom reads through an invalid pointer"})
					b.At(on)
				}
			case ir.Label:
				if d.Sym == x.q.Step && x.out.steps {
					if err := x.observe(d.Pos, nothing); err != nil {
						return nil, false, err
					}
					continue
				}
				if x.started && x.events(ltl.AtAtom, f.Name, d.Sym) {
					if err := x.observe(d.Pos, func(a ltl.Atom) bool { return event(a, ltl.AtAtom, f.Name, d.Sym) }); err != nil {
						return nil, false, err
					}
				}
			case ir.Call:
				out, done, err := x.call(f, &d, operand)
				if err != nil {
					return nil, false, err
				}
				if done {
					if len(out) > 0 {
						env[v] = out[0]
					}
					extracts[v] = out
					continue
				}
			case ir.Switch:
				if !opens(f, &d) {
					d.Succs = slices.Clone(d.Succs)
					d.Succs[0] = d.Succs[1]
				}
			case ir.Unreachable:
				d = ir.Def{Op: ir.Unsupported, Pos: d.Pos, Sym: "the run ends by undefined behaviour (U8), of which a temporal property says nothing"}
			case ir.Halt:
				if err := x.halt(ir.HaltKind(d.Aux), d.Pos); err != nil {
					return nil, false, err
				}
				continue
			case ir.Ret:
				values := make([]ir.Value, len(d.Args))
				for i, a := range d.Args {
					values[i] = operand(a)
				}
				if exit == 0 {
					exit = b.Block("return")
				}
				rets = append(rets, ret{b.Current(), values})
				b.Br(exit)
				continue
			}
			d.Args = slices.Clone(d.Args)
			for i, a := range d.Args {
				d.Args[i] = operand(a)
			}
			d.Succs = slices.Clone(d.Succs)
			for i, s := range d.Succs {
				d.Succs[i] = starts[s]
			}
			env[v] = b.Emit(d)
			if x.reads.changes(b.Func, env[v]) {
				x.wrote = x.wrote || x.model > 0
				if x.started && !x.out.steps && x.model == 0 && !(x.q.Next && unnamed(f, v)) {
					if err := x.observe(d.Pos, nothing); err != nil {
						return nil, false, err
					}
				}
			}
		}
		ends[o] = b.Current()
	}
	for _, v := range phis {
		d := f.Def(v)
		for i, from := range f.Blocks[d.Block].Preds {
			if ends[from] != 0 {
				b.AddIncoming(env[v], operand(d.Args[i]), ends[from])
			}
		}
	}
	if exit == 0 {
		b.At(b.Block("never"))
		for _, t := range f.Results {
			results = append(results, x.zero(t))
		}
		return results, false, nil
	}
	b.At(exit)
	for i, t := range f.Results {
		p := b.Phi(t)
		for _, r := range rets {
			b.AddIncoming(p, r.values[i], r.from)
		}
		results = append(results, p)
	}
	if token != 0 {
		b.Op(ir.StackRestore, ir.Type{}, token)
	}
	return results, true, nil
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
func (x *flattener) unsettled() bool {
	return x.wrote || slices.ContainsFunc(x.stack, func(f *ir.Func) bool { return f.Model && x.reads.writes(f) })
}

// zero is some value of a type.
func (x *flattener) zero(t ir.Type) ir.Value {
	if t.Kind == ir.Ptr {
		return x.b.Null()
	}
	return x.b.ConstBV(t, bv.New(t.Bits, 0))
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

// call appends a call, done says that it is inlined, or unsupported.
func (x *flattener) call(f *ir.Func, d *ir.Def, operand func(ir.Value) ir.Value) (results []ir.Value, done bool, err error) {
	b := x.b
	g := x.byName[d.Sym]
	inlined := g != nil && !g.IsDecl() && !g.Variadic && len(d.Args) == len(g.Params) && !slices.Contains(x.stack, g) && !x.recursive(g)
	if !inlined {
		if why := x.forbids(d); why != "" {
			x.unsupported(why)
			t := d.Type
			if t.Kind != ir.Void {
				results = append(results, x.zero(t))
			}
			if g != nil && len(g.Results) > 0 {
				results = nil
				for _, t := range g.Results {
					results = append(results, x.zero(t))
				}
			}
			return results, true, nil
		}
		return nil, false, nil
	}
	args := make([]ir.Value, len(d.Args))
	for i, a := range d.Args {
		args[i] = operand(a)
	}
	initial := !x.started
	if x.started && x.events(ltl.CalledAtom, "", g.Name) {
		if err := x.observe(d.Pos, func(a ltl.Atom) bool { return event(a, ltl.CalledAtom, "", g.Name) }); err != nil {
			return nil, false, err
		}
	}
	if x.model == 0 {
		x.wrote = false
	}
	results, returns, err := x.inline(g, args)
	if err != nil {
		return nil, false, err
	}
	b.SetPos(d.Pos)
	wrote := x.model == 0 && x.wrote
	if x.model == 0 {
		x.wrote = false
	}
	if returns && x.started && !initial {
		event := func(a ltl.Atom) bool { return event(a, ltl.ReturnedAtom, "", g.Name) }
		if x.events(ltl.ReturnedAtom, "", g.Name) || wrote && !x.out.steps {
			if err := x.observe(d.Pos, event); err != nil {
				return nil, false, err
			}
		}
	}
	return results, true, nil
}
