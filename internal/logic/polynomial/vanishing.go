package polynomial

import "math/bits"

// This file finds the polynomials with small integer coefficients that are 0 in all of
// many points, by the algorithm of Buchberger and Möller [MoellerBuchberger82]: the
// monomials are looked at in their order, as vectors of their values in the points; one
// that is a combination of those before it is the leading monomial of a polynomial that
// is 0 in all points, and its multiples need not be looked at, for they are leading
// monomials of multiples. So of each ideal of low degree the short generators come out,
// each with few monomials beside its own.
//
// It is computed modulo the prime 2^61 - 1, and the coefficients are read as fractions of
// small numbers. What comes out is a guess in any case: other points may break it.

const prime = 1<<61 - 1

// Limits of what is guessed.
const (
	margin      = 8       // points beyond what determines a polynomial, and a quarter more
	maxFraction = 1 << 20 // of a coefficient
)

func mulmod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	s := (lo & prime) + (lo>>61 | hi<<3)
	if s >= prime {
		s -= prime
	}
	return s
}

func submod(a, b uint64) uint64 {
	if a >= b {
		return a - b
	}
	return a + prime - b
}

func invmod(a uint64) uint64 {
	r := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			r = mulmod(r, a)
		}
		a = mulmod(a, a)
	}
	return r
}

func residue(x int64) uint64 {
	if x < 0 {
		return submod(0, uint64(-x)%prime)
	}
	return uint64(x) % prime
}

// Vanishing finds polynomials of variables 1 to n, for points of n coordinates, of at
// most the degree; the coefficients are integers in two's complement. There are at most
// as many as most.
func Vanishing(points [][]int64, n, degree, most int) []Polynomial {
	type row struct {
		values   []uint64 // of a combination of monomials in the points; 1 at the pivot
		pivot    int
		combined []uint64 // by number in basis
	}
	values := map[Monomial][]uint64{}
	var basis []Monomial
	var rows []row
	var leading []Monomial
	var out []Polynomial
	for _, m := range monomials(n, degree) {
		if len(basis)+len(basis)/4 > len(points)-margin || len(out) == most {
			break
		}
		multiple := false
		for _, l := range leading {
			_, ok := m.Over(l)
			multiple = multiple || ok
		}
		if multiple {
			continue
		}
		v := make([]uint64, len(points))
		if d := m.Degree(); d == 0 {
			for i := range v {
				v[i] = 1
			}
		} else {
			// The product of one that was looked at before and a variable.
			x := m[d-1]
			rest := m
			rest[d-1] = 0
			for i, y := range values[rest] {
				v[i] = mulmod(y, residue(points[i][x-1]))
			}
		}
		values[m] = append([]uint64(nil), v...)
		combined := make([]uint64, len(basis)+1)
		combined[len(basis)] = 1
		for _, r := range rows {
			f := v[r.pivot]
			if f == 0 {
				continue
			}
			for i, y := range r.values {
				if y != 0 {
					v[i] = submod(v[i], mulmod(f, y))
				}
			}
			for i, y := range r.combined {
				if y != 0 {
					combined[i] = submod(combined[i], mulmod(f, y))
				}
			}
		}
		pivot := 0
		for pivot < len(v) && v[pivot] == 0 {
			pivot++
		}
		if pivot == len(v) {
			if p, ok := lift(append(basis[:len(basis):len(basis)], m), combined); ok {
				leading = append(leading, m)
				out = append(out, p)
			}
			continue
		}
		basis = append(basis, m)
		f := invmod(v[pivot])
		for i := range v {
			v[i] = mulmod(v[i], f)
		}
		for i := range combined {
			combined[i] = mulmod(combined[i], f)
		}
		rows = append(rows, row{v, pivot, combined})
	}
	return out
}

// monomials of n variables up to a degree, in their order.
func monomials(n, degree int) []Monomial {
	out := []Monomial{{}}
	last := out
	for range degree {
		var next []Monomial
		for _, m := range last {
			d := m.Degree()
			from := 1
			if d > 0 {
				from = int(m[d-1])
			}
			for v := from; v <= n; v++ {
				x := m
				x[d] = uint16(v)
				next = append(next, x)
			}
		}
		out, last = append(out, next...), next
	}
	return out
}

// lift reads residues as fractions, and multiplies with their denominators.
func lift(ms []Monomial, c []uint64) (p Polynomial, ok bool) {
	numerators, denominators := make([]int64, len(c)), make([]int64, len(c))
	lcm := int64(1)
	for i, x := range c {
		if numerators[i], denominators[i], ok = fraction(x); !ok {
			return nil, false
		}
		if lcm = lcm / gcd(lcm, denominators[i]) * denominators[i]; lcm > maxFraction {
			return nil, false
		}
	}
	for i, m := range ms {
		if n := numerators[i] * (lcm / denominators[i]); n != 0 {
			p = append(p, Term{m, uint64(n)})
		}
	}
	return Ring{64}.normal(p), true
}

func gcd(a, b int64) int64 {
	for b != 0 {
		a, b = b, a%b
	}
	return a
}

// fraction is the fraction of small numbers that a residue stands for, by the extended
// Euclidean algorithm.
func fraction(x uint64) (numerator, denominator int64, ok bool) {
	a, b := int64(prime), int64(x)
	s, t := int64(0), int64(1)
	for b >= maxFraction {
		q := a / b
		a, b = b, a-q*b
		s, t = t, s-q*t
	}
	if t < 0 {
		b, t = -b, -t
	}
	return b, t, t != 0 && t < maxFraction
}
