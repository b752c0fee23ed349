package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"assay/internal/temporal/buchi/hoa"
)

func TestLTL2BA(t *testing.T) {
	dir := t.TempDir()
	file := func(name, text string) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	commented := file("f.c", "int x;\n//@ ltl invariant positive: [](AP(x > 0) ==> <>AP(x == 0));\n")
	property := file("f.prp", "CHECK( init(main()), LTL(G F x = 1) )\n")
	for _, c := range []struct {
		args           []string
		code           int
		stdout, stderr string
	}{
		{[]string{"--check", "G (x > 0 ==> F y == 0)"}, exitTrue, "AP: 2 \"x > 0\" \"y == 0\"\n", "checked: accepts all"},
		{[]string{"--negate", "-v", "[]<>a"}, exitTrue, "properties: trans-labels explicit-labels state-acc weak\n", "class:        neither safety nor guarantee\n"},
		{[]string{"-v", "G a"}, exitTrue, "States: 1\n", "reduced:      1 state, 1 transition (weak, deterministic)"},
		{[]string{"--dot", "a U b"}, exitTrue, "digraph {", ""},
		{[]string{commented}, exitTrue, "name: \"G (AP(x > 0) ==> F AP(x == 0))\"", ""},
		{[]string{property}, exitInput, "", "f.prp:1:32: the operator = has a side effect: atoms only observe\n  G F x = 1\n        ^"},
		{[]string{"G (a ==> )"}, exitInput, "", "operand is missing"},
		{[]string{"--dot", "-o", "x.svg", "a"}, exitInput, "", "--dot contradicts"},
		{[]string{"-o", "x.gif", "a"}, exitInput, "", "none of the suffixes"},
		{[]string{filepath.Join(dir, "none.c")}, exitInput, "", "no such file"},
		{[]string{file("g.c", "int x;\n")}, exitInput, "", "has 0 comments"},
		{[]string{"a" + strings.Repeat(" <==> F b", 30)}, exitUnknown, "", "no automaton: the formula is too large"},
	} {
		o := invoke(t, append([]string{"ltl2ba"}, c.args...)...)
		if o.code != c.code || !strings.Contains(o.stdout, c.stdout) || !strings.Contains(o.stderr, c.stderr) {
			t.Errorf("%v: code %d\n%s\n%s", c.args, o.code, o.stdout, o.stderr)
		}
	}
	for suffix, begins := range map[string]string{"svg": "<?xml", "png": "\x89PNG", "pdf": "%PDF", "dot": "digraph", "hoa": "HOA: v1"} {
		out := filepath.Join(dir, "a."+suffix)
		o := invoke(t, "ltl2ba", "-o", out, "a U (b U c)")
		text, err := os.ReadFile(out)
		if o.code != exitTrue || err != nil || !strings.HasPrefix(string(text), begins) || !strings.Contains(o.stderr, "3 states, 6 transitions") {
			t.Errorf("%s: code %d, %v, %s", suffix, o.code, err, o.stderr)
		}
		if suffix == "hoa" {
			if a, err := hoa.Read(string(text)); err != nil || len(a.Edges) != 3 {
				t.Errorf("%+v, %v", a, err)
			}
		}
	}
}
