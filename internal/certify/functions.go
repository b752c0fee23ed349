package certify

import (
	"slices"
	"time"

	"assay/internal/logic/smt"
	"assay/internal/logic/term"
)

// This file asks about formulas with products of variables, quotients and remainders
// without circuits of them. All that is kept is that each is a function
// [KroeningStrichman16 §4.2.1]: an application is a variable, and
//
//	a = a' and b = b'  implies  f(a, b) = f(a', b')
//
// for every two applications of an operation of one width; and products commute. Every
// model of the formula is one of this, so that it is an answer if there is none; a model
// is no answer.

// Limits of the applications. Where states are many, the proof in clauses takes much longer than
// Z3, so that the time of this is only to end what would never end.
const (
	maxApplications  = 60
	applicationWidth = 16 // the least: circuits of smaller ones are easy
	functionTime     = 10 * time.Second
)

// Ways of asking about such formulas. Most are decided at once or not for long, so those come before what
// takes circuits: one of a quotient costs more than all else that a proof has in it.
var (
	functionsSoon = []attempt{{proof: true, conflicts: 500, clauses: 500_000, time: time.Second}, {conflicts: soonConflicts, time: time.Second}, {proof: true, conflicts: 5000, time: time.Second}}
	functionsLong = []attempt{{conflicts: 5000, time: functionTime}, {proof: true, conflicts: 20_000}}
)

// application is one of the arithmetic that is left out.
type application struct {
	op     term.Op
	a, b   term.ID // with results instead of applications
	result term.ID
}

// byFunctions says whether roots exclude each other whatever the functions are.
func (c *checker) byFunctions(roots []term.ID, ways []attempt) bool {
	st := c.st
	var found []application
	var all *term.Applications
	all = term.NewApplications(st, func(t term.ID) bool { return hard(st, t) }, func(t term.ID) term.ID {
		x := application{st.Op(t), all.One(st.Arg(t, 0)), all.One(st.Arg(t, 1)), st.Fresh("application", st.Sort(t))}
		found = append(found, x)
		return x.result
	})
	formula := all.All(roots)
	if len(found) == 0 || len(found) > maxApplications {
		return false
	}
	operands := slices.Clone(formula)
	for _, x := range found {
		operands = append(operands, x.a, x.b)
	}
	st.Walk(operands, func(t term.ID) {
		if st.Op(t) == term.OpMul && st.Width(t) >= applicationWidth {
			found = append(found, application{term.OpMul, st.Arg(t, 0), st.Arg(t, 1), t})
		}
	})
	for i, x := range found {
		for _, y := range found[:i] {
			if y.op != x.op || st.Width(y.a) != st.Width(x.a) {
				continue
			}
			same := st.And(st.Eq(x.a, y.a), st.Eq(x.b, y.b))
			if x.op == term.OpMul {
				same = st.Or(same, st.And(st.Eq(x.a, y.b), st.Eq(x.b, y.a)))
			}
			formula = append(formula, st.Implies(same, st.Eq(x.result, y.result)))
		}
	}
	for _, a := range ways {
		if status, err := c.refutes(a, formula); status != smt.Unknown || c.ctx.Err() != nil {
			c.asFunctions = c.asFunctions || err == nil && status == smt.Unsat
			return err == nil && status == smt.Unsat
		}
	}
	return false
}

// refutes asks once, of a solver of its own.
func (c *checker) refutes(a attempt, formula []term.ID) (smt.Status, error) {
	solver := c.newSolver(a)
	defer solver.Close()
	for _, t := range formula {
		solver.Assert(t)
	}
	return c.check(solver, a)
}

// hard says whether a term is an operation whose circuit is big.
func hard(st *term.Store, t term.ID) bool {
	if st.Width(t) < applicationWidth {
		return false
	}
	switch st.Op(t) {
	case term.OpMul:
		return !st.IsConst(st.Arg(t, 0)) && !st.IsConst(st.Arg(t, 1))
	case term.OpUDiv, term.OpURem, term.OpSDiv, term.OpSRem:
		return true
	}
	return false
}
