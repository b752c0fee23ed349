package ltl

import (
	"fmt"
	"strings"
)

// This file parses formulas, by precedence climbing. From those that bind least:
//
//	<==> <->          left
//	==>  ->           right
//	||                left
//	^^                left
//	&&                left
//	U  W WU  R V      left
//	[] <> X F G !     prefix; GF and the like are rows of them
//
// These are the operators, precedences and associativities of Ultimate's comments,
// with the spellings that ltl2ba, Spin and ESBMC have beside them. An atom is
//
//	AP(x > 0)   "x > 0"   {x > 0}     a C expression
//	at(L)   called(f)   returned(f)
//	x > 0                             a C expression, bare
//
// A bare expression ends before an operator of formulas, and && and || are such:
// x > 0 && y > 0 has two atoms. Where the meanings as formula and as C differ, as
// of !x == 1, it is an error: parentheses or AP( ) say what is meant. After a bare
// expression, -> is C's arrow.

// maxSize and maxDepth bound formulas, so that hostile ones are errors.
const (
	maxSize  = 2000
	maxDepth = 200
)

// Property is a formula of a source.
type Property struct {
	Formula Formula
	Source  Source
	// Places says where the text of each atom stands in the source.
	Places map[Atom][]Span
}

// Parse reads a formula.
func Parse(src Source) (*Property, error) {
	p := &parser{src: src, places: map[Atom][]Span{}}
	p.next()
	if p.tok.kind == endToken {
		return nil, p.errorf(p.tok.span, "write for example [](AP(x > 0) ==> <>AP(y == 0))", "the formula is empty")
	}
	f, err := p.binary(0)
	if err != nil {
		return nil, err
	}
	if p.tok.kind != endToken {
		return nil, p.unexpected()
	}
	return &Property{f, src, p.places}, nil
}

// MustParse is Parse for formulas that are known to be good.
func MustParse(text string) Formula {
	p, err := Parse(Source{Text: text})
	if err != nil {
		panic(err)
	}
	return p.Formula
}

// parser reads one formula. tok is the token that comes next.
type parser struct {
	src    Source
	tok    token
	size   int
	depth  int
	places map[Atom][]Span
}

func (p *parser) next()       { p.tok = scan(p.src.Text, p.tok.span.End) }
func (p *parser) jump(at int) { p.tok = scan(p.src.Text, at) }

// errorf is an error about a part of the source; without width it is about the end.
func (p *parser) errorf(span Span, hint, format string, args ...any) error {
	return p.src.Errorf(span, hint, format, args...)
}

// unexpected is the error about the next token.
func (p *parser) unexpected() error {
	switch t := p.tok; {
	case t.kind == endToken:
		return p.errorf(t.span, "", "the formula ends where an operand is expected")
	case t.is(")", "]", "}"):
		return p.errorf(t.span, "", "a closing %s too many, or an operand is missing before it", t.text)
	case t.is("=>", "<=>"):
		return p.errorf(t.span, "implication is ==>, equivalence is <==>", "%s is no operator of formulas", t.text)
	case t.kind == badToken && strings.HasPrefix(t.text, `"`):
		return p.errorf(t.span, "", "this has no closing quote")
	case t.is(assignments...):
		return p.pure(t)
	default:
		return p.errorf(t.span, "", "%s is not expected here", t.text)
	}
}

// enter counts nesting and size.
func (p *parser) enter() error {
	p.depth++
	p.size++
	if p.depth > maxDepth {
		return p.errorf(p.tok.span, "", "the formula is nested more than %d deep", maxDepth)
	}
	if p.size > maxSize {
		return p.errorf(p.tok.span, "", "the formula has more than %d operators", maxSize)
	}
	return nil
}

// infix is the operator of formulas that a token is.
func infix(t token) (BinaryOp, bool) {
	if t.kind == nameToken {
		op, ok := operators[t.text]
		return op, ok
	}
	switch {
	case t.is("<==>", "<->"):
		return IffOp, true
	case t.is("==>", "->"):
		return ImpliesOp, true
	case t.is("||"):
		return OrOp, true
	case t.is("^^"):
		return XorOp, true
	case t.is("&&"):
		return AndOp, true
	}
	return 0, false
}

// precedence of a binary operator: greater binds more.
func precedence(op BinaryOp) int {
	if op.Temporal() {
		return int(UntilOp)
	}
	return int(op)
}

// binary reads operands with operators between them that bind at least so much.
func (p *parser) binary(least int) (Formula, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	f, err := p.unary()
	for err == nil {
		op, ok := infix(p.tok)
		if !ok || precedence(op) < least {
			return f, nil
		}
		if p.size++; p.size > maxSize {
			return nil, p.errorf(p.tok.span, "", "the formula has more than %d operators", maxSize)
		}
		p.next()
		bound := precedence(op) + 1
		if op == ImpliesOp {
			bound--
		}
		var g Formula
		if g, err = p.binary(bound); err == nil {
			f = Binary{op, f, g}
		}
	}
	return nil, err
}

// unary reads prefix operators and an operand.
func (p *parser) unary() (Formula, error) {
	if err := p.enter(); err != nil {
		return nil, err
	}
	defer func() { p.depth-- }()
	t := p.tok
	prefix := func(op UnaryOp) (Formula, error) {
		p.next()
		f, err := p.unary()
		if err != nil {
			return nil, err
		}
		return Unary{op, f}, nil
	}
	switch {
	case t.is("[]"):
		return prefix(GloballyOp)
	case t.is("<>"):
		return prefix(FinallyOp)
	case t.is("!"):
		return p.negation()
	case t.kind == nameToken && strings.Trim(t.text, "XFG") == "":
		p.next()
		if p.tok.is("<", ">", "<=", ">=", "==", "!=") || p.tok.is(assignments...) {
			return nil, p.errorf(t.span, "write AP("+t.text+" "+p.tok.text+" …) if this is a variable", "the operator %s has no operand", t.text)
		}
		f, err := p.unary()
		if err != nil {
			return nil, err
		}
		if p.size += len(t.text) - 1; len(t.text) > maxDepth {
			return nil, p.errorf(t.span, "", "the formula is nested more than %d deep", maxDepth)
		}
		for i := len(t.text) - 1; i >= 0; i-- {
			f = Unary{prefixes[t.text[i]], f}
		}
		return f, nil
	}
	f, _, err := p.primary()
	return f, err
}

// negation reads ! and its operand. An operand with a binary operator of C may
// mean another thing in C, where ! binds more than they do.
func (p *parser) negation() (Formula, error) {
	at := p.tok.span
	p.next()
	if p.tok.is("!", "[]", "<>") || p.tok.kind == nameToken && reserved(p.tok.text) {
		f, err := p.unary()
		if err != nil {
			return nil, err
		}
		return Not(f), nil
	}
	start := p.tok.span.Start
	f, compound, err := p.primary()
	if err != nil {
		return nil, err
	}
	if compound {
		text := f.(Prop).Atom.Text
		return nil, p.errorf(Span{at.Start, max(at.End, start)}, fmt.Sprintf("write !(%s) or AP(!%s)", text, text), "in C this ! would belong to what is next to it only")
	}
	return Not(f), nil
}

// primary reads an operand. compound is that of bare.
func (p *parser) primary() (f Formula, compound bool, err error) {
	t := p.tok
	switch {
	case t.is("("):
		if p.groupIsC() {
			return p.bare()
		}
		p.next()
		if f, err = p.binary(0); err != nil {
			return nil, false, err
		}
		if !p.tok.is(")") {
			if p.tok.kind == endToken {
				return nil, false, p.errorf(t.span, "", "this has no closing )")
			}
			return nil, false, p.unexpected()
		}
		p.next()
		return f, false, nil
	case t.is("{"):
		f, err = p.enclosed(t, "}")
		return f, false, err
	case t.kind == stringToken:
		f, err = p.quoted(t)
		return f, false, err
	case t.kind == nameToken && (t.text == "true" || t.text == "false"):
		p.next()
		return Constant(t.text == "true"), false, nil
	case t.kind == nameToken:
		open := scan(p.src.Text, t.span.End)
		if _, event := events[t.text]; open.is("(") && event {
			f, err = p.event(t, open)
			return f, false, err
		}
		if t.text == "AP" {
			if !open.is("(") {
				return nil, false, p.errorf(open.span, "write for example AP(x > 0)", "AP needs a C expression in parentheses")
			}
			f, err = p.enclosed(open, ")")
			return f, false, err
		}
		if _, ok := operators[t.text]; ok {
			return nil, false, p.errorf(t.span, "write AP("+t.text+") if this is a variable", "the operator %s has no left operand", t.text)
		}
		return p.bare()
	case t.kind == numberToken || t.kind == charToken || t.is("~", "-", "+", "*", "&"):
		return p.bare()
	}
	return nil, false, p.unexpected()
}

// groupIsC says that a parenthesis belongs to a C expression: C goes on after it,
// and nothing in it is foreign to C.
func (p *parser) groupIsC() bool {
	depth := 0
	pure := true
	for at := p.tok.span.Start; ; {
		t := scan(p.src.Text, at)
		at = t.span.End
		switch {
		case t.kind == endToken:
			return false
		case t.is("(", "[", "{"):
			pure = pure && t.text != "{"
			depth++
		case t.is(")", "]", "}"):
			if depth--; depth == 0 {
				after := scan(p.src.Text, at)
				word := after.kind == nameToken && !reserved(after.text) || after.kind == numberToken || after.kind == charToken
				if after.is("->") {
					arrow, err := p.arrow(t.span.End, after)
					return pure && (arrow || err != nil)
				}
				return word && pure || after.is(binaryC...) || pure && after.is(".", "[", "(") || after.is(assignments...)
			}
		case t.kind == stringToken || t.kind == nameToken && (reserved(t.text) || t.text == "AP") || t.is(foreign...):
			pure = false
		}
	}
}

// enclosed reads a C expression in brackets; open is the one that opens.
func (p *parser) enclosed(open token, closes string) (Formula, error) {
	tokens, err := p.inner(open.span.End, closes, open.span)
	if err != nil {
		return nil, err
	}
	end := open
	if len(tokens) > 0 {
		end = tokens[len(tokens)-1]
	} else {
		return nil, p.errorf(open.span, "", "there is no C expression in these brackets")
	}
	p.jump(end.span.End)
	p.next()
	return p.atom(CAtom, tokens), nil
}

// quoted reads a C expression in double quotes; within it a quote has a backslash.
func (p *parser) quoted(t token) (Formula, error) {
	inner := parser{src: p.src, places: p.places}
	if text := t.text[1 : len(t.text)-1]; strings.Contains(text, `\"`) {
		// The text differs from the source, and an error points at all of it.
		inner.src = Source{Text: strings.ReplaceAll(text, `\"`, `"`) + ")"}
		tokens, err := inner.inner(0, ")", Span{})
		if err != nil || len(tokens) == 0 || tokens[len(tokens)-1].span.End+1 > len(inner.src.Text) || rest(inner.src.Text, tokens) != "" {
			return nil, p.errorf(t.span, "", "this is not a C expression without side effects")
		}
		p.next()
		f := Prop{Atom{CAtom, cText(tokens)}}
		p.places[f.Atom] = append(p.places[f.Atom], t.span)
		return f, nil
	}
	// The closing quote becomes a parenthesis that closes.
	end := t.span.End - 1
	inner.src.Text = p.src.Text[:end] + ")" + p.src.Text[end+1:]
	tokens, err := inner.inner(t.span.Start+1, ")", t.span)
	if err != nil {
		err.(*Error).Source = p.src
		return nil, err
	}
	if len(tokens) == 0 {
		return nil, p.errorf(t.span, "", "there is no C expression in these quotes")
	}
	if r := scan(inner.src.Text, tokens[len(tokens)-1].span.End); r.span.Start != end {
		return nil, p.errorf(r.span, "", "a closing ) too many")
	}
	p.next()
	return p.atom(CAtom, tokens), nil
}

// rest is what stands between the parenthesis that closes the tokens and the end.
func rest(text string, tokens []token) string {
	closes := scan(text, tokens[len(tokens)-1].span.End)
	return text[closes.span.End:]
}

// event reads at(L), called(f) or returned(f).
func (p *parser) event(word, open token) (Formula, error) {
	name := scan(p.src.Text, open.span.End)
	closes := scan(p.src.Text, name.span.End)
	if name.kind != nameToken || !closes.is(")") {
		what := "a function"
		if word.text == "at" {
			what = "a label"
		}
		return nil, p.errorf(name.span, "", "%s( ) needs the name of %s", word.text, what)
	}
	p.jump(closes.span.End)
	return p.atom(events[word.text], []token{name}), nil
}

// atom makes an atom of tokens and keeps where it stands.
func (p *parser) atom(kind AtomKind, tokens []token) Formula {
	a := Atom{kind, cText(tokens)}
	p.places[a] = append(p.places[a], Span{tokens[0].span.Start, tokens[len(tokens)-1].span.End})
	return Prop{a}
}
