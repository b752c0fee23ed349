package certify

import (
	"context"
	"errors"
	"strings"
	"testing"

	"assay/internal/evidence/verdict"
	"assay/internal/program/ir"
)

// parse reads a module and has it verified.
func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return m
}

// label finds a block of a function by its name.
func label(t testing.TB, m *ir.Module, f, name string) ir.BlockID {
	t.Helper()
	if name == "" {
		return 0
	}
	for b, x := range m.Func(f).Blocks {
		if x.Name == name {
			return ir.BlockID(b)
		}
	}
	t.Fatalf("%s has no block %s", f, name)
	return 0
}

// bound is a bound by names; an empty head is recursion.
type bound struct {
	f, head string
	n       int
}

func resolve(t testing.TB, m *ir.Module, bounds []bound) []verdict.Bound {
	t.Helper()
	var out []verdict.Bound
	for _, b := range bounds {
		out = append(out, verdict.Bound{Func: b.f, Head: label(t, m, b.f, b.head), N: b.n})
	}
	return out
}

// outcome is "ok", or what the error says, after its class.
func outcome(t testing.TB, m *ir.Module, o Options, bounds []bound) string {
	t.Helper()
	checker, err := Unwinding(context.Background(), m, o, resolve(t, m, bounds))
	var rejected ErrRejected
	var incomplete ErrIncomplete
	switch {
	case err == nil && checker == byFolding:
		return "folded"
	case err == nil:
		return "ok"
	case errors.As(err, &rejected):
		return "rejected: " + err.Error()
	case errors.As(err, &incomplete):
		return "incomplete: " + err.Error()
	}
	return err.Error()
}

type test struct {
	name   string
	text   string // of main's blocks; or, if it starts with "module", everything
	o      Options
	bounds []bound
	want   string // a prefix of the outcome
}

var (
	assertions = Options{Targets: []ir.CheckKind{ir.Assertion}}
	accesses   = Options{Targets: []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree}}
)

func (x test) run(t *testing.T) {
	text := x.text
	if !strings.HasPrefix(text, "module") {
		text = "module 64 entry @main\nfile \"a.c\"\n\nfunc @main() {\n" + text + "}\n"
	}
	got := outcome(t, parse(t, text), x.o, x.bounds)
	if got == "folded" && x.want == "ok" {
		return // accepted even without a solver
	}
	if !strings.HasPrefix(got, x.want) || x.want == "" {
		t.Errorf("got %q, want %q", got, x.want)
	}
}

func runTests(t *testing.T, tests []test) {
	for _, x := range tests {
		t.Run(x.name, x.run)
	}
}

// countdown takes between 0 and 10 rounds.
const countdown = `
entry:
  %n = nondet i8 input "n"
  %small = ule i1 %n, i8 10
  assume %small
  br head
head:
  %i = phi i8 [%n, entry], [%j, body]
  %more = ne i1 %i, i8 0
  condbr %more, body, exit
body:
  %j = sub i8 %i, i8 1
  br head
exit:
  %done = eq i1 %i, i8 0
  check assertion %done "i == 0" !0:9:3
  halt exit
`

// constant takes 1000 rounds that the simplifier sees.
const constant = `
entry:
  %a = alloca ptr i64 4000 align 16 stride 4 cell 4
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %more = ult i1 %i, i32 1000
  condbr %more, body, exit
body:
  %k = zext i64 %i
  %k4 = mul i64 %k, i64 4
  %p = ptradd ptr %a, %k4
  store %i, %p align 4
  %j = add i32 %i, i32 1
  br head
exit:
  %q = ptradd ptr %a, i64 3996
  %x = load i32 %q align 4
  %is = eq i1 %x, i32 999
  check assertion %is "last"
  halt exit
`

func TestLoops(t *testing.T) {
	loop := func(n int) []bound { return []bound{{"main", "head", n}} }
	runTests(t, []test{
		{"exact", countdown, assertions, loop(10), "ok"},
		{"generous", countdown, assertions, loop(20), "ok"},
		{"one too few", countdown, assertions, loop(9), "rejected: the loop takes more than 9 back edges, in main at ?"},
		{"no bound", countdown, assertions, nil, "rejected: the loop takes more than 0 back edges"},
		{"wrong claim", strings.Replace(countdown, "eq i1 %i, i8 0", "eq i1 %n, i8 0", 1), assertions, loop(10), "rejected: assertion: i == 0, in main at a.c:9:3"},
		{"no claim", strings.Replace(countdown, "eq i1 %i, i8 0", "eq i1 %n, i8 0", 1), accesses, loop(10), "ok"},
		{"constant", constant, assertions, loop(1000), "folded"},
		{"constant, accesses", constant, accesses, loop(1000), "folded"},
		{"constant, one too few", constant, assertions, loop(999), "rejected: the loop takes more than 999 back edges"},
		{"constant, wrong claim", strings.Replace(constant, "i32 999", "i32 998", 1), assertions, loop(1000), "rejected: assertion: last"},
		{"constant, out of bounds", strings.Replace(constant, "i64 4000", "i64 3999", 1), accesses, loop(1000), "rejected: valid-deref: invalid write"},
	})
}

// fibonacci computes the 21st number by constant recursion.
const fibonacci = `module 64 entry @main
file "a.c"

func @fib(%n: i32) -> i32 !0:1:1 {
entry:
  %small = ult i1 %n, i32 2
  condbr %small, base, step
base:
  ret %n
step:
  %n1 = sub i32 %n, i32 1
  %a = call i32 @fib(%n1) !0:4:3
  %n2 = sub i32 %n, i32 2
  %b = call i32 @fib(%n2) !0:5:3
  %s = add i32 %a, %b
  ret %s
}

func @main() {
entry:
  %x = call i32 @fib(i32 21)
  %is = eq i1 %x, i32 10946
  check assertion %is "fib(21)"
  halt exit
}
`
