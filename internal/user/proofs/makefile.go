package proofs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// This file reads makefiles: assignments, includes and conditionals; rules and their recipes are passed over. Names and
// values are expanded when make does it, so what nobody asks for may use functions that are not known here.
// Variables of the environment are not looked at.
//
// Reference: GNU make, "How make Parses a Makefile", "The Two Flavors of Variables", "Conditional Parts of Makefiles".

// Error is what is wrong with a makefile, and where.
type Error struct {
	File string
	Line int
	Text string
}

func (e *Error) Error() string { return fmt.Sprintf("%s:%d: %s", e.File, e.Line, e.Text) }

// place is a line of a makefile.
type place struct {
	file string
	line int
}

func (p place) fail(format string, args ...any) error {
	return &Error{p.file, p.line, fmt.Sprintf(format, args...)}
}

// part is a piece of the value of a variable: each += adds one, at a place of its own.
type part struct {
	text string
	at   place
}

// variable is recursive, with texts that are expanded at each use, or simple, with one that was.
type variable struct {
	parts  []part
	simple bool
}

// Limits of what is read, against makefiles that include themselves.
const (
	maxFiles = 200
	maxBytes = 4 << 20 // of a file
)

// makefile is what was read so far.
type makefile struct {
	dir       string // in which make runs
	variables map[string]*variable
	files     []string // MAKEFILE_LIST
	depth     int      // of expansions
	work      int
}

// newMakefile reads the Makefile of a folder.
func newMakefile(dir string) (*makefile, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	m := &makefile{dir: dir, variables: map[string]*variable{"CURDIR": {[]part{{dir, place{}}}, true}}}
	return m, m.include("Makefile", place{file: dir}, false)
}

// include reads a file, named as seen from the folder in which make runs.
func (m *makefile) include(name string, at place, optional bool) error {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(m.dir, name)
	}
	if len(m.files) == maxFiles {
		return at.fail("more than %d makefiles are included", maxFiles)
	}
	if info, err := os.Stat(path); err == nil && info.Size() > maxBytes {
		return at.fail("%s has more than %d bytes", name, maxBytes)
	}
	data, err := os.ReadFile(path)
	switch {
	case optional && errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return at.fail("the makefile %s cannot be read: %v", name, err)
	}
	m.files = append(m.files, name)
	m.variables["MAKEFILE_LIST"] = &variable{[]part{{strings.Join(m.files, " "), at}}, true}
	return m.read(path, string(data))
}

// condition is a conditional that is open: whether its present branch counts, and whether one has.
type condition struct{ counts, done bool }

// read reads the text of a file.
func (m *makefile) read(file, text string) error {
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	var open []condition
	inRule := false
	for i := 0; i < len(lines); i++ {
		at, line := place{file, i + 1}, lines[i]
		recipe := strings.HasPrefix(line, "\t") && inRule
		for strings.HasSuffix(line, "\\") && !strings.HasSuffix(line, `\\`) && i+1 < len(lines) {
			i++
			line = strings.TrimRight(strings.TrimSuffix(line, "\\"), " \t") + " " + strings.TrimLeft(lines[i], " \t")
		}
		if recipe {
			continue
		}
		line = strings.TrimLeft(uncommented(line), " \t") // what a value ends with belongs to it
		word, rest := firstWord(line)
		counts := len(open) == 0 || open[len(open)-1].counts
		if word == "define" {
			text, last := definition(lines, i+1)
			if last == len(lines) {
				return at.fail("define without endef")
			}
			i, inRule = last, false
			if counts {
				name, op, _ := assignment(rest)
				if op == "" {
					name, op = rest, "="
				}
				if err := m.assign(strings.TrimSpace(name), op, text, at); err != nil {
					return err
				}
			}
			continue
		}
		switch word {
		case "":
			continue
		case "ifdef", "ifndef", "ifeq", "ifneq":
			holds := false
			if counts {
				var err error
				if holds, err = m.holds(word, rest, at); err != nil {
					return err
				}
			}
			open = append(open, condition{holds, holds || !counts})
			continue
		case "else":
			if len(open) == 0 {
				return at.fail("else without a condition")
			}
			c := &open[len(open)-1]
			if c.counts = !c.done; c.counts && rest != "" {
				word, rest = firstWord(rest)
				holds, err := m.holds(word, rest, at)
				if err != nil {
					return err
				}
				c.counts = holds
			}
			c.done = c.done || c.counts
			continue
		case "endif":
			if len(open) == 0 {
				return at.fail("endif without a condition")
			}
			open = open[:len(open)-1]
			continue
		}
		if !counts {
			continue
		}
		rule, err := m.statement(word, rest, line, at)
		if err != nil {
			return err
		}
		inRule = rule
	}
	if len(open) > 0 {
		return place{file, len(lines)}.fail("a condition has no endif")
	}
	return nil
}

// definition is the text between define and its endef, and the line of that, len(lines) if there is none.
func definition(lines []string, begin int) (text string, last int) {
	depth := 1
	for last = begin; last < len(lines); last++ {
		switch word, _ := firstWord(strings.TrimSpace(lines[last])); word {
		case "define":
			depth++
		case "endef":
			if depth--; depth == 0 {
				return strings.Join(lines[begin:last], "\n"), last
			}
		}
	}
	return "", last
}

// holds decides a condition.
func (m *makefile) holds(word, rest string, at place) (bool, error) {
	if word == "ifdef" || word == "ifndef" {
		name, err := m.expand(rest, at)
		if err != nil {
			return false, err
		}
		v := m.variables[strings.TrimSpace(name)]
		defined := v != nil && len(v.parts) > 0 && (len(v.parts) > 1 || v.parts[0].text != "")
		return defined == (word == "ifdef"), nil
	}
	if word != "ifeq" && word != "ifneq" {
		return false, at.fail("%q is no condition", word)
	}
	var x, y string
	switch {
	case strings.HasPrefix(rest, "(") && strings.HasSuffix(rest, ")"):
		args := arguments(rest[1 : len(rest)-1])
		if len(args) != 2 {
			return false, at.fail("a comparison has %d sides", len(args))
		}
		x, y = strings.TrimSpace(args[0]), strings.TrimSpace(args[1])
	default:
		quoted := strings.FieldsFunc(rest, func(r rune) bool { return r == '"' || r == '\'' })
		if len(rest) < 5 || len(quoted) > 3 || !strings.ContainsAny(rest[:1], `"'`) {
			return false, at.fail("the comparison %s is not understood", rest)
		}
		sides := strings.SplitN(rest[1:], rest[:1], 2)
		second := strings.TrimSpace(sides[len(sides)-1])
		if len(sides) != 2 || len(second) < 2 || second[0] != second[len(second)-1] || !strings.ContainsAny(second[:1], `"'`) {
			return false, at.fail("the comparison %s is not understood", rest)
		}
		x, y = sides[0], second[1:len(second)-1]
	}
	x, err := m.expand(x, at)
	if err != nil {
		return false, err
	}
	if y, err = m.expand(y, at); err != nil {
		return false, err
	}
	return (x == y) == (word == "ifeq"), nil
}

// statement reads a line that is no condition; it says whether a rule begins.
func (m *makefile) statement(word, rest, line string, at place) (rule bool, err error) {
	switch word {
	case "include", "-include", "sinclude":
		names, err := m.expand(rest, at)
		if err != nil {
			return false, err
		}
		for _, name := range strings.Fields(names) {
			if err := m.include(name, at, word != "include"); err != nil {
				return false, err
			}
		}
		return false, nil
	case "export", "unexport", "override", "private":
		if name, op, _ := assignment(rest); name == "" || op == "" {
			return false, nil
		}
		line = rest
	case "vpath", "undefine":
		return false, at.fail("%s is not understood", word)
	}
	name, op, text := assignment(line)
	if op == "" {
		if strings.Contains(withoutReferences(line), ":") {
			return true, nil
		}
		switch x, err := m.expand(line, at); {
		case err != nil:
			return false, err
		case strings.TrimSpace(x) == "":
			return false, nil
		case strings.Contains(x, ":"):
			return true, nil
		}
		return false, at.fail("this line is neither an assignment nor a rule")
	}
	if name, err = m.expand(name, at); err != nil {
		return false, err
	}
	return false, m.assign(strings.TrimSpace(name), op, text, at)
}

// assign carries out an assignment.
func (m *makefile) assign(name, op, text string, at place) error {
	if name == "" || strings.ContainsAny(name, " \t") {
		return at.fail("%q is no name of a variable", name)
	}
	v := m.variables[name]
	switch op {
	case "?=":
		if v == nil {
			m.variables[name] = &variable{parts: []part{{text, at}}}
		}
		return nil
	case "=":
		m.variables[name] = &variable{parts: []part{{text, at}}}
		return nil
	case "+=":
		if v == nil {
			m.variables[name] = &variable{parts: []part{{text, at}}}
			return nil
		}
		if v.simple {
			var err error
			if text, err = m.expand(text, at); err != nil {
				return err
			}
		}
		m.variables[name] = &variable{append(v.parts[:len(v.parts):len(v.parts)], part{text, at}), v.simple}
		return nil
	case ":=", "::=":
		text, err := m.expand(text, at)
		if err != nil {
			return err
		}
		m.variables[name] = &variable{[]part{{text, at}}, true}
		return nil
	}
	return at.fail("the assignment %s is not understood", op)
}

// assignment takes an assignment apart; op is empty if a line is none.
func assignment(line string) (name, op, text string) {
	depth := 0
	for i := 0; i < len(line); i++ {
		switch c := line[i]; {
		case c == '(' || c == '{':
			depth++
		case c == ')' || c == '}':
			depth--
		case depth > 0:
		case c == '=':
			begin := i
			if i > 0 && strings.IndexByte("?+!:", line[i-1]) >= 0 {
				begin--
				if begin > 0 && line[begin] == ':' && line[begin-1] == ':' {
					begin--
				}
			}
			return strings.TrimSpace(line[:begin]), line[begin : i+1], strings.TrimLeft(line[i+1:], " \t")
		case c == ':' && !strings.HasPrefix(line[i:], ":=") && !strings.HasPrefix(line[i:], "::="):
			return "", "", "" // a rule, perhaps with a variable of its own
		case c == ':':
			i = strings.Index(line[i:], "=") + i - 1
		}
	}
	return "", "", ""
}

// withoutReferences is a line without what is between parentheses and braces.
func withoutReferences(line string) string {
	var b strings.Builder
	depth := 0
	for i := range len(line) {
		switch c := line[i]; c {
		case '(', '{':
			depth++
		case ')', '}':
			depth--
		default:
			if depth == 0 {
				b.WriteByte(c)
			}
		}
	}
	return b.String()
}

// uncommented is a line without its comment.
func uncommented(line string) string {
	for i := range len(line) {
		if line[i] == '#' && (i == 0 || line[i-1] != '\\') {
			return line[:i]
		}
	}
	return line
}

func firstWord(line string) (word, rest string) {
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		return line[:i], strings.TrimSpace(line[i:])
	}
	if i := strings.IndexByte(line, '('); i > 0 && strings.HasPrefix(line, "if") {
		return line[:i], line[i:]
	}
	return line, ""
}
