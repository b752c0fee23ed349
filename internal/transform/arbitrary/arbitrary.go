// Package arbitrary makes programs in which signed overflow yields anything. What is proved of such
// a program does not depend on what machines do where C says nothing.
package arbitrary

import (
	"slices"

	"assay/internal/program/ir"
	"assay/internal/transform"
)

// Overflow is the program in which signed overflow yields anything, nil if some check of an
// overflow is not one of a known operation. Values keep their numbers.
func Overflow(m *ir.Module) *transform.Program {
	operations := map[*ir.Func]map[ir.Value]bool{}
	for _, f := range m.Funcs {
		for c := 1; c < len(f.Values); c++ {
			d := f.Def(ir.Value(c))
			if d.Block == 0 || d.Op != ir.Check || ir.CheckKind(d.Aux) != ir.Overflow {
				continue
			}
			v := f.Overflowing(ir.Value(c))
			if v == 0 {
				return nil
			}
			if operations[f] == nil {
				operations[f] = map[ir.Value]bool{}
			}
			for _, x := range f.Blocks[d.Block].Instrs { // the same may be computed again
				if e := f.Def(x); e.Op == f.Def(v).Op && slices.Equal(e.Args, f.Def(v).Args) {
					operations[f][x] = true
				}
			}
		}
	}
	out := ir.Rewrite(m, func(f *ir.Func) bool { return len(operations[f]) > 0 }, func(e *ir.Editor, f *ir.Func) { Operations(e, operations[f]) })
	return &transform.Program{From: m, Module: out, Runs: transform.More}
}

// predicates say whether an operation overflows.
var predicates = map[ir.Op]ir.Op{ir.Add: ir.SAddOvf, ir.Sub: ir.SSubOvf, ir.Mul: ir.SMulOvf}

// Operations lets additions, subtractions and multiplications of a function yield anything where
// they overflow.
func Operations(e *ir.Editor, operations map[ir.Value]bool) {
	e.Each(func(v ir.Value) {
		if !operations[v] {
			return
		}
		d := *e.Func.Def(v)
		sum := e.Op(d.Op, d.Type, d.Args...)
		overflows := e.Op(predicates[d.Op], ir.BoolType, d.Args...)
		other := e.Emit(ir.Def{Op: ir.Nondet, Type: d.Type, Aux: int64(ir.NondetUndef)})
		e.Replace(v, ir.Def{Op: ir.Select, Type: d.Type, Args: []ir.Value{overflows, other, sum}})
	})
}
