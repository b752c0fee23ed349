package native

import (
	"slices"

	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/user/show"
)

// Required says whether a run of a binary counts only if a native run confirms it. The model puts objects where it likes, and what
// was never written holds what it likes; in the binary both are as they are. So that is where a run depends on the address of an object,
// or on such content. And an access is wrong if it faults.
func Required(files []string, run *show.Run) bool {
	if len(files) != 1 || !frontend.IsBinary(files[0]) {
		return false
	}
	for _, g := range run.Input.Globals {
		if g.Base != 0 {
			return true
		}
	}
	return ofMemory(run.Violation.Kind) || slices.ContainsFunc(run.Input.Choices, func(c ir.Choice) bool { return arbitrary(run.Module, c) })
}

// arbitrary says whether a choice is about what a binary does not choose: where an object is, or what was never written.
func arbitrary(m *ir.Module, c ir.Choice) bool {
	if c.Base != 0 || slices.ContainsFunc(c.Bytes, func(b byte) bool { return b != 0 }) {
		return true
	}
	f := m.Func(c.Func)
	if f == nil || f.Def(c.Value).Op != ir.Nondet {
		return false
	}
	k := ir.NondetKind(f.Def(c.Value).Aux)
	return (k == ir.NondetUninit || k == ir.NondetUndef) && !c.Bits.IsZero()
}

// Unconfirmed is what to do where there is no such run.
const Unconfirmed = "look at the place: the run depends on where objects are, or on what was never written; or an access leaves its object without a fault"
