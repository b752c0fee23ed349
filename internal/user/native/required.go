package native

import (
	"context"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/user/show"
)

// Binary says whether the program is a binary.
func Binary(files []string) bool { return len(files) == 1 && frontend.IsBinary(files[0]) }

// Required says whether a run of a binary counts only if a native run confirms it. The model puts objects where it likes, and what
// was never written holds what it likes; in the binary both are as they are. So that is where a run depends on the address of an object,
// or on such content. And an access is wrong if it faults.
func Required(ctx context.Context, files []string, run *show.Run) bool {
	if !Binary(files) {
		return false
	}
	for _, g := range run.Input.Globals {
		if g.Base != 0 {
			return true
		}
	}
	placed := func(c ir.Choice) bool { return c.Base != 0 }
	return ofMemory(run.Violation.Kind) || slices.ContainsFunc(run.Input.Choices, placed) || Unwritten(ctx, run) != ""
}

// Unconfirmed is the obstacle where a native run did not confirm a violation, and had to.
func Unconfirmed(at *show.Place, required bool, o Outcome) *show.Reason {
	r := &show.Reason{Cause: verdict.CauseInternal.String(), Pos: at.Pos, Func: at.Func}
	r.Text, r.Hint = "a counterexample that the interpreter confirms is not one of the compiled program: "+o.Why, "please report this with the program"
	if required {
		r.Cause, r.Text = verdict.CauseUnsupported.String(), at.Text+"; the binary was run with these inputs, and that does not confirm it: "+o.Why
		r.Hint = "look at the place: the run depends on where objects are, or on what was never written; or an access leaves its object without a fault"
	}
	return r
}
