package main

import (
	"os"
	"time"

	"github.com/spf13/cobra"

	"assay/internal/tools/bench"
)

// compareCommand is `assay bench compare`.
func compareCommand() *cobra.Command {
	t := bench.Threshold{Factor: 1.5, Difference: 500 * time.Millisecond}
	c := &cobra.Command{
		Use:   "compare old.csv new.csv",
		Short: "Compare two files of results task by task",
		Long: `Compare two files of results, as 'assay bench --out' writes them, task by task:
what was gained and lost, what became faster and slower, and what became wrong.

Exit codes:
  0  nothing became wrong
  1  something is wrong in the new file that was not in the old one
  3  wrong use or input`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) != 2 {
				return &usageError{text: "two files of results are needed, the old one first"}
			}
			return nil
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if !(t.Factor >= 1) {
				return &usageError{text: "--factor must be 1 at least"}
			}
			old, err := bench.ReadResults(args[0])
			if err != nil {
				return asInput(err)
			}
			new, err := bench.ReadResults(args[1])
			if err != nil {
				return asInput(err)
			}
			c := bench.Compare(old, new, t)
			c.Write(os.Stdout)
			if len(c.BecameWrong) > 0 {
				return exit(exitFalse)
			}
			return nil
		},
	}
	c.Flags().Float64Var(&t.Factor, "factor", t.Factor, "faster and slower mean at least by this factor of processor time")
	c.Flags().Var(durationValue{&t.Difference}, "difference", "and at least by this much")
	return c
}
