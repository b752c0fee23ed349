// Package property is the table of properties: their names, the checks that each consists of, and
// what is to be said of it to people.
package property

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/ir"
	"assay/internal/user/spell"
)

// Property names what must not happen on any run. The names are those of the
// competition on software verification where it has one.
type Property string

// The properties.
const (
	UnreachCall    Property = "unreach-call"        // no failed assertion, no call of an error function
	UnreachLabel   Property = "unreach-label"       // the C label ERROR is not reached
	NoOverflow     Property = "no-overflow"         // no signed overflow
	NoShiftLoss    Property = "no-overflow:shift"   // no-overflow, and no undefined signed left shift
	ShiftWraps     Property = "no-overflow:noshift" // no-overflow, whatever left shifts do
	DivByZero      Property = "div-by-zero"         // no integer division or remainder by zero
	Shift          Property = "shift"               // every shift amount is below the width
	ValidDeref     Property = "valid-deref"         // every access hits a live object
	ValidFree      Property = "valid-free"          // every free gets null or the start of a live heap block
	ValidMemTrack  Property = "valid-memtrack"      // every heap block stays reachable until freed
	ValidCleanup   Property = "valid-memcleanup"    // every heap block is freed at the end
	ValidMemSafety Property = "valid-memsafety"     // valid-deref, valid-free and valid-memtrack
	Undefined      Property = "undefined"           // none of the undefined behaviour that has no property of its own
	All            Property = "all"                 // no undefined behaviour of any kind, no failed assertion
	UnsignedWrap   Property = "unsigned-overflow"   // no unsigned arithmetic wraps
	Conversion     Property = "implicit-conversion" // no implicit conversion changes a value
	FloatCast      Property = "float-cast-overflow" // every float fits the integer it becomes
	NotANumber     Property = "nan"                 // no operation makes a NaN of numbers
	ArrayBounds    Property = "array-bounds"        // every index is within its array
	ValidInit      Property = "valid-init"          // nothing depends on memory that was never written
	Termination    Property = "termination"         // every run ends
	LTL            Property = "ltl"                 // a formula of linear temporal logic
	NoDataRace     Property = "no-data-race"        // recognised, not decided yet
	Temporal       Property = "temporal-logic"      // a CTL formula and the like: recognised, not decided yet
)

// Info is one line of the table of properties.
type Info struct {
	Name  Property
	Kinds []ir.CheckKind // nil: recognised, but no engine decides it; empty: not a matter of checks
	About string
}

// Table holds all properties.
var Table = []Info{
	{UnreachCall, []ir.CheckKind{ir.Assertion}, "no assertion fails, no error function is called (the default of programs with assertions)"},
	{UnreachLabel, []ir.CheckKind{ir.ErrorLabel}, "the C label ERROR is never reached"},
	{NoOverflow, []ir.CheckKind{ir.Overflow}, "no signed integer overflow"},
	{NoShiftLoss, []ir.CheckKind{ir.Overflow, ir.ShiftOverflow, ir.ShiftRange}, "the same, and no shift is undefined"},
	{ShiftWraps, []ir.CheckKind{ir.Overflow}, "the same, whatever shifts do (plain no-overflow is unknown where only that matters)"},
	{DivByZero, []ir.CheckKind{ir.DivByZero}, "no integer division or remainder by zero"},
	{Shift, []ir.CheckKind{ir.ShiftRange}, "no shift by a negative amount, or by the width or more"},
	{ValidDeref, []ir.CheckKind{ir.InvalidDeref}, "no access through a null, dangling or out-of-bounds pointer"},
	{ValidFree, []ir.CheckKind{ir.InvalidFree}, "no free of anything but a live heap block"},
	{ValidMemTrack, []ir.CheckKind{ir.MemTrack}, "no heap block becomes unreachable before it is freed"},
	{ValidCleanup, []ir.CheckKind{ir.MemCleanup}, "every heap block is freed when the program ends"},
	{ValidMemSafety, []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree, ir.MemTrack}, "valid-deref, valid-free and valid-memtrack together"},
	{Undefined, []ir.CheckKind{ir.ReachedUnreachable, ir.FloatConversion, ir.Precondition, ir.Incompatible, ir.ArrayLength}, "no other undefined behaviour: floats that do not fit the integer, functions that end without their value, wrong arguments of library functions, calls by a pointer of another type, arrays whose length is not positive"},
	{All, []ir.CheckKind{
		ir.Assertion, ir.Overflow, ir.ShiftOverflow, ir.DivByZero, ir.ShiftRange, ir.InvalidDeref, ir.InvalidFree,
		ir.ReachedUnreachable, ir.FloatConversion, ir.Precondition, ir.Incompatible, ir.ArrayLength,
	}, "no undefined behaviour of the kinds above, and unreach-call (the default of programs without assertions)"},
	{FloatCast, []ir.CheckKind{ir.FloatConversion}, "every float fits the integer that it is converted to (a part of undefined)"},
	{ValidInit, []ir.CheckKind{ir.Uninitialised}, "no branch, address or output depends on memory that was never written; copies are no uses"},
	{UnsignedWrap, []ir.CheckKind{ir.UnsignedOverflow}, "no unsigned arithmetic wraps around; defined in C, so on request only"},
	{Conversion, []ir.CheckKind{ir.ImplicitConversion}, "no implicit conversion of integers changes a value or its sign; on request only"},
	{ArrayBounds, []ir.CheckKind{ir.ArrayIndex}, "no index of an array is outside of its type, even within the structure around it (valid-deref looks at objects); not of arrays that end a structure; on request only"},
	{NotANumber, []ir.CheckKind{ir.NotANumber}, "no floating-point operation makes a NaN of operands that are none; on request only"},
	{Termination, []ir.CheckKind{}, "every run ends (asked alone)"},
	{LTL, []ir.CheckKind{}, "the formula of --ltl, or of a comment //@ ltl invariant positive: …; (asked alone)"},
	{NoDataRace, nil, ""},
	{Temporal, nil, ""},
}

// info is the line of p in the table, nil if p is no property.
func (p Property) info() *Info {
	i := slices.IndexFunc(Table, func(i Info) bool { return i.Name == p })
	if i < 0 {
		return nil
	}
	return &Table[i]
}

// Within are those of the properties that consist of the kinds alone.
func Within(ps []Property, kinds []ir.CheckKind) (out []Property) {
	for _, p := range ps {
		if own := Kinds(p); len(own) > 0 && !slices.ContainsFunc(own, func(k ir.CheckKind) bool { return !slices.Contains(kinds, k) }) {
			out = append(out, p)
		}
	}
	return out
}

// Label is the label that a question is about, empty if UnreachLabel is not among its properties.
func Label(ps []Property, label string) string {
	if !slices.Contains(ps, UnreachLabel) {
		return ""
	}
	return cmp.Or(label, "ERROR")
}

// Known says whether p is the name of a property.
func (p Property) Known() bool { return p.info() != nil }

// Decidable says whether an engine of this release decides p.
func (p Property) Decidable() bool {
	i := p.info()
	return i != nil && i.Kinds != nil
}

// Undecidable are the formulas that no engine decides, or else those of the properties.
func Undecidable(ps []Property, formulas []string) []string {
	if len(formulas) > 0 {
		return formulas
	}
	var out []string
	for _, p := range ps {
		if !p.Decidable() {
			out = append(out, string(p))
		}
	}
	return out
}

// Kinds are the checks that the properties ask for, in the order of the table
// and without repetition.
func Kinds(ps ...Property) []ir.CheckKind {
	var out []ir.CheckKind
	for _, p := range ps {
		for _, k := range p.info().Kinds {
			if !slices.Contains(out, k) {
				out = append(out, k)
			}
		}
	}
	slices.Sort(out)
	return out
}

// Disputed are the checks of which tools differ whether the properties ask for
// them: undefined shifts as overflows.
func Disputed(ps []Property) []ir.CheckKind {
	if !slices.Contains(ps, NoOverflow) || slices.Contains(ps, NoShiftLoss) || slices.Contains(ps, ShiftWraps) {
		return nil
	}
	var out []ir.CheckKind
	for _, k := range []ir.CheckKind{ir.ShiftOverflow, ir.ShiftRange} {
		if !slices.Contains(Kinds(ps...), k) {
			out = append(out, k)
		}
	}
	return out
}

// Violated is the name of a violated check in `false(<property>)`.
func Violated(k ir.CheckKind) Property {
	switch k {
	case ir.Assertion:
		return UnreachCall
	case ir.ErrorLabel:
		return UnreachLabel
	case ir.Overflow, ir.ShiftOverflow:
		return NoOverflow
	case ir.DivByZero:
		return DivByZero
	case ir.ShiftRange:
		return Shift
	case ir.InvalidDeref:
		return ValidDeref
	case ir.InvalidFree:
		return ValidFree
	case ir.MemTrack:
		return ValidMemTrack
	case ir.MemCleanup:
		return ValidCleanup
	case ir.ReachedUnreachable, ir.Precondition, ir.Incompatible, ir.ArrayLength:
		return Undefined
	case ir.FloatConversion:
		return FloatCast
	case ir.UnsignedOverflow:
		return UnsignedWrap
	case ir.ImplicitConversion:
		return Conversion
	case ir.Uninitialised:
		return ValidInit
	case ir.NotANumber:
		return NotANumber
	case ir.ArrayIndex:
		return ArrayBounds
	}
	panic(fmt.Sprintf("no property consists of checks of kind %d", k))
}

// Unknown says that a name is no property.
type Unknown struct{ Name, Hint string }

func (e *Unknown) Error() string { return fmt.Sprintf("unknown property %q", e.Name) }

// Parse reads a comma separated list of property names. Its error lists the names, and the nearest one.
func Parse(list string) ([]Property, *Unknown) {
	var out []Property
	for name := range strings.SplitSeq(list, ",") {
		name = strings.TrimSpace(name)
		p := Property(name)
		if !p.Known() || p == Temporal {
			return nil, NewUnknown(name)
		}
		if !slices.Contains(out, p) {
			out = append(out, p)
		}
	}
	return out, nil
}

// NewUnknown is the error for a name that is no property.
func NewUnknown(name string) *Unknown {
	var names []string
	for _, i := range Table {
		if i.Kinds != nil {
			names = append(names, string(i.Name))
		}
	}
	hint := "known properties: " + strings.Join(names, ", ")
	if near := spell.Nearest(name, names); near != "" {
		hint = fmt.Sprintf("did you mean %q? %s", near, hint)
	}
	return &Unknown{Name: name, Hint: hint}
}

// Help describes every property that can be decided, a line each.
func Help() string {
	var b strings.Builder
	for _, i := range Table {
		if i.Kinds != nil {
			fmt.Fprintf(&b, "  %-18s %s\n", i.Name, i.About)
		}
	}
	return b.String()
}
