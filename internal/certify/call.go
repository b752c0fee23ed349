package certify

import (
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file encodes calls. A call through a pointer is a case split over the
// functions that the pointer may point to: one activation after the other is
// entered from the same place, and the edges that come back are joined.

// pendingCall is a call whose activations are under way or still to be made.
type pendingCall struct {
	v       ir.Value
	pos     ir.Pos
	args    []value
	types   []ir.Type
	results []ir.Type // what the call expects
	ways    []way     // still to be entered
	back    []edge    // that have come back
}

// way is a function that a call may enter.
type way struct {
	fn    *function
	guard term.ID
	mem   *memory.State
	// activation is set, and so are the arguments, in a nest; see recursion.go.
	activation *activation
	args       []value
}

// calls starts a call. Afterwards the frame has a pending call, or has its
// results, or the run does not go on.
func (c *checker) calls(fr *frame, d *ir.Def, v ir.Value) (goesOn bool, err error) {
	fr.call = c.prepare(fr, d, v)
	return true, c.resume(fr)
}

// prepare finds the ways of a call.
func (c *checker) prepare(fr *frame, d *ir.Def, v ir.Value) *pendingCall {
	call := &pendingCall{v: v, pos: d.Pos, results: fr.expected(d, v)}
	args := d.Args
	if d.Sym == "" {
		args = args[1:]
	}
	for _, a := range args {
		call.args = append(call.args, fr.get(a))
		call.types = append(call.types, fr.typeOf(a))
	}
	if d.Sym == "" {
		c.split(fr, d, call)
	} else if f := c.byName[d.Sym]; f == nil || f.IsDecl() {
		c.claim(obstacle, fr, fr.guard, v, "%s is called, which has no body", d.Sym)
	} else if !compatible(f, call.types, call.results) {
		c.claim(obstacle, fr, fr.guard, v, "%s is called with wrong arguments", d.Sym)
	} else {
		call.ways = append(call.ways, way{fn: c.function(f), guard: fr.guard, mem: fr.mem})
	}
	return call
}

// expected are the types of the results that a call must yield: as many as
// somebody reads.
func (fr *frame) expected(d *ir.Def, v ir.Value) []ir.Type {
	if d.Type.Kind == ir.Void {
		return nil
	}
	types := []ir.Type{d.Type}
	further := fr.fn.further[v]
	if len(further) == 0 {
		return types
	}
	for i := range fr.fn.f.Values {
		if e := &fr.fn.f.Values[i]; e.Op == ir.Extract && e.Args[0] == v {
			for int64(len(types)) <= e.Aux {
				types = append(types, ir.Type{})
			}
			types[e.Aux] = e.Type
		}
	}
	return types
}

// split finds the ways of a call through a pointer. Where it points to no function,
// the behaviour is undefined: the call yields any values and changes nothing. What a
// function of another type does is not known.
func (c *checker) split(fr *frame, d *ir.Def, call *pendingCall) {
	st := c.st
	none, other := st.False(), st.False() // it points to no function, or to one of another type
	fr.mem.TargetsWithFunctions(c.operand(fr, d, 0).Value, fr.guard, func(o memory.ObjectID, cond, offset term.ID) {
		ob := c.sp.Object(o)
		ok := st.False()
		if o != 0 && ob.Kind == memory.FunctionObject {
			ok = st.And(cond, st.Eq(offset, c.word(0)))
		}
		none = st.Or(none, st.And(cond, st.Not(ok)))
		if !st.IsFalse(ok) && !compatible(ob.Func, call.types, call.results) {
			other = st.Or(other, ok)
			return
		}
		g := st.And(fr.guard, ok)
		if st.IsFalse(g) {
			return
		}
		f := ob.Func
		if f.IsDecl() {
			c.claim(obstacle, fr, g, call.v, "%s is called, which has no body", f.Name)
			return
		}
		call.ways = append(call.ways, way{fn: c.function(f), guard: g})
	})
	c.gaveUp(fr, call.v)
	bad := st.False()
	if !c.stops(ir.InvalidDeref) {
		bad = none
	}
	if !c.stops(ir.Incompatible) {
		bad = st.Or(bad, other)
		c.claim(obstacle, fr, st.And(fr.guard, other), call.v, "a "+ir.MistypedCall)
	}
	before := fr.guard
	c.undefined(fr, call.v, ir.InvalidDeref, none, "a call through a pointer that points to no function")
	c.undefined(fr, call.v, ir.Incompatible, other, "a "+ir.MistypedCall)
	for i := range call.ways {
		call.ways[i].mem = fr.mem.Fork()
	}
	if g := st.And(before, bad); !st.IsFalse(g) {
		e := edge{guard: g, mem: fr.mem.Fork(), values: c.values(len(call.results))}
		for i, t := range call.results {
			if t.Kind != ir.Void {
				e.values[i] = c.arbitrary(t)
				if t.Kind == ir.Ptr && c.contracted(fr) {
					c.claim(uncovered, fr, g, call.v, "a function with a contract uses a pointer that may point anywhere")
				}
			}
		}
		call.back = append(call.back, e)
	}
}

// resume goes on with the pending call of a frame: it enters the next way, or
// if there is none left, joins what came back.
func (c *checker) resume(fr *frame) error {
	call := fr.call
	for len(call.ways) > 0 {
		w := call.ways[0]
		call.ways = call.ways[1:]
		switch {
		case w.activation != nil:
			c.enter(w.fn, fr, edge{guard: w.guard, mem: w.mem, values: w.args}, call.types)
			c.top.activation, c.top.nest = w.activation, w.activation.nest
			c.top.sweeps[0].early = c.st.Bool(w.activation.level > 0)
			return nil
		case c.induction != nil && c.induction.summaries[w.fn.f] != nil:
			c.byContract(fr, call, w)
			continue
		case c.endless() != nil && c.componentOf(w.fn.f) != 0:
			c.claim(uncovered, fr, w.guard, call.v, "%s is recursive", w.fn.f.Name)
			continue
		case c.induction != nil && c.componentOf(w.fn.f) != 0:
			c.recursive(fr, call, w)
			continue
		}
		if n := w.fn.active; n > 0 {
			if n > w.fn.bound {
				c.claim(limit, fr, w.guard, call.v, "%s is activated again more than %d times", w.fn.f.Name, w.fn.bound)
				continue
			}
			if feasible, err := c.deeper(w, n); err != nil {
				return err
			} else if !feasible {
				continue
			}
		}
		c.enter(w.fn, fr, edge{guard: w.guard, mem: w.mem, values: call.args}, call.types)
		return nil
	}
	fr.call = nil
	if len(call.back) == 0 {
		fr.block = 0
		fr.guard = c.st.False()
		return nil
	}
	c.comeBack(fr, call, c.join(call.back))
	return nil
}

// comeBack goes on behind a call.
func (c *checker) comeBack(fr *frame, call *pendingCall, e edge) {
	fr.guard, fr.mem = e.guard, e.mem
	for i := range call.results {
		if i == 0 {
			fr.set(call.v, e.values[0])
		} else if s := fr.fn.further[call.v][i-1]; s != 0 {
			fr.set(s, e.values[i])
		}
	}
}

// enter pushes an activation; in.values are the arguments.
func (c *checker) enter(fn *function, caller *frame, in edge, types []ir.Type) {
	var fr *frame
	if n := len(fn.spare); n > 0 {
		fr = fn.spare[n-1]
		fn.spare = fn.spare[:n-1]
	} else {
		fr = &frame{fn: fn, env: make([]value, fn.values), stamp: make([]uint32, fn.values), arrivals: make([][]edge, len(fn.f.Blocks))}
	}
	fr.caller, fr.entered = caller, in.guard
	fr.activation, fr.nest = nil, nil
	if caller != nil {
		fr.nest = caller.nest
	}
	fr.sweeps = append(fr.sweeps[:0], sweep{region: fn.loops.body, at: -1})
	if c.induction != nil {
		fr.context, fr.sweeps[0].early, fr.sweeps[0].skipped = 0, c.st.False(), c.st.False()
		if caller != nil {
			fr.context, fr.sweeps[0].early = c.induction.context(caller.context, caller.call.v, fn.f), caller.early()
		}
	}
	fr.variadic, fr.returns, fr.stack = fr.variadic[:0], nil, fr.stack[:0]
	for i, x := range in.values {
		if i < len(fn.f.Params) {
			p := fn.f.Params[i]
			fr.env[p], fr.stamp[p] = x, always
		} else {
			fr.variadic = append(fr.variadic, argument{x, types[i]})
		}
	}
	fr.arrivals[1] = append(fr.arrivals[1], edge{guard: in.guard, mem: in.mem})
	fn.active++
	c.top = fr
}

// leave pops the top activation, all of which is encoded, and hands its returns
// to its caller. The objects on its stack are gone then.
func (c *checker) leave(fr *frame) {
	fn, caller := fr.fn, fr.caller
	fn.active--
	if (caller != nil || c.inBody()) && len(fr.returns) > 0 {
		e := c.join(fr.returns)
		for _, s := range fr.stack {
			e.mem.Remove(s.object)
		}
		back := true
		switch {
		case caller == nil:
			c.returned(fr, e)
			back = false
		case fr.activation != nil:
			e, back = c.ended(fr, e)
		}
		if back {
			// What nobody reads may be of another type in each of the functions called.
			e.values = e.values[:min(len(e.values), len(caller.call.results))]
			caller.call.back = append(caller.call.back, e)
		}
	}
	fr.caller, fr.returns, fr.mem = nil, nil, nil
	c.top = caller
	fn.spare = append(fn.spare, fr)
}
