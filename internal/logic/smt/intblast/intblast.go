// Package intblast refutes formulas over bit-vectors by way of the integers.
//
// Bit by bit, a solver has to rediscover arithmetic: that 2(x+y)+z is less than before
// takes it seconds, where nothing wraps and a simplex algorithm sees it at once. So a term
// of w bits becomes an integer expression that is congruent to its value modulo 2^w;
// sums, differences and multiples stay linear. Where the value itself matters, in a
// comparison or an extension, a multiple k·2^w is taken off, with k an integer variable
// whose range follows from that of the expression: k is 0, or is one of few, and Z3
// splits cases on k only.
//
// The operations that are linear are exact: sums, multiples, shifts, divisions and
// remainders by constants, extensions, concatenations, extractions. The value of any other
// term (products of variables, bitwise operations, elements of arrays, floating point) is
// a variable, about which some bounds are known. So each model of the formula gives one of the
// translation, and if there is none of the translation, there is none of the formula. Nothing
// is concluded from a model of the translation.
//
// The idea is known as int-blasting [Zohar22]; there it is exact for all operations,
// lazily.
package intblast

import (
	"context"
	"strings"
	"time"

	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
	"assay/internal/run/work"
)

// Refuter asks one question after the other. It belongs to one goroutine.
type Refuter struct {
	limit  time.Duration
	script *z3.Script
}

// New is a Refuter that gives a question up after a time, 0 for never.
func New(limit time.Duration) *Refuter { return &Refuter{limit: limit} }

// Close frees it; it is idempotent.
func (r *Refuter) Close() {
	if r.script != nil {
		r.script.Close()
	}
	r.script = nil
}

// Refute says whether Z3 finds, over the integers, that the roots cannot hold together.
// The answer false means nothing. The error is that of the context or of Z3.
func (r *Refuter) Refute(ctx context.Context, st *term.Store, roots []term.ID) (bool, error) {
	if r.script == nil {
		s, err := z3.NewScript()
		if err != nil {
			return false, err
		}
		r.script = s
	}
	limited := ctx
	if r.limit > 0 {
		var cancel context.CancelFunc
		limited, cancel = work.WithProcessorTime(ctx, r.limit)
		defer cancel()
	}
	out, err := r.script.Eval(limited, "(push)\n"+encode(st, roots)+check+"(pop)\n")
	if err != nil {
		r.Close() // its state is not known
		if limited.Err() != nil && ctx.Err() == nil {
			return false, nil
		}
		return false, err
	}
	return strings.TrimSpace(out) == "unsat", nil
}

// encode is the translation of the roots, as assertions.
func encode(st *term.Store, roots []term.ID) string {
	t := newTranslator(st)
	for _, r := range roots {
		t.walk(r)
		t.assert("%s", t.truth[r])
	}
	return t.text()
}

// check chooses the older simplex algorithm, which is up to ten times as fast on these
// formulas; equations are solved first. (What set-option says would hold for all of Z3 in
// the process.)
const check = "(check-sat-using (then simplify propagate-values solve-eqs (using-params smt :arith.solver 2 :random_seed 0)))\n"
