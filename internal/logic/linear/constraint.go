package linear

import "strings"

// Constraint is Form >= 0, or Form = 0 if Equality. Variables range over the
// integers where Tighten is used, over the rationals else.
type Constraint struct {
	Form     Form
	Equality bool
}

// AtLeast is f >= g.
func AtLeast(f, g Form) Constraint { return Constraint{Form: f.Sub(g)} }

// AtMost is f <= g.
func AtMost(f, g Form) Constraint { return Constraint{Form: g.Sub(f)} }

// Less is f < g over the integers.
func Less(f, g Form) Constraint { return Constraint{Form: g.Sub(f).Plus(Int(-1))} }

// Equals is f = g.
func Equals(f, g Form) Constraint { return Constraint{f.Sub(g), true} }

// False is a constraint without solutions.
func False() Constraint { return Constraint{Form: Constant(Int(-1))} }

// Negate is the negation over the integers of an inequality.
func (c Constraint) Negate() Constraint {
	if c.Equality {
		panic("linear: the negation of an equality is no constraint")
	}
	c = c.Tighten()
	return Constraint{Form: c.Form.Neg().Plus(Int(-1))}
}

// Negations are constraints whose disjunction is the negation over the integers.
func (c Constraint) Negations() []Constraint {
	if !c.Equality {
		return []Constraint{c.Negate()}
	}
	return []Constraint{
		Constraint{Form: c.Form}.Negate(),
		Constraint{Form: c.Form.Neg()}.Negate(),
	}
}

// Tighten divides by the greatest common divisor of the coefficients and rounds
// the constant: the same integer points, and among those half-spaces the least.
// An equality that no integer point satisfies becomes False.
func (c Constraint) Tighten() Constraint {
	if len(c.Form.Terms) == 0 {
		if c.IsTrue() {
			return Constraint{Form: Constant(Number{})}
		}
		return False()
	}
	f := c.Form.Integral()
	if c.Equality {
		if !f.Const.IsInt() {
			return False()
		}
		if f.Terms[0].Coef.Sign() < 0 {
			f = f.Neg()
		}
		return Constraint{f, true}
	}
	f.Const = f.Const.Floor()
	return Constraint{Form: f}
}

// IsTrue says whether the constraint has no variables and holds.
func (c Constraint) IsTrue() bool {
	return len(c.Form.Terms) == 0 && c.holds(c.Form.Const)
}

// IsFalse says whether the constraint has no variables and does not hold.
func (c Constraint) IsFalse() bool {
	return len(c.Form.Terms) == 0 && !c.holds(c.Form.Const)
}

func (c Constraint) holds(v Number) bool {
	if c.Equality {
		return v.IsZero()
	}
	return v.Sign() >= 0
}

// Holds says whether the constraint holds under a valuation.
func (c Constraint) Holds(value func(Var) Number) bool { return c.holds(c.Form.Eval(value)) }

// Equal says whether both are written the same.
func (c Constraint) Equal(d Constraint) bool {
	return c.Equality == d.Equality && c.Form.Equal(d.Form)
}

// Inequalities are the one or two inequalities that c means.
func (c Constraint) Inequalities() []Form {
	if c.Equality {
		return []Form{c.Form, c.Form.Neg()}
	}
	return []Form{c.Form}
}

// Format prints c with the names of the variables: positive terms left, or all terms if none is positive.
func (c Constraint) Format(name func(Var) string) string {
	var left, right Form
	for _, t := range c.Form.Terms {
		if t.Coef.Sign() > 0 {
			left.Terms = append(left.Terms, t)
		} else {
			right.Terms = append(right.Terms, Term{t.Var, t.Coef.Neg()})
		}
	}
	if c.Form.Const.Sign() > 0 && len(left.Terms) > 0 {
		left.Const = c.Form.Const
	} else {
		right.Const = c.Form.Const.Neg()
	}
	op := " >= "
	if c.Equality {
		op = " = "
	}
	if len(left.Terms) == 0 && len(right.Terms) > 0 {
		left, right = Form{Terms: right.Terms}, Constant(c.Form.Const)
		op = strings.Replace(op, ">", "<", 1)
	}
	return left.Format(name) + op + right.Format(name)
}

// Simplify tightens all constraints and drops those that hold trivially or
// repeat a half-space; the result is one False if one of them has no solution.
func Simplify(cs []Constraint) []Constraint {
	out := make([]Constraint, 0, len(cs))
next:
	for _, c := range cs {
		c = c.Tighten()
		switch {
		case c.IsTrue():
			continue
		case c.IsFalse():
			return []Constraint{False()}
		}
		for i, d := range out {
			if !d.Form.SameTerms(c.Form) {
				continue
			}
			switch {
			case d.Equality && c.Equality:
				if !d.Form.Const.Equal(c.Form.Const) {
					return []Constraint{False()}
				}
			case d.Equality:
				if c.Form.Const.Cmp(d.Form.Const) < 0 {
					return []Constraint{False()}
				}
			case c.Equality:
				if d.Form.Const.Cmp(c.Form.Const) < 0 {
					return []Constraint{False()}
				}
				out[i] = c
			case c.Form.Const.Cmp(d.Form.Const) < 0:
				out[i] = c
			}
			continue next
		}
		for i, d := range out {
			// A half-space and its opposite: an equality, or nothing.
			if !opposite(d.Form, c.Form) {
				continue
			}
			switch s := d.Form.Const.Add(c.Form.Const).Sign(); {
			case s < 0, s > 0 && d.Equality && c.Equality:
				return []Constraint{False()}
			case d.Equality:
				continue next
			case c.Equality:
				out[i] = c
				continue next
			case s == 0:
				out[i] = Constraint{c.Form, true}.Tighten()
				continue next
			}
		}
		out = append(out, c)
	}
	return out
}

// opposite says whether the terms of f are those of -g.
func opposite(f, g Form) bool {
	if len(f.Terms) != len(g.Terms) {
		return false
	}
	for i, t := range f.Terms {
		if u := g.Terms[i]; t.Var != u.Var || !t.Coef.Equal(u.Coef.Neg()) {
			return false
		}
	}
	return true
}
