package walk

import (
	"testing"

	"assay/internal/integers/its"
)

// TestInputs: temporaries are chosen so that guards hold that few numbers satisfy: rests of
// divisions, values of products, and what lies between two bounds.
func TestInputs(t *testing.T) {
	s, err := its.Read("a.koat", `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR x y z)
(RULES
  start(x, y, z) -> loop(a, b, c) :|: a = 2*q + 1 && b*b < a && 1000 <= a && a <= 2000 && c = a*b + 7
  loop(x, y, z) -> loop(q, y, z) :|: 0 <= x - 5*q && x - 5*q <= 4 && x > 0
)`)
	if err != nil {
		t.Fatal(err)
	}
	began, divided := 0, 0
	Runs(t.Context(), s, nil, func(step Step) {
		switch step.Transition {
		case 0:
			began++
		case 1:
			divided++
		}
	})
	if began < runs/3 || divided < 3*began {
		t.Errorf("of %d runs %d begin, with %d divisions", runs, began, divided)
	}
}

// TestFactors: a number that is multiplied is chosen before one that the product bounds.
func TestFactors(t *testing.T) {
	s, err := its.Read("a.koat", `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR x y)
(RULES
  start(x, y) -> loop(a, b) :|: b*b < a && a = 2*q + 1
  loop(x, y) -> loop(x, y)
)`)
	if err != nil {
		t.Fatal(err)
	}
	began := 0
	Runs(t.Context(), s, nil, func(step Step) {
		if step.Transition == 0 {
			began++
		}
	})
	if began < runs*9/10 {
		t.Errorf("of %d runs %d begin", runs, began)
	}
}

// TestStates: no run has all the states of a location.
func TestStates(t *testing.T) {
	s, err := its.Read("a.koat", `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR x n)
(RULES
  start(x, n) -> loop(0, n)
  loop(x, n) -> loop(x + 1, n)
)`)
	if err != nil {
		t.Fatal(err)
	}
	states := States(t.Context(), s, nil)
	different := map[string]bool{}
	for _, x := range states[s.Transitions[0].To] {
		different[x[1].String()] = true
	}
	if len(different) < maxStates/maxOfRun/2 {
		t.Errorf("%d values of n", len(different))
	}
}
