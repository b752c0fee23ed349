package accept

import (
	"math/big"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// chain has a loop with four counters modulo 16. The second takes the value of the first, the third that of the second, and it
// is asserted that the third is even; the fourth is of no account.
func chain() (m *ir.Module, head ir.BlockID, phis []ir.Value) {
	m = &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	entry, head, body, out := b.Block("entry"), b.Block("head"), b.Block("body"), b.Block("out")
	b.At(entry)
	b.Br(head)
	b.At(head)
	for range 4 {
		x := b.Phi(ir.IntType(4))
		b.AddIncoming(x, b.Const(4, 0), entry)
		phis = append(phis, x)
	}
	b.CondBr(b.Nondet(ir.BoolType, ir.NondetInput, "more"), body, out)
	b.At(body)
	two := b.Const(4, 2)
	for i, next := range []ir.Value{b.Bin(ir.Add, phis[0], two), phis[0], phis[1], b.Bin(ir.Add, phis[3], two)} {
		b.AddIncoming(phis[i], next, body)
	}
	b.Br(head)
	b.At(out)
	b.Check(ir.Assertion, b.Cmp(ir.Eq, b.Bin(ir.And, phis[2], b.Const(4, 1)), b.Const(4, 0)), "even")
	b.Halt(ir.HaltExit)
	b.Done()
	return m, head, phis
}

// even is the proof that the counters are even, and below 15.
func even(head ir.BlockID, phis []ir.Value) *verdict.Induction {
	h := invariant.Head{Func: "main", Head: head}
	for _, x := range phis {
		t := invariant.Term{Coeff: 1, Value: x, Bits: 4}
		h.Predicates = append(h.Predicates, invariant.Comparison{Terms: []invariant.Term{t}, Relation: invariant.Congruent, Bound: new(big.Int), Modulus: 2},
			invariant.Comparison{Terms: []invariant.Term{t}, Relation: invariant.AtMost, Bound: big.NewInt(14)})
	}
	return &verdict.Induction{Heads: []invariant.Head{h}}
}

// TestFewest: of eight facts the three are left from which the assertion follows, and they are accepted.
func TestFewest(t *testing.T) {
	m, head, phis := chain()
	proof := even(head, phis)
	claim := &verdict.Claim{Program: m, Targets: []ir.CheckKind{ir.Assertion}, Solver: verdict.CaDiCaL}
	checker, err := Fewest(t.Context(), claim, proof)
	if err != nil || checker == "" {
		t.Fatal(err)
	}
	var left []ir.Value
	for _, p := range proof.Heads[0].Predicates {
		if c := p.(invariant.Comparison); c.Relation == invariant.Congruent {
			left = append(left, c.Terms[0].Value)
		}
	}
	if len(left) != 3 || left[0] != phis[0] || left[1] != phis[1] || left[2] != phis[2] || len(proof.Heads[0].Predicates) != 3 {
		t.Errorf("left: %v", proof.Heads[0].Predicates)
	}
	claim.Evidence = proof
	if _, err := Program(t.Context(), claim); err != nil {
		t.Errorf("what is left is not accepted: %v", err)
	}
}

// TestFewestOfWrong: a proof that is refused stays as it is.
func TestFewestOfWrong(t *testing.T) {
	m, head, phis := chain()
	proof := even(head, phis[1:]) // nothing is said of the first
	_, err := Fewest(t.Context(), &verdict.Claim{Program: m, Targets: []ir.CheckKind{ir.Assertion}, Solver: verdict.CaDiCaL}, proof)
	if err == nil || len(proof.Heads[0].Predicates) != 6 {
		t.Errorf("%v, %d facts", err, len(proof.Heads[0].Predicates))
	}
}
