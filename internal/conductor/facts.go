package conductor

import (
	"fmt"

	"assay/internal/engines/bitranking"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
)

// Fact is what an engine tells the others: Invariants, Candidates, Ranked, RefutedChecks or
// ProvedChecks.
type Fact interface {
	// text is for the log.
	text() string
}

// Invariants are predicates of loops that hold in every run without violation. Induction
// publishes them; they are constraints of the transition system that IC3 is given, and then
// part of its certificates.
type Invariants struct{ Heads []invariant.Head }

// Candidates are predicates of loops that may hold: bits that the lemmas of IC3 fix.
// Induction tries to prove them.
type Candidates struct{ Heads []invariant.Head }

// Ranked says whether the program ends over the mathematical integers, and by which ranking
// functions; those often rank the program on the bit-vectors, too. Endless is not nil if some run over them
// does not end.
type Ranked struct {
	Ends    bool
	Hints   []bitranking.Hint
	Endless *endlessIntegers
}

// RefutedChecks are checks that some run violates: they need no proof.
type RefutedChecks map[verdict.Site]bool

// ProvedChecks are the checks that no run violates, with the proof of each, and those that are
// open. Final says that no more will be proved.
type ProvedChecks struct {
	Proofs map[verdict.Site]verdict.True
	Open   []verdict.Site
	Final  bool
}

func (f Invariants) text() string { return countPredicates("invariants", f.Heads) }
func (f Candidates) text() string { return countPredicates("candidates", f.Heads) }
func (f Ranked) text() string {
	if f.Endless != nil {
		return "a run over the integers that does not end"
	}
	if !f.Ends {
		return "no ranking over the integers"
	}
	return fmt.Sprintf("ranking functions of %d loops over the integers", len(f.Hints))
}
func (f RefutedChecks) text() string { return fmt.Sprintf("%d checks refuted", len(f)) }
func (f ProvedChecks) text() string {
	return fmt.Sprintf("%d checks proved, %d open", len(f.Proofs), len(f.Open))
}

// countPredicates says how many predicates there are, of how many loops.
func countPredicates(what string, heads []invariant.Head) string {
	n := 0
	for i := range heads {
		n += len(heads[i].Predicates) + len(heads[i].Clauses) + len(heads[i].Formulas)
	}
	return fmt.Sprintf("%d %s of %d loops", n, what, len(heads))
}

// Told are predicates of loops that an engine told the others.
type Told struct {
	By    string // the engine, and what they are worth
	Heads []invariant.Head
}

// told lists the predicates of loops among posts.
func told(posts []Post) (out []Told) {
	for _, p := range posts {
		by := p.By + ", " + p.Worth.String()
		switch f := p.Fact.(type) {
		case Invariants:
			out = append(out, Told{by, f.Heads})
		case Candidates:
			out = append(out, Told{by, f.Heads})
		case Ranked, RefutedChecks, ProvedChecks:
		}
	}
	return out
}
