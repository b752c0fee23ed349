package tableau_test

import (
	"math/rand/v2"
	"testing"

	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
	"assay/internal/temporal/tableau"
)

// TestTableau: the words of a tableau are those that the formula is true of, and each
// has one run only, on all lassos up to length 4. It counts runs: in the product with
// a lasso, states that cannot go on are taken away, and so are those that are in no
// cycle with all marks and reach none; what is left of a lasso is one state at
// each observation if it is accepted, and none if not.
func TestTableau(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	for range 400 {
		f := ltltest.Random(r, 3+r.IntN(6), 2)
		a, err := tableau.New(f)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range ltltest.Shapes(4, 2) {
			want := l.Evaluate(f)[0]
			for i := range 24 {
				n := (i*7919 + i*i) % l.Count
				runs := count(a, l, n)
				if in := want[n/64]>>(n%64)&1 != 0; in && runs != 1 || !in && runs != 0 {
					t.Fatalf("%v: %d runs on %s, true: %t", f, runs, l.Text(n), in)
				}
			}
		}
	}
}

// pair is a state of the tableau and an observation of a lasso.
type pair struct{ state, at int }

// count is the number of initial pairs' successors that begin accepting runs: 0 or 1
// if the tableau is as it should be, 2 if any pair on a run has two ways to go.
func count(a *tableau.Automaton, l *ltltest.Lassos, n int) int {
	type edge struct {
		to    pair
		marks uint64
	}
	edges := func(p pair) (all []edge) {
		letter := uint64(0)
		for i, atom := range a.Atoms {
			for k, name := range ltltest.Names {
				if atom.Text == name && n>>(p.at*l.Atoms+k)&1 != 0 {
					letter |= 1 << i
				}
			}
		}
		for _, e := range a.Edges[p.state] {
			if letter&e.Label.True == e.Label.True && letter&e.Label.False == 0 {
				all = append(all, edge{pair{e.To, l.Next(p.at)}, e.Marks})
			}
		}
		return all
	}
	// reach are the pairs reached from one by at least an edge, with the marks on the way
	// if the way comes back to it.
	start := pair{0, 0}
	var order []pair
	seen := map[pair]bool{start: true}
	for todo := []pair{start}; len(todo) > 0; todo = todo[1:] {
		order = append(order, todo[0])
		for _, e := range edges(todo[0]) {
			if !seen[e.to] {
				seen[e.to] = true
				todo = append(todo, e.to)
			}
		}
	}
	reaches := map[pair]map[pair]bool{}
	for _, p := range order {
		reaches[p] = map[pair]bool{}
		for todo := []pair{p}; len(todo) > 0; todo = todo[1:] {
			for _, e := range edges(todo[0]) {
				if !reaches[p][e.to] {
					reaches[p][e.to] = true
					todo = append(todo, e.to)
				}
			}
		}
	}
	// good pairs are in a component with all marks, or reach one.
	inside := map[pair]bool{}
	for _, p := range order {
		marks := uint64(0)
		for _, q := range order {
			if !reaches[p][q] || !reaches[q][p] {
				continue
			}
			for _, e := range edges(q) {
				if reaches[e.to][p] {
					marks |= e.marks
				}
			}
		}
		inside[p] = reaches[p][p] && marks == 1<<a.Marks-1
	}
	good := func(p pair) bool {
		if inside[p] {
			return true
		}
		for q := range reaches[p] {
			if inside[q] {
				return true
			}
		}
		return false
	}
	if !good(start) {
		return 0
	}
	for _, p := range order {
		ways := 0
		for _, e := range edges(p) {
			if good(e.to) {
				ways++
			}
		}
		if good(p) && ways != 1 {
			return 2
		}
	}
	return 1
}

// TestDuals: a formula and its negation exclude each other at once, however they are
// written.
func TestDuals(t *testing.T) {
	for _, c := range [][2]string{
		{"a U (b R c)", "!a R (!b U !c)"},
		{"a W (b ==> c)", "(b && !c) U (!a && b && !c)"},
		{"G (a ==> F b)", "F (G !b && a)"},
		{"a <==> X !b", "!a <==> !X b"},
		{"a ^^ b", "(a && b) || (!b && !a)"},
	} {
		a, err := tableau.New(ltl.And(ltl.MustParse(c[0]), ltl.MustParse(c[1])))
		if err != nil {
			t.Fatal(err)
		}
		if n := len(a.Edges); n > 1 && c[0] != "a W (b ==> c)" && c[0] != "a ^^ b" {
			t.Errorf("%v: %d states", c, n)
		}
	}
}
