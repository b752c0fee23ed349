package certify

import (
	"time"

	"assay/internal/logic/bv"
	"assay/internal/logic/floats/ondemand"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
	"assay/internal/run/work"
)

// This file asks about formulas with floating-point arithmetic without circuits
// of it: the results of operations are variables, and where a model gives one a
// value that interval arithmetic excludes, a lemma says so (package ondemand). That
// nothing is satisfiable is an answer; a model is none.

// Limits of the lemmas, after which the formula is asked about in another way; the time is that of a processor.
const (
	lemmaRounds    = 400
	lemmaConflicts = 20000
	lemmaTime      = 5 * time.Second
)

// byLemmas says whether roots exclude each other because of lemmas.
func (c *checker) byLemmas(roots []term.ID) bool {
	ctx, cancel := work.WithProcessorTime(c.ctx, lemmaTime)
	defer cancel()
	l := &lowering{st: c.st, ops: ondemand.New(c.st), to: map[term.ID]term.ID{}, arg: map[term.ID]term.ID{}}
	solver := z3.New(c.st, z3.Options{})
	defer solver.Close()
	solver.SetConflictLimit(lemmaConflicts)
	value := func(t term.ID) bv.BV {
		if x := l.arg[t]; x != 0 {
			t = x
		}
		return solver.Value(t)
	}
	more := roots
	for range lemmaRounds {
		for _, t := range l.all(more) {
			solver.Assert(t)
		}
		status, err := solver.Check(ctx)
		if status == smt.Unsat {
			return true
		}
		if err != nil || status != smt.Sat {
			return false
		}
		if more = l.ops.Refine(value); len(more) == 0 || l.ops.Circuits() > 0 {
			return false
		}
	}
	return false
}

// hasArithmetic says whether there are operations about which there are lemmas.
func (c *checker) hasArithmetic(roots []term.ID) (found bool) {
	c.st.Walk(roots, func(t term.ID) {
		switch c.st.Op(t) {
		case term.OpFAdd, term.OpFMul, term.OpFDiv, term.OpFSqrt:
			found = true
		}
	})
	return found
}

// lowering replaces floating-point terms.
type lowering struct {
	st  *term.Store
	ops *ondemand.Operations
	to  map[term.ID]term.ID // by floating-point term
	arg map[term.ID]term.ID // by operand of one
}

// all are terms with what takes the place of floating-point terms in them.
func (l *lowering) all(ts []term.ID) []term.ID {
	st := l.st
	var found []term.ID
	st.Walk(ts, func(t term.ID) {
		if op := st.Op(t); l.to[t] == 0 && op >= term.OpFAdd && op <= term.OpFToF {
			found = append(found, t)
		}
	})
	for _, t := range found { // arguments come first
		l.to[t] = st.Substitute(l.ops.Lower(st, t), l.to)
	}
	var args []term.ID
	for _, t := range found {
		for i := range st.NumArgs(t) {
			args = append(args, st.Arg(t, i))
		}
	}
	if len(args) > 0 {
		for i, t := range st.SubstituteAll(args, l.to) {
			l.arg[args[i]] = t
		}
	}
	if len(l.to) == 0 {
		return ts
	}
	return st.SubstituteAll(ts, l.to)
}
