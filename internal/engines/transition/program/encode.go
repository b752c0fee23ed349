// Package program turns a program into a transition system over bit-vectors
// [LLUMC §3], in two ways: one step a block, as in the paper, or one step for all
// that happens between two loop heads.
//
// # From a program to a step
//
// Calls are inlined (flatten.go). The function that is left is cut into pieces
// without loops, and the pieces are put together to one function, the step
// (step.go). Package ssa encodes it, so that instructions mean exactly what they
// mean in bounded search, and the terms of its results are the next state.
//
// # What the state is
//
// The location, the values that a location needs, and of memory what a step
// changes. The latter is found by encoding: memory that is not part of the state has
// its initial content at the start of a step; what differs from that at the end
// becomes part of the state, and the step is encoded again, until nothing is added
// [2LS §2.1 would call it the havocked state]. What a pointer may point to is found
// in the same way.
//
//	(S1) A value of w bits is a variable of w bits; a pointer is an offset, and the
//	     number of its target among those found.
//	(S2) Memory is a variable for each cell, and one for each object whose life
//	     begins or ends.
//	(S3) Addresses, and contents that were there at the start and that nothing
//	     changes, are variables that keep their first value.
//
// # What is exact
//
// A run of the program is a run of the system. The converse fails where addresses
// matter (facts that package memory adds on demand are missing here, so that a
// pointer made from an integer may point anywhere), and where the encoding of a
// step gives up or leaves the finite: recursion beyond a few activations, objects
// that are made in a loop and live on, and pointers to them. These places are a
// property of their own (System.Obstacle): as long as it is not proved, there is
// no proof; runs end there. Objects of which one stands for many (flatten.go, F2) make the system
// neither more nor less; proofs are therefore checked on the program (package
// certify), and runs replayed there.
package program

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
)

// Options say what to encode.
type Options struct {
	// Targets are the kinds of events that the property excludes.
	Targets []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// Small asks for the small-block encoding: a step is one block.
	Small bool
	// Facts hold at loop heads in every run without violation. They become
	// constraints of the large-block system, as far as it can say them, and part of
	// every certificate.
	Facts []invariant.Head
	// Endless adds a justice property, which infinite runs violate: the run is at a
	// location, and not at its end, infinitely often.
	Endless bool
}

// Labels and names in the step function.
const (
	startLabel = "assay.start"
	objectName = "assay.object."
)

// Limits of a system.
const (
	maxRounds = 40
	maxCells  = 2048
	maxBits   = 1 << 15
	leftOver  = 4 // activations of functions that are not inlined
	// Calls through tables of pointers can make the terms of a step grow with the
	// power of leftOver, and reads of long buffers with the square of their length.
	maxOperations = 1 << 21
)

// candidate is what a pointer may point to: a symbol, a stack object, or nothing.
type candidate struct {
	symbol string
	object int // index in flat.objects, -1 for none
}

var nothing = candidate{object: -1}

// variableKey names a variable of the state through all rounds.
type variableKey struct {
	value  ir.Value // of the flat function, or
	place  place    // memory
	offset uint32
}

// aliveBit is an object whose life is part of the state.
type aliveBit struct {
	object int // index in layout.places
	term   int
}

// layout is what the state is made of, as far as it is known.
type layout struct {
	m         *ir.Module
	flat      *flat
	small     bool
	locations []location
	variables []variable
	byValue   map[ir.Value]int
	places    []place
	cells     []cell
	alive     []aliveBit
	// candidates are what pointers may point to.
	candidates map[variableKey][]candidate
}

func (l *layout) pcBits() uint32 { return uint32(bits.Len(uint(len(l.locations)))) }

// halted is the number of the location where runs end.
func (l *layout) halted() uint64 { return uint64(len(l.locations)) }

func (l *layout) isLocation(b ir.BlockID) bool {
	return slices.ContainsFunc(l.locations[1:], func(x location) bool { return x.block == b })
}

func (l *layout) locationOf(b, pred ir.BlockID) int {
	for i, x := range l.locations {
		if i > 0 && x.block == b && (x.pred == 0 || x.pred == pred) {
			return i
		}
	}
	panic("program: no location")
}

// targetBits is the width of the number of one of n candidates.
func targetBits(n int) uint32 { return uint32(bits.Len(uint(n - 1))) }

func (l *layout) keyOf(v *variable) variableKey {
	if v.value != 0 {
		return variableKey{value: v.value}
	}
	for _, c := range l.cells {
		if &l.variables[c.term] == v {
			return variableKey{place: l.places[c.object], offset: c.Offset}
		}
	}
	panic("program: a pointer that is no value and no cell")
}

// newLayout starts with the values of the locations.
func newLayout(f *flat, small bool) *layout {
	l := &layout{m: f.m, flat: f, small: small, locations: locations(f.Func, small), byValue: map[ir.Value]int{}, candidates: map[variableKey][]candidate{}}
	for _, at := range l.locations {
		for _, v := range at.values {
			if _, ok := l.byValue[v]; ok {
				continue
			}
			d := f.Func.Def(v)
			l.byValue[v] = len(l.variables)
			l.variables = append(l.variables, variable{value: v, typ: d.Type, pos: d.Pos})
			if d.Type.Kind == ir.Ptr {
				l.candidates[variableKey{value: v}] = []candidate{nothing}
			}
		}
	}
	return l
}

// add makes a variable for memory.
func (l *layout) add(t ir.Type, pos ir.Pos) int {
	l.variables = append(l.variables, variable{typ: t, pos: pos, result: -1})
	return len(l.variables) - 1
}

func (l *layout) placeIndex(p place) int {
	if i := slices.Index(l.places, p); i >= 0 {
		return i
	}
	l.places = append(l.places, p)
	return len(l.places) - 1
}

// site is a place of the step where an object of the flat function was made.
type site struct {
	object  int
	guard   term.ID
	choices int // made before
}

// round is one encoding of the step.
type round struct {
	*stepper
	st      *term.Store
	u       *ssa.Unwinder
	f       *ssa.Formula
	initial *memory.State
	sites   []site
	bits    map[ir.Value]term.ID // by Nondet of the step function
	numbers map[memory.ObjectID]place
}

// Encode makes the transition system of a program. The error is the context's or
// an *ErrUnsupported.
func Encode(ctx context.Context, m *ir.Module, o Options) (*System, error) {
	f, err := flatten(m)
	if err != nil {
		return nil, err
	}
	l := newLayout(f, o.Small)
	for range maxRounds {
		r, err := l.round(ctx, o)
		if err != nil {
			return nil, err
		}
		grown, err := r.grow()
		if err != nil {
			return nil, err
		}
		if !grown {
			return r.system(o)
		}
	}
	return nil, &ErrUnsupported{Why: fmt.Sprintf("the state of the program is not known after %d encodings of its steps", maxRounds)}
}

// round encodes the step with the state that is known.
func (l *layout) round(ctx context.Context, o Options) (*round, error) {
	m := *l.flat.m
	m.Funcs = slices.Clone(m.Funcs)
	l.m = &m
	for i := range l.variables {
		if l.variables[i].value == 0 {
			l.variables[i].result = -1
		} else {
			l.variables[i].result = 0
		}
	}
	s, err := l.build(&m)
	if err != nil {
		return nil, err
	}
	m.Entry = stepName
	r := &round{stepper: s, st: term.NewStore(), bits: map[ir.Value]term.ID{}, numbers: map[memory.ObjectID]place{}}
	r.u = ssa.New(&m, r.st, ssa.Options{Targets: o.Targets, Label: o.Label, MaxOperations: maxOperations, Observe: func(label string, guard term.ID, mem *memory.State, choices int) {
		if label == startLabel {
			r.initial = mem
		}
		var k int
		if n, _ := fmt.Sscanf(label, siteLabel+"%d", &k); n == 1 {
			r.sites = append(r.sites, site{k, guard, choices})
		}
	}})
	r.u.Default = leftOver
	if r.f, err = r.u.Encode(ctx); err != nil {
		if large := (*ssa.TooLarge)(nil); errors.As(err, &large) {
			return nil, &ErrUnsupported{Pos: large.Pos, Why: fmt.Sprintf("the formula of one step has more than %d operations", large.Operations)}
		}
		return nil, err
	}
	objects := map[ir.Value]int{}
	for k, v := range s.addr {
		objects[v] = k
	}
	for _, c := range r.f.Choices {
		if c.Func != stepName {
			continue
		}
		if c.Bits != 0 {
			r.bits[c.Value] = c.Bits
		} else if k, ok := objects[c.Value]; ok && c.Object != 0 {
			r.numbers[c.Object] = place{object: k}
		}
	}
	for _, g := range m.Globals {
		if o, ok := r.u.Space().Symbol(g.Name); ok {
			r.numbers[o] = place{global: g}
		}
	}
	return r, nil
}
