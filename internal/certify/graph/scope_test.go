package graph

import (
	"context"
	"math/big"
	"testing"

	"assay/internal/logic/smt/z3"
)

// TestScopes: facts and names hold where they were made, and in scopes in it, and nowhere else.
func TestScopes(t *testing.T) {
	z, err := z3.NewLinearScript()
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	c := &checkerState{ctx: context.Background(), z: z, scopes: newScopes()}
	asked := func(what string, n int64, ask func()) {
		t.Helper()
		before := c.Queries
		if ask(); c.Queries-before != n {
			t.Errorf("%s: %d questions, want %d", what, c.Queries-before, n)
		}
	}
	want := func(what string, got, want bool) {
		t.Helper()
		if got != want {
			t.Errorf("%s: %v", what, got)
		}
	}
	x := c.unknown("x", new(big.Int), big.NewInt(1000))
	small := atMost(x, num(big.NewInt(9)))
	outer := c.view(x, 8, true)

	b := c.branches()
	b.under(small, false, func() {
		asked("what is assumed", 0, func() { want("it holds", c.valid(small), true) })
		asked("its opposite", 0, func() { want("it is excluded", c.possible(not(small)), false) })
		less := atMost(x, num(big.NewInt(20)))
		asked("what follows", 1, func() { want("it holds", c.valid(less), true) })
		asked("what was proved", 0, func() { want("it holds", c.valid(less), true) })
		if again := c.view(x, 8, true); again.t != outer.t {
			t.Errorf("the view of an outer scope is made again: %s and %s", outer.t, again.t)
		}
		inner := c.view(x, 4, false)
		if again := c.view(x, 4, false); again.t != inner.t {
			t.Errorf("a view is made again: %s and %s", inner.t, again.t)
		}
	})
	asked("what held in a scope", 1, func() { want("it holds", c.valid(small), false) })
	// The name of the view in the scope is not known any more: Z3 would say so of one that is used again.
	want("the view can be asked about", c.possible("(= 3 "+c.view(x, 4, false).t+")"), true)

	// Of a state that exists one side is excluded, so the other one is not asked.
	c.assert(small)
	want("there is a state", c.assume(atMost(num(big.NewInt(1)), x)), true)
	asked("two sides of which one is none", 1, func() {
		taken := 0
		b := c.branches()
		b.under(atMost(num(big.NewInt(100)), x), false, func() { t.Error("the side that no state has is followed") })
		b.under(below(x, num(big.NewInt(100))), true, func() { taken++ })
		if taken != 1 {
			t.Error("the side that all states have is not followed")
		}
	})
	// Where it is not known that there is a state, both are asked.
	c.assert(atMost(num(big.NewInt(12)), x))
	asked("two sides without a state", 2, func() {
		b := c.branches()
		b.under(atMost(x, num(big.NewInt(50))), false, func() { t.Error("a side without state is followed") })
		b.under(below(num(big.NewInt(50)), x), true, func() { t.Error("a side without state is followed") })
	})
	if c.failure != nil {
		t.Fatal(c.failure)
	}
}
