package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"assay"
	"assay/internal/certify/accept"
	"assay/internal/integers/bound"
	"assay/internal/integers/complexity"
	"assay/internal/integers/its"
	"assay/internal/integers/termination"
	"assay/internal/tools/report"
)

// boundFlags are the flags of `assay bound`.
type boundFlags struct {
	certify string
	timeout time.Duration
	memory  uint64
	quiet   bool
	json    bool
	cost    string
	plot    string
	program checkFlags
}

// boundCommand is `assay bound`.
func boundCommand() *cobra.Command {
	f := &boundFlags{certify: "on", cost: assay.Costs[0]}
	c := &cobra.Command{
		Use:   "bound [flags] file",
		Short: "How much may a run cost, as a function of the inputs?",
		Long: `Find an upper bound of the cost of all runs of a program, or of an integer transition
system, as a function of its inputs.

Of a program (.c, .i, .ll, .bc) visits of loop heads and calls are counted, or, with --cost,
the instructions of its LLVM IR, the bytes given by malloc and its kin (allocated), those of blocks that
live at a time (heap), the bytes of stack that are in use at a time (stack: frames as gcc, or clang, says
them without optimisation, with return addresses; functions of libraries are listed and not counted), the calls of a function f (calls:f), or what the program says by
__assay_cost(n) (marked). The inputs are the parameters of the
function where it starts, and what is read at most once (x@5 is read in line 5). A
program without main that defines one function starts there. --semantics says what integers are.

An integer transition system is in the format of KoAT (.koat), T2 (.t2), or one of those of the termination
competition, SMT-LIB (.smt2) or ARI (.ari). A transition costs 1 unless the file says
otherwise. A bound is shown if its certificate was accepted by a checker that has
Z3 prove every local claim again. The last line is

  RESULT: bound(O(n^2))   an upper bound was found; it is printed before
  RESULT: unbounded       there is a run without end, or for each n a run of cost n from one
                          initial state; it is printed before
  RESULT: unknown

Exit codes: 0 a bound, 1 unbounded, 2 unknown; 3 wrong use or input; 4 a bug of assay.`,
		Example: "  assay bound loops.koat\n  assay bound --timeout 10s -q loops.koat",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			ctx, limit := limited(f.timeout, f.memory, func(why string) int {
				_ = f.write(os.Stdout, nil, boundAnswer{reasons: []string{why}})
				return exitUnknown
			})
			s, none, err := f.read(ctx, c.Flags(), args)
			if err != nil {
				return err
			}
			var a boundAnswer
			if none != "" {
				a.reasons = []string{none}
			} else if a, err = f.decideIn(ctx, s.System, isITS(args[0])); err != nil {
				err = &assay.EnvironmentError{Doing: "finding a bound of " + args[0], Err: err}
			}
			if err == nil && a.open() && !isITS(args[0]) && f.endlessCosts() {
				a.endless, err = f.withoutEnd(ctx)
			}
			if err == nil && f.plot != "" && a.bound != nil {
				err = f.draw(ctx, s, a.bound.Bound.Add(bound.Int(s.Rest)))
			}
			limit.finish()
			if err != nil {
				return err
			}
			a.rest, a.notes = s.Rest, s.Notes
			return f.write(os.Stdout, s.System, a)
		},
	}
	flags := c.Flags()
	flags.Var(durationValue{&f.timeout}, "timeout", "stop after this time, for example 10s or 2m")
	flags.Var(sizeValue{&f.memory}, "memory", "stop when more memory is used, for example 2GiB")
	flags.Var(choiceValue{&f.certify, []string{"on", "off"}}, "certify", "whether the certificate is checked")
	flags.Var(costValue{&f.cost}, "cost", "of a program: what is counted")
	flags.StringVar(&f.plot, "plot", "", "draw the bound, and what runs cost whose inputs are all n, into this file (SVG)")
	flags.BoolVarP(&f.quiet, "quiet", "q", false, "print the result only")
	flags.BoolVar(&f.json, "json", false, "print the answer as one line of JSON")
	groups{f.program.groups().titled(programTitle)}.add(c)
	return c
}

// read makes the integer transition system of the files; none says why there is none.
func (f *boundFlags) read(ctx context.Context, flags *pflag.FlagSet, files []string) (s assay.CostSystem, none string, err error) {
	if isITS(files[0]) {
		if len(files) > 1 {
			return s, "", &usageError{text: "assay bound takes one integer transition system"}
		}
		s.System, err = readITS(files[0])
		return s, "", err
	}
	f.program.task.Files, f.program.task.Program.Only = files, true
	if err := f.program.complete(flags); err != nil {
		return s, "", err
	}
	s, reason, err := assay.IntegerSystem(ctx, f.program.task, f.cost)
	switch {
	case err != nil && ctx.Err() != nil:
		return s, "out of time", nil
	case err != nil:
		return s, "", err
	case reason != nil && reason.Pos.File == "":
		return s, reason.Text, nil
	case reason != nil:
		return s, fmt.Sprintf("%v: %s", reason.Pos, reason.Text), nil
	}
	return s, "", nil
}

// boundAnswer is an upper bound, a run without end, runs whose costs nothing bounds, or none of these.
type boundAnswer struct {
	bound      *bound.Certificate
	recurrence *its.Recurrence
	family     *bound.Family
	growing    *bound.Family // runs that cost as much as the bound, in its class
	endless    string        // a run of the program without end, as a text
	reasons    []string
	unbounded  []int // transitions without bound
	rest       int64 // what a run may cost beyond that of the system
	notes      []string
}

// machine says whether the numbers are those of a machine: of a program, whose integers wrap.
func (f *boundFlags) machine() bool {
	return len(f.program.task.Files) > 0 && f.program.task.Program.Semantics != assay.SemanticsIntegers
}

// endlessCosts says whether a run without end costs more than any number.
func (f *boundFlags) endlessCosts() bool { return f.cost == "iterations" || f.cost == "instructions" }

// costValue is a flag whose value is one of assay.Costs.
type costValue struct{ value *string }

func (v costValue) String() string {
	if v.value == nil {
		return ""
	}
	return *v.value
}

func (v costValue) Type() string { return strings.Join(assay.Costs, "|") }

func (v costValue) Set(s string) error {
	if name, ok := strings.CutPrefix(s, assay.CostCalls); ok && name != "" || !ok && slices.Contains(assay.Costs, s) {
		*v.value = s
		return nil
	}
	return fmt.Errorf("must be one of %s", strings.Join(assay.Costs, ", "))
}

// open says whether nothing is known.
func (a *boundAnswer) open() bool { return a.bound == nil && a.recurrence == nil && a.family == nil }

// decideIn is decide; of a program it leaves time for other engines.
func (f *boundFlags) decideIn(ctx context.Context, s *its.System, all bool) (boundAnswer, error) {
	if end, ok := ctx.Deadline(); ok && !all {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, time.Until(end)*7/10)
		defer cancel()
	}
	return f.decide(ctx, s)
}

// withoutEnd is a run of the program that does not end, as the engines for termination
// find it; empty if they do not. Every such run visits loop heads, or calls, for ever.
func (f *boundFlags) withoutEnd(ctx context.Context) (string, error) {
	t := f.program.task
	t.Properties = []assay.Property{assay.Termination}
	if end, ok := ctx.Deadline(); ok {
		t.Timeout = time.Until(end) * 9 / 10
	}
	if t.Timeout < 0 {
		return "", nil
	}
	r, err := assay.Check(ctx, t)
	if err != nil || r.Answer != assay.False {
		return "", err
	}
	var b strings.Builder
	if err := report.Write(ctx, &b, r, report.Options{}); err != nil {
		return "", err
	}
	text, _, _ := strings.Cut(b.String(), "RESULT:")
	return text, nil
}

// decide looks for a bound in the first part of the time, and for a run without end in the rest.
func (f *boundFlags) decide(ctx context.Context, s *its.System) (a boundAnswer, err error) {
	first, cancel := ctx, func() {}
	if end, ok := ctx.Deadline(); ok && !f.machine() {
		first, cancel = context.WithTimeout(ctx, time.Until(end)*3/5)
	}
	defer cancel()
	switch r := complexity.Upper(first, s).(type) {
	case complexity.Found:
		var rejected *its.Rejected
		err := error(nil)
		if f.certify == "on" {
			err = accept.Bound(ctx, s, &r.Certificate)
		}
		switch {
		case err == nil:
			a.bound = &r.Certificate
			a.growing, err = f.growing(ctx, s, &r.Certificate)
			return a, err
		case errors.As(err, &rejected), ctx.Err() != nil:
			a.reasons = append(a.reasons, err.Error())
		default:
			return a, err
		}
	case complexity.Failed:
		a.reasons, a.unbounded = append(a.reasons, r.Reason), r.Open
	default:
		panic(fmt.Sprintf("unexpected %T", r))
	}
	if f.machine() {
		return a, nil // a run of the system may pass through what C leaves undefined; see withoutEnd
	}
	if family := complexity.Unbounded(ctx, s); family != nil && family.Fixed() {
		var rejected *its.Rejected
		switch err := accept.Family(ctx, s, family); {
		case err == nil:
			a.family = family
			return a, nil
		case !errors.As(err, &rejected) && ctx.Err() == nil:
			return a, err
		}
	}
	t, err := termination.Decide(ctx, s, termination.Options{Accept: accept.IntegerSystem, Uncertified: f.certify == "off"})
	if d, ok := t.(termination.Diverges); ok {
		if !everythingCosts(s) {
			a.reasons = append(a.reasons, "there is a run without end, but it may cost nothing")
			return a, nil
		}
		a.recurrence = &d.Recurrence
	}
	return a, err
}

// growing is a family of runs that cost at least n, if the bound is linear; the search is short.
func (f *boundFlags) growing(ctx context.Context, s *its.System, c *bound.Certificate) (*bound.Family, error) {
	if f.machine() || c.Bound.Class().Compare(bound.Class{Degree: 1}) < 0 {
		return nil, nil
	}
	soon, cancel := context.WithTimeout(ctx, maxGrowing)
	defer cancel()
	g := complexity.Growing(soon, s)
	if g == nil || g.Fixed() {
		return nil, nil
	}
	var rejected *its.Rejected
	switch err := accept.Family(ctx, s, g); {
	case errors.As(err, &rejected), err != nil && ctx.Err() != nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return g, nil
}

// maxGrowing bounds the search for runs that cost as much as the bound.
const maxGrowing = 500 * time.Millisecond

// tight is the class of bound and runs, if it is the same.
func (a *boundAnswer) tight(class bound.Class) string {
	switch {
	case class == bound.Class{}:
		return "Θ(1)"
	case a.growing != nil && class == bound.Class{Degree: 1}:
		return "Θ(n)"
	}
	return ""
}

// everythingCosts says whether each cycle of transitions costs at least 1: no transition costs less
// than nothing, and those that may be free form no cycle.
func everythingCosts(s *its.System) bool {
	var free [][2]int
	for _, t := range s.Transitions {
		switch {
		case !t.Cost.IsConstant() || t.Cost.Const.Sign() < 0 || t.Cost.Const.IsZero() && t.From == t.To:
			return false
		case t.Cost.Const.IsZero():
			free = append(free, [2]int{int(t.From), int(t.To)})
		}
	}
	_, components := its.Components(len(s.Locations), free)
	return components == len(s.Locations)
}

// takes says what a run does of which there is a bound.
func (f *boundFlags) takes() string {
	switch f.cost {
	case assay.CostHeap:
		return "at any time the heap has bytes, of blocks that live,"
	case assay.CostStack:
		return "at any time the stack has bytes"
	}
	return "every run costs"
}

// write prints the answer.
func (f *boundFlags) write(w io.Writer, s *its.System, a boundAnswer) error {
	var detail strings.Builder
	result, code := "unknown", exitUnknown
	out := boundJSON{}
	switch {
	case a.bound != nil:
		e := a.bound.Bound.Add(bound.Int(a.rest))
		class := e.Class()
		out.Bound, code = e.Format(s.VarName), exitTrue
		if f.machine() {
			out.Bound, class = e.FormatWithRanges(s.VarName), e.ClassWithRanges(bound.IntRange)
		}
		fmt.Fprintf(&detail, "%s at most\n  %s\n", f.takes(), out.Bound)
		if out.Tight = a.tight(class); out.Tight != "" {
			fmt.Fprintf(&detail, "tight: %s", out.Tight)
			if a.growing != nil {
				fmt.Fprintf(&detail, ": for each N >= 0 the run from %s goes N times around a loop", a.growing.Begin(s))
			}
			detail.WriteString("\n")
		}
		out.Parts = f.parts(s, a.bound)
		if len(out.Parts) > 1 {
			detail.WriteString("of which\n")
			for _, p := range out.Parts {
				fmt.Fprintf(&detail, "  %s\n      %s: %s\n", p.Cost, strings.Join(p.Where, ", "), p.Why)
			}
		}
		if out.Certified = f.certify == "on"; !out.Certified {
			detail.WriteString("not certified\n")
		}
		result = fmt.Sprintf("bound(%v)", class)
	case a.recurrence != nil:
		result, code = "unbounded", exitFalse
		out.Evidence = "a run without end:\n" + a.recurrence.Format(s)
	case a.family != nil:
		result, code = "unbounded", exitFalse
		out.Evidence = "a run for each n >= 0, which goes n times around a loop:\n" + a.family.Format(s)
	case a.endless != "":
		result, code = "unbounded", exitFalse
		out.Evidence = a.endless
	default:
		for _, r := range a.reasons {
			fmt.Fprintf(&detail, "no bound: %s\n", r)
			out.Reasons = append(out.Reasons, boundReason{"no bound", r})
		}
		for _, t := range a.unbounded {
			fmt.Fprintf(&detail, "  %s\n", s.Format(&s.Transitions[t]))
		}
	}
	for _, n := range a.notes {
		detail.WriteString(n + "\n")
	}
	out.Notes = a.notes
	detail.WriteString(out.Evidence)
	text := detail.String() + "RESULT: " + result + "\n"
	if f.quiet {
		text = "RESULT: " + result + "\n"
	}
	if f.json {
		out.Result = result
		line, err := json.Marshal(out)
		if err != nil {
			return err
		}
		text = string(line) + "\n"
	}
	if _, err := io.WriteString(w, text); err != nil {
		return &assay.EnvironmentError{Doing: "writing the answer", Err: err}
	}
	return exit(code)
}

// boundJSON is the output of --json.
type boundJSON struct {
	Result    string        `json:"result"` // bound(class), unbounded or unknown
	Bound     string        `json:"bound,omitempty"`
	Tight     string        `json:"tight,omitempty"` // Θ(n), if a lower bound of the class of the bound is proved
	Parts     []boundPart   `json:"parts,omitempty"`
	Certified bool          `json:"certified,omitempty"`
	Evidence  string        `json:"evidence,omitempty"`
	Reasons   []boundReason `json:"reasons,omitempty"`
	Notes     []string      `json:"notes,omitempty"`
}

type boundReason struct {
	Cause string `json:"cause"`
	Text  string `json:"text"`
}
