package reduce

import (
	"context"
	"math/rand/v2"

	"assay/internal/finite/ts"
	"assay/internal/logic/sat"
	"assay/internal/logic/sat/cadical"
)

// This file finds latches that are always equal, or always different.
//
// Cited paper:
//
//	[vanEijk00] C. A. J. van Eijk. Sequential Equivalence Checking Based on
//	Structural Similarities. IEEE Transactions on CAD 19(7), 2000.
//
// Candidates are classes of latches, up to negation, with a constant reset and the
// same values in random simulation; the constant false is one, too. They are
// refined to the largest partition that is inductive: if in a state all members of
// a class are equal, they are in the next one. The hypothesis is built in: each
// latch is replaced by its class's representative, so that much is equal by
// structural hashing, and the rest is asked of a solver. A model of a difference
// splits classes, and a query without an answer takes the latch out of its class.

// partition has for each latch its representative, as an index, -1 for the
// constant false, and whether the latch is its negation.
type partition struct {
	representative []int32
	negated        []bool
}

// correspond sets the image of latches to a constant or another latch's literal.
// Latches that have an image already keep it.
func correspond(ctx context.Context, c *ts.Circuit, o Options, image []sat.Lit) error {
	p, any := candidates(c, o, image)
	queries := 0
	for any {
		stable, err := p.refine(ctx, c, o, image, &queries)
		if err != nil {
			return err
		}
		if stable {
			break
		}
		if queries > o.RefinementSize {
			return nil // no partition was shown to be inductive
		}
	}
	for i, l := range c.Latches {
		if image[i] == l.Lit {
			image[i] = p.literal(c, int32(i), image)
		}
	}
	return nil
}

// literal is the representative's literal for a latch.
func (p *partition) literal(c *ts.Circuit, i int32, image []sat.Lit) sat.Lit {
	if image[i] != c.Latches[i].Lit {
		return image[i]
	}
	r := p.representative[i]
	if r < 0 {
		return sat.Constant(p.negated[i])
	}
	return c.Latches[r].Lit.XorSign(p.negated[i])
}

// group makes classes of equal signatures. Latches stay together only if they
// were in one class before; keys are the old representative and the signature.
func (p *partition) group(signature func(i int32) (string, bool), members []int32) {
	type key struct {
		old int32
		sig string
	}
	first := map[key]int32{}
	zeroSig, _ := signature(-1)
	for _, i := range members {
		sig, negated := signature(i)
		k := key{p.representative[i], sig}
		p.negated[i] = negated
		if k.old == -1 && sig == zeroSig {
			continue // still constant
		}
		r, ok := first[k]
		if !ok {
			r = i
			first[k] = i
		}
		p.representative[i] = r
	}
	// Signs are now relative to the signatures; make them relative to the
	// representative, which comes before its class.
	sign := append([]bool(nil), p.negated...)
	for _, i := range members {
		if r := p.representative[i]; r >= 0 {
			p.negated[i] = sign[i] != sign[r]
		}
	}
}

// candidates simulates 64 runs at random.
func candidates(c *ts.Circuit, o Options, image []sat.Lit) (*partition, bool) {
	n := len(c.Latches)
	p := &partition{representative: make([]int32, n), negated: make([]bool, n)}
	random := rand.New(rand.NewPCG(1, 2))
	words := make([][]uint64, n)
	value := make([]uint64, c.Graph.Len())
	at := func(l sat.Lit) uint64 {
		if l.Negated() {
			return ^value[l.Node()]
		}
		return value[l.Node()]
	}
	var roots []sat.Lit
	var members []int32
	state := make([]uint64, n)
	for i, l := range c.Latches {
		roots = append(roots, l.Next)
		p.representative[i] = int32(i)
		switch {
		case l.Arbitrary():
			state[i] = random.Uint64()
		case l.Reset == sat.True:
			state[i] = ^uint64(0)
		}
		if l.Reset.IsConstant() && image[i] == l.Lit {
			members = append(members, int32(i))
			p.representative[i] = -1
		}
	}
	cone := ts.Cone(c.Graph, roots)
	for range o.Simulation {
		for i, l := range c.Latches {
			value[l.Lit.Node()] = state[i]
			words[i] = append(words[i], state[i])
		}
		for _, l := range c.Inputs {
			value[l.Node()] = random.Uint64()
		}
		for _, m := range cone {
			if c.Graph.IsAnd(m) {
				a, b := c.Graph.Children(m)
				value[m] = at(a) & at(b)
			}
		}
		for i, l := range c.Latches {
			state[i] = at(l.Next)
		}
	}
	p.group(func(i int32) (string, bool) {
		b := make([]byte, 0, 8*o.Simulation)
		negated := i >= 0 && c.Latches[i].Reset == sat.True
		for k := range o.Simulation {
			w := uint64(0)
			if i >= 0 {
				w = words[i][k]
			}
			if negated {
				w = ^w
			}
			for range 8 {
				b = append(b, byte(w))
				w >>= 8
			}
		}
		return string(b), negated
	}, members)
	any := false
	for _, i := range members {
		any = any || p.representative[i] != i
	}
	return p, any
}

// refine checks the partition once. It returns true if it is inductive; else it
// has become finer.
func (p *partition) refine(ctx context.Context, c *ts.Circuit, o Options, image []sat.Lit, queries *int) (bool, error) {
	g := sat.NewGraph()
	copier := ts.NewCopier(c.Graph, g)
	for _, l := range c.Inputs {
		copier.Set(l, g.Input())
	}
	var members []int32
	for i, l := range c.Latches {
		if p.representative[i] == int32(i) && image[i] == l.Lit {
			copier.Set(l.Lit, g.Input())
		}
	}
	for i, l := range c.Latches {
		if image[i] != l.Lit || p.representative[i] != int32(i) {
			copier.Set(l.Lit, copier.Lit(p.literal(c, int32(i), image)))
		}
		if image[i] == l.Lit && p.representative[i] != int32(i) {
			members = append(members, int32(i))
		}
	}
	solver := cadical.New()
	defer solver.Close()
	cnf := sat.NewCNF(g, solver.AddClauses)
	for _, l := range append(copier.Lits(c.Constraints), copier.Lits(c.Transitions)...) {
		cnf.AssertClause(l)
	}
	var values []int8
	eval := sat.NewEvaluator(g, func(n int32) bool {
		v := int(cnf.Variable(n))
		return v > 0 && v <= len(values) && values[v-1] > 0
	})
	stable := true
	for _, i := range members {
		if p.representative[i] == i {
			continue // split meanwhile
		}
		next := copier.Lit(c.Latches[i].Next)
		want := sat.Constant(p.negated[i])
		if r := p.representative[i]; r >= 0 {
			want = copier.Lit(c.Latches[r].Next).XorSign(p.negated[i])
		}
		differ := g.Xor(next, want)
		if differ == sat.False {
			continue
		}
		*queries++
		lit := cnf.Literal(differ)
		cnf.Encode(func() bool { return ctx.Err() != nil })
		solver.Assume(lit)
		solver.SetConflictLimit(o.ConflictLimit)
		answer, err := solver.Solve(ctx)
		if err != nil {
			return false, err
		}
		switch answer {
		case cadical.Unsat:
			continue
		case cadical.Unknown:
			stable = false
			p.leave(i)
			continue
		}
		stable = false
		values = make([]int8, cnf.Variables())
		solver.Values(1, values)
		eval.Reset()
		// Split all classes by the next values in this model.
		old := append([]bool(nil), p.negated...)
		var all []int32
		for k := range c.Latches {
			if image[k] == c.Latches[k].Lit && c.Latches[k].Reset.IsConstant() {
				all = append(all, int32(k))
			}
		}
		p.group(func(k int32) (string, bool) {
			if k < 0 {
				return "0", false
			}
			if eval.Value(copier.Lit(c.Latches[k].Next)) != old[k] {
				return "1", old[k]
			}
			return "0", old[k]
		}, all)
	}
	return stable, nil
}

// leave makes a latch, which represents no other one, a class of its own.
func (p *partition) leave(i int32) {
	p.representative[i], p.negated[i] = i, false
}
