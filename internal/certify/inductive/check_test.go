package inductive

import (
	"context"
	"errors"
	"testing"

	"assay/internal/finite/ts"
	"assay/internal/logic/term"
)

// counter goes 0, 1, ..., 5, 0 in three bits, unless held; 6 is bad.
func counter() *ts.System {
	store := term.NewStore()
	x, hold := store.Var("x", term.BitVec(3)), store.Var("hold", term.Bool())
	c := func(n uint64) term.ID { return store.ConstU(3, n) }
	next := store.Ite(store.Eq(x, c(5)), c(0), store.Add(x, c(1)))
	return &ts.System{
		Store:  store,
		States: []ts.State{{Term: x, Name: "x", Init: c(0), Next: store.Ite(hold, x, next)}},
		Inputs: []ts.Input{{Term: hold, Name: "hold"}},
		Bad:    []ts.Property{{Term: store.Eq(x, c(6)), Name: "six"}},
	}
}

// clause is over the bits of x; a negative number is a negated bit, from 1.
func clause(bits ...int) []ts.Literal {
	var c []ts.Literal
	for _, b := range bits {
		c = append(c, ts.Literal{Bit: uint32(max(b, -b) - 1), Negated: b < 0})
	}
	return c
}

func TestCheck(t *testing.T) {
	all := []ts.Bit{{Bit: 0}, {Bit: 1}, {Bit: 2}}
	for name, c := range map[string]struct {
		inv  ts.Invariant
		good bool
	}{
		"at most 5":              {ts.Invariant{K: 1, Clauses: [][]ts.Literal{clause(-3, -2)}}, true},
		"the property alone":     {ts.Invariant{K: 1}, true}, // nothing steps to 6
		"not initially":          {ts.Invariant{K: 1, Clauses: [][]ts.Literal{clause(1)}}, false},
		"not inductive":          {ts.Invariant{K: 1, Clauses: [][]ts.Literal{clause(-3)}}, false},
		"not there":              {ts.Invariant{K: 1, Clauses: [][]ts.Literal{clause(4)}}, false},
		"no step":                {ts.Invariant{K: 0}, false},
		"two steps":              {ts.Invariant{K: 2, Clauses: [][]ts.Literal{clause(-3, -2)}}, true},
		"from step 2 on":         {ts.Invariant{Prefix: 2, K: 1, Clauses: [][]ts.Literal{clause(-3, -2)}}, true},
		"cubes":                  {ts.Invariant{K: 1, Cubes: [][]ts.Literal{clause(-3), clause(3, -2)}}, true},
		"cubes with a gap":       {ts.Invariant{K: 1, Cubes: [][]ts.Literal{clause(-3)}}, false},
		"units of a word":        {ts.Invariant{K: 1, Clauses: [][]ts.Literal{clause(-1), clause(-3)}}, false},
		"simple":                 {ts.Invariant{K: 3, Simple: true, Bits: all, Clauses: [][]ts.Literal{clause(-3, -2)}}, true},
		"bits that do not do it": {ts.Invariant{K: 3, Simple: true, Bits: all[:2], Clauses: [][]ts.Literal{clause(-3, -2)}}, false},
		"no run goes on":         {ts.Invariant{Prefix: 3, K: 1, Clauses: [][]ts.Literal{{}}}, false},
	} {
		for _, byZ3 := range []bool{false, true} {
			err := Check(context.Background(), counter(), []int{0}, &c.inv, byZ3)
			var refuted *ts.Refuted
			if c.good && err != nil || !c.good && !errors.As(err, &refuted) {
				t.Errorf("%s, found by Z3: %t: %v", name, byZ3, err)
			}
		}
	}
}

// TestUnsafe: no invariant proves what is false.
func TestUnsafe(t *testing.T) {
	s := counter()
	s.Bad[0].Term = s.Store.Eq(s.States[0].Term, s.Store.ConstU(3, 5))
	for _, inv := range []ts.Invariant{
		{K: 1}, {K: 4}, {K: 7, Simple: true, Bits: []ts.Bit{{Bit: 0}, {Bit: 1}, {Bit: 2}}},
		{K: 1, Clauses: [][]ts.Literal{{}}}, {Prefix: 4, K: 1}, {Prefix: 9, K: 1},
	} {
		var refuted *ts.Refuted
		if err := Check(context.Background(), s, []int{0}, &inv, false); !errors.As(err, &refuted) {
			t.Errorf("%+v: %v", inv, err)
		}
	}
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := Check(ctx, counter(), []int{0}, &ts.Invariant{K: 1}, false); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}
