package certify

import (
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// This file lets pointers move from object to object in loops: along a list, or from one
// string to another. Where the state at a loop head is made arbitrary (cut.go), such a pointer
// points anywhere into any of the objects that it was seen to come back with, or is any
// address if it came back with one that has no object, or is what it was before the loop.
//
// The objects must be known by name: the pointer is a choice between constants. And they
// must exist at the head, so that each visit finds them. They are recorded by the places
// where they are made, as changes are, so that they mean the same in the next encoding; of a
// place that makes several, all are taken. What is recorded grows until an encoding adds
// nothing, so in the last one a pointer that comes back is among what it was at the head: the
// argument of (b) in induction.go. Not in recursive functions, which need pointers that are
// certain (recursion.go).

// nullSite stands for the null pointer, bareSite for any address without an object: what is
// there is looked up where it is used.
var (
	nullSite = site{context: -2, value: 1}
	bareSite = site{context: -2, value: 2}
)

// aims are the places where the objects are made that a pointer may point into.
type aims map[site]bool

// targetsOf says what a pointer may be: null, an address without object, or a pointer into one of
// some objects; ok is false if they are not known by name.
func (c *checker) targetsOf(v memory.Value) (null, bare bool, list []memory.ObjectID, ok bool) {
	st := c.st
	type choice struct{ object, offset term.ID }
	seen := map[choice]bool{}
	stack := []choice{{v.Object, v.Offset}}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[x] {
			continue
		}
		if seen[x] = true; len(seen) > maxAims {
			return false, false, nil, false
		}
		switch st.Op(x.object) {
		case term.OpConst:
			switch o := memory.ObjectID(st.ConstValue(x.object).Uint64()); {
			case o != 0:
				list = append(list, o)
			case st.IsConst(x.offset) && st.ConstValue(x.offset).IsZero():
				null = true
			default:
				bare = true
			}
		case term.OpIte:
			yes, no := c.under(x.offset, st.Arg(x.object, 0))
			stack = append(stack, choice{st.Arg(x.object, 1), yes}, choice{st.Arg(x.object, 2), no})
		default:
			return false, false, nil, false
		}
	}
	return null, bare, list, true
}

// under is a term where a condition holds, and where it does not.
func (c *checker) under(t, cond term.ID) (yes, no term.ID) {
	if c.st.IsConst(t) {
		return t, t
	}
	known := func(holds bool) term.ID {
		facts := map[term.ID]term.ID{}
		c.assume(facts, cond, holds)
		return c.st.Substitute(t, facts)
	}
	return known(true), known(false)
}

// assume adds to facts that a condition holds or not, and what follows for its parts.
func (c *checker) assume(facts map[term.ID]term.ID, cond term.ID, holds bool) {
	st := c.st
	if st.IsTrue(cond) || st.IsFalse(cond) {
		return
	}
	facts[cond] = st.Bool(holds)
	switch op := st.Op(cond); {
	case op == term.OpNot:
		c.assume(facts, st.Arg(cond, 0), !holds)
	case op == term.OpAnd && holds, op == term.OpOr && !holds:
		c.assume(facts, st.Arg(cond, 0), holds)
		c.assume(facts, st.Arg(cond, 1), holds)
	}
}

// maxAims bounds the choices of a pointer that are looked at.
const maxAims = 256

// aimsAt records where a pointer that comes back to a state points; ok is false if that is
// not covered.
func (c *checker) aimsAt(known aims, at *memory.State, v memory.Value) (ok bool) {
	null, bare, list, ok := c.targetsOf(v)
	if !ok {
		return false
	}
	add := func(where site) {
		if !known[where] {
			known[where] = true
			c.induction.grew = true
		}
	}
	for _, o := range list {
		if !at.Has(o) && c.sp.Object(o).Kind != memory.FunctionObject {
			return false
		}
		add(c.siteOf(o))
	}
	if null {
		add(nullSite)
	}
	if bare {
		add(bareSite)
	}
	return true
}

// anyAmong is anyOf for a pointer that may also point into the objects of some places.
func (c *checker) anyAmong(selected term.ID, x memory.Value, known aims, at *memory.State) memory.Value {
	x = c.anyOf(selected, x)
	if len(known) == 0 {
		return x
	}
	add := func(to memory.Value) {
		here := c.st.And(selected, c.st.Fresh("aim", term.Bool()))
		x = c.sp.Ite(here, to, x)
	}
	into := func(o memory.ObjectID) { add(c.sp.Pointer(o, c.st.Fresh("head", term.BitVec(c.m.PointerBits)))) }
	if known[nullSite] {
		add(c.sp.Null())
	}
	if known[bareSite] {
		add(c.sp.IntToPtr(c.st.Fresh("head", term.BitVec(c.m.PointerBits))))
	}
	for _, f := range c.m.Funcs {
		if o, ok := c.sp.Symbol(f.Name); ok && known[c.siteOf(o)] {
			into(o)
		}
	}
	at.Each(func(o memory.ObjectID) {
		if known[c.siteOf(o)] && c.sp.Object(o).Kind != memory.FunctionObject {
			into(o)
		}
	})
	return x
}

// moves are the aims of a phi of a loop head.
func (c *checker) moves(fr *frame, head ir.BlockID, phi int) aims {
	k := moveKey{loopKey{fr.context, head}, phi}
	x := c.induction.moves[k]
	if x == nil {
		x = aims{}
		c.induction.moves[k] = x
	}
	return x
}

// moveKey is a phi of a loop in a call string.
type moveKey struct {
	loop loopKey
	phi  int
}

// aimsOf are the aims of a range of an object that changes.
func (x *change) aimsOf(r memory.Range) aims {
	if x.aims == nil {
		x.aims = map[memory.Range]aims{}
	}
	if x.aims[r] == nil {
		x.aims[r] = aims{}
	}
	return x.aims[r]
}
