package guess

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/evidence/invariant"
	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// TestElements evaluates random predicates about the elements of an array in 64 bits
// and exactly, in a state of a run.
func TestElements(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main

global @a size 64 align 4
global @n size 2 align 2

func @main() {
entry:
  br head
head:
  %i = phi i64 [i64 0, entry], [%j, head]
  %x = mul i64 %i, i64 2654435761
  %y = trunc i16 %x
  %o = mul i64 %i, i64 2
  %p = ptradd ptr @a, %o
  store %y, %p
  store %y, @n
  %j = add i64 %i, i64 1
  %more = ult i1 %j, i64 32
  condbr %more, head, exit
exit:
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Func("main")
	value := func(sym string) ir.Value {
		for v := ir.Value(1); int(v) < len(f.Values); v++ {
			if d := f.Def(v); d.Op == ir.GlobalAddr && d.Sym == sym {
				return v
			}
		}
		t.Fatal(sym)
		return 0
	}
	array, cell := value("a"), value("n")
	rng := rand.New(rand.NewPCG(1, 1))
	agree, holding := 0, 0
	check := func(s interp.State) {
		for range 400 {
			p := invariant.Comparison{Relation: invariant.Relation(rng.IntN(3)), Bound: big.NewInt(rng.Int64N(1<<17) - 1<<16)}
			if p.Relation == invariant.Congruent {
				p.Modulus = 1 + rng.Uint64N(7)
			}
			for range 1 + rng.IntN(3) {
				x := invariant.Term{Coeff: rng.Int64N(9) - 4, Bits: 16, Signed: rng.IntN(2) == 0}
				switch rng.IntN(4) {
				case 0:
					x.Index, x.Bits, x.Signed = true, 64, true
				case 1:
					x.Value, x.Cell = cell, true
				default:
					x.Value, x.Cell, x.Stride, x.Offset = array, true, 2*rng.Uint64N(3), 2*rng.Uint64N(3)
				}
				p.Terms = append(p.Terms, x)
			}
			if !fits(&p) {
				t.Fatalf("%+v does not fit", p)
			}
			lo := rng.Int64N(50) - 10
			hi := lo + 1 + rng.Int64N(30)
			e := evaluation{m: m, p: &p, s: s}
			all := invariant.ForAll{Range: invariant.Range{From: invariant.Sum{Const: big.NewInt(lo)}, To: invariant.Sum{Const: big.NewInt(hi)}}, Body: p}
			exactly := invariant.Holds(all, func(t invariant.Term, k int64) (bv.BV, bool) { return valueOf(m, &t, s, k) }, maxEvaluated)
			quickly := e.quickly(lo, hi)
			if quickly != exactly {
				t.Fatalf("%v, from %d up to %d: quickly %v, exactly %v", p, lo, hi, quickly, exactly)
			}
			agree++
			if exactly {
				holding++
			}
		}
	}
	observe := func(ev interp.Event) {
		if ev.Kind == interp.BlockEntered && ev.Block == 3 {
			check(ev.State)
		}
	}
	if _, err := interp.Run(t.Context(), m, interp.Options{Observe: observe, Blocks: true, MaxSteps: 1000}); err != nil {
		t.Fatal(err)
	}
	if holding == 0 || holding == agree {
		t.Errorf("%d of %d predicates hold", holding, agree)
	}
}
