package product_test

import (
	"slices"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
	"assay/internal/transform/product"
)

// TestResultsOfUnsupportedCall: a call through a pointer that may observe is unsupported, and the
// module is one all the same, even if further results of the call are used.
func TestResultsOfUnsupportedCall(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @entry

global @x size 4 align 4

func @pair() -> i32, i32 {
entry:
  store i32 1, @x
  ret i32 1, i32 2
}

func @main() {
entry:
  %2 = call i32 (@pair)()
  %3 = extract i32 %2, 1
  %4 = add i32 %2, %3
  store %4, @x
  ret
}

func @entry() {
entry:
  call void @main()
  halt exit
}

func @atom() -> i32 {
entry:
  %1 = load i32 @x
  ret %1
}
`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := product.Make(&product.Question{
		Program: m, Observers: []product.Observer{{Func: "atom"}},
		Automaton: &buchi.Automaton{
			Atoms: []ltl.Atom{{Kind: ltl.CAtom, Text: "x"}}, Edges: [][]buchi.Edge{{{Label: buchi.Cube{}, To: 0}}}, Accepting: []bool{false},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	if f := p.Module.Func(p.Module.Entry); !slices.ContainsFunc(f.Values, func(d ir.Def) bool { return d.Op == ir.Unsupported }) {
		t.Errorf("the call is supported:\n%s", ir.Print(p.Module))
	}
}
