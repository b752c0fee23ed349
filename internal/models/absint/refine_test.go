package absint

import (
	"context"
	"testing"

	"assay/internal/program/ir"
)

// A condition that is computed before a join and asked behind it restricts nothing
// through operands that are not used any more: what the frame has of them is of
// one of the ways into the join.
func TestRestrictUnused(t *testing.T) {
	m, err := ir.Parse(`module 32 entry @main

func @main() {
  %1 = const i8 0
  %2 = const i8 2
  %3 = const i32 1
  %4 = null
entry:
  %5 = nondet i8 input "u"
  %6 = ne i1 %1, %5
  %7 = eq i1 %1, %5
  condbr %6, then, join
then:
  %8 = ne i1 %5, %2
  br join
join:
  condbr %7, write, end
write:
  memset %4, %1, %3
  br end
end:
  ret
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
		if v := ir.Value(v); m.Funcs[0].Values[v].Op == ir.MemSet && !facts.MayViolate(0, v, ir.InvalidDeref) {
			t.Error("the write through null is not reached")
		}
	}
}
