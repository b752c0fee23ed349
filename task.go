package assay

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"assay/internal/conductor"
	"assay/internal/program/frontend"
	"assay/internal/program/harness"
	"assay/internal/temporal/ltl"
	"assay/internal/user/inspect"
	"assay/internal/user/property"
)

// DataModel fixes the sizes of the C types.
type DataModel string

// The data models: int, long and pointer have 4, 4, 4 or 4, 8, 8 bytes.
const (
	ILP32 DataModel = "ilp32"
	LP64  DataModel = "lp64"
)

// Task is a question about a program.
type Task struct {
	// Files are C sources (.c, .i), LLVM assembly (.ll) or bitcode (.bc), or one x86-64 ELF file,
	// linked together.
	Files []string
	// Properties must all hold. Empty means unreach-call, or all if the program has no assertion.
	Properties []Property
	// Label is the C label that UnreachLabel is about, of a binary also a symbol or an address 0x…. Empty means ERROR.
	Label string
	// LTL is the formula that the property LTL is about. Nil is the one in a comment
	// `//@ ltl invariant positive: …;` of the C files.
	LTL *Formula
	// Unsupported are formulas of a property file that no engine decides.
	Unsupported []string
	Program     Program
	Engine      Engine
	// Timeout bounds the wall-clock time of the run, 0 is no limit.
	Timeout time.Duration
	// Progress, if not nil, is called from time to time, from one goroutine at
	// a time.
	Progress func(Progress)
	// Interim, if not nil, says what is known while Check runs.
	Interim *Interim
	// Log, if not nil, receives a line of JSON for each thing that an engine does: when
	// it begins, what it tells others, what it claims, and why it gives up.
	Log io.Writer
	// Dump receives views of the program, of Views.
	Dump map[View]io.Writer
	// Witnesses receive witnesses of the answer.
	Witnesses []*WitnessOutput
	// Warnings receives clang's warnings; nil drops them.
	Warnings io.Writer
	// byDefault says that no property was given.
	byDefault bool
}

// View is a way to look at a program, for people who work on the engines.
type View = inspect.View

// Views are the keys of Task.Dump: the program as the engines get it; its formula with
// every loop unwound once, or Engine.Unwind times; its symbolic execution graph; its
// transition system; and what is known of its loops when the run ends.
var Views = inspect.Views

// Formula is the text of a formula, and where it stands, for messages: a file or flag, the
// line (0 where lines mean nothing) and column of its first byte.
type Formula = ltl.Source

// Pointer says what a pointer parameter points to: an array of so many elements, or
// of as many as another parameter says, or a string of any length; or it may be
// equal to another parameter. An array or a string is null only where the program may ask whether it is; see Program.NonNull.
type Pointer = frontend.Argument

// Harness says how the arguments of Program.Function are inferred.
type Harness = harness.Variant

// AllPointers stands for all pointer parameters in Program.NonNull.
const AllPointers = frontend.AllPointers

// Program says how the files are compiled and where runs start.
type Program struct {
	Include, Define, Undefine []string
	Std                       string    // of -std, empty for clang's default
	Arguments                 []string  // passed on to clang
	DataModel                 DataModel // empty is LP64
	CompileCommands           string    // a compile_commands.json or its folder
	// Function is where runs start, with arbitrary arguments. Empty is main, or, with Only, the only function.
	Function string
	Only     bool
	// Pointers say what pointer parameters of Function point to, by
	// "function:parameter"; others are null or point to one element.
	Pointers map[string]Pointer
	// NonNull are the pointer parameters of Function that are not null, as "function:parameter", or "all"; of
	// Nullable any may be null although nothing in the program asks whether it is (Pointers, Harness).
	NonNull, Nullable []string
	Harness           Harness
	Link              []frontend.Linked // the program, if it is compiled; Files are not read then
	// HavocGlobals starts with arbitrary content of the globals.
	HavocGlobals       bool
	HavocUninitialised bool // the same of those without initialiser that are not static
	// Assumed is a C expression that is assumed of the first state of the function where runs start, over
	// globals and its locals, as main::x; these have arbitrary content there. Empty is nothing.
	Assumed string
	// Unmodelled is what functions with neither body nor model do to memory: UnmodelledHavoc (also if empty) or UnmodelledPure.
	Unmodelled string
	// AssertEnds lets a failed assert end the run: only calls of error functions violate UnreachCall.
	AssertEnds bool
	// MallocMayFail lets allocations return null.
	MallocMayFail bool
	// Replace are pairs f=g: what calls f calls g instead. Remove are functions that lose their bodies.
	Replace, Remove []string
	FirstDefinition bool // the first body of a function that several files define counts; else that is an error
	UseContracts    bool // functions with contracts (__CPROVER_requires, …) are replaced by these where they are called
	// CheckAlignment makes valid-deref ask that accesses are aligned as their type asks.
	CheckAlignment bool
	// Semantics is what integer arithmetic means; empty is SemanticsC. Only termination
	// can be asked about under another one.
	Semantics Semantics
	// Models is a directory of C files with models of library functions, which
	// replace assay's own. Empty is none.
	Models string
}

// The values of Program.Unmodelled: what a function without body can reach is arbitrary
// after a call, or as it was, which is the rule of the competition on software verification.
const (
	UnmodelledHavoc = "havoc"
	UnmodelledPure  = "pure"
)

// Unmodelled are the values of Program.Unmodelled.
var Unmodelled = []string{UnmodelledHavoc, UnmodelledPure}

// Engine holds the options of the search.
type Engine struct {
	// Unwind limits the unwindings of each loop, 0 is no limit.
	Unwind int
	// Solver is "cadical" (the default), "z3" or "both".
	Solver string
	// Only is the engine that runs: one of Engines, "auto" for all.
	Only string
	// SmallBlocks makes transition systems whose steps are blocks [LLUMC §3], and
	// not all that lies between two loop heads: then IC3 refutes, but proves nothing.
	SmallBlocks bool
	// Uncertified leaves out the check of a true.
	Uncertified bool
	// Strict has it checked without the simplifier of terms, which engine and checker
	// share, and its predicates evaluated on runs.
	Strict bool
	// EachCheck decides every check on its own.
	EachCheck bool
	// Parts finds out which of the properties hold where not all are decided: Result.Excluded.
	Parts bool
	// Domains are the template domains from which induction takes invariants: of
	// Domains. None is all. Havoc is the other extreme: no invariants.
	Domains []string
	Havoc   bool
	// KInduction lets a choice of domains go with k > 1 and with bounded search;
	// without it they stand for one induction with k = 1.
	KInduction bool
	// Heap proves with the shapes of structures on the heap: by a symbolic execution graph
	// that says nothing of integers in the nodes of lists and trees. ValuesRefine says
	// more of values where a proof fails; without Heap, by induction with one domain after the
	// other. Bounded search runs beside both.
	Heap, ValuesRefine bool
	// Rows are sums of variables, such as "x - 2*y", whose bounds are searched.
	Rows []string
	// ShowInvariants puts the invariants that were found into the result.
	ShowInvariants bool
	// Precondition looks for conditions on the inputs under which every run ends, if
	// not all do or it is not known: it may take a third of the time limit.
	Precondition bool
	// Deterministic makes two runs do the same: one engine at a time, and limits of time are of work, about as long.
	Deterministic bool
	// NativeReplay also confirms a false by running the compiled program.
	NativeReplay bool
	// NeverNative never runs the program: of a binary, a false that needs it is unknown.
	NeverNative bool
}

// Solvers are the values of Engine.Solver.
var Solvers = []string{"cadical", "z3", "both"}

// Values of Engine.Only: all engines side by side, and some of them.
const (
	EngineAuto         = "auto"
	EngineBMC          = "bmc"
	EngineInduction    = "induction"
	EngineIC3          = "ic3"
	EngineSpacer       = "spacer"
	EngineSymex        = "symex"
	EngineAcceleration = "acceleration"
	EngineIntegers     = "integers"
)

// Engines are the values of Engine.Only.
var Engines = append([]string{EngineAuto}, conductor.Names()...)

// EngineHelp describes every engine, a line each.
func EngineHelp() string { return conductor.Help() }

// Domains are the values of Engine.Domains [2LS §3].
var Domains = conductor.Domains

// options are those of the conductor.
func (e *Engine) options() conductor.Options {
	o := conductor.Options{
		Only: e.Only, Unwind: e.Unwind, Solver: e.Solver, SmallBlocks: e.SmallBlocks, Uncertified: e.Uncertified, Strict: e.Strict, EachCheck: e.EachCheck, Parts: e.Parts,
		Domains: e.Domains, Rows: e.Rows, Havoc: e.Havoc, KInduction: e.KInduction, Heap: e.Heap, ValuesRefine: e.ValuesRefine,
		ShowInvariants: e.ShowInvariants, Precondition: e.Precondition,
	}
	if o.Only == EngineAuto {
		o.Only = ""
	}
	return o
}

// Progress tells how far a run has come: its Phase, the Depth up to which loops were
// unwound without a violation, Nodes, Variables and Clauses of the formula, the time
// Elapsed.
type Progress = conductor.Progress

// Semantics is what integer arithmetic means.
type Semantics = conductor.Semantics

// The semantics. A program may end under one and not under another: it depends on
// overflow then.
const (
	SemanticsC          = conductor.C          // as wrap, but what never ends only because of a signed overflow is unknown
	SemanticsWrap       = conductor.Wrap       // modulo 2^w, signed arithmetic as well
	SemanticsNoOverflow = conductor.NoOverflow // a run ends where signed arithmetic overflows
	SemanticsIntegers   = conductor.Integers   // mathematical integers: nothing overflows
)

// AllSemantics are the values of Program.Semantics.
var AllSemantics = []string{string(SemanticsC), string(SemanticsWrap), string(SemanticsNoOverflow), string(SemanticsIntegers)}

// question is what the properties ask.
func (t *Task) question() conductor.Question {
	if slices.Contains(t.Properties, Termination) {
		return conductor.Termination
	}
	if slices.Contains(t.Properties, LTL) {
		return conductor.Temporal
	}
	return conductor.Safety
}

// validate completes the task and rejects what makes no sense.
func (t *Task) validate() error {
	if len(t.Files) == 0 && t.Program.CompileCommands == "" && t.Program.Link == nil {
		return &InputError{Message: "no input file", Hint: "usage: assay check [flags] file.c…"}
	}
	if len(t.Properties) == 0 {
		t.Properties, t.byDefault = []Property{UnreachCall}, true
	}
	for _, p := range t.Properties {
		if !p.Known() {
			return &InputError{Message: property.NewUnknown(string(p)).Error(), Hint: property.NewUnknown(string(p)).Hint}
		}
	}
	if u := t.Program.Unmodelled; u != "" && !slices.Contains(Unmodelled, u) {
		return &InputError{Message: fmt.Sprintf("unknown meaning of functions without body %q", u), Hint: "havoc or pure"}
	}
	if t.Program.UseContracts && len(t.Witnesses) > 0 {
		return &InputError{Message: "witnesses are of the program without contracts", Hint: "leave out --use-contracts, or --witness"}
	}
	if t.Program.Semantics == "" {
		t.Program.Semantics = SemanticsC
	}
	if !slices.Contains(AllSemantics, string(t.Program.Semantics)) {
		return &InputError{Message: fmt.Sprintf("unknown semantics %q", t.Program.Semantics), Hint: "c, wrap, no-overflow or integers"}
	}
	if t.Program.Semantics != SemanticsC && t.question() == conductor.Safety {
		return &InputError{Message: "--semantics is for termination and temporal logic", Hint: "other properties are decided on machine integers"}
	}
	if q := t.question(); q != conductor.Safety && (len(t.Properties) > 1 || len(t.Unsupported) > 0 || t.Engine.EachCheck) {
		return &InputError{Message: q.String() + " is decided on its own", Hint: "ask for other properties in a run of their own, without --all"}
	}
	switch t.Program.DataModel {
	case "":
		t.Program.DataModel = LP64
	case ILP32, LP64:
	default:
		return &InputError{Message: fmt.Sprintf("unknown data model %q", t.Program.DataModel), Hint: "data models: ilp32, lp64"}
	}
	if t.Program.Function == "main" {
		t.Program.Function = ""
	}
	if t.Engine.Only != "" && t.Engine.Only != EngineAuto {
		if !slices.Contains(Engines, t.Engine.Only) {
			return &InputError{Message: fmt.Sprintf("unknown engine %q", t.Engine.Only), Hint: "engines: " + strings.Join(Engines, ", ")}
		}
		if q := t.question(); !conductor.Answering(t.Engine.Only, q) {
			return &InputError{Message: fmt.Sprintf("the engine %s does not decide %s", t.Engine.Only, q), Hint: "leave out --engine"}
		}
		if t.Program.Semantics == SemanticsIntegers && t.Engine.Only != EngineIntegers {
			return &InputError{Message: fmt.Sprintf("the engine %s works on machine integers", t.Engine.Only), Hint: "--semantics integers has one engine, integers: leave out --engine"}
		}
	}
	if p := &t.Program; (len(p.Pointers)+len(p.NonNull)+len(p.Nullable) > 0 || p.Harness.Infer) && p.Function == "" && p.Link == nil {
		return &InputError{Message: "parameters are described, but no function under analysis", Hint: "use --array, --string, --alias, --nonnull and --harness together with --function"}
	}
	if t.Engine.Solver == "" {
		t.Engine.Solver = Solvers[0]
	}
	if !slices.Contains(Solvers, t.Engine.Solver) {
		return &InputError{Message: fmt.Sprintf("unknown solver %q", t.Engine.Solver), Hint: "solvers: cadical, z3, both"}
	}
	if message, hint := conductor.Misuse(t.Engine.options(), t.question()); message != "" {
		return &InputError{Message: message, Hint: hint}
	}
	if t.Engine.Unwind < 0 {
		return &InputError{Message: "the limit on unwindings is negative"}
	}
	if t.Timeout < 0 {
		return &InputError{Message: "the time limit is negative"}
	}
	return nil
}
