// Package ssa turns a program into formulas: its unwinding, with every loop
// and every recursion taken a bounded number of times, as terms with a guard
// for each point [2LS §4.2, §4.3].
//
// # Key concepts
//
// The unwound program is a tree of instances: a block of a function in a call
// context and in an iteration of each loop around it. Instances are encoded in
// a topological order of the unwound graph, the lexicographic order of
// Bourdoncle's weak topological order with iteration numbers [Bourdoncle93]:
// so when an instance is taken, all paths into it are known, and they are
// joined by case distinctions (terms), not by equations.
//
// # Incremental unwinding
//
// When the bounds grow the program is encoded again, but everything that an
// instance makes - objects, contents, free variables - is named by the
// instance and not by the depth, and terms are hash-consed: whatever did not
// change is the same term, and the solver, which only sees new terms, keeps
// its clauses and what it learnt. The formula only grows; a depth is selected
// by an assumption, the one term that says "some violation of this depth
// happens" [2LS §5.4]. Against the paper's merges with fresh variables this
// loses nothing (a join that gets another branch is a new term in both), and
// constants, sets of pointees and sizes go through joins and loops, which
// [2LS §4.3] names as the price of its method. The cost is that the program is
// walked once per depth; bounds grow geometrically, so that is a constant factor.
package ssa

import (
	"assay/internal/evidence/verdict"
	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// Loop names a loop by its head, or a recursive function (Head 0).
type Loop struct {
	Func string
	Head ir.BlockID
}

// Event is something that must not happen, or that is undefined.
type Event struct {
	// Cond says on which runs it happens: those with the guard Under, if If holds.
	Cond  term.ID
	Under *Guard
	If    term.ID
	Guard verdict.Guard
	// Value is the instruction, in function Guard.Func.
	Value ir.Value
	// Pointer is the pointer of a memory access; the zero Value for others.
	Pointer memory.Value
	// Probe is 1 + the index of the probe at the instruction; 0 if it has none.
	Probe int
}

// Probe is an execution of an instruction of which Options.Probes asks for values.
type Probe struct {
	Func  string
	Value ir.Value
	// Guard says on which runs it is reached.
	Guard  term.ID
	Values []memory.Value
	// Mem is the state there, if Options.Memory asks for it.
	Mem *memory.State
}

// Limit is a place where the unwinding stopped.
type Limit struct {
	Cond term.ID
	Loop Loop
	Pos  ir.Pos
	// Count is the number of counted unwindings at which it stopped.
	Count int
	// Forced says that the bound was not the reason but the size of the program.
	Forced bool
}

// Obstacle is a place where the encoding is not exact.
type Obstacle struct {
	Cond   term.ID
	Under  *Guard
	If     term.ID
	Reason verdict.Reason
	// OverApproximated says that the runs under Cond are all covered, so that
	// only a counterexample is in doubt, not a proof.
	OverApproximated bool
}

// Choice is a nondeterministic decision of the unwound program.
type Choice struct {
	// Guard says on which runs it is made.
	Guard term.ID
	Func  string
	Value ir.Value
	// Bits is the chosen value, 0 for contents; a pointer's address for pointers.
	Bits term.ID
	// Content is the chosen content, if Bits is 0.
	Content memory.Generation
	// Object is the object made here, 0 if none.
	Object memory.ObjectID
	// Undefined says that the value is the result of undefined behaviour,
	// Approximate that a library model, or what is assumed of a function without body, over-approximates it: a violation that
	// depends on such a value need not be one of the program.
	Undefined, Approximate bool
}

// Formula is the encoding of the program at one depth.
type Formula struct {
	// Violations are the events that the property excludes, Unclean the other
	// kinds of undefined behaviour.
	Violations []Event
	Unclean    []Event
	Limits     []Limit
	Obstacles  []Obstacle
	// Probes are in the order of the encoding.
	Probes []Probe
	// Returns says when the entry function returns, 0 if it never does; then it
	// has these results and leaves this memory.
	Returns term.ID
	Results []memory.Value
	Memory  *memory.State
	// Choices are in the order of execution on every path.
	Choices []Choice
	// Facts are to be asserted: they hold in every run.
	Facts []term.ID
	// Blocks and Instructions count what was encoded.
	Blocks, Instructions int64
	// Spent says that iterations decided by constants were cut short.
	Spent bool
	// Unwound is, for each loop, the greatest number of iterations that any
	// execution of it was given.
	Unwound map[Loop]int
}
