package cprover

import "strings"

// This file translates contracts of loops. An invariant is an assertion wherever the loop is
// visited, before its condition is evaluated:
//
//	while (c) __CPROVER_loop_invariant(I) s   while (assert(I), (c)) s
//
// So it is proved as any other assertion, and induction, which takes what is asserted at
// earlier visits for given, needs no other invariant where I is inductive.
// __CPROVER_loop_entry(e) is a variable before the loop, behind the first part of a for loop's head, which is
// written before the loop then:
//
//	for (int i = 0; c; i++) …   { int i = 0; … for (; c; i++) … }
//
// What __CPROVER_decreases names is compared at each visit with what it was at the last one, lexicographically: as numbers
// of machines cannot decrease for ever, nothing more is to be shown. __CPROVER_assigns of loops is left out: no
// engine believes it.

// loopClauses are the clauses of loops.
var loopClauses = []string{"__CPROVER_loop_invariant", "__CPROVER_decreases", "__CPROVER_assigns"}

// clausesAt are the clauses that begin at i: the indices of their names, and what is behind.
func (t *translator) clausesAt(i int, names []string) (clauses []int, behind int) {
	for t.is(i, names...) && t.is(i+1, "(") && t.tokens[i+1].pair > 0 {
		clauses = append(clauses, i)
		i = t.tokens[i+1].pair + 1
	}
	return clauses, i
}

// loop writes the head of a loop with invariants; i if it has none.
func (t *translator) loop(i int) int {
	if t.is(i, "do") {
		return t.doLoop(i)
	}
	if !t.is(i+1, "(") || t.tokens[i+1].pair < 0 {
		return i
	}
	closing := t.tokens[i+1].pair
	clauses, behind := t.clausesAt(closing+1, loopClauses)
	if len(clauses) == 0 {
		return i
	}
	asserts := t.asserts(i, clauses)
	t.out.WriteString(t.tokens[i].before)
	first, second := t.semicolons(i+1, closing)
	if t.is(i, "for") && second < 0 {
		t.fail(i, "a for loop without two semicolons")
	}
	start := i + 2
	if declarations, ok := t.behind[-1-i]; ok && t.is(i, "for") {
		t.out.WriteString("{ ")
		t.sequence(start, first+1)
		t.behind[-1-i] = strings.TrimPrefix(declarations, "{")
		start = first
	}
	t.enter(i)
	t.out.WriteString(t.tokens[i].text + t.tokens[i+1].before + "(")
	if t.is(i, "while") {
		t.out.WriteString(asserts + "(")
		t.sequence(i+2, closing)
		t.out.WriteString(")")
	} else {
		t.sequence(start, first+1)
		condition := first+1 < second
		t.out.WriteString(asserts + "(")
		if condition {
			t.sequence(first+1, second)
		} else {
			t.out.WriteString("1")
		}
		t.out.WriteString(")")
		t.sequence(second, closing)
	}
	t.out.WriteString(")" + t.lines(closing, behind))
	return behind
}

// doLoop writes a do loop, whose clauses stand before its body or behind its condition.
func (t *translator) doLoop(i int) int {
	hi := len(t.tokens) - 1
	clauses, body := t.clausesAt(i+1, loopClauses)
	last := t.statement(body, hi)
	if last < 0 || !t.is(last, "while") || !t.is(last+1, "(") || t.tokens[last+1].pair < 0 {
		return i
	}
	more, behind := t.clausesAt(t.tokens[last+1].pair+1, loopClauses)
	if clauses = append(clauses, more...); len(clauses) == 0 {
		return i
	}
	asserts := t.asserts(i, clauses)
	t.out.WriteString(t.tokens[i].before)
	t.enter(i)
	t.out.WriteString("do {" + t.lines(i+1, body) + asserts + "0;")
	t.sequence(body, last)
	t.out.WriteString("}" + t.tokens[last].before + "while" + t.tokens[last+1].before + "(")
	t.sequence(last+2, t.tokens[last+1].pair)
	t.out.WriteString(")")
	t.out.WriteString(t.lines(t.tokens[last+1].pair+1, behind))
	return behind
}

// semicolons are those of the head of a for loop.
func (t *translator) semicolons(open, closing int) (first, second int) {
	first, second = -1, -1
	for j := open + 1; j < closing; j = t.after(j, closing) {
		if t.is(j, ";") {
			if first < 0 {
				first = j
			} else if second < 0 {
				second = j
			}
		}
	}
	return first, second
}

// asserts is the text of the invariants among the clauses, as operands of a comma; what they
// say of the entry of the loop becomes variables, which enter declares.
func (t *translator) asserts(loop int, clauses []int) string {
	outer := t.clause
	t.clause = &clauseContext{old: "__CPROVER_loop_entry"}
	var b strings.Builder
	for _, c := range clauses {
		if t.tokens[c].text == "__CPROVER_loop_invariant" {
			for _, x := range t.operands(c + 1) {
				b.WriteString("__CPROVER_assert(" + t.translated(x[0], x[1]) + ", " + quoted("loop invariant "+t.source(x[0], x[1])) + "), ")
			}
		}
		if t.tokens[c].text == "__CPROVER_decreases" {
			b.WriteString(t.decreases(c))
		}
	}
	declarations := t.clause.declarations
	t.clause = outer
	if declarations == "" {
		return b.String()
	}
	last := t.statementOf(loop)
	if last < 0 {
		t.fail(loop, "the loop has no end")
	}
	if t.behind == nil {
		t.behind = map[int]string{}
	}
	t.behind[last] += " }"
	t.entered(loop, "{ "+declarations)
	return b.String()
}

// decreases is the text of such a clause, as an operand of a comma.
func (t *translator) decreases(c int) string {
	later := t.variable("later")
	t.clause.declarations += "_Bool " + later + " = 0; "
	var now, keep, less string
	equal := "1"
	for _, x := range t.operands(c + 1) {
		e := t.translated(x[0], x[1])
		n, last := t.variable("now"), t.variable("last")
		t.clause.declarations += "__typeof__((" + e + ") + 0) " + last + " = 0; "
		now += "__typeof__((" + e + ") + 0) " + n + " = (" + e + "); "
		keep += last + " = " + n + "; "
		if less != "" {
			less += " || "
		}
		less += "(" + equal + " && " + n + " < " + last + ")"
		equal += " && " + n + " == " + last
	}
	if less == "" {
		return ""
	}
	return "({ " + now + "if (" + later + ") __CPROVER_assert(" + less + ", " + quoted("decreases "+t.source(c+2, t.tokens[c+1].pair)) + "); " + keep + later + " = 1; }), "
}

// entered notes what is written before a loop, enter writes it.
func (t *translator) entered(loop int, s string) {
	if t.behind == nil {
		t.behind = map[int]string{}
	}
	t.behind[-1-loop] = s
}

func (t *translator) enter(loop int) {
	if s, ok := t.behind[-1-loop]; ok {
		t.out.WriteString(s)
		delete(t.behind, -1-loop)
	}
}

// statementOf is the last token of the statement at i, -1 if it has no end.
func (t *translator) statementOf(i int) int {
	if n := t.statement(i, len(t.tokens)-1); n > 0 {
		return n - 1
	}
	return -1
}

// statement is the index behind the statement at i, -1 if it has no end.
func (t *translator) statement(i, hi int) int {
	switch {
	case i >= hi:
		return -1
	case t.is(i, "{"):
		return t.tokens[i].pair + 1
	case t.is(i, "if", "while", "for", "switch"):
		if !t.is(i+1, "(") || t.tokens[i+1].pair < 0 {
			return -1
		}
		_, body := t.clausesAt(t.tokens[i+1].pair+1, loopClauses)
		n := t.statement(body, hi)
		if n > 0 && t.is(i, "if") && t.is(n, "else") {
			return t.statement(n+1, hi)
		}
		return n
	case t.is(i, "do"):
		_, body := t.clausesAt(i+1, loopClauses)
		n := t.statement(body, hi)
		if n < 0 || !t.is(n, "while") || !t.is(n+1, "(") || t.tokens[n+1].pair < 0 {
			return -1
		}
		_, n = t.clausesAt(t.tokens[n+1].pair+1, loopClauses)
		return n + 1
	}
	for j := i; j < hi; j = t.after(j, hi) {
		if t.is(j, ";") {
			return j + 1
		}
		if t.is(j, ":") && t.tokens[i].kind == word && (j == i+1 || t.is(i, "case", "default")) {
			return t.statement(j+1, hi)
		}
	}
	return -1
}

// quoted is a string literal.
func quoted(s string) string {
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", " ").Replace(s) + `"`
}
