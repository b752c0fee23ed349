package complexity

import (
	"context"
	"slices"

	"assay/internal/integers/forward"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// This file refines control flow by the values of flags, in the manner of [BEFFG16]'s successors,
// which unroll a component by partial evaluation. A flag is a variable that the
// transitions of a component set to constants or to other flags only. The constants that guards
// compare it with cut its values into ranges; each location of the component becomes one for
// each combination of the ranges of its live flags. Phases of a loop that a flag tells apart
// become loops of their own.
//
// The ranges of a flag are a partition, so every state is in one of the new locations.

// Limits on the locations that one becomes.
const (
	maxCells = 12
	maxFlags = 4
)

// split is the system with the locations of cyclic components split, or false if there are no flags.
func (p *prepared) split(ctx context.Context) (*prepared, bool) {
	s := p.simple
	component, _ := s.Components()
	live := liveVariables(s)
	cells := make([][][]linear.Constraint, len(s.Locations))
	found := false
	for l := range s.Locations {
		cells[l] = [][]linear.Constraint{nil}
	}
	for c := range slices.Max(component) + 1 {
		cuts := flagCuts(s, component, c)
		if len(cuts) == 0 {
			continue
		}
		for l := range s.Locations {
			if component[l] != c || its.Location(l) == s.Initial {
				continue
			}
			cells[l] = p.cellsOf(ctx, l, cuts, live[l])
			found = found || len(cells[l]) > 1
		}
	}
	if !found {
		return nil, false
	}
	out := &prepared{original: p.original}
	w := s.Clone()
	w.Locations, w.Transitions = nil, nil
	at := make([][]its.Location, len(s.Locations))
	for l, cs := range cells {
		for range cs {
			at[l] = append(at[l], w.AddLocation(s.Locations[l]))
			out.origin = append(out.origin, p.origin[l])
		}
	}
	w.Initial = at[s.Initial][0]
	for _, t := range s.Transitions {
		for i, from := range cells[t.From] {
			for j, to := range cells[t.To] {
				u := t
				u.From, u.To = at[t.From][i], at[t.To][j]
				u.Guard = append(slices.Clone(t.Guard), from...)
				for _, c := range to {
					c.Form = c.Form.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true })
					u.Guard = append(u.Guard, c)
				}
				u.Guard = linear.Irredundant(ctx, u.Guard)
				if len(u.Guard) == 1 && u.Guard[0].IsFalse() {
					continue
				}
				w.Transitions = append(w.Transitions, u)
			}
		}
	}
	out.simple = w
	inv := forward.Invariants(ctx, w, polyhedra.Polyhedron{})
	for l, cs := range cells {
		for i, c := range cs {
			inv[at[l][i]] = inv[at[l][i]].Meet(ctx, c...)
		}
	}
	out.at = inv
	return out, true
}

// cut is a flag with the least values of its ranges, but the first, in order.
type cut struct {
	flag linear.Var
	from []linear.Number
}

// flagCuts are the flags of a component that guards compare with constants.
func flagCuts(s *its.System, component []int, c int) (out []cut) {
	n := len(s.Variables)
	flag := make([]bool, n)
	for v := range flag {
		flag[v] = true
	}
	inside := func(t *its.Transition) bool { return component[t.From] == c && component[t.To] == c }
	cyclic := false
	for changed := true; changed; {
		changed = false
		for i := range s.Transitions {
			t := &s.Transitions[i]
			if !inside(t) {
				continue
			}
			cyclic = true
			for v, f := range t.Update {
				w, single := f.IsVariable()
				if flag[v] && !f.IsConstant() && !(single && int(w) < n && flag[w]) {
					flag[v], changed = false, true
				}
			}
		}
	}
	if !cyclic {
		return nil
	}
	values := make([][]linear.Number, n)
	add := func(v linear.Var, k linear.Number) {
		if !slices.ContainsFunc(values[v], k.Equal) {
			values[v] = append(values[v], k)
		}
	}
	for i := range s.Transitions {
		t := &s.Transitions[i]
		if component[t.From] != c {
			continue
		}
		for _, g := range t.Guard {
			if len(g.Form.Terms) != 1 || int(g.Form.Terms[0].Var) >= n || !flag[g.Form.Terms[0].Var] {
				continue
			}
			// k·v + b >= 0 cuts at -b/k.
			v, k := g.Form.Terms[0].Var, g.Form.Terms[0].Coef
			b := g.Form.Const.Neg().Div(k)
			if g.Equality || k.Sign() > 0 {
				add(v, b.Ceil())
			}
			if g.Equality || k.Sign() < 0 {
				add(v, b.Floor().Add(linear.Int(1)))
			}
		}
	}
	// A flag that gets another's value is compared with what that is.
	for changed := true; changed; {
		changed = false
		for i := range s.Transitions {
			t := &s.Transitions[i]
			if !inside(t) {
				continue
			}
			for v, f := range t.Update {
				if w, single := f.IsVariable(); single && flag[v] && int(w) < n {
					for _, k := range values[v] {
						if !slices.ContainsFunc(values[w], k.Equal) {
							values[w], changed = append(values[w], k), true
						}
					}
				}
			}
		}
	}
	for v, ks := range values {
		if len(ks) > 0 && len(ks) < maxCells {
			slices.SortFunc(ks, linear.Number.Cmp)
			out = append(out, cut{linear.Var(v), ks})
		}
	}
	return out
}

// cellsOf are the combinations of ranges at a location that its invariant allows.
func (p *prepared) cellsOf(ctx context.Context, l int, cuts []cut, live []bool) [][]linear.Constraint {
	cells := [][]linear.Constraint{nil}
	flags := 0
	for _, c := range cuts {
		if !live[c.flag] || flags == maxFlags {
			continue
		}
		var next [][]linear.Constraint
		for _, cell := range cells {
			for i := range len(c.from) + 1 {
				more := slices.Clone(cell)
				v := linear.Variable(c.flag)
				if i > 0 {
					more = append(more, linear.AtLeast(v, linear.Constant(c.from[i-1])))
				}
				if i < len(c.from) {
					more = append(more, linear.Less(v, linear.Constant(c.from[i])))
				}
				if !p.at[l].Meet(ctx, more...).IsEmpty() {
					next = append(next, more)
				}
			}
		}
		if len(next) > maxCells {
			continue
		}
		cells = next
		flags++
	}
	if len(cells) == 0 { // the location is not reached
		return [][]linear.Constraint{nil}
	}
	return cells
}

// liveVariables says, by location, of which variables the value may matter there.
func liveVariables(s *its.System) [][]bool {
	n := linear.Var(len(s.Variables))
	live := make([][]bool, len(s.Locations))
	for l := range live {
		live[l] = make([]bool, n)
	}
	for changed := true; changed; {
		changed = false
		for i := range s.Transitions {
			t := &s.Transitions[i]
			mark := func(f linear.Form) {
				for _, m := range f.Terms {
					if m.Var < n && !live[t.From][m.Var] {
						live[t.From][m.Var], changed = true, true
					}
				}
			}
			for _, c := range t.Guard {
				mark(c.Form)
			}
			for _, q := range t.Products {
				mark(q.A)
				mark(q.B)
			}
			mark(t.Cost)
			for v, f := range t.Update {
				if live[t.To][v] {
					mark(f)
				}
			}
		}
	}
	return live
}
