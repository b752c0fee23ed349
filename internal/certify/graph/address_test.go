package graph

import (
	"fmt"
	"testing"
)

// TestFirstPage makes pointers of numbers below 4096: they are equal if the numbers are, and lead nowhere. Of other
// numbers nothing is known: an object may be there.
func TestFirstPage(t *testing.T) {
	const program = `module 64 entry @main
global @object size 4 align 4
func @main() {
entry:
  %%p = inttoptr ptr i64 %s
  %%q = %s
  %%same = eq i1 %%p, %%q
  %%not = eq i1 %%same, i1 0
  check assertion %%%s ""
  halt exit
}
`
	for _, test := range []struct {
		number, other, claim string
		holds                bool
	}{
		{"1", "inttoptr ptr i64 1", "same", true},
		{"1", "inttoptr ptr i64 1", "not", false},
		{"1", "inttoptr ptr i64 2", "not", true},
		{"1", "inttoptr ptr i64 2", "same", false},
		{"1", "inttoptr ptr i64 0", "not", true},
		{"4095", "ptradd ptr null, i64 4095", "same", true},
		{"4095", "ptradd ptr null, i64 4094", "same", false},
		{"4096", "inttoptr ptr i64 4096", "not", false},
		{"4096", "ptradd ptr @object, i64 0", "not", false},
		{"1", "ptradd ptr @object, i64 0", "same", false},
		{"0", "ptradd ptr @object, i64 0", "not", true},
		{"18446744073709551615", "ptradd ptr @object, i64 0", "not", false},
	} {
		if engine, checker := claims(t, fmt.Sprintf(program, test.number, test.other, test.claim)); engine != test.holds || checker != test.holds {
			t.Errorf("%s and %s, %s: the engine says %v, the checker %v", test.number, test.other, test.claim, engine, checker)
		}
	}
	for _, access := range []string{"load i8 %p", "load i8 %q"} {
		text := fmt.Sprintf("module 64 entry @main\nfunc @main() {\nentry:\n  %%p = inttoptr ptr i64 1\n  %%q = inttoptr ptr i64 4096\n  %%x = %s\n  halt exit\n}\n", access)
		if engine, checker := claims(t, text); engine || checker {
			t.Errorf("%s: the engine says %v, the checker %v", access, engine, checker)
		}
	}
}
