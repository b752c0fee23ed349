package ts

import (
	"errors"

	"assay/internal/logic/bv"
)

// Close finds the step to which the state after the last one returns, and sets
// the trace's Loop: witnesses of justice properties do not name it. Where there
// are several the earliest is taken, which makes the loop longest.
func (s *System) Close(t *Trace) error {
	// A state after the last step: a trace with one more step has it.
	longer := Trace{Initial: t.Initial, Inputs: append(append([][]bv.BV{}, t.Inputs...), t.Inputs[len(t.Inputs)-1])}
	states := s.states(&longer)
	last := states[len(states)-1]
	for k := range len(t.Inputs) {
		same := true
		for i := range last {
			same = same && last[i].Equal(states[k][i])
		}
		if same {
			t.Loop = k
			return nil
		}
	}
	return errors.New("the state after the last step is that of no earlier step")
}
