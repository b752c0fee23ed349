package absint

// Calls. A context is a chain of call sites; its entry is what the caller
// passes. If a context is entered again with no more than before, its last exit
// is used again. Otherwise it is analysed anew, with the new entry alone while
// that is rare, joined with the old one afterwards.
//
// Recursion: a call of a function that is being analysed does not descend. Its
// entry is joined into that of the active context, and its exit is the summary of
// that context so far, at first "does not return". The active context is repeated
// until neither its entry nor its summary grows [Bourdoncle93, §6 does this for
// programs; here it is the usual fixpoint over summaries]. What was computed
// between the two depends on the summary; analysis.epoch makes it stale when the
// summary changes.

import (
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/program/ir"
)

// callContext is a function in a chain of calls.
type callContext struct {
	fn     *function
	parent *callContext
	site   ir.Value // the call in parent
	callee []*callContext
	frame  *frame

	entry entry
	exit  exit
	in    []state // by block
	edges []state
	parts map[ir.BlockID][]part // of blocks of loops whose states were kept apart

	analyzed bool
	runs     int   // how often it was analysed
	epoch    int64 // of the analysis, at the last run
	// depends says that the exit depends on the summary of a recursive context
	// further up.
	depends   bool
	recursive bool
	grew      bool  // the entry grew while it was being analysed
	part      *Part // see summary.go; then parent is nil
	pass      int   // in which it was analysed
	growths   int   // of the entry
	running   bool
	shared    bool
	summary   exit

	objects []objectID // by number of the site in fn, 0 if not made

	// What recording finds.
	recorded bool
	reached  []bool   // by block
	possible []uint64 // by instruction: kinds of checks that may be violated
	values   []Value  // by value; kind Void if never computed
}

// entry is what a caller passes.
type entry struct {
	args     []Value // parameters, then variadic arguments
	variadic []ir.Type
	mem      store
}

// manyVariadic stands for variadic arguments that differ between calls.
var manyVariadic = []ir.Type{{}}

// exit is what comes back; reached is false if nothing does.
type exit struct {
	reached bool
	results []Value
	mem     store
}

func (a *analysis) newContext(parent *callContext, site ir.Value, fn *function) *callContext {
	c := &callContext{fn: fn, parent: parent, site: site, in: make([]state, len(fn.f.Blocks)), edges: make([]state, len(fn.edgeTo)), objects: make([]objectID, fn.nSite+1)}
	a.contexts = append(a.contexts, c)
	return c
}

// param is the value of a parameter or constant at the entry.
func (c *callContext) param(v ir.Value) Value {
	if i := slices.Index(c.fn.f.Params, v); i >= 0 {
		return c.entry.args[i]
	}
	return c.fn.constants[v]
}

// object is the object that instruction v makes in c.
func (a *analysis) object(c *callContext, v ir.Value, kind objectKind) objectID {
	n := c.fn.sites[v]
	if c.objects[n] == 0 {
		c.objects[n] = a.newObject(object{kind: kind, maker: c, value: v}, c.fn.f.Values[v].Layout)
	}
	return c.objects[n]
}

// analyze computes c.exit for an entry.
func (a *analysis) analyze(c *callContext, args []Value, mem store) {
	a.analyzeEntry(c, entry{args: args, mem: mem})
}

// alone is how often a context is analysed for its new entry alone.
const alone = 60

func (a *analysis) analyzeEntry(c *callContext, e entry) {
	if c.analyzed && c.pass == a.pass && (!c.depends || c.epoch == a.epoch) || c.analyzed && a.recording && a.parts != nil {
		if a.entrySame(&e, &c.entry) || (c.runs > alone || c.shared || a.recording) && a.entryLeq(&e, &c.entry) {
			return
		}
	}
	switch {
	case c.analyzed && (c.runs > alone || c.shared || a.recording):
		e = a.joinEntry(c.fn, c.entry, e, c.runs > 2*alone)
	}
	c.entry, c.pass = e, a.pass
	c.runs++
	a.fixpoint(c)
}

// fixpoint analyses a context from its entry.
func (a *analysis) fixpoint(c *callContext) {
	c.analyzed = true
	c.depends, c.recursive, c.grew = false, false, false
	c.summary = exit{}
	c.recorded = false
	a.active = append(a.active, c)
	recording := a.recording
	a.recording, c.running = false, true
	for round := 0; ; round++ {
		c.epoch = a.epoch
		a.run(c)
		if !c.recursive {
			break
		}
		stable := !c.grew && a.exitLeq(&c.exit, &c.summary)
		if stable {
			c.exit = c.summary
			break
		}
		c.grew = false
		pace := round
		if c.part != nil { // it is the only context, so that more rounds are worth while
			pace = min(round, joinRounds) + max(0, round-joinRounds)/4
		}
		c.summary = a.growExit(c.summary, c.exit, pace)
		a.epoch++
	}
	c.epoch = a.epoch
	a.recording, c.running = recording, false
	a.active = a.active[:len(a.active)-1]
}

// call executes the call v of the function fn: the exit for these arguments.
func (a *analysis) call(c *callContext, v ir.Value, fn *function, e entry) exit {
	if k := a.parts[fn.index]; k != nil {
		x := a.callPart(k, e)
		c.depends = c.depends || k.depends && !k.running
		return x
	}
	for i := len(a.active) - 1; i >= 0 && (i == len(a.active)-1 || a.active[i+1].part == nil); i-- {
		if r := a.active[i]; r.fn == fn {
			return a.recursiveCall(r, i, e)
		}
	}
	callee := a.callee(c, v, fn)
	if a.recording {
		// Contexts are recorded when their callers have been. The states in which
		// they are called are among those that they were analysed for.
		a.analyzeEntry(callee, e)
		if !callee.recorded {
			a.pending = append(a.pending, callee)
		}
		return callee.exit
	}
	a.analyzeEntry(callee, e)
	if callee.depends {
		c.depends = true
	}
	return callee.exit
}

// callee is the context of a call.
func (a *analysis) callee(c *callContext, v ir.Value, fn *function) *callContext {
	for _, k := range c.callee {
		if k.site == v && k.fn == fn {
			return k
		}
	}
	var k *callContext
	if len(a.contexts) >= a.opts.MaxContexts {
		if a.parts != nil {
			panic(giveUp{reason: "there are too many chains of calls"})
		}
		if a.shared[fn.index] == nil {
			a.shared[fn.index] = a.newContext(nil, 0, fn)
			a.shared[fn.index].shared = true
		}
		return a.shared[fn.index]
	}
	k = a.newContext(c, v, fn)
	c.callee = append(c.callee, k)
	return k
}

// recursiveCall is a call of the function of r, which is active number i.
func (a *analysis) recursiveCall(r *callContext, i int, e entry) exit {
	r.recursive = true
	for _, c := range a.active[i+1:] {
		c.depends = true
	}
	if !a.entryLeq(&e, &r.entry) {
		if !r.running { // its facts are final
			panic(giveUp{reason: "a recursive call of " + r.fn.f.Name + " was not stable"})
		}
		r.entry = a.joinEntry(r.fn, r.entry, e, r.grownOften())
		r.grew = true
		a.epoch++
	}
	return r.summary
}

// grownOften says whether it is time to widen the entry.
func (c *callContext) grownOften() bool {
	c.runs++
	return c.runs > 3
}

func (a *analysis) entrySame(x, y *entry) bool {
	return x.mem.root == y.mem.root && slices.Equal(x.args, y.args) && slices.Equal(x.variadic, y.variadic)
}

func (a *analysis) entryLeq(x, y *entry) bool {
	if !slices.Equal(x.variadic, y.variadic) && !slices.Equal(y.variadic, manyVariadic) {
		return false
	}
	for i := range y.args {
		if !a.sets.valueLeq(&x.args[i], &y.args[i]) {
			return false
		}
	}
	return a.memoryLeq(x.mem, y.mem)
}

// joinEntry is an upper bound of two entries. Calls with different variadic
// arguments have none in common: their number is then unknown.
func (a *analysis) joinEntry(fn *function, x, y entry, widen bool) entry {
	n := min(len(x.args), len(y.args))
	out := entry{variadic: x.variadic}
	if !slices.Equal(x.variadic, y.variadic) {
		out.variadic = manyVariadic
		n = len(fn.f.Params)
	}
	out.args = make([]Value, n)
	for i := range out.args {
		if widen {
			out.args[i] = a.sets.widen(&x.args[i], &y.args[i], a.limits, 0)
		} else {
			out.args[i] = a.sets.join(&x.args[i], &y.args[i])
		}
	}
	if widen {
		out.mem = a.widenMemory(x.mem, y.mem, a.limits, 1)
	} else {
		out.mem = a.joinMemory(x.mem, y.mem)
	}
	return out
}

func (a *analysis) exitLeq(x, y *exit) bool {
	if !x.reached {
		return true
	}
	if !y.reached {
		return false
	}
	for i := range x.results {
		if !a.sets.valueLeq(&x.results[i], &y.results[i]) {
			return false
		}
	}
	return a.memoryLeq(x.mem, y.mem)
}

// growExit is an upper bound of the summary x and the exit y.
func (a *analysis) growExit(x, y exit, round int) exit {
	if !x.reached {
		return y
	}
	if !y.reached {
		return x
	}
	stage := 0
	if round > 6 {
		stage = 1
	}
	if round > 12 {
		stage = 2
	}
	out := exit{reached: true, results: make([]Value, len(x.results))}
	for i := range x.results {
		if round < joinRounds {
			out.results[i] = a.sets.join(&x.results[i], &y.results[i])
		} else {
			out.results[i] = a.sets.widen(&x.results[i], &y.results[i], a.limits, stage)
		}
	}
	if round < joinRounds {
		out.mem = a.joinMemory(x.mem, y.mem)
	} else {
		out.mem = a.widenMemory(x.mem, y.mem, a.limits, stage)
	}
	return out
}

// ret adds a return with these results to the exit of c. The objects of the
// frame die: an object to which no pointer can be left is forgotten, so that the
// next one that the same instruction makes is a single one again.
func (a *analysis) ret(c *callContext, results []Value, mem store) {
	for i := range results {
		a.markStored(&results[i])
	}
	for _, o := range c.objects {
		if o == 0 || a.objects[o].kind == heapObject {
			continue
		}
		obj := &a.objects[o]
		life := mem.get(obj.life)
		switch {
		case life == nil:
			continue
		case c.recursive || c.shared || life.Int.Zeros&2 == 0:
			mem = a.setInt(mem, obj.life, absdomain.Top(3))
			continue
		case obj.stored:
			mem = a.setInt(mem, obj.life, goneOnce)
		default:
			mem = mem.set(obj.life, nil).set(obj.size, nil)
		}
		mem = a.forgetContent(mem, o)
	}
	e := exit{reached: true, results: results, mem: mem}
	if c.exit.reached {
		e.results = make([]Value, len(results))
		for i := range results {
			e.results[i] = a.sets.join(&c.exit.results[i], &results[i])
		}
		e.mem = a.joinMemory(c.exit.mem, mem)
	}
	c.exit = e
}

// forgetContent makes the content of o unknown.
func (a *analysis) forgetContent(m store, o objectID) store {
	obj := &a.objects[o]
	m = m.set(obj.pristine, nil).set(obj.smash, nil)
	for _, c := range obj.data {
		m = m.set(c, nil)
	}
	return m
}

// markStored notes that a pointer may outlive its frame.
func (a *analysis) markStored(v *Value) {
	if v.Kind == ir.Ptr && v.Targets != anything {
		for _, o := range a.sets.list[v.Targets] {
			a.objects[o].stored = true
		}
	}
}

// callInstr executes a Call; false if nothing returns.
func (a *analysis) callInstr(c *callContext, v ir.Value, mem *store) bool {
	fr, f := c.frame, c.fn.f
	d := &f.Values[v]
	args := d.Args
	var targets []*function
	unknownTarget := false
	if d.Sym != "" {
		targets = append(targets, a.function(a.index[d.Sym]))
	} else {
		args = args[1:]
		targets, unknownTarget = a.callTargets(c, v)
		if unknownTarget {
			a.violate(c, v, ir.InvalidDeref)
			a.violate(c, v, ir.Incompatible)
			unknownTarget = !a.asked[ir.InvalidDeref] || !a.asked[ir.Incompatible]
		}
	}
	out := exit{}
	join := func(e exit) {
		switch {
		case !e.reached:
		case !out.reached:
			out = e
		default:
			results := make([]Value, max(len(out.results), len(e.results)))
			for i := range results {
				if i < len(out.results) && i < len(e.results) {
					results[i] = a.sets.join(&out.results[i], &e.results[i])
				}
			}
			out = exit{reached: true, results: results, mem: a.joinMemory(out.mem, e.mem)}
		}
	}
	if unknownTarget {
		join(exit{reached: true, mem: *mem})
	}
	for _, fn := range targets {
		if fn.f.IsDecl() { // arbitrary results, nothing changes
			join(exit{reached: true, mem: *mem})
			continue
		}
		e := entry{mem: *mem, args: make([]Value, len(args))}
		for i, x := range args {
			e.args[i] = fr.vals[x]
			if i >= len(fn.f.Params) {
				e.variadic = append(e.variadic, f.Type(x))
			}
		}
		join(a.call(c, v, fn, e))
	}
	if !out.reached {
		return false
	}
	*mem = out.mem
	result := func(v ir.Value, i int) {
		t := f.Type(v)
		if t.Kind == ir.Void {
			return
		}
		fr.vals[v] = topOf(t)
		if i < len(out.results) && out.results[i].Kind == t.Kind && (t.Kind != ir.Int || out.results[i].Int.Width == fr.vals[v].Int.Width) {
			fr.vals[v] = out.results[i]
		}
		a.noteValue(c, v)
	}
	result(v, 0)
	for _, x := range c.fn.extracts[v] {
		result(x, int(f.Values[x].Aux))
	}
	return true
}

// callTargets are the functions that an indirect call may reach; other says
// that it may reach none.
func (a *analysis) callTargets(c *callContext, v ir.Value) (list []*function, other bool) {
	f := c.fn.f
	d := &f.Values[v]
	p := &c.frame.vals[d.Args[0]]
	types := make([]ir.Type, len(d.Args)-1)
	for i := range types {
		types[i] = f.Type(d.Args[i+1])
	}
	fits := func(g *ir.Func) bool {
		if !g.Accepts(types) || d.Type != g.Result(0) {
			return false
		}
		return !slices.ContainsFunc(c.fn.extracts[v], func(x ir.Value) bool { return g.Result(int(f.Values[x].Aux)) != f.Type(x) })
	}
	if a.sets.wild(p.Targets) {
		for i, g := range a.m.Funcs {
			if fits(g) {
				list = append(list, a.function(i))
			}
		}
		return list, true
	}
	for _, o := range a.sets.list[p.Targets] {
		obj := &a.objects[o]
		if obj.kind == functionObject && p.Int.Has(0) && fits(a.m.Funcs[obj.fn]) {
			list = append(list, a.function(obj.fn))
			other = other || !p.Int.Is(0)
		} else {
			other = true
		}
	}
	return list, other
}
