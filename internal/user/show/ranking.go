package show

import (
	"fmt"
	"strings"

	"assay/internal/evidence/invariant"
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// loopRanking shows the ranking functions of a loop in terms of C.
func loopRanking(m *ir.Module, l *verdict.RankedLoop, heads []invariant.Head) Ranking {
	out := Ranking{Pos: PositionOf(m, l.Pos), Func: l.Func, Recursion: l.Recursion}
	name := termNames(m.Func(l.Func))
	for _, f := range l.Functions {
		var text string
		for _, c := range f {
			sum := invariant.SumText(c.Terms, c.Constant, name)
			if len(c.When) == 0 {
				text += sum
				continue
			}
			var when []string
			for i := range c.When {
				when = append(when, c.When[i].Text(name))
			}
			text += strings.Join(when, " && ") + " ? " + sum + " : "
		}
		out.Functions = append(out.Functions, text)
	}
	for i := range heads {
		if heads[i].Func == l.Func && heads[i].Head == l.Head {
			for k := range heads[i].Predicates {
				out.Invariants = append(out.Invariants, heads[i].Predicates[k].Text(name))
			}
		}
	}
	return out
}

// termNames gives the terms of a function the names of the variables that they
// are assigned to.
func termNames(f *ir.Func) func(invariant.Term) string {
	names := f.VariableNames()
	return func(t invariant.Term) string {
		n := names[t.Value]
		d := f.Def(t.Value)
		if d.Op == ir.GlobalAddr {
			n = d.Sym
		}
		if n == "" {
			n = fmt.Sprintf("value%d", t.Value)
		}
		switch {
		case t.Cell && d.Op == ir.GlobalAddr && t.Offset == 0:
		case t.Cell && t.Offset == 0:
			n = "*" + n
		case t.Cell:
			n = fmt.Sprintf("%s[byte %d]", n, t.Offset)
		case d.Type.Kind == ir.Ptr:
			return "offset(" + n + ")"
		}
		if !t.Signed {
			return "(unsigned)" + n
		}
		return n
	}
}
