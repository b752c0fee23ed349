package conductor

import (
	"testing"

	"assay/internal/program/ir"
)

// TestBesidePaths: the others leave their time to the engine that follows paths where a loop moves a pointer that it reads
// from memory, not where all loops can be cut, and not if that engine does not run.
func TestBesidePaths(t *testing.T) {
	const begin = `module 64 entry @main
func @main() {
entry:
  %n = nondet i32 input "n"
  %p = alloca ptr i64 8 align 8
  %q = alloca ptr i64 64 align 8
  store %q, %p
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %c = ult i1 %i, %n
  condbr %c, body, exit
body:
  %j = add i32 %i, i32 1
`
	const end = `
  br head
exit:
  halt exit
}
`
	for _, c := range []struct {
		name, body string
		want       bool
	}{
		{"reads and moves a pointer", "  %x = load ptr %p\n  %y = ptradd ptr %x, i64 1\n  store i8 1, %x\n  store %y, %p", true},
		{"counts", "  store %j, %q", false},
	} {
		m, err := ir.Parse(begin + c.body + end)
		if err != nil {
			t.Fatal(c.name, err)
		}
		r := newRun(Task{Module: m, Targets: []ir.CheckKind{ir.InvalidDeref}})
		if got := r.besidePaths(m, []Engine{{Name: "bmc"}, {Name: "paths"}}); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
		if r.besidePaths(m, []Engine{{Name: "bmc"}}) {
			t.Errorf("%s: beside an engine that does not run", c.name)
		}
	}
}
