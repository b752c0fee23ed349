package frontend

import (
	"slices"

	"assay/internal/program/ir"
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
