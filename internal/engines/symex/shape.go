package symex

// The shape of a state, and what is dead in it. States of one shape can be joined; the
// shape is written down as a string, the key of a node. What is not read again, and
// objects that cannot be reached, are no part of it.

import (
	"slices"
	"strconv"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// key describes the shape of a state: what a join needs equal.
func key(s *state, lists, trees bool) string {
	var b strings.Builder
	if s.Entry != 0 {
		b.WriteString("@" + strconv.Itoa(int(s.Entry)) + " ")
		for i := range s.Arguments {
			b.WriteString(target(&s.Arguments[i]))
		}
	}
	for i := range s.Frames {
		f := &s.Frames[i]
		b.WriteString(f.Func.Name)
		b.WriteByte(':')
		b.WriteString(strconv.Itoa(int(f.Block)))
		b.WriteByte('.')
		b.WriteString(strconv.Itoa(f.Index))
		for v := range f.Values {
			switch x := &f.Values[v]; x.Kind {
			case symgraph.Any:
				b.WriteString("?")
			case symgraph.Pointer:
				b.WriteString(target(x))
				if inLiteral(s, x) {
					b.WriteString("+" + x.Form.Const.String())
				}
				if trees && x.Object >= 0 && s.Objects[x.Object].Kind == symgraph.Heap && x.Form.IsConstant() { // by which link
					b.WriteString("+" + x.Form.Const.String())
				}
			}
		}
		b.WriteByte('/')
	}
	for i := range s.Objects {
		o := &s.Objects[i]
		if o.Slots != nil {
			b.WriteString(" S" + strconv.Itoa(i) + "#" + strconv.Itoa(len(o.Slots.Out)))
		}
		if o.Strings != nil {
			b.WriteString(" T" + strconv.Itoa(i) + "#" + strconv.Itoa(len(o.Strings.Out)))
		}
		if o.Kind >= symgraph.Global {
			continue
		}
		b.WriteByte(' ')
		b.WriteString(strconv.Itoa(int(o.Kind)))
		if o.Dead {
			b.WriteByte('x')
		}
		b.WriteString(strconv.Itoa(o.Frame))
		if o.List != nil {
			b.WriteString("l" + strconv.FormatInt(o.List.Next, 10) + "." + o.Size.Const.String())
			for _, at := range o.List.Branches {
				b.WriteString("," + strconv.FormatInt(at, 10))
			}
			b.WriteString(target(&o.List.Tail))
			for k := range o.Cells { // zeros are there or not
				if from, _, ok := zeros(&o.Cells[k]); ok {
					b.WriteString("z" + from.String())
				}
			}
			if o.List.Double {
				b.WriteString("d" + strconv.FormatInt(o.List.Prev, 10) + target(&o.List.Before))
			}
			for k := range o.List.Owned {
				b.WriteString(shapeOfOwner(&o.List.Owned[k]))
			}
		}
	}
	if lists { // what cells point to is part of the shape
		for i := range s.Objects {
			o := &s.Objects[i]
			if o.List != nil || o.Global != nil && o.Global.Constant {
				continue
			}
			for _, k := range pointerCells(o) {
				c := &o.Cells[k]
				at := c.Offset.Const.String()
				if (o.Slots != nil || o.Strings != nil) && !c.Offset.IsConstant() {
					at = "~"
				}
				b.WriteString(" " + strconv.Itoa(i) + "+" + at + target(&c.Value))
				if v := &c.Value; trees && v.Object >= 0 && s.Objects[v.Object].Kind == symgraph.Heap && v.Form.IsConstant() {
					b.WriteString("+" + v.Form.Const.String())
				}
			}
		}
	}
	return b.String()
}

// target names what a pointer points to.
func target(v *value) string {
	switch {
	case v.Kind != symgraph.Pointer:
		return "?"
	case v.Last:
		return "z" + strconv.Itoa(int(v.Object))
	}
	return "p" + strconv.Itoa(int(v.Object))
}

// maxLiteral is up to which size of a constant object it matters where a pointer into it leads.
const maxLiteral = 64

// inLiteral says whether a pointer leads to a known place in a small constant object. What a program does at a
// loop often is what such a text says there (a format and its arguments, a table of steps): the states for each of
// its characters are kept apart.
func inLiteral(s *state, v *value) bool {
	if v.Object < 0 || !v.Form.IsConstant() {
		return false
	}
	g := s.Objects[v.Object].Global
	return g != nil && g.Constant && g.Size <= maxLiteral && v.Form.Const.Sign() >= 0 && v.Form.Const.Cmp(number(g.Size)) <= 0
}

// tidy drops dead locals and unreachable objects; to says where the objects
// are now, -1 if they are gone.
func (x *explorer) tidy(s *state) (to []int32) {
	ends := false // a function that was called does not return: nobody goes on with what the callers know
	for i := len(s.Frames) - 1; i >= 0; i-- {
		f := &s.Frames[i]
		p := x.prepare(f.Func)
		var live []ir.Value
		ends = ends || i < len(s.Frames)-1 && !x.returns[s.Frames[i+1].Func]
		switch {
		case ends:
		case i < len(s.Frames)-1:
			live = p.liveAt(f.Block, f.Index+1)
		case p.heads[f.Block] && f.Index == p.phis(f.Block):
			live = p.live[f.Block]
		default: // recursive functions begin and return
			live = p.liveAt(f.Block, f.Index)
		}
		values := make([]value, len(f.Values))
		for _, v := range live {
			switch w := f.Values[v]; {
			case w.Kind == symgraph.Pointer && w.Object == symgraph.Token:
				values[v] = value{Kind: symgraph.Any}
			case w.Kind != symgraph.Unset:
				values[v] = w
			}
		}
		f.Values = values
	}
	fixed := len(x.m.Globals) + len(x.m.Funcs)
	reached := make([]bool, len(s.Objects))
	var visit func(v *value)
	visit = func(v *value) {
		if v.Kind == symgraph.Pointer && v.Object >= 0 && !reached[v.Object] {
			reached[v.Object] = true
			for k := range s.Objects[v.Object].Cells {
				visit(&s.Objects[v.Object].Cells[k].Value)
			}
			if l := s.Objects[v.Object].List; l != nil {
				visit(&l.Tail)
				visit(&l.Before)
			}
		}
	}
	for i := range fixed {
		reached[i] = true
		for k := range s.Objects[i].Cells {
			visit(&s.Objects[i].Cells[k].Value)
		}
	}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			visit(&s.Frames[i].Values[v])
		}
	}
	for i := range s.Arguments {
		visit(&s.Arguments[i])
	}
	to = make([]int32, len(s.Objects))
	var kept []object
	for i := range s.Objects {
		o := s.Objects[i]
		if !reached[i] {
			s.Lost = s.Lost || x.alive(&o)
			to[i] = -1
			continue
		}
		to[i] = int32(len(kept))
		kept = append(kept, o)
	}
	s.Objects = kept
	move := func(v *value) {
		if v.Kind == symgraph.Pointer && v.Object >= 0 {
			v.Object = to[v.Object]
		}
	}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			move(&s.Frames[i].Values[v])
		}
	}
	s.Arguments = slices.Clone(s.Arguments)
	for i := range s.Arguments {
		move(&s.Arguments[i])
	}
	for i := range s.Objects {
		s.Objects[i].Cells = slices.Clone(s.Objects[i].Cells)
		for k := range s.Objects[i].Cells {
			move(&s.Objects[i].Cells[k].Value)
		}
		if l := s.Objects[i].List; l != nil {
			n := *l
			move(&n.Tail)
			move(&n.Before)
			s.Objects[i].List = &n
		}
	}
	return to
}

// symbolsOf marks the symbols in the values of a state.
func (x *explorer) symbolsOf(s *state) map[linear.Var]bool {
	m := map[linear.Var]bool{}
	add := func(f linear.Form) {
		for _, t := range f.Terms {
			m[t.Var] = true
		}
	}
	for i := range s.Frames {
		for v := range s.Frames[i].Values {
			add(s.Frames[i].Values[v].Form)
		}
	}
	for i := range s.Arguments {
		add(s.Arguments[i].Form)
	}
	for i := range s.Objects {
		o := &s.Objects[i]
		add(o.Size)
		if o.List != nil { // the symbols of its cells are its own
			add(o.List.Length)
			continue
		}
		if o.HasBase {
			add(o.Base)
		}
		if o.Slots != nil {
			add(o.Slots.Nulls)
			add(o.Slots.From)
			add(o.Slots.To)
			for _, f := range o.Slots.Out {
				add(f)
			}
		}
		if o.Strings != nil {
			add(o.Strings.From)
			add(o.Strings.To)
			for _, f := range o.Strings.Out {
				add(f)
			}
		}
		for k := range o.Cells {
			add(o.Cells[k].Offset)
			add(o.Cells[k].Value.Form)
		}
	}
	return m
}

// loosen drops the integers in memory that nothing leads to: neither where they are nor what they are is
// said of anything else. An integer that is a constant stays, for a string may end there.
func (x *explorer) loosen(s *state) {
	leads := map[linear.Var]bool{}
	led := func(f linear.Form) bool {
		return !slices.ContainsFunc(f.Terms, func(t linear.Term) bool { return !leads[t.Var] })
	}
	type number struct{ object, cell int }
	var numbers []number
	c := *s
	c.Objects = slices.Clone(s.Objects)
	for i := range c.Objects {
		o := &c.Objects[i]
		if o.List != nil {
			continue
		}
		o.Cells = nil
		for k, cell := range s.Objects[i].Cells {
			if cell.Value.Kind == symgraph.Int && len(cell.Offset.Terms) > 0 && len(cell.Value.Form.Terms) > 0 {
				numbers = append(numbers, number{i, k})
			} else {
				o.Cells = append(o.Cells, cell)
			}
		}
	}
	if len(numbers) == 0 {
		return
	}
	leads = x.symbolsOf(&c)
	kept := make([]bool, len(numbers))
	for again := true; again; {
		again = false
		for i, n := range numbers {
			cell := &s.Objects[n.object].Cells[n.cell]
			if kept[i] || !led(cell.Offset) && !led(cell.Value.Form) {
				continue
			}
			kept[i], again = true, true
			for _, t := range append(slices.Clone(cell.Offset.Terms), cell.Value.Form.Terms...) {
				leads[t.Var] = true
			}
		}
	}
	for i := len(numbers) - 1; i >= 0; i-- {
		if n := numbers[i]; !kept[i] {
			o := &s.Objects[n.object]
			o.Cells = slices.Delete(slices.Clone(o.Cells), n.cell, n.cell+1)
		}
	}
}
