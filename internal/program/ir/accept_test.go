package ir_test

import (
	"testing"

	"assay/internal/program/ir"
)

func TestAccepting(t *testing.T) {
	const begin, end = "module 64 entry @main\n", "func @main() {\nb1:\n  ret\n}\n"
	m, err := ir.Parse(begin + end + `func @a() {
b1:
  accept
  ret
}
func @b() {
b1:
  call void @a()
  ret
}
func @c() {
b1:
  call void @b()
  ret
}
func @d(%p: ptr) {
b1:
  call void %p()
  ret
}
`)
	if err != nil {
		t.Fatal(err)
	}
	got := ir.Accepting(m)
	for name, want := range map[string]bool{"main": false, "a": true, "b": true, "c": true, "d": true} {
		if got[m.Func(name)] != want {
			t.Errorf("%s: %v", name, got[m.Func(name)])
		}
	}
	if m, err = ir.Parse(begin + end); err != nil || len(ir.Accepting(m)) > 0 {
		t.Error("a program without Accept accepts", err)
	}
}
