package ctl

import (
	"fmt"
	"strings"
)

// This file has CTL*: below A and E stand path formulas of linear temporal logic, whose atoms are formulas of states,
// which come first. A path formula is taken apart into operators of this package; A is the dual of E.
//
//	E(f || g)                E f || E g
//	E X f                    EX E f
//	E(p U f)                 E[p U E f], for a formula p of states
//	E(p W f)                 E(p U f || G p)
//	E(p1 U f1 && p2 U f2)    E[p1 && p2 U E(f1 && p2 U f2)] || E[p1 && p2 U E(f2 && p1 U f1)] [EmersonHalpern85]
//	E(G p && p1 U f1)        E[p && p1 U E(G p && f1)]
//	E(G p && G F q)          Often
//	E(G (p || F q))          E(G F q || F (q && X G p) || G p): q again and again, or p for ever from the last q on
//	E(X f && g)              after g is unrolled for one step
//	f U F g, (G f) U g       F g; g || G f && F g
//	G F G f, G F F f         F G f, G F f; G(f && g), F(f || g) are both, or either
//
// What is left, as E(G F p && G F q) or E((F p) U q), is an error.

// path is a path formula: state, opposite, both, either, later, or until.
type path interface{ isPath() }

type (
	state    struct{ f Formula }
	opposite struct{ f path }
	both     struct{ f, g path }
	either   struct{ f, g path }
	later    struct{ f path } // X
	// until is f U g, or f W g if weak.
	until struct {
		f, g path
		weak bool
	}
)

func (state) isPath()    {}
func (opposite) isPath() {}
func (both) isPath()     {}
func (either) isPath()   {}
func (later) isPath()    {}
func (until) isPath()    {}

var (
	always = state{Constant(true)}
	never  = state{Constant(false)}
)

// positive is a path formula, or its negation, without opposite; formulas of states are joined.
func positive(f path, yes bool) path {
	switch f := f.(type) {
	case state:
		if yes {
			return f
		}
		if c, ok := f.f.(Constant); ok {
			return state{!c}
		}
		if n, ok := f.f.(Not); ok {
			return state{n.F}
		}
		return state{Not{f.f}}
	case opposite:
		return positive(f.f, !yes)
	case both:
		if yes {
			return conjoin(positive(f.f, yes), positive(f.g, yes))
		}
		return disjoin(positive(f.f, yes), positive(f.g, yes))
	case either:
		if yes {
			return disjoin(positive(f.f, yes), positive(f.g, yes))
		}
		return conjoin(positive(f.f, yes), positive(f.g, yes))
	case later:
		return later{positive(f.f, yes)}
	case until:
		a, b := positive(f.f, yes), positive(f.g, yes)
		if yes {
			return until{a, b, f.weak}
		}
		return until{b, conjoin(a, b), !f.weak}
	}
	panic(fmt.Sprintf("ctl: unexpected %T", f))
}

// conjoin is f && g.
func conjoin(f, g path) path {
	p, ok1 := f.(state)
	q, ok2 := g.(state)
	switch {
	case f == always || g == never:
		return g
	case g == always || f == never:
		return f
	case ok1 && ok2:
		return state{And{p.f, q.f}}
	}
	return both{f, g}
}

// disjoin is f || g.
func disjoin(f, g path) path {
	p, ok1 := f.(state)
	q, ok2 := g.(state)
	switch {
	case f == never || g == always:
		return g
	case g == never || f == always:
		return f
	case ok1 && ok2:
		return state{Or{p.f, q.f}}
	}
	return either{f, g}
}

// not is !f.
func not(f path) path {
	if s, ok := f.(state); ok {
		return state{Not{s.f}}
	}
	return opposite{f}
}

// unsupported says why a path formula cannot be taken apart.
type unsupported string

// maxPieces bounds the formulas that one is taken apart into.
const maxPieces = 2000

// quantified is A or E of a path formula. A panic with unsupported says that there is no such formula.
func quantified(q Quantifier, f path) Formula {
	pieces := 0
	if g, ok := direct(q, f); ok {
		return g
	}
	if q == All {
		return negated(some(positive(f, false), &pieces))
	}
	return some(positive(f, true), &pieces)
}

// direct is A or E of an operator of formulas of states, or of one that A, or E, is exchanged with.
func direct(q Quantifier, f path) (Formula, bool) {
	switch f := f.(type) {
	case state:
		return f.f, true
	case later:
		return Next{q, quantified(q, f.f)}, true
	case until:
		a, ok1 := f.f.(state)
		b, ok2 := f.g.(state)
		switch {
		case ok1 && ok2 && f.weak:
			return Weak{q, a.f, b.f}, true
		case ok1 && ok2:
			return Until{q, a.f, b.f}, true
		case q == All && f.weak && f.g == path(never):
			return Globally(q, quantified(q, f.f)), true
		case q == Some && !f.weak && f.f == path(always):
			return Finally(q, quantified(q, f.g)), true
		}
	}
	return nil, false
}

// negated is !f, without a double negation.
func negated(f Formula) Formula {
	if n, ok := f.(Not); ok {
		return n.F
	}
	if c, ok := f.(Constant); ok {
		return !c
	}
	return Not{f}
}

// some is E f.
func some(f path, pieces *int) Formula {
	if *pieces++; *pieces > maxPieces {
		panic(unsupported("the path formula has too many parts"))
	}
	if g, ok := direct(Some, f); ok {
		return g
	}
	switch f := f.(type) {
	case either:
		return Or{some(f.f, pieces), some(f.g, pieces)}
	case later:
		return Next{Some, some(f.f, pieces)}
	case both:
		return conjuncts(list(f), pieces)
	case until:
		if _, ok := f.f.(state); ok && !f.weak {
			return Until{Some, f.f.(state).f, some(f.g, pieces)}
		}
		return conjuncts([]path{f}, pieces)
	}
	panic(fmt.Sprintf("ctl: unexpected %T", f))
}

// list are the operands of a conjunction.
func list(f path) []path {
	if b, ok := f.(both); ok {
		return append(list(b.f), list(b.g)...)
	}
	return []path{f}
}

// join is a conjunction.
func join(fs ...path) path {
	var out path = always
	for _, f := range fs {
		out = conjoin(out, f)
	}
	return out
}

// without is a list less an element.
func without(fs []path, i int) []path {
	return append(append([]path(nil), fs[:i]...), fs[i+1:]...)
}

// conjuncts is E of a conjunction.
func conjuncts(fs []path, pieces *int) Formula {
	// What is a disjunction, or is better said in another way, first.
	for i, f := range fs {
		rest := without(fs, i)
		switch f := f.(type) {
		case both:
			return conjuncts(append(rest, list(f)...), pieces)
		case either:
			return Or{some(join(append(rest, f.f)...), pieces), some(join(append(rest, f.g)...), pieces)}
		case until:
			if g, ok := simpler(f); ok {
				return some(join(append(rest, g)...), pieces)
			}
		}
	}
	var here, stay Formula = Constant(true), Constant(true)
	var again Formula
	var untils []until
	var nexts []path
	for _, f := range fs {
		switch f := f.(type) {
		case state:
			here = conjunction(here, f.f)
		case later:
			nexts = append(nexts, f.f)
		case until:
			of, ok := f.f.(state)
			switch g, infinitely := eventually(f.f); {
			case ok && f.weak: // G
				stay = conjunction(stay, of.f)
			case ok:
				untils = append(untils, f)
			case f.weak && infinitely && again == nil: // G F
				again = g
			case f.weak && infinitely:
				panic(unsupported("two conditions that hold again and again on the same run"))
			default:
				panic(unsupported("an operand of U, W or G that is no formula of states"))
			}
		}
	}
	switch {
	case len(nexts) > 0:
		return conjunction(here, unrolled(nexts, stay, again, untils, pieces))
	case len(untils) == 0 && again != nil:
		return conjunction(here, Often{stay, again})
	case len(untils) == 0 && stay == Constant(true):
		return here
	case len(untils) == 0:
		return conjunction(here, Globally(Some, stay))
	}
	// Some until is the first that is over.
	before := stay
	for _, u := range untils {
		before = conjunction(before, u.f.(state).f)
	}
	var out Formula
	for i, u := range untils {
		rest := []path{u.g}
		for j, v := range untils {
			if j != i {
				rest = append(rest, v)
			}
		}
		one := Formula(Until{Some, before, some(join(append(rest, remaining(stay, again)...)...), pieces)})
		if out == nil {
			out = one
		} else {
			out = Or{out, one}
		}
	}
	return conjunction(here, out)
}

// remaining is what has to hold for ever.
func remaining(stay, again Formula) (list []path) {
	if stay != Constant(true) {
		list = append(list, until{state{stay}, never, true})
	}
	if again != nil {
		list = append(list, until{until{always, state{again}, false}, never, true})
	}
	return list
}

// unrolled is E of a conjunction with X: the others are said of this state and the next one.
func unrolled(nexts []path, stay, again Formula, untils []until, pieces *int) Formula {
	if len(untils) == 0 {
		return conjunction(stay, Next{Some, some(join(append(nexts, remaining(stay, again)...)...), pieces)})
	}
	u, rest := untils[0], remaining(stay, again)
	for _, n := range nexts {
		rest = append(rest, later{n})
	}
	for _, v := range untils[1:] {
		rest = append(rest, v)
	}
	now := append(append([]path(nil), rest...), u.g)
	then := append(append([]path(nil), rest...), u.f, later{u})
	// The second one goes on with one until less, which is behind X now.
	return Or{some(join(now...), pieces), some(join(then...), pieces)}
}

// eventually says what has to hold some time, if a path formula is F of a formula of states.
func eventually(f path) (Formula, bool) {
	u, ok := f.(until)
	if !ok || u.weak || u.f != path(always) {
		return nil, false
	}
	s, ok := u.g.(state)
	return s.f, ok
}

// simpler is the same as a formula with U or W, in a form that can be taken apart.
func simpler(f until) (path, bool) {
	globally := func(f path) path { return until{f, never, true} }
	finally := func(f path) path { return until{always, f, false} }
	if g, ok := f.f.(until); ok && g.weak && g.g == path(never) && f.g != path(never) { // (G f) U g
		if f.weak {
			return either{f.g, g}, true
		}
		return either{f.g, both{g, finally(f.g)}}, true
	}
	if u, ok := f.g.(until); ok && !u.weak && u.f == path(always) && !f.weak && f.f != path(always) { // f U (F g)
		return u, true
	}
	switch {
	case f.weak && f.g != path(never): // f W g
		return either{until{f.f, f.g, false}, globally(f.f)}, true
	case !f.weak:
		return nil, false
	}
	switch a := f.f.(type) { // G a
	case both:
		return both{globally(a.f), globally(a.g)}, true
	case later:
		return later{globally(a.f)}, true
	case either:
		p, q := a.f, a.g
		if _, ok := p.(state); !ok {
			p, q = q, p
		}
		if _, ok := p.(state); !ok {
			return nil, false
		}
		if g, ok := eventually(q); ok { // G(p || F g)
			return either{globally(q), either{finally(conjoin(state{g}, later{globally(p)})), globally(p)}}, true
		}
	case until:
		switch {
		case a.weak && a.g == path(never): // G G
			return a, true
		case a.weak || a.f != path(always):
			return nil, false
		}
		switch b := a.g.(type) { // G F b
		case later:
			return globally(finally(b.f)), true
		case either:
			return either{globally(finally(b.f)), globally(finally(b.g))}, true
		case until:
			switch {
			case b.weak && b.g == path(never): // G F G
				return finally(b), true
			case !b.weak: // some time b.g, which is enough for b
				return globally(finally(b.g)), true
			}
		}
	}
	return nil, false
}

// star parses a path formula behind A or E, and takes it apart.
func (p *parser) star(q Quantifier, start int) (f Formula) {
	inner := p.pathUnary()
	defer func() {
		if r := recover(); r != nil {
			why, ok := r.(unsupported)
			if !ok {
				panic(r)
			}
			p.at = start
			p.fail("this formula of CTL* is outside of what is decided: %s", string(why))
		}
	}()
	return quantified(q, inner)
}

// quantifies says whether A or E stands here, before a path formula.
func (p *parser) quantifies(word string) bool {
	if word != "A" && word != "E" {
		return false
	}
	q := &parser{text: p.text, at: p.at + 1}
	if q.skip(); q.at == len(q.text) {
		return false
	}
	switch q.text[q.at] {
	case '[':
		return true
	case '(':
		return q.group()
	}
	return q.at > p.at+1 && q.pathOperator()
}

// pathOperator says whether F, G, X, U or W stands here, with an operand.
func (p *parser) pathOperator() bool {
	w := p.word()
	if len(w) != 1 || !strings.Contains("FGXUW", w) {
		return false
	}
	after := strings.TrimLeft(p.text[p.at+1:], " \t\r\n")
	return after != "" && (strings.IndexByte("({[!", after[0]) >= 0 || letter(after[0]) && p.at+1 < len(p.text) && !letter(p.text[p.at+1]))
}

func (p *parser) pathImplication() path {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
	defer func() { p.depth-- }()
	f := p.pathDisjunction()
	if p.accept("==>", "=>", "->") {
		return disjoin(not(f), p.pathImplication())
	}
	return f
}

func (p *parser) pathDisjunction() path {
	f := p.pathConjunction()
	for p.accept("||") {
		f = disjoin(f, p.pathConjunction())
	}
	return f
}

func (p *parser) pathConjunction() path {
	f := p.pathUntil()
	for p.accept("&&") {
		f = conjoin(f, p.pathUntil())
	}
	return f
}

// pathUntil parses f U g and f W g, which bind to the right.
func (p *parser) pathUntil() path {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
	defer func() { p.depth-- }()
	f := p.pathUnary()
	p.skip()
	if w := p.word(); w == "U" || w == "W" {
		p.at++
		return until{f, p.pathUntil(), w == "W"}
	}
	return f
}

func (p *parser) pathUnary() path {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
	defer func() { p.depth-- }()
	p.skip()
	if p.at == len(p.text) {
		p.fail("a formula is expected here")
	}
	switch c := p.text[p.at]; {
	case c == '!' && p.structuredPath(p.at+1):
		p.at++
		return not(p.pathUnary())
	case p.pathOperator():
		return p.pathTemporal()
	case c == '(' && p.group():
		p.at++
		f := p.pathImplication()
		p.expect(")")
		return f
	case c == '[' && !operator((&parser{text: p.text, at: p.at + 1}).word()):
		p.at++
		f := p.pathImplication()
		if _, plain := f.(state); plain {
			p.fail("U or W is expected here, or an operator before")
		}
		p.expect("]")
		return f
	}
	return state{p.unary()}
}

// structuredPath says whether what begins there is a formula and no condition.
func (p *parser) structuredPath(at int) bool {
	q := &parser{text: p.text, at: at}
	q.skip()
	return q.at < len(q.text) && (q.structured(q.at) || q.pathOperator())
}

// pathTemporal parses an operator with its operands.
func (p *parser) pathTemporal() path {
	op := p.text[p.at]
	p.at++
	p.skip()
	one := func() path {
		if p.skip(); p.at < len(p.text) && p.text[p.at] == '{' {
			p.at++
			f := p.pathImplication()
			p.expect("}")
			return f
		}
		return p.pathUnary()
	}
	switch op {
	case 'X':
		return later{one()}
	case 'F':
		return until{always, one(), false}
	case 'G':
		return until{one(), never, true}
	}
	var f, g path
	if p.at < len(p.text) && p.text[p.at] == '{' {
		f, g = one(), one()
	} else {
		p.expect("(")
		f = p.pathImplication()
		if p.accept(",") {
			g = p.pathImplication()
			p.expect(")")
		} else { // U(f), (g)
			p.expect(")")
			p.expect(",")
			g = p.pathUnary()
		}
	}
	return until{f, g, op == 'W'}
}
