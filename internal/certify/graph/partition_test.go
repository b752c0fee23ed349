package graph

import (
	"context"
	"math/big"
	"slices"
	"strings"
	"testing"

	"assay/internal/engines/symex"
	"assay/internal/evidence/symgraph"
	"assay/internal/logic/bv"
	"assay/internal/logic/linear"
	"assay/internal/logic/smt/z3"
	"assay/internal/program/ir"
)

// words looks at the first character of each word once the word has ended: where a word begins is
// known in one of the two states only, in the other it is a number that is no index.
const words = `module 64 entry @main
func @main() {
entry:
  %n = nondet i64 input "n"
  %p = alloca ptr %n align 1
  br head
head:
  %i = phi i64 [i64 0, entry], [%i1, next]
  %from = phi i64 [%n, entry], [%from1, next]
  %state = phi i32 [i32 0, entry], [%state1, next]
  %more = ult i1 %i, %n
  condbr %more, body, done
body:
  %q = ptradd ptr %p, %i
  %c = load i8 %q
  %space = eq i1 %c, i8 32
  %word = eq i1 %state, i32 1
  condbr %word, inword, gap
gap:
  %f0 = select i64 %space, %n, %i
  %s0 = select i32 %space, i32 0, i32 1
  br next
inword:
  condbr %space, use, next
use:
  %r = ptradd ptr %p, %from
  %x = load i8 %r
  br next
next:
  %from1 = phi i64 [%f0, gap], [%from, inword], [%n, use]
  %state1 = phi i32 [%s0, gap], [i32 1, inword], [i32 0, use]
  %i1 = add i64 %i, i64 1
  br head
done:
  halt exit
}
`

// TestPartition: nodes that differ by a constant are accepted, where a path comes to several of them at once,
// too; not if one is missing, has another constant, or describes nothing.
func TestPartition(t *testing.T) {
	g, check := acceptedWith(t, words, symex.Options{Partition: true})
	state := slices.IndexFunc(g.Nodes[1].State.Frames[0].Func.Values, func(d ir.Def) bool { return d.Op == ir.Phi && d.Type == ir.IntType(32) })
	if state < 0 || len(g.Nodes) < 3 {
		t.Fatalf("%d nodes", len(g.Nodes))
	}
	for i := 1; i < len(g.Nodes); i++ {
		c := *g
		c.Nodes = slices.Delete(slices.Clone(g.Nodes), i, i+1)
		if check(&c) == nil {
			t.Errorf("accepted without node %d", i)
		}
		change := func(name string, edit func(*symgraph.State)) {
			c.Nodes = slices.Clone(g.Nodes)
			s := &c.Nodes[i].State
			s.Frames = slices.Clone(s.Frames)
			s.Frames[0].Values = slices.Clone(s.Frames[0].Values)
			s.Constraints = slices.Clone(s.Constraints)
			edit(s)
			if check(&c) == nil {
				t.Errorf("node %d: accepted with %s", i, name)
			}
		}
		change("another constant", func(s *symgraph.State) {
			s.Frames[0].Values[state].Form = linear.Constant(linear.Int(7))
		})
		change("twice a symbol without a value", func(s *symgraph.State) {
			v := linear.Variable(99)
			s.Frames[0].Values[state].Form = v.Scale(linear.Int(2))
			c.Nodes[i].Symbols = append(slices.Clone(c.Nodes[i].Symbols), 99)
			s.Constraints = append(s.Constraints, linear.Constraint{Form: v.Plus(linear.Int(-5))}, linear.Constraint{Form: v.Neg().Plus(linear.Int(3))})
		})
	}
}

// TestPartitionSlips: programs with a read of the byte behind the end have no graph.
func TestPartitionSlips(t *testing.T) {
	for _, slip := range [][2]string{
		{"[i32 0, use]", "[i32 1, use]"},
		{"select i32 %space, i32 0, i32 1", "select i32 %space, i32 1, i32 1"},
		{"[i32 0, entry]", "[i32 1, entry]"},
		{"eq i1 %state, i32 1", "ne i1 %state, i32 1"},
		{"select i64 %space, %n, %i", "select i64 %space, %i, %n"},
		{"%more = ult i1 %i, %n", "%more = ule i1 %i, %n"},
	} {
		text := strings.Replace(words, slip[0], slip[1], 1)
		if text == words {
			t.Fatal(slip)
		}
		refuse(t, words, text, []ir.CheckKind{ir.InvalidDeref}, symex.Options{Partition: true})
	}
}

// TestMasks compares a & mask with what it is, for all masks and numbers of five bits. Masks of no more than
// maxRuns runs of ones are exact.
func TestMasks(t *testing.T) {
	const bits = 5
	for mask := range uint64(1 << bits) {
		z, err := z3.NewScript()
		if err != nil {
			t.Fatal(err)
		}
		c := &checkerState{ctx: context.Background(), z: z, scopes: newScopes()}
		for n := range uint64(1 << bits) {
			want := bv.New(bits, n&mask)
			c.push()
			// An interval that is wider than the number, so that nothing is constant.
			a := c.unknown("a", new(big.Int), big.NewInt(1<<bits-1))
			c.assert("(= " + a.t + " " + integer(new(big.Int).SetUint64(n)) + ")")
			r, ok := c.masked(a, new(big.Int).SetUint64(mask), bits)
			if !ok {
				t.Fatalf("%#b is not known", mask)
			}
			if !c.valid("(= "+r.t+" "+integer(want.Unsigned())+")") || !c.possible("true") {
				t.Errorf("%#b & %#b is not %v", n, mask, want)
			}
			if u := want.Unsigned(); u.Cmp(r.low) < 0 || u.Cmp(r.high) > 0 {
				t.Errorf("%#b & %#b is outside of %v to %v", n, mask, r.low, r.high)
			}
			c.pop()
		}
		z.Close()
	}
}
