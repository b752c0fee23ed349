// Command fuzz-csmith compares programs of csmith in the three ways of package
// differential, and prints a summary.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"assay/internal/tests/differential"
)

func main() {
	n := flag.Int("n", 50, "programs to compare")
	first := flag.Int("seed", 1, "the first seed; the others follow")
	var g differential.Generator
	flag.DurationVar(&g.Limits.Native, "native", time.Second, "limit for the compiled program")
	flag.DurationVar(&g.Limits.Interpret, "interpret", 30*time.Second, "limit for the interpreter")
	flag.Int64Var(&g.Limits.Steps, "steps", 100_000_000, "limit for the interpreter, in steps")
	flag.DurationVar(&g.Limits.Decide, "decide", 15*time.Second, "limit for a decision about the checksum; 0 asks for none")
	options := flag.String("options", "", "more options of csmith")
	keep := flag.String("keep", "", "keep the programs in this folder")
	flag.Parse()
	g.Options = strings.Fields(*options)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var s differential.Summary
	for seed := *first; s.Programs < *n; seed++ {
		r, err := check(ctx, g, *keep, seed)
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
func check(ctx context.Context, g differential.Generator, dir string, seed int) (differential.Result, error) {
	if dir == "" {
		temporary, err := os.MkdirTemp("", "fuzz-csmith-")
		if err != nil {
			return differential.Result{}, err
		}
		defer os.RemoveAll(temporary)
		dir = temporary
	} else if err := os.MkdirAll(dir, 0o755); err != nil {
		return differential.Result{}, err
	}
	return g.Check(ctx, dir, seed)
}
