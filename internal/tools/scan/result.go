// Package scan looks at a whole project: each function on its own, in a harness that a person
// would write for it (package harness), under the properties that cost little. What it
// finds is ranked, the best first, and what was found out is kept in a cache by the content that it depends on.
//
//	project.go    which files, how they are compiled     config.go     assay.toml
//	positions.go  where its keys stand                   since.go      what a commit changed
//	suppress.go   comments assay: ignore(…)              cache.go      answers by content
//	worker.go     processes that look at functions       pool.go       as many as processors
//	function.go   the questions about one function       confidence.go what a finding is worth
//	judge.go      the same before its callers are seen   constructors.go  objects that the project makes
//	failing.go    allocations that fail                  resume.go     what an earlier scan left open
//	scan.go       Run                                    look.go       who gets how much time
//	result.go     what comes out                         text.go       for people
package scan

import (
	"cmp"
	"slices"

	"assay"
)

// Report is what a scan finds. It is what `assay scan --json` prints.
type Report struct {
	Tool    string `json:"tool"`
	Version string `json:"version"`
	// Root is the folder of the project: people are shown paths relative to it, those below are whole.
	Root       string           `json:"root"`
	Properties []assay.Property `json:"properties"`
	// Findings are ranked: the first is the most likely to be worth a look.
	Findings []Finding `json:"findings"`
	// Suppressed are findings that a comment or assay.toml takes for known.
	Suppressed []Finding `json:"suppressed"`
	// Functions are all that were looked at, in the order of files and lines.
	Functions []Function `json:"functions"`
	Files     []File     `json:"files"`
	// Problems are wrong comments and the like: what the user should mend.
	Problems []Problem `json:"problems"`
	// Stopped says why not everything was looked at: "timeout" (--timeout or --effort), "interrupted"; empty if all was.
	Stopped string `json:"stopped,omitempty"`
	// Counts are, for each property, how many functions are proved, by which engine, open, and violated.
	Counts []Count `json:"counts"`
	// Lines is how many lines the files have that were looked at, CPU the processor time that the scan took, in seconds.
	Lines int     `json:"lines"`
	CPU   float64 `json:"cpu_seconds"`
	// Seconds is how long the scan took, and Cached how many functions took their answer
	// from the cache.
	Seconds float64 `json:"seconds"`
	Cached  int     `json:"cached"`
	// Missed is how many functions were not looked at; Left adds those of which more time may tell more.
	Missed int `json:"missed"`
	Left   int `json:"left"`
}

// Count is what is known of a property.
type Count struct {
	Property assay.Property `json:"property"`
	// Functions is how many were looked at: By of them are proved, by the engine whose name it is, each under its harness.
	Functions int            `json:"functions"`
	By        map[string]int `json:"proved_by"`
	Open      int            `json:"open"`
	Violated  int            `json:"violated"`
}

// count fills in Counts.
func (r *Report) count() {
	r.Counts = []Count{}
	for _, p := range r.Properties {
		c := Count{Property: p, Functions: len(r.Functions), By: map[string]int{}}
		for _, f := range r.Functions {
			switch state := f.state(p); state {
			case stateOpen:
				c.Open++
			case stateViolated:
				c.Violated++
			default:
				c.By[state]++
			}
		}
		r.Counts = append(r.Counts, c)
	}
}

// What a function's state is if no engine has proved a property.
const (
	stateOpen     = "open"
	stateViolated = "violated"
)

// state is the engine that has proved a property, or that it is open or violated.
func (f *Function) state(p assay.Property) string {
	switch {
	case slices.Contains(f.Proved, p):
		return cmp.Or(f.By[p], "?")
	case slices.Contains(f.Open, p):
		return stateOpen
	}
	return stateViolated
}

// Confidence says what a finding is worth.
type Confidence string

// The levels, from best to worst.
const (
	// High: the run also exists where sizes are generous and numbers are ordinary, and no
	// caller in the project stands in the way.
	High Confidence = "high"
	// Medium: the run exists, but it starts in a function that only the project itself calls, and nobody saw it lead there from
	// main, or from a function that others may call.
	Medium Confidence = "medium"
	// Low: the run needs arguments that the function may exclude by contract; Needs says which.
	Low Confidence = "low"
)

// Label is a kind of precondition, as the evidence of a run has it.
type Label string

// The labels.
const (
	LabelRoom      Label = "room"      // an argument points to more
	LabelMiddle    Label = "middle"    // a pointer points into the middle of an object
	LabelInvariant Label = "invariant" // of the structures in the arguments
	LabelSetUp     Label = "set-up"    // pointers are set up before the function is called
	LabelFormat    Label = "format"    // arguments that nothing describes are those that a format asks for
	LabelNumbers   Label = "numbers"   // integers are not near the limits of their types
	LabelAsserted  Label = "asserted"  // what the function asserts of its arguments
	LabelWords     Label = "words"     // words may be read to their end
	LabelCallers   Label = "callers"   // what the callers in the project establish
)

// Finding is a run that violates a property.
type Finding struct {
	// ID stays the same as long as function, property and text of the line do.
	ID       string         `json:"id"`
	Property assay.Property `json:"property"`
	// Place is where it goes wrong.
	Place assay.Place `json:"place"`
	// Entry is the function where the run starts, and File the file that defines it.
	Entry string `json:"entry"`
	File  string `json:"file"`

	Confidence Confidence `json:"confidence"`
	// Label says what kind of precondition excludes the run, empty if none is known.
	Label Label `json:"label,omitempty"`
	// Needs are conditions on arguments without which there is this run: with them, there is none as far as
	// was looked. Empty where a contract would not help.
	Needs []string `json:"needs_precondition,omitempty"`
	// Because says in words why the confidence is what it is.
	Because string `json:"because"`
	// Harness is what was assumed of the arguments, a line each.
	Harness  []string `json:"harness"`
	Replayed []string `json:"replayed"`
	// Trace is the run, from the call of Entry to the violation; Cut is how many steps in its middle are left out.
	Trace []assay.Step `json:"trace"`
	Cut   int          `json:"trace_cut,omitempty"`
	// Fails says that an allocation fails in the run.
	Fails bool `json:"allocation_fails,omitempty"`
	// Explicit says that it is about an object whose size is an argument, too: the function knows how much there is.
	Explicit bool `json:"explicit_size,omitempty"`
	// start is what its run assumes.
	start start
	// Made says that an object that the project makes leads there.
	Made bool `json:"made,omitempty"`
	// filled says that a constructor filled the object in, in memory that was there.
	filled bool
	// inside says that it happens in a call of Entry by the harness: not in one of a function that makes an object.
	inside bool
	// followed says that the trace comes to the violation.
	followed bool
	// Also are other functions from which the same place is reached.
	Also []string `json:"also_from,omitempty"`
	// AlsoAt are further places in the function where the same happens with the same object, of findings that are not listed.
	AlsoAt []assay.Position `json:"also_at,omitempty"`
	// Suppressed says by whom and why, nil if it is not.
	Suppressed *Suppression `json:"suppressed,omitempty"`
}

// Suppression is a comment or a table of assay.toml that says that a finding is known.
type Suppression struct {
	Pos    assay.Position `json:"position"`
	Reason string         `json:"reason"`
}

// Function is what was found out about one function.
type Function struct {
	Name string         `json:"name"`
	Pos  assay.Position `json:"position"`
	// Answer is for all properties together: false if one is violated, true if all are
	// proved under the harness, unknown else.
	Answer assay.Answer `json:"answer"`
	// Proved are those of the properties that are proved, under the harness.
	Proved []assay.Property `json:"proved"`
	// By is the engine that proved each.
	By map[assay.Property]string `json:"proved_by,omitempty"`
	// Open are those that are neither proved nor violated.
	Open []assay.Property `json:"open"`
	// Reasons are why the answer is unknown.
	Reasons []assay.Reason `json:"reasons,omitempty"`
	// Assumptions are what the answer rests on, the harness first.
	Assumptions []string `json:"assumptions"`
	Seconds     float64  `json:"seconds"`
	Cached      bool     `json:"cached"`
	// Failed is an internal error, or the death of the process that looked at it.
	Failed string `json:"failed,omitempty"`
}

// File is a source file of the project.
type File struct {
	Path string `json:"path"`
	// Functions is how many it defines and were looked at.
	Functions int `json:"functions"`
	// Error is why it could not be compiled, empty if it could.
	Error string `json:"error,omitempty"`
}

// Problem is a mistake in a comment or in assay.toml that does not stop the scan.
type Problem struct {
	Pos  assay.Position `json:"position"`
	Text string         `json:"text"`
}

// Exit is the exit code of a scan: 1 if there are findings that need no precondition, 2 if
// there are none, but not everything was looked at, else 0.
func (r *Report) Exit() int {
	for _, f := range r.Findings {
		if f.Confidence != Low {
			return 1
		}
	}
	if r.Stopped != "" || len(r.Problems) > 0 {
		return 2
	}
	for _, f := range r.Files {
		if f.Error != "" {
			return 2
		}
	}
	for _, f := range r.Functions {
		if f.Failed != "" {
			return 2
		}
	}
	return 0
}
