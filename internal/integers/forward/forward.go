// Package forward computes invariants of integer transition systems: a forward
// analysis with convex polyhedra [CousotHalbwachs78], component by component, with
// delayed widening at the heads of loops and two descending rounds.
//
// Invariants: (1) after stabilize, no transition leaves the polyhedra of its
// component; (2) descending rounds only replace a polyhedron by one that includes
// all images, so (1) stays true of reachable states.
package forward

import (
	"context"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/logic/polyhedra"
)

// delay is how many joins a loop head sees before widening.
const delay = 3

// maxPairs bounds the pairs of variables that are followed as octagons.
const maxPairs = 40

// Invariants are a polyhedron for each location that holds whenever a run is there,
// Empty where no run gets. initial holds at the start. When the context ends before
// the analysis does, everything is possible everywhere.
//
// They are about variables on which guards depend from there on, and those that are observed.
func Invariants(ctx context.Context, s *its.System, initial polyhedra.Polyhedron, observed ...linear.Var) []polyhedra.Polyhedron {
	a := &analysis{ctx: ctx, s: s, observed: observed, at: make([]polyhedra.Polyhedron, len(s.Locations))}
	for l := range a.at {
		a.at[l] = polyhedra.Empty()
	}
	a.at[s.Initial] = initial
	a.initial = initial
	a.liveness()
	a.prepare()
	component, _ := s.Components()
	order := make([]int, 0, len(s.Locations))
	for l := range s.Locations {
		order = append(order, l)
	}
	slices.SortStableFunc(order, func(x, y int) int { return component[y] - component[x] })
	for i := 0; i < len(order); {
		j := i
		for j < len(order) && component[order[j]] == component[order[i]] {
			j++
		}
		a.stabilize(order[i:j], component)
		i = j
	}
	if ctx.Err() != nil {
		return make([]polyhedra.Polyhedron, len(s.Locations))
	}
	return a.at
}

type analysis struct {
	ctx        context.Context
	s          *its.System
	initial    polyhedra.Polyhedron
	observed   []linear.Var
	at         []polyhedra.Polyhedron
	incoming   [][]int
	live       [][]bool // by location and variable: its value may matter from there on
	directions []linear.Form
	upTo       []linear.Constraint
}

func (a *analysis) prepare() {
	n := linear.Var(len(a.s.Variables))
	a.incoming = make([][]int, len(a.s.Locations))
	relevant := a.s.Relevant(false, a.observed...)
	pairs := map[[2]linear.Var]bool{}
	var vars []linear.Var
	for v, r := range relevant {
		if r {
			vars = append(vars, linear.Var(v))
		}
	}
	relate := func(f linear.Form) {
		if len(f.Terms) > 3 {
			return
		}
		for i, t := range f.Terms {
			for _, u := range f.Terms[i+1:] {
				if u.Var < n && relevant[t.Var] && relevant[u.Var] {
					pairs[[2]linear.Var{t.Var, u.Var}] = true
				}
			}
		}
	}
	for i, t := range a.s.Transitions {
		a.incoming[t.To] = append(a.incoming[t.To], i)
		for _, c := range t.Guard {
			relate(c.Form)
			if c.Form.MaxVar() < n {
				a.thresholds(c)
			}
		}
		for v, u := range t.Update {
			if relevant[v] {
				relate(u.Sub(linear.Variable(linear.Var(v))))
			}
		}
	}
	var list [][2]linear.Var
	for p := range pairs {
		list = append(list, p)
	}
	slices.SortFunc(list, func(p, q [2]linear.Var) int { return slices.Compare(p[:], q[:]) })
	if len(list) > maxPairs {
		list = list[:maxPairs]
	}
	a.directions = polyhedra.Octagonal(vars, list)
}

// thresholds adds a guard, its negation, and what is left of both after a step
// that changes them by a constant.
func (a *analysis) thresholds(c linear.Constraint) {
	add := func(f linear.Form) {
		c := linear.Constraint{Form: f}.Tighten()
		if len(c.Form.Terms) > 0 && !slices.ContainsFunc(a.upTo, c.Equal) {
			a.upTo = append(a.upTo, c)
		}
	}
	both := c.Inequalities()
	if !c.Equality {
		both = append(both, c.Negate().Form)
	}
	for _, f := range both {
		add(f)
		for _, t := range a.s.Transitions {
			d := f.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true }).Sub(f)
			if d.IsConstant() && d.Const.Sign() < 0 {
				add(f.Plus(d.Const.Neg()))
			}
		}
	}
}

// step is the image of the polyhedron before a transition, without what it says
// of variables that are not looked at any more.
func (a *analysis) step(t *its.Transition) polyhedra.Polyhedron {
	p := a.at[t.From].Image(a.ctx, len(a.s.Variables), t.Guard, t.Update)
	return p.Project(a.ctx, func(v linear.Var) bool { return !a.live[t.To][v] })
}

// liveness computes which variables are live: those in a guard of a transition
// that leaves, or in its update of one that is live where it leads.
func (a *analysis) liveness() {
	n := linear.Var(len(a.s.Variables))
	a.live = make([][]bool, len(a.s.Locations))
	for l := range a.live {
		a.live[l] = make([]bool, n)
		for _, v := range a.observed {
			a.live[l][v] = true
		}
	}
	grew := true
	for grew {
		grew = false
		for i := range a.s.Transitions {
			t := &a.s.Transitions[i]
			live := a.live[t.From]
			mark := func(f linear.Form) {
				for _, m := range f.Terms {
					if m.Var < n && !live[m.Var] {
						live[m.Var], grew = true, true
					}
				}
			}
			for _, c := range t.Guard {
				mark(c.Form)
			}
			for _, p := range t.Products {
				mark(p.A)
				mark(p.B)
			}
			for v, u := range t.Update {
				if a.live[t.To][v] {
					mark(u)
				}
			}
		}
	}
}

// stabilize computes a component.
func (a *analysis) stabilize(locations []int, component []int) {
	c := component[locations[0]]
	inside := func(t *its.Transition) bool { return component[t.From] == c && component[t.To] == c }
	order, heads := a.order(locations, inside)
	// What enters from outside does not change any more.
	entry := make(map[int]polyhedra.Polyhedron, len(locations))
	cyclic := false
	for _, l := range locations {
		p := a.at[l]
		for _, i := range a.incoming[l] {
			t := &a.s.Transitions[i]
			if inside(t) {
				cyclic = true
			} else {
				p = p.Join(a.ctx, a.step(t), a.directions)
			}
		}
		entry[l] = p
		a.at[l] = p
	}
	if !cyclic {
		return
	}
	visits := make(map[int]int, len(locations))
	dirty := make(map[int]bool, len(locations))
	for _, l := range locations {
		dirty[l] = !a.at[l].IsEmpty()
	}
	for changed := true; changed && a.ctx.Err() == nil; {
		changed = false
		for _, l := range order {
			if !dirty[l] {
				continue
			}
			dirty[l] = false
			for i := range a.s.Transitions {
				t := &a.s.Transitions[i]
				if int(t.From) != l || !inside(t) {
					continue
				}
				p := a.step(t)
				old := a.at[t.To]
				if p.Within(a.ctx, old) {
					continue
				}
				next := old.Join(a.ctx, p, a.directions)
				if heads[int(t.To)] {
					if visits[int(t.To)]++; visits[int(t.To)] > delay {
						next = old.Widen(a.ctx, next, a.upTo)
					}
				}
				a.at[t.To] = next
				dirty[int(t.To)] = true
				changed = true
			}
		}
	}
	for range 2 {
		for _, l := range order {
			p := entry[l]
			for _, i := range a.incoming[l] {
				if t := &a.s.Transitions[i]; inside(t) {
					p = p.Join(a.ctx, a.step(t), a.directions)
				}
			}
			if a.ctx.Err() != nil {
				return
			}
			a.at[l] = p
		}
	}
}

// order is a reverse postorder of the component and the targets of its
// retreating edges: every cycle has one of these.
func (a *analysis) order(locations []int, inside func(*its.Transition) bool) ([]int, map[int]bool) {
	state := map[int]int{}
	heads := map[int]bool{}
	var post []int
	var visit func(l int)
	visit = func(l int) {
		state[l] = 1
		for i := range a.s.Transitions {
			t := &a.s.Transitions[i]
			if int(t.From) != l || !inside(t) {
				continue
			}
			switch state[int(t.To)] {
			case 0:
				visit(int(t.To))
			case 1:
				heads[int(t.To)] = true
			}
		}
		state[l] = 2
		post = append(post, l)
	}
	// Begin where the component is entered.
	var entered, rest []int
	for _, l := range locations {
		if slices.ContainsFunc(a.incoming[l], func(i int) bool { return !inside(&a.s.Transitions[i]) }) {
			entered = append(entered, l)
		} else {
			rest = append(rest, l)
		}
	}
	for _, l := range append(entered, rest...) {
		if state[l] == 0 {
			visit(l)
		}
	}
	slices.Reverse(post)
	return post, heads
}
