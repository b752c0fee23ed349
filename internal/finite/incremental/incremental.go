// Package incremental searches for runs to a bad state of a circuit step by step
// in one growing formula, and proves by k-induction that there are none.
//
// Cited papers:
//
//	[LLUMC §2]: F_0, F_1, ... are solved until one is satisfiable; what holds only
//	for F_k, the goal in step k, is guarded by an activation literal.
//	[EenSorensson03b] N. Eén, N. Sörensson. Temporal Induction by Incremental SAT
//	Solving. BMC 2003: both cases of k-induction in incremental solvers, with
//	constraints for simple paths where a model violates them.
//
// The steps are unrolled as gates, not as clauses, so that constants and what is
// equal in several steps is shared before it becomes clauses. The goal of a step
// is a literal of which the clauses say only what follows from it
// (Plaisted-Greenbaum), so it is its own activation literal; afterwards its
// negation is a fact.
//
// Runs are found in the order of their length, so the first one is shortest.
package incremental

import (
	"context"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
	"assay/internal/logic/sat/cadical"
)

// Options are what a search can be told.
type Options struct {
	// Induction alternates the search with attempts at a proof.
	Induction bool
	// Steps bounds the length of runs; 0 is no bound.
	Steps int
	// Progress, if not nil, is called when no run has a bad state in a step.
	Progress func(step int)
}

// Proof is what k-induction found; see ts.Invariant for its meaning. K = 0 says
// that no run has a step Prefix.
type Proof struct {
	Prefix int
	K      int
	Simple bool // constraints for simple paths were used
}

// Result is a run, a proof, or, if both are nil, the bound that was reached.
type Result struct {
	Run     *ts.Run
	Proof   *Proof
	Steps   int // this many steps have no bad state
	Clauses int64
	Learned int64
}

// Search looks for a run of the circuit, which must come from ts.Normalise, in
// which bad holds. The error is the context's, or cadical.ErrMemory; the result
// then says how far the search came.
func Search(ctx context.Context, c *ts.Circuit, bad sat.Lit, o Options) (*Result, error) {
	base := newUnrolling(c, true)
	defer base.close()
	r := &Result{}
	var step *unrolling
	if o.Induction {
		step = newUnrolling(c, false)
		defer step.close()
	}
	defer func() {
		r.Clauses, r.Learned = base.cnf.Clauses(), base.solver.Learned()
	}()
	prefix := 0
	for _, b := range c.LatchBits {
		if b.Index == ts.Initialised {
			prefix = 1
		}
	}
	for k := 0; o.Steps == 0 || k < o.Steps; k++ {
		answer, err := base.bad(ctx, k, bad)
		switch {
		case err != nil:
			return r, err
		case answer == cadical.Sat:
			r.Run = base.run(k)
			return r, nil
		}
		r.Steps = k + 1
		if o.Progress != nil {
			o.Progress(k)
		}
		if base.dead {
			r.Proof = &Proof{Prefix: k}
			return r, nil
		}
		// The base case has covered steps 0 to k, so K may be k+1-prefix.
		if K := k + 1 - prefix; o.Induction && K > 0 {
			proved, err := step.inductive(ctx, K, bad)
			if err != nil {
				return r, err
			}
			if proved {
				r.Proof = &Proof{Prefix: prefix, K: K, Simple: step.simple}
				return r, nil
			}
		}
	}
	return r, nil
}

// inductive says whether bad cannot hold after K steps without it, adding
// constraints for simple paths as models call for them.
func (u *unrolling) inductive(ctx context.Context, K int, bad sat.Lit) (bool, error) {
	for k := u.done; k < K; k++ { // steps 0 to K-1 are without bad
		u.extend(k)
		u.assertConditions(k)
		u.cnf.AssertClause(u.lit(k, bad).Not())
		u.done = k + 1
	}
	for {
		answer, err := u.query(ctx, K, bad)
		if err != nil {
			return false, err
		}
		if answer == cadical.Unsat {
			return true, nil
		}
		if !u.distinguish(K) {
			return false, nil
		}
	}
}

// distinguish adds the constraint that two states differ which are equal in the
// model, for all such pairs. It returns false if there are none.
func (u *unrolling) distinguish(last int) bool {
	u.readModel()
	seen := map[string]int{}
	added := false
	key := make([]byte, (len(u.c.Latches)+7)/8)
	for k := range last + 1 {
		clear(key)
		for i, l := range u.steps[k].latches {
			if u.eval.Value(l) {
				key[i/8] |= 1 << (i % 8)
			}
		}
		if j, ok := seen[string(key)]; ok {
			differ := sat.False
			for i := range u.c.Latches {
				differ = u.g.Or(differ, u.g.Xor(u.steps[j].latches[i], u.steps[k].latches[i]))
			}
			u.cnf.AssertClause(differ)
			added, u.simple = true, true
		} else {
			seen[string(key)] = k
		}
	}
	return added
}
