// Package solve decides files that hold transition systems: it reads DimSpec,
// AIGER and BTOR2, runs the engines, has every proof checked and every run
// simulated, and writes the answer in the file's own format.
package solve

import (
	"bytes"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"assay/internal/finite/ts"
	"assay/internal/finite/ts/aiger"
	"assay/internal/finite/ts/btor2"
	"assay/internal/finite/ts/dimspec"
)

// Model is a file of one of the formats.
type Model struct {
	System  *ts.System
	Format  Format
	aiger   *aiger.Model
	btor2   *btor2.Model
	dimspec *dimspec.Model
}

// Format is a file format.
type Format uint8

// The formats.
const (
	DimSpec Format = iota
	AIGER
	BTOR2
)

// ErrFormat says that a file is of none of the formats.
type ErrFormat struct{}

func (ErrFormat) Error() string {
	return "neither DimSpec (.dimspec), AIGER (.aag, .aig) nor BTOR2 (.btor, .btor2)"
}

// Parse reads a file. Its name decides what it is, and where that says nothing,
// its first line. The error is a *ts.SyntaxError, a *ts.Unsupported, or ErrFormat.
func Parse(name string, text []byte) (*Model, error) {
	format, ok := guess(name, text)
	if !ok {
		return nil, ErrFormat{}
	}
	m := &Model{Format: format}
	switch format {
	case AIGER:
		a, err := aiger.Read(text)
		if err != nil {
			return nil, err
		}
		m.aiger, m.System = a, a.System()
	case BTOR2:
		b, err := btor2.Read(text)
		if err != nil {
			return nil, err
		}
		m.btor2, m.System = b, b.System
	case DimSpec:
		f, err := dimspec.Read(text)
		if err != nil {
			return nil, err
		}
		m.dimspec = f.Model()
		m.System = m.dimspec.System
	}
	return m, nil
}

func guess(name string, text []byte) (Format, bool) {
	switch strings.ToLower(filepath.Ext(name)) {
	case ".aag", ".aig":
		return AIGER, true
	case ".btor", ".btor2":
		return BTOR2, true
	case ".dimspec":
		return DimSpec, true
	}
	for len(text) > 0 {
		var line []byte
		line, text, _ = bytes.Cut(text, []byte{'\n'})
		f := bytes.Fields(line)
		switch {
		case len(f) == 0 || line[0] == ';' || string(f[0]) == "c":
			continue
		case string(f[0]) == "aag" || string(f[0]) == "aig":
			return AIGER, true
		case string(f[0]) == "i" && len(f) > 1 && string(f[1]) == "cnf":
			return DimSpec, true
		case len(f) > 1 && f[0][0] >= '1' && f[0][0] <= '9' && f[1][0] >= 'a' && f[1][0] <= 'z':
			return BTOR2, true
		}
		return 0, false
	}
	return 0, false
}

// WriteAnswer prints the answer as tools for the format do: for AIGER and BTOR2 a
// witness, or 0 and unsat; for DimSpec a solution, or unsat. An unknown is 2 in
// AIGER and unknown elsewhere.
func (m *Model) WriteAnswer(w io.Writer, a *Answer) error {
	switch {
	case a.Trace != nil:
		return m.WriteWitness(w, a.Trace)
	case m.Format == AIGER && a.Proof != nil:
		// The property is named as in the witness of a violation.
		_, err := fmt.Fprintf(w, "0\n%s\n.\n", m.first())
		return err
	case m.Format == AIGER:
		_, err := fmt.Fprintf(w, "2\n%s\n.\n", m.first())
		return err
	case a.Proof != nil:
		_, err := fmt.Fprintln(w, "unsat")
		return err
	}
	_, err := fmt.Fprintln(w, "unknown")
	return err
}

func (m *Model) first() string {
	if len(m.System.Bad) == 0 && len(m.System.Justice) > 0 {
		return "j0"
	}
	return "b0"
}

// WriteWitness prints a trace in the file's format.
func (m *Model) WriteWitness(w io.Writer, t *ts.Trace) error {
	switch m.Format {
	case AIGER:
		return m.aiger.WriteWitness(w, t)
	case BTOR2:
		return m.btor2.WriteWitness(w, t)
	}
	s, err := m.dimspec.Solution(t)
	if err != nil {
		return err
	}
	return s.Write(w)
}

// CheckWitness reads a witness and simulates it on the model.
func (m *Model) CheckWitness(text []byte) (*ts.Trace, error) {
	var t *ts.Trace
	var err error
	switch m.Format {
	case AIGER:
		t, err = m.aiger.ReadWitness(text, m.System)
	case BTOR2:
		t, err = m.btor2.ReadWitness(text)
	case DimSpec:
		s, err := dimspec.ReadSolution(text)
		if err != nil {
			return nil, err
		}
		return nil, m.dimspec.Formula.Check(s)
	}
	if err != nil {
		return nil, err
	}
	_, err = m.System.Simulate(t)
	return t, err
}
