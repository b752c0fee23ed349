package verdict

import (
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// PathTree certifies a proof by the exploration of all paths: how the runs of the program were
// divided until each part had come to its end. It is a hint for a walk over the program, and no
// claim in itself: wherever it leaves something out, the checker has to show that no run is there.
//
// A node is a set of runs, called a path, which begins at one place of the program with a stack of
// activations. In each activation there may be ways, edges of the control flow that have not been
// taken yet; at first there is one way, into the entry function. A path takes a way, runs
// the block at its end, which adds ways behind it, and so on. A call begins an activation, a way
// without target (block 0) ends it. Where exactly one way is there, it is taken; where there are
// several, a move says what is done. Steps are counted in instructions other than phis since the
// node began.
type PathTree struct {
	Root *PathNode
	// Paths is the number of leaves.
	Paths int
	// Checker names the checker and the solver that accepted.
	Checker string
}

// PathNode is what happens on a path until it is divided.
type PathNode struct {
	Moves []PathMove
	// Parts are the parts into which the path is divided after End steps; none if it comes to
	// its end. The first of them keeps what the others do not take.
	End   int64
	Parts []PathPart
	// Operand is, if the path is divided by values, that of the next instruction which the parts
	// have values for; -1 if it is divided by ways.
	Operand int
}

// PathMove takes ways after a number of steps, all into one block, or drops them, for
// no run is on them.
type PathMove struct {
	Step int64
	Drop bool
	Ways []PathWay
}

// PathWay is a way behind a block: the number of the successor; 0 for a return. Round is the number of blocks that the
// activation had begun before this one, for a path may hold ways behind one block of several iterations.
type PathWay struct {
	From  ir.BlockID
	Succ  int
	Round int
}

// PathPart is a part of a path: the runs on some of its ways, which are taken at once, or those
// on which an operand has a value.
type PathPart struct {
	Ways  []PathWay
	Value PathValue
	Node  *PathNode
}

// PathValue is a value of an operand: Bits, or for a pointer, the object, and the offset, if it has one.
type PathValue struct {
	Bits bv.BV
	// Symbol is the name of a global or function, or Made the number of an object, from 1, in
	// the order in which the path made them; null and bare addresses have neither.
	Symbol string
	Made   int
	// Offset has width 0 if it is open.
	Offset bv.BV
}

func (*PathTree) isEvidence()    {}
func (*PathTree) isCertificate() {}
