package graph

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"assay/internal/certify/itscheck"
	"assay/internal/engines/symex"
	"assay/internal/evidence/symgraph"
	"assay/internal/integers/termination"
	"assay/internal/logic/bv"
	"assay/internal/logic/linear"
	"assay/internal/logic/smt/z3"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/program/ir/irtest"
)

// claim says whether engine and checker exclude that op yields want for a and b.
func claim(t *testing.T, op ir.Op, args []bv.BV, result ir.Type, want bv.BV) (engine, checker bool) {
	t.Helper()
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	b := ir.NewFunc(m, "main")
	b.At(b.Block("entry"))
	var vs []ir.Value
	here := b.Const(1, 1)
	for _, a := range args {
		v := b.Nondet(ir.IntType(a.Width()), ir.NondetInput, "n")
		vs = append(vs, v)
		here = b.Bin(ir.And, here, b.Cmp(ir.Eq, v, b.ConstBV(ir.IntType(a.Width()), a)))
	}
	r := b.Op(op, result, vs...)
	here = b.Bin(ir.And, here, b.Cmp(ir.Eq, r, b.ConstBV(result, want)))
	b.Check(ir.Assertion, b.Bin(ir.Xor, here, b.Const(1, 1)), "the result")
	b.Halt(ir.HaltExit)
	b.Done()
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	targets := []ir.CheckKind{ir.Assertion}
	g := symex.Build(context.Background(), m, symex.Options{Targets: targets})
	if g.Obstacle != nil {
		t.Fatal(g.Obstacle)
	}
	start := &symgraph.Graph{Nodes: []symgraph.Node{{}}}
	_, err := Check(context.Background(), m, start, Options{Targets: targets})
	var rejected *ErrRejected
	if err != nil && !errors.As(err, &rejected) {
		t.Fatal(err)
	}
	return len(g.Suspects) == 0, err == nil
}

// exact are the operations whose results both must know.
var exact = map[ir.Op]bool{
	ir.Add: true, ir.Sub: true, ir.Eq: true, ir.Ne: true, ir.ULt: true, ir.ULe: true, ir.SLt: true, ir.SLe: true,
	ir.ZExt: true, ir.SExt: true, ir.Trunc: true, ir.SAddOvf: true, ir.UAddOvf: true, ir.SSubOvf: true, ir.USubOvf: true,
}

// operations are those of integers, with the types of their results for
// arguments of two bits.
func operations() map[ir.Op]ir.Type {
	two := ir.IntType(width)
	ops := map[ir.Op]ir.Type{ir.ZExt: ir.IntType(4), ir.SExt: ir.IntType(4), ir.Trunc: ir.BoolType, ir.Ctpop: two, ir.Ctlz: two, ir.Cttz: two, ir.Bitreverse: two}
	for op := ir.Add; op <= ir.Xor; op++ {
		ops[op] = two
	}
	for op := ir.SAddOvf; op <= ir.UMulOvf; op++ {
		ops[op] = ir.BoolType
	}
	for op := ir.Eq; op <= ir.SLe; op++ {
		ops[op] = ir.BoolType
	}
	return ops
}

const width = 2

func isUnary(op ir.Op) bool {
	return op >= ir.ZExt && op <= ir.Trunc || op >= ir.Ctpop && op <= ir.Bitreverse
}

func isDivision(op ir.Op) bool { return op >= ir.UDiv && op <= ir.SRem }

// TestOperations compares the checker's rule of every operation with the
// interpreter, for all arguments of two bits given as symbols and all results:
// what happens is possible, and for exact operations nothing else is.
func TestOperations(t *testing.T) {
	for op, result := range operations() {
		if isDivision(op) {
			continue // these split paths: TestDivision
		}
		m := &ir.Module{PointerBits: 64, Entry: "main"}
		b := ir.NewFunc(m, "main")
		b.At(b.Block("entry"))
		args := []ir.Value{b.Nondet(ir.IntType(width), ir.NondetInput, "a")}
		if !isUnary(op) {
			args = append(args, b.Nondet(ir.IntType(width), ir.NondetInput, "b"))
		}
		r := b.Op(op, result, args...)
		b.Halt(ir.HaltExit)
		b.Done()
		z, err := z3.NewScript()
		if err != nil {
			t.Fatal(err)
		}
		c := &checkerState{ctx: context.Background(), m: m, index: m.Index(), g: &symgraph.Graph{}, z: z, scopes: newScopes()}
		s := c.start()
		for range len(args) + 1 {
			v := s.top().f.Blocks[1].Instrs[s.top().index]
			if c.step(s, v, s.top().f.Def(v)) {
				t.Fatalf("%v ended the path", op)
			}
		}
		is := func(v ir.Value, x bv.BV) string {
			return c.equal(c.number(s, v), num(x.Unsigned()), x.Width())
		}
		for n := range uint64(1) << (width * len(args)) {
			values := []bv.BV{bv.New(width, n&3), bv.New(width, n>>width)}[:len(args)]
			want, guard := interp.Eval(&ir.Def{Op: op, Type: result}, values)
			c.push()
			for i, a := range args {
				c.assert(is(a, values[i]))
			}
			for x := range uint64(1) << result.Bits {
				got := bv.New(result.Bits, x)
				happens := guard != ir.CheckNone || got.Equal(want)
				possible := c.possible(is(r, got))
				if happens && !possible || !happens && possible && exact[op] {
					t.Errorf("%v %v yields %v: %v, possible for the checker: %v", op, values, got, happens, possible)
				}
			}
			c.pop()
		}
		if c.failure != nil {
			t.Fatal(c.failure)
		}
		z.Close()
	}
}

// TestDivision is the same for the operations that split paths, for the engine,
// too: neither excludes what happens.
func TestDivision(t *testing.T) {
	for op := ir.UDiv; op <= ir.SRem; op++ {
		for n := range uint64(16) {
			args := []bv.BV{bv.New(width, n&3), bv.New(width, n>>width)}
			want, guard := interp.Eval(&ir.Def{Op: op, Type: ir.IntType(width)}, args)
			if guard != ir.CheckNone {
				want = bv.New(width, n&3) // any result; this one will do
			}
			if engine, checker := claim(t, op, args, ir.IntType(width), want); engine || checker {
				t.Errorf("%v %v yields %v; excluded by the engine: %v, by the checker: %v", op, args, want, engine, checker)
			}
		}
	}
}

// memoryKinds are what a graph of a random program is asked to exclude.
var memoryKinds = []ir.CheckKind{ir.Assertion, ir.InvalidDeref, ir.InvalidFree, ir.MemTrack, ir.MemCleanup}

// TestRandomPrograms runs programs for which a graph was accepted: no run
// violates what the graph excludes, and if termination was proved, all runs end.
func TestRandomPrograms(t *testing.T) {
	ctx := context.Background()
	accepted, terminating, rejected := 0, 0, 0
	common := func(op ir.Op) bool {
		switch op {
		case ir.VaStart, ir.Havoc, ir.FuncAddr, ir.Free, ir.StackRestore, ir.IntToPtr:
			return false
		}
		return op < ir.FAdd || op > ir.FToF
	}
	for seed := range uint64(120) {
		rng := rand.New(rand.NewPCG(seed, 8))
		o := irtest.Options{Funcs: 1, Blocks: 4, Instrs: 5, PointerBits: []uint32{32, 64}[seed%2]}
		if seed%3 != 0 {
			o.Only = common
		}
		m := irtest.Random(rng, o)
		targets := memoryKinds[:1+int(seed%uint64(len(memoryKinds)))]
		g := symex.Build(ctx, m, symex.Options{Targets: targets, System: true, MaxSteps: 20_000})
		if g.Graph == nil || len(g.Suspects) > 0 {
			continue
		}
		co := Options{Targets: targets}
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		answer, err := termination.Decide(short, g.Graph.System, termination.Options{Accept: itscheck.Check})
		cancel()
		if err == nil {
			if a, ok := answer.(termination.Terminates); ok {
				g.Graph.Argument, co.Termination = a.Argument, true
			}
		}
		if _, err := Check(ctx, m, g.Graph, co); err != nil {
			rejected++
			t.Logf("seed %d: %v", seed, err)
			continue
		}
		accepted++
		if co.Termination {
			terminating++
		}
		for run := range uint64(30) {
			excluded := map[ir.CheckKind]bool{}
			for _, k := range targets {
				excluded[k] = true
			}
			out, err := interp.Run(ctx, m, interp.Options{Oracle: interp.Random(run), MaxSteps: 30_000, MaxMemory: 1 << 24, StopAt: func(e interp.Event) bool {
				return e.Kind == interp.Violation && excluded[e.Check]
			}})
			if err != nil {
				t.Fatal(err)
			}
			if out.End == interp.Stopped {
				t.Fatalf("seed %d, run %d: a violation of %v that an accepted graph excludes: %v\n%s", seed, run, out.Event.Check, out, ir.Print(m))
			}
			if co.Termination && out.End == interp.StepLimit {
				t.Errorf("seed %d, run %d: more than %d steps, in a program that terminates", seed, run, 30_000)
			}
		}
	}
	t.Logf("%d graphs accepted, %d with termination, %d rejected", accepted, terminating, rejected)
	if accepted < 20 {
		t.Errorf("only %d graphs were accepted", accepted)
	}
}

// countingLoop is a loop over an array on the stack: for (i = 0; i < n; i++) a[i] = 0.
func countingLoop(t *testing.T) *ir.Module {
	t.Helper()
	m, err := ir.Parse(`module 64 entry @main
func @main() {
entry:
  %n = nondet i32 input "n"
  %pos = slt i1 i32 0, %n
  assume %pos
  %size = zext i64 %n
  %bytes = mul i64 %size, i64 4
  %a = alloca ptr %bytes align 4
  br head
head:
  %i = phi i32 [i32 0, entry], [%next, body]
  %more = slt i1 %i, %n
  condbr %more, body, end
body:
  %index = sext i64 %i
  %off = mul i64 %index, i64 4
  %p = ptradd ptr %a, %off
  store i32 0, %p
  %next = add i32 %i, i32 1
  br head
end:
  halt exit
}
`)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestMutations changes an accepted certificate: what is then false is rejected.
func TestMutations(t *testing.T) {
	ctx := context.Background()
	m := countingLoop(t)
	targets := []ir.CheckKind{ir.InvalidDeref}
	build := func() *symgraph.Graph {
		r := symex.Build(ctx, m, symex.Options{Targets: targets, System: true})
		if r.Graph == nil || len(r.Suspects) > 0 {
			t.Fatal(r.Why())
		}
		a, err := termination.Decide(ctx, r.Graph.System, termination.Options{Accept: itscheck.Check})
		if err != nil {
			t.Fatal(err)
		}
		r.Graph.Argument = a.(termination.Terminates).Argument
		return r.Graph
	}
	check := func(g *symgraph.Graph) error {
		_, err := Check(ctx, m, g, Options{Targets: targets, Termination: true})
		return err
	}
	if err := check(build()); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(g *symgraph.Graph){
		"no loop head": func(g *symgraph.Graph) { g.Nodes = g.Nodes[:1] },
		"a larger object": func(g *symgraph.Graph) {
			o := &g.Nodes[1].State.Objects[1]
			o.Size = o.Size.Plus(linear.Int(4))
		},
		"no constraints":     func(g *symgraph.Graph) { g.Nodes[1].State.Constraints = nil },
		"a constant counter": func(g *symgraph.Graph) { constantCounter(g) },
		"no transitions":     func(g *symgraph.Graph) { g.System.Transitions = g.System.Transitions[:1] },
		"no ranking":         func(g *symgraph.Graph) { g.Argument.Nodes = nil },
		"not fair":           func(g *symgraph.Graph) { g.System.Transitions[0].Fair = false },
		"objects missing":    func(g *symgraph.Graph) { g.Nodes[1].State.Objects = g.Nodes[1].State.Objects[:1] },
		"no system":          func(g *symgraph.Graph) { g.System = nil },
	} {
		t.Run(name, func(t *testing.T) {
			g := build()
			change(g)
			if err := check(g); err == nil {
				t.Error("accepted")
			} else {
				t.Log(err)
			}
		})
	}
}

func constantCounter(g *symgraph.Graph) {
	for v := range g.Nodes[1].State.Frames[0].Values {
		if x := &g.Nodes[1].State.Frames[0].Values[v]; x.Kind == symgraph.Int && len(x.Form.Terms) == 1 {
			x.Form.Terms = nil
		}
	}
}

func BenchmarkCheck(b *testing.B) {
	ctx := context.Background()
	t := &testing.T{}
	m := countingLoop(t)
	targets := []ir.CheckKind{ir.InvalidDeref}
	r := symex.Build(ctx, m, symex.Options{Targets: targets})
	if r.Graph == nil {
		b.Fatal(fmt.Sprint(r.Why()))
	}
	for b.Loop() {
		if _, err := Check(ctx, m, r.Graph, Options{Targets: targets}); err != nil {
			b.Fatal(err)
		}
	}
}
