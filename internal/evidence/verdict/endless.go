package verdict

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// Endless is the evidence that a run of the program does not end. There are two
// kinds. A run that came back to a state that it was in: the interpreter, given
// the input of the verdict, notices that, and the decisions of the period can be made again for ever.
// Or a run with inputs with which no run ends, Set.
type Endless struct {
	// Func and Head are the loop that goes on for ever, Pos where it is.
	Func string
	Head ir.BlockID
	Pos  ir.Pos
	// Recursion says that it is Func that calls itself for ever; Head is its entry.
	Recursion bool
	// FirstStep and LastStep are the numbers of steps until the state was there first,
	// and until it came back; with Set, until the loop was reached, and until it went
	// around Visits times.
	FirstStep, LastStep int64
	// First is the number of decisions before the state that came back; those from
	// there to the end of the input are the period.
	First int
	// Visits is the number of iterations of the loop in a period, or of nested calls.
	Visits int64
	// Accepts is how often ir.Accept is executed in a period, if a state came back.
	Accepts int64
	// Idle says that values on which no run depends are not what they were.
	Idle bool
	// Overflow is a signed overflow on the run without whose result, modulo 2^w, it would not
	// be known to go on for ever; nil if there is none.
	Overflow *Guard
	// Set is nil if a state came back.
	Set *RecurrentSet
}

// RecurrentSet says why a run never ends [Chen14]: if the instructions that read
// inputs yield what Inputs says, no run of the program reaches an end of any kind, be
// the other inputs and all that is arbitrary what they may. The invariants of the
// proof are the recurrent set, at all loops together.
type RecurrentSet struct {
	Inputs []Skolem
	// Proof is for the program with these inputs, in which every end is a violation; its
	// values are those of the program.
	Proof *Induction
	// Program is that program, to show the proof; the checker makes its own.
	Program *ir.Module
	// Unclean are guards of undefined behaviour that were not proved impossible.
	Unclean []Guard
}

// Skolem fixes what an instruction that reads an input yields: always the same.
type Skolem struct {
	Func  string
	Value ir.Value
	Bits  bv.BV
}
