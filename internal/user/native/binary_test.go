package native

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/program/ir"
)

// TestConfirmBinary: object files, programs whose inputs are functions that do nothing, and library functions that are
// called by way of tables.
func TestConfirmBinary(t *testing.T) {
	const empty = "int __VERIFIER_nondet_int(void) {} signed char __VERIFIER_nondet_char(void) {} float __VERIFIER_nondet_float(void) {} void __VERIFIER_assume(int c) {} void log_it(int n) {}\n"
	for _, test := range []struct {
		name, body string
		options    string
		c          Counterexample
		want       bool
		why        string
	}{
		{"object", "int x = __VERIFIER_nondet_int(); if (x == -3) reach_error();", "-O0 -c", Counterexample{Inputs: ints(-3)}, true, ""},
		{"program", "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x == 1 && y == 2) reach_error();", "-O0", Counterexample{Inputs: ints(1, 2)}, true, ""},
		{"static", "int x = __VERIFIER_nondet_int(), y = __VERIFIER_nondet_int(); if (x == 1 && y == 2) reach_error();", "-O0 -static", Counterexample{Inputs: ints(1, 2)}, true, ""},
		{"fixed", "int x = __VERIFIER_nondet_int(); assert(x != 4);", "-O1 -no-pie", Counterexample{Inputs: ints(4)}, true, ""},
		{"none", "int x = __VERIFIER_nondet_int(); assert(x != 4);", "-O1 -c", Counterexample{Inputs: ints(5)}, false, "does not violate"},
		{"char", "signed char c = __VERIFIER_nondet_char(); assert(c >= 0);", "-O1", Counterexample{Inputs: []Input{{Function: "__VERIFIER_nondet_char", Bits: 8, Value: ^uint64(0)}}}, true, ""},
		{"float", "assert(__VERIFIER_nondet_float() != 1.0f);", "-O1 -c", Counterexample{Inputs: []Input{{Function: "__VERIFIER_nondet_float", Float: true, Bits: 32, Value: 0x3f800000}}}, true, ""},
		{"assumption", "__VERIFIER_assume(0); assert(0);", "-O0 -c", Counterexample{}, false, "assumption"},
		{"more", "__VERIFIER_nondet_int(); assert(0);", "-O0 -c", Counterexample{}, false, "more values of __VERIFIER_nondet_int"},
		{"table", "assert(rand() != 77);", "-O1 -fno-plt", Counterexample{Inputs: []Input{{Function: "rand", Bits: 32, Value: 77}}}, true, ""},
		{"stub", "assert(rand() != 77);", "-O0", Counterexample{Inputs: []Input{{Function: "rand", Bits: 32, Value: 77}}}, true, ""},
		{"arguments", "assert(argc != 3);", "-O0", Counterexample{Arguments: 3}, true, ""},
		{"library", "assert(getchar() != 'x');", "-O0", Counterexample{Inputs: []Input{{Function: "character", Bits: 32, Value: 'x'}}}, false, "cannot be fed"},
		{"memory", "", "-O0", Counterexample{Kind: ir.InvalidDeref}, false, "does not fault"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			folder := t.TempDir()
			in, out := filepath.Join(folder, "f.c"), filepath.Join(folder, "f.out")
			source := "#include <stdio.h>\n" + declarations + "void reach_error(void);\nint main(int argc, char **argv) { " + test.body + " return 0; }\n"
			files := []string{in}
			if !strings.Contains(test.options, "-c") {
				files = append(files, filepath.Join(folder, "g.c"))
				if err := os.WriteFile(files[1], []byte(empty+"void reach_error(void) {}\n"), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err := os.WriteFile(in, []byte(source), 0o600); err != nil {
				t.Fatal(err)
			}
			if text, err := exec.Command("gcc", append(append(strings.Fields(test.options), "-w", "-o", out), files...)...).CombinedOutput(); err != nil {
				t.Fatalf("gcc: %v\n%s", err, text)
			}
			if test.c.Kind == 0 {
				test.c.Kind = ir.Assertion
			}
			o, err := ConfirmBinary(t.Context(), out, test.c)
			if err != nil {
				t.Fatal(err)
			}
			if o.Confirmed != test.want || !strings.Contains(o.Why, test.why) {
				t.Errorf("got %+v", o)
			}
		})
	}
}
