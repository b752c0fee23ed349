package equations

import (
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file chooses the variables between which equations are looked for.

// related are the variables that have to do with products: factors, what is compared or added up with
// products, what these are computed of, and what is computed of these, as long as there are few.
func related(s *its.System) []linear.Var {
	in := make([]bool, len(s.Variables))
	mark := func(f linear.Form) {
		for _, t := range f.Terms {
			if int(t.Var) < len(in) {
				in[t.Var] = true
			}
		}
	}
	touches := func(f linear.Form, t *its.Transition) bool {
		return slices.ContainsFunc(f.Terms, func(x linear.Term) bool {
			return int(x.Var) < len(in) && in[x.Var] || slices.ContainsFunc(t.Products, func(p its.Product) bool { return p.Temp == x.Var })
		})
	}
	for range len(in) + 1 {
		for i := range s.Transitions {
			t := &s.Transitions[i]
			for _, p := range t.Products {
				mark(p.A)
				mark(p.B)
			}
			for _, c := range t.Guard {
				if touches(c.Form, t) {
					mark(c.Form)
				}
			}
			for v, f := range t.Update {
				if in[v] {
					mark(f)
				} else if touches(f, t) {
					in[v] = true
					mark(f)
				}
			}
		}
	}
	var out []linear.Var
	for v, yes := range in {
		if yes && !copies(s, v) {
			out = append(out, linear.Var(v))
		}
	}
	return out
}

// counters are the variables that get new values computed of old ones on some cycle, and that are not copies
// of others.
func counters(s *its.System) []linear.Var {
	component, _ := s.Components()
	var out []linear.Var
	for v := range s.Variables {
		counts := false
		for i := range s.Transitions {
			t := &s.Transitions[i]
			f := t.Update[v]
			if w, ok := f.IsVariable(); ok && w == linear.Var(v) {
				continue
			}
			counts = counts || component[t.From] == component[t.To] && !f.IsConstant() && int(f.MaxVar()) < len(s.Variables)
		}
		if counts && !copies(s, v) {
			out = append(out, linear.Var(v))
		}
	}
	return out
}

// copies says that a variable gets the value of some variable before it in every transition, or keeps its own
// where that one does, but at the start.
func copies(s *its.System, v int) bool {
	keeps := func(f linear.Form, v int) bool {
		w, ok := f.IsVariable()
		return ok && w == linear.Var(v)
	}
	for u := range v {
		if !slices.ContainsFunc(s.Transitions, func(t its.Transition) bool {
			f, g := t.Update[v], t.Update[u]
			return !f.Equal(g) && (t.From == s.Initial || !keeps(f, v) || !keeps(g, u))
		}) {
			return true
		}
	}
	return false
}

// with are the variables of both lists.
func with(a, b []linear.Var) []linear.Var {
	out := slices.Concat(a, b)
	slices.Sort(out)
	return slices.Compact(out)
}

// overwritten says that a variable gets values of others on some cycle, and never one computed of its own.
func overwritten(s *its.System, v int) bool {
	component, _ := s.Components()
	changes := false
	for i := range s.Transitions {
		t := &s.Transitions[i]
		if w, ok := t.Update[v].IsVariable(); ok && w == linear.Var(v) {
			continue
		}
		if t.Update[v].Has(linear.Var(v)) || slices.ContainsFunc(t.Products, func(p its.Product) bool { return t.Update[v].Has(p.Temp) }) {
			return false
		}
		changes = changes || component[t.From] == component[t.To]
	}
	return changes
}
