// Command fuzz-native proves random programs that depend on addresses, and runs
// them natively: a run that violates what was proved is a finding.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"time"

	"assay/internal/tests/differential"
)

func main() {
	n := flag.Int("n", 1000, "programs")
	first := flag.Uint64("seed", 1, "the first seed; the others follow")
	batch := flag.Int("batch", 50, "programs in one native run")
	c := &differential.Placed{Compilers: differential.NativeCompilers()}
	flag.DurationVar(&c.Decide, "decide", 2*time.Second, "limit of each proof")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var s differential.PlacedSummary
	if err := run(ctx, c, *first, *n, *batch, &s); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(2)
	}
	fmt.Println(&s)
	if len(s.Findings) > 0 {
		os.Exit(1)
	}
}

// run checks the programs in batches.
func run(ctx context.Context, c *differential.Placed, first uint64, n, batch int, s *differential.PlacedSummary) error {
	if len(c.Compilers) == 0 {
		return fmt.Errorf("there is neither clang-19 nor gcc")
	}
	for s.Programs < n {
		var seeds []uint64
		for len(seeds) < min(batch, n-s.Programs) {
			seeds = append(seeds, first)
			first++
		}
		known := len(s.Findings)
		if err := inFolder(ctx, c, seeds, s); err != nil {
			return err
		}
		for _, f := range s.Findings[known:] {
			fmt.Println(f)
		}
		fmt.Fprintln(os.Stderr, s)
	}
	return nil
}

func inFolder(ctx context.Context, c *differential.Placed, seeds []uint64, s *differential.PlacedSummary) error {
	dir, err := os.MkdirTemp("", "fuzz-native-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return c.Batch(ctx, dir, seeds, s)
}
