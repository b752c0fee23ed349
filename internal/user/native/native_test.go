package native

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/program/ir"
)

func confirm(t *testing.T, source string, ilp32 bool, c Counterexample) Outcome {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	o, err := Confirm(t.Context(), Program{Files: []string{file}, ILP32: ilp32}, c)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

const declarations = `#include <assert.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
extern signed char __VERIFIER_nondet_char(void);
extern float __VERIFIER_nondet_float(void);
extern void __VERIFIER_assume(int);
extern void log_it(int);
`

func ints(values ...int64) []Input {
	var out []Input
	for _, v := range values {
		out = append(out, Input{Function: "__VERIFIER_nondet_int", Bits: 32, Value: uint64(v)})
	}
	return out
}

func TestConfirm(t *testing.T) {
	for _, test := range []struct {
		name, body string
		c          Counterexample
		want       bool
		why        string
	}{
		{"assertion", "int x = __VERIFIER_nondet_int(); assert(x != -3);", Counterexample{Inputs: ints(-3), Kind: ir.Assertion}, true, ""},
		{"no assertion", "int x = __VERIFIER_nondet_int(); assert(x != -3);", Counterexample{Inputs: ints(4), Kind: ir.Assertion}, false, "does not violate"},
		{"order", "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); assert(!(x == 1 && y == 2));", Counterexample{Inputs: ints(1, 2), Kind: ir.Assertion}, true, ""},
		{"sign of char", "signed char c = __VERIFIER_nondet_char(); assert(c >= 0);", Counterexample{Inputs: []Input{{Function: "__VERIFIER_nondet_char", Bits: 8, Value: ^uint64(0)}}, Kind: ir.Assertion}, true, ""},
		{"float", "assert(__VERIFIER_nondet_float() != 1.0f);", Counterexample{Inputs: []Input{{Function: "__VERIFIER_nondet_float", Float: true, Bits: 32, Value: 0x3f800000}}, Kind: ir.Assertion}, true, ""},
		{"overflow", "int x = __VERIFIER_nondet_int();\n x++;", Counterexample{Inputs: ints(2147483647), Kind: ir.Overflow, Line: 9}, true, ""},
		{"overflow elsewhere", "int x = __VERIFIER_nondet_int();\n x++;", Counterexample{Inputs: ints(2147483647), Kind: ir.Overflow, Line: 8}, false, "line 9 instead"},
		{"division", "int x = 1 / __VERIFIER_nondet_int();", Counterexample{Inputs: ints(0), Kind: ir.DivByZero, Line: 8}, true, ""},
		{"shift", "int x = 1 << __VERIFIER_nondet_int();", Counterexample{Inputs: ints(32), Kind: ir.ShiftRange, Line: 8}, true, ""},
		{"bounds", "int a[4]; a[__VERIFIER_nondet_int()] = 1;", Counterexample{Inputs: ints(4), Kind: ir.InvalidDeref}, true, ""},
		{"double free", "int *p = malloc(4); free(p); free(p);", Counterexample{Kind: ir.InvalidFree}, true, ""},
		{"heap is zero", "int *p = malloc(4); assert(*p != 0);", Counterexample{Kind: ir.Assertion}, true, ""},
		{"arguments", "assert(argc != 3);", Counterexample{Arguments: 3, Kind: ir.Assertion}, true, ""},
		{"assumption", "__VERIFIER_assume(0); assert(0);", Counterexample{Kind: ir.Assertion}, false, "assumption"},
		{"too few inputs", "__VERIFIER_nondet_int(); assert(0);", Counterexample{Kind: ir.Assertion, Silent: []string{"x"}}, false, "cannot be compiled"},
		{"silent function", "log_it(1); assert(0);", Counterexample{Kind: ir.Assertion, Silent: []string{"log_it"}}, true, ""},
		{"no check", "", Counterexample{Kind: ir.MemTrack}, false, "no native check"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := confirm(t, declarations+"int main(int argc, char **argv) { "+test.body+" return 0; }\n", false, test.c)
			if o.Confirmed != test.want || !strings.Contains(o.Why, test.why) {
				t.Errorf("got %+v", o)
			}
		})
	}
}

// TestErrorFunction: the call is the error, even if the body does nothing.
func TestErrorFunction(t *testing.T) {
	o := confirm(t, "void reach_error(void) {}\nint main(void) { reach_error(); return 0; }\n", false, Counterexample{Kind: ir.Assertion})
	if !o.Confirmed {
		t.Errorf("got %+v", o)
	}
}

func TestILP32(t *testing.T) {
	o := confirm(t, "#include <assert.h>\nlong f(void);\nint main(void) { assert(f() != -5 || sizeof(long) != 4); return 0; }\n", true,
		Counterexample{Inputs: []Input{{Function: "f", Bits: 32, Value: 0xfffffffffffffffb}}, Kind: ir.Assertion})
	if !o.Confirmed {
		t.Errorf("got %+v", o)
	}
}
