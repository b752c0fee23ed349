package refutation

import (
	"cmp"
	"slices"

	"assay/internal/integers/its"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
)

// This file enumerates loops and stems.

// loop is a closed path with its composition in the original system.
type loop struct {
	at     its.Location // of the simplified system
	path   []int        // of the original system
	t      its.Transition
	length int
	needed []bool
}

// Bounds of the enumeration.
const (
	maxLoops     = 150
	maxStems     = 12 // for a location
	maxStemPaths = 3000
)

// loops enumerates closed paths within the components, short ones first, without
// those that repeat a transition.
func (r *refuter) loops(components [][]int) []*loop {
	var out []*loop
	for _, c := range components {
		from := map[its.Location][]int{}
		for _, i := range c {
			if t := &r.simple.Transitions[i]; t.Exact {
				from[t.From] = append(from[t.From], i)
			}
		}
		found := 0
		var extend func(start its.Location, path []int, t its.Transition, want int)
		extend = func(start its.Location, path []int, t its.Transition, want int) {
			if found >= maxLoops || r.ctx.Err() != nil {
				return
			}
			if len(path) == want {
				if t.To == start && t.Fair {
					found++
					out = append(out, &loop{at: start, path: t.Path, length: want})
				}
				return
			}
			for _, i := range from[t.To] {
				u := r.simple.Transitions[i]
				// Each rotation once: a loop begins with its least transition. A
				// location in the middle may be entered by the stem as well, so this
				// loses stems that a longer one replaces.
				if i < path[0] || slices.Contains(path, i) {
					continue
				}
				v := r.simple.Compose(t, u)
				if len(v.Guard) == 1 && v.Guard[0].IsFalse() || !linear.IsFeasible(r.ctx, v.Guard) {
					continue
				}
				extend(start, append(path[:len(path):len(path)], i), v, want)
			}
		}
		for want := 1; want <= r.o.MaxLoop; want++ {
			for _, i := range c {
				if t := r.simple.Transitions[i]; t.Exact {
					extend(t.From, []int{i}, t, want)
				}
			}
		}
	}
	slices.SortStableFunc(out, func(a, b *loop) int { return cmp.Compare(a.length, b.length) })
	out = slices.DeleteFunc(out, func(l *loop) bool { return !r.exact(l.path) })
	for _, l := range out {
		l.t = r.compose(l.path)
		l.needed = needed(r.s, &l.t)
	}
	r.stats.Loops = len(out)
	return out
}

// findStems enumerates feasible paths from the initial location to the loops,
// breadth first; transitions may repeat.
func (r *refuter) findStems(loops []*loop) {
	r.stems = map[its.Location][]its.Transition{}
	wanted := map[its.Location]bool{}
	for _, l := range loops {
		wanted[l.at] = true
	}
	missing := func() bool {
		for l := range wanted {
			if len(r.stems[l]) < maxStems {
				return true
			}
		}
		return false
	}
	// Accelerated loops come last: they are for where single rounds do not get.
	transitions := append(slices.Clone(r.simple.Transitions), r.accelerate()...)
	from := make([][]int, len(r.simple.Locations))
	for i, t := range transitions {
		from[t.From] = append(from[t.From], i)
	}
	start := its.Transition{From: r.simple.Initial, To: r.simple.Initial, Update: r.simple.Identity(), Exact: true}
	layer := []its.Transition{start}
	paths := 0
	for depth := 0; depth <= r.o.MaxStem && len(layer) > 0 && missing() && r.ctx.Err() == nil; depth++ {
		var next []its.Transition
		for _, t := range layer {
			if wanted[t.To] && len(r.stems[t.To]) < maxStems {
				r.stems[t.To] = append(r.stems[t.To], t)
				r.stats.Stems++
			}
			for _, i := range from[t.To] {
				u := transitions[i]
				if paths++; paths > maxStemPaths || !u.Exact || sameLoop(&t, &u) {
					continue
				}
				v := r.simple.Compose(t, u)
				if len(v.Guard) == 1 && v.Guard[0].IsFalse() || !linear.IsFeasible(r.ctx, v.Guard) {
					continue
				}
				next = append(next, v)
			}
		}
		layer = next
	}
}

// sameLoop says whether the path t ends with the accelerated loop u: once is enough.
func sameLoop(t, u *its.Transition) bool {
	return u.Path[0] < 0 && len(t.Path) > 0 && t.Path[len(t.Path)-1] == u.Path[0]
}

// reach solves the stems to a loop together with what is required of the state
// that they reach: extra constraints over variables from first on, which
// are the state (by variable) and then more unknowns; count is their number.
// It returns the stem and the values of the unknowns.
func (r *refuter) reach(l *loop, count int, extra []linear.Constraint, extraProducts func(linear.Var) []product) (stem its.Stem, values []linear.Number, found bool) {
	n := linear.Var(len(r.s.Variables))
	for _, s := range r.stems[l.at] {
		if r.ctx.Err() != nil {
			return
		}
		var t its.Transition
		if len(s.Path) == 0 {
			t = its.Transition{Update: r.s.Identity()}
		} else {
			if !r.exact(s.Path) {
				continue
			}
			t = r.compose(s.Path)
		}
		first := n + linear.Var(t.Temps)
		cs := slices.Clone(t.Guard)
		shift := func(f linear.Form) linear.Form {
			return f.Rename(func(v linear.Var) linear.Var { return v + first })
		}
		for v := range n {
			if l.needed[v] {
				cs = append(cs, linear.Equals(linear.Variable(first+v), t.Update[v]))
			}
		}
		for _, c := range extra {
			cs = append(cs, linear.Constraint{Form: shift(c.Form), Equality: c.Equality})
		}
		ps := products(&t, func(f linear.Form) linear.Form { return f })
		if extraProducts != nil {
			for _, p := range extraProducts(first) {
				ps = append(ps, p)
			}
		}
		status, model, err := r.z.Solve(r.ctx, conjunction.Query{Variables: int(first) + count, Constraints: cs, Products: ps})
		if err != nil || status != sat {
			continue
		}
		for _, m := range model[first:] {
			values = append(values, linear.FromBigInt(m))
		}
		if stem, found = r.stemEvidence(&t, model[:first]); found {
			return stem, values, true
		}
		values = nil
	}
	return
}
