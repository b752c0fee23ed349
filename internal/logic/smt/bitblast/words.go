package bitblast

import (
	"context"

	"assay/internal/logic/sat"
	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// Words translates terms to words of literals of a graph that belongs to the
// caller, without a solver: this is how transition systems become circuits.
// Arrays and floating-point terms are not supported.
type Words struct{ s *Solver }

// NewWords translates terms of the store to gates of the graph, until the context ends.
func NewWords(ctx context.Context, store *term.Store, g *sat.Graph) *Words {
	return &Words{&Solver{
		store:     store,
		circuit:   circuit{g, ctx},
		lits:      make(word, 1, 1024), // offset 0 means no word
		lowered:   map[term.ID]term.ID{},
		divisions: map[division][2]word{},
	}}
}

// Word is the word of t, the least significant bit first; a Bool has one bit.
// The bits of a variable are new inputs of the graph. The error is an
// smt.ErrUnsupported or the context's.
func (w *Words) Word(t term.ID) ([]sat.Lit, error) {
	if w.s.store.Sort(t).Kind == term.SortArray {
		return nil, smt.ErrUnsupported{What: "array"}
	}
	if err := w.s.blast(t); err != nil {
		return nil, err
	}
	if w.s.flags[t]&hasSelect != 0 {
		return nil, smt.ErrUnsupported{What: "select"}
	}
	return w.s.word(t), nil
}
