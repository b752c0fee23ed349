package graph

import (
	"context"
	"math/rand/v2"
	"testing"

	"assay/internal/certify/itscheck"
	"assay/internal/engines/symex"
	"assay/internal/evidence/symgraph"
	"assay/internal/integers/termination"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// countdown writes through a pointer in each activation, and returns what it wrote.
const countdown = `module 64 entry @main
global @calls size 4 align 4
func @down(%n: i32, %p: ptr) -> i32 {
entry:
  %zero = eq i1 %n, i32 0
  condbr %zero, stop, go
stop:
  store i32 1, %p
  ret i32 1
go:
  %less = sub i32 %n, i32 1
  %r = call i32 @down(%less, %p)
  %m = add i32 %r, i32 1
  store %m, @calls
  %c = load i32 %p
  ret %c
}
func @main() {
entry:
  %n = nondet i32 input "n"
  %natural = sle i1 i32 0, %n
  assume %natural
  %hidden = alloca ptr i64 4 align 4
  store i32 7, %hidden
  %a = alloca ptr i64 4 align 4
  %r = call i32 @down(%n, %a)
  %x = load i32 %a
  %one = eq i1 %x, i32 1
  check assertion %one "what it wrote"
  %same = eq i1 %r, i32 1
  check assertion %same "what it returned"
  %h = load i32 %hidden
  %kept = eq i1 %h, i32 7
  check assertion %kept "what it cannot reach"
  halt exit
}
`

// TestRecursion proves what a recursive function does to memory, and that it ends; and
// rejects what is changed in the certificate such that it is not true.
func TestRecursion(t *testing.T) {
	ctx := context.Background()
	m, err := ir.Parse(countdown)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	targets := []ir.CheckKind{ir.Assertion, ir.InvalidDeref}
	r := symex.Build(ctx, m, symex.Options{Targets: targets, System: true})
	if r.Graph == nil || len(r.Suspects) > 0 {
		t.Fatal(r.Why())
	}
	a, err := termination.Decide(ctx, r.Graph.System, termination.Options{Accept: itscheck.Check})
	if err != nil {
		t.Fatal(err)
	}
	r.Graph.Argument = a.(termination.Terminates).Argument
	o := Options{Targets: targets, Termination: true}
	if _, err := Check(ctx, m, r.Graph, o); err != nil {
		t.Fatal(err)
	}
	entry, back := -1, -1
	for i, n := range r.Graph.Nodes {
		switch {
		case n.Returns:
			back = i
		case n.State.Entry != 0 && int(n.State.Entry) == i:
			entry = i
		}
	}
	if entry < 0 || back < 0 {
		t.Fatal("the graph has no entry that returns")
	}
	fixed := len(m.Globals) + len(m.Funcs)
	for name, change := range map[string]func(g *symgraph.Graph){
		"no return": func(g *symgraph.Graph) { g.Nodes[back].Returns = false },
		"return from another beginning": func(g *symgraph.Graph) {
			s := &g.Nodes[back].State
			s.Arguments[0].Form = linear.Constant(linear.Int(5))
		},
		"another object": func(g *symgraph.Graph) {
			s := &g.Nodes[back].State
			s.Arguments[len(s.Arguments)-1].Object = symgraph.Null
		},
		"another value written": func(g *symgraph.Graph) {
			c := &g.Nodes[back].State.Objects[fixed].Cells[0]
			c.Value.Form = c.Value.Form.Plus(linear.Int(1))
		},
		"a global that stays": func(g *symgraph.Graph) {
			o := &g.Nodes[back].State.Objects[0]
			o.Pristine, o.Cells = true, nil
		},
		"another entry":      func(g *symgraph.Graph) { g.Nodes[back].State.Entry = 0 },
		"an entry elsewhere": func(g *symgraph.Graph) { g.Nodes[entry].State.Frames[0].Block = 2 },
		"an entry for some arguments": func(g *symgraph.Graph) {
			s := &g.Nodes[entry].State
			s.Constraints = append(s.Constraints, linear.Constraint{Form: s.Arguments[0].Form.Neg().Plus(linear.Int(5))})
		},
		"no calls": func(g *symgraph.Graph) {
			var kept = g.System.Transitions[:0]
			for _, t := range g.System.Transitions {
				if t.To != g.Nodes[entry].Location {
					kept = append(kept, t)
				}
			}
			g.System.Transitions = kept
		},
		"no recursion": func(g *symgraph.Graph) {
			var kept = g.System.Transitions[:0]
			for _, t := range g.System.Transitions {
				if t.From != g.Nodes[entry].Location {
					kept = append(kept, t)
				}
			}
			g.System.Transitions = kept
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := copied(r.Graph)
			sys := *r.Graph.System
			sys.Transitions = append(sys.Transitions[:0:0], sys.Transitions...)
			g.System = &sys
			for i := range g.Nodes {
				s := &g.Nodes[i].State
				s.Arguments = append(s.Arguments[:0:0], s.Arguments...)
			}
			change(g)
			if _, err := Check(ctx, m, g, o); err == nil {
				t.Error("accepted")
			} else {
				t.Log(err)
			}
		})
	}
}

// randomRecursion makes random programs over lists, as randomLists, or over trees,
// whose statements call a random recursive function, too.
func randomRecursion(seed uint64) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	r := rand.New(rand.NewPCG(seed, 80))
	tree := seed%3 == 0
	recursiveFunction(&lists{r: r, m: m, b: ir.NewFunc(m, "f", m.PtrType()), tree: tree})
	return randomNodes(&lists{r: r, m: m, b: ir.NewFunc(m, "main"), tree: tree, calls: true}, seed)
}

// recursiveFunction is f(p, at): something happens to the node p and to the pointer at
// at, on the way down or back up, and to what is behind the links of p.
func recursiveFunction(g *lists) {
	ptr := g.m.PtrType()
	p, at := g.b.Param(ptr), g.b.Param(ptr)
	g.vars = []ir.Value{at}
	g.b.At(g.b.Block("entry"))
	end, node := g.b.Block("end"), g.b.Block("node")
	g.num = g.b.Alloca(4, 4)
	g.b.Store(g.b.Const(32, 1), g.num)
	cond := g.isNull(p)
	if g.r.IntN(6) == 0 {
		cond = g.b.Bin(ir.Or, cond, g.coin())
	}
	g.b.CondBr(cond, end, node)
	g.b.At(end)
	if g.r.IntN(6) == 0 {
		v := g.b.Alloca(8, 8)
		g.b.Store(g.b.Null(), v)
		g.push(v)
		g.b.Ret(g.load(v))
	} else {
		g.b.Ret([]ir.Value{p, p, g.b.Null(), g.load(at)}[g.r.IntN(4)])
	}
	g.b.At(node)
	next := g.load(g.link(p))
	var right ir.Value
	if g.tree {
		right = g.load(g.b.PtrAdd(p, g.b.Word(backAt)))
	}
	free := -1 // before the calls, or behind them
	if g.r.IntN(2) == 0 {
		free = g.r.IntN(2)
	}
	something := func() {
		switch g.r.IntN(6) {
		case 0:
			g.b.Store(g.number(), p)
		case 1:
			g.b.Store(g.number(), g.num)
		case 2:
			g.b.Store([]ir.Value{p, next, g.b.Null()}[g.r.IntN(3)], at)
		case 3:
			g.push(at)
		case 4:
			g.b.Check(ir.Assertion, g.b.Cmp(ir.SLe, g.b.Const(32, 0), g.b.Load(ir.IntType(32), p)), "about a number")
		}
	}
	something()
	if free == 0 {
		g.b.Op(ir.Free, ir.Type{}, p)
	}
	kept := []ir.Value{at, at, g.link(p)}[g.r.IntN(3)]
	back := g.b.Call(ptr, "f", next, kept)
	if g.tree && g.r.IntN(8) > 0 {
		other := g.b.Call(ptr, "f", right, at)
		if free < 0 && g.r.IntN(3) > 0 {
			g.b.Store(other, g.b.PtrAdd(p, g.b.Word(backAt)))
		}
	}
	if free < 0 {
		if g.r.IntN(3) > 0 {
			g.b.Store(back, g.link(p))
		}
		something()
	}
	if free == 1 {
		g.b.Op(ir.Free, ir.Type{}, p)
	}
	if free >= 0 && g.r.IntN(6) > 0 {
		g.b.Ret([]ir.Value{back, g.b.Null()}[g.r.IntN(2)])
	} else {
		g.b.Ret([]ir.Value{p, p, back, next}[g.r.IntN(4)])
	}
	g.b.Done()
}

// TestRandomRecursion runs programs with recursive functions over lists and trees for
// which a graph was accepted.
func TestRandomRecursion(t *testing.T) {
	checkLists(t, randomRecursion, 0, 30)
}
