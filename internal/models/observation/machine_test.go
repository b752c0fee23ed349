package observation

import (
	"testing"

	"assay/internal/program/ir"
)

// TestMachine: atoms over machine integers are those of which C thinks as integers do.
func TestMachine(t *testing.T) {
	types := map[string]ir.CType{
		"c": {Bits: 8, Signed: true}, "d": {Bits: 8}, "i": {Bits: 32, Signed: true}, "u": {Bits: 32}, "l": {Bits: 64, Signed: true}, "w": {Bits: 64},
	}
	declared := func(name string) (ir.CType, error) { return types[name], nil }
	for text, want := range map[string]bool{
		"i == 1": true, " i==-1 ": true, "i": true, "!i": true, "!(i == 1) && u": true, "(i < 2 || (c > d && !u))": true, "!!i": true,
		"i > 5 && i < 7 && i != 6 || !l": true,
		"c < d":                          true, "c < u": false, "d < u": true, "u == 4294967295": true, "u > -1": false, "-1 < u": false, "u < l": true, "i < w": false,
		"l < w": false, "d < w": true, "i < l": true, "u < w": true, "w >= 0": true, "u != -0": true,
		"x-1 == 3": false, "i-1 == 3": false, "i + 1 == 3": false, "2 * i == 4": false, "-i == 3": false, "i == 3u": false, "i == 0x10": false,
		"i == 010": false, "i == 1.5": false, "!i == 3": false, "i == 3 == 1": false, "i < l < 2": false, "i == -1 - 2": false, "(i) == 3": false,
		"i == 3 i": false, "i &&": false, "& i": false, "i & 1": false, "": false, "(i": false, "i = 3": false, "z == 1": false,
		"i == 99999999999999999999": false, "!(!i == 3)": false, "i i": false, "~i": false,
	} {
		if err := machine(text, declared); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
