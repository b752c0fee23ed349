package verdict

import (
	"assay/internal/invariant"
	"assay/internal/ir"
)

// Endless is the evidence that a run of the program does not end. There are two
// kinds. A run that came back to a state that it was in: the interpreter, given
// Input, notices that, and the decisions of the period can be made again for ever.
// Or a run that reached a recurrent set, Set, which no run need leave.
type Endless struct {
	// Func and Head are the loop that goes on for ever, Pos where it is.
	Func string
	Head ir.BlockID
	Pos  ir.Pos
	// Recursion says that it is Func that calls itself for ever; Head is its entry.
	Recursion bool
	// Input determines the run until the state came back, or until the head was
	// reached in a state of the set.
	Input ir.Input
	// First is the number of decisions before the state that came back; those from
	// there to the end of Input are the period.
	First int
	// Visits is the number of iterations of the loop in a period, or of nested calls.
	Visits int64
	// Set is nil if a state came back.
	Set *RecurrentSet
	// Passes lists the undefined behaviour on the run.
	Passes []Guard
	// Replayed says in which ways the run was confirmed.
	Replayed []string
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
