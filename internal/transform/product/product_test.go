package product_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/temporal/buchi"
	"assay/internal/temporal/inclusion"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
	"assay/internal/temporal/tableau"
	"assay/internal/temporal/translation"
	"assay/internal/transform/product"
	"assay/internal/transform/product/producttest"
)

// TestAgainstRows: the product has an accepting run if and only if the program has a
// run whose observations violate the formula, on random programs and formulas: with X and without,
// with marked points of observation and without. Formulas decided by safety alone are decided so.
func TestAgainstRows(t *testing.T) {
	violated, decided, silent := 0, 0, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 17))
		steps := r.IntN(4) == 0
		p := producttest.Random(r, steps)
		f := ltltest.Random(r, 2+r.IntN(7), 2)
		a, _, err := translation.Translate(context.Background(), ltl.Not(f))
		if err != nil {
			t.Fatal(err)
		}
		q := &product.Question{Program: p.Module(), Automaton: a, Violation: f.String()}
		if steps {
			q.Step = producttest.StepLabel
		}
		for _, s := range ltl.Subformulas(f) {
			if u, ok := s.(ltl.Unary); ok && u.Op == ltl.NextOp {
				q.Next = true
			}
		}
		for _, atom := range a.Atoms {
			q.Observers = append(q.Observers, product.Observer{Func: map[string]string{"a": "observex", "b": "observey"}[atom.Text]})
		}
		made, err := product.Make(q)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		not, err := tableau.New(ltl.Not(f))
		if err != nil {
			t.Fatal(err)
		}
		word, want := buchi.Intersect(p.Rows(steps), inclusion.Automaton(not)).Witness()
		got, fails, _ := accepted(made.Module, 4)
		if got != want {
			t.Fatalf("seed %d, steps %v: %v\n%v\naccepting run: %v; observations that violate it: %v %v\n%s", seed, steps, p, f, got, want, word, ir.Print(made.Module))
		}
		if made.Safety {
			decided++
			if fails != want && (want || made.Extends) {
				t.Fatalf("seed %d: %v\n%v\nfailing check: %v, extends %v; violated: %v\n%s", seed, p, f, fails, made.Extends, want, ir.Print(made.Module))
			}
		}
		if want {
			violated++
		}
		if q.Next || steps {
			silent++
		}
	}
	if violated < 800 || violated > 3200 || decided < 800 || silent < 800 {
		t.Errorf("%d violated, %d decided by safety, %d with loops that observe nothing", violated, decided, silent)
	}
}
