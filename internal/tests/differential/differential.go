// Package differential runs C programs in three ways and compares what can be
// seen of the runs:
//
//	native    compiled by clang at -O0
//	memory    in the interpreter, on the IR as imported without promotion
//	promoted  in the interpreter, on the IR that assay decides
//
// The compiled program is the oracle of the front end and the interpreter; the
// second run tells the promotion's mistakes from the others'. What can be seen
// is how the run ends (exit code, line of the failed assertion), the inputs it
// asks for, the undefined behaviour it meets (interpreter only), and what it
// passes to its function observe().
//
// Programs come from package corpus, and from csmith (csmith.go), whose
// programs have no input and no undefined behaviour, and whose checksum is
// moreover an assertion that package bmc must never find false.
//
// Programs that depend on addresses have many correct outcomes: of those, native runs are
// compared with what is proved (addresses.go, placed.go).
//
//   - Inputs are random, the same in all runs; everything else that is
//     arbitrary is zero, natively by -ftrivial-auto-var-init and calloc. argc
//     is 1.
//   - A run that meets undefined behaviour is not compared with the native one,
//     nor is one that is cut off at the limit of steps.
package differential

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"assay/internal/program/frontend"
)

// Program is a C program to be run.
type Program struct {
	Name string
	// Files, Include and Define are C sources and clang's -I and -D.
	Files, Include, Define []string
	ILP32                  bool
}

// options are those of the front end.
func (p *Program) options() frontend.Options {
	o := frontend.Options{Files: p.Files, Include: p.Include, Define: p.Define, ExtraArgs: []string{"-w"}}
	if p.ILP32 {
		o.DataModel = frontend.ILP32
	}
	return o
}

// EndKind says how a run ended.
type EndKind uint8

// The ends of runs.
const (
	Exited       EndKind = iota // End.Code is the exit status, -1 if it is not known
	Asserted                    // End.Line is where an assertion failed
	Aborted                     // by abort
	AssumeFailed                // the run is none
	BeyondInputs                // native: other inputs were asked for than those recorded
	Killed                      // native: End.Text is the signal
	CutOff                      // at the limit of steps or time
	NotModelled                 // interpreter: End.Text says what
)

// End is the end of a run.
type End struct {
	Kind EndKind
	Code int
	Line int
	Text string
}

func (e End) String() string {
	switch e.Kind {
	case Exited:
		return fmt.Sprintf("exit %d", e.Code)
	case Asserted:
		return fmt.Sprintf("assertion failed in line %d", e.Line)
	}
	s := [...]string{"", "", "abort", "assumption failed", "other inputs asked for", "killed", "cut off", "not modelled"}[e.Kind]
	return strings.TrimSpace(s + " " + e.Text)
}

// Value is something that a run has passed to observe() or got as input.
type Value struct {
	Name string // of inputs, and of native observations
	Bits uint64
}

// Run is what can be seen of a run.
type Run struct {
	End      End
	Observed []Value
	Inputs   []Value
	// Events are violations by kind and place, as the interpreter reports them.
	// Promotion turns a copy into reads: their texts are not compared, and a
	// violation that follows its like counts once.
	// Undefined says that one of them leaves the rest of the run undefined in C
	// as it is compiled natively: with -fwrapv overflow does not.
	Events    []string
	Undefined bool
	// LibraryChose says that library models chose something at random, as the
	// native library need not.
	LibraryChose bool
}

// Outcome is the result of a comparison.
type Outcome struct {
	// Compared says that native, memory and promoted run were compared, and
	// Skipped otherwise why the native one was not.
	Compared bool
	Skipped  string
	// Difference is the first difference, empty if there is none.
	Difference string
	// Promoted is the run on promoted IR.
	Promoted Run
}

// Compare runs the program with the inputs that the seed gives. Native is the
// compiled program, nil if there is none. The error is about the machine, or a
// program that cannot be loaded.
func (c *Interpreted) Compare(ctx context.Context, native *Native, seed uint64, steps int64) (Outcome, error) {
	memory, err := run(ctx, c.memory, seed, steps)
	if err != nil {
		return Outcome{}, err
	}
	promoted, err := run(ctx, c.promoted, seed, steps)
	if err != nil {
		return Outcome{}, err
	}
	o := Outcome{Promoted: promoted}
	if memory.End.Kind == CutOff || promoted.End.Kind == CutOff {
		o.Skipped = "cut off at the limit of steps"
		return o, nil
	}
	if d := difference("memory", memory, "promoted", promoted); d != "" {
		o.Difference = d
		return o, nil
	}
	if d := listed("events", "memory", memory.Events, "promoted", promoted.Events); d != "" {
		o.Difference = d
		return o, nil
	}
	switch {
	case native == nil:
		o.Skipped = "no native program"
	case promoted.Undefined:
		o.Skipped = "undefined behaviour"
	case promoted.End.Kind == NotModelled:
		o.Skipped = promoted.End.String()
	default:
		n, err := native.Run(ctx, promoted.Inputs)
		if err != nil {
			return o, err
		}
		if n.End.Kind == CutOff {
			o.Skipped = "native run cut off at the limit of time"
			return o, nil
		}
		d := difference("native", n, "promoted", promoted)
		if d != "" && promoted.LibraryChose {
			o.Skipped = "the library chose otherwise: " + d
			return o, nil
		}
		o.Compared, o.Difference = true, d
	}
	return o, nil
}

// difference says how the observable parts of two runs differ.
func difference(nameA string, a Run, nameB string, b Run) string {
	if d := listed("observations", nameA, show(a.Observed), nameB, show(b.Observed)); d != "" {
		if i := firstDifference(a.Observed, b.Observed); i < len(a.Observed) && a.Observed[i].Name != "" {
			d += " (" + a.Observed[i].Name + ")"
		}
		return d
	}
	if nameA == "memory" {
		if d := listed("inputs", nameA, named(a.Inputs), nameB, named(b.Inputs)); d != "" {
			return d
		}
	}
	x, y := a.End, b.End
	if x.Kind == Exited && y.Kind == Exited && (x.Code < 0 || y.Code < 0) {
		return ""
	}
	if x != y {
		return fmt.Sprintf("%s: %v, %s: %v", nameA, x, nameB, y)
	}
	return ""
}

func firstDifference(a, b []Value) int {
	for i := range min(len(a), len(b)) {
		if a[i].Bits != b[i].Bits {
			return i
		}
	}
	return min(len(a), len(b))
}

// show and named print values without and with their names.
func show(list []Value) (out []string) {
	for _, v := range list {
		out = append(out, fmt.Sprintf("%#x", v.Bits))
	}
	return out
}

func named(list []Value) (out []string) {
	for _, v := range list {
		out = append(out, fmt.Sprintf("%s %#x", v.Name, v.Bits))
	}
	return out
}

// listed says where two lists differ first.
func listed(what, nameA string, a []string, nameB string, b []string) string {
	if slices.Equal(a, b) {
		return ""
	}
	i := 0
	for i < len(a) && i < len(b) && a[i] == b[i] {
		i++
	}
	at := func(list []string) string {
		if i < len(list) {
			return list[i]
		}
		return "none"
	}
	return fmt.Sprintf("%s differ at %d: %s: %s, %s: %s", what, i, nameA, at(a), nameB, at(b))
}
