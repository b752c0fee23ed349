package conductor

import (
	"assay/internal/program/ir"
	"assay/internal/temporal/ltl"
	"assay/internal/transform/product"
)

// Truths are the verdicts on a formula and its subformulas at the observations of a run.
type Truths struct {
	// Formulas are the formula, and below it its subformulas other than constants.
	Formulas []ltl.Formula
	// Rows has a row of verdicts for each observation, in the order of Formulas. Behind the last comes
	// observation Loop; if the run is known to its violation only, Loop is the number of rows.
	Rows [][]ltl.Verdict
	Loop int
	// Last is the variable of Func whose assignment ends an observation: that of the last of its atoms, which
	// are the first variables.
	Func string
	Last int
	// Choice names inputs that are none of the program: what the automaton chooses.
	Choice string
}

// truthsOf arranges the verdicts, which are given by formula.
func truthsOf(f ltl.Formula, m *ir.Module, atoms, n, loop int, at func(g ltl.Formula, i int) ltl.Verdict) *Truths {
	t := &Truths{Loop: loop, Func: m.Entry, Last: atoms - 1, Choice: product.Choice}
	all := ltl.Subformulas(f)
	for i := len(all) - 1; i >= 0; i-- {
		if _, constant := all[i].(ltl.Constant); !constant {
			t.Formulas = append(t.Formulas, all[i])
		}
	}
	for i := range n {
		var row []ltl.Verdict
		for _, g := range t.Formulas {
			row = append(row, at(g, i))
		}
		t.Rows = append(t.Rows, row)
	}
	return t
}
