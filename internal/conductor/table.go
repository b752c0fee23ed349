package conductor

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"assay/internal/finite/solve"
	"assay/internal/program/ir"
)

// Engine is a line of the table.
type Engine struct {
	// Name is the value of --engine, and that of messages.
	Name     string
	Question Question
	About    string // what it does, in a line
	// Gives is what it can answer, apart from Unknown.
	Gives Answers
	// Start is how long the others run before it; Limit how long it runs beside them, 0 is
	// as long as the run.
	Start, Limit time.Duration
	// Share is the part of its time in which it works, and does not rest, once it has worked for Burst; 0 is all. If Behind is the
	// name of an engine, it rests only while that works.
	Share  float64
	Burst  time.Duration
	Behind string
	// Uncut is the same share, behind paths, where induction cannot cut the program (besidePaths), and UncutStart when it
	// begins there, if not at Start.
	Uncut      float64
	UncutStart time.Duration
	// When says for which tasks it runs, unless it is asked for by its name.
	When func(o *Options) bool
	// Finds says that it finds predicates of loops for Options.ShowInvariants.
	Finds bool
	// Fair says that it serves fair termination only.
	Fair bool
	// Asks says that it asks the others, and cannot be asked for by its name.
	Asks bool
	// Quiet says that its reason for no answer is not shown, if others ran and it names no place.
	Quiet bool
	// Searches says that it works for long where bounded search unwinds the whole program at once (besideUnwinding).
	Searches bool
	Run      func(r *run, ctx context.Context, m *ir.Module) Reply
}

// Answers are kinds of verdicts.
type Answers uint8

// The kinds.
const (
	True Answers = 1 << iota
	False
)

// The tasks for which a line of the table runs.
var (
	always   = func(o *Options) bool { return true }
	together = func(o *Options) bool { return !o.EachCheck && !refining(o) }
	whole    = func(o *Options) bool { return together(o) && !o.proving }
	parted   = func(o *Options) bool { return together(o) && !o.beside && !o.Scripted }
	refining = func(o *Options) bool { return o.Heap || o.ValuesRefine }
	byOne    = func(o *Options) bool { return o.EachCheck }
	wholly   = func(o *Options) bool { return o.EachCheck && o.Only == "" && !o.chosen() && !refining(o) }
	byName   = func(o *Options) bool { return false }
)

// table holds the engines. For safety: bounded search unwinds the loops and finds
// violations, and proofs if the loops end; induction with invariants proves what no
// unwinding does; symbolic execution graphs prove what is about objects of any length;
// IC3 decides the program's transition system, whose states are finite; trial runs and
// acceleration find violations behind many iterations. For termination: provers show
// that there is no infinite run, refuters show one.
//
// The times were chosen by runs of the sets of the benchmark, on two cores: an engine
// begins when those before it have decided nearly all that they decide at once.
var table []Engine

func init() { // the functions use the table
	table = []Engine{
		{Name: "bmc", Question: Safety, About: "unwinds all loops deeper and deeper: refutes, and proves where loops end",
			Gives: True | False, When: func(o *Options) bool { return !o.beside }, Run: (*run).bounded,
			Share: 1. / 2, Burst: time.Second, Behind: "induction"}, // of questions on which induction goes on for longer it decides one in four
		{Name: "abstract", Question: Safety, About: "abstract interpretation alone: intervals, congruences, known bits, what pointers point to",
			Gives: True, When: together, Quiet: true, Run: (*run).interpret},
		{Name: "induction", Question: Safety, About: "k-induction with invariants of the loops",
			Gives: True, When: together, Finds: true, Run: (*run).induct,
			Start: 40 * time.Millisecond}, // most of what bmc decides at all it decides in this time
		{Name: "induction", Question: Safety, About: "k-induction, for sets of checks",
			Gives: True, When: byOne, Run: (*run).inductEach,
			Start: 40 * time.Millisecond},
		{Name: "together", Question: Safety, About: "asks the others about sets of checks",
			Gives: True | False, When: wholly, Asks: true, Run: (*run).askTogether,
			Start: 100 * time.Millisecond},
		{Name: "paths", Question: Safety, About: "follows the paths of the program one by one: parsers, recursion, pointers to functions",
			Gives: True | False, When: whole, Run: (*run).explore,
			Searches: true, Start: 100 * time.Millisecond,
			Share: 1. / 5, Burst: 400 * time.Millisecond, Behind: "induction"}, // what is for paths mostly has no loops that induction can cut
		{Name: "trial", Question: Safety, About: "runs with guessed inputs",
			Gives: False, When: whole, Quiet: true, Uncut: 1. / 3, Run: (*run).try,
			Searches: true, Start: 150 * time.Millisecond, Share: 1. / 3},
		{Name: "ic3", Question: Safety, About: "IC3 on the transition system",
			Gives: True | False, When: together, Quiet: true, Uncut: 1. / 3, Run: system(solve.IC3),
			Searches: true, Start: time.Second},
		{Name: "incremental", Question: Safety, About: "unrolls the transition system (only by its name)",
			Gives: True | False, When: byName, Run: system(solve.Incremental)},
		{Name: "spacer", Question: Safety, About: "Spacer of Z3 on the transition system (only by its name)",
			Gives: True | False, When: byName, Run: system(solve.Spacer)},
		{Name: "symex", Question: Safety, About: "proves by a symbolic execution graph: lists, trees, arrays of any length",
			Gives: True, When: together, Quiet: true, Run: (*run).execute,
			Searches: true, Start: 20 * time.Millisecond, // it takes milliseconds, its check takes longer
			Share: 1. / 3, Burst: 400 * time.Millisecond, Behind: "induction"}, // where induction can cut the loops, it mostly proves what there is
		{Name: "flat", Question: Safety, About: "graphs and induction where calls are replaced by bodies, and locals that functions share are values",
			Gives: True, When: together, Quiet: true, Uncut: 1. / 3, Run: (*run).proveFlat,
			Start: 300 * time.Millisecond},
		{Name: "skeleton", Question: Safety, About: "induction where memory may hold anything: numbers beside lists and trees",
			Gives: True, When: together, Quiet: true, Run: (*run).proveSkeleton,
			Start: 200 * time.Millisecond},
		{Name: "parts", Question: Safety, About: "proves checks in sets, by the others",
			Gives: True | False, When: parted, Asks: true, Quiet: true, Uncut: 1. / 3, Run: (*run).proveParts,
			Searches: true, Start: time.Second}, // and more for long programs: partsDelay
		{Name: "acceleration", Question: Safety, About: "makes many iterations of a loop at once: refutes",
			Gives: False, When: whole, Quiet: true, Uncut: 1. / 3, Run: (*run).accelerate,
			Start: 100 * time.Millisecond, Limit: 10 * time.Second,
			Share: 1. / 3, Burst: 400 * time.Millisecond, Behind: "induction"}, // what it finds, it mostly finds at once
		{Name: "slice", Question: Safety, About: "unwinds what the checks depend on that abstract interpretation leaves open: refutes",
			Gives: False, When: whole, Quiet: true, Uncut: 1. / 3, Run: (*run).searchSlice,
			Start: 60 * time.Millisecond, UncutStart: 2 * time.Second}, // its analysis takes long, and cannot rest
		{Name: "refinement", Question: Safety, About: "proofs that say more from step to step (--heap, --values-refine)",
			Gives: True, When: refining, Run: (*run).refine},

		{Name: "bmc", Question: Termination, About: "unwinds all loops to their end",
			Gives: True, When: always, Run: (*run).unwind,
			Share: 1. / 2, Burst: 400 * time.Millisecond},
		{Name: "recurrence", Question: Termination, About: "lassos in runs, and inputs with which no run ends: refutes",
			Gives: False, When: always, Run: (*run).refute,
			Share: 1. / 3, Burst: 300 * time.Millisecond}, // what it finds it mostly finds in its first runs
		{Name: "paths", Question: Termination, About: "follows the paths of the program one by one to their ends: parsers, recursion, pointers to functions",
			Gives: True, When: always, Quiet: true, Run: (*run).followToEnds,
			Start: 200 * time.Millisecond, Share: 1. / 3},
		{Name: "integers", Question: Termination, About: "ranking and recurrence on the integer transition system",
			Gives: True | False, When: always, Run: (*run).byIntegers,
			Start: 40 * time.Millisecond},
		{Name: "ranking", Question: Termination, About: "ranking functions, exact for machine integers",
			Gives: True, When: always, Run: (*run).rank,
			Start: 120 * time.Millisecond}, // a graph that decides is done by then, if nothing takes its processor
		{Name: "symex", Question: Termination, About: "proves by a symbolic execution graph: lists, trees, arrays of any length",
			Gives: True, When: always, Run: (*run).proveByGraph,
			Start: 20 * time.Millisecond},
		{Name: "lasso", Question: Termination, About: "lassos in formulas: refutes",
			Gives: False, When: always, Run: (*run).refuteByFormula,
			Start: 250 * time.Millisecond, Share: 1. / 3, Burst: 300 * time.Millisecond},
		{Name: "unreached", Question: Termination, About: "IC3, for products with automata: no accepting state is reached",
			Gives: True, When: always, Fair: true, Run: (*run).unreached,
			Start: 80 * time.Millisecond},
	}
}

// Names are the names of the engines, each once, in the order of the table.
func Names() []string {
	var out []string
	for _, e := range table {
		if !e.Asks && !slices.Contains(out, e.Name) {
			out = append(out, e.Name)
		}
	}
	return out
}

// Help describes the engines, a line each.
func Help() string {
	var b strings.Builder
	for _, q := range []Question{Safety, Termination} {
		var last string
		for _, e := range table {
			if e.Question == q && e.Name != last && !e.Asks {
				fmt.Fprintf(&b, "  %-13s %s: %s\n", e.Name, q, e.About)
				last = e.Name
			}
		}
	}
	return b.String()
}

// Answering says whether there is an engine of a name for a question. Temporal logic is decided by way of
// the other two questions.
func Answering(name string, q Question) bool {
	if q == Temporal {
		return Answering(name, Safety) || Answering(name, Termination)
	}
	return slices.ContainsFunc(table, func(e Engine) bool { return e.Name == name && e.Question == q && !e.Asks })
}

// asked is the name of the engine that a task asks for, empty if there is none.
func asked(t *Task) string {
	o := &t.Options
	switch {
	case o.Unwind > 0 && o.Only != "acceleration": // the others do not obey it
		return "bmc"
	case o.EachCheck && (o.Only == "induction" || o.Only == "symex" || o.Only == "abstract"):
		return "" // bounded search says which checks there are
	case o.Only != "":
		return o.Only
	case t.Question == Safety && o.chosen() && !o.KInduction && !o.EachCheck && !refining(o):
		return "induction"
	}
	return ""
}

// Choose gives the engines that a task runs; alone says that there is one, asked for.
func Choose(t *Task) (engines []Engine, alone bool) {
	name := asked(t)
	for _, e := range table {
		if e.Question != t.Question {
			continue
		}
		if name == "" && e.When(&t.Options) && (t.Fair || !e.Fair) {
			engines = append(engines, e)
		}
		if name == e.Name {
			return []Engine{e}, true
		}
	}
	if len(engines) == 0 {
		panic(fmt.Sprintf("no engine %q for %s", name, t.Question))
	}
	return engines, false
}
