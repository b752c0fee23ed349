package dimspec

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"assay/internal/finite/ts"
)

const toggler = "c toggle\ni cnf 1 1\n-1 0\nu cnf 1 0\ng cnf 1 1\n1 0\nt cnf 2 2\n1 2 0\n-1 -2 0\n"

func TestErrorsNameTheLine(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"", "the file ends without section i"},
		{"i cnf 1 0\nu cnf 1 0\ng cnf 1 0\n", "line 3: the file ends without section t"},
		{"i cnf 1 0\ng cnf 1 0\n", `line 2: the header "g cnf 1 0" is not "u cnf`},
		{"i cnf 1\n", "line 1: the header"},
		{"i cnf x 1\n", "line 1: the header \"i cnf x 1\" has no two numbers"},
		{"i cnf 1 1\n2 0\n", "line 2: the literal 2 is out of range: section i has the variables 1 to 1"},
		{"i cnf 1 0\nu cnf 2 0\n", "line 2: section u has 2 variables, section i has 1"},
		{"i cnf 1 0\nu cnf 1 0\ng cnf 1 0\nt cnf 3 0\n", "line 4: section t has 3 variables"},
		{"i cnf 1 1\n1\nu cnf 1 0\n", "line 3: the last clause of section i has no 0"},
		{"i cnf 1 2\n1 0\nu cnf 1 0\n", "line 3: section i has 1 clauses, its header says 2"},
		{"i cnf 1 0\nu cnf 1 0\ng cnf 1 0\nt cnf 1 1\n3 0\n", "line 5: the literal 3 is out of range"},
		{"1 0\n", "line 1: \"1\" comes before the header"},
		{toggler + "i cnf 1 0\n", "comes after section t"},
	} {
		_, err := Read([]byte(c.text))
		var syntax *ts.SyntaxError
		if !errors.As(err, &syntax) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: error %v, want %q", c.text, err, c.want)
		}
	}
}

func TestSolution(t *testing.T) {
	f, err := Read([]byte(toggler))
	if err != nil {
		t.Fatal(err)
	}
	for text, good := range map[string]bool{
		"solution 1 2\n-1\n1\n":        true,
		"solution 1 4\n-1\n1\n-1\n1\n": true,
		"solution 1 1\n1\n":            false, // not initial
		"solution 1 2\n-1\n-1\n":       false, // no step
		"solution 1 3\n-1\n1\n-1\n":    false, // no goal
	} {
		s, err := ReadSolution([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		if err := f.Check(s); (err == nil) != good {
			t.Errorf("%q: %v", text, err)
		}
		var out strings.Builder
		if err := s.Write(&out); err != nil || out.String() != text {
			t.Errorf("%q is written as %q", text, out.String())
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte(toggler))
	f.Add([]byte("i cnf 2 1\n1 -2 0\nu cnf 2 1\n0\ng cnf 2 1\n1\n2 0\nt cnf 2 1\n-3 4 0\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := Read(text)
		if err != nil || m.Variables > 1000 {
			return
		}
		var out strings.Builder
		if err := m.Write(&out); err != nil {
			t.Fatal(err)
		}
		again, err := Read([]byte(out.String()))
		if err != nil || !reflect.DeepEqual(m, again) {
			t.Fatalf("%v\n%s", err, out.String())
		}
		if err := m.Model().System.Check(); err != nil {
			t.Fatal(err)
		}
	})
}
