package solve

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"assay/internal/finite/ic3"
	"assay/internal/finite/incremental"
	"assay/internal/finite/liveness"
	"assay/internal/finite/simulation"
	"assay/internal/finite/spacer"
	"assay/internal/finite/ts"
	"assay/internal/finite/ts/reduce"
	"assay/internal/logic/sat"
	"assay/internal/run/schedule"
)

// Engine is a way to decide.
type Engine string

// The engines. Auto runs IC3 and k-induction side by side.
const (
	Auto        Engine = "auto"
	IC3         Engine = "ic3"
	Incremental Engine = "incremental"
	KInduction  Engine = "kinduction"
	Spacer      Engine = "spacer"
)

// Engines are their names.
var Engines = []string{string(Auto), string(IC3), string(Incremental), string(KInduction), string(Spacer)}

// Answer is what was found out: at most one of Trace and Proof is not nil.
type Answer struct {
	Trace *ts.Trace // violates a property; it was simulated on the system
	Proof *Proof    // no property can be violated; each part was accepted by Z3
	// Reason says why there is neither.
	Reason string
	Engine Engine // that gave the answer
	Work   string // counters, for people
	// Steps is the number of steps in which no property can be violated, as far as
	// it is known.
	Steps int
}

// Proof has a part for the bad states, if there are any, and one for each justice
// property.
type Proof struct{ Parts []Part }

// Part is an invariant of a system that was checked. For bad states it is the
// system of the file, for justice properties a reduction of it to safety.
type Part struct {
	System    *ts.System
	Bad       []int
	Invariant *ts.Invariant
	What      string
}

// Contradiction says that evidence was not accepted: the engine that gave it has a bug.
type Contradiction struct{ What string }

func (e *Contradiction) Error() string { return e.What }

// Options are what Decide can be told.
type Options struct {
	Engine Engine
	IC3    ic3.Options
	// Accept checks proofs, unless Trusted leaves that out. Runs are always simulated.
	Accept  ts.Accept
	Trusted bool
	// Clausal asks for invariants that are clauses and hold from step 0 on: the
	// reductions that need more are left out.
	Clausal bool
	// Learned, if set, is told candidates for invariants that IC3 has met, by its
	// goroutine.
	Learned func(*ts.Invariant)
	// Simulate is how many gates are evaluated by simulation before the engines
	// start; 0 is none.
	Simulate int64
	// Unreduced gives IC3 the circuit as it is, without constant and equal latches
	// replaced.
	Unreduced bool
}

// Decide decides all properties of the model's system: whether a bad state is
// reachable, and if not, whether a justice property can be violated. The error is
// a *Contradiction or an smt.ErrUnsupported; the end of the context is an Answer. An
// engine that panics, and two that contradict each other, are a *schedule.Failure.
func Decide(ctx context.Context, s *ts.System, o Options) (*Answer, error) {
	proof := &Proof{}
	last := &Answer{Engine: o.Engine}
	if len(s.Bad) > 0 || len(s.Justice) == 0 {
		a, err := safety(ctx, s, o, "bad states")
		if err != nil || a.Proof == nil {
			return a, err
		}
		proof.Parts = append(proof.Parts, a.Proof.Parts...)
		last = a
	}
	for j := range s.Justice {
		a, err := justice(ctx, s, j, o)
		if err != nil || a.Proof == nil {
			return a, err
		}
		proof.Parts = append(proof.Parts, a.Proof.Parts...)
		last = a
	}
	last.Proof = proof
	return last, nil
}

// disjunction is that some bad literal holds.
func disjunction(c *ts.Circuit) sat.Lit {
	bad := sat.False
	for _, l := range c.Bad {
		bad = c.Graph.Or(bad, l)
	}
	return bad
}

// outcome is what an engine returns to safety.
type outcome struct {
	engine  Engine
	run     *ts.Run
	circuit *ts.Circuit // that run is of
	inv     *ts.Invariant
	claim   *spacer.Claim // a proof, still to be read
	err     error
	steps   int
	work    string
}

// side is what the outcome says.
func (o outcome) side() schedule.Side {
	switch {
	case o.run != nil:
		return schedule.Fails
	case o.inv != nil || o.claim != nil:
		return schedule.Holds
	}
	return schedule.Open
}

// bestOf is the first outcome that decides, or else any, with the steps of the one that
// came furthest.
func bestOf(r schedule.Result[outcome]) outcome {
	best := r.Outcomes[len(r.Outcomes)-1].Answer
	if r.First != nil {
		best = r.First.Answer
	}
	for _, o := range r.Outcomes {
		best.steps = max(best.steps, o.Answer.steps)
	}
	return best
}

// safety decides whether one of the bad states is reachable.
func safety(ctx context.Context, s *ts.System, o Options, what string) (*Answer, error) {
	a, err := search(ctx, s, o, what)
	if err != nil {
		return nil, err
	}
	return certify(ctx, a, o)
}

// certify has the parts of a proof checked.
func certify(ctx context.Context, a *Answer, o Options) (*Answer, error) {
	if a.Proof == nil || o.Trusted {
		return a, nil
	}
	if o.Accept == nil {
		panic("solve: no checker for the proof")
	}
	for _, p := range a.Proof.Parts {
		err := o.Accept(ctx, p.System, p.Bad, p.Invariant, a.Engine == Spacer)
		var refuted *ts.Refuted
		switch {
		case errors.As(err, &refuted) && a.Engine != Spacer: // whose models Z3 does not guarantee, and we read in part
			return nil, &Contradiction{fmt.Sprintf("engine %s: %v", a.Engine, err)}
		case err != nil:
			a.Proof = nil
			a.Reason = fmt.Sprintf("engine %s has an invariant that could not be checked: %v", a.Engine, err)
			return a, nil
		}
	}
	return a, nil
}

// search runs the engines. A run is simulated; a proof is not checked yet. Only
// the store of terms is shared, and only read.
func search(ctx context.Context, whole *ts.System, o Options, what string) (*Answer, error) {
	// What the property does not depend on is left out before anything is made of bits.
	cone := whole.Influence()
	s := cone.System
	if learned := o.Learned; learned != nil {
		o.Learned = func(inv *ts.Invariant) { learned(cone.Invariant(inv)) }
	}
	c, err := ts.Blast(ctx, s)
	if ctx.Err() != nil {
		return &Answer{Engine: o.Engine, Reason: stopped(ctx.Err())}, nil
	}
	if err != nil {
		return nil, err
	}
	c = c.Normalise(nil)
	bad := disjunction(c) // makes gates: now, not in the goroutines
	var simulated outcome
	if o.Simulate > 0 {
		simulated = outcome{engine: o.Engine, circuit: c, run: simulation.Search(ctx, c, bad, o.Simulate)}
		simulated.work = "found by simulation"
	}
	engines := []Engine{o.Engine}
	if simulated.run != nil {
		engines = nil
	} else if o.Engine == Auto {
		engines = []Engine{IC3, KInduction}
	}
	var task *spacer.Task
	if slices.Contains(engines, Spacer) { // makes terms: now, not in the goroutines
		if task, err = spacer.New(s); err != nil {
			return nil, err
		}
	}
	var table []schedule.Engine[outcome]
	for _, e := range engines {
		table = append(table, schedule.Engine[outcome]{Name: string(e), Run: func(ctx context.Context) outcome {
			if e == Spacer {
				return runSpacer(ctx, task, c, bad)
			}
			return run(ctx, e, c, bad, o)
		}})
	}
	best := simulated
	if simulated.run == nil {
		best = bestOf(schedule.Run(ctx, table, (outcome).side))
	}
	if best.claim != nil {
		best.inv, best.err = best.claim.Invariant()
	}
	a := &Answer{Engine: best.engine, Work: best.work, Steps: best.steps}
	switch {
	case best.run != nil:
		t := cone.Trace(s.Lift(best.circuit, best.run))
		for i := range s.Bad { // the last step has one of them
			t.Property = i
			if _, err = whole.Simulate(t); err == nil {
				a.Trace = t
				return a, nil
			}
		}
		return nil, &Contradiction{fmt.Sprintf("the run of engine %s is refuted: %v", best.engine, err)}
	case best.inv != nil:
		part := Part{System: whole, Invariant: cone.Invariant(best.inv), What: what}
		for i := range s.Bad {
			part.Bad = append(part.Bad, i)
		}
		a.Proof = &Proof{Parts: []Part{part}}
		return a, nil
	}
	a.Reason = "no engine has an answer"
	if best.err != nil {
		a.Reason = best.err.Error()
	}
	if why := stopped(best.err); why != "" {
		a.Reason = why
	}
	if best.steps > 0 {
		a.Reason += fmt.Sprintf("; no violation within %d steps", best.steps)
	}
	return a, nil
}

// stopped is the reason that the error of a context is, "" for others.
func stopped(err error) string {
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "the time is over"
	case errors.Is(err, context.Canceled):
		return "interrupted"
	}
	return ""
}

// run runs one engine.
func run(ctx context.Context, e Engine, c *ts.Circuit, bad sat.Lit, o Options) outcome {
	if e == IC3 {
		return runIC3(ctx, c, bad, o)
	}
	r, err := incremental.Search(ctx, c, bad, incremental.Options{Induction: e == KInduction})
	return outcome{engine: e, circuit: c}.searched(c, r, err)
}

// runSpacer has Spacer decide. What it says is reachable is searched on the circuit.
func runSpacer(ctx context.Context, t *spacer.Task, c *ts.Circuit, bad sat.Lit) outcome {
	out := outcome{engine: Spacer, circuit: c}
	claim, err := t.Run(ctx)
	switch {
	case err != nil:
		out.err = err
	case claim.Reachable:
		r, err := incremental.Search(ctx, c, bad, incremental.Options{})
		out = out.searched(c, r, err)
	default:
		out.claim = claim
		out.work = "clauses over " + claim.Arithmetic
	}
	return out
}

// runIC3 reduces the circuit, unless that is switched off, and runs IC3.
func runIC3(ctx context.Context, c *ts.Circuit, bad sat.Lit, o Options) outcome {
	out := outcome{engine: IC3, circuit: c}
	from := c
	shift := &reduce.Shift{Circuit: c}
	reductions := reduce.Default
	if o.Clausal {
		reductions.TernaryCubes = 1
	}
	if !o.Unreduced && !o.Clausal {
		if t := reduce.Transient(c, reduce.Options{}); t != nil {
			first, err := incremental.Search(ctx, c, bad, incremental.Options{Steps: t.K})
			if err != nil || first.Run != nil || first.Proof != nil {
				return out.searched(c, first, err)
			}
			shift, from = t, t.Circuit
		}
	}
	small := &reduce.Reduction{Circuit: from}
	if !o.Unreduced {
		var err error
		if small, err = reduce.Reduce(ctx, from, reductions); err != nil {
			out.err = err
			return out
		}
		if small.Circuit, err = reduce.Sweep(ctx, small.Circuit, reduce.Options{}); err != nil {
			out.err = err
			return out
		}
		bad = disjunction(small.Circuit)
	}
	if o.Learned != nil {
		o.IC3.Learned = func(clauses [][]ts.LatchLiteral) {
			inv := ts.LiftClauses(small.Circuit, clauses)
			small.Extend(from, inv)
			o.Learned(inv)
		}
	}
	r, err := ic3.Check(ctx, small.Circuit, bad, o.IC3)
	st := r.Stats
	out.err, out.steps = err, st.Frames+shift.K
	out.work = fmt.Sprintf("from step %d on, %d of %d latches (%d constant, %d equal), %d frames, %d lemmas, %d obligations, %d queries, %d conflicts",
		shift.K, len(small.Circuit.Latches), len(c.Latches), small.Constants, small.Equal, st.Frames, st.Lemmas, st.Obligations, st.Queries, st.Conflicts)
	switch {
	case err != nil:
	case r.Run != nil && shift.K > 0:
		out.run = shift.Run(small.Circuit, r.Run)
	case r.Run != nil:
		out.run, out.circuit = r.Run, small.Circuit
	default:
		out.inv = ts.LiftClauses(small.Circuit, r.Invariant)
		small.Extend(from, out.inv)
		out.inv.Prefix += shift.K
	}
	return out
}

// searched fills in what an unrolling found.
func (out outcome) searched(c *ts.Circuit, r *incremental.Result, err error) outcome {
	out.run, out.err, out.steps = r.Run, err, r.Steps
	out.work = fmt.Sprintf("%d steps, %d clauses, %d learned", r.Steps, r.Clauses, r.Learned)
	if p := r.Proof; p != nil {
		out.inv = &ts.Invariant{Prefix: p.Prefix, K: p.K, Simple: p.Simple}
		if p.K == 0 {
			out.inv.K = 1
			out.inv.Clauses = [][]ts.Literal{{}} // false: no run has that step
		}
		if p.Simple {
			out.inv.Bits = ts.LatchBitsOf(c)
		}
	}
	return out
}

// counts are the numbers of ticks that k-liveness tries.
var counts = []int{0, 1, 2, 4, 8, 16, 32}

// justice decides one justice property: by liveness-to-safety, which finds lassos
// and proofs, beside k-liveness with growing k, which finds proofs.
func justice(ctx context.Context, s *ts.System, property int, o Options) (*Answer, error) {
	// All terms are built before the goroutines start, which only read the store.
	toSafety := liveness.ToSafety(s, property)
	var count []*liveness.Reduction
	if o.Engine != Incremental {
		for _, k := range counts {
			count = append(count, liveness.Count(s, property, k))
		}
	}
	what := "violations of the justice property " + s.Justice[property].Name
	type result struct {
		a   *Answer
		err error
	}
	lasso := schedule.Engine[result]{Name: "liveness to safety", Run: func(ctx context.Context) result {
		a, err := search(ctx, toSafety.System, o, what)
		return result{a, err}
	}}
	counted := schedule.Engine[result]{Name: "k-liveness", Run: func(ctx context.Context) result {
		nothing := &Answer{Engine: o.Engine, Reason: "counting proves nothing"}
		for _, r := range count {
			a, err := search(ctx, r.System, o, what+" (counted)")
			if err != nil || a.Trace == nil {
				return result{a, err}
			}
		}
		return result{nothing, nil}
	}}
	r := schedule.Run(ctx, []schedule.Engine[result]{lasso, counted}, func(r result) schedule.Side {
		switch {
		case r.err != nil:
			return schedule.Stuck
		case r.a.Trace != nil:
			return schedule.Fails
		case r.a.Proof != nil:
			return schedule.Holds
		}
		return schedule.Open
	})
	best := r.Outcomes[0].Answer.a
	if r.First != nil {
		best = r.First.Answer.a
	}
	for _, x := range r.Outcomes {
		if x.Answer.err != nil {
			return nil, x.Answer.err
		}
	}
	if best.Trace != nil {
		best.Trace = toSafety.Lasso(best.Trace)
		if _, err := s.Simulate(best.Trace); err != nil {
			return nil, &Contradiction{fmt.Sprintf("the lasso of engine %s is refuted: %v", best.Engine, err)}
		}
	}
	return certify(ctx, best, o)
}
