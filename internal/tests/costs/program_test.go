package costs_test

import (
	"context"
	"math/big"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"testing"

	"assay/internal/conductor"
	"assay/internal/integers/bound"
	"assay/internal/integers/its"
	"assay/internal/logic/bv"
	"assay/internal/logic/linear"
	"assay/internal/program/frontend"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// costed is a program with the bounds of what is counted.
type costed struct {
	module *ir.Module
	heads  map[*ir.Func]*ir.WTO
	costs  []conductor.Cost
	system []*its.System
	bounds []bound.Expression
}

// counted are the costs that runs are compared by.
var counted = []conductor.Cost{conductor.Iterations, conductor.Instructions}

// program compares the bounds of a C program with runs of the interpreter, and of its transition system.
func (x *tally) program(t *testing.T, file string, r *rand.Rand) {
	loaded, err := frontend.Load(t.Context(), frontend.Options{Files: []string{file}, Only: true, ExtraArgs: []string{"-w"}})
	if err != nil {
		t.Fatal(err)
	}
	p := costed{module: loaded.Module, heads: map[*ir.Func]*ir.WTO{}}
	for _, f := range loaded.Module.Funcs {
		if !f.IsDecl() {
			p.heads[f] = ir.NewWTO(f)
		}
	}
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
	c := &chooser{r: r, size: size, params: map[string]int64{}, lines: map[int]int64{}}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	measured := map[conductor.Cost]int64{}
	out, err := interp.Run(ctx, p.module, interp.Options{Oracle: c, MaxSteps: maxWork, Blocks: true, Observe: func(e interp.Event) {
		switch {
		case e.Kind == interp.Enter && e.Func.Name != p.module.Entry, e.Kind == interp.BlockEntered && p.heads[e.Func].IsHead(e.Block):
			measured[conductor.Iterations]++
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	measured[conductor.Instructions] = out.Steps
	for i, cost := range p.costs {
		known := true
		most, ok := p.bounds[i].Eval(func(v linear.Var) *big.Int {
			n, ok := c.value(p.system[i].VarName(v))
			known = known && ok
			return big.NewInt(n)
		})
		if !ok || !known {
			x.skipped++
			continue
		}
		x.runs++
		if most.Cmp(big.NewRat(measured[cost], 1)) < 0 {
			t.Fatalf("%s: a run with %v, %v costs %d, more than %v = %s", cost, c.params, c.lines, measured[cost], most.RatString(), p.bounds[i].Format(p.system[i].VarName))
		}
	}
}

// chooser gives inputs random values, and remembers them by the names that bounds have for them.
type chooser struct {
	interp.Zero
	r      *rand.Rand
	size   int64
	params map[string]int64
	lines  map[int]int64 // what was read in a line, once
	twice  []int
}

func (c *chooser) Next(q interp.Request) (ir.Choice, error) {
	if q.Kind != interp.WantValue || q.Type.Kind != ir.Int {
		return c.Zero.Next(q)
	}
	n := c.r.Int64N(c.size+c.size/2+1) - c.size/2
	if q.Type.Bits == 1 {
		n &= 1
	}
	d := q.Func.Def(q.Value)
	line := int(d.Pos.Line)
	if _, known := c.lines[line]; known {
		c.twice = append(c.twice, line)
	}
	c.params[d.Sym], c.lines[line] = n, n
	return ir.Choice{Func: q.Func.Name, Value: q.Value, Bits: bv.New(q.Type.Bits, uint64(n))}, nil
}

// inputName is a name of an input with the line where it is read.
var inputName = regexp.MustCompile(`@([0-9]+)(#[0-9]+)?$`)

// value is that of an input by its name; ok is false if it is not known which is meant.
func (c *chooser) value(name string) (n int64, ok bool) {
	if m := inputName.FindStringSubmatch(name); m != nil {
		line, err := strconv.Atoi(m[1])
		if err != nil || m[2] != "" || slices.Contains(c.twice, line) {
			return 0, false
		}
		return c.lines[line], true // what was not read may be anything
	}
	n, ok = c.params[name]
	return n, ok
}
