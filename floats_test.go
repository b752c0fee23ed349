package assay_test

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"assay"
)

// TestFloats has loops over floats proved with intervals and orders of their
// variables, and one refuted.
func TestFloats(t *testing.T) {
	for _, x := range []struct {
		name, predicate string
		answer          assay.Answer
	}{
		{"filter", "y <= 1.0", assay.True},
		{"filter_bug", "", assay.False},
		{"logistic", "", assay.True},
		{"cascade", "", assay.True},
		{"extremes", "lowest <= highest", assay.True},
	} {
		file := filepath.Join("examples", "floats", x.name+".c")
		properties, err := assay.ParseProperties("unreach-call")
		if err != nil {
			t.Fatal(err)
		}
		r, err := assay.Check(t.Context(), assay.Task{Files: []string{file}, Properties: properties, Timeout: 2 * time.Minute})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != x.answer {
			t.Errorf("%s: %s; %v", file, r.Line(), r.Reasons)
			continue
		}
		var predicates []string
		if r.Certificate != nil {
			for _, h := range r.Certificate.Invariants {
				predicates = append(predicates, h.Predicates...)
			}
		}
		if x.predicate != "" && !slices.Contains(predicates, x.predicate) {
			t.Errorf("%s: the predicates are %q", file, predicates)
		}
	}
}
