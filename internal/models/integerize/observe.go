package integerize

import (
	"fmt"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
)

// Observation: the values of variables in the states of a run, and not only where it goes. Every store
// is a step of its own. A run that breaks an assumption ends in a location of its own. A run ends in a location without steps, before the return from the
// entry function, or the halt. Where undefined behaviour ends a run, all observed values
// change for ever, in steps that are not exact.
//
// A variable of the outermost frames, in no loop, has arbitrary content from the start on:
// that of its birth, which happens once.

// observe cuts where the program's code begins, and where it ends; nil elsewhere.
func (t *translation) observe(s *state, d *ir.Def) *outcome {
	fr := s.frame
	start := t.places[s.from].start
	switch d.Op {
	case ir.Alloca, ir.Phi, ir.Dbg, ir.Br:
		return nil
	case ir.Call:
		if start && fr == t.root && t.m.Entry != "main" && d.Sym == "main" {
			return nil
		}
	case ir.Unreachable:
		// If a run gets here, nothing is known of what it does.
		if !start && t.at(s) {
			s.inexact = true
			t.clobber(s, noFact, false, true)
		}
		t.finish(s, fr, s.block, s.index, nil, nil)
		return over
	case ir.Ret, ir.Halt:
		if d.Op == ir.Ret && fr.parent != nil {
			return nil
		}
		if start || !t.at(s) {
			t.finish(s, fr, s.block, s.index, nil, nil)
		}
		return over
	}
	if start {
		t.finish(s, fr, s.block, s.index, nil, nil)
		return over
	}
	return nil
}

// unnamed says whether a store writes to a local that has no name in C: the value that will be
// returned, or where to go on behind a block. It is no observation.
func unnamed(f *ir.Func, b ir.BlockID, index int) bool {
	instrs := f.Blocks[b].Instrs
	if f.Def(f.Def(instrs[index]).Args[1]).Op != ir.Alloca {
		return false
	}
	return index+1 == len(instrs) || f.Def(instrs[index+1]).Op != ir.Dbg
}

// at says whether a state is still at the location from which it set out.
func (t *translation) at(s *state) bool {
	p := t.places[s.from]
	index := p.index
	if index == 0 {
		index = t.firstAfterPhis(p.frame.fn.f, p.block)
	}
	return p.frame == s.frame && p.block == s.block && index == s.index
}

// lasting says whether an object is a local of the outermost frames that is made once.
func (t *translation) lasting(o *object) bool {
	k := o.key
	if t.o.Observed == nil || k.Global != nil || k.Heap || k.Context == nil || o.blurred {
		return false
	}
	return k.Context == t.facts.Root || k.Context.Parent == t.facts.Root && k.Context.Func.Name == "main"
}

// variableOf is the C name and type of the variable that a cell is, if it is a global, or a local of the
// outermost frames.
func (t *translation) variableOf(c *cell) (name string, declared ir.CType) {
	k := c.object.key
	if c.offset != 0 {
		return "", ir.CType{}
	}
	if k.Global != nil {
		return k.Global.CName, k.Global.CType
	}
	if !t.lasting(c.object) {
		return "", ir.CType{}
	}
	v := storedVariable(k.Context.Func, k.Site)
	return k.Context.Func.Name + "::" + v.Name, v.Type
}

func (t *translation) isObserved(c *cell) bool {
	name, _ := t.variableOf(c)
	return slices.Contains(t.o.Observed, name)
}

// storedVariable is the variable at an alloca: the debug record behind a store says it.
func storedVariable(f *ir.Func, alloca ir.Value) ir.Var {
	for _, b := range f.Blocks {
		for i, v := range b.Instrs {
			d := f.Def(v)
			if d.Op != ir.Store || d.Args[1] != alloca || i+1 == len(b.Instrs) {
				continue
			}
			if e := f.Def(b.Instrs[i+1]); e.Op == ir.Dbg {
				return f.Vars[e.Aux]
			}
		}
	}
	return ir.Var{}
}

// Variable is the variable of the system for an observed variable of the program: name, of a global,
// or function::name.
func (p *Program) Variable(name string) (linear.Var, error) {
	found := -1
	for i, n := range p.observed {
		if n != name {
			continue
		}
		if found >= 0 {
			return 0, fmt.Errorf("several variables have the name %s", name)
		}
		found = i
	}
	if found < 0 {
		return 0, fmt.Errorf("%s is no integer variable that the program assigns to", name)
	}
	return linear.Var(found), nil
}

// Declared is the type in C of an observed variable of the system. Its values are numbers of that type, if arithmetic is
// that of machines. The type is empty if it is not known.
func (p *Program) Declared(v linear.Var) ir.CType {
	if c := p.slots[v].cell; c != nil {
		return c.declared
	}
	return ir.CType{}
}

// Ranges are the ranges of the variables of the system that are as wide as their types.
func (p *Program) Ranges() (cs []linear.Constraint) {
	if p.integers {
		return nil
	}
	for i, s := range p.slots {
		if s.width > 1 {
			cs = append(cs, limits(s.width, s.view).constraints(linear.Variable(linear.Var(i)))...)
		}
	}
	return cs
}

// Ends marks the locations before the return from the entry function, or before a halt. Undefined says
// that there is a location behind which anything may happen.
func (p *Program) Ends() (ends []bool, undefined bool) {
	out := make([]bool, len(p.Places))
	for l, pl := range p.Places {
		if pl.Func == nil {
			continue
		}
		instrs := pl.Func.Blocks[pl.Block].Instrs
		i := pl.Index
		for i < len(instrs) && pl.Index == 0 && pl.Func.Def(instrs[i]).Op == ir.Phi {
			i++
		}
		op := pl.Func.Def(instrs[i]).Op
		out[l] = op == ir.Halt || op == ir.Ret && len(pl.Calls) == 0
		undefined = undefined || op == ir.Unreachable
	}
	return out, undefined
}

// Restrict lets only those first steps happen after which one of the cases holds.
func (p *Program) Restrict(cases [][]linear.Constraint) {
	s := p.System
	var list []its.Transition
	var choices []choiceList
	var facts [][]linear.Constraint
	keep := func(t its.Transition, i int) {
		list, choices, facts = append(list, t), append(choices, p.choices[i]), append(facts, p.Facts[i])
	}
	for i, t := range s.Transitions {
		if t.From != s.Initial {
			keep(t, i)
			continue
		}
		for _, cs := range cases {
			u := t
			u.Guard = append([]linear.Constraint(nil), t.Guard...)
			for _, c := range cs {
				u.Guard = append(u.Guard, linear.Constraint{Equality: c.Equality, Form: c.Form.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true })})
			}
			if u.Guard = linear.Simplify(u.Guard); len(u.Guard) == 1 && u.Guard[0].IsFalse() {
				continue
			}
			keep(u, i)
		}
	}
	s.Transitions, p.choices, p.Facts = nil, choices, facts
	for _, t := range list {
		s.Add(t)
	}
}

// targets are the objects that a pointer may point into. Where values are observed, contexts are
// those of the facts, so that locals are told apart by them.
func (t *translation) targets(f absint.Fact) ([]absint.Object, bool) {
	list, ok := f.Targets()
	if t.o.Observed == nil {
		return list, ok
	}
	list = slices.Clone(list)
	for i := range list {
		if c := list[i].Context; c != nil {
			for _, d := range t.facts.Contexts {
				if c.Same(d) {
					list[i].Context = d
				}
			}
		}
	}
	return list, ok
}

// breaks ends a path that breaks an assumption.
func (t *translation) breaks(s *state) {
	if t.broken == 0 { // that is the start
		t.broken = its.Location(len(t.places))
		t.places = append(t.places, place{broken: true, has: map[int]bool{}})
	}
	update := map[int]linear.Form{}
	for _, c := range t.order {
		update[c.variable] = t.normalise(s, t.content(s, c), c.bits, c.view()).form
	}
	t.paths = append(t.paths, path{from: s.from, to: t.broken, state: s, update: update, pos: s.frame.fn.f.Pos})
}

// Broken is the location where runs end that break an assumption, and false if there is none.
func (p *Program) Broken() (l its.Location, ok bool) {
	for l, pl := range p.Places {
		if pl.Broken {
			return its.Location(l), true
		}
	}
	return 0, false
}
