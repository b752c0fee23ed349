package certify

import (
	"slices"

	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file makes the state at a loop head arbitrary on what the loop changes,
// and finds out what that is.
//
// Changes are recorded for a loop in a call string, and by the place where an
// object is made rather than by the object, so that they mean the same in the
// next encoding. More than what changes may be recorded; that is sound.
//
// "Arbitrary" is, for each kind of thing,
//
//	an integer or a float   any bits
//	a pointer               any offset into the same object, or into one of those with
//	                        which it comes back at the back edge (moves.go)
//	a range of memory       as an integer or a pointer, if what it holds before and
//	                        after an iteration can be told apart so
//	a whole content         any bits, if neither before the loop nor after an
//	                        iteration it holds pointers to objects
//	that an object lives    yes or no; if after each iteration it surely does
//	                        not, what it was before the loop, or no
//
// An object that an iteration makes must have ended at the back edge. It is not in
// the arbitrary state then, and nothing there can tell: to point to it, a pointer
// would have to have changed its object.

// site is the place where an object is made: an instruction in a call string. For
// globals the context is -1 and the value the number of the object.
type site struct {
	context int32
	value   ir.Value
}

type loopKey struct {
	context int32
	head    ir.BlockID
}

// change is what a loop changes of the objects of a site.
type change struct {
	whole, alive, dead bool
	cells              []memory.Range // that do not overlap
	aims               map[memory.Range]aims
}

// maxCells bounds the ranges of an object that are kept apart, maxCell their size.
const (
	maxCells = 64
	maxCell  = 16
)

// addCell adds a range; it says whether that is something new.
func (x *change) addCell(r memory.Range) bool {
	if x.whole || slices.Contains(x.cells, r) {
		return false
	}
	overlaps := func(q memory.Range) bool { return r.Offset < q.Offset+q.Size && q.Offset < r.Offset+r.Size }
	if r.Size > maxCell || len(x.cells) == maxCells || slices.ContainsFunc(x.cells, overlaps) {
		x.whole = true
	} else {
		x.cells = append(x.cells, r)
	}
	return true
}

// made notes where an object is made.
func (c *checker) made(o memory.ObjectID, at site) {
	if c.induction == nil {
		return
	}
	for len(c.sites) <= int(o) {
		c.sites = append(c.sites, site{context: -1, value: ir.Value(len(c.sites))})
	}
	c.sites[o] = at
}

func (c *checker) siteOf(o memory.ObjectID) site {
	if int(o) < len(c.sites) {
		return c.sites[o]
	}
	return site{context: -1, value: ir.Value(o)}
}

// changes are those of a loop.
func (c *checker) changes(fr *frame, head ir.BlockID) map[site]*change {
	k := loopKey{fr.context, head}
	x := c.induction.changes[k]
	if x == nil {
		x = map[site]*change{}
		c.induction.changes[k] = x
	}
	return x
}

// forget makes the state arbitrary, where selected holds, on what the loop
// changes.
func (c *checker) forget(fr *frame, head ir.BlockID, selected term.ID, in edge) edge {
	phis := fr.fn.phis[head]
	values := slices.Clone(in.values)
	for i, v := range phis {
		values[i].Value = c.anyAmong(selected, values[i].Value, c.induction.moves[moveKey{loopKey{fr.context, head}, i}], in.mem)
		values[i].loose = values[i].loose || fr.typeOf(v).Kind == ir.Float
	}
	in.values = values
	c.forgetMemory(fr, c.changes(fr, head), selected, in.mem, in.guard, c.blockValue(fr.fn, head))
	return in
}

// forgetMemory makes memory arbitrary, where selected holds, on what changes.
func (c *checker) forgetMemory(fr *frame, changes map[site]*change, selected term.ID, mem *memory.State, guard term.ID, at ir.Value) {
	st := c.st
	if len(changes) == 0 {
		return
	}
	var objects []memory.ObjectID
	mem.Each(func(o memory.ObjectID) {
		if changes[c.siteOf(o)] != nil {
			objects = append(objects, o)
		}
	})
	for _, o := range objects {
		x := changes[c.siteOf(o)]
		whole := x.whole
		for _, r := range x.cells {
			old, ok := mem.Cell(o, r)
			if whole = whole || !ok; whole {
				break
			}
			if !old.IsPointer() && c.sp.IsPointer(old) {
				c.claim(uncovered, fr, st.And(guard, mem.Alive(o)), at, "the loop changes a part of a pointer in memory")
			}
			mem.SetCell(o, r, c.anyAmong(selected, old, x.aims[r], mem))
		}
		if whole {
			if mem.KeepsPointers(o) {
				c.claim(uncovered, fr, st.And(guard, mem.Alive(o)), at, "the loop changes an object that holds pointers")
			}
			mem.ForgetContent(o, selected, c.content(0, c.sp.Object(o).Size))
		}
		switch ends := st.Fresh("ended", term.Bool()); {
		case x.alive:
			mem.ForgetAlive(o, selected, st.Not(ends), guard)
		case x.dead:
			mem.End(o, st.And(selected, ends))
		}
	}
}

// anyOf is x, or any value like it where selected holds.
func (c *checker) anyOf(selected term.ID, x memory.Value) memory.Value {
	any := func(t term.ID) term.ID {
		return c.st.Ite(selected, c.st.Fresh("head", c.st.Sort(t)), t)
	}
	if x.IsPointer() {
		return memory.Value{Object: x.Object, Offset: any(x.Offset)}
	}
	return memory.Value{Bits: any(x.Bits)}
}

// compare adds to the changes of a loop how the state at its first back edges
// differs from the one at its head. What cannot be made arbitrary is uncovered.
func (c *checker) compare(fr *frame, s *sweep, in edge) {
	st := c.st
	head := s.region.head
	phis := len(fr.fn.phis[head])
	at := c.blockValue(fr.fn, head)
	leaveOpen := func(cond term.ID, why string) {
		c.claim(uncovered, fr, st.And(in.guard, cond), at, "%s", why)
	}
	for i, x := range in.values {
		y := s.values[i]
		switch {
		case i >= phis && (x.Value != y.Value || x.loose && !y.loose):
			leaveOpen(st.True(), "a value from before the loop changes in it")
		case i < phis && x.IsPointer() != y.IsPointer(),
			i < phis && x.IsPointer() && x.Object != y.Object && (fr.nest != nil || !c.aimsAt(c.moves(fr, head, i), s.mem, x.Value)):
			leaveOpen(st.True(), "a pointer moves to another object in the loop")
		}
	}
	c.compareMemory(fr, c.changes(fr, head), s.mem, in.mem, in.guard, at, false, fr.nest == nil)
}

// compareMemory adds to some changes how one state differs from an earlier one;
// guard says where. The later one may have stack objects of its own if locals is
// set, and pointers to other objects if moves is.
func (c *checker) compareMemory(fr *frame, changes map[site]*change, from, to *memory.State, guard term.ID, at ir.Value, locals, moves bool) {
	leaveOpen := func(cond term.ID, why string) {
		c.claim(uncovered, fr, c.st.And(guard, cond), at, "%s", why)
	}
	from.Differences(to, func(o memory.ObjectID, d memory.Difference) {
		switch {
		case d.Born && locals && c.sp.Object(o).Kind == memory.StackObject:
			return
		case d.Born:
			leaveOpen(to.Alive(o), "an object that is made in the loop lives on after an iteration")
			return
		case d.Gone:
			leaveOpen(c.st.True(), "an object is gone after an iteration")
			return
		}
		x := changes[c.siteOf(o)]
		if x == nil {
			x = &change{}
			changes[c.siteOf(o)] = x
		}
		add := func(have *bool, is bool) {
			if is && !*have {
				*have, c.induction.grew = true, true
			}
		}
		if !x.alive { // else it is whatever it may be
			add(&x.dead, d.Dead)
		}
		add(&x.alive, d.Alive)
		add(&x.whole, d.Whole)
		for _, r := range d.Cells {
			if x.addCell(r) {
				c.induction.grew = true
			}
		}
		alive := to.Alive(o)
		if x.whole {
			if (d.Whole || len(d.Cells) > 0) && to.KeepsPointers(o) {
				leaveOpen(alive, "the loop writes pointers")
			}
			return
		}
		for _, r := range d.Cells {
			before, _ := from.Cell(o, r)
			after, _ := to.Cell(o, r)
			switch {
			case before.IsPointer() != after.IsPointer(),
				before.IsPointer() && before.Object != after.Object && (!moves || !c.aimsAt(x.aimsOf(r), from, after)):
				leaveOpen(alive, "a pointer in memory moves to another object in the loop")
			case !after.IsPointer() && c.sp.IsPointer(after):
				leaveOpen(alive, "the loop writes a part of a pointer")
			}
		}
	})
}
