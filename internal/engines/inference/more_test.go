package inference

import (
	"math/big"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/program/ir"
)

// TestMore: candidates from outside are taken once, unless a run breaks them or the
// loop is not there.
func TestMore(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main

func @main() {
entry:
  br head
head:
  %x = phi i8 [i8 0, entry], [%y, body]
  %c = nondet i1 input "c"
  condbr %c, body, end
body:
  %a = add i8 %x, i8 4
  %y = xor i8 %a, i8 8
  br head
end:
  %z = and i8 %x, i8 3
  %ok = eq i1 %z, i8 0
  check assertion %ok "even"
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Func("main")
	x := f.Blocks[2].Instrs[0]
	sum := func(bound int64, r invariant.Relation, modulus uint64) invariant.Predicate {
		return invariant.Comparison{Terms: []invariant.Term{{Coeff: 1, Value: x, Bits: 8}}, Relation: r, Bound: big.NewInt(bound), Modulus: modulus}
	}
	fits, broken := sum(253, invariant.AtMost, 0), sum(1, invariant.Congruent, 4)
	o := Options{Targets: []ir.CheckKind{ir.Assertion}, MaxK: 1, More: func() []invariant.Head {
		return []invariant.Head{{Func: "main", Head: 2, Predicates: []invariant.Predicate{fits, broken}}, {Func: "f", Head: 2, Predicates: []invariant.Predicate{fits}}}
	}}
	p, err := New(t.Context(), m, &o, &Stats{})
	if err != nil {
		t.Fatal(err)
	}
	n := len(p.all)
	if !p.More() || len(p.all) != n+1 {
		t.Errorf("%d candidates became %d", n, len(p.all))
	}
	if p.More() {
		t.Error("they are new again")
	}
	if proof, _, err := p.Prove(t.Context(), p.Attempts()[0]); proof == nil {
		t.Errorf("no proof: %v", err)
	}
}
