package ltl

import (
	"slices"
	"strings"
)

// This file applies the rules of rules.go, operands first, until none applies. The
// operands of && and || are sets: without order, without repetition.

// Simplify is a formula in negation normal form that is true of the same rows as f.
func Simplify(f Formula) Formula {
	s := &simplifier{done: map[Formula]Formula{}, implied: map[both]bool{}}
	return s.simplify(Normal(f))
}

// simplifier remembers what it found.
type simplifier struct {
	done    map[Formula]Formula
	implied map[both]bool
}

// simplify rewrites a formula in normal form.
func (s *simplifier) simplify(f Formula) Formula {
	if g, ok := s.done[f]; ok {
		return g
	}
	g := f
	switch f := f.(type) {
	case Unary:
		if f.Op == NextOp {
			g = s.top(Next(s.simplify(f.F)))
		}
	case Binary:
		if f.Op == AndOp || f.Op == OrOp {
			g = s.set(f.Op, append(operands(f.Op, s.simplify(f.L)), operands(f.Op, s.simplify(f.R))...))
		} else {
			g = s.top(Binary{f.Op, s.simplify(f.L), s.simplify(f.R)})
		}
	}
	s.done[f], s.done[g] = g, g
	return g
}

// top rewrites a formula whose operands are done.
func (s *simplifier) top(f Formula) Formula {
	patterns := patterns()
	for i := range patterns {
		if g, ok := s.apply(&patterns[i], f); ok {
			return s.simplify(g)
		}
	}
	return f
}

// set rewrites a conjunction or disjunction of formulas that are done, by the rules
// that match two of them.
func (s *simplifier) set(op BinaryOp, fs []Formula) Formula {
	for {
		fs = sorted(fs)
		i, j, g, ok := s.pair(op, fs)
		if !ok {
			return join(op, fs)
		}
		fs = append(slices.Delete(slices.Delete(fs, j, j+1), i, i+1), operands(op, s.simplify(g))...)
	}
}

// pair finds two formulas that a rule makes one.
func (s *simplifier) pair(op BinaryOp, fs []Formula) (i, j int, g Formula, ok bool) {
	patterns := patterns()
	for j := range fs {
		for i := range j {
			for k := range patterns {
				for _, two := range [2]Formula{Binary{op, fs[i], fs[j]}, Binary{op, fs[j], fs[i]}} {
					if g, ok := s.apply(&patterns[k], two); ok {
						return i, j, g, true
					}
				}
			}
		}
	}
	return 0, 0, nil, false
}

// operands are the formulas between the operators op at the top of f.
func operands(op BinaryOp, f Formula) []Formula {
	if b, ok := f.(Binary); ok && b.Op == op {
		return append(operands(op, b.L), operands(op, b.R)...)
	}
	return []Formula{f}
}

// sorted orders formulas and takes repetitions out.
func sorted(fs []Formula) []Formula {
	text := map[Formula]string{}
	for _, f := range fs {
		text[f] = f.String()
	}
	slices.SortFunc(fs, func(f, g Formula) int { return strings.Compare(text[f], text[g]) })
	return slices.Compact(fs)
}

// join is the conjunction or disjunction of formulas.
func join(op BinaryOp, fs []Formula) Formula {
	f := fs[len(fs)-1]
	for i := len(fs) - 2; i >= 0; i-- {
		f = Binary{op, fs[i], f}
	}
	return f
}

// apply rewrites f by a rule, if it matches, its condition holds, and f changes.
func (s *simplifier) apply(p *pattern, f Formula) (Formula, bool) {
	for _, m := range match(p.from, f, nil, true) {
		if s.meets(p.condition, m) {
			if g := m.in(p.to); g != f {
				return g, true
			}
		}
	}
	return nil, false
}

// meets decides a condition.
func (s *simplifier) meets(c condition, m binding) bool {
	if c.word == "" {
		return true
	}
	a, b := m.of(c.a), m.of(c.b)
	switch c.word {
	case "implies":
		return s.implies(a, b)
	case "excludes":
		return s.implies(a, Normal(Not(b)))
	case "or":
		return s.implies(Normal(Not(a)), b)
	case "eventual":
		return s.eventual(a)
	case "universal":
		return s.universal(a)
	case "both":
		return s.eventual(a) && s.universal(a)
	}
	panic("condition " + c.word)
}

// binding gives formulas to the variables of a rule.
type binding []struct {
	variable Atom
	f        Formula
}

// of is the formula of a variable, nil if it has none.
func (m binding) of(v Atom) Formula {
	for _, b := range m {
		if b.variable == v {
			return b.f
		}
	}
	return nil
}

// in replaces the variables of a formula.
func (m binding) in(f Formula) Formula {
	switch f := f.(type) {
	case Prop:
		return m.of(f.Atom)
	case Unary:
		return Unary{f.Op, m.in(f.F)}
	case Binary:
		return Binary{f.Op, m.in(f.L), m.in(f.R)}
	}
	return f
}

// match is every binding that makes p equal to f and contains m. Below the top, two
// operands of && or || match a set in which one operand is against the rest.
func match(p, f Formula, m binding, top bool) []binding {
	switch p := p.(type) {
	case Prop:
		if g := m.of(p.Atom); g != nil {
			if g == f {
				return []binding{m}
			}
			return nil
		}
		bound := append(slices.Clip(m), struct {
			variable Atom
			f        Formula
		}{p.Atom, f})
		return []binding{bound}
	case Unary:
		if f, ok := f.(Unary); ok && f.Op == p.Op {
			return match(p.F, f.F, m, false)
		}
	case Binary:
		f, ok := f.(Binary)
		if !ok || f.Op != p.Op {
			return nil
		}
		if top || f.Op.Temporal() {
			return matchTwo(p, f.L, f.R, m)
		}
		var all []binding
		fs := operands(f.Op, f)
		for i, g := range fs {
			rest := join(f.Op, slices.Delete(slices.Clone(fs), i, i+1))
			all = append(append(all, matchTwo(p, g, rest, m)...), matchTwo(p, rest, g, m)...)
		}
		return all
	default:
		if p == f {
			return []binding{m}
		}
	}
	return nil
}

// matchTwo matches the operands of p with two formulas.
func matchTwo(p Binary, l, r Formula, m binding) []binding {
	var all []binding
	for _, n := range match(p.L, l, m, false) {
		all = append(all, match(p.R, r, n, false)...)
	}
	return all
}
