package assay

import (
	"context"
	"errors"

	"assay/internal/conductor"
	"assay/internal/user/show"
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
	Formula    string // the formula, of the property LTL
	// Subformulas are those of Step.Truth, the formula first. Of a False of the property LTL.
	Subformulas []string

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

	Contracts []string // the functions whose bodies are proved to keep their contracts
	KeepsNot  string   // the one whose body does not: the run of the False starts there

	// Of every answer.
	Checks      []CheckResult // with Engine.EachCheck
	Sites       []CheckResult // every place that the properties ask about, and what is known of it
	Warnings    []string      // what to know about the question before the answer
	Assumptions []Assumption  // what the answer depends on
	Excluded    []Property    // those that are proved in any case, with Engine.Parts
	Stats       Stats

	run *show.Run // of a False, nil if it is not one of the program on machine integers
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

// The parts of a result, in terms of C.
type (
	// Position is a place in a source file: File, Line, Col; the numbers are 0 where
	// unknown.
	Position = show.Position
	// Place is a point of the program where something must not happen: Pos, Func, Kind
	// and Text.
	Place = show.Place
	// Certificate is what backs a True: Bounds of a complete unwinding; K and
	// Invariants of an induction; Nodes of a symbolic execution graph; Rankings of
	// loops. Checker is who accepted it; else Unchecked says why no checker was asked.
	Certificate = show.Certificate
	// Invariant is what holds each time a loop is reached, or the contract of a
	// recursive function: Predicates in C.
	Invariant = show.Invariant
	// Ranking says why a loop ends: at each iteration its Functions decrease, in
	// lexicographic order, with the Invariants that hold at the loop.
	Ranking = show.Ranking
	// Bound is the number N of unwindings of a loop, or of a recursive function.
	Bound = show.Bound
	// Reason is one obstacle on the way to an answer: Cause, Text, its place, and a
	// Hint what to do about it.
	Reason = show.Reason
	// Jump is a place of a run where Iterations of a loop are made at once.
	Jump = show.Jump
	// Endless describes a run that does not end: the loop, and after how many
	// Iterations the state is what it was, or the Certificate that no run with the
	// inputs shown ends.
	Endless = show.Endless
	// Precondition is a condition under which every run ends.
	Precondition = show.Precondition
	// Step is one step of the run that violates the property.
	Step = show.Step
	// StepKind classifies a Step, Origin is one in the history of a pointer.
	StepKind = show.StepKind
	Origin   = show.Origin
)

// The kinds of steps, as package show describes them, and the values of Step.Truth.
const (
	StepAssign, StepInput, StepCall, StepReturn          = show.StepAssign, show.StepInput, show.StepCall, show.StepReturn
	StepUndefined, StepViolation, StepCycle, StepObserve = show.StepUndefined, show.StepViolation, show.StepCycle, show.StepObserve
	StepJump, StepStore, TruthYes, TruthNo               = show.StepJump, show.StepStore, show.TruthYes, show.TruthNo
)

// Trace replays the run of a False and calls emit with its steps, as they happen; the last one is the
// violation. An error of emit ends it. What happens inside of library models is reported at the call.
func (r *Result) Trace(ctx context.Context, emit func(Step) error) error {
	return (&CheckResult{Answer: r.Answer, run: r.run}).Trace(ctx, emit)
}

// CheckResult is the answer for one check.
type CheckResult struct {
	Place    Place    `json:"check"`
	Property Property `json:"property"`
	Answer   Answer   `json:"answer"`
	Reasons  []Reason `json:"reasons,omitempty"`

	run *show.Run // of a False
}

// Trace is Result.Trace for the check.
func (c *CheckResult) Trace(ctx context.Context, emit func(Step) error) error {
	if c.Answer != False || c.run == nil {
		return errors.New("there is no run to show")
	}
	return c.run.Trace(ctx, emit)
}

// Assumption is something that the answer depends on and that was not checked.
type Assumption = show.Assumption

// The work that an answer took.
type (
	// Stats are sizes, work counters and times.
	Stats = conductor.Stats
	// Phase is the time that one part of a run took.
	Phase = conductor.Phase
	// AccelerationStats count the work of acceleration.
	AccelerationStats = conductor.AccelerationStats
)
