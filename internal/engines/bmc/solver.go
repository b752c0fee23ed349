package bmc

import (
	"cmp"
	"fmt"
	"slices"

	"assay/internal/evidence/verdict"
	"assay/internal/logic/floats/ondemand"
	"assay/internal/logic/smt"
	"assay/internal/logic/smt/bitblast"
	"assay/internal/logic/smt/both"
	"assay/internal/logic/smt/z3"
	"assay/internal/logic/term"
	"assay/internal/models/ssa"
	"assay/internal/program/ir"
)

// newSolver makes the solver that an option names.
func newSolver(st *term.Store, name string) (smt.Solver, error) {
	blast := func() smt.Solver {
		return ondemand.NewSolver(st, func(lower func(*term.Store, term.ID) term.ID) smt.Solver {
			return bitblast.New(st, bitblast.Options{Lower: lower})
		})
	}
	switch name {
	case "", "cadical":
		return blast(), nil
	case "z3":
		return z3.New(st, z3.Options{}), nil
	case "both":
		return both.New(blast(), z3.New(st, z3.Options{})), nil
	}
	return nil, fmt.Errorf("unknown solver %q: want cadical, z3 or both", name)
}

func sortBounds(b []verdict.Bound) {
	slices.SortFunc(b, func(x, y verdict.Bound) int {
		return cmp.Or(cmp.Compare(x.Func, y.Func), cmp.Compare(x.Head, y.Head))
	})
}

// loopPos is where a loop or a recursive function is in the source.
func (e *engine) loopPos(l ssa.Loop) ir.Pos {
	f := e.m.Func(l.Func)
	if l.Head != 0 {
		for _, v := range f.Blocks[l.Head].Instrs {
			if p := f.Values[v].Pos; p.Line != 0 {
				return p
			}
		}
	}
	return f.Pos
}
