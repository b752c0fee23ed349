package itscheck

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/integers/equations"
	"assay/internal/logic/linear"
	"assay/internal/logic/polynomial/rational"
)

// TestSufficient: what is said to be implied holds in all states of a box; some is said.
func TestSufficient(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 7))
	x, y := linear.Variable(0), linear.Variable(1)
	small := func() linear.Number { return linear.Int(r.Int64N(7) - 3) }
	holds := func(sign int, relation string) bool {
		return map[string]bool{"<": sign < 0, "<=": sign <= 0, ">": sign > 0, ">=": sign >= 0, "==": sign == 0, "!=": sign != 0}[relation]
	}
	shown := 0
	for range 60 {
		p, _ := rational.FromForm(x.Scale(small()).Add(y.Scale(small())).Plus(small())).Times(rational.FromForm(x.Scale(small()).Add(y).Plus(small())))
		given := []linear.Constraint{linear.AtLeast(x, linear.Constant(small())), {Form: y.Scale(small()).Add(x).Plus(small()), Equality: r.IntN(4) == 0}}
		facts := []equations.Fact{equations.Multiple{Variable: 1, Rest: r.Int64N(2), Of: 2}, equations.Holds{Constraint: linear.AtLeast(y, linear.Constant(small()))}}
		if r.IntN(3) == 0 {
			facts = append(facts, equations.Power{Variable: 0, Base: 3})
		}
		relation := []string{"<", "<=", ">", ">=", "==", "!="}[r.IntN(6)]
		if Sufficient(t.Context(), facts, nil, given, p, relation) != nil {
			continue
		}
		shown++
		for a := int64(-12); a <= 12; a++ {
			for b := int64(-12); b <= 12; b++ {
				value := func(v linear.Var) linear.Number { return linear.Int([]int64{a, b}[v]) }
				m := facts[0].(equations.Multiple)
				in := given[0].Holds(value) && given[1].Holds(value) && facts[1].(equations.Holds).Holds(value) && ((b-m.Rest)%2+2)%2 == 0 &&
					(len(facts) < 3 || a == 1 || a == 3 || a == 9)
				if in && !holds(p.Eval([]*big.Int{big.NewInt(a), big.NewInt(b)}).Sign(), relation) {
					t.Fatalf("%v %s 0 is not true of (%d, %d), where %v, %v", p, relation, a, b, given, facts)
				}
			}
		}
	}
	if shown < 10 {
		t.Errorf("only %d are implied", shown)
	}
}
