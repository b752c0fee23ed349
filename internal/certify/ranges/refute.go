// Package ranges refutes conditions by intervals: it looks whether the comparisons with constants in a
// condition leave values for which the rest of it can hold. It knows no more, needs no solver, and its cost is
// linear in the condition most often. What proofs by intervals claim of a loop with a big body (a switch over the state
// of a protocol) is decided so at once, where a solver takes cases apart.
//
// # What is refuted
//
// A conjunction is refuted under assumptions if its comparisons with constants leave no value of
// some term, or one of its parts is refuted under the assumptions and these comparisons; a disjunction, if all of
// its parts are; a choice, if both branches are, each under what its condition says. Each other condition is refuted if
// the intervals of its arguments say that it is false; the interval of a term follows from those of its
// arguments (value.go) and from what is assumed of the term itself.
//
// # Soundness
//
//  1. A context holds intervals of terms; an assignment satisfies it if all these terms have values
//     in them. If an assignment satisfies a context, value contains the value of the term, and truth is
//     unknown or the value of the condition.
//  2. If an assignment satisfies a context and a conjunction, it satisfies the context that is made of both.
//  3. If a condition is refuted in a context, no assignment satisfies both.
//
// 1 holds by induction on terms, with each transfer function exhaustively tested; 2 since a comparison, with a constant
// or with a term that has an interval in the context, is true of no value outside of the interval that is taken; 3 follows.
// An interval without values means that no assignment satisfies its context.
//
// After a number of steps, and deep in terms, nothing more is known: the claim is left to the solvers.
//
// Equations are not assumed, except to see that no value is left: the states of a machine would
// each have intervals of their own for all terms, and cost would be the square of the program.
//
// The intervals are not those of the abstract interpretation whose claims are refuted (package absdomain), nor
// those with which terms are simplified (package term): what an engine and its checker share is
// where an error is not seen.
package ranges

import (
	"encoding/binary"
	"slices"

	"assay/internal/logic/term"
)

// Refuter refutes conditions that are terms of one store.
type Refuter struct {
	st       *term.Store
	root     *context
	none     bool // no assignment satisfies the facts
	contexts map[string]*context
	steps    int // that are left
	depth    int // of what is looked at now
}

// New is a refuter that takes a number of steps at most, one for each term in each context.
func New(st *term.Store, steps int) *Refuter {
	r := &Refuter{st: st, contexts: map[string]*context{}, steps: steps}
	r.root = r.contextOf(nil)
	return r
}

// Assume adds facts: conditions that hold in all that is asked after it.
func (r *Refuter) Assume(facts []term.ID) {
	var parts []literal
	for _, t := range facts {
		parts = append(parts, r.conjuncts(t, false)...)
	}
	root, possible := r.under(r.root, parts, false)
	r.root, r.none = root, r.none || !possible
}

// Refuted says whether no assignment satisfies a condition and the facts. That it says no means nothing.
func (r *Refuter) Refuted(condition term.ID) bool {
	return r.none || r.refuted(r.root, condition, false)
}

// maxDepth is how deep in terms it is looked: recursion needs a stack.
const maxDepth = 20_000

// enter takes a step, if one is left. Without steps nothing is known. It is left again in each case.
func (r *Refuter) enter() bool {
	r.steps--
	r.depth++
	return r.steps > 0 && r.depth < maxDepth
}

func (r *Refuter) leave() { r.depth-- }

// refuted says whether no assignment satisfies the context and a condition, or its negation.
func (r *Refuter) refuted(c *context, t term.ID, negated bool) bool {
	for r.st.Op(t) == term.OpNot {
		t, negated = r.st.Arg(t, 0), !negated
	}
	sign := 0
	if negated {
		sign = 1
	}
	answer, ok := c.refuted[sign][t]
	if !ok {
		answer = r.search(c, t, negated)
		c.refuted[sign][t] = answer
	}
	return answer
}

func (r *Refuter) search(c *context, t term.ID, negated bool) bool {
	defer r.leave()
	if !r.enter() {
		return false
	}
	switch v := r.truth(c, t); {
	case v == yes:
		return negated
	case v == no:
		return !negated
	}
	st := r.st
	switch op := st.Op(t); {
	case op == term.OpAnd && !negated, op == term.OpOr && negated:
		parts := r.conjuncts(t, negated)
		for _, onlyVariables := range []bool{true, false} {
			inner, possible := r.under(c, parts, onlyVariables)
			if !possible || onlyVariables && r.exhausted(inner, parts) {
				return true
			}
			if !onlyVariables && inner == c {
				break
			}
			c = inner
			if slices.ContainsFunc(parts, func(x literal) bool { return r.refuted(c, x.t, x.negated) }) {
				return true
			}
		}
		return false
	case op == term.OpOr, op == term.OpAnd:
		return r.refuted(c, st.Arg(t, 0), negated) && r.refuted(c, st.Arg(t, 1), negated)
	case op == term.OpIte:
		for i, otherwise := range []bool{false, true} {
			inner, possible := r.under(c, r.conjuncts(st.Arg(t, 0), otherwise), true)
			if possible && !r.refuted(inner, st.Arg(t, i+1), negated) {
				return false
			}
		}
		return true
	}
	return false
}

// literal is a condition or its negation.
type literal struct {
	t       term.ID
	negated bool
}

// conjuncts are the conditions of which one, or its negation, is a conjunction.
func (r *Refuter) conjuncts(t term.ID, negated bool) (parts []literal) {
	st := r.st
	seen := map[literal]bool{}
	stack := []literal{{t, negated}}
	for len(stack) > 0 {
		x := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for st.Op(x.t) == term.OpNot {
			x = literal{st.Arg(x.t, 0), !x.negated}
		}
		if seen[x] {
			continue
		}
		seen[x] = true
		if op := st.Op(x.t); (op == term.OpAnd && !x.negated || op == term.OpOr && x.negated) && r.steps > 0 {
			r.steps--
			stack = append(stack, literal{st.Arg(x.t, 1), x.negated}, literal{st.Arg(x.t, 0), x.negated})
			continue
		}
		parts = append(parts, x)
	}
	return parts
}

// under is a context with the comparisons among some conditions; if it is not possible, no assignment satisfies all.
// The second time, what the first one found of a number bounds those with which it is compared. What is compared may be
// variables only: contexts are fewer then, and what is known of terms is found once.
func (r *Refuter) under(c *context, parts []literal, onlyVariables bool) (inner *context, possible bool) {
	inner = c
	for range 2 {
		before := inner
		if inner, possible = r.compared(before, parts, onlyVariables); inner == before || !possible {
			break
		}
	}
	for t := range inner.bounds {
		possible = possible && !r.value(inner, t).empty()
	}
	return inner, possible
}

func (r *Refuter) compared(c *context, parts []literal, onlyVariables bool) (inner *context, possible bool) {
	st := r.st
	var bounds map[term.ID]interval
	possible = true
	for _, x := range parts {
		switch st.Op(x.t) {
		case term.OpULt, term.OpULe, term.OpSLt, term.OpSLe:
		default:
			continue
		}
		for i := range 2 {
			t := st.Arg(x.t, i)
			if !r.hasInterval(t) || st.IsConst(t) || onlyVariables && st.Op(t) != term.OpVar {
				continue
			}
			b, ok := r.bound(c, x.t, x.negated, t)
			if !ok {
				continue
			}
			old, ok := bounds[t]
			if !ok {
				if old, ok = c.bounds[t]; !ok {
					old = all(st.Width(t))
				}
			}
			y := old.meet(b, st.Width(t))
			if y == old {
				continue
			}
			if bounds == nil {
				bounds = map[term.ID]interval{}
			}
			bounds[t] = y
			possible = possible && !y.empty()
		}
	}
	if bounds == nil || !possible {
		return c, possible
	}
	r.steps -= len(c.bounds)
	for t, y := range c.bounds {
		if _, ok := bounds[t]; !ok {
			bounds[t] = y
		}
	}
	return r.contextOf(bounds), true
}

// bound is what a comparison with another number, or its negation, says of a term that is an operand of it.
func (r *Refuter) bound(c *context, comparison term.ID, negated bool, t term.ID) (x interval, ok bool) {
	st := r.st
	for st.Op(comparison) == term.OpNot {
		comparison, negated = st.Arg(comparison, 0), !negated
	}
	op := st.Op(comparison)
	switch op {
	case term.OpULt, term.OpULe, term.OpSLt, term.OpSLe:
	default:
		return x, false
	}
	left := st.Arg(comparison, 0) == t
	if !left && st.Arg(comparison, 1) != t {
		return x, false
	}
	other, isBound := r.shallow(c, st.Arg(comparison, 0))
	if left {
		other, isBound = r.shallow(c, st.Arg(comparison, 1))
	}
	if !isBound || other.empty() {
		return x, false
	}
	width := st.Width(t)
	strictly := (op == term.OpULt || op == term.OpSLt) != negated // not a < b is b <= a
	below := left != negated
	x = all(width)
	none := interval{lo: 1}
	if op == term.OpSLt || op == term.OpSLe {
		switch {
		case below && strictly && other.most == x.least, !below && strictly && other.least == x.most:
			return none, true
		case below && strictly:
			return within(x.least, other.most-1, width), true
		case below:
			return within(x.least, other.most, width), true
		case strictly:
			return within(other.least+1, x.most, width), true
		}
		return within(other.least, x.most, width), true
	}
	switch {
	case below && strictly && other.hi == 0, !below && strictly && other.lo == x.hi:
		return none, true
	case below && strictly:
		return between(0, other.hi-1, width), true
	case below:
		return between(0, other.hi, width), true
	case strictly:
		return between(other.lo+1, x.hi, width), true
	}
	return between(other.lo, x.hi, width), true
}

// shallow is the interval of a constant, or of a term about which there is an assumption.
func (r *Refuter) shallow(c *context, t term.ID) (x interval, ok bool) {
	if v, ok := r.st.ConstUint64(t); ok {
		return constant(v, r.st.Width(t)), true
	}
	x, ok = c.bounds[t]
	return x, ok
}

// exhausted says whether equations and inequations with constants among some conditions leave no value of a term.
func (r *Refuter) exhausted(c *context, parts []literal) bool {
	st := r.st
	excluded := map[term.ID][]uint64{}
	left := map[term.ID]interval{}
	var order []term.ID
	for _, x := range parts {
		if st.Op(x.t) != term.OpEq {
			continue
		}
		for i := range 2 {
			t := st.Arg(x.t, i)
			v, ok := st.ConstUint64(st.Arg(x.t, 1-i))
			if !ok || !r.hasInterval(t) || st.IsConst(t) {
				continue
			}
			if _, ok := left[t]; !ok {
				order = append(order, t)
				left[t] = r.value(c, t)
			}
			if x.negated {
				excluded[t] = append(excluded[t], v)
			} else {
				left[t] = left[t].meet(constant(v, st.Width(t)), st.Width(t))
			}
		}
	}
	for _, t := range order {
		vs, y, width := excluded[t], left[t], st.Width(t)
		slices.Sort(vs)
		for _, v := range vs {
			y = y.without(v, width)
		}
		for _, v := range slices.Backward(vs) {
			y = y.without(v, width)
		}
		if y.empty() {
			return true
		}
	}
	return false
}

// contextOf is the context with some intervals.
func (r *Refuter) contextOf(bounds map[term.ID]interval) *context {
	terms := make([]term.ID, 0, len(bounds))
	for t := range bounds {
		terms = append(terms, t)
	}
	slices.Sort(terms)
	var key []byte
	for _, t := range terms {
		x := bounds[t]
		for _, v := range []uint64{uint64(t), x.lo, x.hi, uint64(x.least), uint64(x.most)} {
			key = binary.LittleEndian.AppendUint64(key, v)
		}
	}
	c := r.contexts[string(key)]
	if c == nil {
		c = &context{bounds: bounds, values: map[term.ID]interval{}, truths: map[term.ID]truth{}}
		c.refuted = [2]map[term.ID]bool{{}, {}}
		r.contexts[string(key)] = c
	}
	return c
}
