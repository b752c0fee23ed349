package itscheck

import (
	"strings"
	"testing"

	"assay/internal/integers/equations"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// rewrittenDivision is a division by hardware: its equations need that a power of two is halved without rest.
func rewrittenDivision(t *testing.T) (*its.System, *equations.Result) {
	t.Helper()
	s, err := its.Read("a.koat", `(GOAL COMPLEXITY)
(STARTTERM (FUNCTIONSYMBOLS start))
(VAR A B q r d p)
(RULES
  start(A, B, q, r, d, p) -> up(A, B, 0, A, B, 1) :|: B >= 1
  up(A, B, q, r, d, p) -> up(A, B, q, r, 2*d, 2*p) :|: r >= B*p
  up(A, B, q, r, d, p) -> down(A, B, q, r, d, p) :|: r < B*p
  down(A, B, q, r, d, p) -> half(A, B, q, r, t, p) :|: A - q*B - r + p > 1 && 0 <= d - 2*t && d - 2*t <= 1
  half(A, B, q, r, d, p) -> down(A, B, q, r, d, t) :|: 0 <= p - 2*t && p - 2*t <= 1 && r < d
  half(A, B, q, r, d, p) -> down(A, B, q + t, r - d, d, t) :|: 0 <= p - 2*t && p - 2*t <= 1 && r >= d
  down(A, B, q, r, d, p) -> end(A, B, q, r, d, p) :|: A - q*B - r + p <= 1
)`)
	if err != nil {
		t.Fatal(err)
	}
	r := equations.Rewrite(t.Context(), s, nil, nil)
	if r == nil || r.Left != 0 || r.Certificate.Facts == nil {
		t.Fatal("the division stays")
	}
	return s, r
}

// TestFacts: facts that hold are accepted; each one that is changed to a wrong one is not.
func TestFacts(t *testing.T) {
	s, r := rewrittenDivision(t)
	if err := Rewritten(t.Context(), s, r.System, nil, r.Certificate); err != nil {
		t.Fatal(err)
	}
	rejected := 0
	// reject says that the certificate, in which something was changed, is wrong.
	reject := func(what string) {
		t.Helper()
		if err := Rewritten(t.Context(), s, r.System, nil, r.Certificate); err == nil {
			t.Errorf("%s is accepted", what)
		} else if strings.Contains(err.Error(), "Z3 answers") {
			t.Errorf("%s: %v", what, err)
		}
		rejected++
	}
	for l, name := range s.Locations {
		for k, f := range r.Certificate.Facts[l] {
			switch g := f.(type) {
			case equations.Multiple:
				g.Rest = (g.Rest + 1) % g.Of
				r.Certificate.Facts[l][k] = g
				reject("another rest at " + name)
				g = f.(equations.Multiple)
				g.Of *= 3
				r.Certificate.Facts[l][k] = g
				reject("multiples of three times as much at " + name)
				g.Of = 1
				r.Certificate.Facts[l][k] = g
				reject("multiples of 1 at " + name)
			case equations.Power:
				g.Base++
				r.Certificate.Facts[l][k] = g
				reject("powers of three at " + name)
				g.Base = 1
				r.Certificate.Facts[l][k] = g
				reject("powers of one at " + name)
				g.Base, g.Variable = 2, 3
				r.Certificate.Facts[l][k] = g
				reject("powers that r is at " + name)
			case equations.Holds:
				g.Form = g.Form.Neg().Plus(linear.Int(-1))
				g.Equality = false
				r.Certificate.Facts[l][k] = g
				reject("the contrary of a constraint at " + name)
			}
			r.Certificate.Facts[l][k] = f
		}
	}
	for i := range r.Certificate.Implied {
		for k, f := range r.Certificate.Implied[i] {
			if f.IsConstant() {
				continue
			}
			r.Certificate.Implied[i][k] = f.Plus(linear.Int(1))
			reject("another implied form")
			r.Certificate.Implied[i][k] = f
		}
		r.Certificate.Implied[i] = append(r.Certificate.Implied[i], linear.Constant(linear.Int(1)))
		reject("a transition that is said not to be taken")
		r.Certificate.Implied[i] = r.Certificate.Implied[i][:len(r.Certificate.Implied[i])-1]
	}
	r.Certificate.Facts[s.Initial] = []equations.Fact{equations.Power{Variable: 0, Base: 2}}
	reject("a fact of the start")
	r.Certificate.Facts[s.Initial] = nil
	if err := Rewritten(t.Context(), s, r.System, nil, r.Certificate); err != nil {
		t.Errorf("the certificate is not as it was: %v", err)
	}
	if rejected < 20 {
		t.Errorf("only %d were tried", rejected)
	}
}
