package bench

import (
	"strings"
	"time"
)

// Result is what became of one task.
type Result struct {
	Task Task
	// Answer is true, true (uncertified), false(…), unknown, timeout, memory,
	// error, crash or skipped.
	Answer  string
	Correct correctness
	// CPU is the processor time of all processes of the task.
	CPU  time.Duration
	Wall time.Duration
	// Memory is the peak resident memory of its largest process, in bytes.
	Memory int64
	Reason string
	// Witness is what assay validate says of the witness of an answer, with Options.Witnesses: confirmed, rejected, unknown, timeout, error, none; empty if
	// there is no answer. Validation is the processor time of that.
	Witness    string
	Validation time.Duration
}

// uncertified says that a true answer was not checked.
func (r Result) uncertified() bool { return strings.Contains(r.Answer, "uncertified") }

// solved says that the answer is right, and was confirmed.
func (r Result) solved() bool { return r.Correct == correct && !r.uncertified() }

// Points of the competition on software verification: +2 for a correct true,
// +1 for a correct false, -16 for a wrong false, -32 for a wrong true, and 0
// for the rest. BenchExec gives 0 to a correct answer that is unconfirmed, and
// counts a false that names another part than the label as unknown.
func (r Result) Points() int {
	truth := strings.HasPrefix(r.Answer, "true")
	switch {
	case r.solved() && truth:
		return 2
	case r.solved():
		return 1
	case r.Correct == wrong && truth:
		return -32
	case r.Correct == wrong && !isPart(r.Task.Expected):
		return -16
	}
	return 0
}

// category is the kind of a result that people count and filter by.
func (r Result) category() string {
	switch {
	case r.Correct == wrong:
		return "wrong"
	case r.solved():
		return "correct"
	case r.Correct == correct:
		return "uncertified"
	case r.Correct == unjudged:
		return "unjudged"
	}
	return r.Answer
}
