package its

import (
	"fmt"

	"assay/internal/logic/linear"
)

// ParseCondition parses a condition over the variables of a system, in C's notation: the
// disjunction of the conjunctions that it returns. The error is a *ParseError without file; products
// and divisions are errors, too.
func (s *System) ParseCondition(text string) (cases [][]linear.Constraint, err error) {
	defer rescue(&err)
	p := &infix{
		scanner: &scanner{
			text: text, line: 1,
			symbols:  []string{"==", "!=", "<=", ">=", "&&", "||", "**", "(", ")", "!", "=", "<", ">", "+", "-", "*", "^", "/", "%"},
			nameRune: func(r rune, first bool) bool { return r != '!' && cName(r, first) },
		},
		and: []string{"&&"}, or: []string{"||"},
	}
	p.reference = func(name string) Expression {
		for v, n := range s.Variables {
			if n == name {
				return Reference{linear.Var(v)}
			}
		}
		p.fail("the system has no variable %s", name)
		return nil
	}
	p.next()
	f := p.formula()
	if p.kind != tokenEnd {
		p.fail("%s is not expected here", p.describe())
	}
	list, err := disjuncts(f, true)
	if err != nil {
		return nil, err
	}
	for _, c := range list {
		with := &System{Variables: s.Variables, Locations: []string{"here"}}
		bs, err := with.Build(0, 0).AssumeFormula(conjunctionOf(c))
		if err != nil {
			return nil, err
		}
		number := bs[0].Add()
		if number < 0 {
			continue
		}
		t := &with.Transitions[number]
		if t.Temps > 0 {
			return nil, &ParseError{Message: fmt.Sprintf("the condition %s is not linear", text)}
		}
		cases = append(cases, t.Guard)
	}
	return cases, nil
}

// conjunctionOf joins comparisons.
func conjunctionOf(cs []Compare) Formula {
	var f And
	for _, c := range cs {
		f = append(f, c)
	}
	return f
}
