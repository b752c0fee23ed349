package equations

import (
	"context"
	"fmt"
	"math/big"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/integers/walk"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial"
	"assay/internal/logic/polynomial/rational"
)

// This file finds congruences and shifts (M1). Candidates are, as in (E1), the equations that hold over the rationals in sampled states:
// those in which the numbers are so small that nothing has wrapped.

// rounds of the search for a combination modulo 2^w.
const rounds = 2

// shift makes conditions linear modulo 2^w; nil if none becomes so.
func shift(ctx context.Context, s *its.System, initial []linear.Constraint, observed []bool, width uint32) (*its.System, *Shifted) {
	expanded := make([]expansion, len(s.Transitions))
	some := false
	for i := range s.Transitions {
		expanded[i] = expand(s, &s.Transitions[i])
		some = some || len(wrapping(s, i, &expanded[i], width)) > 0
	}
	if !some {
		return nil, nil
	}
	states := walk.States(ctx, s, initial)
	limit := big.NewInt(1)
	limit.Lsh(limit, uint(width)-3)
	for l := range states {
		states[l] = slices.DeleteFunc(states[l], func(state []*big.Int) bool {
			return slices.ContainsFunc(state, func(n *big.Int) bool { return n.CmpAbs(limit) >= 0 })
		})
	}
	var best *Shifted
	var system *its.System
	least, tried, columns := -1, 0, 0
	for _, kind := range kinds(s) {
		monomials := rational.MonomialsUpTo(kind.variables, kind.degree)
		if ctx.Err() != nil || len(monomials) > maxColumns || kind.degree == tried && len(monomials) == columns {
			continue
		}
		tried, columns = kind.degree, len(monomials)
		x := &rewriting{s: s, observed: observed, expanded: expanded, states: states, width: width}
		x.candidates(monomials)
		for l := range x.equations {
			for k, h := range x.equations[l] {
				x.equations[l][k] = h.Integral()
			}
		}
		if !x.keep(ctx) {
			return nil, nil
		}
		next, step, left := x.shifted()
		if next != nil && (least < 0 || left < least) {
			system, best, least = next, step, left
		}
		if least == 0 {
			break
		}
	}
	return system, best
}

// wrapping are the temporaries of a transition that may count the wraps of sums with products modulo 2^w: coefficients are 2^w or, where
// constraints were divided by a common factor, less.
func wrapping(s *its.System, i int, x *expansion, width uint32) (list []linear.Var) {
	t := &s.Transitions[i]
	if len(t.Products) == 0 || !x.ok {
		return nil
	}
	modulus := powerOfTwo(width)
	for k := range t.Temps {
		v := s.Temp(k)
		about := func(f linear.Form) bool { return f.Has(v) }
		if slices.ContainsFunc(t.Products, func(p its.Product) bool { return p.Temp == v || about(p.A) || about(p.B) }) || about(t.Cost) {
			continue
		}
		wraps := false
		for _, k := range x.guards {
			if c := t.Guard[k].Form.Coef(v).Abs(); !c.IsZero() && modulus.Div(c).IsInt() && c.Mul(c).Cmp(modulus) > 0 {
				wraps = true
			}
		}
		if wraps {
			list = append(list, v)
		}
	}
	return list
}

func powerOfTwo(w uint32) linear.Number {
	return linear.FromBigInt(new(big.Int).Lsh(big.NewInt(1), uint(w)))
}

// residue is a polynomial with integers as coefficients, modulo 2^w; false if some are none.
func residue(p rational.Polynomial, width uint32) (q polynomial.Polynomial, ok bool) {
	ring := polynomial.Ring{Width: width}
	modulus := new(big.Int).Lsh(big.NewInt(1), uint(width))
	for m, c := range p {
		if !c.IsInt() {
			return nil, false
		}
		n := new(big.Int).Mod(c.BigInt(), modulus).Uint64()
		q = ring.Plus(q, 1, polynomial.Polynomial{{Monomial: m, Coeff: n}})
	}
	return q, true
}

// lifted is a polynomial modulo 2^w with the least coefficients that are not negative.
func lifted(q polynomial.Polynomial) rational.Polynomial {
	p := rational.Polynomial{}
	for _, t := range q {
		p[t.Monomial] = linear.FromBigInt(new(big.Int).SetUint64(t.Coeff))
	}
	return p
}

// congruent finds cofactors of which a polynomial is the sum modulo 2^w.
type congruent func(p rational.Polynomial) ([]rational.Polynomial, bool)

// modulo is that search for some hypotheses, which is nil where a coefficient is no integer.
func modulo(hypotheses []rational.Polynomial, width uint32) congruent {
	var residues []polynomial.Polynomial
	for _, h := range hypotheses {
		q, ok := residue(h, width)
		if !ok {
			return func(rational.Polynomial) ([]rational.Polynomial, bool) { return nil, false }
		}
		residues = append(residues, q)
	}
	ideal := polynomial.NewIdeal(polynomial.Ring{Width: width}, residues)
	return func(p rational.Polynomial) ([]rational.Polynomial, bool) {
		q, ok := residue(p, width)
		if !ok {
			return nil, false
		}
		list, _ := ideal.Express(q, rounds)
		if list == nil && len(q) > 0 {
			return nil, false
		}
		out := make([]rational.Polynomial, len(hypotheses))
		for i := range list {
			out[i] = lifted(list[i])
		}
		return out, true
	}
}

// shifted shifts what it can, and says how many transitions have conditions with products still; nil if nothing is shifted.
func (x *rewriting) shifted() (*its.System, *Shifted, int) {
	step := &Shifted{Width: x.width, Equations: x.equations, Kept: x.kept, Shifts: make([][]Shift, len(x.s.Transitions))}
	var out []its.Transition
	left, some := 0, false
	for i := range x.s.Transitions {
		t := x.s.Transitions[i]
		e := &x.expanded[i]
		temps := wrapping(x.s, i, e, x.width)
		if len(temps) > 0 {
			f := forms{e.guard, e.update}
			hypotheses := x.known(i)
			within := modulo(hypotheses, x.width)
			for _, v := range temps {
				if one, next, ok := f.shift(v, hypotheses, within, x.width); ok {
					step.Shifts[i] = append(step.Shifts[i], one)
					f, some = next, true
				}
			}
			t = f.put(t)
			t.Products = used(&t)
		}
		if len(t.Products) > 0 && len(e.guards) > 0 && slices.ContainsFunc(t.Guard, func(c linear.Constraint) bool {
			return slices.ContainsFunc(t.Products, func(p its.Product) bool { return c.Form.Has(p.Temp) })
		}) {
			left++
		}
		out = append(out, t)
	}
	if !some {
		return nil, nil, left
	}
	return renewed(x.s, out), step, left
}

// forms are those of a transition, with products written out.
type forms struct{ guard, update []rational.Polynomial }

// shift finds one for a temporary, such that all forms about it become linear.
func (f forms) shift(v linear.Var, hypotheses []rational.Polynomial, within congruent, width uint32) (Shift, forms, bool) {
	own := rational.Variable(v)
	var best *Shift
	for _, p := range f.guard {
		var coefficient linear.Number
		for m := range own {
			coefficient = p[m]
		}
		if coefficient.IsZero() || p.Degree() < 2 {
			continue
		}
		sum := rational.Polynomial{}.AddScaled(powerOfTwo(width).Div(coefficient).Neg(), p.AddScaled(coefficient.Neg(), own))
		reduced, ok := rational.Reduce(sum, hypotheses, 1)
		if !ok || mentions(sum, v) || mentions(reduced.Rest, v) {
			continue
		}
		by := sum.AddScaled(linear.Int(-1), reduced.Rest)
		after, _ := reduced.Rest.Form()
		if best != nil && len(best.After.Terms) <= len(after.Terms) {
			continue
		}
		if cofactors, ok := within(by); ok {
			best = &Shift{Temp: v, By: by, Cofactors: cofactors, Before: sum, After: after}
		}
	}
	if best == nil {
		return Shift{}, f, false
	}
	next := forms{slices.Clone(f.guard), slices.Clone(f.update)}
	for _, list := range [][]rational.Polynomial{next.guard, next.update} {
		for k, p := range list {
			if mentions(p, v) {
				list[k] = shiftedBy(p, best, width)
				if list[k].Degree() > 1 {
					return Shift{}, f, false
				}
			}
		}
	}
	return *best, next, true
}

// shiftedBy is a polynomial in which a temporary occurs as such, with the shift.
func shiftedBy(p rational.Polynomial, x *Shift, width uint32) rational.Polynomial {
	for m := range rational.Variable(x.Temp) {
		p = p.AddScaled(p[m].Div(powerOfTwo(width)), x.By)
	}
	return p
}

// put gives a transition the forms that are linear.
func (f forms) put(t its.Transition) its.Transition {
	t.Guard, t.Update = slices.Clone(t.Guard), slices.Clone(t.Update)
	for k, p := range f.guard {
		if form, ok := p.Form(); ok {
			t.Guard[k] = linear.Constraint{Form: form, Equality: t.Guard[k].Equality}.Tighten()
		}
	}
	for v, p := range f.update {
		if form, ok := p.Form(); ok {
			t.Update[v] = form
		}
	}
	return t
}

// replaced lists what was shifted, each once.
func (step *Shifted) replaced(s *its.System) (list []Replaced) {
	suffix := fmt.Sprintf(" modulo 2^%d", step.Width)
	for i, shifts := range step.Shifts {
		from := s.Transitions[i].From
		for _, x := range shifts {
			shown := x.Before.AddScaled(linear.Int(-1), rational.Constant(x.After.Const))
			r := Replaced{At: s.Locations[from], Old: shown.Format(s.VarName), New: x.After.Plus(x.After.Const.Neg()).Format(s.VarName) + suffix}
			for k, h := range step.Equations[from] {
				if k < len(x.Cofactors) && len(x.Cofactors[k]) > 0 {
					r.Because = append(r.Because, h.Format(s.VarName)+" == 0")
				}
			}
			if !slices.ContainsFunc(list, func(o Replaced) bool { return o.At == r.At && o.Old == r.Old }) {
				list = append(list, r)
			}
		}
	}
	return list
}
