package ts

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/logic/sat"
	"assay/internal/logic/term"
)

// small has a 3-bit state that adds an input, and a flag with an initial value
// that depends on it.
func small() *System {
	store := term.NewStore()
	x, in, f := store.Var("x", term.BitVec(3)), store.Var("in", term.BitVec(3)), store.Var("f", term.Bool())
	five := store.ConstU(3, 5)
	return &System{
		Store: store,
		States: []State{
			{Term: x, Name: "x", Init: store.ConstU(3, 1), Next: store.Add(x, in)},
			{Term: f, Name: "f", Init: store.ULt(in, five), Next: store.Xor(f, store.Eq(x, five))},
		},
		Inputs:      []Input{{Term: in, Name: "in"}},
		Constraints: []term.ID{store.Not(store.Eq(in, five))},
		Bad:         []Property{{Term: store.And(f, store.Eq(x, five)), Name: "both"}},
	}
}

func TestCheckFindsMistakes(t *testing.T) {
	for want, spoil := range map[string]func(s *System){
		"no next value":        func(s *System) { s.States[0].Next = 0 },
		"gets a value of sort": func(s *System) { s.States[0].Next = s.States[1].Term },
		"has sort":             func(s *System) { s.Constraints[0] = s.States[0].Term },
		"neither state nor":    func(s *System) { s.Inputs = nil },
		"depends on itself":    func(s *System) { s.States[1].Init = s.Store.Not(s.States[1].Term) },
		"not a variable":       func(s *System) { s.Inputs[0].Term = s.Store.ConstU(3, 1) },
	} {
		s := small()
		if err := s.Check(); err != nil {
			t.Fatal(err)
		}
		spoil(s)
		if err := s.Check(); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestWeaken: hard arithmetic becomes inputs, the rest stays.
func TestWeaken(t *testing.T) {
	s := small()
	if s.Weaken() != nil {
		t.Error("there is nothing to leave out")
	}
	st := s.Store
	y, k := st.Var("y", term.BitVec(32)), st.Var("k", term.BitVec(32))
	s.States = append(s.States, State{Term: y, Name: "y", Init: st.ConstU(32, 7), Next: st.Add(st.UDiv(y, k), st.Mul(st.ConstU(32, 3), y))})
	s.Inputs = append(s.Inputs, Input{Term: k, Name: "k"})
	s.Bad = append(s.Bad, Property{Term: st.Eq(st.UDiv(y, k), st.Mul(y, k))})
	w := s.Weaken()
	if err := w.Check(); err != nil {
		t.Fatal(err)
	}
	if len(w.Inputs) != len(s.Inputs)+3 || len(w.States) != 3 || w.States[0].Next != s.States[0].Next || w.Bad[0] != s.Bad[0] {
		t.Errorf("%+v", w)
	}
	// A quotient, a product, and a sum with the quotient.
	if bad := w.Bad[1].Term; st.Op(bad) != term.OpEq || len(st.Vars(bad)) != 2 || !slices.ContainsFunc(w.Inputs, func(in Input) bool { return in.Term == w.States[2].Next }) {
		t.Errorf("%s, %s", st.String(bad), st.String(w.States[2].Next))
	}
}

// TestGhosts: invariant (1) of the ghosts, for random states and inputs of a system in
// which operands of a quotient of a product are assigned: with their meanings, and
// with the values of applications as inputs, a step of the weakened system is that of
// the system. And these are all the ghosts that there are: no input is needed.
func TestGhosts(t *testing.T) {
	st := term.NewStore()
	word := term.BitVec(16)
	x, y, z, i := st.Var("x", word), st.Var("y", word), st.Var("z", word), st.Var("i", word)
	c, d := st.Eq(i, st.ConstU(16, 3)), st.ULt(i, x)
	quotient := st.SDiv(st.Mul(x, y), z)
	s := &System{Store: st, Inputs: []Input{{Term: i, Name: "i"}}, States: []State{
		{Term: x, Name: "x", Init: st.ConstU(16, 7), Next: st.Ite(c, st.ConstU(16, 672), st.Ite(d, quotient, x))},
		{Term: y, Name: "y", Init: st.ConstU(16, 9), Next: y},
		{Term: z, Name: "z", Next: st.Ite(d, z, st.ConstU(16, 100))},
	}, Bad: []Property{{Term: st.Eq(quotient, i)}}}
	for _, simple := range []bool{true, false} {
		if simple { // x is only assigned to
			s.States[0].Next = st.Ite(c, st.ConstU(16, 672), x)
		} else {
			s.States[0].Next = st.Ite(c, st.ConstU(16, 672), st.Ite(d, quotient, x))
		}
		w := s.Weaken()
		if err := w.Check(); err != nil {
			t.Fatal(err)
		}
		if simple && (len(w.meanings) != 4 || len(w.left) > 0) {
			t.Errorf("%d ghosts, %d inputs", len(w.meanings), len(w.left))
		}
		rng := rand.New(rand.NewPCG(1, 2))
		for range 200 {
			values := map[term.ID]bv.BV{}
			e := term.NewEvaluator(st, func(v term.ID) (bv.BV, bool) { v0, ok := values[v]; return v0, ok })
			for _, v := range []term.ID{x, y, z, i} {
				values[v] = bv.New(16, uint64(rng.IntN(1<<16)>>rng.IntN(16)))
			}
			for k, m := range w.meanings {
				values[w.States[len(s.States)+k].Term] = e.Value(m)
			}
			for k, m := range w.left { // those of later ones may be over earlier ones
				values[w.Inputs[len(s.Inputs)+k].Term] = e.Value(m)
			}
			e.Reset()
			after := map[term.ID]bv.BV{}
			for k := range s.States {
				after[s.States[k].Term] = e.Value(s.States[k].Next)
				if !e.Value(w.States[k].Next).Equal(after[s.States[k].Term]) {
					t.Fatalf("the next value of %s differs", s.States[k].Name)
				}
			}
			if e.Bool(w.Bad[0].Term) != e.Bool(s.Bad[0].Term) {
				t.Fatal("the property differs")
			}
			next := term.NewEvaluator(st, func(v term.ID) (bv.BV, bool) { v0, ok := after[v]; return v0, ok })
			for k, m := range w.meanings {
				if !next.Value(m).Equal(e.Value(w.States[len(s.States)+k].Next)) {
					t.Fatalf("the next value of the ghost %s differs", st.String(m))
				}
			}
		}
		// An invariant over ghosts is one over their meanings.
		inv := w.Invariant(&Invariant{K: 1, Clauses: [][]Literal{{{State: 0, Bit: 1}}, {{State: 3, Bit: 2, Negated: true}, {State: 1, Bit: 0}}}})
		want := st.Or(st.Not(st.BVToBool(st.Extract(w.meanings[0], 2, 2))), st.BVToBool(st.Extract(y, 0, 0)))
		if len(inv.Clauses) != 1 || len(inv.Formulas) != 1 || inv.Formulas[0] != want {
			t.Errorf("%+v", inv)
		}
	}
}

func trace(f bool, inputs ...uint64) *Trace {
	tr := &Trace{Initial: []bv.BV{bv.New(3, 1), bv.Bool(f)}}
	for _, in := range inputs {
		tr.Inputs = append(tr.Inputs, []bv.BV{bv.New(3, in)})
	}
	return tr
}

func TestSimulate(t *testing.T) {
	for _, c := range []struct {
		name string
		tr   *Trace
		want string
	}{
		{"1 + 4 = 5 with f", trace(true, 4, 0), ""},
		{"in three steps", trace(true, 1, 3, 0), ""},
		{"f is wrong", trace(false, 4, 0), "does not have its initial value"},
		{"f is false", trace(false, 6, 6, 0), "does not hold in the last step"},
		{"forbidden input", trace(true, 4, 5), "constraint 0"},
		{"not bad", trace(true, 3, 0), "does not hold in the last step"},
		{"empty", trace(true), "0 steps"},
	} {
		_, err := small().Simulate(c.tr)
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	tr := trace(false, 4, 0)
	s := small()
	s.Complete(tr)
	if _, err := s.Simulate(tr); err != nil {
		t.Errorf("Complete: %v", err)
	}
}

// TestCircuitsAgree runs the blasted circuit, its normal form, and its plain form
// beside the terms, on random inputs.
func TestCircuitsAgree(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	s := small()
	c, err := Blast(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	n := c.Normalise(nil)
	p := NewPlain(n)
	for _, d := range []*Circuit{c, n, p.Circuit} {
		if err := d.Check(); err != nil {
			t.Fatal(err)
		}
	}
	for range 200 {
		tr := trace(false)
		for range 1 + r.IntN(6) {
			tr.Inputs = append(tr.Inputs, []bv.BV{bv.New(3, r.Uint64())})
		}
		s.Complete(tr)
		_, err := s.Simulate(tr)
		bad := runBad(p.Circuit, tr)
		if bad != (err == nil) {
			t.Fatalf("%v: the circuit says bad = %v, the terms say %v", tr.Inputs, bad, err)
		}
		if bad {
			lifted := s.Lift(n, p.Original(inputBits(p.Circuit, tr)))
			if _, err := s.Simulate(lifted); err != nil {
				t.Fatal(err)
			}
		}
	}
}

func inputBits(c *Circuit, tr *Trace) [][]bool {
	var rows [][]bool
	for _, in := range tr.Inputs {
		row := make([]bool, len(c.Inputs))
		for i, b := range c.InputBits {
			if b.Index >= 0 {
				row[i] = in[b.Index].Bit(b.Bit)
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// runBad says whether a plain circuit's bad literal holds in the last step.
func runBad(c *Circuit, tr *Trace) bool {
	values := map[int32]bool{}
	e := sat.NewEvaluator(c.Graph, func(n int32) bool { return values[n] })
	bad := false
	for _, row := range inputBits(c, tr) {
		for i, l := range c.Inputs {
			values[l.Node()] = row[i]
		}
		e.Reset()
		bad = e.Value(c.Bad[0])
		next := make([]bool, len(c.Latches))
		for i, l := range c.Latches {
			next[i] = e.Value(l.Next)
		}
		for i, l := range c.Latches {
			values[l.Lit.Node()] = next[i]
		}
	}
	return bad
}

func TestClose(t *testing.T) {
	s := small()
	s.Justice = []Justice{{Terms: []term.ID{s.Store.Not(s.States[1].Term)}, Name: "j"}}
	s.Constraints = nil
	tr := trace(false, 4, 4, 4) // 1, 5, 1, 5: f is true, true, false, false
	tr.Justice = true
	s.Complete(tr)
	if err := s.Close(tr); err == nil {
		t.Error("f is not back yet")
	}
	tr.Inputs = append(tr.Inputs, tr.Inputs[0])
	if err := s.Close(tr); err != nil || tr.Loop != 0 {
		t.Fatalf("loop %d, %v", tr.Loop, err)
	}
	if _, err := s.Simulate(tr); err != nil {
		t.Error(err)
	}
}
