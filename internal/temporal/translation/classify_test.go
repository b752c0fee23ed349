package translation_test

import (
	"context"
	"testing"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/translation"
)

// TestClassify: classes by structure and by automata, and kinds of the automata.
func TestClassify(t *testing.T) {
	for _, c := range []struct {
		text, class string
		kind        buchi.Kind // of the formula's automaton
	}{
		{"G a", "safety", buchi.Weak},
		{"F a", "guarantee", buchi.Terminal},
		{"a && X b", "safety and guarantee", buchi.Terminal},
		{"a W b", "safety", buchi.Weak},
		{"a U b", "guarantee", buchi.Terminal},
		{"G (a ==> X b)", "safety", buchi.Weak},
		{"G (a ==> F b)", "neither safety nor guarantee", buchi.General},
		{"F G a", "neither safety nor guarantee", buchi.Weak},
		{"G F a", "neither safety nor guarantee", buchi.General},
		{"!G (a ==> F b)", "neither safety nor guarantee", buchi.Weak},
		// Not by structure: the until always ends, or its end does not matter.
		{"(a U b) || G a", "safety", buchi.Weak},
		{"G (a || X (b U c) || X G b)", "safety", buchi.General},
		{"F (a && X (b W c) && X F c)", "guarantee", buchi.Terminal},
		{"(a U b) && !(a U b)", "safety and guarantee", buchi.Terminal},
		{"G a && F !a", "safety and guarantee", buchi.Terminal},
	} {
		f := ltl.MustParse(c.text)
		class, err := translation.Classify(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		a, _, err := translation.Translate(context.Background(), f)
		if err != nil {
			t.Fatal(err)
		}
		if class.String() != c.class || a.Kind() != c.kind {
			t.Errorf("%s: %v with %v automaton, not %s with %v", c.text, class, a.Kind(), c.class, c.kind)
		}
	}
}

// TestLimits: formulas beyond the bounds are errors, soon.
func TestLimits(t *testing.T) {
	iff := ltl.MustParse("a")
	for range 40 {
		iff = ltl.Iff(iff, ltl.MustParse("F b"))
	}
	many := ltl.MustParse("true")
	for i := range 70 {
		many = ltl.And(many, ltl.Prop{Atom: ltl.Atom{Text: string(rune('A'+i%26)) + string(rune('a'+i/26))}})
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, c := range []struct {
		ctx  context.Context
		f    ltl.Formula
		want string
	}{
		{context.Background(), iff, "the formula is too large in negation normal form: nested equivalences double it"},
		{context.Background(), many, "the formula has 70 atoms, more than 64"},
		{ctx, ltl.MustParse("G F a"), "context canceled"},
	} {
		if _, _, err := translation.Translate(c.ctx, c.f); err == nil || err.Error() != c.want {
			t.Errorf("%v, not %s", err, c.want)
		}
	}
}

// BenchmarkTranslate translates the formulas of the table of sizes, by family.
func BenchmarkTranslate(b *testing.B) {
	families := map[string][]ltl.Formula{}
	_, rows := table(b)
	for _, r := range rows {
		families[family(r.name)] = append(families[family(r.name)], ltl.MustParse(r.formula))
	}
	for name, fs := range families {
		b.Run(name, func(b *testing.B) {
			states := 0
			for b.Loop() {
				states = 0
				for _, f := range fs {
					a, _, err := translation.Translate(context.Background(), f)
					if err != nil {
						b.Fatal(err)
					}
					states += len(a.Edges)
				}
			}
			b.ReportMetric(float64(states), "states")
		})
	}
}
