package assay

import "testing"

// TestAssertEnds: where only error functions count, a failed assert ends the run, and what is after it is not reached.
func TestAssertEnds(t *testing.T) {
	for body, want := range map[string]string{
		"assert(x != 7);": "true",
		"assert(x != 7); if (x == 7) reach_error();": "true",
		"if (x == 7) reach_error();":                 "false(unreach-call)",
		"assert(x > 7); if (x == 8) reach_error();":  "false(unreach-call)",
		"__VERIFIER_assert(x != 7);":                 "false(unreach-call)",
		"if (x == 7) { reach_error(); } assert(x);":  "false(unreach-call)",
	} {
		source := "#include <assert.h>\nint __VERIFIER_nondet_int(void);\nvoid __VERIFIER_assert(int);\nvoid reach_error(void) { assert(0); }\nint main(void) {\n  int x = __VERIFIER_nondet_int();\n  " + body + "\n}\n"
		r, err := Check(t.Context(), Task{Files: []string{write(t, source)}, Program: Program{AssertEnds: true}})
		if err != nil || r.Line() != want {
			t.Errorf("%s: %v, %v, want %s", body, r, err, want)
		}
	}
}
