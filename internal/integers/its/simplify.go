// This file simplifies a system without changing whether it fair-terminates:
//
//   - transitions whose guard has no rational point are dropped, and at the
//     beginning those that are on no path from the initial location to a fair cycle;
//   - variables that influence no guard are frozen (they keep their value);
//   - locations without a loop of their own are chained away: each incoming
//     transition is composed with each outgoing one [FG17 calls it chaining].
//
// Locations keep their numbers. A transition of the result knows, by Path and
// Inputs, the steps of the original that it stands for, so runs can be mapped
// back; the locations that are kept are cutpoints of the original.
//
// Chaining multiplies guards: it stops where the number of transitions would
// grow by more than Options.Growth.
package its

import (
	"context"
	"slices"

	"assay/internal/logic/linear"
)

// Options of simplification. The zero value is not useful; see DefaultOptions.
type Options struct {
	// Growth is by how many transitions one chaining step may enlarge the system.
	Growth int
	// Limit is a number of transitions above which no step may enlarge it.
	Limit int
	// KeepCosts keeps the costs of transitions and the variables they depend on;
	// without it costs are dropped.
	KeepCosts bool
	// KeepCycleless keeps what leads to no fair cycle.
	KeepCycleless bool
	// KeepDuplicates keeps transitions that do the same as others: together the paths of the
	// result then are all that are possible.
	KeepDuplicates bool
}

// DefaultOptions are those for termination.
var DefaultOptions = Options{Growth: 6, Limit: 150}

// Simplify returns a simplified copy, and which locations it has kept: every
// cycle of the original system that is reachable, and fair or connected to a fair
// one, goes through one of these, unless a single transition of it is infeasible.
// If the context ends, the copy is less simple.
func Simplify(ctx context.Context, s *System, o Options) (simple *System, kept []bool) {
	s = s.Clone()
	for i, t := range s.Transitions {
		if !o.KeepCosts {
			t.Cost = linear.Constant(linear.Int(1))
		}
		s.Transitions[i] = s.Normalize(t)
	}
	if !o.KeepDuplicates {
		s.dropDuplicates()
	}
	s.dropInfeasible(ctx, 0)
	s.startWithoutIncoming()
	s.dropUseless(o)
	c := chaining{s: s, o: o, loop: make([]bool, len(s.Locations)), gone: make([]bool, len(s.Locations))}
	for ctx.Err() == nil {
		frozen := s.freeze(o)
		if !c.one(ctx) && !frozen {
			break
		}
	}
	if !o.KeepDuplicates {
		s.dropDuplicates()
	}
	kept = make([]bool, len(s.Locations))
	for l := range kept {
		kept[l] = !c.gone[l]
	}
	for _, t := range s.Transitions {
		kept[t.From], kept[t.To] = true, true
	}
	return s, kept
}

// dropInfeasible drops transitions, from the given one on, whose guards have no
// rational point after tightening.
func (s *System) dropInfeasible(ctx context.Context, from int) {
	kept := s.Transitions[:from]
	for _, t := range s.Transitions[from:] {
		if len(t.Guard) == 1 && t.Guard[0].IsFalse() {
			continue
		}
		if len(t.Guard) > 1 {
			t.Guard = linear.Irredundant(ctx, t.Guard)
			if len(t.Guard) == 1 && t.Guard[0].IsFalse() {
				continue
			}
		}
		kept = append(kept, t)
	}
	s.Transitions = kept
}

// startWithoutIncoming makes sure that no transition enters the initial location,
// so that it can be told from what chaining removes. The new location has the
// old one's outgoing transitions.
func (s *System) startWithoutIncoming() {
	if !slices.ContainsFunc(s.Transitions, func(t Transition) bool { return t.To == s.Initial }) {
		return
	}
	start := s.AddLocation("start")
	for _, t := range s.Transitions {
		if t.From == s.Initial {
			t.From = start
			s.Transitions = append(s.Transitions, t)
		}
	}
	s.Initial = start
}

// dropUseless drops what is unreachable, or leads to no fair cycle.
func (s *System) dropUseless(o Options) {
	reached := s.Reachable()
	useful := make([]bool, len(s.Locations))
	if o.KeepCycleless {
		for l := range useful {
			useful[l] = true
		}
	} else {
		component, fair := s.Components()
		for l := range useful {
			useful[l] = fair[component[l]]
		}
		for again := true; again; {
			again = false
			for _, t := range s.Transitions {
				if useful[t.To] && !useful[t.From] {
					useful[t.From], again = true, true
				}
			}
		}
	}
	s.Transitions = slices.DeleteFunc(s.Transitions, func(t Transition) bool { return !reached[t.From] || !useful[t.To] })
}

// Relevant marks the variables that influence a guard, or one that is observed, directly or
// through updates of others, or with costs also a cost.
func (s *System) Relevant(costs bool, observed ...linear.Var) []bool {
	n := linear.Var(len(s.Variables))
	relevant := make([]bool, n)
	for _, v := range observed {
		relevant[v] = true
	}
	grew := true
	mark := func(f linear.Form, products []Product) {
		var visit func(f linear.Form)
		visit = func(f linear.Form) {
			for _, m := range f.Terms {
				if m.Var < n {
					if !relevant[m.Var] {
						relevant[m.Var], grew = true, true
					}
					continue
				}
				for _, p := range products {
					if p.Temp == m.Var {
						visit(p.A)
						visit(p.B)
					}
				}
			}
		}
		visit(f)
	}
	for grew {
		grew = false
		for _, t := range s.Transitions {
			for _, c := range t.Guard {
				mark(c.Form, t.Products)
			}
			if costs {
				mark(t.Cost, t.Products)
			}
			for v, u := range t.Update {
				if relevant[v] {
					mark(u, t.Products)
				}
			}
		}
	}
	return relevant
}

// freeze gives variables that matter nowhere the identity as update.
func (s *System) freeze(o Options) bool {
	relevant := s.Relevant(o.KeepCosts)
	changed := false
	for i, t := range s.Transitions {
		own := false
		for v, u := range t.Update {
			w, ok := u.IsVariable()
			if relevant[v] || ok && w == linear.Var(v) {
				continue
			}
			if !own {
				t.Update, own = slices.Clone(t.Update), true
			}
			t.Update[v] = linear.Variable(linear.Var(v))
		}
		if own {
			s.Transitions[i] = s.Normalize(t)
			changed = true
		}
	}
	return changed
}

// chaining eliminates locations.
type chaining struct {
	s *System
	o Options
	// loop: a cycle of the original has been contracted to a loop here, even if
	// that turned out to be infeasible; such locations stay.
	loop []bool
	gone []bool
}

// one chains away the location where that adds the fewest transitions, if the
// options allow it.
func (c *chaining) one(ctx context.Context) bool {
	s := c.s
	in := make([]int, len(s.Locations))
	out := make([]int, len(s.Locations))
	for _, t := range s.Transitions {
		in[t.To]++
		out[t.From]++
		if t.From == t.To {
			c.loop[t.From] = true
		}
	}
	best, least := Location(-1), 0
	for l := range s.Locations {
		if c.gone[l] || c.loop[l] || Location(l) == s.Initial {
			continue
		}
		growth := in[l]*out[l] - in[l] - out[l]
		if best < 0 || growth < least {
			best, least = Location(l), growth
		}
	}
	if best < 0 || least > 0 && (least > c.o.Growth || len(s.Transitions)+least > c.o.Limit) {
		return false
	}
	c.gone[best] = true
	c.eliminate(ctx, best)
	return true
}

func (c *chaining) eliminate(ctx context.Context, l Location) {
	s := c.s
	var incoming, outgoing, kept []Transition
	for _, t := range s.Transitions {
		switch {
		case t.To == l:
			incoming = append(incoming, t)
		case t.From == l:
			outgoing = append(outgoing, t)
		default:
			kept = append(kept, t)
		}
	}
	n := len(kept)
	for _, t := range incoming {
		for _, u := range outgoing {
			if t.From == u.To {
				c.loop[t.From] = true
			}
			kept = append(kept, s.Compose(t, u))
		}
	}
	s.Transitions = kept
	s.dropInfeasible(ctx, n)
}

// dropDuplicates drops transitions that do the same as an earlier one.
func (s *System) dropDuplicates() {
	var kept []Transition
	for _, t := range s.Transitions {
		if !slices.ContainsFunc(kept, func(u Transition) bool { return u.sameSteps(t) }) {
			kept = append(kept, t)
		}
	}
	s.Transitions = kept
}

func (t Transition) sameSteps(u Transition) bool {
	return t.From == u.From && t.To == u.To && t.Temps == u.Temps && t.Fair == u.Fair && t.Exact == u.Exact && t.Cost.Equal(u.Cost) &&
		slices.EqualFunc(t.Guard, u.Guard, linear.Constraint.Equal) &&
		slices.EqualFunc(t.Update, u.Update, linear.Form.Equal) &&
		slices.EqualFunc(t.Products, u.Products, func(p, q Product) bool { return p.Temp == q.Temp && p.A.Equal(q.A) && p.B.Equal(q.B) })
}
