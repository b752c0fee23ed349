package assay

import (
	"assay/internal/program/ir"
	"assay/internal/user/property"
)

// Property names what must not happen on any run. The names are those of the
// competition on software verification where it has one.
type Property = property.Property

// The properties, as package property describes them.
const (
	UnreachCall    = property.UnreachCall
	UnreachLabel   = property.UnreachLabel
	NoOverflow     = property.NoOverflow
	NoShiftLoss    = property.NoShiftLoss
	ShiftWraps     = property.ShiftWraps
	DivByZero      = property.DivByZero
	Shift          = property.Shift
	ValidDeref     = property.ValidDeref
	ValidFree      = property.ValidFree
	ValidMemTrack  = property.ValidMemTrack
	ValidCleanup   = property.ValidCleanup
	ValidMemSafety = property.ValidMemSafety
	Termination    = property.Termination
	LTL            = property.LTL
	NoDataRace     = property.NoDataRace
	Undefined      = property.Undefined
	All            = property.All
)

// kinds are the checks that the properties ask for.
func kinds(ps []Property) []ir.CheckKind { return property.Kinds(ps...) }

// ParseProperties reads a comma separated list of property names. Its error is
// an *InputError that lists the names, and the nearest one.
func ParseProperties(list string) ([]Property, error) {
	ps, wrong := property.Parse(list)
	if wrong != nil {
		return nil, &InputError{Message: wrong.Error(), Hint: wrong.Hint}
	}
	return ps, nil
}

// PropertyHelp describes every property that can be decided, a line each.
func PropertyHelp() string { return property.Help() }
