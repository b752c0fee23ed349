package certify

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// randomGraph makes up the successors of n blocks, from 1. The entry has no
// predecessors.
func randomGraph(rng *rand.Rand, n int) [][]ir.BlockID {
	succs := make([][]ir.BlockID, n+1)
	for b := 1; b <= n; b++ {
		for range []int{0, 1, 1, 2, 2, 2, 3}[rng.Intn(7)] {
			succs[b] = append(succs[b], ir.BlockID(2+rng.Intn(n-1)))
		}
	}
	return succs
}

// terminate ends the current block with edges to these successors.
func terminate(b *ir.Builder, cond func() ir.Value, value ir.Value, succs []ir.BlockID) {
	switch len(succs) {
	case 0:
		b.Halt(ir.HaltExit)
	case 1:
		b.Br(succs[0])
	case 2:
		b.CondBr(cond(), succs[0], succs[1])
	default:
		var cases []bv.BV
		for i := range succs[1:] {
			cases = append(cases, bv.New(8, uint64(i)))
		}
		b.Switch(value, succs[0], cases, succs[1:])
	}
}

// graphModule has one function with the given graph. In every block but the
// entry, phis hold a value and the number of blocks that may still be entered.
// Blocks use values of blocks that dominate them.
func graphModule(rng *rand.Rand, succs [][]ir.BlockID) *ir.Module {
	n := len(succs) - 1
	skeleton := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(skeleton, "main")
	for range n {
		b.Block("")
	}
	zero := b.Const(8, 0)
	for x := 1; x <= n; x++ {
		b.At(ir.BlockID(x))
		terminate(b, func() ir.Value { return b.Const(1, 0) }, zero, succs[x])
	}
	b.Done()
	dom := ir.Dominators(skeleton.Func("main"))
	order := ir.RPO(skeleton.Func("main"))

	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b = ir.NewFunc(m, "main")
	for x := range n {
		b.Block(fmt.Sprintf("b%d", x+1))
	}
	empty := b.Block("empty")
	b.At(empty)
	b.Halt(ir.HaltAbort)
	values, fuels, made := make([]ir.Value, n+1), make([]ir.Value, n+1), make([]ir.Value, n+1)
	for x := 2; x <= n; x++ {
		b.At(ir.BlockID(x))
		values[x], fuels[x] = b.Phi(i8), b.Phi(i8)
	}
	outs, rest := make([]ir.Value, n+1), make([]ir.Value, n+1)
	for _, x := range order {
		b.At(x)
		if x == 1 {
			values[1], fuels[1] = b.Nondet(i8, ir.NondetInput, "x"), b.Const(8, 5)
		}
		made[x] = b.Nondet(i8, ir.NondetInput, "y")
		v := values[x]
		for _, d := range order {
			if dom.Dominates(d, x) && rng.Intn(3) == 0 {
				v = b.Bin([]ir.Op{ir.Add, ir.Xor, ir.And}[rng.Intn(3)], v, []ir.Value{values[d], made[d]}[rng.Intn(2)])
			}
		}
		if rng.Intn(3) == 0 {
			b.Check(ir.Assertion, b.Cmp(ir.Ne, v, b.Const(8, uint64(rng.Intn(256)))), "graph")
		}
		if rng.Intn(4) == 0 {
			b.Assume(b.Cmp(ir.ULt, v, b.Const(8, 200)))
		}
		outs[x], rest[x] = v, b.Bin(ir.Sub, fuels[x], b.Const(8, 1))
	}
	for x := 2; x <= n; x++ {
		if !dom.Reachable(ir.BlockID(x)) {
			outs[x], rest[x] = b.Const(8, 0), b.Const(8, 0)
		}
	}
	for x := 1; x <= n; x++ {
		b.At(ir.BlockID(x))
		if dom.Reachable(ir.BlockID(x)) && len(succs[x]) > 0 && x > 1 {
			// The run ends when the fuel is used up.
			on := b.Block("")
			b.CondBr(b.Cmp(ir.Eq, rest[x], b.Const(8, 0)), empty, on)
			b.At(on)
		}
		from := b.Current()
		for _, s := range succs[x] {
			other := outs[x]
			if rng.Intn(3) == 0 && s != ir.BlockID(x) {
				other = b.Const(8, uint64(rng.Intn(8)))
			}
			b.AddIncoming(values[s], other, from)
			b.AddIncoming(fuels[s], rest[x], from)
		}
		terminate(b, func() ir.Value { return b.Cmp(ir.ULt, outs[x], b.Const(8, uint64(rng.Intn(100)))) }, outs[x], succs[x])
	}
	for x := 2; x <= n; x++ {
		if len(m.Func("main").Blocks[x].Instrs) == 0 {
			b.At(ir.BlockID(x))
			b.Halt(ir.HaltAbort)
		}
	}
	b.Done()
	return m
}

// TestHeads compares loops with Bourdoncle's components: their heads name the
// loops of certificates.
func TestHeads(t *testing.T) {
	rng := rand.New(rand.NewSource(1))
	for i := range 3000 {
		m := graphModule(rng, randomGraph(rng, 2+rng.Intn(9)))
		f := m.Func("main")
		l, w := newForest(f), ir.NewWTO(f)
		for b := 1; b < len(f.Blocks); b++ {
			var heads []ir.BlockID
			for r := l.in[b]; r != nil && r.outer != nil; r = r.outer {
				heads = append(heads, r.head)
			}
			slices.Reverse(heads)
			if !slices.Equal(heads, w.Heads[b]) {
				t.Fatalf("%d: block %d has the loops %v, not %v\n%s", i, b, heads, w.Heads[b], ir.Print(m))
			}
		}
	}
}

// TestLiveness compares the solution of the equations with that by paths.
func TestLiveness(t *testing.T) {
	rng := rand.New(rand.NewSource(2))
	for i := range 1000 {
		m := graphModule(rng, randomGraph(rng, 2+rng.Intn(9)))
		if i%2 == 0 {
			m = randomModule(int64(i))
		}
		for _, f := range m.Funcs {
			l := newForest(f)
			further, slots := furtherResults(f)
			got, want := liveIn(l, further, slots, nil), ir.LiveIn(f)
			for b := 1; b < len(f.Blocks); b++ {
				var values, expected []ir.Value
				for _, s := range got[b] {
					if int(s) < len(f.Values) {
						values = append(values, s)
					}
				}
				for _, v := range want[b] {
					// Extract counts as a use of the call there.
					if d := &f.Values[v]; d.Block != 0 && !(d.Op == ir.Call && !slices.Contains(values, v)) {
						expected = append(expected, v)
					}
				}
				if !reflect.DeepEqual(values, expected) {
					t.Fatalf("%d: live in block %d: %v, not %v\n%s", i, b, values, expected, ir.Print(m))
				}
			}
		}
	}
}

// TestGraphsAgainstEngine is TestAgainstEngine with graphs of any shape,
// irreducible ones included.
func TestGraphsAgainstEngine(t *testing.T) {
	rng := rand.New(rand.NewSource(3))
	for i := range 2 * *programs {
		m := graphModule(rng, randomGraph(rng, 2+rng.Intn(7)))
		t.Run(fmt.Sprint(i), func(t *testing.T) { compare(t, m, assertions) })
	}
}
