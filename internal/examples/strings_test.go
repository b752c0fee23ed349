// Package examples_test checks examples that are too many for the demonstration.
package examples_test

import (
	"path/filepath"
	"testing"
	"time"

	"assay"
)

// TestStrings has the string functions of the C library, each for all strings and
// buffers that meet its contract: memory safe and terminating; with a bug, refuted.
func TestStrings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "examples", "strings", "*.c"))
	if err != nil || len(files) < 16 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		for _, test := range []struct {
			property string
			define   []string
			want     assay.Answer
		}{
			{"valid-memsafety", nil, assay.True},
			{"termination", nil, assay.True},
			{"valid-memsafety", []string{"BUG"}, assay.False},
		} {
			properties, err := assay.ParseProperties(test.property)
			if err != nil {
				t.Fatal(err)
			}
			r, err := assay.Check(t.Context(), assay.Task{
				Files: []string{file}, Properties: properties, Timeout: 2 * time.Minute,
				Program: assay.Program{Define: test.define},
			})
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != test.want {
				t.Errorf("%s %v: %s: %s, want %s; %v", file, test.define, test.property, r.Line(), test.want, r.Reasons)
				continue
			}
			if r.Answer == assay.True && r.Certificate.Checker == "" || r.Answer == assay.False && len(r.Replayed) == 0 {
				t.Errorf("%s: no evidence: %+v", file, r)
			}
		}
	}
}
