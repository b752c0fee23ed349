package syntax

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parse reads a program from a temporary file.
func parse(t *testing.T, text string) *File {
	t.Helper()
	name := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Parse(t.Context(), name, "", nil)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// all are the nodes of a kind in the function f.
func all(f *File, kind Kind) []*Node {
	var out []*Node
	f.Func("f").Body.Walk(func(n *Node) {
		if n.Kind == kind {
			out = append(out, n)
		}
	})
	return out
}

const program = `#include <stddef.h>
#define LESS(a, b) ((a) < (b))
#define FOREVER for (;;)
int g, h = 3;
int f(int x, char *p) {
  int i = 0, j; /* while (1) */
  while (x /* ) */ > 0 && p[')'] != '\'') x--;
  for (int k = 0; LESS(k, 3); k++) { int x = k; j = f(x, (p)); }
  do i++; while (i < 5);
  do { i--; } while ( LESS(0, i) );
  if (x) { static int s; s++; } else i = 2;
  FOREVER { if (LESS(x, 1)) break; }
  L: x = 1;
  switch (x) { case 1: x = 2; break; default: ; }
  return i ? x : j;
}
`

func TestPlaces(t *testing.T) {
	f := parse(t, program)
	conditions := map[Kind][]string{
		While: {"x /* ) */ > 0 && p[')'] != '\\''"}, Do: {"i < 5", " LESS(0, i) "}, If: {"x", "LESS(x, 1)"}, Switch: {"x"},
	}
	for kind, want := range conditions {
		var got []string
		for _, n := range all(f, kind) {
			got = append(got, f.Text[n.Cond:n.CondEnd])
		}
		if !slices.Equal(got, want) {
			t.Errorf("conditions of kind %d: %q, want %q", kind, got, want)
		}
	}
	loops := all(f, For)
	if got := f.Text[loops[0].Cond:loops[0].CondEnd]; got != " LESS(k, 3)" || len(loops) != 2 {
		t.Errorf("condition of for: %q", got)
	}
	if forever := loops[1]; forever.CondEnd != 0 {
		t.Error("a loop out of a macro has a condition in the text")
	}
	for _, c := range all(f, Call) {
		if got := f.Text[c.Begin:c.End]; got != "f(x, (p))" || f.OpenOfCall(c) != c.Begin+1 || f.ClosingOfCall(c.Begin) != c.End-1 {
			t.Errorf("call %q", got)
		}
	}
	var ends []string
	for _, c := range f.Func("f").Body.Inner {
		end := f.StatementEnd(c)
		if end < 0 {
			t.Fatalf("no end of %q", f.Text[c.Begin:c.End])
		}
		text := strings.Fields(f.Text[c.Begin:end])
		ends = append(ends, text[0]+" "+text[len(text)-1])
	}
	want := []string{"int j;", "while x--;", "for }", "do 5);", "do );", "if 2;", "FOREVER }", "L: 1;", "switch }", "return j;"}
	if !slices.Equal(ends, want) {
		t.Errorf("statements %q, want %q", ends, want)
	}
	executed := 0
	f.Func("f").Body.Walk(func(n *Node) {
		if !n.Kind.Statement() && n.Executed() {
			executed++
		}
	})
	if executed != 8 { // x--, j = …, i++, i--, s++, i = 2, x = 1, x = 2
		t.Errorf("%d expressions are statements", executed)
	}
}

func TestVisible(t *testing.T) {
	f := parse(t, program)
	fn := f.Func("f")
	at := func(text string) int { return strings.Index(f.Text, text) }
	for _, c := range []struct {
		name, where string
		line        int // of the declaration, 0 for none
		static      bool
	}{
		{"x", "while", 5, false}, {"x", "j = f", 8, false}, {"x", "do i++", 5, false}, {"k", "LESS(k", 8, false}, {"k", "do i++", 0, false},
		{"s", "s++", 11, true}, {"s", "else", 0, false}, {"g", "while", 4, true}, {"h", "while", 4, true}, {"i", "while", 6, false}, {"y", "while", 0, false},
	} {
		v := f.Visible(fn, c.name, at(c.where))
		switch {
		case v == nil && c.line != 0:
			t.Errorf("%s is not visible at %q", c.name, c.where)
		case v != nil && (v.Line != c.line || v.Static != c.static):
			t.Errorf("%s at %q is that of line %d", c.name, c.where, v.Line)
		}
	}
	line, column := f.Position(at("do i++"))
	if offset, ok := f.Offset(line, column); line != 9 || column != 3 || !ok || offset != at("do i++") {
		t.Error(line, column, offset)
	}
	if _, ok := f.Offset(9, 300); ok {
		t.Error("a column behind the end of its line")
	}
	if _, ok := f.Offset(99, 1); ok {
		t.Error("a line behind the end of the text")
	}
}
