package frontend

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"assay/internal/program/ir"
)

// TestSubstitute: functions are replaced, but not in what replaces them, and removed.
func TestSubstitute(t *testing.T) {
	const source = `int f(int x) { return x; } int g(int x) { return f(x) + 1; } int (*p)(int) = f; int main(void) { return f(1) + p(2); }`
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	p, err := Load(t.Context(), Options{Files: []string{file}, Replace: []string{"f=g"}})
	if err != nil {
		t.Fatal(err)
	}
	calls := func(in, of string) (n int) {
		for _, d := range p.Module.Func(in).Values {
			for _, a := range d.Args {
				if x := p.Module.Func(in).Def(a); x.Op == ir.FuncAddr && x.Sym == of {
					n++
				}
			}
			if d.Op == ir.Call && d.Sym == of {
				n++
			}
		}
		return n
	}
	if calls("main", "f") != 0 || calls("main", "g") == 0 || calls("g", "f") == 0 || len(p.Notes) != 1 {
		t.Errorf("main calls f %d and g %d times, g f %d; notes %v", calls("main", "f"), calls("main", "g"), calls("g", "f"), p.Notes)
	}
	p, err = Load(t.Context(), Options{Files: []string{file}, Remove: []string{"f"}})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(p.Notes, func(n Note) bool { return n.Kind == NoteUnknownFunction && n.Name == "f" }) {
		t.Errorf("notes %v", p.Notes)
	}
	for _, o := range []Options{{Replace: []string{"f=h"}}, {Replace: []string{"h=f"}}, {Replace: []string{"f"}}, {Remove: []string{"h"}}} {
		o.Files = []string{file}
		if _, err := Load(t.Context(), o); err == nil {
			t.Errorf("%v %v is no error", o.Replace, o.Remove)
		}
	}
}

// TestFileLocal: the names that goto-cc gives to static functions call and replace them.
func TestFileLocal(t *testing.T) {
	folder := t.TempDir()
	write := func(name, text string) string {
		file := filepath.Join(folder, name)
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	a := write("ring-buf__1.c", "static int f(int x) { return x; } static int g(void) { return f(1); } int h(void) { return g(); }")
	called := write("called.c", "int h(void); int __CPROVER_file_local_ring_buf_1_c_g(void); int main(void) { return h() + __CPROVER_file_local_ring_buf_1_c_g(); }")
	replaced := write("replaced.c", "int h(void); int __CPROVER_file_local_ring_buf_1_c_f(int x) { return x + 1; } int main(void) { return h(); }")
	unknown := func(p *Program) (names []string) {
		for _, n := range p.Notes {
			if n.Kind == NoteUnknownFunction {
				names = append(names, n.Name)
			}
		}
		return names
	}
	calls := func(p *Program, in, of string) bool {
		return slices.ContainsFunc(p.Module.Func(in).Values, func(d ir.Def) bool { return d.Op == ir.Call && d.Sym == of })
	}
	p, err := Load(t.Context(), Options{Files: []string{a, called}})
	if err != nil || len(unknown(p)) != 0 || !calls(p, "main", "g") {
		t.Errorf("called: %v, %v", err, unknown(p))
	}
	p, err = Load(t.Context(), Options{Files: []string{replaced, a}})
	if err != nil || !calls(p, "g", "__CPROVER_file_local_ring_buf_1_c_f") {
		t.Errorf("replaced: %v", err)
	}
	p, err = Load(t.Context(), Options{Files: []string{a, called}, Remove: []string{"__CPROVER_file_local_ring_buf_1_c_f"}})
	if err != nil || len(unknown(p)) != 1 {
		t.Errorf("removed: %v, %v", err, unknown(p))
	}
	b := write("ring-buf__1.h", "static int f(int x) { return x; }")
	two := write("two.c", "#include \""+b+"\"\nint k(void) { return f(2); }")
	three := write("three.c", "#include \""+b+"\"\nint k(void); int __CPROVER_file_local_ring_buf_1_h_f(int); int main(void) { return k() + f(1) + __CPROVER_file_local_ring_buf_1_h_f(3); }")
	if _, err = Load(t.Context(), Options{Files: []string{two, three}}); err == nil {
		t.Error("a name of two static functions is no error")
	}
	// The body in one file is taken away, that in the other is called.
	own := write("own.c", "int k(void) { return 1; }")
	main := write("main.c", "int k(void); int main(void) { return k(); }")
	p, err = Load(t.Context(), Options{Files: []string{two, own, main}, Remove: []string{two + ":k", main + ":k"}})
	if err != nil || len(unknown(p)) != 0 || !calls(p, "main", "k") {
		t.Errorf("removed from a file: %v, %v", err, unknown(p))
	}
	if _, err = Load(t.Context(), Options{Files: []string{own, main}, Remove: []string{two + ":k"}}); err == nil {
		t.Error("a file that is not there is no error")
	}
}
