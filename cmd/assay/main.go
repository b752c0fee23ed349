// Command assay verifies C programs. See README.md and `assay --help`.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/run/process"
	"assay/internal/run/schedule"
	"assay/internal/tools/scan"
	"assay/internal/user/spell"
)

// The exit codes.
const (
	exitTrue     = 0 // also of commands that have no verdict
	exitFalse    = 1
	exitUnknown  = 2
	exitInput    = 3 // wrong use, wrong input, or something missing on the machine
	exitInternal = 4
)

// readBitcode is the hidden command under which this program reads foreign
// bitcode in a process of its own.
const readBitcode = "__read-bitcode"

func main() {
	if len(os.Args) > 1 && os.Args[1] == readBitcode {
		os.Exit(frontend.ChildMain(os.Args[2:]))
	}
	if len(os.Args) > 1 && os.Args[1] == scan.WorkerCommand {
		debug.SetTraceback("crash")
		os.Exit(scan.WorkerMain(os.Args[2:]))
	}
	// What cannot be recovered (a fault in a C library, the end of memory, a data race that
	// the run-time finds) ends a Go process with the code 2. This makes it SIGABRT.
	debug.SetTraceback("crash")
	process.RelaxCollector()
	os.Exit(run(os.Args[1:]))
}

// exit ends the command with a code after its output is complete.
type exit int

func (e exit) Error() string { return fmt.Sprintf("exit code %d", int(e)) }

// run executes the command line and returns the exit code.
func run(args []string) (code int) {
	defer func() {
		if p := recover(); p != nil {
			fmt.Fprintf(errorOutput(), "assay: internal error: %v\nThis is a bug of assay %s. Please report it with the command line.\n", p, assay.Version())
			code = exitInternal
		}
	}()
	root := rootCommand(args)
	root.SetArgs(compilerStyle(args))
	return explain(execute(root))
}

// rootCommand is the command with all others; args is the whole command line.
func rootCommand(args []string) *cobra.Command {
	root := &cobra.Command{
		Use:   "assay",
		Short: "Does this property hold on every run of the program?",
		Long: `assay answers a question about a C program: does this property hold on every run?
It answers true with a certificate that a second solver accepted, false with a
run that was replayed, or unknown with the reasons.`,
		Example:       "  assay check f.c\n  assay check --property no-overflow,div-by-zero f.c\n  assay check --property valid-memsafety --function parse lib.c",
		Version:       assay.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
	}
	root.SetFlagErrorFunc(func(c *cobra.Command, err error) error {
		return &usageError{text: err.Error() + meant(c, err)}
	})
	root.AddCommand(checkCommand(args), validateCommand(), scanCommand(), solveCommand(), boundCommand(), exportCommand(), rewriteCommand(), liftCommand(), graphCommand(), ltl2baCommand(), simulateCommand(), benchCommand(), modelsCommand(), headerCommand(), versionCommand())
	for _, c := range root.Commands() {
		completeChoices(c)
	}
	return root
}

// completeChoices gives shells the values of flags that have a fixed list of them.
func completeChoices(c *cobra.Command) {
	c.Flags().VisitAll(func(f *pflag.Flag) {
		var values []string
		switch v := f.Value.(type) {
		case choiceValue:
			values = v.choices
		case engineValue:
			values = v.choices
		case costValue:
			values = assay.Costs
		default:
			if f.Name != "property" {
				return
			}
			values = propertyNames()
		}
		_ = c.RegisterFlagCompletionFunc(f.Name, cobra.FixedCompletions(values, cobra.ShellCompDirectiveNoFileComp))
	})
}

// execute runs the command; a panic of it, or of an engine that it runs, is an internal error.
func execute(root *cobra.Command) (err error) {
	defer func() {
		if p := recover(); p != nil {
			f := schedule.Recovered(context.Background(), p)
			err = &assay.InternalError{Phase: "running the command", Panic: f.Error(), Stack: f.Stack, Files: os.Args[1:]}
		}
	}()
	c, err := root.ExecuteC()
	var use *usageError
	if errors.As(err, &use) {
		use.command = c.CommandPath()
	}
	return err
}

// explain prints an error and returns the exit code that belongs to it.
func explain(err error) int {
	var done exit
	var internal *assay.InternalError
	var use *usageError
	switch {
	case err == nil:
		return exitTrue
	case errors.As(err, &done):
		return int(done)
	case errors.As(err, &internal):
		fmt.Fprintf(errorOutput(), "assay: %s", internal.Report())
		return exitInternal
	case errors.As(err, &use):
		fmt.Fprintf(errorOutput(), "assay: %v\nRun '%s --help' for usage.\n", err, use.command)
		return exitInput
	}
	var compile *assay.InputError
	if errors.As(err, &compile) && compile.Verbatim {
		fmt.Fprintln(errorOutput(), err)
		return exitInput
	}
	fmt.Fprintf(errorOutput(), "assay: %v\n", err)
	return exitInput
}

// meant names the flag that an unknown one was meant to be.
func meant(c *cobra.Command, err error) string {
	name, unknown := strings.CutPrefix(err.Error(), "unknown flag: --")
	if !unknown {
		return ""
	}
	var names []string
	c.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
	if near := spell.Nearest(name, names); near != "" {
		return fmt.Sprintf("; did you mean --%s?", near)
	}
	return ""
}

// usageError is a wrong command line of a command.
type usageError struct{ command, text string }

func (e *usageError) Error() string { return e.text }

// compilerStyle accepts the long options of compilers with a single dash, and the
// value of --nonnull, which may be left out, as an argument of its own.
func compilerStyle(args []string) []string {
	out := make([]string, 0, len(args))
	for i, a := range args {
		switch {
		case i > 0 && (args[i-1] == "--nonnull" || args[i-1] == "--nullable") && isNonNull(a):
			out[len(out)-1] += "=" + a
		case a == "--":
			return append(out, args[i:]...)
		case len(a) > 5 && a[:5] == "-std=":
			out = append(out, "-"+a)
		case a == "-m32":
			out = append(out, "--data-model=ilp32")
		case a == "-m64":
			out = append(out, "--data-model=lp64")
		default:
			out = append(out, a)
		}
	}
	return out
}

func versionCommand() *cobra.Command {
	return &cobra.Command{
		Use: "version", Short: "Print the version",
		Args: cobra.NoArgs,
		Run: func(c *cobra.Command, _ []string) {
			fmt.Fprintf(c.OutOrStdout(), "assay %s %s %s/%s\n", assay.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
		},
	}
}
