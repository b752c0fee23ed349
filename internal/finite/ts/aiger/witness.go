package aiger

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"strconv"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
)

// This file has the witnesses of [BiereHeljankoWieringa11]: "1", the violated
// property, the initial latches, the inputs of each step, and a dot. A lasso is
// written as its steps up to the last one; the reader finds the loop.

// WriteWitness prints a trace of the model's system.
func (m *Model) WriteWitness(to io.Writer, t *ts.Trace) error {
	w := bufio.NewWriter(to)
	kind := 'b'
	if t.Justice {
		kind = 'j'
	}
	fmt.Fprintf(w, "1\n%c%d\n", kind, t.Property)
	line := func(vs []bv.BV) {
		for _, v := range vs {
			w.WriteByte('0' + byte(v.Uint64()))
		}
		w.WriteByte('\n')
	}
	line(t.Initial)
	for _, in := range t.Inputs {
		line(in)
	}
	w.WriteString(".\n")
	return w.Flush()
}

// ReadWitness parses a witness for the model, whose system is s. The trace has
// yet to be simulated. The error is a *ts.SyntaxError.
func (m *Model) ReadWitness(text []byte, s *ts.System) (*ts.Trace, error) {
	number := 0
	fail := func(format string, args ...any) (*ts.Trace, error) {
		return nil, &ts.SyntaxError{Line: number, What: fmt.Sprintf(format, args...)}
	}
	next := func() (string, bool) {
		for len(text) > 0 {
			var row []byte
			row, text, _ = bytes.Cut(text, []byte{'\n'})
			number++
			if len(row) > 0 && row[0] == 'c' {
				continue // a comment
			}
			return string(bytes.TrimRight(row, "\r")), true
		}
		number++
		return "", false
	}
	if row, ok := next(); !ok || row != "1" {
		return fail("a witness starts with the line 1, not %q", row)
	}
	t := &ts.Trace{}
	row, ok := next()
	if !ok || len(row) < 2 || row[0] != 'b' && row[0] != 'j' {
		return fail("%q does not name a property, as b0 or j0", row)
	}
	i, err := strconv.Atoi(row[1:])
	t.Justice = row[0] == 'j'
	most := len(s.Bad)
	if t.Justice {
		most = len(s.Justice)
	}
	if err != nil || i < 0 || i >= most {
		return fail("the model has no property %q", row)
	}
	t.Property = i
	values := func(n int) ([]bv.BV, error) {
		row, ok := next()
		if !ok {
			_, err := fail("the witness ends without a dot")
			return nil, err
		}
		if row == "." {
			return nil, nil
		}
		if len(row) != n {
			_, err := fail("%d values and not %d", len(row), n)
			return nil, err
		}
		vs := make([]bv.BV, n)
		for k := range row {
			switch row[k] {
			case '0', 'x':
				vs[k] = bv.New(1, 0)
			case '1':
				vs[k] = bv.New(1, 1)
			default:
				_, err := fail("%q is not a value", row[k])
				return nil, err
			}
		}
		return vs, nil
	}
	if t.Initial, err = values(len(s.States)); err != nil {
		return nil, err
	}
	for {
		in, err := values(len(s.Inputs))
		if err != nil {
			return nil, err
		}
		if in == nil {
			break
		}
		t.Inputs = append(t.Inputs, in)
	}
	if len(t.Inputs) == 0 || t.Initial == nil {
		return fail("the witness has no step")
	}
	s.Complete(t)
	if t.Justice {
		if err := s.Close(t); err != nil {
			return fail("%v", err)
		}
	}
	return t, nil
}
