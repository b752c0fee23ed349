package rewrite

import (
	"fmt"
	"math/big"
	"strings"

	"assay/internal/integers/equations"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// This file writes conditions in C.

// relations are the negations of comparisons.
var relations = map[string]string{"<": ">=", "<=": ">", ">": "<=", ">=": "<", "==": "!=", "!=": "=="}

// exchanged are the comparisons with operands exchanged.
var exchanged = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<=", "==": "==", "!=": "!="}

// literal is a number as C writes it; false if there is none.
func literal(n *big.Int) (string, bool) { return n.String(), n.IsInt64() && n.Int64() != -1<<63 }

// comparisonOf compares a form with 0, without signs of minus: what is subtracted is on the other side. False if a
// number has no literal.
func comparisonOf(f linear.Form, relation string, name func(linear.Var) string) (positive, negative string, ok bool) {
	f = lowest(f)
	if f.IsConstant() {
		return truth(f.Const.Sign(), relation), truth(f.Const.Sign(), relations[relation]), true
	}
	var sides [2][]string
	ok = true
	add := func(n linear.Number, name string) {
		side := 0
		if n.Sign() < 0 {
			side = 1
		}
		text, fits := literal(n.Abs().BigInt())
		ok = ok && fits
		switch {
		case name == "":
		case n.Abs().IsOne():
			text = name
		default:
			text += " * " + name
		}
		sides[side] = append(sides[side], text)
	}
	for _, t := range f.Terms {
		add(t.Coef, name(t.Var))
	}
	if !f.Const.IsZero() {
		add(f.Const, "")
	}
	var text [2]string
	for i, s := range sides {
		if text[i] = strings.Join(s, " + "); len(s) == 0 {
			text[i] = "0"
		}
	}
	if len(f.Terms) > 0 && f.Terms[0].Coef.Sign() < 0 {
		text[0], text[1] = text[1], text[0]
		relation = exchanged[relation]
	}
	return fmt.Sprintf("%s %s %s", text[0], relation, text[1]), fmt.Sprintf("%s %s %s", text[0], relations[relation], text[1]), ok
}

// lowest is a positive multiple with integers that have no common divisor.
func lowest(f linear.Form) linear.Form {
	factor := linear.Int(1)
	numbers := []linear.Number{f.Const}
	for _, t := range f.Terms {
		numbers = append(numbers, t.Coef)
	}
	for _, n := range numbers {
		d := n.Denominator()
		factor = factor.Mul(d).Div(linear.GCD(factor, d))
	}
	f = f.Scale(factor)
	divisor := f.Const.Abs()
	for _, t := range f.Terms {
		divisor = linear.GCD(divisor, t.Coef.Abs())
	}
	if divisor.Sign() > 0 {
		f = f.Scale(divisor.Inv())
	}
	return f
}

// truth is 1 or 0, for a number of which the sign is known.
func truth(sign int, relation string) string {
	holds := map[string]bool{"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "==": sign == 0, "!=": sign != 0}
	if holds[relation] {
		return "1"
	}
	return "0"
}

// within says that a variable is in one of the pieces, or in none; pieces are in order.
func within(pieces []equations.Piece, name string) (in, out string) {
	var yes, no []string
	between := func(low, high *big.Int) string {
		switch {
		case low == nil && high == nil:
			return "1"
		case low == nil:
			return fmt.Sprintf("%s <= %v", name, high)
		case high == nil:
			return fmt.Sprintf("%s >= %v", name, low)
		case low.Cmp(high) == 0:
			return fmt.Sprintf("%s == %v", name, low)
		}
		return fmt.Sprintf("%s >= %v && %s <= %v", name, low, name, high)
	}
	next, ended := (*big.Int)(nil), false
	for i, p := range pieces {
		yes = append(yes, between(p.Low, p.High))
		if p.Low != nil {
			before := new(big.Int).Sub(p.Low, big.NewInt(1))
			if i == 0 || next.Cmp(before) <= 0 {
				no = append(no, between(next, before))
			}
		}
		if ended = p.High == nil; !ended {
			next = new(big.Int).Add(p.High, big.NewInt(1))
		}
	}
	if !ended {
		no = append(no, between(next, nil))
	}
	either := func(list []string) string {
		if len(list) == 0 {
			return "0"
		}
		if len(list) > 1 {
			for i, t := range list {
				if strings.Contains(t, "&&") {
					list[i] = "(" + t + ")"
				}
			}
		}
		return strings.Join(list, " || ")
	}
	return either(yes), either(no)
}

// notNegative are polynomials in one variable that are not negative, or 0 if zero, exactly where a comparison of
// the polynomial with 0 is true, or false if negated.
func notNegative(p rational.Polynomial, relation string) (q rational.Polynomial, zero, negated bool) {
	minus := rational.Polynomial{}.AddScaled(linear.Int(-1), p)
	one := rational.Constant(linear.Int(1))
	switch relation {
	case "<":
		return minus.AddScaled(linear.Int(-1), one), false, false
	case "<=":
		return minus, false, false
	case ">":
		return p.AddScaled(linear.Int(-1), one), false, false
	case ">=":
		return p, false, false
	}
	return p, true, relation == "!="
}
