// Package examples_test checks examples that are too many for the demonstration.
package examples_test

import (
	"path/filepath"
	"testing"
	"time"

	"assay"
)

type example struct {
	property string
	define   []string
	want     assay.Answer
	engine   string
}

// TestStrings has the string functions of the C library, each for all strings and
// buffers that meet its contract: memory safe and terminating; with a bug, refuted.
func TestStrings(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("..", "..", "..", "examples", "strings", "*.c"))
	if err != nil || len(files) < 16 {
		t.Fatalf("%d files, %v", len(files), err)
	}
	for _, file := range files {
		check(t, file, []example{
			{"valid-memsafety", nil, assay.True, assay.EngineAuto},
			{"termination", nil, assay.True, assay.EngineAuto},
			{"valid-memsafety", []string{"BUG"}, assay.False, assay.EngineAuto},
		})
	}
}

// TestHeap has structures on the heap, each of any size: no access is invalid, assertions
// hold, and nothing is allocated at the end; with a bug, refuted.
func TestHeap(t *testing.T) {
	const property = "unreach-call,valid-memsafety,valid-memcleanup"
	for _, name := range structures {
		check(t, filepath.Join("..", "..", "..", "examples", "heap", name+".c"), []example{
			{property, nil, assay.True, assay.EngineSymex},
			{property, []string{"BUG"}, assay.False, assay.EngineAuto},
		})
	}
}

// structures are programs in examples/heap that are proved for all sizes.
var structures = []string{"singly", "doubly", "stack", "queue", "tree", "tree_parent", "tree_recursive", "buffer", "lists", "table", "pointers", "records", "tree_lists"}

// TestBits has the programs of [Liu, §3.1 and Fig. 4.1].
func TestBits(t *testing.T) {
	for file, tests := range map[string][]example{
		"bits/sign.c": {{"unreach-call", nil, assay.True, assay.EngineAuto}},
		"bits/and.c":  {{"termination", nil, assay.True, assay.EngineAuto}},
		"bits/or.c":   {{"ltl", nil, assay.True, assay.EngineAuto}, {"ltl", []string{"BUG"}, assay.False, assay.EngineAuto}},
		"request.c":   {{"ltl", nil, assay.True, assay.EngineAuto}, {"ltl", []string{"BUG"}, assay.False, assay.EngineAuto}},
	} {
		check(t, filepath.Join("..", "..", "..", "examples", filepath.FromSlash(file)), tests)
	}
}

func check(t *testing.T, file string, tests []example) {
	t.Helper()
	for _, test := range tests {
		properties, err := assay.ParseProperties(test.property)
		if err != nil {
			t.Fatal(err)
		}
		r, err := assay.Check(t.Context(), assay.Task{
			Files: []string{file}, Properties: properties, Timeout: 2 * time.Minute,
			Program: assay.Program{Define: test.define}, Engine: assay.Engine{Only: test.engine},
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
