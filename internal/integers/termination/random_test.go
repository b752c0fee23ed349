package termination

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// randomSystem is a small system: few locations, two variables, small numbers,
// sometimes an input, a product, or unfair transitions.
func randomSystem(r *rand.Rand) *its.System {
	s := its.NewSystem("x", "y")
	for range 1 + r.IntN(3) {
		s.AddLocation(fmt.Sprintf("l%d", len(s.Locations)))
	}
	fairness := r.IntN(3) == 0
	n := len(s.Locations)
	small := func(k int64) linear.Number { return linear.Int(r.Int64N(2*k+1) - k) }
	for k := range 2 + r.IntN(5) {
		from, to := its.Location(r.IntN(n)), its.Location(1+r.IntN(n-1))
		if k == 0 {
			from = 0
		}
		b := s.Build(from, to)
		atoms := []linear.Form{linear.Variable(0), linear.Variable(1)}
		if r.IntN(4) == 0 {
			atoms = append(atoms, b.Temp())
		}
		if r.IntN(8) == 0 {
			atoms = append(atoms, b.Product(atoms[r.IntN(2)], atoms[r.IntN(2)]))
		}
		form := func() linear.Form {
			f := linear.Constant(small(3))
			for _, a := range atoms {
				if r.IntN(2) == 0 {
					f = f.AddScaled(small(2), a)
				}
			}
			return f
		}
		for range r.IntN(3) {
			b.Assume(linear.Constraint{Form: form(), Equality: r.IntN(6) == 0})
		}
		update := make([]linear.Form, 2)
		for v := range update {
			switch r.IntN(4) {
			case 0:
				update[v] = form()
			case 1:
				update[v] = linear.Variable(linear.Var(v))
			default:
				update[v] = linear.Variable(linear.Var(v)).Plus(small(2))
			}
		}
		b.AssignAll(update)
		b.Add()
	}
	if fairness {
		chosen := its.Location(r.IntN(n))
		s.SetFair(func(l its.Location) bool { return l == chosen })
	}
	return s
}

// hasFairCycle searches the states with small values, with small inputs, for a
// cycle that can be reached from the start and takes a fair transition.
func hasFairCycle(s *its.System) bool {
	const k = 6
	const width = 2*k + 1
	number := func(l its.Location, st []*big.Int) int {
		x, y := st[0], st[1]
		if x.CmpAbs(big.NewInt(k)) > 0 || y.CmpAbs(big.NewInt(k)) > 0 {
			return -1
		}
		return (int(l)*width+int(x.Int64())+k)*width + int(y.Int64()) + k
	}
	var edges [][2]int
	var fair []bool
	nodes := len(s.Locations) * width * width
	successors := make([][]int, nodes)
	for i := range s.Transitions {
		t := &s.Transitions[i]
		for x := int64(-k); x <= k; x++ {
			for y := int64(-k); y <= k; y++ {
				st := []*big.Int{big.NewInt(x), big.NewInt(y)}
				from := number(t.From, st)
				inputs := make([]*big.Int, t.Temps)
				var choose func(j int)
				choose = func(j int) {
					if j < t.Temps {
						for _, v := range []int64{-2, -1, 0, 1, 2} {
							inputs[j] = big.NewInt(v)
							choose(j + 1)
						}
						return
					}
					next, err := s.Step(t, st, inputs)
					if err != nil {
						return
					}
					if to := number(t.To, next); to >= 0 {
						edges = append(edges, [2]int{from, to})
						fair = append(fair, t.Fair)
						successors[from] = append(successors[from], to)
					}
				}
				choose(0)
			}
		}
	}
	component, _ := its.Components(nodes, edges)
	reached := make([]bool, nodes)
	var work []int
	for x := int64(-k); x <= k; x++ {
		for y := int64(-k); y <= k; y++ {
			work = append(work, number(s.Initial, []*big.Int{big.NewInt(x), big.NewInt(y)}))
		}
	}
	for _, m := range work {
		reached[m] = true
	}
	for len(work) > 0 {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		for _, to := range successors[m] {
			if !reached[to] {
				reached[to] = true
				work = append(work, to)
			}
		}
	}
	for i, e := range edges {
		if fair[i] && reached[e[0]] && component[e[0]] == component[e[1]] {
			return true
		}
	}
	return false
}

// follow executes the evidence: the stem, and then rounds of the loop.
func follow(t *testing.T, s *its.System, r its.Recurrence) {
	t.Helper()
	state := r.Stem.State
	step := func(i int, inputs []*big.Int) {
		t.Helper()
		next, err := s.Step(&s.Transitions[i], state, inputs)
		if err != nil {
			t.Fatalf("%v\n%s%s", err, s, r.Format(s))
		}
		state = next
	}
	for _, m := range r.Stem.Steps {
		step(m.Transition, m.Inputs)
	}
	at, parameters := r.Entry, r.Parameters
	for range 5 {
		m := r.Sets[at].Moves[0]
		value := func(v linear.Var) linear.Number { return linear.FromBigInt(parameters[v]) }
		eval := func(fs []linear.Form) []*big.Int {
			var out []*big.Int
			for _, f := range fs {
				out = append(out, f.Eval(value).BigInt())
			}
			return out
		}
		for k, i := range m.Path {
			step(i, eval(m.Inputs[k]))
		}
		at = m.Target
		if m.Next != nil {
			parameters = eval(m.Next)
			continue
		}
		for v, f := range r.Sets[at].State {
			if p, ok := f.IsVariable(); ok && r.Sets[at].Known[v] {
				parameters = slices.Clone(parameters)
				parameters[p] = state[v]
			}
		}
	}
}

// TestRandomSystems compares answers with an explicit search: a proof of
// termination never contradicts a cycle, and refutations can be executed.
// ASSAY_RANDOM_SYSTEMS=n tries n systems of a new seed.
func TestRandomSystems(t *testing.T) {
	rounds, seed := 60, uint64(12)
	if n, err := strconv.Atoi(os.Getenv("ASSAY_RANDOM_SYSTEMS")); err == nil {
		rounds, seed = n, uint64(time.Now().UnixNano())
		t.Log("seed", seed)
	}
	r := rand.New(rand.NewPCG(11, seed))
	counts := map[string]int{}
	missed := 0
	for range rounds {
		s := randomSystem(r)
		ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		a, err := Decide(ctx, s, Options{Accept: accept.IntegerSystem})
		cancel()
		if err != nil {
			t.Fatalf("%v\n%s", err, s)
		}
		counts[fmt.Sprintf("%T", a)]++
		switch a := a.(type) {
		case Terminates:
			if hasFairCycle(s) {
				t.Fatalf("there is a cycle, and a proof of termination:\n%s%s", s, a.Argument.Format(s))
			}
		case Diverges:
			follow(t, s, a.Recurrence)
		case Unknown:
			if hasFairCycle(s) {
				missed++
			}
			for _, reason := range a.Reasons {
				if strings.Contains(reason, "rejected") {
					t.Errorf("%s\n%s", reason, s)
				}
			}
		}
	}
	t.Log(counts, "cycles missed:", missed)
	if counts["termination.Terminates"] < rounds/4 || counts["termination.Diverges"] < rounds/5 {
		t.Error("the test is too weak:", counts)
	}
}
