package conductor

import (
	"sync"
	"sync/atomic"

	"assay/internal/induction"
	"assay/internal/invariant"
	"assay/internal/verdict"
)

// board holds what engines of a run tell each other while they run.
type board struct {
	// facts are predicates of loops that induction has proved; they hold in every run
	// without violation.
	facts atomic.Pointer[[]invariant.Head]
	// lemmas are candidates for such predicates, from IC3.
	lemmas atomic.Pointer[[]invariant.Head]
	// ends says that the program was found to end over the integers, which nobody checked.
	ends   atomic.Bool
	checks checks
}

func newBoard() *board {
	return &board{checks: checks{refuted: map[induction.Property]bool{}}}
}

// checks is what is known of single checks.
type checks struct {
	mu      sync.Mutex
	refuted map[induction.Property]bool
	// proved is nil if it is not known yet what can be proved; open is what cannot.
	proved map[induction.Property]verdict.True
	open   []induction.Property
}
