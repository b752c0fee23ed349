package conductor

import (
	"slices"
	"testing"

	"assay/internal/program/ir"
)

// TestDoomed: what a function asserts that is called behind a failed check only is doomed, unless it is called elsewhere, or its
// address is taken, or the check is of a kind that nobody asks for.
func TestDoomed(t *testing.T) {
	const program = `module 64 entry @main
func @fail() {
entry:
  check assertion i1 0 "in fail"
  halt abort
}
func @report() {
entry:
  check assertion i1 0 "in report"
  call void @fail()
  check overflow i1 1 "behind in report"
  halt abort
}
func @live() {
entry:
  check assertion i1 0 "in live"
  halt abort
}
func @taken() {
entry:
  check assertion i1 0 "in taken"
  halt abort
}
func @main() {
entry:
  %c = nondet i1 input "c"
  %p = funcaddr @taken
  condbr %c, left, right
left:
  check assertion i1 0 "reported"
  call void @report()
  call void @live()
  call void @taken()
  halt exit
right:
  check overflow i1 0 "other"
  call void @live()
  halt exit
}
`
	m, err := ir.Parse(program)
	if err != nil {
		t.Fatal(err)
	}
	check := func(want []string, kinds ...ir.CheckKind) {
		t.Helper()
		d := doomedOf(m, kinds)
		var left []string
		for _, x := range sites(m, kinds, "") {
			if !d.has(x) {
				left = append(left, m.Func(x.Func).Def(x.Value).Sym)
			}
		}
		if !slices.Equal(left, want) {
			t.Errorf("left of %v: %q, want %q", kinds, left, want)
		}
	}
	check([]string{"in live", "in taken", "reported"}, ir.Assertion)
	check([]string{"behind in report", "other"}, ir.Overflow)
	check([]string{"in taken", "reported", "other"}, ir.Assertion, ir.Overflow)
}

// TestWithoutLoops: loops and recursion are told, where they can be reached.
func TestWithoutLoops(t *testing.T) {
	for body, want := range map[string]bool{
		"  halt exit":                      true,
		"  br again\nagain:\n  br again":   false,
		"  call void @main()\n  halt exit": false,
	} {
		m, err := ir.Parse("module 64 entry @main\nfunc @main() {\nentry:\n" + body + "\n}\n")
		if err != nil {
			t.Fatal(err)
		}
		if withoutLoops(m) != want {
			t.Errorf("%q: want %v", body, want)
		}
	}
}
