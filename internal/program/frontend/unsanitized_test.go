package frontend

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/program/ir"
)

// TestOwnExemption: a program with a macro of its own called no_sanitize has a note with which nothing is proved that clang
// would check, in files that are compiled at once and in units; clang's warning of the macro is not shown, others are.
func TestOwnExemption(t *testing.T) {
	const body = "int f(int x) { int unused; return x << 1; }\nint main(void) { return f(1); }\n"
	for name, c := range map[string]struct {
		source string
		noted  bool
	}{
		"its own":   {"#define no_sanitize __attribute__((no_sanitize(\"undefined\")))\nno_sanitize " + body, true},
		"attribute": {"__attribute__((no_sanitize(\"undefined\"))) " + body, false},
	} {
		file := filepath.Join(t.TempDir(), "f.c")
		if err := os.WriteFile(file, []byte(c.source), 0o644); err != nil {
			t.Fatal(err)
		}
		u, err := Compile(t.Context(), Source{File: file, Flags: []string{"-Wunused-variable"}}, Options{})
		if err != nil {
			t.Fatal(err)
		}
		r, err := NewProject([]*Unit{u}).Reach(Named{0, "f"})
		if err != nil {
			t.Fatal(err)
		}
		var warnings strings.Builder
		for _, o := range []Options{
			{Files: []string{file}, ExtraArgs: []string{"-Wunused-variable"}, Warnings: &warnings},
			{Link: r.Link, Function: "f"},
		} {
			p, err := Load(t.Context(), o)
			if err != nil {
				t.Fatal(err)
			}
			if n, found := p.Unchecked([]ir.CheckKind{ir.ShiftOverflow}); found != c.noted || found && n.Kind != NoteExempted {
				t.Errorf("%s, linked %v: noted %v, %v", name, o.Link != nil, found, n)
			}
		}
		if text := warnings.String(); strings.Contains(text, "redefined") || strings.Contains(text, "<command line>") || !strings.Contains(text, "unused") {
			t.Errorf("%s: clang's warnings are shown as %q", name, text)
		}
	}
}
