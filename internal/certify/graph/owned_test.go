package graph

import (
	"slices"
	"strings"
	"testing"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// aListOfLists builds a list whose nodes own a list of numbers that are at least 3, and a
// block with a 7 in it, and frees all that.
const aListOfLists = `module 64 entry @main
func @main() {
entry:
  br head
head:
  %rows = phi ptr [null, entry], [%row, linked]
  %more = nondet i1 input "more"
  condbr %more, items, free
items:
  %list = phi ptr [null, head], [%item, add]
  %another = nondet i1 input "another"
  condbr %another, add, linked
add:
  %item = malloc ptr i64 16
  %x = nondet i32 input "x"
  %big = sle i1 i32 3, %x
  assume %big
  store %x, %item
  %in = ptradd ptr %item, i64 8
  store %list, %in
  br items
linked:
  %row = malloc ptr i64 24
  store %list, %row
  %rn = ptradd ptr %row, i64 8
  store %rows, %rn
  %block = malloc ptr i64 40
  store i32 7, %block
  %rb = ptradd ptr %row, i64 16
  store %block, %rb
  br head
free:
  %r = phi ptr [%rows, head], [%following, gone]
  %some = ne i1 %r, null
  condbr %some, first, done
first:
  %i = load ptr %r
  br inner
inner:
  %at = phi ptr [%i, first], [%next, node]
  %is = ne i1 %at, null
  condbr %is, node, gone
node:
  %y = load i32 %at
  %ok = sle i1 i32 3, %y
  check assertion %ok "at least 3"
  %an = ptradd ptr %at, i64 8
  %next = load ptr %an
  free %at
  br inner
gone:
  %fb = ptradd ptr %r, i64 16
  %b = load ptr %fb
  %seven = load i32 %b
  %is7 = eq i1 %seven, i32 7
  check assertion %is7 "seven"
  free %b
  %fn = ptradd ptr %r, i64 8
  %following = load ptr %fn
  free %r
  br free
done:
  halt exit
}
`

// TestOwnedMutations changes what nodes own in an accepted certificate: what is then
// false is rejected.
func TestOwnedMutations(t *testing.T) {
	graph, check := accepted(t, aListOfLists)
	// Of each segment with owners: the list and the block that a node owns.
	type change func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned)
	for name, change := range map[string]change{
		"nothing owned": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { l.Owned = nil },
		"only the list": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			l.Owned = []symgraph.Owned{*list}
		},
		"only the block": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			l.Owned = []symgraph.Owned{*block}
		},
		"one of two twice": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			l.Owned = []symgraph.Owned{*list, *block, *block}
		},
		"exchanged": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.At, block.At = block.At, list.At
		},
		"at the link": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.At = l.Next },
		"outside":     func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.At = 24 },
		"never empty": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.Least = 1 },
		"always empty": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Least, list.Most = 0, 0
		},
		"at most two": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.Most = 2 },
		"no length": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Least, list.Most = 3, 2
		},
		"two blocks":    func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { block.Most = 2 },
		"block or null": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { block.Least = 0 },
		"no nodes":      func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.Nodes = nil },
		"no segment":    func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.Nodes.List = nil },
		"dead":          func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.Nodes.Dead = true },
		"another size": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Nodes.Size = linear.Constant(linear.Int(24))
		},
		"a larger block": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			block.Nodes.Size = linear.Constant(linear.Int(48))
		},
		"linked at 0": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.Nodes.List.Next = 0 },
		"not linked": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Nodes.List.Next, list.Most = symgraph.NoLink, 1
		},
		"a linked block": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { block.Nodes.List.Next = 8 },
		"a tree": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Nodes.List.Branches = []int64{0}
		},
		"a way back": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Nodes.List.Double, list.Nodes.List.Prev = true, 0
		},
		"another end": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Nodes.List.Tail.Object = int32(len(s.Objects) - 1)
		},
		"a cell elsewhere": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Nodes.Cells = append(slices.Clone(list.Nodes.Cells), symgraph.Cell{Type: ir.Type{Kind: ir.Ptr, Bits: 64}, Value: symgraph.Value{Kind: symgraph.Pointer, Object: int32(len(s.Objects) - 1)}})
		},
		"no facts": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Nodes.Cells, list.Nodes.List.Own, list.Nodes.List.Facts = nil, nil, nil
		},
		"impossible facts": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			list.Nodes.List.Facts = append(slices.Clone(list.Nodes.List.Facts), linear.False())
		},
		"a stronger fact": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			if own := list.Nodes.List.Own; len(own) > 0 {
				list.Nodes.List.Facts = append(slices.Clone(list.Nodes.List.Facts), linear.Constraint{Form: linear.Variable(own[0]).Plus(linear.Int(-4))})
			}
		},
		"a symbol without bounds": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) { list.Nodes.List.Facts = nil },
		"an owner in itself": func(s *symgraph.State, l *symgraph.Segment, list, block *symgraph.Owned) {
			block.Nodes.List.Owned = []symgraph.Owned{*block}
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := copied(graph)
			owners := 0
			for i := range g.Nodes {
				s := &g.Nodes[i].State
				for k := range s.Objects {
					l := s.Objects[k].List
					if l == nil || len(l.Owned) != 2 {
						continue
					}
					n := *l
					n.Owned = slices.Clone(l.Owned)
					for i := range n.Owned {
						o := *n.Owned[i].Nodes
						nl := *o.List
						o.List = &nl
						n.Owned[i].Nodes = &o
					}
					s.Objects[k].List = &n
					change(s, &n, &n.Owned[0], &n.Owned[1])
					owners++
				}
			}
			if owners < 3 {
				t.Fatalf("%d segments with owners", owners)
			}
			if err := check(g); err == nil {
				t.Error("accepted")
			} else {
				t.Log(err)
			}
		})
	}
}

// TestOwnedPrograms changes the program: what nodes own is not freed, freed twice, shared or
// lost, and no graph of it is accepted.
func TestOwnedPrograms(t *testing.T) {
	targets := []ir.CheckKind{ir.Assertion, ir.InvalidDeref, ir.InvalidFree, ir.MemCleanup}
	for name, change := range map[string][2]string{
		"the block is not freed":    {"free %b\n", "\n"},
		"an item is not freed":      {"free %at\n", "\n"},
		"a row is not freed":        {"free %r\n", "\n"},
		"the list is kept twice":    {"store %block, %rb", "store %list, %rb"},
		"the block is the row":      {"store %block, %rb", "store %row, %rb"},
		"the block of another":      {"store %block, %rb", "store %rows, %rb"},
		"a smaller number":          {"sle i1 i32 3, %x", "sle i1 i32 2, %x"},
		"another number":            {"store i32 7, %block", "store i32 8, %block"},
		"no list":                   {"store %list, %row\n", "\n"},
		"a smaller block":           {"malloc ptr i64 40", "malloc ptr i64 2"},
		"items are freed too early": {"free %at\n", "free %at\n  free %at\n"},
	} {
		t.Run(name, func(t *testing.T) {
			refuse(t, aListOfLists, replaceOnce(t, aListOfLists, change[0], change[1]), targets)
		})
	}
}

// replaceOnce replaces what occurs once.
func replaceOnce(t *testing.T, text, old, by string) string {
	t.Helper()
	if strings.Count(text, old) != 1 {
		t.Fatalf("%q occurs %d times", old, strings.Count(text, old))
	}
	return strings.Replace(text, old, by, 1)
}
