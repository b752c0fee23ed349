// Package placement is a second model of memory, for tests: it runs small programs with
// concrete addresses, in all ways that objects may be placed, and says which checks a run
// may violate. It shares only package ir with the rest, so that a mistake in the meaning of
// pointers that interpreter, encoder and checker share shows as a difference to it.
//
// # The model
//
// Memory is a line of bytes. An object occupies max(size, 1) of them from its base on; live
// objects are disjoint, and what a dead one occupied may be occupied again, wholly or in part.
// A pointer is an address, and may have a provenance: the object that it was made for.
//
//   - With a provenance it may be used for bytes of that object alone, while it lives.
//   - Without one it is a number. An access, a write or a free is valid if there is a live object
//     that makes it valid; it is looked for among all objects, at each use.
//   - Comparisons and conversions look at the number alone.
//   - A byte of memory is a number, and may be fragment k of a pointer. Four fragments in order
//     of one pointer are that pointer; any other four bytes are a number. An integer
//     read from fragments is a number as well.
//   - The content of a new object is arbitrary, and fixed where it is read.
//
// An access that is not valid is a violation, and goes on as docs/soundness.md says (U4 to U6).
//
// # All placements
//
// Programs here use addresses in few ways: they add and compare small multiples of a unit,
// and compare with numbers of the first page. Which way a run takes thus depends on the
// differences between addresses alone, and on these only up to a few units (near). So it is enough
// to place an object at each distance of up to near units from each address that is known so far
// (what lives, what is dead, what was chosen as a number), and at two places far from all of
// them, above and below; the first one stands anywhere. The same goes for a number that is
// chosen where an address may be wanted; later objects may be placed at it.
// Other arbitrary values are one of a few that the program tells apart, and one more.
//
// A run that does what makes this incomplete (it compares single bytes of an address, or makes
// a number from bytes of several) is still a run of the program, but then Outcome.Complete is false.
//
// The runs of a program are the leaves of a tree of choices. They are made one after the other from
// the start, each with the choices of the last one up to a point, and the next choice there.
package placement

import (
	"fmt"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Site is a check, or an operation that may be undefined.
type Site struct {
	Func  string
	Value ir.Value
	Kind  ir.CheckKind
}

// Outcome is what all runs of a program may do.
type Outcome struct {
	// Reached are the sites that some run violates: true, if one does so without any undefined
	// behaviour before.
	Reached map[Site]bool
	// Complete says that no other site is violated by any run.
	Complete bool
	Runs     int
}

// Run is one run.
type Run struct {
	// Input are its choices, as the interpreter takes them.
	Input ir.Input
	// Violations in their order.
	Violations []Site
	// Ended is how it ended.
	Ended End
}

// End is how a run ended.
type End uint8

// The ends of runs.
const (
	Returned End = iota
	AssumeFailed
	TooLong
)

// Options bound an exploration.
type Options struct {
	// Unit is what addresses are multiples of, beside small parts of objects.
	Unit uint64
	// Runs bounds the number of runs.
	Runs int
	// Steps bounds the instructions of a run.
	Steps int
	// Observe, if set, is told of every run; false ends the exploration. The run is not to
	// be kept.
	Observe func(*Run) bool
}

// Explore makes all runs of a module.
func Explore(m *ir.Module, o Options) Outcome {
	x := newMachine(m, o)
	out := Outcome{Reached: map[Site]bool{}, Complete: true}
	for {
		x.run()
		out.Runs++
		if x.ended != AssumeFailed || len(x.violations) > 0 {
			clean := true
			for _, s := range x.violations {
				out.Reached[s] = out.Reached[s] || clean
				clean = clean && s.Kind == ir.Assertion
			}
		}
		if x.beyond || x.ended == TooLong {
			out.Complete = false
		}
		if o.Observe != nil {
			r := Run{x.input(), x.violations, x.ended}
			if !o.Observe(&r) {
				out.Complete = false
				return out
			}
		}
		if !x.next() {
			return out
		}
		if out.Runs >= o.Runs {
			out.Complete = false
			return out
		}
	}
}

// input is the run as the interpreter takes it.
func (x *machine) input() ir.Input {
	in := ir.Input{Globals: map[string]ir.GlobalChoice{}}
	for i, g := range x.m.Globals {
		in.Globals[g.Name] = ir.GlobalChoice{Base: x.objects[i+1].base}
	}
	for _, c := range x.log {
		d := ir.Choice{Func: c.f, Value: c.v, Base: c.base}
		if c.bits > 0 {
			d.Bits = bv.New(c.bits, c.value)
		}
		if c.content > 0 {
			for _, b := range x.contents[c.content].bytes {
				d.Bytes = append(d.Bytes, byte(max(b, 0)))
			}
		}
		in.Choices = append(in.Choices, d)
	}
	return in
}

// String is for messages.
func (s Site) String() string { return fmt.Sprintf("%v at %%%d of @%s", s.Kind, s.Value, s.Func) }
