package inference

import (
	"context"
	"slices"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/absint"
	"assay/internal/models/memory"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file lends the formula of a cut program, with the search for invariants,
// to engines that ask other questions than whether a check can fail.

// Question is what such an engine asks about.
type Question struct {
	// Module is the program, Loops its loops.
	Module *ir.Module
	Loops  []*cut.Loop
	// Inside is the program that is cut: Module with more instructions, of which
	// invariants say nothing. Its loops correspond to Loops.
	Inside      *ir.Module
	InsideLoops []*cut.Loop
	// Targets are kinds of checks of Inside; early ones are assumed. Observed are
	// the values that are recorded at them, by function.
	Targets  []ir.CheckKind
	Observed map[string]map[ir.Value][]ir.Value
	// Suggested are predicates of Loops to try with those of the abstract interpreter.
	Suggested []cut.Candidate
}

// Session is the formula for a question, with k = 1, in one incremental solver,
// under rules that are inductive. It belongs to one goroutine.
type Session struct {
	p     *Search
	f     *formula
	stats Stats
	on    []*rule
	// rest are ways to find more rules.
	rest []func(context.Context, *formula, []*rule) ([]*rule, error)
}

// Open makes the formula, under what abstract interpretation knows of the
// loops. With more, Strengthen can find more. The error is the context's, an
// *ErrUncut, or that of a solver.
func Open(ctx context.Context, q *Question, facts *absint.Facts, more bool) (*Session, error) {
	s := &Session{}
	s.p = &Search{m: q.Module, o: Options{Targets: q.Targets, Label: "ERROR"}, loops: q.Loops, stats: &s.stats}
	ladder := append(guess.OfHeads(q.Module, facts, q.Loops), q.Suggested...)
	s.p.places, s.p.known = guess.Places(ladder), ladder
	if more {
		if err := s.p.prepare(ctx); err != nil {
			return nil, err
		}
		// Without predicates about ranges of arrays.
		s.rest = append(s.rest, s.p.affine, s.p.greatest, s.p.affineByCases)
	}
	s.p.move(q, ladder)
	var err error
	if s.f, err = newFormula(ctx, q.Inside, s.p.o, 1, q.InsideLoops, s.p.places, nil, nil, &s.stats, q.Observed, false); err != nil {
		return nil, err
	}
	if s.on, err = s.f.greatest(ctx, ladder, nil, 1); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// move lets what is known of the loops of the module be known of those inside.
func (p *Search) move(q *Question, more []cut.Candidate) {
	to := map[*cut.Loop]*cut.Loop{}
	for i, l := range q.Loops {
		to[l] = q.InsideLoops[i]
	}
	places, at := map[*cut.Loop][]cut.Place{}, map[*cut.Loop]*guess.States{}
	for l, x := range p.places {
		places[to[l]] = x
	}
	for l, x := range p.at {
		at[to[l]] = x
	}
	p.places, p.at, p.m, p.loops = places, at, q.Inside, q.InsideLoops
	for _, cs := range [][]cut.Candidate{p.all, more} {
		for i := range cs {
			cs[i].Loop = to[cs[i].Loop]
		}
	}
}

// Strengthen finds more rules, false if it knows no way to.
func (s *Session) Strengthen(ctx context.Context) (bool, error) {
	if len(s.rest) == 0 {
		return false, nil
	}
	find := s.rest[0]
	s.rest = s.rest[1:]
	on, err := find(ctx, s.f, s.on)
	if err != nil {
		return false, err
	}
	s.on = on
	return true, nil
}

// Close gives the solver back.
func (s *Session) Close() { s.f.close() }

// Formula is that of the cut program, Store holds its terms.
func (s *Session) Formula() *ssa.Formula { return s.f.f }
func (s *Session) Store() *term.Store    { return s.f.st }

// Solver is the solver behind Check, for models and limits.
func (s *Session) Solver() smt.Solver { return s.f.solver }

// Stuck says that a run gets to where the formula has no meaning for it.
func (s *Session) Stuck() term.ID { return s.f.stuck }

// Seen is a check that fails at a place that is not early, with what is
// observed there.
type Seen struct {
	Cond     term.ID
	Text     string
	Observed []memory.Value
}

// Seen lists the checks of a kind.
func (s *Session) Seen(kind ir.CheckKind) []Seen {
	st := s.f.st
	var out []Seen
	for _, v := range s.f.f.Violations {
		if v.Guard.Kind != kind || v.Probe == 0 {
			continue
		}
		values := s.f.f.Probes[v.Probe-1].Values
		late := st.Eq(values[0].Bits, st.ConstU(8, 0))
		out = append(out, Seen{st.And(v.Cond, late), v.Guard.Text, values[1:]})
	}
	return out
}

// Check asks whether the terms can hold together, in runs under the rules.
func (s *Session) Check(ctx context.Context, ts ...term.ID) (smt.Status, error) {
	if slices.ContainsFunc(ts, s.f.st.IsFalse) {
		return smt.Unsat, nil
	}
	return s.f.check(ctx, append(s.f.given(s.on, s.f.held), ts...)...)
}

// Needed are rules that exclude bad, which all of them together do, and each
// other's failure.
func (s *Session) Needed(ctx context.Context, bad term.ID) ([]invariant.Head, error) {
	need, err := s.f.needed(ctx, bad, s.on)
	if err != nil {
		return nil, err
	}
	s.stats.Kept = len(need)
	return heads(s.p.loops, need), nil
}

// heads are loop heads with their rules.
func heads(loops []*cut.Loop, rules []*rule) []invariant.Head {
	var out []invariant.Head
	for _, l := range loops {
		h := invariant.Head{Func: l.Func.Name, Head: l.Head, Pos: l.Pos()}
		for _, r := range rules {
			if r.Loop == l {
				h.Predicates = append(h.Predicates, r.Predicate)
			}
		}
		out = append(out, h)
	}
	return out
}

// Unclean lists the guards of undefined behaviour that are not excluded.
func (s *Session) Unclean(ctx context.Context) []verdict.Guard { return s.f.unclean(ctx, s.on) }

// Queries counts the questions to the solver so far, Rules those that are on.
func (s *Session) Queries() int64 { return s.f.solver.Stats().Checks }
func (s *Session) Rules() int     { return len(s.on) }
