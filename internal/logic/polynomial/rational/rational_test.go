package rational

import (
	"fmt"
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial"
)

func random(rng *rand.Rand, variables, degree, terms int) Polynomial {
	p := Polynomial{}
	for range 1 + rng.IntN(terms) {
		m := Monomial{}
		for range rng.IntN(degree + 1) {
			m, _ = m.Times(polynomial.Of(uint16(1 + rng.IntN(variables))))
		}
		p = p.AddScaled(linear.Fraction(rng.Int64N(13)-6, 1+rng.Int64N(3)), Polynomial{m: linear.Int(1)})
	}
	return p
}

func point(rng *rand.Rand, n int) []*big.Int {
	out := make([]*big.Int, n)
	for i := range out {
		out[i] = big.NewInt(rng.Int64N(21) - 10)
	}
	return out
}

// TestArithmetic compares sums, products and substitution with their values in points.
func TestArithmetic(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 500 {
		p, q, r := random(rng, 3, 2, 5), random(rng, 3, 2, 5), random(rng, 3, 2, 3)
		at := point(rng, 3)
		k := linear.Fraction(rng.Int64N(9)-4, 2)
		sum := p.AddScaled(k, q).Eval(at)
		if want := new(big.Rat).Add(p.Eval(at), new(big.Rat).Mul(k.Big(), q.Eval(at))); sum.Cmp(want) != 0 {
			t.Fatalf("%v plus %v times %v", p, k, q)
		}
		product, ok := p.Times(q)
		if !ok || product.Eval(at).Cmp(new(big.Rat).Mul(p.Eval(at), q.Eval(at))) != 0 {
			t.Fatalf("%v times %v is %v", p, q, product)
		}
		s, ok := p.Substitute(func(v linear.Var) Polynomial {
			if v == 1 {
				return r
			}
			return Variable(v)
		})
		value := r.Eval(at)
		if !ok || !value.IsInt() {
			continue
		}
		moved := []*big.Int{at[0], value.Num(), at[2]}
		if s.Eval(at).Cmp(p.Eval(moved)) != 0 {
			t.Fatalf("%v with %v is %v", p, r, s)
		}
	}
}

// TestModular compares arithmetic modulo the prime with that of big integers.
func TestModular(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := big.NewInt(prime)
	numbers := []uint64{0, 1, 2, prime - 1, prime - 2, 1 << 60, 1<<60 + 1}
	for range 200 {
		numbers = append(numbers, rng.Uint64N(prime))
	}
	for _, a := range numbers {
		for _, b := range numbers {
			x, y := new(big.Int).SetUint64(a), new(big.Int).SetUint64(b)
			if want := new(big.Int).Mul(x, y); mulMod(a, b) != want.Mod(want, m).Uint64() {
				t.Fatalf("%d times %d", a, b)
			}
			if want := new(big.Int).Sub(x, y); subMod(a, b) != want.Mod(want, m).Uint64() {
				t.Fatalf("%d minus %d", a, b)
			}
		}
		if a != 0 && mulMod(a, inverseMod(a)) != 1 {
			t.Fatalf("the inverse of %d", a)
		}
	}
	for range 2000 {
		want := linear.Fraction(rng.Int64N(2000)-1000, 1+rng.Int64N(999))
		x, _ := modOfNumber(want)
		if got, ok := fraction(x); !ok || !got.Equal(want) {
			t.Fatalf("%v is read as %v", want, got)
		}
	}
}

// TestVanishing finds what sums of powers are.
func TestVanishing(t *testing.T) {
	var points [][]*big.Int
	for n := range int64(30) {
		squares, cubes := int64(0), int64(0)
		for i := int64(1); i <= n; i++ {
			squares += i * i
			cubes += i * i * i
		}
		points = append(points, []*big.Int{big.NewInt(n), big.NewInt(squares), big.NewInt(cubes)})
	}
	name := func(v linear.Var) string { return []string{"n", "s", "c"}[v] }
	found := map[string]bool{}
	for _, p := range Vanishing(points, MonomialsUpTo([]linear.Var{0, 1}, 3)) {
		found[p.Format(name)] = true
	}
	if !found["2*n*n*n + 3*n*n - 6*s + n"] {
		t.Errorf("found %v", found)
	}
	found = map[string]bool{}
	for _, p := range Vanishing(points, MonomialsUpTo([]linear.Var{0, 2}, 4)) {
		found[p.Format(name)] = true
	}
	if !found["n*n*n*n + 2*n*n*n + n*n - 4*c"] {
		t.Errorf("found %v", found)
	}
	if got := Vanishing(points, MonomialsUpTo([]linear.Var{0}, 2)); got != nil {
		t.Errorf("of all numbers: %v", got)
	}
}

// TestReduce: what is left, and what was taken away, are the target; combinations are found.
func TestReduce(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	found := 0
	for range 300 {
		hypotheses := []Polynomial{random(rng, 3, 2, 3), random(rng, 3, 2, 3)}
		target := random(rng, 3, 1, 3)
		for _, h := range hypotheses {
			p, _ := random(rng, 3, 1, 2).Times(h)
			target = target.AddScaled(linear.Int(1), p)
		}
		r, ok := Reduce(target, hypotheses, 1)
		if !ok {
			continue
		}
		found++
		if r.Rest.Degree() > 1 {
			t.Fatalf("%v is left", r.Rest)
		}
		sum := r.Rest
		for i, c := range r.Cofactors {
			p, _ := c.Times(hypotheses[i])
			sum = sum.AddScaled(linear.Int(1), p)
		}
		if fmt.Sprint(sum.AddScaled(linear.Int(-1), target)) != fmt.Sprint(Polynomial{}) {
			t.Fatalf("%v is no sum", target)
		}
	}
	if found < 150 {
		t.Errorf("%d of 300 found", found)
	}
	if _, ok := Reduce(Constant(linear.Int(1)), []Polynomial{Variable(0)}, -1); ok {
		t.Error("1 is a multiple of x")
	}
}

func BenchmarkVanishing(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 8))
	var points [][]*big.Int
	for range 300 {
		at := point(rng, 8)
		at[7] = new(big.Int).Mul(at[0], at[1])
		points = append(points, at)
	}
	monomials := MonomialsUpTo([]linear.Var{0, 1, 2, 3, 4, 5, 6, 7}, 2)
	for b.Loop() {
		Vanishing(points, monomials)
	}
}
