package solve

import (
	"context"
	"errors"
	"fmt"
	"io"

	"assay/internal/finite/ts"
	"assay/internal/finite/ts/aiger"
	"assay/internal/finite/ts/btor2"
	"assay/internal/finite/ts/chc"
	"assay/internal/finite/ts/dimspec"
)

// Targets are the formats that Export writes: aiger and aag are the binary and the
// ASCII form; plain is the binary form for tools that know only latches with reset
// 0 and one output.
var Targets = []string{"aiger", "aag", "plain", "btor2", "dimspec", "smt2"}

// Export writes the model in another format. The error may be the context's.
func (m *Model) Export(ctx context.Context, w io.Writer, target string) error {
	switch target {
	case "btor2":
		return btor2.Write(w, m.System)
	case "smt2":
		return chc.Write(w, m.System)
	}
	c, err := ts.Blast(ctx, m.System)
	if err != nil {
		return err
	}
	switch target {
	case "dimspec":
		if len(c.Bad) == 0 {
			return errors.New("the model has no bad state, which is all that DimSpec can express")
		}
		return dimspec.FromCircuit(c).Write(w)
	case "plain":
		return plainModel(m.System, c).WriteBinary(w)
	case "aiger", "aag":
		if len(c.Init)+len(c.Transitions) > 0 {
			// AIGER has neither; the equivalent circuit has a latch for them.
			c = withoutConditions(c)
		}
		a := aiger.FromCircuit(c, m.System)
		if target == "aag" {
			return a.WriteASCII(w)
		}
		return a.WriteBinary(w)
	}
	return fmt.Errorf("no format %q", target)
}

func plainModel(s *ts.System, c *ts.Circuit) *aiger.Model {
	p := ts.NewPlain(c.Normalise(nil))
	a := aiger.FromCircuit(p.Circuit, s)
	a.Outputs, a.Bad = a.Bad, nil
	return a
}

// withoutConditions replaces initial and transition conditions: the former become
// constraints of the first step, the latter are remembered by a latch that
// disables the bad states after a step that is none.
func withoutConditions(c *ts.Circuit) *ts.Circuit { return ts.Unconditional(c.Normalise(nil)) }

// PlainTrace makes a trace of the model from a witness for its plain export.
func (m *Model) PlainTrace(witness []byte) (*ts.Trace, error) {
	c, err := ts.Blast(context.Background(), m.System)
	if err != nil {
		return nil, err
	}
	c = c.Normalise(nil)
	p := ts.NewPlain(c)
	a := aiger.FromCircuit(p.Circuit, nil)
	s := a.System()
	t, err := a.ReadWitness(witness, s)
	if err != nil {
		return nil, err
	}
	var inputs [][]bool
	for _, in := range t.Inputs {
		row := make([]bool, len(in))
		for i, v := range in {
			row[i] = v.IsTrue()
		}
		inputs = append(inputs, row)
	}
	original := m.System.Lift(c, p.Original(inputs))
	for i := range m.System.Bad {
		original.Property = i
		if _, err = m.System.Simulate(original); err == nil {
			return original, nil
		}
	}
	return nil, err
}
