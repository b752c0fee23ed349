package bitwise

import (
	"fmt"
	"strings"
)

// Expr is an expression of a rule: a Var, a Number, a Unary or a Binary. As in C,
// comparisons and &&, || and ! are 1 or 0.
type Expr interface {
	isExpr()
	// String prints the expression, with parentheses around operands.
	String() string
}

// Var is a variable of a rule; see Rule.
type Var string

// Number is a number.
type Number int64

// Unary is -x, !x, or the bit operation ~x.
type Unary struct {
	Op Op
	X  Expr
}

// Binary is an operation of two operands.
type Binary struct {
	Op   Op
	X, Y Expr
}

// Op is an operator as it is written. The bit operations are & | ^ ~ << >> and >>>,
// which shifts zeros in; >> does so in the unsigned view and shifts the sign in
// in the signed one. The quotient / is rounded down, and the rest % of a division
// is not negative; where the dividend is not negative, they are C's.
type Op string

func (Var) isExpr()    {}
func (Number) isExpr() {}
func (Unary) isExpr()  {}
func (Binary) isExpr() {}

func (v Var) String() string    { return string(v) }
func (n Number) String() string { return fmt.Sprint(int64(n)) }
func (u Unary) String() string  { return string(u.Op) + operand(u.X) }
func (b Binary) String() string { return operand(b.X) + " " + string(b.Op) + " " + operand(b.Y) }

// Mentions says whether an expression has a variable.
func Mentions(e Expr, v Var) bool {
	switch e := e.(type) {
	case Var:
		return e == v
	case Unary:
		return Mentions(e.X, v)
	case Binary:
		return Mentions(e.X, v) || Mentions(e.Y, v)
	}
	return false
}

// Conjuncts are the operands of && at the top of an expression.
func Conjuncts(e Expr) []Expr {
	if b, ok := e.(Binary); ok && b.Op == "&&" {
		return append(Conjuncts(b.X), Conjuncts(b.Y)...)
	}
	return []Expr{e}
}

// operand prints an operand.
func operand(e Expr) string {
	if _, ok := e.(Binary); ok {
		return "(" + e.String() + ")"
	}
	return e.String()
}

// levels are the binary operators, from those that bind least, as in C.
var levels = [][]Op{{"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<=", ">=", "<", ">"}, {">>>", "<<", ">>"}, {"+", "-"}, {"*", "/", "%"}}

// parse reads an expression of the table of rules; it is C but for >>>.
func parse(text string) Expr {
	p := &parser{rest: text, whole: text}
	e := p.binary(0)
	if p.skip(); p.rest != "" {
		p.fail()
	}
	return e
}

// parser reads one expression.
type parser struct{ rest, whole string }

func (p *parser) fail() { panic(fmt.Sprintf("the expression %q, at %q", p.whole, p.rest)) }

func (p *parser) skip() { p.rest = strings.TrimLeft(p.rest, " ") }

// operator reads one of some operators. A longer operator that begins so is another.
func (p *parser) operator(ops []Op) (Op, bool) {
	p.skip()
	longest := Op("")
	for _, level := range levels {
		for _, op := range level {
			if strings.HasPrefix(p.rest, string(op)) && len(op) > len(longest) {
				longest = op
			}
		}
	}
	for _, op := range ops {
		if op == longest {
			p.rest = p.rest[len(op):]
			return op, true
		}
	}
	return "", false
}

func (p *parser) binary(level int) Expr {
	if level == len(levels) {
		return p.unary()
	}
	x := p.binary(level + 1)
	for {
		op, ok := p.operator(levels[level])
		if !ok {
			return x
		}
		x = Binary{op, x, p.binary(level + 1)}
	}
}

func (p *parser) unary() Expr {
	p.skip()
	if p.rest == "" {
		p.fail()
	}
	switch c := p.rest[0]; {
	case c == '-' || c == '~' || c == '!':
		p.rest = p.rest[1:]
		return Unary{Op(c), p.unary()}
	case c == '(':
		p.rest = p.rest[1:]
		e := p.binary(0)
		if p.skip(); !strings.HasPrefix(p.rest, ")") {
			p.fail()
		}
		p.rest = p.rest[1:]
		return e
	case '0' <= c && c <= '9':
		n := Number(0)
		for p.rest != "" && '0' <= p.rest[0] && p.rest[0] <= '9' {
			n = 10*n + Number(p.rest[0]-'0')
			p.rest = p.rest[1:]
		}
		return n
	case 'a' <= c && c <= 'z':
		end := strings.IndexFunc(p.rest, func(r rune) bool { return r < 'a' || r > 'z' })
		if end < 0 {
			end = len(p.rest)
		}
		v := Var(p.rest[:end])
		p.rest = p.rest[end:]
		return v
	}
	p.fail()
	return nil
}
