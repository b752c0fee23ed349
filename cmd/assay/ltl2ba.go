package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"assay"
	"assay/internal/certify/accept"
	"assay/internal/run/process"
	"assay/internal/temporal/buchi"
	"assay/internal/temporal/buchi/hoa"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/translation"
)

// ltl2baFlags are the flags of `assay ltl2ba`.
type ltl2baFlags struct {
	negate, dot, check, verbose bool
	output                      string
	timeout                     time.Duration
}

// automatonFormats are the suffixes of -o. Graphviz makes the last three.
var automatonFormats = []string{"hoa", "dot", "svg", "png", "pdf"}

// ltl2baCommand is `assay ltl2ba`.
func ltl2baCommand() *cobra.Command {
	f := &ltl2baFlags{}
	c := &cobra.Command{
		Use:   "ltl2ba [flags] formula",
		Short: "Translate linear temporal logic to a Büchi automaton",
		Long: `Translate a formula of linear temporal logic to a Büchi automaton, which accepts
the rows of observations that the formula is true of. It is written in the Hanoi
Omega-Automata format, or drawn.

Operators, from those that bind least: <==> (or <->), ==> (or ->, to the right), ||,
^^ (exclusive or), &&, the until family U W R (weak until also WU, release also V),
and before operands ! X F G (or <> for F, [] for G; rows like GF). Atoms are C
expressions, AP(x > 0), "x > 0", {x > 0}, or bare; at(label), called(f) and
returned(f). A bare expression ends before an operator of formulas. The formula may
also be a property file (.prp) with one CHECK line, or a C file with one comment
//@ ltl invariant positive: <formula>;

Exit codes: 0 the automaton was written; 2 the formula is too large, or time ran out;
3 wrong use or input; 4 a bug of assay.`,
		Example: "  assay ltl2ba 'G (x > 0 ==> F y == 0)'\n  assay ltl2ba --negate --check -v '[]<>a && []<>b'\n  assay ltl2ba -o until.svg 'a U (b U c)'",
		Args:    cobra.ExactArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
			defer stop()
			if f.timeout > 0 {
				var cancel context.CancelFunc
				ctx, cancel = context.WithTimeout(ctx, f.timeout)
				defer cancel()
			}
			return f.run(ctx, c.OutOrStdout(), args[0])
		},
	}
	flags := c.Flags()
	flags.BoolVar(&f.negate, "negate", false, "translate the negation of the formula: the rows that violate it")
	flags.BoolVar(&f.dot, "dot", false, "write DOT, for Graphviz, instead of HOA")
	flags.StringVarP(&f.output, "output", "o", "", "write to this `file`: .hoa, .dot, .svg, .png or .pdf")
	flags.BoolVar(&f.check, "check", false, "prove with a second construction that the automaton is right")
	flags.BoolVarP(&f.verbose, "verbose", "v", false, "print sizes, and what kind of formula it is, on the standard error")
	flags.Var(durationValue{&f.timeout}, "timeout", "stop after this time, for example 10s or 2m")
	flags.SortFlags = false
	return c
}

// run translates a formula.
func (f *ltl2baFlags) run(ctx context.Context, stdout io.Writer, argument string) error {
	format := "hoa"
	if f.dot {
		format = "dot"
	}
	if f.output != "" {
		suffix := strings.TrimPrefix(filepath.Ext(f.output), ".")
		if !slices.Contains(automatonFormats, suffix) {
			return &assay.InputError{Message: fmt.Sprintf("the output %q has none of the suffixes .%s", f.output, strings.Join(automatonFormats, ", ."))}
		}
		if f.dot && suffix != "dot" {
			return &usageError{text: fmt.Sprintf("--dot contradicts --output %s", f.output)}
		}
		format = suffix
	}
	formula, err := readFormula(argument)
	if err != nil {
		return err
	}
	if f.negate {
		formula = ltl.Not(formula)
	}
	a, stats, err := translation.Translate(ctx, formula)
	if err != nil {
		return noAutomaton(err)
	}
	if f.verbose {
		if err := f.statistics(ctx, formula, a, stats); err != nil {
			return noAutomaton(err)
		}
	}
	if f.check {
		if err := accept.Automaton(ctx, a, formula, stats.Formula); err != nil {
			return noAutomaton(err)
		}
		fmt.Fprintln(errorOutput(), "checked: accepts all that the formula is true of (simulation of a tableau), and nothing else (product with the tableau of the negation)")
	}
	var out bytes.Buffer
	if format == "hoa" {
		err = hoa.Write(&out, &hoa.Automaton{Automaton: a, Name: formula.String()})
	} else {
		err = a.WriteDOT(&out, formula.String())
	}
	if err != nil {
		return err
	}
	text := out.Bytes()
	if format != "hoa" && format != "dot" {
		if text, err = layOut(ctx, text, format); err != nil {
			return err
		}
	}
	if f.output == "" {
		_, err := stdout.Write(text)
		return err
	}
	if err := os.WriteFile(f.output, text, 0o666); err != nil {
		return &assay.EnvironmentError{Doing: "writing the automaton", Err: err}
	}
	fmt.Fprintf(errorOutput(), "%s: %s, %s\n", f.output, plural(stats.Final.States, "state"), plural(stats.Final.Transitions, "transition"))
	return nil
}

// plural is a number of things.
func plural(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

// noAutomaton says why there is none, which is no wrong use.
func noAutomaton(err error) error {
	if errors.Is(err, context.DeadlineExceeded) {
		err = errors.New("time ran out")
	}
	fmt.Fprintf(errorOutput(), "no automaton: %v\n", err)
	return exit(exitUnknown)
}

// readFormula reads the formula of an argument: itself, or that of a file.
func readFormula(argument string) (ltl.Formula, error) {
	var found []*ltl.Property
	var err error
	where := ""
	switch filepath.Ext(argument) {
	case ".prp", ".c", ".i":
		text, readErr := os.ReadFile(argument)
		if readErr != nil {
			return nil, &assay.InputError{Message: readErr.Error()}
		}
		if filepath.Ext(argument) == ".prp" {
			where = "lines CHECK( init(main()), LTL(…) )"
			var checks []ltl.Check
			checks, err = ltl.ParseChecks(argument, string(text))
			for _, c := range checks {
				found = append(found, c.Property)
			}
		} else {
			where = "comments //@ ltl invariant positive: <formula>;"
			found, err = ltl.ParseComments(argument, string(text))
		}
	default:
		var p *ltl.Property
		p, err = ltl.Parse(ltl.Source{Text: argument})
		found = []*ltl.Property{p}
	}
	if err != nil {
		return nil, &assay.InputError{Message: err.Error(), Verbatim: true}
	}
	if len(found) != 1 {
		return nil, &assay.InputError{Message: fmt.Sprintf("%s has %d %s, not one", argument, len(found), where)}
	}
	return found[0].Formula, nil
}

// statistics prints what the translation did.
func (f *ltl2baFlags) statistics(ctx context.Context, formula ltl.Formula, a *buchi.Automaton, s *translation.Stats) error {
	class, err := translation.Classify(ctx, formula)
	if err != nil {
		return err
	}
	kind := a.Kind().String()
	if a.Deterministic() {
		kind += ", deterministic"
	}
	fmt.Fprintf(errorOutput(), `formula:      %v
simplified:   %v
class:        %v
alternating:  %s
generalised:  %s, %s, %s
Büchi:        %s, %s
reduced:      %s, %s (%s)
`,
		formula, ltl.Readable(s.Formula), class, plural(s.Alternating, "state"),
		plural(s.Generalized.States, "state"), plural(s.Generalized.Transitions, "transition"), plural(s.Marks, "acceptance set"),
		plural(s.Buchi.States, "state"), plural(s.Buchi.Transitions, "transition"),
		plural(s.Final.States, "state"), plural(s.Final.Transitions, "transition"), kind)
	return nil
}

// layOut has a graph laid out by Graphviz.
func layOut(ctx context.Context, dot []byte, format string) ([]byte, error) {
	const doing = "laying out the picture"
	var out, diagnostics bytes.Buffer
	cmd := exec.Command("dot", "-T"+format)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(dot), &out, &diagnostics
	done, err := process.Run(ctx, cmd, process.Limits{})
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return nil, &assay.EnvironmentError{Doing: doing, Err: errors.New("the program dot is not installed"), Hint: "install graphviz (make deps), or write .dot"}
	case err != nil:
		return nil, &assay.EnvironmentError{Doing: doing, Err: err}
	case done.Cancelled:
		return nil, &assay.EnvironmentError{Doing: doing, Err: context.Cause(ctx), Hint: "allow more time"}
	case done.ExitCode != 0:
		return nil, &assay.EnvironmentError{Doing: doing, Err: fmt.Errorf("dot ended with status %d: %s", done.ExitCode, diagnostics.String())}
	}
	return out.Bytes(), nil
}
