package graph

import (
	"fmt"
	"testing"
)

// clearedText is a program that reads up to a zero in a block of any size, after some instructions.
const clearedText = `module 64 entry @main
func @main() {
entry:
  %%n = nondet i64 input "n"
  %%k = nondet i64 input "k"
  %%few = ult i1 %%n, i64 1000
  assume %%few
  %%size = add i64 %%n, i64 1
  %%s = alloca ptr %%size align 1
  %%end = ptradd ptr %%s, %%n
  %%second = ptradd ptr %%s, i64 1
%s  br head
head:
  %%p = phi ptr [%%s, entry], [%%q, body]
  %%c = load i8 %%p
  %%more = ne i1 %%c, i8 0
  condbr %%more, body, done
body:
  %%q = ptradd ptr %%p, i64 1
  br head
done:
  halt exit
}
`

// TestCleared fills blocks of any size: the last byte of what is cleared ends a text, until something may write it.
func TestCleared(t *testing.T) {
	const inside = "  %in = ult i1 %k, %n\n  assume %in\n  %at = ptradd ptr %s, %k\n"
	const within = "  %in = ule i1 %k, %n\n  assume %in\n  %at = ptradd ptr %s, %k\n"
	for _, test := range []struct {
		before string
		holds  bool
	}{
		{"  memset %s, i8 0, %size\n", true},
		{"  memset %s, i8 0, %n\n", false},
		{"  memset %s, i8 1, %size\n", false},
		{"  memset %second, i8 0, %n\n", false}, // n may be 0
		{"  %some = ne i1 %n, i64 0\n  assume %some\n  memset %second, i8 0, %n\n", true},
		{"  memset %s, i8 0, %size\n  store i8 1, %end\n", false},
		{"  memset %s, i8 0, %size\n  memset %s, i8 1, %n\n", true},
		{"  memset %s, i8 0, %size\n  memset %s, i8 1, %size\n", false},
		{"  memset %s, i8 0, %size\n" + inside + "  store i8 1, %at\n", true},
		{"  memset %s, i8 0, %size\n" + within + "  store i8 1, %at\n", false},
	} {
		if engine, checker := claims(t, fmt.Sprintf(clearedText, test.before)); engine != test.holds || checker != test.holds {
			t.Errorf("%s: the engine says %v, the checker %v", test.before, engine, checker)
		}
	}
}
