package precondition

import (
	"math/big"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// program reads x and y as main's inputs, y only if x is not 7, and z in a loop; f is
// called twice, g is recursive.
const program = `module 64 entry @main
func @f() -> i8 {
  var "w" "char" 8
entry:
  %w = nondet i8 input "w"
  dbg 0, %w
  ret %w
}
func @g(%a: i8) -> i8 {
  var "v" "char" 8
entry:
  %v = nondet i8 input "v"
  dbg 0, %v
  %r = call i8 @g(%v)
  ret %r
}
func @h(%a: i8) -> i8 {
  var "a" "char" 8
entry:
  dbg 0, %a
  ret %a
}
func @body() {
  var "x" "char" 8
  var "y" "char" 8
  var "z" "char" 8
  var "b" "char" 8
entry:
  %x = nondet i8 input "x"
  dbg 0, %x
  %c = ne i1 %x, i8 7
  condbr %c, more, out
more:
  %y = nondet i8 input "y"
  dbg 1, %y
  br head
head:
  %z = nondet i8 input "z"
  dbg 2, %z
  %b = nondet i8 approximate "b"
  dbg 3, %b
  %d = ne i1 %z, i8 0
  condbr %d, head, out
out:
  %p = call i8 @f()
  %q = call i8 @f()
  ret
}
func @main() {
entry:
  %k = nondet i8 input "k"
  %r = call i8 @h(%k)
  call void @body()
  halt exit
}
`

func parse(t *testing.T) (*ir.Module, []Input) {
	t.Helper()
	m, err := ir.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	inputs := Inputs(m)
	if len(inputs) != 3 || inputs[0].Name != "a" || inputs[1].Name != "x" || inputs[2].Name != "y" {
		t.Fatalf("%+v", inputs)
	}
	for i := range inputs {
		inputs[i].Signed = true
	}
	return m, inputs
}

// TestAssume: runs of the program that assumes an atom are those in which it holds, and
// go on as before.
func TestAssume(t *testing.T) {
	m, inputs := parse(t)
	before := ir.Print(m)
	numbers := []uint64{0, 1, 2, 6, 7, 8, 126, 127, 128, 129, 200, 255}
	for _, signed := range []bool{true, false} {
		inputs[1].Signed, inputs[2].Signed = signed, signed
		for r := AtMost; r <= Differs; r++ {
			for _, a := range []Atom{{1, r, 2, nil}, {2, r, 1, nil}, {1, r, -1, big.NewInt(6)}, {2, r, -1, big.NewInt(126)}} {
				p := Assume(m, inputs, Condition{a})
				if p == nil {
					t.Fatal(a.Text(inputs))
				}
				for _, x := range numbers {
					for _, y := range numbers {
						choices := []ir.Choice{{Func: "main", Value: inputs[0].Value, Bits: bv.New(8, 0)}, {Func: "body", Value: inputs[1].Value, Bits: bv.New(8, x)}}
						bx, by := bv.New(8, x), bv.New(8, y)
						values := []*bv.BV{nil, &bx, nil}
						if x != 7 {
							values[2] = &by
							choices = append(choices, ir.Choice{Func: "body", Value: inputs[2].Value, Bits: by})
						}
						out, err := interp.Run(t.Context(), p.Module, interp.Options{Oracle: interp.Replay(ir.Input{Choices: choices})})
						if err != nil {
							t.Fatal(err)
						}
						// A run that goes on asks for more than the choices there are.
						want := interp.AssumeFailed
						if a.Holds(inputs, values) {
							want = interp.OutOfChoices
						}
						if out.End != want {
							t.Fatalf("%s with x = %d, y = %d: %v, want %v", a.Text(inputs), x, y, out, want)
						}
					}
				}
			}
		}
	}
	if ir.Print(m) != before {
		t.Error("the program has changed")
	}
	if Assume(m, inputs, Condition{{0, Less, 1, nil}}) != nil {
		t.Error("inputs of two functions are compared")
	}
}

// TestImplies: what Implies says is true of all numbers.
func TestImplies(t *testing.T) {
	inputs := []Input{{Bits: 4, Signed: true, Name: "x"}, {Bits: 4, Signed: true, Name: "y"}}
	var atoms []Atom
	for r := AtMost; r <= Differs; r++ {
		atoms = append(atoms, Atom{0, r, 1, nil})
		for _, n := range []int64{-8, -1, 0, 1, 3, 7} {
			atoms = append(atoms, Atom{0, r, -1, big.NewInt(n)}, Atom{1, r, -1, big.NewInt(n)})
		}
	}
	count := 0
	for _, a := range atoms {
		for _, b := range atoms {
			if !a.Implies(b) {
				continue
			}
			count++
			for x := range uint64(16) {
				for y := range uint64(16) {
					bx, by := bv.New(4, x), bv.New(4, y)
					values := []*bv.BV{&bx, &by}
					if a.Holds(inputs, values) && !b.Holds(inputs, values) {
						t.Fatalf("%s does not imply %s: %d, %d", a.Text(inputs), b.Text(inputs), x, y)
					}
				}
			}
		}
	}
	if count < 100 {
		t.Errorf("only %d implications", count)
	}
}

// TestCandidates: they are about numbers of the type, and weaker forms are weaker.
func TestCandidates(t *testing.T) {
	m, inputs := parse(t)
	seen := map[string]bool{}
	for _, c := range Candidates(m, inputs) {
		text := c.Text(inputs)
		if seen[text] {
			t.Errorf("%s twice", text)
		}
		seen[text] = true
		for _, a := range c {
			if a.Right < 0 && (a.Constant.Cmp(big.NewInt(-128)) < 0 || a.Constant.Cmp(big.NewInt(127)) > 0) {
				t.Error(text)
			}
		}
	}
	for _, want := range []string{"x != 0", "x >= 0", "x <= 7", "x < y", "y != 127"} {
		if !seen[want] {
			t.Errorf("no %s", want)
		}
	}
	for _, a := range Moderate(inputs) {
		ws := Weaker(inputs, a)
		if len(ws) == 0 {
			t.Error(a.Text(inputs))
		}
		for _, w := range ws {
			if !a.Implies(w) || w.Implies(a) {
				t.Errorf("%s is not weaker than %s", w.Text(inputs), a.Text(inputs))
			}
		}
	}
}
