package graph

import (
	"testing"

	"assay/internal/engines/symex"
	"assay/internal/program/ir"
)

// aText is a string of two characters that is not constant. The program ends it once more, somewhere, and goes along it.
const aText = `module 64 entry @main
global @text size 3 align 1 init "ab\x00"
func @main() {
entry:
  %n = nondet i64 input "n"
  %in = ult i1 %n, i64 3
  assume %in
  %at = ptradd ptr @text, %n
  store i8 0, %at
  br walk
walk:
  %i = phi i64 [i64 0, entry], [%i1, next]
  %p = ptradd ptr @text, %i
  %b = load i8 %p
  %some = ne i1 %b, i8 0
  condbr %some, next, done
next:
  %i1 = add i64 %i, i64 1
  br walk
done:
  halt exit
}
`

// TestLiteralPrograms goes along a string that has what it began with, was ended again, or was written where and
// with what it must not be.
func TestLiteralPrograms(t *testing.T) {
	targets := []ir.CheckKind{ir.InvalidDeref}
	proved := map[string][2]string{
		"ended somewhere":     {"", ""},
		"as it began":         {"  store i8 0, %at\n", ""},
		"ended where it ends": {"store i8 0, %at", "%z = ptradd ptr @text, i64 2\n  store i8 0, %z"},
		"the same character":  {"store i8 0, %at", "%z = ptradd ptr @text, i64 1\n  store i8 98, %z"},
	}
	for name, change := range proved {
		t.Run(name, func(t *testing.T) {
			text := aText
			if change[0] != "" {
				text = replaceOnce(t, aText, change[0], change[1])
			}
			m := parsed(t, text)
			r := symex.Build(t.Context(), m, symex.Options{Targets: targets})
			if r.Graph == nil || len(r.Suspects) > 0 {
				t.Fatal(r.Why())
			}
			if _, err := Check(t.Context(), m, r.Graph, Options{Targets: targets}); err != nil {
				t.Error(err)
			}
		})
	}
	for name, change := range map[string][2]string{
		"an end that is gone":    {"store i8 0, %at", "%z = ptradd ptr @text, i64 2\n  store i8 0, %at\n  store i8 1, %z"},
		"before its start":       {"  %b = load i8 %p\n", "  %q = ptradd ptr %p, i64 -1\n  %b = load i8 %q\n"},
		"a character somewhere":  {"store i8 0, %at", "store i8 1, %at"},
		"any somewhere":          {"store i8 0, %at", "%any = nondet i8 input \"c\"\n  store %any, %at"},
		"a character at the end": {"store i8 0, %at", "%z = ptradd ptr @text, i64 2\n  store i8 1, %z"},
		"more than a byte":       {"store i8 0, %at", "%z = ptradd ptr @text, i64 1\n  store i16 257, %z"},
		"behind its end":         {"[i64 0, entry]", "[i64 3, entry]"},
		"of nothing":             {"store i8 0, %at", "havoc @text, i64 3"},
		"written in the loop":    {"next:\n", "next:\n  store i8 1, %at\n"},
	} {
		t.Run(name, func(t *testing.T) { refuse(t, aText, replaceOnce(t, aText, change[0], change[1]), targets) })
	}
	for _, change := range [][2]string{{`"ab\x00"`, `"abc"`}, {`init "ab\x00"`, "external"}, {`size 3 align 1 init "ab\x00"`, `size 2 align 1 init "ab"`}} {
		unwritten := replaceOnce(t, aText, "  store i8 0, %at\n", "")
		refuse(t, unwritten, replaceOnce(t, unwritten, change[0], change[1]), targets)
	}
	// That a byte before the end is none is true of what the string began with alone.
	inside := replaceOnce(t, aText, "  condbr %some, next, done\n", "  %last = eq i1 %i, i64 2\n  %ok = or i1 %some, %last\n  check assertion %ok \"short\"\n  condbr %some, next, done\n")
	refuse(t, inside, replaceOnce(t, inside, "store i8 0, %at", "%z = ptradd ptr @text, i64 1\n  store i8 0, %z"), []ir.CheckKind{ir.Assertion, ir.InvalidDeref})
}
