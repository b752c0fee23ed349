package symgraph

import (
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// Drawing is a graph for people: with what is between its cutpoints, a vertex for
// each instruction that is evaluated, as the papers draw it [AProVE-Ptr Fig. 1;
// AProVE-BV Fig. 3].
type Drawing struct {
	Vertices []Vertex
	Arrows   []Arrow
	// Omitted says that there were more vertices than asked for.
	Omitted bool
}

// Vertex is an abstract state before an instruction.
type Vertex struct {
	State *State
	// Facts are the constraints on the path from the last cutpoint to here.
	Facts []linear.Constraint
	// Func and Instr are the instruction that comes next.
	Func  *ir.Func
	Instr ir.Value
	// Cutpoint says that the state is a node of the graph.
	Cutpoint bool
	// Violation is what may go wrong here, if something may.
	Violation string
	// End says that the run may end here.
	End bool
}

// ArrowKind is a kind of edges.
type ArrowKind uint8

// The kinds of edges: an instruction is evaluated; the state is split so that it can
// be; the state is an instance of another one.
const (
	Evaluation ArrowKind = iota
	Refinement
	Generalization
)

func (k ArrowKind) String() string {
	return [...]string{"evaluation", "refinement", "generalization"}[k]
}

// Arrow is an edge.
type Arrow struct {
	From, To int
	Kind     ArrowKind
	// Case are the constraints that a refinement adds, or Unequal to 0.
	Case    []linear.Constraint
	Unequal []linear.Form
	// Toss is the truth value that a refinement gives to a comparison of which nothing is known.
	Toss *bool
	// Symbols are what the symbols of the target stand for, of a generalization.
	Symbols map[linear.Var]linear.Form
}
