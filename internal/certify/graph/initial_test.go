package graph

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/engines/symex"
	"assay/internal/program/ir"
)

// The initialiser that TestInitialCopies copies parts of: numbers, zeros, and a pointer to the second byte of @other.
const (
	initialBytes   = "\x01\x00\x00\xfe\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x03\x00"
	initialPointer = 8
)

// copied is a program that copies n bytes from an offset of it to an object at another offset, reads there, and claims something.
func copyOf(layout, before string, from, to, n int, after string) string {
	return fmt.Sprintf(`module 64 entry @main
global @other size 4 align 1 init "abcd"
global @table size 20 align 8 %s init %q
reloc %d @other 1
func @main() {
entry:
  %%a = alloca ptr i64 32 align 8
%s  %%s = ptradd ptr @table, i64 %d
  %%t = ptradd ptr %%a, i64 %d
  memcpy %%t, %%s, i64 %d
%s  halt exit
}
`, layout, initialBytes, initialPointer, before, from, to, n, after)
}

// claims says whether the engine proves what a program claims, and whether the checker accepts its graph.
func claims(t *testing.T, text string) (engine, checker bool) {
	t.Helper()
	m := parsed(t, text)
	targets := []ir.CheckKind{ir.Assertion, ir.InvalidDeref}
	r := symex.Build(t.Context(), m, symex.Options{Targets: targets})
	if r.Graph == nil {
		t.Fatalf("%s\n%s", r.Why(), text)
	}
	_, err := Check(t.Context(), m, r.Graph, Options{Targets: targets})
	return len(r.Suspects) == 0, err == nil
}

// TestInitialCopies copies parts of an initialiser: each number of one to four bytes that is copied as a whole is
// what it was there, and no other one; a pointer that is copied in part is none.
func TestInitialCopies(t *testing.T) {
	claim := func(at int, bits int, x uint64) string {
		return fmt.Sprintf("  %%p%[1]d = ptradd ptr %%a, i64 %[1]d\n  %%x%[1]d = load i%[2]d %%p%[1]d\n  %%c%[1]d = eq i1 %%x%[1]d, i%[2]d %[3]d\n  check assertion %%c%[1]d \"\"\n", at, bits, x)
	}
	inPointer := func(from, n int) bool { return from+n > initialPointer && from < initialPointer+8 }
	value := func(from, n int) (x uint64) {
		for i := range n {
			x |= uint64(initialBytes[from+i]) << (8 * i)
		}
		return x
	}
	for _, layout := range []struct {
		text  string
		bytes int
	}{{"", 1}, {"cell 4", 4}} {
		for _, part := range [][2]int{{0, 20}, {0, 8}, {4, 16}, {16, 4}, {1, 3}, {3, 9}} {
			from, n := part[0], part[1]
			to := 8 + from%4
			var all strings.Builder
			for k := 0; k+layout.bytes <= n; k += layout.bytes {
				if (from+k)%layout.bytes == 0 && !inPointer(from+k, layout.bytes) {
					all.WriteString(claim(to+k, 8*layout.bytes, value(from+k, layout.bytes)))
				}
			}
			if engine, checker := claims(t, copyOf(layout.text, "", from, to, n, all.String())); !engine || !checker {
				t.Errorf("%q, %d bytes from %d: the engine says %v, the checker %v", layout.text, n, from, engine, checker)
			}
			for k := -1; k <= n; k++ { // one byte before and one behind
				wrong := uint64(7)
				if from+k >= 0 && from+k < len(initialBytes) {
					wrong = value(from+k, 1)
				}
				if k >= 0 && k < n {
					wrong++
				}
				if engine, checker := claims(t, copyOf(layout.text, "", from, to, n, claim(to+k, 8, wrong&0xff))); engine || checker {
					t.Errorf("%q, %d bytes from %d: a wrong claim about byte %d: the engine says %v, the checker %v", layout.text, n, from, k, engine, checker)
				}
			}
		}
	}
	pointer := func(at int, to string) string {
		return fmt.Sprintf("  %%q = ptradd ptr %%a, i64 %d\n  %%p = load ptr %%q\n  %%e = ptradd ptr @other, i64 %s\n  %%c = eq i1 %%p, %%e\n  check assertion %%c \"\"\n", at, to)
	}
	for _, test := range []struct {
		before string
		from   int
		n      int
		after  string
		holds  bool
	}{
		{"", 0, 20, pointer(16, "1"), true},
		{"", 8, 8, pointer(8, "1"), true},
		{"", 0, 20, pointer(16, "2"), false},
		{"", 0, 20, pointer(17, "1"), false},
		{"", 0, 15, pointer(16, "1"), false},
		{"", 9, 8, pointer(7, "1"), false},
		{"  %w = ptradd ptr @table, i64 15\n  store i8 0, %w\n", 0, 20, pointer(16, "1"), false},
		{"  %w = ptradd ptr @table, i64 3\n  store i8 4, %w\n", 0, 20, claim(11, 8, 0xfe), false},
		{"  %w = ptradd ptr @table, i64 3\n  store i8 4, %w\n", 0, 20, claim(11, 8, 4) + claim(8, 8, 1), true},
		{"  %k = nondet i64 input \"k\"\n  %i = ult i1 %k, i64 4\n  assume %i\n  %w = ptradd ptr @table, %k\n  store i8 4, %w\n", 0, 20, claim(11, 8, 0xfe), false},
		{"  havoc @table, i64 20\n", 0, 20, claim(8, 8, 1), false},
	} {
		engine, checker := claims(t, copyOf("", test.before, test.from, 8, test.n, test.after))
		if engine != test.holds || checker != test.holds {
			t.Errorf("%s%d bytes from %d, %s: the engine says %v, the checker %v", test.before, test.n, test.from, test.after, engine, checker)
		}
	}
}
