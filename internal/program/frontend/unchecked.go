package frontend

import (
	"slices"

	"assay/internal/program/ir"
)

// Unchecked gives the first function whose arithmetic carries no
// checks, if the kinds asked for need them, or a program all of whose undefined behaviour may be gone: then there
// is no proof.
func (p *Program) Unchecked(asked []ir.CheckKind) (Note, bool) {
	for _, n := range p.Notes {
		if n.Kind == NoteFlattened && slices.ContainsFunc(asked, func(k ir.CheckKind) bool { return k != ir.Assertion && k != ir.ErrorLabel }) {
			return n, true
		}
	}
	if !slices.ContainsFunc(asked, func(k ir.CheckKind) bool {
		return k == ir.Overflow || k == ir.ShiftOverflow || k == ir.ShiftRange
	}) {
		return Note{}, false
	}
	for _, n := range p.Notes {
		if n.Kind == NoteUncheckedArithmetic {
			return n, true
		}
	}
	return Note{}, false
}
