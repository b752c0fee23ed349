package show

import (
	"assay/internal/program/frontend"
	"assay/internal/program/harness"
)

// Assumption is something that the answer depends on and that was not checked.
type Assumption struct {
	Pos  Position `json:"position"`
	Text string   `json:"text"`
	// Start is what is assumed of the state in which runs start, nil if it is about something else.
	Start *harness.Fact `json:"-"`
}

// AssumptionsOf are those that the front end makes: the state in which runs start, and its notes.
func AssumptionsOf(p *frontend.Program) []Assumption {
	var out []Assumption
	for i := range p.Start {
		out = append(out, Assumption{Text: p.Start[i].Text, Start: &p.Start[i]})
	}
	if p.Module.Optimized {
		out = append(out, Assumption{Text: "the input is LLVM IR made elsewhere and is verified as it is: its compiler may have used undefined behaviour already"})
	}
	for _, n := range p.Notes {
		text := n.Text
		if n.Name != "" {
			text = n.Name + " " + n.Text
		}
		out = append(out, Assumption{Pos: PositionOf(p.Module, n.Pos), Text: text})
	}
	return out
}
