package report

import (
	"fmt"
	"io"
	"os"
	"strings"

	"assay"
)

// sources caches the lines of source files. A file that cannot be read has no
// lines: a trace is then shown without source text.
type sources map[string][]string

// maxSource bounds the source files that are read, in bytes.
const maxSource = 32 << 20

// line is the text of a source line without indentation, "" if it is not known.
func (s sources) line(p assay.Position) string {
	return strings.TrimSpace(s.raw(p))
}

// raw is the text of a source line.
func (s sources) raw(p assay.Position) string {
	lines, ok := s[p.File]
	if !ok {
		if info, err := os.Stat(p.File); err == nil && info.Mode().IsRegular() && info.Size() < maxSource {
			if data, err := os.ReadFile(p.File); err == nil {
				lines = strings.Split(string(data), "\n")
			}
		}
		s[p.File] = lines
	}
	if p.Line < 1 || p.Line > len(lines) {
		return ""
	}
	return strings.TrimSuffix(lines[p.Line-1], "\r")
}

// show prints a source line with a mark below the column.
func (s sources) show(w io.Writer, p assay.Position) {
	raw := s.raw(p)
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
