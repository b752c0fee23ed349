package assay

import (
	"context"

	"assay/internal/evidence/verdict"
	"assay/internal/program/frontend"
	"assay/internal/user/native"
)

// confirm runs the compiled program with the inputs of a False. If the inputs
// are exact, and the compiled program does not violate the property, one of the
// two is wrong, and there is no answer.
func (r *run) confirm(ctx context.Context, result *Result, program *frontend.Program) error {
	if result.Endless != nil {
		result.Native = "not available for runs that do not end"
		return nil
	}
	r.enter("native replay")
	o, err := native.Replay(ctx, result.run, program, r.frontendOptions())
	switch {
	case err != nil:
		return &EnvironmentError{Doing: "replaying natively", Err: err}
	case o.Confirmed:
		result.Replayed = append(result.Replayed, "native")
	case o.Decisive && len(result.Passes) == 0:
		result.Answer = Unknown
		result.Reasons = []Reason{{
			Cause: verdict.CauseInternal.String(), Pos: result.Violation.Pos, Func: result.Violation.Func,
			Text: "a counterexample that the interpreter confirms is not one of the compiled program: " + o.Why,
			Hint: "please report this with the program",
		}}
	default:
		result.Native = o.Why
	}
	return nil
}
