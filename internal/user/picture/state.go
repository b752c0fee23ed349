package picture

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// This file writes abstract states in the notation of the papers: locals, the
// knowledge base, allocations, and what memory holds.

// writer names symbols in the order in which they are met.
type writer struct {
	m       *ir.Module
	symbols map[linear.Var]int
	names   map[*ir.Func]map[ir.Value]string
}

func newWriter(m *ir.Module) *writer {
	return &writer{m: m, symbols: map[linear.Var]int{}, names: map[*ir.Func]map[ir.Value]string{}}
}

func (w *writer) symbol(v linear.Var) string {
	n, ok := w.symbols[v]
	if !ok {
		n = len(w.symbols) + 1
		w.symbols[v] = n
	}
	return fmt.Sprintf("v%d", n)
}

func (w *writer) form(f linear.Form) string { return f.Format(w.symbol) }

func (w *writer) constraint(c linear.Constraint) string { return c.Format(w.symbol) }

func (w *writer) named(f *ir.Func) map[ir.Value]string {
	names, ok := w.names[f]
	if !ok {
		names = f.VariableNames()
		w.names[f] = names
	}
	return names
}

// object names the object with an index.
func object(s *symgraph.State, i int32) string {
	if i < 0 || int(i) >= len(s.Objects) {
		return "NULL"
	}
	switch o := &s.Objects[i]; o.Kind {
	case symgraph.Heap:
		if o.List != nil {
			return fmt.Sprintf("list%d", i)
		}
		return fmt.Sprintf("heap%d", i)
	case symgraph.Stack:
		return fmt.Sprintf("stack%d", i)
	default:
		return o.Name
	}
}

func (w *writer) value(s *symgraph.State, v symgraph.Value) string {
	switch v.Kind {
	case symgraph.Unset, symgraph.Any:
		return "?"
	case symgraph.Int:
		return w.form(v.Form)
	}
	base := object(s, v.Object)
	switch {
	case v.Object == symgraph.Token:
		return "a state of the stack"
	case v.Object == symgraph.Null && v.Form.IsConstant() && v.Form.Const.IsZero():
		return "NULL"
	case v.Last:
		base = "last of " + base
	}
	if v.Form.IsConstant() && v.Form.Const.IsZero() {
		return "&" + base
	}
	return "&" + base + " + " + w.form(v.Form)
}

// box begins a box with a state.
func (w *writer) box(v *symgraph.Vertex) Box {
	b := Box{Func: v.Func.Name, Cutpoint: v.Cutpoint}
	s := v.State
	for i := range s.Frames {
		f := &s.Frames[i]
		lines := w.locals(s, f)
		if i == len(s.Frames)-1 {
			for _, l := range lines {
				if !strings.HasPrefix(l, "%") {
					b.Variables = append(b.Variables, l)
				}
			}
		}
		b.State = append(b.State, Section{"locals of " + f.Func.Name, lines})
	}
	var objects, cells []string
	for i := range s.Objects {
		o := &s.Objects[i]
		name := object(s, int32(i))
		if o.Kind == symgraph.Function || o.Kind == symgraph.Global && o.Pristine {
			continue
		}
		state := ""
		if o.Dead {
			state = ", may be dead"
		}
		if l := o.List; l != nil {
			objects = append(objects, fmt.Sprintf("%s: %s nodes of %s bytes, linked at %d, the last to %s", name, w.form(l.Length), w.form(o.Size), l.Next, w.value(s, l.Tail)))
			if l.Double {
				objects = append(objects, fmt.Sprintf("  linked back at %d, the first to %s", l.Prev, w.value(s, l.Before)))
			}
			for _, text := range w.owned(l, "  ") {
				objects = append(objects, text)
			}
			for _, c := range l.Facts {
				objects = append(objects, "  in each: "+w.constraint(c))
			}
		} else {
			objects = append(objects, fmt.Sprintf("%s: %s bytes%s", name, w.form(o.Size), state))
		}
		if o.Slots != nil {
			objects = append(objects, w.slots(o.Slots)...)
		}
		for _, c := range o.Cells {
			cells = append(cells, fmt.Sprintf("%s[%s] = %s (%s)", name, w.form(c.Offset), w.value(s, c.Value), c.Type))
		}
	}
	var facts []string
	for _, c := range v.Facts {
		if text := w.constraint(c); !slices.Contains(facts, text) {
			facts = append(facts, text)
		}
	}
	b.State = append(b.State, Section{"knowledge base", facts}, Section{"allocations", objects}, Section{"memory", cells})
	b.State = slices.DeleteFunc(b.State, func(s Section) bool { return len(s.Lines) == 0 })
	return b
}

// owned says what each node of a segment owns.
func (w *writer) owned(l *symgraph.Segment, indent string) (lines []string) {
	for i := range l.Owned {
		o := &l.Owned[i]
		lines = append(lines, w.owner(o, fmt.Sprintf("%s+%d", indent, o.At), indent)...)
	}
	return lines
}

// owner says what a pointer owns.
func (w *writer) owner(o *symgraph.Owned, pointer, indent string) (lines []string) {
	kind := "a list"
	switch m := o.Nodes.List; {
	case o.Most == 0:
		return []string{pointer + ": null"}
	case len(m.Branches) > 0:
		kind = "a tree"
	case m.Next == symgraph.NoLink:
		kind = "a block"
	}
	if o.Least == 0 {
		kind = "null or " + kind
	}
	lines = append(lines, fmt.Sprintf("%s: %s of its own, of %s bytes each", pointer, kind, w.form(o.Nodes.Size)))
	for _, c := range o.Nodes.List.Facts {
		lines = append(lines, indent+"  in each: "+w.constraint(c))
	}
	return append(lines, w.owned(o.Nodes.List, indent+"  ")...)
}

// slots says what the slots of an array own.
func (w *writer) slots(l *symgraph.Slots) (lines []string) {
	at := fmt.Sprintf("  +%d + %d·k", l.At, l.Stride)
	if !l.Nulls.Equal(l.From) {
		lines = append(lines, fmt.Sprintf("%s, %s <= k < %s: null", at, w.form(l.Nulls), w.form(l.From)))
	}
	var but string
	for _, f := range l.Out {
		but += ", but for k = " + w.form(f)
	}
	return append(lines, w.owner(&l.Owned, fmt.Sprintf("%s, %s <= k < %s%s", at, w.form(l.From), w.form(l.To), but), "  ")...)
}

// locals are the values of a frame, those of variables first.
func (w *writer) locals(s *symgraph.State, f *symgraph.Frame) []string {
	names := w.named(f.Func)
	var variables, others []string
	for v := range f.Values {
		x := f.Values[v]
		if x.Kind == symgraph.Unset {
			continue
		}
		text := w.value(s, x)
		if n := names[ir.Value(v)]; n != "" {
			variables = append(variables, n+" = "+text)
		} else {
			others = append(others, fmt.Sprintf("%%%d = %s", v, text))
		}
	}
	return append(variables, others...)
}

// label is what an edge says.
func (w *writer) label(d *symgraph.Drawing, a *symgraph.Arrow) string {
	var parts []string
	for _, c := range a.Case {
		parts = append(parts, w.constraint(c))
	}
	for _, f := range a.Unequal {
		parts = append(parts, w.form(f)+" ≠ 0")
	}
	if a.Toss != nil {
		parts = append(parts, fmt.Sprintf("comparison is %v", *a.Toss))
	}
	if a.Kind == symgraph.Generalization {
		keys := make([]linear.Var, 0, len(a.Symbols))
		for v := range a.Symbols {
			keys = append(keys, v)
		}
		slices.Sort(keys)
		for _, v := range keys {
			if g, ok := a.Symbols[v].IsVariable(); ok && g == v {
				continue
			}
			parts = append(parts, w.symbol(v)+" := "+w.form(a.Symbols[v]))
		}
	}
	return strings.Join(parts, ", ")
}
