package frontend

import (
	"errors"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/llvm"
)

// modelled are the symbols that the models of a data model define, by the
// module, and of these the functions but for the operations they share.
func modelled(t *testing.T, pointerBits uint32) (symbols map[string]string, functions map[string]bool) {
	t.Helper()
	symbols, functions = map[string]string{}, map[string]bool{}
	modules := map[string]bool{}
	for _, module := range modelIndex() {
		modules[module] = true
	}
	for module := range modules {
		bitcode, err := modelBitcode(module, pointerBits)
		if err != nil {
			t.Fatal(err)
		}
		s := llvm.Open()
		if err := s.Read(module, bitcode); err != nil {
			t.Fatal(err)
		}
		if !slices.Contains(modelOrder, module) {
			t.Errorf("%s is missing in modelOrder", module)
		}
		for _, name := range s.Undefined() {
			if other := modelIndex()[name]; other != "" && slices.Index(modelOrder, other) <= slices.Index(modelOrder, module) {
				t.Errorf("%s needs %s of %s, which is before it in modelOrder", module, name, other)
			}
		}
		for _, name := range s.Exported() {
			symbols[name] = module
			if !strings.HasPrefix(name, "__assay_") {
				functions[name] = true
			}
		}
		s.Close()
	}
	return symbols, functions
}

// TestLibraryTable keeps models/library.txt true: it lists what is modelled,
// in C or in Go, once, and nothing that is unsupported has a model, unless the
// model says itself that it is unsupported.
func TestLibraryTable(t *testing.T) {
	symbols, models := modelled(t, 64)
	if other, _ := modelled(t, 32); !maps.Equal(symbols, other) {
		t.Error("the models differ between the data models")
	}
	for name, module := range symbols {
		if modelIndex()[name] != module {
			t.Errorf("the index says that %s is in %q, it is in %q", name, modelIndex()[name], module)
		}
	}
	for _, name := range printFunctions {
		if modelIndex()[name] != "print" {
			t.Errorf("%s is in %q", name, modelIndex()[name])
		}
		symbols[name] = ""
	}
	for name, module := range symbols {
		if module == "print" && !strings.HasPrefix(name, "__assay_") {
			t.Errorf("%s of print.c is not in printFunctions", name)
		}
	}
	for name := range externals {
		if !strings.HasPrefix(name, "__assay_") {
			models[name] = true
		}
	}
	if len(models) < 400 {
		t.Errorf("only %d functions are modelled", len(models))
	}
	listed := map[string]bool{}
	for _, f := range Library() {
		if f.Header == libraryObjects {
			models[f.Name] = modelIndex()[f.Name] != "" || slices.Contains(environmentObjects, f.Name)
		}
		if listed[f.Name] {
			t.Errorf("%s is listed twice", f.Name)
		}
		listed[f.Name] = true
		switch {
		case f.Fidelity != Unsupported && !models[f.Name]:
			t.Errorf("%s is listed as %s, but has no model", f.Name, f.Fidelity)
		case f.Fidelity == Unsupported && models[f.Name]:
			t.Errorf("%s is listed as unsupported, but has a model", f.Name)
		case f.Fidelity == Unsupported && f.Note == "":
			t.Errorf("%s is unsupported without a reason", f.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(models)) {
		if !listed[name] {
			t.Errorf("%s has a model, but is not in library.txt", name)
		}
	}
}

func TestParseLibrary(t *testing.T) {
	list, err := parseLibrary("# x\n\na.h: exact: f g\nb.h: unsupported: h: why: not\n")
	want := []LibraryFunction{{"f", "a.h", Exact, ""}, {"g", "a.h", Exact, ""}, {"h", "b.h", Unsupported, "why: not"}}
	if err != nil || !slices.Equal(list, want) {
		t.Errorf("%v %v", list, err)
	}
	for _, bad := range []string{"a.h: exact", "a.h: nearly: f"} {
		if _, err := parseLibrary(bad); err == nil || !strings.HasPrefix(err.Error(), "library.txt:1: ") {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

// Only what the program reaches is imported.
func TestModelsOnDemand(t *testing.T) {
	p := loadSource(t, `#include <string.h>
		#include <stdio.h>
		int main(void) { printf("%d", 1); return strlen("abc"); }`, Options{})
	var names []string
	for _, f := range p.Module.Funcs {
		names = append(names, f.Name)
	}
	slices.Sort(names)
	if !slices.Equal(names, []string{EntryName, "main", "strlen"}) {
		t.Errorf("%q", names)
	}
}

func writeModel(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestUserModels(t *testing.T) {
	dir := writeModel(t, map[string]string{
		"a.c": `#include "assay_model.h"
			int helper(int);
			void *malloc(size_t n) { return __assay_malloc(n + 1); }
			int device_read(int port) { int n = __assay_nondet_int("device_read"); __assay_assume(n >= 0); return helper(n); }
			int mine(void) { return 1; }`,
		"b.c": `#include <string.h>
			int helper(int n) { return n + (int)strlen("abc"); }`,
		"note.md": "no model",
	})
	p := loadSource(t, `void *malloc(unsigned long); int device_read(int); int mine(void) { return 2; }
		int main(void) { return device_read(1) + mine() + (malloc(3) != 0); }`, Options{Models: dir})
	for name, model := range map[string]bool{"malloc": true, "device_read": true, "helper": true, "strlen": true, "mine": false} {
		if f := p.Module.Func(name); f == nil || f.Model != model {
			t.Errorf("%s: %v", name, f)
		}
	}
	expect(t, p, "main", ir.Malloc, 0)
	expect(t, p, "malloc", ir.Malloc, 1)
	if len(p.Notes) != 0 {
		t.Errorf("notes %v", p.Notes)
	}
}

func TestUserModelErrors(t *testing.T) {
	file := filepath.Join(writeModel(t, map[string]string{"f.c": ""}), "f.c")
	for dir, want := range map[string]string{
		"nowhere":          "nowhere: error: no such file",
		file:               "is no directory",
		writeModel(t, nil): "has no .c file",
		writeModel(t, map[string]string{"bad.c": "int f(void) {\n return x;\n}"}):                                "bad.c:2:9: error: use of undeclared identifier 'x'",
		writeModel(t, map[string]string{"a.c": "int f(void) { return 1; }", "b.c": "int f(void) { return 2; }"}): "f",
	} {
		_, err := Load(t.Context(), withSource(t, "a.c", "int f(void); int main(void) { return f(); }", Options{Models: dir}))
		var input *InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", dir, err, want)
		}
		if strings.Contains(want, "bad.c") && !strings.Contains(err.Error(), "--models") {
			t.Errorf("no hint: %v", err)
		}
	}
}

func TestReadsMemory(t *testing.T) {
	for format, want := range map[string]bool{
		"": false, "x": false, "%d %5.3ld %% %-+ #08llx %c %p %f %zu %*d": false, "100%": true,
		"%s": true, "%-8.3s": true, "%ls": true, "%d%hhn": true, "%%s": false, "%%%s": true,
	} {
		if got := readsMemory(format); got != want {
			t.Errorf("%q: %v", format, got)
		}
	}
}

// BenchmarkLinkModels is what a program pays for the models: one that needs
// none, one that allocates and prints, and one with everything.
func BenchmarkLinkModels(b *testing.B) {
	for name, source := range map[string]string{
		"none":     "int main(void) { return 0; }",
		"usual":    "#include <stdio.h>\n#include <stdlib.h>\nint main(void) { int *p = malloc(4); printf(\"%p\", p); free(p); exit(0); }",
		"printing": "#include <stdio.h>\nint main(int n, char **v) { char b[9]; sprintf(b, \"%d\", n); puts(b); }",
		"library":  "",
	} {
		b.Run(name, func(b *testing.B) {
			o := Options{Files: []string{"testdata/run/library.c"}}
			if source != "" {
				o = withSource(b, "a.c", source, Options{})
			}
			modules, _, err := gather(b.Context(), &o)
			if err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				b.StopTimer()
				s := llvm.Open()
				if err := s.Read(name, modules[0].content); err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if err := linkModels(s); err != nil {
					b.Fatal(err)
				}
				b.StopTimer()
				s.Close()
				b.StartTimer()
			}
		})
	}
}

// TestUnsupportedLibrary compares the search for a name with the whole table.
func TestUnsupportedLibrary(t *testing.T) {
	reasons := map[string]string{}
	for _, f := range Library() {
		if f.Fidelity == Unsupported {
			reasons[f.Name] = f.Note
		}
	}
	if len(reasons) < 100 {
		t.Fatalf("%d unsupported functions", len(reasons))
	}
	for _, f := range Library() {
		note, unsupported := reasons[f.Name]
		for _, name := range []string{f.Name, f.Name[1:], f.Name + "x"} {
			if _, other := reasons[name]; name != f.Name && other {
				continue
			}
			reason := unsupportedLibrary(name)
			if want := unsupported && name == f.Name; (reason != "") != want || want && !strings.HasSuffix(reason, name+": "+note) {
				t.Errorf("%q: %q, of %s the table says %q", name, reason, f.Name, note)
			}
		}
	}
}
