package cut

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/ir"
)

// This file cuts recursion: the rule of recursive procedures [Hoare71], with
// contracts as predicates and any number of functions at once, and unwound as
// k-induction unwinds loops.
//
// A contract is a precondition and a postcondition: predicates of the parameters,
// of globals on entry and on return, and of the result. A call of f from outside
// its component becomes a call of nest(f):
//
//	check the precondition
//	choose:
//	  an activation       everything the nest may write becomes arbitrary;
//	                      some function g of the component, arbitrary arguments:
//	                      assume its precondition, run its body,
//	                      check its postcondition, end
//	  or all of them      everything the nest may write becomes arbitrary;
//	                      an arbitrary result: assume the postcondition, return
//
// In the body, a call of a function of the component checks its precondition, and
// runs its body early (cut.go: nothing counts there), down to the given depth;
// there, as in the second case, the contract stands for the call.
//
// In the formula the two sides of a contract are like loop heads: to check is to
// visit, to assume is to visit early. As those assumptions speak about whole runs, a
// run may end before each of them (F1 of package inference).
//
//	(N1) Suppose a run has a violation, or breaks a contract. Take the first such
//	     event. If it happens in a nest, take the innermost activation of a
//	     function of the component around it: all of its calls that have
//	     returned have kept their contracts, and it was called with its
//	     precondition: the arbitrary activation covers it.
//	(N2) What is arbitrary is all by which an activation can be told from the
//	     first one of the nest, (R1) and (R2) of recursion.go; and what a call
//	     may change is written by it (written.go).
//
// Nothing is said of termination: an activation that does not return has no
// postcondition to keep.

// Names of what is added.
const (
	nestPrefix     = "assay.nest."
	contractPrefix = "assay.contract."
	innerPrefix    = "assay.inner."
	levelMark      = "$assay."
	activationName = "assay.activation"
)

// maxDepth bounds the depth to which recursion is unwound: it grows as a tree.
const maxDepth = 3

// Depth is the unwinding of recursion that belongs to k.
func Depth(k int) int { return min(k, maxDepth) }

// recursion cuts one component.
func (c *cutting) recursion(r *Component) error {
	for _, f := range r.Funcs {
		if why := c.writes.Of[f.Name].wild; why != "" {
			return Refuse(f, why)
		}
	}
	byName := map[string]*ir.Func{}
	for _, f := range c.m.Funcs {
		byName[f.Name] = f
	}
	levels := Depth(c.k)
	callers := c.m.Funcs
	for _, f := range r.Funcs {
		for n := range levels {
			body := *byName[f.Name]
			body.Name = levelName(f.Name, n)
			body.Values = append([]ir.Def(nil), body.Values...)
			prefix := contractPrefix
			if n+1 < levels {
				prefix = fmt.Sprint(innerPrefix, n+1, ".")
			}
			rename(&body, r, prefix)
			c.Probes[body.Name] = c.Probes[f.Name]
			for v := range c.Probes[f.Name] {
				if l := c.Heads[Site{f.Name, v}]; l != nil {
					c.Heads[Site{body.Name, v}] = l
				}
			}
			c.m.Funcs = append(c.m.Funcs, &body)
		}
	}
	for _, f := range callers {
		if !r.Has[f.Name] {
			rename(f, r, nestPrefix)
		}
	}
	for _, f := range r.Funcs {
		c.stub(f, contractPrefix, func(p *stub) { p.stands() })
		c.stub(f, nestPrefix, func(p *stub) { p.nest(r, byName) })
		for n := 1; n < levels; n++ {
			c.stub(f, fmt.Sprint(innerPrefix, n, "."), func(p *stub) { p.inner(n) })
		}
	}
	return nil
}

// Original is the function of which one is a copy.
func Original(name string) string {
	name, _, _ = strings.Cut(name, levelMark)
	return name
}

// rename gives the calls of functions of a component to what stands for them.
func rename(f *ir.Func, r *Component, prefix string) {
	for v := range f.Values {
		if d := &f.Values[v]; d.Op == ir.Call && r.Has[d.Sym] {
			d.Sym = prefix + d.Sym
		}
	}
}

// stub is a function that stands for calls of f.
type stub struct {
	*editor
	c *cutting
	f *ir.Func
	// now is what stands at this point for the parameters of the activation.
	now    []ir.Value
	result ir.Value
	old    map[string]ir.Value // by global
}

func (c *cutting) stub(f *ir.Func, prefix string, fill func(*stub)) {
	g := &ir.Func{Name: prefix + f.Name, Results: f.Results, Pos: f.Pos, Values: make([]ir.Def, 1), Blocks: make([]ir.Block, 1)}
	e := &editor{Editor: &ir.Editor{Module: c.m, Func: g, Pos: f.Pos}, in: map[ir.Value][]arc{}}
	p := &stub{editor: e, c: c, f: f}
	for _, q := range f.Params {
		v := e.Define(ir.Def{Op: ir.Param, Type: f.Type(q)})
		g.Params = append(g.Params, v)
	}
	p.now = g.Params
	e.At = e.NewBlock("entry")
	fill(p)
	e.done()
	c.m.Funcs = append(c.m.Funcs, g)
}

// contractOf finds the contract of a function.
func (c *cutting) contractOf(name string) (pre, post *Loop) {
	for l := range c.places {
		switch {
		case !l.IsContract() || l.Func.Name != name:
		case l.Post:
			post = l
		default:
			pre = l
		}
	}
	return pre, post
}

// cell loads the integer of a global.
func (p *stub) cell(x Place) ir.Value { return p.Op(ir.Load, ir.IntType(x.Bits), p.Global(x.Global)) }

// operand is the integer of a place of a contract of g.
func (p *stub) operand(g *ir.Func, x Place) ir.Value {
	switch {
	case x.Global != "" && x.Old:
		return p.old[x.Global]
	case x.Global != "":
		return p.cell(x)
	case x.Value == 0:
		return p.result
	}
	return p.now[slices.Index(g.Params, x.Value)]
}

// remember loads the old values of globals that the contract of g is about.
func (p *stub) remember(g *ir.Func) {
	p.old = map[string]ir.Value{}
	pre, _ := p.c.contractOf(g.Name)
	if pre == nil {
		return
	}
	for _, x := range p.c.places[pre] {
		if x.Global != "" {
			p.old[x.Global] = p.cell(x)
		}
	}
}

// visit is a place where the precondition or postcondition of g is assumed, if
// early holds, and checked otherwise (package inference).
func (p *stub) visit(g *ir.Func, post bool, early ir.Value) {
	l, other := p.c.contractOf(g.Name)
	if post {
		l = other
	}
	if l == nil {
		return
	}
	values := []ir.Value{p.Op(ir.Freeze, boolean, early)}
	for _, x := range p.c.places[l] {
		values = append(values, p.Op(ir.Freeze, ir.IntType(x.Bits), p.operand(g, x)))
	}
	at := p.Op(ir.Freeze, boolean, early)
	name := p.Func.Name
	if p.c.Probes[name] == nil {
		p.c.Probes[name] = map[ir.Value][]ir.Value{}
	}
	p.c.Probes[name][at] = values
	p.c.Heads[Site{name, at}] = l
}

// maybe ends the run, or not: an assumption about what follows must not exclude
// runs that violate something before.
func (p *stub) maybe() { p.Op(ir.Assume, ir.Type{}, p.arbitrary(boolean)) }

// forget makes everything arbitrary that a nest of f may write.
func (p *stub) forget() {
	e := p.c.writes.Of[p.f.Name]
	for _, g := range p.Module.Globals {
		if e.Globals[g.Name] && !g.Constant {
			p.c.havoc(p.editor, p.Global(g.Name))
		}
	}
	for i := range p.f.Params {
		if e.Params[i] {
			p.c.havoc(p.editor, p.Func.Params[i])
		}
	}
}

// arbitrary is any value of a type.
func (p *stub) arbitrary(t ir.Type) ir.Value {
	return p.Emit(ir.Def{Op: ir.Nondet, Type: t, Aux: int64(ir.NondetInput), Sym: activationName})
}

func (p *stub) yes() ir.Value { return p.Number(1, 1) }

// stands is a call that keeps its contract.
func (p *stub) stands() {
	p.remember(p.f)
	p.visit(p.f, false, p.c.isEarly(p.editor))
	p.returns()
}

// returns is the end of a call of which only the contract is known.
func (p *stub) returns() {
	p.maybe()
	p.forget()
	var results []ir.Value
	for _, t := range p.f.Results {
		results = append(results, p.arbitrary(t))
	}
	if len(results) > 0 {
		p.result = results[0]
	}
	p.visit(p.f, true, p.yes())
	p.Emit(ir.Def{Op: ir.Ret, Args: results})
}

// run calls a copy of g.
func (p *stub) run(g *ir.Func, n int, args []ir.Value) (results []ir.Value) {
	d := ir.Def{Op: ir.Call, Sym: levelName(g.Name, n), Args: args}
	if len(g.Results) > 0 {
		d.Type = g.Results[0]
	}
	call := p.Emit(d)
	for i, t := range g.Results {
		if i == 0 {
			results = append(results, call)
		} else {
			results = append(results, p.Emit(ir.Def{Op: ir.Extract, Type: t, Args: []ir.Value{call}, Aux: int64(i)}))
		}
	}
	p.result = 0
	if len(results) > 0 {
		p.result = results[0]
	}
	return results
}

// inner is a call n activations below the arbitrary one.
func (p *stub) inner(n int) {
	p.remember(p.f)
	early := p.c.isEarly(p.editor)
	p.visit(p.f, false, early)
	p.maybe()
	p.c.setEarly(p.editor, p.yes())
	results := p.run(p.f, n, p.now)
	p.c.setEarly(p.editor, early)
	p.visit(p.f, true, p.yes())
	p.Emit(ir.Def{Op: ir.Ret, Args: results})
}

// nest is a call from outside.
func (p *stub) nest(r *Component, byName map[string]*ir.Func) {
	p.remember(p.f)
	p.visit(p.f, false, p.c.isEarly(p.editor))
	some, all := p.NewBlock("nest.activation"), p.NewBlock("nest.all")
	// What is early need not count.
	chosen := p.Op(ir.And, boolean, p.arbitrary(boolean), p.Not(p.c.isEarly(p.editor)))
	p.Emit(ir.Def{Op: ir.CondBr, Args: []ir.Value{chosen}, Succs: []ir.BlockID{some, all}})
	p.At = all
	p.returns()

	p.At = some
	p.forget()
	for n, g := range r.Funcs {
		on := p.NewBlock("nest.run")
		next := ir.BlockID(0)
		if n+1 < len(r.Funcs) {
			next = p.NewBlock("nest.next")
			p.Emit(ir.Def{Op: ir.CondBr, Args: []ir.Value{p.arbitrary(boolean)}, Succs: []ir.BlockID{on, next}})
		} else {
			p.Jump(on)
		}
		p.At = on
		p.now = nil
		for _, q := range g.Params {
			t := g.Type(q)
			if t.Kind != ir.Ptr {
				p.now = append(p.now, p.arbitrary(t))
				continue
			}
			from, known := r.origin[p.f.Name][param{g.Name, q}]
			switch {
			case !known: // it is never called in this nest
				p.now = append(p.now, p.Define(ir.Def{Op: ir.Null, Type: t}))
			case from.global != "":
				p.now = append(p.now, p.Op(ir.PtrAdd, t, p.Global(from.global), p.arbitrary(p.Module.WordType())))
			default:
				p.now = append(p.now, p.Op(ir.PtrAdd, t, p.Func.Params[from.n], p.arbitrary(p.Module.WordType())))
			}
		}
		p.remember(g)
		p.visit(g, false, p.yes())
		p.run(byName[g.Name], 0, p.now)
		p.visit(g, true, p.Not(p.yes()))
		p.Emit(ir.Def{Op: ir.Halt, Aux: int64(ir.HaltAbort)})
		p.At = next
	}
}
