package symex

// The knowledge base of the path that is under way, and what it entails. The
// layers of a question, cheapest first:
//
//  1. a form without symbols; a form whose range follows from the ranges with
//     which its symbols were made;
//  2. a constraint with the same terms that has been asserted;
//  3. its value in one valuation that satisfies all that is asserted, which shows that
//     something is not entailed;
//  4. the bounds of the form by the simplex method, which are kept while the path
//     asserts nothing else.
//
// Nothing here is integer programming: a form with integer coefficients has an
// integer value, so its rational bounds are rounded, and that is all. What is not
// found to be entailed is split or generalised, which is sound.
//
// Paths are explored depth first, so one simplex serves all paths from a node: a
// fork pushes a level, its end pops it, and removes from the tableau what the level made:
// a node may have thousands of forks.

import (
	"context"

	"assay/internal/logic/linear"
)

// symbol is what a symbol was made with.
type symbol struct {
	low, high linear.Number
	open      bool // high is no bound, but greater than all that is not open
	counts    bool // it counts steps of a constant
}

// knowledge is the knowledge base.
type knowledge struct {
	x       *explorer
	simplex *linear.Simplex
	number  map[linear.Var]linear.Var // symbols as variables of the simplex
	met     []linear.Var              // these symbols, in the order of their variables
	facts   []linear.Constraint
	unequal []linear.Form // none is 0
	marks   []mark
	broken  int // the level, plus one, at which the path became impossible; 0 if it is possible
	cache   []cached
	stamp   uint32 // changes with each assertion
}

type mark struct {
	facts, unequal, met int
	vars                linear.Var
}

// cached is an answer: the least value of a form.
type cached struct {
	stamp uint32
	form  linear.Form
	least linear.Number
	known bool
}

const cacheSize = 256

func (x *explorer) newKnowledge(ctx context.Context, facts []linear.Constraint) *knowledge {
	k := &knowledge{x: x, simplex: linear.NewSimplex(ctx), number: map[linear.Var]linear.Var{}, cache: make([]cached, cacheSize), stamp: 1}
	for _, c := range facts {
		k.assert(c)
	}
	return k
}

// local is a form over the variables of the simplex.
func (k *knowledge) local(f linear.Form) linear.Form {
	return f.Rename(func(v linear.Var) linear.Var {
		n, ok := k.number[v]
		if !ok {
			n = k.simplex.NewVar()
			k.number[v] = n
			k.met = append(k.met, v)
			s := &k.x.symbols[v]
			k.limit(n, s)
		}
		return n
	})
}

func (k *knowledge) push() {
	k.simplex.Push()
	k.marks = append(k.marks, mark{len(k.facts), len(k.unequal), len(k.met), k.simplex.Vars()})
}

func (k *knowledge) pop() {
	m := k.marks[len(k.marks)-1]
	k.marks = k.marks[:len(k.marks)-1]
	k.simplex.Pop()
	k.facts, k.unequal = k.facts[:m.facts], k.unequal[:m.unequal]
	if k.broken > len(k.marks)+1 {
		k.broken = 0
	}
	k.stamp++
	for _, v := range k.met[m.met:] {
		delete(k.number, v)
	}
	k.met = k.met[:m.met]
	k.simplex.Drop(m.vars)
}

// limit gives a variable of the simplex the range of its symbol.
func (k *knowledge) limit(n linear.Var, s *symbol) {
	k.simplex.AssertLower(n, s.low, 0)
	if !s.open {
		k.simplex.AssertUpper(n, s.high, 0)
	}
}

// assert adds a constraint; false if the path is now known to be impossible.
func (k *knowledge) assert(c linear.Constraint) bool {
	c = c.Tighten()
	if c.IsTrue() {
		return k.broken == 0
	}
	if k.broken != 0 {
		return false
	}
	k.facts = append(k.facts, c)
	k.stamp++
	local := linear.Constraint{Form: k.local(c.Form), Equality: c.Equality}
	if !k.simplex.Assert(local, 0) || k.simplex.Check() == linear.Infeasible {
		k.broken = len(k.marks) + 1
		return false
	}
	for _, f := range k.unequal {
		if shares(f, c.Form) && !k.separate(f) {
			return false
		}
	}
	return true
}

func shares(f, g linear.Form) bool {
	for _, t := range f.Terms {
		if g.Has(t.Var) {
			return true
		}
	}
	return false
}

// assertNonzero adds f ≠ 0.
func (k *knowledge) assertNonzero(f linear.Form) bool {
	if f.IsConstant() {
		if f.Const.IsZero() {
			k.broken = len(k.marks) + 1
			return false
		}
		return k.broken == 0
	}
	k.unequal = append(k.unequal, f)
	return k.separate(f)
}

// separate asserts that f, which is not 0, is positive or negative, if it is
// known to be not negative or not positive.
func (k *knowledge) separate(f linear.Form) bool {
	one := linear.Int(1)
	low, high := k.low(f), k.high(f)
	switch {
	case low.Sign() > 0 || high.Sign() < 0:
		return k.broken == 0
	case low.IsZero():
		return k.assert(linear.Constraint{Form: f.Plus(one.Neg())})
	case high.IsZero():
		return k.assert(linear.Constraint{Form: f.Neg().Plus(one.Neg())})
	}
	return true
}

// rough is the least value of f by the ranges of its symbols alone.
func (k *knowledge) rough(f linear.Form) linear.Number {
	n := f.Const
	for _, t := range f.Terms {
		s := &k.x.symbols[t.Var]
		if t.Coef.Sign() > 0 {
			n = n.Add(t.Coef.Mul(s.low))
		} else {
			n = n.Add(t.Coef.Mul(s.high))
		}
	}
	return n
}

// low is a lower bound of f, which has integer coefficients: the best over the
// rationals, rounded up. On an impossible path any number is.
func (k *knowledge) low(f linear.Form) linear.Number {
	if f.IsConstant() {
		return f.Const
	}
	h := uint64(14695981039346656037)
	for _, t := range f.Terms {
		c, _ := t.Coef.Int64()
		h = (h ^ uint64(t.Var)) * 1099511628211
		h = (h ^ uint64(c)) * 1099511628211
	}
	e := &k.cache[(h^h>>32)%cacheSize]
	if e.known && e.stamp == k.stamp && e.form.SameTerms(f) {
		k.x.stats.CacheHits++
		return e.least.Add(f.Const)
	}
	k.x.stats.Simplex++
	n, st := k.simplex.Minimize(k.local(linear.Form{Terms: f.Terms}))
	switch st {
	case linear.Feasible:
		n = roundUp(n, f)
	default: // impossible paths are noticed elsewhere; a stopped one ends soon
		n = k.rough(linear.Form{Terms: f.Terms})
	}
	*e = cached{k.stamp, f, n, true}
	return n.Add(f.Const)
}

// sampled is an upper bound of low(f): what it would be if some valuation were where f is least. It is not ok if
// no valuation is known.
func (k *knowledge) sampled(f linear.Form) (n linear.Number, ok bool) {
	if f.IsConstant() {
		return f.Const, true
	}
	n, ok = k.simplex.Sample(k.local(linear.Form{Terms: f.Terms}))
	if !ok {
		return n, false
	}
	return roundUp(n, f).Add(f.Const), true
}

// roundUp gives the least value from n on that a form with the terms of f may have.
func roundUp(n linear.Number, f linear.Form) linear.Number {
	for _, t := range f.Terms {
		if t.Coef.Abs().IsOne() {
			return n.Ceil()
		}
	}
	by := f.Terms[0].Coef.Div(linear.Form{Terms: f.Terms}.Integral().Terms[0].Coef)
	return n.Div(by).Ceil().Mul(by)
}

// high is an upper bound of f.
func (k *knowledge) high(f linear.Form) linear.Number { return k.low(f.Neg()).Neg() }

// atLeast says whether f >= n is entailed.
func (k *knowledge) atLeast(f linear.Form, n linear.Number) bool {
	k.x.stats.Queries++
	if k.rough(f).Cmp(n) >= 0 {
		k.x.stats.Syntactic++
		return true
	}
	for _, c := range k.facts {
		if c.Form.SameTerms(f) && c.Form.Const.Add(n).Cmp(f.Const) <= 0 {
			k.x.stats.Syntactic++
			return true
		}
	}
	if most, ok := k.sampled(f); ok && most.Cmp(n) < 0 {
		return false
	}
	return k.low(f).Cmp(n) >= 0
}

// entails says whether c is sure to hold.
func (k *knowledge) entails(c linear.Constraint) bool {
	return k.atLeast(c.Form, linear.Number{}) && (!c.Equality || k.atLeast(c.Form.Neg(), linear.Number{}))
}

// nonzero says whether f is sure not to be 0.
func (k *knowledge) nonzero(f linear.Form) bool {
	if f.IsConstant() {
		return !f.Const.IsZero()
	}
	for _, g := range k.unequal {
		if g.Equal(f) || g.Equal(f.Neg()) {
			return true
		}
	}
	if k.positive(f) || k.positive(f.Neg()) {
		return true
	}
	for _, g := range k.unequal {
		if k.isZero(f.Sub(g)) || k.isZero(f.Add(g)) {
			return true
		}
	}
	return false
}

// positive says whether f, which is no constant, is sure to be greater than 0.
func (k *knowledge) positive(f linear.Form) bool {
	if most, ok := k.sampled(f); ok && most.Sign() <= 0 {
		return false
	}
	return k.low(f).Sign() > 0
}

// isZero says whether f is sure to be 0.
func (k *knowledge) isZero(f linear.Form) bool {
	if f.IsConstant() {
		return f.Const.IsZero()
	}
	return k.entails(linear.Constraint{Form: f, Equality: true})
}
