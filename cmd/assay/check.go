package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/term"

	"assay"
	"assay/internal/tools/report"
)

// checkFlags are the flags of `assay check`.
type checkFlags struct {
	task         assay.Task
	property     string
	spec         string
	ltl          string
	ctl, tree    string
	entry        string
	binary       string
	assumed      string
	havocStart   bool
	dataModel    string
	certify      string
	replay       string
	blocks       string
	memory       uint64
	semantics    string
	unmodelled   string
	precondition string
	harness      string
	log          string
	dump         map[assay.View]string
	show         report.Options
	reports      reports
	proof        string

	incrementalBMC bool
	domains        map[string]*bool
}

// domainHelp explains the domains.
var domainHelp = map[string]string{
	"intervals":  "invariants: bounds of variables; as the others, alone one induction with k = 1",
	"zones":      "invariants: bounds of variables and of differences",
	"octagons":   "invariants: bounds of variables, differences and sums of two",
	"equalities": "invariants: linear equations, disequalities, congruences",
	"polyhedra":  "invariants: bounds of sums, those of --rows or of the program's comparisons",
}

// domain is the flag of a domain.
func (f *checkFlags) domain(name string) *bool {
	if f.domains == nil {
		f.domains = map[string]*bool{}
	}
	if f.domains[name] == nil {
		f.domains[name] = new(bool)
	}
	return f.domains[name]
}

// blockSizes are the values of --blocks.
var blockSizes = []string{"large", "small"}

// groups declares the flags.
func (f *checkFlags) groups() groups {
	question := pflag.NewFlagSet("", pflag.ContinueOnError)
	question.Var(&propertyValue{list: &f.property}, "property", "what must hold: `names` from the list above, separated by commas; may be repeated")
	question.StringVar(&f.spec, "spec", "", "read the property from a `file.prp` of the competition on software verification")
	question.StringVar(&f.ltl, "ltl", "", "what must be true of every run: a `formula` of linear temporal logic, see assay ltl2ba --help")
	question.StringVar(&f.ctl, "ctl", "", "what must be true of the program: a `formula` of computation tree logic, with --semantics wrap or integers")
	question.StringVar(&f.tree, "tree", "", "with --ctl: draw the parts of the formula, and in which states each was proved, in this `file`: .svg, .png, .pdf or .dot")
	question.StringVar(&f.binary, "binary", "", "ask the same of this `file`, an x86-64 binary that was made of the C files, and explain a difference")
	question.StringVar(&f.assumed, "assume", "", "assume a C `condition` of the first state, over globals and locals (main::x); with --ctl over names alone")
	question.BoolVar(&f.havocStart, "havoc-uninitialised", false, "start with arbitrary content of the globals without initialiser that are not static")
	question.StringVar(&f.task.Label, "label", "", "the `label` that unreach-label is about, ERROR if none is given; of a binary also a symbol or an address 0x…")
	question.BoolVar(&f.task.Engine.EachCheck, "all", false, "decide every check on its own and print a table")

	p := &f.task.Program
	f.dataModel, f.semantics, f.unmodelled = string(assay.LP64), string(assay.SemanticsC), assay.UnmodelledHavoc
	p.Pointers = map[string]assay.Pointer{}
	program := pflag.NewFlagSet("", pflag.ContinueOnError)
	program.StringVar(&p.Function, "function", "", "start in this `function` with arbitrary arguments instead of main")
	program.StringVar(&f.entry, "entry", "", "start in the function of a binary at this `address`, 0x…, with arbitrary arguments; for files without symbols")
	program.Var(pointerValue{p.Pointers, arrayPointer}, "array", "with --function f: its pointer parameter p points to N elements, or as many as its parameter N says; may be repeated, as the next two")
	program.Var(pointerValue{p.Pointers, stringPointer}, "string", "with --function f: p is a string of any length")
	program.Var(pointerValue{p.Pointers, aliasPointer}, "alias", "with --function f: p points to an element of its own, or is equal to the parameter q")
	program.Var(nonNullValue{&p.NonNull}, "nonnull", "with --function f: its pointer parameters are not null; of one parameter with f:p, may be repeated")
	program.Lookup("nonnull").NoOptDefVal = assay.AllPointers
	program.Var(nonNullValue{&p.Nullable}, "nullable", "with --array, --string, --harness auto: of one parameter with f:p, or all: it may be null, even where the function never compares it with null")
	f.harness = harnessChoices[0]
	program.Var(choiceValue{&f.harness, harnessChoices}, "harness", "with --function: what its arguments are; plain: a pointer is null or points to one element; auto: as a person would call it, as names, types and uses suggest (printed as assumptions); also implied by --nonnull without a parameter")
	program.BoolVar(&p.HavocGlobals, "havoc-globals", false, "start with arbitrary content of the globals")
	program.StringArrayVar(&p.Replace, "replace", nil, "`f=g`: what calls f calls g instead; may be repeated")
	program.StringArrayVar(&p.Remove, "remove", nil, "take the body of this `function` away, FILE:f only that in a file, if it has one: it is a library function then, or an unknown one; may be repeated")
	program.BoolVar(&p.UseContracts, "use-contracts", false, "functions with contracts (__CPROVER_requires, __CPROVER_ensures, __CPROVER_assigns) are replaced by these where they are called, and proved to keep them")
	program.BoolVar(&p.MallocMayFail, "malloc-may-fail", false, "let allocations return null")
	program.Var(choiceValue{&f.unmodelled, assay.Unmodelled}, "unmodelled", "functions with neither body nor model leave anything in what they can reach, or change nothing, which is the default with --spec")
	program.BoolVar(&p.CheckAlignment, "check-alignment", false, "let valid-deref ask for aligned accesses, too")
	program.Var(choiceValue{&f.semantics, assay.AllSemantics}, "semantics", "for termination: as C says, arithmetic wraps, signed overflow ends the run, or integers are mathematical")
	program.StringVar(&p.Models, "models", "", "add the models of library functions in the C files of this `folder`; see assay models")
	program.Var(choiceValue{&f.dataModel, []string{"ilp32", "lp64"}}, "data-model", "sizes of the C types; -m32 and -m64 are understood, too")
	program.StringArrayVarP(&p.Include, "include", "I", nil, "add a `folder` for headers")
	program.StringArrayVarP(&p.Define, "define", "D", nil, "define a `macro`, NAME or NAME=VALUE")
	program.StringArrayVarP(&p.Undefine, "undefine", "U", nil, "undefine a `macro`")
	program.StringVar(&p.Std, "std", "", "C `standard`, for example c99; -std=c99 is understood, too")
	program.StringVar(&f.proof, "cbmc-project", "", "check the proof in this `folder`: its Makefile, of CBMC's starter kit, names the harness, the files, macros, and checks")
	program.StringVarP(&p.CompileCommands, "compile-commands", "p", "", "take flags from compile_commands.json in this `folder`")
	program.StringArrayVar(&p.Arguments, "clang-arg", nil, "pass this `argument` on to clang")

	e := &f.task.Engine
	e.Only, e.Solver, f.certify, f.replay = assay.EngineAuto, assay.Solvers[0], "on", "interpreter"
	search := pflag.NewFlagSet("", pflag.ContinueOnError)
	search.Var(engineValue{choiceValue{&e.Only, assay.Engines}}, "engine", "the engine that runs alone; auto runs all that the question calls for, side by side")
	f.blocks = blockSizes[0]
	search.Var(choiceValue{&f.blocks, blockSizes}, "blocks", "with --engine ic3, incremental or spacer: a step is all between two loop heads, or a block")
	search.BoolVar(&f.incrementalBMC, "incremental-bmc", false, "bounded search alone, as --engine=bmc")
	search.BoolVar(&e.KInduction, "k-induction", false, "k-induction and bounded search, with the domains that are given")
	search.BoolVar(&e.Havoc, "havoc", false, "no invariants: the states at loops are arbitrary")
	search.BoolVar(&e.Heap, "heap", false, "prove with the shapes of lists and trees alone, beside bounded search")
	search.BoolVar(&e.ValuesRefine, "values-refine", false, "where a proof fails, say more of values: with --heap, bounds of the fields of nodes, then relations; else one domain after the other")
	for _, d := range assay.Domains {
		search.BoolVar(f.domain(d), d, false, domainHelp[d])
	}
	f.precondition = preconditionChoices[0]
	search.Var(choiceValue{&f.precondition, preconditionChoices}, "precondition", "for termination: look for conditions on the inputs under which every run ends, if not all do or it is not known; auto is on with --function")
	search.StringArrayVar(&e.Rows, "rows", nil, "look for bounds of this `sum` of variables at loops, for example 'x - 2*y'; with --polyhedra")
	search.BoolVar(&e.ShowInvariants, "show-invariants", false, "print the invariants found at each loop")
	search.IntVar(&e.Unwind, "unwind", 0, "unwind each loop at most `N` times, 0 is no limit")
	search.Var(choiceValue{&e.Solver, assay.Solvers}, "solver", "which solver unwinding searches with (the other engines have CaDiCaL, spacer has Z3); a certificate is checked by the one that did not find it")
	search.Var(choiceValue{&f.certify, []string{"on", "strict", "off"}}, "certify", "whether a true is checked by an independent encoder and solver; strict: without the simplifier of terms that it shares with the engine, and predicates are also evaluated on runs (slower)")
	search.Var(choiceValue{&f.replay, []string{"interpreter", "native"}}, "replay", "native also runs the compiled program, or the binary itself in a sandbox, with the inputs of a false; of binaries that is done unasked where a false needs it, unless --replay=interpreter is given")

	limits := pflag.NewFlagSet("", pflag.ContinueOnError)
	limits.Var(durationValue{&f.task.Timeout}, "timeout", "stop after this time, for example 10s or 2m")
	limits.BoolVar(&e.Deterministic, "deterministic", false, "do the same in every run: engines one after the other, --timeout in seconds of work that is counted")
	limits.Var(sizeValue{&f.memory}, "memory", "stop before more memory is used, for example 2GiB")

	output := pflag.NewFlagSet("", pflag.ContinueOnError)
	output.BoolVar(&f.show.JSON, "json", false, "print one JSON object instead of text")
	output.BoolVar(&f.show.FullTrace, "trace", false, "print every step of the trace, long loops included")
	output.BoolVarP(&f.show.Quiet, "quiet", "q", false, "print the last line only")
	output.BoolVarP(&f.show.Verbose, "verbose", "v", false, "print sizes, work and times, too")
	f.dump = map[assay.View]string{}
	output.Var(dumpValue{f.dump}, "dump", "write a view of the program to a file: ir, ssa (formula, SMT-LIB), graph (DOT), system (BTOR2), or facts (of loops); may be repeated")
	f.reports.flags(output)
	output.StringVar(&f.log, "log", "", "write what each engine does to this `file`, a line of JSON for each event")

	return groups{
		{questionTitle, question}, {programTitle, program}, {searchTitle, search}, {limitsTitle, limits}, {outputTitle, output},
	}
}

// exitHelp explains the end of a run.
const exitHelp = `The last line of the output (exit code):
  RESULT: true                no run violates the property; a certificate was checked (0)
  RESULT: true (uncertified)  the same with --certify=off (0)
  RESULT: false(<property>)   a run that violates it was found and replayed (1)
  RESULT: unknown             neither, and the output says why (2)
  RESULT: differ(source: true, binary: false(<property>))
                              with --binary: the answers differ, and the output says where (1)
Without a result: wrong use or input (3), a bug of assay (4); ended by a signal: a
library or the run-time gave up, for example without memory (see --memory).
`

// checkCommand is `assay check`; args is the whole command line, for the child
// that runs under --memory.
func checkCommand(args []string) *cobra.Command {
	f := &checkFlags{}
	c := &cobra.Command{
		Use:   "check [flags] file…",
		Short: "Decide whether a property holds on every run of a program",
		Long: `Decide whether a property holds on every run of a program.

The files are C (.c), preprocessed C (.i), LLVM assembly (.ll) or LLVM bitcode
(.bc); several are linked together. An x86-64 ELF file (a.out, f.o) is a program alone;
of it unreach-call, unreach-label, valid-deref, valid-free, valid-memcleanup, termination, ltl, ctl and
bounds can be asked (see assay lift --help).

Properties:
` + assay.PropertyHelp() + `  bound<=E, =O(n^k)  no run costs more than an expression of the inputs, or a class; see assay bound --help for
                     costs, which stand as in bound(allocated)<=100*n+20 (asked alone)
` + "\nEngines, for --engine:\n" + assay.EngineHelp(),
		Example: `  assay check f.c
  assay check --property no-overflow,div-by-zero -m32 f.c
  assay check --property valid-memsafety --timeout 1m --memory 4GiB list.c main.c
  assay check --function sum --array sum:values=8 --nonnull --property valid-deref sum.c
  assay check --spec unreach-call.prp --json f.c
  assay check --property termination f.c --binary a.out`,
		RunE: func(c *cobra.Command, files []string) error {
			f.task.Files = files
			if err := f.readProof(c.Flags()); err != nil {
				return err
			}
			if f.binary != "" && asksBound(f.property) {
				return f.checkBoth() // says that it is not compared
			}
			if asksBound(f.property) {
				if err := f.reports.alone("bounds"); err != nil {
					return err
				}
				return f.checkBound(c.Flags(), files)
			}
			if err := f.specifiedCTL(c.Flags()); err != nil {
				return err
			}
			if err := f.complete(c.Flags()); err != nil {
				return err
			}
			if f.ctl == "" && f.tree != "" {
				return &assay.InputError{Message: "--tree draws what is proved of a formula of computation tree logic: it needs --ctl"}
			}
			if f.ctl != "" && f.binary == "" {
				if err := f.reports.alone("computation tree logic"); err != nil {
					return err
				}
				return f.checkCTL()
			}
			if f.memory > 0 && !isChild() {
				ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
				defer stop()
				return superviseChild(ctx, f, args)
			}
			if f.binary != "" {
				if err := f.reports.alone("comparisons"); err != nil {
					return err
				}
				return f.checkBoth()
			}
			return f.check()
		},
	}
	f.groups().describe(c, exitHelp)
	_ = c.MarkFlagFilename("spec", "prp")
	return c
}

// harnessChoices are the values of --harness.
var harnessChoices = []string{"plain", "auto"}

// preconditionChoices are the values of --precondition.
var preconditionChoices = []string{"auto", "on", "off"}

// propertyNames are the names for shell completion.
func propertyNames() []string {
	var names []string
	for line := range strings.Lines(assay.PropertyHelp()) {
		if fields := strings.Fields(line); len(fields) > 0 {
			names = append(names, fields[0])
		}
	}
	return names
}

// complete turns the flags into the task.
func (f *checkFlags) complete(flags *pflag.FlagSet) error {
	if err := f.read(flags); err != nil {
		return err
	}
	return checkBinary(&f.task, f.entry)
}

func (f *checkFlags) read(flags *pflag.FlagSet) error {
	t := &f.task
	t.Program.DataModel = assay.DataModel(f.dataModel)
	t.Program.Semantics = assay.Semantics(f.semantics)
	t.Program.Unmodelled = f.unmodelled
	t.Program.Assumed, t.Program.HavocUninitialised = f.assumed, f.havocStart
	if f.spec != "" && !flags.Changed("unmodelled") {
		t.Program.Unmodelled = assay.UnmodelledPure
	}
	t.Program.Harness.Infer = f.harness == "auto" || slices.Contains(t.Program.NonNull, assay.AllPointers) && !flags.Changed("harness")
	t.Engine.SmallBlocks = f.blocks == "small"
	t.Engine.Uncertified, t.Engine.Strict = f.certify == "off", f.certify == "strict"
	t.Engine.NativeReplay, t.Engine.NeverNative = f.replay == "native", flags.Changed("replay") && f.replay == "interpreter"
	t.Engine.Precondition = f.precondition == "on" || f.precondition == "auto" && t.Program.Function != ""
	if f.incrementalBMC {
		if flags.Changed("engine") && t.Engine.Only != assay.EngineBMC {
			return &assay.InputError{Message: "--incremental-bmc contradicts --engine=" + t.Engine.Only, Hint: "leave out one of them"}
		}
		t.Engine.Only = assay.EngineBMC
	}
	for _, d := range assay.Domains {
		if *f.domains[d] {
			t.Engine.Domains = append(t.Engine.Domains, d)
		}
	}
	if flags.Changed("property") {
		ps, err := assay.ParseProperties(f.property)
		if err != nil {
			return err
		}
		t.Properties = ps
	}
	if f.task.Label != "" && !slices.Contains(t.Properties, assay.UnreachLabel) {
		if len(t.Properties) > 0 {
			return &assay.InputError{Message: "--label is for the property unreach-label", Hint: "leave it out, or ask for unreach-label"}
		}
		t.Properties = []assay.Property{assay.UnreachLabel}
	}
	if flags.Changed("ltl") {
		if !slices.Contains(t.Properties, assay.LTL) {
			t.Properties = append(t.Properties, assay.LTL)
		}
		t.LTL = &assay.Formula{Text: f.ltl, File: "--ltl", Col: 1}
	}
	if f.spec == "" {
		return nil
	}
	s, err := assay.ReadPropertyFile(f.spec)
	if err != nil {
		return err
	}
	for _, p := range s.Properties {
		if !slices.Contains(t.Properties, p) {
			t.Properties = append(t.Properties, p)
		}
	}
	if t.Unsupported = s.Unsupported; t.Label == "" {
		t.Label = s.Label
	}
	t.Program.AssertEnds = s.AssertEnds
	if s.LTL != nil {
		t.LTL = s.LTL
	}
	if !flags.Changed("function") {
		t.Program.Function = s.Entry
	}
	return nil
}

// A deterministic run may take so much longer than its limit of work.
const (
	workFactor = 20
	workMore   = time.Minute
)

// wallTime is the limit of time of the process; 0 is none.
func (f *checkFlags) wallTime() time.Duration {
	if f.task.Engine.Deterministic && f.task.Timeout > 0 {
		return workFactor*f.task.Timeout + workMore
	}
	return f.task.Timeout
}

// check runs the task in this process and prints the result.
func (f *checkFlags) check() error {
	if err := f.reports.start(); err != nil {
		return err
	}
	channel, err := openChild(f.memory)
	if err != nil {
		return err
	}
	stderr := errorOutput()
	if !f.show.Quiet {
		f.task.Warnings = stderr
	}
	var progress *report.Progress
	if !f.show.Quiet && !f.show.JSON && term.IsTerminal(int(stderr.Fd())) {
		progress = report.NewProgress(stderr)
	}
	f.task.Progress = func(p assay.Progress) {
		if progress != nil {
			progress.Update(p)
		}
		channel.progress(p)
	}
	if f.log != "" {
		file, err := os.Create(f.log)
		if err != nil {
			return &assay.EnvironmentError{Doing: "writing the log", Err: err}
		}
		defer file.Close()
		f.task.Log = file
	}
	for view, name := range f.dump {
		file, err := os.Create(name)
		if err != nil {
			return &assay.EnvironmentError{Doing: "writing " + string(view), Err: err}
		}
		defer file.Close()
		if f.task.Dump == nil {
			f.task.Dump = map[assay.View]io.Writer{}
		}
		f.task.Dump[view] = file
	}
	f.task.Interim = &assay.Interim{}
	ctx, limit := limited(f.wallTime(), 0, func(why string) int {
		cause := "timeout"
		if why == "interrupted" {
			cause = why
		}
		code := explain(f.deliver(os.Stdout, f.task.Interim.Result(assay.Reason{Cause: cause, Text: why})))
		channel.done()
		return code
	})
	defer channel.tell(f.task.Interim)()
	f.reports.ask(&f.task)
	result, err := assay.Check(ctx, f.task)
	if err == nil {
		f.usual(ctx, result)
	}
	limit.finish()
	if progress != nil {
		progress.Clear()
	}
	if err != nil {
		code := f.reports.failed(err, f.sarifOptions())
		channel.done()
		return exit(code)
	}
	err = f.deliver(os.Stdout, result)
	channel.done()
	return err
}
