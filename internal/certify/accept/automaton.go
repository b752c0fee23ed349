package accept

import (
	"context"
	"fmt"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/inclusion"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/tableau"
)

// Automaton checks that an automaton accepts what a formula is true of: at least that, so that a proof
// that no run is accepted is one about the formula, and nothing else, so that a run that is
// accepted refutes it. The checker's own automata are tableaux (packages tableau and
// inclusion). The hint is the formula that the automaton was made of.
func Automaton(ctx context.Context, a *buchi.Automaton, f, hint ltl.Formula) error {
	if err := inclusion.Accepts(ctx, a, f, hint); err != nil {
		return err
	}
	not, err := tableau.New(ltl.Not(f))
	if err != nil {
		return fmt.Errorf("the tableau of the negation has %w", err)
	}
	if w, ok := buchi.Intersect(a, inclusion.Automaton(not)).Witness(); ok {
		panic(fmt.Sprintf("the automaton of %v accepts %v", f, w))
	}
	return nil
}
