package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/symex"
	"assay/internal/evidence/verdict"
	"assay/internal/integers/termination"
	"assay/internal/program/ir"
	"assay/internal/run/pause"
	"assay/internal/transform"
	"assay/internal/transform/recursion"
	"assay/internal/transform/skeleton"
)

// This file runs symbolic execution graphs: for properties of memory and
// assertions, and for termination. An answer is true or nothing.

// GraphKinds are the violations that a graph is asked to exclude: for others the
// instructions have guards that package symex does not look at, or are numbers its business least of all.
var GraphKinds = []ir.CheckKind{
	ir.Assertion, ir.ErrorLabel, ir.InvalidDeref, ir.InvalidFree, ir.MemTrack, ir.MemCleanup,
}

// furtherKinds are violations that a graph can exclude, too.
var furtherKinds = []ir.CheckKind{
	ir.Overflow, ir.ShiftOverflow, ir.ShiftRange, ir.DivByZero,
	ir.ReachedUnreachable, ir.FloatConversion, ir.Precondition, ir.Incompatible, ir.ArrayLength,
}

// execute proves by a graph that no target is violated.
func (r *run) execute(ctx context.Context, m *ir.Module) Reply {
	return r.executeWith(ctx, m, symex.AllValues)
}

// executeWith does so with what is said of integers in nodes of lists and trees.
func (r *run) executeWith(ctx context.Context, m *ir.Module, values symex.Values) (a Reply) {
	targets := slices.Concat(r.Targets, r.Disputed)
	memory := slices.ContainsFunc(targets, func(k ir.CheckKind) bool { return slices.Contains(GraphKinds, k) })
	for _, k := range targets {
		if slices.Contains(furtherKinds, k) && (memory || r.Vectors != nil) {
			continue // these alone, without a command line, others prove in less time
		}
		if !slices.Contains(GraphKinds, k) {
			return unknown(verdict.Reason{Cause: verdict.CauseUnsupported, Text: "symbolic execution graphs do not decide checks of the kind " + k.String()})
		}
	}
	label := r.Label
	if label == "" {
		label = "ERROR"
	}
	itself := m == r.Module // who asks about another has other ways
	if r.Vectors != nil && itself {
		m = r.Vectors
		defer func() { a.About = m }()
	}
	b := symex.Build(ctx, m, symex.Options{Targets: targets, Label: label, Values: values, Partition: itself})
	if reason, stuck := obstacle(&b); stuck {
		return noGraph(ctx, reason)
	}
	return r.certifyGraph(ctx, m, &b, &verdict.Claim{Targets: targets, Label: label})
}

// obstacle is why there is no proof.
func obstacle(b *symex.Result) (reason verdict.Reason, stuck bool) {
	switch {
	case b.Obstacle != nil:
		reason = verdict.Reason{Cause: verdict.CauseUnsupported, Func: b.Obstacle.Func, Pos: b.Obstacle.Pos, Text: "symbolic execution graph: " + b.Obstacle.Text, Hint: boundIt}
		if b.Obstacle.Stopped {
			reason.Cause = verdict.CauseTimeout
		}
	case len(b.Suspects) > 0:
		s := &b.Suspects[0]
		reason = verdict.Reason{Cause: verdict.CauseInexact, Func: s.Func, Pos: s.Pos, Text: "symbolic execution graph: " + s.Text}
	default:
		return reason, false
	}
	return reason, true
}

// noGraph is the reply without proof.
func noGraph(ctx context.Context, reason verdict.Reason) Reply {
	if ctx.Err() != nil {
		reason = verdict.Stopped(ctx, "symbolic execution graph")
	}
	return unknown(reason)
}

// certifyGraph has the graph checked and makes the verdict.
func (r *run) certifyGraph(ctx context.Context, m *ir.Module, b *symex.Result, claim *verdict.Claim) (a Reply) {
	t := verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: unclean(ctx, m, b, claim)}
	if r.Options.Uncertified {
		return Reply{Verdict: t}
	}
	pause.Wait(ctx)
	begin := time.Now()
	certificate := &verdict.SymbolicGraph{Graph: b.Graph}
	claim.Program, claim.Evidence, claim.Solver = m, certificate, verdict.CaDiCaL
	checker, err := accept.Program(ctx, claim)
	if err != nil {
		reason := verdict.Reason{Cause: verdict.CauseUncertified, Text: fmt.Sprintf("a symbolic execution graph was found, but not accepted: %v", err)}
		var refused *verdict.Refused
		if errors.As(err, &refused) {
			reason.Func, reason.Pos = refused.Func, refused.Pos
		}
		a = noGraph(ctx, reason)
	} else {
		certificate.Checker = checker
		t.Certificate = certificate
		a.Verdict = t
	}
	a.Stats.Phases = []Phase{{"certificate of the graph", time.Since(begin)}}
	return a
}

// anywhere is the text of a guard that stands for all of its kind.
const anywhere = "any: it is not known where"

// unclean lists undefined behaviour outside of the property that is not
// excluded: the first on each run.
func unclean(ctx context.Context, m *ir.Module, b *symex.Result, o *verdict.Claim) []verdict.Guard {
	var out []verdict.Guard
	add := func(ss []symex.Suspect) {
		for _, s := range ss {
			if s.Kind.Undefined() && !slices.Contains(o.Targets, s.Kind) {
				out = append(out, verdict.Guard{Kind: s.Kind, Text: s.Text, Func: s.Func, Pos: s.Pos})
			}
		}
	}
	others := []ir.CheckKind{ir.Overflow, ir.ShiftRange, ir.DivByZero, ir.FloatConversion, ir.Precondition, ir.ReachedUnreachable, ir.Incompatible, ir.ArrayLength}
	with := symex.Build(ctx, m, symex.Options{Targets: slices.Concat(o.Targets, others), Label: o.Label, Like: b})
	add(b.Unclean)
	add(with.Suspects)
	if with.Obstacle != nil {
		out = append(out, verdict.Guard{Kind: ir.Overflow, Text: anywhere, Func: with.Obstacle.Func, Pos: with.Obstacle.Pos})
	}
	return out
}

// proveByGraph proves termination: the transition system of a graph terminates. A
// program with recursion is also tried as one in which that is loops: first, if it has
// all of the program in it, and last, if it is made of the skeleton.
func (r *run) proveByGraph(ctx context.Context, m *ir.Module) (reply Reply) {
	if r.Vectors != nil && m == r.Module {
		m = r.Vectors
		defer func() { reply.About = m }()
	}
	if !recursion.Is(m) {
		return r.graphOf(ctx, m)
	}
	var all Stats
	loops := recursion.Loops(ctx, m)
	whole := !recursion.Is(loops.Module)
	try := func(m *ir.Module) Reply {
		a := r.graphOf(ctx, m)
		all.add(&a.Stats)
		a.Stats = all
		return a
	}
	if whole {
		if a := try(loops.Module); decided(a.Verdict) || ctx.Err() != nil {
			return a
		}
	}
	a := try(m)
	if decided(a.Verdict) || ctx.Err() != nil || whole {
		return a
	}
	s := skeleton.Of(ctx, m)
	if s == nil {
		return a
	}
	s = s.Then(func(m *ir.Module) *transform.Program { return recursion.Loops(ctx, m) })
	if recursion.Is(s.Module) {
		return a
	}
	if b := try(s.Module); decided(b.Verdict) {
		b.Verdict = s.Proof(b.Verdict.(verdict.True))
		return b
	}
	a.Stats = all
	return a
}

// graphOf is proveByGraph of a program as it is.
func (r *run) graphOf(ctx context.Context, m *ir.Module) Reply {
	var times []Phase
	var reason verdict.Reason
	for _, split := range []bool{false, true} {
		b := symex.Build(ctx, m, symex.Options{System: true, SplitUnequal: split})
		var stuck bool
		if reason, stuck = obstacle(&b); stuck {
			break
		}
		begin := time.Now()
		answer, err := termination.Decide(ctx, b.Graph.System, termination.Options{Accept: accept.IntegerSystem})
		times = append(times, Phase{"termination of the graph", time.Since(begin)})
		if err != nil {
			reason = verdict.Reason{Cause: verdict.CauseSolver, Text: err.Error()}
			break
		}
		if t, ok := answer.(termination.Terminates); ok {
			b.Graph.Argument = t.Argument
			a := r.certifyGraph(ctx, m, &b, &verdict.Claim{Ends: true})
			if t, ok := a.Verdict.(verdict.True); ok {
				t.Unclean = r.excludingByGraph(ctx, m, t.Unclean)
				a.Verdict = t
			}
			a.Stats.Phases = append(times, a.Stats.Phases...)
			return a
		}
		reason = verdict.Reason{Cause: verdict.CauseInexact, Text: "symbolic execution graph: no ranking argument was found for its transition system"}
		if ctx.Err() != nil {
			break
		}
	}
	a := noGraph(ctx, reason)
	a.Stats.Phases = times
	return a
}
