package certify

import (
	"fmt"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file checks contracts of recursive functions.
//
// Functions that call each other, by pointers as well, are a component. A call of
// one of them from outside begins a nest: the activations of the component until
// that call returns. When the encoding arrives at such a call in the state s, it
// becomes
//
//	(1) for each function of the component, an activation in the state "s, but
//	    any on what the nest changes", with any arguments. Its precondition is
//	    assumed. It leads nowhere: at its return the postcondition is claimed;
//	(2) the rest of the run: the state is "s, but any on what the nest changes", and
//	    the results are any that satisfy the postcondition.
//
// Selectors say which of them the run is; (1) is left out at early places. At each
// call of the component the precondition is claimed. A call from within an
// activation of (1) is (2), or, fewer than Depth-1 calls below it, is laid out as it
// is, as an early place, at whose end the postcondition is assumed.
//
// # Soundness
//
// To the proof in induction.go: broken contracts are bad events, too. Let the first
// bad event of a run happen in a nest, and let A be the innermost activation of
// the component around it. Choose the activation (1) that A is: the state with
// which A began is one of "s, but any on what the nest changes", by induction over
// the activations from the first one of the nest to A: what one of them changes
// before it calls the next is found as for loops, by encoding it, comparing its
// state at the call with the one in which it began, and encoding again. Calls
// that A has completed have kept their contracts, for the event is the first; what
// they changed is what the nest changes, for the states at the ends of
// activations are compared, too. So A is laid out up to the event, which is not
// early there. A nest in a nest is chosen in the same way, from the outside in; for
// the innermost nest around the event the nests around it are activations that
// satisfy the same.
//
// Activations may tell each other by more than what is compared here: by
// pointers to their locals. So within a nest
//
//	a pointer argument of a recursive call must be one that points into what an
//	argument of the nest's first call, or a global, is;
//	a pointer that is read from memory, made of an integer, or yielded by undefined behaviour, must point
//	to a known object, and no address may be made of null and a number (what is written to memory that
//	outlives the activation is compared, and there no pointer may change its object).
//
// A local is then reached by its own activation and the functions that it calls
// outside of the component.

// maxDepth bounds the depth of a certificate.
const maxDepth = 8

// nullPage bounds the addresses near 0 where no object is.
const nullPage = 4096

// nest is a call of a component from outside.
type nest struct {
	component int
	changes   map[site]*change
	// mem is the state in which the activations begin.
	mem *memory.State
	// first and args are the function and the arguments of the first call.
	first *ir.Func
	args  []value
	key   nestKey
}

// nestKey names a nest in all encodings.
type nestKey struct {
	context int32
	call    ir.Value
	first   *ir.Func
}

// origin is what a pointer parameter points into: what the nest's argument n
// does, or if that is negative, a global.
type origin struct {
	n      int
	global memory.ObjectID
}

type originKey struct {
	nest  nestKey
	f     *ir.Func
	param int
}

// activation is what a frame of a recursive function knows.
type activation struct {
	nest *nest
	// level counts the calls from the arbitrary activation, which has 0.
	level int
	// mem is the state in which it began.
	mem *memory.State
}

// componentOf numbers the component of a function from 1; 0 if it is not
// recursive.
func (c *checker) componentOf(f *ir.Func) int { return c.induction.components[f] }

// findComponents finds the sets of functions that reach each other by calls, but of those for
// which a contract stands.
func findComponents(m *ir.Module, stands func(*ir.Func) bool) map[*ir.Func]int {
	index := map[string]int{}
	for i, f := range m.Funcs {
		index[f.Name] = i
	}
	var pointed []int
	point := func(name string) {
		if i, ok := index[name]; ok && !slices.Contains(pointed, i) {
			pointed = append(pointed, i)
		}
	}
	for _, g := range m.Globals {
		for _, r := range g.Relocs {
			point(r.Target)
		}
	}
	for _, f := range m.Funcs {
		for v := range f.Values {
			if f.Values[v].Op == ir.FuncAddr {
				point(f.Values[v].Sym)
			}
		}
	}
	succs, preds := make([][]int, len(m.Funcs)), make([][]int, len(m.Funcs))
	edge := func(i, k int) {
		if !stands(m.Funcs[k]) {
			succs[i], preds[k] = append(succs[i], k), append(preds[k], i)
		}
	}
	for i, f := range m.Funcs {
		for v := range f.Values {
			switch d := &f.Values[v]; {
			case d.Op != ir.Call:
			case d.Sym == "":
				for _, k := range pointed {
					edge(i, k)
				}
			default:
				if k, ok := index[d.Sym]; ok {
					edge(i, k)
				}
			}
		}
	}
	from := func(start []int, next [][]int) []bool {
		seen := make([]bool, len(next))
		for work := slices.Clone(start); len(work) > 0; {
			i := work[len(work)-1]
			work = work[:len(work)-1]
			if !seen[i] {
				seen[i] = true
				work = append(work, next[i]...)
			}
		}
		return seen
	}
	of := map[*ir.Func]int{}
	n := 0
	for i, f := range m.Funcs {
		if of[f] != 0 || len(succs[i]) == 0 || len(preds[i]) == 0 {
			continue
		}
		after := from(succs[i], succs)
		if !after[i] {
			continue
		}
		before := from([]int{i}, preds)
		n++
		for k, g := range m.Funcs {
			if after[k] && before[k] {
				of[g] = n
			}
		}
	}
	return of
}

// takeContracts checks the form of the contracts of a certificate: those of recursive functions, or if
// functions are parts of the proof, of any (parts.go).
func (ind *induction) takeContracts(m *ir.Module, depth int, contracts []invariant.Contract, parts bool) (wrong string) {
	if depth > maxDepth {
		return fmt.Sprintf("the depth is %d", depth)
	}
	ind.depth = max(1, depth)
	ind.components = findComponents(m, func(f *ir.Func) bool {
		return parts && slices.ContainsFunc(contracts, func(k invariant.Contract) bool { return k.Func == f.Name })
	})
	for i := range contracts {
		k := &contracts[i]
		f := m.Func(k.Func)
		if f == nil || f.IsDecl() {
			return k.Func + " has no body"
		}
		if parts {
			if why := noPart(f); why != "" {
				return "a contract of " + k.Func + ", which " + why
			}
		} else if ind.components[f] == 0 {
			return "a contract of " + k.Func + ", which is not recursive"
		}
		for post, list := range [][]invariant.Predicate{k.Pre, k.Post} {
			for _, p := range list {
				if why := illFormedClause(m, f, post == 1, p); why != "" {
					return "contract of " + k.Func + ": " + why
				}
			}
		}
		c := ind.contracts[f]
		c.Pre, c.Post = append(c.Pre, k.Pre...), append(c.Post, k.Post...)
		ind.contracts[f] = c
	}
	return ""
}

// illFormedClause says what is wrong with a predicate of a contract, if anything
// is.
func illFormedClause(m *ir.Module, f *ir.Func, post bool, p invariant.Predicate) string {
	if why := wrongForm(p); why != "" {
		return why
	}
	switch p := p.(type) {
	case invariant.Comparison:
		return illFormedSummands(m, f, post, p.Terms)
	case invariant.Guarded:
		for _, c := range p.If {
			if why := illFormedSummands(m, f, post, c.Terms); why != "" {
				return why
			}
		}
		return illFormedClause(m, f, post, p.Then)
	}
	return fmt.Sprintf("a clause of a contract is a %T", p)
}

// illFormedSummands says what is wrong with summands of a contract, if anything is.
func illFormedSummands(m *ir.Module, f *ir.Func, post bool, terms []invariant.Term) string {
	for _, t := range terms {
		switch {
		case t.Index || t.Stride != 0 || t.Cell:
			return "a summand is an element"
		case t.Bits < 1 || t.Bits > 64:
			return fmt.Sprintf("a summand has %d bits", t.Bits)
		case t.Global != "":
			if !inGlobal(m, t) {
				return "a summand is not in a global " + t.Global
			}
			if !post && !t.Old {
				return "a precondition is about the end"
			}
		case t.Value == 0:
			if !post || len(f.Results) == 0 || f.Results[0] != ir.IntType(t.Bits) {
				return fmt.Sprintf("there is no result of %d bits", t.Bits)
			}
		case !slices.Contains(f.Params, t.Value) || f.Type(t.Value) != ir.IntType(t.Bits):
			return fmt.Sprintf("value %d is no parameter of %d bits", t.Value, t.Bits)
		}
	}
	return ""
}

// inGlobal says whether a summand is an integer in a global.
func inGlobal(m *ir.Module, t invariant.Term) bool {
	g := m.Global(t.Global)
	return g != nil && t.Bits >= 1 && t.Bits <= 64 && t.Offset <= g.Size && g.Size-t.Offset >= uint64(t.Bits+7)/8
}

// ofGlobal reads the integer of a summand in a global.
func (c *checker) ofGlobal(fr *frame, mem *memory.State, t invariant.Term, at ir.Value, guard term.ID) (bits, there term.ID) {
	o, ok := c.sp.Symbol(t.Global)
	if !ok {
		panic("certify: a predicate is about the unknown global " + t.Global)
	}
	y, valid := mem.Load(c.key(0), c.sp.Pointer(o, c.word(t.Offset)), (t.Bits+7)/8, false, guard)
	c.gaveUpAt(fr, at, guard)
	return c.st.Extract(y.Bits, t.Bits-1, 0), valid
}

// exchange is a call: what a contract is about.
type exchange struct {
	f          *ir.Func
	args       []value
	results    []value
	before, at *memory.State
}

// keeps says whether a call satisfies some clauses.
func (c *checker) keeps(fr *frame, clauses []invariant.Predicate, x *exchange, guard term.ID) term.ID {
	all := c.st.True()
	operand := func(t invariant.Term) (bits, there term.ID) {
		switch {
		case t.Global != "":
			mem := x.at
			if t.Old {
				mem = x.before
			}
			return c.ofGlobal(fr, mem, t, c.blockValue(fr.fn, 1), guard)
		case t.Value == 0:
			return x.results[0].Bits, c.st.True()
		}
		return x.args[slices.Index(x.f.Params, t.Value)].Bits, c.st.True()
	}
	for _, p := range clauses {
		all = c.st.And(all, c.holds(p, operand))
	}
	return all
}

// recursive encodes a call of a function of a component. What is to be entered for it
// is put before the other ways of the call.
func (c *checker) recursive(fr *frame, call *pendingCall, w way) {
	f := w.fn.f
	st, ind := c.st, c.induction
	leaveOpen := func(why string) {
		c.claim(uncovered, fr, w.guard, call.v, "the recursive function %s %s", f.Name, why)
	}
	if f.Variadic {
		leaveOpen("has variable arguments")
		return
	}
	for _, t := range f.Results {
		if t.Kind == ir.Ptr {
			leaveOpen("returns a pointer")
			return
		}
	}
	component := c.componentOf(f)
	inner := fr.nest != nil && fr.nest.component == component
	n := fr.nest
	if !inner {
		n = &nest{component: component, first: f, args: call.args, key: nestKey{fr.context, call.v, f}}
		if n.changes = ind.nests[n.key]; n.changes == nil {
			n.changes = map[site]*change{}
			ind.nests[n.key] = n.changes
		}
		for i, a := range call.args {
			if f.Type(f.Params[i]).Kind == ir.Ptr && !c.certain(a.Value) {
				leaveOpen("gets a pointer that may point anywhere")
				return
			}
		}
	} else if fr.activation == nil {
		panic("certify: a function outside of a component calls into it")
	} else if fr.activation.level == 0 {
		c.compareMemory(fr, n.changes, n.mem, w.mem, w.guard, call.v, true, false)
		if why := c.passes(n, f, call.args); why != "" {
			leaveOpen(why)
			return
		}
	}
	x := exchange{f: f, args: call.args, before: w.mem}
	pre := c.keeps(fr, ind.contracts[f].Pre, &x, w.guard)
	c.claim(violation, fr, st.And(w.guard, st.Not(pre)), call.v, "contract: a call of %s breaks its precondition", f.Name)
	w.guard = st.And(w.guard, pre)
	if inner {
		if level := fr.activation.level + 1; level < ind.depth {
			w.args, w.activation = call.args, &activation{nest: n, level: level, mem: w.mem.Fork()}
			call.ways = slices.Insert(call.ways, 0, w)
			return
		}
		c.stands(fr, call, n.changes, w)
		return
	}
	n.mem = w.mem.Fork()
	c.forgetMemory(fr, n.changes, st.True(), n.mem, w.guard, call.v)
	var bodies []way
	for _, g := range c.m.Funcs {
		if c.componentOf(g) != component || g.IsDecl() {
			continue
		}
		args, ok := c.anyArguments(n, g)
		if !ok {
			continue // not called in this nest
		}
		sel := st.Fresh("activation", term.Bool())
		guard := st.And(w.guard, st.And(sel, st.Not(fr.early())))
		w.guard = st.And(w.guard, st.Not(sel))
		y := exchange{f: g, args: args, before: n.mem}
		guard = st.And(guard, c.keeps(fr, ind.contracts[g].Pre, &y, guard))
		if st.IsFalse(guard) {
			continue
		}
		bodies = append(bodies, way{fn: c.function(g), guard: guard, mem: n.mem.Fork(), args: args, activation: &activation{nest: n, mem: n.mem.Fork()}})
	}
	call.ways = append(bodies, call.ways...)
	c.stands(fr, call, n.changes, w)
}

// passes compares the pointers that an activation passes on with what is known
// of the nest; it says what is wrong, if anything is.
func (c *checker) passes(n *nest, f *ir.Func, args []value) string {
	for i, p := range f.Params {
		if f.Type(p).Kind != ir.Ptr {
			continue
		}
		key := originKey{n.key, f, i}
		if o, ok := c.origin(n, f, i); ok {
			if c.into(n, o) != args[i].Object {
				return "gets pointers to several objects"
			}
			continue
		}
		found := false
		for k, a := range n.args {
			if n.first.Type(n.first.Params[k]).Kind == ir.Ptr && a.Object == args[i].Object {
				c.induction.origins[key], found = origin{n: k}, true
				break
			}
		}
		if o, ok := c.st.ConstUint64(args[i].Object); !found && ok && o != 0 && c.sp.Object(memory.ObjectID(o)).Kind == memory.GlobalObject {
			c.induction.origins[key], found = origin{-1, memory.ObjectID(o)}, true
		}
		if !found {
			return "gets a pointer to an object of the recursion"
		}
		c.induction.grew = true
	}
	return ""
}

// origin is that of a parameter, if it is known: the first function's are.
func (c *checker) origin(n *nest, f *ir.Func, param int) (origin, bool) {
	if f == n.first {
		return origin{n: param}, true
	}
	o, ok := c.induction.origins[originKey{n.key, f, param}]
	return o, ok
}

// into is the object, a term.
func (c *checker) into(n *nest, o origin) term.ID {
	if o.n < 0 {
		return c.sp.Pointer(o.global, c.word(0)).Object
	}
	return n.args[o.n].Object
}

// anyArguments are those of any activation of g in a nest.
func (c *checker) anyArguments(n *nest, g *ir.Func) (args []value, ok bool) {
	for i, p := range g.Params {
		t := g.Type(p)
		if t.Kind != ir.Ptr {
			x := c.arbitrary(t)
			x.loose = t.Kind == ir.Float
			args = append(args, x)
			continue
		}
		o, ok := c.origin(n, g, i)
		if !ok {
			return nil, false
		}
		offset := c.st.Fresh("argument", term.BitVec(c.m.PointerBits))
		args = append(args, value{Value: memory.Value{Object: c.into(n, o), Offset: offset}})
	}
	return args, true
}

// stands lets the contract stand for a call that changes something.
func (c *checker) stands(fr *frame, call *pendingCall, changes map[site]*change, w way) {
	f := w.fn.f
	x := exchange{f: f, args: call.args, before: w.mem.Fork(), at: w.mem}
	c.forgetMemory(fr, changes, c.st.True(), w.mem, w.guard, call.v)
	for _, t := range f.Results {
		r := c.arbitrary(t)
		r.loose = t.Kind == ir.Float
		x.results = append(x.results, r)
	}
	e := edge{guard: w.guard, mem: w.mem, values: c.values(len(call.results))}
	for i, t := range call.results {
		if t.Kind != ir.Void {
			e.values[i] = x.results[i]
		}
	}
	e.guard = c.st.And(e.guard, c.keeps(fr, c.induction.contracts[f].Post, &x, w.guard))
	call.back = append(call.back, e)
}

// ended is the end of an activation: e is the way back to the caller. It says
// whether there is one.
func (c *checker) ended(fr *frame, e edge) (edge, bool) {
	a := fr.activation
	f := fr.fn.f
	x := exchange{f: f, results: e.values, before: a.mem, at: e.mem}
	for _, p := range f.Params {
		x.args = append(x.args, fr.env[p])
	}
	post := c.keeps(fr, c.induction.contracts[f].Post, &x, e.guard)
	if a.level > 0 {
		e.guard = c.st.And(e.guard, post)
		return e, true
	}
	at := c.blockValue(fr.fn, 1)
	c.claim(violation, fr, c.st.And(e.guard, c.st.Not(post)), at, "contract: %s breaks its postcondition", f.Name)
	c.compareMemory(fr, a.nest.changes, a.nest.mem, e.mem, e.guard, at, false, false)
	return e, false
}

// contracted says whether a frame belongs to a function for which a contract stands elsewhere.
func (c *checker) contracted(fr *frame) bool { return fr.nest != nil || c.inBody() }

// certain says whether a pointer is one to known objects, or null.
func (c *checker) certain(p memory.Value) bool {
	st := c.st
	if o, ok := st.ConstUint64(p.Object); ok {
		address, isConst := st.ConstUint64(p.Offset)
		return o != 0 || isConst && address < nullPage
	}
	if st.Op(p.Object) != term.OpIte {
		return false
	}
	part := func(i int) bool {
		o := st.Arg(p.Object, i)
		off := p.Offset
		if st.Op(off) == term.OpIte && st.Arg(off, 0) == st.Arg(p.Object, 0) {
			off = st.Arg(off, i)
		}
		return c.certain(memory.Value{Object: o, Offset: off})
	}
	return part(1) && part(2)
}

// based claims of a pointer that is computed in a nest that it is not one of null and a number, which
// may be any address.
func (c *checker) based(fr *frame, v ir.Value) {
	if !c.contracted(fr) {
		return
	}
	st, p := c.st, fr.get(v).Value
	bare := st.And(st.Eq(p.Object, c.sp.Null().Object), st.Not(st.ULt(p.Offset, c.word(nullPage))))
	c.claim(uncovered, fr, st.And(fr.guard, bare), v, "a function with a contract makes an address of null and a number")
}

// known claims of a pointer that comes up in a nest that it is certain.
func (c *checker) known(fr *frame, v ir.Value) {
	if c.contracted(fr) && fr.typeOf(v).Kind == ir.Ptr && !c.certain(fr.get(v).Value) {
		c.claim(uncovered, fr, fr.guard, v, "a function with a contract uses a pointer that may point anywhere")
	}
}
