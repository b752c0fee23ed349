// Package inference finds invariants of programs whose loops and recursion are cut (package
// cut): package guess has candidates, and it asks a solver which of them hold on entering a loop
// and are kept by it, all together [2LS §5.1]. One incremental formula serves the search,
// and callers that ask further questions under what was found (session.go).
//
//	formula    formula, ranged, sums, orders: predicates as terms
//	search     search, houdini, rows, settle: the greatest set that is inductive
//	bounds     bounds, cases, guards, domain: rows whose bounds the solver raises
//	equations  strengthen, polynomials: affine and polynomial ones, from models
package inference

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/models/absint"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
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
	// Domains are the template domains whose rows are tried, 0 for all; Havoc is
	// none: the states at loop heads are arbitrary.
	Domains Domain
	Havoc   bool
	// Thorough goes on looking for predicates when there is a proof.
	Thorough bool
	// Refuted says which properties are refuted elsewhere, for ProveEach.
	Refuted func(verdict.Site) bool
	// Rows are rows of Polyhedra (ParseRow), instead of the suggested ones.
	Rows []string
	// Invariants, if set, is told the predicates that are inductive, together with
	// the property's checks, when they do not prove it for k = 1.
	Invariants func([]invariant.Head)
	// More, if set, gives candidates that others have found meanwhile; see more.go.
	More func() []invariant.Head
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

// ErrNoProof is the end of an attempt without a proof.
var ErrNoProof = errors.New("not inductive with the invariants found")

// Attempt is a k, and whether the bounds of template rows are searched, which costs
// most.
type Attempt struct {
	K      int
	Bounds bool
	// algebraic: products are variables with lemmas; see polynomials.go.
	algebraic bool
	// elements: nothing is tried about sums of elements, nor about what is only seen in runs; sums: that, with what was kept.
	elements, sums bool
}

// Attempts lists what to try, the cheap first.
func (p *Search) Attempts() []Attempt {
	var out []Attempt
	products := p.o.Domains == 0 && len(p.loops) > 0 && multiplies(p.m)
	if len(p.ranged)+len(p.sampled)+len(p.summed) > 0 && len(p.Recursive) == 0 {
		if !products && len(p.summed) > 0 && len(p.ranged) > 0 { // elements are easy in circuits, sums of sums as hard as products
			out = append(out, Attempt{elements: true}, Attempt{algebraic: true, sums: true})
		}
		if products || len(p.summed) > 0 {
			out = append(out, Attempt{algebraic: true})
		}
		out = append(out, Attempt{}) // predicates that are inductive by themselves: package cut
	}
	if products {
		out = append(out, Attempt{K: 1, algebraic: true})
	}
	bounds := p.o.Domains&^Equalities != 0 || p.o.Domains == 0
	if p.o.Havoc {
		bounds = false
	}
	for k := 1; k <= p.o.MaxK; k += max(1, k/2) {
		if len(p.loops) == 0 && cut.Depth(k) < k {
			break // nothing more is unwound
		}
		if k > 3 && bounds {
			out, bounds = append(out, Attempt{K: 1, Bounds: true}), false
		}
		out = append(out, Attempt{K: k})
	}
	if bounds {
		out = append(out, Attempt{K: 1, Bounds: true})
	}
	return out
}

// ErrNoLoop says that there is nothing for induction to do.
var ErrNoLoop = errors.New("there is no loop")

// New prepares the search. The error is the context's, or a *cut.ErrUncut, or says that there is
// no loop.
func New(ctx context.Context, m *ir.Module, o *Options, stats *Stats) (*Search, error) {
	if o.Label == "" {
		o.Label = "ERROR"
	}
	if o.MaxK == 0 {
		o.MaxK = 8
	}
	p := &Search{m: m, o: *o, stats: stats}
	var err error
	if p.loops, err = cut.Loops(m); err != nil {
		return nil, err
	}
	if p.Recursive, err = cut.RecursiveComponents(m); err != nil {
		return nil, err
	}
	if len(p.loops) == 0 && len(p.Recursive) == 0 {
		return nil, ErrNoLoop
	}
	return p, p.prepare(ctx)
}

// certificate is a proof by some rules.
func (p *Search) certificate(t Attempt, need []*rule) *verdict.Induction {
	proof := &verdict.Induction{K: t.K, Heads: heads(p.loops, need), Algebraic: t.algebraic}
	p.conclude(proof, t.K, need)
	return proof
}

// Found are the predicates found so far.
func (p *Search) Found() []invariant.Head {
	var out []invariant.Head
	for _, l := range p.loops {
		h := invariant.Head{Func: l.Func.Name, Head: l.Head, Pos: l.Pos()}
		for _, c := range p.kept {
			if c.Loop == l {
				h.Predicates = append(h.Predicates, c.Predicate)
			}
		}
		out = append(out, h)
	}
	return out
}

// Search is the work on one program.
type Search struct {
	m     *ir.Module
	o     Options
	loops []*cut.Loop
	// Recursive are the components of recursive functions, contracts the sides
	// of their contracts.
	Recursive []*cut.Component
	contracts []*cut.Loop
	places    map[*cut.Loop][]cut.Place
	bases     map[*cut.Loop][]ir.Value
	at        map[*cut.Loop]*guess.States
	// ranged are the candidates with ranges, sampled those that are only seen in runs;
	// summed are equations about sums of elements.
	ranged, sampled, summed []cut.Candidate
	// all are the candidates of the first k; kept what was found to be inductive,
	// which it is for greater k, too.
	// Those of guarded have conditions.
	all, guarded, kept []cut.Candidate
	// equations are candidates between products, nil before they are guessed.
	equations []cut.Candidate
	again     int // how often new candidates were taken
	// floats are what abstract interpretation knows of floats, integers that of integers, and how they are counted in step.
	floats, integers []cut.Candidate
	// known are predicates that others try; what they speak of is asked for, too.
	known []cut.Candidate
	// refuted are properties that a real run was seen to violate.
	refuted map[verdict.Site]bool
	stats   *Stats
}

// prepare collects candidates, and states of real runs.
func (p *Search) prepare(ctx context.Context) error {
	facts, err := absint.Analyze(ctx, p.m, absint.Options{Asked: p.o.Targets})
	if err != nil {
		return err
	}
	ladder := guess.OfHeads(p.m, facts, p.loops)
	all := append(slices.Clone(ladder), guess.Candidates(p.m, p.loops)...)
	for _, c := range ladder {
		if !p.o.allows(c.Predicate) {
			continue
		}
		if _, float := c.Predicate.(invariant.Order); float {
			p.floats = append(p.floats, c)
		} else {
			p.integers = append(p.integers, c)
		}
	}
	for _, c := range guess.Lockstep(p.loops) {
		if p.o.allows(c.Predicate) {
			p.integers = append(p.integers, c)
		}
	}
	all = slices.DeleteFunc(all, func(c cut.Candidate) bool { return !p.o.allows(c.Predicate) })
	var ranged []cut.Candidate
	var segmenters []*guess.Segmenter
	if p.o.Domains == 0 && !p.o.Havoc {
		ranged, segmenters = guess.Segments(p.m, facts, p.loops)
	}
	p.places = guess.Places(slices.Concat(all, ranged, p.known, p.integers))
	p.addPlaces()
	p.addFactors()
	seen := guess.SeriesOf(segmenters, p.places, multiplies(p.m))
	added := guess.PrefixSums(segmenters, p.places)
	runs := p.m
	if p.o.Runs != nil {
		runs = p.o.Runs
	}
	p.at, p.refuted = guess.Sample(ctx, runs, p.loops, p.o.Targets, p.places, ranged, seen, added)
	p.ranged = distinct(unbroken(ranged, p.at))
	for _, x := range p.loops {
		for _, y := range seen[x] {
			p.sampled = append(p.sampled, y.Found()...)
		}
		for _, y := range added[x] {
			p.summed = append(p.summed, y.Found()...)
		}
	}
	p.sampled = distinct(append(slices.Clone(p.ranged), p.sampled...))[len(p.ranged):]
	p.bases = bases(slices.Concat(p.ranged, p.sampled, p.summed))
	for _, l := range p.loops {
		for _, c := range guess.Equations(l, p.at[l]) {
			if p.o.allows(c.Predicate) {
				all = append(all, c)
			}
		}
	}
	p.all = distinct(guess.Unrefuted(all, p.at))
	p.all = slices.DeleteFunc(p.all, func(c cut.Candidate) bool { return isAffine(c.Predicate) })
	p.promise(ctx)
	p.stats.Candidates = len(p.all) + len(p.guarded) + len(p.ranged)
	return nil
}

// addPlaces adds the integers of the rows that the user gave, and those that
// guesses speak of: with few domains there may be no candidate about them.
func (p *Search) addPlaces() {
	for _, l := range p.loops {
		add := func(x cut.Place) {
			if !slices.Contains(p.places[l], x) {
				p.places[l] = append(p.places[l], x)
			}
		}
		for _, r := range p.o.Rows {
			terms, _ := p.parseRow(l, r)
			for _, t := range terms {
				add(cut.PlaceOf(t))
			}
		}
		if p.o.Domains == 0 {
			continue
		}
		for _, c := range guess.Candidates(p.m, []*cut.Loop{l}) {
			c.Predicate.Each(func(t invariant.Term) { add(cut.PlaceOf(t)) })
		}
	}
}

// candidateKey is the same for candidates that say the same.
type candidateKey struct {
	l    *cut.Loop
	text string
}

func keyOf(c cut.Candidate) candidateKey {
	return candidateKey{c.Loop, c.Predicate.Text(func(t invariant.Term) string { return fmt.Sprint(cut.PlaceOf(t), t.Signed) })}
}

// distinct drops repetitions.
func distinct(candidates []cut.Candidate) []cut.Candidate {
	seen := map[candidateKey]bool{}
	var out []cut.Candidate
	for _, c := range candidates {
		k := keyOf(c)
		if !seen[k] {
			seen[k] = true
			out = append(out, c)
		}
	}
	return out
}

// Prove makes an attempt. Without a proof, the error is ErrNoProof, the context's or the solver's.
func (p *Search) Prove(ctx context.Context, t Attempt) (*verdict.Induction, []verdict.Guard, error) {
	f, err := newFormula(ctx, p.m, p.o, t.K, p.loops, p.places, p.bases, slices.Concat(p.ranged, p.sampled), p.stats, nil, t.algebraic)
	if err != nil {
		return nil, nil, err
	}
	defer f.close()
	bad := f.bad()
	on, proved, err := p.search(ctx, f, t, bad)
	if err != nil {
		return nil, nil, err
	}
	if !proved {
		return nil, nil, ErrNoProof
	}
	need, err := f.needed(ctx, bad, on)
	if err != nil {
		return nil, nil, err
	}
	p.stats.Kept = len(need)
	return p.certificate(t, need), f.unclean(ctx, on), nil
}

// proofConflicts bounds a try while more can be found.
const proofConflicts = 10000

// search finds rules, the cheap ones first, until they exclude what is bad. For
// greater k it takes what was found before: that is inductive for those, too.
func (p *Search) search(ctx context.Context, f *formula, t Attempt, bad term.ID) (on []*rule, proved bool, err error) {
	if t.K > 1 || t.Bounds || t.sums {
		for _, c := range p.kept {
			on = append(on, f.add(c))
		}
	}
	if t.K > 1 && (len(p.Recursive) == 0 || cut.Depth(t.K) < t.K) {
		proved, err = f.proves(ctx, on, bad, 0, true)
		return on, proved, err
	}
	defer func() {
		p.kept = nil
		for _, r := range on {
			p.kept = append(p.kept, r.Candidate)
		}
	}()
	for i, find := range p.steps(t) {
		limit := int64(proofConflicts)
		if find == nil {
			find = func(context.Context, *formula, []*rule) ([]*rule, error) { return nil, nil }
		}
		if t.Bounds {
			limit = 0
		}
		if on, err = find(ctx, f, on); err != nil {
			return on, false, err
		}
		if p.o.Thorough && i+1 < len(p.steps(t)) {
			continue
		}
		if proved, err = f.proves(ctx, on, bad, limit, i+1 == len(p.steps(t))); proved || err != nil {
			return on, proved, err
		}
	}
	return on, false, nil
}

// step finds more rules; nil leaves them as they are.
type step func(context.Context, *formula, []*rule) ([]*rule, error)

// steps are those of k = 1.
func (p *Search) steps(t Attempt) []step {
	bounds := t.Bounds
	switch {
	case t.sums:
		return []step{p.elementSums, p.quantifiedSampled, p.affine}
	case t.algebraic && t.K == 0:
		return []step{p.polynomials, p.affine, p.greatest, p.quantified, p.affine, p.elementSums, p.quantifiedSampled, p.affine}
	case t.algebraic && !p.o.Havoc:
		return []step{p.compared, p.polynomials, p.affine, p.greatest, p.polynomials}
	case bounds && p.o.Domains == 0:
		return []step{p.rowsByCases, p.bounds}
	case bounds:
		return []step{p.bounds}
	case p.o.Havoc:
		return []step{nil}
	}
	steps := []step{nil}
	if len(p.floats) > 0 {
		steps = append(steps, p.knownFloats)
	}
	if len(p.integers) > 0 {
		steps = append(steps, p.knownIntegers)
	}
	if p.o.Domains == 0 || p.o.Domains&Equalities != 0 {
		steps = append(steps, p.affine)
	}
	steps = append(steps, p.greatest)
	if p.o.Domains == 0 {
		steps = append(steps, p.quantified)
		if len(p.ranged) > 0 { // what is read of arrays is known now
			steps = append(steps, p.affine)
		}
		if t.elements {
			return steps
		}
		if len(p.summed) > 0 {
			steps = append(steps, p.elementSums)
		}
		if len(p.sampled) > 0 {
			steps = append(steps, p.quantifiedSampled, p.affine)
		}
		steps = append(steps, p.affineByCases)
	}
	if len(p.guarded) > 0 {
		steps = append(steps, p.greatestGuarded)
	}
	return steps
}

// proves says whether the rules, which are inductive, exclude something; false if
// that takes more conflicts than the limit, where 0 is none, or, unless it is the
// last time that is asked, circuits of floating-point operations.
func (f *formula) proves(ctx context.Context, on []*rule, bad term.ID, limit int64, last bool) (bool, error) {
	f.solver.SetConflictLimit(limit)
	defer f.solver.SetConflictLimit(0)
	check := f.checkByLemmas
	if last {
		check = f.check
	}
	status, err := check(ctx, append(f.given(on, f.held), bad)...)
	if limited(err) {
		err = nil
	}
	return status == smt.Unsat, err
}

// needed reduces rules to some that prove what is asked and each other: those
// in the core of the proof, those in the core of theirs, and so on. What was seen
// to follow from other rules is not asked again.
func (f *formula) needed(ctx context.Context, bad term.ID, on []*rule) ([]*rule, error) {
	byFlag := map[term.ID]*rule{}
	for _, r := range on {
		byFlag[r.flag] = r
	}
	have := map[*rule]bool{}
	for goal := bad; ; {
		status, err := f.check(ctx, append(f.given(on, f.held), goal)...)
		if err != nil {
			return nil, err
		}
		if status != smt.Unsat {
			panic("induction: a proof does not repeat")
		}
		before := len(have)
		var add func(r *rule)
		add = func(r *rule) {
			if r == nil || have[r] {
				return
			}
			have[r] = true
			if slices.ContainsFunc(r.uses, func(u *rule) bool { return byFlag[u.flag] == nil }) {
				r.holds, r.uses = false, nil
			}
			for _, u := range r.uses {
				add(u)
			}
		}
		for _, t := range f.solver.Core() {
			add(byFlag[t])
		}
		goal = f.st.False()
		for _, r := range on {
			if have[r] && !r.holds {
				goal = f.st.Or(goal, r.broken)
			}
		}
		if len(have) == before || f.st.IsFalse(goal) {
			break
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

// minimalConflicts bounds the work of leaving out rules.
const minimalConflicts = 2 * oneConflicts

// minimal leaves out one rule after the other, as long as the rest still
// proves what is asked and itself, and not much work is spent.
func (f *formula) minimal(ctx context.Context, bad term.ID, set []*rule) ([]*rule, error) {
	defer f.solver.SetConflictLimit(0)
	defer f.quickly()()
	end := f.solver.Stats().Conflicts + minimalConflicts
	for k := len(set) - 1; k >= 0; k-- {
		left := end - f.solver.Stats().Conflicts
		if left <= 0 {
			break
		}
		f.solver.SetConflictLimit(min(left, oneConflicts))
		rest := append(append([]*rule(nil), set[:k]...), set[k+1:]...)
		goal := bad
		for _, r := range rest {
			goal = f.st.Or(goal, r.broken)
		}
		status, err := f.checkLoosely(ctx, append(f.given(rest, f.held), goal)...)
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
	defer f.quickly()()
	seen := map[verdict.Guard]bool{}
	given := f.given(on, f.held)
	f.solver.SetConflictLimit(2000)
	defer f.solver.SetConflictLimit(0)
	for _, x := range f.f.Unclean {
		if seen[x.Guard] || f.st.IsFalse(x.Cond) {
			continue
		}
		if status, err := f.check(ctx, append(given[:len(given):len(given)], x.Cond)...); err != nil || status != smt.Unsat {
			seen[x.Guard] = true
			g := x.Guard
			g.Func = cut.Original(g.Func)
			if !slices.Contains(out, g) {
				out = append(out, g)
			}
		}
	}
	return out
}

// conclude adds the contracts that a proof needs.
func (p *Search) conclude(proof *verdict.Induction, k int, need []*rule) {
	for _, r := range p.Recursive {
		proof.Depth = cut.Depth(k)
		for _, f := range r.Funcs {
			c := invariant.Contract{Func: f.Name, Pos: f.Pos}
			for _, r := range need {
				switch l := r.Loop; {
				case !l.IsContract() || l.Func != f:
				case l.Post:
					c.Post = append(c.Post, r.Predicate)
				default:
					c.Pre = append(c.Pre, r.Predicate)
				}
			}
			if len(c.Pre)+len(c.Post) > 0 {
				proof.Contracts = append(proof.Contracts, c)
			}
		}
	}
}
