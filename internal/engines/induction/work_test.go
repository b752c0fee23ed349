package induction

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"assay/internal/engines/inference"
	"assay/internal/program/ir"
)

var update = flag.Bool("update", false, "write the golden files")

// TestWork: under one thread and limits on conflicts the work is the same each time,
// and it is what the golden file says. `go test -update` writes it anew.
func TestWork(t *testing.T) {
	const file = "testdata/work.golden"
	var got strings.Builder
	fmt.Fprintln(&got, "program  k  rows  kept  rounds  solver calls  conflicts")
	for seed := range uint64(8) {
		s := Prove(t.Context(), loopProgram(seed), inference.Options{Targets: []ir.CheckKind{ir.Assertion}, MaxK: 3}).Stats
		fmt.Fprintln(&got, seed, s.K, s.Candidates, s.Kept, s.Rounds, s.Checks, s.Conflicts)
	}
	if *update {
		if err := os.WriteFile(file, []byte(got.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("the work is\n%s, the golden file says\n%s", got.String(), want)
	}
}
