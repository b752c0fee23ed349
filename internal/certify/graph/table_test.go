package graph

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/engines/symex"
	"assay/internal/program/ir"
)

// constants reads an element of a constant table, and claims that it is not %d where the index is %d.
const constants = `module 64 entry @main
global @table size 12 align 2 const init "\x05\x00\x07\x00\x09\x00\xff\xff\x00\x80\x00\x80"
func @main() {
entry:
  %n = nondet i64 input "n"
  %in = ult i1 %n, i64 6
  assume %in
  %off = mul i64 %n, i64 2
  %p = ptradd ptr @table, %off
  %v = load i16 %p
  %same = eq i1 %v, i16 X
  %here = eq i1 %n, i64 Y
  %both = and i1 %same, %here
  %good = xor i1 %both, i1 1
  check assertion %good "claim"
  halt exit
}
`

// TestTablePrograms claims of each element of a table that it is none of several numbers, in turn: exactly the true
// claims are proved, and proofs of none of the others are accepted.
func TestTablePrograms(t *testing.T) {
	table := []int64{5, 7, 9, -1, -0x8000, -0x8000}
	prove := func(text string) (proved bool, graph *symex.Result, m *ir.Module) {
		m = parsed(t, text)
		r := symex.Build(t.Context(), m, symex.Options{Targets: []ir.CheckKind{ir.Assertion}})
		return r.Graph != nil && len(r.Suspects) == 0, &r, m
	}
	for y, element := range table {
		for _, x := range []int64{5, 6, 7, 11, -1, -0x8000, 0} {
			text := strings.NewReplacer("X", fmt.Sprint(uint16(x)), "Y", fmt.Sprint(y)).Replace(constants)
			proved, r, m := prove(text)
			if proved != (x != element) {
				t.Errorf("element %d is not %d: proved %v", y, x, proved)
			}
			if r.Graph == nil {
				continue
			}
			_, err := Check(t.Context(), m, r.Graph, Options{Targets: []ir.CheckKind{ir.Assertion}})
			if (err == nil) != (x != element) {
				t.Errorf("element %d is not %d: %v", y, x, err)
			}
		}
	}
	// None of these claims is true: the table is not constant, the index may be between elements, or beyond.
	claim := strings.NewReplacer("X", "6", "Y", "1").Replace(constants)
	for name, change := range map[string][2]string{
		"written":   {"  %v = load", "  store i16 6, %p\n  %v = load"},
		"unaligned": {"mul i64 %n, i64 2", "mul i64 %n, i64 1"},
	} {
		text := replaceOnce(t, claim, change[0], change[1])
		if name == "written" {
			text = replaceOnce(t, text, "align 2 const init", "align 2 init")
		} else { // the number at byte 1 is 0x0700
			text = replaceOnce(t, text, "i16 6", "i16 1792")
		}
		proved, r, m := prove(text)
		if proved {
			t.Errorf("%s: proved", name)
		}
		if r.Graph == nil {
			continue
		}
		if _, err := Check(t.Context(), m, r.Graph, Options{Targets: []ir.CheckKind{ir.Assertion}}); err == nil {
			t.Errorf("%s: accepted", name)
		}
	}
}
