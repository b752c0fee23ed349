package itscheck

import (
	"testing"

	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// TestCongruent: x*x*y and 2*y are equal where x*x - 2 is 0, by the cofactor y; nothing else is accepted.
func TestCongruent(t *testing.T) {
	product := func(p, q rational.Polynomial) rational.Polynomial {
		out, ok := p.Times(q)
		if !ok {
			t.Fatal("the degree is too great")
		}
		return out
	}
	x, y := rational.Variable(0), rational.Variable(1)
	square := product(x, x)
	equations := []rational.Polynomial{square.AddScaled(linear.Int(-1), rational.Constant(linear.Int(2)))}
	p, twice := product(square, y), rational.Polynomial{}.AddScaled(linear.Int(2), y)
	if err := Congruent(p, twice, equations, []rational.Polynomial{y}); err != nil {
		t.Error(err)
	}
	for name, err := range map[string]error{
		"another cofactor":   Congruent(p, twice, equations, []rational.Polynomial{x}),
		"another polynomial": Congruent(p, y, equations, []rational.Polynomial{y}),
		"no cofactor":        Congruent(p, twice, equations, nil),
		"no equation":        Congruent(p, twice, nil, nil),
		"one more cofactor":  Congruent(p, twice, equations, []rational.Polynomial{y, y}),
	} {
		if err == nil {
			t.Errorf("%s is accepted", name)
		}
	}
}
