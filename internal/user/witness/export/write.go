package export

import (
	"context"
	"errors"
	"io"
	"strings"

	"assay/internal/conductor"
	"assay/internal/evidence/verdict"
	"assay/internal/user/witness"
)

// Formats are the formats of Write; the first is 2.0, or 2.1 where something needs it.
var Formats = []string{"auto", witness.V20, witness.V21, graphML}

const graphML = "graphml"

// SMTLIB is the format of a certificate: the check of a proof as a script for SMT solvers.
const SMTLIB = "smt2"

// Write writes the witness of an answer. If there is none, written is false, and left says why; else what is not part of it.
func Write(ctx context.Context, to io.Writer, format string, s Subject) (written bool, left []string, err error) {
	version := strings.TrimPrefix(format, "auto")
	_, proof := s.Answer.Verdict.(verdict.True)
	switch {
	case !s.Known:
		return false, []string{"there is no answer"}, nil
	case format == SMTLIB:
		none, err := conductor.WriteScript(ctx, to, s.Ask, s.Answer, "A proof of "+s.Producer+" for "+strings.Join(s.Options.Files, " ")+": "+strings.ReplaceAll(s.Specification, "\n", " "))
		if none != "" {
			return false, []string{none}, err
		}
		return err == nil, nil, err
	case format == graphML:
		if proof {
			return false, []string{"format 1.0 is written for violations only; correctness witnesses have format 2.0"}, nil
		}
		version = ""
	}
	x, err := Of(ctx, s, version)
	var none *ErrNone
	switch {
	case errors.As(err, &none):
		return false, []string{none.Why}, nil
	case err != nil:
		return false, nil, err
	case format == graphML:
		err = x.Witness.WriteGraphML(to, x.Steps, x.Cycle, x.Invariant)
	default:
		err = x.Witness.WriteYAML(to)
	}
	return err == nil, x.Left, err
}
