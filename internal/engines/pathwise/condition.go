package pathwise

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math/bits"
	"slices"

	"assay/internal/logic/absdomain"
	"assay/internal/logic/bv"
	"assay/internal/logic/floats/ondemand"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/run/work"
)

// This file decides whether a path condition can hold. It is asked at every branch, so that the
// common cases must cost nothing [KLEE08, §3.3]:
//
//	(Q1) Parts of a condition that share no variables are independent: a new part is asked about
//	     together with those that share variables with it, at once or through others.
//	(Q2) Of a variable of at most 8 bits that only parts about it alone constrain, the set of
//	     its values is known. Parsers look at one byte at a time, and are decided by this.
//	(Q3) A path has a model. Of two sides of a branch it satisfies one, which is not asked about.
//	(Q4) What the solver was asked about is remembered up to the names of variables: paths that do the
//	     same make choices of their own. Facts about addresses are parts, too, so a name is all that is asked.
//
// An answer "no" is exact: it is no with all parts. A "yes" may be wrong where facts about addresses
// are not stated (package memory states them where models break them); then a path is followed
// that no run takes.

// set is a set of values of at most 8 bits.
type set [4]uint64

func (s *set) has(i uint64) bool { return s[i>>6]>>(i&63)&1 != 0 }
func (s *set) empty() bool       { return s[0]|s[1]|s[2]|s[3] == 0 }

func (s *set) and(t *set) *set {
	r := *s
	for i := range r {
		r[i] &= t[i]
	}
	return &r
}

// first is the least element.
func (s *set) first() uint64 {
	for i, w := range s {
		if w != 0 {
			return uint64(64*i + bits.TrailingZeros64(w))
		}
	}
	return 0
}

// limits are the least and the greatest element.
func (s *set) limits() (lo, hi uint64) {
	for i := 3; i >= 0; i-- {
		if s[i] != 0 {
			return s.first(), uint64(64*i + bits.Len64(s[i]) - 1)
		}
	}
	return 0, 0
}

// part is a conjunct, with what is known of it.
type part struct {
	t term.ID
	// vars are the variables, as numbers of the conditions, ascending.
	vars []int32
	// values are those of the variable, if there is one of at most 8 bits.
	values *set
	// function is the part as one of vars; nil if there are arrays, or too many terms.
	function *term.Function
	arity    int
}

// answer is one of the solver: values of variables, by their canonical names, if there is a model.
type answer struct {
	feasible bool
	values   map[term.ID]bv.BV
}

// variable is a variable, or an element of an array variable at a constant index, which is one as
// long as the array is read nowhere else.
type variable struct {
	t     term.ID
	width uint32 // 0 for arrays
	array int32  // of an element, -1 for others
}

// conditions are the parts of all path conditions.
type conditions struct {
	st    *term.Store
	vars  []variable
	of    map[term.ID]int32
	parts map[term.ID]*part
	facts map[int32][]*part // by variable
	known map[term.ID]bool  // facts
	// answers are those of the solver, by the canonical names of the parts that it was asked about: paths have
	// much in common (Q4).
	answers map[string]answer
	canon   *term.Store
	make    func() smt.Solver
	s       smt.Solver
	asked   int
	// registers are for one evaluation after the other.
	registers term.Registers
	Stats     struct{ Queries, Solved int }
}

func newConditions(st *term.Store) *conditions {
	return &conditions{st: st, of: map[term.ID]int32{}, parts: map[term.ID]*part{}, facts: map[int32][]*part{}, known: map[term.ID]bool{}, answers: map[string]answer{}, canon: term.NewPlainStore(), make: func() smt.Solver {
		return ondemand.NewSolver(st, func(lower func(*term.Store, term.ID) term.ID) smt.Solver {
			return bitblast.New(st, bitblast.Options{Lower: lower})
		})
	}}
}

func (c *conditions) close() {
	if c.s != nil {
		c.s.Close()
	}
}

// number is the number of a variable.
func (c *conditions) number(t term.ID, width uint32, array int32) int32 {
	n, ok := c.of[t]
	if !ok {
		n = int32(len(c.vars))
		c.of[t] = n
		c.vars = append(c.vars, variable{t, width, array})
	}
	return n
}

// part is what is known of a conjunct.
func (c *conditions) part(t term.ID) *part {
	if p, ok := c.parts[t]; ok {
		return p
	}
	p := &part{t: t}
	c.parts[t] = p
	// The variables: constant elements of arrays are looked at as a whole.
	seen := map[term.ID]bool{}
	stack := []term.ID{t}
	found := map[int32]bool{}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[x] {
			continue
		}
		seen[x] = true
		p.arity++
		switch op := c.st.Op(x); {
		case op == term.OpVar:
			w := c.st.Width(x)
			switch c.st.Sort(x).Kind {
			case term.SortArray:
				w = 0
			case term.SortBool:
				w = 1
			}
			n := c.number(x, w, -1)
			found[n] = true
		case op == term.OpSelect && c.st.Op(c.st.Arg(x, 0)) == term.OpVar && c.st.IsConst(c.st.Arg(x, 1)):
			a := c.number(c.st.Arg(x, 0), 0, -1)
			n := c.number(x, c.st.Width(x), a)
			found[n] = true
		default:
			for i := range c.st.NumArgs(x) {
				stack = append(stack, c.st.Arg(x, i))
			}
		}
	}
	for n := range found {
		p.vars = append(p.vars, n)
	}
	slices.Sort(p.vars)
	for _, n := range p.vars {
		if c.vars[n].width == 0 { // an array
			return p
		}
	}
	if p.arity > maxEvaluated {
		return p
	}
	arguments := make([]term.ID, len(p.vars))
	for i, n := range p.vars {
		arguments[i] = c.vars[n].t
	}
	p.function, _ = c.st.Function(t, arguments, 2*maxEvaluated)
	if p.function == nil {
		return p
	}
	if len(p.vars) == 1 && c.vars[p.vars[0]].width <= 8 && c.st.Sort(t).Kind == term.SortBool {
		p.values = &set{}
		for i := uint64(0); i < 1<<c.vars[p.vars[0]].width; i++ {
			v := bv.New(c.vars[p.vars[0]].width, i)
			if c.holds(p, func(int32) bv.BV { return v }) {
				p.values[i>>6] |= 1 << (i & 63)
			}
		}
	}
	return p
}

// maxEvaluated bounds the terms of a part that is evaluated under models.
const maxEvaluated = 400

// holds evaluates a part, which must be a function.
func (c *conditions) holds(p *part, value func(n int32) bv.BV) bool {
	return c.evaluate(p, value).IsTrue()
}

func (c *conditions) evaluate(p *part, value func(n int32) bv.BV) bv.BV {
	return p.function.Value(&c.registers, func(i int) bv.BV { return value(p.vars[i]) })
}

// model gives values to variables, by number; width 0 is no value, which stands for 0. A path knows few of the
// variables of all paths: models are in pages, nil where there are no values, and share those that they do not change.
type model []*page

type page [64]bv.BV

func (m model) value(c *conditions, n int32) bv.BV {
	if i := int(n >> 6); i < len(m) && m[i] != nil && m[i][n&63].Width() > 0 {
		return m[i][n&63]
	}
	return bv.New(c.vars[n].width, 0)
}

// with is the model with another value of a variable.
func (m model) with(n int32, v bv.BV) model { return slices.Clone(m).set(m, n, v) }

// set sets a value in a clone of old, whose pages stay as they are.
func (m model) set(old model, n int32, v bv.BV) model {
	i := int(n >> 6)
	for i >= len(m) {
		m = append(m, nil)
	}
	switch {
	case m[i] == nil:
		m[i] = new(page)
	case i < len(old) && m[i] == old[i]:
		p := *m[i]
		m[i] = &p
	}
	m[i][n&63] = v
	return m
}

// condition is a path condition: a list of parts and what follows.
type condition struct {
	parent   *condition
	feasible bool
	// parts are all conjuncts; domains the values of variables of at most 8 bits that some
	// part is about alone.
	parts   []*part
	domains map[int32]*set
	// shared are the variables of parts about several, wide the arrays that are read at indices that
	// are not constant.
	shared map[int32]bool
	wide   map[int32]bool
	model  model
	exact  bool // the model satisfies all parts
}

// of is the condition of a guard.
func (c *conditions) at(ctx context.Context, g *ssa.Guard) *condition {
	if x, ok := g.Note.(*condition); ok {
		return x
	}
	// Guards are made one after the other; a chain without notes may be long.
	var chain []*ssa.Guard
	top := g
	for ; top != nil && top.Note == nil; top = top.Parent() {
		chain = append(chain, top)
	}
	var x *condition
	if top != nil {
		x = top.Note.(*condition)
	} else {
		x = &condition{feasible: true, exact: true}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		x = c.with(ctx, x, chain[i].Cond())
		chain[i].Note = x
	}
	return x
}

// conjuncts lists the conjuncts of a term.
func (c *conditions) conjuncts(t term.ID, list []term.ID) []term.ID {
	if c.st.Op(t) == term.OpAnd {
		return c.conjuncts(c.st.Arg(t, 1), c.conjuncts(c.st.Arg(t, 0), list))
	}
	return append(list, t)
}

// with is a condition and another term. The result is feasible if it may hold.
func (c *conditions) with(ctx context.Context, x *condition, t term.ID) *condition {
	if !x.feasible || c.st.IsTrue(t) {
		return x
	}
	y := &condition{parent: x, feasible: true, parts: x.parts[:len(x.parts):len(x.parts)], domains: x.domains, shared: x.shared, wide: x.wide, model: x.model, exact: x.exact}
	if c.st.IsFalse(t) {
		y.feasible = false
		return y
	}
	c.Stats.Queries++
	// Copies of what is known of the path are the work, where no solver is asked.
	work.Charge(ctx, work.Solve+int64(len(y.parts)+len(y.shared)+len(y.domains)+len(y.model))/16)
	var open []*part
	ownDomains, ownShared, ownWide := false, false, false
	for _, k := range c.conjuncts(t, nil) {
		p := c.part(k)
		if slices.Contains(y.parts, p) {
			continue
		}
		y.parts = append(y.parts, p)
		if p.values != nil {
			if !ownDomains {
				y.domains, ownDomains = cloneMap(y.domains), true
			}
			n := p.vars[0]
			d := p.values
			if old := y.domains[n]; old != nil {
				d = old.and(p.values)
			}
			if d.empty() {
				y.feasible = false
				return y
			}
			y.domains[n] = d
			if y.shared[n] || c.vars[n].array >= 0 && y.wide[c.vars[n].array] {
				open = append(open, p)
			} else if !d.has(y.model.value(c, n).Uint64()) {
				y.model = y.model.with(n, bv.New(c.vars[n].width, d.first()))
			}
			continue
		}
		if !ownShared {
			y.shared, ownShared = cloneMap(y.shared), true
		}
		for _, n := range p.vars {
			y.shared[n] = true
			if c.vars[n].width == 0 {
				if !ownWide {
					y.wide, ownWide = cloneMap(y.wide), true
				}
				y.wide[n] = true
			}
		}
		open = append(open, p)
	}
	if open, y.feasible = c.bounded(y, open); len(open) == 0 || !y.feasible {
		return y
	}
	if y.exact {
		all := true
		for _, p := range open {
			if p.function == nil || len(c.factsAbout(p)) > 0 || !c.holds(p, func(n int32) bv.BV { return y.model.value(c, n) }) {
				all = false
				break
			}
		}
		if all {
			return y
		}
	}
	if !c.repair(y, open) {
		c.solve(ctx, y, open)
	}
	return y
}

// tries is the number of values that repair tries.
const tries = 12

// repair looks for a model that differs from the last in one byte: the one that a part is about, which the
// branch at hand tests. It says whether it has found one.
func (c *conditions) repair(y *condition, open []*part) bool {
	if len(open) != 1 || open[0].values == nil || !y.exact {
		return false
	}
	n := open[0].vars[0]
	parts, vars := c.related(y, open)
	for _, p := range parts {
		if p.function == nil {
			return false
		}
	}
	for v := range vars {
		if len(c.facts[v]) > 0 {
			return false
		}
	}
	d, tried := y.domains[n], 0
	for i := uint64(0); i < 256 && tried < tries; i++ {
		if !d.has(i) {
			continue
		}
		tried++
		m := y.model.with(n, bv.New(c.vars[n].width, i))
		if !slices.ContainsFunc(parts, func(p *part) bool { return !c.holds(p, func(k int32) bv.BV { return m.value(c, k) }) }) {
			y.model = m
			return true
		}
	}
	return false
}

// bounded drops the parts that hold wherever the bytes are between their least and their greatest values;
// it is false if one holds nowhere there.
func (c *conditions) bounded(y *condition, open []*part) (left []*part, feasible bool) {
	box := absdomain.NewBox(c.st, func(t term.ID) (absdomain.Int, bool) {
		n, ok := c.of[t]
		if !ok || y.domains[n] == nil {
			return absdomain.Int{}, false
		}
		lo, hi := y.domains[n].limits()
		return absdomain.Range(c.vars[n].width, lo, hi), true
	})
	for _, p := range open {
		if p.values != nil || p.arity > maxEvaluated {
			left = append(left, p)
			continue
		}
		switch v, known := box.Value(p.t).Value(); {
		case known && v == 0:
			return nil, false
		case !known:
			left = append(left, p)
		}
	}
	return left, true
}

func (c *conditions) factsAbout(p *part) []*part {
	for _, n := range p.vars {
		if f := c.facts[n]; len(f) > 0 {
			return f
		}
	}
	return nil
}

func cloneMap[K comparable, V any](m map[K]V) map[K]V {
	r := make(map[K]V, len(m)+1)
	for k, v := range m {
		r[k] = v
	}
	return r
}

// state says that a fact about addresses holds on all paths.
func (c *conditions) state(t term.ID) {
	if c.known[t] {
		return
	}
	c.known[t] = true
	p := c.part(t)
	for _, n := range p.vars {
		c.facts[n] = append(c.facts[n], p)
	}
}

// related lists the parts that share variables with the open ones, through others, too (Q1), and
// their variables.
func (c *conditions) related(y *condition, open []*part) (parts []*part, vars map[int32]bool) {
	vars = map[int32]bool{}
	in := map[*part]bool{}
	touch := func(p *part) bool {
		for _, n := range p.vars {
			if vars[n] {
				return true
			}
			if a := c.vars[n].array; a >= 0 && vars[a] {
				return true
			}
		}
		return false
	}
	add := func(p *part) {
		in[p] = true
		parts = append(parts, p)
		for _, n := range p.vars {
			vars[n] = true
			if a := c.vars[n].array; a >= 0 && y.wide[a] {
				vars[a] = true
			}
		}
	}
	for _, p := range open {
		if !in[p] {
			add(p)
		}
	}
	for again := true; again; {
		again = false
		for _, p := range y.parts {
			if !in[p] && touch(p) {
				add(p)
				again = true
			}
		}
		var more []*part
		for _, n := range slices.Sorted(maps.Keys(vars)) {
			for _, p := range c.facts[n] {
				if !in[p] {
					more = append(more, p)
				}
			}
		}
		for _, p := range more {
			if !in[p] {
				add(p)
				again = true
			}
		}
	}
	return parts, vars
}

// Limits of the solver.
const (
	askedOfOne     = 200    // questions to one solver, which has all terms of earlier ones
	queryConflicts = 50_000 // of a question; beyond it a path is followed
)

// solve asks the solver about the parts related to the open ones.
func (c *conditions) solve(ctx context.Context, y *condition, open []*part) {
	parts, vars := c.related(y, open)
	name, image := c.canonical(parts)
	if a, ok := c.answers[name]; ok {
		y.take(c, vars, a, image)
		return
	}
	c.Stats.Solved++
	if c.s != nil && c.asked >= askedOfOne {
		c.s.Close()
		c.s = nil
	}
	if c.s == nil {
		c.s, c.asked = c.make(), 0
		c.s.SetConflictLimit(queryConflicts)
	}
	c.asked++
	assumptions := make([]term.ID, len(parts))
	for i, p := range parts {
		assumptions[i] = p.t
	}
	status, err := c.s.Check(ctx, assumptions...)
	switch {
	case err != nil || status == smt.Unknown:
		y.exact = false
		if _, limit := err.(smt.ErrLimit); !limit { // the solver may be of no more use
			c.s.Close()
			c.s = nil
		}
	default:
		a := answer{feasible: status == smt.Sat, values: map[term.ID]bv.BV{}}
		for n := range vars {
			if a.feasible && c.vars[n].width > 0 {
				a.values[image(c.vars[n].t)] = c.s.Value(c.vars[n].t)
			}
		}
		c.answers[name] = a
		y.take(c, vars, a, image)
	}
}

// canonical names a list of parts such that lists have one name which differ only in the names of
// variables, in the order in which these come up. image takes terms over these variables there.
func (c *conditions) canonical(parts []*part) (name string, image func(t term.ID) term.ID) {
	names := map[term.ID]term.ID{}
	image = func(t term.ID) term.ID {
		return c.canon.Copy(c.st, t, func(v term.ID) term.ID {
			x, ok := names[v]
			if !ok {
				x = c.canon.Var(fmt.Sprintf("%d!%s", len(names), c.st.Sort(v)), c.st.Sort(v))
				names[v] = x
			}
			return x
		})
	}
	b := make([]byte, 0, 4*len(parts))
	for _, p := range parts {
		b = binary.LittleEndian.AppendUint32(b, uint32(image(p.t)))
	}
	return string(b), image
}

// take takes over an answer about the parts with these variables.
func (y *condition) take(c *conditions, vars map[int32]bool, a answer, image func(t term.ID) term.ID) {
	if !a.feasible {
		y.feasible = false
		return
	}
	m := slices.Clone(y.model)
	for n := range vars {
		if c.vars[n].width == 0 {
			y.exact = false // elements that nobody asked for have values, too
			continue
		}
		m = m.set(y.model, n, a.values[image(c.vars[n].t)])
	}
	y.model = m
}

// values lists the values that a term can have under a condition, if there are at most n.
func (c *conditions) values(ctx context.Context, x *condition, t term.ID, n int) (list []bv.BV, all bool) {
	for ctx.Err() == nil {
		// A model of the condition, with t in it, gives a value.
		v, ok := c.valueOf(ctx, x, t)
		if !ok {
			return list, x != nil && !x.feasible
		}
		if len(list) == n {
			return list, false
		}
		list = append(list, v)
		x = c.with(ctx, x, c.st.Not(c.st.Eq(t, c.st.Const(v))))
		if !x.feasible {
			return list, true
		}
	}
	return list, false
}

// valueOf is a value of a term under a condition.
func (c *conditions) valueOf(ctx context.Context, x *condition, t term.ID) (v bv.BV, ok bool) {
	if c.st.IsConst(t) {
		return c.st.ConstValue(t), true
	}
	p := c.part(t)
	if p.function != nil && x.exact {
		return c.evaluate(p, func(n int32) bv.BV { return x.model.value(c, n) }), true
	}
	parts, _ := c.related(x, []*part{p})
	if c.s != nil {
		c.s.Close()
	}
	c.s, c.asked = c.make(), 0
	c.s.SetConflictLimit(queryConflicts)
	var assumptions []term.ID
	for _, q := range parts {
		if q != p {
			assumptions = append(assumptions, q.t)
		}
	}
	// The solver must have seen t to give its value.
	status, err := c.s.Check(ctx, append(assumptions, c.st.Eq(t, t))...)
	if err != nil || status != smt.Sat {
		return bv.BV{}, false
	}
	return c.s.Value(t), true
}
