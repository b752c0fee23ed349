package assay_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"assay"
)

// TestSegments has properties of arrays of any length proved with predicates
// that are quantified over an index, or about sums of elements; each program has one beside it with a bug.
func TestSegments(t *testing.T) {
	for _, name := range []string{"fill", "minimum", "transform", "undone"} {
		for _, bug := range []bool{false, true} {
			file := filepath.Join("examples", "arrays", name+".c")
			if bug {
				file = filepath.Join("examples", "arrays", name+"_bug.c")
			}
			properties, err := assay.ParseProperties("unreach-call")
			if err != nil {
				t.Fatal(err)
			}
			r, err := assay.Check(t.Context(), assay.Task{Files: []string{file}, Properties: properties, Timeout: 2 * time.Minute})
			if err != nil {
				t.Fatal(err)
			}
			if bug {
				if r.Answer != assay.False {
					t.Errorf("%s: %s, want false", file, r.Line())
				}
				continue
			}
			if r.Answer != assay.True {
				t.Errorf("%s: %s, want true; %v", file, r.Line(), r.Reasons)
				continue
			}
			quantified := 0
			for _, h := range r.Certificate.Invariants {
				for _, p := range h.Predicates {
					if strings.HasPrefix(p, "for all k") || strings.Contains(p, "sum(") {
						quantified++
					}
				}
			}
			if quantified == 0 || r.Certificate.Checker == "" {
				t.Errorf("%s: the certificate is %+v", file, r.Certificate)
			}
		}
	}
}
