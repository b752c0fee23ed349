package cprover

import "strings"

// This file translates quantifiers over integers. Such a claim is about the numbers between
// two bounds, which are read off its body:
//
//	forall { T i; a ==> b }   lower and upper bounds among the conjuncts of a
//	exists { T i; a && b }    among those of the body
//	exists/forall over a type of 8 bits: its bounds, if there are none
//
// It becomes a loop that evaluates the whole body for each number from the first that the lower
// bound allows, while the upper bounds hold. So it means the same: numbers outside make a
// forall true and an exists false. The counter has the common type of i and the
// bounds, as comparisons have; where a bound may be negative and that type is
// unsigned, a comparison does not mean what it says, and the run is not decided.

// isQuantifier says that a quantifier begins at i.
func (t *translator) isQuantifier(i int) bool {
	return i >= 0 && t.is(i, "__CPROVER_forall", "__CPROVER_exists") && t.is(i+1, "{") && t.tokens[i+1].pair > 0
}

// quantifier writes the loop for the quantifier at i.
func (t *translator) quantifier(i int) int {
	all := t.tokens[i].text == "__CPROVER_forall"
	lo, hi := i+2, t.tokens[i+1].pair
	if t.count(lo, hi, "__CPROVER_is_fresh") > 0 {
		t.fail(i, "__CPROVER_is_fresh in a quantifier: name the objects one by one")
	}
	semicolon := lo
	for semicolon < hi && !t.is(semicolon, ";") {
		semicolon = t.after(semicolon, hi)
	}
	if semicolon >= hi || semicolon-lo < 2 || t.tokens[semicolon-1].kind != word {
		t.fail(i, "a quantifier needs a variable: { int i; … }")
	}
	name, typ := t.tokens[semicolon-1].text, t.source(lo, semicolon-1)
	from, to := semicolon+1, hi
	for to > from && t.is(to-1, ";") {
		to--
	}
	from, to = t.unwrap(from, to)
	range1 := [2]int{from, to}
	if all {
		arrow := -1
		for j := from; j < to; j = t.after(j, to) {
			if t.is(j, "==>") {
				arrow = j
				break
			}
		}
		switch {
		case arrow >= 0:
			range1 = [2]int{from, arrow}
		default: // !(a) || b
			range1 = t.negatedPremise(from, to)
		}
	}
	lower, upper := t.bounds(range1, name)
	if len(upper) == 0 || len(lower) == 0 && !strings.Contains(typ, "unsigned") && !strings.Contains(typ, "size_t") && !strings.Contains(typ, "uint") {
		t.fail(i, "the quantifier over %s has no bounds: write { %s %s; (0 <= %s && %s < n) ==> … }", name, typ, name, name, name)
	}
	start := "0"
	if len(lower) > 0 {
		start = lower[0].text
	}
	common := "(" + typ + ")0 + (" + start + ")"
	for _, u := range upper {
		common += " + (" + u.bound + ")"
	}
	body := t.translated(semicolon+1, hi)
	body = strings.TrimRight(body, "; ")
	k, r, first := t.variable("k"), t.variable("r"), t.variable("first")
	result, hit := "1", "!("+body+")"
	if !all {
		result, hit = "0", "("+body+")"
	}
	var b strings.Builder
	b.WriteString("({ _Bool " + r + " = " + result + "; ")
	b.WriteString("__typeof__(" + start + ") " + first + " = (" + start + "); ")
	b.WriteString("if (" + first + " < 0 && (__typeof__(" + common + "))-1 > 0) __CPROVER_undecided(\"a quantifier with a negative bound that is compared with an unsigned one\"); ")
	b.WriteString("for (__typeof__(" + common + ") " + k + " = " + first + "; ; ) { ")
	b.WriteString(typ + " " + name + " = (" + typ + ")" + k + "; ")
	stop := "(__typeof__(" + common + "))" + name + " != " + k
	for _, u := range upper {
		stop += " || !(" + u.text + ")"
	}
	b.WriteString("if (" + stop + ") break; ")
	b.WriteString("if (" + hit + ") { " + r + " = !" + r + "; break; } ")
	b.WriteString("if (__builtin_add_overflow(" + k + ", 1, &" + k + ")) break; } " + r + "; })")
	t.out.WriteString(t.tokens[i].before + b.String() + t.lines(i+1, hi+1))
	return hi + 1
}

// unwrap leaves out brackets around a whole range.
func (t *translator) unwrap(lo, hi int) (int, int) {
	for lo < hi && t.is(lo, "(") && t.tokens[lo].pair == hi-1 {
		lo, hi = lo+1, hi-1
	}
	return lo, hi
}

// negatedPremise is a where the range is !(a) || b, else an empty range.
func (t *translator) negatedPremise(lo, hi int) [2]int {
	if t.is(lo, "!") && t.is(lo+1, "(") && t.is(t.tokens[lo+1].pair+1, "||") {
		return [2]int{lo + 2, t.tokens[lo+1].pair}
	}
	return [2]int{lo, lo}
}

// bound is a bound of a variable: for a lower one its text is the first number, for an upper
// one the comparison.
type bound struct{ text, bound string }

// bounds are those of a variable among the conjuncts of a range.
func (t *translator) bounds(r [2]int, name string) (lower, upper []bound) {
	lo, hi := t.unwrap(r[0], r[1])
	begin := lo
	for j := lo; j <= hi; j++ {
		if j < hi && !t.is(j, "&&") {
			if p := t.tokens[j].pair; p > j && p < hi {
				j = p
			}
			if t.is(j, "||") {
				return nil, nil // no conjunction
			}
			continue
		}
		if a, b := t.unwrap(begin, j); t.isConjunction(a, b) {
			l, u := t.bounds([2]int{a, b}, name)
			lower, upper = append(lower, l...), append(upper, u...)
		} else if l, u := t.comparison(a, b, name); l != nil || u != nil {
			lower, upper = append(lower, l...), append(upper, u...)
		}
		begin = j + 1
	}
	return lower, upper
}

func (t *translator) isConjunction(lo, hi int) bool {
	for j := lo; j < hi; j = t.after(j, hi) {
		if t.is(j, "&&") {
			return true
		}
	}
	return false
}

// comparison reads bounds off a comparison, or a chain 0 <= i < n, which C does not take
// for one: that is none.
func (t *translator) comparison(lo, hi int, name string) (lower, upper []bound) {
	at := -1
	for j := lo; j < hi; j = t.after(j, hi) {
		if t.is(j, "<", "<=", ">", ">=") {
			if at >= 0 {
				return nil, nil
			}
			at = j
		} else if t.is(j, "==", "!=", "?", "||") {
			return nil, nil
		}
	}
	if at < 0 {
		return nil, nil
	}
	op := t.tokens[at].text
	left, right := t.isName(lo, at, name), t.isName(at+1, hi, name)
	var other string
	switch {
	case left && !right:
		other = t.translated(at+1, hi)
	case right && !left:
		other = t.translated(lo, at)
		op = map[string]string{"<": ">", "<=": ">=", ">": "<", ">=": "<="}[op]
	default:
		return nil, nil
	}
	for _, w := range t.words(lo, hi) {
		if w == name && t.count(lo, hi, name) > 1 {
			return nil, nil // i < i + 1
		}
	}
	switch op {
	case "<", "<=":
		return nil, []bound{{t.translated(lo, hi), other}}
	case ">":
		return []bound{{"(" + other + ") + 1", other}}, nil
	}
	return []bound{{other, other}}, nil
}

// isName says that a range is a variable.
func (t *translator) isName(lo, hi int, name string) bool {
	lo, hi = t.unwrap(lo, hi)
	return hi == lo+1 && t.is(lo, name)
}

func (t *translator) words(lo, hi int) (out []string) {
	for i := lo; i < hi; i++ {
		if t.tokens[i].kind == word {
			out = append(out, t.tokens[i].text)
		}
	}
	return out
}

func (t *translator) count(lo, hi int, name string) (n int) {
	for _, w := range t.words(lo, hi) {
		if w == name {
			n++
		}
	}
	return n
}
