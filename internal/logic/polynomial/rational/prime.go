package rational

import (
	"math/big"
	"math/bits"

	"assay/internal/logic/linear"
)

// This file computes modulo the prime 2^61 - 1. Linear algebra is done there, where numbers do not
// grow; results are read as fractions by Euclid's algorithm, and checked exactly where they
// are used.

const prime = 1<<61 - 1

func addMod(a, b uint64) uint64 {
	if a += b; a >= prime {
		a -= prime
	}
	return a
}

func subMod(a, b uint64) uint64 { return addMod(a, prime-b) }

func mulMod(a, b uint64) uint64 {
	hi, lo := bits.Mul64(a, b)
	// The product is hi*2^64 + lo, and 2^61 is 1.
	return addMod(lo&prime, addMod((hi<<3|lo>>61)&prime, hi>>58))
}

// inverseMod is the inverse of a number that is not 0.
func inverseMod(a uint64) uint64 {
	out := uint64(1)
	for e := uint64(prime - 2); e > 0; e >>= 1 {
		if e&1 == 1 {
			out = mulMod(out, a)
		}
		a = mulMod(a, a)
	}
	return out
}

// modOf is an integer modulo the prime.
func modOf(n *big.Int) uint64 {
	return new(big.Int).Mod(n, big.NewInt(prime)).Uint64()
}

// modOfNumber is a fraction modulo the prime; ok is false if its denominator is a multiple of it.
func modOfNumber(n linear.Number) (x uint64, ok bool) {
	r := n.Big()
	d := modOf(r.Denom())
	if d == 0 {
		return 0, false
	}
	return mulMod(modOf(r.Num()), inverseMod(d)), true
}

// maxFraction bounds numerators and denominators: those below it are determined by their residue.
const maxFraction = 1 << 30

// fraction is the fraction with small numerator and denominator that has a residue, by Euclid's
// algorithm.
func fraction(x uint64) (n linear.Number, ok bool) {
	r0, r1 := int64(prime), int64(x)
	t0, t1 := int64(0), int64(1)
	for r1 >= maxFraction {
		q := r0 / r1
		r0, r1 = r1, r0-q*r1
		t0, t1 = t1, t0-q*t1
	}
	if t1 == 0 || t1 >= maxFraction || t1 <= -maxFraction {
		return n, false
	}
	if t1 < 0 {
		r1, t1 = -r1, -t1
	}
	return linear.Fraction(r1, t1), true
}
