package hoa_test

import (
	"context"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"assay/internal/temporal/buchi"
	"assay/internal/temporal/buchi/hoa"
	"assay/internal/temporal/ltl"
	"assay/internal/temporal/ltl/ltltest"
	"assay/internal/temporal/translation"
)

// write is the text of an automaton.
func write(t testing.TB, a *hoa.Automaton) string {
	t.Helper()
	var b strings.Builder
	if err := hoa.Write(&b, a); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func translate(t testing.TB, f ltl.Formula) *hoa.Automaton {
	t.Helper()
	a, _, err := translation.Translate(context.Background(), f)
	if err != nil {
		t.Fatal(err)
	}
	return &hoa.Automaton{Automaton: a, Name: f.String()}
}

func TestWrite(t *testing.T) {
	got := write(t, translate(t, ltl.MustParse(`G (AP(x > 0) ==> F at(L))`)))
	want := `HOA: v1
name: "G (AP(x > 0) ==> F at(L))"
tool: "assay"
States: 2
Start: 0
AP: 2 "x > 0" "at(L)"
acc-name: Buchi
Acceptance: 1 Inf(0)
properties: trans-labels explicit-labels state-acc complete deterministic
--BODY--
State: 0 {0}
  [!0 | 1] 0
  [0 & !1] 1
State: 1
  [1] 0
  [!1] 1
--END--
`
	if got != want {
		t.Errorf("%s, not\n%s", got, want)
	}
	for text, word := range map[string]string{"F a": " terminal weak\n", "F G a": " weak\n", "a U b": " deterministic terminal weak\n", "G F a": " complete deterministic\n"} {
		if got := write(t, translate(t, ltl.MustParse(text))); !strings.Contains(got, word) {
			t.Errorf("%s: no %q in\n%s", text, word, got)
		}
	}
}

// same says that two automata are equal.
func same(a, b *hoa.Automaton) bool {
	if len(a.Atoms) == 0 && len(b.Atoms) == 0 {
		a.Atoms, b.Atoms = nil, nil
	}
	return reflect.DeepEqual(a, b)
}

// TestRoundTrip: automata of random formulas are read back as they were.
func TestRoundTrip(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 3))
	formulas := []ltl.Formula{ltl.MustParse(`AP(c == '"') U "a && b" || at(x) && AP(at(x)) && AP(true)`)}
	for range 300 {
		formulas = append(formulas, ltltest.Random(r, 8, 3))
	}
	for _, f := range formulas {
		a := translate(t, f)
		b, err := hoa.Read(write(t, a))
		if err != nil || !same(a, b) {
			t.Fatalf("%v: %+v is read as %+v, %v", f, a.Automaton, b, err)
		}
	}
}

// TestRead: what others write.
func TestRead(t *testing.T) {
	a, err := hoa.Read(`HOA: v1 /* by hand */
States: 2 Start: 1 acc-name: Buchi Acceptance: 1 Inf(0)
AP: 2 "a" "b > \"0\""  Alias: @ab (0 | !1) & !(0 & 1)
tool: "x" "1" properties: state-acc stutter-invariant
--BODY--
State: [@ab & !@ab | !(!0 | f)] 0 "zero" {0} 1
State: 1 [t] 0 [!t] 1 [!@ab] 1
--END--`)
	want := [][]buchi.Edge{
		{{Label: buchi.Cube{Pos: 1}, To: 1}},
		{{To: 0}, {Label: buchi.Cube{Neg: 1, Pos: 2}, To: 1}, {Label: buchi.Cube{Pos: 3}, To: 1}},
	}
	if err != nil || a.Initial != 1 || a.Atoms[1].Text != `b > "0"` {
		t.Fatalf("%+v, %v", a, err)
	}
	for q := range a.Edges {
		a.Tidy()
		var to [2]uint8
		var wanted [2]uint8
		for l := range buchi.Letter(4) {
			for _, e := range a.Edges[q] {
				if e.Label.Holds(l) {
					to[e.To] |= 1 << l
				}
			}
			for _, e := range want[q] {
				if e.Label.Holds(l) {
					wanted[e.To] |= 1 << l
				}
			}
		}
		if to != wanted {
			t.Errorf("state %d: letters %b, not %b", q, to, wanted)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"", "line 1: the file does not begin"},
		{"HOA: v2", "version"},
		{"HOA: v1\nStart: 0\n--BODY--\n--END--", "line 3: no Acceptance header"},
		{"HOA: v1\nStart: 0 Start: 1", "more than one initial state"},
		{"HOA: v1 Start: 0 Acceptance: 2 Inf(0)&Inf(1)", "not Büchi's"},
		{"HOA: v1 Start: 0 Acceptance: 1 Fin(0)", "not Büchi's"},
		{"HOA: v1 Controllable-AP: 0", "is not known"},
		{"HOA: v1 Start: 0 Acceptance: 1 Inf(0) AP: 0 --BODY-- State: 0 [0] 0 --END--", "not a number less than 0"},
		{"HOA: v1 Start: 0 Acceptance: 1 Inf(0) AP: 0 --BODY-- State: 0 [t] 0 {0} --END--", "acceptance on edges"},
		{"HOA: v1 States: 1 Start: 0 Acceptance: 1 Inf(0) AP: 0 --BODY-- State: 0 [t] 1 --END--", "less than 1"},
		{"HOA: v1 Start: 3 Acceptance: 1 Inf(0) AP: 0 --BODY-- State: 0 [t] 0 --END--", "initial state 3"},
		{"HOA: v1 Start: 0 Acceptance: 1 Inf(0) AP: 0 --BODY-- State: 0 0 --END--", "where a label is expected"},
		{"HOA: v1 Start: 0 Acceptance: 1 Inf(0) AP: 0 --BODY-- State: 0 State: 0 --END--", "twice"},
		{"HOA: v1 Start: 0 Acceptance: 1 Inf(0) AP: 1 \"a", "without end"},
		{"HOA: v1 Start: 0 Acceptance: 1 Inf(0) properties: trans-acc --BODY-- --END--", "trans-acc"},
	} {
		if _, err := hoa.Read(c.text); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v", c.text, err)
		}
	}
}

// FuzzRead: what is read is written and read back.
func FuzzRead(f *testing.F) {
	f.Add(write(f, translate(f, ltl.MustParse(`G (AP(x > 0) ==> F at(L))`))))
	f.Add("HOA: v1 States: 1 Start: 0 Acceptance: 1 Inf(0) AP: 2 \"a\" \"\\\"\" Alias: @a 0 & !(1 | t) --BODY-- State: [@a] 0 {0} 0 --END--")
	f.Add("HOA: v1 Start: 0 Acceptance: 1 Inf(0) AP: 1 \"b\" name: \"x\\\\\" --BODY-- State: 0 {} [!!0|f] 1 /* c */ --END--")
	f.Fuzz(func(t *testing.T, text string) {
		a, err := hoa.Read(text)
		if err != nil || len(a.Edges) > 1000 {
			return
		}
		a.Tidy()
		b, err := hoa.Read(write(t, a))
		if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		b.Tidy()
		// Edges without letters are not written.
		if !same(a, b) {
			t.Fatalf("%q: %+v, %+v", text, a.Automaton, b.Automaton)
		}
	})
}
