// Package corpus holds small C programs with known verdicts, one txtar archive
// each: every feature of C that assay models has a program that uses it.
//
// An archive begins with the reason why it exists, and has the sections
//
//	-- property --   names as `assay check --property` takes them
//	-- expected --   the verdicts that are right, a line each; the first is the
//	                 best one, further lines say what is tolerated today
//	-- flags --      optional: -m32
//	-- main.c --     the program; every file that ends in .c is compiled
//
// Every program is decided in seconds: by unwinding its loops, unless another
// engine is its subject.
package corpus

import (
	"embed"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/txtar"
)

//go:embed testdata/*.txtar
var archives embed.FS

// Program is one archive.
type Program struct {
	Name       string
	Why        string
	Properties string
	Expected   []string
	ILP32      bool
	Sources    map[string]string // by file name
}

// Programs are all programs of the corpus by name.
func Programs() ([]Program, error) {
	entries, err := archives.ReadDir("testdata")
	if err != nil {
		return nil, err
	}
	var out []Program
	for _, e := range entries {
		data, err := archives.ReadFile("testdata/" + e.Name())
		if err != nil {
			return nil, err
		}
		p, err := parse(strings.TrimSuffix(e.Name(), ".txtar"), data)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		out = append(out, p)
	}
	return out, nil
}

// parse reads one archive.
func parse(name string, data []byte) (Program, error) {
	a := txtar.Parse(data)
	p := Program{Name: name, Why: strings.TrimSpace(string(a.Comment)), Sources: map[string]string{}}
	for _, f := range a.Files {
		text := strings.TrimSpace(string(f.Data))
		switch {
		case f.Name == "property":
			p.Properties = text
		case f.Name == "expected":
			p.Expected = strings.Split(text, "\n")
		case f.Name == "flags" && text == "-m32":
			p.ILP32 = true
		case path.Ext(f.Name) == ".c":
			p.Sources[f.Name] = string(f.Data)
		default:
			return p, fmt.Errorf("unknown section %q with %q", f.Name, text)
		}
	}
	if p.Why == "" || p.Properties == "" || len(p.Expected) == 0 || len(p.Sources) == 0 {
		return p, fmt.Errorf("the reason, the property, the verdict or the program is missing")
	}
	return p, nil
}

// Write writes the sources into a folder and returns their paths, sorted.
func (p Program) Write(dir string) ([]string, error) {
	var files []string
	for name, text := range p.Sources {
		file := filepath.Join(dir, name)
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	slices.Sort(files)
	return files, nil
}
