package inference

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/transform/cut"
)

// This file finds the greatest set of candidates that is inductive: all at once
// are assumed and asked about; what a model breaks is dropped, until nothing is
// broken. Of a template row [2LS §5.1.2] the strongest bound is tried first, and
// the next when it fails (rows.go).

// Limits on the work of a query about candidates, in conflicts. A candidate that
// needs more is dropped: any set may be tried.
const (
	manyConflicts = 2000
	oneConflicts  = 1000
)

// pool are candidates, of which those under trial are in the formula.
type pool struct {
	f    *formula
	rows *rows
	all  []cut.Candidate
	rule []*rule // by candidate, nil if it was not tried yet
	on   []int
	// given are rules that hold anyway.
	given []*rule
	// effort multiplies the limit on queries about one candidate.
	effort int64
}

// greatest is the greatest set of candidates that is inductive, with the rules
// that are given.
func (p *Search) greatest(ctx context.Context, f *formula, given []*rule) ([]*rule, error) {
	on, err := f.greatest(ctx, p.all, given, 1)
	return append(given, on...), err
}

func (f *formula) greatest(ctx context.Context, all []cut.Candidate, given []*rule, effort int64) ([]*rule, error) {
	p := &pool{f: f, rows: newRows(all), all: all, rule: make([]*rule, len(all)), given: given, effort: effort}
	for i := range all {
		if len(f.visits[all[i].Loop]) > 0 {
			p.on = append(p.on, i)
		}
	}
	p.on = p.rows.strongest(p.on)
	p.enter()
	defer f.solver.SetConflictLimit(0)
	if done, err := p.allAtOnce(ctx); err != nil || done {
		return p.rules(), err
	}
	err := p.oneByOne(ctx)
	return p.rules(), err
}

// enter adds the rules of the candidates under trial.
func (p *pool) enter() {
	for _, i := range p.on {
		if p.rule[i] == nil {
			p.rule[i] = p.f.add(p.all[i])
		}
	}
}

func (p *pool) rules() []*rule {
	rs := make([]*rule, len(p.on))
	for k, i := range p.on {
		rs[k] = p.rule[i]
	}
	return rs
}

// drop leaves out candidates, and tries the next ones of their rows.
func (p *pool) drop(out func(i int) bool) {
	var left, next []int
	for _, i := range p.on {
		if out(i) {
			next = append(next, p.rows.weaker(i)...)
			p.f.retire(p.rule[i])
		} else {
			left = append(left, i)
		}
	}
	p.on = append(left, next...)
	p.enter()
}

func (p *pool) inModel(i int) bool { return p.f.isTrue(p.rule[i].broken) }

func (p *pool) allAtOnce(ctx context.Context) (done bool, err error) {
	f := p.f
	for {
		some := f.st.False()
		for _, i := range p.on {
			some = f.st.Or(some, p.rule[i].broken)
		}
		f.solver.SetConflictLimit(manyConflicts)
		status, err := f.checkLoosely(ctx, append(f.given(append(p.rules(), p.given...), f.held), some)...)
		switch {
		case err != nil && !limited(err):
			return false, err
		case status == smt.Unsat:
			return true, nil
		case status != smt.Sat:
			return false, nil
		}
		if !slices.ContainsFunc(p.on, p.inModel) {
			panic(fmt.Sprintf("induction: a model breaks one of %d candidates, but none", len(p.on)))
		}
		broken := map[int]bool{}
		for _, i := range p.on {
			broken[i] = p.inModel(i)
		}
		p.drop(func(i int) bool { return broken[i] })
	}
}

// oneByOne asks about each candidate. One that holds is asked about again only if
// something that its proof used was dropped.
func (p *pool) oneByOne(ctx context.Context) error {
	f := p.f
	f.solver.SetConflictLimit(oneConflicts * p.effort)
	byFlag := map[term.ID]*rule{}
	for _, r := range p.given {
		byFlag[r.flag] = r
	}
	for {
		next := -1
		for _, i := range p.on {
			byFlag[p.rule[i].flag] = p.rule[i]
			if !p.rule[i].holds && next < 0 {
				next = i
			}
		}
		if next < 0 {
			return nil
		}
		status, err := f.checkLoosely(ctx, append(f.given(append(p.rules(), p.given...), f.held), p.rule[next].broken)...)
		out := map[*rule]bool{}
		switch {
		case err != nil && !limited(err):
			return err
		case status == smt.Unsat:
			r := p.rule[next]
			r.holds, r.uses = true, nil
			for _, t := range f.solver.Core() {
				if u := byFlag[t]; u != nil {
					r.uses = append(r.uses, u)
				}
			}
			continue
		case status == smt.Sat:
			for _, i := range p.on {
				out[p.rule[i]] = p.inModel(i)
			}
		default:
			out[p.rule[next]] = true
		}
		p.drop(func(i int) bool { return out[p.rule[i]] })
		for _, i := range p.on {
			if r := p.rule[i]; slices.ContainsFunc(r.uses, func(u *rule) bool { return out[u] }) {
				r.holds, r.uses = false, nil
			}
		}
	}
}

// retire switches a rule off for good.
func (f *formula) retire(r *rule) {
	f.solver.Assert(f.st.Not(r.flag))
	f.hypotheses = slices.DeleteFunc(f.hypotheses, func(h *hypothesis) bool { return h.rule == r })
	if i := slices.Index(f.flags, r.flag); i >= 0 {
		f.flags = slices.Delete(f.flags, i, i+1)
	}
}

// any is the disjunction of what breaks the rules.
func (f *formula) any(rules []*rule) term.ID {
	t := f.st.False()
	for _, r := range rules {
		t = f.st.Or(t, r.broken)
	}
	return t
}

func limited(err error) bool {
	var l smt.ErrLimit
	return errors.As(err, &l)
}
