package search_test

import (
	"context"
	"flag"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/certify/branchcheck"
	"assay/internal/integers/branching"
	"assay/internal/integers/branching/search"
	"assay/internal/integers/its"
	"assay/internal/integers/region"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
	"assay/internal/temporal/ctl"
)

var mutations = flag.Int("mutations", 75, "how many random proofs are changed")

// claims are all claims of a proof.
func claims(proof *branching.Proof) (list []*branching.Claim) {
	var visit func(c *branching.Claim)
	visit = func(c *branching.Claim) {
		list = append(list, c)
		for _, b := range c.Below {
			visit(b)
		}
		if _, often := c.Formula.(ctl.Often); c.Within != nil && !often { // what is within is about a set that is no formula
			visit(c.Within)
		}
	}
	for _, p := range proof.Parts {
		visit(p.Claim)
	}
	return list
}

// grow makes a region greater, or makes it up.
func grow(r *rand.Rand, s region.Region) region.Region {
	if len(s) == 0 || r.IntN(3) == 0 {
		return region.Of(context.Background(), linear.AtLeast(x, number(r.IntN(size))))
	}
	out := slices.Clone(s)
	i := r.IntN(len(out))
	cs := slices.Clone(out[i].Constraints())
	if len(cs) > 0 {
		cs = slices.Delete(cs, 0, 1)
	}
	out[i] = polyhedra.Of(context.Background(), cs...)
	return out
}

// mutate changes a proof somewhere; false if there is nothing to change.
func mutate(r *rand.Rand, proof *branching.Proof) bool {
	list := claims(proof)
	c := list[r.IntN(len(list))]
	l := r.IntN(len(c.Holds))
	switch r.IntN(7) {
	case 0:
		if len(c.Again) > 0 {
			c.Again[l] = grow(r, c.Again[l])
			c.Holds[l] = c.Holds[l].Union(context.Background(), c.Again[l])
			return true
		}
		c.Holds[l] = grow(r, c.Holds[l])
	case 1:
		c.Holds[l] = grow(r, c.Holds[l])
	case 2:
		if len(c.Next) == 0 || len(c.Next[l]) == 0 {
			return false
		}
		n := &c.Next[l][r.IntN(len(c.Next[l]))]
		n.From = grow(r, region.Region{n.From})[0]
		c.Holds[l] = c.Holds[l].Union(context.Background(), region.Region{n.From})
	case 3:
		if len(c.Layers) == 0 {
			return false
		}
		layer := c.Layers[r.IntN(len(c.Layers))]
		if len(layer[l]) == 0 {
			return false
		}
		n := &layer[l][r.IntN(len(layer[l]))]
		n.From = grow(r, region.Region{n.From})[0]
		c.Holds[l] = c.Holds[l].Union(context.Background(), region.Region{n.From})
	case 4:
		if len(c.Descents) == 0 {
			return false
		}
		d := &c.Descents[r.IntN(len(c.Descents))]
		d.From[l] = grow(r, d.From[l])
		c.Holds[l] = c.Holds[l].Union(context.Background(), d.From[l])
	case 5:
		if proof.Invariants[l].IsEmpty() {
			return false
		}
		proof.Invariants[l] = proof.Invariants[l].Meet(context.Background(), linear.AtLeast(x, number(r.IntN(size))))
	default:
		e := proof.Enabled[l]
		if len(e) == 0 {
			return false
		}
		n := &e[r.IntN(len(e))]
		n.From = grow(r, region.Region{n.From})[0]
	}
	return true
}

// wrong says which claim of a proof is false of a state that is reached.
func wrong(e *explicit, s *its.System, from state, proof *branching.Proof) ctl.Formula {
	reached := map[state]bool{from: true}
	for work := []state{from}; len(work) > 0; {
		at := work[0]
		work = work[1:]
		for _, t := range e.next[at] {
			if !reached[t] {
				reached[t] = true
				work = append(work, t)
			}
		}
	}
	for _, c := range claims(proof) {
		truth := (&explicit{next: e.next, all: e.all}).holds(c.Formula)
		for at := range reached {
			value := func(v linear.Var) linear.Number { return linear.Int(int64([]int{at.x, at.y}[v])) }
			claimed := slices.ContainsFunc(c.Holds[at.l], func(p polyhedra.Polyhedron) bool {
				return !slices.ContainsFunc(p.Constraints(), func(d linear.Constraint) bool { return !d.Holds(value) })
			})
			if claimed && !truth[at] {
				return c.Formula
			}
		}
	}
	return nil
}

// TestMutations changes proofs. What the checker accepts nevertheless has to be true in all states that
// are reached.
func TestMutations(t *testing.T) {
	rejected, accepted := 0, 0
	for seed := range *mutations {
		r := rand.New(rand.NewPCG(uint64(seed), 81))
		s := system(r, false)
		f := formula(r, 1+r.IntN(3))
		a, b := r.IntN(size), r.IntN(size)
		p := problem(s, f, a, b)
		ctx, stop := context.WithTimeout(t.Context(), 2*time.Second)
		answer, err := search.Decide(ctx, p, branchcheck.Check)
		stop()
		if err != nil {
			continue
		}
		var proof *branching.Proof
		normal := ctl.Normal(f)
		switch answer := answer.(type) {
		case search.Holds:
			proof = answer.Proof
		case search.Fails:
			proof, normal = answer.Proof, ctl.Negation(f)
		case search.Open:
			continue
		}
		e, from := explore(s), state{int(s.Initial), a, b}
		if w := wrong(e, s, from, proof); w != nil {
			t.Fatalf("seed %d: the proof claims %v where it is false", seed, w)
		}
		if !mutate(r, proof) {
			continue
		}
		if branchcheck.Check(t.Context(), p, proof, normal) != nil {
			rejected++
			continue
		}
		accepted++
		if w := wrong(e, s, from, proof); w != nil {
			t.Errorf("seed %d: a changed proof is accepted that claims %v where it is false\n%s", seed, w, its.WriteT2(s))
		}
	}
	t.Logf("%d rejected, %d accepted that are true", rejected, accepted)
	if rejected < *mutations/10 {
		t.Errorf("%d proofs are rejected", rejected)
	}
}
