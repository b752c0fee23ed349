package bound

import (
	"fmt"
	"math/big"
	"strconv"
	"strings"
	"text/scanner"

	"assay/internal/logic/linear"
)

// ParseError says what is wrong with a text, and where: the column from 1.
type ParseError struct {
	Col     int
	Message string
}

func (e *ParseError) Error() string { return fmt.Sprintf("column %d: %s", e.Col, e.Message) }

// maxTextPower bounds exponents in texts.
const maxTextPower = 16

// Parse reads an expression as Format writes it: numbers, the limits of types (INT_MAX), names, + - * and / by a number, ^ with a
// number, max(…) and parentheses. The error is a *ParseError.
func Parse(text string, variable func(name string) (linear.Var, bool)) (e Expression, err error) {
	p := &parser{variable: variable}
	p.Init(strings.NewReader(text))
	p.Mode = scanner.ScanIdents | scanner.ScanInts
	p.IsIdentRune = func(c rune, i int) bool {
		return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || i > 0 && ('0' <= c && c <= '9' || c == '@')
	}
	p.Error = func(*scanner.Scanner, string) {}
	defer func() {
		if r := recover(); r != nil {
			wrong, ok := r.(*ParseError)
			if !ok {
				panic(r)
			}
			err = wrong
		}
	}()
	p.next()
	e = p.sum()
	if p.token != scanner.EOF {
		p.fail("nothing is expected behind the expression")
	}
	return e, nil
}

type parser struct {
	scanner.Scanner
	token    rune
	depth    int
	variable func(name string) (linear.Var, bool)
}

func (p *parser) next() { p.token = p.Scan() }

func (p *parser) fail(format string, args ...any) {
	panic(&ParseError{max(p.Position.Column, 1), fmt.Sprintf(format, args...)})
}

func (p *parser) sum() Expression {
	e := p.product()
	for p.token == '+' || p.token == '-' {
		sign := p.token
		p.next()
		f := p.product()
		if sign == '-' {
			f = f.Scale(linear.Int(-1))
		}
		e = e.Add(f)
	}
	return e
}

func (p *parser) product() Expression {
	e := p.power()
	for p.token == '*' || p.token == '/' {
		sign := p.token
		p.next()
		f := p.power()
		if sign == '*' {
			e = e.Mul(f)
			continue
		}
		n, constant := f.IsConstant()
		if !constant || n.IsZero() {
			p.fail("the divisor is a number")
		}
		e = e.Scale(n.Inv())
	}
	return e
}

// power is a power, perhaps with signs before it: -x^2 is -(x^2).
func (p *parser) power() Expression {
	if p.token == '-' {
		if p.depth++; p.depth > maxNesting {
			p.fail("too deep")
		}
		defer func() { p.depth-- }()
		p.next()
		return p.power().Scale(linear.Int(-1))
	}
	e := p.operand()
	if p.token != '^' {
		return e
	}
	p.next()
	n, err := strconv.Atoi(p.TokenText())
	if p.token != scanner.Int || err != nil || n > maxTextPower {
		p.fail("an exponent is a number up to %d", maxTextPower)
	}
	p.next()
	out := Int(1)
	for range n {
		out = out.Mul(e)
	}
	return out
}

// maxNesting bounds the depth of texts.
const maxNesting = 100

func (p *parser) operand() Expression {
	if p.depth++; p.depth > maxNesting {
		p.fail("too deep")
	}
	defer func() { p.depth-- }()
	text := p.TokenText()
	switch p.token {
	case '(':
		p.next()
		e := p.sum()
		p.expect(')')
		return e
	case scanner.Int:
		n, ok := new(big.Int).SetString(text, 10)
		if !ok {
			p.fail("%s is no number in base 10", text)
		}
		p.next()
		return Constant(linear.FromBigInt(n))
	case scanner.Ident:
		return p.named(text)
	}
	p.fail("a number, a name or ( is expected")
	return Expression{}
}

func (p *parser) expect(c rune) {
	if p.token != c {
		p.fail("%c is expected", c)
	}
	p.next()
}

// named is a variable, a limit of a type or a maximum.
func (p *parser) named(name string) Expression {
	if v, ok := p.variable(name); ok {
		p.next()
		return Variable(v)
	}
	for _, l := range limits {
		if l.name == name {
			p.next()
			top := new(big.Int).Lsh(big.NewInt(1), l.bits)
			return Constant(linear.FromBigInt(top).Add(linear.Int(-1)))
		}
	}
	if name == "log2" {
		p.next()
		p.expect('(')
		e := Log(p.sum())
		p.expect(')')
		return e
	}
	if name != "max" {
		p.fail("there is no input %s", name)
	}
	p.next()
	p.expect('(')
	es := []Expression{p.sum()}
	for p.token == ',' {
		p.next()
		es = append(es, p.sum())
	}
	p.expect(')')
	return Max(es...)
}
