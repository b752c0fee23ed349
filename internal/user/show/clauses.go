package show

import (
	"fmt"
	"maps"
	"math/bits"
	"slices"
	"strings"

	"assay/internal/evidence/invariant"
)

// This file reads the facts of a loop head for a person. Engines that work on bits say of n <= 9 that the bits from
// 4 on are 0, and not both 1 and 3, nor 2 and 3. Here such clauses become what they say of integers:
//
//	(1) Clauses of one literal are made true in the others, until nothing changes: some bits are known.
//	(2) The clauses about one integer, with its comparisons to constants, are a set of values (cases.go), if
//	    it has few intervals.
//	(3) Clauses that join integers, and allow a few states of all bits, are these states.
//	(4) Pairs of clauses between the same bits of two integers say that the bits are equal, or are not; such
//	    pairs, and clauses of two literals, are gathered in masks.
//	(5) What is left is a disjunction of masks.
//
// Each step keeps what is said: all texts together are equivalent to all facts together.

// literal is a bit of an integer, of which it is said that it is 1, or 0.
type literal struct {
	of      int // among the integers of a reading
	bit     uint32
	negated bool
}

// reading is how the facts of a head are read.
type reading struct {
	names   func(invariant.Term) string // without casts
	signed  func(invariant.Term) bool
	terms   []invariant.Term
	index   map[invariant.Term]int
	clauses [][]literal
	// known and value are the bits of an integer that are known; ranges what comparisons leave.
	known, value []uint64
	ranges       [][]interval
	sets         []*values // nil if it has too many intervals
	told         []bool    // by (3)
	contradicted bool
	joint        []string // texts of (3) to (5)
}

// newReading reads nothing so far.
func newReading(n *namer) *reading {
	return &reading{names: n.plain, signed: n.signed, index: map[invariant.Term]int{}}
}

// integer is the number of an integer.
func (r *reading) integer(t invariant.Term) int {
	t.Coeff, t.Signed = 0, false
	i, ok := r.index[t]
	if !ok {
		i = len(r.terms)
		r.index[t] = i
		r.terms = append(r.terms, t)
		r.known, r.value = append(r.known, 0), append(r.value, 0)
		r.ranges = append(r.ranges, []interval{{0, low(t.Bits)}})
	}
	return i
}

// compare takes a predicate, if it is one about one integer and constants.
func (r *reading) compare(p invariant.Predicate) bool {
	c, ok := p.(invariant.Comparison)
	if !ok {
		return false
	}
	if list, ok := rangeOf(c); ok {
		i := r.integer(c.Terms[0])
		r.ranges[i] = both(r.ranges[i], list)
		return true
	}
	if len(c.Terms) != 1 || !c.ModuloPower() || !c.Bound.IsInt64() {
		return false
	}
	t, k := c.Terms[0], uint32(bits.TrailingZeros64(c.Modulus))
	if c.Modulus == 0 {
		k = 64
	}
	if t.Coeff != 1 && t.Coeff != -1 || k > t.Bits || t.Float || t.Index || t.Stride != 0 {
		return false
	}
	x := uint64(t.Coeff * c.Bound.Int64())
	i := r.integer(t)
	for b := range k {
		r.clauses = append(r.clauses, []literal{{i, b, x>>b&1 == 0}})
	}
	return true
}

// clause takes a clause.
func (r *reading) clause(c invariant.Clause) {
	var out []literal
	for _, l := range c {
		out = append(out, literal{r.integer(l.Term), l.Bit, l.Negated})
	}
	r.clauses = append(r.clauses, out)
}

// texts are all that was taken.
func (r *reading) texts() (out []string) {
	r.propagate()
	if r.contradicted {
		return []string{"false"}
	}
	own, more := r.sort()
	r.sets, r.told = make([]*values, len(r.terms)), make([]bool, len(r.terms))
	for i := range r.terms {
		r.sets[i] = r.setOf(i, own[i])
	}
	for _, part := range r.parts(more) {
		r.join(part, own)
	}
	for i, t := range r.terms {
		if !r.told[i] {
			out = append(out, r.single(i, t, own[i])...)
		}
	}
	return append(out, r.joint...)
}

// propagate is (1).
func (r *reading) propagate() {
	for changed := true; changed; {
		changed = false
		var left [][]literal
		for _, c := range r.clauses {
			c, holds := r.rest(c)
			switch {
			case holds:
			case len(c) == 0:
				r.contradicted = true
				return
			case len(c) == 1:
				r.learn(c[0])
				changed = true
			default:
				left = append(left, c)
			}
		}
		r.clauses = left
	}
}

// learn makes a bit known.
func (r *reading) learn(l literal) {
	r.known[l.of] |= 1 << l.bit
	if !l.negated {
		r.value[l.of] |= 1 << l.bit
	}
}

// rest is a clause without the literals that are false.
func (r *reading) rest(c []literal) (rest []literal, holds bool) {
	for i, l := range c {
		switch {
		case r.known[l.of]>>l.bit&1 == 0:
			opposite := l
			opposite.negated = !l.negated
			if slices.Contains(c, opposite) {
				return nil, true
			}
			if !slices.Contains(c[:i], l) {
				rest = append(rest, l)
			}
		case (r.value[l.of]>>l.bit&1 == 1) != l.negated:
			return nil, true
		}
	}
	return rest, false
}

// sort separates the clauses about one integer from the others.
func (r *reading) sort() (own [][][]literal, more [][]literal) {
	own = make([][][]literal, len(r.terms))
	for _, c := range r.clauses {
		if i := c[0].of; slices.ContainsFunc(c, func(l literal) bool { return l.of != i }) {
			more = append(more, c)
		} else {
			own[i] = append(own[i], c)
		}
	}
	return own, more
}

// mostSteps bounds the search for the intervals of a set, and for states.
const mostSteps = 3000

// setOf is (2): what is known of one integer, nil if that is not short.
func (r *reading) setOf(i int, clauses [][]literal) *values {
	w := r.terms[i].Bits
	k := min(w, uint32(bits.TrailingZeros64(^r.known[i])))
	s := &values{w: w, k: k, r: r.value[i] & low(k)}
	steps := 0
	// below finds the intervals of the numbers that begin with some bits, those from b on.
	var below func(b uint32, p *partial) bool
	below = func(b uint32, p *partial) bool {
		if steps++; steps > mostSteps || len(s.list) > 4*mostCases {
			return false
		}
		from := p.value[i] >> k &^ low(b-k)
		if len(p.clauses) == 0 && p.known[i]>>k&low(b-k) == 0 {
			s.list = add(s.list, interval{from, from | low(b-k)})
			return true
		}
		if b--; p.known[i]>>b&1 == 1 {
			return below(b, p)
		}
		for _, zero := range []bool{true, false} {
			if q, possible := p.with(literal{i, b, zero}); possible && !below(b, q) {
				return false
			}
		}
		return true
	}
	if !below(w, &partial{clauses, r.known, r.value}) {
		return nil
	}
	s.restrict(r.ranges[i])
	if !s.short() {
		return nil
	}
	return s
}

// partial is what clauses say where some bits are known.
type partial struct {
	clauses      [][]literal
	known, value []uint64
}

// with makes a literal true, and all that follow by clauses of one literal; it is not possible if a clause is
// false then.
func (p *partial) with(l literal) (q *partial, possible bool) {
	q = &partial{p.clauses, slices.Clone(p.known), slices.Clone(p.value)}
	for pending := []literal{l}; len(pending) > 0; pending = pending[1:] {
		l := pending[0]
		q.known[l.of] |= 1 << l.bit
		if !l.negated {
			q.value[l.of] |= 1 << l.bit
		}
		opposite := l
		opposite.negated = !l.negated
		var rest [][]literal
		for _, c := range q.clauses {
			if slices.Contains(c, l) {
				continue
			}
			if slices.Contains(c, opposite) {
				c = slices.DeleteFunc(slices.Clone(c), func(x literal) bool { return x == opposite })
			}
			switch len(c) {
			case 0:
				return nil, false
			case 1:
				pending = append(pending, c[0])
			}
			rest = append(rest, c)
		}
		q.clauses = rest
	}
	return q, true
}

// parts are clauses by the integers that they join.
func (r *reading) parts(clauses [][]literal) [][][]literal {
	root := make([]int, len(r.terms))
	for i := range root {
		root[i] = i
	}
	var find func(i int) int
	find = func(i int) int {
		if root[i] != i {
			root[i] = find(root[i])
		}
		return root[i]
	}
	for _, c := range clauses {
		for _, l := range c[1:] {
			root[find(l.of)] = find(c[0].of)
		}
	}
	of := map[int][][]literal{}
	for _, c := range clauses {
		of[find(c[0].of)] = append(of[find(c[0].of)], c)
	}
	var out [][][]literal
	for _, i := range slices.Sorted(maps.Keys(of)) {
		out = append(out, of[i])
	}
	return out
}

// single are the texts about one integer.
func (r *reading) single(i int, t invariant.Term, own [][]literal) (out []string) {
	name, signed := r.names(t), r.signed(t)
	if s := r.sets[i]; s != nil {
		return s.texts(name, signed)
	}
	out = (&values{w: t.Bits, list: r.ranges[i]}).texts(name, signed)
	if m := r.known[i]; m != 0 {
		out = append(out, masked(name, m, r.value[i]))
	}
	for _, c := range own {
		out = append(out, r.disjunction(c))
	}
	return out
}

// mostStates bounds the states of (3).
const mostStates = 6

// join writes clauses that join integers.
func (r *reading) join(clauses [][]literal, own [][][]literal) {
	var of []int
	for _, c := range clauses {
		for _, l := range c {
			if !slices.Contains(of, l.of) {
				of = append(of, l.of)
			}
		}
	}
	slices.Sort(of)
	if states, ok := r.states(of, clauses, own); ok {
		for _, i := range of {
			r.told[i] = true
		}
		var cases []string
		for _, s := range states {
			var parts []string
			for k, i := range of {
				only := &values{w: r.terms[i].Bits, list: []interval{{s[k], s[k]}}}
				parts = append(parts, only.texts(r.names(r.terms[i]), r.signed(r.terms[i]))...)
			}
			cases = append(cases, strings.Join(parts, " && "))
		}
		if len(cases) == 0 {
			cases = []string{"false"}
		}
		r.joint = append(r.joint, strings.Join(cases, " || "))
		return
	}
	clauses = r.pairs(clauses)
	clauses = r.equal(clauses)
	for _, c := range clauses {
		r.joint = append(r.joint, r.disjunction(c))
	}
}

// states is (3): all states of some integers, if they are few.
func (r *reading) states(of []int, clauses [][]literal, own [][][]literal) (out [][]uint64, ok bool) {
	clauses = slices.Clone(clauses)
	for _, i := range of {
		clauses = append(clauses, own[i]...)
	}
	steps := 0
	var search func(k int, p *partial) bool
	search = func(k int, p *partial) bool {
		if steps++; steps > mostSteps || len(out) > mostStates {
			return false
		}
		if k == len(of) {
			var state []uint64
			for _, i := range of {
				in := values{w: r.terms[i].Bits, list: r.ranges[i]}
				if !in.has(p.value[i]) {
					return true
				}
				state = append(state, p.value[i])
			}
			out = append(out, state)
			return true
		}
		i := of[k]
		unknown := ^p.known[i] & low(r.terms[i].Bits)
		if unknown == 0 {
			return search(k+1, p)
		}
		b := uint32(bits.Len64(unknown)) - 1
		for _, zero := range []bool{true, false} {
			if q, possible := p.with(literal{i, b, zero}); possible && !search(k, q) {
				return false
			}
		}
		return true
	}
	ok = search(0, &partial{clauses, r.known, r.value}) && len(out) <= mostStates
	return out, ok
}

// pair is two integers.
type pair struct{ x, y int }

// relation has the bits in which two integers are related: either is 1, x only if y, y only if x, not both.
type relation struct{ either, xy, yx, not uint64 }

// pairs is (4) for the same bits of two integers; it gives the clauses that are left.
func (r *reading) pairs(clauses [][]literal) (left [][]literal) {
	of := map[pair]*relation{}
	var order []pair
	for _, c := range clauses {
		if len(c) != 2 || c[0].of == c[1].of || c[0].bit != c[1].bit {
			left = append(left, c)
			continue
		}
		a, b := c[0], c[1]
		if a.of > b.of {
			a, b = b, a
		}
		p := pair{a.of, b.of}
		if of[p] == nil {
			of[p] = &relation{}
			order = append(order, p)
		}
		q, m := of[p], uint64(1)<<a.bit
		switch {
		case !a.negated && !b.negated:
			q.either |= m
		case a.negated && !b.negated:
			q.xy |= m
		case !a.negated:
			q.yx |= m
		default:
			q.not |= m
		}
	}
	for _, p := range order {
		r.related(p, of[p])
	}
	return left
}

// related writes the relation of two integers.
func (r *reading) related(p pair, q *relation) {
	s, t := r.terms[p.x], r.terms[p.y]
	x, y := r.names(s), r.names(t)
	say := func(format string, args ...any) { r.joint = append(r.joint, fmt.Sprintf(format, args...)) }
	equal, differ := q.xy&q.yx, q.either&q.not
	same := r.known[p.x] & r.known[p.y] &^ (r.value[p.x] ^ r.value[p.y])
	switch all := low(s.Bits); {
	case equal == 0:
	case s.Bits == t.Bits && equal|same == all && (r.signed(s) == r.signed(t) || s.Bits == 1):
		say("%s == %s", x, y)
	default:
		say("(%s & %s) == (%s & %s)", x, hex(equal), y, hex(equal))
	}
	if differ != 0 && s.Bits == 1 && t.Bits == 1 {
		say("%s != %s", x, y)
	} else if differ != 0 {
		say("((%s ^ %s) & %s) == %s", x, y, hex(differ), hex(differ))
	}
	if m := q.xy &^ equal; m != 0 {
		say("(%s & ~%s & %s) == 0", x, y, hex(m))
	}
	if m := q.yx &^ equal; m != 0 {
		say("(%s & ~%s & %s) == 0", y, x, hex(m))
	}
	if m := q.either &^ differ; m != 0 {
		say("((%s | %s) & %s) == %s", x, y, hex(m), hex(m))
	}
	if m := q.not &^ differ; m != 0 {
		say("(%s & %s & %s) == 0", x, y, hex(m))
	}
}

// equal is (4) for other bits; it gives the clauses that are left.
func (r *reading) equal(clauses [][]literal) (left [][]literal) {
	used := make([]bool, len(clauses))
	for i, c := range clauses {
		if used[i] || len(c) != 2 {
			continue
		}
		a, b := c[0], c[1]
		a.negated, b.negated = !a.negated, !b.negated
		for j := i + 1; j < len(clauses); j++ {
			if d := clauses[j]; !used[j] && len(d) == 2 && slices.Contains(d, a) && slices.Contains(d, b) {
				used[i], used[j] = true, true
				sign := "!="
				if a.negated != b.negated {
					sign = "=="
				}
				a.negated, b.negated = true, true
				r.joint = append(r.joint, "("+r.disjunction([]literal{a})+") "+sign+" ("+r.disjunction([]literal{b})+")")
				break
			}
		}
	}
	for i, c := range clauses {
		if !used[i] {
			left = append(left, c)
		}
	}
	return left
}

// disjunction is a clause, (5).
func (r *reading) disjunction(c []literal) string {
	type bitsOf struct{ one, zero uint64 }
	of := map[int]*bitsOf{}
	var order []int
	for _, l := range c {
		b := of[l.of]
		if b == nil {
			b = &bitsOf{}
			of[l.of] = b
			order = append(order, l.of)
		}
		if l.negated {
			b.zero |= 1 << l.bit
		} else {
			b.one |= 1 << l.bit
		}
	}
	var out []string
	for _, i := range order {
		t, b := r.terms[i], of[i]
		name, sign := r.names(t), uint64(0)
		if r.signed(t) && t.Bits > 1 {
			sign = 1 << (t.Bits - 1)
		}
		switch {
		case b.one == 0:
		case t.Bits == 1:
			out = append(out, name)
		case b.one == sign:
			out = append(out, name+" < 0")
		default:
			out = append(out, "("+name+" & "+hex(b.one)+") != 0")
		}
		switch {
		case b.zero == 0:
		case t.Bits == 1:
			out = append(out, "!"+name)
		case b.zero == sign:
			out = append(out, name+" >= 0")
		case bits.OnesCount64(b.zero) == 1:
			out = append(out, "("+name+" & "+hex(b.zero)+") == 0")
		default:
			out = append(out, "("+name+" & "+hex(b.zero)+") != "+hex(b.zero))
		}
	}
	return strings.Join(out, " || ")
}
