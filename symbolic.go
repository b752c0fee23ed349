package assay

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/certify/graph"
	"assay/internal/ir"
	"assay/internal/pause"
	"assay/internal/recursion"
	"assay/internal/skeleton"
	"assay/internal/symex"
	"assay/internal/termination"
	"assay/internal/verdict"
)

// This file runs symbolic execution graphs: for properties of memory and
// assertions, and for termination. An answer is true or nothing.

// symbolicAnswer is what a graph came to.
type symbolicAnswer struct {
	verdict verdict.Verdict // nil if there is none
	reason  verdict.Reason  // then
	phases  []Phase
	panic   any
}

// symbolicKinds are the violations that a graph can exclude: for the others the
// instructions have guards that package symex does not look at.
var symbolicKinds = []ir.CheckKind{
	ir.Assertion, ir.ErrorLabel, ir.InvalidDeref, ir.InvalidFree, ir.MemTrack, ir.MemCleanup,
}

// execute proves by a graph that no target is violated.
func (r *run) execute(ctx context.Context, m *ir.Module, targets, disputed []ir.CheckKind, label string, wait time.Duration) symbolicAnswer {
	return r.executeWith(ctx, m, targets, disputed, label, wait, symex.AllValues)
}

// executeWith does so with what is said of integers in nodes of lists and trees.
func (r *run) executeWith(ctx context.Context, m *ir.Module, targets, disputed []ir.CheckKind, label string, wait time.Duration, values symex.Values) (a symbolicAnswer) {
	defer func() { a.panic = recover() }()
	select {
	case <-ctx.Done():
		return a
	case <-time.After(wait):
	}
	for _, k := range slices.Concat(targets, disputed) {
		if !slices.Contains(symbolicKinds, k) {
			a.reason = verdict.Reason{Cause: verdict.CauseUnsupported, Text: "symbolic execution graphs do not decide checks of the kind " + k.String()}
			return a
		}
	}
	if label == "" {
		label = "ERROR"
	}
	b := symex.Build(ctx, m, symex.Options{Targets: targets, Label: label, Values: values})
	if a.stuck(&b) {
		return a
	}
	a.certify(ctx, r, m, &b, graph.Options{Targets: targets, Label: label})
	return a
}

// stuck notes why there is no proof.
func (a *symbolicAnswer) stuck(b *symex.Result) bool {
	switch {
	case b.Obstacle != nil:
		a.reason = verdict.Reason{Cause: verdict.CauseUnsupported, Func: b.Obstacle.Func, Pos: b.Obstacle.Pos, Text: "symbolic execution graph: " + b.Obstacle.Text}
		if b.Obstacle.Stopped {
			a.reason.Cause = verdict.CauseTimeout
		}
	case len(b.Suspects) > 0:
		s := &b.Suspects[0]
		a.reason = verdict.Reason{Cause: verdict.CauseInexact, Func: s.Func, Pos: s.Pos, Text: "symbolic execution graph: " + s.Text}
	default:
		return false
	}
	return true
}

// certify has the graph checked and makes the verdict.
func (a *symbolicAnswer) certify(ctx context.Context, r *run, m *ir.Module, b *symex.Result, o graph.Options) {
	t := verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: unclean(ctx, m, b, o)}
	if r.task.Engine.Uncertified {
		a.verdict = t
		return
	}
	pause.Wait(ctx)
	begin := time.Now()
	own, resume := pause.Others(ctx)
	defer resume()
	checker, err := graph.Check(own, m, b.Graph, o)
	a.phases = append(a.phases, Phase{"certificate of the graph", time.Since(begin)})
	var rejected *graph.ErrRejected
	switch {
	case errors.As(err, &rejected):
		a.reason = verdict.Reason{
			Cause: verdict.CauseUncertified, Func: rejected.Func, Pos: rejected.Pos,
			Text: "a symbolic execution graph was found, but not accepted: " + rejected.Why,
		}
	case err != nil:
		a.reason = verdict.Reason{Cause: verdict.CauseUncertified, Text: fmt.Sprintf("a symbolic execution graph was found, but not checked: %v", err)}
	default:
		t.Certificate = &verdict.SymbolicGraph{Graph: b.Graph, Checker: checker}
		a.verdict = t
	}
}

// anywhere is the text of a guard that stands for all of its kind.
const anywhere = "any: it is not known where"

// unclean lists undefined behaviour outside of the property that is not
// excluded: the first on each run.
func unclean(ctx context.Context, m *ir.Module, b *symex.Result, o graph.Options) []verdict.Guard {
	var out []verdict.Guard
	add := func(ss []symex.Suspect) {
		for _, s := range ss {
			if s.Kind.Undefined() && !slices.Contains(o.Targets, s.Kind) {
				out = append(out, verdict.Guard{Kind: s.Kind, Text: s.Text, Func: s.Func, Pos: s.Pos})
			}
		}
	}
	others := []ir.CheckKind{ir.Overflow, ir.ShiftRange, ir.DivByZero, ir.FloatConversion, ir.Precondition, ir.ReachedUnreachable, ir.Incompatible}
	with := symex.Build(ctx, m, symex.Options{Targets: slices.Concat(o.Targets, others), Label: o.Label})
	add(b.Unclean)
	add(with.Suspects)
	if with.Obstacle != nil {
		out = append(out, verdict.Guard{Kind: ir.Overflow, Text: anywhere, Func: with.Obstacle.Func, Pos: with.Obstacle.Pos})
	}
	return out
}

// orUnknown is the verdict if no other engine runs.
func (a *symbolicAnswer) orUnknown(ctx context.Context) verdict.Verdict {
	if a.verdict != nil {
		return a.verdict
	}
	if ctx.Err() != nil {
		a.reason = verdict.Stopped(ctx, "symbolic execution graph")
	}
	return verdict.Unknown{Reasons: []verdict.Reason{a.reason}}
}

// proveByGraph proves termination: the transition system of a graph terminates. A
// program with recursion is also tried as one in which that is loops: first, if it has
// all of the program in it, and last, if it is made of the skeleton.
func (r *run) proveByGraph(ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase) {
	if !recursion.Is(m) {
		return r.graphOf(ctx, m)
	}
	var phases []Phase
	loops := recursion.ToLoops(m)
	whole := !recursion.Is(loops)
	if whole {
		v, more := r.graphOf(ctx, loops)
		if phases = more; decided(v) || ctx.Err() != nil {
			return v, phases
		}
	}
	v, more := r.graphOf(ctx, m)
	if phases = append(phases, more...); decided(v) || ctx.Err() != nil || whole {
		return v, phases
	}
	s, accesses := skeleton.Of(m)
	if s == nil {
		return v, phases
	}
	if loops = recursion.ToLoops(s); recursion.Is(loops) {
		return v, phases
	}
	w, more := r.graphOf(ctx, loops)
	phases = append(phases, more...)
	if t, ok := w.(verdict.True); ok {
		return withoutMemory(t, accesses), phases
	}
	return v, phases
}

// graphOf is proveByGraph of a program as it is.
func (r *run) graphOf(ctx context.Context, m *ir.Module) (verdict.Verdict, []Phase) {
	var a symbolicAnswer
	for _, split := range []bool{false, true} {
		b := symex.Build(ctx, m, symex.Options{System: true, SplitUnequal: split})
		if a.stuck(&b) {
			break
		}
		begin := time.Now()
		answer, err := termination.Decide(ctx, b.Graph.System, termination.Options{})
		a.phases = append(a.phases, Phase{"termination of the graph", time.Since(begin)})
		if err != nil {
			a.reason = verdict.Reason{Cause: verdict.CauseSolver, Text: err.Error()}
			break
		}
		if t, ok := answer.(termination.Terminates); ok {
			b.Graph.Argument = t.Argument
			a.certify(ctx, r, m, &b, graph.Options{Termination: true})
			if t, ok := a.verdict.(verdict.True); ok {
				t.Unclean = r.excludingByGraph(ctx, m, t.Unclean)
				a.verdict = t
			}
			break
		}
		a.reason = verdict.Reason{Cause: verdict.CauseInexact, Text: "symbolic execution graph: no ranking argument was found for its transition system"}
		if ctx.Err() != nil {
			break
		}
	}
	return a.orUnknown(ctx), a.phases
}
