package graph

import (
	"testing"

	"assay/internal/engines/symex"
	"assay/internal/program/ir"
)

// TestGuards asks of divisions and shifts that their second operands are as they have to be.
func TestGuards(t *testing.T) {
	const program = `module 64 entry @main
func @main() {
entry:
  %x = nondet i8 input "x"
  %y = nondet i8 input "y"
  %ok = CONDITION
  assume %ok
  %r = OPERATION i8 %x, %y
  halt exit
}
`
	conditions := map[string]string{"not 0": "ne i1 %y, i8 0", "small": "ult i1 %y, i8 8", "few": "ule i1 %y, i8 8", "positive": "slt i1 i8 0, %y"}
	for _, test := range []struct {
		operation, condition string
		kind                 ir.CheckKind
		holds                bool
	}{
		{"udiv", "not 0", ir.DivByZero, true}, {"udiv", "small", ir.DivByZero, false},
		{"urem", "positive", ir.DivByZero, true}, {"urem", "few", ir.DivByZero, false},
		{"sdiv", "positive", ir.DivByZero, true}, {"sdiv", "small", ir.DivByZero, false},
		{"srem", "not 0", ir.DivByZero, true}, {"srem", "few", ir.DivByZero, false},
		{"shl", "small", ir.ShiftRange, true}, {"shl", "few", ir.ShiftRange, false},
		{"lshr", "small", ir.ShiftRange, true}, {"lshr", "positive", ir.ShiftRange, false},
		{"ashr", "small", ir.ShiftRange, true}, {"ashr", "not 0", ir.ShiftRange, false},
	} {
		text := replaceOnce(t, replaceOnce(t, program, "CONDITION", conditions[test.condition]), "OPERATION", test.operation)
		m := parsed(t, text)
		targets := []ir.CheckKind{test.kind}
		r := symex.Build(t.Context(), m, symex.Options{Targets: targets})
		if r.Graph == nil {
			t.Fatal(r.Why())
		}
		if proved := len(r.Suspects) == 0; proved != test.holds {
			t.Errorf("%s, %s: the engine says %v", test.operation, test.condition, proved)
		}
		if _, err := Check(t.Context(), m, r.Graph, Options{Targets: targets}); (err == nil) != test.holds {
			t.Errorf("%s, %s: the checker says %v", test.operation, test.condition, err)
		}
	}
}

// TestFloatGuard asks that a float fits the integer it becomes: of floats nothing is known, so only code that is
// never reached is proved.
func TestFloatGuard(t *testing.T) {
	const program = `module 64 entry @main
func @main() {
entry:
  %x = nondet i8 input "x"
  %y = nondet i8 input "y"
  %f = sitof f64 %x
  %first = ult i1 %x, i8 8
  condbr %first, a, b
a:
  %second = ult i1 %LIMIT, i8 8
  condbr %second, b, c
b:
  halt exit
c:
  %r = ftosi i8 %f
  halt exit
}
`
	for limit, holds := range map[string]bool{"x": true, "y": false} {
		m := parsed(t, replaceOnce(t, program, "LIMIT", limit))
		targets := []ir.CheckKind{ir.FloatConversion}
		r := symex.Build(t.Context(), m, symex.Options{Targets: targets})
		if r.Graph == nil {
			t.Fatal(r.Why())
		}
		if proved := len(r.Suspects) == 0; proved != holds {
			t.Errorf("%s: the engine says %v", limit, proved)
		}
		if _, err := Check(t.Context(), m, r.Graph, Options{Targets: targets}); (err == nil) != holds {
			t.Errorf("%s: the checker says %v", limit, err)
		}
	}
}
