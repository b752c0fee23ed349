package graph

import (
	"context"
	"slices"
	"testing"

	"assay/internal/engines/symex"
	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// aTable puts numbers that are at least 3 into lists that begin in the slots of a table, takes
// some away, and frees what is left.
const aTable = `module 64 entry @main
global @table size 96 align 8
func @main() {
entry:
  br head
head:
  %more = nondet i1 input "more"
  condbr %more, slot, free
slot:
  %k = nondet i64 input "k"
  %in = ult i1 %k, i64 12
  assume %in
  %off = mul i64 %k, i64 8
  %at = ptradd ptr @table, %off
  %old = load ptr %at
  %put = nondet i1 input "put"
  condbr %put, add, remove
add:
  %n = malloc ptr i64 16
  %x = nondet i32 input "x"
  %big = sle i1 i32 3, %x
  assume %big
  store %x, %n
  %nn = ptradd ptr %n, i64 8
  store %old, %nn
  store %n, %at
  br head
remove:
  %some = ne i1 %old, null
  condbr %some, first, head
first:
  %on = ptradd ptr %old, i64 8
  %second = load ptr %on
  store %second, %at
  free %old
  br head
free:
  %i = phi i64 [i64 0, head], [%i1, emptied]
  %is = ult i1 %i, i64 12
  condbr %is, row, done
row:
  %fo = mul i64 %i, i64 8
  %fa = ptradd ptr @table, %fo
  br list
list:
  %p = load ptr %fa
  %any = ne i1 %p, null
  condbr %any, node, emptied
node:
  %y = load i32 %p
  %ok = sle i1 i32 3, %y
  check assertion %ok "at least 3"
  %pn = ptradd ptr %p, i64 8
  %next = load ptr %pn
  store %next, %fa
  free %p
  br list
emptied:
  %i1 = add i64 %i, i64 1
  br free
done:
  halt exit
}
`

func parsed(t *testing.T, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// accepted is the certificate that the engine makes of a program without violations and leaks,
// and the checker, which accepts it.
func accepted(t *testing.T, text string) (graph *symgraph.Graph, check func(*symgraph.Graph) error) {
	t.Helper()
	return acceptedWith(t, text, symex.Options{})
}

// acceptedWith is that of an engine with options.
func acceptedWith(t *testing.T, text string, o symex.Options) (graph *symgraph.Graph, check func(*symgraph.Graph) error) {
	t.Helper()
	m := parsed(t, text)
	targets := []ir.CheckKind{ir.Assertion, ir.InvalidDeref, ir.InvalidFree, ir.MemCleanup}
	o.Targets = targets
	r := symex.Build(t.Context(), m, o)
	if r.Graph == nil || len(r.Suspects) > 0 {
		t.Fatal(r.Why())
	}
	check = func(g *symgraph.Graph) error {
		_, err := Check(t.Context(), m, g, Options{Targets: targets})
		return err
	}
	if err := check(r.Graph); err != nil {
		t.Fatal(err)
	}
	return r.Graph, check
}

// refuse checks that no graph proves the program text: neither what the engine makes of it, nor, if
// its instructions are those of the program from, the certificate of that one.
func refuse(t *testing.T, from, text string, targets []ir.CheckKind, with ...symex.Options) {
	t.Helper()
	ctx := context.Background()
	m := parsed(t, text)
	o := symex.Options{MaxSteps: 1000}
	for _, w := range with {
		o.Partition = w.Partition
	}
	o.Targets = targets
	r := symex.Build(ctx, m, o)
	if r.Graph != nil {
		if _, err := Check(ctx, m, r.Graph, Options{Targets: targets}); err == nil {
			t.Error("accepted")
		}
	}
	old := parsed(t, from)
	f, g := old.Index().Funcs[old.Entry], m.Index().Funcs[m.Entry]
	if len(f.Values) != len(g.Values) {
		return
	}
	o.MaxSteps = 0
	r = symex.Build(ctx, old, o)
	if r.Graph == nil || len(r.Suspects) > 0 {
		t.Fatal(r.Why())
	}
	for i := range r.Graph.Nodes {
		s := &r.Graph.Nodes[i].State
		for k := range s.Frames {
			s.Frames[k].Func = g
		}
		for k := range m.Globals {
			s.Objects[k].Global = m.Globals[k]
		}
	}
	if _, err := Check(ctx, m, r.Graph, Options{Targets: targets}); err == nil {
		t.Error("accepted with the certificate of the program that was changed")
	} else {
		t.Log(err)
	}
}

// TestSlotMutations changes the slots in an accepted certificate: what is then false is rejected.
func TestSlotMutations(t *testing.T) {
	graph, check := accepted(t, aTable)
	number := func(n int64) linear.Form { return linear.Constant(linear.Int(n)) }
	for name, change := range map[string]func(o *symgraph.Object, l *symgraph.Slots){
		"no slots":      func(o *symgraph.Object, l *symgraph.Slots) { o.Slots = nil },
		"one slot less": func(o *symgraph.Object, l *symgraph.Slots) { l.To = l.To.Plus(linear.Int(-1)) },
		"one slot more": func(o *symgraph.Object, l *symgraph.Slots) { l.To = l.To.Plus(linear.Int(1)) },
		"without the first": func(o *symgraph.Object, l *symgraph.Slots) {
			l.From, l.Nulls = l.From.Plus(linear.Int(1)), l.Nulls.Plus(linear.Int(1))
		},
		"the first is null": func(o *symgraph.Object, l *symgraph.Slots) { l.From = l.From.Plus(linear.Int(1)) },
		"all null":          func(o *symgraph.Object, l *symgraph.Slots) { l.From = l.To },
		"null before":       func(o *symgraph.Object, l *symgraph.Slots) { l.Nulls = number(-1) },
		"never null":        func(o *symgraph.Object, l *symgraph.Slots) { l.Owned.Least = 1 },
		"at most one":       func(o *symgraph.Object, l *symgraph.Slots) { l.Owned.Most = 1 },
		"always null":       func(o *symgraph.Object, l *symgraph.Slots) { l.Owned.Most = 0 },
		"a longer stride":   func(o *symgraph.Object, l *symgraph.Slots) { l.Stride = 16 },
		"overlapping":       func(o *symgraph.Object, l *symgraph.Slots) { l.Stride = 4 },
		"no stride":         func(o *symgraph.Object, l *symgraph.Slots) { l.Stride = 0 },
		"further on":        func(o *symgraph.Object, l *symgraph.Slots) { l.At = 8 },
		"before the object": func(o *symgraph.Object, l *symgraph.Slots) { l.At = -8 },
		"one is out":        func(o *symgraph.Object, l *symgraph.Slots) { l.Out = append(slices.Clone(l.Out), number(3)) },
		"pristine":          func(o *symgraph.Object, l *symgraph.Slots) { o.Pristine = true },
		"no nodes":          func(o *symgraph.Object, l *symgraph.Slots) { l.Owned.Nodes = nil },
		"another size":      func(o *symgraph.Object, l *symgraph.Slots) { l.Owned.Nodes.Size = number(24) },
		"linked elsewhere":  func(o *symgraph.Object, l *symgraph.Slots) { l.Owned.Nodes.List.Next = 0 },
		"blocks": func(o *symgraph.Object, l *symgraph.Slots) {
			l.Owned.Nodes.List.Next, l.Owned.Most = symgraph.NoLink, 1
		},
		"no facts": func(o *symgraph.Object, l *symgraph.Slots) {
			l.Owned.Nodes.Cells, l.Owned.Nodes.List.Own, l.Owned.Nodes.List.Facts = nil, nil, nil
		},
		"impossible facts": func(o *symgraph.Object, l *symgraph.Slots) {
			l.Owned.Nodes.List.Facts = append(slices.Clone(l.Owned.Nodes.List.Facts), linear.False())
		},
		"a stronger fact": func(o *symgraph.Object, l *symgraph.Slots) {
			for _, u := range l.Owned.Nodes.List.Own {
				l.Owned.Nodes.List.Facts = append(slices.Clone(l.Owned.Nodes.List.Facts), linear.Constraint{Form: linear.Variable(u).Plus(linear.Int(-4))})
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := copied(graph)
			arrays := 0
			for i := range g.Nodes {
				s := &g.Nodes[i].State
				for k := range s.Objects {
					if s.Objects[k].Slots == nil {
						continue
					}
					l := *s.Objects[k].Slots
					o := *l.Owned.Nodes
					nl := *o.List
					o.List, l.Owned.Nodes = &nl, &o
					s.Objects[k].Slots = &l
					change(&s.Objects[k], &l)
					arrays++
				}
			}
			if arrays < 3 {
				t.Fatalf("%d arrays", arrays)
			}
			if err := check(g); err == nil {
				t.Error("accepted")
			} else {
				t.Log(err)
			}
		})
	}
}

// TestSlotPrograms changes the program: lists are lost, freed twice or shared, slots are
// written over or forgotten, and no graph of it is accepted.
func TestSlotPrograms(t *testing.T) {
	targets := []ir.CheckKind{ir.Assertion, ir.InvalidDeref, ir.InvalidFree, ir.MemCleanup}
	for name, change := range map[string][2]string{
		"nothing is freed at the end": {"free %p\n", "\n"},
		"not freed when removed":      {"free %old\n", "\n"},
		"the rest is lost":            {"store %second, %at", "store null, %at"},
		"freed, but left":             {"store %second, %at", "store %old, %at"},
		"the old list is lost":        {"store %old, %nn", "store null, %nn"},
		"shared by all":               {"store %n, %at\n", "store %n, %at\n  store %n, @table\n"},
		"the first slot is cleared":   {"store %n, %at\n", "store %n, %at\n  store null, @table\n"},
		"half a pointer is written":   {"store %n, %at\n", "store %n, %at\n  store i32 0, @table\n"},
		"all is set to 0":             {"store %n, %at\n", "store %n, %at\n  memset @table, i8 0, i64 96\n"},
		"a slot is left out":          {"i64 0, head", "i64 1, head"},
		"the last slot is left out":   {"%is = ult i1 %i, i64 12", "%is = ult i1 %i, i64 11"},
		"one slot too many":           {"%is = ult i1 %i, i64 12", "%is = ult i1 %i, i64 13"},
		"every other slot":            {"%i1 = add i64 %i, i64 1", "%i1 = add i64 %i, i64 2"},
		"outside":                     {"%in = ult i1 %k, i64 12", "%in = ult i1 %k, i64 13"},
		"between slots":               {"%off = mul i64 %k, i64 8", "%off = mul i64 %k, i64 4"},
		"a smaller number":            {"sle i1 i32 3, %x", "sle i1 i32 2, %x"},
		"not zero at the beginning":   {"global @table size 96 align 8", "global @table size 96 align 8 external"},
	} {
		t.Run(name, func(t *testing.T) {
			refuse(t, aTable, replaceOnce(t, aTable, change[0], change[1]), targets)
		})
	}
}
