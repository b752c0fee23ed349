package complexity

import (
	"math/big"
	"slices"

	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file solves loops that change the variables by a polynomial map F: it follows a polynomial h through h,
// h(F), h(F(F)), ... until one of these is a linear combination of those before it. The characteristic
// polynomial of that recurrence is split into its integer roots, and the closed form follows from
// the first values. Roots that are not integers may be those of a power of F: periods
// are tried in turn.

// Limits on recurrences.
const (
	maxOrder      = 14 // of a recurrence
	maxOrbitTerms = 60 // of a polynomial in it
	maxRoot       = 10_000
)

// periods are powers of a loop that may have integer roots where the loop itself has none: roots of
// unity of these orders have small degrees.
var periods = []int{1, 2, 3, 4, 6}

// polynomialMap is what a block does to the variables; nil where it is no polynomial of them.
type polynomialMap []rational.Polynomial

// polynomials are the variables and temporaries of a block as polynomials over the variables, nil for inputs.
func (a *analysis) polynomials(b int) []rational.Polynomial {
	k := a.blocks[b]
	return expanded(a.variables, k.temps, k.products)
}

// expanded are variables and temporaries as polynomials over the variables, nil where they are none.
func expanded(variables, temps int, products []its.Product) []rational.Polynomial {
	known := make([]rational.Polynomial, variables+temps)
	for v := range variables {
		known[v] = rational.Variable(linear.Var(v))
	}
	for again := true; again; {
		again = false
		for _, p := range products {
			if known[p.Temp] != nil {
				continue
			}
			x, y := polynomialOf(p.A, known), polynomialOf(p.B, known)
			if x == nil || y == nil {
				continue
			}
			if q, ok := x.Times(y); ok {
				known[p.Temp], again = q, true
			}
		}
	}
	return known
}

// knowSquares adds to guards that products which are squares, or sums of squares, are not negative. The linear
// engines do not see it.
func knowSquares(s *its.System) {
	for i, t := range s.Transitions {
		if len(t.Products) == 0 {
			continue
		}
		known := expanded(len(s.Variables), t.Temps, t.Products)
		for _, p := range t.Products {
			if q := known[p.Temp]; q != nil && bound.IsSquares(q) {
				t.Guard = append(slices.Clone(t.Guard), linear.AtLeast(linear.Variable(p.Temp), linear.Form{}))
			}
		}
		s.Transitions[i].Guard = t.Guard
	}
}

// mapOf is that of a block.
func (a *analysis) mapOf(b int) polynomialMap {
	known := a.polynomials(b)
	out := make(polynomialMap, a.variables)
	for v := range out {
		out[v] = polynomialOf(a.blocks[b].update[v], known)
	}
	return out
}

// polynomialOf puts polynomials in the place of the variables of a form; nil if one is not known.
func polynomialOf(f linear.Form, known []rational.Polynomial) rational.Polynomial {
	p := rational.Constant(f.Const)
	for _, t := range f.Terms {
		if known[t.Var] == nil {
			return nil
		}
		p = p.AddScaled(t.Coef, known[t.Var])
	}
	return p
}

// behind is h after one execution, nil if that is not known or too great.
func (f polynomialMap) behind(h rational.Polynomial) rational.Polynomial {
	for m := range h {
		for _, v := range m[:m.Degree()] {
			if f[v-1] == nil {
				return nil
			}
		}
	}
	out, ok := h.Substitute(func(v linear.Var) rational.Polynomial { return f[v] })
	if !ok || len(out) > maxOrbitTerms {
		return nil
	}
	return out
}

// times is h after n executions.
func (f polynomialMap) times(h rational.Polynomial, n int) rational.Polynomial {
	for range n {
		if h == nil {
			return nil
		}
		h = f.behind(h)
	}
	return h
}

// equal says whether two maps do the same to the variables that they are known for, which must be the same.
func (f polynomialMap) equal(g polynomialMap) bool {
	return slices.EqualFunc(f, g, func(p, q rational.Polynomial) bool {
		return (p == nil) == (q == nil) && len(p.AddScaled(linear.Int(-1), q)) == 0
	})
}

// closedForm is that of h after shift + period·m executions, if its recurrence has integer roots.
func (f polynomialMap) closedForm(h rational.Polynomial, shift, period int) (bound.ClosedForm, bool) {
	c := bound.ClosedForm{Of: h, Shift: shift}
	values := []rational.Polynomial{f.times(h, shift)}
	if values[0] == nil {
		return c, false
	}
	var relation []linear.Number
	e := elimination{}
	for relation == nil {
		last := values[len(values)-1]
		if relation = e.add(last); relation != nil {
			break
		}
		next := f.times(last, period)
		if next == nil || len(values) > maxOrder {
			return c, false
		}
		values = append(values, next)
	}
	roots, ok := integerRoots(relation)
	if !ok {
		return c, false
	}
	modes, ok := solveModes(roots, values)
	c.Modes = modes
	return c, ok
}

// elimination keeps polynomials as rows in echelon form, each with the combination of those added that it is.
type elimination struct {
	rows   []rational.Polynomial
	pivots []rational.Monomial
	combos [][]linear.Number
	added  int
}

// add is nil if the polynomial is no combination of those before; else the coefficients of a
// combination of all that is 0, that of the last being 1.
func (e *elimination) add(p rational.Polynomial) []linear.Number {
	combo := make([]linear.Number, e.added+1)
	combo[e.added] = linear.Int(1)
	e.added++
	for i, row := range e.rows {
		k := p[e.pivots[i]]
		if k.IsZero() {
			continue
		}
		k = k.Div(row[e.pivots[i]])
		p = p.AddScaled(k.Neg(), row)
		for j, x := range e.combos[i] {
			combo[j] = combo[j].Sub(k.Mul(x))
		}
	}
	if len(p) == 0 {
		return combo
	}
	e.rows = append(e.rows, p)
	e.pivots = append(e.pivots, p.Monomials()[0])
	e.combos = append(e.combos, combo)
	return nil
}

// root is one of a polynomial, so often.
type root struct {
	value linear.Number
	times int
}

// integerRoots splits a polynomial of one variable, its coefficients from the constant on, into its roots, the
// greatest first; ok is false if not all are integers.
func integerRoots(coefficients []linear.Number) (roots []root, ok bool) {
	p := slices.Clone(coefficients)
	found := func(n linear.Number) bool {
		times := 0
		for len(p) > 1 {
			// Synthetic division by x - n.
			q := make([]linear.Number, len(p)-1)
			rest := linear.Number{}
			for i := len(p) - 1; i >= 0; i-- {
				if i < len(q) {
					q[i] = rest
				}
				rest = rest.Mul(n).Add(p[i])
			}
			if !rest.IsZero() {
				break
			}
			p, times = q, times+1
		}
		if times > 0 {
			roots = append(roots, root{n, times})
		}
		return len(p) == 1
	}
	if found(linear.Number{}) || found(linear.Int(1)) || found(linear.Int(-1)) {
		return sortRoots(roots), true
	}
	for n := int64(2); n <= maxRoot; n++ {
		if !p[0].IsInt() || !dividesInteger(n, p[0]) {
			continue
		}
		if found(linear.Int(n)) || found(linear.Int(-n)) {
			return sortRoots(roots), true
		}
	}
	return nil, false
}

func dividesInteger(n int64, of linear.Number) bool {
	return new(big.Int).Mod(of.BigInt(), big.NewInt(n)).Sign() == 0
}

func sortRoots(roots []root) []root {
	slices.SortFunc(roots, func(a, b root) int { return b.value.Cmp(a.value) })
	return roots
}

// solveModes finds the coefficients of the modes from the first values of the sequence. A root 0 that
// is one more than once has no modes of this form.
func solveModes(roots []root, values []rational.Polynomial) ([]bound.Mode, bool) {
	var modes []bound.Mode
	for _, r := range roots {
		if r.value.IsZero() && r.times > 1 {
			return nil, false
		}
		for power := r.times - 1; power >= 0; power-- {
			modes = append(modes, bound.Mode{Root: r.value, Power: power})
		}
	}
	n := len(modes)
	if n > len(values) {
		return nil, false
	}
	// Gauss-Jordan on the matrix of m^power·root^m with the values beside it.
	matrix := make([][]linear.Number, n)
	right := slices.Clone(values[:n])
	for m := range matrix {
		for _, x := range modes {
			matrix[m] = append(matrix[m], modeAt(x, m))
		}
	}
	for c := range n {
		p := c
		for p < n && matrix[p][c].IsZero() {
			p++
		}
		if p == n {
			return nil, false
		}
		matrix[c], matrix[p] = matrix[p], matrix[c]
		right[c], right[p] = right[p], right[c]
		inverse := matrix[c][c].Inv()
		for r := range n {
			if r == c || matrix[r][c].IsZero() {
				continue
			}
			k := matrix[r][c].Mul(inverse)
			for j := c; j < n; j++ {
				matrix[r][j] = matrix[r][j].Sub(k.Mul(matrix[c][j]))
			}
			right[r] = right[r].AddScaled(k.Neg(), right[c])
		}
	}
	for c := range modes {
		modes[c].Coefficient = rational.Polynomial{}.AddScaled(matrix[c][c].Inv(), right[c])
	}
	return modes, true
}

// modeAt is m^power·root^m.
func modeAt(x bound.Mode, m int) linear.Number {
	n := linear.Int(1)
	for range m {
		n = n.Mul(x.Root)
	}
	for range x.Power {
		n = n.Mul(linear.Int(int64(m)))
	}
	return n
}

// integral is the closed form of a multiple of the polynomial such that all coefficients are integers.
func integral(c bound.ClosedForm) bound.ClosedForm {
	l := linear.Int(1)
	common := func(p rational.Polynomial) {
		for _, n := range p {
			d := n.Denominator()
			l = l.Mul(d).Div(linear.GCD(l, d))
		}
	}
	common(c.Of)
	for _, m := range c.Modes {
		common(m.Coefficient)
	}
	scale := func(p rational.Polynomial) rational.Polynomial { return rational.Polynomial{}.AddScaled(l, p) }
	out := bound.ClosedForm{Of: scale(c.Of), Shift: c.Shift}
	for _, m := range c.Modes {
		out.Modes = append(out.Modes, bound.Mode{Root: m.Root, Power: m.Power, Coefficient: scale(m.Coefficient)})
	}
	return out
}
