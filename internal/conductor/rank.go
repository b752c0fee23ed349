package conductor

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/engines/bitranking"
	"assay/internal/evidence/verdict"
	"assay/internal/integers/termination"
	"assay/internal/models/integerize"
	"assay/internal/program/ir"
	"assay/internal/run/pause"
	"assay/internal/run/schedule"
	"assay/internal/transform/cut"
	"assay/internal/transform/recursion"
	"assay/internal/transform/skeleton"
)

const (
	// hintTime is how long ranking functions are looked for over the mathematical integers,
	// hintWait how long those on the bit-vectors wait for that.
	hintTime = 5 * time.Second
	hintWait = 500 * time.Millisecond
)

// rank proves termination by ranking functions of the loops, of the program or of its
// skeleton, which has no memory.
func (r *run) rank(ctx context.Context, m *ir.Module) Reply {
	a := r.rankLoops(ctx, m)
	if decided(a.Verdict) || ctx.Err() != nil {
		return a
	}
	s := skeleton.Of(ctx, m)
	if s == nil {
		return a
	}
	b := r.rankLoops(ctx, s.Module)
	a.Stats.add(&b.Stats)
	if t, ok := b.Verdict.(verdict.True); ok {
		a.Verdict = s.Proof(t)
	}
	return a
}

// rankLoops finds ranking functions. Those that rank the program over the
// mathematical integers are found soonest, and often rank it on the bit-vectors, too.
func (r *run) rankLoops(ctx context.Context, m *ir.Module) Reply {
	begin := time.Now()
	integers := schedule.Engine[Reply]{Name: "over the integers", Limit: hintTime, Run: func(ctx context.Context) Reply {
		var ranked Ranked
		defer func() {
			r.board.publish(ctx, m, Post{Fact: ranked, By: "integers", Worth: Proved, Under: "over the mathematical integers"})
		}()
		loops := recursion.Loops(ctx, m)
		p, err := r.translate(ctx, loops.Module, integerize.Integers)
		if err != nil {
			return Reply{}
		}
		a, err := termination.Decide(ctx, p.System, termination.Options{Uncertified: true})
		if err != nil {
			return Reply{}
		}
		switch a := a.(type) {
		case termination.Terminates:
			ranked = Ranked{Ends: true, Hints: hintsOf(p, a)}
		case termination.Diverges:
			if !loops.Changed() {
				ranked.Endless = &endlessIntegers{program: p, recurrence: a.Recurrence}
			}
		}
		return Reply{}
	}}
	machine := schedule.Engine[Reply]{Name: "on machine integers", Run: func(ctx context.Context) Reply {
		over, found := await[Ranked](ctx, r.board, m, hintWait)
		a := Reply{Stats: phases([]Phase{{"ranking over the integers", time.Since(begin)}})}
		b := r.ranked(ctx, ctx, m, over.Hints)
		a.Verdict = b.Verdict
		a.Stats.add(&b.Stats)
		if !found && !decided(b.Verdict) && ctx.Err() == nil {
			if over, _ = await[Ranked](ctx, r.board, m, 0); len(over.Hints) > 0 {
				b = r.ranked(ctx, ctx, m, over.Hints)
				a.Verdict = b.Verdict
				a.Stats.add(&b.Stats)
			}
		}
		if !decided(a.Verdict) {
			a.Hopeless = true // more hints would not help
		}
		return a
	}}
	result := schedule.Run(ctx, []schedule.Engine[Reply]{integers, machine}, func(a Reply) schedule.Side {
		if a.Hopeless {
			return schedule.Stuck
		}
		return a.side()
	})
	out := result.Outcomes[1].Answer
	out.Hopeless = false
	return out
}

// unranked notes loops for which no ranking functions are known. What another look, at the program or one made of it,
// has left open, too, stays open.
func (r *run) unranked(loops []*cut.Loop) {
	r.said.mu.Lock()
	defer r.said.mu.Unlock()
	both := slices.DeleteFunc(slices.Clone(r.said.loops), func(x *cut.Loop) bool {
		return !slices.ContainsFunc(loops, func(y *cut.Loop) bool { return x.Func.Name == y.Func.Name && x.Pos() == y.Pos() })
	})
	if len(both) == 0 {
		both = loops
	}
	r.said.loops = both
}

// hintsOf are the ranking functions and invariants of an argument for the integer
// transition system.
func hintsOf(p *integerize.Program, t termination.Terminates) (hints []bitranking.Hint) {
	for _, l := range p.Argument(t.Argument) {
		hints = append(hints, bitranking.Hint{Func: l.Func.Name, Head: l.Head, Functions: l.Functions, Predicates: l.Predicates})
	}
	return hints
}

// ranked is rank with hints of another engine, which may be nil; check is the context of the check.
func (r *run) ranked(ctx, check context.Context, m *ir.Module, hints []bitranking.Hint) (a Reply) {
	prove := bitranking.Prove
	if r.Fair {
		prove = bitranking.ProveFair
	}
	p := prove(ctx, m, hints)
	a.Stats.Phases = []Phase{{"ranking", p.Stats.Time}}
	no := func(cause verdict.Cause, err error) Reply {
		reason := verdict.Reason{Cause: cause, Text: err.Error()}
		var unranked *bitranking.ErrUnranked
		var uncut *cut.ErrUncut
		var stuck *bitranking.ErrStuck
		switch {
		case ctx.Err() != nil:
			return a // the unwinding says so
		case errors.As(err, &unranked):
			reason.Func, reason.Pos = unranked.Func, unranked.Pos
			reason.Hint = "if the loop ends for some inputs only, say which (__VERIFIER_assume, --assume)"
		case errors.As(err, &uncut):
			reason.Func, reason.Pos = uncut.Func, uncut.Pos
		case errors.As(err, &stuck):
			reason.Func, reason.Pos = stuck.Func, stuck.Pos
		}
		a.Verdict = verdict.Unknown{Reasons: []verdict.Reason{reason}}
		return a
	}
	if p.Proof == nil {
		r.unranked(p.Open)
		return no(verdict.CauseUnranked, p.Why)
	}
	if r.Options.Uncertified {
		a.Verdict = verdict.True{Certificate: verdict.Unchecked{Why: "certification is off"}, Unclean: p.Unclean}
		return a
	}
	// Another engine may be checking its proof, most often the same one.
	pause.Wait(check)
	own, resume := pause.Others(check)
	defer resume()
	begin := time.Now()
	checker, err := accept.Program(own, &verdict.Claim{Program: m, Evidence: p.Proof, Fair: r.Fair, Solver: verdict.CaDiCaL})
	a.Stats.Phases = append(a.Stats.Phases, Phase{"its certificate", time.Since(begin)})
	if err != nil {
		return no(verdict.CauseUncertified, fmt.Errorf("ranking functions were found, but not accepted: %w", err))
	}
	p.Proof.Checker = checker
	begin = time.Now()
	loops := recursion.Loops(check, m).Module
	unclean := r.excluding(own, loops, p.Unclean, func(ctx context.Context, claim *verdict.Claim) error {
		claim.Evidence = &verdict.Induction{K: p.Proof.K, Heads: p.Proof.Heads}
		_, err := accept.Program(ctx, claim)
		return err
	})
	a.Stats.Phases = append(a.Stats.Phases, Phase{"which overflows it excludes", time.Since(begin)})
	a.Verdict = verdict.True{Certificate: p.Proof, Unclean: unclean}
	return a
}
