package induction

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"assay/internal/absint"
	"assay/internal/floats"
	"assay/internal/invariant"
	"assay/internal/ir"
	"assay/internal/smt"
	"assay/internal/smt/bitblast"
	"assay/internal/ssa"
	"assay/internal/term"
	"assay/internal/verdict"
)

// Options say what to prove.
type Options struct {
	// Targets are the kinds of events that must not happen; Disputed those of
	// which it is disputed whether the property excludes them: a proof does.
	Targets, Disputed []ir.CheckKind
	// Label is the C label that ErrorLabel means; ERROR if empty.
	Label string
	// MaxK bounds k; 0 is 8.
	MaxK int
}

// Stats count the work.
type Stats struct {
	K          int
	Candidates int
	Kept       int
	Checks     int64
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
	loops, err := Loops(m)
	if err != nil {
		r.Why = err
		return r
	}
	if len(loops) == 0 {
		r.Why = errors.New("there is no loop")
		return r
	}
	facts, err := absint.Analyze(ctx, m, absint.Options{Asked: o.Targets})
	if err != nil {
		r.Why = err
		return r
	}
	all := append(fromLadder(m, facts, loops), Candidates(m, loops)...)
	at := sample(ctx, m, loops, o.Targets, interesting(all))
	for _, l := range loops {
		all = append(all, equations(l, at[l])...)
	}
	all = distinct(filter(all, at))
	r.Stats.Candidates = len(all)
	r.Why = errNoProof
	for k := 1; k <= o.MaxK; k += max(1, k/2) {
		r.Stats.K = k
		p := &prover{m: m, o: o, k: k, loops: loops, all: all, stats: &r.Stats}
		proof, unclean, err := p.run(ctx)
		// What is inductive for k is so for more.
		all = p.left
		if proof != nil {
			r.Proof, r.Unclean, r.Why = proof, unclean, nil
			return r
		}
		if !errors.Is(err, errNoProof) {
			r.Why = err
			return r
		}
	}
	return r
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

// prover is the work for one k.
type prover struct {
	m     *ir.Module
	o     Options
	k     int
	loops []*Loop
	all   []Candidate
	stats *Stats

	st     *term.Store
	solver *bitblast.Solver
	u      *ssa.Unwinder
	f      *ssa.Formula
	flags  []term.ID // by candidate: it is switched on
	left   []Candidate
}

func (p *prover) run(ctx context.Context) (*verdict.Induction, []verdict.Guard, error) {
	targets := append(append([]ir.CheckKind(nil), p.o.Targets...), p.o.Disputed...)
	cut, err := Cut(p.m, p.loops, p.k, p.all, targets, p.o.Label)
	if err != nil {
		return nil, nil, err
	}
	if err := ir.Verify(cut); err != nil {
		panic("induction: the cut program is malformed: " + err.Error())
	}
	p.st = term.NewStore()
	p.solver = bitblast.New(p.st, bitblast.Options{Lower: floats.Lower})
	defer func() {
		s := p.solver.Stats()
		p.stats.Checks += s.Checks
		p.stats.Clauses = s.Clauses
		p.solver.Close()
	}()
	p.u = ssa.New(cut, p.st, ssa.Options{Targets: append(targets, ir.Invariant), All: true, Label: p.o.Label})
	p.u.Default = p.k + 2
	if p.f, err = p.u.Encode(ctx); err != nil {
		return nil, nil, err
	}
	for _, t := range p.f.Facts {
		p.solver.Assert(t)
	}
	p.findFlags(cut)
	stuck := p.st.False()
	for _, l := range p.f.Limits {
		stuck = p.st.Or(stuck, l.Cond)
	}
	for _, o := range p.f.Obstacles {
		if !o.OverApproximated {
			stuck = p.st.Or(stuck, o.Cond)
		}
	}

	// The greatest set of candidates that is inductive, and what it proves.
	on, err := p.kept(ctx)
	if err != nil {
		return nil, nil, err
	}
	bad := stuck
	for _, v := range p.f.Violations {
		if v.Guard.Kind != ir.Invariant {
			bad = p.st.Or(bad, v.Cond)
		}
	}
	status, err := p.check(ctx, append(p.assume(on), bad)...)
	if err != nil {
		return nil, nil, err
	}
	if status == smt.Sat {
		return nil, nil, errNoProof
	}
	need, err := p.needed(ctx, bad, on)
	if err != nil {
		return nil, nil, err
	}
	p.stats.Kept = len(need)
	proof := &verdict.Induction{K: p.k}
	for _, l := range p.loops {
		h := invariant.Head{Func: l.Func.Name, Head: l.Head, Pos: l.Pos()}
		for _, i := range need {
			if p.all[i].Loop == l {
				h.Predicates = append(h.Predicates, p.all[i].Predicate)
			}
		}
		proof.Heads = append(proof.Heads, h)
	}
	return proof, p.unclean(ctx, on), nil
}

// findFlags finds the choices that switch the candidates on.
func (p *prover) findFlags(cut *ir.Module) {
	p.flags = make([]term.ID, len(p.all))
	for _, c := range p.f.Choices {
		d := cut.Func(c.Func).Def(c.Value)
		if n, ok := strings.CutPrefix(d.Sym, flagPrefix); ok && d.Op == ir.Nondet {
			i, _ := strconv.Atoi(n)
			p.flags[i] = p.st.Not(p.st.Eq(c.Bits, p.st.ConstU(8, 0)))
		}
	}
}

// assume lists the terms that switch on these candidates and no others.
func (p *prover) assume(on []int) []term.ID {
	is := make([]bool, len(p.all))
	for _, i := range on {
		is[i] = true
	}
	var ts []term.ID
	for i, f := range p.flags {
		if f == 0 {
			continue
		}
		if is[i] {
			ts = append(ts, f)
		} else {
			ts = append(ts, p.st.Not(f))
		}
	}
	return ts
}

func (p *prover) check(ctx context.Context, ts ...term.ID) (smt.Status, error) {
	for {
		status, err := p.solver.Check(ctx, ts...)
		if err != nil {
			if ctx.Err() != nil {
				err = ctx.Err()
			}
			return status, err
		}
		if status != smt.Sat || !p.u.Space().Correct(p.solver.Value) {
			return status, nil
		}
		for _, t := range p.u.Space().Facts() {
			p.solver.Assert(t)
		}
	}
}

// broken collects the checks of candidates, by candidate.
func (p *prover) broken() map[int]term.ID {
	b := map[int]term.ID{}
	for _, v := range p.f.Violations {
		if n, ok := strings.CutPrefix(v.Guard.Text, flagPrefix); ok && v.Guard.Kind == ir.Invariant {
			i, _ := strconv.Atoi(n)
			if old, ok := b[i]; ok {
				b[i] = p.st.Or(old, v.Cond)
			} else {
				b[i] = v.Cond
			}
		}
	}
	return b
}

// kept are the candidates that are inductive: for the first k they are searched.
func (p *prover) kept(ctx context.Context) ([]int, error) {
	var on []int
	for i := range p.all {
		if p.flags[i] != 0 {
			on = append(on, i)
		}
	}
	if p.k == 1 {
		var err error
		if on, err = p.inductive(ctx, on); err != nil {
			return nil, err
		}
	}
	for _, i := range on {
		p.left = append(p.left, p.all[i])
	}
	return on, nil
}

// Limits on the work of a query about candidates, in conflicts. A candidate that
// needs more is dropped: any set may be tried.
const (
	manyConflicts = 3000
	oneConflicts  = 4000
)

// inductive drops candidates that some model breaks, or that cost too much,
// until none is broken.
func (p *prover) inductive(ctx context.Context, on []int) ([]int, error) {
	broken := p.broken()
	rows := newRows(p.all)
	on = rows.strongest(on)
	drop := func(out func(i int) bool) {
		var left []int
		for _, i := range on {
			if !out(i) {
				left = append(left, i)
			}
		}
		for _, i := range on {
			if out(i) {
				left = append(left, rows.weaker(i)...)
			}
		}
		on = left
	}
	inModel := func(i int) bool { c, ok := broken[i]; return ok && p.solver.Value(c).IsTrue() }
	defer p.solver.SetConflictLimit(0)
	for { // all at once
		some := p.st.False()
		for _, i := range on {
			if c, ok := broken[i]; ok {
				some = p.st.Or(some, c)
			}
		}
		p.solver.SetConflictLimit(manyConflicts)
		status, err := p.check(ctx, append(p.assume(on), some)...)
		if err != nil && !limited(err) {
			return nil, err
		}
		if status == smt.Unsat {
			return on, nil
		}
		if status != smt.Sat {
			break
		}
		if !slices.ContainsFunc(on, inModel) {
			panic(fmt.Sprintf("induction: a model breaks one of %d candidates, but none", len(on)))
		}
		drop(inModel)
	}
	p.solver.SetConflictLimit(oneConflicts)
	for again := true; again; { // one by one
		again = false
		for _, i := range slices.Clone(on) {
			c, ok := broken[i]
			if !ok || !slices.Contains(on, i) {
				continue
			}
			status, err := p.check(ctx, append(p.assume(on), c)...)
			switch {
			case err != nil && !limited(err):
				return nil, err
			case status == smt.Sat:
				drop(inModel)
				again = true
			case status != smt.Unsat:
				drop(func(k int) bool { return k == i })
				again = true
			}
		}
	}
	return on, nil
}

func limited(err error) bool {
	var l smt.ErrLimit
	return errors.As(err, &l)
}

// needed reduces the candidates to some that prove what is asked and each
// other: those in the core of the proof, those in the core of theirs, and so on.
func (p *prover) needed(ctx context.Context, bad term.ID, on []int) ([]int, error) {
	byFlag := map[term.ID]int{}
	for _, i := range on {
		byFlag[p.flags[i]] = i
	}
	broken := p.broken()
	have := map[int]bool{}
	for goal := bad; ; {
		status, err := p.check(ctx, append(p.assume(on), goal)...)
		if err != nil {
			return nil, err
		}
		if status != smt.Unsat {
			panic("induction: a proof does not repeat")
		}
		grown := false
		for _, t := range p.solver.Core() {
			if i, ok := byFlag[t]; ok && !have[i] {
				have[i], grown = true, true
			}
		}
		if !grown {
			break
		}
		goal = p.st.False()
		for _, i := range on {
			if c, ok := broken[i]; ok && have[i] {
				goal = p.st.Or(goal, c)
			}
		}
	}
	var out []int
	for _, i := range on {
		if have[i] {
			out = append(out, i)
		}
	}
	return p.minimal(ctx, bad, out)
}

// minimal leaves out one predicate after the other, as long as the rest still
// proves what is asked and itself.
func (p *prover) minimal(ctx context.Context, bad term.ID, set []int) ([]int, error) {
	broken := p.broken()
	p.solver.SetConflictLimit(oneConflicts)
	defer p.solver.SetConflictLimit(0)
	for k := len(set) - 1; k >= 0; k-- {
		rest := slices.Delete(slices.Clone(set), k, k+1)
		goal := bad
		for _, i := range rest {
			if c, ok := broken[i]; ok {
				goal = p.st.Or(goal, c)
			}
		}
		status, err := p.check(ctx, append(p.assume(rest), goal)...)
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
func (p *prover) unclean(ctx context.Context, on []int) []verdict.Guard {
	var out []verdict.Guard
	seen := map[verdict.Guard]bool{}
	for _, x := range p.f.Unclean {
		if seen[x.Guard] || p.st.IsFalse(x.Cond) {
			continue
		}
		p.solver.SetConflictLimit(2000)
		status, err := p.check(ctx, append(p.assume(on), x.Cond)...)
		p.solver.SetConflictLimit(0)
		if err != nil || status != smt.Unsat {
			seen[x.Guard] = true
			out = append(out, x.Guard)
		}
	}
	return out
}
