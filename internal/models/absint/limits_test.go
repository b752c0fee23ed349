package absint

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/internal/program/ir"
)

// A counter that is set back when it is equal to 64 stays below, however many other constants
// the program compares with.
func TestNear(t *testing.T) {
	var constants, compared strings.Builder
	for k := range 15 {
		fmt.Fprintf(&constants, "  %%%d = const i32 %d\n", 30+k, 4*k+3)
		fmt.Fprintf(&compared, "  %%%d = ult i1 %%1, %%%d\n", 50+k, 30+k)
	}
	m, err := ir.Parse(`module 32 entry @main

func @main() {
  %2 = const i32 0
  %3 = const i32 1
  %4 = const i32 64
` + constants.String() + `entry:
  %1 = nondet i32 input "u"
` + compared.String() + `  br head
head:
  %5 = phi i32 [%2, entry], [%9, back]
  %6 = ult i1 %5, %4
  check assertion %6 "below"
  %7 = add i32 %5, %3
  %8 = eq i1 %7, %4
  condbr %8, full, back
full:
  br back
back:
  %9 = phi i32 [%7, head], [%2, full]
  br head
}
`)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := Analyze(context.Background(), m, Options{})
	if err != nil {
		t.Fatal(err)
	}
	for v := range m.Funcs[0].Values {
		if v := ir.Value(v); m.Funcs[0].Values[v].Op == ir.Check && facts.MayViolate(0, v, ir.Assertion) {
			t.Error("the counter may be 64")
		}
	}
}
