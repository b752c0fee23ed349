package llvm

import "testing"

// TestOverflowFlags: what overflow.go replaces is what it is replaced by, for all numbers of 8 bits.
func TestOverflowFlags(t *testing.T) {
	for x := range 256 {
		for y := range 256 {
			a, b := uint8(x), uint8(y)
			if logical := (b>>7^a>>7)+a>>7 == 2; logical != (int8(b) >= 0 && int8(a) < 0) {
				t.Fatal(a, b)
			}
			if c, d := int8(a)>>7, int8(b)>>7; uint8((d^c)+c) == 2 {
				t.Fatal("arithmetic", a, b)
			}
		}
	}
}
