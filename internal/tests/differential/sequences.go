package differential

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// This file compares models of the library that leave something open with the
// library: is what it did on a sequence of calls one of the things that the
// models allow?
//
// A program draws a sequence of calls from its inputs and observes their
// results. It runs natively; then the interpreter is led through the models'
// choices, depth first, by what the native run has shown: a choice is tried with
// the results that come next and some small numbers, content with the bytes that
// come next, and a run that shows something else is given up at once. That there is
// no such run is a finding, or a value that the candidates lack; a search that
// takes too long decides nothing.

// Sequence is a program that draws a sequence of calls.
type Sequence struct {
	native *Native
	model  *Interpreted
}

// NewSequence compiles and imports a program.
func NewSequence(ctx context.Context, p Program, native *Native) (*Sequence, error) {
	i, err := Interpret(ctx, p)
	return &Sequence{native, i}, err
}

// maxDraws bounds the inputs of a sequence, maxTrials the runs of the interpreter.
const (
	maxDraws  = 400
	maxTrials = 5_000
)

// Permission says how models allow what the library did.
type Permission uint8

// The permissions, those that are worth less later.
const (
	Plain       Permission = iota
	Approximate            // on a run with over-approximated values, or one that is unsupported
	Undecided              // the search took too long
)

// Allowed says what is wrong with the models on the sequence of a seed: "" if they
// allow what the library did.
func (s *Sequence) Allowed(ctx context.Context, seed uint64) (wrong string, how Permission, err error) {
	rng := rand.New(rand.NewPCG(seed, 15))
	draws := make([]Value, maxDraws)
	for i := range draws {
		draws[i] = Value{"__VERIFIER_nondet_uint", rng.Uint64() >> 33}
	}
	run, err := s.native.Run(ctx, draws)
	if err != nil {
		return "", Plain, err
	}
	if run.End.Kind != Exited {
		return fmt.Sprintf("the native run: %v", run.End), Plain, nil
	}
	g := &guided{draws: draws, shown: run.Observed}
	for trial := 0; ; trial++ {
		if trial == maxTrials {
			return "", Undecided, nil
		}
		g.drawn, g.seen, g.made, g.different, g.approximate = 0, 0, 0, false, false
		out, err := interp.Run(ctx, s.model.promoted, interp.Options{
			Oracle:   g,
			MaxSteps: 2_000_000,
			Observe: func(e interp.Event) {
				if e.Kind == interp.Leave && e.Func.Name == "observe" {
					g.see(e.Bits.Uint64())
				}
			},
			StopAt: func(interp.Event) bool { return g.different },
		})
		if err != nil {
			return "", Plain, err
		}
		g.furthest = max(g.furthest, g.seen)
		if !g.different && g.seen == len(g.shown) && (out.End == interp.Returned || out.End == interp.Halted) {
			if g.approximate {
				how = Approximate
			}
			return "", how, nil
		}
		if out.End == interp.UnsupportedReached {
			g.unsupported = out.Text
		}
		if !g.back() {
			break
		}
	}
	if g.unsupported != "" {
		return "", Approximate, nil
	}
	var list []string
	for _, v := range g.shown {
		list = append(list, fmt.Sprintf("%s = %d", v.Name, int64(v.Bits)))
	}
	return fmt.Sprintf("the models allow the first %d of %s", g.furthest, strings.Join(list, "; ")), Plain, nil
}

// guided is the oracle that follows a native run.
type guided struct {
	interp.Zero
	draws, shown []Value
	drawn, seen  int
	different    bool // from what was shown
	approximate  bool
	furthest     int
	unsupported  string
	path         []choicePoint
	made         int
}

// choicePoint is a choice, by its number among the candidates.
type choicePoint struct{ chosen, of int }

func (g *guided) see(bits uint64) {
	if g.seen >= len(g.shown) || g.shown[g.seen].Bits != bits {
		g.different = true
		return
	}
	g.seen++
}

// back goes on to the next path; it says whether there is one.
func (g *guided) back() bool {
	g.path = g.path[:min(g.made, len(g.path))]
	for len(g.path) > 0 {
		last := &g.path[len(g.path)-1]
		if last.chosen++; last.chosen < last.of {
			return true
		}
		g.path = g.path[:len(g.path)-1]
	}
	return false
}

// choose is the number of the candidate at this place of the path.
func (g *guided) choose(of int) int {
	if g.made == len(g.path) {
		g.path = append(g.path, choicePoint{0, of})
	}
	g.made++
	return g.path[g.made-1].chosen
}

// coming are the next observations.
func (g *guided) coming(n int) []Value {
	return g.shown[min(g.seen, len(g.shown)):min(g.seen+n, len(g.shown))]
}

// Next implements interp.Oracle.
func (g *guided) Next(r interp.Request) (ir.Choice, error) {
	d := r.Func.Def(r.Value)
	c := ir.Choice{Func: r.Func.Name, Value: r.Value}
	switch {
	case r.Kind == interp.WantContent && r.Func.Model && r.Size > 0 && d.Op == ir.Havoc:
		next := g.coming(1 + int(min(r.Size, 1<<10)))
		skip := g.choose(3)
		if skip == 2 {
			next = nil
		}
		c.Bytes = make([]byte, r.Size)
		for i := skip; i < len(next); i++ {
			if i-skip < len(c.Bytes) {
				c.Bytes[i-skip] = byte(next[i].Bits)
			}
		}
		return c, nil
	case r.Kind != interp.WantValue || d.Op != ir.Nondet:
		return g.Zero.Next(r)
	case strings.HasPrefix(d.Sym, "__VERIFIER_nondet_"):
		c.Bits = bv.New(r.Type.Bits, g.draws[g.drawn%len(g.draws)].Bits)
		g.drawn++
		return c, nil
	}
	if ir.NondetKind(d.Aux) == ir.NondetApproximate {
		g.approximate = true
	}
	if r.Func.Name == "__assay_fail" { // errno: any will do
		c.Bits = bv.New(r.Type.Bits, 5)
		return c, nil
	}
	if r.Type.Bits == 1 {
		c.Bits = bv.New(1, uint64(g.choose(2)))
		return c, nil
	}
	var candidates []bv.BV
	add := func(bits uint64) {
		x := bv.New(r.Type.Bits, bits)
		for _, y := range candidates {
			if x == y {
				return
			}
		}
		candidates = append(candidates, x)
	}
	for _, v := range g.coming(3) {
		add(v.Bits)
	}
	for i := range uint64(r.Type.Bits / 4) { // counts, and places in content
		add(i)
	}
	add(^uint64(0))
	c.Bits = candidates[g.choose(len(candidates))]
	return c, nil
}
