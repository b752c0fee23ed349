package its

import (
	"fmt"
	"strings"

	"assay/internal/logic/linear"
)

// sexpr is an atom or a list, with its line.
type sexpr struct {
	atom string // "" for a list
	list []sexpr
	line int
}

// parseSexprs reads all expressions of a text. A quoted symbol |x| is the atom x.
func parseSexprs(file, text string) ([]sexpr, error) {
	line := 1
	fail := func(format string, args ...any) error {
		return &ParseError{file, line, fmt.Sprintf(format, args...)}
	}
	stack := []sexpr{{}}
	for i := 0; i < len(text); {
		switch c := text[i]; c {
		case '\n':
			line++
			i++
		case ' ', '\t', '\r', '\f':
			i++
		case ';':
			for i < len(text) && text[i] != '\n' {
				i++
			}
		case '(':
			if len(stack) > maxDepth {
				return nil, fail("nested too deeply")
			}
			stack = append(stack, sexpr{line: line})
			i++
		case ')':
			if len(stack) == 1 {
				return nil, fail("unexpected ')'")
			}
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			stack[len(stack)-1].list = append(stack[len(stack)-1].list, top)
			i++
		case '|', '"':
			end := strings.IndexByte(text[i+1:], c)
			if end < 0 {
				return nil, fail("%q without its end", c)
			}
			a := text[i+1 : i+1+end]
			if c == '"' || a == "" {
				a = text[i : i+2+end]
			}
			stack[len(stack)-1].list = append(stack[len(stack)-1].list, sexpr{atom: a, line: line})
			line += strings.Count(a, "\n")
			i += end + 2
		default:
			n := strings.IndexAny(text[i:], " \t\r\n\f();|\"")
			if n < 0 {
				n = len(text) - i
			}
			stack[len(stack)-1].list = append(stack[len(stack)-1].list, sexpr{atom: text[i : i+n], line: line})
			i += n
		}
	}
	if len(stack) > 1 {
		return nil, &ParseError{file, stack[len(stack)-1].line, "'(' without its ')'"}
	}
	return stack[0].list, nil
}

// head is the first atom of a list.
func (e sexpr) head() string {
	if len(e.list) == 0 {
		return ""
	}
	return e.list[0].atom
}

// prefix reads arithmetic and conditions of SMT-LIB.
type prefix struct {
	file  string
	scope map[string]Expression
	temp  func() Expression // a new temporary, nil where there are none
	free  bool              // unknown names are new temporaries
	steps int               // for formulas that explode
	under bool              // under a negation
}

const maxSteps = 1 << 20

func (p *prefix) fail(e sexpr, format string, args ...any) {
	panic(failure{&ParseError{p.file, e.line, fmt.Sprintf(format, args...)}})
}

func (p *prefix) tick(e sexpr) {
	if p.steps++; p.steps > maxSteps {
		p.fail(e, "the formula is too large")
	}
}

func (p *prefix) expression(e sexpr) Expression {
	p.tick(e)
	if e.list == nil {
		if n, ok := parseNumber(e.atom); ok && len(e.atom) < 1000 {
			return Literal{n}
		}
		x, ok := p.scope[e.atom]
		if !ok && p.free && isCName(e.atom) {
			x, ok = p.temp(), true
			p.scope[e.atom] = x
		}
		if !ok {
			p.fail(e, "unknown name %q", e.atom)
		}
		return x
	}
	args := e.list[1:]
	if len(args) == 0 {
		p.fail(e, "%q without arguments", e.head())
	}
	switch e.head() {
	case "+", "*", "-":
		first := p.expression(args[0])
		if e.head() == "-" && len(args) == 1 {
			return Minus{first}
		}
		for _, a := range args[1:] {
			x := p.expression(a)
			switch e.head() {
			case "+":
				first = Sum{first, x}
			case "-":
				first = Sum{first, Minus{x}}
			case "*":
				first = Times{first, x}
			}
		}
		return first
	}
	p.fail(e, "unsupported operation %q; expected + - *", e.head())
	return nil
}

func (p *prefix) formula(e sexpr) Formula {
	p.tick(e)
	if e.list == nil {
		switch e.atom {
		case "true":
			return And{}
		case "false":
			return Or{}
		}
		p.fail(e, "%q is not a condition", e.atom)
	}
	args := e.list[1:]
	all := func() []Formula {
		var fs []Formula
		for _, a := range args {
			fs = append(fs, p.formula(a))
		}
		return fs
	}
	need := func(n int) {
		if len(args) < n {
			p.fail(e, "%q needs %d arguments", e.head(), n)
		}
	}
	switch op := e.head(); op {
	case "and":
		return And(all())
	case "or":
		return Or(all())
	case "not":
		need(1)
		defer func(u bool) { p.under = u }(p.under)
		p.under = true
		return Not{p.formula(args[0])}
	case "=>":
		need(2)
		defer func(u bool) { p.under = u }(p.under)
		p.under = true
		fs := all()
		var out Or
		for _, f := range fs[:len(fs)-1] {
			out = append(out, Not{f})
		}
		return append(out, fs[len(fs)-1])
	case "=", "<", "<=", ">", ">=", "distinct", "!=":
		need(2)
		if op == "distinct" {
			op = "!="
		}
		var out And
		for i := range args {
			for j := i + 1; j < len(args); j++ {
				if j == i+1 || op == "!=" {
					out = append(out, Compare{op, p.expression(args[i]), p.expression(args[j])})
				}
			}
		}
		if len(out) == 1 {
			return out[0]
		}
		return out
	case "let", "exists":
		need(2)
		saved := p.scope
		inner := map[string]Expression{}
		for k, v := range saved {
			inner[k] = v
		}
		for _, b := range args[0].list {
			if len(b.list) != 2 || b.list[0].atom == "" {
				p.fail(b, "expected a name and its value or sort")
			}
			if op == "let" {
				inner[b.list[0].atom] = p.expression(b.list[1])
			} else {
				inner[b.list[0].atom] = p.bound(b)
			}
		}
		p.scope = inner
		f := p.formula(args[1])
		p.scope = saved
		return f
	}
	p.fail(e, "unsupported condition %q", e.head())
	return nil
}

// bound is a variable of exists: a temporary, which is existential.
func (p *prefix) bound(b sexpr) Expression {
	if p.temp == nil || p.under || b.list[1].atom != "Int" {
		p.fail(b, "exists is supported for integers, in transitions, and not under a negation")
	}
	return p.temp()
}

// writePrefix prints a form in prefix notation, products written out.
func writePrefix(f linear.Form, name func(linear.Var) string) string {
	var b strings.Builder
	f.WriteSMT(&b, name)
	return b.String()
}

func writePrefixConstraint(c linear.Constraint, name func(linear.Var) string) string {
	op := ">="
	if c.Equality {
		op = "="
	}
	return "(" + op + " " + writePrefix(c.Form, name) + " 0)"
}

// prefixProducts prints the temporary of a product as the product.
func (s *System) prefixProducts(t *Transition, names func(linear.Var) string) func(linear.Var) string {
	var name func(v linear.Var) string
	name = func(v linear.Var) string {
		for _, p := range t.Products {
			if p.Temp == v {
				return "(* " + writePrefix(p.A, name) + " " + writePrefix(p.B, name) + ")"
			}
		}
		return names(v)
	}
	return name
}
