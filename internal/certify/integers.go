package certify

import (
	"time"

	"assay/internal/logic/smt"
	"assay/internal/logic/smt/intblast"
	"assay/internal/logic/term"
)

// This file asks over the integers (package intblast), where a refutation is one of the bit-vectors
// as well, and nothing else is an answer.

// integerTime is after how much time of a processor a question over the integers is given up; quickly that if others were not asked yet.
const (
	integerTime = 3 * time.Second
	quickly     = 300 * time.Millisecond
)

// decreasing drops the claims about ranking functions that are refuted: those that are sums over the integers, those that count bits by words.
// The one who would take long is asked again when the other did not find it soon.
func (c *checker) decreasing() error {
	if err := c.overIntegers(quickly); err != nil {
		return err
	}
	some := c.st.False()
	for _, x := range c.claims {
		some = c.st.Or(some, x.cond)
	}
	if c.st.IsFalse(some) {
		return nil
	}
	roots := append([]term.ID{some}, c.facts...)
	for _, a := range c.plan(roots) {
		if a.conflicts == 0 || a.conflicts > soonConflicts {
			continue
		}
		status, err := c.try(a, roots)
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err == nil && status == smt.Unsat:
			c.claims = nil
			return nil
		}
	}
	return c.overIntegers(integerTime)
}

// overIntegers drops the claims of which it is refuted over the integers that they
// fail, one by one: sums of different widths, which ranking functions are, are hard bit by bit.
func (c *checker) overIntegers(limit time.Duration) error {
	c.facts = append(c.facts, c.sp.Facts()...)
	r := intblast.New(limit)
	defer r.Close()
	left := c.claims[:0]
	for i, x := range c.claims {
		if c.st.IsFalse(x.cond) {
			continue
		}
		no, err := r.Refute(c.ctx, c.st, append([]term.ID{x.cond}, c.facts...))
		switch {
		case c.ctx.Err() != nil:
			return c.ctx.Err()
		case err != nil: // other ways of asking will do, or say what is wrong
			c.claims = append(left, c.claims[i:]...)
			return nil
		case no:
			c.integers = true
		default:
			left = append(left, x)
		}
	}
	c.claims = left
	return nil
}

// linearTerms is how many terms a question has at most: big formulas are those of programs that do more than to add and
// to compare, of which nothing is known over the integers.
const linearTerms = 2000

// byIntegers asks about all roots together, if they do not have too many terms.
func (c *checker) byIntegers(roots []term.ID, limit time.Duration) (smt.Status, error) {
	if c.termsOf(roots) > linearTerms {
		return smt.Unknown, nil
	}
	r := intblast.New(limit)
	defer r.Close()
	no, err := r.Refute(c.ctx, c.st, roots)
	if err != nil || !no {
		return smt.Unknown, err
	}
	c.integers = true
	return smt.Unsat, nil
}

// refutedOverIntegers says whether roots exclude each other, and does not look for long.
func (c *checker) refutedOverIntegers(roots []term.ID) bool {
	status, err := c.try(linear, roots)
	return err == nil && status == smt.Unsat
}

// dividesByConstants says whether formulas have operations whose circuits are big, and all of them are divisions by
// constants, which are linear.
func (c *checker) dividesByConstants(roots []term.ID) bool {
	some, all := false, true
	c.st.Walk(roots, func(t term.ID) {
		if hard(c.st, t) {
			some = true
			all = all && c.st.IsConst(c.st.Arg(t, 1))
		}
	})
	return some && all
}
