package conductor

import (
	"time"

	"assay/internal/engines/bmc"
)

// Stats are sizes, work counters and times.
type Stats struct {
	// Decider is the engine whose answer it is, empty for none.
	Decider      string `json:"decided_by,omitempty"`
	Depth        int    `json:"depth"`
	Checks       int    `json:"checks"` // how many places the properties ask about
	Terms        int64  `json:"terms"`
	SolverChecks int64  `json:"solver_checks"`
	Conflicts    int64  `json:"conflicts"`
	Variables    int64  `json:"variables"`
	Clauses      int64  `json:"clauses"`
	Gates        int64  `json:"gates"`
	Lemmas       int64  `json:"lemmas"`
	// Bytes is the memory of the formula, as far as it is known.
	Bytes int64 `json:"formula_bytes"`
	// Candidates are the predicates of loops that induction tried, Kept those
	// that its proof needs.
	Candidates int `json:"candidates,omitempty"`
	Kept       int `json:"kept,omitempty"`
	// TrialRuns and TrialSteps count the runs with guessed inputs.
	TrialRuns  int   `json:"trial_runs,omitempty"`
	TrialSteps int64 `json:"trial_steps,omitempty"`
	// Paths are those that were followed to their end, PathsOpen those that are left, PathSteps the
	// instructions on them; PathQueries the questions about conditions, PathSolved those that a solver
	// was asked.
	Paths       int   `json:"paths,omitempty"`
	PathsOpen   int   `json:"paths_open,omitempty"`
	PathSteps   int64 `json:"path_steps,omitempty"`
	PathQueries int   `json:"path_queries,omitempty"`
	PathSolved  int   `json:"path_solved,omitempty"`
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

// AccelerationStats count the work of acceleration.
type AccelerationStats struct {
	Loops   int `json:"loops"`
	Jumps   int `json:"jumps"`
	Refused int `json:"refused"`
}

// add adds the work of another engine.
func (s *Stats) add(o *Stats) {
	s.Depth = max(s.Depth, o.Depth)
	s.Terms += o.Terms
	s.SolverChecks += o.SolverChecks
	s.Conflicts += o.Conflicts
	s.Variables += o.Variables
	s.Clauses += o.Clauses
	s.Gates += o.Gates
	s.Lemmas += o.Lemmas
	s.Bytes += o.Bytes
	s.Candidates += o.Candidates
	s.Kept += o.Kept
	s.TrialRuns += o.TrialRuns
	s.TrialSteps += o.TrialSteps
	s.Paths += o.Paths
	s.PathsOpen += o.PathsOpen
	s.PathSteps += o.PathSteps
	s.PathQueries += o.PathQueries
	s.PathSolved += o.PathSolved
	if o.Acceleration != nil {
		s.Acceleration = o.Acceleration
	}
	if o.System != "" {
		s.System = o.System
	}
	s.Phases = append(s.Phases, o.Phases...)
}

// boundedStats translates the counters of bounded search.
func boundedStats(s bmc.Stats) Stats {
	return Stats{
		Depth: s.Depth, Terms: int64(s.Terms),
		SolverChecks: s.Solver.Checks, Conflicts: s.Solver.Conflicts, Variables: s.Solver.Variables,
		Clauses: s.Solver.Clauses, Gates: s.Solver.Gates, Lemmas: s.Solver.Lemmas, Bytes: s.Solver.Bytes,
		Phases: []Phase{{"encoding", s.Encode}, {"solving", s.Solve}, {"replay", s.Replay}, {"certificate", s.Certify}},
	}
}

// phases are statistics that are times only.
func phases(ps []Phase) Stats { return Stats{Phases: ps} }
