package induction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/absint"
	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/smt"
	"assay/internal/term"
	"assay/internal/verdict"
)

// Options say what to prove, and with what.
type Options struct {
	// Targets are the kinds of events that must not happen; Disputed those of
	// which it is disputed whether the property excludes them: a proof does.
	Targets, Disputed []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// MaxK bounds k; 0 is 8.
	MaxK int
	// Runs is the program to look at runs of, if it is not the program itself:
	// with the same functions, blocks and values.
	Runs *ir.Module
}

// Stats count the work. Under one thread the counts depend on the program and the
// options only, unless the search is stopped from outside.
type Stats struct {
	K          int
	Candidates int // that were tried
	Kept       int // that the proof needs
	Rounds     int // improvements of template parameters
	Checks     int64
	Conflicts  int64
	Clauses    int64
	Time       time.Duration
}

// Result is a proof, or what is in its way.
type Result struct {
	// Proof is nil if there is none.
	Proof *verdict.Induction
	// Unclean are guards of undefined behaviour outside of the property that may
	// be broken.
	Unclean []verdict.Guard
	// Why says what is missing, if there is no proof.
	Why   error
	Stats Stats
}

// errNoProof is the end of the search at MaxK.
var errNoProof = errors.New("not inductive with the invariants found")

// Prove searches for a proof, with greater and greater k. The certificate has
// not been checked by anybody else.
func Prove(ctx context.Context, m *ir.Module, o Options) (r Result) {
	begin := time.Now()
	defer func() { r.Stats.Time = time.Since(begin) }()
	if o.Label == "" {
		o.Label = "ERROR"
	}
	if o.MaxK == 0 {
		o.MaxK = 8
	}
	p := &prover{m: m, o: o, stats: &r.Stats}
	var err error
	if p.loops, err = Loops(m); err == nil && len(p.loops) == 0 {
		err = errors.New("there is no loop")
	}
	if err == nil {
		err = p.prepare(ctx)
	}
	if err != nil {
		r.Why = err
		return r
	}
	for k := 1; k <= o.MaxK; k += max(1, k/2) {
		r.Stats.K = k
		proof, unclean, err := p.run(ctx, k)
		if proof != nil {
			r.Proof, r.Unclean = proof, unclean
			return r
		}
		if !errors.Is(err, errNoProof) {
			r.Why = err
			return r
		}
	}
	r.Why = errNoProof
	return r
}

// prover is the work on one program.
type prover struct {
	m      *ir.Module
	o      Options
	loops  []*Loop
	places map[*Loop][]place
	bases  map[*Loop][]ir.Value
	at     map[*Loop]*states
	// ranged are the candidates with ranges.
	ranged []Candidate
	// all are the candidates of the first k; kept what was found to be inductive,
	// which it is for greater k, too.
	all, kept []Candidate
	stats     *Stats
}

// prepare collects candidates, and states of real runs.
func (p *prover) prepare(ctx context.Context) error {
	facts, err := absint.Analyze(ctx, p.m, absint.Options{Asked: p.o.Targets})
	if err != nil {
		return err
	}
	all := append(fromLadder(p.m, facts, p.loops), Candidates(p.m, p.loops)...)
	ranged := segments(p.m, facts, p.loops)
	p.places, p.bases = interesting(append(slices.Clone(all), ranged...)), bases(ranged)
	runs := p.m
	if p.o.Runs != nil {
		runs = p.o.Runs
	}
	p.at = sample(ctx, runs, p.loops, p.o.Targets, p.places, ranged)
	p.ranged = unbroken(ranged, p.at)
	for _, l := range p.loops {
		all = append(all, equations(l, p.at[l])...)
	}
	p.all = distinct(filter(all, p.at))
	p.all = slices.DeleteFunc(p.all, func(c Candidate) bool { return isAffine(&c.Predicate) })
	p.stats.Candidates = len(p.all) + len(p.ranged)
	return nil
}

// distinct drops repetitions.
func distinct(candidates []Candidate) []Candidate {
	type key struct {
		l    *Loop
		text string
	}
	seen := map[key]bool{}
	var out []Candidate
	for _, c := range candidates {
		k := key{c.Loop, c.Predicate.Text(func(t invariant.Term) string { return fmt.Sprint(t.Value, t.Cell, t.Signed) })}
		if !seen[k] {
			seen[k] = true
			out = append(out, c)
		}
	}
	return out
}

// run tries one k.
func (p *prover) run(ctx context.Context, k int) (*verdict.Induction, []verdict.Guard, error) {
	f, err := newFormula(ctx, p.m, p.o, k, p.loops, p.places, p.bases, p.ranged, p.stats)
	if err != nil {
		return nil, nil, err
	}
	defer f.close()
	bad := f.stuck
	for _, key := range f.order {
		bad = f.st.Or(bad, f.violated(key))
	}
	on, proved, err := p.search(ctx, f, k, bad)
	if err != nil {
		return nil, nil, err
	}
	if !proved {
		return nil, nil, errNoProof
	}
	need, err := f.needed(ctx, bad, on)
	if err != nil {
		return nil, nil, err
	}
	p.stats.Kept = len(need)
	proof := &verdict.Induction{K: k}
	for _, l := range p.loops {
		h := invariant.Head{Func: l.Func.Name, Head: l.Head, Pos: l.Pos()}
		for _, r := range need {
			if r.Loop == l {
				h.Predicates = append(h.Predicates, r.Predicate)
			}
		}
		proof.Heads = append(proof.Heads, h)
	}
	return proof, f.unclean(ctx, on), nil
}

// proofConflicts bounds a try while more can be found.
const proofConflicts = 10000

// search finds rules, the cheap ones first, until they exclude what is bad. For
// greater k it takes what was found before: that is inductive for those, too.
func (p *prover) search(ctx context.Context, f *formula, k int, bad term.ID) (on []*rule, proved bool, err error) {
	if k > 1 {
		for _, c := range p.kept {
			on = append(on, f.add(c))
		}
		proved, err = f.proves(ctx, on, bad, 0)
		return on, proved, err
	}
	defer func() {
		p.kept = nil
		for _, r := range on {
			p.kept = append(p.kept, r.Candidate)
		}
	}()
	steps := []func(context.Context, *formula, []*rule) ([]*rule, error){
		func(context.Context, *formula, []*rule) ([]*rule, error) { return nil, nil },
		p.affine, p.greatest, p.quantified, p.affineByCases,
	}
	for i, find := range steps {
		limit := int64(proofConflicts)
		if i == len(steps)-1 {
			limit = 0
		}
		if on, err = find(ctx, f, on); err != nil {
			return on, false, err
		}
		if proved, err = f.proves(ctx, on, bad, limit); proved || err != nil {
			return on, proved, err
		}
	}
	return on, false, nil
}

// proves says whether the rules, which are inductive, exclude something; false if
// that takes more conflicts than the limit, where 0 is none.
func (f *formula) proves(ctx context.Context, on []*rule, bad term.ID, limit int64) (bool, error) {
	f.solver.SetConflictLimit(limit)
	defer f.solver.SetConflictLimit(0)
	status, err := f.check(ctx, append(f.given(on, f.order), bad)...)
	if limited(err) {
		err = nil
	}
	return status == smt.Unsat, err
}

// needed reduces rules to some that prove what is asked and each other: those
// in the core of the proof, those in the core of theirs, and so on.
func (f *formula) needed(ctx context.Context, bad term.ID, on []*rule) ([]*rule, error) {
	byFlag := map[term.ID]*rule{}
	for _, r := range on {
		byFlag[r.flag] = r
	}
	have := map[*rule]bool{}
	for goal := bad; ; {
		status, err := f.check(ctx, append(f.given(on, f.order), goal)...)
		if err != nil {
			return nil, err
		}
		if status != smt.Unsat {
			panic("induction: a proof does not repeat")
		}
		grown := false
		for _, t := range f.solver.Core() {
			if r := byFlag[t]; r != nil && !have[r] {
				have[r], grown = true, true
			}
		}
		if !grown {
			break
		}
		goal = f.st.False()
		for _, r := range on {
			if have[r] {
				goal = f.st.Or(goal, r.broken)
			}
		}
	}
	var out []*rule
	for _, r := range on {
		if have[r] {
			out = append(out, r)
		}
	}
	return f.minimal(ctx, bad, out)
}

// minimal leaves out one rule after the other, as long as the rest still
// proves what is asked and itself.
func (f *formula) minimal(ctx context.Context, bad term.ID, set []*rule) ([]*rule, error) {
	f.solver.SetConflictLimit(oneConflicts)
	defer f.solver.SetConflictLimit(0)
	for k := len(set) - 1; k >= 0; k-- {
		rest := append(append([]*rule(nil), set[:k]...), set[k+1:]...)
		goal := bad
		for _, r := range rest {
			goal = f.st.Or(goal, r.broken)
		}
		status, err := f.check(ctx, append(f.given(rest, f.order), goal)...)
		if err != nil && !limited(err) {
			return nil, err
		}
		if status == smt.Unsat {
			set = rest
		}
	}
	return set, nil
}

// unclean lists the guards of undefined behaviour that are not excluded.
func (f *formula) unclean(ctx context.Context, on []*rule) []verdict.Guard {
	var out []verdict.Guard
	seen := map[verdict.Guard]bool{}
	given := f.given(on, f.order)
	f.solver.SetConflictLimit(2000)
	defer f.solver.SetConflictLimit(0)
	for _, x := range f.f.Unclean {
		if seen[x.Guard] || f.st.IsFalse(x.Cond) {
			continue
		}
		if status, err := f.check(ctx, append(given[:len(given):len(given)], x.Cond)...); err != nil || status != smt.Unsat {
			seen[x.Guard] = true
			out = append(out, x.Guard)
		}
	}
	return out
}
