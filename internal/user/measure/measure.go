// Package measure runs programs with chosen or random inputs, and counts what they cost: to compare it with bounds, to
// refute limits, and to draw it.
package measure

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
	"assay/internal/run/lazyregexp"
)

// Program is a module whose runs are measured.
type Program struct {
	module *ir.Module
	heads  map[*ir.Func]*ir.WTO
}

// New prepares a module.
func New(m *ir.Module) *Program {
	p := &Program{m, map[*ir.Func]*ir.WTO{}}
	for _, f := range m.Funcs {
		if !f.IsDecl() {
			p.heads[f] = ir.NewWTO(f)
		}
	}
	return p
}

// Inputs say what a run reads: parameters of the entry function by name, and all else at random, around a size, the same for the
// same seed; or all of it is one number.
type Inputs struct {
	Seed     uint64
	Size     int64
	Negative bool // numbers below 0, too
	All      bool // everything is Size
}

// Run is what a run costs, and what it has read.
type Run struct {
	Iterations   int64 // visits of loop heads, and calls of functions with a body
	Instructions int64
	params       map[string]int64
	lines        map[int]int64 // what was read in a line
	twice        []int         // lines in which more than one number was
}

// Run makes a run of at most so many instructions, which may end before the program does. The error is that of the context.
func (p *Program) Run(ctx context.Context, in Inputs, steps int64) (*Run, error) {
	r := &Run{params: map[string]int64{}, lines: map[int]int64{}}
	c := &chooser{in: in, random: rand.New(rand.NewPCG(in.Seed, 19)), run: r}
	out, err := interp.Run(ctx, p.module, interp.Options{Oracle: c, MaxSteps: steps, Blocks: true, Observe: func(e interp.Event) {
		switch {
		case e.Kind == interp.Enter && e.Func.Name != p.module.Entry, e.Kind == interp.BlockEntered && p.heads[e.Func].IsHead(e.Block):
			r.Iterations++
		}
	}})
	if err != nil {
		return nil, err
	}
	r.Instructions = out.Steps
	return r, nil
}

// chooser gives inputs values, and remembers them by the names that bounds have for them.
type chooser struct {
	interp.Zero
	in     Inputs
	random *rand.Rand
	run    *Run
}

func (c *chooser) Next(q interp.Request) (ir.Choice, error) {
	if q.Kind != interp.WantValue || q.Type.Kind != ir.Int {
		return c.Zero.Next(q)
	}
	n := c.in.Size
	if !c.in.All {
		n = c.random.Int64N(n + n/2 + 1)
	}
	if c.in.Negative {
		n -= c.in.Size / 2
	}
	switch {
	case q.Type.Bits == 1:
		n &= 1
	case q.Type.Bits < 64:
		n = min(n, 1<<(q.Type.Bits-1)-1)
	}
	d := q.Func.Def(q.Value)
	bits := bv.New(q.Type.Bits, uint64(n))
	line := int(d.Pos.Line)
	if _, known := c.run.lines[line]; known {
		c.run.twice = append(c.run.twice, line)
	}
	c.run.params[d.Sym], c.run.lines[line] = n, n
	return ir.Choice{Func: q.Func.Name, Value: q.Value, Bits: bits}, nil
}

// inputName is a name of an input with the line where it is read.
var inputName = lazyregexp.New(`@([0-9]+)(#[0-9]+)?$`)

// Value is that of an input by its name in a bound; ok is false if it is not known which is meant.
func (r *Run) Value(name string) (n int64, ok bool) {
	if m := inputName.FindStringSubmatch(name); m != nil {
		line, err := strconv.Atoi(m[1])
		if err != nil || m[2] != "" || slices.Contains(r.twice, line) {
			return 0, false
		}
		return r.lines[line], true // what was not read may be anything
	}
	n, ok = r.params[name]
	return n, ok
}
