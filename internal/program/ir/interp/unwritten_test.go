package interp

import (
	"context"
	"slices"
	"testing"

	"assay/internal/program/ir"
)

// TestUnwritten: which loads read what no instruction wrote, also what was copied, overwritten in part, or there before a lifetime.
func TestUnwritten(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
global @g size 8 align 8
func @main() {
b1:
  %a = alloca ptr i64 16
  %b = malloc ptr i64 16
  %first = load i32 %a
  store i32 7, %a
  %whole = load i64 %a
  %four = load i32 %a
  %global = load i64 @g
  memcpy %b, %a, i64 8
  %copied = load i32 %b
  %c = ptradd ptr %b, i64 4
  %padding = load i8 %c
  %d = ptradd ptr %b, i64 8
  store %a, %d
  %pointer = load ptr %d
  memset %b, i8 0, i64 8
  %set = load i64 %b
  memcpy %b, @g, i64 8
  %zero = load i64 %b
  %e = ptradd ptr %a, i64 8
  %last = load ptr %e
  ret
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	for _, opts := range []Options{{}, {Repeats: true}, {Accelerate: true}} {
		var got []ir.Value
		opts.Unwritten = true
		opts.Observe = func(e Event) {
			if e.Kind == UnwrittenRead {
				got = append(got, e.Value)
			}
		}
		if out, err := Run(context.Background(), m, opts); err != nil || out.End != Returned {
			t.Fatal(out, err)
		}
		var loads []int
		for n, v := range m.Funcs[0].Blocks[1].Instrs {
			if slices.Contains(got, v) {
				loads = append(loads, n)
			}
		}
		if want := []int{2, 4, 10, 19}; !slices.Equal(loads, want) { // first, whole, padding, last
			t.Errorf("%+v: loads of what was never written: %v, want %v", opts, loads, want)
		}
	}
}
