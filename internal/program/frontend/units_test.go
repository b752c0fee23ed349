package frontend

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestUnitDeclarations: the digest of a function has how what it names is declared, if the file does not define it.
func TestUnitDeclarations(t *testing.T) {
	folder := t.TempDir()
	digest := func(declarations string) string {
		u := compiledUnit(t, folder, declarations+"int get(unsigned i) { int *p = t; return p[i & 7] + other(); }")
		for _, d := range u.Definitions {
			if d.Name == "get" {
				return d.Digest
			}
		}
		t.Fatalf("%s: get is not there", declarations)
		return ""
	}
	seen := map[string]string{}
	for _, declarations := range []string{
		"extern int t[8]; int other(void);             ",
		"extern int t[4]; int other(void);             ",
		"extern int t[8]; int other(void) __attribute__((weak)); ",
		"extern int t[8] __attribute__((weak)); int other(void); ",
	} {
		declarations = strings.TrimSpace(declarations) + "\n"
		d := digest(declarations)
		if old, ok := seen[d]; ok {
			t.Errorf("the same digest for\n%s%s", old, declarations)
		}
		seen[d] = declarations
		if digest(declarations) != d {
			t.Errorf("two digests for\n%s", declarations)
		}
	}
}

// TestUnitWarnings: what clang's warnings tell of checks holds for programs that are linked of units, too.
func TestUnitWarnings(t *testing.T) {
	u := compiledUnit(t, t.TempDir(), "int get(unsigned i) { int a[2] = {2147483647 + 1, 3}; return a[i & 1]; }")
	p, err := Load(context.Background(), Options{Link: []Linked{{u, []string{"get"}}}, Function: "get"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Kind == NoteFoldedSum }) {
		t.Error("no note says that the sum of the initialiser is not checked")
	}
	if len(u.Told()) == 0 {
		t.Error("answers do not depend on the warning")
	}
}

// TestUnitPragmas: so does what pragmas of CBMC switch off.
func TestUnitPragmas(t *testing.T) {
	u := compiledUnit(t, t.TempDir(), "int get(int i) {\n#pragma CPROVER check push\n#pragma CPROVER check disable \"signed-overflow\"\n\ti++;\n#pragma CPROVER check pop\n\treturn i;\n}\n")
	p, err := Load(context.Background(), Options{Link: []Linked{{u, []string{"get"}}}, Function: "get"})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(p.Notes, func(n Note) bool { return strings.Contains(n.Text, "#pragma CPROVER") }) {
		t.Errorf("no note says that the overflow is not checked: %v", p.Notes)
	}
	if len(u.Told()) == 0 {
		t.Error("answers do not depend on the pragma")
	}
}

func compiledUnit(t *testing.T, folder, source string) *Unit {
	t.Helper()
	file := filepath.Join(folder, "f.c")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	u, err := Compile(context.Background(), Source{File: file}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return u
}
