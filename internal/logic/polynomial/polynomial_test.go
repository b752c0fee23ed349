package polynomial

import (
	"math/rand/v2"
	"testing"
)

const variables = 3

// random is a polynomial of variables 1 to 3.
func random(rng *rand.Rand, r Ring, terms, degree int) Polynomial {
	var p Polynomial
	for range 1 + rng.IntN(terms) {
		m := Monomial{}
		for range rng.IntN(degree + 1) {
			m, _ = m.Times(Of(uint16(1 + rng.IntN(variables))))
		}
		p = r.Plus(p, 1, Polynomial{{m, rng.Uint64() & r.mask()}})
	}
	return r.normal(append(Polynomial(nil), p...))
}

// points calls f for all points.
func points(r Ring, f func(at func(v uint16) uint64)) {
	for n := range uint64(1) << (variables * r.Width) {
		f(func(v uint16) uint64 { return n >> (uint32(v-1) * r.Width) & r.mask() })
	}
}

func vanishes(r Ring, p Polynomial, at func(v uint16) uint64) bool { return r.Eval(p, at) == 0 }

// TestRing compares sums and products with those of values, for all values.
func TestRing(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	for range 300 {
		r := Ring{1 + rng.Uint32N(3)}
		p, q, c := random(rng, r, 4, 3), random(rng, r, 4, 3), rng.Uint64()
		sum := r.Plus(p, c, q)
		product, ok := r.Times(p, q)
		if !ok {
			t.Fatal("no product")
		}
		points(r, func(at func(uint16) uint64) {
			x, y := r.Eval(p, at), r.Eval(q, at)
			if r.Eval(sum, at) != (x+c*y)&r.mask() || r.Eval(product, at) != (x*y)&r.mask() {
				t.Fatal(p, q, c, sum, product)
			}
		})
		for _, p := range []Polynomial{sum, product} {
			for i, x := range p {
				if x.Coeff == 0 || x.Coeff > r.mask() || i > 0 && Compare(p[i-1].Monomial, x.Monomial) <= 0 {
					t.Fatalf("%v is not normal", p)
				}
			}
		}
	}
}

func TestMonomials(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 1))
	one := func() (m Monomial) {
		for range rng.IntN(5) {
			m, _ = m.Times(Of(uint16(1 + rng.IntN(4))))
		}
		return m
	}
	for range 1000 {
		a, b := one(), one()
		p, ok := a.Times(b)
		if !ok || p.Degree() != a.Degree()+b.Degree() {
			t.Fatal(a, b, p)
		}
		if q, ok := p.Over(a); !ok || q != b {
			t.Fatalf("%v/%v = %v", p, a, q)
		}
		q, ok := a.Over(b)
		if back, _ := q.Times(b); ok && back != a {
			t.Fatalf("%v/%v = %v", a, b, q)
		}
		if c := one(); Compare(a, b) < 0 {
			x, _ := a.Times(c)
			y, _ := b.Times(c)
			if x.Degree() <= MaxDegree && y.Degree() <= MaxDegree && Compare(x, y) >= 0 && a.Degree() != b.Degree() {
				t.Fatalf("the order of %v, %v is not that of multiples", a, b)
			}
		}
	}
	m := Monomial{1, 1, 1, 1, 1, 1, 1, 1}
	if _, ok := m.Times(Of(2)); ok {
		t.Error("a degree that cannot be said")
	}
}

// TestExpress: what is said to follow holds in all points in which the hypotheses do, and
// has a combination; what is a combination of a low degree is found.
func TestExpress(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 1))
	found, made, contradictions := 0, 0, 0
	for n := range 1500 {
		r := Ring{1 + rng.Uint32N(4)}
		if n%4 == 0 {
			r.Width = 32
		}
		var hypotheses []Polynomial
		for range 1 + rng.IntN(4) {
			hypotheses = append(hypotheses, random(rng, r, 3, 2))
		}
		target := random(rng, r, 3, 2)
		combined := n%3 != 0
		if combined {
			target = nil
			for _, h := range hypotheses {
				p, _ := r.Times(random(rng, r, 2, 1), h)
				target = r.Plus(target, 1, p)
			}
			made++
		}
		id := NewIdeal(r, hypotheses)
		cofactors, _ := id.Express(target, MaxRounds)
		if cofactors != nil {
			if combined {
				found++
			}
			if !r.Proves(target, hypotheses, cofactors) {
				t.Fatalf("%v of %v: wrong cofactors %v", target, hypotheses, cofactors)
			}
			wrong := r.Plus(target, 1, r.Constant(1))
			if r.Proves(wrong, hypotheses, cofactors) {
				t.Fatalf("proves %v", wrong)
			}
		}
		constant, c, impossible := id.Contradiction()
		if impossible {
			contradictions++
			if constant.Degree() != 0 || len(constant) == 0 || !r.Proves(constant, hypotheses, c) {
				t.Fatalf("%v: no contradiction: %v", hypotheses, constant)
			}
		}
		if r.Width > 4 || cofactors == nil && !impossible {
			continue
		}
		points(r, func(at func(uint16) uint64) {
			for _, h := range hypotheses {
				if !vanishes(r, h, at) {
					return
				}
			}
			if impossible || !vanishes(r, target, at) {
				t.Fatalf("%v does not follow from %v modulo 2^%d", target, hypotheses, r.Width)
			}
		})
	}
	t.Logf("found %d of %d, %d contradictions", found, made, contradictions)
	if found < made*7/10 || contradictions == 0 {
		t.Errorf("found %d of %d, %d contradictions", found, made, contradictions)
	}
}

// BenchmarkExpress is the loop of lcm: with a*b = x*u + y*v, x' = x - y, v' = v + u.
func BenchmarkExpress(b *testing.B) {
	r := Ring{32}
	v := func(n uint16) Polynomial { return r.Variable(n) }
	times := func(p, q Polynomial) Polynomial { x, _ := r.Times(p, q); return x }
	minus := func(p, q Polynomial) Polynomial { return r.Plus(p, ^uint64(0), q) }
	plus := func(p, q Polynomial) Polynomial { return r.Plus(p, 1, q) }
	keep := func(x, y, u, w Polynomial) Polynomial {
		return minus(plus(times(x, u), times(y, w)), times(v(1), v(2)))
	}
	hypotheses := []Polynomial{keep(v(3), v(4), v(5), v(6)), minus(v(7), minus(v(3), v(4))), minus(v(8), plus(v(6), v(5)))}
	target := keep(v(7), v(4), v(5), v(8))
	for b.Loop() {
		if c, _ := NewIdeal(r, hypotheses).Express(target, MaxRounds); c == nil {
			b.Fatal("not found")
		}
	}
}

// TestVanishing finds the equations of the states of loops, and no others.
func TestVanishing(t *testing.T) {
	var cubes, lcm, half [][]int64
	for n := range int64(60) {
		cubes = append(cubes, []int64{n, n * n * n, 3*n*n + 3*n + 1, 6*n + 6})
		half = append(half, []int64{n, n * (n + 1) / 2})
	}
	for a := int64(1); a < 12; a++ {
		for b := int64(1); b < 12; b++ {
			x, y, u, v := a, b, b, int64(0)
			for x != y {
				lcm = append(lcm, []int64{x, y, u, v, a * b})
				if x > y {
					x, v = x-y, v+u
				} else {
					y, u = y-x, u+v
				}
			}
		}
	}
	for _, test := range []struct {
		name   string
		points [][]int64
		degree int
		want   int
	}{{"cubes", cubes, 3, 4}, {"half", half, 3, 1}, {"lcm", lcm, 2, 1}, {"few points", half[:9], 5, 0}, {"any", [][]int64{{1, 5}, {2, 9}, {7, 3}, {4, 4}, {5, 1}, {8, 8}, {6, 5}, {2, 2}, {0, 3}, {9, 7}, {1, 8}, {3, 3}, {7, 7}, {5, 9}, {0, 0}, {2, 7}, {6, 1}, {8, 3}}, 2, 0}} {
		got := Vanishing(test.points, len(test.points[0]), test.degree, 20)
		if len(got) != test.want {
			t.Errorf("%s: %v", test.name, got)
		}
		r := Ring{64}
		for _, p := range got {
			for _, x := range test.points {
				if !vanishes(r, p, func(v uint16) uint64 { return uint64(x[v-1]) }) {
					t.Errorf("%s: %v is not 0 in %v", test.name, p, x)
				}
			}
		}
	}
	for _, x := range []int64{0, 1, -1, 7, -1000000} {
		for _, d := range []int64{1, 3, 1000} {
			r := mulmod(residue(x), invmod(residue(d)))
			n, e, ok := fraction(r)
			if !ok || n*d != x*e {
				t.Errorf("%d/%d is %d/%d", x, d, n, e)
			}
		}
	}
}

// BenchmarkVanishing is a loop with eight variables of which there are few equations.
func BenchmarkVanishing(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 9))
	var points [][]int64
	for range 400 {
		x := make([]int64, 8)
		for i := range x {
			x[i] = rng.Int64N(100)
		}
		x[7] = x[0]*x[1] - x[2]
		points = append(points, x)
	}
	for b.Loop() {
		if len(Vanishing(points, 8, 3, 20)) != 1 {
			b.Fatal("not found")
		}
	}
}
