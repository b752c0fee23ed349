package its

import (
	"fmt"
	"slices"
	"strings"

	"assay/internal/logic/linear"
)

// This file reads and writes the SMT-LIB form of the termination competition
// (2014 to 2023): init_main says where runs begin, next_main is a disjunction of
// cfg_trans2 with relations between the variables before and after. Calls
// (cfg_trans3) are not supported.

// ReadSMT parses the SMT-LIB form. The file's name is for messages.
func ReadSMT(file, text string) (s *System, err error) {
	defer rescue(&err)
	es, err := parseSexprs(file, text)
	if err != nil {
		return nil, err
	}
	p := &smtReader{prefix: prefix{file: file}, s: &System{}, locations: map[string]Location{}}
	var init, next *sexpr
	for i, e := range es {
		switch e.head() {
		case "declare-const", "declare-fun":
			if last := e.list[len(e.list)-1]; len(e.list) >= 3 && last.atom == "Loc" {
				name := e.list[1].atom
				if _, twice := p.locations[name]; twice || name == "" {
					p.fail(e, "bad location")
				}
				p.locations[name] = p.s.AddLocation(name)
			}
		case "define-fun":
			if len(e.list) != 5 {
				p.fail(e, "define-fun needs a name, parameters, a sort and a body")
			}
			switch name := e.list[1].atom; {
			case name == "init_main":
				init = &es[i]
			case name == "next_main":
				next = &es[i]
			case strings.HasPrefix(name, "next_"):
				p.fail(e, "procedures other than main are not supported")
			}
		}
	}
	if init == nil || next == nil {
		return nil, &ParseError{file, 1, "init_main or next_main is missing: this is not the form of the termination competition"}
	}
	p.next(*next)
	p.init(*init)
	return p.s, nil
}

type smtReader struct {
	prefix
	s         *System
	locations map[string]Location
	pc, post  string
}

// parameters are the names; the first of n is a location, all others are integers.
func (p *smtReader) parameters(e sexpr, n int) []string {
	ps := e.list[2].list
	if len(ps) == 0 || len(ps)%n != 0 {
		p.fail(e, "unexpected number of parameters")
	}
	var names []string
	for i, q := range ps {
		want := "Int"
		if i%(len(ps)/n) == 0 {
			want = "Loc"
		}
		if len(q.list) != 2 || q.list[0].atom == "" || q.list[1].atom != want {
			p.fail(e, "parameter %d should have a name and the sort %s", i+1, want)
		}
		if slices.Contains(names, q.list[0].atom) {
			p.fail(e, "%s is declared twice", q.list[0].atom)
		}
		names = append(names, q.list[0].atom)
	}
	return names
}

func (p *smtReader) location(e sexpr) Location {
	l, ok := p.locations[e.atom]
	if !ok {
		p.fail(e, "unknown location %q", e.atom)
	}
	return l
}

func (p *smtReader) init(e sexpr) {
	names := p.parameters(e, 1)
	if len(names)-1 != len(p.s.Variables) {
		p.fail(e, "init_main and next_main differ in the number of variables")
	}
	body := e.list[4]
	if body.head() != "cfg_init" || len(body.list) != 4 || body.list[1].atom != names[0] {
		p.fail(body, "expected (cfg_init %s location condition)", names[0])
	}
	l := p.location(body.list[2])
	if body.list[3].atom == "true" {
		p.s.Initial = l
		return
	}
	start := p.s.AddLocation("start")
	p.s.Initial = start
	p.scope = map[string]Expression{}
	for v, n := range names[1:] {
		p.scope[n] = Reference{linear.Var(v)}
	}
	cases, err := p.s.Build(start, l).AssumeFormula(p.formula(body.list[3]))
	if err != nil {
		p.fail(body, "%v", err)
	}
	for _, c := range cases {
		c.Add()
	}
}

func (p *smtReader) next(e sexpr) {
	names := p.parameters(e, 2)
	half := len(names) / 2
	p.pc, p.post = names[0], names[half]
	for _, n := range names[1:half] {
		p.s.Variables = append(p.s.Variables, strings.TrimSuffix(n, "^0"))
	}
	body := e.list[4]
	transitions := []sexpr{body}
	if body.head() == "or" {
		transitions = body.list[1:]
	}
	for _, t := range transitions {
		p.transition(t, names)
	}
}

func (p *smtReader) transition(e sexpr, names []string) {
	switch {
	case e.atom == "false":
		return
	case e.head() == "cfg_trans3":
		p.fail(e, "calls of procedures (cfg_trans3) are not supported")
	case e.head() != "cfg_trans2" || len(e.list) != 6 || e.list[1].atom != p.pc || e.list[3].atom != p.post:
		p.fail(e, "expected (cfg_trans2 %s location %s location relation)", p.pc, p.post)
	}
	half := len(names) / 2
	b := p.s.Build(p.location(e.list[2]), p.location(e.list[4])).Name(fmt.Sprintf("line %d", e.line))
	p.scope = map[string]Expression{}
	p.temp = func() Expression { return Reference{b.Temp().Terms[0].Var} }
	update := make([]linear.Form, half-1)
	for v := range half - 1 {
		p.scope[names[1+v]] = Reference{linear.Var(v)}
		update[v] = b.Temp()
		p.scope[names[half+1+v]] = Reference{update[v].Terms[0].Var}
	}
	cases, err := b.AssumeFormula(p.formula(e.list[5]))
	if err != nil {
		p.fail(e, "%v", err)
	}
	for _, c := range cases {
		c.AssignAll(update)
		c.AddNormalized()
	}
}

// WriteSMT writes the SMT-LIB form, which has neither costs nor fair locations.
func WriteSMT(s *System) string {
	var b strings.Builder
	names := s.printNames(func(n string) bool { return isCName(n) && !strings.ContainsRune(n, '^') })
	b.WriteString(`(declare-sort Loc 0)
(define-fun cfg_init ((pc Loc) (src Loc) (rel Bool)) Bool (and (= pc src) rel))
(define-fun cfg_trans2 ((pc Loc) (src Loc) (pc1 Loc) (dst Loc) (rel Bool)) Bool (and (= pc src) (= pc1 dst) rel))
`)
	for l := range s.Locations {
		fmt.Fprintf(&b, "(declare-const l%d Loc)\n", l)
	}
	if len(s.Locations) > 1 {
		b.WriteString("(assert (distinct")
		for l := range s.Locations {
			fmt.Fprintf(&b, " l%d", l)
		}
		b.WriteString("))\n")
	}
	parameters := func(suffix string) string {
		out := "(pc" + suffix + " Loc)"
		for v := range s.Variables {
			out += " (" + names(linear.Var(v)) + suffix + " Int)"
		}
		return out
	}
	fmt.Fprintf(&b, "(define-fun init_main (%s) Bool (cfg_init pc^0 l%d true))\n", parameters("^0"), s.Initial)
	fmt.Fprintf(&b, "(define-fun next_main (%s %s) Bool (or", parameters("^0"), parameters("^post"))
	before := func(v linear.Var) string {
		if int(v) < len(s.Variables) {
			return names(v) + "^0"
		}
		return names(v)
	}
	for i := range s.Transitions {
		t := &s.Transitions[i]
		name := s.prefixProducts(t, before)
		fmt.Fprintf(&b, "\n  (cfg_trans2 pc^0 l%d pc^post l%d ", t.From, t.To)
		var free []string
		for k := range t.Temps {
			if v := s.Temp(k); !t.isProduct(v) {
				free = append(free, "("+names(v)+" Int)")
			}
		}
		if free != nil {
			fmt.Fprintf(&b, "(exists (%s) ", strings.Join(free, " "))
		}
		b.WriteString("(and true")
		for _, c := range t.Guard {
			b.WriteString(" " + writePrefixConstraint(c, name))
		}
		for v, u := range t.Update {
			fmt.Fprintf(&b, " (= %s^post %s)", names(linear.Var(v)), writePrefix(u, name))
		}
		b.WriteString("))")
		if free != nil {
			b.WriteString(")")
		}
	}
	if len(s.Transitions) == 0 {
		b.WriteString(" false")
	}
	b.WriteString("))\n")
	return b.String()
}
