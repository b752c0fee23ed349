package show

import (
	"strings"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// Place is a point of the program where something must not happen.
type Place struct {
	Pos  Position `json:"position"`
	Func string   `json:"function,omitempty"`
	Kind string   `json:"kind"`
	Text string   `json:"text,omitempty"`
	// Pointee is the object that an invalid access of a run is about.
	Pointee Pointee `json:"pointee,omitzero"`
}

// Reason is one obstacle on the way to an answer.
type Reason struct {
	Cause string   `json:"cause"`
	Text  string   `json:"text"`
	Pos   Position `json:"position"`
	Func  string   `json:"function,omitempty"`
	Hint  string   `json:"hint,omitempty"`
	// Proved is how many checks are proved nevertheless, Searched of how many bounded search has decided that
	// no run violates them, without a certificate; Open are the others, if the engine says so.
	Proved   int     `json:"proved,omitempty"`
	Searched int     `json:"searched,omitempty"`
	Open     []Place `json:"open,omitempty"`
	// Known is what is proved at the loop around the place.
	Known []string `json:"known,omitempty"`
}

// PlacesOf are the places of guards.
func PlacesOf(m *ir.Module, gs []verdict.Guard) []Place {
	var out []Place
	for _, g := range gs {
		out = append(out, PlaceOf(m, g))
	}
	return out
}

// PlaceOf is the place of a guard.
func PlaceOf(m *ir.Module, g verdict.Guard) Place {
	return Place{Pos: PositionOf(m, g.Pos), Func: ir.NameInC(g.Func), Kind: verdict.KindText(g.Kind), Text: describe(g.Kind, g.Text)}
}

// describe says in words what went wrong, with the text of the check.
func describe(k ir.CheckKind, text string) string {
	kind := verdict.KindText(k)
	switch {
	case text == "", k == ir.FloatConversion, k == ir.ShiftOverflow: // their texts say the same
		return kind
	case strings.HasPrefix(text, kind), strings.HasPrefix(text, "invalid "), k == ir.ImplicitConversion, k == ir.Uninitialised:
		return text
	}
	return kind + ": " + text
}

// ReasonsOf are the obstacles that an engine names.
func ReasonsOf(m *ir.Module, rs []verdict.Reason) []Reason {
	var out []Reason
	for _, r := range rs {
		x := Reason{Cause: r.Cause.String(), Text: r.Text, Pos: PositionOf(m, r.Pos), Func: ir.NameInC(r.Func), Hint: r.Hint}
		if r.Checks != nil {
			x.Proved, x.Searched, x.Open = r.Checks.Proved, r.Checks.Searched, PlacesOf(m, r.Checks.Open)
		}
		if r.Known != nil {
			x.Known = NamedInvariant(m, r.Known).Predicates
		}
		out = append(out, x)
	}
	return out
}
