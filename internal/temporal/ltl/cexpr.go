package ltl

import "strings"

// This file reads the C expressions within formulas. Their grammar and types are
// clang's matter. What is decided here is where an expression ends, that its
// brackets match, and that it changes nothing by an operator.

// assignments are the operators that change something.
var assignments = []string{"=", "+=", "-=", "*=", "/=", "%=", "&=", "^=", "|=", "<<=", ">>=", "++", "--"}

// foreign are the operators that no C expression has.
var foreign = []string{"<==>", "==>", "<->", "<=>", "=>", "<>", "[]", "^^", "...", ";"}

// closing are the brackets.
var closing = map[string]string{"(": ")", "[": "]", "{": "}"}

// inner reads C tokens from at until the bracket that closes, which is not among
// them. whole is what an error about a missing bracket points at.
func (p *parser) inner(at int, closes string, whole Span) ([]token, error) {
	var all []token
	open := []string{closes}
	for {
		t := scan(p.src.Text, at)
		at = t.span.End
		switch {
		case t.kind == endToken:
			return nil, p.errorf(whole, "", "this has no closing %s", open[len(open)-1])
		case t.is(")", "]", "}"):
			if t.text != open[len(open)-1] {
				return nil, p.errorf(t.span, "", "%s where %s is expected", t.text, open[len(open)-1])
			}
			if open = open[:len(open)-1]; len(open) == 0 {
				return all, nil
			}
		case t.is("(", "[", "{"):
			open = append(open, closing[t.text])
		default:
			if err := p.pure(t); err != nil {
				return nil, err
			}
		}
		all = append(all, t)
	}
}

// pure refuses what no observation may have in it.
func (p *parser) pure(t token) error {
	switch {
	case t.kind == badToken:
		return p.errorf(t.span, "", "this is no part of a C expression")
	case t.is(assignments...):
		hint := ""
		if t.text == "=" {
			hint = "equality is =="
		}
		return p.errorf(t.span, hint, "the operator %s has a side effect: atoms only observe", t.text)
	case t.is(foreign...):
		return p.errorf(t.span, "", "%s is no operator of C", t.text)
	}
	return nil
}

// binaryC are the C operators that a bare atom may go on with after an operand,
// but for those that formulas have, too.
var binaryC = []string{"+", "-", "*", "/", "%", "<<", ">>", "<", ">", "<=", ">=", "==", "!=", "&", "|", "^"}

// bare reads a C expression that stands in a formula without AP( ): it ends before
// an operator of formulas, and at a bracket that it has not opened. compound says
// that it has a binary operator outside of brackets.
func (p *parser) bare() (atom Formula, compound bool, err error) {
	var all []token
	operand := true // an operand is expected
loop:
	for {
		t := p.tok
		switch {
		case t.is("?"):
			return nil, false, p.errorf(t.span, "write AP(…) around the C expression", "a conditional expression needs AP(…)")
		case t.is(","):
			return nil, false, p.errorf(t.span, "", "a comma outside of AP(…)")
		case t.is(assignments...) || t.kind == badToken:
			return nil, false, p.pure(t)
		case t.kind == nameToken && reserved(t.text) && !(len(all) > 0 && all[len(all)-1].is(".", "->")):
			if operand {
				return nil, false, p.errorf(t.span, "write AP(…) around the C expression if this is a variable", "the operator %s stands where C needs an operand", t.text)
			}
			break loop
		case operand && t.is("(") || !operand && t.is("(", "["):
			start := t.span
			content, err := p.inner(t.span.End, closing[t.text], start)
			if err != nil {
				return nil, false, err
			}
			for _, c := range content {
				if c.kind == nameToken && reserved(c.text) || c.kind == stringToken {
					return nil, false, p.errorf(c.span, "write AP(…) around C expressions", "%s within a C expression", c.text)
				}
			}
			all = append(append(all, t), content...)
			if len(content) > 0 {
				p.jump(content[len(content)-1].span.End)
			} else {
				p.jump(t.span.End)
			}
			t, operand = p.tok, false
		case operand && t.is("!", "~", "-", "+", "*", "&"):
		case !operand && t.is(binaryC...):
			compound, operand = true, true
		case !operand && t.is("->"):
			arrow, err := p.arrow(all[len(all)-1].span.End, t)
			if err != nil {
				return nil, false, err
			}
			if !arrow {
				break loop
			}
			operand = true
		case !operand && t.is("."):
			operand = true
		case t.kind == nameToken || t.kind == numberToken || t.kind == charToken:
			// After a closing parenthesis this is the operand of a cast.
			if !operand && !all[len(all)-1].is(")") {
				return nil, false, p.errorf(t.span, "", "an operator is missing before this")
			}
			operand = false
		default:
			break loop
		}
		all = append(all, t)
		p.next()
	}
	if operand {
		return nil, false, p.errorf(p.tok.span, "", "an operand is missing here")
	}
	return p.atom(CAtom, all), compound, nil
}

// arrow says that -> after C, which ends at a place, is C's arrow and no implication: a
// name follows. With blanks around it that is what people write for an implication,
// too, and an error.
func (p *parser) arrow(end int, t token) (bool, error) {
	next := scan(p.src.Text, t.span.End)
	blanks := t.span.Start > end || next.span.Start > t.span.End
	switch {
	case next.kind != nameToken || blanks && (reserved(next.text) || next.text == "AP" || next.text == "true" || next.text == "false"):
		return false, nil
	case blanks:
		return false, p.errorf(t.span, "write ==> for the implication, or C's arrow without blanks", "-> may be an implication or C's arrow here")
	}
	return true, nil
}

// cText prints C tokens in one way, whatever the blanks were: blanks around binary
// operators, none elsewhere but where tokens would grow together.
func cText(tokens []token) string {
	var b strings.Builder
	operand := false // the last token ends an operand
	for i, t := range tokens {
		binary := operand && t.kind == punctToken && !t.is(")", "]", "}", "(", "[", ".", "->", ",", "++", "--")
		if i > 0 {
			last := tokens[i-1]
			wordBreak := last.kind != punctToken && t.kind != punctToken
			if binary || b.String()[b.Len()-1] != ' ' && (wordBreak || merges(last.text, t.text)) {
				b.WriteByte(' ')
			}
		}
		b.WriteString(t.text)
		if binary || t.is(",") {
			b.WriteByte(' ')
		}
		operand = t.kind != punctToken || t.is(")", "]", "}")
	}
	return strings.TrimSpace(b.String())
}

// merges says that two tokens would be read otherwise without a blank.
func merges(a, b string) bool {
	t := scan(a+b, 0)
	return t.text != a || scan(a+b, len(a)).text != b
}
