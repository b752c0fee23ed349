package its

import (
	"fmt"
	"strings"

	"assay/internal/logic/linear"
)

// This file reads and writes the format of T2 [BCIKP16]: transitions as
// sequences of assignments and assumptions, executed in order. Variables are
// those that are assigned or assumed about; division and remainder mean an
// arbitrary integer, as they do for T2.

// ReadT2 parses the format of T2. The file's name is for messages.
func ReadT2(file, text string) (s *System, err error) {
	defer rescue(&err)
	p := &t2Parser{vars: map[string]linear.Var{}}
	p.infix = infix{
		scanner: &scanner{
			file: file, text: text, line: 1,
			symbols:  []string{":=", "==", "!=", "<=", ">=", "&&", "||", "**", ":", ";", ",", "(", ")", "!", "=", "<", ">", "+", "-", "*", "^", "/", "%"},
			comments: []string{"//", "#"},
			nameRune: cName,
		},
		reference: func(name string) Expression { return Reference{p.variable(name)} },
		and:       []string{"&&"}, or: []string{"||"},
	}
	p.next()
	p.program()
	return p.build(), nil
}

type t2Parser struct {
	infix
	vars   map[string]linear.Var
	names  []string
	start  string
	blocks []t2Block
}

type t2Block struct {
	from, to string
	line     int
	commands []t2Command
}

// t2Command assumes a formula, or assigns.
type t2Command struct {
	assume Formula
	v      linear.Var
	value  Expression
}

func (p *t2Parser) variable(name string) linear.Var {
	v, ok := p.vars[name]
	if !ok {
		v = linear.Var(len(p.names))
		p.vars[name] = v
		p.names = append(p.names, name)
	}
	return v
}

// location is a number, perhaps negative, or a name.
func (p *t2Parser) location() string {
	sign := ""
	if p.accept("-") {
		sign = "-"
	}
	if p.kind != tokenNumber && p.kind != tokenName {
		p.fail("expected a location, found %s", p.describe())
	}
	t := p.token
	p.next()
	return sign + t
}

func (p *t2Parser) program() {
	for p.kind != tokenEnd {
		switch {
		case p.accept("START"):
			p.expect(":")
			if p.start != "" {
				p.fail("a second START; a program has one")
			}
			p.start = p.location()
			p.expect(";")
		case p.accept("CUTPOINT"):
			p.expect(":")
			p.location()
			p.expect(";")
		case p.accept("SHADOW"):
			p.expect("(")
			p.name("a variable")
			p.expect(",")
			p.name("a variable")
			p.expect(")")
			p.expect(";")
		case p.accept("FROM"):
			p.block()
		default:
			p.fail("expected START, CUTPOINT, SHADOW or FROM, found %s", p.describe())
		}
	}
	if p.start == "" {
		p.at = p.line
		p.fail("no START: the program needs a line like 'START: 0;'")
	}
}

func (p *t2Parser) block() {
	b := t2Block{line: p.at}
	p.expect(":")
	b.from = p.location()
	p.expect(";")
	for !p.accept("TO") {
		b.commands = append(b.commands, p.command())
		p.expect(";")
	}
	p.expect(":")
	b.to = p.location()
	p.expect(";")
	p.blocks = append(p.blocks, b)
}

func (p *t2Parser) command() t2Command {
	if p.accept("AT") { // a position in a C file
		p.expect("(")
		p.number()
		p.expect(",")
		if p.kind != tokenString {
			p.fail("expected a file's name in quotes, found %s", p.describe())
		}
		p.next()
		p.expect(")")
	}
	if p.accept("assume") {
		p.expect("(")
		f := p.formula()
		p.expect(")")
		return t2Command{assume: f}
	}
	v := p.variable(p.name("an assignment, assume or TO"))
	p.expect(":=")
	return t2Command{v: v, value: p.sum()}
}

func (p *t2Parser) build() *System {
	s := &System{Variables: p.names}
	locations := map[string]Location{}
	location := func(name string) Location {
		l, ok := locations[name]
		if !ok {
			l = s.AddLocation(name)
			locations[name] = l
		}
		return l
	}
	s.Initial = location(p.start)
	for _, k := range p.blocks {
		builders := []*Builder{s.Build(location(k.from), location(k.to)).Name(fmt.Sprintf("line %d", k.line))}
		for _, c := range k.commands {
			var next []*Builder
			for _, b := range builders {
				if c.assume == nil {
					next = append(next, b.Assign(c.v, b.Form(c.value)))
					continue
				}
				cases, err := b.AssumeFormula(c.assume)
				if err != nil || len(next)+len(cases) > maxCases {
					panic(failure{&ParseError{p.file, k.line, ErrTooManyCases{maxCases}.Error()}})
				}
				next = append(next, cases...)
			}
			builders = next
		}
		for _, b := range builders {
			b.Add()
		}
	}
	return s
}

// WriteT2 writes the format of T2, which has neither costs nor fair locations;
// temporaries become variables.
func WriteT2(s *System) string {
	var b strings.Builder
	names := s.printNames(isCName)
	fmt.Fprintf(&b, "START: %d;\n", s.Initial)
	for i := range s.Transitions {
		t := &s.Transitions[i]
		fmt.Fprintf(&b, "\nFROM: %d;\n", t.From)
		name := s.inlineProducts(t, names)
		for k := range t.Temps {
			if !t.isProduct(s.Temp(k)) {
				fmt.Fprintf(&b, "%s := nondet();\n", names(s.Temp(k)))
			}
		}
		for _, c := range t.Guard {
			fmt.Fprintf(&b, "assume(%s);\n", strings.Replace(c.Format(name), " = ", " == ", 1))
		}
		// Updates are simultaneous, assignments are not.
		var changed []linear.Var
		for v, u := range t.Update {
			if w, ok := u.IsVariable(); !ok || w != linear.Var(v) {
				changed = append(changed, linear.Var(v))
			}
		}
		if len(changed) == 1 {
			fmt.Fprintf(&b, "%s := %s;\n", names(changed[0]), t.Update[changed[0]].Format(name))
			changed = nil
		}
		for _, v := range changed {
			fmt.Fprintf(&b, "new_%s := %s;\n", names(v), t.Update[v].Format(name))
		}
		for _, v := range changed {
			fmt.Fprintf(&b, "%s := new_%s;\n", names(v), names(v))
		}
		fmt.Fprintf(&b, "TO: %d;\n", t.To)
	}
	return b.String()
}
