package frontend

import (
	"fmt"

	"assay/internal/program/ir"
)

// Note is an assumption under which the imported program stands for the source.
type Note struct {
	Kind NoteKind
	// Name is the function that the note is about, if any.
	Name string
	Text string
	Pos  ir.Pos
}

// NoteKind classifies notes.
type NoteKind uint8

// The kinds of notes.
const (
	NoteAssumption      NoteKind = iota
	NoteUnknownFunction          // Name has neither a body nor a model
	// NoteUncheckedArithmetic says that the function Name has operations whose
	// overflow (Overflow, ShiftOverflow, ShiftRange) is not checked: nothing can
	// be proved about these properties.
	NoteUncheckedArithmetic
	// NoteUncheckedVectors says that the function Name computes with vectors of integers, for which clang makes no checks of
	// overflow, shift amounts and divisors; NoteUncheckedElements that it looks elements of vectors up.
	NoteUncheckedVectors
	NoteUncheckedElements
	// NoteUncheckedSums says that a function has sums of which it is not clear whether they are signed: no-overflow cannot be proved.
	NoteUncheckedSums
	// NoteExempted says that functions may be exempt from what clang checks.
	NoteExempted
	// NoteFoldedSum, NoteFoldedShift and NoteFoldedConversion say that clang has computed constants of an initialiser, and warned of them.
	NoteFoldedSum
	NoteFoldedShift
	NoteFoldedConversion
	// NoteUncheckedRequest says that parts of the program have no checks of a kind that is compiled in on request.
	NoteUncheckedRequest
	// NoteFlattened says that the program was lifted by McSema, and that passes of LLVM made variables of its
	// registers: what is undefined in it may be gone.
	NoteFlattened
)

func (n Note) String() string {
	switch {
	case n.Name != "" && n.Pos.Line != 0:
		return fmt.Sprintf("%s (line %d) %s", n.Name, n.Pos.Line, n.Text)
	case n.Name != "":
		return n.Name + " " + n.Text
	}
	return n.Text
}

// Hint is what to do about a note with which there is no proof.
func (n Note) Hint() string {
	switch n.Kind {
	case NoteUncheckedVectors, NoteUncheckedElements:
		return "compute the elements one by one, in an array, or ask for another property"
	case NoteUncheckedSums:
		return "compute the real and the imaginary part in variables of their own, or ask for another property"
	case NoteFoldedSum, NoteFoldedShift, NoteFoldedConversion:
		return "write the number that is meant; clang warns of this one"
	case NoteExempted:
		return "give the macro another name"
	}
	return "check the source, or LLVM IR that was compiled without optimisation"
}

// noteSet collects notes, each once, at its first place.
type noteSet struct {
	list []Note
	seen map[Note]bool
}

func (s *noteSet) add(n Note) {
	key := n
	key.Pos = ir.Pos{}
	if s.seen == nil {
		s.seen = map[Note]bool{}
	}
	if !s.seen[key] {
		s.seen[key] = true
		s.list = append(s.list, n)
	}
}
