package linear

import "strings"

// WriteSMT writes f, whose coefficients must be integers, as an SMT-LIB term of
// sort Int.
func (f Form) WriteSMT(b *strings.Builder, name func(Var) string) {
	n := len(f.Terms)
	if !f.Const.IsZero() || n == 0 {
		n++
	}
	if n > 1 {
		b.WriteString("(+")
	}
	for _, t := range f.Terms {
		if n > 1 {
			b.WriteByte(' ')
		}
		if t.Coef.IsOne() {
			b.WriteString(name(t.Var))
			continue
		}
		b.WriteString("(* ")
		writeInt(b, t.Coef)
		b.WriteString(" " + name(t.Var) + ")")
	}
	if !f.Const.IsZero() || len(f.Terms) == 0 {
		if n > 1 {
			b.WriteByte(' ')
		}
		writeInt(b, f.Const)
	}
	if n > 1 {
		b.WriteByte(')')
	}
}

func writeInt(b *strings.Builder, n Number) {
	if !n.IsInt() {
		panic("linear: a fraction in a term of sort Int")
	}
	if n.Sign() < 0 {
		b.WriteString("(- " + n.Neg().String() + ")")
		return
	}
	b.WriteString(n.String())
}

// WriteSMT writes c as an SMT-LIB formula over integers.
func (c Constraint) WriteSMT(b *strings.Builder, name func(Var) string) {
	f := c.Form
	if l := f.Const.Denominator(); !l.IsOne() || !f.IsIntegral() {
		for _, t := range f.Terms {
			l = lcmNumbers(l, t.Coef.Denominator())
		}
		f = f.Scale(l)
	}
	if c.Equality {
		b.WriteString("(= 0 ")
	} else {
		b.WriteString("(<= 0 ")
	}
	f.WriteSMT(b, name)
	b.WriteByte(')')
}
