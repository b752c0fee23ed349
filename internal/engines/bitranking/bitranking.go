// Package bitranking proves that programs end, by lexicographic ranking
// functions of their loops that are exact for machine integers [2LS §6.2].
//
// # The argument
//
// Every loop has functions f1..fn of the values at its head, over the integers: a
// value of w bits is read signed or unsigned, and nothing wraps. At a back edge of the
// loop let x be the values that the iteration began with, and y those of the
// iteration before, in the same execution of the loop. The loop is ranked if, whenever
// there is a y,
//
//	(R) f_i(x) < f_i(y) for some i, and f_j(x) <= f_j(y) for all j < i.
//
// A sequence of tuples of numbers of bounded width cannot do that for ever, so no
// execution of the loop takes infinitely many back edges. That holds for all loops of all
// functions, and the calls are nested to a bounded depth, so there is no infinite
// run: an infinite tree of activations would have one that makes infinitely many
// steps, or an infinite path.
//
// Where we depart from [2LS §6.2]: the functions are compared at back edges, not at
// heads, so that what is compared has passed the condition of the loop twice; they need
// no bound from below, because machine integers have one; and they may have
// cases.
//
// # Fair termination
//
// ProveFair shows that no run executes ir.Accept infinitely often. A loop that executes no
// Accept, in none of its functions, needs no argument then. For the others, where no Accept
// was executed between the visits of the head with y and with x, it suffices that no f_i
// changes:
//
//	(F) (R), or no Accept was executed and f_i(x) = f_i(y) for all i.
//
// An execution of the loop that does not end, and whose head is visited infinitely often,
// then has finitely many visits with an Accept since the one before. An infinite run has an
// activation that makes infinitely many steps, and in it a loop that holds all blocks that it
// visits infinitely often, and its head among these; from some time on it executes Accept
// in this loop only, so finitely often.
//
// # How it is proved
//
// The program gets variables for y (instrument.go) and its loops are cut (package
// induction), with invariants from the candidates found there. In the one formula
// of all loops every back edge is a place at which x and y can be read off models.
// The functions of a loop are searched by counterexamples (search.go): each in turn
// must not increase on any pair (y, x) that those before leave equal, and decrease on
// some. Candidates come from a pool (pool.go), and from a linear program on the pairs
// seen (linear.go); pairs come from runs of the interpreter first (sample.go), then
// from models. The cost is that of some queries for each loop; the solver
// chooses the paths.
package bitranking

import (
	"context"
	"errors"
	"fmt"
	"time"

	"assay/internal/engines/inference"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/run/pause"
	"assay/internal/transform/cut"
	"assay/internal/transform/recursion"
)

// Stats count the work.
type Stats struct {
	Loops      int
	Invariants int // that were assumed at last
	Queries    int64
	Time       time.Duration
}

// Result is a proof, or what is in its way.
type Result struct {
	// Proof is nil if there is none. It has not been checked independently.
	Proof *verdict.Ranking
	// Unclean are guards of undefined behaviour that may be broken.
	Unclean []verdict.Guard
	// Why says what is missing, if there is no proof.
	Why error
	// Open are then the loops without functions, if some were looked for.
	Open  []*cut.Loop
	Stats Stats
}

// ErrUnranked says that no functions were found for a loop.
type ErrUnranked struct {
	Func string
	Pos  ir.Pos
}

func (e *ErrUnranked) Error() string { return "no ranking function was found for the loop" }

// ErrStuck says that some run gets to where the formula has no meaning.
type ErrStuck struct {
	Func string
	Pos  ir.Pos
	Text string
}

func (e *ErrStuck) Error() string { return e.Text }

// errNoLoop is for programs that other engines decide.
var errNoLoop = errors.New("there is no loop")

// Prove searches ranking functions for all loops.
//
// Hints, which may be nil, are for the loops of recursion.ToLoops(m).
func Prove(ctx context.Context, m *ir.Module, hints []Hint) Result {
	return rank(ctx, m, hints, false)
}

// ProveFair searches ranking functions for all loops that may execute ir.Accept, such that
// no run does so infinitely often.
func ProveFair(ctx context.Context, m *ir.Module, hints []Hint) Result {
	return rank(ctx, m, hints, true)
}

func rank(ctx context.Context, m *ir.Module, hints []Hint, fair bool) (r Result) {
	begin := time.Now()
	defer func() { r.Stats.Time = time.Since(begin) }()
	original := m
	m = recursion.Loops(ctx, m).Module
	if f := recursion.Left(m); f != nil {
		r.Why = &ErrStuck{f.Name, f.Pos, fmt.Sprintf("the recursion of %s has no ranking argument", f.Name)}
		return r
	}
	loops, err := cut.Loops(m)
	if err != nil {
		r.Why = err
		return r
	}
	if len(loops) == 0 {
		r.Why = errNoLoop
		return r
	}
	p, err := instrument(m, loops, hints, fair)
	if err != nil {
		r.Why = err
		return r
	}
	r.Stats.Loops = len(loops)
	// Hints are mostly right, and looking is short: the other engines rest meanwhile. One of them may be
	// checking its proof.
	all, resume := ctx, func() {}
	if len(hints) > 0 {
		pause.Wait(ctx)
		ctx, resume = pause.Others(ctx)
	}
	defer func() { resume() }()
	p.sample(ctx)
	facts, err := absint.Analyze(ctx, m, absint.Options{})
	if err != nil {
		r.Why = err
		return r
	}
	// A hint is a question or two for each loop. Most loops need no more than what
	// abstract interpretation knows, and functions from the pool.
	for _, s := range []stage{{hints: true}, {}, {hints: true, guess: true}} {
		if s.hints && !s.guess && len(hints) == 0 {
			continue
		}
		q := &inference.Question{Module: m, Loops: loops, Inside: p.m, InsideLoops: p.loops, Targets: []ir.CheckKind{ir.Decrease}, Observed: p.observed}
		if s.hints {
			q.Suggested = suggested(hints, loops)
		}
		p.stage = s
		done, err := p.tries(ctx, q, facts, &r)
		resume()
		ctx = all
		r.Why = err
		if done {
			break
		}
	}
	if r.Proof == nil {
		for i, l := range p.original {
			if !p.ranked[i].done && !p.ranked[i].needless {
				r.Open = append(r.Open, l)
			}
		}
	}
	if r.Proof != nil {
		r.Proof.Program = m
		for i := range r.Proof.Loops {
			l := &r.Proof.Loops[i]
			l.Recursion = recursion.IsLoop(original, m.Func(l.Func), l.Head)
		}
	}
	return r
}

// stage says what is tried: functions and invariants of the hints, and with guess
// invariants that are guessed. Hints alone are all that is tried in their stage.
type stage struct{ hints, guess bool }

// tries makes the formula and searches for a proof, with more and more
// invariants. It is done if there is one, or cannot be found with others.
func (p *program) tries(ctx context.Context, q *inference.Question, facts *absint.Facts, r *Result) (done bool, err error) {
	s, err := inference.Open(ctx, q, facts, p.stage.guess)
	if err != nil {
		return true, err
	}
	defer s.Close()
	defer func() { r.Stats.Queries += s.Queries() }()
	for {
		r.Stats.Invariants = s.Rules()
		proof, unclean, err := p.attempt(ctx, s)
		if proof != nil {
			r.Proof, r.Unclean = proof, unclean
			return true, nil
		}
		var unranked *ErrUnranked
		if !errors.As(err, &unranked) {
			return true, err
		}
		more, stop := s.Strengthen(ctx)
		if stop != nil {
			return true, stop
		}
		if !more {
			return false, err
		}
	}
}

// attempt searches functions for the loops that have none yet.
func (p *program) attempt(ctx context.Context, s *inference.Session) (*verdict.Ranking, []verdict.Guard, error) {
	if err := p.stuck(ctx, s); err != nil {
		return nil, nil, err
	}
	marks := p.marks(s)
	var failed error
	for i := range p.ranked {
		if p.ranked[i].done {
			continue
		}
		ok, err := p.search(ctx, s, i, marks[i])
		if err != nil {
			return nil, nil, err
		}
		if !ok && failed == nil {
			failed = &ErrUnranked{p.original[i].Func.Name, p.original[i].Pos()}
		}
	}
	if failed != nil {
		return nil, nil, failed
	}
	st := s.Store()
	bad := s.Stuck()
	for i := range p.ranked {
		for _, k := range marks[i] {
			bad = st.Or(bad, st.And(k.cond, st.Not(k.decreases(st, p.ranked[i].places, p.ranked[i].functions))))
		}
	}
	status, err := s.Check(ctx, bad)
	if err != nil {
		return nil, nil, err
	}
	if status != smt.Unsat {
		// Functions found under the first candidates need them.
		for i := range p.ranked {
			p.ranked[i].done = p.ranked[i].needless
		}
		return nil, nil, &ErrUnranked{p.original[0].Func.Name, p.original[0].Pos()}
	}
	heads, err := s.Needed(ctx, bad)
	if err != nil {
		return nil, nil, err
	}
	return p.certificate(heads), s.Unclean(ctx), nil
}

// stuck asks whether a run gets to where the formula has no meaning.
func (p *program) stuck(ctx context.Context, s *inference.Session) error {
	status, err := s.Check(ctx, s.Stuck())
	if err != nil || status == smt.Unsat {
		return err
	}
	f := s.Formula()
	for _, l := range f.Limits {
		if s.Solver().Value(l.Cond).IsTrue() {
			return &ErrStuck{l.Loop.Func, l.Pos, fmt.Sprintf("the recursion of %s is not bounded", l.Loop.Func)}
		}
	}
	for _, o := range f.Obstacles {
		if !o.OverApproximated && s.Solver().Value(o.Cond).IsTrue() {
			return &ErrStuck{o.Reason.Func, o.Reason.Pos, o.Reason.Text}
		}
	}
	return &ErrStuck{Text: "a run gets to where it is not followed"}
}

// certificate puts the proof together.
func (p *program) certificate(heads []invariant.Head) *verdict.Ranking {
	proof := &verdict.Ranking{K: 1, Heads: heads, Fair: p.fair}
	for i, l := range p.original {
		if p.ranked[i].needless {
			continue
		}
		r := verdict.RankedLoop{Func: l.Func.Name, Head: l.Head, Pos: l.Pos()}
		for _, f := range p.ranked[i].functions {
			r.Functions = append(r.Functions, f.certificate(p.ranked[i].places))
		}
		proof.Loops = append(proof.Loops, r)
	}
	return proof
}
