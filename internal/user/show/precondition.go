package show

import (
	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/transform/precondition"
)

// Precondition is a condition under which every run ends.
type Precondition struct {
	// Condition are comparisons in C that hold together.
	Condition []string `json:"condition"`
	// Inputs are the inputs that they speak of: where each is read.
	Inputs []PreconditionInput `json:"inputs"`
	// Certificate is that of the program that assumes the condition.
	Certificate *Certificate `json:"certificate"`
}

// PreconditionInput is an input of the program.
type PreconditionInput struct {
	Name string   `json:"name"`
	Pos  Position `json:"position"`
	Func string   `json:"function,omitempty"`
}

// PreconditionOf shows a condition; m is the program that assumes it.
func PreconditionOf(m *ir.Module, condition []string, inputs []precondition.Input, c verdict.Certificate) Precondition {
	out := Precondition{Condition: condition, Certificate: CertificateOf(m, c)}
	for _, in := range inputs {
		out.Inputs = append(out.Inputs, PreconditionInput{in.Name, PositionOf(m, in.Pos), in.Func})
	}
	return out
}
