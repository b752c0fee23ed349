package main

import (
	"strings"
	"testing"
)

// TestSolveCTL decides formulas of a small system, and looks at messages about wrong ones.
func TestSolveCTL(t *testing.T) {
	t.Parallel()
	const system = `START: 0;
FROM: 0; x := 0; y := nondet(); TO: 1;
FROM: 1; assume(x < 5); x := x + 1; TO: 1;
FROM: 1; assume(x >= 5); TO: 2;
FROM: 2; y := nondet(); TO: 2;
`
	file := write(t, "f.t2", system)
	for formula, want := range map[string]string{
		"AF(x == 5)":                "RESULT: true",
		"AG(x <= 5)":                "RESULT: true",
		"AG(x < 5)":                 "RESULT: false(ctl)",
		"AG(EF(y == 7))":            "RESULT: true",
		"AF(y == 7)":                "RESULT: false(ctl)",
		"EG(y == 7)":                "RESULT: true",
		"A[x < 5 U x == 5]":         "RESULT: true",
		"AG(x != 5 ==> EX(x == 5))": "RESULT: false(ctl)",
		"AG(x > 9 ==> EX(z == 5))":  "the system has no variable z",
		"AG(x > 9":                  "is not closed",
		"[AG](x * y > 9)":           "not linear",
	} {
		out := invoke(t, "solve", "--ctl", formula, file)
		if !strings.Contains(out.stdout+out.stderr, want) {
			t.Errorf("%s: got %s%s, want %s", formula, out.stdout, out.stderr, want)
		}
	}
}
