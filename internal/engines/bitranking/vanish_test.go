package bitranking

import (
	"fmt"
	"math/bits"
	"testing"

	"assay/internal/program/ir"
)

// TestZeros: the function by cases is what it is said to be, for all sums of two numbers of 4 bits and a constant.
func TestZeros(t *testing.T) {
	const w = 4
	places := []place{{Bits: w}, {Bits: w}}
	for _, c := range []int64{-2, -1, 1, 2} {
		for k := range uint64(1 << w) {
			f := zeros(w, []summand{{0, 1, true}, {1, c, true}}, k)
			for x := range uint64(1 << w) {
				for y := range uint64(1 << w) {
					s := (x + uint64(c)*y + k) & (1<<w - 1)
					want := int64(w - min(w, bits.TrailingZeros64(s)))
					if p := f.at(places, []uint64{x, y}); p.constant != want || len(p.sum) > 0 {
						t.Fatalf("x + %d*y + %d for x = %d, y = %d: %d, not %d", c, k, x, y, p.constant, want)
					}
				}
			}
		}
	}
}

func TestInverse(t *testing.T) {
	for n := uint64(1); n < 1<<12; n += 2 {
		if n*inverse(n) != 1 || -n*inverse(-n) != 1 {
			t.Fatal(n)
		}
	}
}

// doubling is a loop in which a sum vanishes modulo 2^w, and another value goes down where it is 0.
func doubling(t *testing.T, w int, step string) *ir.Module {
	return parse(t, fmt.Sprintf(`module 64 entry @main
func @main() {
entry:
  %%a = nondet i%[1]d input "a"
  %%b = nondet i%[1]d input "b"
  br head
head:
  %%x = phi i%[1]d [%%a, entry], [%%x2, body]
  %%y = phi i%[1]d [%%b, entry], [%%y2, body]
  %%c = slt i1 i%[1]d 0, %%x
  condbr %%c, body, exit
body:
%[2]s
  br head
exit:
  halt exit
}
`, w, step))
}

// TestVanishing: x = 2x + y, y = y + 1 ends only because numbers wrap; with y arbitrary there is no such sum.
func TestVanishing(t *testing.T) {
	for _, w := range []int{5, 16, 32} {
		prove(t, doubling(t, w, fmt.Sprintf(`  %%d = add i%[1]d %%x, %%x
  %%x2 = add i%[1]d %%d, %%y
  %%y2 = add i%[1]d %%y, i%[1]d 1`, w)))
	}
	m := doubling(t, 16, `  %d = add i16 %x, %x
  %x2 = add i16 %d, %y
  %y2 = nondet i16 input "y"`)
	if r := Prove(t.Context(), m, nil); r.Proof != nil {
		t.Errorf("a loop that need not end is ranked: %+v", r.Proof)
	}
}
