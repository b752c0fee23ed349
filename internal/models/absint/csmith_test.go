package absint

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"assay/internal/program/frontend"
)

// TestCsmith compares runs of programs of Csmith [YCER11] with their facts.
// ASSAY_CSMITH=first:count chooses the seeds; compiling them takes seconds each.
func TestCsmith(t *testing.T) {
	generator, err := exec.LookPath("csmith")
	if err != nil {
		t.Skip("csmith is not installed")
	}
	var first, count int
	if _, err := fmt.Sscanf(os.Getenv("ASSAY_CSMITH"), "%d:%d", &first, &count); err != nil {
		t.Skip("ASSAY_CSMITH=first:count asks for programs")
	}
	for seed := first; seed < first+count; seed++ {
		dir := t.TempDir()
		cmd := exec.Command(generator, "--no-argc", "--max-funcs", "6", "--seed", strconv.Itoa(seed))
		cmd.Dir = dir
		source, err := cmd.Output()
		if err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "program.c")
		if err := os.WriteFile(file, source, 0o666); err != nil {
			t.Fatal(err)
		}
		p, err := frontend.Load(context.Background(), frontend.Options{Files: []string{file}, Include: []string{"/usr/include/csmith"}, DataModel: frontend.DataModel(seed % 2)})
		if err != nil {
			t.Fatal(err)
		}
		kinds := askedSets[seed%len(askedSets)]
		start := time.Now()
		f := analyzed(t, p.Module, Options{Asked: kinds})
		d := time.Since(start)
		if f.Incomplete != "" {
			t.Logf("seed %d: %s, after %v", seed, f.Incomplete, d)
			continue
		}
		var values, cells int
		for run := range uint64(2) {
			c := compare(t, f, run, 100000)
			values, cells = values+c.values, cells+c.cells
			if c.bad != "" {
				t.Fatalf("seed %d (asked %v): %s", seed, kinds, c.bad)
			}
		}
		reached, proved := arithmeticAndAccesses(f)
		t.Logf("seed %d: %v, %d steps, %d contexts; %d values and %d cells compared; %d of %d checks proved", seed, d, f.Steps, len(f.Contexts), values, cells, proved, reached)
	}
}

// arithmeticAndAccesses counts the checks that C's arithmetic and its accesses have.
func arithmeticAndAccesses(f *Facts) (reached, proved int) {
	return count(f, append(propertyKinds["no-overflow:shift"], propertyKinds["valid-deref"]...))
}
