package corpus

import (
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"assay"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// programs are the programs of the corpus.
func programs(t *testing.T) []Program {
	t.Helper()
	ps, err := Programs()
	if err != nil {
		t.Fatal(err)
	}
	if len(ps) < 60 {
		t.Fatalf("only %d programs", len(ps))
	}
	return ps
}

// task is the question that an archive asks.
func (p Program) task(t *testing.T) assay.Task {
	t.Helper()
	files, err := p.Write(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	properties, err := assay.ParseProperties(p.Properties)
	if err != nil {
		t.Fatal(err)
	}
	task := assay.Task{Files: files, Properties: properties, Timeout: 3 * time.Minute} // all are decided in seconds, of a machine that does nothing else
	all := os.Getenv("ASSAY_CORPUS") == "all"
	switch { // nothing ends some of the searches
	case p.Expected[0] == "unknown" && all:
		task.Timeout = 3 * time.Second
	case p.Expected[0] == "unknown":
		task.Timeout = 700 * time.Millisecond
	case slices.Contains(p.Expected, "unknown") && all:
		task.Timeout = 10 * time.Second
	case slices.Contains(p.Expected, "unknown"):
		task.Timeout = 3 * time.Second
	}
	if p.ILP32 {
		task.Program.DataModel = assay.ILP32
	}
	return task
}

// TestVerdicts asks for the verdict of every program.
func TestVerdicts(t *testing.T) {
	for _, p := range programs(t) {
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			r, err := assay.Check(t.Context(), p.task(t))
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(p.Expected, r.Line()) {
				t.Errorf("%s\ngot %s, want %s; reasons %v", p.Why, r.Line(), strings.Join(p.Expected, " or "), r.Reasons)
			}
			if r.Answer != assay.False {
				return
			}
			// A false is a run: its trace ends with the violation.
			var last assay.Step
			if err := r.Trace(t.Context(), func(s assay.Step) error { last = s; return nil }); err != nil {
				t.Errorf("trace: %v", err)
			}
			if last.Kind != assay.StepViolation || last.Pos != r.Violation.Pos {
				t.Errorf("the trace ends with %+v, the violation is %+v", last, r.Violation)
			}
		})
	}
}

// TestBothSolvers has every query of bounded search on a sixth of the corpus answered by
// CaDiCaL and by Z3, which must agree; make fuzz-native takes all.
func TestBothSolvers(t *testing.T) {
	for k, p := range programs(t) {
		if k%6 != 0 && os.Getenv("ASSAY_CORPUS") != "all" {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			task := p.task(t)
			task.Timeout = 300 * time.Millisecond // of work; unwinding alone does not end for many, and decides soon what it decides
			task.Engine = assay.Engine{Solver: "both", Only: assay.EngineBMC, Uncertified: true, Deterministic: true}
			r, err := assay.Check(t.Context(), task)
			if err != nil {
				t.Fatal(err)
			}
			line := strings.TrimSuffix(r.Line(), " (uncertified)")
			if r.Answer != assay.Unknown && !slices.Contains(p.Expected, line) {
				t.Errorf("got %s, want %s", r.Line(), strings.Join(p.Expected, " or "))
			}
		})
	}
}

// TestRandomRuns runs every program that is true with random inputs in the
// interpreter: no run may violate the property.
func TestRandomRuns(t *testing.T) {
	for _, p := range programs(t) {
		if !slices.Contains(p.Expected, "true") {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			t.Parallel()
			task := p.task(t)
			model := frontend.LP64
			if p.ILP32 {
				model = frontend.ILP32
			}
			program, err := frontend.Load(t.Context(), frontend.Options{Files: task.Files, DataModel: model, Requested: checks(task.Properties)})
			if err != nil {
				t.Fatal(err)
			}
			kinds := checks(task.Properties)
			for seed := range uint64(40) {
				broken := func(e interp.Event) bool {
					return e.Kind == interp.Violation && slices.Contains(kinds, e.Check)
				}
				out, err := interp.Run(t.Context(), program.Module, interp.Options{Oracle: interp.Random(seed), StopAt: broken, MaxSteps: 200000})
				if err != nil {
					t.Fatal(err)
				}
				if out.End == interp.Stopped {
					t.Fatalf("seed %d: %s (%s)", seed, out, out.Event.Text)
				}
			}
		})
	}
}

// checks are the kinds of events that violate the properties.
func checks(properties []assay.Property) []ir.CheckKind {
	table := map[assay.Property][]ir.CheckKind{
		assay.UnreachCall:  {ir.Assertion},
		assay.UnreachLabel: {ir.ErrorLabel},
		assay.NoOverflow:   {ir.Overflow},
		assay.NoShiftLoss:  {ir.Overflow, ir.ShiftOverflow},
		assay.DivByZero:    {ir.DivByZero},
		assay.Shift:        {ir.ShiftRange},
		assay.ValidDeref:   {ir.InvalidDeref},
		assay.ValidFree:    {ir.InvalidFree},

		assay.ValidMemTrack:  {ir.MemTrack},
		assay.ValidCleanup:   {ir.MemCleanup},
		assay.ValidMemSafety: {ir.InvalidDeref, ir.InvalidFree, ir.MemTrack},
		assay.ShiftWraps:     {ir.Overflow},
		assay.UnsignedWrap:   {ir.UnsignedOverflow},
		assay.Conversion:     {ir.ImplicitConversion},
		assay.NotANumber:     {ir.NotANumber},
		assay.ValidInit:      {ir.Uninitialised},
		assay.FloatCast:      {ir.FloatConversion},
	}
	var out []ir.CheckKind
	for _, p := range properties {
		out = append(out, table[p]...)
	}
	return out
}

// TestPaths has a part of the corpus decided by the exploration of paths alone.
func TestPaths(t *testing.T) { alone(t, "paths", 4, 20) }

// TestSkeletons has a part of the corpus decided by what does not depend on memory alone.
func TestSkeletons(t *testing.T) { alone(t, "skeleton", 2, 2) }

// alone has one of so many programs of the corpus decided by one engine: what it decides, it decides as all
// engines together, and it decides some. The limit is of work, so that a slow machine decides as many.
func alone(t *testing.T, engine string, every, some int) {
	var decided atomic.Int32
	t.Run("alone", func(t *testing.T) {
		for i, p := range programs(t) {
			if i%every != 1 || strings.Contains(p.Properties, "termination") {
				continue
			}
			t.Run(p.Name, func(t *testing.T) {
				t.Parallel()
				task := p.task(t)
				task.Timeout, task.Engine = 400*time.Millisecond, assay.Engine{Only: engine, Deterministic: true}
				r, err := assay.Check(t.Context(), task)
				if err != nil {
					t.Fatal(err)
				}
				if r.Answer != assay.Unknown {
					decided.Add(1)
					if !slices.Contains(p.Expected, r.Line()) {
						t.Errorf("%s\ngot %s, want %s", p.Why, r.Line(), strings.Join(p.Expected, " or "))
					}
				}
				for _, x := range r.Reasons {
					if strings.Contains(x.Text, "not accepted") {
						t.Error(x.Text)
					}
				}
			})
		}
	})
	t.Logf("%d programs are decided", decided.Load())
	if int(decided.Load()) < some {
		t.Errorf("only %d programs are decided", decided.Load())
	}
}
