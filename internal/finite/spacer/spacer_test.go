package spacer

import (
	"fmt"
	"testing"

	"assay/internal/certify/inductive"
	"assay/internal/finite/ts/btor2"
)

// TestRun: a counter of 4 bits that goes up by a step reaches 1, or does not; the invariant
// that comes with the second claim is accepted by the checker, and is not without its formulas.
func TestRun(t *testing.T) {
	counter := func(step int) *btor2.Model {
		m, err := btor2.Read(fmt.Appendf(nil, `1 sort bitvec 4
2 state 1 x
3 zero 1
4 init 1 2 3
5 constd 1 %d
6 add 1 2 5
7 next 1 2 6
8 one 1
9 sort bitvec 1
10 eq 9 2 8
11 bad 10
`, step))
		if err != nil {
			t.Fatal(err)
		}
		return m
	}
	for step, reachable := range map[int]bool{1: true, 2: false, 3: true, 4: false} {
		s := counter(step).System
		task, err := New(s)
		if err != nil {
			t.Fatal(err)
		}
		c, err := task.Run(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if c.Reachable != reachable {
			t.Errorf("step %d: %+v", step, c)
		}
		if c.Reachable {
			continue
		}
		invariant, err := c.Invariant()
		if err != nil {
			t.Fatal(err)
		}
		if err := inductive.Check(t.Context(), s, []int{0}, invariant, true); err != nil {
			t.Errorf("step %d: %v", step, err)
		}
		invariant.Formulas = nil
		if inductive.Check(t.Context(), s, []int{0}, invariant, true) == nil {
			t.Errorf("step %d: accepted without its formulas", step)
		}
	}
}
