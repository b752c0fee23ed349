package bench

// The file of results: CSV with a header, one result a line. A row is written
// and synchronised with the disk as soon as its task has ended, so that an
// interrupted run, or a machine that went down, can be resumed. No field holds
// a line break: a last line without one was cut off while it was written.

import (
	"bytes"
	"encoding/csv"
	"errors"
	"io"
	"os"
	"strconv"
	"strings"
	"time"
)

// Run parameters that a row must share to stand for a task that is asked again.
type Provenance struct {
	// Settings are the options of check, see Options.Settings.
	Settings string
	// Version names the program and its build.
	Version string
}

// resultColumns is the header of a file of results.
var resultColumns = []string{
	"id", "set", "file", "property", "expected", "answer", "correct", "cpu_s", "wall_s", "reason", "memory_mib", "options", "version", "witness", "validation_cpu_s",
}

// Log is a file of results that is open for more.
type Log struct {
	file       *os.File
	provenance Provenance
}

// CreateLog begins a file of results.
func CreateLog(path string, p Provenance) (*Log, error) {
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	l := &Log{f, p}
	return l, l.write(resultColumns)
}

// Resumption is what ResumeLog found.
type Resumption struct {
	// Known are the results of rows with the same provenance.
	Known map[Key]Result
	// Dropped is the number of rows with another one, which are in Backup now.
	Dropped int
	Backup  string
}

// ResumeLog opens a file of results for more, and returns the results that are
// there. Rows of another version or with other options are moved to a backup.
// A file that does not exist is begun.
func ResumeLog(path string, p Provenance) (*Log, *Resumption, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		l, err := CreateLog(path, p)
		return l, &Resumption{}, err
	}
	if err != nil {
		return nil, nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	if len(text) == 0 {
		l, err := CreateLog(path, p)
		return l, &Resumption{}, err
	}
	rows, err := readCSV(path, bytes.NewReader(text), resultColumns)
	if err != nil {
		return nil, nil, err
	}
	r := &Resumption{Known: map[Key]Result{}}
	kept := &bytes.Buffer{}
	writeRow(kept, resultColumns)
	for _, row := range rows {
		result, err := row.result()
		if err != nil {
			return nil, nil, err
		}
		if (Provenance{row.get("options"), row.get("version")}) != p {
			r.Dropped++
			continue
		}
		r.Known[result.Task.Key()] = result
		writeRow(kept, fields(result, p))
	}
	if r.Dropped > 0 {
		r.Backup = path + ".old"
		if err := os.WriteFile(r.Backup, text, 0o666); err != nil {
			return nil, nil, err
		}
	}
	f, err := replace(path, kept.Bytes())
	return &Log{f, p}, r, err
}

// replace puts a new file in the place of an old one, at once and complete,
// and leaves it open for more.
func replace(path string, text []byte) (*os.File, error) {
	temporary := path + ".tmp"
	f, err := os.Create(temporary)
	if err != nil {
		return nil, err
	}
	if _, err = f.Write(text); err == nil {
		err = f.Sync()
	}
	if err == nil {
		err = os.Rename(temporary, path)
	}
	if err != nil {
		f.Close()
		_ = os.Remove(temporary)
		return nil, err
	}
	return f, nil
}

// Append writes a result to the disk.
func (l *Log) Append(r Result) error { return l.write(fields(r, l.provenance)) }

func (l *Log) write(fields []string) error {
	var b bytes.Buffer
	writeRow(&b, fields)
	_, err := l.file.Write(b.Bytes())
	if err != nil {
		return err
	}
	// Pipes and devices cannot be synchronised, and need not be.
	if err := l.file.Sync(); err != nil && !errors.Is(err, errors.ErrUnsupported) && isRegular(l.file) {
		return err
	}
	return nil
}

func isRegular(f *os.File) bool {
	info, err := f.Stat()
	return err == nil && info.Mode().IsRegular()
}

// Close closes the file.
func (l *Log) Close() error { return l.file.Close() }

// fields of the row of a result.
func fields(r Result, p Provenance) []string {
	return []string{
		r.Task.ID, r.Task.Set, r.Task.File, r.Task.Property, r.Task.Expected, r.Answer, string(r.Correct),
		seconds(r.CPU), seconds(r.Wall), r.Reason, mebibytes(r.Memory), p.Settings, p.Version, r.Witness, seconds(r.Validation),
	}
}

var lineBreaks = strings.NewReplacer("\r\n", " ", "\n", " ", "\r", " ")

func writeRow(w io.Writer, fields []string) {
	clean := make([]string, len(fields))
	for i, f := range fields {
		clean[i] = lineBreaks.Replace(f)
	}
	c := csv.NewWriter(w)
	_ = c.Write(clean) // to memory
	c.Flush()
}

func seconds(d time.Duration) string { return strconv.FormatFloat(d.Seconds(), 'f', 3, 64) }

func mebibytes(n int64) string { return strconv.FormatFloat(float64(n)/(1<<20), 'f', 1, 64) }

// ReadResults reads a file of results; the columns property, wall_s, memory_mib
// and the like may be missing.
func ReadResults(path string) ([]Result, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return parseResults(path, f)
}

func parseResults(path string, input io.Reader) ([]Result, error) {
	rows, err := readCSV(path, input, []string{"id", "expected", "answer", "correct", "cpu_s"})
	if err != nil {
		return nil, err
	}
	var out []Result
	seen := map[Key]int{}
	for _, row := range rows {
		r, err := row.result()
		if err != nil {
			return nil, err
		}
		if line, twice := seen[r.Task.Key()]; twice {
			return nil, row.errorf("the task %s with this property is in line %d already", r.Task.ID, line)
		}
		seen[r.Task.Key()] = row.line
		out = append(out, r)
	}
	return out, nil
}

// result is the result in a row. Its task has no input files.
func (r csvRow) result() (Result, error) {
	out := Result{
		Task: Task{
			ID: r.get("id"), Set: r.get("set"), File: r.get("file"), Property: r.get("property"), Expected: r.get("expected"),
		},
		Answer: r.get("answer"), Correct: correctness(r.get("correct")), Reason: r.get("reason"), Witness: r.get("witness"),
	}
	if out.Task.ID == "" || out.Answer == "" {
		return out, r.errorf("the id or the answer is empty")
	}
	switch out.Correct {
	case correct, wrong, undecided, unjudged:
	default:
		return out, r.errorf("the column correct holds %q, not yes, NO, ? or nothing", string(out.Correct))
	}
	var err error
	if out.CPU, err = r.seconds("cpu_s"); err != nil {
		return out, err
	}
	if out.Wall, err = r.seconds("wall_s"); err != nil {
		return out, err
	}
	if out.Validation, err = r.seconds("validation_cpu_s"); err != nil {
		return out, err
	}
	memory, err := r.number("memory_mib")
	out.Memory = int64(memory * (1 << 20))
	return out, err
}

func (r csvRow) seconds(name string) (time.Duration, error) {
	n, err := r.number(name)
	return time.Duration(n * float64(time.Second)), err
}

// number is a number that is not negative, 0 if the field is empty.
func (r csvRow) number(name string) (float64, error) {
	text := r.get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseFloat(text, 64)
	if err != nil || !(n >= 0 && n < 1e9) {
		return 0, r.errorf("the column %s holds %q, which is no number from 0 to 1e9", name, text)
	}
	return n, nil
}
