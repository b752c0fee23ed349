package bitranking

import (
	"context"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
	"assay/internal/transform/cut"
)

// This file takes suggestions of other engines: functions and invariants that hold
// in their model of the program, for example over integers that do not wrap. They are
// tried first, and checked like all others.

// Hint suggests functions of a loop, in lexicographic order, and invariants.
type Hint struct {
	Func       string
	Head       ir.BlockID
	Functions  [][]verdict.RankingFunction // tuples to try
	Predicates []invariant.Predicate
}

// of is the hint for a loop.
func of(hints []Hint, l *cut.Loop) (h Hint, ok bool) {
	i := slices.IndexFunc(hints, func(h Hint) bool { return h.Func == l.Func.Name && h.Head == l.Head })
	if i < 0 {
		return h, false
	}
	return hints[i], true
}

// suggested are the invariants of the hints.
func suggested(hints []Hint, loops []*cut.Loop) (out []cut.Candidate) {
	for _, l := range loops {
		if h, ok := of(hints, l); ok {
			for _, p := range h.Predicates {
				out = append(out, cut.Candidate{Loop: l, Predicate: p})
			}
		}
	}
	return out
}

// mention adds the values in conditions of a hint to the places, if they are from
// before the loop.
func (r *ranked) mention(h Hint, l *cut.Loop) {
	add := func(t invariant.Term) {
		t.Coeff, t.Signed = 0, false
		if d := l.Func.Def(t.Value); !t.Cell && !l.In(d.Block) && !slices.Contains(r.places, t) && len(r.places) < maxPlaces {
			r.places = append(r.places, t)
			r.fixed++
		}
	}
	for _, f := range slices.Concat(h.Functions...) {
		for _, c := range f {
			for _, p := range c.When {
				for _, t := range p.Terms {
					add(t)
				}
			}
		}
	}
}

// converted are the functions of a hint over places. Values that are no places do
// not change in the loop: in a function without cases they do not matter.
func converted(places []place, h Hint) (out [][]function) {
	for _, tuple := range h.Functions {
		var fs []function
		for _, f := range tuple {
			if g, ok := convert(places, f); ok {
				fs = append(fs, g)
			}
		}
		out = append(out, fs)
	}
	return out
}

func convert(places []place, f verdict.RankingFunction) (out function, ok bool) {
	sum := func(ts []invariant.Term) (s []summand, complete bool) {
		complete = true
		for _, t := range ts {
			key := t
			key.Coeff, key.Signed = 0, false
			i := slices.Index(places, key)
			if i < 0 {
				complete = false
				continue
			}
			s = append(s, summand{i, t.Coeff, t.Signed})
		}
		return s, complete
	}
	changes := false
	for _, c := range f {
		p := piece{constant: c.Constant}
		var complete bool
		if p.sum, complete = sum(c.Terms); !complete && len(f) > 1 {
			return nil, false
		}
		for _, w := range c.When {
			s, complete := sum(w.Terms)
			if !complete || !w.Bound.IsInt64() || w.Relation != invariant.AtMost {
				return nil, false
			}
			p.when = append(p.when, condition{sum: s, bound: w.Bound.Int64()})
		}
		changes = changes || len(p.sum) > 0 || len(p.when) > 0
		out = append(out, p)
	}
	return out, changes
}

// try asks whether one of the tuples ranks the loop as it is.
func (x *search) try(ctx context.Context, tuples [][]function) (ok bool, err error) {
	for _, fs := range tuples {
		if ok, err = x.rankedBy(ctx, fs); ok || err != nil {
			break
		}
	}
	return ok, err
}

func (x *search) rankedBy(ctx context.Context, fs []function) (bool, error) {
	if len(fs) == 0 {
		return false, nil
	}
	for _, q := range x.pairs {
		if !ranks(fs, x.places, q) {
			return false, nil
		}
	}
	st := x.s.Store()
	status, err := x.ask(ctx, func(k *mark) term.ID { return st.Not(k.decreases(st, x.places, fs)) })
	if err != nil || status != smt.Unsat {
		return false, err
	}
	x.chosen = fs
	return true, nil
}

// ranks says (R) of a pair, or (F).
func ranks(fs []function, places []place, q pair) bool {
	for _, f := range fs {
		switch f.change(places, q) {
		case -1:
			return true
		case 1:
			return false
		}
	}
	return !q.accepted
}
