package certify

import (
	"fmt"

	"assay/internal/logic/term"
	"assay/internal/models/memory"
	"assay/internal/program/ir"
)

// value is a value of the program. It is loose if it may be a NaN that an
// operation made: sign and payload of such a NaN are arbitrary, and stand for
// nothing until they can be seen (see checker.visible).
type value struct {
	memory.Value
	loose bool
}

// bitsValue is a scalar.
func bitsValue(t term.ID) value { return value{Value: memory.Value{Bits: t}} }

// function is what the checker knows about a function before it runs.
type function struct {
	f      *ir.Func
	loops  *forest
	phis   [][]ir.Value
	live   [][]slot
	values int // slots
	// further are the slots of a call's results beyond the first.
	further map[ir.Value][]slot
	// constants by value, and whether a value is one.
	constants  []value
	isConstant []bool
	// bound is the number of reactivations allowed, bounds those of back edges
	// by head.
	bound  int
	bounds map[ir.BlockID]int
	// active counts the activations that are under way.
	active int
	// spare are activations to be used again.
	spare []*frame
}

func (c *checker) function(f *ir.Func) *function {
	if fn, ok := c.functions[f]; ok {
		return fn
	}
	fn := &function{f: f, loops: newForest(f), bounds: map[ir.BlockID]int{}}
	fn.further, fn.values = furtherResults(f)
	fn.live = liveIn(fn.loops, fn.further, fn.values, c.ofPredicates(f))
	fn.phis = make([][]ir.Value, len(f.Blocks))
	for _, b := range fn.loops.rpo {
		instrs := f.Blocks[b].Instrs
		n := 0
		for n < len(instrs) && f.Values[instrs[n]].Op == ir.Phi {
			n++
		}
		fn.phis[b] = instrs[:n]
	}
	fn.constants = make([]value, len(f.Values))
	fn.isConstant = make([]bool, len(f.Values))
	for v := 1; v < len(f.Values); v++ {
		d := &f.Values[v]
		if !ir.IsConst(d.Op) {
			continue
		}
		fn.isConstant[v] = true
		switch d.Op {
		case ir.Const:
			fn.constants[v] = bitsValue(c.st.Const(d.Const))
		case ir.Null:
			fn.constants[v].Value = c.sp.Null()
		default:
			o, ok := c.sp.Symbol(d.Sym)
			if !ok {
				panic(fmt.Sprintf("certify: %s uses the unknown symbol %q", f.Name, d.Sym))
			}
			fn.constants[v].Value = c.sp.Pointer(o, c.word(0))
		}
	}
	for _, b := range c.bounds {
		switch {
		case b.Func != f.Name:
		case b.Head == 0:
			fn.bound = max(fn.bound, b.N)
		default:
			fn.bounds[b.Head] = max(fn.bounds[b.Head], b.N)
		}
	}
	c.functions[f] = fn
	return fn
}

// compatible says whether a call with these arguments and result types fits a
// function.
func compatible(f *ir.Func, args, results []ir.Type) bool {
	if !f.Accepts(args) || len(results) > len(f.Results) {
		return false
	}
	for i, t := range results {
		if t != f.Results[i] {
			return false
		}
	}
	return true
}
