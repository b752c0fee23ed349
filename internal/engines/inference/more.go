package inference

import (
	"fmt"
	"slices"

	"assay/internal/engines/guess"
	"assay/internal/evidence/invariant"
	"assay/internal/transform/cut"
)

// This file takes over candidates that other engines find while this one works, as
// the lemmas of IC3. They count for no more than those that are guessed here: runs
// may break them, and what is left is proved together with the others, for k = 1.

// maxAgain bounds how often k = 1 is tried again.
const maxAgain = 3

// More adds new candidates, and says whether there are any.
func (p *Search) More() bool {
	if p.o.More == nil || p.again == maxAgain {
		return false
	}
	var fresh []cut.Candidate
	for _, h := range p.o.More() {
		for _, l := range p.loops {
			if l.Func.Name != h.Func || l.Head != h.Head {
				continue
			}
			for _, x := range h.Predicates {
				if p.o.allows(x) && p.watches(l, x) {
					fresh = append(fresh, cut.Candidate{Loop: l, Predicate: x})
				}
			}
		}
	}
	before := map[string]bool{}
	for _, c := range p.all {
		before[textOf(c)] = true
	}
	fresh = slices.DeleteFunc(distinct(guess.Unrefuted(fresh, p.at)), func(c cut.Candidate) bool { return before[textOf(c)] || isAffine(c.Predicate) })
	if len(fresh) == 0 {
		return false
	}
	p.again++
	p.all = append(p.all, fresh...)
	p.stats.Candidates += len(fresh)
	return true
}

func textOf(c cut.Candidate) string {
	return fmt.Sprintf("%p %s", c.Loop, c.Predicate.Text(func(t invariant.Term) string { return fmt.Sprint(cut.PlaceOf(t), t.Signed) }))
}

// watches says whether the places of a predicate are among those that the formula
// has, and that runs were watched for.
func (p *Search) watches(l *cut.Loop, x invariant.Predicate) bool {
	all := true
	x.Each(func(t invariant.Term) { all = all && slices.Contains(p.places[l], cut.PlaceOf(t)) })
	return all
}
