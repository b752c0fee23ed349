// Command fuzz-csmith compares programs of csmith in the three ways of package
// differential, and prints a summary.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"assay/internal/differential"
)

func main() {
	n := flag.Int("n", 50, "programs to compare")
	first := flag.Int("seed", 1, "the first seed; the others follow")
	var limits differential.Limits
	flag.DurationVar(&limits.Native, "native", time.Second, "limit for the compiled program")
	flag.DurationVar(&limits.Interpret, "interpret", 30*time.Second, "limit for the interpreter")
	flag.Int64Var(&limits.Steps, "steps", 100_000_000, "limit for the interpreter, in steps")
	flag.DurationVar(&limits.Decide, "decide", 15*time.Second, "limit for a decision about the checksum; 0 asks for none")
	keep := flag.String("keep", "", "keep the programs in this folder")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var s differential.Summary
	for seed := *first; s.Programs < *n; seed++ {
		r, err := check(ctx, *keep, seed, limits)
		if err != nil {
			fmt.Fprintf(os.Stderr, "seed %d: %v\n", seed, err)
			os.Exit(2)
		}
		s.Add(os.Stdout, r)
	}
	fmt.Println(&s)
	if s.Bad() {
		os.Exit(1)
	}
}

// check checks the program of a seed.
func check(ctx context.Context, dir string, seed int, limits differential.Limits) (differential.CsmithResult, error) {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "fuzz-csmith-")
		if err != nil {
			return differential.CsmithResult{}, err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return differential.CsmithResult{}, err
	}
	return differential.Csmith(ctx, dir, seed, limits)
}
