package assay

import (
	"time"

	"assay/internal/ir"
	"assay/internal/verdict"
)

// Answer is true, false or unknown.
type Answer string

// The answers.
const (
	True    Answer = "true"
	False   Answer = "false"
	Unknown Answer = "unknown"
)

// Result is an answer with its evidence.
type Result struct {
	Answer     Answer
	Properties []Property // what was asked
	Files      []string

	// Of a False.
	Violation *Place   // what goes wrong first
	Violated  Property // the property it belongs to
	Passes    []Place  // undefined behaviour on the run before
	Replayed  []string // how the run was confirmed
	Native    string   // why the compiled program did not confirm it, if that was asked

	// Jumps are the places of the run where it makes many iterations of a loop at once.
	Jumps []Jump

	// Endless describes the run that does not end, if that is the violation.
	Endless *Endless

	// TerminatesWhen are conditions under which every run ends, with Engine.Precondition.
	TerminatesWhen []Precondition

	// Integer is the argument or the infinite run in the integer program, as text, if
	// the answer is about mathematical integers.
	Integer string

	// Of a True.
	Certificate *Certificate
	Unclean     []Place // undefined behaviour that was not excluded

	// Of an Unknown.
	Reasons []Reason

	// Invariants are what was found to hold at the loops, with
	// Engine.ShowInvariants. Of another answer than True they hold provided that
	// nothing violates the property before.
	Invariants []Invariant

	// Of every answer.
	Checks      []CheckResult // with Engine.EachCheck
	Assumptions []Assumption  // what the answer depends on
	Stats       Stats

	module *ir.Module
	input  ir.Input
	guard  verdict.Guard // the violation as the engine names it
	// endless is the evidence behind Endless.
	endless *verdict.Endless
}

// Line is the answer as the last line of the output has it, without RESULT:.
func (r *Result) Line() string {
	switch r.Answer {
	case False:
		return "false(" + string(r.Violated) + ")"
	case True:
		if r.Certificate == nil || r.Certificate.Unchecked != "" {
			return "true (uncertified)"
		}
	}
	return string(r.Answer)
}

// Place is a point of the program where something must not happen.
type Place struct {
	Pos  Position `json:"position"`
	Func string   `json:"function,omitempty"`
	Kind string   `json:"kind"`
	Text string   `json:"text,omitempty"`
}

// Certificate is what backs a True.
type Certificate struct {
	// Bounds are the unwindings with which every loop ends.
	Bounds []Bound `json:"bounds,omitempty"`
	// K is the depth of a proof by induction, 0 if the predicates are inductive by
	// themselves; Invariants what holds at the loops, and the contracts of recursive
	// functions.
	K          int         `json:"k,omitempty"`
	Invariants []Invariant `json:"invariants,omitempty"`
	// Nodes is the number of states at loop heads of a symbolic execution graph.
	Nodes int `json:"nodes,omitempty"`
	// Rankings are the arguments that the loops end.
	Rankings []Ranking `json:"rankings,omitempty"`
	// Checker is who accepted it.
	Checker string `json:"checker,omitempty"`
	// Unchecked says why nobody was asked, empty if somebody was.
	Unchecked string `json:"unchecked,omitempty"`
}

// Invariant is what holds each time a loop is reached, or the contract of a recursive
// function, in C.
type Invariant struct {
	Pos        Position `json:"position"`
	Func       string   `json:"function"`
	Predicates []string `json:"predicates,omitempty"`
}

// Ranking says why a loop ends: at each iteration its functions decrease, in
// lexicographic order, with what holds at the loop.
type Ranking struct {
	Pos        Position `json:"position"`
	Func       string   `json:"function"`
	Functions  []string `json:"functions"`
	Recursion  bool     `json:"recursion,omitempty"` // it stands for recursive calls of Func
	Invariants []string `json:"invariants,omitempty"`
}

// Bound is the number of unwindings of a loop, or of a recursive function.
type Bound struct {
	Pos       Position `json:"position"`
	Func      string   `json:"function"`
	Recursion bool     `json:"recursion,omitempty"`
	N         int      `json:"unwindings"`
}

// Reason is one obstacle on the way to an answer.
type Reason struct {
	Cause string   `json:"cause"`
	Text  string   `json:"text"`
	Pos   Position `json:"position"`
	Func  string   `json:"function,omitempty"`
	Hint  string   `json:"hint,omitempty"`
}

// CheckResult is the answer for one check.
type CheckResult struct {
	Place    Place    `json:"check"`
	Property Property `json:"property"`
	Answer   Answer   `json:"answer"`
	Reasons  []Reason `json:"reasons,omitempty"`
}

// Assumption is something that the answer depends on and nobody checked.
type Assumption struct {
	Pos  Position `json:"position"`
	Text string   `json:"text"`
}

// Stats are sizes, work counters and times.
type Stats struct {
	Depth        int   `json:"depth"`
	Checks       int   `json:"checks"` // how many places the properties ask about
	Terms        int64 `json:"terms"`
	SolverChecks int64 `json:"solver_checks"`
	Conflicts    int64 `json:"conflicts"`
	Variables    int64 `json:"variables"`
	Clauses      int64 `json:"clauses"`
	Gates        int64 `json:"gates"`
	Lemmas       int64 `json:"lemmas"`
	// Bytes is the memory of the formula, as far as it is known.
	Bytes int64 `json:"formula_bytes"`
	// Candidates are the predicates of loops that induction tried, Kept those
	// that its proof needs.
	Candidates int `json:"candidates,omitempty"`
	Kept       int `json:"kept,omitempty"`
	// TrialRuns and TrialSteps count the runs with guessed inputs.
	TrialRuns  int   `json:"trial_runs,omitempty"`
	TrialSteps int64 `json:"trial_steps,omitempty"`
	// Acceleration counts the work of acceleration, if it searched.
	Acceleration *AccelerationStats `json:"acceleration,omitempty"`
	// System counts the work on the transition system, for people.
	System string `json:"transition_system,omitempty"`
	// Phases are the times of the parts of the run, in their order.
	Phases []Phase       `json:"phases"`
	Total  time.Duration `json:"-"`
}

// Phase is the time that one part of a run took.
type Phase struct {
	Name string        `json:"name"`
	Time time.Duration `json:"nanoseconds"`
}
