package differential

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"
	"testing"

	"assay/internal/program/frontend"
)

// TestInstructions compares random programs in LLVM IR, natively and in the interpreter.
// make fuzz-instructions N=1000 runs as many.
func TestInstructions(t *testing.T) {
	t.Parallel()
	needClang(t)
	n, first := 6, 1
	if s := os.Getenv("ASSAY_INSTRUCTIONS"); s != "" {
		n, _ = strconv.Atoi(s)
	}
	if s := os.Getenv("ASSAY_FUZZ_SEED"); s != "" {
		first, _ = strconv.Atoi(s)
	}
	for seed := first; seed < first+n; seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			p, err := Instructions(t.TempDir(), uint64(seed))
			if err != nil {
				t.Fatal(err)
			}
			native, i := load(t, p)
			for inputs := range uint64(6) {
				o, err := i.Compare(context.Background(), native, inputs, 100_000)
				if err != nil {
					t.Fatal(err)
				}
				if o.Promoted.End.Kind == NotModelled { // a constant that the reader has folded in part
					t.Skip(o.Promoted.End)
				}
				if !o.Compared || o.Difference != "" {
					text, _ := os.ReadFile(p.Files[0])
					t.Fatalf("inputs %d: %s %s\n%s", inputs, o.Difference, o.Skipped, text)
				}
			}
		})
	}
}

// TestInstructionsCover makes sure that each intrinsic that the front end accepts and that
// only computes is in the random programs, but for those that are there for the optimiser.
func TestInstructionsCover(t *testing.T) {
	left := map[string]string{
		"launder.invariant.group": "of pointers",
		"strip.invariant.group":   "of pointers",
		"ptr.annotation":          "of pointers",
		"threadlocal.address":     "of pointers",
		"invariant.start":         "of pointers",
		"expect":                  "no code without optimiser",
		"expect.with.probability": "no code without optimiser",
		"ssa.copy":                "no code without optimiser",
		"is.constant":             "depends on the optimiser",
		"objectsize":              "depends on the optimiser",
	}
	for _, name := range frontend.ComputingIntrinsics() {
		_, known := left[name]
		if made := slices.ContainsFunc(irIntrinsics, func(i irIntrinsic) bool { return i.name == name }); made == known {
			t.Errorf("%s: made %v, left out %v", name, made, known)
		}
	}
}
