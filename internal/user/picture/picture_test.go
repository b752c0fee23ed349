package picture

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"assay/internal/evidence/symgraph"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// program has variables p and n, and a line for each instruction.
const program = `module 64 entry @main
file "dir/list.c"

func @main() {
  var "p" "struct node *" 64
  var "n" "int" 32 signed
entry:
  %1 = nondet i32 input "n" !0:1:1
  %2 = malloc ptr i64 16 !0:2:1
  dbg 0, %2 !0:3:1
  dbg 1, %1 !0:4:1
  store %1, %2 !0:5:1
  halt exit !0:6:1
}
`

func parsed(t *testing.T) (*ir.Module, *ir.Func) {
	t.Helper()
	m, err := ir.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	return m, m.Func("main")
}

// TestChains: every vertex is in one box; boxes are chains of evaluations that nothing else
// enters or leaves; every other arrow is an edge between the boxes of its ends.
func TestChains(t *testing.T) {
	m, f := parsed(t)
	instrs := f.Blocks[1].Instrs
	for seed := range uint64(500) {
		rng := rand.New(rand.NewPCG(seed, 2))
		d := &symgraph.Drawing{}
		n := 1 + rng.IntN(8)
		for range n {
			d.Vertices = append(d.Vertices, symgraph.Vertex{
				State: &symgraph.State{Frames: []symgraph.Frame{{Func: f, Block: 1, Values: make([]symgraph.Value, len(f.Values))}}},
				Func:  f, Instr: instrs[rng.IntN(len(instrs))], Cutpoint: rng.IntN(4) == 0,
			})
		}
		for from := range n { // forwards, or back to a cutpoint
			for range rng.IntN(3) {
				if to := rng.IntN(n); to > from || d.Vertices[to].Cutpoint {
					d.Arrows = append(d.Arrows, symgraph.Arrow{From: from, To: to, Kind: symgraph.ArrowKind(rng.IntN(3))})
				}
			}
		}
		steps := New(m, d, Options{Steps: true})
		if len(steps.Boxes) != n || len(steps.Edges) != len(d.Arrows) {
			t.Fatalf("seed %d: %d boxes of %d vertices, %d edges of %d arrows", seed, len(steps.Boxes), n, len(steps.Edges), len(d.Arrows))
		}
		for i, a := range d.Arrows {
			if e := steps.Edges[i]; e.From != a.From || e.To != a.To || e.Kind != a.Kind {
				t.Fatalf("seed %d: the arrow %+v is the edge %+v", seed, a, e)
			}
		}
		p := New(m, d, Options{})
		instructions := 0
		for _, b := range p.Boxes {
			instructions += len(b.Instructions)
		}
		if inner := len(d.Arrows) - len(p.Edges); instructions != n || len(p.Boxes) != n-inner {
			t.Fatalf("seed %d: %d boxes with %d instructions, %d arrows within, of %d vertices", seed, len(p.Boxes), instructions, inner, n)
		}
		in, out := make([]int, n), make([]int, n)
		for _, a := range d.Arrows {
			in[a.To]++
			out[a.From]++
		}
		inner := 0
		for _, a := range d.Arrows {
			if a.Kind == symgraph.Evaluation && in[a.To] == 1 && out[a.From] == 1 && !d.Vertices[a.To].Cutpoint {
				inner++
			}
		}
		if len(p.Edges) != len(d.Arrows)-inner {
			t.Fatalf("seed %d: %d edges, of %d arrows %d are within chains", seed, len(p.Edges), len(d.Arrows), inner)
		}
	}
}

// TestDOT: what is written is a graph whose edges lead between boxes that are there, in which each
// line shows its source, and strings end where they should.
func TestDOT(t *testing.T) {
	m, f := parsed(t)
	d := &symgraph.Drawing{Arrows: []symgraph.Arrow{{From: 0, To: 1}, {From: 1, To: 0, Kind: symgraph.Generalization}}}
	for i, v := range f.Blocks[1].Instrs[:2] {
		d.Vertices = append(d.Vertices, symgraph.Vertex{
			State: &symgraph.State{Frames: []symgraph.Frame{{Func: f, Block: 1, Values: make([]symgraph.Value, len(f.Values))}}},
			Func:  f, Instr: v, Cutpoint: i == 0, Violation: []string{"", `of "p" \ here`}[i],
		})
	}
	var b strings.Builder
	p := New(m, d, Options{})
	if err := p.WriteDOT(&b, func(pos ir.Pos) string { return fmt.Sprintf("source \"%d\";", pos.Line) }); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	boxes := regexp.MustCompile(`(?m)^  (box\d+) \[(.*)\];$`).FindAllStringSubmatch(text, -1)
	if len(boxes) != len(p.Boxes) {
		t.Errorf("%d boxes of %d\n%s", len(boxes), len(p.Boxes), text)
	}
	for _, want := range []string{`list.c:1  source \"1\";`, `✗ of \"p\" \\ here`, "color=red", "style=bold"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
	attribute := regexp.MustCompile(`^(\w+=(\w+|"([^"\\]|\\.)*")(, |$))+$`)
	for _, x := range boxes {
		if !attribute.MatchString(x[2]) {
			t.Errorf("the attributes of %s are %s", x[1], x[2])
		}
	}
	if want := "1 boxes, 1 of them cutpoints; 0 evaluations, 0 refinements, 1 generalizations; a violation is not excluded in 1 boxes"; p.Summary() != want {
		t.Errorf("%q", p.Summary())
	}
}

// TestShapes: the picture of a list that p points to, of 16 bytes a node, with a number in each node
// and a link to null.
func TestShapes(t *testing.T) {
	m, f := parsed(t)
	pointer := func(o int32) symgraph.Value { return symgraph.Value{Kind: symgraph.Pointer, Object: o} }
	number := func(n int64) linear.Form { return linear.Constant(linear.Int(n)) }
	state := func(o symgraph.Object) *symgraph.State {
		s := &symgraph.State{Frames: []symgraph.Frame{{Func: f, Block: 1, Values: make([]symgraph.Value, len(f.Values))}}, Objects: []symgraph.Object{o}}
		s.Frames[0].Values[f.Blocks[1].Instrs[1]] = pointer(0)
		s.Frames[0].Values[f.Blocks[1].Instrs[0]] = symgraph.Value{Kind: symgraph.Int, Form: number(7)}
		return s
	}
	list := symgraph.Object{Kind: symgraph.Heap, Size: number(16), List: &symgraph.Segment{Length: linear.Variable(3), Next: 8, Tail: pointer(symgraph.Null)}}
	list.Cells = []symgraph.Cell{{Offset: number(0), Type: ir.IntType(32), Value: symgraph.Value{Kind: symgraph.Int, Form: number(5)}}}
	tree := list
	tree.List = &symgraph.Segment{Next: 0, Branches: []int64{8}, Tail: pointer(symgraph.Null)}
	dead := symgraph.Object{Kind: symgraph.Heap, Dead: true, Size: number(16)}
	block := symgraph.Object{Kind: symgraph.Heap, Size: number(16), Cells: []symgraph.Cell{{Offset: number(8), Type: m.PtrType(), Value: pointer(0)}}}
	for _, c := range []struct {
		name   string
		object symgraph.Object
		want   []string
		points string
	}{
		{"list", list, []string{"list: v1 nodes of 16 bytes", "peripheries=3", "+8: the next one", "+0 = 5", "o1:p8 -> s0null", "last", "NULL"}, "a list"},
		{"tree", tree, []string{"tree: ", "+0: a tree", "+8: a tree", "o1:p0 -> s0null"}, "a tree"},
		{"gone", dead, []string{"block: 16 bytes, not alive", "style=dashed"}, "a block that is gone"},
		{"cycle", block, []string{"block: 16 bytes", "o1:p8 -> "}, "a block"},
	} {
		last := f.Blocks[1].Instrs[4]
		d := &symgraph.Drawing{Vertices: []symgraph.Vertex{{State: state(c.object), Func: f, Instr: last}, {State: state(c.object), Func: f, Instr: last}}}
		s := NewShapes(m, d, func(p ir.Pos) bool { return p.Line == 5 })
		if s.Len() != 1 { // the second state looks the same
			t.Errorf("%s: %d states", c.name, s.Len())
		}
		if want := "shapes of memory in 1 states; p -> {" + c.points + "}"; s.Summary() != want {
			t.Errorf("%s: %q, want %q", c.name, s.Summary(), want)
		}
		var b strings.Builder
		if err := s.WriteDOT(&b); err != nil {
			t.Fatal(err)
		}
		for _, want := range append(c.want, "n = 7", "in main") {
			if !strings.Contains(b.String(), want) {
				t.Errorf("%s: %q is missing in\n%s", c.name, want, b.String())
			}
		}
		declared := map[string]bool{}
		for _, x := range regexp.MustCompile(`(?m)^    (s\d+\w+) \[`).FindAllStringSubmatch(b.String(), -1) {
			declared[x[1]] = true
		}
		edges := regexp.MustCompile(`(?m)^    (s\d+\w+)(?::p\d+)? -> (s\d+\w+) \[`).FindAllStringSubmatch(b.String(), -1)
		for _, x := range edges {
			if !declared[x[1]] || !declared[x[2]] {
				t.Errorf("%s: an edge from %s to %s, of the nodes %v", c.name, x[1], x[2], declared)
			}
		}
		if len(edges) == 0 {
			t.Errorf("%s: no arrow", c.name)
		}
	}
	if none := NewShapes(m, &symgraph.Drawing{}, func(ir.Pos) bool { return true }); none.Len() != 0 || none.Summary() != "shapes of memory in 0 states" {
		t.Errorf("without states: %q", none.Summary())
	}
}
