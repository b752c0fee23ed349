package conductor

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"assay/internal/engines/inference"
	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/run/schedule"
)

// board holds what engines of a run tell each other while they run.
type board struct {
	// facts are predicates of loops that induction has proved; they hold in every run
	// without violation.
	facts predicates
	// lemmas are candidates for such predicates, from IC3.
	lemmas predicates
	// ends says that the program was found to end over the integers, which nobody checked.
	ends   atomic.Bool
	checks checks
}

func newBoard() *board {
	return &board{checks: checks{refuted: map[inference.Property]bool{}}}
}

// predicates are the latest predicates of loops that an engine told the others.
type predicates struct {
	latest atomic.Pointer[[]invariant.Head]
}

// publish tells the others.
func (p *predicates) publish(ctx context.Context, what string, heads []invariant.Head) {
	p.latest.Store(&heads)
	schedule.Say(ctx, schedule.Published, count(what, heads))
}

// take is what was told last, nil if nothing was.
func (p *predicates) take(ctx context.Context, what string) []invariant.Head {
	heads := p.latest.Load()
	if heads == nil {
		return nil
	}
	schedule.Say(ctx, schedule.Took, count(what, *heads))
	return *heads
}

// Told are predicates of loops that an engine told the others.
type Told struct {
	By    string // the engine, and what they are worth
	Heads []invariant.Head
}

// told lists what is on the board.
func (b *board) told() (out []Told) {
	for _, x := range []struct {
		by string
		p  *predicates
	}{{"induction, proved", &b.facts}, {"IC3, a candidate", &b.lemmas}} {
		if heads := x.p.latest.Load(); heads != nil {
			out = append(out, Told{x.by, *heads})
		}
	}
	return out
}

// count says how many predicates there are, of how many loops.
func count(what string, heads []invariant.Head) string {
	n := 0
	for i := range heads {
		n += len(heads[i].Predicates) + len(heads[i].Clauses) + len(heads[i].Formulas)
	}
	return fmt.Sprintf("%d %s of %d loops", n, what, len(heads))
}

// checks is what is known of single checks.
type checks struct {
	mu      sync.Mutex
	refuted map[inference.Property]bool
	// proved is nil if it is not known yet what can be proved; open is what cannot.
	proved map[inference.Property]verdict.True
	open   []inference.Property
}
