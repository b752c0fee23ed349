package rational

import (
	"math/big"
	"slices"

	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial"
)

// This file finds the polynomials that are 0 in many points: the kernel of the matrix of their
// monomials there, by elimination modulo a prime. Of a polynomial whose greatest monomial is a
// multiple of that of another nothing new is learned, and it is left out.

// MonomialsUpTo are the products of at most degree variables of a list, the least first.
func MonomialsUpTo(variables []linear.Var, degree int) []Monomial {
	out := []Monomial{{}}
	for from, d := 0, 0; d < degree; d++ {
		to := len(out)
		for _, m := range out[from:to] {
			for _, v := range variables {
				if n := m.Degree(); n > 0 && uint16(v+1) < m[n-1] {
					continue
				}
				x, _ := m.Times(polynomial.Of(uint16(v + 1)))
				out = append(out, x)
			}
		}
		from = to
	}
	slices.SortFunc(out, polynomial.Compare)
	return slices.Compact(out)
}

// Vanishing are polynomials in some monomials, which are given from the least to the greatest, that
// are 0 in all points: those with small coefficients.
func Vanishing(points [][]*big.Int, monomials []Monomial) (out []Polynomial) {
	x := &echelon{columns: len(monomials)}
	row := make([]uint64, len(monomials))
	for _, point := range points {
		residues := make([]uint64, len(point))
		for i, n := range point {
			residues[i] = modOf(n)
		}
		for k, m := range monomials {
			row[k] = 1
			for _, v := range m[:m.Degree()] {
				row[k] = mulMod(row[k], residues[v-1])
			}
		}
		x.add(slices.Clone(row))
	}
	x.reduce()
	var leading []Monomial
	for free := range monomials {
		if x.pivot[free] != nil {
			continue
		}
		if slices.ContainsFunc(leading, func(m Monomial) bool { _, ok := monomials[free].Over(m); return ok }) {
			continue
		}
		p := Polynomial{monomials[free]: linear.Int(1)}
		small := true
		for k := 0; k < free && small; k++ {
			if r := x.pivot[k]; r != nil && r[free] != 0 {
				var c linear.Number
				if c, small = fraction(r[free]); small {
					p[monomials[k]] = c.Neg()
				}
			}
		}
		if small && !slices.ContainsFunc(points, func(point []*big.Int) bool { return p.Eval(point).Sign() != 0 }) {
			leading = append(leading, monomials[free])
			out = append(out, p.Integral())
		}
	}
	return out
}

// echelon is a matrix in which each row has a first column, with 1, that no other row begins with.
type echelon struct {
	columns int
	pivot   map[int][]uint64 // by first column
}

// add adds a row that it owns.
func (e *echelon) add(row []uint64) {
	if e.pivot == nil {
		e.pivot = map[int][]uint64{}
	}
	for c := range row {
		if row[c] == 0 {
			continue
		}
		p := e.pivot[c]
		if p == nil {
			inverse := inverseMod(row[c])
			for k := c; k < len(row); k++ {
				row[k] = mulMod(row[k], inverse)
			}
			e.pivot[c] = row
			return
		}
		f := row[c]
		for k := c; k < len(row); k++ {
			if p[k] != 0 {
				row[k] = subMod(row[k], mulMod(f, p[k]))
			}
		}
	}
}

// reduce makes a row's first column 0 in all others.
func (e *echelon) reduce() {
	for c := e.columns - 1; c >= 0; c-- {
		p := e.pivot[c]
		if p == nil {
			continue
		}
		for d, q := range e.pivot {
			if d >= c || q[c] == 0 {
				continue
			}
			f := q[c]
			for k := c; k < len(q); k++ {
				if p[k] != 0 {
					q[k] = subMod(q[k], mulMod(f, p[k]))
				}
			}
		}
	}
}
