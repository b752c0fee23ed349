// Package lasso refutes termination by runs that come back to a state that they were
// in [2LS §6.3, singleton recurrent sets]. Programs are run in the interpreter, which
// compares whole states (ir/interp, repeat.go), with inputs of many kinds: most
// programs that do not end do so with small inputs, or with inputs that are always the
// same, and a run costs microseconds.
//
//	(1) A run that repeats itself is run again from its recorded decisions; only if the
//	    interpreter sees the same repetition, it is an answer.
//	(2) Undefined behaviour on the run is listed. A run without any is preferred: the
//	    search goes on for a while.
//	(3) If the run depends on values that undefined behaviour yields, or that a library
//	    model over-approximates, it is no answer (depends.go).
//	(4) If it depends on the result of a signed overflow, it is an answer only if signed
//	    arithmetic is known to wrap, or who asks knows more (Options.Wrapped).
//	(5) Registers on which no run depends need not come back, unless fairness is asked about.
//	(6) Pointers that functions without body return are null.
package lasso

import (
	"context"
	"fmt"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/run/pause"
)

// Options direct a search.
type Options struct {
	// Rounds bounds the rounds; 0 means 5. Each has 4 times the steps of the one
	// before.
	Rounds int
	// Wraps says that signed arithmetic is known to wrap; otherwise a run that depends on
	// signed overflow is no answer.
	Wraps bool
	// Fair asks for a run that executes ir.Accept infinitely often.
	Fair bool
	// Survived, if set, is given inputs of runs that had not ended when they were given
	// up, at most maxSurvivors after each round: they may be on the way into a recurrent
	// set. What it returns, if anything, is the answer.
	Survived func(ctx context.Context, inputs []ir.Input) *verdict.False
	// Wrapped, if set, is given the first run that repeats itself only if signed overflow wraps, after
	// each round in which nothing else was found. What it returns, if anything, is the answer.
	Wrapped func(ctx context.Context, run *verdict.False) *verdict.False
}

// Stats count the work.
type Stats struct {
	Runs  int
	Steps int64
}

// Result is what a search has found.
type Result struct {
	// False is nil if nothing was found; then Why says what stands in the way, and
	// Overflow is set if that is a signed overflow.
	False    *verdict.False
	Overflow *verdict.Guard
	Why      string
	Stats    Stats
}

const (
	firstSteps   = 1 << 14
	defaultRound = 5
	maxSurvivors = 12
	// runMemory bounds the memory of a run.
	runMemory = 1 << 26
	// runFrames bounds the depth of calls of a run.
	runFrames = 1 << 14
	// roundSteps bounds the steps of a round.
	roundSteps = 1 << 23
)

// search is the state of a search.
type search struct {
	m       *ir.Module
	program *interp.Program
	palette *palette
	result  Result
	unclean *verdict.False // passes through undefined behaviour
	wrapped *verdict.False // depends on signed overflow
	wraps   bool
	fair    bool
	// survivors are the inputs of this round's runs that were given up.
	survivors []ir.Input
}

// Search looks for a run that repeats itself. The error is that of the context.
func Search(ctx context.Context, m *ir.Module, opts Options) (Result, error) {
	program, err := interp.Compile(m)
	if err != nil {
		return Result{Why: err.Error()}, nil
	}
	s := &search{m: m, program: program, palette: newPalette(m), wraps: opts.Wraps, fair: opts.Fair}
	if s.palette.places, err = places(ctx, m, program); err != nil {
		return s.result, err
	}
	rounds := opts.Rounds
	if rounds == 0 {
		rounds = defaultRound
	}
	steps := int64(firstSteps)
	for round := range rounds {
		s.survivors = nil
		open := false
		begin := s.result.Stats.Steps
		for i := range runsPerRound {
			if s.result.Stats.Steps-begin > roundSteps {
				break
			}
			pause.Wait(ctx)
			more, err := s.run(ctx, newPolicy(s.palette, round, i), steps, &open)
			if err != nil {
				return s.result, err
			}
			if s.result.False != nil {
				return s.result, nil
			}
			if !more {
				break
			}
		}
		if s.unclean != nil {
			s.result.False = s.unclean
			return s.result, nil
		}
		if opts.Wrapped != nil && s.wrapped != nil {
			if s.result.False = opts.Wrapped(ctx, s.wrapped); s.result.False != nil {
				return s.result, nil
			}
		}
		if opts.Survived != nil && len(s.survivors) > 0 {
			if s.result.False = opts.Survived(ctx, s.survivors); s.result.False != nil {
				return s.result, nil
			}
		}
		if !open && round > 0 {
			break
		}
		steps *= 4
	}
	if s.result.Why == "" {
		s.result.Why = fmt.Sprintf("none of %d runs came back to a state it was in", s.result.Stats.Runs)
	}
	return s.result, nil
}

// run makes one run. It says whether other decisions are worth trying; open is set if
// the run was given up.
func (s *search) run(ctx context.Context, o interp.Oracle, steps int64, open *bool) (more bool, err error) {
	r := interp.NewRecorder(o)
	out, err := s.program.Run(ctx, interp.Options{Oracle: r, Repeats: true, Idle: !s.fair, Fair: s.fair, MaxSteps: steps, MaxMemory: runMemory, MaxFrames: runFrames})
	if err != nil {
		return false, err
	}
	s.result.Stats.Runs++
	s.result.Stats.Steps += out.Steps
	in := r.Input()
	switch out.End {
	case interp.StepLimit:
		*open = true
		if len(s.survivors) < maxSurvivors {
			s.survivors = append(s.survivors, in)
		}
	case interp.Repeats:
		e, why, err := confirm(ctx, s.m, in, s.fair)
		switch {
		case err != nil:
			return false, err
		case e == nil:
			s.result.Why = why
		case e.Endless.Overflow != nil && !s.wraps:
			if s.wrapped == nil {
				s.wrapped, s.result.Overflow = e, e.Endless.Overflow
			}
		case len(e.Passes) == 0:
			s.result.False = e
		case s.unclean == nil || len(e.Passes) < len(s.unclean.Passes):
			s.unclean = e
		}
	}
	return len(in.Choices) > 0 || len(in.Globals) > 0, nil
}

// confirmSteps bounds the run that confirms another one.
const confirmSteps = 1 << 31

// Confirm runs the program with an input and says whether it comes back to a state it
// was in. Otherwise why says what it does. The error is that of the context.
func Confirm(ctx context.Context, m *ir.Module, in ir.Input) (e *verdict.False, why string, err error) {
	return confirm(ctx, m, in, false)
}

// ConfirmFair is Confirm of a run that executes ir.Accept between the two visits.
func ConfirmFair(ctx context.Context, m *ir.Module, in ir.Input) (e *verdict.False, why string, err error) {
	return confirm(ctx, m, in, true)
}

func confirm(ctx context.Context, m *ir.Module, in ir.Input, fair bool) (e *verdict.False, why string, err error) {
	w := &watcher{guards: map[verdict.Guard]bool{}, executed: map[*ir.Func][]bool{}}
	var bases map[string]uint64
	out, err := interp.Run(ctx, m, interp.Options{
		Oracle: interp.Replay(in), Repeats: true, Idle: !fair, Fair: fair, MaxSteps: confirmSteps, Blocks: true,
		Observe: func(e interp.Event) {
			if bases == nil {
				bases = symbols(m, e.State)
			}
			w.event(e)
		},
	})
	if err != nil {
		return nil, "", err
	}
	if out.End != interp.Repeats {
		return nil, "the replay ends differently: " + out.String(), nil
	}
	if g, name := w.depends(); g != nil {
		if name != "" {
			return nil, fmt.Sprintf("the run depends on the result of %s, which its model over-approximates, or on what it leaves in memory", name), nil
		}
		return nil, "the run depends on the value that undefined behaviour yields: " + g.Text, nil
	}
	r := out.Repetition
	if r.Idle {
		w.later(m)
	}
	if verdict.ComputesFloats(m) && out.NaN {
		for _, rule := range interp.OtherNaNs {
			other, err := interp.Run(ctx, m, interp.Options{Oracle: interp.Replay(in), Repeats: true, Idle: !fair, Fair: fair, MaxSteps: confirmSteps, NaNs: rule})
			if err != nil {
				return nil, "", err
			}
			if o := other.Repetition; other.End != interp.Repeats || o.Func != r.Func || o.Block != r.Block || o.LastStep != r.LastStep {
				return nil, "the run depends on the sign or payload of a NaN", nil
			}
		}
	}
	full := ir.Input{Globals: map[string]ir.GlobalChoice{}, Choices: in.Choices[:r.Last:r.Last]}
	for name, base := range bases {
		g := in.Globals[name]
		g.Base = base
		full.Globals[name] = g
	}
	return &verdict.False{
		Input: full, Passes: w.passes, Replayed: []string{"interpreter"},
		Endless: &verdict.Endless{
			Func: r.Func.Name, Head: r.Block, Pos: r.Func.BlockPos(r.Block), Recursion: r.Recursion,
			First: r.First, FirstStep: r.FirstStep, LastStep: r.LastStep, Visits: r.Visits, Accepts: r.Accepts, Idle: r.Idle,
			Overflow: w.dependsOnOverflow(),
		},
	}, "", nil
}

// maxPlaces bounds the globals whose addresses are tried.
const maxPlaces = 64

// places are the addresses of globals of the program that may be written, as they are in
// runs that do not choose them.
func places(ctx context.Context, m *ir.Module, program *interp.Program) ([]uint64, error) {
	var bases map[string]uint64
	_, err := program.Run(ctx, interp.Options{Repeats: true, MaxSteps: 1, Blocks: true,
		Observe: func(e interp.Event) {
			if bases == nil {
				bases = symbols(m, e.State)
			}
		},
		StopAt: func(interp.Event) bool { return true },
	})
	var out []uint64
	for _, g := range m.Globals {
		if base := bases[g.Name]; base != 0 && !g.Constant && g.CName != "" && len(out) < maxPlaces {
			out = append(out, base)
		}
	}
	return out, err
}

// symbols are the addresses of functions and globals.
func symbols(m *ir.Module, s interp.State) map[string]uint64 {
	out := map[string]uint64{}
	for _, f := range m.Funcs {
		out[f.Name] = s.Symbol(f.Name)
	}
	for _, g := range m.Globals {
		out[g.Name] = s.Symbol(g.Name)
	}
	return out
}
