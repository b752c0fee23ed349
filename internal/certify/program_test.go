package certify

import (
	"context"
	"strings"
	"testing"
	"time"

	"assay/internal/program/ir"
)

// nested counts all pairs i < n, j < i of a small n.
const nestedLoops = `
entry:
  %x = nondet i8 input "n"
  %n = and i8 %x, i8 3
  br outer
outer:
  %i = phi i8 [i8 0, entry], [%i1, outer2]
  %s = phi i8 [i8 0, entry], [%t, outer2]
  %more = ult i1 %i, %n
  condbr %more, inner, exit
inner:
  %j = phi i8 [i8 0, outer], [%j1, inner2]
  %t = phi i8 [%s, outer], [%t1, inner2]
  %less = ult i1 %j, %i
  condbr %less, inner2, outer2
inner2:
  %t1 = add i8 %t, i8 1
  %j1 = add i8 %j, i8 1
  br inner
outer2:
  %i1 = add i8 %i, i8 1
  br outer
exit:
  %ok = ule i1 %s, i8 3
  check assertion %ok "s <= 3"
  halt exit
`

// irreducible is a loop of b and c, entered at either; b is its head.
const irreducible = `
entry:
  %x = nondet i8 input "n"
  %n = and i8 %x, i8 7
  %odd = trunc i1 %x
  condbr %odd, b, c
b:
  %i = phi i8 [%n, entry], [%k, c]
  %last = ult i1 %i, i8 2
  condbr %last, exit, c
c:
  %j = phi i8 [%n, entry], [%i, b]
  %k = sub i8 %j, i8 2
  %wrapped = ult i1 i8 7, %k
  condbr %wrapped, exit, b
exit:
  %r = phi i8 [%i, b], [%k, c]
  %small = ult i1 %r, i8 2
  %wrap = ult i1 i8 253, %r
  %ok = or i1 %small, %wrap
  check assertion %ok "end of the countdown"
  halt exit
`

func TestShapes(t *testing.T) {
	runTests(t, []test{
		{"nested", nestedLoops, assertions, []bound{{"main", "outer", 3}, {"main", "inner", 2}}, "ok"},
		{"nested, inner too few", nestedLoops, assertions, []bound{{"main", "outer", 3}, {"main", "inner", 1}}, "rejected: the loop takes more than 1 back edges"},
		{"nested, outer too few", nestedLoops, assertions, []bound{{"main", "outer", 2}, {"main", "inner", 2}}, "rejected: the loop takes more than 2 back edges"},
		{"nested, wrong", strings.Replace(nestedLoops, "i8 3\n  check", "i8 2\n  check", 1), assertions, []bound{{"main", "outer", 3}, {"main", "inner", 2}}, "rejected: assertion: s <= 3"},
		{"irreducible", irreducible, assertions, []bound{{"main", "b", 4}}, "ok"},
		{"irreducible, too few", irreducible, assertions, []bound{{"main", "b", 2}}, "rejected: the loop takes more than 2 back edges"},
		{"edges with values of their own", `
entry:
  %n = nondet i8 input "n"
  switch %n, join, 7: join, 8: other
other:
  halt abort
join:
  %v = phi i8 [i8 0, entry], [i8 1, entry]
  %is = eq i1 %n, i8 7
  %z = zext i8 %is
  %ok = eq i1 %v, %z
  check assertion %ok "a"
  halt exit
`, assertions, nil, "ok"},
	})
}

const recursive = `module 64 entry @main
file "a.c"

func @f(%n: i8, %a: i8) -> i8, i8 {
entry:
  %done = eq i1 %n, i8 0
  condbr %done, base, step
base:
  ret %a, %n
step:
  %m = sub i8 %n, i8 1
  %b = add i8 %a, i8 2
  %r = call i8 @f(%m, %b)
  %s = extract i8 %r, 1
  %u = add i8 %s, i8 1
  ret %r, %u
}

func @main() {
entry:
  %x = nondet i8 input "n"
  %n = and i8 %x, i8 3
  %r = call i8 @f(%n, i8 0)
  %s = extract i8 %r, 1
  %twice = add i8 %s, %s
  %ok = eq i1 %r, %twice
  check assertion %ok "r == 2 s" !0:7:1
  %same = eq i1 %s, %n
  check assertion %same "s == n"
  halt exit
}
`

func TestCalls(t *testing.T) {
	through := func(pick string) string {
		return `module 64 entry @main
global @x size 4 align 4

func @one() -> i32 {
entry:
  store i32 1, @x
  ret i32 10
}

func @two() -> i32 {
entry:
  store i32 2, @x
  ret i32 20
}

func @other(%a: i32) -> i32 {
entry:
  store i32 3, @x
  ret i32 30
}

declare @unknown() -> i32

func @main() {
entry:
  %n = nondet i8 input "n"
  %c = eq i1 %n, i8 0
  %p = select ptr %c, @one, ` + pick + `
  %r = call i32 %p()
  %x = load i32 @x
  %y = mul i32 %x, i32 10
  %ok = eq i1 %r, %y
  check assertion %ok "r == 10 x"
  halt exit
}
`
	}
	runTests(t, []test{
		{"recursion", recursive, assertions, []bound{{"f", "", 3}}, "ok"},
		{"recursion, too few", recursive, assertions, []bound{{"f", "", 2}}, "rejected: f is activated again more than 2 times"},
		{"recursion, wrong", strings.Replace(recursive, "%same = eq", "%same = ne", 1), assertions, []bound{{"f", "", 3}}, "rejected: assertion: s == n"},
		{"constant recursion", fibonacci, assertions, []bound{{"fib", "", 20}}, "folded"},
		{"constant recursion, too few", fibonacci, assertions, []bound{{"fib", "", 19}}, "rejected: fib is activated again more than 19 times, in fib at a.c:4:3"},
		{"through a pointer", through("@two"), assertions, nil, "ok"},
		{"through a pointer, another type", through("@other"), assertions, nil, "rejected: a call through a pointer to a function of another type"},
		{"through a pointer, another type, asked", through("@other"), Options{Targets: []ir.CheckKind{ir.Incompatible}}, nil, "rejected: incompatible-call"},
		{"through a pointer, to null", through("null"), assertions, nil, "rejected: assertion: r == 10 x"},
		{"through a pointer, without body", through("@unknown"), assertions, nil, "rejected: unknown is called, which has no body"},
		{"without body, not reached", `module 64 entry @main
declare @unknown() -> i32
func @main() {
entry:
  %n = nondet i8 input "n"
  %m = and i8 %n, i8 15
  %c = ult i1 %m, i8 16
  condbr %c, fine, bad
bad:
  %r = call i32 @unknown()
  halt exit
fine:
  halt exit
}
`, assertions, nil, "folded"},
		{"results that a loop hands out", `module 64 entry @main
func @two(%a: i8) -> i8, i8 {
entry:
  %b = add i8 %a, i8 1
  ret %a, %b
}
func @main() {
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, next]
  %c = call i8 @two(%i)
  %n = nondet i8 input "n"
  %stop = eq i1 %n, i8 0
  condbr %stop, exit, next
next:
  %j = add i8 %i, i8 1
  %more = ult i1 %j, i8 3
  condbr %more, head, exit
exit:
  %e = extract i8 %c, 1
  %is = add i8 %i, i8 1
  %ok = eq i1 %e, %is
  check assertion %ok "e == i + 1"
  halt exit
}
`, assertions, []bound{{"main", "head", 2}}, "ok"},
	})
}

// TestShortExecution has a loop whose bound, 100000, is that of an execution
// that folds, while another execution is short for a reason that only the solver
// sees: it must not be laid out in full.
func TestShortExecution(t *testing.T) {
	m := parse(t, `module 64 entry @main

func @count(%n: i32) -> i32 {
entry:
  br head
head:
  %i = phi i32 [i32 0, entry], [%j, body]
  %more = ult i1 %i, %n
  condbr %more, body, exit
body:
  %j = add i32 %i, i32 1
  br head
exit:
  ret %i
}

func @main() {
entry:
  %a = call i32 @count(i32 100000)
  %x = nondet i32 input "x"
  %q = mul i32 %x, %x
  %r = and i32 %q, i32 15
  %b = call i32 @count(%r)
  %ok = ule i1 %b, i32 9
  check assertion %ok "squares modulo 16 are at most 9"
  halt exit
}
`)
	begin := time.Now()
	if got := outcome(t, m, assertions, []bound{{"count", "head", 100000}}); got != "ok" {
		t.Error(got)
	}
	t.Log(time.Since(begin))
}

func TestTargets(t *testing.T) {
	// The second check fails on runs on which the first does.
	two := `
entry:
  %n = nondet i8 input "n"
  %a = ne i1 %n, i8 5
  check assertion %a "first" !0:3:1
  %b = ult i1 %n, i8 250
  %c = and i1 %a, %b
  assume %b
  check assertion %c "second" !0:4:1
  %d = udiv i8 i8 7, %n
  label "ERROR"
  halt exit
`
	all := func(kinds ...ir.CheckKind) Options { return Options{Targets: kinds, All: true} }
	excluding := func(o Options, v ir.Value) Options {
		o.Excluded = []Place{{"main", v, ir.Assertion}}
		return o
	}
	m := parse(t, "module 64 entry @main\nfile \"a.c\"\nfunc @main() {\n"+two+"}\n")
	var checks []ir.Value
	for v, d := range m.Func("main").Values {
		if d.Op == ir.Check {
			checks = append(checks, ir.Value(v))
		}
	}
	runTests(t, []test{
		{"ends at the first", two, assertions, nil, "rejected: assertion: first, in main at a.c:3:1"},
		{"first excluded, ends there", two, excluding(assertions, checks[0]), nil, "ok"},
		{"first excluded, goes on", two, excluding(all(ir.Assertion), checks[0]), nil, "rejected: assertion: second"},
		{"second excluded", two, excluding(all(ir.Assertion), checks[1]), nil, "rejected: assertion: first"},
		{"both excluded", two, Options{Targets: []ir.CheckKind{ir.Assertion}, All: true, Excluded: []Place{{"main", checks[0], ir.Assertion}, {"main", checks[1], ir.Assertion}}}, nil, "folded"},
		{"division", two, Options{Targets: []ir.CheckKind{ir.DivByZero}}, nil, "rejected: div-by-zero"},
		{"no shift", two, Options{Targets: []ir.CheckKind{ir.ShiftRange}}, nil, "folded"},
		{"label", two, Options{Targets: []ir.CheckKind{ir.ErrorLabel}}, nil, "rejected: error-label"},
		{"another label", two, Options{Targets: []ir.CheckKind{ir.ErrorLabel}, Label: "OTHER"}, nil, "folded"},
		{"asked of CaDiCaL", countdown, Options{Targets: []ir.CheckKind{ir.Assertion}, Engine: "z3"}, []bound{{"main", "head", 10}}, "ok"},
	})
}

func TestUndefinedBehaviour(t *testing.T) {
	ends := func(kinds ...ir.CheckKind) Options { return Options{Targets: kinds} }
	runTests(t, []test{
		{"a division by zero is anything", `
entry:
  %n = nondet i8 input "n"
  %q = udiv i8 i8 6, %n
  %ok = ule i1 %q, i8 6
  check assertion %ok "q <= 6"
  halt exit
`, assertions, nil, "rejected: assertion"},
		{"unless it ends the run", `
entry:
  %n = nondet i8 input "n"
  %q = udiv i8 i8 6, %n
  %ok = ule i1 %q, i8 6
  check assertion %ok "q <= 6"
  halt exit
`, Options{Targets: []ir.CheckKind{ir.Assertion, ir.DivByZero}, Excluded: []Place{{"main", 3, ir.DivByZero}}}, nil, "ok"},
		{"an invalid read is anything", `
entry:
  %x = load i8 null
  %ok = eq i1 %x, i8 0
  check assertion %ok "x == 0"
  halt exit
`, assertions, nil, "rejected: assertion"},
		{"an invalid write does nothing", `
entry:
  %p = alloca ptr i64 4 align 4
  store i32 1, %p
  %q = ptradd ptr %p, i64 1
  store i32 2, %q
  %x = load i32 %p
  %ok = eq i1 %x, i32 1
  check assertion %ok "x == 1"
  halt exit
`, assertions, nil, "folded"},
		{"a copy from nowhere is anything", `
entry:
  %p = alloca ptr i64 4 align 4
  store i32 0, %p
  memcpy %p, null, i64 4
  %x = load i32 %p
  %ok = eq i1 %x, i32 0
  check assertion %ok "x == 0"
  halt exit
`, assertions, nil, "rejected: assertion"},
		{"an unreachable place ends the run", `
entry:
  %n = nondet i1 input "n"
  condbr %n, here, there
here:
  unreachable
there:
  %ok = eq i1 %n, i1 0
  check assertion %ok "n == 0"
  halt exit
`, assertions, nil, "folded"},
		{"an unreachable place is a target", `
entry:
  %n = nondet i1 input "n"
  condbr %n, here, there
here:
  unreachable
there:
  halt exit
`, ends(ir.ReachedUnreachable), nil, "rejected: unreachable"},
		{"unsupported", `
entry:
  %n = nondet i1 input "n"
  condbr %n, here, there
here:
  unsupported "x87"
there:
  halt exit
`, assertions, nil, "rejected: x87"},
		{"a leak", `
entry:
  %p = malloc ptr i64 4
  ret
`, ends(ir.MemCleanup), nil, "rejected: valid-memcleanup"},
		{"no leak", `
entry:
  %p = malloc ptr i64 4
  free %p
  halt exit
`, ends(ir.MemCleanup, ir.InvalidFree), nil, "folded"},
		{"no leak at abort", `
entry:
  %p = malloc ptr i64 4
  halt abort
`, ends(ir.MemCleanup), nil, "folded"},
		{"perhaps lost", `
entry:
  %p = malloc ptr i64 4
  halt exit
`, ends(ir.MemTrack), nil, "incomplete: memory is still allocated"},
		{"freed twice", `
entry:
  %p = malloc ptr i64 4
  free %p
  free %p
  halt exit
`, ends(ir.InvalidFree), nil, "rejected: valid-free"},
	})
}

func TestNaN(t *testing.T) {
	nan := func(use string) string {
		return `
entry:
  %n = nondet i8 input "n"
  %x = sitof f32 %n
  %q = fdiv f32 %x, %x
  %isnan = funo i1 %q, %q
  assume %isnan
` + use + `
  check assertion %ok "sign"
  halt exit
`
	}
	stored := func(op string) string {
		return op + `
  %p = alloca ptr i64 4 align 4
  store %m, %p
  %b = load i32 %p
  %ok = slt i1 %b, i32 0`
	}
	runTests(t, []test{
		{"cast", nan("%b = bitcast i32 %q\n  %ok = sle i1 i32 0, %b"), assertions, nil, "rejected: assertion"},
		{"stored", nan(stored("%m = freeze f32 %q")), assertions, nil, "rejected: assertion"},
		{"negated", nan(stored("%m = fneg f32 %q")), assertions, nil, "rejected: assertion"},
		{"sign copied from it", nan("%m = fcopysign f32 f32 1.0, %q\n  %ok = flt i1 f32 0.0, %m"), assertions, nil, "rejected: assertion"},
		{"sign copied to it", nan(stored("%m = fcopysign f32 %q, f32 -1.0")), assertions, nil, "rejected: assertion"},
		{"is a NaN all the same", nan(`%b = bitcast i32 %q
  %e = and i32 %b, i32 2139095040
  %ok = eq i1 %e, i32 2139095040`), assertions, nil, "ok"},
		{"payload of a constant", `
entry:
  %b = bitcast i32 f32 0x7fc00001
  %ok = eq i1 %b, i32 2143289345
  check assertion %ok "payload"
  halt exit
`, assertions, nil, "folded"},
		{"payload of what was read", `
entry:
  %p = alloca ptr i64 4 align 4
  store i32 2143289345, %p
  %x = load f32 %p
  store %x, %p
  %b = load i32 %p
  %ok = eq i1 %b, i32 2143289345
  check assertion %ok "payload"
  halt exit
`, assertions, nil, "folded"},
	})
}

// variadic adds up its arguments: an int, a double as bits, an __int128.
const variadic = `module 64 entry @main

func @sum(%n: i32, ...) -> i64 {
entry:
  %list = alloca ptr i64 24 align 8
  vastart %list
  %at = ptradd ptr %list, i64 8
  %area = load ptr %at
  %a = load i32 %area
  %p1 = ptradd ptr %area, i64 8
  %b = load i64 %p1
  %p2 = ptradd ptr %area, i64 32
  %c = load i128 %p2
  %gp = load i32 %list
  %a64 = sext i64 %a
  %s = add i64 %a64, %b
  %d = trunc i64 %c
  %u = add i64 %s, %d
  %g = zext i64 %gp
  %w = add i64 %u, %g
  ret %w
}

func @main() {
entry:
  %n = nondet i32 input "n"
  %x = and i32 %n, i32 255
  %r = call i64 @sum(i32 4, %x, i64 1000, i64 5, i128 70000)
  %z = zext i64 %x
  %e = add i64 %z, i64 71048
  %ok = eq i1 %r, %e
  check assertion %ok "sum"
  halt exit
}
`

// objectTests are programs, and whether what is claimed of them is to be accepted.
var objectTests = []test{
	{"variable arguments", variadic, assertions, nil, "folded"},
	{"variable arguments, accesses", variadic, accesses, nil, "folded"},
	{"dangling", `module 64 entry @main
func @f() -> ptr {
entry:
  %p = alloca ptr i64 4 align 4
  ret %p
}
func @main() {
entry:
  %p = call ptr @f()
  %x = load i32 %p
  halt exit
}
`, accesses, nil, "rejected: valid-deref: invalid read"},
	{"life ended", `
entry:
  %p = alloca ptr i64 4 align 4
  lifetimeend %p
  store i32 1, %p
  halt exit
`, accesses, nil, "rejected: valid-deref: invalid write"},
	{"life begun again", `
entry:
  %p = alloca ptr i64 4 align 4
  store i32 7, %p
  lifetimeend %p
  lifetimestart %p
  %x = load i32 %p
  %ok = eq i1 %x, i32 7
  check assertion %ok "x == 7"
  halt exit
`, assertions, nil, "rejected: assertion"},
	{"stack restored", `
entry:
  %a = alloca ptr i64 4 align 4
  %t = stacksave ptr
  %b = alloca ptr i64 4 align 4
  stackrestore %t
  store i32 1, %a
  store i32 1, %b
  halt exit
`, accesses, nil, "rejected: valid-deref: invalid write"},
	{"stack restored, older object", `
entry:
  %a = alloca ptr i64 4 align 4
  %t = stacksave ptr
  %b = alloca ptr i64 4 align 4
  stackrestore %t
  store i32 1, %a
  halt exit
`, accesses, nil, "folded"},
	{"arrays of one loop round each", `
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, head]
  %t = stacksave ptr
  %p = alloca ptr i64 4 align 4
  store i32 1, %p
  stackrestore %t
  %n = nondet i1 input "n"
  %j = add i8 %i, i8 1
  %few = ult i1 %j, i8 4
  %more = and i1 %n, %few
  condbr %more, head, exit
exit:
  halt exit
`, accesses, []bound{{"main", "head", 3}}, "folded"},
	{"initialiser with a pointer", `module 64 entry @main
global @x size 4 align 4
global @p size 8 align 8
  reloc 0 @x 0
func @main() {
entry:
  %p = load ptr @p
  store i32 5, %p
  %v = load i32 @x
  %ok = eq i1 %v, i32 5
  check assertion %ok "x == 5"
  halt exit
}
`, assertions, nil, "folded"},
	{"external content", `module 64 entry @main
global @x size 4 align 4 external
func @main() {
entry:
  %v = load i32 @x
  %ok = eq i1 %v, i32 0
  check assertion %ok "x == 0"
  halt exit
}
`, assertions, nil, "rejected: assertion"},
	{"an address used again", `
entry:
  %x = nondet i64 input "x"
  %p = malloc ptr i64 4
  %a = ptrtoint i64 %p
  %same = eq i1 %a, %x
  assume %same
  %r = inttoptr ptr %x
  store i32 2, %r
  free %p
  %q = malloc ptr i64 4
  %b = ptrtoint i64 %q
  %again = eq i1 %b, %x
  assume %again
  %s = inttoptr ptr %x
  store i32 2, %s
  check assertion i1 0 "reachable"
  halt exit
`, assertions, nil, "rejected: assertion"},
	{"the size of an object that is not made", `
entry:
  %n = nondet i64 input "n"
  %small = ult i1 %n, i64 100
  condbr %small, then, join
then:
  %p = malloc ptr %n
  %q = malloc ptr i64 4
  %less = ult i1 %p, %q
  %z = zext i8 %less
  br join
join:
  %l = phi i8 [i8 3, entry], [%z, then]
  %big = slt i1 %n, i64 0
  %no = xor i1 %big, i1 1
  %three = eq i1 %l, i8 3
  %ok = select i1 %three, %no, i1 1
  check assertion %ok "n >= 0"
  halt exit
`, assertions, nil, "rejected: assertion"},
	{"a copy of any length", `
entry:
  %n = nondet i64 input "n"
  %i = nondet i64 input "i"
  %few = ult i1 %n, i64 1000000000
  %in = ult i1 %i, %n
  assume %few
  assume %in
  %p = malloc ptr %n
  %q = malloc ptr %n
  %pi = ptradd ptr %p, %i
  %qi = ptradd ptr %q, %i
  memcpy %p, %q, %n
  %v = load i8 %pi
  %w = load i8 %qi
  %ok = eq i1 %v, %w
  check assertion %ok "the same"
  halt exit
`, assertions, nil, "ok"},
	{"a copy of any length, but for a byte", `
entry:
  %n = nondet i64 input "n"
  %i = nondet i64 input "i"
  %few = ult i1 %n, i64 1000000000
  %in = ult i1 %i, %n
  assume %few
  assume %in
  %p = malloc ptr %n
  %q = malloc ptr %n
  %pi = ptradd ptr %p, %i
  %qi = ptradd ptr %q, %i
  memcpy %p, %q, %i
  %v = load i8 %pi
  %w = load i8 %qi
  %ok = eq i1 %v, %w
  check assertion %ok "the same"
  halt exit
`, assertions, nil, "rejected: assertion"},
}

func TestObjects(t *testing.T) {
	runTests(t, objectTests)
}

func TestContext(t *testing.T) {
	m := parse(t, "module 64 entry @main\n\nfunc @main() {\n"+strings.ReplaceAll(constant, "1000", "100000000")+"}\n")
	ctx, cancel := context.WithTimeout(context.Background(), 30*time.Millisecond)
	defer cancel()
	if _, err := Unwinding(ctx, m, assertions, resolve(t, m, []bound{{"main", "head", 100000000}})); err != context.DeadlineExceeded {
		t.Error(err)
	}
	if _, err := Unwinding(context.Background(), &ir.Module{PointerBits: 64, Entry: "main"}, assertions, nil); err == nil {
		t.Error("a module without entry is accepted")
	}
}
