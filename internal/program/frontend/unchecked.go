package frontend

import (
	"slices"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// requested says whether somebody asks for checks of a kind.
func (o *Options) requested(k ir.CheckKind) bool { return slices.Contains(o.Requested, k) }

// onRequest are the kinds of checks that clang compiles in if they are asked for: with which sanitizer (none if the
// front end has them), and what is not seen in modules that were compiled elsewhere.
var onRequest = []struct {
	kind            ir.CheckKind
	sanitizer, what string
}{
	{ir.UnsignedOverflow, "unsigned-integer-overflow", "whether its unsigned arithmetic wraps is not checked"},
	{ir.Uninitialised, "", "that memory is not initialised may be folded away in it"},
	{ir.ArrayIndex, "array-bounds", "the arrays inside of its structures cannot be told"},
	{ir.ImplicitConversion, "implicit-conversion,implicit-bitfield-conversion", "what is an implicit conversion of its source cannot be told"},
}

// OnRequest are those of the kinds that files have to be compiled for.
func OnRequest(kinds []ir.CheckKind) (list []ir.CheckKind) {
	for _, x := range onRequest {
		if slices.Contains(kinds, x.kind) && x.sanitizer != "" {
			list = append(list, x.kind)
		}
	}
	return list
}

// requestedFlags are clang's flags for the checks that are compiled in only if they are asked for.
func (o *Options) requestedFlags() (flags []string) {
	for _, x := range onRequest {
		if o.requested(x.kind) && x.sanitizer != "" {
			flags = append(flags, "-fsanitize="+x.sanitizer)
		}
	}
	return flags
}

// unrequestable notes which of them a module compiled elsewhere does not have.
func (im *importer) unrequestable() {
	for _, x := range onRequest {
		if im.foreign && im.opts.requested(x.kind) {
			im.notes.add(Note{Kind: NoteUncheckedRequest, Name: "the program", Text: "has parts that were compiled elsewhere: " + x.what})
		}
	}
}

// uncheckedKinds are the kinds of which nothing can be proved where there is such a note.
var uncheckedKinds = map[NoteKind][]ir.CheckKind{
	NoteUncheckedArithmetic: {ir.Overflow, ir.ShiftOverflow, ir.ShiftRange},
	NoteUncheckedVectors:    {ir.Overflow, ir.ShiftOverflow, ir.ShiftRange, ir.DivByZero, ir.UnsignedOverflow},
	NoteUncheckedSums:       {ir.Overflow},
	NoteFoldedSum:           {ir.Overflow},
	NoteFoldedShift:         {ir.ShiftRange, ir.ShiftOverflow, ir.Overflow},
	NoteFoldedConversion:    {ir.FloatConversion},
	NoteExempted:            {ir.Overflow, ir.ShiftOverflow, ir.ShiftRange, ir.DivByZero, ir.ArrayLength, ir.UnsignedOverflow, ir.ArrayIndex, ir.FloatConversion},
	NoteUncheckedElements:   {ir.InvalidDeref, ir.ArrayIndex},
}

// vectors notes what clang does not check of an operation on vectors of integers.
func (f *function) vectors(i *llvm.Inst) {
	if f.b.Func.Model {
		return
	}
	note := func(k NoteKind, text string) {
		f.im.notes.add(Note{Kind: k, Name: f.src.Name, Text: text, Pos: f.b.Func.Pos})
	}
	switch i.Op {
	case llvm.Add, llvm.Sub, llvm.Mul, llvm.UDiv, llvm.SDiv, llvm.URem, llvm.SRem, llvm.Shl, llvm.LShr, llvm.AShr:
		if i.Type.Kind == llvm.VectorType && !f.im.foreign { // of which flagChecks sees each lane
			note(NoteUncheckedVectors, "computes with vectors: overflow, shift amounts and divisors are not checked in it")
		}
	case llvm.ExtractElement, llvm.InsertElement:
		if k, constant := constInt(i.Args[len(i.Args)-1]); !constant || k >= uint64(i.Args[0].ValueType().Len) {
			note(NoteUncheckedElements, "looks elements of vectors up: that an index is in range is not checked")
		}
	}
}

// Unchecked gives the first function whose arithmetic carries no
// checks, if the kinds asked for need them, or a program all of whose undefined behaviour may be gone: then there
// is no proof.
func (p *Program) Unchecked(asked []ir.CheckKind) (Note, bool) {
	for _, n := range p.Notes {
		if n.Kind == NoteFlattened && slices.ContainsFunc(asked, func(k ir.CheckKind) bool { return k != ir.Assertion && k != ir.ErrorLabel }) {
			return n, true
		}
	}
	for _, x := range onRequest {
		i := slices.IndexFunc(p.Notes, func(n Note) bool { return n.Kind == NoteUncheckedRequest })
		if i >= 0 && slices.Contains(asked, x.kind) {
			return p.Notes[i], true
		}
	}
	for _, n := range p.Notes {
		if slices.ContainsFunc(asked, func(k ir.CheckKind) bool { return slices.Contains(uncheckedKinds[n.Kind], k) }) {
			return n, true
		}
	}
	return Note{}, false
}
