package main

import (
	"path/filepath"
	"strings"
	"testing"
)

const (
	ctlWait = `extern int __VERIFIER_nondet_int(void);
int lamp;
int main(void) {
  int n, m = 0;
  while (n > 0) { n--; }
  m = 1;
  while (__VERIFIER_nondet_int()) { lamp = 0; }
  lamp = 1;
  return 0;
}
`
	ctlCall   = "int x;\nvoid set(int v) { x = v; }\nint main(void) { set(3); x = 4; return 0; }\n"
	ctlAssume = "extern void __VERIFIER_assume(int);\nint x;\nint main(void) { __VERIFIER_assume(x > 0); return 0; }\n"
)

// ctlAssumes has runs that break assumptions at two places.
const ctlAssumes = `extern int __VERIFIER_nondet_int(void);
extern void __VERIFIER_assume(int);
int x, y;
int main(void) {
  x = 1;
  y = __VERIFIER_nondet_int();
  __VERIFIER_assume(y > 0);
  while (y > 0) y = y - 1;
  x = 2;
  while (1) { x = __VERIFIER_nondet_int(); __VERIFIER_assume(x >= 2); }
}
`

// ctlCubes compares a product with an input, and counts up to it by differences, too.
const ctlCubes = `extern int __VERIFIER_nondet_int(void);
int main(void) {
  int n = 0, y = 1, z = 6;
  int k = __VERIFIER_nondet_int();
  int p = 2;
  while (3 * n * n + 3 * n + 1 <= k) {
    n = n + 1;
    y = y + z;
    z = z + 6;
    p = 1;
  }
  p = k - y;
  return 0;
}
`

// ctlInitialised declares a local with an initialiser behind an assignment.
const ctlInitialised = `extern int __VERIFIER_nondet_int(void);
int main(void) {
	int y;
	y = __VERIFIER_nondet_int();
	int p = 2;
	while (y > 0) {
		y--;
		p = 1;
		int q = 5;
		y = y + q - 5;
	}
	p = y - 1;
	return 0;
}
`

// ctlDrift stays where x does not decrease.
const ctlDrift = `extern int __VERIFIER_nondet_int(void);
int x, y;
int main(void) {
	x = __VERIFIER_nondet_int();
	y = __VERIFIER_nondet_int();
	while (x > 0) {
		x = x - y;
	}
	return 0;
}
`

// ctlScratch declares locals in loops, which have no value until they are assigned, and is decided by runs of some
// hundred steps.
const ctlScratch = `extern int __VERIFIER_nondet_int(void);
int phase;
int main(void) {
	int a = __VERIFIER_nondet_int(), rounds = 0;
	while (rounds < 12) {
		int k;
		k = a;
		while (k * k * k < 20) { k = k + 1; }
		rounds = rounds + 1;
	}
	phase = 1;
	return 0;
}
`

// ctlWarning sets a lamp one round after what it reports.
const ctlWarning = `extern int __VERIFIER_nondet_int(void);
int heat, input, lamp;
static void show(int warning) { lamp = warning; }
int main(void) {
	while (1) {
		input = __VERIFIER_nondet_int();
		if (heat < 0) show(1);
		heat = input - 10;
	}
}
`

// ctlCount counts up an int until it wraps.
const ctlCount = `extern int __VERIFIER_nondet_int(void);
int x, y;
unsigned u;
unsigned char c;
int main(void) {
  x = __VERIFIER_nondet_int();
  if (x < 0) x = 0;
  while (x >= 0) { x = x + 1; c++; u--; }
  y = 1;
  return 0;
}
`

func TestCheckCTLWrap(t *testing.T) {
	for _, test := range []struct {
		formula string
		flags   []string
		code    int
		output  string
	}{
		{"AF(y == 1)", nil, exitTrue, "RESULT: true\n"},
		{"AF(y == 1)", []string{"--semantics=integers"}, exitFalse, "RESULT: false(ctl)\n"},
		{"AF(x < 0)", nil, exitTrue, "RESULT: true\n"},
		{"AG(x > -5)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{"AG(c <= 255 && !(u < 0))", nil, exitTrue, "RESULT: true\n"},
		{"EF(u > 4294967294)", nil, exitTrue, "RESULT: true\n"},
		{"AG(x + 1 > 0)", nil, exitInput, "arithmetic may wrap"},
		{"AG(u > -1)", nil, exitInput, "compares as unsigned what may be negative"},
		{"AG(u > x)", nil, exitInput, "compares as unsigned what may be negative"},
		{"AG(u >= c)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{"AG(!x == y)", nil, exitInput, "arithmetic may wrap"},
		{"AG(x < y < 2)", nil, exitInput, ""},
		{"AF(y == 1)", []string{"--semantics=c"}, exitInput, "--semantics wrap"},
	} {
		o := invoke(t, append(append([]string{"check", "--semantics=wrap", "--timeout=100", "--ctl", test.formula}, test.flags...), write(t, "program.c", ctlCount))...)
		if o.code != test.code || !strings.Contains(o.stdout+o.stderr, test.output) {
			t.Errorf("%s %v: code %d, want %d\n%s%s", test.formula, test.flags, o.code, test.code, o.stdout, o.stderr)
		}
	}
}

func TestSpecifiedCTL(t *testing.T) {
	for _, test := range []struct {
		spec   string
		code   int
		output string
	}{
		{"// all runs\nCHECK( init(main()), CTL(EF(y == 1)) )\n", exitTrue, "RESULT: true\n"},
		{"CHECK( init(main()), CTL(AG(y == 0)) )\n", exitFalse, "RESULT: false(ctl)\n"},
		{"CHECK( init(main()), CTL(AG(y == 0)) )\nCHECK( init(main()), LTL(F end) )\n", exitInput, "file.prp:1"},
		{"CHECK( init(main()), CTL(AG(y == )) )\n", exitInput, "AG(y == )"},
	} {
		o := invoke(t, "check", "--semantics=wrap", "--timeout=100", "--spec", write(t, "file.prp", test.spec), write(t, "program.c", ctlCount))
		if o.code != test.code || !strings.Contains(o.stdout+o.stderr, test.output) {
			t.Errorf("%s: code %d, want %d\n%s%s", test.spec, o.code, test.code, o.stdout, o.stderr)
		}
	}
}

// TestCTLExamples: what the comments of the examples say.
func TestCTLExamples(t *testing.T) {
	both := "EF(p == 0) && EF(p == 1)"
	for _, test := range []struct {
		arguments []string
		code      int
	}{
		{[]string{"--semantics=integers", "--ctl", both, "differences.c"}, exitTrue},
		{[]string{"--semantics=integers", "--ctl", both, "-DRIGHT", "differences.c"}, exitFalse},
		{[]string{"--semantics=wrap", "--ctl", both, "differences.c"}, exitTrue},
		{[]string{"--semantics=wrap", "--ctl", both, "-DRIGHT", "differences.c"}, exitFalse},
		{[]string{"--semantics=wrap", "--ctl", "A F G (up == 1)", "server.c"}, exitTrue},
		{[]string{"--semantics=wrap", "--ctl", "AF AG (up == 1)", "server.c"}, exitFalse},
		{[]string{"--semantics=wrap", "--ctl", "E G F (load == 7)", "server.c"}, exitTrue},
		{[]string{"--semantics=wrap", "--ctl", "AG (load <= 100)", "server.c"}, exitTrue},
	} {
		last := len(test.arguments) - 1
		test.arguments[last] = filepath.Join("..", "..", "examples", "ctl", test.arguments[last])
		if o := invoke(t, append([]string{"check", "--timeout=60"}, test.arguments...)...); o.code != test.code {
			t.Errorf("%v: code %d, want %d\n%s%s", test.arguments, o.code, test.code, o.stdout, o.stderr)
		}
	}
}

func TestCheckCTL(t *testing.T) {
	for _, test := range []struct {
		text, formula string
		flags         []string
		code          int
		output        string // of both streams
	}{
		{ctlWait, "AF(m == 1)", nil, exitTrue, "RESULT: true\n"},
		{ctlWait, "AF(lamp == 1)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlWait, "EF(lamp == 1 && m == 0)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlWait, "AF(exit: lamp == 1)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlWait, "AG(exit: true -> lamp == 1)", nil, exitTrue, "RESULT: true\n"},
		{ctlWait, "lamp == 0", nil, exitTrue, "RESULT: true\n"},
		{ctlWait, "lamp == 0", []string{"--havoc-uninitialised"}, exitFalse, "RESULT: false(ctl)\n"},
		{ctlWait, "lamp > 1", []string{"--havoc-uninitialised", "--assume", "lamp > 2"}, exitTrue, "RESULT: true\n"},
		{ctlWait, "lamp > 1", []string{"--assume", "lamp > 2"}, exitUnknown, "no initial state satisfies"},
		{ctlWait, "AF(n <= 0)", []string{"--assume", "main::n > 5"}, exitTrue, "RESULT: true\n"},
		{ctlWait, "n > 5", []string{"--assume", "main::n > 5"}, exitTrue, "RESULT: true\n"},
		{ctlCall, "EF(x == 3)", nil, exitTrue, "RESULT: true\n"},
		{ctlCall, "AF(x == 3) && AF(AG(x == 4))", nil, exitTrue, "RESULT: true\n"},
		{ctlCall, "AX(x == 3)", nil, exitInput, "X counts stores"},
		{ctlAssume, "AF(x > 0)", nil, exitUnknown, "every run breaks an assumption"},
		{ctlAssumes, "AF(x == 2)", nil, exitTrue, "RESULT: true\n"},
		{ctlAssumes, "EF(x == 7)", nil, exitTrue, "RESULT: true\n"},
		{ctlAssumes, "EF(x == -1)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlAssumes, "EF(y < 0)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlAssumes, "AF(y < 0)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlAssumes, "AF(AG(x >= 2))", nil, exitTrue, "RESULT: true\n"},
		{ctlWait, "AF(z > 0)", nil, exitInput, "main::z"},
		{ctlWait, "AF(n * n > 0)", nil, exitInput, "not linear"},
		{"int main(void) { int x = 1; x = 2; x = 3; return x; }\n", "x == 1 && AX(x == 2 && EX(x == 3 && AG(x == 3)))", nil, exitTrue, "RESULT: true\n"},
		{"int main(void) { int x = 1; x = 2; return x; }\n", "AX(x == 1)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{"int main(void) { int x;\nx = 1; x = 2; return x; }\n", "x == 1 && AX(x == 2)", nil, exitTrue, "RESULT: true\n"},
		// Nothing is observed of a local before its initialiser, and nobody chooses what it holds there.
		{ctlInitialised, "EF(p == 0)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlInitialised, "AG(p == 2 || p == 1 || p < 0)", nil, exitTrue, "RESULT: true\n"},
		{ctlInitialised, "p == 2", nil, exitTrue, "RESULT: true\n"},
		{ctlInitialised, "EF(q == 5)", nil, exitTrue, "RESULT: true\n"},
		{ctlInitialised, "EF(p == 0)", []string{"--havoc-uninitialised"}, exitFalse, "RESULT: false(ctl)\n"},
		{strings.Replace(ctlInitialised, "int p = 2;", "int p;\np = 2;", 1), "EF(p == 0)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{strings.Replace(ctlInitialised, "int p = 2;", "int p;\np = 2;", 1), "EF(p == 0)", []string{"--havoc-uninitialised"}, exitTrue, "RESULT: true\n"},
		// Conditions with products: y is 3*n*n + 3*n + 1 at the head.
		{ctlCubes, "EF(p == 1) && EF(p == 0)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlCubes, "AF(p < 0)", nil, exitTrue, "RESULT: true\n"},
		{ctlCubes, "AF(p < 0)", nil, exitTrue, "6:14: 3*n*n - k + 3*n >= 0 is y >= k + 1, for 3*n*n - y + 3*n + 1 == 0\n"},
		{ctlCubes, "EF(p == 1)", []string{"--json"}, exitTrue, `"result":"true"`},
		{ctlCubes, "EF(p == 1) && EF(p == 0)", []string{"--json", "--memory=1GiB"}, exitFalse, `"result":"false(ctl)"`},
		{ctlDrift, "EG(x > 0)", []string{"--havoc-uninitialised", "--assume", "x > 0"}, exitTrue, "RESULT: true\n"},
		{ctlDrift, "EG(x > 0)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlScratch, "EF(phase == 1)", nil, exitTrue, "RESULT: true\n"},
		{ctlScratch, "EF(phase == 2)", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlWarning, "AG(input >= 0 || AF(lamp == 1))", nil, exitTrue, "RESULT: true\n"},
		{ctlWarning, "AG(input > 10 || AF(lamp == 1))", nil, exitFalse, "RESULT: false(ctl)\n"},
		{ctlAssume, "AF(x > 0)", []string{"--json"}, exitUnknown, `"reasons":[{"cause":"inexact","text":`},
	} {
		o := invoke(t, append(append([]string{"check", "--semantics=integers", "--timeout=100", "--ctl", test.formula}, test.flags...), write(t, "program.c", test.text))...)
		if o.code != test.code || !strings.Contains(o.stdout+o.stderr, test.output) {
			t.Errorf("%s %v: code %d, want %d\n%s%s", test.formula, test.flags, o.code, test.code, o.stdout, o.stderr)
		}
	}
}
