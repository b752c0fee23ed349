package its

import (
	"fmt"
	"strings"
	"unicode"

	"assay/internal/logic/linear"
)

// This file reads and writes the format of KoAT [BEFFG16]: rules between
// function symbols whose arguments are the variables, with polynomial guards and
// costs. The variables of the system are those on the left-hand sides; others
// that a rule uses are arbitrary integers.

// ReadKoAT parses the format of KoAT. The file's name is for messages.
func ReadKoAT(file, text string) (s *System, err error) {
	// Symbols may differ in arity; the system needs the greatest before the
	// first temporary gets its number. Files where a later one is greater are rare.
	for arity := 0; ; {
		s, need, err := readKoAT(file, text, arity)
		if need <= arity || err != nil {
			return s, err
		}
		arity = need
	}
}

func readKoAT(file, text string, arity int) (s *System, need int, err error) {
	defer rescue(&err)
	p := &koatParser{arity: arity, infix: infix{
		scanner: &scanner{
			file: file, text: text, line: 1,
			symbols:  []string{"}>", ":|:", "-{", "->", "&&", "/\\", "||", "\\/", "!=", "<=", ">=", "=<", "==", "**", ":", ",", "(", ")", "[", "]", "{", "}", "!", "=", "<", ">", "+", "-", "*", "^"},
			comments: []string{"#", "//"},
			nameRune: koatName,
		},
		and: []string{"&&", "/\\"}, or: []string{"||", "\\/"},
	}}
	p.next()
	s = p.file()
	return s, p.greatest, nil
}

func koatName(r rune, first bool) bool {
	return r == '_' || unicode.IsLetter(r) || !first && (unicode.IsDigit(r) || strings.ContainsRune("'.!$@", r))
}

type koatParser struct {
	infix
	s         *System
	locations map[string]Location
	rules     int
	arity     int // at least that of the system
	greatest  int // of all symbols so far
}

func (p *koatParser) file() *System {
	p.s = &System{}
	p.locations = map[string]Location{}
	start := ""
	for p.kind != tokenEnd {
		p.expect("(")
		switch section := p.name("GOAL, STARTTERM, VAR or RULES"); section {
		case "GOAL":
			p.name("a goal")
			for p.kind == tokenName {
				p.next()
			}
		case "STARTTERM":
			if p.accept("(") {
				p.expect("FUNCTIONSYMBOLS")
				start = p.name("a function symbol")
				p.expect(")")
			} else {
				p.expect("CONSTRUCTOR")
				p.expect("-")
				p.expect("BASED")
			}
		case "VAR":
			for p.kind == tokenName {
				p.next()
			}
		case "RULES":
			for !p.is(")") {
				p.rule(&start)
			}
		default:
			p.fail("unknown section %q; expected GOAL, STARTTERM, VAR or RULES", section)
		}
		p.expect(")")
	}
	if start == "" {
		p.fail("no start symbol and no rules")
	}
	p.s.Initial = p.location(start)
	return p.s
}

func (p *koatParser) location(name string) Location {
	l, ok := p.locations[name]
	if !ok {
		l = p.s.AddLocation(name)
		p.locations[name] = l
	}
	return l
}

// rule parses f(x,y) -> g(x+1,y) :|: x > 0, with its variants.
func (p *koatParser) rule(start *string) {
	line := p.at
	from := p.name("a rule")
	if *start == "" {
		*start = from
	}
	var params []string
	p.expect("(")
	for !p.accept(")") {
		params = append(params, p.name("a variable"))
		if !p.is(")") {
			p.expect(",")
		}
	}
	if p.rules == 0 {
		p.s.Variables = append(p.s.Variables, params...)
		for k := len(params); k < p.arity; k++ {
			p.s.Variables = append(p.s.Variables, fmt.Sprintf("arg%d", k))
		}
	}
	p.rules++
	p.greatest = max(p.greatest, len(params))
	n := len(p.s.Variables)
	if len(params) > n {
		params = params[:n] // read again with a greater arity
	}
	b := p.s.Build(p.location(from), 0).Name(fmt.Sprintf("line %d", line))
	scope := map[string]linear.Form{}
	for i, n := range params {
		if _, twice := scope[n]; twice {
			p.fail("%s is twice among the arguments of %s", n, from)
		}
		scope[n] = linear.Variable(linear.Var(i))
	}
	p.reference = func(n string) Expression {
		f, ok := scope[n]
		if !ok {
			f = b.Temp()
			scope[n] = f
		}
		return Reference{f.Terms[0].Var}
	}
	cost := Expression(Literal{linear.Int(1)})
	switch {
	case p.accept("->"):
	case p.accept("-{"):
		cost = p.sum()
		if p.accept(",") {
			p.sum()
		}
		p.expect("}>")
	default:
		p.fail("expected '->' or '-{cost}>', found %s", p.describe())
	}
	targets := p.targets()
	var guard Formula = And{}
	switch {
	case p.accept(":|:"):
		guard = p.formula()
	case p.accept("["):
		if !p.is("]") {
			guard = p.formula()
		}
		p.expect("]")
	}
	if p.is("/\\") || p.is("&&") {
		p.fail("a guard begins with ':|:' or '['")
	}
	p.s.Branching = p.s.Branching || len(targets) > 1
	for _, target := range targets {
		p.greatest = max(p.greatest, len(target.args))
		cases, err := b.Clone().AssumeFormula(guard)
		if err != nil {
			p.fail("%v", err)
		}
		for _, c := range cases {
			c.t.To = p.location(target.name)
			update := make([]linear.Form, len(p.s.Variables))
			for i := range update {
				if i < len(target.args) {
					update[i] = c.Form(target.args[i])
				} else {
					update[i] = c.Temp()
				}
			}
			c.Cost(c.Form(cost))
			c.t.Update = update
			c.Add()
		}
	}
}

type koatTarget struct {
	name string
	args []Expression
}

// targets parses one right-hand side or several in Com_k(…): a rule with several
// calls is one with each of them; an infinite run is infinite in one of them.
func (p *koatParser) targets() []koatTarget {
	name := p.name("a function symbol")
	if !strings.HasPrefix(name, "Com_") {
		return []koatTarget{p.arguments(name)}
	}
	p.expect("(")
	var out []koatTarget
	for !p.accept(")") {
		out = append(out, p.arguments(p.name("a function symbol")))
		if !p.is(")") {
			p.expect(",")
		}
	}
	return out
}

func (p *koatParser) arguments(name string) koatTarget {
	t := koatTarget{name: name}
	p.expect("(")
	for !p.accept(")") {
		t.args = append(t.args, p.sum())
		if !p.is(")") {
			p.expect(",")
		}
	}
	return t
}

// WriteKoAT writes the format of KoAT, which has no fair locations.
func WriteKoAT(s *System) string {
	var b strings.Builder
	names := s.printNames(func(n string) bool {
		for i, r := range n {
			if r > unicode.MaxASCII || !koatName(r, i == 0) {
				return false
			}
		}
		return isCName(n)
	})
	all := make([]string, len(s.Variables))
	for v := range all {
		all[v] = names(linear.Var(v))
	}
	left := strings.Join(all, ",")
	temps := 0
	for _, t := range s.Transitions {
		temps = max(temps, t.Temps)
	}
	for k := range temps {
		all = append(all, names(s.Temp(k)))
	}
	fmt.Fprintf(&b, "(GOAL COMPLEXITY)\n(STARTTERM (FUNCTIONSYMBOLS l%d))\n(VAR %s)\n(RULES\n", s.Initial, strings.Join(all, " "))
	for i := range s.Transitions {
		t := &s.Transitions[i]
		name := s.inlineProducts(t, names)
		arrow := "->"
		if !t.Cost.Equal(linear.Constant(linear.Int(1))) {
			arrow = "-{" + t.Cost.Format(name) + "}>"
		}
		args := make([]string, len(t.Update))
		for v, u := range t.Update {
			args[v] = u.Format(name)
		}
		fmt.Fprintf(&b, "  l%d(%s) %s l%d(%s)", t.From, left, arrow, t.To, strings.Join(args, ","))
		for i, c := range t.Guard {
			b.WriteString([]string{" :|: ", " && "}[min(i, 1)])
			b.WriteString(c.Format(name))
		}
		b.WriteByte('\n')
	}
	b.WriteString(")\n")
	return b.String()
}
