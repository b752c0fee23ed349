package reducible

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// random is a function of some blocks with random edges, all of which are reached. Each
// block has a phi, and adds to it, and uses values of blocks that dominate it.
func random(r *rand.Rand) string {
	n := 3 + r.IntN(6)
	next := make([][]int, n)
	for i := range next {
		for range 1 + r.IntN(3) {
			next[i] = append(next[i], r.IntN(n+1)) // n is the end
		}
	}
	reach := func(without int) []bool {
		seen := make([]bool, n+1)
		if without == 0 {
			return seen
		}
		seen[0] = true
		for work := []int{0}; len(work) > 0; work = work[1:] {
			if work[0] == n {
				continue
			}
			for _, v := range next[work[0]] {
				if !seen[v] && v != without {
					seen[v] = true
					work = append(work, v)
				}
			}
		}
		return seen
	}
	all := reach(-1)
	var s strings.Builder
	s.WriteString("module 64 entry @main\nfunc @main() {\nb:\n  br b0\n")
	for i := range n {
		if !all[i] {
			continue
		}
		var in []string
		if i == 0 {
			in = append(in, "[i8 1, b]")
		}
		for j := range n {
			for _, v := range next[j] {
				if all[j] && v == i {
					in = append(in, fmt.Sprintf("[%%y%d, b%d]", j, j))
				}
			}
		}
		fmt.Fprintf(&s, "b%d:\n  %%x%d = phi i8 %s\n", i, i, strings.Join(in, ", "))
		last := fmt.Sprintf("%%x%d", i)
		for j := range n {
			if j != i && all[j] && !reach(j)[i] && r.IntN(2) == 0 {
				fmt.Fprintf(&s, "  %%u%d_%d = xor i8 %s, %%y%d\n", i, j, last, j)
				last = fmt.Sprintf("%%u%d_%d", i, j)
			}
		}
		fmt.Fprintf(&s, "  %%y%d = add i8 %s, i8 %d\n  %%z%d = and i8 %%y%d, i8 3\n", i, last, r.IntN(9), i, i)
		name := func(v int) string {
			if v == n {
				return "out"
			}
			return fmt.Sprint("b", v)
		}
		switch ns := next[i]; len(ns) {
		case 1:
			fmt.Fprintf(&s, "  br %s\n", name(ns[0]))
		case 2:
			fmt.Fprintf(&s, "  %%c%d = ult i1 %%z%d, i8 2\n  condbr %%c%d, %s, %s\n", i, i, i, name(ns[0]), name(ns[1]))
		default:
			fmt.Fprintf(&s, "  switch %%z%d, %s, 1: %s, 2: %s\n", i, name(ns[0]), name(ns[1]), name(ns[2]))
		}
	}
	if all[n] || r.IntN(2) == 0 { // not reached, perhaps
		s.WriteString("out:\n  ret\n")
	}
	return s.String() + "}\n"
}

// TestRandom: the split function makes the steps of the other one, and its loops are
// entered at their heads.
func TestRandom(t *testing.T) {
	changed := 0
	for seed := range uint64(3000) {
		text := random(rand.New(rand.NewPCG(1, seed)))
		m, err := ir.Parse(text)
		if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		if err := ir.Verify(m); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		s := Make(m).Module
		if c, _ := newGraph(s.Funcs[0]).irreducible(); c != nil {
			if s == m {
				continue // too much
			}
			t.Fatalf("seed %d: %v is entered at several nodes\n%s", seed, c, ir.Print(s))
		}
		if s == m {
			continue
		}
		changed++
		var rows [2][]string
		for k, p := range []*ir.Module{m, s} {
			out, err := interp.Run(context.Background(), p, interp.Options{MaxSteps: 400, Blocks: true, Observe: func(e interp.Event) {
				if e.Kind == interp.BlockEntered {
					rows[k] = append(rows[k], fmt.Sprint(e.Step, e.Func.Blocks[e.Block].Name))
				}
			}})
			if err != nil {
				t.Fatal(err)
			}
			rows[k] = append(rows[k], out.End.String())
		}
		if a, b := strings.Join(rows[0], " "), strings.Join(rows[1], " "); a != b {
			t.Fatalf("seed %d:\n%s\n%s\n%s\n%s", seed, a, b, text, ir.Print(s))
		}
	}
	if changed < 300 {
		t.Errorf("only %d programs were split", changed)
	}
}

// TestNothing: reducible programs are left alone, and so are those that would grow too much.
func TestNothing(t *testing.T) {
	loop, err := ir.Parse("module 64 entry @main\nfunc @main() {\nb1:\n  br h\nh:\n  br h\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	if Make(loop).Changed() {
		t.Error("a loop was split")
	}
	const n = 40 // all blocks are entered from outside, and lead to all
	var s strings.Builder
	s.WriteString("module 64 entry @main\nfunc @main() {\nb:\n  %x = nondet i8 input\n")
	all := ""
	for i := range n {
		all += fmt.Sprintf(", %d: b%d", i, i)
	}
	fmt.Fprintf(&s, "  switch %%x, b0, %s\n", all[2:])
	for i := range n {
		fmt.Fprintf(&s, "b%d:\n  %%y%d = nondet i8 input\n  switch %%y%d, b0, %s\n", i, i, i, all[2:])
	}
	m, err := ir.Parse(s.String() + "}\n")
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	if Make(m).Changed() {
		t.Error("it grew")
	}
}
