package program

import (
	"fmt"
	"path/filepath"

	"assay/internal/evidence/verdict"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file says, in terms of the program, what a location would have to keep and the state of the system
// cannot: which pointer, where the object that it may point to is made, and what one may do about it.

// Why a state has no room for an object.
const (
	sizeVaries  = "a transition system has only objects of constant size"
	livesOnHeap = "a transition system has a fixed number of objects"
)

// hintFixed is what helps against objects that the state has no room for.
const hintFixed = "use an array of constant size there, or bound what it runs over (a size, a length, by an assumption): then unwinding or following paths comes to an end"

// keptPointer is the reason that a pointer keeps what is no candidate; i is the number of its variable.
func (a *assembly) keptPointer(i int, x memory.Value) verdict.Reason {
	v := &a.layout.variables[i]
	who, function := a.pointerInC(v)
	out := verdict.Reason{Cause: verdict.CauseUnsupported, Func: function, Pos: v.pos}
	for _, o := range a.names(x.Object) {
		if _, ok := a.candidate(o); ok {
			continue
		}
		why := sizeVaries
		if a.u.Space().Object(o).Kind == memory.HeapObject {
			why = livesOnHeap
		}
		made, _ := a.madeAt(o)
		if out.Pos.Line == 0 {
			out.Pos = made
		}
		where := fmt.Sprint("line ", made.Line)
		if made.File != out.Pos.File && made.File >= 0 && int(made.File) < len(a.m.Files) {
			where = fmt.Sprint(filepath.Base(a.m.Files[made.File]), ":", made.Line)
		}
		out.Text = fmt.Sprintf("%s may point to what %s allocates: %s", who, where, why)
		out.Hint = hintFixed
		return out
	}
	out.Text = who + " may be computed from an integer, or read from memory that was not written as a pointer; a transition system has only pointers that name their objects"
	out.Hint = "keep the address in a pointer from where it is taken to where it is used, or bound the loops: then unwinding or following paths comes to an end"
	return out
}

// keptObject is the reason that an object of the heap lives on from one step to the next.
func (a *assembly) keptObject(o memory.ObjectID) verdict.Reason {
	out := verdict.Reason{
		Cause: verdict.CauseUnsupported, Hint: hintFixed,
		Text: "what is allocated here lives on from one iteration of a loop to the next: " + livesOnHeap,
	}
	out.Pos, out.Func = a.madeAt(o)
	return out
}

// madeAt is where an object that the step makes is made.
func (a *assembly) madeAt(o memory.ObjectID) (ir.Pos, string) {
	name := a.u.Space().Object(o).Name // says the place
	for v := range a.step.Values {
		if d := &a.step.Values[v]; (d.Op == ir.Malloc || d.Op == ir.Alloca) && a.m.PosString(d.Pos) == name {
			at, ok := a.originOf(ir.Value(v))
			if !ok || at.Activation == nil {
				return d.Pos, ""
			}
			return d.Pos, at.Activation.Func.Name
		}
	}
	return ir.Pos{}, ""
}

// pointerInC is a pointer of the state as a person would name it, and the function that it is of.
func (a *assembly) pointerInC(v *variable) (name, function string) {
	if v.value != 0 {
		at := a.flat.Values[v.value]
		if at.Activation == nil {
			return "a pointer", ""
		}
		f := at.Activation.Func
		if name = f.VariableNames()[at.Value]; name != "" {
			return name + " of " + ir.NameInC(f.Name), f.Name
		}
		return "a pointer of " + ir.NameInC(f.Name), f.Name
	}
	key := a.keyOf(v)
	name, function = key.place.inC(a.flat)
	if key.offset != 0 {
		return fmt.Sprintf("the pointer in %s, at byte %d,", name, key.offset), function
	}
	return "the pointer in " + name, function
}

// inC is an object of the state as a person would name it.
func (p place) inC(f *flat) (name, function string) {
	if p.global != nil {
		return ir.NameInC(p.global.Name), ""
	}
	o := &f.objects[p.object]
	g := o.origin.Activation.Func
	if name = g.VariableNames()[o.origin.Value]; name == "" {
		name = "a local"
	}
	return name + " of " + ir.NameInC(g.Name), g.Name
}
