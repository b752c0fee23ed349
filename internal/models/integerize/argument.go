package integerize

// Ranking arguments of the system in terms of the program: for each loop head a
// tuple of functions that goes down lexicographically with each iteration, and
// what holds there. They are candidates: their users check them on the
// bit-vectors.
//
// The levels of a node are the functions of its loop. A nested level f_1 … f_d
// becomes max(f_1, -1), …, max(f_{d-1}, -1), f_d: f_1 goes down as long as it is not
// negative and never up, then f_2 does, and so on [LeikeHeizmann15]. Several nodes
// of one head are cases of its functions. Values that a loop does not see, or does not
// change, add a constant to its functions and are left out.

import (
	"cmp"
	"math/big"
	"slices"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// LoopArgument is what the argument says of a loop.
type LoopArgument struct {
	Func *ir.Func
	Head ir.BlockID
	// Functions are tuples to try: the first is simpler, and may be wrong.
	Functions  [][]verdict.RankingFunction
	Predicates []invariant.Predicate // hold at the head
}

// Argument translates a ranking argument of the system. Of several contexts
// of a loop the first is taken; predicates are those that all of them have.
func (p *Program) Argument(a its.RankingArgument) []LoopArgument {
	type head struct {
		f *ir.Func
		b ir.BlockID
	}
	nodes := map[its.Location][]its.RankNode{}
	for _, n := range a.Nodes {
		nodes[n.Location] = append(nodes[n.Location], n)
	}
	found := map[head]int{}
	var out []LoopArgument
	for l := range p.Places {
		place := &p.Places[l]
		ns := nodes[its.Location(l)]
		if !place.Head {
			continue
		}
		if len(ns) == 0 {
			if ns = p.through(its.Location(l), nodes); len(ns) == 0 {
				continue
			}
			nodes[its.Location(l)] = ns
		}
		k := head{place.Func, place.Block}
		predicates := p.common(its.Location(l), ns)
		if i, ok := found[k]; ok {
			out[i].Predicates = slices.DeleteFunc(out[i].Predicates, func(x invariant.Predicate) bool {
				return !slices.ContainsFunc(predicates, func(y invariant.Predicate) bool { return samePredicate(x, y) })
			})
			continue
		}
		found[k] = len(out)
		fs := p.functions(its.Location(l), ns)
		tuples := [][]verdict.RankingFunction{apart(fs, 1), apart(fs, heavy)}
		if len(tuples[0]) == len(tuples[1]) {
			tuples = tuples[1:]
		}
		out = append(out, LoopArgument{place.Func, place.Block, tuples, predicates})
	}
	p.descents(out, nodes)
	return out
}

// through is the node that a head without one gets from where it leads to: chaining
// has left it out. Its rank is that of the next node, after the step.
func (p *Program) through(l its.Location, nodes map[its.Location][]its.RankNode) []its.RankNode {
	for i := range p.System.Transitions {
		tr := &p.System.Transitions[i]
		if tr.From != l || tr.To == l || len(nodes[tr.To]) != 1 {
			continue
		}
		n := its.RankNode{Location: l}
		for _, level := range nodes[tr.To][0].Rank {
			var at its.Level
			for _, f := range level {
				f = f.Substitute(func(v linear.Var) (linear.Form, bool) { return tr.Update[v], true })
				// Temporaries are anything; what they add is not known.
				at = append(at, linear.NewForm(f.Const, slices.DeleteFunc(slices.Clone(f.Terms), func(m linear.Term) bool { return int(m.Var) >= len(p.slots) })...))
			}
			n.Rank = append(n.Rank, at)
		}
		return []its.RankNode{n}
	}
	return nil
}

// samePredicate compares predicates of this package.
func samePredicate(x, y invariant.Predicate) bool {
	switch x := x.(type) {
	case invariant.Comparison:
		y, ok := y.(invariant.Comparison)
		return ok && sameComparison(x, y)
	case invariant.Guarded:
		y, ok := y.(invariant.Guarded)
		return ok && slices.EqualFunc(x.If, y.If, sameComparison) && samePredicate(x.Then, y.Then)
	}
	panic(invariant.Unexpected(x))
}

func sameComparison(x, y invariant.Comparison) bool {
	return x.Relation == y.Relation && x.Bound.Cmp(y.Bound) == 0 && x.Modulus == y.Modulus && slices.Equal(x.Terms, y.Terms)
}

// maxRegions bounds the regions of a location of which it is said that one of them holds,
// maxClauses the predicates that say so.
const (
	maxRegions = 3
	maxClauses = 32
)

// cases say that one of the regions of a location holds: for each choice of one predicate
// of each region, that one of the chosen ones does.
func (p *Program) cases(l its.Location, ns []its.RankNode) (out []invariant.Predicate) {
	var regions [][]invariant.Comparison
	for _, n := range ns {
		var ps []invariant.Comparison
		possible := true
		for _, c := range n.Region {
			if c.Form.IsConstant() && c.Form.Const.Sign() < 0 {
				possible = false
			}
			ps = append(ps, p.predicates(l, c)...)
		}
		if !possible {
			continue
		}
		if len(ps) == 0 {
			return nil // anything
		}
		if !slices.ContainsFunc(regions, func(qs []invariant.Comparison) bool { return includes(ps, qs) }) {
			regions = append(slices.DeleteFunc(regions, func(qs []invariant.Comparison) bool { return includes(qs, ps) }), ps)
		}
	}
	if len(regions) < 2 || len(regions) > maxRegions {
		return nil
	}
	choices := [][]invariant.Comparison{nil}
	for _, ps := range regions {
		var more [][]invariant.Comparison
		for _, c := range choices {
			for _, q := range ps {
				more = append(more, append(slices.Clone(c), q))
			}
		}
		if choices = more; len(choices) > maxClauses {
			return nil
		}
	}
	for _, c := range choices {
		last := c[len(c)-1]
		tautology := false
		var conditions []invariant.Comparison
		for _, q := range c[:len(c)-1] {
			// sum > bound
			not := invariant.Comparison{Relation: invariant.AtMost, Bound: new(big.Int).Not(q.Bound)}
			for _, t := range q.Terms {
				t.Coeff = -t.Coeff
				not.Terms = append(not.Terms, t)
			}
			conditions = append(conditions, not)
			tautology = tautology || sameComparison(not, last)
		}
		if !tautology {
			out = append(out, invariant.When(conditions, last))
		}
	}
	return out
}

// includes says whether each of some is among others.
func includes(others, some []invariant.Comparison) bool {
	return !slices.ContainsFunc(some, func(x invariant.Comparison) bool {
		return !slices.ContainsFunc(others, func(y invariant.Comparison) bool { return sameComparison(x, y) })
	})
}

// common are the predicates that hold in all nodes of a location.
func (p *Program) common(l its.Location, ns []its.RankNode) (out []invariant.Predicate) {
	for _, c := range ns[0].Region {
		all := true
		for _, n := range ns[1:] {
			all = all && slices.ContainsFunc(n.Region, c.Equal)
		}
		if all {
			for _, q := range p.predicates(l, c) {
				out = append(out, q)
			}
		}
	}
	return append(out, p.cases(l, ns)...)
}

// functions of a loop head, from the nodes of its location.
func (p *Program) functions(l its.Location, ns []its.RankNode) (out []verdict.RankingFunction) {
	// Regions may overlap. From every node that a state belongs to, a step leads to some
	// node with a smaller rank; so the least rank of a state goes down.
	ns = slices.Clone(ns)
	slices.SortStableFunc(ns, func(a, b its.RankNode) int {
		for i := range min(len(a.Rank), len(b.Rank)) {
			if len(a.Rank[i]) != 1 || len(b.Rank[i]) != 1 || !a.Rank[i][0].IsConstant() || !b.Rank[i][0].IsConstant() {
				return 0
			}
			if c := a.Rank[i][0].Const.Cmp(b.Rank[i][0].Const); c != 0 {
				return c
			}
		}
		return 0
	})
	levels := 0
	depth := []int{}
	for _, n := range ns {
		levels = max(levels, len(n.Rank))
		for i, level := range n.Rank {
			if i == len(depth) {
				depth = append(depth, 0)
			}
			depth[i] = max(depth[i], len(level))
		}
	}
	for i := range levels {
		for k := range depth[i] {
			var fn verdict.RankingFunction
			trivial := true
			for j, n := range ns {
				var when []invariant.Comparison
				if j < len(ns)-1 {
					for _, c := range n.Region {
						when = append(when, p.predicates(l, c)...)
					}
				}
				f := linear.Form{}
				last := true
				if i < len(n.Rank) && k < len(n.Rank[i]) {
					f = n.Rank[i][k]
					last = k == len(n.Rank[i])-1
				}
				terms, exact := p.sum(l, f)
				constant, small := f.Const.Int64()
				if !small || !exact && len(ns) > 1 {
					constant = 0
				}
				if !last && len(terms) > 0 && exact && small {
					// max(f, -1)
					below := invariant.Comparison{Terms: terms, Relation: invariant.AtMost, Bound: new(big.Int).Sub(big.NewInt(-1), big.NewInt(constant))}
					fn = append(fn, verdict.RankingCase{When: append(slices.Clone(when), below), Constant: -1})
				}
				fn = append(fn, verdict.RankingCase{When: when, Terms: terms, Constant: constant})
				trivial = trivial && len(terms) == 0 && (len(ns) == 1)
				if len(when) == 0 {
					break // whatever comes after is never reached
				}
			}
			if !trivial {
				out = append(out, fn)
			}
		}
	}
	return out
}

// heavy is a ratio of coefficients above which a sum is taken for a lexicographic
// tuple in disguise: x + (2^31-1)*y.
const heavy = 1 << 14

// apart takes sums apart where the ratio of two coefficients is greater than the one
// given, the greater ones first.
func apart(fs []verdict.RankingFunction, ratio int64) (out []verdict.RankingFunction) {
	size := func(t invariant.Term) int64 { return max(t.Coeff, -t.Coeff) }
	for _, fn := range fs {
		if len(fn) != 1 || len(fn[0].When) > 0 {
			out = append(out, fn)
			continue
		}
		terms := slices.Clone(fn[0].Terms)
		slices.SortStableFunc(terms, func(a, b invariant.Term) int { return cmp.Compare(size(b), size(a)) })
		for len(terms) > 0 {
			n := 1
			for n < len(terms) && size(terms[n]) >= size(terms[n-1])/ratio {
				n++
			}
			part := slices.Clone(terms[:n])
			if least := size(part[n-1]); ratio == 1 || n < len(terms) {
				for i := range part {
					part[i].Coeff = (part[i].Coeff + least/2*int64(cmp.Compare(part[i].Coeff, 0))) / least
				}
			}
			out = append(out, verdict.RankingFunction{{Terms: part}})
			terms = terms[n:]
		}
	}
	return out
}

// descents adds to the heads of inner loops that the functions of the loops around
// them are not greater than at the heads of those: the inner loop may change what
// the outer one counts.
func (p *Program) descents(arguments []LoopArgument, nodes map[its.Location][]its.RankNode) {
	for i := range arguments {
		inner := &arguments[i]
		at := p.locationOf(inner.Func, inner.Head)
		fr := p.frames[at].frame
		heads := fr.fn.wto.Heads[inner.Head]
		for _, h := range heads {
			if h == inner.Head {
				continue
			}
			out := p.locationOf(inner.Func, h)
			if out < 0 || len(nodes[out]) != 1 || len(nodes[at]) != 1 {
				continue
			}
			a, b := nodes[out][0].Rank, nodes[at][0].Rank
			for k := range min(len(a), len(b)) {
				if len(a[k]) != 1 || len(b[k]) != 1 {
					continue
				}
				now, exact1 := p.sum(at, b[k][0])
				before, exact2 := p.sum(out, a[k][0].Neg())
				if !exact1 || !exact2 || len(now) == 0 || len(before) == 0 || slices.ContainsFunc(before, func(t invariant.Term) bool { return t.Cell }) {
					continue
				}
				// now + c <= before + d
				bound := a[k][0].Const.Sub(b[k][0].Const)
				if bound.IsInt() {
					inner.Predicates = append(inner.Predicates, invariant.Comparison{Terms: mergeTerms(append(now, before...)), Relation: invariant.AtMost, Bound: bound.BigInt()})
				}
			}
		}
	}
	for i := range arguments {
		arguments[i].Predicates = slices.DeleteFunc(arguments[i].Predicates, func(x invariant.Predicate) bool {
			c, ok := x.(invariant.Comparison)
			return ok && len(c.Terms) == 0
		})
	}
}

// mergeTerms adds up terms of the same value.
func mergeTerms(ts []invariant.Term) (out []invariant.Term) {
	for _, t := range ts {
		i := slices.IndexFunc(out, func(o invariant.Term) bool {
			o.Coeff = t.Coeff
			return o == t
		})
		if i >= 0 {
			out[i].Coeff += t.Coeff
		} else {
			out = append(out, t)
		}
	}
	return slices.DeleteFunc(out, func(t invariant.Term) bool { return t.Coeff == 0 })
}

// locationOf is the first location of a block, or -1.
func (p *Program) locationOf(f *ir.Func, b ir.BlockID) its.Location {
	for l, place := range p.Places {
		if place.Func == f && place.Block == b && place.Index == 0 {
			return its.Location(l)
		}
	}
	return -1
}
