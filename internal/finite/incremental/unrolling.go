package incremental

import (
	"context"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
	"assay/internal/logic/sat/cadical"
)

// unrolling is a circuit unrolled step by step in a graph of its own.
type unrolling struct {
	c       *ts.Circuit
	initial bool // step 0 has the resets; else it is any state but the initial one
	g       *sat.Graph
	cnf     *sat.CNF
	solver  *cadical.Solver
	steps   []step
	settled int  // steps whose constraints are asserted
	moved   int  // steps whose transition conditions are asserted
	done    int  // used by inductive
	dead    bool // the last query was unsatisfiable without its goal
	simple  bool

	eval   *sat.Evaluator
	values []int8
}

// keep is how many of the last steps can still be asked for literals; the tables of
// earlier ones would fill the memory.
const keep = 3

type step struct {
	copier  *ts.Copier // nil in steps before those
	inputs  []sat.Lit
	latches []sat.Lit
}

func newUnrolling(c *ts.Circuit, initial bool) *unrolling {
	g := sat.NewGraph()
	solver := cadical.New()
	u := &unrolling{c: c, initial: initial, g: g, solver: solver, cnf: sat.NewCNF(g, solver.AddClauses)}
	u.eval = sat.NewEvaluator(g, func(n int32) bool {
		v := int(u.cnf.Variable(n))
		return v > 0 && v <= len(u.values) && u.values[v-1] > 0
	})
	return u
}

func (u *unrolling) close() { u.solver.Close() }

// extend makes the gates up to step k available.
func (u *unrolling) extend(k int) {
	for len(u.steps) <= k {
		s := step{copier: ts.NewCopier(u.c.Graph, u.g)}
		for i, l := range u.c.Latches {
			var image sat.Lit
			switch {
			case len(u.steps) > 0:
				image = u.steps[len(u.steps)-1].copier.Lit(l.Next)
			case u.initial && !l.Arbitrary():
				image = l.Reset
			case !u.initial && u.c.LatchBits[i].Index == ts.Initialised:
				image = sat.True
			default:
				image = u.g.Input()
			}
			s.latches = append(s.latches, image)
		}
		for i, l := range u.c.Latches {
			s.copier.Set(l.Lit, s.latches[i])
		}
		for _, l := range u.c.Inputs {
			in := u.g.Input()
			s.inputs = append(s.inputs, in)
			s.copier.Set(l, in)
		}
		u.steps = append(u.steps, s)
		if n := len(u.steps); n > keep {
			u.steps[n-1-keep].copier = nil
		}
	}
}

// lit is the literal of the circuit in step k.
func (u *unrolling) lit(k int, l sat.Lit) sat.Lit {
	u.extend(k)
	return u.steps[k].copier.Lit(l)
}

// assertConditions asserts the constraints up to step k, and the transition
// conditions of the steps before it.
func (u *unrolling) assertConditions(k int) {
	for ; u.settled <= k; u.settled++ {
		for _, l := range u.c.Constraints {
			u.cnf.AssertClause(u.lit(u.settled, l))
		}
	}
	for ; u.moved < k; u.moved++ {
		for _, l := range u.c.Transitions {
			u.cnf.AssertClause(u.lit(u.moved, l))
		}
	}
}

// bad asks for a run whose step k is bad. The steps before it were asked for
// already; if there is none, that is a fact for later queries.
func (u *unrolling) bad(ctx context.Context, k int, bad sat.Lit) (cadical.Result, error) {
	u.extend(k)
	u.assertConditions(k)
	answer, err := u.query(ctx, k, bad)
	if err == nil && answer == cadical.Unsat {
		if !u.dead {
			// Is there a run with this many steps at all? Where nothing restricts
			// runs, there is.
			if len(u.c.Constraints)+len(u.c.Transitions) > 0 {
				if err := u.alive(ctx); err != nil {
					return cadical.Unknown, err
				}
			}
		}
		u.cnf.AssertClause(u.lit(k, bad).Not())
	}
	return answer, err
}

// alive sets dead if the formula without a goal is unsatisfiable.
func (u *unrolling) alive(ctx context.Context) error {
	answer, err := u.solve(ctx)
	u.dead = answer == cadical.Unsat
	return err
}

func (u *unrolling) query(ctx context.Context, k int, bad sat.Lit) (cadical.Result, error) {
	u.assertConditions(k)
	b := u.lit(k, bad)
	if b == sat.False {
		return cadical.Unsat, ctx.Err()
	}
	return u.solve(ctx, u.cnf.Literal(b))
}

func (u *unrolling) solve(ctx context.Context, assumptions ...int32) (cadical.Result, error) {
	if !u.cnf.Encode(func() bool { return ctx.Err() != nil }) {
		return cadical.Unknown, ctx.Err()
	}
	u.solver.Assume(assumptions...)
	return u.solver.Solve(ctx)
}

// readModel takes the values of the solver's model for eval.
func (u *unrolling) readModel() {
	u.values = make([]int8, u.cnf.Variables())
	u.solver.Values(1, u.values)
	u.eval.Reset()
}

// run is the run of the model, up to step k.
func (u *unrolling) run(k int) *ts.Run {
	u.readModel()
	r := &ts.Run{}
	for _, l := range u.steps[0].latches {
		r.Latches = append(r.Latches, u.eval.Value(l))
	}
	for _, s := range u.steps[:k+1] {
		in := make([]bool, len(s.inputs))
		for i, l := range s.inputs {
			in[i] = u.eval.Value(l)
		}
		r.Inputs = append(r.Inputs, in)
	}
	return r
}
