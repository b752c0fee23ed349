package bench

import (
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// This file generates families of programs, to measure how the cost of a question
// grows with the size of the program: loops that count up to arbitrary bounds, n of
// them nested, and n in sequence. All end; with the number of loops that of the paths
// grows much faster.

// family is programs by size.
type family struct {
	name    string
	sizes   int // from 1
	program func(n int) string
}

var families = []family{
	{"nested loops", 6, nestedLoops},
	{"loops in sequence", 40, sequentialLoops},
}

// WriteFamilies writes the programs and their table into a folder, which is made
// if it is not there, and returns the path of the table.
func WriteFamilies(folder string) (table string, err error) {
	if err := os.MkdirAll(folder, 0o777); err != nil {
		return "", err
	}
	rows := [][]string{{"id", "set", "file", "property", "expected", "data_model", "size"}}
	for _, f := range families {
		for n := 1; n <= f.sizes; n++ {
			id := fmt.Sprintf("%s-%d", strings.ReplaceAll(f.name, " ", "-"), n)
			if err := os.WriteFile(filepath.Join(folder, id+".c"), []byte(f.program(n)), 0o666); err != nil {
				return "", err
			}
			rows = append(rows, []string{id, f.name, id + ".c", "termination", "true", "LP64", fmt.Sprint(n)})
		}
	}
	table = filepath.Join(folder, "families.csv")
	file, err := os.Create(table)
	if err != nil {
		return "", err
	}
	if err := csv.NewWriter(file).WriteAll(rows); err != nil {
		file.Close()
		return "", err
	}
	return table, file.Close()
}

// inMain is a program with n inputs.
func inMain(n int, body string) string {
	var b strings.Builder
	b.WriteString("extern int __VERIFIER_nondet_int(void);\n\nint main(void) {\n")
	for k := range n {
		fmt.Fprintf(&b, "  int n%d = __VERIFIER_nondet_int();\n", k)
	}
	return b.String() + body + "  return 0;\n}\n"
}

func counting(k, depth int) string {
	return fmt.Sprintf("%sfor (int i%d = 0; i%d < n%d; i%d++)", strings.Repeat("  ", depth+1), k, k, k, k)
}

func nestedLoops(n int) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(counting(k, k) + "\n")
	}
	return inMain(n, b.String()+strings.Repeat("  ", n+1)+";\n")
}

func sequentialLoops(n int) string {
	var b strings.Builder
	for k := range n {
		b.WriteString(counting(k, 0) + "\n    ;\n")
	}
	return inMain(n, b.String())
}
