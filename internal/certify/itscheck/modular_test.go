package itscheck

import (
	"context"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/integers/walk"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// wrapping is a loop over numbers of eight bits: t, u, v and w count wraps.
const wrapping = `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR y z c k)
(RULES
  start(y, z, c, k) -> loop(1, 6, 0, k) :|: k >= -128 && k <= 127
  loop(y, z, c, k) -> loop(y + z - 256*u, z + 6 - 256*v, c + 1 - 256*w, k) :|: z*z - 12*y - 6*z + 12 + c - 256*t <= k && RANGES && y + z - 256*u >= -128 && y + z - 256*u <= 127 && z + 6 - 256*v >= -128 && z + 6 - 256*v <= 127 && c + 1 - 256*w >= -128 && c + 1 - 256*w <= 127
  loop(y, z, c, k) -> done(y, z, c, k) :|: z*z - 12*y - 6*z + 12 + c - 256*t > k && RANGES
)`

// modularStep is a step with what it was made of.
type modularStep struct {
	old, new *its.System
	step     equations.Step
	facts    [][]linear.Constraint
}

// modularSteps are those of the loop; c and k are observed.
func modularSteps(t *testing.T) (list []modularStep, observed []bool) {
	t.Helper()
	ranges := "z*z - 12*y - 6*z + 12 + c - 256*t >= -128 && z*z - 12*y - 6*z + 12 + c - 256*t <= 127 && y >= -128 && y <= 127 && z >= -128 && z <= 127 && c >= -128 && c <= 127 && k >= -128 && k <= 127"
	s, err := its.Read("a.koat", strings.ReplaceAll(wrapping, "RANGES", ranges))
	if err != nil {
		t.Fatal(err)
	}
	observed = []bool{false, false, true, true}
	facts := make([][]linear.Constraint, len(s.Transitions))
	for i := 1; i < len(facts); i++ {
		for v := range 4 {
			for _, n := range []int64{-1, 1} {
				facts[i] = append(facts[i], linear.Constraint{Form: linear.Variable(linear.Var(v)).Scale(linear.Int(n)).Plus(linear.Int((255 + n) / 2))})
			}
		}
	}
	accept := func(_ context.Context, old, new *its.System, observed []bool, facts [][]linear.Constraint, step equations.Step) error {
		list = append(list, modularStep{old, new, step, facts})
		return Modular(old, new, observed, facts, step)
	}
	end, replaced, ok := equations.Modular(t.Context(), s, nil, observed, facts, accept)
	if !ok || len(list) != 3 || len(replaced) == 0 {
		t.Fatalf("%d steps, %v, %v", len(list), replaced, ok)
	}
	if text := end.String(); strings.Contains(text, "z*z") || strings.Contains(text, "y :=") && strings.Contains(text, "y + z") {
		t.Errorf("the system at the end is\n%s", text)
	}
	return list, observed
}

// TestModular: what the engine finds is accepted; what claims something else is not.
func TestModular(t *testing.T) {
	one := linear.Int(1)
	shifted := func(x *modularStep) *equations.Shifted { return x.step.(*equations.Shifted) }
	freed := func(x *modularStep) *equations.Freed { return x.step.(*equations.Freed) }
	cased := func(x *modularStep) *equations.Cased { return x.step.(*equations.Cased) }
	for name, test := range map[string]struct {
		step   int
		mutate func(x *modularStep)
		want   string
	}{
		"shifted, as it is": {0, func(*modularStep) {}, ""},
		"freed, as it is":   {1, func(*modularStep) {}, ""},
		"cased, as it is":   {2, func(*modularStep) {}, ""},
		"modulo 2^9":        {0, func(x *modularStep) { shifted(x).Width = 9 }, "another polynomial"},
		"a congruence of the start": {0, func(x *modularStep) {
			shifted(x).Equations[x.old.Initial] = []rational.Polynomial{rational.Variable(0)}
		}, "initial"},
		"a congruence that is not kept": {0, func(x *modularStep) {
			at := x.old.Transitions[1].From
			shifted(x).Equations[at][0] = shifted(x).Equations[at][0].AddScaled(one, rational.Variable(2))
		}, "another polynomial"},
		"halves as cofactors": {0, func(x *modularStep) {
			for _, list := range shifted(x).Kept[1] {
				for k := range list {
					list[k] = rational.Constant(linear.Fraction(1, 2))
				}
			}
		}, "fractions"},
		"half a shift": {0, func(x *modularStep) {
			s := &shifted(x).Shifts[1][0]
			s.By = rational.Polynomial{}.AddScaled(linear.Fraction(1, 2), s.By)
		}, "not one"},
		"another shift": {0, func(x *modularStep) {
			s := &shifted(x).Shifts[1][0]
			s.By = s.By.AddScaled(one, rational.Constant(one))
		}, "another polynomial"},
		"one less in a condition": {0, func(x *modularStep) {
			x.new.Transitions[1].Guard[0].Form = x.new.Transitions[1].Guard[0].Form.Plus(one)
		}, "another one"},
		"a multiple of an update": {0, func(x *modularStep) {
			x.new.Transitions[1].Update[2] = x.new.Transitions[1].Update[2].Scale(linear.Int(2))
		}, "another one"},
		"an observed variable is frozen": {1, func(x *modularStep) { freed(x).Frozen[2] = true }, "observed"},
		"no facts":                       {1, func(x *modularStep) { x.facts = make([][]linear.Constraint, len(x.facts)) }, "no fact"},
		"weaker facts": {1, func(x *modularStep) {
			for _, list := range x.facts {
				for k := range list {
					list[k].Form = list[k].Form.Plus(one)
				}
			}
		}, "no fact"},
		"a range that is too small": {1, func(x *modularStep) {
			for k := range x.old.Transitions[1].Guard {
				if c := &x.old.Transitions[1].Guard[k]; c.Form.Has(freed(x).Free[1][0]) {
					c.Form = c.Form.Plus(linear.Int(-1))
				}
			}
		}, "no place"},
		"a constraint less": {1, func(x *modularStep) { x.new.Transitions[1].Guard = x.new.Transitions[1].Guard[1:] }, "does not say"},
		"a constraint less, as the certificate says": {1, func(x *modularStep) {
			for k := range x.old.Transitions[2].Guard {
				freed(x).Dropped[2] = append(freed(x).Dropped[2], k)
			}
			x.new.Transitions[2].Guard = nil
		}, "dropped"},
		"a value less":  {2, func(x *modularStep) { cased(x).Cases[0].High-- }, "other values"},
		"another value": {2, func(x *modularStep) { cased(x).Cases[0].Low++ }, "other values"},
		"a transition less": {2, func(x *modularStep) {
			x.new.Transitions = x.new.Transitions[:len(x.new.Transitions)-1]
		}, "other transitions"},
		"another guard": {2, func(x *modularStep) {
			x.new.Transitions[1].Guard[0].Form = x.new.Transitions[1].Guard[0].Form.Plus(one)
		}, "another one"},
	} {
		list, observed := modularSteps(t)
		x := &list[test.step]
		test.mutate(x)
		err := Modular(x.old, x.new, observed, x.facts, x.step)
		if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
			t.Errorf("%s: got %v, want %q", name, err, test.want)
		}
	}
}

// TestModularSteps: c and k change alike in both systems, also where y and z have wrapped long ago.
func TestModularSteps(t *testing.T) {
	list, _ := modularSteps(t)
	first, last := list[0].old, list[len(list)-1].new
	for k := int64(-128); k < 128; k += 3 {
		run := func(s *its.System) (seen []string) {
			state := []*big.Int{big.NewInt(1), big.NewInt(6), big.NewInt(0), big.NewInt(k)}
			walk.From(t.Context(), s, rand.New(rand.NewPCG(1, 2)), s.Initial, state, 400, 300, func(x walk.Step) bool {
				seen = append(seen, x.State[2].String()+" "+x.State[3].String())
				return true
			})
			return seen
		}
		a, b := run(first), run(last)
		if len(a) < 3 || strings.Join(a, ",") != strings.Join(b, ",") {
			t.Fatalf("k = %d: %d steps, and %d\n%v\n%v", k, len(a), len(b), a, b)
		}
	}
}
