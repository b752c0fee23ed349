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
