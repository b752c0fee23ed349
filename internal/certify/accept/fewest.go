package accept

import (
	"context"
	"slices"
	"time"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/run/work"
)

// This file leaves out of a proof what it does not need. Abstract interpretation knows something of everything; what
// a person reads, and what a witness carries, are the facts from which the property follows and which follow from
// each other. The checker is asked again, with fewer facts: first without any, then without each half, and so on
// down to single ones, as delta debugging does [ZellerHildebrandt02]. What is left was accepted by the checker like any other
// certificate; where the time that this may take ends, the facts not tried are kept.

// Limits of the work on what is needed.
const (
	mostFacts  = 60
	fewestTime = 40 * time.Millisecond // of a processor
)

// Fewest is Program, for an induction of which facts about loops, and clauses of contracts, are left out that it does not
// need. It changes the evidence.
func Fewest(ctx context.Context, c *verdict.Claim, proof *verdict.Induction) (checker string, err error) {
	claim := *c
	claim.Evidence = proof
	if checker, err = Program(ctx, &claim); err != nil {
		return "", err
	}
	count := func() (n int) {
		eachList(proof, func(list *[]invariant.Predicate) { n += len(*list) })
		return n
	}
	if count() > mostFacts {
		return checker, nil
	}
	within, cancel := work.WithProcessorTime(ctx, fewestTime)
	defer cancel()
	// without is the proof without the facts of a range.
	without := func(of *verdict.Induction, from, to int) *verdict.Induction {
		out := *of
		out.Heads, out.Contracts = slices.Clone(of.Heads), slices.Clone(of.Contracts)
		n := 0
		eachList(&out, func(list *[]invariant.Predicate) {
			var kept []invariant.Predicate
			for _, p := range *list {
				if n < from || n >= to {
					kept = append(kept, p)
				}
				n++
			}
			*list = kept
		})
		return &out
	}
	// try leaves out of a range what it can, the last facts first; the numbers before do not change.
	var try func(from, to int)
	try = func(from, to int) {
		if within.Err() != nil {
			return
		}
		fewer := without(proof, from, to)
		claim.Evidence = fewer
		if by, err := program(within, &claim); err == nil {
			proof.Heads, proof.Contracts, checker = fewer.Heads, fewer.Contracts, by
			return
		}
		if middle := (from + to) / 2; middle > from {
			try(middle, to)
			try(from, middle)
		}
	}
	// A fact that only others needed goes once these are gone.
	for left := -1; count() != left; {
		if left = count(); left > 0 {
			try(0, left)
		}
	}
	return checker, nil
}

// eachList calls f for the lists of facts of a proof.
func eachList(proof *verdict.Induction, f func(*[]invariant.Predicate)) {
	for i := range proof.Heads {
		f(&proof.Heads[i].Predicates)
	}
	for i := range proof.Contracts {
		f(&proof.Contracts[i].Pre)
		f(&proof.Contracts[i].Post)
	}
}
