package assay

import (
	"context"
	"fmt"
	"os"
	"strings"

	"assay/internal/frontend"
	"assay/internal/ir"
	"assay/internal/native"
	"assay/internal/show"
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
	c, exact := nativeInputs(result, program)
	if !exact {
		result.Native = "the run depends on the content of memory that was never written, which cannot be fed"
		return nil
	}
	var flags []string
	for _, list := range []struct {
		option string
		values []string
	}{{"-I", p.Include}, {"-D", p.Define}, {"-U", p.Undefine}} {
		for _, v := range list.values {
			flags = append(flags, list.option+v)
		}
	}
	if p.Std != "" {
		flags = append(flags, "-std="+p.Std)
	}
	header, err := frontend.WriteHeader()
	if err != nil {
		return &EnvironmentError{Doing: "replaying natively", Err: err}
	}
	defer os.RemoveAll(header)
	flags = append(append(flags, p.Arguments...), "-idirafter", header)
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

// nativeInputs collects the values that functions without body return on the
// run. The run is exact if it depends on nothing else: no address, and no
// content of memory but zeros.
func nativeInputs(result *Result, program *frontend.Program) (c native.Counterexample, exact bool) {
	c = native.Counterexample{Kind: result.run.Violation.Kind, Line: int(result.run.Violation.Pos.Line)}
	exact = true
	for _, choice := range result.run.Input.Choices {
		for _, b := range choice.Bytes {
			exact = exact && b == 0
		}
		f := result.run.Module.Func(choice.Func)
		if f == nil || f.Def(choice.Value).Op != ir.Nondet {
			continue
		}
		d := f.Def(choice.Value)
		k := ir.NondetKind(d.Aux)
		switch {
		case f.Name == result.run.Module.Entry && d.Sym == "argc":
			c.Arguments = int(choice.Bits.Uint64())
			exact = exact && c.Arguments >= 1 && c.Arguments < 1000
		case strings.HasPrefix(d.Sym, frontend.SharedStorage): // the linker chooses
			exact = false
		case k == ir.NondetInput || k == ir.NondetUnknown:
			in := native.Input{Function: d.Sym, Float: d.Type.Kind == ir.Float, Bits: d.Type.Bits, Value: choice.Bits.Uint64()}
			if t := show.InputType(d.Sym, d.Type.Bits); t.Signed && !in.Float && d.Type.Bits > 1 && d.Type.Bits <= 64 {
				in.Value = uint64(choice.Bits.Int64())
			}
			exact = exact && d.Type.Bits <= 64
			c.Inputs = append(c.Inputs, in)
		default:
			exact = exact && choice.Bits.IsZero()
		}
	}
	for _, n := range program.Notes {
		if n.Kind == frontend.NoteUnknownFunction {
			c.Silent = append(c.Silent, n.Name)
		}
	}
	return c, exact
}
