package show

import (
	"fmt"
	"strings"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// Jump is a place of a run where iterations of a loop are made at once.
type Jump struct {
	Pos        Position `json:"position"`
	Func       string   `json:"function"`
	Iterations uint64   `json:"iterations"`
	// Passes is the number of iterations of the loop in each.
	Passes int `json:"passes"`
	// Changes say what they change, in C.
	Changes []string `json:"changes"`
	// Checker is who proved that the run makes them.
	Checker string `json:"checker"`
}

// JumpsOf describes the jumps of a run.
func JumpsOf(m *ir.Module, v *verdict.False) []Jump {
	var out []Jump
	for i := range v.Input.Jumps {
		j := &v.Input.Jumps[i]
		f := m.Func(j.Func)
		out = append(out, Jump{
			Pos: PositionOf(m, f.BlockPos(j.Head)), Func: ir.NameInC(j.Func), Iterations: j.Rounds, Passes: max(1, j.Passes), Changes: changes(m, j), Checker: v.JumpChecker,
		})
	}
	return out
}

// jumpText is a jump in a line.
func jumpText(m *ir.Module, j *ir.Jump) string {
	text := fmt.Sprintf("%d iterations at once", j.Rounds)
	if j.Passes > 1 {
		text = fmt.Sprintf("%d times %d iterations at once", j.Rounds, j.Passes)
	}
	if c := changes(m, j); len(c) > 0 {
		text += ": " + strings.Join(c, ", ")
	}
	var fixed []string
	for _, c := range j.Choices {
		d := m.Func(c.Func).Def(c.Value)
		if k := ir.NondetKind(d.Aux); k == ir.NondetInput || k == ir.NondetUnknown {
			fixed = append(fixed, fmt.Sprintf("%s() = %s", d.Sym, c.Bits.Signed()))
		}
	}
	if len(fixed) > 0 {
		text += ", with " + strings.Join(fixed, ", ") + " in each"
	}
	return text
}

// changes say what the iterations of a jump do to the variables of the loop.
func changes(m *ir.Module, j *ir.Jump) []string {
	f := m.Func(j.Func)
	names := f.VariableNames()
	var out []string
	for i := range j.Changes {
		c := &j.Changes[i]
		name := names[c.Value]
		if c.Value == 0 {
			name = "memory"
			if g := m.Global(c.Cell.Global); g != nil && g.CName != "" {
				name = g.CName
				if c.Cell.Offset != 0 || g.Size != uint64(c.Cell.Bits/8) {
					name = fmt.Sprintf("memory in %s", g.CName)
				}
			}
		}
		if name == "" {
			name = "a value"
		}
		switch {
		case c.Kind != ir.Stepped:
			out = append(out, fmt.Sprintf("%s = %s at the end", name, c.End.Signed()))
		case c.Step.Negative() && c.Step.Width() > 1:
			out = append(out, fmt.Sprintf("%s -= %s", name, c.Step.Neg().Unsigned()))
		case !c.Step.IsZero():
			out = append(out, fmt.Sprintf("%s += %s", name, c.Step.Unsigned()))
		}
	}
	return out
}
