package itscheck

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// TestMonomials: x grows until x*y is n.
func TestMonomials(t *testing.T) {
	ctx := context.Background()
	s := read(t, `(STARTTERM (FUNCTIONSYMBOLS s)) (RULES
s(x,y,n) -> a(0,y,n) :|: y > 0
a(x,y,n) -> a(x+1,y,n) :|: x*y < n)`)
	n, product := linear.Variable(2), linear.Variable(3)
	positive := []linear.Constraint{linear.AtLeast(y, constant(1))}
	argument := func(region []linear.Constraint, rank linear.Form, factors ...linear.Var) its.RankingArgument {
		return its.RankingArgument{
			Nodes:     []its.RankNode{{Location: 1, Region: region, Rank: []its.Level{{rank}}}},
			Monomials: [][]linear.Var{factors},
		}
	}
	for _, c := range []struct {
		name string
		a    its.RankingArgument
		want string
	}{
		{"good", argument(positive, n.Sub(product), 0, 1), ""},
		{"factors the other way round", argument(positive, n.Sub(product), 1, 0), ""},
		{"y may be 0", argument(nil, n.Sub(product), 0, 1), "does not decrease"},
		{"another product", argument(positive, n.Sub(product), 1, 1), "does not decrease"},
		{"it grows", argument(positive, product, 0, 1), "does not decrease"},
		{"an invariant that is none", argument(append(positive, linear.AtMost(product, constant(9))), n.Sub(product), 0, 1), "outside of its invariant"},
		{"a factor", argument(positive, n.Sub(product), 0), "1 factors"},
		{"what is no variable", argument(positive, n.Sub(product), 0, 3), "unknown variables"},
		{"a monomial that is not there", argument(positive, n.Sub(linear.Variable(4)), 0, 1), "over the variables"},
	} {
		t.Run(c.name, func(t *testing.T) { expect(t, Ranking(ctx, s, c.a), c.want) })
	}
}

// TestMonomialsHold: what is asserted of monomials is true of the steps of random transitions.
func TestMonomialsHold(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	form := func(known int) linear.Form {
		f := linear.Constant(linear.Int(rng.Int64N(5) - 2))
		for v := range linear.Var(known) {
			if rng.IntN(2) == 0 {
				f = f.AddScaled(linear.Int(rng.Int64N(5)-2), linear.Variable(v))
			}
		}
		return f
	}
	factors := [][]linear.Var{{0, 0}, {0, 1}, {2, 1, 0}, {2, 2}}
	for range 40 {
		s := its.NewSystem("x", "y", "z")
		tr := its.Transition{Temps: 3, Products: []its.Product{{Temp: 4, A: form(4), B: form(4)}, {Temp: 5, A: form(5), B: form(3)}}}
		for range 3 {
			tr.Update = append(tr.Update, form(6))
		}
		s.Add(tr)
		number := func() *big.Int { return big.NewInt(rng.Int64N(9) - 4) }
		state, inputs := []*big.Int{number(), number(), number()}, []*big.Int{number(), nil, nil}
		next, err := s.Step(&s.Transitions[0], state, inputs)
		if err != nil {
			t.Fatal(err)
		}
		q, err := newQuery(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		m, err := newMonomials(q, s, factors)
		if err != nil {
			t.Fatal(err)
		}
		are := func(e environment, values []*big.Int) {
			for _, fs := range factors {
				p := big.NewInt(1)
				for _, v := range fs {
					p.Mul(p, values[v])
				}
				values = append(values, p)
			}
			for i, n := range values {
				q.assert("(= " + e[i] + " " + literal(n) + ")")
			}
		}
		e := m.arbitrary()
		are(e, state)
		at, behind := q.take(&s.Transitions[0], e)
		behind = m.extend(behind)
		are(behind, next)
		values := append(state, inputs[0])
		for key, name := range m.multiply(&s.Transitions[0], e, at, behind) {
			p := big.NewInt(1)
			for _, v := range key {
				p.Mul(p, values[v-1])
			}
			q.assert("(= " + name + " " + literal(p) + ")")
		}
		q.assert("(= " + at[3] + " " + literal(inputs[0]) + ")")
		if no, err := q.check(nil, "true"); no || err != nil {
			t.Fatalf("the step from %v to %v is refuted (%v)", state, next, err)
		}
		q.close()
	}
}

func literal(n *big.Int) string { return term(linear.Constant(linear.FromBigInt(n)), nil) }
