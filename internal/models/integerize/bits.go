package integerize

// Shifts and bitwise logic by the rules of package bitwise [Liu, Sect. 3.2]: this file
// has no cases of its own but for bits that are known to be 0.
//
// A rule applies where the ranges and forms of the operands entail its condition. In this
// order:
//
//  1. a rewriting rule whose condition is only about a constant operand;
//  2. any other rewriting rule whose condition is entailed;
//  3. cases of the operands' signs, and for | and ^ the rule that has them by &;
//  4. every weakening rule whose condition is entailed then: what they say of the result
//     is what is known of it.
//
// Invariants. 1: A rule of step 1 that names neither the least nor the greatest integer
// holds of integers of any width. So it holds of every integer that is congruent to the
// operand, and of infinitely many bits; no wrap is taken off before. 2: Over mathematical
// integers the width, the least and the greatest integer are no numbers but symbols, of which
// only is known that they are beyond those of the type: what depends on them does not
// apply. 3: The bits of a constant may be read signed or unsigned, as a rule needs it; over
// mathematical integers only all ones are read as the type has them.

import (
	"slices"
	"sync"

	"assay/internal/logic/bitwise"
	"assay/internal/logic/linear"
	"assay/internal/program/ir"
)

// bitRule is a rule for an operation of two operands, perhaps exchanged.
type bitRule struct {
	*bitwise.Rule
	exchanged bool
	power     bool // it has a k or p
	constant  bool // its condition is about operand b alone
}

// rewritingRules and weakeningRules are those of each operation, in the order of the table.
var (
	rewritingRules = sync.OnceValue(func() map[bitwise.Op][]bitRule { return rulesByOperation(bitwise.Rewriting()) })
	weakeningRules = sync.OnceValue(func() map[bitwise.Op][]bitRule { return rulesByOperation(bitwise.Weakening()) })
)

func rulesByOperation(rules []bitwise.Rule) map[bitwise.Op][]bitRule {
	by := map[bitwise.Op][]bitRule{}
	for i := range rules {
		r := &rules[i]
		m, ok := r.Match.(bitwise.Binary)
		if !ok || m.X != bitwise.Var("a") || m.Y != bitwise.Var("b") || r.Result == nil && !slices.Contains(r.Relations, "==") {
			continue
		}
		has := func(v bitwise.Var) bool {
			return slices.ContainsFunc([]bitwise.Expr{r.When, r.Result, r.Weak}, func(e bitwise.Expr) bool { return e != nil && bitwise.Mentions(e, v) })
		}
		plain := bitRule{Rule: r, power: has("k") || has("p")}
		exchanged := plain
		exchanged.exchanged = true
		plain.constant = bitwise.Mentions(r.When, "b") && !bitwise.Mentions(r.When, "a")
		exchanged.constant = bitwise.Mentions(r.When, "a") && !bitwise.Mentions(r.When, "b")
		by[m.Op] = append(by[m.Op], plain)
		if m.Op == "&" || m.Op == "|" || m.Op == "^" {
			by[m.Op] = append(by[m.Op], exchanged)
		}
	}
	return by
}

// bitOperation is an operation whose rules are asked.
type bitOperation struct {
	t     *translation
	s     *state
	op    bitwise.Op
	view  bitwise.View
	width uint32
	a, b  number
	and   *bitwiseAnd // that the last rule has in its result
}

// powers are the k that a rule may have: those whose 2^k is next to a bound of an operand.
func (o *bitOperation) powers(r *bitRule) []uint32 {
	if !r.power {
		return []uint32{0}
	}
	var list []uint32
	add := func(n linear.Number) {
		size := n.Abs().BigInt()
		k := uint32(size.BitLen())
		if k > 0 && size.TrailingZeroBits() == uint(k-1) { // 2^(k-1) itself
			list = append(list, k-1)
		}
		list = append(list, k)
	}
	for _, n := range []number{o.a, o.b} {
		if k, ok := n.value(); ok && (o.op == "<<" || o.op == ">>" || o.op == ">>>") {
			if k, small := k.Int64(); small && k >= 0 {
				list = append(list, uint32(k))
			}
			continue
		}
		if n.hasLo {
			add(n.lo)
		}
		if n.hasHi {
			add(n.hi)
		}
		if k, ok := n.value(); ok && o.view == bitwise.Unsigned {
			add(power(o.width).Sub(k))
		}
	}
	slices.Sort(list)
	list = slices.Compact(list)
	return slices.DeleteFunc(list, func(k uint32) bool { return k > o.width })
}

// rewritten applies the first rewriting rule that holds.
func (o *bitOperation) rewritten(constant bool) (number, bool) {
	rewriting := rewritingRules()[o.op]
	for i := range rewriting {
		r := &rewriting[i]
		if r.constant != constant || r.View&o.view == 0 {
			continue
		}
		for _, k := range o.powers(r) {
			e := o.environment(r, k)
			if e.holds(r.When) != yes {
				continue
			}
			e.operation, o.and = o, nil
			if n, ok := e.value(r.Result); ok {
				return n, true
			}
		}
	}
	return number{}, false
}

// environment gives the variables of a rule their meaning.
func (o *bitOperation) environment(r *bitRule, k uint32) *ruleEnvironment {
	e := &ruleEnvironment{translation: o.t, a: o.a, b: o.b, view: o.view, width: o.width, k: k}
	if r.exchanged {
		e.a, e.b = e.b, e.a
	}
	return e
}

// weakened adds to the temporary c what the weakening rules say of the result n, which is
// a form over c, and gives the range of n.
func (o *bitOperation) weakened(n, c number) number {
	var known []linear.Constraint
	weakening := weakeningRules()[o.op]
	for i := range weakening {
		r := &weakening[i]
		if r.View&o.view == 0 {
			continue
		}
		for _, k := range o.powers(r) {
			e := o.environment(r, k)
			if !e.applies(o.s, r.When) {
				continue
			}
			for _, x := range bitwise.Conjuncts(r.Weak) {
				known = e.say(o.s, x.(bitwise.Binary), &n, c, known)
			}
			break
		}
	}
	if _, ok := c.form.IsVariable(); ok {
		o.s.about(c, append(known, n.constraints(n.form)...)...)
	}
	return n
}

// bySign gives a number the range of its sign, which is a case.
func (t *translation) bySign(s *state, n number) number {
	if t.signs(s, n) {
		n.interval = n.meet(interval{hasLo: true})
	} else {
		n.interval = n.meet(interval{hi: linear.Int(-1), hasHi: true})
	}
	return n
}

// viewOfRules is a view as the table has it.
func viewOfRules(w view) bitwise.View {
	if w == signed {
		return bitwise.Signed
	}
	return bitwise.Unsigned
}

func (t *translation) logic(s *state, fr *frame, v ir.Value, d *ir.Def) number {
	o := &bitOperation{t: t, s: s, op: map[ir.Op]bitwise.Op{ir.And: "&", ir.Or: "|", ir.Xor: "^"}[d.Op], width: d.Type.Bits}
	mine := fr.fn.viewOf(v)
	x, y := d.Args[0], d.Args[1]
	if fr.fn.f.Def(x).Op == ir.Const {
		x, y = y, x
	}
	if c := fr.fn.f.Def(y); c.Op == ir.Const {
		o.a = t.eval(s, fr, x)
		readings := []view{signed, unsigned}
		if t.o.Semantics == Integers {
			if readings = readings[:1]; c.Const.IsOnes() {
				readings[0] = mine
			}
		}
		for _, w := range readings {
			o.view, o.b = viewOfRules(w), constant(linear.FromBigInt(c.Const.Signed()))
			if w == unsigned {
				o.b = constant(linear.FromBigInt(c.Const.Unsigned()))
			}
			if n, ok := o.rewritten(true); ok {
				return n
			}
		}
	}
	o.view, o.a, o.b = viewOfRules(mine), s.pinned(t.in(s, fr, x, mine)), s.pinned(t.in(s, fr, y, mine))
	if t.disjoint(fr, x, y) {
		s.ands = append(s.ands[:len(s.ands):len(s.ands)], bitwiseAnd{o.a, o.b, constant(zero)})
	}
	n, ok := o.rewritten(false)
	switch {
	case !ok: // & itself
		return o.conjunction(o.a, o.b).and
	case o.and == nil:
		return n
	}
	o.a, o.b = o.and.a, o.and.b
	return o.weakened(n, o.and.and)
}

// conjunction is a & b; that it is 0 may be known already.
func (o *bitOperation) conjunction(a, b number) *bitwiseAnd {
	for i := range o.s.ands {
		c := &o.s.ands[i]
		if c.a.form.Equal(a.form) && c.b.form.Equal(b.form) || c.a.form.Equal(b.form) && c.b.form.Equal(a.form) {
			return c
		}
	}
	and := *o
	and.op, and.a, and.b = "&", o.t.bySign(o.s, a), o.t.bySign(o.s, b)
	if d := and.a.sub(and.b); d.form.IsConstant() { // each bounds the other
		and.a.interval = and.a.meet(and.b.interval.add(exactly(d.form.Const)))
		and.b.interval = and.b.meet(and.a.interval.add(exactly(d.form.Const.Neg())))
	}
	c := o.s.fresh(interval{}, true)
	o.s.ands = append(o.s.ands[:len(o.s.ands):len(o.s.ands)], bitwiseAnd{and.a, and.b, and.weakened(c, c)})
	return &o.s.ands[len(o.s.ands)-1]
}

// disjoint says whether no bit may be 1 in both values.
func (t *translation) disjoint(fr *frame, x, y ir.Value) bool {
	if t.o.Semantics == Integers {
		return false
	}
	f, ok := t.fact(fr, x)
	g, okY := t.fact(fr, y)
	if !ok || !okY {
		return false
	}
	p, q := f.Int(), g.Int()
	return !p.IsWide() && !q.IsWide() && p.Width < 64 && p.Zeros|q.Zeros == 1<<p.Width-1
}

func (t *translation) shift(s *state, fr *frame, v ir.Value, d *ir.Def) number {
	w := d.Type.Bits
	amount := t.in(s, fr, d.Args[1], unsigned)
	by, isConstant := amount.value()
	k, small := by.Int64()
	switch {
	case isConstant && (!small || k < 0 || k >= int64(w)): // too far: arbitrary
		return t.unknown(s, fr, v, true)
	case isConstant && d.Op == ir.Shl: // a product, also where it wraps
		return t.multiply(s, t.eval(s, fr, d.Args[0]), constant(power(uint32(k))), w, fr.fn.viewOf(v))
	case !isConstant && (d.Op == ir.Shl || t.o.Semantics == Integers):
		return t.unknown(s, fr, v, true)
	}
	view, o := unsigned, &bitOperation{t: t, s: s, op: ">>", width: w, b: amount}
	if d.Op == ir.AShr || t.o.Semantics == Integers {
		view = signed
	}
	if d.Op == ir.LShr && view == signed {
		o.op = ">>>"
	}
	if !isConstant {
		// By an amount within the width; else the result is arbitrary.
		in := linear.AtMost(amount.form, formOf(int64(w)-1))
		if !(amount.hasHi && amount.hi.Cmp(linear.Int(int64(w)-1)) <= 0) && t.feasible(s, in.Negate()) {
			if !t.feasible(s, in) {
				return t.unknown(s, fr, v, true)
			}
			panic(split{[]alternative{{[]linear.Constraint{in}, nil}, {[]linear.Constraint{in.Negate()}, nil}}})
		}
		o.b.interval = amount.meet(between(zero, linear.Int(int64(w)-1)))
		if !t.feasible(s, linear.AtMost(amount.form, linear.Form{})) {
			o.b.interval = o.b.meet(interval{lo: linear.Int(1), hasLo: true})
		}
	}
	o.view, o.a = viewOfRules(view), t.in(s, fr, d.Args[0], view)
	if !isConstant || o.op == ">>>" {
		o.a = t.bySign(s, o.a)
	}
	for _, constant := range []bool{true, false} {
		if n, ok := o.rewritten(constant); ok {
			return n
		}
	}
	if isConstant {
		return t.unknown(s, fr, v, true)
	}
	n := s.fresh(interval{}, true)
	return o.weakened(n, n)
}

// bitwiseAnd remembers a bitwise and: its operands with the ranges of their signs, and the
// result.
type bitwiseAnd struct{ a, b, and number }
