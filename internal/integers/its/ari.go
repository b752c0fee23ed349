package its

import (
	"fmt"
	"strings"

	"assay/internal/logic/linear"
)

// This file reads and writes the ARI format of the termination competition since
// 2024 for integer transition systems: constrained rewrite rules between function
// symbols whose arguments are the variables.

// ReadARI parses the ARI format. The file's name is for messages.
func ReadARI(file, text string) (s *System, err error) {
	defer rescue(&err)
	es, err := parseSexprs(file, text)
	if err != nil {
		return nil, err
	}
	p := &ariReader{prefix: prefix{file: file}, s: &System{}, symbols: map[string]ariSymbol{}}
	entry := ""
	var rules []sexpr
	for _, e := range es {
		switch e.head() {
		case "format":
			if len(e.list) < 2 || e.list[1].atom != "LCTRS" {
				p.fail(e, "only the format LCTRS is supported")
			}
		case "theory":
			if len(e.list) != 2 || e.list[1].atom != "Ints" {
				p.fail(e, "only the theory Ints is supported")
			}
		case "sort", "meta-info":
		case "fun":
			p.declare(e)
		case "entrypoint":
			if len(e.list) != 2 || entry != "" {
				p.fail(e, "expected one (entrypoint symbol)")
			}
			entry = e.list[1].atom
		case "rule":
			rules = append(rules, e)
		default:
			p.fail(e, "expected format, theory, fun, entrypoint or rule, found %q", e.head())
		}
	}
	start, ok := p.symbols[entry]
	if !ok {
		return nil, &ParseError{file, 1, "the entrypoint is missing or not declared by fun"}
	}
	p.s.Initial = start.location
	for _, e := range rules {
		p.rule(e)
	}
	return p.s, nil
}

type ariReader struct {
	prefix
	s       *System
	symbols map[string]ariSymbol
}

type ariSymbol struct {
	location Location
	arity    int
}

// declare reads (fun f (-> Int Int Loc)) or (fun f Loc).
func (p *ariReader) declare(e sexpr) {
	if len(e.list) != 3 || e.list[1].atom == "" {
		p.fail(e, "expected (fun name sort)")
	}
	name, arity := e.list[1].atom, 0
	if t := e.list[2]; t.atom == "" {
		if t.head() != "->" || len(t.list) < 2 {
			p.fail(e, "expected the sort (-> Int … Int)")
		}
		arity = len(t.list) - 2
		for _, a := range t.list[1 : 1+arity] {
			if a.atom != "Int" {
				p.fail(e, "arguments must be of sort Int")
			}
		}
	}
	if _, twice := p.symbols[name]; twice {
		p.fail(e, "%s is declared twice", name)
	}
	p.symbols[name] = ariSymbol{p.s.AddLocation(name), arity}
	for len(p.s.Variables) < arity {
		p.s.Variables = append(p.s.Variables, fmt.Sprintf("x%d", len(p.s.Variables)))
	}
}

// side splits f or (f a b) and finds the symbol.
func (p *ariReader) side(e sexpr) (ariSymbol, []sexpr) {
	name, args := e.atom, []sexpr(nil)
	if name == "" {
		name = e.head()
		if len(e.list) > 0 {
			args = e.list[1:]
		}
	}
	f, ok := p.symbols[name]
	if !ok {
		p.fail(e, "%q is not declared by fun before it is used", name)
	}
	if len(args) != f.arity {
		p.fail(e, "%s has %d arguments, declared are %d", name, len(args), f.arity)
	}
	return f, args
}

func (p *ariReader) rule(e sexpr) {
	if len(e.list) < 3 {
		p.fail(e, "a rule needs a left-hand and a right-hand side")
	}
	f, params := p.side(e.list[1])
	g, args := p.side(e.list[2])
	b := p.s.Build(f.location, g.location).Name(fmt.Sprintf("line %d", e.line))
	p.scope = map[string]Expression{}
	temp := func() Expression { return Reference{b.Temp().Terms[0].Var} }
	p.temp, p.free = temp, true
	for i, a := range params {
		if _, twice := p.scope[a.atom]; twice || a.atom == "" {
			p.fail(a, "arguments of a left-hand side must be different variables")
		}
		p.scope[a.atom] = Reference{linear.Var(i)}
	}
	var guard Formula = And{}
	var guardText *sexpr
	for i := 3; i < len(e.list); i += 2 {
		if i+1 == len(e.list) {
			p.fail(e, "%s without a value", e.list[i].atom)
		}
		switch value := e.list[i+1]; e.list[i].atom {
		case ":guard":
			guardText = &value
		case ":cost":
			p.fail(e, "costs are not supported in this format")
		case ":var":
			for _, v := range value.list {
				if len(v.list) != 2 || v.list[0].atom == "" || v.list[1].atom != "Int" {
					p.fail(e, "expected variables of sort Int")
				}
				if p.scope[v.list[0].atom] == nil {
					p.scope[v.list[0].atom] = temp()
				}
			}
		default:
			p.fail(e, "unknown attribute %q", e.list[i].atom)
		}
	}
	if guardText != nil {
		guard = p.formula(*guardText)
	}
	cases, err := b.AssumeFormula(guard)
	if err != nil {
		p.fail(e, "%v", err)
	}
	for _, c := range cases {
		update := make([]linear.Form, len(p.s.Variables))
		for i := range update {
			if i < len(args) {
				update[i] = c.Form(p.expression(args[i]))
			} else {
				update[i] = c.Temp() // positions that the symbol does not have
			}
		}
		c.AssignAll(update)
		c.Add()
	}
}

// WriteARI writes the ARI format, which has neither costs nor fair locations.
func WriteARI(s *System) string {
	var b strings.Builder
	names := s.printNames(isCName)
	b.WriteString("(format LCTRS :smtlib 2.6)\n(theory Ints)\n")
	for l := range s.Locations {
		fmt.Fprintf(&b, "(fun l%d (->%s Int))\n", l, strings.Repeat(" Int", len(s.Variables)))
	}
	fmt.Fprintf(&b, "(entrypoint l%d)\n", s.Initial)
	left := ""
	for v := range s.Variables {
		left += " " + names(linear.Var(v))
	}
	for i := range s.Transitions {
		t := &s.Transitions[i]
		name := s.prefixProducts(t, names)
		fmt.Fprintf(&b, "(rule (l%d%s) (l%d", t.From, left, t.To)
		for _, u := range t.Update {
			b.WriteString(" " + writePrefix(u, name))
		}
		b.WriteString(")")
		if len(t.Guard) > 0 {
			b.WriteString(" :guard (and")
			for _, c := range t.Guard {
				b.WriteString(" " + writePrefixConstraint(c, name))
			}
			b.WriteString(")")
		}
		var free []string
		for k := range t.Temps {
			if v := s.Temp(k); !t.isProduct(v) {
				free = append(free, "("+names(v)+" Int)")
			}
		}
		if free != nil {
			fmt.Fprintf(&b, " :var (%s)", strings.Join(free, " "))
		}
		b.WriteString(")\n")
	}
	return b.String()
}
