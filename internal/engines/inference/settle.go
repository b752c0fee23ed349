package inference

import (
	"context"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// This file finds the greatest set of properties that are inductive together: what a model violates,
// or breaks of the rules, is dropped, until nothing is [2LS §5.2].

// EachProof proves its properties, whatever happens to those excluded.
type EachProof struct {
	Proof            *verdict.Induction
	Proved, Excluded []verdict.Site
}

// IsRefuted says that a property is known to be violated.
func (p *Search) IsRefuted(x verdict.Site) bool {
	return p.refuted[x] || p.o.Refuted != nil && p.o.Refuted(x)
}

// ProveEach proves as many properties as it can by one attempt.
func (p *Search) ProveEach(ctx context.Context, t Attempt) (EachProof, error) {
	f, err := newFormula(ctx, p.m, p.o, t.K, p.loops, p.places, p.bases, slices.Concat(p.ranged, p.sampled), p.stats, nil, t.algebraic)
	if err != nil {
		return EachProof{}, err
	}
	defer f.close()
	all := f.held
	f.held = slices.DeleteFunc(slices.Clone(all), p.IsRefuted)
	var on []*rule
	for range 2 { // again if what the rules rest on was dropped
		if on, _, err = p.search(ctx, f, t, f.bad()); err != nil {
			return EachProof{}, err
		}
		before := len(f.held)
		if on, err = f.settle(ctx, on); err != nil {
			return EachProof{}, err
		}
		if len(f.held) == before || t.K > 1 || t.Bounds {
			break
		}
	}
	bad := f.bad()
	need := on
	if len(f.held) > 0 {
		if need, err = f.needed(ctx, bad, on); err != nil {
			return EachProof{}, err
		}
	}
	out := EachProof{Proof: p.certificate(t, need), Proved: f.held}
	for _, x := range all {
		if !slices.Contains(f.held, x) {
			out.Excluded = append(out.Excluded, x)
		}
	}
	return out, nil
}

// settle drops properties and rules until what is left is inductive.
func (f *formula) settle(ctx context.Context, on []*rule) ([]*rule, error) {
	defer f.solver.SetConflictLimit(0)
	f.solver.SetConflictLimit(proofConflicts)
	if status, err := f.check(ctx, append(f.given(on, f.held), f.stuck)...); err != nil || status != smt.Unsat {
		if err != nil && !limited(err) {
			return nil, err
		}
		f.held = nil // some run is not covered at all
		return on, nil
	}
	for {
		status, err := f.check(ctx, append(f.given(on, f.held), f.st.Or(f.bad(), f.any(on)))...)
		if err == nil && status == smt.Unsat {
			return on, nil
		}
		if err != nil && !limited(err) {
			return nil, err
		}
		if status == smt.Sat {
			f.dropBroken(&on)
			continue
		}
		// Ask about each; what costs too much is dropped.
		done := true
		for _, x := range slices.Clone(f.held) {
			status, err := f.check(ctx, append(f.given(on, f.held), f.violated(x))...)
			if err != nil && !limited(err) {
				return nil, err
			}
			if status == smt.Sat {
				f.dropBroken(&on)
				done = false
				break
			}
			if status != smt.Unsat {
				f.held = slices.DeleteFunc(slices.Clone(f.held), func(y verdict.Site) bool { return x == y })
				done = false
			}
		}
		if !done {
			continue
		}
		for _, r := range slices.Clone(on) {
			status, err := f.check(ctx, append(f.given(on, f.held), r.broken)...)
			if err != nil && !limited(err) {
				return nil, err
			}
			if status != smt.Unsat {
				on = slices.DeleteFunc(slices.Clone(on), func(s *rule) bool { return s == r })
				done = false
			}
		}
		if done {
			return on, nil
		}
	}
}

// dropBroken drops what the model violates.
func (f *formula) dropBroken(on *[]*rule) {
	var rules []*rule
	for _, r := range *on {
		if !f.isTrue(r.broken) {
			rules = append(rules, r)
		}
	}
	var held []verdict.Site
	for _, x := range f.held {
		if !f.isTrue(f.violated(x)) {
			held = append(held, x)
		}
	}
	if len(rules) == len(*on) && len(held) == len(f.held) {
		panic("induction: a model violates something, but nothing")
	}
	*on, f.held = rules, held
}

// bad is that something happens, at a place that is not early, that is to be
// excluded.
func (f *formula) bad() (bad term.ID) {
	bad = f.stuck
	for _, x := range f.held {
		bad = f.st.Or(bad, f.violated(x))
	}
	return bad
}
