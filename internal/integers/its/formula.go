package its

import (
	"fmt"

	"assay/internal/logic/linear"
)

// Formula is a Boolean combination of comparisons, as files have it.
type Formula interface{ isFormula() }

// Compare is L op R, op one of = != < <= > >=.
type Compare struct {
	Op   string
	L, R Expression
}

// And holds if all do, Or if one does, Not if F does not. Arbitrary may or may
// not hold, independently each time.
type (
	And       []Formula
	Or        []Formula
	Not       struct{ F Formula }
	Arbitrary struct{}
)

func (Compare) isFormula()   {}
func (And) isFormula()       {}
func (Or) isFormula()        {}
func (Not) isFormula()       {}
func (Arbitrary) isFormula() {}

// Expression is an integer expression: a polynomial with choices in it.
type Expression interface{ isExpression() }

// The expressions. Choice is an arbitrary integer, each time anew.
type (
	Literal   struct{ N linear.Number }
	Reference struct{ V linear.Var }
	Sum       struct{ L, R Expression }
	Times     struct{ L, R Expression }
	Minus     struct{ E Expression }
	Choice    struct{}
)

func (Literal) isExpression()   {}
func (Reference) isExpression() {}
func (Sum) isExpression()       {}
func (Times) isExpression()     {}
func (Minus) isExpression()     {}
func (Choice) isExpression()    {}

// Form is the expression over the builder's current values; products and
// choices become temporaries.
func (b *Builder) Form(e Expression) linear.Form {
	switch e := e.(type) {
	case Literal:
		return linear.Constant(e.N)
	case Reference:
		return linear.Variable(e.V)
	case Sum:
		return b.Form(e.L).Add(b.Form(e.R))
	case Minus:
		return b.Form(e.E).Neg()
	case Times:
		return b.Product(b.Form(e.L), b.Form(e.R))
	case Choice:
		return b.Temp()
	}
	panic(fmt.Sprintf("its: unexpected %T", e))
}

// ErrTooManyCases says that a formula has too many disjuncts.
type ErrTooManyCases struct{ Limit int }

func (e ErrTooManyCases) Error() string {
	return fmt.Sprintf("the condition has more than %d cases when written as a disjunction", e.Limit)
}

// maxCases bounds the disjuncts of one transition of a file.
const maxCases = 4096

// AssumeFormula requires f: one builder for each disjunct.
func (b *Builder) AssumeFormula(f Formula) ([]*Builder, error) {
	cases, err := disjuncts(f, true)
	if err != nil {
		return nil, err
	}
	out := make([]*Builder, len(cases))
	for i, c := range cases {
		d := b
		if len(cases) > 1 {
			d = b.Clone()
		}
		for _, a := range c {
			l, r := d.Form(a.L), d.Form(a.R)
			switch a.Op {
			case "=":
				d.Assume(linear.Equals(l, r))
			case "<":
				d.Assume(linear.Less(l, r))
			case "<=":
				d.Assume(linear.AtMost(l, r))
			case ">":
				d.Assume(linear.Less(r, l))
			case ">=":
				d.Assume(linear.AtLeast(l, r))
			default:
				panic("its: unexpected comparison " + a.Op)
			}
		}
		out[i] = d
	}
	return out, nil
}

var opposite = map[string]string{"=": "!=", "!=": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}

// disjuncts is the disjunctive normal form of f, or of its negation; no
// comparison of the result is !=. A choice inside a comparison that is split or
// negated stands for one arbitrary value, so it makes both cases possible.
func disjuncts(f Formula, positive bool) ([][]Compare, error) {
	switch f := f.(type) {
	case Arbitrary:
		return [][]Compare{{}}, nil
	case Not:
		return disjuncts(f.F, !positive)
	case Compare:
		if !positive {
			f.Op = opposite[f.Op]
		}
		if f.Op == "!=" {
			return [][]Compare{{{"<", f.L, f.R}}, {{">", f.L, f.R}}}, nil
		}
		return [][]Compare{{f}}, nil
	case And:
		return combine(f, positive, positive)
	case Or:
		return combine(f, positive, !positive)
	}
	panic(fmt.Sprintf("its: unexpected %T", f))
}

// combine is the conjunction or disjunction of the normal forms of the parts.
func combine(fs []Formula, positive, conjunction bool) ([][]Compare, error) {
	var out [][]Compare
	if conjunction {
		out = [][]Compare{{}}
	}
	for _, f := range fs {
		d, err := disjuncts(f, positive)
		if err != nil {
			return nil, err
		}
		if !conjunction {
			out = append(out, d...)
		} else {
			if len(out)*len(d) > maxCases {
				return nil, ErrTooManyCases{maxCases}
			}
			next := make([][]Compare, 0, len(out)*len(d))
			for _, a := range out {
				for _, b := range d {
					next = append(next, append(a[:len(a):len(a)], b...))
				}
			}
			out = next
		}
		if len(out) > maxCases {
			return nil, ErrTooManyCases{maxCases}
		}
	}
	return out, nil
}
