package assay

import (
	"context"
	"fmt"
	"os"

	"assay/internal/frontend"
	"assay/internal/native"
	"assay/internal/verdict"
)

// confirm runs the compiled program with the inputs of a False. If the inputs
// are exact, and the compiled program does not violate the property, one of the
// two is wrong, and there is no answer.
func (r *run) confirm(ctx context.Context, result *Result, program *frontend.Program) error {
	if result.Endless != nil {
		result.Native = "not available for runs that do not end"
		return nil
	}
	p := &r.task.Program
	if p.Function != "" || p.CompileCommands != "" {
		result.Native = "not available with --function or compile_commands.json"
		return nil
	}
	for _, j := range result.run.Input.Jumps {
		if len(j.Choices) > 0 {
			result.Native = fmt.Sprintf("%d iterations of a loop read inputs, which are too many to be fed", j.Rounds)
			return nil
		}
	}
	r.enter("native replay")
	var silent []string
	for _, n := range program.Notes {
		if n.Kind == frontend.NoteUnknownFunction {
			silent = append(silent, n.Name)
		}
	}
	c, exact := native.Inputs(result.run.Module, result.run.Input, result.run.Violation, silent, frontend.SharedStorage)
	if !exact {
		result.Native = "the run depends on the content of memory that was never written, which cannot be fed"
		return nil
	}
	header, err := frontend.WriteHeader()
	if err != nil {
		return &EnvironmentError{Doing: "replaying natively", Err: err}
	}
	defer os.RemoveAll(header)
	options := r.frontendOptions()
	flags := append(options.Flags(), "-idirafter", header)
	o, err := native.Confirm(ctx, native.Program{Files: r.task.Files, Flags: flags, ILP32: program.DataModel == frontend.ILP32}, c)
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
