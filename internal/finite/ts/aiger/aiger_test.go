package aiger

import (
	"bytes"
	"context"
	"errors"
	"reflect"
	"strings"
	"testing"

	"assay/internal/finite/ts"
	"assay/internal/logic/term"
)

// toggler is the example of the report for AIGER 1.9.
const toggler = "aag 5 1 1 0 3 1\n2\n4 10 0\n4\n6 5 3\n8 4 2\n10 9 7\ni0 enable\nl0 q\nc\na comment\n"

func TestErrorsNameThePlace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "line 1: the file ends where the header is expected"},
		{"cnf 1 1\n", "line 1: no header of an AIGER file"},
		{"aag 1 1 0 0\n", "line 1: the header has 4 numbers"},
		{"aag 1 1 1 0 0\n2\n4 4\n", "line 1: the header has 1 variables, less than"},
		{"aag 2 1 0 1 1\n2\n6\n4 2 2\n", "line 3: the literal 6 is out of range"},
		{"aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", "depends on itself"},
		{"aag 3 1 0 1 2\n2\n4\n4 6 2\n6 4 2\n", "line "},
		{"aag 2 1 0 1 1\n2\n4\n2 2 2\n", "line 4: the literal 2 is defined a second time"},
		{"aag 2 1 0 1 0\n2\n4\n", "line 3: the literal 4 is used but nothing defines it"},
		{"aag 2 1 0 1 0\n3\n4\n", "line 2: an input has the literal 3"},
		{"aag 1 1 0 1 0\n2\n2\nx0 name\n", `line 4: "x0" does not name`},
		{"aag 2 0 2 0 0\n2 2 4\n4 4 2\n", "depends on itself"},
		{"aig 2 1 0 1 1\n4\n\x09\x00", "byte 16: the gate 4 has the first difference 9"},
		{"aig 2 1 0 1 1\n4\n\x02", "byte 17: the file ends within the gates"},
		{"aag 4000000000 1 0 1 1\n", "is not a number below"},
		{"aag 400000000 1 0 1 1\n", "promises more than the file"},
	} {
		_, err := Read([]byte(c.text))
		var syntax *ts.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestToggler(t *testing.T) {
	m, err := Read([]byte(toggler))
	if err != nil {
		t.Fatal(err)
	}
	s := m.System()
	if err := s.Check(); err != nil {
		t.Fatal(err)
	}
	tr, err := m.ReadWitness([]byte("1\nb0\n0\n1\n0\n.\n"), s)
	if err != nil {
		t.Fatal(err)
	}
	run, err := s.Simulate(tr)
	if err != nil {
		t.Fatal(err)
	}
	if len(run) != 2 || !run[1].States[0].IsTrue() {
		t.Errorf("the run is %v", run)
	}
	var out strings.Builder
	if err := m.WriteWitness(&out, tr); err != nil || out.String() != "1\nb0\n0\n1\n0\n.\n" {
		t.Errorf("the witness is written as %q (%v)", out.String(), err)
	}
	if tr, err = m.ReadWitness([]byte("1\nb0\n0\n0\n0\n.\n"), s); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Simulate(tr); err == nil {
		t.Error("a wrong witness is accepted")
	}
}

// roundTrip writes a model in both forms and reads it back.
func roundTrip(t *testing.T, m *Model) {
	t.Helper()
	var ascii, binary, again bytes.Buffer
	if err := m.WriteASCII(&ascii); err != nil {
		t.Fatal(err)
	}
	a, err := Read(ascii.Bytes())
	if err != nil {
		t.Fatalf("%v\n%s", err, ascii.String())
	}
	if !reflect.DeepEqual(a, m) {
		t.Fatalf("%+v became %+v", m, a)
	}
	if err := m.WriteBinary(&binary); err != nil {
		t.Fatal(err)
	}
	b, err := Read(binary.Bytes())
	if err != nil {
		t.Fatalf("%v\n%q", err, binary.String())
	}
	if err := b.WriteBinary(&again); err != nil || !bytes.Equal(again.Bytes(), binary.Bytes()) {
		t.Fatalf("the binary form is not stable")
	}
	if len(b.Inputs) != len(m.Inputs) || len(b.Latches) != len(m.Latches) || len(b.Bad) != len(m.Bad) || !reflect.DeepEqual(b.Symbols, m.Symbols) {
		t.Fatalf("%+v became %+v", m, b)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(toggler))
	f.Add([]byte("aag 7 2 2 1 1 1 2 1 1\n2\n4\n6 14 1\n8 6 8\n14\n14\n2\n1\n2\n6\n8\n14\n7\n14 6 5\nj0 x y\nf0 z\n"))
	f.Add([]byte("aig 3 1 1 1 1\n6\n6 4\n\x02\x02l0 latch\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(text)
		if err != nil || m.MaxVar > 10000 {
			return
		}
		for _, s := range m.Symbols {
			if strings.TrimSpace(s) != s || s == "" || strings.ContainsAny(s, "\r\n") {
				return // a name that a line cannot hold as it is
			}
		}
		roundTrip(t, m)
		if err := m.System().Check(); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNames: inputs of one name become different, as ABC wants them.
func TestNames(t *testing.T) {
	st := term.NewStore()
	a, b := st.Var("a", term.BitVec(2)), st.Var("b", term.BitVec(2))
	s := &ts.System{Store: st, Inputs: []ts.Input{{Term: a, Name: "x"}, {Term: b, Name: "x"}}, Bad: []ts.Property{{Term: st.Eq(a, b), Name: "equal"}}}
	c, err := ts.Blast(context.Background(), s)
	if err != nil {
		t.Fatal(err)
	}
	m := FromCircuit(c, s)
	var names []string
	for i := range m.Inputs {
		names = append(names, m.Symbols[Symbol{'i', i}])
	}
	if got := strings.Join(names, " "); got != "x[0] x[1] x[0]#2 x[1]#2" {
		t.Errorf("the names are %s", got)
	}
}
