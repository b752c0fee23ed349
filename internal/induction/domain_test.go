package induction

import (
	"fmt"
	"strings"
	"testing"

	"assay/internal/cut"
	"assay/internal/invariant"
	"assay/internal/ir"
)

func TestParseRow(t *testing.T) {
	for row, want := range map[string]string{
		"x - y": "[{1 x} {-1 y}]", "2*x+y": "[{2 x} {1 y}]", "-3 * a_1": "[{-3 a_1}]",
		"": "error", "x y +": "error", "x**y": "error", "0*x": "error", "2x": "error", "99999999*x": "error", "x - ": "error", "1": "error",
	} {
		got, err := ParseRow(row)
		if text := fmt.Sprint(got); err != nil && want != "error" || err == nil && text != want {
			t.Errorf("%q: %v, %v, want %s", row, got, err, want)
		}
	}
}

func FuzzParseRow(f *testing.F) {
	for _, row := range []string{"x - y", "2*x+y", "-3*a", "x--y"} {
		f.Add(row)
	}
	f.Fuzz(func(t *testing.T, row string) {
		got, err := ParseRow(row)
		if err != nil {
			return
		}
		var text []string
		for _, s := range got {
			text = append(text, fmt.Sprintf("%+d*%s", s.Coeff, s.Name))
		}
		again, err := ParseRow(strings.Join(text, ""))
		if err != nil || fmt.Sprint(again) != fmt.Sprint(got) {
			t.Errorf("%q: %v, printed and read again %v, %v", row, got, again, err)
		}
	})
}

// TestDomainOf: what the domains contain.
func TestDomainOf(t *testing.T) {
	x, y := cut.Place{Value: 1, Bits: 8}, cut.Place{Value: 2, Bits: 8}
	for _, c := range []struct {
		terms []invariant.Term
		want  Domain
	}{
		{[]invariant.Term{x.Term(1, true)}, Intervals | Zones | Octagons | Polyhedra},
		{[]invariant.Term{x.Term(-1, true), y.Term(1, true)}, Zones | Octagons | Polyhedra},
		{[]invariant.Term{x.Term(-1, true), y.Term(-1, true)}, Octagons | Polyhedra},
		{[]invariant.Term{x.Term(2, true)}, Polyhedra},
	} {
		if got := domainOf(c.terms); got != c.want {
			t.Errorf("%v: %b, want %b", c.terms, got, c.want)
		}
	}
}

// TestBounds has the bounds of a sum searched: it is no constant of the program.
func TestBounds(t *testing.T) {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	entry, head, body, out := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("out")
	byteType := ir.IntType(8)
	b.At(entry)
	n := b.Nondet(byteType, ir.NondetInput, "n")
	b.Assume(b.Cmp(ir.ULe, n, b.Const(8, 20)))
	b.Br(head)
	b.At(head)
	i, s := b.Phi(byteType), b.Phi(byteType)
	b.AddIncoming(i, b.Const(8, 0), entry)
	b.AddIncoming(s, b.Const(8, 0), entry)
	b.CondBr(b.Cmp(ir.ULt, i, n), body, out)
	b.At(body)
	d := b.Nondet(byteType, ir.NondetInput, "d")
	b.Assume(b.Cmp(ir.ULe, d, b.Const(8, 5)))
	b.AddIncoming(i, b.Bin(ir.Add, i, b.Const(8, 1)), body)
	b.AddIncoming(s, b.Bin(ir.Add, s, d), body)
	b.Br(head)
	b.At(out)
	// s <= 5 * i.
	b.Check(ir.Assertion, b.Cmp(ir.ULe, s, b.Bin(ir.Mul, i, b.Const(8, 5))), "sum")
	b.Halt(ir.HaltExit)
	b.Done()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		o      Options
		proves bool
	}{
		{Options{Domains: Polyhedra}, true},
		{Options{Domains: Intervals}, false},
		{Options{Havoc: true}, false},
	} {
		c.o.Targets, c.o.MaxK = []ir.CheckKind{ir.Assertion}, 1
		r := Prove(t.Context(), m, c.o)
		if (r.Proof != nil) != c.proves {
			t.Errorf("%+v: proof %v, %v", c.o, r.Proof, r.Why)
		}
	}
}
