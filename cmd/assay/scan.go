package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"assay"
	"assay/internal/tools/sarif"
	"assay/internal/tools/scan"
)

// scanFlags are the flags of `assay scan`.
type scanFlags struct {
	options    scan.Options
	show       scan.TextOptions
	property   string
	dataModel  string
	config     string
	cache      string
	noCache    bool
	noConfig   bool
	json       bool
	unmodelled string
	noTraces   bool
	reports    reports
}

func (f *scanFlags) groups() groups {
	o := &f.options
	question := pflag.NewFlagSet("", pflag.ContinueOnError)
	names := make([]string, len(scan.Default))
	for i, p := range scan.Default {
		names[i] = string(p)
	}
	f.property = strings.Join(names, ",")
	question.Var(&propertyValue{list: &f.property}, "property", "what is asked of each function, separated by commas; may be repeated")
	question.StringVar(&o.Since, "since", "", "look only at functions that have changed since this `revision` of git")
	question.StringArrayVar(&o.Functions, "function", nil, "look only at functions whose name matches this `pattern`; may be repeated, as the next two")
	question.StringArrayVar(&o.Exclude, "exclude", nil, "leave out files that match this `pattern`, such as tests/** or *_test.c")
	question.StringArrayVar(&o.ExcludeFunctions, "exclude-function", nil, "leave out functions whose name matches this `pattern`")
	question.StringVar(&f.config, "config", "", "read this `file` (default: assay.toml in the folder, or above it up to the one with .git)")
	question.BoolVar(&f.noConfig, "no-config", false, "read no assay.toml")

	p := &o.Program
	program := pflag.NewFlagSet("", pflag.ContinueOnError)
	f.dataModel, f.unmodelled = string(assay.LP64), assay.UnmodelledHavoc
	program.StringVarP(&p.CompileCommands, "compile-commands", "p", "", "take the files and their flags from this `compile_commands.json`, or that of this folder (default: one in the folder, or in its build folder)")
	program.StringArrayVarP(&p.Include, "include", "I", nil, "add a `folder` to the search path of headers")
	program.StringArrayVarP(&p.Define, "define", "D", nil, "define a `macro`")
	program.StringArrayVarP(&p.Undefine, "undefine", "U", nil, "undefine a `macro`")
	program.StringVar(&p.Std, "std", "", "the `standard` of C")
	program.StringArrayVar(&p.Arguments, "clang-arg", nil, "pass an `argument` on to clang")
	program.Var(choiceValue{&f.dataModel, []string{string(assay.ILP32), string(assay.LP64)}}, "data-model", "sizes of the C types (also -m32, -m64)")
	program.StringArrayVar(&o.Stubs, "stubs", nil, "take bodies of functions that the project does not define from this C `file`; may be repeated")
	program.BoolVar(&p.MallocMayFail, "malloc-may-fail", false, "let allocations return null")
	program.BoolVar(&p.HavocGlobals, "havoc-globals", false, "start with arbitrary content of the globals")
	program.Var(choiceValue{&f.unmodelled, assay.Unmodelled}, "unmodelled", "functions with neither body nor model leave anything in what they can reach, or change nothing")

	limits := pflag.NewFlagSet("", pflag.ContinueOnError)
	o.Timeout, o.FunctionTimeout, o.Effort, o.Memory = scan.DefaultTimeout, scan.DefaultFunctionTimeout, scan.DefaultEffort, scan.DefaultMemory
	limits.Var(durationValue{&o.Timeout}, "timeout", "stop after this time")
	limits.Var(durationValue{&o.FunctionTimeout}, "function-timeout", "the most processor time for each question about a function; less where there are many functions")
	limits.Var(durationValue{&o.Effort}, "effort", "the most processor time for 1,000 lines; 0 is no limit")
	limits.Var(sizeValue{&o.Memory}, "memory", "the most memory for each process")
	limits.IntVarP(&o.Jobs, "jobs", "j", 0, "how many functions are looked at side by side, 0 is one for each processor")
	limits.BoolVar(&o.Continue, "continue", false, "go on with functions that an earlier scan with the same limits has left open")
	limits.StringVar(&f.cache, "cache", "", "the `folder` of the cache (default: assay/scan in the user's folder of caches)")
	limits.BoolVar(&f.noCache, "no-cache", false, "neither read nor write the cache")

	output := pflag.NewFlagSet("", pflag.ContinueOnError)
	output.BoolVar(&f.json, "json", false, "print one JSON object instead of text")
	f.reports.findingFlags(output)
	output.BoolVar(&o.Summary, "summary", false, "print a table of functions and properties, with the engines that proved them, and no findings: each function is asked once")
	output.BoolVar(&f.noTraces, "no-trace", false, "print no runs")
	output.BoolVar(&f.show.ShowLow, "show-low", false, "print findings that need a precondition, too, not their number only")
	output.BoolVar(&f.show.ShowSuppressed, "show-suppressed", false, "print suppressed findings, too")
	output.BoolVarP(&f.show.Verbose, "verbose", "v", false, "print which functions are open, and why")
	return groups{{questionTitle, question}, {programTitle, program}, {limitsTitle, limits}, {outputTitle, output}}
}

const scanExitHelp = `Exit codes:
  0  nothing was found (apart from what needs a precondition, or is suppressed)
  1  there are findings
  2  nothing was found, but not everything was looked at: the time was up, a file does not compile,
     a comment or function is in trouble (the output says which)
  3  wrong use
  4  a bug of assay
`

// scanCommand is `assay scan`.
func scanCommand() *cobra.Command {
	f := &scanFlags{}
	c := &cobra.Command{
		Use:   "scan [flags] [folder, file or compile_commands.json]…",
		Short: "Look at every function of a project",
		Long: `Look at every function of a project, on its own, under the properties that cost little.

Each function is called as a person would call it to test it: pointers are valid and point to as many
elements as a parameter says that is named or used like a length, char pointers are strings, structures are filled in.
What was assumed is printed with each finding, and a proof holds under it only. Findings are ranked: those that only
unusual arguments make (a number near the limits of its type, too little room behind a pointer) are
labelled "needs a precondition" and come last.

What was found out is kept in a cache, by the content of all that it depends on. The file assay.toml holds defaults,
exclusions, stubs and suppressions; in the source, a comment "// assay: ignore(valid-deref) reason" at the line, above it, or
above the function takes findings for known.`,
		Example: `  assay scan
  assay scan --since main src
  assay scan -p build --exclude 'tests/**' --timeout 2m
  assay scan --function 'parse_*' --property valid-deref --json lib > findings.json`,
		RunE: func(c *cobra.Command, paths []string) error {
			f.options.Paths = paths
			err := f.run(c.Flags())
			var done exit
			if err == nil || errors.As(err, &done) {
				return err
			}
			directory, _ := os.Getwd()
			return exit(f.reports.failed(err, sarif.Options{Arguments: os.Args[1:], Directory: directory, Begin: f.reports.begin, End: time.Now()}))
		},
	}
	f.groups().describe(c, scanExitHelp)
	_ = c.MarkFlagFilename("config", "toml")
	return c
}

// run scans and prints.
func (f *scanFlags) run(flags *pflag.FlagSet) error {
	o := &f.options
	o.Program.DataModel, o.Program.Unmodelled = assay.DataModel(f.dataModel), f.unmodelled
	list, err := assay.ParseProperties(f.property)
	if err != nil {
		return err
	}
	o.Properties = list
	if err := f.configure(flags); err != nil {
		return err
	}
	switch {
	case f.noCache:
	case f.cache != "":
		o.Cache = f.cache
	default:
		if o.Cache, err = scan.CacheFolder(); err != nil {
			return err
		}
	}
	if err := f.reports.start(); err != nil {
		return err
	}
	clear := func() {}
	if stderr := errorOutput(); term.IsTerminal(int(stderr.Fd())) && !f.json {
		o.Progress, clear = scanProgress(stderr)
	}
	ctx, limit := limited(0, 0, func(why string) int {
		fmt.Fprintf(errorOutput(), "\nassay: %s\n", why)
		return exitUnknown
	})
	report, err := scan.Run(ctx, *o)
	limit.finish()
	clear()
	if err != nil {
		return err
	}
	if err := f.reports.writeScanReports(report); err != nil {
		return err
	}
	f.show.Traces, f.show.Summary = !f.noTraces, o.Summary
	if f.json {
		e := json.NewEncoder(os.Stdout)
		e.SetIndent("", "  ")
		err = e.Encode(report)
	} else {
		err = report.WriteText(os.Stdout, f.show)
	}
	if err != nil {
		return &assay.EnvironmentError{Doing: "writing the report", Err: err}
	}
	return exit(report.Exit())
}

// configure reads assay.toml.
func (f *scanFlags) configure(flags *pflag.FlagSet) error {
	path := f.config
	if path == "" && !f.noConfig {
		folder := "."
		if len(f.options.Paths) > 0 {
			folder = f.options.Paths[0]
		}
		path = scan.FindConfig(folder)
	}
	if path == "" {
		return nil
	}
	c, err := scan.ReadConfig(path)
	if err != nil {
		return err
	}
	if m := c.Scan.Memory; m != "" && !flags.Changed("memory") {
		if err := (sizeValue{&f.options.Memory}).Set(m); err != nil {
			return &assay.InputError{Pos: assay.Position{File: path}, Message: "memory: " + err.Error()}
		}
	}
	return c.Apply(&f.options, flags.Changed)
}

// scanProgress shows a line on a terminal, at most ten times a second.
func scanProgress(w io.Writer) (update func(scan.Progress), clear func()) {
	var last time.Time
	shown := false
	return func(p scan.Progress) {
			if now := time.Now(); now.Sub(last) >= 100*time.Millisecond {
				last, shown = now, true
				fmt.Fprintf(w, "\r\033[K%s %d of %d: %d findings, %.0f s (%s)", p.Phase, p.Done, p.All, p.Findings, p.Elapsed.Seconds(), p.Function)
			}
		}, func() {
			if shown {
				fmt.Fprint(w, "\r\033[K")
			}
		}
}
