package bench

import (
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// PropertyReader reads a property file and returns the formulas in it that
// assay cannot decide yet.
type PropertyReader func(path string) (undecidable []string, err error)

// ReadTasks reads the tasks of several files: tables (.csv), task definitions
// of BenchExec (.yml) and sets of those (.set). A task that is named twice
// counts once. Errors carry file and line.
func ReadTasks(paths []string, properties PropertyReader) ([]Task, error) {
	definitions := definitionReader{properties: properties, undecidable: map[string][]string{}}
	var tasks []Task
	seen := map[Key]Task{}
	for _, path := range paths {
		var more []Task
		var err error
		switch filepath.Ext(path) {
		case ".csv":
			more, err = readTable(path)
		case ".yml", ".yaml":
			more, err = definitions.read(path, filepath.Dir(path), parentName(path))
		case ".set":
			more, err = definitions.readSet(path)
		default:
			err = fmt.Errorf("%s: this is no table of tasks: a .csv, .yml or .set file is needed", path)
		}
		if err != nil {
			return nil, err
		}
		for _, t := range more {
			old, twice := seen[t.Key()]
			if twice && !slices.Equal(old.Paths, t.Paths) {
				return nil, fmt.Errorf("%s: the task %s, %s, is another one in an earlier table: run them one by one", path, t.ID, t.Property)
			}
			if !twice {
				seen[t.Key()] = t
				tasks = append(tasks, t)
			}
		}
	}
	return tasks, nil
}

// parentName is the name of the folder of a file.
func parentName(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		absolute = path
	}
	return filepath.Base(filepath.Dir(absolute))
}

// readTable reads a CSV table of tasks. Paths are relative to its folder.
func readTable(path string) ([]Task, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseTable(path, f)
}

// parseTable reads the text of a table of tasks; path is for messages, and
// where the programs lie.
func parseTable(path string, r io.Reader) ([]Task, error) {
	rows, err := readCSV(path, r, []string{"id", "set", "file", "property", "expected", "data_model"})
	if err != nil {
		return nil, err
	}
	seen := map[Key]int{}
	var tasks []Task
	for _, row := range rows {
		for _, name := range []string{"id", "file", "property"} {
			if row.get(name) == "" {
				return nil, row.errorf("the column %q is empty", name)
			}
		}
		t := Task{
			ID: row.get("id"), Set: row.get("set"), File: row.get("file"),
			Paths:    []string{filepath.Join(filepath.Dir(path), filepath.FromSlash(row.get("file")))},
			Property: row.get("property"), Expected: row.get("expected"), DataModel: row.get("data_model"),
			Integers: row.get("semantics") == "integers",
		}
		if _, condition, ok := strings.Cut(row.get("note"), "precondition "); ok && t.question() == "ctl" {
			t.Precondition, _, _ = strings.Cut(condition, ";")
		}
		if size := row.get("size"); size != "" {
			if t.Size, err = strconv.Atoi(size); err != nil || t.Size < 1 {
				return nil, row.errorf("the size %q is not a positive integer", size)
			}
		}
		if line, twice := seen[t.Key()]; twice {
			return nil, row.errorf("the task %s with this property is in line %d already", t.ID, line)
		}
		seen[t.Key()] = row.line
		if t.skipReason() == "" && !slices.Contains([]string{"ILP32", "LP64", ""}, t.DataModel) {
			return nil, row.errorf("the data model %q is neither ILP32 nor LP64", t.DataModel)
		}
		if t.question() != "complexity" && supported[t.question()] != "" && isPart(t.Expected) && supported[t.Expected] == "" {
			return nil, row.errorf("the expected verdict %q is neither true, false, unknown nor the name of a property", t.Expected)
		}
		tasks = append(tasks, t)
	}
	return tasks, nil
}

// csvRow is one line of a CSV file with a header.
type csvRow struct {
	path   string
	line   int
	column map[string]int
	fields []string
}

// get is the field of a column, "" if there is none.
func (r csvRow) get(name string) string {
	if i, ok := r.column[name]; ok && i < len(r.fields) {
		return r.fields[i]
	}
	return ""
}

func (r csvRow) errorf(format string, args ...any) error {
	return fmt.Errorf("%s:%d: %s", r.path, r.line, fmt.Sprintf(format, args...))
}

// readCSV reads a CSV file with a header line that names at least the needed
// columns. Rows may be shorter than the header.
func readCSV(path string, input io.Reader, need []string) ([]csvRow, error) {
	r := csv.NewReader(input)
	r.FieldsPerRecord = -1
	header, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%s:1: the file is empty: a header line is needed", path)
	}
	if err != nil {
		return nil, csvError(path, err)
	}
	column := make(map[string]int, len(header))
	for i, name := range header {
		if _, twice := column[name]; twice {
			return nil, fmt.Errorf("%s:1: the column %q is there twice", path, name)
		}
		column[name] = i
	}
	for _, name := range need {
		if _, ok := column[name]; !ok {
			return nil, fmt.Errorf("%s:1: the column %q is missing; the header is %s", path, name, strings.Join(header, ","))
		}
	}
	var rows []csvRow
	for {
		record, err := r.Read()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, csvError(path, err)
		}
		line, _ := r.FieldPos(0)
		if len(record) > len(header) {
			return nil, fmt.Errorf("%s:%d: %d fields, but the header has %d", path, line, len(record), len(header))
		}
		rows = append(rows, csvRow{path, line, column, record})
	}
}

// csvError puts the position in front of what the CSV reader says.
func csvError(path string, err error) error {
	var p *csv.ParseError
	if errors.As(err, &p) {
		return fmt.Errorf("%s:%d:%d: %w", path, p.Line, p.Column, p.Err)
	}
	return fmt.Errorf("%s: %w", path, err)
}
