package ranking

import (
	"fmt"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// This file changes the system when a component has no argument, in this order:
//
//   - nested ranking functions are allowed;
//   - supporting invariants are looked for (strengthen.go);
//   - locations of the component are split by the transition that has led there,
//     so that invariants tell the phases of a loop apart;
//   - a location is split by a condition and its negation. Conditions that stay true
//     once they are true come first: they separate a component into one where they
//     hold for ever and one where they never held, which is the case split of
//     conditional termination [BLNRR17, Sec. 3]. Of all candidates, one is taken
//     after which something more is proved;
//   - loops before the component are split by the transition that has led to their heads: it
//     may be that no run gets to the component. In products with automata that is frequent: a
//     loop of Accepts stands for what must not be reached.
//
// The new locations are nodes of the argument at the same location of the
// original system.

// refine changes the prover's system such that an open component may have an
// argument now; false if it has no idea any more.
func (p *prover) refine(open []Open) bool {
	if p.ctx.Err() != nil {
		return false
	}
	if p.depth < p.options.MaxNested {
		p.depth = p.options.MaxNested
		return true
	}
	if p.strengthen(open) {
		return true
	}
	if p.stats.Splits >= p.options.MaxSplits {
		return false
	}
	if p.splitByTransition(open) {
		p.stats.Splits++
		p.analyse()
		return true
	}
	if p.splitByCondition(open) {
		return true
	}
	if p.splitUpstream(open) {
		p.stats.Splits++
		p.analyse()
		return true
	}
	return false
}

// maxCopies bounds the locations that one split makes.
const maxCopies = 16

// splitByTransition splits, once, the locations of open components by their
// incoming transitions.
func (p *prover) splitByTransition(open []Open) bool {
	incoming := map[its.Location]int{}
	for _, o := range open {
		for _, i := range o.Transitions {
			incoming[o.System.Transitions[i].To]++
		}
	}
	split := false
	for l := range its.Location(len(p.nodes)) {
		k := incoming[l]
		if k == 0 || p.nodes[l].split || k > maxCopies {
			continue
		}
		p.nodes[l].split = true
		inside := map[string]bool{}
		for _, o := range open {
			for _, i := range o.Transitions {
				if t := &o.System.Transitions[i]; t.To == l {
					inside[fmt.Sprint(t.From, t.Path)] = true
				}
			}
		}
		p.copyByTransition(l, func(t *its.Transition) bool { return inside[fmt.Sprint(t.From, t.Path)] })
		split = true
	}
	return split
}

// splitUpstream splits, once, the heads of loops that lead to open components by their incoming
// transitions.
func (p *prover) splitUpstream(open []Open) bool {
	before := make([]bool, len(p.nodes)) // it leads to an open component
	inside := make([]bool, len(p.nodes))
	for _, o := range open {
		for _, i := range o.Transitions {
			t := &o.System.Transitions[i]
			before[t.From], inside[t.From] = true, true
		}
	}
	for again := true; again; {
		again = false
		for i := range p.s.Transitions {
			if t := &p.s.Transitions[i]; before[t.To] && !before[t.From] {
				before[t.From], again = true, true
			}
		}
	}
	component, _ := p.s.Components()
	looping := make([]bool, len(p.nodes))
	incoming := make([]int, len(p.nodes))
	for i := range p.s.Transitions {
		t := &p.s.Transitions[i]
		incoming[t.To]++
		looping[t.To] = looping[t.To] || component[t.From] == component[t.To]
	}
	split := false
	for l := range its.Location(len(p.nodes)) {
		if k := incoming[l]; before[l] && !inside[l] && looping[l] && !p.nodes[l].split && k > 1 && k <= maxCopies && len(p.s.Transitions) < maxTransitions {
			p.nodes[l].split = true
			p.copyByTransition(l, func(*its.Transition) bool { return true })
			split = true
		}
	}
	return split
}

// maxTransitions is a number of transitions above which no more are copied.
const maxTransitions = 300

// copyByTransition makes a copy of l for every transition into it for which own
// is true; the others keep leading to l.
func (p *prover) copyByTransition(l its.Location, own func(*its.Transition) bool) {
	var copies []its.Location
	for i := range p.s.Transitions {
		t := &p.s.Transitions[i]
		if t.To == l && own(t) {
			c := p.addNode(l, nil)
			copies = append(copies, c)
			t.To = c
		}
	}
	for _, t := range slices.Clone(p.s.Transitions) {
		if t.From != l {
			continue
		}
		for _, c := range copies {
			u := t
			u.From = c
			p.s.Transitions = append(p.s.Transitions, u)
		}
	}
}

// addNode adds a location like l, with a larger region.
func (p *prover) addNode(l its.Location, region []linear.Constraint) its.Location {
	n := p.nodes[l]
	n.region = append(slices.Clone(n.region), region...)
	p.nodes = append(p.nodes, n)
	return p.s.AddLocation(p.s.Locations[l] + "'")
}

// splitByCondition tries conditions until something more is proved.
func (p *prover) splitByCondition(open []Open) bool {
	before := measure(open)
	var best *prover
	least := before
	for _, c := range p.candidates(open) {
		if p.ctx.Err() != nil {
			return false
		}
		q := p.clone()
		q.splitLocations(c.at, c.c)
		q.analyse()
		m := measure(q.components())
		p.stats.Programs, p.stats.Pivots = q.stats.Programs, q.stats.Pivots
		if q.ctx.Err() != nil {
			return false
		}
		if m < least {
			best, least = q, m
			if m == 0 || best != nil && m*2 < before {
				break
			}
		}
	}
	if best == nil {
		return false
	}
	stats := p.stats
	*p = *best
	p.stats = stats
	p.stats.Splits++
	return true
}

// measure counts the transitions of the original paths that are still open: a
// path that is open in several copies counts a little more than one that is so in
// one.
func measure(open []Open) int {
	paths := map[string]int{}
	for _, o := range open {
		for _, i := range o.Transitions {
			paths[fmt.Sprint(o.System.Transitions[i].Path)]++
		}
	}
	m := 0
	for _, k := range paths {
		m += 100 + k
	}
	return m
}

func (p *prover) clone() *prover {
	q := *p
	q.s = p.s.Clone()
	q.nodes = slices.Clone(p.nodes)
	q.known = slices.Clone(p.known)
	q.relevant = slices.Clone(p.relevant)
	return &q
}

// splitLocations replaces each of the locations by one where c holds and one
// where it does not.
func (p *prover) splitLocations(at []its.Location, c linear.Constraint) {
	not := c.Negate()
	for _, l := range at {
		m := p.addNode(l, []linear.Constraint{not})
		p.nodes[l].region = append(slices.Clone(p.nodes[l].region), c)
		var out []its.Transition
		for _, t := range p.s.Transitions {
			froms := []its.Transition{t}
			if t.From == l {
				u := t
				u.From = m
				u.Guard = append(slices.Clone(t.Guard), not)
				t.Guard = append(slices.Clone(t.Guard), c)
				froms = []its.Transition{t, u}
			}
			for _, t := range froms {
				if t.To != l {
					out = append(out, t)
					continue
				}
				after := func(c linear.Constraint) linear.Constraint {
					return linear.Constraint{Form: c.Form.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true })}.Tighten()
				}
				u := t
				u.To = m
				u.Guard = append(slices.Clone(t.Guard), after(not))
				t.Guard = append(slices.Clone(t.Guard), after(c))
				out = append(out, t, u)
			}
		}
		p.s.Transitions = out
	}
}

// candidate is a condition and the locations to split by it.
type candidate struct {
	c      linear.Constraint
	at     []its.Location
	stable bool
}

const maxCandidates = 60

// candidates are conditions that are neither true nor false at the locations of
// an open component: its guards, the signs of what its steps add to guards, and
// signs of variables.
func (p *prover) candidates(open []Open) []candidate {
	n := linear.Var(len(p.s.Variables))
	var out []candidate
	for _, o := range open {
		var forms []linear.Form
		add := func(f linear.Form) {
			c := linear.Constraint{Form: f}.Tighten()
			if len(c.Form.Terms) == 0 || c.Form.MaxVar() >= n || len(forms) >= maxCandidates ||
				slices.ContainsFunc(forms, c.Form.Equal) || slices.ContainsFunc(forms, c.Negate().Form.Equal) {
				return
			}
			forms = append(forms, c.Form)
		}
		at := map[its.Location]bool{}
		var inside []*its.Transition
		for _, i := range o.Transitions {
			t := &o.System.Transitions[i]
			inside = append(inside, t)
			at[t.From] = true
		}
		for _, t := range inside {
			for _, c := range t.Guard {
				for _, f := range c.Inequalities() {
					add(f)
				}
			}
		}
		for _, t := range inside {
			for _, c := range t.Guard {
				if c.Form.MaxVar() >= n {
					continue
				}
				// How much a step changes the guard.
				d := c.Form.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true }).Sub(c.Form)
				add(d)
				add(d.Plus(linear.Int(-1)))
			}
			for v, u := range t.Update {
				d := u.Sub(linear.Variable(linear.Var(v)))
				add(d)
				add(d.Plus(linear.Int(-1)))
			}
		}
		for _, v := range p.relevant {
			add(linear.Variable(v))
			add(linear.Variable(v).Plus(linear.Int(-1)))
		}
		// All nodes of the same original locations are split, so that what leads
		// to the component is kept apart, too.
		origins := map[its.Location]bool{}
		for l := range at {
			origins[p.nodes[l].origin] = true
		}
		var locations []its.Location
		for l := range its.Location(len(p.nodes)) {
			if origins[p.nodes[l].origin] && l != p.s.Initial {
				locations = append(locations, l)
			}
		}
		for _, f := range forms {
			c := linear.Constraint{Form: f}
			var undecided []its.Location
			for _, l := range locations {
				if inv := p.nodes[l].inv; !inv.Entails(p.ctx, c) && !inv.Entails(p.ctx, c.Negate()) {
					undecided = append(undecided, l)
				}
			}
			if !slices.ContainsFunc(undecided, func(l its.Location) bool { return at[l] }) {
				continue
			}
			out = append(out, candidate{c, undecided, p.stable(inside, c) || p.stable(inside, c.Negate())})
		}
	}
	slices.SortStableFunc(out, func(a, b candidate) int {
		switch {
		case a.stable == b.stable:
			return 0
		case a.stable:
			return -1
		}
		return 1
	})
	if len(out) > maxCandidates {
		out = out[:maxCandidates]
	}
	return out
}

// stable says whether no transition makes c false once it is true.
func (p *prover) stable(transitions []*its.Transition, c linear.Constraint) bool {
	for _, t := range transitions {
		after := linear.Constraint{Form: c.Form.Substitute(func(v linear.Var) (linear.Form, bool) { return t.Update[v], true })}
		inv := p.nodes[t.From].inv.Meet(p.ctx, append(slices.Clone(t.Guard), c)...)
		if !inv.Entails(p.ctx, after) {
			return false
		}
	}
	return true
}
