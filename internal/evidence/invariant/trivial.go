package invariant

import "math/big"

// Trivial says that a predicate is a bound of one integer that its type implies.
func Trivial(p Predicate) bool {
	switch p := p.(type) {
	case Guarded:
		return Trivial(p.Then)
	case Comparison:
		if p.Relation != AtMost || len(p.Terms) != 1 || p.Terms[0].Float {
			return false
		}
		t := p.Terms[0]
		greatest := new(big.Int).Lsh(big.NewInt(1), uint(t.Bits))
		least := new(big.Int)
		if t.Signed {
			greatest.Rsh(greatest, 1)
			least.Neg(greatest)
		}
		greatest.Sub(greatest, big.NewInt(1))
		n := big.NewInt(t.Coeff)
		if t.Coeff < 0 {
			return n.Mul(n, least).Cmp(p.Bound) <= 0
		}
		return n.Mul(n, greatest).Cmp(p.Bound) <= 0
	case Order, *Polynomial, ForAll, *SumEquation:
	}
	return false
}
