package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"assay/internal/program/frontend"
)

// modelsHelp explains the levels.
const modelsHelp = `List the functions of the C library that assay knows, by header, and how
faithful their models are:

  exact              does what C, or else glibc on x86 Linux, says
  contract           the result is anything that some conforming library may give
  over-approximated  freer than the library; a violation that depends on the
                     result is reported as unknown
  unsupported        a call that is reached makes the answer unknown

A function of the program replaces the model of the same name, and so does one
of a C file in the folder that assay check --models names. Such a file may
include assay_model.h, which declares what models are made of.`

// modelsCommand is `assay models`.
func modelsCommand() *cobra.Command {
	var asJSON bool
	c := &cobra.Command{
		Use:     "models [--json] [function…]",
		Short:   "List the modelled library functions and how faithful the models are",
		Long:    modelsHelp,
		Example: "  assay models\n  assay models qsort snprintf\n  assay models --json",
		RunE: func(c *cobra.Command, names []string) error {
			list, err := chosenModels(names)
			if err != nil {
				return err
			}
			w := bufio.NewWriter(c.OutOrStdout())
			if asJSON {
				writeModelsJSON(w, list)
			} else {
				writeModels(w, list)
			}
			return w.Flush()
		},
	}
	c.Flags().BoolVar(&asJSON, "json", false, "print one JSON object for each function, a line each")
	return c
}

// chosenModels are the named functions, or all.
func chosenModels(names []string) ([]frontend.LibraryFunction, error) {
	if len(names) == 0 {
		return frontend.Library(), nil
	}
	var list []frontend.LibraryFunction
	for _, name := range names {
		n := len(list)
		for _, f := range frontend.Library() {
			if f.Name == name {
				list = append(list, f)
			}
		}
		if len(list) == n {
			return nil, &usageError{text: fmt.Sprintf("%s is not modelled: it counts as a function that returns any value and changes nothing, unless --models supplies it", name)}
		}
	}
	return list, nil
}

// writeModelsJSON writes a line for each function.
func writeModelsJSON(w io.Writer, list []frontend.LibraryFunction) {
	e := json.NewEncoder(w)
	for _, f := range list {
		// A failed write is found when the writer is flushed.
		_ = e.Encode(struct {
			Name     string `json:"name"`
			Header   string `json:"header"`
			Fidelity string `json:"fidelity"`
			Note     string `json:"note,omitempty"`
		}{f.Name, f.Header, f.Fidelity.String(), f.Note})
	}
}

// writeModels writes the functions as a table: those of one line of the table
// of models together.
func writeModels(w io.Writer, list []frontend.LibraryFunction) {
	header := ""
	for i := 0; i < len(list); {
		group := list[i]
		group.Name = ""
		var names []string
		for ; i < len(list); i++ {
			f := list[i]
			name := f.Name
			if f.Name = ""; f != group {
				break
			}
			names = append(names, name)
		}
		if group.Header != header {
			header = group.Header
			fmt.Fprintf(w, "%s\n", header)
		}
		writeWrapped(w, fmt.Sprintf("  %-19s", group.Fidelity), names)
		if group.Note != "" {
			writeWrapped(w, fmt.Sprintf("  %-19s", ""), strings.Fields("("+group.Note+")"))
		}
	}
}

// writeWrapped writes words in lines of at most 100 characters.
func writeWrapped(w io.Writer, first string, words []string) {
	line, start := first, true
	for _, word := range words {
		if !start && len(line)+1+len(word) > 100 {
			fmt.Fprintln(w, line)
			line, start = strings.Repeat(" ", len(first)), true
		}
		if !start {
			line += " "
		}
		line, start = line+word, false
	}
	fmt.Fprintln(w, line)
}
