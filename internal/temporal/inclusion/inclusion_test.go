package inclusion_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/inclusion"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
	"assay/internal/temporal/tableau"
	"assay/internal/temporal/translation"
)

// TestMutations: an automaton that accepts less than it should is never shown to
// accept enough. Edges are taken away, and acceptance; that the rest is less is
// decided by the product with the formula's tableau.
func TestMutations(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 7))
	less, enough, none := 0, 0, 0
	for range 600 {
		f := ltltest.Random(r, 3+r.IntN(6), 2)
		a, stats, err := translation.Translate(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		a = a.Restrict(func(int) bool { return true })
		q := r.IntN(len(a.Edges))
		if k := len(a.Edges[q]); k > 0 && r.IntN(2) == 0 {
			i := r.IntN(k)
			a.Edges[q] = slices.Delete(slices.Clone(a.Edges[q]), i, i+1)
		} else {
			a.Accepting[q] = !a.Accepting[q]
		}
		err = inclusion.Accepts(context.Background(), a, f, stats.Formula)
		if missed := misses(t, a, f); missed != "" {
			less++
			if err == nil {
				t.Fatalf("%v: the automaton %v was shown to accept all, but rejects %s", f, a, missed)
			}
		} else if err == nil {
			enough++
		} else {
			none++
		}
	}
	t.Logf("%d changed automata accept less than they should, %d were shown to accept enough, %d were not though no short word is missing", less, enough, none)
}

// misses is a short lasso that the formula is true of and the automaton rejects.
func misses(t *testing.T, a *buchi.Automaton, f ltl.Formula) string {
	t.Helper()
	for _, l := range ltltest.Shapes(4, 2) {
		want := l.Evaluate(f)[0]
		for n := range l.Count {
			if want[n/64]>>(n%64)&1 == 0 {
				continue
			}
			var w buchi.Word
			for at := range l.Len {
				letter := buchi.Letter(0)
				for k, name := range ltltest.Names[:2] {
					if i := a.Index(ltl.Atom{Text: name}); i >= 0 && n>>(at*2+k)&1 != 0 {
						letter |= 1 << i
					}
				}
				if at < l.Loop {
					w.Stem = append(w.Stem, letter)
				} else {
					w.Loop = append(w.Loop, letter)
				}
			}
			if !a.Accepts(w) {
				return l.Text(n)
			}
		}
	}
	return ""
}

// TestProofs: a changed proof is refused, or it is a proof, too: then the automaton
// accepts enough all the same, as it does here. So proofs are given for automata that
// accept too little.
func TestProofs(t *testing.T) {
	f := ltl.MustParse("G F a && G (b ==> F a)")
	tab, err := tableau.New(f)
	if err != nil {
		t.Fatal(err)
	}
	a, _, err := translation.Translate(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	p, err := inclusion.Prove(context.Background(), tab, a)
	if err != nil {
		t.Fatal(err)
	}
	if err := inclusion.Check(tab, a, p); err != nil {
		t.Fatal(err)
	}
	rejects := a.Restrict(func(int) bool { return true })
	clear(rejects.Accepting)
	r := rand.New(rand.NewPCG(8, 8))
	for range 2000 {
		q := &inclusion.Proof{Ranks: map[inclusion.Pair]int{}}
		for pair := range p.Ranks {
			q.Ranks[pair] = r.IntN(4)
		}
		if inclusion.Check(tab, rejects, q) == nil {
			t.Fatalf("%v is a proof that an automaton accepts something that accepts nothing", q)
		}
	}
	delete(p.Ranks, inclusion.Pair{})
	if inclusion.Check(tab, a, p) == nil {
		t.Error("a proof without the initial states")
	}
	if inclusion.Check(tab, a, &inclusion.Proof{Ranks: map[inclusion.Pair]int{{}: 0, {State: 99}: 0}}) == nil {
		t.Error("a proof about a state that does not exist")
	}
}

// TestHint: a hint that the formula does not imply is refused, also where the automaton
// fits the hint.
func TestHint(t *testing.T) {
	f, hint := ltl.MustParse("F a"), ltl.MustParse("G F a")
	a, _, err := translation.Translate(context.Background(), hint)
	if err != nil {
		t.Fatal(err)
	}
	if err := inclusion.Accepts(context.Background(), a, f, hint); err == nil || err.Error() != "F a does not imply G F a" {
		t.Error(err)
	}
	if err := inclusion.Accepts(context.Background(), a, f, nil); !errors.Is(err, inclusion.ErrNone) {
		t.Error(err)
	}
	if err := inclusion.Accepts(context.Background(), a, hint, nil); err != nil {
		t.Error(err)
	}
	// More than the formula is fine: the automaton of F a for G F a.
	more, _, err := translation.Translate(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	if err := inclusion.Accepts(context.Background(), more, hint, nil); err != nil {
		t.Error(err)
	}
}
