// Package integerize turns programs into integer transition systems: package ir
// into package its. The idea is that of [FalkeKapurSinz11] and, for machine
// integers, [FalkeKapurSinz12]: bit-vectors become integers with ranges, and what
// wraps becomes a case.
//
//	integerize.go  options, the result          slice.go    which values decide where runs go
//	function.go    functions, calling contexts  view.go     signed or unsigned
//	cut.go         where paths are cut          cells.go    scalars in memory
//	path.go        execution of paths           memory.go   loads and stores
//	state.go       what a path knows            number.go   wrapping
//	evaluate.go    instructions                 bits.go     division, shifts, logic
//	condition.go   branches                     emit.go     paths to transitions
//	cost.go        what paths cost              peak.go     what is in use at a time
//	translate.go   what a number stands for
//
// Locations are cutpoints: the start, the heads of loops, joins of so many paths
// that following each of them would cost too much, and returns of calls. Calls
// are followed as if they were inlined. Transitions are the paths between
// cutpoints, executed symbolically; the variables are the values and cells of
// memory that are live at locations and may decide where the run goes.
//
// A bit-vector of width w is an integer form that equals it modulo 2^w, with an
// interval. It is brought into the signed or unsigned range where an operation asks
// for it: by nothing if the interval or the conditions of the path show that it
// is there, else by a case distinction over the number of wraps, else with that
// number as a temporary. What has no linear meaning is a temporary with the
// constraints that are known of it.
//
// Soundness: (1) every step of a run between cutpoints is a step of the system, for
// runs in which the facts of the abstract interpreter hold; (2) a step of a
// transition that is marked exact, from a state that a run has, is one of a run.
// Semantics says what a run is.
package integerize

import (
	"context"
	"fmt"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
)

// Semantics is the meaning of integer arithmetic.
type Semantics uint8

// The semantics.
const (
	Wrap       Semantics = iota // modulo 2^w, also where C calls it undefined
	NoOverflow                  // signed overflow ends the run
	Integers                    // nothing overflows: mathematical integers
)

// Cost is what the costs of transitions count.
type Cost uint8

// The costs.
const (
	Steps        Cost = iota // transitions
	Iterations               // visits of loop heads, and calls of functions with a body
	Instructions             // instructions of the program
	Calls                    // calls of the function Options.Counted
	Arguments                // the first arguments of calls of Options.Counted, read as unsigned
	Allocated                // bytes that are allocated on the heap
	Heap                     // the greatest number of bytes on the heap at a time
	Frames                   // bytes of the stack that recursive calls take at a time: Options.Frames
)

// Options of Translate; the zero value is the default.
type Options struct {
	Semantics Semantics
	// Fair makes exactly the transitions fair whose paths execute ir.Accept; else all are.
	Fair bool
	Cost Cost
	// Counted is the function that Calls and Arguments are about.
	Counted string
	// Frames are the bytes of the stack that a call of a function takes.
	Frames map[string]int64
	// Recursion numbers the functions that call each other: one number for those of one recursion.
	Recursion map[string]int
	// Observed, if not nil, are names of globals and of variables of the entry function (or of
	// main, where it is called once) whose values matter. There is a location at the start of the
	// program's code and behind each store to what has a name, so that every change is a step.
	Observed []string
	// Whole says that what wraps has the number of wraps as a temporary, in the place of cases, for equations.Modular.
	Whole bool
	// MaxTransitions bounds the result, 0 for 2000.
	MaxTransitions int
	// MaxFrames bounds the calls that are followed, 0 for 500.
	MaxFrames int
}

// Program is a system with its relation to the module it was made from.
type Program struct {
	System *its.System
	Module *ir.Module
	// Places says where the locations are, by its.Location. The first is the start.
	Places []Place
	// Facts are, by transition, constraints on variables that hold in the states in which a run takes it: the rest of the guard implies them
	// there.
	Facts [][]linear.Constraint
	// Recursive says that the system follows recursive calls: a call enters the
	// function again and never returns, or returns at once with any result.
	Recursive bool
	// Rest is the most that a path costs before its next location: what may be missing in
	// the costs of a run that ends between two.
	Rest     int64
	slots    []slot       // by variable
	choices  []choiceList // by transition
	frames   []place
	observed []string // by variable: its name in C, if Options.Observed was given
	integers bool     // the semantics of its numbers
}

// Place is a point of the program in a chain of calls.
type Place struct {
	// Calls are the calls from the entry function on, outermost first.
	Calls []Call
	Func  *ir.Func
	Block ir.BlockID // 0 for the start
	Index int        // of the instruction in the block before which it is; 0 for the first after phis
	Head  bool       // a loop head
	// Broken says that runs end there that break an assumption: it is no point of the program.
	Broken bool
}

// Call is a call instruction.
type Call struct {
	Func *ir.Func
	Site ir.Value
}

// ErrUntranslated says what prevents a translation.
type ErrUntranslated struct {
	Func string
	Pos  ir.Pos
	Why  string
}

func (e *ErrUntranslated) Error() string { return fmt.Sprintf("in %s: %s", e.Func, e.Why) }

// Translate makes the system of a module that satisfies ir.Verify. facts, which
// may be nil, are those of the module with nothing asked. The error is
// *ErrUntranslated or that of the context.
func Translate(ctx context.Context, m *ir.Module, facts *absint.Facts, o Options) (p *Program, err error) {
	if o.MaxTransitions == 0 {
		o.MaxTransitions = 2000
	}
	if o.MaxFrames == 0 {
		o.MaxFrames = 500
	}
	if facts != nil && facts.Incomplete != "" {
		facts = nil
	}
	t := newTranslation(ctx, m, facts, o)
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			p, err = nil, r.err
		default:
			panic(r)
		}
	}()
	t.prepare()
	t.run()
	return t.program(), nil
}

// stop is thrown when there is no translation; Translate catches it.
type stop struct{ err error }

// fail stops the translation at an instruction.
func (t *translation) fail(f *ir.Func, v ir.Value, why string) {
	pos := f.Pos
	if v != 0 {
		pos = f.Def(v).Pos
	}
	panic(stop{&ErrUntranslated{Func: f.Name, Pos: pos, Why: why}})
}
