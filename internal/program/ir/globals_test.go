package ir_test

import (
	"testing"

	"assay/internal/program/ir"
)

// TestWithGlobals: a function with a loop gets the globals of what it calls there, and its
// other values keep their numbers; functions without need stay what they are.
func TestWithGlobals(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
global @c size 4 align 4 stride 0 cell 4
global @d size 4 align 4 stride 0 cell 4
global @wide size 16 align 8
func @deep() {
entry:
  %v = load i32 @c align 4
  store %v, @c
  %w = load i32 @wide align 4
  ret
}
func @step() {
entry:
  call void @deep()
  ret
}
func @straight() {
entry:
  call void @deep()
  ret
}
func @main() {
entry:
  %x = load i32 @d align 4
  br head
head:
  call void @step()
  br head
}
`)
	if err != nil {
		t.Fatal(err)
	}
	out := ir.WithGlobals(m)
	if err := ir.Verify(out); err != nil {
		t.Fatal(err)
	}
	has := func(f *ir.Func, name string) bool {
		for v := 1; v < len(f.Values); v++ {
			if d := f.Def(ir.Value(v)); d.Op == ir.GlobalAddr && d.Sym == name {
				return true
			}
		}
		return false
	}
	before, after := m.Func("main"), out.Func("main")
	if has(before, "c") || !has(after, "c") || has(after, "wide") || len(after.Values) != len(before.Values)+1 {
		t.Errorf("main has %d values, before %d", len(after.Values), len(before.Values))
	}
	for _, name := range []string{"deep", "step", "straight"} {
		if m.Func(name) != out.Func(name) {
			t.Errorf("%s has changed", name)
		}
	}
	if ir.WithGlobals(out) != out {
		t.Error("there is more to add after everything was added")
	}
}
