package webpage

import (
	"fmt"
	"html/template"
	"path/filepath"
	"strings"

	"assay"
	"assay/internal/tools/report"
)

// sources are the files that a page shows.
type sources struct {
	lines report.Sources
	root  string // of relative names, empty is the working directory
	whole int    // files with more lines are shown in part
	files []*file
	names map[string]*file
}

// file is a source file.
type file struct {
	Name string
	// Rows are its lines; of long files those near to something that is said of them.
	Rows []row

	index   int
	lines   []string
	marks   map[int]*lineMark
	notes   map[int][]note
	touched map[int]bool // lines that something refers to
}

// row is a line of a file, or a gap.
type row struct {
	ID    string
	N     int
	Code  template.HTML
	Mark  *lineMark
	Notes []note
	Gap   string
}

// lineMark is the mark of a line: the worst answer of its checks.
type lineMark struct {
	Class, Sign, Word string
	Titles            []string
}

// Title is the text of a mark.
func (m *lineMark) Title() string { return strings.Join(m.Titles, "\n") }

// note is something that is said of a line.
type note struct{ Class, Label, Text string }

func newSources() *sources {
	return &sources{lines: report.Sources{}, whole: wholeFile, names: map[string]*file{}}
}

// file is a file by its name, nil if it cannot be read as text.
func (s *sources) file(name string) *file {
	f, ok := s.names[name]
	if ok {
		return f
	}
	if s.root != "" && !filepath.IsAbs(name) {
		s.lines[name] = report.Sources{}.Lines(filepath.Join(s.root, name))
	}
	lines := s.lines.Lines(name)
	if len(lines) > 0 && !strings.ContainsRune(lines[0], 0) {
		f = &file{Name: name, index: len(s.files), lines: lines, marks: map[int]*lineMark{}, notes: map[int][]note{}, touched: map[int]bool{}}
		s.files = append(s.files, f)
	}
	s.names[name] = f
	return f
}

// at is the file and line of a position, nil if it is not shown.
func (s *sources) at(p assay.Position) *file {
	if p.File == "" || p.Line < 1 {
		return nil
	}
	f := s.file(p.File)
	if f == nil || p.Line > len(f.lines) {
		return nil
	}
	f.touched[p.Line] = true
	return f
}

// link is a position as a link to its line.
func (s *sources) link(p assay.Position) link {
	out := link{Text: p.String(), Line: p.Line}
	if f := s.at(p); f != nil {
		out.Target = f.id(p.Line)
	}
	return out
}

func (f *file) id(line int) string { return fmt.Sprintf("f%d-%d", f.index, line) }

// mark marks a line with the answer of a check.
func (s *sources) mark(p assay.Position, a assay.Answer, title string) {
	f := s.at(p)
	if f == nil {
		return
	}
	m := f.marks[p.Line]
	if m == nil {
		m = &lineMark{Class: "true"}
		f.marks[p.Line] = m
	}
	if rank(string(a)) < rank(m.Class) {
		m.Class = string(a)
	}
	m.Sign = signs[assay.Answer(m.Class)]
	m.Word = map[string]string{"true": "proved", "false": "violated", "unknown": "open"}[m.Class]
	m.Titles = append(m.Titles, title)
}

// note adds a note to a line, and says whether the line is shown. Equal notes are added once.
func (s *sources) note(p assay.Position, n note) bool {
	f := s.at(p)
	if f == nil {
		return false
	}
	for _, x := range f.notes[p.Line] {
		if x == n {
			return true
		}
	}
	f.notes[p.Line] = append(f.notes[p.Line], n)
	return true
}

// Files with more lines are shown near to what is said of them.
const (
	wholeFile = 2000
	near      = 12
)

// shown are the files of the page. Headers that only have proved checks are among them, as far as that goes.
func (s *sources) shown() []*file {
	for _, f := range s.files {
		var colours highlighter
		gap := 0
		for i, text := range f.lines {
			n := i + 1
			code := colours.line(strings.TrimSuffix(text, "\r"))
			if len(f.lines) > s.whole && !f.nearby(n) {
				gap++
				continue
			}
			if gap > 0 {
				f.Rows = append(f.Rows, row{Gap: fmt.Sprintf("%d lines", gap)})
				gap = 0
			}
			f.Rows = append(f.Rows, row{ID: f.id(n), N: n, Code: code, Mark: f.marks[n], Notes: f.notes[n]})
		}
		if gap > 0 {
			f.Rows = append(f.Rows, row{Gap: fmt.Sprintf("%d lines", gap)})
		}
	}
	return s.files
}

// nearby says whether something refers to a line near to this one.
func (f *file) nearby(line int) bool {
	for i := line - near; i <= line+near; i++ {
		if f.touched[i] {
			return true
		}
	}
	return false
}
