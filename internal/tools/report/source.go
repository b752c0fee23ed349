package report

import (
	"fmt"
	"io"
	"os"
	"strings"

	"assay"
)

// Sources caches the lines of source files. A file that cannot be read has no
// lines: a trace is then shown without source text.
type Sources map[string][]string

// maxSource bounds the source files that are read, in bytes.
const maxSource = 32 << 20

// Line is the text of a source line without indentation, "" if it is not known.
func (s Sources) Line(p assay.Position) string {
	return strings.TrimSpace(s.Raw(p))
}

// Lines are the lines of a file, nil if it cannot be read.
func (s Sources) Lines(file string) []string {
	lines, ok := s[file]
	if !ok {
		if info, err := os.Stat(file); err == nil && info.Mode().IsRegular() && info.Size() < maxSource {
			if data, err := os.ReadFile(file); err == nil {
				lines = strings.Split(strings.TrimSuffix(string(data), "\n"), "\n")
			}
		}
		s[file] = lines
	}
	return lines
}

// Raw is the text of a source line.
func (s Sources) Raw(p assay.Position) string {
	lines := s.Lines(p.File)
	if p.Line < 1 || p.Line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[p.Line-1], "\r")
}

// show prints a source line with a mark below the column.
func (s Sources) show(w io.Writer, p assay.Position) {
	raw := s.Raw(p)
	if strings.TrimSpace(raw) == "" {
		return
	}
	fmt.Fprintf(w, "%5d | %s\n", p.Line, strings.ReplaceAll(raw, "\t", "    "))
	if p.Col < 1 || p.Col > len(raw)+1 {
		return
	}
	before := strings.ReplaceAll(raw[:p.Col-1], "\t", "    ")
	fmt.Fprintf(w, "      | %s^\n", strings.Repeat(" ", len([]rune(before))))
}
