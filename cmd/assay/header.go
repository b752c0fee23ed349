package main

import (
	"github.com/spf13/cobra"

	"assay/internal/program/frontend"
)

// headerCommand is `assay header`.
func headerCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "header",
		Short: "Print assay.h, in which harnesses say what inputs there are",
		Long: `Print assay.h: arrays and strings of any length, arbitrary values, assumptions and
assertions for harnesses. assay check finds it by itself where a program includes
<assay.h>; other compilers and editors need a copy.`,
		Example: "  assay header > include/assay.h",
		Args:    cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			_, err := c.OutOrStdout().Write(frontend.Header)
			return err
		},
	}
}
