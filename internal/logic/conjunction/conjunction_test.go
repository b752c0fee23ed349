package conjunction

import (
	"context"
	"errors"
	"math/big"
	"math/rand/v2"
	"testing"
	"time"

	"assay/internal/logic/linear"
	"assay/internal/logic/smt"
)

// TestAgainstEnumeration compares with the integer points of a box.
func TestAgainstEnumeration(t *testing.T) {
	var s Solver
	defer s.Close()
	r := rand.New(rand.NewPCG(1, 9))
	const k = 4
	counts := map[smt.Status]int{}
	for range 150 {
		form := func() linear.Form {
			return linear.NewForm(linear.Int(r.Int64N(9)-4), linear.Term{Var: 0, Coef: linear.Int(r.Int64N(7) - 3)},
				linear.Term{Var: 1, Coef: linear.Int(r.Int64N(7) - 3)})
		}
		q := Query{Variables: 3}
		for v := range linear.Var(2) {
			x := linear.Variable(v)
			q.Constraints = append(q.Constraints, linear.AtLeast(x, linear.Constant(linear.Int(-k))), linear.AtMost(x, linear.Constant(linear.Int(k))))
		}
		for range 1 + r.IntN(3) {
			q.Constraints = append(q.Constraints, linear.Constraint{Form: form().Scale(linear.Fraction(1, 2)), Equality: r.IntN(3) == 0})
		}
		q.Clauses = append(q.Clauses, []linear.Constraint{{Form: form()}, {Form: form(), Equality: true}})
		if r.IntN(2) == 0 {
			q.Products = append(q.Products, Product{V: 2, A: linear.Variable(0), B: form()})
			q.Constraints = append(q.Constraints, linear.Constraint{Form: linear.Variable(2).Plus(linear.Int(r.Int64N(9) - 4))})
		}
		holds := func(x []linear.Number) bool {
			value := func(v linear.Var) linear.Number { return x[v] }
			for _, p := range q.Products {
				x[p.V] = p.A.Eval(value).Mul(p.B.Eval(value))
			}
			for _, c := range q.Constraints {
				if !c.Holds(value) {
					return false
				}
			}
			return q.Clauses[0][0].Holds(value) || q.Clauses[0][1].Holds(value)
		}
		possible := false
		for a := int64(-k); a <= k; a++ {
			for b := int64(-k); b <= k; b++ {
				possible = possible || holds([]linear.Number{linear.Int(a), linear.Int(b), {}})
			}
		}
		status, model, err := s.Solve(context.Background(), q)
		if err != nil {
			t.Fatal(err)
		}
		counts[status]++
		switch status {
		case smt.Sat:
			x := make([]linear.Number, 3)
			for v := range x {
				x[v] = linear.FromBigInt(model[v])
			}
			if !possible || !holds(x) {
				t.Fatalf("%v is no solution of %v", model, q)
			}
		case smt.Unsat:
			if possible {
				t.Fatalf("%v has a solution", q)
			}
		}
	}
	if counts[smt.Sat] < 20 || counts[smt.Unsat] < 20 {
		t.Error(counts)
	}
}

func TestTimeout(t *testing.T) {
	s := Solver{Timeout: 30 * time.Millisecond}
	defer s.Close()
	// The sum of two cubes is no cube.
	var q Query
	cube := func() linear.Form {
		x := linear.Var(q.Variables)
		q.Variables += 3
		q.Products = append(q.Products, Product{x + 1, linear.Variable(x), linear.Variable(x)}, Product{x + 2, linear.Variable(x), linear.Variable(x + 1)})
		q.Constraints = append(q.Constraints, linear.AtLeast(linear.Variable(x), linear.Constant(linear.Int(1))))
		return linear.Variable(x + 2)
	}
	q.Constraints = append(q.Constraints, linear.Equals(cube().Add(cube()), cube()))
	if status, _, err := s.Solve(context.Background(), q); status != smt.Unknown || err != nil {
		t.Error(status, err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, _, err := s.Solve(ctx, q); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	big1 := new(big.Int).Exp(big.NewInt(10), big.NewInt(40), nil)
	large := Query{Variables: 1, Constraints: []linear.Constraint{linear.Equals(linear.Variable(0), linear.Constant(linear.FromBigInt(big1).Neg()))}}
	// Not the first solver: an interruption may come late, to this question.
	fresh := &Solver{}
	defer fresh.Close()
	status, model, err := fresh.Solve(context.Background(), large)
	if err != nil || status != smt.Sat || new(big.Int).Neg(model[0]).Cmp(big1) != 0 {
		t.Error(status, model, err)
	}
}
