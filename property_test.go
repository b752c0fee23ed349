package assay

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
	"assay/internal/user/property"
)

func TestParseProperties(t *testing.T) {
	ps, err := ParseProperties("no-overflow, div-by-zero,no-overflow")
	if err != nil || !reflect.DeepEqual(ps, []Property{NoOverflow, DivByZero}) {
		t.Errorf("got %v, %v", ps, err)
	}
	for name, hint := range map[string]string{
		"unreachcall":    `did you mean "unreach-call"?`,
		"valid_deref":    `did you mean "valid-deref"?`,
		"":               "known properties:",
		"temporal-logic": "known properties:",
	} {
		_, err := ParseProperties(name)
		var input *InputError
		if !errors.As(err, &input) || !strings.Contains(input.Hint, hint) {
			t.Errorf("%q: got %v", name, err)
		}
	}
}

func TestEveryKindHasItsProperty(t *testing.T) {
	for _, i := range property.Table {
		for _, k := range i.Kinds {
			p := property.Violated(k)
			if !slices.Contains(property.Kinds(p), k) && !(k == ir.ShiftOverflow && p == NoOverflow) {
				t.Errorf("%s: a violation of kind %d is reported as %s", i.Name, k, p)
			}
			if verdict.KindText(k) == "undefined behaviour" {
				t.Errorf("kind %d has no words", k)
			}
		}
	}
}

func TestKinds(t *testing.T) {
	got := kinds([]Property{ValidMemSafety, ValidDeref, UnreachCall})
	want := []ir.CheckKind{ir.Assertion, ir.InvalidDeref, ir.InvalidFree, ir.MemTrack}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func TestPropertyFile(t *testing.T) {
	if s, err := parsePropertyFile("p.prp", "CHECK( init(main()), LTL(G ! label(FAIL)) )"); err != nil || s.Label != "FAIL" {
		t.Errorf("got %+v, %v", s, err)
	}
	for _, test := range []struct {
		text  string
		entry string
		want  []Property
	}{
		{"CHECK( init(main()), LTL(G ! call(reach_error())) )\n", "main", []Property{UnreachCall}},
		{"CHECK( init(main()), LTL(G ! call(__VERIFIER_error())) )", "main", []Property{UnreachCall}},
		{"CHECK(init(main()),LTL(G!label(ERROR)))", "main", []Property{UnreachLabel}},
		{"CHECK( init(f()), LTL(G ! overflow) )", "f", []Property{NoOverflow}},
		{
			"CHECK( init(main()), LTL(G valid-free) )\nCHECK( init(main()), LTL(G valid-deref) )\r\n\nCHECK( init(main()), LTL(G valid-memtrack) )\n",
			"main", []Property{ValidFree, ValidDeref, ValidMemTrack},
		},
		{"// a comment\nCHECK( init(main()), LTL(G valid-memcleanup) )\n", "main", []Property{ValidCleanup}},
		{"CHECK( init(main()), LTL(F end) )", "main", []Property{Termination}},
		{"CHECK( init(main()), LTL([](AP(x > 0) ==> <> AP(y == 0))) )", "main", []Property{LTL}},
		{"CHECK( init(main()), CTL( AG(AP(x>0)) ) )", "main", []Property{property.Temporal}},
	} {
		s, err := parsePropertyFile("p.prp", test.text)
		if err != nil {
			t.Errorf("%q: %v", test.text, err)
			continue
		}
		if s.Entry != test.entry || !reflect.DeepEqual(s.Properties, test.want) {
			t.Errorf("%q: got %+v", test.text, s)
		}
		for _, p := range test.want {
			if !p.Decidable() && len(s.Unsupported) == 0 {
				t.Errorf("%q: the unsupported formula is not listed", test.text)
			}
		}
	}
}

func TestMalformedPropertyFile(t *testing.T) {
	for text, want := range map[string]string{
		"":                             "p.prp: the property file holds no CHECK line",
		"\nnonsense\n":                 "p.prp:2: not a property: nonsense",
		"CHECK( init(main()), LTL() )": "p.prp:1: the formula is empty",
		"CHECK( init(main()), LTL(G ! call(reach_error()) )":                            "p.prp:1: ",
		"CHECK( init(), LTL(G ! overflow) )":                                            "p.prp:1: not a function in init()",
		"CHECK( init(f()), LTL(G valid-free) )\nCHECK( init(g()), LTL(G valid-deref) )": "p.prp:2: init(g()) differs",
		"COVER( init(main()), FQL(COVER EDGES(@DECISIONEDGE)) )":                        "p.prp:1: test generation",
	} {
		_, err := parsePropertyFile("p.prp", text)
		var input *InputError
		if !errors.As(err, &input) || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: got %v, want %s", text, err, want)
		}
	}
	if _, err := ReadPropertyFile(filepath.Join(t.TempDir(), "missing.prp")); err == nil || !strings.Contains(err.Error(), "no such file") {
		t.Errorf("got %v", err)
	}
}

func FuzzPropertyFile(f *testing.F) {
	f.Add("CHECK( init(main()), LTL(G ! call(reach_error())) )")
	f.Add("CHECK( init(main()), CTL(AG(AP(x>0))) )\n// c\n")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parsePropertyFile("p.prp", text)
		if err == nil && (s.Entry == "" || len(s.Properties) == 0) {
			t.Errorf("accepted %q as %+v", text, s)
		}
	})
}

func TestValidate(t *testing.T) {
	for _, task := range []Task{
		{},
		{Files: []string{"f.c"}, Properties: []Property{"x"}},
		{Files: []string{"f.c"}, Program: Program{DataModel: "lp32"}},
		{Files: []string{"f.c"}, Engine: Engine{Solver: "minisat"}},
		{Files: []string{"f.c"}, Engine: Engine{Unwind: -1}},
		{Files: []string{"f.c"}, Timeout: -1},
		{Files: []string{"f.c"}, Program: Program{Pointers: map[string]Pointer{"f:p": {String: true}}}},
	} {
		var input *InputError
		if err := task.validate(); !errors.As(err, &input) {
			t.Errorf("%+v: got %v", task, err)
		}
	}
	good := Task{Files: []string{"f.c"}, Program: Program{Function: "main"}}
	if err := good.validate(); err != nil || good.Program.Function != "" || good.Program.DataModel != LP64 || good.Engine.Solver != "cadical" || good.Properties[0] != UnreachCall {
		t.Errorf("%+v, %v", good, err)
	}
}

// TestDummyProperty: a property about checks that there are is a line in the table, and
// nothing else: it is parsed, listed in the help, and decided.
func TestDummyProperty(t *testing.T) {
	before := property.Table
	property.Table = append(slices.Clone(before), property.Info{Name: "arithmetic", Kinds: []ir.CheckKind{ir.Overflow, ir.DivByZero}, About: "a dummy"})
	defer func() { property.Table = before }()
	ps, err := ParseProperties("arithmetic")
	if err != nil || !strings.Contains(PropertyHelp(), "a dummy") {
		t.Fatal(err)
	}
	for source, want := range map[string]string{
		"int main(int argc, char **argv) { return 100 / argc; }":                             "false(div-by-zero)",
		"int main(int argc, char **argv) { return argc > 0 && argc < 9 ? 1000 / argc : 0; }": "true",
	} {
		file := filepath.Join(t.TempDir(), "a.c")
		if err := os.WriteFile(file, []byte(source), 0o666); err != nil {
			t.Fatal(err)
		}
		r, err := Check(t.Context(), Task{Files: []string{file}, Properties: ps})
		if err != nil || r.Line() != want {
			t.Errorf("%s: %v, %v, want %s", source, r, err, want)
		}
	}
}
