package ir_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/irtest"
)

// randomGraphs calls do for functions with many random edges, irreducible ones
// among them.
func randomGraphs(t *testing.T, count int, do func(t *testing.T, f *ir.Func)) {
	for seed := range uint64(count) {
		m := irtest.Random(rng(seed), irtest.Options{Blocks: 3 + int(seed%12), Instrs: 3, Funcs: 1})
		for _, f := range m.Funcs {
			if !f.IsDecl() {
				do(t, f)
			}
		}
		if t.Failed() {
			t.Fatalf("seed %d:\n%s", seed, ir.Print(m))
		}
	}
}

// reaches says which blocks can be reached from the entry without passing avoid.
func reaches(f *ir.Func, avoid ir.BlockID) []bool {
	seen := make([]bool, len(f.Blocks))
	var visit func(b ir.BlockID)
	visit = func(b ir.BlockID) {
		if b == avoid || seen[b] {
			return
		}
		seen[b] = true
		for _, s := range f.Succs(b) {
			visit(s)
		}
	}
	visit(1)
	return seen
}

func TestDominators(t *testing.T) {
	randomGraphs(t, 300, func(t *testing.T, f *ir.Func) {
		dom := ir.Dominators(f)
		reachable := reaches(f, 0)
		for a := ir.BlockID(1); int(a) < len(f.Blocks); a++ {
			if dom.Reachable(a) != reachable[a] {
				t.Errorf("Reachable(%d) = %t", a, dom.Reachable(a))
			}
			without := reaches(f, a)
			for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
				want := reachable[a] && reachable[b] && !without[b]
				if dom.Dominates(a, b) != want {
					t.Errorf("Dominates(%d, %d) = %t", a, b, !want)
				}
			}
		}
	})
}

func TestRPO(t *testing.T) {
	randomGraphs(t, 100, func(t *testing.T, f *ir.Func) {
		order := ir.RPO(f)
		dom := ir.Dominators(f)
		at := map[ir.BlockID]int{}
		for i, b := range order {
			at[b] = i
		}
		if order[0] != 1 || len(at) != len(order) {
			t.Errorf("order %v", order)
		}
		for a := range at {
			for b := range at {
				if a != b && dom.Dominates(a, b) && at[a] > at[b] {
					t.Errorf("%d dominates %d but comes later", a, b)
				}
			}
		}
	})
}

// TestLiveIn compares with the definition: a value is live where some path
// leads to a use without passing the definition.
func TestLiveIn(t *testing.T) {
	randomGraphs(t, 150, func(t *testing.T, f *ir.Func) {
		live := ir.LiveIn(f)
		reachable := reaches(f, 0)
		for v := ir.Value(1); int(v) < len(f.Values); v++ {
			if ir.IsConst(f.Def(v).Op) {
				continue
			}
			want := make([]bool, len(f.Blocks))
			for changed := true; changed; {
				changed = false
				for b := ir.BlockID(1); int(b) < len(f.Blocks); b++ {
					if want[b] || !reachable[b] || f.Def(v).Block == b {
						continue
					}
					w := false
					for _, i := range f.Blocks[b].Instrs {
						w = w || f.Def(i).Op != ir.Phi && slices.Contains(f.Def(i).Args, v)
					}
					for _, s := range f.Succs(b) {
						w = w || want[s]
						for _, i := range f.Blocks[s].Instrs {
							for k, p := range f.Blocks[s].Preds {
								w = w || f.Def(i).Op == ir.Phi && p == b && f.Def(i).Args[k] == v
							}
						}
					}
					if w {
						want[b], changed = true, true
					}
				}
			}
			for b := 1; b < len(f.Blocks); b++ {
				if got := slices.Contains(live[b], v); got != want[b] {
					t.Errorf("%%%d live in block %d: %t", v, b, got)
				}
			}
		}
		for b := range live {
			if !slices.IsSorted(live[b]) {
				t.Errorf("block %d: %v is not sorted", b, live[b])
			}
		}
	})
}

// TestWTO checks the definition of a weak topological order, and that the
// order of the unwound graph is topological along random paths.
func TestWTO(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	irreducible := 0
	randomGraphs(t, 400, func(t *testing.T, f *ir.Func) {
		w := ir.NewWTO(f)
		dom := ir.Dominators(f)
		if len(w.Blocks) != len(ir.RPO(f)) {
			t.Errorf("%v is not all reachable blocks", w.Blocks)
		}
		for i, b := range w.Blocks {
			if w.Order[b] != int32(i) {
				t.Errorf("Order[%d] = %d", b, w.Order[b])
			}
			for k, h := range w.Heads[b] {
				if !w.Contains(h, b) || !slices.Contains(w.Component(h), b) || k > 0 && !w.Contains(w.Heads[b][k-1], h) {
					t.Errorf("heads of %d: %v", b, w.Heads[b])
				}
			}
			if w.IsHead(b) && w.Heads[b][len(w.Heads[b])-1] != b {
				t.Errorf("head %d is not the last of %v", b, w.Heads[b])
			}
			feedback := false
			for _, p := range f.Blocks[b].Preds {
				feedback = feedback || dom.Reachable(p) && w.IsFeedback(p, b)
			}
			if feedback != w.IsHead(b) {
				t.Errorf("IsHead(%d) = %t", b, w.IsHead(b))
			}
			for _, s := range f.Succs(b) {
				inside := slices.Contains(w.Heads[b], s)
				if forward := w.Order[b] < w.Order[s]; forward == inside || w.IsFeedback(b, s) != inside {
					t.Errorf("edge %d -> %d: forward %t, to a head around it %t", b, s, forward, inside)
				}
				if !inside && len(w.Heads[s]) > 0 {
					if h := w.Heads[s][len(w.Heads[s])-1]; h != s && !w.Contains(h, b) {
						irreducible++
					}
				}
			}
		}
		for range 10 {
			walk(t, r, f, w)
		}
	})
	if irreducible < 50 {
		t.Errorf("only %d irreducible entries were tested", irreducible)
	}
}

// walk follows a random path and checks that its instances ascend.
func walk(t *testing.T, r *rand.Rand, f *ir.Func, w *ir.WTO) {
	counters := map[ir.BlockID]int32{}
	key := func(b ir.BlockID) (k []int32) {
		for _, h := range w.Heads[b] {
			k = append(k, w.Order[h], counters[h])
		}
		return append(k, w.Order[b])
	}
	b := ir.BlockID(1)
	for range 100 {
		before := key(b)
		succs := f.Succs(b)
		if len(succs) == 0 {
			return
		}
		next := succs[r.IntN(len(succs))]
		n := counters[next]
		feedback := w.IsFeedback(b, next)
		for h := range counters { // counters of components left, or behind the fed one, are dropped
			if !w.Contains(h, next) || feedback && h != next && w.Contains(next, h) {
				delete(counters, h)
			}
		}
		if feedback {
			counters[next] = n + 1
		}
		if after := key(next); slices.Compare(before, after) >= 0 {
			t.Errorf("edge %d -> %d: %v -> %v", b, next, before, after)
		}
		b = next
	}
}

// TestWTOPaper is the example of [Bourdoncle93, Fig. 1 and 2].
func TestWTOPaper(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
func @main() {
b1:
  br b2
b2:
  condbr i1 0, b3, b8
b3:
  br b4
b4:
  condbr i1 0, b5, b7
b5:
  br b6
b6:
  condbr i1 0, b5, b7
b7:
  condbr i1 0, b3, b8
b8:
  ret
}
`)
	if err != nil {
		t.Fatal(err)
	}
	w := ir.NewWTO(m.Funcs[0])
	if want := []ir.BlockID{1, 2, 3, 4, 5, 6, 7, 8}; !slices.Equal(w.Blocks, want) {
		t.Error(w.Blocks)
	}
	if !slices.Equal(w.Component(3), []ir.BlockID{3, 4, 5, 6, 7}) || !slices.Equal(w.Component(5), []ir.BlockID{5, 6}) || w.IsHead(2) {
		t.Error(w.End)
	}
	if !slices.Equal(w.Heads[6], []ir.BlockID{3, 5}) {
		t.Error(w.Heads)
	}
}
