package itscheck

import (
	"context"

	"assay/internal/integers/its"
	"assay/internal/logic/linear"
)

// Ranking checks that the argument proves that the system fair-terminates. nil
// means yes; an *its.Rejected says why not, other errors that it could not be decided.
//
// The nodes' locations are cutpoints. For every path of transitions between two
// of them (and from the initial location, with any state, to one) whose conditions
// are satisfiable: the state behind it is in the region of a node there at which the
// rank has decreased. Paths without cutpoint must end, except where no fair
// cycle can be reached. A run that takes fair transitions infinitely often would
// decrease the rank infinitely often, which is well-founded. Regions and ranks may be about products of variables
// (monomials.go).
func Ranking(ctx context.Context, s *its.System, a its.RankingArgument) error {
	if err := s.Check(); err != nil {
		return err
	}
	q, err := newQuery(ctx, s)
	if err != nil {
		return err
	}
	defer q.close()
	m, err := newMonomials(q, s, a.Monomials)
	if err != nil {
		return err
	}
	known := linear.Var(len(s.Variables) + len(a.Monomials))
	c := &rankingChecker{q: q, s: s, monomials: m, at: make([][]*its.RankNode, len(s.Locations)), onPath: make([]int, len(s.Locations))}
	for i := range a.Nodes {
		n := &a.Nodes[i]
		if n.Location < 0 || int(n.Location) >= len(s.Locations) {
			return reject("a node at a location that does not exist")
		}
		for _, r := range n.Region {
			if r.Form.MaxVar() >= known {
				return reject("a region over unknown variables")
			}
		}
		for _, l := range n.Rank {
			for _, f := range l {
				if !f.IsIntegral() || f.MaxVar() >= known {
					return reject("a rank that is not integral over the variables")
				}
			}
		}
		c.at[n.Location] = append(c.at[n.Location], n)
	}
	if err := c.prune(); err != nil {
		return err
	}
	// From the initial location, in any state.
	q.push()
	if err := c.explore(nil, s.Initial, m.arbitrary(), nil, false); err != nil {
		return err
	}
	q.pop()
	for i := range a.Nodes {
		n := &a.Nodes[i]
		if len(c.out[n.Location]) == 0 {
			continue
		}
		q.push()
		e := m.arbitrary()
		q.assert(constraints(n.Region, e))
		if err := c.explore(n, n.Location, e, e, false); err != nil {
			return err
		}
		q.pop()
	}
	return nil
}

type rankingChecker struct {
	q         *query
	s         *its.System
	monomials *monomials
	at        [][]*its.RankNode // by location
	out       [][]int           // by location: transitions that matter
	onPath    []int             // by location: how often the path is there
}

// prune keeps the transitions that are satisfiable on their own and lie on a
// path from the initial location to a cycle with a fair transition.
func (c *rankingChecker) prune() error {
	var kept []int
	for i := range c.s.Transitions {
		c.q.push()
		c.q.step(&c.s.Transitions[i], c.q.arbitrary())
		no, err := c.q.refuted("true")
		c.q.pop()
		if err != nil {
			return err
		}
		if !no {
			kept = append(kept, i)
		}
	}
	n := len(c.s.Locations)
	successors := make([][]int, n)
	for _, i := range kept {
		t := &c.s.Transitions[i]
		successors[t.From] = append(successors[t.From], int(t.To))
	}
	reach := make([][]bool, n) // reach[l][m]: a path from l to m
	for l := range reach {
		reach[l] = closure(successors, l)
	}
	useful := make([]bool, n) // a fair cycle can be reached
	for _, i := range kept {
		t := &c.s.Transitions[i]
		if t.Fair && reach[t.To][t.From] {
			for l := range useful {
				useful[l] = useful[l] || reach[l][t.From]
			}
		}
	}
	c.out = make([][]int, n)
	for _, i := range kept {
		t := &c.s.Transitions[i]
		if reach[c.s.Initial][t.From] && useful[t.To] {
			c.out[t.From] = append(c.out[t.From], i)
		}
	}
	return nil
}

// closure marks what can be reached from l, which is always.
func closure(successors [][]int, l int) []bool {
	seen := make([]bool, len(successors))
	seen[l] = true
	work := []int{l}
	for len(work) > 0 {
		m := work[len(work)-1]
		work = work[:len(work)-1]
		for _, k := range successors[m] {
			if !seen[k] {
				seen[k] = true
				work = append(work, k)
			}
		}
	}
	return seen
}

// maxVisits is how often a path without cutpoint may be at a location. Such a path exists where a
// round is possible, but not whole from where a second one would begin.
const maxVisits = 3

// explore follows all paths from location l, where the values are e, to the next
// cutpoint. start is the node where they began with the values first, nil at the
// beginning of the run.
func (c *rankingChecker) explore(start *its.RankNode, l its.Location, e, first environment, fair bool) error {
	c.onPath[l]++
	defer func() { c.onPath[l]-- }()
	for _, i := range c.out[l] {
		t := &c.s.Transitions[i]
		c.q.push()
		next := c.monomials.step(t, e)
		no, err := c.q.refuted("true")
		if err != nil {
			return err
		}
		if !no {
			switch {
			case c.at[t.To] != nil:
				err = c.arrive(start, t.To, next, first, fair || t.Fair)
			case c.onPath[t.To] == maxVisits:
				err = reject("a cycle through %s has no cutpoint", c.s.Locations[t.To])
			default:
				err = c.explore(start, t.To, next, first, fair || t.Fair)
			}
			if err != nil {
				return err
			}
		}
		c.q.pop()
	}
	return nil
}

// arrive checks a path that ends at a cutpoint.
func (c *rankingChecker) arrive(start *its.RankNode, l its.Location, e, first environment, fair bool) error {
	regions := make([]string, len(c.at[l]))
	for i, n := range c.at[l] {
		regions[i] = constraints(n.Region, e)
	}
	ok, err := c.q.refuted("(not " + disjunction(regions) + ")")
	if err != nil {
		return err
	}
	if !ok {
		return reject("a path from %s arrives at %s outside of its invariant", c.describe(start), c.s.Locations[l])
	}
	if start == nil {
		return nil
	}
	// Some node there has the state in its region and a smaller rank: the run is
	// then said to be at that node.
	cases := make([]string, len(c.at[l]))
	for i, n := range c.at[l] {
		cases[i] = "(and " + regions[i] + " " + decreases(start.Rank, n.Rank, first, e, fair) + ")"
	}
	ok, err = c.q.refuted("(not " + disjunction(cases) + ")")
	if err != nil {
		return err
	}
	if !ok {
		return reject("the rank does not decrease on a path from %s to %s", c.describe(start), c.s.Locations[l])
	}
	return nil
}

func (c *rankingChecker) describe(n *its.RankNode) string {
	if n == nil {
		return "the start"
	}
	return c.s.Locations[n.Location]
}

// decreases is the formula of the lexicographic order.
func decreases(from, to []its.Level, x, y environment, fair bool) string {
	var cases, before []string
	for i := range max(len(from), len(to)) {
		a, b := level(from, i), level(to, i)
		depth := max(len(a), len(b))
		var decrease, stay []string
		for k := range depth {
			fx, fy := term(component(a, k), x), term(component(b, k), y)
			stay = append(stay, "(<= "+fy+" "+fx+")")
			if k == 0 {
				decrease = append(decrease, "(<= (+ 1 "+fy+") "+fx+")")
			} else {
				decrease = append(decrease, "(<= (+ 1 "+fy+") (+ "+fx+" "+term(component(a, k-1), x)+"))")
			}
		}
		if depth > 0 {
			decrease = append(decrease, "(<= 0 "+term(component(a, depth-1), x)+")")
			cases = append(cases, conjunction(append(before[:len(before):len(before)], decrease...)))
		}
		before = append(before, stay...)
	}
	if !fair {
		cases = append(cases, conjunction(before))
	}
	return disjunction(cases)
}

func level(ls []its.Level, i int) its.Level {
	if i < len(ls) {
		return ls[i]
	}
	return nil
}

func component(l its.Level, k int) linear.Form {
	if k < len(l) {
		return l[k]
	}
	return linear.Form{}
}
