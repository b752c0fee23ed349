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
	"fmt"
	"strings"

	"assay/internal/smt/z3"
	"assay/internal/term"
)

// Refuter asks one question after the other. It belongs to one goroutine.
type Refuter struct {
	limit  int64
	script *z3.Script
}

// New is a Refuter that spends so much work on a question, as Z3 counts it (some five
// million a second); 0 is no limit.
func New(limit int64) *Refuter { return &Refuter{limit: limit} }

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
	start := "(reset)\n" + fmt.Sprintf(options, r.limit)
	if r.script == nil {
		s, err := z3.NewScript()
		if err != nil {
			return false, err
		}
		r.script = s
		if _, err := s.Eval(ctx, start); err != nil {
			r.Close()
			return false, err
		}
	}
	question := encode(st, roots) + "(check-sat)\n"
	if len(question) < small {
		question = "(push)\n" + question + "(pop)\n"
	} else {
		question = start + question + start
	}
	out, err := r.script.Eval(ctx, question)
	if err != nil {
		r.Close() // its state is not known
		return false, err
	}
	return strings.TrimSpace(out) == "unsat", nil
}

// small is the length of a question that is asked between a push and a pop: then Z3 leaves
// out its preprocessing, without which others take three times as long; but to begin anew
// takes it ten milliseconds.
const small = 4000

// encode is the translation of the roots, as assertions.
func encode(st *term.Store, roots []term.ID) string {
	t := newTranslator(st)
	for _, r := range roots {
		t.walk(r)
		t.assert("%s", t.truth[r])
	}
	return t.text()
}

// options choose the older simplex algorithm, which is up to ten times as fast on these
// formulas.
const options = "(set-option :smt.arith.solver 2)\n(set-option :smt.random_seed 0)\n(set-option :rlimit %d)\n"
