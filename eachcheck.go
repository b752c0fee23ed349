package assay

import (
	"cmp"
	"slices"

	"assay/internal/bmc"
	"assay/internal/ir"
	"assay/internal/verdict"
)

// eachCheck lists every check with its own answer, in the order of the source.
// The engine lists those that a run may violate as far as it knows; the others
// are true, if all runs were looked at to their end.
func eachCheck(m *ir.Module, kinds []ir.CheckKind, answer bmc.Result) []CheckResult {
	var out []CheckResult
	listed := map[Place]bool{}
	_, complete := answer.Verdict.(verdict.True)
	for _, c := range answer.Checks {
		r := explainCheck(m, c.Guard, c.Verdict)
		listed[r.Place] = true
		complete = complete || r.Answer == True
		out = append(out, r)
	}
	if complete {
		for _, g := range explicitChecks(m, kinds) {
			if p := place(m, g); !listed[p] {
				listed[p] = true
				out = append(out, CheckResult{Place: p, Property: violated(g.Kind), Answer: True})
			}
		}
	}
	slices.SortStableFunc(out, func(a, b CheckResult) int {
		p, q := a.Place.Pos, b.Place.Pos
		return cmp.Or(cmp.Compare(p.File, q.File), cmp.Compare(p.Line, q.Line), cmp.Compare(p.Col, q.Col))
	})
	return out
}

// explicitChecks are the check instructions of the program, library models
// excepted.
func explicitChecks(m *ir.Module, kinds []ir.CheckKind) []verdict.Guard {
	var out []verdict.Guard
	for _, f := range m.Funcs {
		if f.Model {
			continue
		}
		for _, b := range f.Blocks {
			for _, v := range b.Instrs {
				if d := f.Def(v); d.Op == ir.Check && slices.Contains(kinds, ir.CheckKind(d.Aux)) {
					out = append(out, verdict.Guard{Kind: ir.CheckKind(d.Aux), Text: d.Sym, Func: f.Name, Pos: d.Pos})
				}
			}
		}
	}
	return out
}
