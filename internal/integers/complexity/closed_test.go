package complexity_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/integers/bound"
	"assay/internal/integers/complexity"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// polynomialLoop makes a random loop of a triangular polynomial map, and a second one that counts down what the
// first has computed.
func polynomialLoop(r *rand.Rand) *its.System {
	s := its.NewSystem("x", "y", "z")
	first, second := s.AddLocation("first"), s.AddLocation("second")
	s.Build(0, first).Add()
	x, y, z := linear.Variable(0), linear.Variable(1), linear.Variable(2)
	number := func(least, most int64) linear.Number { return linear.Int(least + r.Int64N(most-least+1)) }
	loop := s.Build(first, first)
	limit := x.Scale(number(1, 2))
	if r.IntN(2) == 0 {
		limit = limit.Add(loop.Product(y, y))
	}
	loop.Assume(linear.Less(z, limit))
	if r.IntN(2) == 0 {
		loop.Assume(linear.Less(linear.Form{}, z))
	}
	loop.Assign(0, x.Scale(number(-1, 2)).AddScaled(number(-1, 1), y).Plus(number(-2, 2)))
	loop.Assign(1, y.Scale(number(-1, 1)))
	next := z.Scale(number(1, 5)).Plus(number(0, 3))
	if r.IntN(2) == 0 {
		next = next.Add(loop.Product(y, y))
	}
	loop.Assign(2, next)
	loop.Add()
	s.Build(first, second).Add()
	s.Build(second, second).Assume(linear.Less(linear.Form{}, x)).Assign(0, x.Plus(linear.Int(-1))).Add()
	return s
}

// rules counts the rules of closed forms in a certificate.
func rules(c *bound.Certificate) (exits, sizes int) {
	for _, x := range c.Claims {
		switch x := x.(type) {
		case bound.Runs:
			if _, ok := x.Rule.(bound.Closed); ok {
				exits++
			}
		case bound.Size:
			if _, ok := x.Rule.(bound.Iterated); ok {
				sizes++
			}
		}
	}
	return exits, sizes
}

// TestClosedForms: bounds by closed forms are accepted, and no run from a small state costs more.
func TestClosedForms(t *testing.T) {
	r := rand.New(rand.NewPCG(20, 22))
	found, exits, sizes, compared := 0, 0, 0, 0
	for range 30 {
		s := polynomialLoop(r)
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		f, ok := complexity.Upper(ctx, s).(complexity.Found)
		if ok {
			found++
			n, m := rules(&f.Certificate)
			exits, sizes = exits+n, sizes+m
			if err := accept.Bound(ctx, s, &f.Certificate); err != nil {
				t.Errorf("rejected: %v\n%s", err, its.WriteKoAT(s))
			}
			n, wrong := exceed(s, f.Certificate.Bound, []int64{-3, -1, 0, 2, 5})
			compared += n
			if wrong != "" {
				t.Errorf("%s\n%s\n%s", wrong, f.Certificate.Bound.Format(s.VarName), its.WriteKoAT(s))
			}
		}
		cancel()
	}
	t.Log(found, exits, sizes, compared)
	if exits < 10 || sizes < 6 || compared < 800 {
		t.Errorf("only %d bounds with %d claims of exits and %d of sizes, %d comparisons", found, exits, sizes, compared)
	}
}

// TestMutatedClosedForms: a closed form with an error is rejected.
func TestMutatedClosedForms(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 9))
	rejected := 0
	for range 30 {
		s := polynomialLoop(r)
		f, ok := complexity.Upper(t.Context(), s).(complexity.Found)
		if !ok {
			continue
		}
		for i := range f.Certificate.Claims {
			c := f.Certificate
			c.Claims = slices.Clone(c.Claims)
			what := mutateClosed(r, c.Claims, i)
			if what == "" {
				continue
			}
			if err := accept.Bound(t.Context(), s, &c); err == nil {
				t.Errorf("%s: accepted\n%s", what, its.WriteKoAT(s))
			} else {
				rejected++
			}
		}
	}
	if rejected < 15 {
		t.Errorf("only %d rejected", rejected)
	}
}

// mutateClosed makes an error in claim i, if it is one of closed forms, and says which.
func mutateClosed(r *rand.Rand, claims []bound.Claim, i int) string {
	change := func(forms []bound.ClosedForm, period *int) ([]bound.ClosedForm, string) {
		forms = slices.Clone(forms)
		f := &forms[r.IntN(len(forms))]
		f.Modes = slices.Clone(f.Modes)
		m := &f.Modes[r.IntN(len(f.Modes))]
		switch r.IntN(4) {
		case 0:
			m.Coefficient = m.Coefficient.AddScaled(linear.Int(1), rational.Variable(0))
			return forms, "another coefficient"
		case 1:
			m.Root = m.Root.Add(linear.Int(1))
			return forms, "another root"
		case 2:
			f.Of = f.Of.AddScaled(linear.Int(1), rational.Variable(2))
			return forms, "another polynomial"
		}
		*period += 2
		return forms, fmt.Sprint("period ", *period)
	}
	what := ""
	switch c := claims[i].(type) {
	case bound.Runs:
		if rule, ok := c.Rule.(bound.Closed); ok {
			rule.Exits, what = change(rule.Exits, &rule.Period)
			c.Rule = rule
			claims[i] = c
		}
	case bound.Size:
		if rule, ok := c.Rule.(bound.Iterated); ok {
			rule.Forms, what = change(rule.Forms, &rule.Period)
			c.Rule = rule
			claims[i] = c
		}
	}
	return what
}
