package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/certify/accept"
	"assay/internal/finite/ic3"
	"assay/internal/finite/solve"
	"assay/internal/finite/ts"
	"assay/internal/integers/its"
)

// solveFlags are the flags of `assay solve`.
type solveFlags struct {
	json        bool // with --ctl
	engine      string
	lifting     string
	certify     string
	reduce      string
	timeout     time.Duration
	memory      uint64
	invariant   string
	ctl, tree   string
	certificate string
	quiet       bool
	verbose     bool
}

// solveCommand is `assay solve`.
func solveCommand() *cobra.Command {
	f := &solveFlags{engine: string(solve.Auto), lifting: ic3.Liftings[0], certify: "on", reduce: "on"}
	c := &cobra.Command{
		Use:   "solve [flags] file",
		Short: "Decide a transition system: DimSpec, AIGER, BTOR2, KoAT, T2, SMT-LIB, ARI",
		Long: `Decide whether a transition system can reach a bad state or violate a justice property.

The file is DimSpec (.dimspec), AIGER (.aag, .aig) or BTOR2 (.btor, .btor2). The
answer is printed in the file's own format: a witness if a property is violated,
else 0 (AIGER) or unsat (BTOR2, DimSpec). Witnesses are simulated on the model, and
proofs are checked by a second solver, before they are printed.

Of an integer transition system in the format of KoAT (.koat), T2 (.t2), or one of
those of the termination competition, SMT-LIB (.smt2) or ARI (.ari), the question
is whether every run ends. The first line of the output is YES, NO or MAYBE; then
come the ranking functions with their invariants, or a run that does not end: its
stem, its loop, and a set of states that the loop does not leave. Both have been
checked with Z3.

Exit codes: 0 no property can be violated, or YES; 1 a witness was printed, or NO;
2 unknown; 3 wrong use or input; 4 a bug of assay.`,
		Example: "  assay solve counter.btor2\n  assay solve -q loop.t2\n  assay solve --engine ic3 --timeout 60 --invariant inv.txt model.aig",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, limit := limited(f.timeout, f.memory, func(why string) int {
				if f.ctl != "" {
					_ = (&ctlAnswer{f: &itsFlags{json: f.json}, Result: "unknown", code: exitUnknown, Reasons: []ctlReason{{"timeout", why}}}).write(os.Stdout)
					return exitUnknown
				}
				fmt.Fprintln(os.Stdout, unsolved(args[0]))
				fmt.Fprintf(errorOutput(), "unknown: %s\n", why)
				return exitUnknown
			})
			if err := checkTree(f.tree); err != nil {
				return err
			}
			if f.ctl == "" && f.tree != "" {
				return &assay.InputError{Message: "--tree draws what is proved of a formula: it needs --ctl"}
			}
			if f.ctl != "" {
				if !isITS(args[0]) {
					return &assay.InputError{Message: "--ctl is for integer transition systems; assay check decides programs"}
				}
				return (&itsFlags{certify: f.certify, quiet: f.quiet, verbose: f.verbose, json: f.json, tree: f.tree}).solveCTL(ctx, limit, os.Stdout, args[0], f.ctl)
			}
			if isITS(args[0]) {
				return (&itsFlags{certify: f.certify, quiet: f.quiet, verbose: f.verbose}).solve(ctx, limit, os.Stdout, args[0])
			}
			return f.solve(ctx, limit, args[0])
		},
	}
	flags := c.Flags()
	flags.Var(choiceValue{&f.engine, solve.Engines}, "engine", "which engine decides; auto runs ic3 and kinduction side by side")
	flags.Var(durationValue{&f.timeout}, "timeout", "stop after this time, for example 10s or 2m")
	flags.Var(sizeValue{&f.memory}, "memory", "stop when more memory is used, for example 2GiB")
	flags.Var(choiceValue{&f.certify, []string{"on", "off"}}, "certify", "whether a proof is checked by a second solver")
	flags.Var(choiceValue{&f.lifting, ic3.Liftings}, "lifting", "how ic3 generalises predecessors")
	flags.Var(choiceValue{&f.reduce, []string{"on", "off"}}, "reduce", "whether ic3 first replaces constant and equal latches")
	flags.StringVar(&f.ctl, "ctl", "", "of an integer transition system decide this `formula` of computation tree logic")
	flags.StringVar(&f.tree, "tree", "", "with --ctl draw the parts of the formula, and in which states each was proved, in this `file`: .svg, .png, .pdf or .dot")
	flags.BoolVar(&f.json, "json", false, "with --ctl print the answer as one line of JSON")
	flags.StringVar(&f.invariant, "invariant", "", "write the invariants of a proof to this `file`")
	flags.StringVar(&f.certificate, "certificate", "", "write a witness circuit of a proof in AIGER to this `file`, for external checkers")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "of an integer transition system print the first line only")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print work and reasons on the standard error")
	flags.SortFlags = false
	return c
}

// errMemory is the cause of a context that ended because of the memory limit.
var errMemory = errors.New("memory limit")

// withinMemory ends a context when the process has more memory than the limit. The
// engines' data grow in small steps, so looking ten times a second is enough.
func withinMemory(ctx context.Context, limit uint64) (context.Context, context.CancelFunc) {
	inner, cancel := context.WithCancelCause(ctx)
	debug.SetMemoryLimit(int64(limit - limit/4))
	go func() {
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-inner.Done():
				return
			case <-tick.C:
				if residentBytes() > limit {
					cancel(errMemory)
					return
				}
			}
		}
	}()
	return inner, func() { cancel(nil) }
}

// residentBytes is the memory of the process, that of C included.
func residentBytes() uint64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	var size, resident uint64
	if _, err := fmt.Sscan(string(text), &size, &resident); err != nil {
		return 0
	}
	return resident * uint64(os.Getpagesize())
}

// loadModel reads a file of one of the formats.
func loadModel(name string) (*solve.Model, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, &assay.InputError{Message: err.Error()}
	}
	m, err := solve.Parse(name, text)
	if err == nil {
		return m, nil
	}
	var syntax *ts.SyntaxError
	var unsupported *ts.Unsupported
	switch {
	case errors.As(err, &syntax) && syntax.Line > 0:
		return nil, &assay.InputError{Pos: assay.Position{File: name, Line: syntax.Line}, Message: syntax.What}
	case errors.As(err, &syntax):
		return nil, &assay.InputError{Message: fmt.Sprintf("%s: byte %d: %s", name, syntax.Offset, syntax.What)}
	case errors.As(err, &unsupported):
		return nil, err
	}
	return nil, &assay.InputError{Message: fmt.Sprintf("%s: %v", name, err)}
}

// unsolved is the answer of a file that was not even read in time.
func unsolved(name string) string {
	switch ext := strings.ToLower(filepath.Ext(name)); {
	case isITS(name):
		return "MAYBE"
	case ext == ".aag" || ext == ".aig":
		return "2\nb0\n."
	}
	return "unknown"
}

func (f *solveFlags) solve(ctx context.Context, limit *limit, name string) error {
	stderr := errorOutput()
	m, err := loadModel(name)
	var unsupported *ts.Unsupported
	if errors.As(err, &unsupported) {
		// The file is right, and we cannot say anything about it.
		fmt.Fprintln(os.Stdout, "unknown")
		fmt.Fprintf(stderr, "%s:%d: unsupported: %s\n", name, unsupported.Line, unsupported.What)
		return exit(exitUnknown)
	}
	if err != nil {
		return err
	}
	o := solve.Options{Engine: solve.Engine(f.engine), IC3: ic3.Default, Accept: accept.TransitionSystem, Trusted: f.certify == "off", Unreduced: f.reduce == "off"}
	o.IC3.Lifting = ic3.LiftingNamed(f.lifting)
	a, err := solve.Decide(ctx, m.System, o)
	limited := ctx.Err() != nil
	limit.finish()
	var contradiction *solve.Contradiction
	switch {
	case errors.As(err, &contradiction):
		return &assay.InternalError{Phase: "solve", Panic: contradiction.What, Files: []string{name}}
	case err != nil:
		return err
	}
	if f.verbose {
		fmt.Fprintf(stderr, "engine %s: %s\n", a.Engine, a.Work)
	}
	if err := m.WriteAnswer(os.Stdout, a); err != nil {
		return &assay.EnvironmentError{Doing: "writing the answer", Err: err}
	}
	switch {
	case a.Trace != nil:
		return exit(exitFalse)
	case a.Proof != nil:
		if err := f.evidence(m, a.Proof); err != nil {
			return err
		}
		return exit(exitTrue)
	}
	if limited && errors.Is(context.Cause(ctx), errMemory) {
		a.Reason = limit.why(ctx)
	}
	fmt.Fprintf(stderr, "unknown: %s\n", a.Reason)
	return exit(exitUnknown)
}

// evidence writes the files that the flags ask for.
func (f *solveFlags) evidence(m *solve.Model, p *solve.Proof) error {
	for _, out := range []struct {
		name  string
		write func(w *strings.Builder) error
	}{
		{f.invariant, func(w *strings.Builder) error { return p.Write(w) }},
		{f.certificate, func(w *strings.Builder) error { return m.WriteCertificate(w, p) }},
	} {
		if out.name == "" {
			continue
		}
		var text strings.Builder
		if err := out.write(&text); err != nil {
			return &assay.InputError{Message: err.Error()}
		}
		if err := os.WriteFile(out.name, []byte(text.String()), 0o666); err != nil {
			return &assay.EnvironmentError{Doing: "writing evidence", Err: err}
		}
	}
	return nil
}

// exportCommand is `assay export`.
func exportCommand() *cobra.Command {
	var output string
	var timeout time.Duration
	targets := append(slices.Clone(solve.Targets), "its", "koat", "t2", "ari")
	target := targets[0]
	f := &checkFlags{}
	c := &cobra.Command{
		Use:   "export [flags] file…",
		Short: "Write a program, or a transition system, as a transition system",
		Long: `Read a program (C, LLVM) or a transition system (DimSpec, AIGER, BTOR2), and write
it as a transition system in the format asked for.

In the system of a program a bad state is a violation of the property. A step goes
from one loop head to the next, or with --blocks small from block to block. Where
the system cannot follow the program exactly, a second bad state says so.

aiger is binary and aag ASCII AIGER 1.9; plain is binary AIGER for tools that know
only latches with reset 0 and one output: constraints are remembered by a latch,
initial values that are not 0 come from inputs or negations; smt2 is Horn clauses.

Of a C or LLVM file, or an integer transition system, its, koat, t2 and ari are the
integer transition system: as SMT-LIB of the termination competition, for KoAT, T2,
or in the ARI format. It ends if the program does; --semantics says what arithmetic
means.

Exit codes: 0 the system was written; 2 it was not, in the time given or before an
interrupt; 3 wrong use or input; 4 a bug of assay.`,
		Example: "  assay export --to plain -o model.aig model.btor2\n  assay export --to btor2 --property no-overflow -m32 f.c\n  assay export --to koat f.c",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			var text strings.Builder
			f.task.Files = args
			err := f.complete(c.Flags())
			if err != nil {
				return err
			}
			ctx, limit := limited(timeout, 0, withoutOutput)
			switch {
			case slices.Contains([]string{"its", "koat", "t2", "ari"}, target):
				err = exportITS(ctx, &text, args[0], target, f.task.Program)
			case isProgram(args[0]):
				err = exportProgram(ctx, &text, f.task, target)
			default:
				err = exportModel(ctx, &text, args[0], target)
			}
			overrun := ctx.Err() != nil
			limit.finish()
			if err != nil && overrun {
				return exit(withoutOutput(limit.why(ctx)))
			}
			if err != nil {
				return err
			}
			if output == "" {
				_, err = os.Stdout.WriteString(text.String())
			} else {
				err = os.WriteFile(output, []byte(text.String()), 0o666)
			}
			if err != nil {
				return &assay.EnvironmentError{Doing: "writing the model", Err: err}
			}
			return nil
		},
	}
	c.Flags().Var(choiceValue{&target, targets}, "to", "the format")
	c.Flags().StringVarP(&output, "output", "o", "", "write to this `file` and not to the standard output")
	c.Flags().Var(durationValue{&timeout}, "timeout", "stop after this time, for example 10s or 2m")
	c.Flags().Var(&propertyValue{list: &f.property}, "property", "of a program: what must hold, as in assay check")
	c.Flags().Var(choiceValue{&f.blocks, blockSizes}, "blocks", "of a program: what a step is, all between two loop heads or a block")
	groups{f.groups().titled(programTitle)}.add(c)
	return c
}

// isProgram says whether a file's name is that of a program.
func isProgram(name string) bool {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".c", ".i", ".ll", ".bc":
		return true
	}
	return false
}

// exportProgram writes the transition system of a program.
func exportProgram(ctx context.Context, w io.Writer, t assay.Task, target string) error {
	inexact, err := assay.Export(ctx, t, w, target)
	for _, r := range inexact {
		fmt.Fprintf(errorOutput(), "%v: not exact: %s\n", r.Pos, r.Text)
	}
	return err
}

// exportModel writes a transition system over bit-vectors.
func exportModel(ctx context.Context, w io.Writer, name, target string) error {
	m, err := loadModel(name)
	if err != nil {
		return err
	}
	if err := m.Export(ctx, w, target); err != nil {
		return &assay.InputError{Message: fmt.Sprintf("%s: %v", name, err)}
	}
	return nil
}

// exportITS writes an integer transition system, made from a program if the file is
// one.
func exportITS(ctx context.Context, w io.Writer, name, target string, program assay.Program) error {
	if target == "its" {
		target = "smt2"
	}
	var text string
	var err error
	if isITS(name) {
		var s *its.System
		if s, err = readITS(name); err == nil {
			text = map[string]func(*its.System) string{"koat": its.WriteKoAT, "t2": its.WriteT2, "smt2": its.WriteSMT, "ari": its.WriteARI}[target](s)
		}
	} else {
		s, none, err := assay.IntegerSystem(ctx, assay.Task{Files: []string{name}, Program: program}, "")
		if err != nil {
			return err
		}
		if none != nil {
			return &assay.InputError{Pos: none.Pos, Message: none.Text}
		}
		text, _ = its.Write(s.System, target)
	}
	if err != nil {
		return err
	}
	_, err = io.WriteString(w, text)
	return err
}

// simulateCommand is `assay simulate`: it checks a witness.
func simulateCommand() *cobra.Command {
	var plain bool
	c := &cobra.Command{
		Use:   "simulate [flags] model witness",
		Short: "Check a witness of a transition system by simulation",
		Long: `Read a transition system and a witness in its format (of BTOR2, AIGER, or the solution
of a DimSpec formula), and simulate it. Exit code 0: it violates a property.`,
		Args: cobra.ExactArgs(2),
		RunE: func(c *cobra.Command, args []string) error {
			m, err := loadModel(args[0])
			if err != nil {
				return err
			}
			text, err := os.ReadFile(args[1])
			if err != nil {
				return &assay.InputError{Message: err.Error()}
			}
			if plain {
				_, err = m.PlainTrace(text)
			} else {
				_, err = m.CheckWitness(text)
			}
			if err != nil {
				return &assay.InputError{Message: fmt.Sprintf("%s: %v", args[1], err)}
			}
			fmt.Fprintln(os.Stdout, "the witness violates a property")
			return nil
		},
	}
	c.Flags().BoolVar(&plain, "plain", false, "the witness is for the model as `assay export --to plain` writes it")
	return c
}
