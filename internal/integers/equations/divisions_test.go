package equations

import (
	"math/big"
	"slices"
	"strings"
	"testing"

	"assay/internal/logic/linear"
)

// hardware is Manna's division: d is B*p, where p is a power of two, which is halved until it is 1.
const hardware = `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR A B q r d p)
(RULES
  start(A, B, q, r, d, p) -> up(A, B, 0, A, B, 1) :|: B >= 1
  up(A, B, q, r, d, p) -> up(A, B, q, r, 2*d, 2*p) :|: r >= B*p
  up(A, B, q, r, d, p) -> down(A, B, q, r, d, p) :|: r < B*p
  down(A, B, q, r, d, p) -> half(A, B, q, r, t, p) :|: A - q*B - r + p > 1 && 0 <= d - 2*t && d - 2*t <= 1
  down(A, B, q, r, d, p) -> half(A, B, q, r, t, p) :|: A - q*B - r + p < 1 && 0 <= d - 2*t && d - 2*t <= 1
  half(A, B, q, r, d, p) -> down(A, B, q, r, d, t) :|: 0 <= p - 2*t && p - 2*t <= 1 && r < d
  half(A, B, q, r, d, p) -> down(A, B, q + t, r - d, d, t) :|: 0 <= p - 2*t && p - 2*t <= 1 && r >= d
  down(A, B, q, r, d, p) -> end(A, B, q, r, d, p) :|: A - q*B - r + p = 1
)`

// TestDivisions: conditions become linear where that needs that divisions have no rest.
func TestDivisions(t *testing.T) {
	s := read(t, hardware)
	r := Rewrite(t.Context(), s, nil, nil)
	if r == nil || r.Left != 0 {
		t.Fatalf("%+v", r)
	}
	var facts []string
	for l, name := range s.Locations {
		for _, f := range r.Certificate.Facts[l] {
			facts = append(facts, name+": "+describe(f, s.VarName))
		}
	}
	for _, want := range []string{"up: p is a power of 2", "down: p is a power of 2", "half: p % 2 == 0"} {
		if !slices.Contains(facts, want) {
			t.Errorf("%q is not among the facts %q", want, facts)
		}
	}
	if text := r.System.String(); !strings.Contains(text, "p = 1") || strings.Contains(text, "*B") {
		t.Errorf("the rewritten system is\n%s", text)
	}
}

func TestIsPower(t *testing.T) {
	for n := int64(-10); n < 100; n++ {
		for base := int64(2); base < 5; base++ {
			want := false
			for k := int64(1); k < 200; k *= base {
				want = want || k == n
			}
			if isPower(big.NewInt(n), big.NewInt(base)) != want {
				t.Errorf("%d, powers of %d", n, base)
			}
		}
	}
}

// TestSolved: variables are replaced by what does not mention others that are replaced.
func TestSolved(t *testing.T) {
	s := solved{}
	x, y, z := linear.Variable(0), linear.Variable(1), linear.Variable(2)
	s.add(x.Sub(y.Scale(linear.Int(2))), 3) // x is 2*y
	s.add(y.Sub(z), 3)                      // y cannot be replaced any more, z can
	s.add(z.Sub(x), 3)                      // nothing is left
	if len(s) != 2 || s[0] == nil || s[2] == nil {
		t.Errorf("solved: %v", s)
	}
}
