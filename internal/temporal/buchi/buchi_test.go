package buchi_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/ltl"
)

var atoms = []ltl.Atom{{Text: "a"}, {Text: "b"}, {Text: "c"}}

// cubes are all cubes over three atoms.
func cubes() []buchi.Cube {
	var all []buchi.Cube
	for pos := range uint64(8) {
		for neg := range uint64(8) {
			if pos&neg == 0 {
				all = append(all, buchi.Cube{Pos: pos, Neg: neg})
			}
		}
	}
	return all
}

// letters are those of a cube, a bit each.
func letters(c buchi.Cube) (set uint8) {
	for l := range buchi.Letter(8) {
		if c.Holds(l) {
			set |= 1 << l
		}
	}
	return set
}

// TestCubes: the operations on all pairs of cubes over three atoms, and covers by
// three of them.
func TestCubes(t *testing.T) {
	all := cubes()
	r := rand.New(rand.NewPCG(1, 1))
	for _, c := range all {
		if !c.Holds(c.Letter()) {
			t.Fatalf("%v: letter %v", c, c.Letter())
		}
		for _, d := range all {
			e, ok := c.And(d)
			if both := letters(c) & letters(d); ok != (both != 0) || ok && letters(e) != both {
				t.Fatalf("%v and %v: %v, %t", c, d, e, ok)
			}
			if c.Implies(d) != (letters(c)&^letters(d) == 0) {
				t.Fatalf("%v implies %v: %t", c, d, c.Implies(d))
			}
			var rest uint8
			for _, e := range c.Without(d) {
				if rest&letters(e) != 0 {
					t.Fatalf("%v without %v: overlap", c, d)
				}
				rest |= letters(e)
			}
			if rest != letters(c)&^letters(d) {
				t.Fatalf("%v without %v: %v", c, d, c.Without(d))
			}
			for range 20 {
				others := []buchi.Cube{d, all[r.IntN(len(all))], all[r.IntN(len(all))], all[r.IntN(len(all))]}
				var union uint8
				for _, o := range others {
					union |= letters(o)
				}
				if c.Covered(others) != (letters(c)&^union == 0) {
					t.Fatalf("%v covered by %v: %t", c, others, c.Covered(others))
				}
			}
		}
	}
}

// random is a random automaton.
func random(r *rand.Rand, states int) *buchi.Automaton {
	all := cubes()
	a := &buchi.Automaton{Atoms: atoms, Edges: make([][]buchi.Edge, states), Accepting: make([]bool, states)}
	for q := range states {
		a.Accepting[q] = r.IntN(3) == 0
		for range r.IntN(4) {
			a.Edges[q] = append(a.Edges[q], buchi.Edge{Label: all[r.IntN(len(all))], To: r.IntN(states)})
		}
	}
	return a
}

// words are random words.
func words(r *rand.Rand) (all []buchi.Word) {
	row := func(n int) (w []buchi.Letter) {
		for range n {
			w = append(w, buchi.Letter(r.IntN(8)))
		}
		return w
	}
	for range 30 {
		all = append(all, buchi.Word{Stem: row(r.IntN(4)), Loop: row(1 + r.IntN(4))})
	}
	return all
}

// simulate decides acceptance by following all states: a set of pairs of a state and
// how long ago an accepting one was met, for so many rounds that something came back.
func simulate(a *buchi.Automaton, w buchi.Word) bool {
	// From which states is there a run over the loop, and does it meet acceptance?
	n := len(a.Edges)
	step := func(from map[[2]int]bool, l buchi.Letter) map[[2]int]bool {
		to := map[[2]int]bool{}
		for s := range from {
			for _, e := range a.Edges[s[0]] {
				if e.Label.Holds(l) {
					met := s[1]
					if a.Accepting[e.To] {
						met = 1
					}
					to[[2]int{e.To, met}] = true
				}
			}
		}
		return to
	}
	run := func(q int, row []buchi.Letter) map[[2]int]bool {
		s := map[[2]int]bool{{q, 0}: true}
		for _, l := range row {
			s = step(s, l)
		}
		return s
	}
	// reach[q][p]: 1 by loops, 2 by loops with acceptance.
	reach := make([][]int, n)
	for q := range n {
		reach[q] = make([]int, n)
		for s := range run(q, w.Loop) {
			reach[q][s[0]] = max(reach[q][s[0]], 1+s[1])
		}
	}
	for k := range n {
		for q := range n {
			for p := range n {
				if reach[q][k] > 0 && reach[k][p] > 0 {
					reach[q][p] = max(reach[q][p], reach[q][k], reach[k][p])
				}
			}
		}
	}
	// Once more, since a path may get its acceptance late.
	for k := range n {
		for q := range n {
			for p := range n {
				if reach[q][k] > 0 && reach[k][p] > 0 {
					reach[q][p] = max(reach[q][p], reach[q][k], reach[k][p])
				}
			}
		}
	}
	for s := range run(a.Initial, w.Stem) {
		for p := range n {
			if (p == s[0] || reach[s[0]][p] > 0) && reach[p][p] == 2 {
				return true
			}
		}
	}
	return false
}

// TestRandomAutomata: acceptance, products, trimming, witnesses and kinds of random
// automata, against acceptance decided otherwise.
func TestRandomAutomata(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	empty, terminal, weak := 0, 0, 0
	for range 500 {
		a, b := random(r, 1+r.IntN(5)), random(r, 1+r.IntN(4))
		if err := a.Check(); err != nil {
			t.Fatal(err)
		}
		trimmed, both := a.Trim(), buchi.Intersect(a, b)
		tidy := a.Restrict(func(int) bool { return true })
		tidy.Tidy()
		if w, ok := both.Witness(); ok && !(simulate(a, w) && simulate(b, w)) {
			t.Fatalf("%v, %v: the witness %v is not accepted by both", a, b, w)
		} else if !ok {
			empty++
		}
		for _, w := range words(r) {
			in := simulate(a, w)
			for _, x := range []*buchi.Automaton{a, trimmed, tidy} {
				if x.Accepts(w) != in {
					t.Fatalf("%v accepts %v: %t", x, w, !in)
				}
			}
			if got, want := both.Accepts(w), in && simulate(b, w); got != want {
				t.Fatalf("%v and %v: product accepts %v: %t", a, b, w, got)
			}
		}
		switch trimmed.Kind() {
		case buchi.Terminal:
			terminal++
			// Whatever comes after an accepting state is accepted.
			for q := range trimmed.Accepting {
				from := *trimmed
				from.Initial = q
				for _, w := range words(r) {
					c := from.Graph().Components()
					if trimmed.Accepting[q] && c.Cyclic[c.Of[q]] && !from.Accepts(w) {
						t.Fatalf("%v is no terminal automaton: state %d does not accept %v", trimmed, q, w)
					}
				}
			}
		case buchi.Weak:
			weak++
		}
	}
	t.Logf("%d empty products, %d terminal and %d weak automata", empty, terminal, weak)
}

// TestTogether: automata over different atoms.
func TestTogether(t *testing.T) {
	a := &buchi.Automaton{Atoms: []ltl.Atom{{Text: "a"}}, Edges: [][]buchi.Edge{{{Label: buchi.Cube{Pos: 1}}}}, Accepting: []bool{true}}
	b := &buchi.Automaton{Atoms: []ltl.Atom{{Text: "b"}, {Text: "a"}}, Edges: [][]buchi.Edge{{{Label: buchi.Cube{Pos: 1}}, {Label: buchi.Cube{Neg: 2}}}}, Accepting: []bool{true}}
	both := buchi.Intersect(a, b)
	// Atom 0 is a, atom 1 is b.
	if !both.Accepts(buchi.Word{Loop: []buchi.Letter{3}}) || both.Accepts(buchi.Word{Loop: []buchi.Letter{1}}) || both.Accepts(buchi.Word{Loop: []buchi.Letter{2}}) {
		t.Errorf("%v", both)
	}
}

// TestCheck: what an automaton may not have.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		change func(*buchi.Automaton)
		want   string
	}{
		{func(a *buchi.Automaton) { a.Initial = 2 }, "initial state"},
		{func(a *buchi.Automaton) { a.Accepting = nil }, "acceptance of 0"},
		{func(a *buchi.Automaton) { a.Edges[0] = []buchi.Edge{{To: 2}} }, "an edge to 2"},
		{func(a *buchi.Automaton) { a.Edges[0] = []buchi.Edge{{Label: buchi.Cube{Pos: 1, Neg: 1}}} }, "label"},
		{func(a *buchi.Automaton) { a.Edges[0] = []buchi.Edge{{Label: buchi.Cube{Pos: 8}}} }, "label"},
		{func(a *buchi.Automaton) { a.Atoms = make([]ltl.Atom, 65) }, "65 atoms"},
	} {
		a := buchi.Empty(atoms)
		if err := a.Check(); err != nil {
			t.Fatal(err)
		}
		if c.change(a); a.Check() == nil || !strings.Contains(a.Check().Error(), c.want) {
			t.Errorf("%v, not %s", a.Check(), c.want)
		}
	}
}

func TestDOT(t *testing.T) {
	a := &buchi.Automaton{Atoms: atoms, Edges: [][]buchi.Edge{{{Label: buchi.Cube{Pos: 1, Neg: 2}}, {Label: buchi.Cube{Pos: 4}}, {To: 1}}, {{To: 1}}}, Accepting: []bool{false, true}}
	var b strings.Builder
	if err := a.WriteDOT(&b, `F "x"`); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{`label="F \"x\""`, "start -> 0;", `0 -> 0 [label="a && !b\n|| c"];`, `0 -> 1 [label="true"];`, "1 [shape=doublecircle];"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, &b)
		}
	}
}
