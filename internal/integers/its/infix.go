package its

import (
	"math/big"

	"assay/internal/logic/linear"
)

func parseNumber(text string) (linear.Number, bool) {
	i, ok := new(big.Int).SetString(text, 10)
	if !ok {
		return linear.Number{}, false
	}
	return linear.FromBigInt(i), true
}

// infix parses arithmetic and conditions in C's notation, for KoAT and T2.
type infix struct {
	*scanner
	reference func(name string) Expression
	and, or   []string // symbols of the connectives
	depth     int
}

const maxDepth = 500

func (p *infix) enter() {
	if p.depth++; p.depth > maxDepth {
		p.fail("nested too deeply")
	}
}

func (p *infix) sum() Expression {
	p.enter()
	defer func() { p.depth-- }()
	e := p.product()
	for {
		switch {
		case p.accept("+"):
			e = Sum{e, p.product()}
		case p.accept("-"):
			e = Sum{e, Minus{p.product()}}
		default:
			return e
		}
	}
}

func (p *infix) product() Expression {
	e := p.unary()
	for {
		switch {
		case p.accept("*"):
			e = Times{e, p.unary()}
		case p.accept("/"), p.accept("%"):
			// Division has no meaning in these formats: any result.
			p.unary()
			e = Choice{}
		default:
			return e
		}
	}
}

func (p *infix) unary() Expression {
	if p.accept("-") {
		p.enter()
		defer func() { p.depth-- }()
		return Minus{p.unary()}
	}
	e := p.atom()
	if !p.accept("^") && !p.accept("**") {
		return e
	}
	n, ok := p.number().Int64()
	if !ok || n < 0 || n > 64 {
		p.fail("an exponent must be between 0 and 64")
	}
	var power Expression = Literal{linear.Int(1)}
	for range n {
		power = Times{power, e}
	}
	return power
}

func (p *infix) atom() Expression {
	switch {
	case p.kind == tokenNumber:
		return Literal{p.number()}
	case p.accept("("):
		e := p.sum()
		p.expect(")")
		return e
	case p.kind == tokenName:
		n := p.token
		p.next()
		if p.is("(") && (n == "nondet" || n == "NONDET" || n == "brandom" || n == "random") {
			p.next()
			p.expect(")")
			return Choice{}
		}
		return p.reference(n)
	}
	p.fail("expected an expression, found %s", p.describe())
	return nil
}

func (p *infix) acceptOne(tokens []string) bool {
	for _, t := range tokens {
		if p.accept(t) {
			return true
		}
	}
	return false
}

func (p *infix) formula() Formula {
	p.enter()
	defer func() { p.depth-- }()
	f := p.conjunction()
	for p.acceptOne(p.or) {
		f = Or{f, p.conjunction()}
	}
	return f
}

func (p *infix) conjunction() Formula {
	f := p.literal()
	for p.acceptOne(p.and) {
		f = And{f, p.literal()}
	}
	return f
}

func (p *infix) literal() Formula {
	p.enter()
	defer func() { p.depth-- }()
	switch {
	case p.accept("!"):
		return Not{p.literal()}
	case p.is("true") || p.is("TRUE"):
		p.next()
		return And{}
	case p.is("false") || p.is("FALSE"):
		p.next()
		return Or{}
	case p.is("("):
		// A parenthesis opens a condition or an arithmetic expression.
		saved := *p.scanner
		if f, ok := p.tryParenthesis(); ok {
			return f
		}
		*p.scanner = saved
	}
	l := p.sum()
	for _, op := range []string{"==", "=", "!=", "<=", ">=", "<", ">"} {
		if p.accept(op) {
			if op == "==" {
				op = "="
			}
			f := Formula(Compare{op, l, p.sum()})
			return f
		}
	}
	if _, ok := l.(Choice); ok {
		return Arbitrary{}
	}
	// An integer as a condition: not 0.
	return Compare{"!=", l, Literal{}}
}

// tryParenthesis parses "( formula )" that no operator of arithmetic follows.
func (p *infix) tryParenthesis() (f Formula, ok bool) {
	depth := p.depth
	defer func() {
		if r := recover(); r != nil {
			if _, failed := r.(failure); !failed {
				panic(r)
			}
			p.depth = depth
			f, ok = nil, false
		}
	}()
	p.expect("(")
	f = p.formula()
	p.expect(")")
	for _, op := range []string{"==", "=", "!=", "<=", ">=", "<", ">", "+", "-", "*", "^", "**", "/", "%"} {
		if p.is(op) {
			return nil, false
		}
	}
	return f, true
}
