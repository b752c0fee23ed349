package ir_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/irtest"
)

// TestEditorInserts: what is inserted before and behind instructions stands there, at their positions,
// in a module that is well formed; the original does not change.
func TestEditorInserts(t *testing.T) {
	for seed := range uint64(200) {
		rng := rand.New(rand.NewPCG(seed, 4))
		m := irtest.Random(rng, irtest.Options{Funcs: 2})
		before := ir.Print(m)
		c := m.Clone()
		for n, f := range m.Funcs {
			if f.IsDecl() {
				continue
			}
			e := &ir.Editor{Module: c, Func: c.Funcs[n]}
			for b := 1; b < len(f.Blocks); b++ {
				for _, v := range f.Blocks[b].Instrs[len(e.Phis(ir.BlockID(b))):] {
					e.Before(v, func() { e.Op(ir.Assume, ir.Type{}, e.Number(1, 1)) })
					if i := len(f.Blocks[b].Instrs) - 1; v != f.Blocks[b].Instrs[i] {
						e.After(v, func() { e.Emit(ir.Def{Op: ir.Label, Sym: "behind"}) })
					}
				}
			}
			for b := 1; b < len(f.Blocks); b++ {
				check(t, f, e.Func, ir.BlockID(b))
			}
		}
		if err := ir.Verify(c); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, ir.Print(c))
		}
		if got := ir.Print(m); got != before {
			t.Fatalf("seed %d: the original became\n%s", seed, got)
		}
	}
}

// check compares a block with the original, which has f's instructions in the same order.
func check(t *testing.T, f, g *ir.Func, b ir.BlockID) {
	t.Helper()
	instrs := g.Blocks[b].Instrs
	kept := slices.DeleteFunc(slices.Clone(instrs), func(v ir.Value) bool { return int(v) >= len(f.Values) })
	if !slices.Equal(kept, f.Blocks[b].Instrs) {
		t.Fatalf("the instructions %v became %v", f.Blocks[b].Instrs, instrs)
	}
	for i, v := range instrs {
		d := g.Def(v)
		if int(v) < len(f.Values) {
			continue
		}
		near := i + 1 // of an Assume
		if d.Op == ir.Label {
			near = i - 1
		}
		if at := g.Def(instrs[near]); int(instrs[near]) >= len(f.Values) || at.Op == ir.Phi || d.Block != b || at.Pos.Line != 0 && d.Pos != at.Pos {
			t.Fatalf("%v stands next to %v", d, at)
		}
	}
}

// TestEditorBlocks: an edge is led through a new block.
func TestEditorBlocks(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main

func @main() {
entry:
  %1 = nondet i1 input "c"
  condbr %1, left, right
left:
  br right
right:
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Func("main")
	e := &ir.Editor{Module: m, Func: f}
	between := e.NewBlock("between")
	e.Retarget(1, 3, between)
	e.At = between
	e.Op(ir.Assume, ir.Type{}, e.Not(f.Blocks[1].Instrs[0]))
	e.Jump(3)
	f.ComputePreds()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	if got := f.Succs(1); !slices.Equal(got, []ir.BlockID{2, between}) {
		t.Errorf("the successors are %v", got)
	}
	if got := f.Blocks[3].Preds; !slices.Equal(got, []ir.BlockID{2, between}) {
		t.Errorf("the predecessors are %v", got)
	}
}
