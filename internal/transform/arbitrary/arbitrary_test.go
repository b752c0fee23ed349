package arbitrary

import (
	"fmt"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/transform"
)

// source has one operation on two inputs, which the function returns.
const source = `module 64 entry @main
func @main() {
entry:
  %%r = call i4 @f()
  halt exit
}
func @f() -> i4 {
entry:
  %%a = nondet i4 input "a"
  %%b = nondet i4 input "b"
  %%o = %sovf i1 %%a, %%b
  %%n = xor i1 %%o, i1 1
  check overflow %%n "overflow in %s"
  %%c = %s i4 %%a, %%b
  %%d = add i4 %%c, i4 1
  ret %%c
}
`

// TestOverflow runs each operation on all operands of 4 bits: what does not overflow stays, and
// what does yields what is chosen.
func TestOverflow(t *testing.T) {
	for op, exact := range map[string]func(a, b int64) int64{
		"sadd": func(a, b int64) int64 { return a + b },
		"ssub": func(a, b int64) int64 { return a - b },
		"smul": func(a, b int64) int64 { return a * b },
	} {
		m, err := ir.Parse(fmt.Sprintf(source, op, op[1:], op[1:]))
		if err != nil {
			t.Fatal(err)
		}
		before := ir.Print(m)
		p := Overflow(m)
		if p == nil || p.Runs != transform.More || ir.Verify(p.Module) != nil {
			t.Fatalf("%s: no program: %v", op, p)
		}
		f := p.Module.Func("f")
		var other ir.Value
		for v := range f.Values {
			if d := f.Def(ir.Value(v)); d.Op == ir.Nondet && ir.NondetKind(d.Aux) == ir.NondetUndef {
				other = ir.Value(v)
			}
		}
		for a := int64(-8); a < 8; a++ {
			for b := int64(-8); b < 8; b++ {
				for chosen := range uint64(16) {
					got := result(t, p.Module, other, a, b, chosen)
					want := uint64(exact(a, b)) % 16
					if r := exact(a, b); r < -8 || r > 7 {
						want = chosen
					}
					if got != want {
						t.Fatalf("%s of %d and %d: got %d, want %d", op, a, b, got, want)
					}
				}
			}
		}
		if ir.Print(m) != before {
			t.Error("the program has changed")
		}
	}
}

// result is what a run of f returns.
func result(t *testing.T, m *ir.Module, other ir.Value, a, b int64, chosen uint64) uint64 {
	t.Helper()
	f := m.Func("f")
	var choices []ir.Choice
	for _, instr := range f.Blocks[1].Instrs {
		d := f.Def(instr)
		if d.Op != ir.Nondet {
			continue
		}
		bits := bv.New(4, chosen)
		switch {
		case instr == other:
		case d.Sym == "a":
			bits = bv.New(4, uint64(a)%16)
		default:
			bits = bv.New(4, uint64(b)%16)
		}
		choices = append(choices, ir.Choice{Func: "f", Value: instr, Bits: bits})
	}
	var out uint64
	_, err := interp.Run(t.Context(), m, interp.Options{Oracle: interp.Replay(ir.Input{Choices: choices}), Observe: func(e interp.Event) {
		if e.Kind == interp.Leave && e.Func.Name == "f" {
			out = e.Bits.Uint64()
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
