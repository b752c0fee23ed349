package bound

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/linear"
)

// pair is an expression with what it should be, computed beside it.
type pair struct {
	e     Expression
	value func(x []int64) *big.Rat
}

// random makes an expression in three variables, of the given depth.
func random(r *rand.Rand, depth int) pair {
	if depth == 0 {
		if r.IntN(3) == 0 {
			n := linear.Fraction(r.Int64N(9)-4, r.Int64N(3)+1)
			return pair{Constant(n), func([]int64) *big.Rat { return n.Big() }}
		}
		v := r.IntN(3)
		return pair{Variable(linear.Var(v)), func(x []int64) *big.Rat { return big.NewRat(x[v], 1) }}
	}
	a, b := random(r, depth-1), random(r, r.IntN(depth))
	switch r.IntN(7) {
	case 6:
		return pair{Log(a.e), func(x []int64) *big.Rat {
			n, v := int64(0), a.value(x)
			for power := big.NewRat(1, 1); power.Cmp(v) < 0; n++ {
				power.Mul(power, big.NewRat(2, 1))
			}
			return big.NewRat(n, 1)
		}}
	case 0:
		return pair{a.e.Add(b.e), func(x []int64) *big.Rat { return new(big.Rat).Add(a.value(x), b.value(x)) }}
	case 1:
		return pair{a.e.Sub(b.e), func(x []int64) *big.Rat { return new(big.Rat).Sub(a.value(x), b.value(x)) }}
	case 2:
		return pair{a.e.Mul(b.e), func(x []int64) *big.Rat { return new(big.Rat).Mul(a.value(x), b.value(x)) }}
	case 3:
		k := linear.Fraction(r.Int64N(7)-3, 2)
		return pair{a.e.Scale(k), func(x []int64) *big.Rat { return new(big.Rat).Mul(a.value(x), k.Big()) }}
	case 4:
		if depth > 1 {
			break // towers of exponentials take too long
		}
		return pair{Power(linear.Int(2), b.e), func(x []int64) *big.Rat {
			n := linear.FromBig(b.value(x)).Ceil().BigInt()
			if n.Sign() < 0 {
				n.SetInt64(0)
			}
			return new(big.Rat).SetInt(new(big.Int).Exp(big.NewInt(2), n, nil))
		}}
	}
	c := random(r, depth-1)
	return pair{Max(a.e, b.e, c.e), func(x []int64) *big.Rat {
		m := a.value(x)
		for _, o := range []*big.Rat{b.value(x), c.value(x)} {
			if o.Cmp(m) > 0 {
				m = o
			}
		}
		return m
	}}
}

// TestAgainstValues: simplification does not change values, and what is plainly not
// negative never is.
func TestAgainstValues(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for range 3000 {
		p := random(r, 1+r.IntN(4))
		for range 12 {
			x := []int64{r.Int64N(9) - 4, r.Int64N(9) - 4, r.Int64N(9) - 4}
			got, ok := p.e.Eval(func(v linear.Var) *big.Int { return big.NewInt(x[v]) })
			if !ok {
				continue
			}
			if want := p.value(x); got.Cmp(want) != 0 {
				t.Fatalf("%s at %v is %v, not %v", p.e.Format(name), x, got, want)
			}
			if p.e.PlainlyNonNegative() && got.Sign() < 0 {
				t.Fatalf("%s is negative at %v", p.e.Format(name), x)
			}
		}
		if !p.e.Equal(p.e.Add(Int(1)).Sub(Int(1))) || p.e.Equal(p.e.Add(Int(1))) {
			t.Fatalf("%s", p.e.Format(name))
		}
	}
}

func name(v linear.Var) string { return string(rune('x' + v)) }

func TestFormat(t *testing.T) {
	x, y := Variable(0), Variable(1)
	for _, c := range []struct {
		e     Expression
		text  string
		class string
	}{
		{Expression{}, "0", "O(1)"},
		{x.Scale(linear.Int(-2)).Add(Int(3)), "-2*x + 3", "O(n)"},
		{Max(Int(0), x).Mul(Max(Int(0), y)).Add(x), "max(0, x)*max(0, y) + x", "O(n^2)"},
		{Max(Max(x, y), Int(0), x.Sub(Int(1))), "max(0, x, y)", "O(n)"},
		{Max(Int(0), x.Scale(linear.Int(4)).Add(Int(2))), "2*max(0, 2*x + 1)", "O(n)"},
		{Max(x, x.Mul(x)), "max(x, x^2)", "O(n^2)"},
		{Max(x.Add(y), y.Add(Int(1))), "max(1, x) + y", "O(n)"},
		{Power(linear.Int(2), Max(Int(3), Int(1))), "8", "O(1)"},
		{Power(linear.Int(2), x).Mul(x), "2^(max(0, x))*x", "EXP"},
	} {
		if got := c.e.Format(name); got != c.text {
			t.Errorf("got %s, want %s", got, c.text)
		}
		if got := c.e.Class().String(); got != c.class {
			t.Errorf("%s: got %s, want %s", c.text, got, c.class)
		}
	}
	u := Constant(linear.Int(1<<32 - 2))
	if got := Max(Int(0), u.Sub(x).Add(Int(1))).Add(u.Mul(y)).FormatWithRanges(name); got != "max(0, -x + UINT_MAX) + (UINT_MAX - 1)*y" {
		t.Error(got)
	}
	if got := u.Mul(y).ClassWithRanges(IntRange).String(); got != "O(n^2)" {
		t.Error(got)
	}
	if got := len(Max(x, y).Variables()); got != 2 {
		t.Error(got)
	}
}

// TestMultiphase: the number of decreases of levels of several forms, simulated with the
// slowest descent, is at most what MultiphaseRuns says.
func TestMultiphase(t *testing.T) {
	for d := 2; d <= 4; d++ {
		for m := int64(0); m <= 12; m++ {
			f := make([]int64, d)
			for i := range f {
				f[i] = m
			}
			steps := int64(0)
			for f[d-1] >= 0 {
				for i := d - 1; i > 0; i-- {
					f[i] += f[i-1] - 1
				}
				f[0]--
				steps++
			}
			limit, _ := MultiphaseRuns(d, Int(m)).IsConstant()
			if linear.Int(steps).Cmp(limit) > 0 {
				t.Errorf("depth %d from %d: %d steps, not %v", d, m, steps, limit)
			}
		}
	}
}
