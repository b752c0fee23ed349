package btor2

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"math/big"
	"strconv"
	"strings"

	"assay/internal/finite/ts"
	"assay/internal/logic/bv"
)

// This file has the witnesses of BTOR2: "sat", the violated property, and frames:
// #k with states (all of them for k = 0, later those without a next value), @k
// with inputs. A line of a frame is the index, for arrays the element in
// brackets, and the value in binary.

func bits(v bv.BV) string {
	b := make([]byte, v.Width())
	for i := range b {
		b[i] = '0'
		if v.Bit(v.Width() - 1 - uint32(i)) {
			b[i] = '1'
		}
	}
	return string(b)
}

// WriteWitness prints a trace of the model's system. A lasso is written as its
// steps up to the last one.
func (m *Model) WriteWitness(to io.Writer, t *ts.Trace) error {
	w := bufio.NewWriter(to)
	kind := 'b'
	if t.Justice {
		kind = 'j'
	}
	fmt.Fprintf(w, "sat\n%c%d\n", kind, t.Property)
	line := func(i int, sym *Symbol, k int, value func(element int) bv.BV) {
		suffix := ""
		if sym.Name != "" {
			suffix = fmt.Sprintf(" %s@%d", sym.Name, k)
		}
		for e := range sym.Vars {
			if sym.IsArray {
				fmt.Fprintf(w, "%d [%s] %s%s\n", i, bits(bv.New(sym.Index, uint64(e))), bits(value(e)), suffix)
			} else {
				fmt.Fprintf(w, "%d %s%s\n", i, bits(value(e)), suffix)
			}
		}
	}
	for k, in := range t.Inputs {
		header := false
		for i := range m.States {
			sym := &m.States[i]
			if k > 0 && !sym.NoNext {
				continue
			}
			if !header {
				fmt.Fprintf(w, "#%d\n", k)
				header = true
			}
			line(i, sym, k, func(e int) bv.BV {
				if k == 0 {
					return t.Initial[sym.Vars[e]]
				}
				return t.Inputs[k-1][sym.Next[e]]
			})
		}
		fmt.Fprintf(w, "@%d\n", k)
		for i := range m.Inputs {
			sym := &m.Inputs[i]
			line(i, sym, k, func(e int) bv.BV { return in[sym.Vars[e]] })
		}
	}
	w.WriteString(".\n")
	return w.Flush()
}

// ReadWitness parses a witness for the model. What it does not assign is 0, or
// follows from the initial values. The trace has yet to be simulated. The error is
// a *ts.SyntaxError.
func (m *Model) ReadWitness(text []byte) (*ts.Trace, error) {
	number := 0
	fail := func(format string, args ...any) (*ts.Trace, error) {
		return nil, &ts.SyntaxError{Line: number, What: fmt.Sprintf(format, args...)}
	}
	s := m.System
	t := &ts.Trace{}
	for _, v := range s.States {
		t.Initial = append(t.Initial, bv.New(s.Width(v.Term), 0))
	}
	grow := func(k int) {
		for len(t.Inputs) <= k {
			var in []bv.BV
			for _, v := range s.Inputs {
				in = append(in, bv.New(s.Width(v.Term), 0))
			}
			t.Inputs = append(t.Inputs, in)
		}
	}
	kind, step := byte(0), -1
	stage := 0 // 0: before sat, 1: before the properties, 2: frames, 3: after the dot
	for stage < 3 && len(text) > 0 {
		var row []byte
		row, text, _ = bytes.Cut(text, []byte{'\n'})
		number++
		f := strings.Fields(string(row))
		if len(f) == 0 || f[0][0] == ';' {
			continue
		}
		switch {
		case stage == 0:
			if f[0] != "sat" {
				return fail("a witness starts with sat, not %q", f[0])
			}
			stage = 1
		case stage == 1:
			i, err := strconv.Atoi(f[0][1:])
			t.Justice = f[0][0] == 'j'
			most := len(s.Bad)
			if t.Justice {
				most = len(s.Justice)
			}
			if err != nil || f[0][0] != 'b' && f[0][0] != 'j' || i < 0 || i >= most {
				return fail("%q does not name a property of the model, as b0 or j0", f[0])
			}
			t.Property = i
			stage = 2
		case f[0] == ".":
			stage = 3
		case f[0][0] == '#' || f[0][0] == '@':
			k, err := strconv.Atoi(f[0][1:])
			if err != nil || k < 0 || k > len(t.Inputs) {
				return fail("the frame %q is not the next one", f[0])
			}
			kind, step = f[0][0], k
			grow(k)
		default:
			if err := m.assign(t, kind, step, f); err != nil {
				return fail("%v", err)
			}
		}
	}
	if stage < 3 || len(t.Inputs) == 0 {
		return fail("the witness ends without a dot, or has no frame")
	}
	s.Complete(t)
	if t.Justice {
		if err := s.Close(t); err != nil {
			return fail("%v", err)
		}
	}
	return t, nil
}

// assign reads one line of a frame.
func (m *Model) assign(t *ts.Trace, kind byte, step int, f []string) error {
	list := m.Inputs
	if kind == '#' {
		list = m.States
	}
	i, err := strconv.Atoi(f[0])
	if kind == 0 || err != nil || i < 0 || i >= len(list) {
		return fmt.Errorf("%q is not the index of a state or input within a frame", f[0])
	}
	sym := &list[i]
	element := 0
	if sym.IsArray {
		if len(f) < 2 || len(f[1]) != int(sym.Index)+2 || f[1][0] != '[' || f[1][len(f[1])-1] != ']' {
			return fmt.Errorf("%d is an array: an element in brackets is needed", i)
		}
		e, err := strconv.ParseUint(f[1][1:len(f[1])-1], 2, 32)
		if err != nil {
			return fmt.Errorf("%q is not an element", f[1])
		}
		element = int(e)
		f = f[1:]
	}
	s := m.System
	at := sym.Vars[element]
	width := uint32(0)
	if kind == '#' {
		width = s.Width(s.States[at].Term)
	} else {
		width = s.Width(s.Inputs[at].Term)
	}
	if len(f) < 2 || len(f[1]) != int(width) {
		return fmt.Errorf("a value of %d bits is needed", width)
	}
	n, ok := new(big.Int).SetString(strings.ReplaceAll(f[1], "x", "0"), 2)
	if !ok || f[1][0] == '-' || f[1][0] == '+' {
		return fmt.Errorf("%q is not a binary value", f[1])
	}
	v := bv.FromBig(width, n)
	switch {
	case kind == '@':
		t.Inputs[step][at] = v
	case step == 0:
		t.Initial[at] = v
	case sym.NoNext:
		t.Inputs[step-1][sym.Next[element]] = v
	}
	return nil
}
