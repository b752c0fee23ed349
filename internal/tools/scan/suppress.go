package scan

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"strings"

	"assay"
	"assay/internal/run/lazyregexp"
)

// This file reads comments that take findings for known:
//
//	x = a[i]; // assay: ignore(valid-deref) i was checked by the caller
//
//	// assay: ignore(no-overflow, shift) hashes wrap
//	static unsigned hash(const char *s) {
//
// A comment is for its own line, or, alone on a line, for the next one; at the line where a function begins it is
// for the whole function. A reason must be given.

var ignoreComment = lazyregexp.New(`(?://|/\*)\s*assay:\s*(\w+)\s*(.*)`)
var ignoreForm = lazyregexp.New(`^\(([^)]*)\)\s*(.*)$`)

// ignore is a comment.
type ignore struct {
	line       int // for which it is
	properties []assay.Property
	suppression
}

type suppression = Suppression

// ignores reads the comments of a file; what is wrong with them is a list of problems.
func ignores(path string) (list []ignore, problems []Problem) {
	content, err := os.ReadFile(path)
	if err != nil || !bytes.Contains(content, []byte("assay:")) {
		return nil, nil
	}
	lines := bufio.NewScanner(bytes.NewReader(content))
	lines.Buffer(nil, len(content)+1)
	for n := 1; lines.Scan(); n++ {
		m := ignoreComment.FindStringSubmatchIndex(lines.Text())
		if m == nil {
			continue
		}
		line := lines.Text()
		pos := assay.Position{File: path, Line: n, Col: m[0] + 1}
		wrong := func(format string, args ...any) {
			problems = append(problems, Problem{pos, fmt.Sprintf(format, args...)})
		}
		word, rest := line[m[2]:m[3]], strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(line[m[4]:m[5]]), "*/"))
		form := ignoreForm.FindStringSubmatch(rest)
		switch {
		case word != "ignore" || form == nil:
			wrong("a comment for assay that says nothing: write assay: ignore(property) reason")
			continue
		case form[2] == "":
			wrong("assay: ignore(%s) has no reason, and suppresses nothing: write it behind the parenthesis", form[1])
			continue
		}
		properties, err := assay.ParseProperties(form[1])
		if err != nil {
			wrong("%v", err)
			continue
		}
		x := ignore{line: n, properties: properties, suppression: Suppression{Pos: pos, Reason: form[2]}}
		if strings.TrimSpace(line[:m[0]]) == "" {
			x.line++
		}
		list = append(list, x)
	}
	return list, problems
}

// suppressor knows the comments of the project and the tables of assay.toml.
type suppressor struct {
	root   string
	byFile map[string][]ignore
	tables []Suppress
	starts map[string]map[int]string // by file and line: the function that begins there
}

// of is what suppresses a finding, nil if nothing does.
func (s *suppressor) of(f *Finding) *Suppression {
	for _, x := range s.byFile[f.Place.Pos.File] {
		if !covers(x.properties, f.Property) {
			continue
		}
		if x.line == f.Place.Pos.Line || s.starts[f.Place.Pos.File][x.line] == f.Place.Func && f.Place.Func != "" {
			return &x.suppression
		}
	}
	for _, x := range s.tables {
		if x.matches(s.root, f) {
			return &Suppression{Pos: assay.Position{File: x.source}, Reason: x.Reason}
		}
	}
	return nil
}

// covers says whether a property is among those named, or part of one.
func covers(list []assay.Property, p assay.Property) bool {
	for _, x := range list {
		if x == p || x == assay.ValidMemSafety && (p == assay.ValidDeref || p == assay.ValidFree || p == assay.ValidMemTrack) {
			return true
		}
	}
	return false
}
