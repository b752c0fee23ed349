// Package symgraph is the language in which package symex and its independent
// checker speak: abstract states over memory, and symbolic execution graphs that
// are cut at loop heads [AProVE-Ptr Def. 1, 2, 7].
//
// An abstract state describes a set of program states with symbols, which are
// integers: a program state is described if some values of the symbols satisfy
// the constraints and give every local and every cell its value. An integer of w
// bits is given by a form that equals it modulo 2^w, so that a value is signed
// and unsigned at once, and only where it is compared, extended or divided it
// matters which (the paper decides this once for each variable [AProVE-BV §2]).
// A pointer is an object and an offset, as everywhere in assay; the paper's
// allocations are intervals of addresses.
package symgraph

import (
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// Kind says what is known of a value.
type Kind uint8

// The kinds of values. Unset is a dead local. Any is an arbitrary value of the
// type: nothing is known.
const (
	Unset Kind = iota
	Any
	Int     // Form modulo 2^bits
	Pointer // Form modulo 2^pointer bits is the offset into Object
)

// Null is the object of null pointers: a pointer to nothing whose address is
// its offset.
const Null int32 = -1

// Token is the object of what StackSave yields; the offset is the number of
// objects then. It exists on paths only, never in the state of a node.
const Token int32 = -2

// NoFrame is the frame of a stack object that has died for good, HiddenFrame that of
// one that an activation owns which is not listed.
const (
	NoFrame     = -1
	HiddenFrame = -2
)

// Value is a value of a state.
type Value struct {
	Kind   Kind
	Object int32 // Pointer: index into State.Objects, or Null
	Last   bool  // Pointer to a list segment: into its last node, not its first one
	Form   linear.Form
}

// Frame is an activation of a function, the oldest first in a state.
type Frame struct {
	Func *ir.Func
	// Block and Index are the instruction that comes next; of all frames but the
	// last, the call that is under way.
	Block ir.BlockID
	Index int
	// Values are the locals, by ir.Value; constants are not among them.
	Values []Value
}

// ObjectKind says where an object lives.
type ObjectKind uint8

// The kinds of objects.
const (
	Stack ObjectKind = iota
	Heap
	Global
	Function
)

// Object is an allocation.
type Object struct {
	Kind  ObjectKind
	Dead  bool   // perhaps
	Frame int    // Stack: index of the frame that owns it
	Name  string // Global, Function
	// Symbol of the global, and its initial content if it has not been written to so far.
	Global   *ir.Global
	Pristine bool
	Size     linear.Form // in bytes, between 0 and the greatest pointer
	// Base is the address of the object, if HasBase: where addresses are looked at.
	HasBase bool
	Base    linear.Form
	Cells   []Cell // what is known of the content
	// Origin is for the engine, at the call of a recursive function: the object's index in
	// the state of the caller. Checkers do not look at it.
	Origin int32
	// Slots are pointers at regular offsets that own segments.
	Slots *Slots
	// Strings are pointers that lead to strings.
	Strings *Strings
	// List makes it a list segment: any number of heap objects of this size, whose
	// cells are in each of them.
	List *Segment
}

// Segment is what turns an object of a state into a list segment: Length live heap
// objects, different from one another and from all other objects, the first of
// which a pointer to the segment points to; the pointer at offset Next of each
// points to the start of the next one, that of the last one is Tail. If it is
// doubly linked, the pointer at offset Prev of each points to the start of the one
// before, that of the first one is Before. A pointer into the first node of a segment
// of length 0 is Tail plus its offset, one into the last node is Before plus its
// offset; following these from pointer to pointer does not go round.
//
// With Branches it is a tree segment: a pointer to the segment is Tail and Length is 0,
// or it points to a node, one of whose links (Next and Branches) starts a segment with
// the same Tail, each other one a segment with Tail null, and Length is 1 more
// than their lengths.
//
// With Next = NoLink it has at most one node, and Tail is null.
type Segment struct {
	Length linear.Form // at least 0
	Next   int64
	// Branches are the offsets of the other links of a node of a tree. Then Tail is a
	// pointer, and the segment is not doubly linked.
	Branches []int64
	Tail     Value // a pointer without offset, not to a last node; or Any
	Double   bool
	Prev     int64
	Before   Value // a pointer without offset, or Any
	// Own are symbols that have a value in each node of the segment; integers among the
	// cells are one of them. Facts hold for them and the symbols of the state.
	Own   []linear.Var
	Facts []linear.Constraint
	// Owned are the segments that each node has for itself.
	Owned []Owned
}

// NoLink is Segment.Next of nodes without a link onwards.
const NoLink int64 = -1

// Unbounded is Owned.Most if there may be any number of nodes.
const Unbounded int64 = -1

// Owned says that the pointer at offset At of a node is the start of a segment: from
// Least to Most nodes as Nodes describes them, which are different for each owner, and from all
// other objects.
//
// Nodes has a List, of which the Length does not count. Its Tail is null, Before is Any or null;
// pointers in its cells are null or to globals and functions, its facts are about its Own
// symbols and those of the state.
type Owned struct {
	At          int64
	Least, Most int64
	Nodes       *Object
}

// Slots says that an array of pointers owns segments: for each k with From <= k < To that is
// none of Out, the pointer at offset At + Stride·k of the object is the start of a segment as Owned
// says of a node (its At does not count); for each k with Nulls <= k < From that is none of Out
// it is null.
type Slots struct {
	At, Stride      int64
	Nulls, From, To linear.Form
	Out             []linear.Form
	Owned           Owned
}

// Strings says that an array of pointers leads to strings: for each k with From <= k < To that is none
// of Out, the k-th pointer of the object leads to a byte of an object of its own, to which nothing else of
// the state leads: one on the stack of Frames[0], alive, of 1 to Most bytes, of which the last is 0.
// Only where Entry is 0.
type Strings struct {
	From, To linear.Form
	Out      []linear.Form
	Most     int64
}

// Cell says that the bytes from Offset hold Value, whose type is Type. An integer that
// is 0 may be as wide as what was set to 0.
type Cell struct {
	Offset linear.Form
	Type   ir.Type
	Value  Value
	// Named says that a state needs no such cell to be described: whatever the bytes
	// hold is the value. For the engine; checkers do not look at it.
	Named bool
}

// State is an abstract state.
type State struct {
	Frames  []Frame
	Objects []Object
	// Constraints hold for the symbols.
	Constraints []linear.Constraint
	// Lost says that there may be heap objects alive beyond those listed, and beyond
	// those that are hidden.
	Lost bool
	// Entry is the node at which the activation of Frames[0] began, by a call of a
	// recursive function. Its callers, and the objects that only they can reach, are
	// hidden. 0: nothing is hidden, Frames[0] is the beginning of the program.
	Entry int32
	// Arguments have the values that they had at the Entry: one for each parameter, and
	// a pointer to each object that was there, in their order, globals and functions apart.
	// Integers and offsets are exact, not modulo anything.
	Arguments []Value
}

// Node is a state at a cutpoint.
type Node struct {
	State State
	// Location is its location in the transition system.
	Location its.Location
	// Symbols are the symbols of the state; the k-th is the variable
	// Variables[k] of the transition system.
	Symbols []linear.Var
	// Returns marks the end of an activation that began at State.Entry: Frames[0] is
	// about to return, and no path goes on from here.
	Returns bool
}

// Graph is a symbolic execution graph, cut: node 0 is the entry of the program;
// every path of the program from a state of a node leads, before it is infinite, to the
// end of the run or to a state of a node. A path goes past the call of a recursive
// function by way of a node that Returns; for each such call there is a path that ends
// at its entry, too.
type Graph struct {
	Nodes []Node
	// Targets are the kinds of violations that no path meets.
	Targets []ir.CheckKind
	// System has a location for each node, and a variable for each symbol of one.
	// Nil if termination is not claimed.
	System   *its.System
	Argument its.RankingArgument
}
