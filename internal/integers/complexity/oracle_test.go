package complexity_test

import (
	"context"
	"fmt"
	"math/big"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/integers/bound"
	"assay/internal/integers/complexity"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// explorer finds the greatest cost of all runs from a state, by trying everything.
type explorer struct {
	s      *its.System
	out    [][]int
	known  map[string]*big.Int
	active map[string]*big.Int // by state on the way: what it cost to get there
	states int
	inputs []int64 // what temporaries are tried with
}

// most is the greatest cost from the state, and false if that is not known: too many
// states, or a run that comes back to a state and has cost something in between. Of states from which others on
// the way are reached for nothing it may be less.
func (x *explorer) most(l its.Location, state []*big.Int, sofar *big.Int) (*big.Int, bool) {
	key := fmt.Sprint(l, state)
	if c, ok := x.known[key]; ok {
		return c, true
	}
	if before := x.active[key]; before != nil && before.Cmp(sofar) == 0 {
		return new(big.Int), true
	} else if before != nil || x.states > 800 {
		return nil, false
	}
	x.states++
	x.active[key] = sofar
	defer delete(x.active, key)
	most := new(big.Int)
	for _, i := range x.out[l] {
		t := &x.s.Transitions[i]
		tries := []int64{0}
		if t.Temps > 0 {
			tries = x.inputs
		}
		for _, in := range tries {
			inputs := make([]*big.Int, t.Temps)
			for k := range inputs {
				inputs[k] = big.NewInt(in)
			}
			next, err := x.s.Step(t, state, inputs)
			if err != nil {
				continue
			}
			cost := t.Cost.Eval(func(v linear.Var) linear.Number {
				if int(v) < len(state) {
					return linear.FromBigInt(state[v])
				}
				return linear.Int(in)
			}).BigInt()
			c, ok := x.most(t.To, next, new(big.Int).Add(sofar, cost))
			if !ok {
				return nil, false
			}
			if c = cost.Add(cost, c); c.Cmp(most) > 0 {
				most = c
			}
		}
	}
	x.known[key] = most
	return most, true
}

// exceed says at which initial state, if any, a run costs more than the bound.
func exceed(s *its.System, b bound.Expression, values []int64) (compared int, wrong string) {
	x := &explorer{s: s, out: s.Outgoing(), inputs: []int64{-1, 0, 2}}
	n := len(s.Variables)
	state := make([]*big.Int, n)
	var try func(v int) bool
	try = func(v int) bool {
		if v < n {
			for _, k := range values {
				state[v] = big.NewInt(k)
				if !try(v + 1) {
					return false
				}
			}
			return true
		}
		x.known, x.active, x.states = map[string]*big.Int{}, map[string]*big.Int{}, 0
		cost, ok := x.most(s.Initial, state, new(big.Int))
		if !ok {
			if len(x.active) == 0 && x.states <= 800 {
				wrong = fmt.Sprintf("a run from %v comes back to a state, and has cost something", state)
			}
			return wrong == ""
		}
		limit, ok := b.Eval(func(v linear.Var) *big.Int { return state[v] })
		if !ok {
			return true
		}
		compared++
		if limit.Cmp(new(big.Rat).SetInt(cost)) < 0 {
			wrong = fmt.Sprintf("a run from %v costs %v, more than %v", state, cost, limit)
		}
		return wrong == ""
	}
	try(0)
	return compared, wrong
}

// system makes a random system of few locations whose loops tend to end.
func system(r *rand.Rand) *its.System {
	s := its.NewSystem("x", "y", "z")
	for i := range 1 + r.IntN(3) {
		s.AddLocation(fmt.Sprint("l", i))
	}
	n := linear.Var(len(s.Variables))
	form := func(vars linear.Var) linear.Form {
		f := linear.Constant(linear.Int(r.Int64N(5) - 2))
		for range 1 + r.IntN(2) {
			f = f.AddScaled(linear.Int(r.Int64N(3)-1), linear.Variable(linear.Var(r.IntN(int(vars)))))
		}
		return f
	}
	locations := its.Location(len(s.Locations))
	s.Build(0, 1).Add()
	for range 1 + r.IntN(5) {
		from := 1 + its.Location(r.IntN(int(locations)-1))
		to := 1 + its.Location(r.IntN(int(locations)-1))
		b := s.Build(from, to)
		known := n
		if r.IntN(4) == 0 {
			b.Temp()
			known++
		}
		for range 1 + r.IntN(2) {
			b.Assume(linear.Constraint{Form: form(known)})
		}
		v := linear.Var(r.IntN(int(n)))
		b.Assume(linear.AtLeast(linear.Variable(v), linear.Constant(linear.Int(1))))
		b.Assign(v, linear.Variable(v).Plus(linear.Int(-1)))
		if r.IntN(2) == 0 {
			b.Assign(linear.Var(r.IntN(int(n))), form(known))
		}
		if r.IntN(5) == 0 {
			u := linear.Var(r.IntN(int(n)))
			b.Assign(u, linear.Variable(u).Add(b.Product(form(n), form(n))))
		}
		switch r.IntN(6) {
		case 0:
			b.Cost(linear.Constant(linear.Int(r.Int64N(4))))
		case 1:
			b.Cost(form(n))
		}
		b.Add()
	}
	return s
}

// TestOracle: no run of a small system from a small state costs more than the bound, and
// every certificate is accepted.
func TestOracle(t *testing.T) {
	r := rand.New(rand.NewPCG(19, 2))
	found, compared := 0, 0
	classes := map[string]int{}
	for range 40 {
		s := system(r)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		f, ok := complexity.Upper(ctx, s).(complexity.Found)
		if ok {
			found++
			classes[f.Certificate.Bound.Class().String()]++
			if err := accept.Bound(ctx, s, &f.Certificate); err != nil {
				t.Errorf("rejected: %v\n%s", err, its.WriteKoAT(s))
			}
			var sum bound.Expression
			for _, x := range f.Certificate.Shares() {
				sum = sum.Add(x.Cost)
			}
			if _, constant := f.Certificate.Bound.Sub(sum).IsConstant(); !constant {
				t.Errorf("the shares are %s of %s", sum.Format(s.VarName), f.Certificate.Bound.Format(s.VarName))
			}
			n, wrong := exceed(s, f.Certificate.Bound, []int64{-1, 1, 3})
			compared += n
			if wrong != "" {
				t.Errorf("%s\n%s\n%s", wrong, f.Certificate.Bound.Format(s.VarName), its.WriteKoAT(s))
			}
		}
		cancel()
	}
	if found < 25 || compared < 600 {
		t.Errorf("only %d bounds, %d comparisons", found, compared)
	}
	t.Log(found, compared, classes)
}

// TestMutated: a certificate with an error is rejected, or its bound holds all the same.
func TestMutated(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	rejected, harmless := 0, 0
	for range 40 {
		s := system(r)
		f, ok := complexity.Upper(t.Context(), s).(complexity.Found)
		if !ok || len(f.Certificate.Claims) == 0 {
			continue
		}
		for range 4 {
			c := f.Certificate
			what := mutate(r, &c)
			if err := accept.Bound(t.Context(), s, &c); err != nil {
				rejected++
				continue
			}
			harmless++
			if _, wrong := exceed(s, c.Bound, []int64{-1, 1, 3}); wrong != "" {
				t.Errorf("%s: accepted, but %s\n%s\n%s", what, wrong, c.Bound.Format(s.VarName), its.WriteKoAT(s))
			}
		}
	}
	if rejected < 60 {
		t.Errorf("only %d rejected", rejected)
	}
	t.Logf("%d rejected, %d accepted whose bound holds", rejected, harmless)
}

// mutate makes one error, as deep as possible, and computes nothing again.
func mutate(r *rand.Rand, c *bound.Certificate) string {
	c.Blocks, c.Claims, c.Costs, c.Nodes = slices.Clone(c.Blocks), slices.Clone(c.Claims), slices.Clone(c.Costs), slices.Clone(c.Nodes)
	less := func(e bound.Expression) bound.Expression { return e.Sub(bound.Int(1)) }
	switch i := r.IntN(len(c.Claims)); r.IntN(6) {
	case 0:
		c.Bound = less(c.Bound)
		return "a smaller bound"
	case 1:
		switch x := c.Claims[i].(type) {
		case bound.Runs:
			x.Bound = less(x.Bound)
			c.Claims[i] = x
		case bound.Size:
			x.Bound = less(x.Bound)
			c.Claims[i] = x
		}
		return "a smaller claim"
	case 2:
		if x, ok := c.Claims[i].(bound.Runs); ok {
			if k, ok := x.Rule.(bound.Ranked); ok {
				k.Levels = slices.Clone(k.Levels)
				l := r.IntN(len(k.Levels))
				k.Levels[l].Level = slices.Clone(k.Levels[l].Level)
				k.Levels[l].Level[0] = k.Levels[l].Level[0].Plus(linear.Int(-2))
				x.Rule = k
				c.Claims[i] = x
				return "a lower level"
			}
		}
		c.Costs = c.Costs[1:]
		return "a block without cost"
	case 3:
		n := r.IntN(len(c.Nodes))
		c.Nodes[n].Region = append(slices.Clone(c.Nodes[n].Region), linear.Constraint{Form: linear.Variable(linear.Var(r.IntN(3))).Plus(linear.Int(-1))})
		return "a smaller region"
	case 4:
		// A part of a rule is left out, and the claim with it becomes smaller.
		if x, ok := c.Claims[i].(bound.Runs); ok {
			if k, ok := x.Rule.(bound.Ranked); ok && len(k.Entries) > 0 {
				k.Entries = k.Entries[1:]
				x.Rule, x.Bound = k, bound.Expression{}
				c.Claims[i] = x
			}
		}
		c.Bound = bound.Int(3)
		return "no entries"
	}
	b := r.IntN(len(c.Blocks))
	c.Blocks[b].Path = c.Blocks[(b+1)%len(c.Blocks)].Path
	return "another path"
}
