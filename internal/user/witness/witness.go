// Package witness has verification witnesses as data: what one verifier says of a program in a form that others read.
//
//	YAML 2.0 and 2.1   correctness (invariant_set) and violation (violation_sequence), read (read.go) and written (write.go)
//	GraphML 1.0        violation, written (graphml.go) for tools that still ask for it
//
// The formats are those of the competition on software verification [Ayaziova24], [Beyer22]. A witness is hostile
// input: what is read has passed the checks of its schema, with line and column of what is wrong, and its expressions change
// nothing (expression.go). Whether it is true is the question of package validate.
package witness

import "fmt"

// The versions of the YAML format.
const (
	V20 = "2.0"
	V21 = "2.1"
)

// Witness is a witness of a program.
type Witness struct {
	Version  string // of its format: V20, V21, "1.0" for GraphML
	Producer string // name and version
	Task     Task
	// Invariants and Contracts are those of a correctness witness.
	Invariants []Invariant
	Contracts  []Contract
	// Segments are those of a violation witness; none says that it is a correctness witness.
	Segments []Segment
	// Violation says that it is a violation witness.
	Violation bool
	// Notes say what of the file was not read.
	Notes []string
}

// Task is what a witness is about.
type Task struct {
	Files         []File
	Specification string
	DataModel     string // ILP32 or LP64
	Entry         string // the function where runs start; main if empty
}

// File is a file of the program, with its SHA-256.
type File struct{ Name, Hash string }

// Mark is a place in the file of the witness.
type Mark struct{ Line, Column int }

// Location is a place in the program. Column is 0, and Function empty, if they are not given.
type Location struct {
	File         string
	Line, Column int
	Function     string
}

func (l Location) String() string {
	if l.Column == 0 {
		return fmt.Sprintf("%s:%d", l.File, l.Line)
	}
	return fmt.Sprintf("%s:%d:%d", l.File, l.Line, l.Column)
}

// InvariantType says when an invariant holds.
type InvariantType string

// The types of invariants.
const (
	LoopInvariant           InvariantType = "loop_invariant"
	LocationInvariant       InvariantType = "location_invariant"
	LoopTransitionInvariant InvariantType = "loop_transition_invariant" // 2.1
	FunctionContract        InvariantType = "function_contract"         // 2.1
)

// Invariant is a condition that holds whenever a place is reached.
type Invariant struct {
	Type  InvariantType
	At    Location
	Value string
	Mark  Mark
}

// Contract is what holds of the calls of a function.
type Contract struct {
	At                Location
	Requires, Ensures string // empty is no condition
	Mark              Mark
}

// WaypointType says what a run does at a waypoint.
type WaypointType string

// The types of waypoints.
const (
	Assumption     WaypointType = "assumption"
	Branching      WaypointType = "branching"
	FunctionEnter  WaypointType = "function_enter"
	FunctionReturn WaypointType = "function_return"
	Target         WaypointType = "target"
)

// Action says what becomes of a run that passes a waypoint.
type Action string

// The actions.
const (
	Follow Action = "follow" // it is along the witness
	Avoid  Action = "avoid"  // it is not
	Cycle  Action = "cycle"  // it comes here again and again (2.1)
)

// Waypoint is a place of a run with what holds there.
type Waypoint struct {
	Type   WaypointType
	Action Action
	At     Location
	// Value is a condition, or what a branch is: true, false, default, or the number of a case.
	Value string
	Mark  Mark
}

// Segment is a part of a run: waypoints that it avoids, and the last one, which ends it.
type Segment []Waypoint

// Last is the waypoint that ends the segment.
func (s Segment) Last() Waypoint { return s[len(s)-1] }
