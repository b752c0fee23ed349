package linear

import (
	"slices"
	"strings"
)

// Var is a variable: an index that the user gives a meaning.
type Var int32

// Term is a coefficient, not 0, and its variable.
type Term struct {
	Var  Var
	Coef Number
}

// Form is an affine form Σ coef·var + const; the terms are sorted by variable.
// Forms are values: the operations make new ones and share nothing that changes.
type Form struct {
	Terms []Term
	Const Number
}

// Constant is the form n.
func Constant(n Number) Form { return Form{Const: n} }

// Variable is the form v.
func Variable(v Var) Form { return Form{Terms: []Term{{v, Int(1)}}} }

// NewForm sums the terms, which may come in any order and repeat variables.
func NewForm(constant Number, terms ...Term) Form {
	ts := slices.Clone(terms)
	slices.SortStableFunc(ts, func(a, b Term) int { return int(a.Var) - int(b.Var) })
	out := ts[:0]
	for _, t := range ts {
		if n := len(out); n > 0 && out[n-1].Var == t.Var {
			out[n-1].Coef = out[n-1].Coef.Add(t.Coef)
		} else {
			out = append(out, t)
		}
	}
	out = slices.DeleteFunc(out, func(t Term) bool { return t.Coef.IsZero() })
	return Form{out, constant}
}

// IsConstant says whether f has no variables.
func (f Form) IsConstant() bool { return len(f.Terms) == 0 }

// IsVariable says whether f is just a variable, and which.
func (f Form) IsVariable() (Var, bool) {
	if len(f.Terms) == 1 && f.Const.IsZero() && f.Terms[0].Coef.IsOne() {
		return f.Terms[0].Var, true
	}
	return 0, false
}

// Coef is the coefficient of v.
func (f Form) Coef(v Var) Number {
	lo, hi := 0, len(f.Terms)
	for lo < hi {
		m := int(uint(lo+hi) >> 1)
		if f.Terms[m].Var < v {
			lo = m + 1
		} else {
			hi = m
		}
	}
	if lo < len(f.Terms) && f.Terms[lo].Var == v {
		return f.Terms[lo].Coef
	}
	return Number{}
}

// replace is terms with k·v replaced by k·by; v must not occur in by.
func replace(terms []Term, v Var, k Number, by []Term) []Term {
	out := make([]Term, 0, len(terms)+len(by))
	j := 0
	for _, t := range terms {
		for j < len(by) && by[j].Var < t.Var {
			out = append(out, Term{by[j].Var, k.Mul(by[j].Coef)})
			j++
		}
		switch {
		case t.Var == v:
		case j < len(by) && by[j].Var == t.Var:
			if c := t.Coef.Add(k.Mul(by[j].Coef)); !c.IsZero() {
				out = append(out, Term{t.Var, c})
			}
			j++
		default:
			out = append(out, t)
		}
	}
	for ; j < len(by); j++ {
		out = append(out, Term{by[j].Var, k.Mul(by[j].Coef)})
	}
	return out
}

// Has says whether v occurs in f.
func (f Form) Has(v Var) bool { return !f.Coef(v).IsZero() }

// AddScaled is f + k·g.
func (f Form) AddScaled(k Number, g Form) Form {
	if k.IsZero() {
		return f
	}
	out := make([]Term, 0, len(f.Terms)+len(g.Terms))
	i, j := 0, 0
	for i < len(f.Terms) || j < len(g.Terms) {
		switch {
		case j == len(g.Terms) || i < len(f.Terms) && f.Terms[i].Var < g.Terms[j].Var:
			out = append(out, f.Terms[i])
			i++
		case i == len(f.Terms) || g.Terms[j].Var < f.Terms[i].Var:
			out = append(out, Term{g.Terms[j].Var, k.Mul(g.Terms[j].Coef)})
			j++
		default:
			if c := f.Terms[i].Coef.Add(k.Mul(g.Terms[j].Coef)); !c.IsZero() {
				out = append(out, Term{f.Terms[i].Var, c})
			}
			i++
			j++
		}
	}
	return Form{out, f.Const.Add(k.Mul(g.Const))}
}

// Add is f + g.
func (f Form) Add(g Form) Form { return f.AddScaled(Int(1), g) }

// Sub is f - g.
func (f Form) Sub(g Form) Form { return f.AddScaled(Int(-1), g) }

// Scale is k·f.
func (f Form) Scale(k Number) Form {
	if k.IsOne() {
		return f
	}
	if k.IsZero() {
		return Form{}
	}
	out := make([]Term, len(f.Terms))
	for i, t := range f.Terms {
		out[i] = Term{t.Var, k.Mul(t.Coef)}
	}
	return Form{out, k.Mul(f.Const)}
}

// Neg is -f.
func (f Form) Neg() Form { return f.Scale(Int(-1)) }

// Plus is f + k.
func (f Form) Plus(k Number) Form { return Form{f.Terms, f.Const.Add(k)} }

// Substitute replaces every variable for which by returns true.
func (f Form) Substitute(by func(Var) (Form, bool)) Form {
	out := Form{Const: f.Const}
	var kept []Term
	changed := false
	for _, t := range f.Terms {
		g, ok := by(t.Var)
		if !ok {
			kept = append(kept, t)
			continue
		}
		changed = true
		out = out.AddScaled(t.Coef, g)
	}
	if !changed {
		return f
	}
	return out.Add(Form{Terms: kept})
}

// SubstituteVar replaces v by g.
func (f Form) SubstituteVar(v Var, g Form) Form {
	c := f.Coef(v)
	if c.IsZero() {
		return f
	}
	return f.AddScaled(c.Neg(), Variable(v)).AddScaled(c, g)
}

// Rename maps every variable; the map must be injective on those of f.
func (f Form) Rename(to func(Var) Var) Form {
	out := make([]Term, len(f.Terms))
	sorted := true
	for i, t := range f.Terms {
		out[i] = Term{to(t.Var), t.Coef}
		sorted = sorted && (i == 0 || out[i-1].Var < out[i].Var)
	}
	if !sorted {
		slices.SortFunc(out, func(a, b Term) int { return int(a.Var) - int(b.Var) })
	}
	return Form{out, f.Const}
}

// Eval is the value of f under the valuation.
func (f Form) Eval(value func(Var) Number) Number {
	s := f.Const
	for _, t := range f.Terms {
		s = s.Add(t.Coef.Mul(value(t.Var)))
	}
	return s
}

// Equal says whether f and g are the same form.
func (f Form) Equal(g Form) bool {
	return f.Const.Equal(g.Const) && slices.EqualFunc(f.Terms, g.Terms, func(a, b Term) bool { return a.Var == b.Var && a.Coef.Equal(b.Coef) })
}

// SameTerms says whether f and g differ in their constants only.
func (f Form) SameTerms(g Form) bool {
	return slices.EqualFunc(f.Terms, g.Terms, func(a, b Term) bool { return a.Var == b.Var && a.Coef.Equal(b.Coef) })
}

// IsIntegral says whether all coefficients and the constant are integers.
func (f Form) IsIntegral() bool {
	if !f.Const.IsInt() {
		return false
	}
	for _, t := range f.Terms {
		if !t.Coef.IsInt() {
			return false
		}
	}
	return true
}

// MaxVar is the greatest variable of f, or -1.
func (f Form) MaxVar() Var {
	if len(f.Terms) == 0 {
		return -1
	}
	return f.Terms[len(f.Terms)-1].Var
}

// Integral is the least positive multiple of f with integer coefficients whose
// terms have no common factor; the constant may stay a fraction.
func (f Form) Integral() Form { return f.Scale(f.integralFactor()) }

func (f Form) integralFactor() Number {
	if len(f.Terms) == 0 {
		return Int(1)
	}
	l, g := Int(1), Number{}
	for _, t := range f.Terms {
		l = lcmNumbers(l, t.Coef.Denominator())
	}
	for _, t := range f.Terms {
		g = GCD(g, t.Coef.Mul(l))
	}
	return l.Div(g)
}

// Format prints f with the names of the variables.
func (f Form) Format(name func(Var) string) string {
	var b strings.Builder
	for _, t := range f.Terms {
		c := t.Coef
		switch {
		case c.Sign() < 0 && b.Len() == 0:
			b.WriteString("-")
			c = c.Neg()
		case c.Sign() < 0:
			b.WriteString(" - ")
			c = c.Neg()
		case b.Len() > 0:
			b.WriteString(" + ")
		}
		if !c.IsOne() {
			b.WriteString(c.String())
			b.WriteString("*")
		}
		b.WriteString(name(t.Var))
	}
	switch {
	case b.Len() == 0:
		return f.Const.String()
	case f.Const.Sign() > 0:
		b.WriteString(" + " + f.Const.String())
	case f.Const.Sign() < 0:
		b.WriteString(" - " + f.Const.Neg().String())
	}
	return b.String()
}
