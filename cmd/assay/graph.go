package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"assay"
)

// graphCommand is `assay graph`.
func graphCommand() *cobra.Command {
	var o assay.GraphOptions
	var output string
	f := &checkFlags{}
	c := &cobra.Command{
		Use:   "graph [flags] file…",
		Short: "Draw the symbolic execution graph of a program",
		Long: `Draw the symbolic execution graph of a program: abstract states, which describe
symbolic memory and the integers in it, and how they follow from one another. The
suffix of the output says what is written: .html is a page with the graph, the
chosen state and the source; .svg, .png and .pdf are pictures; .dot is for
Graphviz, which makes all the others.

Exit codes: 0 the graph was written; 2 the program has no finite graph, or not in the
time given, and why; 3 wrong use or input.`,
		Example: "  assay graph -o g.html --property valid-memsafety f.c\n  assay graph -o g.svg --property termination --steps f.c\n  assay graph -o shape.svg --heap f.c:27 f.c",
		Args:    cobra.MinimumNArgs(1),
		RunE: func(c *cobra.Command, args []string) error {
			f.task.Files = args
			if err := f.complete(c.Flags()); err != nil {
				return err
			}
			o.Format = strings.TrimPrefix(filepath.Ext(output), ".")
			if o.Heap != "" && !c.Flags().Changed("output") {
				output, o.Format = "graph.svg", "svg"
			}
			if !slices.Contains(assay.GraphFormats, o.Format) {
				return &assay.InputError{Message: fmt.Sprintf("the output %q has none of the suffixes .%s", output, strings.Join(assay.GraphFormats, ", ."))}
			}
			ctx, limit := limited(f.task.Timeout, 0, withoutOutput)
			var text bytes.Buffer
			summary, err := assay.Graph(ctx, f.task, &text, o)
			overrun := ctx.Err() != nil
			limit.finish()
			if err != nil && overrun {
				return exit(withoutOutput(limit.why(ctx)))
			}
			var none *assay.ErrNoGraph
			if errors.As(err, &none) {
				fmt.Fprintln(errorOutput(), none)
				return exit(exitUnknown)
			}
			if err != nil {
				return err
			}
			if err := os.WriteFile(output, text.Bytes(), 0o666); err != nil {
				return &assay.EnvironmentError{Doing: "writing the graph", Err: err}
			}
			fmt.Fprintf(errorOutput(), "%s: %s\n", output, summary)
			return nil
		},
	}
	c.Flags().StringVarP(&output, "output", "o", "graph.html", "write to this `file`")
	c.Flags().Var(&propertyValue{list: &f.property}, "property", "what must hold, as in assay check")
	c.Flags().StringVar(&o.Heap, "heap", "", "draw the shapes of memory at this `file:line` instead: boxes for objects, stacked ones for lists and trees, arrows for pointers")
	c.Flags().BoolVar(&o.Steps, "steps", false, "a box for each instruction, not for each chain of instructions")
	c.Flags().IntVar(&o.Boxes, "boxes", 0, "draw at most so many `states` beside the cutpoints; 0 is 2,000")
	c.Flags().Var(durationValue{&f.task.Timeout}, "timeout", "stop after this time, for example 10s or 2m")
	groups{f.groups().titled(programTitle)}.add(c)
	return c
}
