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
	UnreachCall, UnreachLabel, NoOverflow, NoShiftLoss = property.UnreachCall, property.UnreachLabel, property.NoOverflow, property.NoShiftLoss
	ShiftWraps, DivByZero, Shift                       = property.ShiftWraps, property.DivByZero, property.Shift
	ValidDeref, ValidFree, ValidMemTrack               = property.ValidDeref, property.ValidFree, property.ValidMemTrack
	ValidCleanup, ValidMemSafety, Termination          = property.ValidCleanup, property.ValidMemSafety, property.Termination
	LTL, NoDataRace, Undefined, All                    = property.LTL, property.NoDataRace, property.Undefined, property.All
	UnsignedWrap, Conversion, FloatCast, NotANumber    = property.UnsignedWrap, property.Conversion, property.FloatCast, property.NotANumber
	ValidInit, ArrayBounds                             = property.ValidInit, property.ArrayBounds
)

// kinds are the checks that the properties ask for.
func kinds(ps []Property) []ir.CheckKind { return property.Kinds(ps...) }

// ParseProperties reads a comma separated list of property names. Its error is an *InputError.
func ParseProperties(list string) ([]Property, error) {
	ps, wrong := property.Parse(list)
	if wrong != nil {
		return nil, &InputError{Message: wrong.Error(), Hint: wrong.Hint}
	}
	return ps, nil
}

// PropertyHelp describes every property that can be decided, a line each.
func PropertyHelp() string { return property.Help() }
