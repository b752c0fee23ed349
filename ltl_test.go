package assay

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const counting = `extern int __VERIFIER_nondet_int(void);
struct point { int x, y; } p;
int a[4], n, done;
int f(int k) { return k; }
int main(void) {
	n = __VERIFIER_nondet_int();
	while (n > 0) {
		n--;
		a[n & 3] = 1;
		p.y = f(n);
	}
	if (p.y) goto end;
	p.x = 1;
end:
	done = 1;
}
`

// write is a file with a program.
func write(t *testing.T, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "f.c")
	if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	return file
}

// checkFormula asks for a formula of a program.
func checkFormula(t *testing.T, text, formula string) (*Result, error) {
	t.Helper()
	task := Task{Files: []string{write(t, text)}, Properties: []Property{LTL}, Timeout: time.Minute}
	if formula != "" {
		task.LTL = &Formula{Text: formula, File: "--ltl", Col: 1}
	}
	return Check(context.Background(), task)
}

func TestLTL(t *testing.T) {
	const nondet = "extern int __VERIFIER_nondet_int(void);\nextern void __VERIFIER_assume(int), __VERIFIER_ltl_step(void), abort(void), reach_error(void);\n"
	for _, c := range []struct {
		name, text, formula string
		want                Answer
	}{
		{"a bound", counting, "G(p.x <= 1)", True},
		{"a bound that is none", counting, "G(p.x < 1)", False},
		{"an array", counting, "G(a[0] == 0 || a[0] == 1)", True},
		{"every run ends", counting, "F(done == 1)", True},
		{"an index out of bounds", counting, "G(a[n] <= 1)", Unknown},
		{"a label is reached", counting, "F at(end)", True},
		{"no label", counting, "G !at(end)", False},
		{"a call", counting, "G(called(f) ==> n >= 0)", True},
		{"a comment", "//@ ltl invariant positive: []AP(x == 0);\nint x;\nint main(void) { x = 0; x = 0; return x; }\n", "", True},
		{"a failed assumption is no run", nondet + "int x;\nint main(void) { x = 1; __VERIFIER_assume(0); }", "G(x == 0)", True},
		{"the assumption may hold", nondet + "int x;\nint main(void) { x = 1; __VERIFIER_assume(__VERIFIER_nondet_int()); }", "G(x == 0)", False},
		{"a violation that no run goes on from", nondet + "int x;\nint main(void) { while (__VERIFIER_nondet_int()) ; x = 1; __VERIFIER_assume(0); }", "G(x == 0)", True},
		{"a failed assertion is an end", nondet + "int x;\nint main(void) { x = 1; reach_error(); x = 2; }", "G(x < 2)", True},
		{"next counts writes", "int x;\nint main(void) { x = 1; x = 2; x = 3; }", "X(x == 1 && X(x == 2 && X(x == 3)))", True},
		{"also those of locals", "int x;\nint main(void) { int y = 1; x = 1; y = 2; x = y; }", "X(x == 0 && X(x == 1 && X(x == 1 && X(x == 2))))", True},
		{"not those of parameters and results", "int x;\nint f(int a, int b) { if (a) return 1; a = b; x = a; return 2; }\nint main(void) { x = f(0, 3); return 0; }", "X(x == 0 && X(x == 3 && X(x == 2 && G(x == 2))))", True},
		{"those to a struct that is passed", "int x;\nstruct s { long a[4]; };\nvoid f(struct s v) { v.a[1] = 3; x = v.a[1]; }\nint main(void) { static struct s s; f(s); return 0; }", "X(x == 0 && X(x == 3 && G(x == 3)))", True},
		{"next counts marks", nondet + "int x;\nint main(void) { x = 1; x = 2; __VERIFIER_ltl_step(); x = 3; __VERIFIER_ltl_step(); }", "X(x == 2 && X(x == 3 && G(x == 3)))", True},
		{"a mark where no run comes is one", nondet + "int x;\nint main(void) {\na: x = __VERIFIER_nondet_int(); if (x == 2) goto a;\ngoto a;\nb: x = 1; __VERIFIER_ltl_step(); goto b;\n}\n", "G(x == 0)", True},
		{"silence repeats the last mark", nondet + "int x;\nint main(void) { x = 2; __VERIFIER_ltl_step(); x = 3; for (;;) ; }", "X G(x == 2)", True},
		{"each request is answered", nondet + "int p, q, c;\nint main(void) { for (;;) { p = __VERIFIER_nondet_int(); if (p > 0) { c = p; while (c > 0) c--; q = 1; q = 0; } } }", "G(p > 0 ==> F(q == 1 || p <= 0))", True},
		{"there are requests for ever", nondet + "int p, q, c;\nint main(void) { for (;;) { p = __VERIFIER_nondet_int(); if (p > 0) { c = p; while (c > 0) c--; q = 1; q = 0; } } }", "G F(q == 1)", False},
		{"a wrap behind 2^31 rounds of two loops", "unsigned i = 1, n;\nint main(void) { for (;;) { i++; next: while (i > n) { n++; again: ; } } }", "G(i >= n)", False},
		{"a model writes at once", "#include <string.h>\nchar s[3] = {1, 1, 1};\nint main(void) { char t[3] = {2, 2, 2}; memcpy(s, t, 3); }", "G(s[0] == s[2])", True},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := checkFormula(t, c.text, c.formula)
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != c.want {
				t.Errorf("%s: %s, want %s: %+v", c.formula, r.Line(), c.want, r.Reasons)
			}
			if r.Answer == False && r.Line() != "false(ltl)" {
				t.Errorf("the last line is %s", r.Line())
			}
		})
	}
}

// TestLTLLocals: atoms over locals are false where these do not live; arguments, blocks, loops, calls,
// pointers, structs and arrays.
func TestLTLLocals(t *testing.T) {
	const nondet = "extern int __VERIFIER_nondet_int(void);\nint g;\n"
	for _, c := range []struct {
		name, text, formula string
		want                Answer
	}{
		{"its initialiser is the first that is seen", "int main(void) { int x = 5; for (;;) x = x == 7 ? 5 : x + 1; }", "G(!(main::x >= 0) || main::x >= 5)", True},
		{"it goes up to 7", "int main(void) { int x = 5; for (;;) x = x == 7 ? 5 : x + 1; }", "G F(main::x == 7)", True},
		{"not to 8", "int main(void) { int x = 5; for (;;) x = x == 7 ? 5 : x + 1; }", "F(main::x == 8)", False},
		{"it does not live at first", "int main(void) { int x = 5; for (;;) ; }", "main::x == main::x", False},
		{"nor behind its block", "int g; int main(void) { { int x = 5; g = x; } for (;;) g = 1; }", "F G !(main::x == 5)", True},
		{"in the block it does", "int g; int main(void) { { int x = 5; g = x; } for (;;) g = 1; }", "G !(main::x == 5)", False},
		{"nor behind the end of main", "int main(void) { int x = 5; return 0; }", "F G(main::x == 5)", False},
		{"before exit it does", "#include <stdlib.h>\nint main(void) { int x = 5; exit(0); }", "F G(main::x == 5)", True},
		{"in each round another one", nondet + "int main(void) { for (;;) { int x = __VERIFIER_nondet_int(); if (x > 3) x = 3; g = x; } }", "G F(!(main::x <= 3) && !(main::x > 3))", True},
		{"what it does not have yet is not seen", nondet + "int main(void) { int x; while (__VERIFIER_nondet_int()) ; x = 1; for (;;) ; }", "G !(main::x == 7)", True},
		{"what it never gets is seen", nondet + "int main(void) { int x; for (;;) g = 1; }", "G !(main::x == 7)", False},
		{"an argument", nondet + "int f(int k) { return k + g; }\nint main(void) { g = f(4); for (;;) ; }", "G(called(f) ==> X F(g == 4))", True},
		{"of a call", nondet + "int f(int k) { g = 1; return k; }\nint main(void) { f(4); g = 2; f(5); for (;;) ; }", "F(f::k == 4) && F(f::k == 5) && G(g == 2 ==> !(f::k == f::k))", True},
		{"the caller's while it waits", nondet + "void f(void) { g = 1; }\nint main(void) { int x = 3; f(); x = 4; for (;;) ; }", "F(main::x == 3 && g == 1)", True},
		{"by a pointer", nondet + "void f(int *p) { *p = 7; }\nint main(void) { int x = 3; f(&x); for (;;) ; }", "F G(main::x == 7)", True},
		{"a member and an element", "struct s { int a[3]; };\nint main(void) { struct s s = {{1, 2, 3}}; s.a[1] = 9; for (;;) ; }", "F G(main::s.a[1] == 9 && main::s.a[2] == 3)", True},
		{"what a pointer points to", nondet + "int main(void) { int *p = &g; g = 4; for (;;) ; }", "F G(*main::p == 4)", True},
		{"two in an atom", nondet + "int main(void) { int a = __VERIFIER_nondet_int(), b = a; for (;;) { a = b; b = a; } }", "G(main::b == main::b ==> main::a == main::b)", True},
		{"recursion", nondet + "void f(int n) { if (n > 0) { g = n; f(n - 1); } }\nint main(void) { f(3); }", "G(f::n <= 3)", Unknown},
		{"a static one", nondet + "int main(void) { for (;;) { static int s; s = 1; g = 2; } }", "F(g == 2)", True},
	} {
		t.Run(c.name, func(t *testing.T) {
			r, err := checkFormula(t, c.text, c.formula)
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != c.want {
				t.Errorf("%s: %s, want %s: %+v", c.formula, r.Line(), c.want, r.Reasons)
			}
		})
	}
}

// TestLTLOverflow: a run that counts for ever refutes although it wraps, if one over the integers does, too; one
// that violates the formula because it wraps does not.
func TestLTLOverflow(t *testing.T) {
	for _, c := range []struct {
		text, formula string
		want          Answer
	}{
		{"int t, o;\nint main(void) { for (;;) { o = t; t = o + 1; } }", "F G !(t > o)", False},
		{"int x, y;\nint main(void) { for (;;) { x = x + 1; y = x < 0; } }", "F G(y == 0)", Unknown},
	} {
		r, err := Check(context.Background(), Task{
			Files: []string{write(t, c.text)}, Properties: []Property{LTL}, Timeout: 20 * time.Second,
			LTL: &Formula{Text: c.formula, File: "--ltl", Col: 1}, Engine: Engine{Only: "recurrence"},
		})
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != c.want || r.Answer == False && !strings.Contains(strings.Join(r.Replayed, ", "), "over the integers") {
			t.Errorf("%s: %s %v, want %s: %+v", c.formula, r.Line(), r.Replayed, c.want, r.Reasons)
		}
	}
}

// TestLTLEngine: an engine alone decides a formula by safety of the product or by fair termination, whichever it
// answers; if it answers neither question of a formula, that is said.
func TestLTLEngine(t *testing.T) {
	const program = "int x;\nint main(void) { for (int i = 3; i > 0; i--) x = i; x = 7; for (;;) ; }\n"
	for _, c := range []struct {
		engine, formula string
		want            Answer
	}{
		{"ranking", "F G(x == 7)", True},
		{"ranking", "G(x < 8)", True},
		{"lasso", "G F(x == 1)", False},
		{"lasso", "G(x < 7)", False},
		{"bmc", "G(x < 7)", False},
		{"induction", "G(x < 8)", True},
		{"induction", "F G(x == 7)", Unknown},
		{"trial", "G F(x == 1)", Unknown},
	} {
		task := Task{
			Files: []string{write(t, program)}, Properties: []Property{LTL}, Timeout: time.Minute,
			LTL: &Formula{Text: c.formula, File: "--ltl", Col: 1}, Engine: Engine{Only: c.engine},
		}
		r, err := Check(context.Background(), task)
		if err != nil {
			t.Fatal(err)
		}
		if r.Answer != c.want {
			t.Errorf("%s, %s: %s, want %s: %+v", c.engine, c.formula, r.Line(), c.want, r.Reasons)
		}
		if c.engine == "trial" && !strings.Contains(r.Reasons[0].Text, "the engine trial decides safety") {
			t.Errorf("%+v", r.Reasons)
		}
	}
}

// TestLTLErrors: an error about an atom shows the formula with a caret.
func TestLTLErrors(t *testing.T) {
	for formula, want := range map[string]string{
		"G (n >":                 "--ltl: ",
		"G (n > missing)":        "undeclared identifier 'missing'\n  G (n > missing)\n         ^",
		"G (n > 0 && p)":         "--ltl: ",
		"G (f(1) == 1)":          "an atom cannot call a function\n  G (f(1) == 1)\n     ^",
		"G (n = 1)":              "--ltl: ",
		"G !at(nowhere)":         "the program has no label nowhere",
		"F called(g)":            "the program does not define the function g",
		"G (n > 0 && main::k>0)": "main has no local variable k\n  G (n > 0 && main::k>0)\n              ^",
		"G (h::k > 0)":           "the program defines no function h",
		"G (sizeof(struct q))":   "--ltl: ",
		"G (p.z == 0 || p.x<1)":  "no member named 'z' in 'struct point'\n  G (p.z == 0 || p.x<1)\n       ^",
	} {
		_, err := checkFormula(t, counting, formula)
		var input *InputError
		if !errors.As(err, &input) || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", formula, err, want)
		}
	}
	if _, err := checkFormula(t, counting, ""); err == nil || !strings.Contains(err.Error(), "there is no formula") {
		t.Errorf("without formula: %v", err)
	}
	if _, err := checkFormula(t, "int main(void) { return 1 +; }", "G 1"); err == nil || !strings.Contains(err.Error(), "f.c:1:28") {
		t.Errorf("an error of the program: %v", err)
	}
}

// TestLTLTrace: the run shows the truth of the formula and its subformulas where it changes.
func TestLTLTrace(t *testing.T) {
	r, err := checkFormula(t, "int x;\nint main(void) {\n  x = 1;\n  for (;;) {\n    x = 2;\n    x = 3;\n  }\n}\n", "G F(x == 1)")
	if err != nil {
		t.Fatal(err)
	}
	var seen []string
	if err := r.Trace(context.Background(), func(s Step) error {
		if s.Kind != StepStore {
			seen = append(seen, string(s.Kind)+" "+strings.Join(s.Truth, " "))
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	const subformulas, steps = "G F AP(x == 1); F AP(x == 1); AP(x == 1)", "observe false true false, observe false true true, observe false false false, cycle false false false, violation false false false"
	if strings.Join(r.Subformulas, "; ") != subformulas || strings.Join(seen, ", ") != steps {
		t.Errorf("%s: %v: %v", r.Line(), r.Subformulas, seen)
	}
}

// TestAssume: what is assumed of the first state, over globals, arguments and locals, for each kind of question.
func TestAssume(t *testing.T) {
	const nondet = "extern int __VERIFIER_nondet_int(void);\nextern void reach_error(void);\nint g, h = 2;\nstatic int s;\n"
	for _, c := range []struct {
		name, text, assumed string
		havoc               bool
		property            Property
		want                Answer
	}{
		{"a global is 0", nondet + "int main(void) { if (g > 3) reach_error(); }", "", false, UnreachCall, True},
		{"or anything", nondet + "int main(void) { if (g > 3) reach_error(); }", "", true, UnreachCall, False},
		{"at most 3", nondet + "int main(void) { if (g > 3) reach_error(); }", "g <= 3", true, UnreachCall, True},
		{"static ones are 0", nondet + "int main(void) { if (s) reach_error(); }", "", true, UnreachCall, True},
		{"what has an initialiser keeps it", nondet + "int main(void) { if (h != 2) reach_error(); }", "", true, UnreachCall, True},
		{"a local", nondet + "int main(void) { int x; if (x > 3) reach_error(); }", "main::x <= 3", false, UnreachCall, True},
		{"behind a call", nondet + "int main(void) { g = __VERIFIER_nondet_int(); int x, y = 1; if (x > 3) reach_error(); }", "main::x <= 3", false, UnreachCall, True},
		{"which may be 3", nondet + "int main(void) { g = __VERIFIER_nondet_int(); int x; if (x == 3) reach_error(); }", "main::x <= 3", false, UnreachCall, False},
		{"two of them", nondet + "int main(void) { int x, y; while (x < y) x++; if (x != y) reach_error(); }", "main::x <= main::y", false, UnreachCall, True},
		{"an argument", nondet + "int main(int argc, char **argv) { if (argc > 3) reach_error(); }", "main::argc < 2", false, UnreachCall, True},
		{"its initialiser counts", nondet + "int main(void) { int x = 5; if (x > 3) reach_error(); }", "main::x <= 3", false, UnreachCall, False},
		{"nothing satisfies it", nondet + "int main(void) { reach_error(); }", "h == 3", false, UnreachCall, Unknown},
		{"termination", nondet + "int main(void) { int x; while (x != 0) x--; }", "main::x > 0", false, Termination, True},
		{"a run without end", nondet + "int main(void) { int x; while (x > 0) x = x + 0 * g; }", "main::x > 7", false, Termination, False},
		{"temporal logic", nondet + "//@ ltl invariant positive: []AP(g < 5);\nint main(void) { for (;;) if (g < 4) g++; }", "g < 3 && g > -7", true, LTL, True},
		{"temporal logic of a local", nondet + "//@ ltl invariant positive: [](!AP(main::x > 4));\nint main(void) { int x; for (;;) if (x < 4) x++; }", "main::x < 3 && main::x > -7", false, LTL, True},
		{"temporal logic of what nothing satisfies", nondet + "//@ ltl invariant positive: []AP(g < 5);\nint main(void) { for (;;) g++; }", "g > 0 && g < 0", true, LTL, Unknown},
	} {
		t.Run(c.name, func(t *testing.T) {
			task := Task{Files: []string{write(t, c.text)}, Properties: []Property{c.property}, Timeout: time.Minute, Program: Program{Assumed: c.assumed, HavocUninitialised: c.havoc}}
			r, err := Check(context.Background(), task)
			if err != nil {
				t.Fatal(err)
			}
			if r.Answer != c.want {
				t.Errorf("%s, want %s: %+v", r.Line(), c.want, r.Reasons)
			}
			if c.want == Unknown && (len(r.Reasons) == 0 || !strings.Contains(r.Reasons[0].Text, "no first state satisfies")) {
				t.Errorf("%+v", r.Reasons)
			}
		})
	}
	for assumed, want := range map[string]string{
		"g >":          "--assume: expected expression\n  g >",
		"main::z == 0": "--assume: main has no local variable z\n  main::z == 0\n  ^",
		"main::y == 0": "main::y is declared in a loop",
		"f::k == 0":    "f::k does not live in the first state of main",
		"f(1) == 0":    "an atom cannot call a function",
	} {
		const program = "int g; int f(int k) { return k; }\nint main(void) { for (;;) { int y; if (y) g = f(y); } }"
		_, err := Check(context.Background(), Task{Files: []string{write(t, program)}, Program: Program{Assumed: assumed}})
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %s", assumed, err, want)
		}
	}
}
