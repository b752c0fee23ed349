package integerize

// Evidence of the system, for people.

import (
	"strings"

	"assay/internal/integers/its"
	"assay/internal/program/ir"
)

// Pos is where a place is in the source.
func (p Place) Pos() ir.Pos {
	if p.Func == nil || p.Block == 0 {
		return ir.Pos{}
	}
	for _, v := range p.Func.Blocks[p.Block].Instrs {
		if pos := p.Func.Def(v).Pos; pos.Line != 0 {
			return pos
		}
	}
	return p.Func.Pos
}

// FormatArgument prints a ranking argument.
func (p *Program) FormatArgument(a its.RankingArgument) string {
	return p.named(a.Format(p.System))
}

// FormatRecurrence prints a recurrent set with its stem.
func (p *Program) FormatRecurrence(r its.Recurrence) string {
	return p.named(r.Format(p.System))
}

// named drops trailing white space.
func (p *Program) named(text string) string { return strings.TrimSpace(text) }
