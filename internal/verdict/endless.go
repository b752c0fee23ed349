package verdict

import (
	"assay/internal/invariant"
	"assay/internal/ir"
)

// Endless is the evidence that a run of the program does not end. There are two
// kinds. A run that came back to a state that it was in: the interpreter, given
// the input of the verdict, notices that, and the decisions of the period can be made again for ever.
// Or a run that reached a recurrent set, Set, which no run need leave.
type Endless struct {
	// Func and Head are the loop that goes on for ever, Pos where it is.
	Func string
	Head ir.BlockID
	Pos  ir.Pos
	// Recursion says that it is Func that calls itself for ever; Head is its entry.
	Recursion bool
	// FirstStep and LastStep are the numbers of steps until the state was there first,
	// and until it came back.
	FirstStep, LastStep int64
	// First is the number of decisions before the state that came back; those from
	// there to the end of the input are the period.
	First int
	// Visits is the number of iterations of the loop in a period, or of nested calls.
	Visits int64
	// Set is nil if a state came back.
	Set *RecurrentSet
}

// RecurrentSet is a set of states at a loop head: the predicates hold, and what the
// loop does not change is as on the run that reaches it. From every state of it,
// with the inputs that Inputs says, the loop goes around once more, without undefined
// behaviour that is not listed, and arrives in the set.
type RecurrentSet struct {
	Head invariant.Head
	// Inputs are what the program reads in an iteration, by instruction; those that
	// are not there may be anything.
	Inputs []Skolem
	// Checker names the checker and the solver that accepted.
	Checker string
}

// Skolem chooses an input that an instruction of a loop reads: always the same
// constant.
type Skolem struct {
	Func  string
	Value ir.Value
	Const uint64
}
