package program

import (
	"fmt"

	"assay/internal/evidence/verdict"
	"assay/internal/models/ssa"
	"assay/internal/program/inline"
	"assay/internal/program/ir"
)

// This file names what a system is made of in terms of the program.

// variableNames are the names of the variables of the state, all different.
func (r *round) variableNames() []string {
	cache := map[*ir.Func]map[ir.Value]string{}
	used := map[string]int{}
	out := make([]string, len(r.variables))
	unique := func(name string) string {
		used[name]++
		if n := used[name]; n > 1 {
			return fmt.Sprintf("%s#%d", name, n)
		}
		return name
	}
	for i := range r.variables {
		v := r.variables[i].value
		if v == 0 {
			continue
		}
		at := r.flat.Values[v]
		name := ""
		if at.Value != 0 {
			f := at.Activation.Func
			if cache[f] == nil {
				cache[f] = f.VariableNames()
			}
			name = cache[f][at.Value]
		}
		if name == "" {
			name = fmt.Sprint("v", v)
		}
		if at.Activation != nil {
			name = at.Activation.Func.Name + "::" + name
		}
		out[i] = unique(name)
	}
	for _, c := range r.cells {
		out[c.term] = unique(fmt.Sprintf("%s+%d", r.placeName(r.places[c.object]), c.Offset))
	}
	for _, a := range r.alive {
		out[a.term] = unique(r.placeName(r.places[a.object]) + " lives")
	}
	return out
}

// placeName names an object.
func (r *round) placeName(p place) string {
	if p.global != nil {
		return p.global.Name
	}
	o := r.flat.objects[p.object]
	if name := o.origin.Activation.Func.VariableNames()[o.origin.Value]; name != "" {
		return o.origin.Activation.Func.Name + "::" + name
	}
	return fmt.Sprintf("%s::object%d", o.origin.Activation.Func.Name, p.object)
}

// choiceName names an input.
func (r *round) choiceName(c ssa.Choice) string {
	d := r.m.Func(c.Func).Def(c.Value)
	if d.Sym != "" {
		return fmt.Sprintf("%s:%d", d.Sym, d.Pos.Line)
	}
	return fmt.Sprintf("%v:%d", d.Op, d.Pos.Line)
}

// originOf is where an instruction of the step comes from.
func (r *round) originOf(v ir.Value) (inline.Origin, bool) {
	if int(v) >= len(r.from) || r.from[v] == 0 {
		return inline.Origin{}, false
	}
	return r.flat.Values[r.from[v]], true
}

// located is the guard of an event in the program.
func (r *round) located(e ssa.Event) verdict.Guard {
	g := e.Guard
	if g.Func == stepName {
		if at, ok := r.originOf(e.Value); ok && at.Activation != nil {
			g.Func = at.Activation.Func.Name
		}
	}
	return g
}
