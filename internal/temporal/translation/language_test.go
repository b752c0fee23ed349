package translation_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/inclusion"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
	"assay/internal/temporal/tableau"
	"assay/internal/temporal/translation"
)

// accepted says which lassos an automaton accepts: a greatest fixpoint (again and
// again) of least ones (to an accepting state), over pairs of a state and an observation,
// for all lassos at once.
func accepted(l *ltltest.Lassos, a *buchi.Automaton) ltltest.Row {
	letters := func(c buchi.Cube, at int) ltltest.Row {
		r := l.Row(true)
		for i, atom := range a.Atoms {
			for k, name := range ltltest.Names {
				if name != atom.Text || (c.Pos|c.Neg)>>i&1 == 0 {
					continue
				}
				for w, v := range l.Atom(k, at) {
					if c.Neg>>i&1 != 0 {
						v = ^v
					}
					r[w] &= v
				}
			}
		}
		return r
	}
	labels := map[buchi.Cube][]ltltest.Row{}
	for _, es := range a.Edges {
		for _, e := range es {
			if labels[e.Label] == nil {
				for at := range l.Len {
					labels[e.Label] = append(labels[e.Label], letters(e.Label, at))
				}
			}
		}
	}
	fill := func(set bool) [][]ltltest.Row {
		x := make([][]ltltest.Row, len(a.Edges))
		for q := range x {
			for range l.Len {
				x[q] = append(x[q], l.Row(set))
			}
		}
		return x
	}
	again := fill(true)
	for {
		reach := fill(false)
		for changed := true; changed; {
			changed = false
			for q := len(a.Edges) - 1; q >= 0; q-- {
				for at := l.Len - 1; at >= 0; at-- {
					next := l.Next(at)
					for _, e := range a.Edges[q] {
						label := labels[e.Label][at]
						for w := range label {
							v := reach[e.To][next][w]
							if a.Accepting[e.To] {
								v |= again[e.To][next][w]
							}
							if n := reach[q][at][w] | label[w]&v; n != reach[q][at][w] {
								reach[q][at][w], changed = n, true
							}
						}
					}
				}
			}
		}
		same := true
		for q := range reach {
			for at := range reach[q] {
				if _, differ := l.Differ(reach[q][at], again[q][at]); differ {
					same = false
				}
			}
		}
		if again = reach; same {
			return again[a.Initial][0]
		}
	}
}

// both makes the two automata of a formula.
func both(t *testing.T, f ltl.Formula) (a, b *buchi.Automaton, hint ltl.Formula) {
	t.Helper()
	a, stats, err := translation.Translate(context.Background(), f)
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	if err := a.Check(); err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	tab, err := tableau.New(f)
	if err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	return a, inclusion.Automaton(tab), stats.Formula
}

// sameLassos fails if the formula, and the automata of both constructions, are not
// true of the same lassos.
func sameLassos(t *testing.T, f ltl.Formula, a, b *buchi.Automaton, shapes []*ltltest.Lassos) {
	t.Helper()
	for _, l := range shapes {
		want := l.Evaluate(f)[0]
		if n, differ := l.Differ(accepted(l, a), want); differ {
			t.Fatalf("%v: the translation is wrong about %s", f, l.Text(n))
		}
		if n, differ := l.Differ(accepted(l, b), want); differ {
			t.Fatalf("%v: the tableau is wrong about %s", f, l.Text(n))
		}
	}
}

// sameLanguage proves that the automaton accepts exactly what the formula is true of,
// by the checker's means: a simulation of the tableau, and an empty product with the
// tableau of the negation.
func sameLanguage(t *testing.T, f ltl.Formula, a *buchi.Automaton, hint ltl.Formula) {
	t.Helper()
	if err := inclusion.Accepts(context.Background(), a, f, hint); err != nil {
		t.Fatalf("%v: %v", f, err)
	}
	_, not, _ := both(t, ltl.Not(f))
	if w, ok := buchi.Intersect(a, not).Witness(); ok {
		t.Fatalf("%v: the automaton accepts %v", f, w)
	}
}

// TestSmall: all formulas of size at most 4 over one atom, and 3 over two, on all lassos
// of length at most 6.
func TestSmall(t *testing.T) {
	n := 0
	for _, c := range []struct{ size, atoms int }{{4, 1}, {3, 2}} {
		shapes := ltltest.Words(6, c.atoms)
		ltltest.All(c.size, c.atoms, func(f ltl.Formula) {
			a, b, hint := both(t, f)
			sameLassos(t, f, a, b, shapes)
			sameLanguage(t, f, a, hint)
			n++
		})
	}
	t.Logf("%d formulas", n)
}

// TestRandom: random formulas of size at most 8 over two atoms, on all lassos of
// length at most 6; and bigger ones, over three.
func TestRandom(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	shapes := ltltest.Words(6, 2)
	for range 2000 {
		f := ltltest.Random(r, 4+r.IntN(5), 2)
		a, b, hint := both(t, f)
		sameLassos(t, f, a, b, shapes)
		sameLanguage(t, f, a, hint)
	}
	for range 200 {
		f := ltltest.Random(r, 9+r.IntN(4), 3)
		a, _, hint := both(t, f)
		sameLanguage(t, f, a, hint)
	}
}
