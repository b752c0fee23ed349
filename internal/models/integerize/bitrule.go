package integerize

// The expressions of the rules of package bitwise, as numbers on a path.

import (
	"slices"

	"assay/internal/logic/bitwise"
	"assay/internal/logic/linear"
)

// ruleEnvironment is what the variables of a rule are.
type ruleEnvironment struct {
	translation *translation
	a, b, r     number
	view        bitwise.View
	width, k    uint32
	operation   *bitOperation // if quotients, and & in results, may be introduced
}

// answer is what ranges and forms say of a condition.
type answer int8

const (
	no answer = iota - 1
	open
	yes
)

// holds decides a condition.
func (e *ruleEnvironment) holds(x bitwise.Expr) answer {
	switch x := x.(type) {
	case bitwise.Number:
		if x != 0 {
			return yes
		}
		return no
	case bitwise.Unary:
		if x.Op == "!" {
			return -e.holds(x.X)
		}
	case bitwise.Binary:
		switch x.Op {
		case "&&":
			return min(e.holds(x.X), e.holds(x.Y))
		case "||":
			return max(e.holds(x.X), e.holds(x.Y))
		case "==", "!=", "<", "<=", ">", ">=":
			return e.compare(x)
		}
	}
	return open
}

// difference is x - y of a comparison x < y or the like, turned so that < and <= say that
// it is below.
func (e *ruleEnvironment) difference(c bitwise.Binary) (number, bool) {
	x, ok := e.value(c.X)
	y, okY := e.value(c.Y)
	if !ok || !okY {
		return number{}, false
	}
	if c.Op == ">" || c.Op == ">=" {
		x, y = y, x
	}
	return x.sub(y), true
}

func (e *ruleEnvironment) compare(c bitwise.Binary) answer {
	d, ok := e.difference(c)
	if !ok {
		return open
	}
	below := func(strict bool) answer { // d < 0, or d <= 0
		limit := 1
		if strict {
			limit = 0
		}
		switch {
		case d.hasHi && d.hi.Sign() < limit:
			return yes
		case d.hasLo && d.lo.Sign() >= limit:
			return no
		}
		return open
	}
	switch c.Op {
	case "<", ">":
		return below(true)
	case "<=", ">=":
		return below(false)
	}
	equal := open
	switch {
	case d.form.IsConstant() && d.form.Const.IsZero():
		equal = yes
	case d.hasLo && d.lo.Sign() > 0, d.hasHi && d.hi.Sign() < 0:
		equal = no
	}
	if c.Op == "!=" {
		return -equal
	}
	return equal
}

// applies decides a condition by the path, too, if the operands are in a relation that it
// asks for: else it is not worth asking.
func (e *ruleEnvironment) applies(s *state, when bitwise.Expr) bool {
	var ask []linear.Constraint
	related := false
	for _, x := range bitwise.Conjuncts(when) {
		c, comparison := x.(bitwise.Binary)
		switch e.holds(x) {
		case no:
			return false
		case yes:
			related = related || comparison && c.Op == "==" && bitwise.Mentions(x, "a") && bitwise.Mentions(x, "b")
		default:
			if !comparison || c.Op == "==" || c.Op == "!=" {
				return false
			}
			d, ok := e.difference(c)
			if !ok {
				return false
			}
			not := linear.AtLeast(d.form, formOf(1))
			if c.Op == "<" || c.Op == ">" {
				not = linear.AtLeast(d.form, linear.Form{})
			}
			ask = append(ask, not)
		}
	}
	return len(ask) == 0 || related && !slices.ContainsFunc(ask, func(c linear.Constraint) bool { return e.translation.feasible(s, c) })
}

// symbol is the first variable that is one of w, lo and hi over mathematical integers.
const symbol = 1 << 30

// limit is a number that is the greatest or least of a type; over mathematical integers it
// is only beyond that.
func (e *ruleEnvironment) limit(v linear.Var, beyond interval, is linear.Number) number {
	if e.translation.o.Semantics == Integers {
		return number{linear.Variable(symbol + v), beyond}
	}
	return constant(is)
}

// value is the value of an expression, if it is linear and has no symbol.
func (e *ruleEnvironment) value(x bitwise.Expr) (number, bool) {
	switch x := x.(type) {
	case bitwise.Number:
		return constant(linear.Int(int64(x))), true
	case bitwise.Var:
		return e.variable(x), true
	case bitwise.Unary:
		if n, ok := e.value(x.X); ok && x.Op == "-" {
			return n.neg(), true
		}
		return number{}, false
	case bitwise.Binary:
		n, ok := e.binary(x)
		return n, ok && (e.operation == nil || n.form.MaxVar() < symbol)
	}
	return number{}, false
}

func (e *ruleEnvironment) variable(v bitwise.Var) number {
	all := limits(e.width, signed)
	if e.view == bitwise.Unsigned {
		all = limits(e.width, unsigned)
	}
	switch v {
	case "a":
		return e.a
	case "b":
		return e.b
	case "r":
		return e.r
	case "k":
		return constant(linear.Int(int64(e.k)))
	case "p":
		return constant(power(e.k))
	case "w":
		w := linear.Int(int64(e.width))
		return e.limit(0, interval{lo: w, hasLo: true}, w)
	case "lo":
		return e.limit(1, interval{hi: all.lo, hasHi: true}, all.lo)
	case "hi":
		return e.limit(2, interval{lo: all.hi, hasLo: true}, all.hi)
	}
	panic("a rule has the variable " + string(v))
}

func (e *ruleEnvironment) binary(x bitwise.Binary) (number, bool) {
	switch x.Op {
	case "&":
		if e.operation == nil || x.X != bitwise.Var("a") || x.Y != bitwise.Var("b") {
			return number{}, false
		}
		e.operation.and = e.operation.conjunction(e.a, e.b)
		return e.operation.and.and, true
	case "&&", "||", "==", "!=", "<", "<=", ">", ">=":
		if a := e.holds(x); a != open {
			return constant(linear.Int(int64(max(a, 0)))), true
		}
		return number{}, false
	}
	a, okA := e.value(x.X)
	b, okB := e.value(x.Y)
	if !okA || !okB {
		return number{}, false
	}
	switch x.Op {
	case "+":
		return a.add(b), true
	case "-":
		return a.sub(b), true
	case "*":
		if k, ok := a.value(); ok {
			return b.scale(k), true
		}
		if k, ok := b.value(); ok {
			return a.scale(k), true
		}
	case "/", "%":
		if by, ok := b.value(); ok && by.Sign() > 0 {
			return e.divided(a, by, x.Op == "%")
		}
	}
	return number{}, false
}

// divided is a quotient or a rest. Without leave to introduce one it is what the form says.
func (e *ruleEnvironment) divided(a number, by linear.Number, rest bool) (number, bool) {
	divisible := a.form.Const.Div(by).IsInt()
	for _, m := range a.form.Terms {
		divisible = divisible && m.Coef.Div(by).IsInt()
	}
	switch {
	case divisible && rest:
		return constant(zero), true
	case divisible:
		return a.scale(linear.Int(1).Div(by)), true
	case e.operation == nil && !a.form.IsConstant():
		return number{}, false
	case a.form.IsConstant():
		q := a.form.Const.Div(by).Floor()
		if rest {
			return constant(a.form.Const.Sub(by.Mul(q))), true
		}
		return constant(q), true
	}
	q, r := e.operation.s.floor(a, by)
	if rest {
		return r, true
	}
	return q, true
}

// say adds a comparison, or that the result is divisible.
func (e *ruleEnvironment) say(s *state, x bitwise.Binary, n *number, c number, known []linear.Constraint) []linear.Constraint {
	if m, ok := x.X.(bitwise.Binary); ok && m.Op == "%" {
		part := s.fresh(interval{}, true)
		s.about(part, linear.Equals(n.form, part.form.Scale(linear.Int(int64(m.Y.(bitwise.Number))))))
		v, _ := c.form.IsVariable()
		s.temps[v-tempBase].with = append(s.temps[v-tempBase].with, part.form)
		return known
	}
	// The range of the rest bounds the result; then the constraint itself.
	e.r = constant(zero)
	without, _ := e.difference(x)
	e.r = constant(linear.Int(1))
	with, _ := e.difference(x)
	factor := with.sub(without).form.Const
	rest := without.scale(linear.Int(-1).Div(factor)).interval
	if x.Op == "<" {
		rest = rest.add(exactly(linear.Int(-1)))
	}
	if factor.Sign() > 0 { // factor·r + without <= 0
		n.interval = n.meet(interval{hi: rest.hi.Floor(), hasHi: rest.hasHi})
	} else {
		n.interval = n.meet(interval{lo: rest.lo.Ceil(), hasLo: rest.hasLo})
	}
	e.r = *n
	d, _ := e.difference(x)
	fact := linear.AtMost(d.form, linear.Form{})
	if x.Op == "<" {
		fact = linear.Less(d.form, linear.Form{})
	}
	if fact = fact.Tighten(); fact.IsTrue() || slices.ContainsFunc(known, func(k linear.Constraint) bool { return k.Equal(fact) }) {
		return known
	}
	return append(known, fact)
}
