// Package bench runs `assay check` on a table of tasks with known verdicts and
// compares the answers with them, and with those of other tools.
//
// Every task runs in a process group of its own under limits of processor
// time, wall-clock time and memory; no process outlives its task.
package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// Task is one line of a table of tasks.
type Task struct {
	ID       string
	Set      string
	File     string // as in the table
	Path     string // File below the folder of the table
	Property string
	// Expected is true, false, the violated part of a property, or unknown.
	Expected string
	// DataModel is ILP32 or LP64.
	DataModel string
	// Integers says that the label holds for unbounded integers only.
	Integers bool
	Lines    int
}

// columns of a table of tasks that must exist; others are ignored.
var columns = []string{"id", "set", "file", "property", "expected", "data_model"}

// ReadTasks reads a table of tasks. Paths are relative to its folder.
func ReadTasks(path string) ([]Task, error) {
	rows, err := readTable(path, columns)
	if err != nil {
		return nil, err
	}
	tasks := make([]Task, 0, len(rows))
	for _, row := range rows {
		lines, _ := strconv.Atoi(row["lines"])
		tasks = append(tasks, Task{
			ID: row["id"], Set: row["set"], File: row["file"],
			Path:     filepath.Join(filepath.Dir(path), filepath.FromSlash(row["file"])),
			Property: row["property"], Expected: row["expected"], DataModel: row["data_model"],
			Integers: row["semantics"] == "integers", Lines: lines,
		})
	}
	return tasks, nil
}

// readTable reads a CSV file with a header line into one map a line.
func readTable(path string, need []string) ([]map[string]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if err != nil {
		return nil, fmt.Errorf("%s: reading the header line: %w", path, err)
	}
	for _, name := range need {
		found := false
		for _, h := range header {
			found = found || h == name
		}
		if !found {
			return nil, fmt.Errorf("%s: column %q is missing", path, name)
		}
	}
	var rows []map[string]string
	for {
		record, err := r.Read()
		if err == io.EOF {
			return rows, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		if len(record) > len(header) {
			line, _ := r.FieldPos(0)
			return nil, fmt.Errorf("%s:%d: more fields than the header has", path, line)
		}
		row := make(map[string]string, len(header))
		for i, value := range record {
			row[header[i]] = value
		}
		rows = append(rows, row)
	}
}

// supported maps the properties of tables to those of `assay check`.
var supported = map[string]string{
	"unreach-call":     "unreach-call",
	"unreach-label":    "unreach-label",
	"no-overflow":      "no-overflow",
	"div-by-zero":      "div-by-zero",
	"valid-deref":      "valid-deref",
	"valid-free":       "valid-free",
	"valid-memtrack":   "valid-memtrack",
	"valid-memsafety":  "valid-memsafety",
	"valid-memcleanup": "valid-memcleanup",
}

// skipReason says why a task cannot be run, "" if it can.
func (t Task) skipReason() string {
	property, _, _ := strings.Cut(t.Property, ":")
	if supported[property] == "" {
		return "property " + property
	}
	if t.Integers {
		return "unbounded integers"
	}
	switch filepath.Ext(t.File) {
	case ".c", ".i", ".ll", ".bc":
	default:
		return "input " + filepath.Ext(t.File)
	}
	return ""
}

// correctness of an answer.
type correctness string

const (
	correct   correctness = "yes"
	wrong     correctness = "NO"
	undecided correctness = ""
	unjudged  correctness = "?" // decided, but no verdict is published
)

// judge compares an answer (true, false(part), unknown, …) with the label.
func (t Task) judge(answer string) correctness {
	truth := strings.HasPrefix(answer, "true")
	falsity := strings.HasPrefix(answer, "false")
	if !truth && !falsity {
		return undecided
	}
	part := ""
	if falsity {
		part = strings.TrimSuffix(strings.TrimPrefix(answer, "false("), ")")
	}
	switch t.Expected {
	case "true":
		if truth {
			return correct
		}
		return wrong
	case "false":
		if falsity {
			return correct
		}
		return wrong
	case "unknown", "":
		return unjudged
	}
	// Expected names the violated part: another one is wrong, too.
	if part == t.Expected {
		return correct
	}
	return wrong
}
