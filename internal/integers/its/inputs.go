package its

import (
	"slices"

	"assay/internal/logic/linear"
)

// WithInputs is a system in which some temporaries are initial values of new variables, which
// never change: what a run will choose is there from the beginning. input says which
// variable, of those named, a temporary of a transition becomes. Each such transition must be
// executed at most once in a run, and two that share a variable never in the same run. Temporaries
// of products stay what they are. Variables that steps from the initial location keep, and do
// nothing else with, become arbitrary there: their initial values mean nothing.
func (s *System) WithInputs(names []string, input func(transition int, temp linear.Var) (int, bool)) *System {
	n, k := linear.Var(len(s.Variables)), linear.Var(len(names))
	w := s.Clone()
	w.Variables = append(w.Variables, names...)
	w.Transitions = nil
	for i, t := range s.Transitions {
		to := make([]linear.Var, t.Temps)
		next := n + k
		for x := range to {
			v := n + linear.Var(x)
			j, ok := input(i, v)
			if ok && !slices.ContainsFunc(t.Products, func(p Product) bool { return p.Temp == v }) {
				to[x] = n + linear.Var(j)
			} else {
				to[x] = next
				next++
			}
		}
		u := t.substitute(int(next-n-k), func(v linear.Var) (linear.Form, bool) {
			if v < n {
				return linear.Form{}, false
			}
			return linear.Variable(to[v-n]), true
		}, func(v linear.Var) linear.Var { return to[v-n] })
		for j := range k {
			u.Update = append(u.Update, linear.Variable(n+j))
		}
		if t.From == s.Initial {
			for v := range n {
				if x, ok := u.Update[v].IsVariable(); ok && x == v && !u.uses(v) {
					u.Update[v] = linear.Variable(n + k + linear.Var(u.Temps))
					u.Temps++
				}
			}
		}
		w.Add(u)
	}
	return w
}

// uses says whether a variable occurs anywhere but in its own update.
func (t *Transition) uses(v linear.Var) bool {
	for x, f := range t.Update {
		if linear.Var(x) != v && f.Has(v) {
			return true
		}
	}
	return t.Cost.Has(v) || slices.ContainsFunc(t.Guard, func(c linear.Constraint) bool { return c.Form.Has(v) }) ||
		slices.ContainsFunc(t.Products, func(p Product) bool { return p.A.Has(v) || p.B.Has(v) })
}
