// Package walk makes random runs of integer transition systems: what is seen there is no proof, but says
// where to look for one.
package walk

import (
	"context"
	"math/big"
	"math/rand/v2"
	"slices"
	"strings"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// Limits of the runs.
const (
	runs      = 120
	steps     = 160
	maxStates = 420 // at a location
	maxOfRun  = 20  // of these, from one run
	tries     = 6   // of inputs for a step
)

// sizes of the numbers of a run, in turns.
var sizes = []int64{3, 8, 30, 120, 1000}

// Step is a step of a run.
type Step struct {
	Transition    int
	State, Inputs []*big.Int // before; the inputs of products are nil
}

// Runs makes runs from initial states that satisfy the constraints, and tells each step. Each run has a size, below
// which the numbers are that it chooses.
func Runs(ctx context.Context, s *its.System, initial []linear.Constraint, each func(Step)) {
	rng := rand.New(rand.NewPCG(5, 8))
	outgoing := s.Outgoing()
	for run := range runs {
		if ctx.Err() != nil {
			return
		}
		size := sizes[run%len(sizes)]
		number := func() *big.Int {
			n := rng.Int64N(size + 1)
			if rng.IntN(5) == 0 {
				n = -n
			}
			return big.NewInt(n)
		}
		state := start(s, initial, number)
		at := s.Initial
		for range steps {
			if state == nil {
				break
			}
			x, next := step(s, rng, outgoing[at], state, number)
			if next == nil {
				each(Step{Transition: -1, State: state})
				break
			}
			each(x)
			state, at = next, s.Transitions[x.Transition].To
		}
	}
}

// From makes a run from a state at a location, of at most so many steps, and tells each step, and in the end the
// last state, with Transition -1, until it is told to stop. The numbers that it chooses are below the size, or
// within what the guards ask for.
func From(ctx context.Context, s *its.System, rng *rand.Rand, at its.Location, state []*big.Int, steps int, size int64, each func(Step) bool) {
	outgoing := s.Outgoing()
	for range steps {
		if ctx.Err() != nil {
			return
		}
		x, next := step(s, rng, outgoing[at], state, func() *big.Int { return big.NewInt(rng.Int64N(2*size+1) - size) })
		if next == nil {
			break
		}
		if !each(x) {
			return
		}
		state, at = next, s.Transitions[x.Transition].To
	}
	each(Step{Transition: -1, State: state})
}

// State is a state that satisfies the constraints, with numbers below the size where they are chosen; nil if
// none was found.
func State(s *its.System, constraints []linear.Constraint, rng *rand.Rand, size int64) []*big.Int {
	return start(s, constraints, func() *big.Int { return big.NewInt(rng.Int64N(2*size+1) - size) })
}

// States are the states of runs, by location.
func States(ctx context.Context, s *its.System, initial []linear.Constraint) [][][]*big.Int {
	out := make([][][]*big.Int, len(s.Locations))
	seen := make([]map[string]bool, len(s.Locations))
	for l := range seen {
		seen[l] = map[string]bool{}
	}
	at := s.Initial
	ofRun := make([]int, len(s.Locations))
	Runs(ctx, s, initial, func(x Step) {
		if x.Transition >= 0 {
			at = s.Transitions[x.Transition].From
		}
		if at == s.Initial {
			clear(ofRun)
		}
		if key := keyOf(x.State); len(out[at]) < maxStates && ofRun[at] < maxOfRun && !seen[at][key] {
			seen[at][key] = true
			out[at] = append(out[at], x.State)
			ofRun[at]++
		}
		if x.Transition >= 0 {
			at = s.Transitions[x.Transition].To
		}
	})
	return out
}

func keyOf(state []*big.Int) string {
	var b strings.Builder
	for _, n := range state {
		b.WriteString(n.Text(36))
		b.WriteByte(' ')
	}
	return b.String()
}

// start is an initial state, nil if none was found.
func start(s *its.System, initial []linear.Constraint, number func() *big.Int) []*big.Int {
	for range 60 {
		state := make([]*big.Int, len(s.Variables))
		for v := range state {
			state[v] = number()
		}
		value := func(v linear.Var) linear.Number { return linear.FromBigInt(state[v]) }
		for _, c := range initial { // an equation says what one of its variables is
			for _, t := range c.Form.Terms {
				if c.Equality && t.Coef.Abs().IsOne() {
					rest := c.Form.AddScaled(t.Coef.Neg(), linear.Variable(t.Var))
					if n := rest.Eval(value).Mul(t.Coef).Neg(); n.IsInt() {
						state[t.Var] = n.BigInt()
					}
					break
				}
			}
		}
		if !slices.ContainsFunc(initial, func(c linear.Constraint) bool { return !c.Holds(value) }) {
			return state
		}
	}
	return nil
}

// step takes some transition; the next state is nil if none was found that is possible.
func step(s *its.System, rng *rand.Rand, outgoing []int, state []*big.Int, number func() *big.Int) (x Step, next []*big.Int) {
	for range tries {
		for _, k := range rng.Perm(len(outgoing)) {
			t := &s.Transitions[outgoing[k]]
			chosen := inputs(s, rng, t, state, number)
			if next, err := s.Step(t, state, chosen); err == nil && bounded(next) {
				return Step{outgoing[k], state, chosen}, next
			}
		}
	}
	return x, nil
}

// bounded says that no number of a state is so great that computing with it takes time.
func bounded(state []*big.Int) bool {
	return !slices.ContainsFunc(state, func(n *big.Int) bool { return n.BitLen() > 200 })
}
