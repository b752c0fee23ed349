package conductor

import (
	"context"
	"fmt"
	"strings"

	"assay/internal/evidence/verdict"
	"assay/internal/integers/its"
	"assay/internal/models/integerize"
	"assay/internal/program/ir"
	"assay/internal/program/stackusage"
)

// This file makes systems whose costs are not only those of paths.

// CostSystem is a program as an integer transition system with costs.
type CostSystem struct {
	System *its.System
	Module *ir.Module // nil for a system that is no program
	// Rest is what a run costs at most beyond that of the system.
	Rest int64
	// Notes say what was counted, and what was not.
	Notes []string
}

// Source is what a module was compiled from, for other compilers.
type Source struct {
	Files, Flags []string
	ILP32        bool
	Frames       *stackusage.Frames // of a binary; nil is to ask a compiler
}

// SystemWithCosts is the system of a module, or says why there is none.
func SystemWithCosts(ctx context.Context, m *ir.Module, source Source, semantics Semantics, c Cost) (s CostSystem, none *verdict.Reason) {
	if c == Stack {
		s, none = stackSystem(ctx, m, source, semantics)
	} else {
		s.System, s.Rest, none = IntegerSystem(ctx, m, semantics, c)
	}
	s.Module = m
	return s, none
}

// stackSystem has as costs what calls within a recursion take of the stack, of those that are active at a time; the frames
// of the deepest chain of other calls are its rest. The error is that of the context or of the compilers.
func stackSystem(ctx context.Context, m *ir.Module, source Source, semantics Semantics) (s CostSystem, none *verdict.Reason) {
	frames := source.Frames
	if frames == nil {
		measured, err := stackusage.Measure(ctx, source.Files, source.Flags, source.ILP32)
		if err != nil {
			return s, &verdict.Reason{Cause: verdict.CauseUnsupported, Text: err.Error()}
		}
		frames = measured
	}
	chain := frames.Deepest(m)
	s.Rest = chain.Bytes
	s.Notes = append(s.Notes, fmt.Sprintf("frames by %s, the deepest chain of calls: %s", frames.Compiler, frames.Format(chain.Functions)))
	if len(chain.Uncounted) > 0 {
		s.Notes = append(s.Notes, "not counted: what functions of libraries take ("+strings.Join(chain.Uncounted, ", ")+")")
	}
	switch {
	case len(chain.Dynamic) > 0:
		return s, &verdict.Reason{Cause: verdict.CauseUnsupported, Text: "the stack frame has no constant size, because of an array of variable length or alloca, of " + strings.Join(chain.Dynamic, ", ")}
	case len(chain.Recursive) == 0:
		s.System = its.NewSystem()
		return s, nil
	}
	s.Notes = append(s.Notes, "recursive: "+frames.Format(chain.Recursive))
	system, rest, none := costSystem(ctx, m, semantics, Stack, integerize.Options{Frames: frames.Bytes, Recursion: chain.Recursion})
	s.System, s.Rest = system, s.Rest+rest
	return s, none
}
