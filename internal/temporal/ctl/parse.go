package ctl

import (
	"fmt"
	"strings"
)

// This file parses formulas. Operators are written in the ways that tools do:
//
//	[AG](f)   AG(f)   AG{f}   AG f     and so X, F, G of A and E
//	[AW](f, g)   AW(f, g)   AW{f}{g}   A[f U g]   E[f W g]     and so U and W
//	A F(G f)   E(F f && G g)   A(X f U g)                      path formulas of CTL* (star.go)
//	!f   NOT{f}   f && g   AND{f}{g}   f || g   OR{f}{g}   f ==> g   f -> g
//	AP(condition)   condition   label: condition
//
// A condition reaches up to the next operator of the logic outside of its parentheses.
// Conditions that are joined by && and || are atoms of their own.

// Error is a mistake in a formula.
type Error struct {
	Text    string // the formula
	At      int    // in bytes
	Message string
}

func (e *Error) Error() string {
	line := strings.ReplaceAll(e.Text, "\n", " ")
	return fmt.Sprintf("%s\n  %s\n  %s^", e.Message, line, strings.Repeat(" ", len([]rune(line[:min(e.At, len(line))]))))
}

// Parse parses a formula. The error is an *Error.
func Parse(text string) (f Formula, err error) {
	p := &parser{text: text}
	defer func() {
		if r := recover(); r != nil {
			e, ok := r.(*Error)
			if !ok {
				panic(r)
			}
			f, err = nil, e
		}
	}()
	f = p.implication()
	if p.skip(); p.at < len(p.text) {
		p.fail("an operator or the end is expected here")
	}
	return f, nil
}

type parser struct {
	text  string
	at    int
	depth int
}

const maxDepth = 1000

func (p *parser) fail(format string, args ...any) {
	panic(&Error{p.text, p.at, fmt.Sprintf(format, args...)})
}

func (p *parser) skip() {
	for p.at < len(p.text) && strings.IndexByte(" \t\r\n", p.text[p.at]) >= 0 {
		p.at++
	}
}

// accept takes one of the texts.
func (p *parser) accept(list ...string) bool {
	p.skip()
	for _, s := range list {
		if strings.HasPrefix(p.text[p.at:], s) {
			p.at += len(s)
			return true
		}
	}
	return false
}

func (p *parser) expect(s string) {
	if !p.accept(s) {
		p.fail("%q is expected here", s)
	}
}

func (p *parser) implication() Formula {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
	defer func() { p.depth-- }()
	f := p.disjunction()
	if p.accept("==>", "=>", "->") {
		return Or{Not{f}, p.implication()}
	}
	return f
}

func (p *parser) disjunction() Formula {
	f := p.conjunction()
	for p.accept("||") {
		f = Or{f, p.conjunction()}
	}
	return f
}

func (p *parser) conjunction() Formula {
	f := p.unary()
	for p.accept("&&") {
		f = And{f, p.unary()}
	}
	return f
}

// word is the name that begins here.
func (p *parser) word() string {
	end := p.at
	for end < len(p.text) && letter(p.text[end]) {
		end++
	}
	return p.text[p.at:end]
}

func letter(c byte) bool {
	return c == '_' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'
}

func (p *parser) unary() Formula {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
	defer func() { p.depth-- }()
	p.skip()
	if p.at == len(p.text) {
		p.fail("a formula is expected here")
	}
	start := p.at
	if p.text[p.at] == '!' && p.structured(p.at+1) {
		p.at++
		return Not{p.unary()}
	}
	if p.text[p.at] == '[' {
		p.at++
		op := p.word()
		p.at += len(op)
		if !p.accept("]") || !operator(op) {
			p.at = start
			p.fail("an operator like [AG] is expected here")
		}
		return p.temporal(op)
	}
	word := p.word()
	after := strings.TrimLeft(p.text[p.at+len(word):], " \t\r\n")
	follows := func(set string) bool { return after != "" && strings.IndexByte(set, after[0]) >= 0 }
	switch {
	case word == "AP" && follows("("):
		p.at += len(word)
		p.expect("(")
		f := p.raw(p.closing('('))
		p.expect(")")
		return f
	case (word == "AND" || word == "OR" || word == "NOT") && follows("{"):
		p.at += len(word)
		f := p.braced()
		switch word {
		case "AND":
			return And{f, p.braced()}
		case "OR":
			return Or{f, p.braced()}
		}
		return Not{f}
	case p.quantifies(word):
		p.at += len(word)
		return p.star(word == "A", start)
	case operator(word) && (follows("({[!") || after != "" && letter(after[0])):
		p.at += len(word)
		return p.temporal(word)
	case word == "true" && !follows("=<>!+-*/%"):
		p.at += len(word)
		return Constant(true)
	case word == "false" && !follows("=<>!+-*/%"):
		p.at += len(word)
		return Constant(false)
	}
	if p.text[p.at] == '(' && p.group() {
		p.at++
		f := p.implication()
		p.expect(")")
		return f
	}
	return p.raw(p.extent())
}

// operator says whether a word is a temporal operator.
func operator(word string) bool {
	return len(word) == 2 && (word[0] == 'A' || word[0] == 'E') && strings.IndexByte("XFGUW", word[1]) >= 0
}

// temporal parses the operands of an operator.
func (p *parser) temporal(op string) Formula {
	q := Quantifier(op[0] == 'A')
	one := func() Formula {
		if p.skip(); p.at < len(p.text) && p.text[p.at] == '{' {
			return p.braced()
		}
		return p.unary()
	}
	switch op[1] {
	case 'X':
		return Next{q, one()}
	case 'F':
		return Finally(q, one())
	case 'G':
		return Globally(q, one())
	}
	var f, g Formula
	if p.skip(); p.at < len(p.text) && p.text[p.at] == '{' {
		f, g = p.braced(), p.braced()
	} else {
		p.expect("(")
		f = p.implication()
		if p.accept(",") {
			g = p.implication()
			p.expect(")")
		} else { // [AW](f), (g)
			p.expect(")")
			p.expect(",")
			p.expect("(")
			g = p.implication()
			p.expect(")")
		}
	}
	if op[1] == 'U' {
		return Until{q, f, g}
	}
	return Weak{q, f, g}
}

func (p *parser) braced() Formula {
	p.expect("{")
	f := p.implication()
	p.expect("}")
	return f
}

// structured says whether what begins there is a formula and no condition: an operator
// or a group follows.
func (p *parser) structured(at int) bool {
	q := &parser{text: p.text, at: at}
	if q.skip(); q.at == len(q.text) {
		return false
	}
	switch q.text[q.at] {
	case '[', '!':
		return true
	case '(':
		return q.group()
	}
	w := q.word()
	return operator(w) || w == "AP" || w == "NOT" || w == "AND" || w == "OR" || w == "true" || w == "false" || w == "A" || w == "E"
}

// group says whether the parenthesis here holds a formula: nothing of a condition follows it.
func (p *parser) group() bool {
	end := matching(p.text, p.at)
	if end < 0 {
		p.fail("this parenthesis is not closed")
	}
	rest := strings.TrimLeft(p.text[end+1:], " \t\r\n")
	if rest == "" {
		return true
	}
	for _, s := range []string{"&&", "||", "==>", "=>", "->", ")", "}", "]", ",", "U ", "W "} {
		if strings.HasPrefix(rest, s) {
			return true
		}
	}
	return false
}

// matching is the place of the bracket that closes the one at a place, -1 if there is none.
func matching(text string, at int) int {
	var stack []byte
	for i := at; i < len(text); i++ {
		switch c := text[i]; c {
		case '(':
			stack = append(stack, ')')
		case '[':
			stack = append(stack, ']')
		case '{':
			stack = append(stack, '}')
		case ')', ']', '}':
			if len(stack) == 0 || stack[len(stack)-1] != c {
				return -1
			}
			if stack = stack[:len(stack)-1]; len(stack) == 0 {
				return i
			}
		}
	}
	return -1
}

// closing is where the bracket ends that was just opened.
func (p *parser) closing(open byte) int {
	end := matching(p.text, p.at-1)
	if end < 0 {
		p.fail("%q is not closed", open)
	}
	return end
}

// extent is where a condition ends that begins here.
func (p *parser) extent() int {
	for i := p.at; i < len(p.text); i++ {
		rest := p.text[i:]
		switch {
		case rest[0] == '(' || rest[0] == '[':
			end := matching(p.text, i)
			if end < 0 {
				p.at = i
				p.fail("%q is not closed", rest[0])
			}
			i = end
		case strings.IndexByte(")}],", rest[0]) >= 0, strings.HasPrefix(rest, "&&"), strings.HasPrefix(rest, "||"),
			strings.HasPrefix(rest, "==>"), strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, "->") && i > p.at && !letter(p.text[i-1]),
			(strings.HasPrefix(rest, "U ") || strings.HasPrefix(rest, "W ")) && i > p.at && p.text[i-1] == ' ':
			return i
		}
	}
	return len(p.text)
}

// raw is the condition up to a place.
func (p *parser) raw(end int) Formula {
	p.skip()
	text := strings.TrimSpace(p.text[p.at:max(p.at, end)])
	if text == "" {
		p.fail("a condition is expected here")
	}
	a := Atom{Text: text, At: p.at}
	if i := strings.IndexByte(text, ':'); i > 0 && !strings.HasPrefix(text[i:], "::") && strings.Trim(text[:i], "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == "" {
		a.Label, a.Text = text[:i], strings.TrimSpace(text[i+1:])
		if a.At += i + 1; a.Text == "" {
			p.fail("a condition is expected after the label")
		}
	}
	p.at = end
	if a.Label == "" && (a.Text == "true" || a.Text == "false") {
		return Constant(a.Text == "true")
	}
	return a
}
