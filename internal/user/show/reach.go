package show

import (
	"encoding/binary"
	"slices"
	"strconv"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file finds names for objects that have none: a block of the heap is what p->next points to. From the variables that
// live at an event, pointers are followed through memory as their types in C say, breadth first, so that the first name
// found for an object is a shortest one. The names are of the state at the event, whatever the program did before.

// The bounds of the search.
const (
	maxNamed    = 400 // pointers
	maxElements = 4   // of an array, that are looked at
	maxNesting  = 6   // of structures and arrays in one object
)

// pointing is a pointer with a name.
type pointing struct {
	name    string
	target  uint64
	element ir.CType // what it points to
}

// reaching looks for pointers.
type reaching struct {
	t     *tracer
	state interp.State
	found []pointing
	seen  map[uint64]bool
}

// reach are the pointers that can be named at an event, the nearest first.
func (t *tracer) reach(e interp.Event) []pointing {
	r := &reaching{t: t, state: e.State, seen: map[uint64]bool{}}
	inner := t.visible()
	for i := len(t.stack) - 1; i >= 0; i-- {
		a := &t.stack[i]
		if a.hidden {
			continue
		}
		for k := range a.f.Vars {
			v := &a.f.Vars[k]
			if x, ok := a.shown[v]; ok && v.Type.Ptr {
				r.pointer(t.qualified(inner, a.f, v.Name), x.bits, v.Type)
			}
		}
	}
	for i := len(t.objects) - 1; i >= 0; i-- {
		if o := &t.objects[i]; t.lives(o) {
			r.look(t.qualified(inner, o.maker, o.name), o.base, o.typ, 0)
		}
	}
	for _, g := range t.run.Module.Globals {
		if g.CName != "" {
			r.look(g.CName, e.State.Symbol(g.Name), g.CType, 0)
		}
	}
	for i := 0; i < len(r.found); i++ {
		p := r.found[i]
		if name, _ := behind(p.name, p.element, 0, uint64(p.element.Bits)/8); name != "" {
			r.look(name, p.target, p.element, 0)
		}
	}
	return r.found
}

// lives says whether an object is a variable of a call in progress.
func (t *tracer) lives(o *object) bool {
	return o.kind == PointeeLocal && o.name != "" && slices.ContainsFunc(t.stack, func(a activation) bool { return a.f == o.maker })
}

// qualified is the name of a local, with its function if it is not the one that the event is shown in.
func (t *tracer) qualified(inner *activation, f *ir.Func, name string) string {
	if inner == nil || inner.f == f {
		return name
	}
	return ir.NameInC(f.Name) + "::" + name
}

// pointer notes a pointer.
func (r *reaching) pointer(name string, target uint64, t ir.CType) {
	if target == 0 || t.Parts == nil || r.seen[target] && t.Parts.Element.Parts == nil || len(r.found) >= maxNamed {
		return
	}
	for _, p := range r.found {
		if p.target == target && p.element.Name == t.Parts.Element.Name {
			return
		}
	}
	r.seen[target] = true
	r.found = append(r.found, pointing{name, target, t.Parts.Element})
}

// look notes the pointers in an object.
func (r *reaching) look(name string, base uint64, t ir.CType, nesting int) {
	if nesting > maxNesting || t.Parts == nil || len(r.found) >= maxNamed {
		return
	}
	if t.Ptr {
		word := uint64(r.t.run.Module.PointerBits / 8)
		if b, ok := r.state.Memory(base, word); ok {
			r.pointer(name, binary.LittleEndian.Uint64(append(b, make([]byte, 8)...)), t)
		}
		return
	}
	if len(name) > 0 && name[0] == '*' && len(t.Parts.Members) > 0 {
		name = "(" + name + ")"
	}
	if width := uint64(t.Parts.Element.Bits) / 8; width > 0 {
		for k := range min(uint64(t.Bits)/8/width, maxElements) {
			r.look(name+"["+strconv.FormatUint(k, 10)+"]", base+k*width, t.Parts.Element, nesting+1)
		}
	}
	for _, m := range t.Parts.Members {
		inner := name
		if m.Name != "" {
			inner = member(name, m.Name)
		}
		r.look(inner, base+m.Offset/8, m.Type, nesting+1)
	}
}

// member is the name of a member of a named object.
func member(object, name string) string {
	if len(object) > 2 && object[:2] == "(*" && object[len(object)-1] == ')' {
		return object[2:len(object)-1] + "->" + name
	}
	return object + "." + name
}

// nameOf is what C calls size bytes at an address in, before or behind an object, "" if nothing is known, or if it is the
// name of the object itself.
func (t *tracer) nameOf(e interp.Event, o object, address, size uint64) string {
	if o.name != "" && o.kind != PointeeArgument && address >= o.base {
		if path, _, rest := partAt(o.typ, address-o.base, size); rest == 0 && path != "" {
			return o.name + path
		} else if rest == 0 {
			return ""
		}
	}
	best := ""
	for _, p := range t.reach(e) {
		if p.target < o.base || p.target > o.base+o.size || p.target == o.base+o.size && o.size > 0 {
			continue
		}
		name, _ := behind(p.name, p.element, int64(address-p.target), size)
		if name == "" {
			continue
		}
		if p.target == o.base && p.element.Bits > 8 {
			return name
		}
		if best == "" {
			best = name
		}
	}
	return best
}

// cellName is what C calls the memory of size bytes at an address, and its type; "" if it has no name.
func (t *tracer) cellName(e interp.Event, address, size uint64) (string, ir.CType) {
	if name, part := t.variableName(e, address, size); name != "" {
		return name, part
	}
	return t.reachedName(e, address, size)
}

// variableName is the name of a cell of a variable.
func (t *tracer) variableName(e interp.Event, address, size uint64) (string, ir.CType) {
	inner := t.visible()
	for i := len(t.objects) - 1; i >= 0; i-- {
		o := &t.objects[i]
		if t.lives(o) && address >= o.base && address-o.base < o.size {
			if path, part, rest := partAt(o.typ, address-o.base, size); rest == 0 {
				return t.qualified(inner, o.maker, o.name) + path, part
			}
		}
	}
	for _, g := range t.run.Module.Globals {
		base := e.State.Symbol(g.Name)
		if g.CName != "" && address >= base && address-base < g.Size {
			if path, part, rest := partAt(g.CType, address-base, size); rest == 0 {
				return g.CName + path, part
			}
		}
	}
	return "", ir.CType{}
}

// reachedName is the name of a cell that variables lead to.
func (t *tracer) reachedName(e interp.Event, address, size uint64) (string, ir.CType) {
	for _, p := range t.reach(e) {
		if width := uint64(p.element.Bits) / 8; address >= p.target && address-p.target < max(width, 1)*64 {
			if o, ok := e.State.Memory(p.target, address-p.target+size); !ok || len(o) == 0 {
				continue
			}
			if name, part := behind(p.name, p.element, int64(address-p.target), size); name != "" && uint64(part.Bits)/8 == size {
				return name, part
			}
		}
	}
	return "", ir.CType{}
}
