package differential

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// Interpreted is a program imported twice.
type Interpreted struct {
	memory, promoted *ir.Module
	exact            *Interpreted
}

// Interpret imports the program, without and with promotion.
func Interpret(ctx context.Context, p Program) (*Interpreted, error) {
	o := p.options()
	promoted, err := frontend.Load(ctx, o)
	if err != nil {
		return nil, err
	}
	o.Unpromoted = true
	memory, err := frontend.Load(ctx, o)
	if err != nil {
		return nil, err
	}
	i := &Interpreted{memory: memory.Module, promoted: promoted.Module}
	if promoted.Exact != nil {
		i.exact = &Interpreted{memory: memory.Exact, promoted: promoted.Exact}
	}
	return i, nil
}

// Exact is the program whose runs go the exact ways of the library models.
func (i *Interpreted) Exact() *Interpreted { return cmp.Or(i.exact, i) }

// inputs is an oracle: inputs are random, everything else is zero (strings of
// argv are empty).
type inputs struct {
	interp.Zero
	random interp.Oracle
	given  []Value
	// chosen says that the library made choices: of what is left open to it, or
	// of what it reads.
	chosen bool
}

// Next implements interp.Oracle.
func (o *inputs) Next(r interp.Request) (ir.Choice, error) {
	d := r.Func.Def(r.Value)
	if d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetExact {
		return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(1, 1)}, nil
	}
	// A stub of an input function is a model, too.
	inLibrary := d.Op == ir.Nondet && (r.Func.Model && !strings.HasPrefix(d.Sym, "__VERIFIER_") || d.Aux == int64(ir.NondetApproximate))
	o.chosen = o.chosen || inLibrary
	if d.Op != ir.Nondet || d.Aux != int64(ir.NondetInput) {
		return o.Zero.Next(r)
	}
	if d.Sym == "argc" {
		return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(r.Type.Bits, 1)}, nil
	}
	if strings.HasPrefix(d.Sym, frontend.SharedStorage) { // the linker chooses
		o.chosen = true
		return o.Zero.Next(r)
	}
	if d.Sym == frontend.ArgumentLength { // the compiled program has its name there
		o.chosen = true
		return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(r.Type.Bits, 8)}, nil
	}
	c, err := o.random.Next(r)
	if err == nil && !inLibrary {
		v := Value{Name: d.Sym}
		if r.Type.Bits <= 64 {
			v.Bits = c.Bits.Uint64()
		}
		o.given = append(o.given, v)
	}
	return c, err
}

// defined are the kinds of violations that leave the compiled program defined.
var defined = map[ir.CheckKind]bool{
	ir.Assertion: true, ir.ErrorLabel: true, ir.Overflow: true, ir.ShiftOverflow: true, ir.MemTrack: true, ir.MemCleanup: true,
}

// run runs a module until its end or the first failed assertion.
func run(ctx context.Context, m *ir.Module, seed uint64, steps int64) (Run, error) {
	oracle := &inputs{random: interp.Random(seed)}
	var r Run
	code := -1
	out, err := interp.Run(ctx, m, interp.Options{
		Oracle:   oracle,
		MaxSteps: steps,
		Observe: func(e interp.Event) {
			switch {
			case e.Kind == interp.Violation:
				text := fmt.Sprintf("%v at %s", e.Check, m.PosString(e.Pos))
				if n := len(r.Events); n == 0 || r.Events[n-1] != text {
					r.Events = append(r.Events, text)
				}
				r.Undefined = r.Undefined || !defined[e.Check]
			case e.Kind == interp.Enter && e.Func.Name == "observe":
				r.Observed = append(r.Observed, Value{})
			case e.Kind == interp.Leave && e.Func.Name == "observe":
				r.Observed[len(r.Observed)-1].Bits = e.Bits.Uint64()
			case e.Kind == interp.Leave && e.Func.Name == "main" && e.Bits.Width() != 0:
				code = int(e.Bits.Uint64() & 0xff)
			}
		},
		StopAt: func(e interp.Event) bool { return e.Kind == interp.Violation && e.Check == ir.Assertion },
	})
	r.Inputs, r.End, r.LibraryChose = oracle.given, end(m, out, code), oracle.chosen
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() != nil {
		r.End, err = End{Kind: CutOff}, nil
	}
	return r, err
}

// end translates the end of a run.
func end(m *ir.Module, out interp.Outcome, code int) End {
	switch out.End {
	case interp.Returned, interp.Halted:
		return End{Kind: Exited, Code: code}
	case interp.Stopped:
		return End{Kind: Asserted, Line: int(out.Event.Pos.Line)}
	case interp.Aborted:
		return End{Kind: Aborted}
	case interp.AssumeFailed:
		return End{Kind: AssumeFailed}
	case interp.StepLimit:
		return End{Kind: CutOff}
	}
	return End{Kind: NotModelled, Text: fmt.Sprintf("%s %s at %s", out.End, out.Text, m.PosString(out.Pos))}
}
