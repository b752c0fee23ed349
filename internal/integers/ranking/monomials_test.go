package ranking

import (
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/certify/itscheck"
	"assay/internal/integers/its"
	"assay/internal/logic/conjunction"
	"assay/internal/logic/linear"
	"assay/internal/logic/smt"
)

// TestMonomials: products that bound loops.
func TestMonomials(t *testing.T) {
	for _, text := range []string{
		"s(x,y,n) -> a(0,y,n) :|: y > 0\na(x,y,n) -> a(x+1,y,n) :|: x*y < n",
		"s(x,y,n) -> a(0,y,n)\na(x,y,n) -> a(x+1,y,n) :|: x < n*y",
		"s(x,y,n) -> a(0,0,n)\na(x,y,n) -> b(x,0,n) :|: x < n\nb(x,y,n) -> b(x,y+1,n) :|: y < x*x\nb(x,y,n) -> a(x+1,y,n) :|: y >= x*x",
	} {
		s, err := its.ReadKoAT("test", "(STARTTERM (FUNCTIONSYMBOLS s)) (RULES\n"+text+")")
		if err != nil {
			t.Fatal(err)
		}
		p, ok := Prove(t.Context(), s, Options{Monomials: true}).(Proved)
		if !ok {
			t.Errorf("no proof for\n%s", text)
			continue
		}
		if err := itscheck.Ranking(t.Context(), s, p.Argument); err != nil {
			t.Errorf("%v for\n%s", err, text)
		}
	}
}

// TestMonomialSteps: every step of a random system is one of the system with monomials.
func TestMonomialSteps(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 2))
	form := func(known int) linear.Form {
		f := linear.Constant(linear.Int(rng.Int64N(5) - 2))
		for v := range linear.Var(known) {
			if rng.IntN(3) == 0 {
				f = f.AddScaled(linear.Int(rng.Int64N(5)-2), linear.Variable(v))
			}
		}
		return f
	}
	var z conjunction.Solver
	defer z.Close()
	steps := 0
	for range 40 {
		s := its.NewSystem("x", "y", "z")
		tr := its.Transition{Temps: 3, Fair: true, Cost: linear.Constant(linear.Int(1))}
		tr.Products = []its.Product{{Temp: 4, A: form(3), B: form(4)}, {Temp: 5, A: form(5), B: form(3)}}
		tr.Guard = []linear.Constraint{{Form: form(6)}}
		for range 3 {
			tr.Update = append(tr.Update, form(5))
		}
		s.Add(tr)
		more, factors := withMonomials(s)
		if more == nil {
			continue
		}
		if err := more.Check(); err != nil {
			t.Fatal(err)
		}
		u := &more.Transitions[0]
		for range 15 {
			number := func() *big.Int { return big.NewInt(rng.Int64N(9) - 4) }
			state := []*big.Int{number(), number(), number()}
			input := number()
			next, err := s.Step(&s.Transitions[0], state, []*big.Int{input, nil, nil})
			if err != nil {
				continue
			}
			steps++
			extended := func(values []*big.Int) []*big.Int {
				for _, fs := range factors {
					p := big.NewInt(1)
					for _, v := range fs {
						p.Mul(p, values[v])
					}
					values = append(values, p)
				}
				return values
			}
			q := conjunction.Query{Variables: len(more.Variables) + u.Temps, Constraints: append([]linear.Constraint{
				linear.Equals(linear.Variable(more.Temp(0)), linear.Constant(linear.FromBigInt(input))),
			}, u.Guard...)}
			for v, n := range extended(state) {
				q.Constraints = append(q.Constraints, linear.Equals(linear.Variable(linear.Var(v)), linear.Constant(linear.FromBigInt(n))))
			}
			for v, n := range extended(next) {
				q.Constraints = append(q.Constraints, linear.Equals(u.Update[v], linear.Constant(linear.FromBigInt(n))))
			}
			for _, p := range u.Products {
				q.Products = append(q.Products, conjunction.Product{V: p.Temp, A: p.A, B: p.B})
			}
			if status, _, err := z.Solve(t.Context(), q); status == smt.Unsat || err != nil {
				t.Fatalf("the step from %v to %v is gone (%v):\n%s", state, next, err, more.Format(u))
			}
		}
	}
	if steps < 40 {
		t.Errorf("only %d steps", steps)
	}
}
