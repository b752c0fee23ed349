package itscheck

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
)

// TestSplit: random constraints on one variable are split, the checker accepts the pieces, they are those of
// evaluation, and with another bound they are not accepted.
func TestSplit(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 3))
	split, refused := 0, 0
	for range 400 {
		a, b, c, d := rng.Int64N(5)-2, rng.Int64N(9)-4, rng.Int64N(41)-20, rng.Int64N(401)-200
		relation := []string{">=", "<=", "="}[rng.IntN(3)]
		s, err := its.Read("a.koat", fmt.Sprintf(`(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR x y)
(RULES
  start(x, y) -> loop(x, y)
  loop(x, y) -> loop(x + 1, y) :|: %d*x*x*x + %d*x*x + %d*x + %d %s 0
)`, a, b, c, d, relation))
		if err != nil {
			t.Fatal(err)
		}
		r := equations.Rewrite(t.Context(), s, nil, nil)
		if r == nil || len(r.Certificate.Splits) == 0 {
			continue
		}
		split++
		if err := Rewritten(t.Context(), s, r.System, nil, r.Certificate); err != nil {
			t.Fatalf("%d %d %d %d %s: %v", a, b, c, d, relation, err)
		}
		for x := int64(-300); x <= 300; x++ {
			value := a*x*x*x + b*x*x + c*x + d
			want := value >= 0 && relation != "<=" || value <= 0 && relation != ">="
			if relation == "=" {
				want = value == 0
			}
			got := 0
			for _, p := range r.Certificate.Splits[0].Pieces {
				if (p.Low == nil || p.Low.Int64() <= x) && (p.High == nil || x <= p.High.Int64()) {
					got++
				}
			}
			if want && got != 1 || !want && got != 0 {
				t.Fatalf("%d %d %d %d %s: %d is in %d pieces", a, b, c, d, relation, x, got)
			}
		}
		for i := range r.Certificate.Splits[0].Pieces {
			p := &r.Certificate.Splits[0].Pieces[i]
			for _, bound := range []*big.Int{p.Low, p.High} {
				if bound == nil {
					continue
				}
				for _, by := range []int64{1, -1} {
					bound.Add(bound, big.NewInt(by))
					if Rewritten(t.Context(), s, r.System, nil, r.Certificate) == nil {
						t.Fatalf("%d %d %d %d %s: accepted with another bound", a, b, c, d, relation)
					}
					bound.Sub(bound, big.NewInt(by))
					refused++
				}
			}
		}
	}
	if split < 200 || refused < 500 {
		t.Errorf("%d split, %d refused", split, refused)
	}
}

// TestSplitOfSystem: a split that the certificate has and the system does not is no split.
func TestSplitOfSystem(t *testing.T) {
	s, err := its.Read("a.koat", "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS start))\n(VAR x)\n(RULES\n  start(x) -> loop(x)\n  loop(x) -> loop(x + 1) :|: x*x >= 50\n)")
	if err != nil {
		t.Fatal(err)
	}
	r := equations.Rewrite(t.Context(), s, nil, nil)
	if len(r.System.Transitions) != 3 || Rewritten(t.Context(), s, r.System, nil, r.Certificate) != nil {
		t.Fatalf("%v", r.System)
	}
	r.System.Transitions[1], r.System.Transitions[2] = r.System.Transitions[2], r.System.Transitions[1]
	if Rewritten(t.Context(), s, r.System, nil, r.Certificate) == nil {
		t.Error("accepted with the pieces exchanged")
	}
	r.Certificate.Splits = nil
	if Rewritten(t.Context(), s, r.System, nil, r.Certificate) == nil {
		t.Error("accepted without the split")
	}
}
