package assay

import (
	"context"

	"assay/internal/conductor"
	"assay/internal/program/frontend"
	"assay/internal/user/native"
)

// confirm runs the compiled program with the inputs of a False, if that is asked or required. If the inputs
// are exact, and the compiled program does not violate the property, one of the
// two is wrong, and there is no answer; nor is there one where a native run is required and confirms nothing.
func (r *run) confirm(ctx context.Context, result *Result, program *frontend.Program) error {
	if result.Answer != False || result.run == nil {
		return nil
	}
	if r.task.question() != conductor.Safety {
		if doubt := native.Doubt(ctx, r.task.Files, result.run, result.Violation); doubt != nil {
			*result = Result{Answer: Unknown, Formula: result.Formula, Reasons: []Reason{*doubt}}
		}
		return nil
	}
	required := native.Required(ctx, r.task.Files, result.run)
	if !r.task.Engine.NativeReplay && !required {
		return nil
	}
	r.enter("native replay")
	o, err := native.Outcome{Why: "it may not be run here (--replay=interpreter)"}, error(nil)
	if !r.task.Engine.NeverNative {
		o, err = native.Replay(ctx, result.run, program, r.frontendOptions())
	}
	if err != nil && !r.task.Engine.NativeReplay && ctx.Err() == nil {
		o, err = native.Outcome{Why: err.Error()}, nil // nobody asked for it: there is just no confirmation
	}
	switch {
	case err != nil:
		return &EnvironmentError{Doing: "replaying natively", Err: err}
	case o.Confirmed:
		result.Replayed = append(result.Replayed, "native")
	case required, o.Decisive && len(result.Passes) == 0:
		result.Answer, result.Reasons = Unknown, []Reason{*native.Unconfirmed(result.Violation, required, o)}
	default:
		result.Native = o.Why
	}
	return nil
}
