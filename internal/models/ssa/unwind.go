package ssa

import (
	"context"
	"fmt"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
	"assay/internal/run/pause"
	"assay/internal/run/work"
)

// Options say what the formula is for.
type Options struct {
	// Targets are the kinds of events that the property excludes.
	Targets []ir.CheckKind
	// All keeps the run going after a violation, so that every check can be
	// decided on its own; otherwise a violation ends the run.
	All bool
	// Label is the C label that ErrorLabel means.
	Label string
	// Probes are instructions, by function, at which values are recorded each time
	// they are encoded. The values must be operands of instructions there, or
	// results of the same block.
	Probes map[string]map[ir.Value][]ir.Value
	// Memory are the probes that take down the state of memory, too.
	Memory map[string]map[ir.Value]bool
	// Observe, if set, is told the memory at labels that the entry function
	// passes, with the condition and the number of choices made before.
	Observe func(label string, guard term.ID, mem *memory.State, choices int)
	// MaxOperations bounds the operations that one encoding adds; 0 is no bound.
	MaxOperations int
}

// TooLarge is the error of an encoding that reached Options.MaxOperations, at
// the instruction where it did.
type TooLarge struct {
	Operations int
	Pos        ir.Pos
}

func (e *TooLarge) Error() string {
	return fmt.Sprintf("the formula has more than %d operations", e.Operations)
}

// countedTerms is after how many new terms the context is looked at, at the latest.
const countedTerms = 2000

// Unwinder encodes a program at growing depths. It belongs to one goroutine.
type Unwinder struct {
	counted int // terms whose work is counted

	m    *ir.Module
	st   *term.Store
	sp   *memory.Space
	opts Options

	target    [64]bool
	functions map[*ir.Func]*function
	byName    map[string]*ir.Func
	interned  map[internKey]uint32
	free      map[memory.Key]term.ID
	init      *memory.State
	external  []Choice

	// Bounds are the unwindings given to each loop; Default to the others.
	Bounds  map[Loop]int
	Default int
	// FreeInstructions bounds the work spent on iterations that cost nothing
	// because constants decide them (see Unwinder.charge).
	FreeInstructions int64
	// FreeTerms bounds the terms, constants apart, that such iterations add to one
	// encoding: what is decided by constants may still compute with what is not.
	FreeTerms int
	// MaxInstructions bounds the work of one encoding.
	MaxInstructions int64

	ctx    context.Context
	out    *Formula
	before int // operations before this encoding
	probe  int // the probe of the instruction under way, from 1
	frame  *frame
	value  ir.Value // the instruction under way, in frame
	walked uint32   // blocks begun by paths
}

// New prepares a module.
func New(m *ir.Module, st *term.Store, opts Options) *Unwinder {
	u := &Unwinder{
		m: m, st: st, sp: memory.NewSpace(st, m.PointerBits), opts: opts,
		functions: map[*ir.Func]*function{}, byName: map[string]*ir.Func{},
		interned: map[internKey]uint32{}, free: map[memory.Key]term.ID{},
		Bounds: map[Loop]int{}, Default: 1, FreeInstructions: 1 << 21, FreeTerms: 1 << 10, MaxInstructions: 1 << 26,
	}
	if u.opts.Label == "" {
		u.opts.Label = "ERROR"
	}
	u.sp.Numbers(m)
	for _, k := range opts.Targets {
		u.target[k] = true
	}
	u.init = memory.NewState(u.sp)
	for _, f := range m.Funcs {
		u.byName[f.Name] = f
		u.sp.AddFunction(f)
	}
	for i, g := range m.Globals {
		o := u.sp.AddGlobal(g)
		gen := memory.Generation(0)
		if g.External {
			gen = u.sp.Generation(memory.Key{Value: ir.Value(-1 - i)}, g.Size)
			u.external = append(u.external, Choice{Guard: st.True(), Func: g.Name, Content: gen, Object: o})
		}
		u.init.CreateGlobal(o, g.External, gen)
	}
	return u
}

// Space is the table of the program's objects.
func (u *Unwinder) Space() *memory.Space { return u.sp }

// Externals are the contents of the globals without initialiser: choices of
// the initial state, named by Func.
func (u *Unwinder) Externals() []Choice { return u.external }

// Encode encodes the program at the present bounds. The error is the context's
// or a *TooLarge.
func (u *Unwinder) Encode(ctx context.Context) (*Formula, error) {
	u.out, u.before = &Formula{Unwound: map[Loop]int{}}, u.st.Operations()
	u.sp.Begin()
	entry, ok := u.byName[u.m.Entry]
	if !ok {
		panic("ssa: the module has no entry function " + u.m.Entry)
	}
	u.ctx = ctx
	err := u.st.Watched(u.limits, func() {
		if out, ok := u.call(&frame{fn: u.function(entry)}, edge{g: root(u.st), mem: u.init.Fork()}, nil, nil); ok {
			u.out.Returns, u.out.Results, u.out.Memory = out.g.all, out.values, out.mem
		}
		u.out.Facts = u.sp.Facts()
	})
	if err != nil {
		return nil, err
	}
	u.out.Spent = u.spent()
	return u.out, nil
}

// limits is the error of an encoding that has to end.
func (u *Unwinder) limits() error {
	if n := u.opts.MaxOperations; n != 0 && u.st.Operations()-u.before > n {
		return &TooLarge{n, u.userPos(u.frame, u.value)}
	}
	return u.ctx.Err()
}

// call runs a function in a new frame; the result joins its returns, ok is
// false if it never returns.
func (u *Unwinder) call(fr *frame, in edge, args []memory.Value, types []ir.Type) (out edge, ok bool) {
	fn := fr.fn
	fr.entry, fr.env = in.g, make([]memory.Value, len(fn.f.Values))
	for i, p := range fn.f.Params {
		fr.env[p] = args[i]
	}
	if n := len(fn.f.Params); len(args) > n {
		fr.varargs, fr.varTypes = args[n:], types[n:]
	}
	fr.pending = []*instance{{block: 1, iters: make([]int32, len(fn.nest[1])), charged: make([]int32, len(fn.nest[1])), edges: []edge{{in.g, in.mem, nil}}}}
	for c := fr.caller; c != nil; c = c.caller {
		if c.fn == fn {
			if u.recursion(fr, c, in) {
				return edge{}, false
			}
			break
		}
	}
	for len(fr.pending) > 0 {
		x := fr.pending[0]
		fr.pending = fr.pending[1:]
		u.instance(fr, x)
	}
	if len(fr.returns) == 0 {
		return edge{}, false
	}
	out = u.join(fr.returns)
	if fr.caller != nil {
		for _, o := range fr.objects {
			out.mem.Remove(o)
		}
	}
	return out, true
}

// recursion counts an activation against the bound of its function, unless no
// open condition lies between it and the activation around it.
func (u *Unwinder) recursion(fr, outer *frame, in edge) (stop bool) {
	fr.charged, fr.nested = outer.charged, outer.nested+1
	if in.g.all != outer.entry.all || u.spent() || fr.nested > maxFreeNesting {
		fr.charged++
	}
	loop := Loop{Func: fr.fn.f.Name}
	if u.limit(loop, fr.charged, in.g, fr.fn.f.Pos) {
		return true
	}
	u.unwound(loop, fr.nested)
	return false
}

// spent says whether the work on free iterations is used up.
func (u *Unwinder) spent() bool {
	return u.out.Instructions > u.FreeInstructions || u.st.Operations()-u.before > u.FreeTerms
}

// maxFreeNesting bounds recursion that constants decide: the encoder recurses
// with the program.
const maxFreeNesting = 4000

func (u *Unwinder) unwound(loop Loop, n int) {
	if n > u.out.Unwound[loop] {
		u.out.Unwound[loop] = n
	}
}

// limit records that the unwinding stops here, if it does.
func (u *Unwinder) limit(loop Loop, charged int, g *guard, pos ir.Pos) bool {
	if !u.exceeds(loop, charged) {
		return false
	}
	u.out.Limits = append(u.out.Limits, Limit{Cond: g.all, Loop: loop, Pos: pos, Count: charged, Forced: u.out.Instructions > u.MaxInstructions})
	return true
}

// charge decides whether the iteration that ends at x's back edge counts
// against the bound. It does not if a branch that leaves the loop was decided
// by constants in it and none was open: such loops run in the simplifier, and
// cost no solver call.
func (u *Unwinder) charge(fr *frame, x *instance) (stop bool) {
	nest := fr.fn.nest[x.block]
	n := len(nest) - 1
	if n < 0 || nest[n] != x.block || x.iters[n] == 0 {
		return false
	}
	charge := true
	if n < len(fr.levels) && fr.levels[n].head == x.block {
		l := fr.levels[n]
		charge = !l.constExit || l.openExit
	}
	if charge || u.spent() {
		x.charged[n]++
	}
	loop := Loop{Func: fr.fn.f.Name, Head: x.block}
	if u.exceeds(loop, int(x.charged[n])) && u.limit(loop, int(x.charged[n]), u.joinGuard(x.edges), u.blockPos(fr.fn, x.block)) {
		return true
	}
	u.unwound(loop, int(x.iters[n]))
	return false
}

// exceeds says whether the unwinding stops at a count.
func (u *Unwinder) exceeds(loop Loop, charged int) bool {
	bound, ok := u.Bounds[loop]
	if !ok {
		bound = u.Default
	}
	return charged > bound || u.out.Instructions > u.MaxInstructions
}

func (u *Unwinder) joinGuard(edges []edge) *guard {
	ways := make([]edge, len(edges))
	for i, e := range edges {
		ways[i] = edge{g: e.g}
	}
	return u.join(ways).g
}

// blockPos is the position of the first instruction of a block that has one.
func (u *Unwinder) blockPos(fn *function, b ir.BlockID) ir.Pos {
	for _, v := range fn.f.Blocks[b].Instrs {
		if p := fn.f.Values[v].Pos; p.Line != 0 {
			return p
		}
	}
	return fn.f.Pos
}

// enter makes the levels of fr those of x.
func (fr *frame) enter(x *instance) {
	nest := fr.fn.nest[x.block]
	for i, h := range nest {
		if i < len(fr.levels) && fr.levels[i].head == h && fr.levels[i].iter == x.iters[i] {
			continue
		}
		fr.levels = append(fr.levels[:i], level{head: h, iter: x.iters[i]})
	}
	fr.levels = fr.levels[:len(nest)]
}

// instance encodes one instance.
func (u *Unwinder) instance(fr *frame, x *instance) {
	if u.charge(fr, x) {
		return
	}
	fr.enter(x)
	fr.current, fr.id = x, 0
	u.out.Blocks++
	if u.out.Blocks&255 == 0 {
		pause.Wait(u.ctx)
	}
	if n := u.st.Len(); u.out.Blocks&255 == 0 || n-u.counted >= countedTerms {
		work.Charge(u.ctx, int64(n-u.counted)*work.Term)
		u.counted = n
		if u.ctx.Err() != nil {
			u.st.Abandon(u.ctx.Err())
		}
	}
	in := u.join(x.edges)
	if u.st.IsFalse(in.g.all) {
		return
	}
	phis := fr.fn.phis[x.block]
	for i, v := range phis {
		fr.env[v] = in.values[i]
	}
	for i, v := range fr.fn.live[x.block] {
		fr.env[v] = in.values[len(phis)+i]
	}
	s := &step{u: u, fr: fr, g: in.g, mem: in.mem}
	instrs := fr.fn.f.Blocks[x.block].Instrs
	u.out.Instructions += int64(len(instrs))
	for _, v := range instrs[len(phis):] {
		u.frame, u.value = fr, v
		if !s.instr(v) {
			return
		}
	}
}

// event records an event under g ∧ cond and returns whether the run goes on.
func (u *Unwinder) event(fr *frame, g *guard, cond term.ID, kind ir.CheckKind, text string, v ir.Value) *guard {
	if u.st.IsFalse(cond) {
		return g
	}
	c := u.st.And(g.all, cond)
	if u.st.IsFalse(c) || g.excludes(u.st, cond) {
		return g
	}
	f := fr.fn.f
	e := Event{Cond: c, Under: g, If: cond, Value: v, Probe: u.probe, Guard: verdict.Guard{Kind: kind, Text: text, Func: f.Name, Pos: u.userPos(fr, v)}}
	if !u.target[kind] {
		u.out.Unclean = append(u.out.Unclean, e)
		return g
	}
	u.out.Violations = append(u.out.Violations, e)
	if u.opts.All {
		return g
	}
	return g.and(u.st, u.st.Not(cond))
}

// userPos is the position of an instruction, or of the call that led into a
// library model.
func (u *Unwinder) userPos(fr *frame, v ir.Value) ir.Pos {
	pos := fr.fn.f.Values[v].Pos
	for fr.fn.f.Model && fr.caller != nil {
		fr = fr.caller
		pos = fr.callPos
	}
	return pos
}

// obstacle records that the encoding is not exact under g ∧ cond.
func (u *Unwinder) obstacle(fr *frame, g *guard, cond term.ID, over bool, cause verdict.Cause, v ir.Value, format string, args ...any) {
	c := u.st.And(g.all, cond)
	if u.st.IsFalse(c) {
		return
	}
	u.out.Obstacles = append(u.out.Obstacles, Obstacle{Cond: c, Under: g, If: cond, OverApproximated: over, Reason: verdict.Reason{
		Cause: cause, Text: fmt.Sprintf(format, args...), Func: fr.fn.f.Name, Pos: u.userPos(fr, v),
	}})
}
