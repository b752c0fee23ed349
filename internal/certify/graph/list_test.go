package graph

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/certify/itscheck"
	"assay/internal/engines/symex"
	"assay/internal/evidence/symgraph"
	"assay/internal/integers/termination"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// lists makes random programs over linked lists: three pointers and a number, nodes
// of two fields, loops that run as often as the input says or while a pointer is
// not null. Accesses are often guarded, so that many programs are free of errors.
type lists struct {
	r     *rand.Rand
	b     *ir.Builder
	m     *ir.Module
	vars  []ir.Value // the pointers are in memory
	num   ir.Value
	depth int
	// double: nodes are linked back, too, most of the time.
	double bool
	// tree: nodes have two links onwards, and at is a pointer to a link.
	tree bool
	at   ir.Value
	// calls: there is a function f of a node and a pointer to a pointer.
	calls bool
}

const linkAt, backAt = 8, 16

func randomLists(seed uint64) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	return randomNodes(&lists{r: rand.New(rand.NewPCG(seed, 77)), m: m, b: ir.NewFunc(m, "main"), double: seed%2 == 1}, seed)
}

func randomTrees(seed uint64) *ir.Module {
	m := &ir.Module{PointerBits: 64, Entry: "main"}
	return randomNodes(&lists{r: rand.New(rand.NewPCG(seed, 79)), m: m, b: ir.NewFunc(m, "main"), tree: true}, seed)
}

func randomNodes(g *lists, seed uint64) *ir.Module {
	m := g.m
	g.b.At(g.b.Block("entry"))
	for i := range 3 {
		if i == 0 && seed%4 > 1 {
			m.Globals = append(m.Globals, &ir.Global{Name: "g", Size: 8, Align: 8})
			g.vars = append(g.vars, g.b.GlobalAddr("g"))
			continue
		}
		v := g.b.Alloca(8, 8)
		g.b.Store(g.b.Null(), v)
		g.vars = append(g.vars, v)
	}
	if g.tree {
		g.at = g.b.Alloca(8, 8)
	}
	g.num = g.b.Alloca(4, 4)
	g.b.Store(g.b.Const(32, 0), g.num)
	if g.r.IntN(4) > 0 {
		g.build(g.pick())
	}
	for range 2 + g.r.IntN(4) {
		g.statement()
	}
	if g.r.IntN(3) > 0 {
		for _, v := range g.vars {
			if g.r.IntN(6) > 0 {
				g.drop(v)
			}
		}
	}
	g.b.Halt(ir.HaltExit)
	g.b.Done()
	return m
}

func (g *lists) pick() ir.Value { return g.vars[g.r.IntN(len(g.vars))] }

func (g *lists) load(v ir.Value) ir.Value { return g.b.Load(g.m.PtrType(), v) }

func (g *lists) link(p ir.Value) ir.Value { return g.b.PtrAdd(p, g.b.Word(linkAt)) }

// way is the link, or the one back.
func (g *lists) way(p ir.Value) ir.Value {
	if g.double && g.r.IntN(3) == 0 || g.tree && g.r.IntN(2) == 0 {
		return g.b.PtrAdd(p, g.b.Word(backAt))
	}
	return g.link(p)
}

// back links the node at v, if there is one, back to n.
func (g *lists) back(v, n ir.Value) {
	if g.double && g.r.IntN(10) > 0 {
		g.when(g.b.Cmp(ir.Ne, g.load(v), g.b.Null()), func() {
			g.b.Store(n, g.b.PtrAdd(g.load(v), g.b.Word(backAt)))
		})
	}
}

func (g *lists) isNull(p ir.Value) ir.Value { return g.b.Cmp(ir.Eq, p, g.b.Null()) }

// when runs then if c holds.
func (g *lists) when(c ir.Value, then func()) {
	yes, done := g.b.Block("yes"), g.b.Block("done")
	g.b.CondBr(c, yes, done)
	g.b.At(yes)
	then()
	g.b.Br(done)
	g.b.At(done)
}

// while runs body as long as the condition, made anew each time, holds.
func (g *lists) while(cond func() ir.Value, body func()) {
	head, in, out := g.b.Block("head"), g.b.Block("in"), g.b.Block("out")
	g.b.Br(head)
	g.b.At(head)
	g.b.CondBr(cond(), in, out)
	g.b.At(in)
	body()
	g.b.Br(head)
	g.b.At(out)
}

func (g *lists) coin() ir.Value { return g.b.Nondet(ir.BoolType, ir.NondetInput, "coin") }

// push puts a new node before v.
func (g *lists) push(v ir.Value) {
	size := uint64(16)
	if g.double || g.tree {
		size = 24
	}
	n := g.b.Op(ir.Malloc, g.m.PtrType(), g.b.Word(size))
	if g.r.IntN(4) == 0 {
		g.b.Op(ir.MemSet, ir.Type{}, n, g.b.Const(8, uint64(g.r.IntN(8)/7)), g.b.Word(size))
	} else if (g.double || g.tree) && g.r.IntN(12) > 0 {
		g.b.Store(g.b.Null(), g.b.PtrAdd(n, g.b.Word(backAt)))
	}
	if g.r.IntN(5) > 0 {
		g.b.Store(g.number(), n)
	}
	if g.r.IntN(12) > 0 {
		g.b.Store(g.load(v), g.link(n))
	}
	if w := g.pick(); g.tree && w != v && g.r.IntN(3) == 0 {
		g.b.Store(g.load(w), g.b.PtrAdd(n, g.b.Word(backAt)))
		if g.r.IntN(5) > 0 { // else it is shared
			g.b.Store(g.b.Null(), w)
		}
	}
	g.back(v, n)
	g.b.Store(n, v)
}

// insert puts a node below v, in the place of a link that is null or of one that is not.
func (g *lists) insert(v ir.Value) {
	g.b.Store(v, g.at)
	end := g.r.IntN(3) > 0
	g.while(func() ir.Value { return g.b.Cmp(ir.Ne, g.load(g.load(g.at)), g.b.Null()) }, func() {
		down := func() { g.b.Store(g.way(g.load(g.load(g.at))), g.at) }
		if end {
			flip := g.coin()
			g.when(flip, down)
			g.when(g.b.Bin(ir.Xor, flip, g.b.Const(1, 1)), func() {
				g.when(g.b.Cmp(ir.Ne, g.load(g.load(g.at)), g.b.Null()), down)
			})
		} else {
			down()
		}
	})
	g.push(g.load(g.at))
}

func (g *lists) number() ir.Value {
	switch g.r.IntN(4) {
	case 0:
		return g.b.Nondet(ir.IntType(32), ir.NondetInput, "n")
	case 1:
		return g.b.Load(ir.IntType(32), g.num)
	}
	return g.b.Const(32, uint64(g.r.IntN(3)))
}

func (g *lists) build(v ir.Value) { g.while(g.coin, func() { g.push(v) }) }

// drop frees the list at v.
func (g *lists) drop(v ir.Value) {
	g.while(func() ir.Value { return g.b.Cmp(ir.Ne, g.load(v), g.b.Null()) }, func() {
		p := g.load(v)
		n := g.load(g.link(p))
		if g.tree {
			right, leaf := g.b.PtrAdd(p, g.b.Word(backAt)), g.isNull(n)
			g.when(g.b.Bin(ir.Xor, leaf, g.b.Const(1, 1)), func() { // rotate
				at := g.b.PtrAdd(n, g.b.Word(backAt))
				g.b.Store(g.load(at), g.link(p))
				g.b.Store(p, at)
				g.b.Store(n, v)
			})
			g.when(leaf, func() {
				n := g.load(right)
				g.b.Op(ir.Free, ir.Type{}, p)
				g.b.Store(n, v)
			})
			return
		}
		g.b.Op(ir.Free, ir.Type{}, p)
		g.b.Store(n, v)
	})
}

func (g *lists) statement() {
	g.depth++
	defer func() { g.depth-- }()
	v, w := g.pick(), g.pick()
	guarded := func(p ir.Value, then func()) {
		if g.r.IntN(8) == 0 {
			then()
			return
		}
		g.when(g.b.Cmp(ir.Ne, g.load(p), g.b.Null()), then)
	}
	if g.calls && g.r.IntN(2) == 0 {
		back := g.b.Call(g.m.PtrType(), "f", g.load(v), w)
		if g.r.IntN(4) > 0 {
			g.b.Store(back, v)
		}
		return
	}
	k := g.r.IntN(16)
	if g.depth > 2 && k < 5 {
		k += 5
	}
	switch k {
	case 0:
		g.build(v)
	case 1: // for every node
		g.b.Store(g.load(w), v)
		g.while(func() ir.Value { return g.b.Cmp(ir.Ne, g.load(v), g.b.Null()) }, func() {
			if g.r.IntN(2) == 0 {
				g.statement()
			}
			guarded(v, func() {
				if g.r.IntN(2) == 0 {
					g.b.Store(g.number(), g.load(v))
				}
				g.b.Store(g.load(g.way(g.load(v))), v)
			})
		})
	case 2: // reverse w into v
		if g.tree {
			g.insert(v)
			return
		}
		t := g.vars[g.r.IntN(3)]
		g.b.Store(g.b.Null(), v)
		g.while(func() ir.Value { return g.b.Cmp(ir.Ne, g.load(w), g.b.Null()) }, func() {
			g.b.Store(g.load(w), t)
			g.b.Store(g.load(g.link(g.load(w))), w)
			g.b.Store(g.load(v), g.link(g.load(t)))
			if g.double {
				g.b.Store(g.b.Null(), g.b.PtrAdd(g.load(t), g.b.Word(backAt)))
			}
			g.back(v, g.load(t))
			g.b.Store(g.load(t), v)
		})
	case 3:
		g.when(g.coin(), g.statement)
	case 4:
		g.while(g.coin, g.statement)
	case 5, 6:
		g.push(v)
	case 7:
		g.b.Store(g.load(w), v)
	case 8:
		guarded(w, func() { g.b.Store(g.load(g.way(g.load(w))), v) })
	case 9:
		guarded(v, func() { g.b.Store(g.load(w), g.way(g.load(v))) })
	case 10:
		g.b.Store(g.b.Null(), v)
	case 11: // free the node behind v, or v's first
		guarded(v, func() {
			p := g.load(v)
			g.b.Store(g.load(g.link(p)), v)
			g.b.Op(ir.Free, ir.Type{}, p)
		})
	case 12:
		guarded(v, func() { g.b.Store(g.b.Load(ir.IntType(32), g.load(v)), g.num) })
	case 13:
		guarded(v, func() {
			n := g.b.Load(ir.IntType(32), g.load(v))
			op := []ir.Op{ir.Eq, ir.SLe, ir.Ne}[g.r.IntN(3)]
			g.b.Check(ir.Assertion, g.b.Cmp(op, g.number(), n), "about a node")
		})
	case 14:
		op := []ir.Op{ir.Eq, ir.Ne}[g.r.IntN(2)]
		g.b.Check(ir.Assertion, g.b.Cmp(op, g.load(v), g.load(w)), "about two pointers")
	case 15:
		guarded(v, func() { g.b.Check(ir.Assertion, g.isNull(g.load(g.way(g.load(v)))), "about an end") })
	}
}

// change makes a random change of a certificate.
func change(r *rand.Rand, g *symgraph.Graph) {
	n := &g.Nodes[r.IntN(len(g.Nodes))]
	if as := n.State.Arguments; len(as) > 0 && r.IntN(2) == 0 { // what is said of the beginning of an activation
		a := &as[r.IntN(len(as))]
		switch r.IntN(4) {
		case 0:
			*a = symgraph.Value{Kind: symgraph.Pointer, Object: int32(r.IntN(len(n.State.Objects)+1)) - 1}
		case 1:
			a.Kind = symgraph.Any
		case 2:
			n.State.Lost = false
		case 3:
			n.State.Entry = int32(r.IntN(len(g.Nodes)))
		}
		return
	}
	var segments []int
	for k := range n.State.Objects {
		if n.State.Objects[k].List != nil {
			segments = append(segments, k)
		}
	}
	if len(segments) == 0 {
		return
	}
	k := segments[r.IntN(len(segments))]
	o := &n.State.Objects[k]
	l := *o.List
	o.List = &l
	heap := func() int32 {
		fixed := 0
		for fixed < len(n.State.Objects) && n.State.Objects[fixed].Kind >= symgraph.Global {
			fixed++
		}
		return int32(fixed + r.IntN(len(n.State.Objects)-fixed))
	}
	switch r.IntN(13) {
	case 12:
		l.Branches = nil
	case 9:
		l.Before = symgraph.Value{Kind: symgraph.Pointer, Object: symgraph.Null}
	case 10:
		l.Before = symgraph.Value{Kind: symgraph.Pointer, Object: heap(), Last: r.IntN(2) == 0}
	case 11:
		l.Double = !l.Double
	case 0:
		l.Length = l.Length.Plus(linear.Int(int64(r.IntN(3) - 1)))
	case 1:
		l.Length = linear.Constant(linear.Int(int64(r.IntN(3))))
	case 2:
		l.Tail = symgraph.Value{Kind: symgraph.Pointer, Object: symgraph.Null}
	case 3:
		l.Tail = symgraph.Value{Kind: symgraph.Pointer, Object: heap()}
	case 4:
		if len(l.Facts) > 0 {
			l.Facts = slices.Clone(l.Facts)
			i := r.IntN(len(l.Facts))
			l.Facts[i].Form = l.Facts[i].Form.Plus(linear.Int(int64(r.IntN(5) - 2)))
		}
	case 5:
		n.State.Lost = !n.State.Lost
	case 6: // a pointer elsewhere
		f := &n.State.Frames[0]
		for v := range f.Values {
			if x := &f.Values[v]; x.Kind == symgraph.Pointer && r.IntN(3) == 0 {
				x.Object = heap()
				x.Last = r.IntN(4) == 0
			}
		}
	case 7:
		for i := range n.State.Objects {
			for c := range n.State.Objects[i].Cells {
				if x := &n.State.Objects[i].Cells[c].Value; x.Kind == symgraph.Pointer && r.IntN(3) == 0 {
					x.Object = heap()
					x.Last = r.IntN(4) == 0
				}
			}
		}
	case 8:
		n.State.Constraints = append(slices.Clone(n.State.Constraints), linear.Constraint{Form: l.Length.Plus(linear.Int(-1 - int64(r.IntN(2))))})
	}
	o.List = &l
}

// copied is a graph whose states can be changed.
func copied(g *symgraph.Graph) *symgraph.Graph {
	c := *g
	c.Nodes = slices.Clone(g.Nodes)
	for i := range c.Nodes {
		s := &c.Nodes[i].State
		s.Frames = slices.Clone(s.Frames)
		for k := range s.Frames {
			s.Frames[k].Values = slices.Clone(s.Frames[k].Values)
		}
		s.Arguments = slices.Clone(s.Arguments)
		s.Objects = slices.Clone(s.Objects)
		for k := range s.Objects {
			s.Objects[k].Cells = slices.Clone(s.Objects[k].Cells)
		}
	}
	return &c
}

// TestRandomLists runs programs over lists for which a graph was accepted, as the
// engine built it or with changes: no run violates what the graph excludes.
func TestRandomLists(t *testing.T) {
	checkLists(t, randomLists, 0, 30)
}

// TestRandomTrees does the same with trees.
func TestRandomTrees(t *testing.T) {
	checkLists(t, randomTrees, 0, 25)
}

func checkLists(t *testing.T, random func(seed uint64) *ir.Module, from, to uint64) {
	ctx := context.Background()
	accepted, folded, trees, terminating, changed, rejected := 0, 0, 0, 0, 0, 0
	for seed := from; seed < to; seed++ {
		m := random(seed)
		if err := ir.Verify(m); err != nil {
			t.Fatal(err)
		}
		targets := [][]ir.CheckKind{
			{ir.Assertion}, {ir.InvalidDeref}, {ir.InvalidFree}, {ir.MemCleanup}, {ir.Assertion, ir.InvalidDeref}, {ir.InvalidDeref, ir.InvalidFree, ir.MemTrack}, {ir.MemTrack},
		}[seed%7]
		g := symex.Build(ctx, m, symex.Options{Targets: targets, System: true, MaxSteps: 20_000, MaxObjects: 12})
		if g.Graph == nil {
			continue
		}
		isFolded, isTree := false, false
		for i := range g.Graph.Nodes {
			for k := range g.Graph.Nodes[i].State.Objects {
				if l := g.Graph.Nodes[i].State.Objects[k].List; l != nil {
					isFolded, isTree = true, isTree || len(l.Branches) > 0
				}
			}
		}
		excluded := map[ir.CheckKind]bool{}
		excludes, ends := false, false
		if _, err := Check(ctx, m, g.Graph, Options{Targets: targets}); err == nil {
			excludes = true
			accepted++
			if isFolded {
				folded++
			}
			if isTree {
				trees++
			}
		} else if len(g.Suspects) == 0 {
			rejected++
			t.Logf("seed %d: %v", seed, err)
		}
		r := rand.New(rand.NewPCG(seed, 78))
		for range 3 {
			if !isFolded || excludes {
				break
			}
			c := copied(g.Graph)
			for range 1 + r.IntN(2) {
				change(r, c)
			}
			if _, err := Check(ctx, m, c, Options{Targets: targets}); err == nil {
				excludes = true
				changed++
			}
		}
		short, cancel := context.WithTimeout(ctx, 100*time.Millisecond)
		answer, err := termination.Decide(short, g.Graph.System, termination.Options{Accept: itscheck.Check})
		cancel()
		if a, ok := answer.(termination.Terminates); ok && err == nil {
			g.Graph.Argument = a.Argument
			if _, err := Check(ctx, m, g.Graph, Options{Termination: true}); err == nil {
				terminating++
				ends = true
			}
		}
		if !excludes && !ends {
			continue
		}
		for _, k := range targets {
			excluded[k] = excludes
		}
		for run := range uint64(60) {
			out, err := interp.Run(ctx, m, interp.Options{Oracle: interp.Random(run), MaxSteps: 20_000, MaxMemory: 1 << 24, StopAt: func(e interp.Event) bool {
				return e.Kind == interp.Violation && excluded[e.Check]
			}})
			if err != nil {
				t.Fatal(err)
			}
			if out.End == interp.Stopped {
				t.Fatalf("seed %d, run %d: a violation of %v that an accepted graph excludes: %v\n%s", seed, run, out.Event.Check, out, ir.Print(m))
			}
			if ends && out.End == interp.StepLimit {
				t.Errorf("seed %d, run %d: more than %d steps, in a program that terminates", seed, run, 20_000)
			}
		}
	}
	t.Logf("%d graphs accepted, %d of them with lists, %d with trees, %d after changes, %d with termination, %d rejected", accepted, folded, trees, changed, terminating, rejected)
	if folded*10 < int(to-from) {
		t.Errorf("only %d graphs with lists were accepted", folded)
	}
}

// twoLists builds a list of numbers that are at least 3, and frees it.
const twoLists = `module 64 entry @main
func @main() {
entry:
  br head
head:
  %l = phi ptr [null, entry], [%n, body]
  %more = nondet i1 input "more"
  condbr %more, body, free
body:
  %n = malloc ptr i64 16
  %x = nondet i32 input "x"
  %big = sle i1 i32 3, %x
  assume %big
  store %x, %n
  %link = ptradd ptr %n, i64 8
  store %l, %link
  br head
free:
  %p = phi ptr [%l, head], [%next, node]
  %some = ne i1 %p, null
  condbr %some, node, done
node:
  %y = load i32 %p
  %at = ptradd ptr %p, i64 8
  %next = load ptr %at
  %ok = sle i1 i32 3, %y
  check assertion %ok "at least 3"
  free %p
  br free
done:
  halt exit
}
`

// TestListMutations changes the segments of an accepted certificate: what is then
// false is rejected.
func TestListMutations(t *testing.T) {
	ctx := context.Background()
	m, err := ir.Parse(twoLists)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	targets := []ir.CheckKind{ir.Assertion, ir.InvalidDeref, ir.InvalidFree, ir.MemCleanup}
	build := func() *symgraph.Graph {
		r := symex.Build(ctx, m, symex.Options{Targets: targets})
		if r.Graph == nil || len(r.Suspects) > 0 {
			t.Fatal(r.Why())
		}
		return r.Graph
	}
	check := func(g *symgraph.Graph) error {
		_, err := Check(ctx, m, g, Options{Targets: targets})
		return err
	}
	if err := check(build()); err != nil {
		t.Fatal(err)
	}
	null := symgraph.Value{Kind: symgraph.Pointer, Object: symgraph.Null}
	for name, change := range map[string]func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment){
		"length 2": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Length = linear.Constant(linear.Int(2))
		},
		"length 0": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Length = linear.Form{} },
		"negative length": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Length = linear.Constant(linear.Int(-1))
		},
		"no facts": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Facts = l.Facts[:2] },
		"a stronger fact": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Facts = append(l.Facts, linear.Constraint{Form: linear.Variable(l.Own[0]).Plus(linear.Int(-4))})
		},
		"impossible facts": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Facts = append(l.Facts, linear.Constraint{Form: linear.Variable(l.Own[0]).Neg()})
		},
		"a link elsewhere": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Next = 4 },
		"a link outside":   func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Next = 16 },
		"other nodes": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			o.Size = linear.Constant(linear.Int(24))
		},
		"a stack object": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { o.Kind = symgraph.Stack },
		"dead":           func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { o.Dead = true },
		"ends in itself": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Tail.Object = int32(len(s.Objects) - 1)
		},
		"ends anywhere": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Tail = symgraph.Value{Kind: symgraph.Any}
		},
		"ends in a middle": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Tail.Form = linear.Constant(linear.Int(8))
		},
		"shared symbols": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Own = append(l.Own, l.Own[0]) },
		"a free symbol":  func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Own = nil },
		"not a list": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			o.List = nil
			o.Cells = append(o.Cells, symgraph.Cell{Offset: linear.Constant(linear.Int(8)), Type: ir.Type{Kind: ir.Ptr, Bits: 64}, Value: null})
		},
		"no list": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			s.Objects = s.Objects[:len(s.Objects)-1]
			for v := range s.Frames[0].Values {
				if s.Frames[0].Values[v].Kind == symgraph.Pointer {
					s.Frames[0].Values[v] = null
				}
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := copied(build())
			changed := 0
			for i := range g.Nodes {
				s := &g.Nodes[i].State
				if k := len(s.Objects) - 1; k >= 0 && s.Objects[k].List != nil {
					l := *s.Objects[k].List
					l.Own, l.Facts = slices.Clone(l.Own), slices.Clone(l.Facts)
					s.Objects[k].List = &l
					change(s, &s.Objects[k], &l)
					changed++
				}
			}
			if changed < 2 {
				t.Fatal("there are no lists")
			}
			if err := check(g); err == nil {
				t.Error("accepted")
			} else {
				t.Log(err)
			}
		})
	}
}

// aCircle makes a list whose last node leads to itself, or to the first one, and goes to
// the end.
const aCircle = `module 64 entry @main
func @main() {
entry:
  %first = malloc ptr i64 16
  store %first, %first
  br head
head:
  %last = phi ptr [%first, entry], [%n, add]
  %more = nondet i1 input "more"
  condbr %more, add, close
add:
  %n = malloc ptr i64 16
  store %n, %n
  store %n, %last
  br head
close:
  store END, %last
  br walk
walk:
  %p = phi ptr [%first, close], [%q, on]
  %q = load ptr %p
  %same = eq i1 %q, END
  condbr %same, done, on
on:
  br walk
done:
  halt exit
}
`

// TestCircles: the end of a segment is found where only the segment leads to it.
func TestCircles(t *testing.T) {
	ctx := context.Background()
	for _, end := range []string{"%last", "%first"} {
		m, err := ir.Parse(strings.ReplaceAll(aCircle, "END", end))
		if err != nil {
			t.Fatal(err)
		}
		targets := []ir.CheckKind{ir.InvalidDeref}
		r := symex.Build(ctx, m, symex.Options{Targets: targets})
		if r.Graph == nil || len(r.Suspects) > 0 {
			t.Fatal(r.Why())
		}
		if _, err := Check(ctx, m, r.Graph, Options{Targets: targets}); err != nil {
			t.Errorf("%s: %v", end, err)
		}
	}
}
