package integerize

// Paths become transitions: temporaries get their numbers, variables that decide
// nothing are left as they are, and what is known of a temporary comes along if
// it is used.

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// program assembles the result.
func (t *translation) program() *Program {
	p := &Program{Module: t.m, Recursive: t.recursive, slots: t.slots, integers: t.o.Semantics == Integers}
	relevant := t.mattering(t.relevant())
	s := its.NewSystem()
	for i, sl := range t.slots {
		s.Variables = append(s.Variables, t.nameOf(i, sl))
		name := ""
		if sl.cell != nil {
			name, _ = t.variableOf(sl.cell)
		}
		p.observed = append(p.observed, name)
	}
	if t.o.Observed != nil {
		nameAsInC(s.Variables, p.observed)
	}
	s.Locations = nil
	for l, pl := range t.places {
		name := "start"
		place := Place{}
		switch {
		case pl.peak:
			name = "peak"
		case pl.broken:
			name, place.Broken = "broken", true
		case !pl.start:
			f := pl.frame.fn.f
			name = fmt.Sprintf("%s_%d_%d_%d", f.Name, pl.frame.id, pl.block, pl.index)
			place = Place{Func: f, Block: pl.block, Index: pl.index, Head: pl.index == 0 && pl.frame.fn.wto.IsHead(pl.block)}
			for fr := pl.frame; fr.parent != nil; fr = fr.parent {
				place.Calls = append([]Call{{fr.parent.fn.f, fr.site}}, place.Calls...)
			}
		}
		_ = l
		s.Locations = append(s.Locations, name)
		p.Places = append(p.Places, place)
	}
	for _, pa := range t.paths {
		tr, list := t.transition(s, pa, p.Places[pa.to].Head, relevant[pa.to])
		s.Add(tr)
		p.choices = append(p.choices, list)
		p.Facts = append(p.Facts, pa.state.known())
	}
	p.System = s
	if t.o.Cost != Frames { // there is a location behind each call that costs something
		p.Rest = t.cost(t.longest, false)
	}
	p.frames = t.places
	return p
}

// nameAsInC gives variables that have a name in C this name, if no other one has it.
func nameAsInC(names, inC []string) {
	plain := func(name string) string { return name[strings.LastIndex(name, ":")+1:] }
	count := map[string]int{}
	for _, n := range inC {
		count[plain(n)]++
	}
	for i, n := range inC {
		if n != "" && count[plain(n)] == 1 {
			names[i] = plain(n)
		}
	}
}

// relevant marks the variables that some guard depends on, and those that are observed. If there are
// products, it marks what helps to do without them, too: variables whose values are exact.
func (t *translation) relevant() []bool {
	out := make([]bool, len(t.slots))
	for i, s := range t.slots {
		out[i] = s.cell != nil && t.isObserved(s.cell)
	}
	t.closeRelevant(out)
	multiplies := func(pa path) bool {
		return slices.ContainsFunc(pa.state.temps, func(tm temp) bool { return tm.product != nil })
	}
	if t.o.Observed == nil || !slices.ContainsFunc(t.paths, multiplies) {
		return out
	}
	for x, s := range t.slots {
		out[x] = out[x] || s.cell != nil && !slices.ContainsFunc(t.paths, func(pa path) bool { return t.blurs(pa, x) })
	}
	t.closeRelevant(out)
	return out
}

// mattering marks, by location, the relevant variables whose values may matter from there on. What is observed matters
// always; of other variables what is written and never read is left out, if it is not exact: content that is not
// known would make a step inexact.
func (t *translation) mattering(relevant []bool) [][]bool {
	out := make([][]bool, len(t.places))
	for l := range out {
		out[l] = relevant
	}
	if t.o.Observed == nil {
		return out
	}
	always := make([]bool, len(t.slots))
	for x, s := range t.slots {
		always[x] = relevant[x] && (s.cell != nil && t.isObserved(s.cell) ||
			!slices.ContainsFunc(t.paths, func(pa path) bool { return t.blurs(pa, x) }))
	}
	for l := range out {
		out[l] = slices.Clone(always)
	}
	for grew := true; grew; {
		grew = false
		for _, pa := range t.paths {
			for v := range t.read(pa, out[pa.to]) {
				if v < tempBase && relevant[v] && !out[pa.from][v] {
					out[pa.from][v], grew = true, true
				}
			}
		}
	}
	return out
}

// read are the variables and temporaries that matter on a path if some variables do behind it.
func (t *translation) read(pa path, after []bool) map[linear.Var]bool {
	return pa.state.used(func(mark func(linear.Form)) {
		for _, c := range pa.state.guard {
			mark(c.Form)
		}
		mark(pa.state.amount)
		for x, f := range pa.update {
			if after[x] {
				mark(f)
			}
		}
	})
}

// blurs says whether a path gives a variable a value that is not exact.
func (t *translation) blurs(pa path, x int) bool {
	for v := range pa.state.used(func(mark func(linear.Form)) { mark(pa.update[x]) }) {
		if v >= tempBase && pa.state.temps[v-tempBase].inexact {
			return true
		}
	}
	return false
}

// closeRelevant marks what guards, and variables that are marked, depend on.
func (t *translation) closeRelevant(out []bool) {
	for grew := true; grew; {
		grew = false
		for _, pa := range t.paths {
			for v := range t.read(pa, out) {
				if v < tempBase && !out[v] {
					out[v], grew = true, true
				}
			}
		}
	}
}

// used are the variables and temporaries that matter if those of some forms do.
func (s *state) used(roots func(mark func(linear.Form))) map[linear.Var]bool {
	used := map[linear.Var]bool{}
	var mark func(f linear.Form)
	mark = func(f linear.Form) {
		for _, m := range f.Terms {
			if used[m.Var] {
				continue
			}
			used[m.Var] = true
			if m.Var < tempBase {
				continue
			}
			tm := &s.temps[m.Var-tempBase]
			for _, c := range tm.about {
				mark(c.Form)
			}
			for _, w := range tm.with {
				mark(w)
			}
			if tm.product != nil {
				mark(tm.product.A)
				mark(tm.product.B)
			}
		}
	}
	roots(mark)
	return used
}

func (t *translation) transition(s *its.System, pa path, head bool, relevant []bool) (its.Transition, choiceList) {
	st := pa.state
	used := t.read(pa, relevant)
	n := linear.Var(len(t.slots))
	number := map[linear.Var]linear.Var{}
	tr := its.Transition{From: pa.from, To: pa.to, Fair: !t.o.Fair || st.accepts, Exact: !st.inexact, Name: t.position(pa.pos)}
	for i := range st.temps {
		if v := linear.Var(tempBase + i); used[v] {
			number[v] = n + linear.Var(tr.Temps)
			tr.Temps++
			tr.Exact = tr.Exact && !st.temps[i].inexact
		}
	}
	rename := func(f linear.Form) linear.Form {
		return f.Rename(func(v linear.Var) linear.Var {
			if v < tempBase {
				return v
			}
			return number[v]
		})
	}
	tr.Cost = rename(t.price(st, head))
	for _, c := range st.guard {
		tr.Guard = append(tr.Guard, linear.Constraint{Form: rename(c.Form), Equality: c.Equality})
	}
	for x := range t.slots {
		if r, ok := st.ranged[linear.Var(x)]; ok && used[linear.Var(x)] {
			tr.Guard = append(tr.Guard, r.constraints(linear.Variable(linear.Var(x)))...)
		}
	}
	for _, c := range st.facts {
		if st.allUsed(c.Form, used) && t.allKnown(c.Form, used) {
			tr.Guard = append(tr.Guard, linear.Constraint{Form: rename(c.Form), Equality: c.Equality})
		}
	}
	for i, tm := range st.temps {
		if !used[linear.Var(tempBase+i)] {
			continue
		}
		for _, c := range tm.about {
			tr.Guard = append(tr.Guard, linear.Constraint{Form: rename(c.Form), Equality: c.Equality})
		}
		if tm.product != nil {
			tr.Products = append(tr.Products, its.Product{Temp: number[tm.product.Temp], A: rename(tm.product.A), B: rename(tm.product.B)})
		}
	}
	tr.Guard = linear.Simplify(tr.Guard)
	tr.Update = s.Identity()
	for x, f := range pa.update {
		if relevant[x] {
			tr.Update[x] = rename(f)
		}
	}
	var list choiceList
	for _, p := range st.picks {
		c := choice{frame: p.frame, value: p.value}
		if p.known && st.allUsed(p.form, used) {
			c.form, c.known = rename(p.form), true
		}
		for _, q := range p.parts {
			if st.allUsed(q.form, used) {
				c.parts = append(c.parts, part{q.offset, q.size, rename(q.form)})
			}
		}
		list = append(list, c)
	}
	return tr, list
}

// known are the constraints on variables that hold anyway.
func (s *state) known() (cs []linear.Constraint) {
	for v, r := range s.ranged {
		cs = append(cs, r.constraints(linear.Variable(v))...)
	}
	for _, c := range s.facts {
		if c.Form.MaxVar() < tempBase {
			cs = append(cs, c)
		}
	}
	return cs
}

// allUsed says whether the temporaries of a form have numbers.
func (s *state) allUsed(f linear.Form, used map[linear.Var]bool) bool {
	for _, m := range f.Terms {
		if m.Var >= tempBase && !used[m.Var] {
			return false
		}
	}
	return true
}

// allKnown says whether the variables of a form are used.
func (t *translation) allKnown(f linear.Form, used map[linear.Var]bool) bool {
	for _, m := range f.Terms {
		if m.Var < tempBase && !used[m.Var] {
			return false
		}
	}
	return true
}

// choiceList are the choices on a transition, in the order of the run.
type choiceList []choice

type choice struct {
	frame *frame
	value ir.Value
	form  linear.Form // over the variables and temporaries of the transition
	known bool
	parts []part
}

func (t *translation) position(p ir.Pos) string {
	if p.Line == 0 || int(p.File) >= len(t.m.Files) {
		return ""
	}
	return fmt.Sprintf("%s:%d", t.m.Files[p.File], p.Line)
}

// nameOf is the name of a variable: that of C if there is one.
func (t *translation) nameOf(i int, s slot) string {
	name := "v"
	switch {
	case s.name != "":
		name = s.name
	case s.cell != nil && s.cell.object.key.Global != nil:
		name = s.cell.object.key.Global.Name
	case s.cell != nil:
		name = "cell"
	default:
		f := s.value.frame.fn.f
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				if d := f.Def(v); d.Op == ir.Dbg && len(d.Args) == 1 && d.Args[0] == s.value.value {
					name = f.Vars[d.Aux].Name
				}
			}
		}
	}
	clean := []rune{}
	for _, r := range name {
		if r == '_' || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' {
			clean = append(clean, r)
		}
	}
	return fmt.Sprintf("%s_%d", string(clean), i)
}
