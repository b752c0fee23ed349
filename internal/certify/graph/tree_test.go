package graph

import (
	"slices"
	"testing"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
)

// aTree builds a tree of numbers that are at least 3 from above, and frees it by
// rotating left subtrees away.
const aTree = `module 64 entry @main
func @main() {
entry:
  %root = alloca ptr i64 8 align 8
  store null, %root
  br head
head:
  %more = nondet i1 input "more"
  condbr %more, walk, free
walk:
  %at = phi ptr [%root, head], [%pl, toleft], [%pr, toright]
  %p = load ptr %at
  %some = ne i1 %p, null
  condbr %some, below, add
below:
  %left = nondet i1 input "left"
  condbr %left, toleft, toright
toleft:
  %pl = ptradd ptr %p, i64 8
  br walk
toright:
  %pr = ptradd ptr %p, i64 16
  br walk
add:
  %n = malloc ptr i64 24
  %x = nondet i32 input "x"
  %big = sle i1 i32 3, %x
  assume %big
  store %x, %n
  %nl = ptradd ptr %n, i64 8
  store null, %nl
  %nr = ptradd ptr %n, i64 16
  store null, %nr
  store %n, %at
  br head
free:
  %q = load ptr %root
  %rest = ne i1 %q, null
  condbr %rest, node, done
node:
  %y = load i32 %q
  %ok = sle i1 i32 3, %y
  check assertion %ok "at least 3"
  %ql = ptradd ptr %q, i64 8
  %qr = ptradd ptr %q, i64 16
  %l = load ptr %ql
  %leaf = eq i1 %l, null
  condbr %leaf, gone, rotate
gone:
  %r = load ptr %qr
  free %q
  store %r, %root
  br free
rotate:
  %lr = ptradd ptr %l, i64 16
  %lrv = load ptr %lr
  store %lrv, %ql
  store %q, %lr
  store %l, %root
  br free
done:
  halt exit
}
`

// TestTreeMutations changes the tree segments of an accepted certificate: what is then
// false is rejected.
func TestTreeMutations(t *testing.T) {
	graph, check := accepted(t, aTree)
	null := symgraph.Value{Kind: symgraph.Pointer, Object: symgraph.Null}
	for name, change := range map[string]func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment){
		"a list": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Branches = nil },
		"the other list": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Next, l.Branches = l.Branches[0], nil
		},
		"overlapping":    func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Branches = []int64{l.Next + 4} },
		"the same link":  func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Branches = []int64{l.Next} },
		"a link outside": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Branches = []int64{24} },
		"a third link": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Branches = append(slices.Clone(l.Branches), 0)
		},
		"no hole": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Tail = null },
		"any hole": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Tail = symgraph.Value{Kind: symgraph.Any}
		},
		"a way back": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Double, l.Before = true, null },
		"empty":      func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { l.Length = linear.Form{} },
		"of one": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Length = linear.Constant(linear.Int(1))
		},
		"dead": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) { o.Dead = true },
		"ends in itself": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Tail.Object = int32(len(s.Objects) - 1)
		},
		"impossible facts": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Facts = append(slices.Clone(l.Facts), linear.False())
		},
		"no facts": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			o.Cells, l.Own, l.Facts = nil, nil, nil
		},
		"a stronger fact": func(s *symgraph.State, o *symgraph.Object, l *symgraph.Segment) {
			l.Facts = append(slices.Clone(l.Facts), linear.Constraint{Form: linear.Variable(l.Own[0]).Plus(linear.Int(-4))})
		},
	} {
		t.Run(name, func(t *testing.T) {
			g := copied(graph)
			changed, trees := 0, 0
			for i := range g.Nodes {
				s := &g.Nodes[i].State
				for k := range s.Objects {
					if l := s.Objects[k].List; l != nil && len(l.Branches) > 0 {
						n := *l
						before := n.Tail
						s.Objects[k].List = &n
						change(s, &s.Objects[k], &n)
						trees++
						if name != "no hole" || before.Object != symgraph.Null {
							changed++
						}
					}
				}
			}
			if trees < 3 || changed == 0 {
				t.Fatalf("%d trees", trees)
			}
			if err := check(g); err == nil {
				t.Error("accepted")
			} else {
				t.Log(err)
			}
		})
	}
}
