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
	// Proved is how many checks are proved nevertheless, Open are the others, if the engine says so.
	Proved int     `json:"proved,omitempty"`
	Open   []Place `json:"open,omitempty"`
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
	return Place{Pos: PositionOf(m, g.Pos), Func: g.Func, Kind: KindText(g.Kind), Text: describe(g.Kind, g.Text)}
}

// describe says in words what went wrong, with the text of the check.
func describe(k ir.CheckKind, text string) string {
	kind := KindText(k)
	switch {
	case text == "", k == ir.FloatConversion, k == ir.ShiftOverflow: // their texts say the same
		return kind
	case strings.HasPrefix(text, kind), strings.HasPrefix(text, "invalid "), k == ir.ImplicitConversion, k == ir.Uninitialised:
		return text
	}
	return kind + ": " + text
}

// KindText says in words what went wrong.
func KindText(k ir.CheckKind) string {
	switch k {
	case ir.Assertion:
		return "assertion"
	case ir.ErrorLabel:
		return "error label reached"
	case ir.Overflow:
		return "signed overflow"
	case ir.ShiftOverflow:
		return "signed left shift loses bits"
	case ir.DivByZero:
		return "division by zero"
	case ir.ShiftRange:
		return "shift amount out of range"
	case ir.InvalidDeref:
		return "invalid access"
	case ir.InvalidFree:
		return "invalid free"
	case ir.ReachedUnreachable:
		return "end of a function without a return value, or unreachable code reached"
	case ir.FloatConversion:
		return "float does not fit the integer type"
	case ir.Precondition:
		return "precondition of a library function"
	case ir.MemTrack:
		return "memory leak"
	case ir.MemCleanup:
		return "memory not freed at the end"
	case ir.Incompatible:
		return "call through an incompatible function pointer"
	case ir.UnsignedOverflow:
		return "unsigned overflow"
	case ir.ImplicitConversion:
		return "implicit conversion changes the value"
	case ir.ArrayIndex:
		return "index outside of the array"
	case ir.NotANumber:
		return "the result is NaN"
	case ir.ArrayLength:
		return "length of an array that is not positive"
	case ir.Uninitialised:
		return "uninitialised value"
	case ir.Invariant:
		return "invariant of a loop does not hold"
	}
	return "undefined behaviour"
}

// ReasonsOf are the obstacles that an engine names.
func ReasonsOf(m *ir.Module, rs []verdict.Reason) []Reason {
	var out []Reason
	for _, r := range rs {
		x := Reason{Cause: r.Cause.String(), Text: r.Text, Pos: PositionOf(m, r.Pos), Func: r.Func, Hint: r.Hint}
		if r.Checks != nil {
			x.Proved, x.Open = r.Checks.Proved, PlacesOf(m, r.Checks.Open)
		}
		out = append(out, x)
	}
	return out
}
