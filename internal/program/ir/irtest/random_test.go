package irtest

import (
	"math/rand/v2"
	"testing"

	"assay/internal/program/ir"
)

func TestRandom(t *testing.T) {
	used := map[ir.Op]int{}
	for seed := range uint64(500) {
		o := Options{Acyclic: seed%3 == 0, PointerBits: 32 << (seed % 2)}
		m := Random(rand.New(rand.NewPCG(seed, 0)), o)
		if err := ir.Verify(m); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(m))
		}
		for _, f := range m.Funcs {
			for _, d := range f.Values {
				used[d.Op]++
			}
		}
	}
	for op := ir.Param; op <= ir.Unsupported; op++ {
		if used[op] < 20 && op != ir.PtrDiff {
			t.Errorf("%s is used %d times", op, used[op])
		}
	}
}
