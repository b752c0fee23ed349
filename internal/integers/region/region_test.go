package region

import (
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// Random sets of points of a small square, and random transitions, against lists of points.
const low, high = -4, 4

func form(r *rand.Rand, variables int) linear.Form {
	f := linear.Constant(linear.Int(int64(r.IntN(9) - 4)))
	for v := range variables {
		f = f.AddScaled(linear.Int(int64(r.IntN(5)-2)), linear.Variable(linear.Var(v)))
	}
	return f
}

func conjunction(r *rand.Rand, variables int) (cs []linear.Constraint) {
	for range 1 + r.IntN(3) {
		cs = append(cs, linear.Constraint{Form: form(r, variables), Equality: r.IntN(5) == 0})
	}
	return cs
}

func set(t *testing.T, r *rand.Rand) (s Region) {
	for range r.IntN(4) {
		s = s.Union(t.Context(), Of(t.Context(), conjunction(r, 2)...))
	}
	return s
}

// has says whether a point is in a set.
func has(s Region, point ...int64) bool {
	value := func(v linear.Var) linear.Number { return linear.Int(point[v]) }
	return slices.ContainsFunc(s, func(p polyhedra.Polyhedron) bool {
		return !slices.ContainsFunc(p.Constraints(), func(c linear.Constraint) bool { return !c.Holds(value) })
	})
}

func points(visit func(x, y int64)) {
	for x := int64(low); x <= high; x++ {
		for y := int64(low); y <= high; y++ {
			visit(x, y)
		}
	}
}

func TestSets(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 4))
		a, b := set(t, r), set(t, r)
		meet, err := a.Meet(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		minus, err := a.Minus(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		union := a.Union(t.Context(), b)
		within, err := a.Within(t.Context(), b)
		if err != nil {
			t.Fatal(err)
		}
		points(func(x, y int64) {
			p, q := has(a, x, y), has(b, x, y)
			if has(meet, x, y) != (p && q) || has(minus, x, y) != (p && !q) || has(union, x, y) != (p || q) {
				t.Fatalf("seed %d: (%d, %d) in a %v, in b %v: meet %v, minus %v, union %v", seed, x, y, p, q, has(meet, x, y), has(minus, x, y), has(union, x, y))
			}
			if within && p && !q {
				t.Fatalf("seed %d: (%d, %d) is in a, which is within b", seed, x, y)
			}
		})
	}
}

// TestSteps checks that every choice is possible and leads into the set, and that no step leads
// into it from where Avoiding says so; of transitions whose guards choose simply, that no choice is missing.
func TestSteps(t *testing.T) {
	for seed := range uint64(400) {
		r := rand.New(rand.NewPCG(seed, 5))
		s := its.NewSystem("x", "y")
		tr := its.Transition{Temps: r.IntN(3), Exact: true, Guard: conjunction(r, 2)}
		simple := true
		for k := range tr.Temps { // bounds of the temporaries
			v := linear.Variable(s.Temp(k))
			tr.Guard = append(tr.Guard, linear.AtLeast(v, linear.Constant(linear.Int(-6))), linear.AtMost(v, linear.Constant(linear.Int(6))))
			if r.IntN(2) == 0 {
				tr.Guard = append(tr.Guard, linear.Constraint{Form: v.Add(form(r, 2))})
			}
		}
		tr.Update = []linear.Form{form(r, 2), form(r, 2)}
		if tr.Temps > 0 {
			tr.Update[0], simple = linear.Variable(s.Temp(0)), tr.Temps == 1
		}
		number := s.Add(tr)
		into := set(t, r)
		for _, p := range into {
			for _, c := range p.Constraints() {
				simple = simple && (c.Form.Coef(0).IsZero() || c.Form.Coef(0).Abs().IsOne())
			}
		}
		choices := Chosen(t.Context(), s, number, into, nil)
		avoiding, err := Avoiding(t.Context(), s, number, All(), into)
		if err != nil {
			continue
		}
		points(func(x, y int64) {
			reaches := false
			steps(&tr, x, y, func(a, b int64) { reaches = reaches || has(into, a, b) })
			if reaches && has(avoiding, x, y) {
				t.Fatalf("seed %d: a step leads from (%d, %d) into the set", seed, x, y)
			}
			found := false
			for _, c := range choices {
				if !has(Region{c.From}, x, y) {
					continue
				}
				found = true
				value := func(v linear.Var) linear.Number { return linear.Int([]int64{x, y}[v]) }
				all := func(v linear.Var) linear.Number {
					if v < 2 {
						return value(v)
					}
					return c.Inputs[v-2].Eval(value)
				}
				for _, g := range tr.Guard {
					if !g.Holds(all) {
						t.Fatalf("seed %d: a choice at (%d, %d) is not possible", seed, x, y)
					}
				}
				a, _ := tr.Update[0].Eval(all).Int64()
				b, _ := tr.Update[1].Eval(all).Int64()
				if !has(into, a, b) {
					t.Fatalf("seed %d: a choice at (%d, %d) does not lead into the set", seed, x, y)
				}
			}
			if simple && reaches && !found && len(choices) < maxChoices {
				t.Fatalf("seed %d: a choice at (%d, %d) is missing", seed, x, y)
			}
		})
	}
}

// steps lists the steps of a transition whose temporaries are between -6 and 6.
func steps(t *its.Transition, x, y int64, visit func(a, b int64)) {
	values := []int64{x, y}
	var choose func(k int)
	choose = func(k int) {
		if k < t.Temps {
			for n := int64(-6); n <= 6; n++ {
				values = append(values[:2+k], n)
				choose(k + 1)
			}
			return
		}
		value := func(v linear.Var) linear.Number { return linear.Int(values[v]) }
		for _, g := range t.Guard {
			if !g.Holds(value) {
				return
			}
		}
		a, _ := t.Update[0].Eval(value).Int64()
		b, _ := t.Update[1].Eval(value).Int64()
		visit(a, b)
	}
	choose(0)
}
