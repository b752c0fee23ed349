package verdict

import (
	"assay/internal/program/ir"
	"assay/internal/program/ir/interp"
)

// Broken is the guard that an event of a run breaks, if it breaks one; label is
// the C label that ir.ErrorLabel means.
func Broken(ev interp.Event, label string) (Guard, bool) {
	switch ev.Kind {
	case interp.Violation:
		return Guard{Kind: ev.Check, Text: ev.Text, Func: ev.Func.Name, Pos: ev.Pos}, true
	case interp.LabelReached:
		if ev.Text == label && label != "" {
			return Guard{Kind: ir.ErrorLabel, Text: "label " + label, Func: ev.Func.Name, Pos: ev.Pos}, true
		}
	}
	return Guard{}, false
}
