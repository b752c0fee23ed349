package itscheck

import (
	"context"
	"errors"
	"math/big"
	"strings"
	"testing"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

func read(t *testing.T, text string) *its.System {
	t.Helper()
	s, err := its.ReadKoAT("test", text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

var (
	x, y = linear.Variable(0), linear.Variable(1)
	one  = linear.Int(1)
)

func constant(n int64) linear.Form { return linear.Constant(linear.Int(n)) }

// nested counts x down, and resets y in each round of the outer loop.
const nested = `(STARTTERM (FUNCTIONSYMBOLS s)) (RULES
s(x,y) -> a(x,y)
a(x,y) -> b(x-1,z) :|: x > 0
b(x,y) -> b(x,y-1) :|: y > 0
b(x,y) -> a(x,y) :|: y <= 0)`

func nestedArgument() its.RankingArgument {
	return its.RankingArgument{Nodes: []its.RankNode{
		{Location: 1, Rank: []its.Level{{x}, {constant(0)}, {constant(0)}}},
		{Location: 2, Rank: []its.Level{{x}, {constant(1)}, {y}}},
	}}
}

// expect checks that the error is a rejection for a reason, or nil for "".
func expect(t *testing.T, err error, want string) {
	t.Helper()
	var rejected *its.Rejected
	switch {
	case want == "" && err != nil:
		t.Error(err)
	case want != "" && (!errors.As(err, &rejected) || !strings.Contains(err.Error(), want)):
		t.Errorf("%v, want %q", err, want)
	}
}

func TestRanking(t *testing.T) {
	ctx := context.Background()
	s := read(t, nested)
	good := nestedArgument()
	// From b back to a: x stays, the second level falls from 1 to 0; from a to b
	// x falls. x must not be negative where it falls.
	expect(t, Ranking(ctx, s, good), "")
	for _, test := range []struct {
		name   string
		change func(a *its.RankingArgument)
		want   string
	}{
		{"no nodes", func(a *its.RankingArgument) { a.Nodes = nil }, "no cutpoint"},
		{"one cutpoint too few", func(a *its.RankingArgument) { a.Nodes = a.Nodes[:1] }, "no cutpoint"},
		{"no rank", func(a *its.RankingArgument) { a.Nodes[1].Rank = nil }, "does not decrease"},
		{"inner loop only", func(a *its.RankingArgument) { a.Nodes[0].Rank[0], a.Nodes[1].Rank[0] = nil, nil }, "does not decrease"},
		{"outer loop only", func(a *its.RankingArgument) { a.Nodes[1].Rank[2] = nil }, "does not decrease"},
		{"not bounded", func(a *its.RankingArgument) {
			a.Nodes[1].Rank[2] = its.Level{y.Plus(linear.Int(-2))}
		}, "does not decrease"},
		{"false invariant", func(a *its.RankingArgument) {
			a.Nodes[1].Region = []linear.Constraint{linear.False()}
		}, "outside of its invariant"},
		{"invariant that is not inductive", func(a *its.RankingArgument) {
			a.Nodes[1].Region = []linear.Constraint{linear.AtLeast(y, constant(0))}
		}, "outside of its invariant"},
		{"unknown location", func(a *its.RankingArgument) { a.Nodes[0].Location = 9 }, "does not exist"},
		{"fractions", func(a *its.RankingArgument) { a.Nodes[0].Rank[0] = its.Level{x.Scale(linear.Fraction(1, 2))} }, "not integral"},
	} {
		t.Run(test.name, func(t *testing.T) {
			a := nestedArgument()
			test.change(&a)
			expect(t, Ranking(ctx, s, a), test.want)
		})
	}
}

func TestRankingRegions(t *testing.T) {
	ctx := context.Background()
	// Terminates because y stays 1; the two signs of x are two nodes.
	s := read(t, `(STARTTERM (FUNCTIONSYMBOLS s)) (RULES
s(x,y) -> a(x,1)
a(x,y) -> a(x-y,y) :|: x > 0
a(x,y) -> a(x+y,y) :|: x < 0)`)
	is1 := linear.Equals(y, constant(1))
	a := its.RankingArgument{Nodes: []its.RankNode{
		{Location: 1, Region: []linear.Constraint{is1, linear.AtLeast(x, constant(0))}, Rank: []its.Level{{x}}},
		{Location: 1, Region: []linear.Constraint{is1, linear.AtMost(x, constant(0))}, Rank: []its.Level{{x.Neg()}}},
	}}
	expect(t, Ranking(ctx, s, a), "")
	a.Nodes[1].Region = append(a.Nodes[1].Region, linear.AtMost(x, constant(-1)), linear.AtLeast(x, constant(-5)))
	expect(t, Ranking(ctx, s, a), "outside of its invariant")
	a.Nodes[1].Region = nil
	expect(t, Ranking(ctx, s, a), "does not decrease")
}

// TestNestedLevel: x grows until y, which falls, is negative.
func TestNestedLevel(t *testing.T) {
	ctx := context.Background()
	s := read(t, "(STARTTERM (FUNCTIONSYMBOLS s)) (RULES s(x,y) -> a(x,y) a(x,y) -> a(x+y,y-1) :|: x > 0)")
	expect(t, Ranking(ctx, s, its.RankingArgument{Nodes: []its.RankNode{{Location: 1, Rank: []its.Level{{y.Plus(one), x}}}}}), "")
	expect(t, Ranking(ctx, s, its.RankingArgument{Nodes: []its.RankNode{{Location: 1, Rank: []its.Level{{x, y}}}}}), "does not decrease")
}

func TestFairRanking(t *testing.T) {
	ctx := context.Background()
	s := read(t, "(STARTTERM (FUNCTIONSYMBOLS s)) (RULES s(x) -> a(x) a(x) -> b(x-1) :|: x > 0 b(x) -> b(x) b(x) -> a(x))")
	a := its.RankingArgument{Nodes: []its.RankNode{{Location: 1, Rank: []its.Level{{x}}}, {Location: 2, Rank: []its.Level{{x}}}}}
	expect(t, Ranking(ctx, s, a), "does not decrease")
	s.SetFair(func(l its.Location) bool { return s.Locations[l] == "a" })
	expect(t, Ranking(ctx, s, a), "")
}

// count counts up from 5 for ever, through a loop that multiplies.
const count = `(STARTTERM (FUNCTIONSYMBOLS s)) (RULES
s(x,y) -> a(x,y) :|: x >= 5
a(x,y) -> b(x+1,x*x) :|: x > 0
b(x,y) -> a(x,y) :|: y > x)`

func countEvidence(s *its.System) its.Recurrence {
	p := linear.Variable(0)
	inputs := func(t int) []linear.Form {
		// The only temporary is the square, which the checker computes.
		return make([]linear.Form, s.Transitions[t].Temps)
	}
	return its.Recurrence{
		Stem: its.Stem{State: []*big.Int{big.NewInt(7), big.NewInt(0)}, Steps: []its.Move{{Transition: 0}}},
		Sets: []its.RecurrentSet{{
			Location: 1, Parameters: 1, Constraints: []linear.Constraint{linear.AtLeast(p, constant(3))},
			Known: []bool{true, false}, State: []linear.Form{p, {}},
			Moves: []its.SetMove{{Path: []int{1, 2}, Inputs: [][]linear.Form{inputs(1), inputs(2)}, Target: 0, Next: []linear.Form{p.Plus(one)}}},
		}},
		Parameters: []*big.Int{big.NewInt(7)},
	}
}

func TestRecurrence(t *testing.T) {
	ctx := context.Background()
	s := read(t, count)
	expect(t, Recurrence(ctx, s, countEvidence(s)), "")
	for _, test := range []struct {
		name   string
		change func(r *its.Recurrence)
		want   string
	}{
		{"a set that is too large", func(r *its.Recurrence) { r.Sets[0].Constraints = nil }, "no move leads back"},
		{"wrong parameters afterwards", func(r *its.Recurrence) { r.Sets[0].Moves[0].Next[0] = linear.Variable(0) }, "no move leads back"},
		{"no parameters afterwards", func(r *its.Recurrence) {
			r.Sets[0].Moves[0].Next = nil
			r.Sets[0].Known[0] = false
		}, "does not say what the parameters are"},
		{"no moves", func(r *its.Recurrence) { r.Sets[0].Moves = nil }, "no move leads back"},
		{"a state that the stem does not reach", func(r *its.Recurrence) { r.Parameters[0] = big.NewInt(8) }, "not the one of its parameters"},
		{"a stem outside of the set", func(r *its.Recurrence) {
			r.Sets[0].Constraints = []linear.Constraint{linear.AtLeast(linear.Variable(0), constant(8))}
		}, "outside of the recurrent set"},
		{"a stem that is not possible", func(r *its.Recurrence) { r.Stem.State[0] = big.NewInt(4) }, "cannot be executed"},
		{"a path that is none", func(r *its.Recurrence) { r.Sets[0].Moves[0].Path = []int{2, 1} }, "no path"},
		{"a path that ends elsewhere", func(r *its.Recurrence) {
			m := &r.Sets[0].Moves[0]
			m.Path, m.Inputs = m.Path[:1], m.Inputs[:1]
		}, "ends elsewhere"},
		{"no sets", func(r *its.Recurrence) { r.Sets = nil }, "no set"},
		{"fractions", func(r *its.Recurrence) { r.Sets[0].State[0] = linear.Variable(0).Scale(linear.Fraction(1, 2)) }, "wrong shape"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r := countEvidence(s)
			test.change(&r)
			expect(t, Recurrence(ctx, s, r), test.want)
		})
	}
	implicit := countEvidence(s)
	implicit.Sets[0].Moves[0].Next = nil
	expect(t, Recurrence(ctx, s, implicit), "")
	inexact := s.Clone()
	inexact.Transitions[2].Exact = false
	expect(t, Recurrence(ctx, inexact, countEvidence(s)), "over-approximates")
	inexact = s.Clone()
	inexact.Transitions[0].Exact = false
	expect(t, Recurrence(ctx, inexact, countEvidence(s)), "over-approximates")
	unfair := s.Clone()
	unfair.SetFair(func(l its.Location) bool { return l == 0 })
	expect(t, Recurrence(ctx, unfair, countEvidence(s)), "no fair transition")
	unfair.SetFair(func(l its.Location) bool { return l == 2 })
	expect(t, Recurrence(ctx, unfair, countEvidence(s)), "")
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Ranking(ctx, read(t, nested), nestedArgument()); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
