package native

import (
	"context"
	"fmt"
	"os"

	"assay/internal/program/frontend"
	"assay/internal/user/show"
)

// Replay runs the compiled program with the inputs of a run.
func Replay(ctx context.Context, run *show.Run, program *frontend.Program, o frontend.Options) (Outcome, error) {
	machine := len(o.Files) == 1 && frontend.IsBinary(o.Files[0])
	if o.Function != "" && !machine || o.CompileCommands != "" {
		return Outcome{Why: "not available with --function or compile_commands.json"}, nil
	}
	for _, j := range run.Input.Jumps {
		if len(j.Choices) > 0 {
			return Outcome{Why: fmt.Sprintf("%d iterations of a loop read inputs, which are too many to be fed", j.Rounds)}, nil
		}
	}
	var silent []string
	for _, n := range program.Notes {
		if n.Kind == frontend.NoteUnknownFunction {
			silent = append(silent, n.Name)
		}
	}
	c, exact := Inputs(run.Module, run.Input, run.Violation, silent, frontend.SharedStorage)
	if !exact && !machine {
		return Outcome{Why: "the run depends on the content of memory that was never written, which cannot be fed"}, nil
	}
	if machine {
		c.Start, c.Label = o.Function, o.Label
		c.takeRegisters()
		o, err := ConfirmBinary(ctx, o.Files[0], c)
		if !exact && !o.Confirmed && err == nil {
			o.Decisive, o.Why = false, o.Why+"; the run depends on registers, or on places of stack or heap, that were never written, which cannot be fed"
		}
		return o, err
	}
	header, err := frontend.WriteHeader()
	if err != nil {
		return Outcome{}, err
	}
	defer os.RemoveAll(header)
	flags := append(o.Flags(), "-idirafter", header)
	return Confirm(ctx, Program{Files: o.Files, Flags: flags, ILP32: program.DataModel == frontend.ILP32}, c)
}
