// Package trial looks for violations by running the program in the interpreter,
// with inputs of its own choice. It proves nothing; but a violation that only
// shows after a million iterations, which unwinding does not reach, costs a
// hundredth of a second if the inputs are easily guessed.
//
// Runs are short at first and get longer, many at first and then few. What a
// run found is a False without further work: the recorded choices are its input,
// and the run was one of the interpreter.
//
//	(T1) A run is given up when it makes a choice that is not the program's
//	     input or the content of an object: results that a library model
//	     over-approximates, pointers from functions without body (any result, if
//	     the property is about memory), what undefined behaviour yields.
//	(T2) It is given up when it passes undefined behaviour, except for signed
//	     overflow, which wraps in the compiled program as here; a violation behind
//	     an overflow is only reported if no run without one is found.
package trial

import (
	"context"
	"errors"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/run/pause"
)

// Options say what to look for.
type Options struct {
	// Targets are the kinds of events that must not happen.
	Targets []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
}

// Stats count the work.
type Stats struct {
	Runs  int
	Steps int64
}

// rounds are the limits on the steps of a run, and the runs of each round.
var rounds = []struct {
	steps int64
	runs  int
}{{1 << 13, 40}, {1 << 17, 24}, {1 << 21, 16}, {1 << 25, 8}, {1 << 27, 4}}

// evolutionRound is the round behind which inputs evolve, at the latest.
const evolutionRound = 1

// onlySteps bounds the only run of a program without inputs.
const onlySteps = 1 << 30

// Limits of a run.
const (
	maxChoices = 1 << 18
	maxMemory  = 1 << 28
	maxFrames  = 1 << 14
)

// Search runs the program until a run violates the property, all rounds are
// done, or the context ends. The verdict is nil if nothing was found.
func Search(ctx context.Context, m *ir.Module, o Options) (*verdict.False, Stats) {
	var stats Stats
	switch {
	case !slices.Contains(o.Targets, ir.ErrorLabel):
		o.Label = "" // not asked about, it is passed as any other
	case o.Label == "":
		o.Label = "ERROR"
	}
	p, err := interp.Compile(m)
	if err != nil {
		return nil, stats
	}
	s := &search{ctx: ctx, module: m, program: p, options: o, pool: constants(m, func(*ir.Func) bool { return true }), stats: &stats}
	s.memory = aboutMemory(o.Targets)
	only := false // there is only one run
	for round, r := range rounds {
		again := false
		if only {
			r.steps = onlySteps
		}
		for n := range r.runs {
			pause.Wait(ctx)
			run := s.run(uint64(n), r.steps)
			if ctx.Err() != nil {
				return nil, stats
			}
			if run.violation != nil && len(run.passes) == 0 {
				return run.verdict(), stats
			}
			if run.violation != nil && s.doubtful == nil {
				s.doubtful = run.verdict()
			}
			again = again || run.end == interp.StepLimit
			if !run.chose {
				only = true
				break
			}
		}
		if s.doubtful != nil {
			return s.doubtful, stats
		}
		again = again && r.steps != onlySteps
		if !only && (round == evolutionRound || round < evolutionRound && !again) {
			if r := s.evolve(); r != nil {
				return r.verdict(), stats
			}
			if s.doubtful != nil || ctx.Err() != nil {
				return s.doubtful, stats
			}
		}
		if !again {
			break
		}
	}
	return nil, stats
}

// search is the work on one program.
type search struct {
	ctx      context.Context
	module   *ir.Module
	program  *interp.Program
	options  Options
	pool     pool
	memory   bool // the property is about memory
	stats    *Stats
	doubtful *verdict.False // passes an overflow
}

// outcome is what one run came to.
type outcome struct {
	violation *verdict.Guard
	passes    []verdict.Guard
	input     ir.Input
	end       interp.End
	chose     bool // a value was chosen
}

func (r *outcome) verdict() *verdict.False {
	return &verdict.False{Violation: *r.violation, Input: r.input, Passes: r.passes, Replayed: []string{"interpreter"}}
}

// run makes one run.
func (s *search) run(seed uint64, steps int64) (r outcome) {
	o := newOracle(seed, s.pool, s.memory)
	r = s.runWith(o, interp.Options{MaxSteps: steps, Accelerate: true})
	r.chose = o.chose
	return r
}

// runWith makes a run with answers of o.
func (s *search) runWith(o interp.Oracle, options interp.Options) (r outcome) {
	recorder := interp.NewRecorder(o)
	stop := func(ev interp.Event) bool {
		g, ok := verdict.Broken(ev, s.options.Label)
		switch {
		case !ok:
			return false
		case slices.Contains(s.options.Targets, g.Kind):
			r.violation = &g
			return true
		case g.Kind == ir.Overflow:
			if !slices.Contains(r.passes, g) {
				r.passes = append(r.passes, g)
			}
			return false
		}
		return true
	}
	options.Oracle, options.StopAt, options.MaxMemory, options.MaxFrames = recorder, stop, maxMemory, maxFrames
	out, err := s.program.Run(s.ctx, options)
	s.stats.Runs++
	s.stats.Steps += out.Steps
	r.end = out.End
	if err != nil {
		r.violation = nil
	}
	if r.violation != nil {
		r.input = recorder.Input()
		if verdict.DependsOnNaN(s.ctx, s.module, r.input, *r.violation) {
			r.violation = nil
		}
	}
	return r
}

// errGivenUp ends a run that makes a choice that is not ours (T1).
var errGivenUp = errors.New("a choice that is no input")
