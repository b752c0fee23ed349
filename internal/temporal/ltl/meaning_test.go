package ltl_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/temporal/inclusion"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
)

// TestEvaluate compares two ways to evaluate formulas on lassos, on all lassos up
// to length 4: walks along one, and fixpoints of all at once.
func TestEvaluate(t *testing.T) {
	check := func(f ltl.Formula, shapes []*ltltest.Lassos) {
		for _, l := range shapes {
			rows := l.Evaluate(f)
			for n := range l.Count {
				truth := l.Lasso(n).Evaluate(f)[f]
				for at, v := range truth {
					if v != (rows[at][n/64]>>(n%64)&1 != 0) {
						t.Fatalf("%v at %d of %s: %t", f, at, l.Text(n), v)
					}
				}
			}
		}
	}
	small := ltltest.Shapes(3, 2)
	ltltest.All(3, 2, func(f ltl.Formula) { check(f, small) })
	r := rand.New(rand.NewPCG(1, 2))
	shapes := ltltest.Shapes(4, 2)
	for range 60 {
		check(ltltest.Random(r, 8, 2), shapes)
	}
}

// TestLasso: the truth of every subformula at each observation of one lasso.
func TestLasso(t *testing.T) {
	// x: 1 0 0 (1 0), y: 0 0 1 (0 0)
	rows := map[string][]bool{"x": {true, false, false, true, false}, "y": {false, false, true, false, false}}
	l := &ltl.Lasso{Len: 5, Loop: 3, Holds: func(a ltl.Atom, at int) bool { return rows[a.Text][at] }}
	f := ltl.MustParse("G (x ==> F y) || (x W y)")
	truth := l.Evaluate(f)
	for text, want := range map[string][]bool{
		"F y":           {true, true, true, false, false},
		"x ==> F y":     {true, true, true, false, true},
		"G (x ==> F y)": {false, false, false, false, false},
		"x W y":         {false, false, true, false, false},
	} {
		got := truth[ltl.MustParse(text)]
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s: %v, not %v", text, got, want)
				break
			}
		}
	}
	if l.Satisfies(f) || len(truth) != len(ltl.Subformulas(f)) {
		t.Errorf("satisfied, or not the truth of all of %v", ltl.Subformulas(f))
	}
}

// equal fails if two formulas differ on a lasso.
func equal(t *testing.T, what string, f, g ltl.Formula, shapes []*ltltest.Lassos) {
	t.Helper()
	for _, l := range shapes {
		if n, differ := l.Differ(l.Evaluate(f)[0], l.Evaluate(g)[0]); differ {
			t.Fatalf("%s: %v and %v differ on %s", what, f, g, l.Text(n))
		}
	}
}

// inNormalForm says that a formula has the operators of the normal form only.
func inNormalForm(f ltl.Formula) bool {
	for _, g := range ltl.Subformulas(f) {
		switch g := g.(type) {
		case ltl.Unary:
			if _, atom := g.F.(ltl.Prop); g.Op != ltl.NextOp && !(g.Op == ltl.NotOp && atom) {
				return false
			}
		case ltl.Binary:
			switch g.Op {
			case ltl.AndOp, ltl.OrOp, ltl.UntilOp, ltl.ReleaseOp:
			default:
				return false
			}
		}
	}
	return true
}

// TestNormal: the normal form and its simplification mean the same, and are normal.
func TestNormal(t *testing.T) {
	shapes := ltltest.Shapes(4, 2)
	check := func(f ltl.Formula) {
		n, s := ltl.Normal(f), ltl.Simplify(f)
		equal(t, "normal form", f, n, shapes)
		equal(t, "simplified", f, s, shapes)
		equal(t, "readable", s, ltl.Readable(s), shapes)
		if !inNormalForm(n) || !inNormalForm(s) {
			t.Fatalf("%v: %v, %v", f, n, s)
		}
		if size := ltl.NormalSize(f, 1<<20); size != ltl.Size(n) {
			t.Fatalf("%v: size %d of %v", f, size, n)
		}
		if again := ltl.Simplify(s); again != s {
			t.Fatalf("%v: %v is simplified to %v", f, s, again)
		}
	}
	ltltest.All(4, 1, check)
	r := rand.New(rand.NewPCG(3, 4))
	for range 1500 {
		check(ltltest.Random(r, 4+r.IntN(12), 2))
	}
}

// TestNormalSize: nested equivalences are counted without being built.
func TestNormalSize(t *testing.T) {
	f := ltltest.Prop(0)
	for range 100 {
		f = ltl.Iff(f, ltltest.Prop(1))
	}
	if n := ltl.NormalSize(f, 1<<20); n != 1<<20 {
		t.Errorf("%d", n)
	}
}

// TestRulesForAllWords proves each rule for all infinite words: where the condition
// holds at every observation, what it matches and the result are both true or both
// false. The tableau of the contrary is empty. So it is for all formulas that are put
// in for the variables, as each has some truth at each observation.
func TestRulesForAllWords(t *testing.T) {
	conditions := map[string]string{
		"": "true", "implies": "G (%[1]s ==> %[2]s)", "excludes": "G !(%[1]s && %[2]s)", "or": "G (%[1]s || %[2]s)",
		"eventual": "G (X %[1]s ==> %[1]s)", "universal": "G (%[1]s ==> X %[1]s)", "eventual and universal": "G (%[1]s <==> X %[1]s)",
	}
	for _, r := range ltl.Rules() {
		words := strings.Fields(r.When + " . . .")
		word, a, b := words[1], words[0], words[2]
		if strings.HasSuffix(r.When, "eventual and universal") {
			word = "eventual and universal"
		} else if r.When == "" {
			word = ""
		}
		text, ok := conditions[word]
		if !ok {
			t.Fatalf("the condition %q", r.When)
		}
		if strings.Contains(text, "%") {
			text = fmt.Sprintf(strings.ReplaceAll(text, "%[2]s", strings.ReplaceAll(b, ".", "")), a)
		}
		holds := ltl.Iff(ltl.MustParse(r.Match), ltl.MustParse(r.Result))
		if err := inclusion.Implies(ltl.MustParse(text), holds); err != nil {
			t.Errorf("%s to %s when %q: %v", r.Match, r.Result, r.When, err)
		}
	}
	if inclusion.Implies(ltl.MustParse("G (a ==> b)"), ltl.MustParse("a U b <==> a")) == nil {
		t.Error("a wrong rule is proved")
	}
}
