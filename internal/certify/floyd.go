package certify

import (
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// This file checks certificates with K = 0: predicates of loop heads that are
// inductive by themselves [Floyd67]. Every loop is cut for all runs:
//
//	entry     the predicates are claimed of the state s in which the loop is
//	          entered; then s becomes arbitrary on what the loop changes, and the
//	          predicates are assumed;
//	body      it is swept once, and its claims are not assumed for it: no place
//	          is early;
//	back      at the back edges the predicates are claimed; they lead nowhere.
//
// The way out of the loop is that of the one arbitrary iteration, so what comes after
// a loop depends on no more of the past than the predicates say: the formula grows
// with the sum of the bodies, where that of K >= 1 chooses at each loop whether
// it is entered as it is, and lays out K+1 iterations.
//
// # Soundness
//
// Let E be the first bad event (induction.go) of a run. We follow the run up to E.
// Of a loop execution that the run begins before E, the arbitrary state is that of
// the last visit of the head before E; it is one of "arbitrary" by (a) and (b) there.
// If E is a predicate at a visit, the last visit is the one before, or if there is
// none, E is the claim at the entry. What is assumed on the way holds, for all of it
// are predicates at visits before E. So the condition of E's claim holds.
//
// Quantified predicates are no conditions of the way: they are facts about the
// arbitrary state of a visit, for κ and finitely many other indices (range.go). A
// claim is decided with the facts of visits that were encoded before it; the sweep is
// topological, so these are visits before E or not on the way of the run at all, and
// the facts of the latter are conditional on their guards. Facts of later visits could
// exclude the run for what comes after E, and are left out.

// enterCut begins an arbitrary iteration of a loop.
func (c *checker) enterCut(fr *frame, s sweep, in edge) {
	st := c.st
	head := s.region.head
	s.selector, s.skipped, s.outer, s.early = st.True(), st.False(), st.False(), st.False()
	in.guard = c.claimPredicates(fr, head, in)
	in = c.forget(fr, head, st.True(), in)
	predicates := c.induction.predicates[headKey{fr.fn.f.Name, head}]
	for _, p := range predicates {
		if _, ok := p.(invariant.ForAll); !ok {
			in.guard = st.And(in.guard, c.predicate(fr, head, in, p))
		}
	}
	in.guard = c.assumeClauses(fr, head, in)
	for _, p := range predicates {
		if p, ok := p.(invariant.ForAll); ok {
			v := c.indexedVisit(fr, head, in, p)
			v.cond = in.guard
			c.indexed.visits = append(c.indexed.visits, v)
		}
	}
	s.mem, s.values = in.mem.Fork(), in.values
	fr.sweeps = append(fr.sweeps, s)
	fr.arrivals[head] = append(fr.arrivals[head], in)
}

// claimPredicates claims the predicates of a head of a way into it; it gives the guard
// under which those hold that have no range.
func (c *checker) claimPredicates(fr *frame, head ir.BlockID, in edge) (guard term.ID) {
	st := c.st
	at := c.blockValue(fr.fn, head)
	predicates := c.induction.predicates[headKey{fr.fn.f.Name, head}]
	for i, p := range predicates {
		var t term.ID
		all, ranged := p.(invariant.ForAll)
		if ranged {
			v := c.indexedVisit(fr, head, in, all)
			t = c.atKappa(fr, head, &v, in.guard)
		} else {
			t = c.predicate(fr, head, in, p)
		}
		c.claim(violation, fr, st.And(in.guard, st.Not(t)), at, "invariant: predicate %d of the loop head does not hold", i+1)
		if !ranged {
			in.guard = st.And(in.guard, t)
		}
	}
	return c.visitClauses(fr, head, in)
}

// judgeByVisits decides the claims between two visits at a time, with the facts of
// the visits before.
func (c *checker) judgeByVisits() (checker string, err error) {
	all, base := c.claims, append(c.facts, c.sp.Facts()...)
	for len(all) > 0 {
		n := 1
		for n < len(all) && all[n].visits == all[0].visits {
			n++
		}
		c.claims, all = all[:n], all[n:]
		c.facts = append(base[:len(base):len(base)], c.relevant(c.claims)...)
		given := len(c.facts)
		if checker, err = c.judge(); err != nil {
			return "", err
		}
		base = append(base, c.facts[given:]...)
	}
	return c.accepted(), nil
}

// relevant are the facts of earlier visits that have to do with claims: those that
// read an array that the claims, or other relevant facts, read.
func (c *checker) relevant(claims []claim) []term.ID {
	if len(c.indexed.facts) == 0 {
		return nil
	}
	arrays := map[term.ID]bool{}
	read := func(t term.ID) (out []term.ID) {
		c.st.Walk([]term.ID{t}, func(x term.ID) {
			if c.st.Op(x) == term.OpVar && c.st.Sort(x).Kind == term.SortArray {
				out = append(out, x)
			}
		})
		return out
	}
	for _, x := range claims {
		for _, a := range read(x.cond) {
			arrays[a] = true
		}
	}
	var left []visitFact
	var reads [][]term.ID
	for _, f := range c.indexed.facts {
		if f.visit < claims[0].visits {
			left, reads = append(left, f), append(reads, read(f.holds))
		}
	}
	var out []term.ID
	used := make([]bool, len(left))
	for again := true; again; {
		again = false
		for i, f := range left {
			if used[i] || len(reads[i]) > 0 && !slices.ContainsFunc(reads[i], func(a term.ID) bool { return arrays[a] }) {
				continue
			}
			used[i], again = true, true
			out = append(out, f.holds)
			for _, a := range reads[i] {
				arrays[a] = true
			}
		}
	}
	return out
}
