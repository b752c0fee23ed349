package costs_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"testing"

	"assay/internal/conductor"
	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/linear"
	"assay/internal/program/frontend"
	"assay/internal/user/measure"
)

// costed is a program with the bounds of what is counted.
type costed struct {
	program *measure.Program
	costs   []conductor.Cost
	system  []*its.System
	bounds  []bound.Expression
}

// counted are the costs that runs are compared by.
var counted = []conductor.Cost{conductor.Iterations, conductor.Instructions}

// program compares the bounds of a C program with runs of the interpreter, and of its transition system.
func (x *tally) program(t *testing.T, file string, r *rand.Rand) {
	loaded, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}, Only: true, ExtraArgs: []string{"-w"}})
	if err != nil {
		t.Fatal(err)
	}
	p := costed{program: measure.New(loaded.Module)}
	for _, cost := range counted {
		s, rest, none := conductor.IntegerSystem(t.Context(), loaded.Module, conductor.Integers, cost)
		if none != nil {
			t.Logf("%s: %s", cost, none.Text)
			return
		}
		e, ok := upper(t, s)
		if !ok {
			continue
		}
		x.bounds++
		x.walks(t, s, e, r)
		p.costs, p.system, p.bounds = append(p.costs, cost), append(p.system, s), append(p.bounds, e.Add(bound.Int(rest)))
	}
	for i := range *samples {
		if len(p.costs) > 0 {
			x.execute(t, &p, r, sizes[i%len(sizes)])
		}
	}
}

// execute makes a run with inputs up to a size, and compares its costs. A run ends where signed arithmetic
// overflows: up to there it is one over the mathematical integers.
func (x *tally) execute(t *testing.T, p *costed, r *rand.Rand, size int64) {
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	run, err := p.program.Run(ctx, measure.Inputs{Seed: r.Uint64(), Size: size, Negative: true}, maxWork)
	if err != nil {
		t.Fatal(err)
	}
	for i, cost := range p.costs {
		known := true
		most, ok := p.bounds[i].Eval(func(v linear.Var) *big.Int {
			n, ok := run.Value(p.system[i].VarName(v))
			known = known && ok
			return big.NewInt(n)
		})
		if !ok || !known {
			x.skipped++
			continue
		}
		x.runs++
		measured := run.Iterations
		if cost == conductor.Instructions {
			measured = run.Instructions
		}
		if most.Cmp(big.NewRat(measured, 1)) < 0 {
			t.Fatalf("%s: a run with %+v costs %d, more than %v = %s", cost, run, measured, most.RatString(), p.bounds[i].Format(p.system[i].VarName))
		}
	}
}
