package show

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
)

// This file names what facts are about: a value has the name of the C variable that it was assigned to, an
// object that of its variable. A name is meant with the type of its declaration; where a fact reads the bits
// otherwise, a cast says so.

// namer names the terms of a function.
type namer struct {
	m     *ir.Module
	f     *ir.Func
	calls []invariant.Call // for terms about callers
	of    map[*ir.Func]*declared
}

// declared are the variables of a function.
type declared struct {
	names  map[ir.Value]string
	vars   map[ir.Value]*ir.Var // by values
	memory map[ir.Value]int     // the numbers of variables by their allocas
}

func newNamer(m *ir.Module, f *ir.Func) *namer {
	return &namer{m: m, f: f, of: map[*ir.Func]*declared{}}
}

// variables are those of a function.
func (n *namer) variables(f *ir.Func) *declared {
	d := n.of[f]
	if d != nil {
		return d
	}
	d = &declared{names: f.VariableNames(), vars: map[ir.Value]*ir.Var{}, memory: currentValues(f).memory}
	for b := range f.Blocks {
		for _, v := range f.Blocks[b].Instrs {
			if r := f.Def(v); r.Op == ir.Dbg && len(r.Args) > 0 && d.vars[r.Args[0]] == nil {
				d.vars[r.Args[0]] = &f.Vars[r.Aux]
			}
		}
	}
	n.of[f] = d
	return d
}

// place is the function in which a term has its value.
func (n *namer) place(t invariant.Term) *ir.Func {
	if t.Up > 0 {
		return n.m.Func(n.calls[len(n.calls)-t.Up].Func)
	}
	return n.f
}

// plain is the name without a cast.
func (n *namer) plain(t invariant.Term) string {
	if t.Global != "" {
		if t.Offset > 0 {
			return fmt.Sprintf("%s[byte %d]", t.Global, t.Offset)
		}
		return t.Global
	}
	f := n.place(t)
	vars := n.variables(f)
	name := vars.names[t.Value]
	d := f.Def(t.Value)
	object := false // the name is that of an object
	if d.Op == ir.GlobalAddr {
		name, object = d.Sym, true
	} else if k, ok := vars.memory[t.Value]; ok && k >= 0 {
		name, object = f.Vars[k].Name, true
	}
	if name == "" {
		name = fmt.Sprintf("value%d", t.Value)
	}
	if t.Up > 0 {
		name = ir.NameInC(f.Name) + "::" + name
	}
	switch {
	case t.Stride != 0: // Text writes the index
		return name
	case t.Cell && t.Offset > 0:
		return fmt.Sprintf("%s[byte %d]", name, t.Offset)
	case t.Cell && !object:
		return "*" + name
	case !t.Cell && d.Type.Kind == ir.Ptr:
		return "offset(" + name + ")"
	}
	return name
}

// signed says how the type of its declaration reads what a term names; what has no declaration is read as
// signed.
func (n *namer) signed(t invariant.Term) bool {
	f := n.place(t)
	vars := n.variables(f)
	var c *ir.CType
	if t.Global != "" {
		if g := n.m.Global(t.Global); g != nil {
			c = &g.CType
		}
	} else if d := f.Def(t.Value); t.Cell {
		if k, ok := vars.memory[t.Value]; ok && k >= 0 {
			c = &f.Vars[k].Type
		} else if g := n.m.Global(d.Sym); d.Op == ir.GlobalAddr && g != nil {
			c = &g.CType
		}
	} else if x := vars.vars[t.Value]; x != nil {
		c = &x.Type
	}
	return c == nil || c.Bits != t.Bits || c.Ptr || c.Float || c.Signed && !c.Bool
}

// name has a cast if the declaration means something else.
func (n *namer) name(t invariant.Term) string {
	if t.Signed == n.signed(t) || t.Float || t.Bits == 1 {
		return n.plain(t)
	}
	return ir.CastInC(t.Bits, t.Signed) + n.plain(t)
}

// texts are predicates and clauses, each thing said once.
func (n *namer) texts(predicates []invariant.Predicate, clauses []invariant.Clause) (out []string) {
	r := newReading(n)
	var others, conditions []string
	cases := map[string]*reading{}
	for _, p := range predicates {
		if condition, then, ok := n.conditional(p); ok {
			if cases[condition] == nil {
				cases[condition] = newReading(n)
				conditions = append(conditions, condition)
			}
			if cases[condition].compare(then) {
				continue
			}
		}
		if !r.compare(p) {
			others = append(others, p.Text(n.name))
		}
	}
	for _, c := range conditions {
		if then := cases[c].texts(); len(then) > 0 {
			others = append(others, c+" || "+strings.Join(then, " && "))
		}
	}
	for _, c := range clauses {
		r.clause(c)
	}
	for _, text := range slices.Concat(r.texts(), others) {
		if !slices.Contains(out, text) {
			out = append(out, text)
		}
	}
	return out
}

// conditional takes a fact apart that holds where a variable has a certain value: the condition is that it has not.
func (n *namer) conditional(p invariant.Predicate) (condition string, then invariant.Predicate, ok bool) {
	g, ok := p.(invariant.Guarded)
	if !ok || len(g.If) != 1 {
		return "", nil, false
	}
	r := newReading(n)
	if !r.compare(g.If[0]) {
		return "", nil, false
	}
	texts := r.texts()
	if len(texts) != 1 || strings.Count(texts[0], " ") != 2 || !strings.Contains(texts[0], " == ") {
		return "", nil, false
	}
	return strings.Replace(texts[0], "==", "!=", 1), g.Then, true
}
