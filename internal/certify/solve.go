package certify

import (
	"errors"
	"time"

	"assay/internal/logic/floats"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/smt/checked"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
	"assay/internal/run/work"
)

// This file asks a solver that the engine did not use. No answer rests on a
// limit of time or work: a limit only decides which way of asking is tried next.

const byFolding = "second unwinding, by simplification"

// what names what was solved.
func (c *checker) what() string {
	switch {
	case c.induction != nil && c.induction.summaries != nil:
		return "second induction, function by function"
	case c.induction != nil:
		return "second induction"
	}
	return "second unwinding"
}

// accepted names who accepted.
func (c *checker) accepted() string {
	if c.o.Strict {
		return c.how() + ", without the simplifier"
	}
	return c.how()
}

func (c *checker) how() string {
	switch {
	case c.solver == nil && c.guide == nil && !c.integers && !c.lemmas && !c.asFunctions && !c.calculated && !c.inParts:
		if c.ranges {
			return c.what() + ", by intervals"
		}
		return c.what() + ", by simplification"
	case c.o.Engine == Z3:
		return c.what() + ", by CaDiCaL"
	case c.calculated:
		return c.what() + ", by Z3 with calculation modulo 2^w"
	case c.asFunctions:
		return c.what() + ", with products and quotients as functions"
	case c.lemmas:
		return c.what() + ", by Z3 with interval lemmas for floating point"
	case c.circuits:
		return c.what() + ", by Z3 with circuits for floating point"
	case c.integers:
		return c.what() + ", by Z3 over the integers"
	case c.proof:
		return c.what() + ", by a proof in clauses"
	}
	return c.what() + ", by Z3"
}

// newSolver is the solver that the engine did not use.
func (c *checker) newSolver(a attempt) smt.Solver {
	switch {
	case c.o.Engine == Z3:
		return bitblast.New(c.st, bitblast.Options{Lower: floats.Lower})
	case a.proof:
		solver := checked.New(c.st)
		solver.SetClauseLimit(a.clauses)
		return solver
	}
	return z3.New(c.st, a.options)
}

// check asks a solver, within the limits of an attempt.
func (c *checker) check(solver smt.Solver, a attempt) (smt.Status, error) {
	solver.SetConflictLimit(a.conflicts)
	ctx := c.ctx
	if a.time > 0 {
		limited, cancel := work.WithProcessorTime(ctx, a.time)
		defer cancel()
		ctx = limited
	}
	return solver.Check(ctx)
}

// soon is how long Z3 is asked before a proof in clauses is, and with how many conflicts.
const (
	soon          = 300 * time.Millisecond
	soonConflicts = 1000
)

// attempt is a way of asking, and the work after which it is given up.
type attempt struct {
	proof     bool // CaDiCaL, whose proof is checked (package checked), instead of Z3
	options   z3.Options
	circuits  bool // for floating-point operations
	integers  bool // a question over the integers, which can only be refuted
	conflicts int64
	clauses   int64         // of a proof
	time      time.Duration // of a processor: what is given up does not depend on what else the machine does
}

// Formulas without arrays and floating point become circuits, which is nearly always
// fastest where Z3's preprocessing does not decide them at once; it comes again
// after that, for what is decided by arithmetic. Its own floating point is another opinion than the engine's circuits, but
// with multiplication or division it is too slow: 2 s against 40 ms for the product
// of two converted bytes.
var (
	attempts = []attempt{small, medium, linear, {conflicts: soonConflicts, time: soon}, large, {options: z3.Options{OneShot: true}}}
	words    = []attempt{
		small,
		medium,
		linear,
		{conflicts: soonConflicts, time: soon},
		{options: z3.Options{OneShot: true, Circuits: true}, conflicts: 50000, time: soon},
		large,
		{options: z3.Options{OneShot: true, Circuits: true}, conflicts: 50000},
		{conflicts: 5000},
		{options: z3.Options{OneShot: true}},
	}
	circuits = []attempt{
		{proof: true, circuits: true, conflicts: 300_000, clauses: 10_000_000},
		{options: z3.Options{OneShot: true, Circuits: true}, circuits: true, conflicts: 50000},
		{options: z3.Options{OneShot: true}, circuits: true},
	}
	native = append([]attempt{
		{proof: true, circuits: true, conflicts: 500, clauses: 20_000},
		{conflicts: 5000, time: 200 * time.Millisecond},
	}, circuits...)
	one = []attempt{{}}
)

// Proofs in clauses: of formulas so small that Z3's start would take longer than all of it, and of those
// whose clauses and their proof fit into memory.
var (
	small  = attempt{proof: true, conflicts: 500, clauses: 20_000}
	medium = attempt{proof: true, conflicts: 5000, clauses: 200_000, time: soon / 3}
	large  = attempt{proof: true, conflicts: 1_000_000, clauses: 10_000_000}
)

// linear is for sums and comparisons of wide numbers, of which most do not wrap around: offsets and sizes of objects.
// One about places in a ring buffer takes 83,000 conflicts bit by bit, and less than 0.1 s over the integers.
var linear = attempt{integers: true, time: quickly}

// plan is how to ask about these terms.
func (c *checker) plan(roots []term.ID) []attempt {
	if c.o.Engine == Z3 {
		return one
	}
	switch float, slow, arrays := c.contents(roots); {
	case slow:
		return circuits
	case float:
		return native
	case arrays:
		return attempts
	}
	return words
}

// contents says whether terms have floating-point operations, slow ones, and reads
// of arrays.
func (c *checker) contents(roots []term.ID) (float, slow, arrays bool) {
	c.st.Walk(roots, func(t term.ID) {
		switch c.st.Op(t) {
		case term.OpSelect:
			arrays = true
		case term.OpFMul, term.OpFDiv, term.OpFRem, term.OpFSqrt, term.OpFMA:
			float, slow = true, true
		default:
			float = float || c.isFloat(t)
		}
	})
	return float, slow, arrays
}

// decide says whether t can hold in some run. If so, c.solver has a model.
func (c *checker) decide(t term.ID) (smt.Status, error) {
	if c.st.IsFalse(t) {
		return smt.Unsat, nil
	}
	for {
		status, err := c.ask(t)
		if err != nil || status != smt.Sat || !c.sp.Correct(c.solver.Value) {
			return status, err
		}
	}
}

func (c *checker) ask(t term.ID) (smt.Status, error) {
	c.facts = append(c.facts, c.sp.Facts()...)
	roots := append([]term.ID{t}, c.facts...)
	if c.o.Engine != Z3 && c.induction != nil && c.induction.algebraic {
		refuted, err := c.byAlgebra(roots)
		if refuted || err != nil {
			return smt.Unsat, err
		}
	}
	if c.o.Engine != Z3 && c.hasArithmetic(roots) && c.byLemmas(roots) {
		c.lemmas = true
		return smt.Unsat, nil
	}
	if c.o.Engine != Z3 && c.byFunctions(roots, functionsLong) {
		return smt.Unsat, nil
	}
	var last error
	for _, a := range c.plan(roots) {
		status, err := c.try(a, roots)
		switch {
		case c.ctx.Err() != nil:
			return smt.Unknown, c.ctx.Err()
		case err == nil && status != smt.Unknown:
			return status, nil
		}
		last = err
	}
	if last == nil {
		last = errors.New("no reason given")
	}
	return smt.Unknown, ErrIncomplete{Why: "the solver gave up", Err: last}
}

// try asks once, of a new solver.
func (c *checker) try(a attempt, roots []term.ID) (smt.Status, error) {
	if a.circuits {
		roots = c.lower(roots)
	}
	if c.solver != nil {
		c.solver.Close()
	}
	c.solver, c.circuits, c.proof = nil, a.circuits, a.proof
	if a.integers {
		return c.byIntegers(roots, a.time)
	}
	c.solver = c.newSolver(a)
	for _, t := range roots {
		c.solver.Assert(t)
	}
	return c.check(c.solver, a)
}

func (c *checker) isFloat(t term.ID) bool {
	op := c.st.Op(t)
	return op >= term.OpFAdd && op <= term.OpFToF
}

// lower replaces floating-point operations by circuits.
func (c *checker) lower(roots []term.ID) []term.ID {
	st := c.st
	var ops []term.ID
	st.Walk(roots, func(t term.ID) {
		if c.isFloat(t) {
			ops = append(ops, t)
		}
	})
	circuit := map[term.ID]term.ID{}
	for _, t := range ops { // arguments come first
		circuit[t] = st.Substitute(floats.Lower(st, t), circuit)
	}
	return st.SubstituteAll(roots, circuit)
}

// feasibleFrom is the number of iterations or activations from which it is
// asked whether there are so many.
const feasibleFrom = 16

// worthwhile says whether the next iteration of a loop must be encoded: not if
// no run takes so many. The bound of a loop is that of its longest execution,
// which constants may have decided; this execution may be a short one whose
// end the simplifier does not see. It asks at powers of two, while much of the
// bound is left.
func (c *checker) worthwhile(count, bound int, entered term.ID, edges []edge) (bool, error) {
	if !worthAsking(count, bound) {
		return true, nil
	}
	g := c.either(edges)
	if g == entered {
		return true, nil
	}
	return c.feasible(g)
}

// deeper is worthwhile for an activation inside n others of its function.
func (c *checker) deeper(w way, n int) (bool, error) {
	if !worthAsking(n, w.fn.bound) {
		return true, nil
	}
	for fr := c.top; fr != nil; fr = fr.caller {
		if fr.fn == w.fn {
			if fr.entered == w.guard {
				return true, nil
			}
			break
		}
	}
	return c.feasible(w.guard)
}

func worthAsking(count, bound int) bool {
	return count >= feasibleFrom && count&(count-1) == 0 && count <= bound/4
}

// Limits of the work on a question whose answer only saves work; the time is that of a processor.
const (
	feasibleConflicts = 1000
	feasibleTime      = 300 * time.Millisecond
)

// feasible says whether some run may have a guard.
func (c *checker) feasible(g term.ID) (bool, error) {
	if c.guide == nil {
		c.guide = c.newSolver(attempt{})
		c.guide.SetConflictLimit(feasibleConflicts)
	}
	c.facts = append(c.facts, c.sp.Facts()...)
	for ; c.told < len(c.facts); c.told++ {
		c.guide.Assert(c.facts[c.told])
	}
	ctx, cancel := work.WithProcessorTime(c.ctx, feasibleTime)
	defer cancel()
	status, err := c.guide.Check(ctx, g)
	if c.ctx.Err() != nil {
		return false, c.ctx.Err()
	}
	return status != smt.Unsat || err != nil, nil
}
