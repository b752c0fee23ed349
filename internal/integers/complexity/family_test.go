package complexity_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/certify/accept"
	"assay/internal/integers/bound"
	"assay/internal/integers/complexity"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

const header = "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS f))\n(VAR x y)\n(RULES\n"

// TestFamilies: variables that get any value and are counted down let costs grow without bound, and
// families of which a number is changed are rejected.
func TestFamilies(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	for _, c := range []struct {
		name, rules string
		found       bool
	}{
		{"down", "f(x,y) -> g(z,y)\n g(x,y) -> g(x-1,y) :|: x > 0", true},
		{"up", "f(x,y) -> g(z,10)\n g(x,y) -> g(x+3,y) :|: x < y", true},
		{"later", "f(x,y) -> g(x,y)\n g(x,y) -> g(x-1,z) :|: x > 0\n g(x,y) -> g(x,y-1) :|: x > 0 && y > 0", true},
		{"two steps", "f(x,y) -> g(z,0)\n g(x,y) -> h(x-1,y) :|: x > 0\n h(x,y) -> g(x,y+1) :|: y >= 0", true},
		{"input", "f(x,y) -> g(x,y)\n g(x,y) -> g(x-1,y) :|: x > 0", false},
		{"limited", "f(x,y) -> g(z,y) :|: z < 1000\n g(x,y) -> g(x-1,y) :|: x > 0", false},
		{"free", "f(x,y) -> g(z,y)\n g(x,y) -{0}> g(x-1,y) :|: x > 0", false},
	} {
		t.Run(c.name, func(t *testing.T) {
			s, err := its.ReadKoAT("f.koat", header+c.rules+"\n)")
			if err != nil {
				t.Fatal(err)
			}
			f := complexity.Unbounded(t.Context(), s)
			if f != nil {
				err = accept.Family(t.Context(), s, f)
			}
			if found := f != nil && err == nil; found != c.found {
				t.Fatalf("found: %v, %v", f != nil, err)
			}
			if !c.found {
				return
			}
			for range 40 {
				m := changed(r, f)
				if err := accept.Family(t.Context(), s, m); err == nil {
					// Another family, if so: its runs exist.
					continue
				} else if rejected := new(its.Rejected); !errors.As(err, &rejected) {
					t.Error(err)
				}
			}
			wrong := *f
			wrong.Loop = append(slices.Clone(f.Loop), f.Loop...)
			if accept.Family(t.Context(), s, &wrong) == nil {
				t.Error("a loop that goes around twice in a step was accepted")
			}
			done, cancel := context.WithCancel(t.Context())
			cancel()
			if complexity.Unbounded(done, s) != nil {
				t.Error("found without time")
			}
		})
	}
}

// TestGrowing: runs that count an input down cost as much as the input, unless it is limited, or rounds cost nothing.
func TestGrowing(t *testing.T) {
	for _, c := range []struct {
		name, rules string
		found       bool
	}{
		{"input", "f(x,y) -> g(x,y)\n g(x,y) -> g(x-1,y) :|: x > 0", true},
		{"difference", "f(x,y) -> g(x,y)\n g(x,y) -> g(x+2,y-1) :|: x < y", true},
		{"inner", "f(x,y) -> g(x,y)\n g(x,y) -> h(x-1,7) :|: x > 0\n h(x,y) -> g(x,y) :|: y < 9", true},
		{"limited", "f(x,y) -> g(x,y) :|: x < 1000\n g(x,y) -> g(x-1,y) :|: x > 0", false},
		{"free", "f(x,y) -> g(x,y)\n g(x,y) -{0}> g(x-1,y) :|: x > 0", false},
		{"halved", "f(x,y) -> g(x,y)\n g(x,y) -> g(z,y) :|: x > 0 && 2*z <= x && 2*z >= x - 1", false},
	} {
		s, err := its.ReadKoAT("f.koat", header+c.rules+"\n)")
		if err != nil {
			t.Fatal(err)
		}
		f := complexity.Growing(t.Context(), s)
		if f != nil {
			err = accept.Family(t.Context(), s, f)
		}
		if found := f != nil && err == nil; found != c.found || found && f.Fixed() {
			t.Errorf("%s: found: %v, %v", c.name, f != nil, err)
		}
	}
}

// changed is the family with one number changed by one.
func changed(r *rand.Rand, f *bound.Family) *bound.Family {
	g := *f
	g.Initial, g.State, g.Stem, g.Loop = slices.Clone(f.Initial), slices.Clone(f.State), slices.Clone(f.Stem), slices.Clone(f.Loop)
	some := func(e linear.Form) linear.Form {
		return e.Add([]linear.Form{linear.Constant(linear.Int(1)), linear.Variable(bound.ParameterN), linear.Variable(bound.ParameterK).Neg()}[r.IntN(3)])
	}
	switch r.IntN(3) {
	case 0:
		v := r.IntN(len(g.Initial))
		g.Initial[v] = g.Initial[v].Plus(linear.Int(1))
	case 1:
		v := r.IntN(len(g.State))
		g.State[v] = some(g.State[v])
	default:
		for _, steps := range [][]bound.FamilyStep{g.Stem, g.Loop} {
			for i, x := range steps {
				if len(x.Inputs) > 0 {
					steps[i].Inputs = slices.Clone(x.Inputs)
					steps[i].Inputs[0] = some(x.Inputs[0])
				}
			}
		}
	}
	return &g
}
