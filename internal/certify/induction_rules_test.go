package certify

import (
	"strings"
	"testing"

	"assay/internal/program/ir"
)

// around is a loop with a body, that runs as long as the input says; after it,
// and in every round, @g must be 0.
func around(before, body string) string {
	return "module 64 entry @main\nfile \"a.c\"\nglobal @g size 4 align 4\nglobal @h size 16 align 8\nglobal @big size 1000 align 8 cell 4\n" + `
func @set(%p: ptr, %x: i32) {
entry:
  store %x, %p
  ret
}

func @main() {
entry:
` + before + `
  br head
head:
  %more = nondet i1 input "more"
  condbr %more, body, exit
body:
  %v = load i32 @g
  %is = eq i1 %v, i32 0
  check assertion %is "in"
` + body + `
  br head
exit:
  %w = load i32 @g
  %same = eq i1 %w, i32 0
  check assertion %same "out"
  halt exit
}
`
}

// TestWrites has writes that a loop makes in many ways; the checker must see all.
func TestWrites(t *testing.T) {
	write := func(name, before, body, want string) []inductionTest {
		return []inductionTest{
			{name, around(before, body), assertions, 1, nil, want},
			{name + ", k 3", around(before, body), assertions, 3, nil, want},
			{name + ", k 0", around(before, body), assertions, 0, []claimed{"main head: @g.0:32 <= 0"}, strings.TrimSuffix(want, "assertion")},
		}
	}
	var tests []inductionTest
	add := func(name, before, body, want string) { tests = append(tests, write(name, before, body, want)...) }
	add("nothing", "", "", "ok")
	add("the same value", "", "  store i32 0, @g", "ok")
	add("direct", "", "  store i32 1, @g", "rejected: assertion")
	add("part", "", "  %p = ptradd ptr @g, i64 3\n  store i8 1, %p", "rejected: assertion")
	add("pointer", "  %c = nondet i1 input \"c\"\n  %p = select ptr %c, @g, @h", "  store i32 1, %p", "rejected: assertion")
	add("other pointer", "  %c = nondet i1 input \"c\"\n  %q = ptradd ptr @h, i64 8\n  %p = select ptr %c, %q, @h", "  store i32 1, %p", "ok")
	add("callee", "", "  call void @set(@g, i32 1)", "rejected: assertion")
	add("callee, elsewhere", "", "  call void @set(@h, i32 1)", "ok")
	add("function pointer", "", "  %f = select ptr %more, @set, @set\n  call void %f(@g, i32 1)", "rejected: assertion")
	add("memcpy", "  store i32 1, @h", "  memcpy @g, @h, i64 4", "rejected: assertion")
	add("memcpy of zeros", "", "  memcpy @g, @h, i64 4", "ok")
	add("memset", "", "  memset @g, i8 1, i64 4", "rejected: assertion")
	add("havoc", "", "  havoc @g, i64 4", "rejected: assertion")
	add("address", "  %a = ptrtoint i64 @g\n  %p = inttoptr ptr %a", "  store i32 1, %p", "rejected: assertion")
	add("any address", "  %a = nondet i64 input \"a\"\n  %p = inttoptr ptr %a", "  store i8 1, %p", "rejected: assertion")
	add("by way of another", "", "  %o = load i32 @h\n  store %o, @g\n  store i32 1, @h", "rejected: assertion")
	add("by way of two others", "", `  %p = ptradd ptr @h, i64 4
  %o = load i32 @h
  store %o, @g
  %o2 = load i32 %p
  store %o2, @h
  store i32 1, %p`, "rejected: assertion")
	add("symbolic offset", "  %i = nondet i64 input \"i\"\n  %s = and i64 %i, i64 3\n  %p = ptradd ptr @g, %s", "  store i8 1, %p", "rejected: assertion")
	add("large array", "", "  %i = nondet i64 input \"i\"\n  %p = ptradd ptr @big, %i\n  store i8 1, %p", "ok")
	add("through a large array", "", `  %i = nondet i64 input "i"
  %j = and i64 %i, i64 255
  %p = ptradd ptr @big, %j
  %x = load i8 %p
  store %x, @g
  store i8 1, %p`, "rejected: assertion")
	add("a large array that is only read", "", `  %i = nondet i64 input "i"
  %j = and i64 %i, i64 255
  %p = ptradd ptr @big, %j
  %x = load i8 %p
  store %x, @g`, "ok")
	add("pointer in memory", "  %a = alloca ptr i64 8 align 8\n  store @h, %a", "  %p = load ptr %a\n  store i32 1, %p\n  store @g, %a", "rejected: ")
	add("pointer in memory stays", "  %a = alloca ptr i64 8 align 8\n  store @h, %a", "  %p = load ptr %a\n  store i32 1, %p\n  store @h, %a", "ok")
	add("pointer in memory moves", "  %a = alloca ptr i64 8 align 8\n  store @h, %a", "  %p = load ptr %a\n  store i8 1, %p\n  %q = ptradd ptr %p, i64 1\n  store %q, %a", "ok")
	add("pointer in bytes", "  %a = alloca ptr i64 8 align 8\n  store @h, %a", "  %p = load ptr %a\n  store i8 1, %p\n  %q = ptradd ptr %a, i64 1\n  memcpy %q, %a, i64 4", "incomplete: ")
	tests = append(tests, write("pointers in a large array", "", `  %i = nondet i64 input "i"
  %j = and i64 %i, i64 63
  %k = mul i64 %j, i64 8
  %q = ptradd ptr @big, %k
  %p = load ptr %q
  store i32 1, %p
  store @g, %q`, "incomplete: the loop writes pointers")[0]) // with k 3 it takes half a minute
	add("inner loop", "", "  br in\nin:\n  %m = nondet i1 input \"m\"\n  condbr %m, work, next\nwork:\n  store i32 1, @g\n  br in\nnext:", "rejected: assertion")
	add("inner loop, elsewhere", "", "  br in\nin:\n  %m = nondet i1 input \"m\"\n  condbr %m, work, next\nwork:\n  store i32 1, @h\n  br in\nnext:", "ok")
	add("inner loop, undone", "", "  br in\nin:\n  %m = nondet i1 input \"m\"\n  condbr %m, work, next\nwork:\n  store i32 1, @g\n  br in\nnext:\n  store i32 0, @g", "ok")
	runInductionTests(t, tests)
}

// TestLives has objects whose lives begin or end in loops.
func TestLives(t *testing.T) {
	cleanup := Options{Targets: []ir.CheckKind{ir.InvalidDeref, ir.InvalidFree, ir.MemCleanup}}
	local := "  %a = alloca ptr i64 4 align 4"
	pointer := "  %a = alloca ptr i64 8 align 8"
	runInductionTests(t, []inductionTest{
		{"malloc and free", around("", "  %p = malloc ptr i64 4\n  store i32 1, %p\n  free %p"), cleanup, 2, nil, "ok"},
		{"malloc", around("", "  %p = malloc ptr i64 4\n  store i32 1, %p"), accesses, 1, nil, "incomplete: an object that is made in the loop lives on"},
		{"malloc, perhaps free", around("", "  %c = nondet i1 input \"c\"\n  %p = malloc ptr i64 4\n  condbr %c, yes, no\nyes:\n  free %p\n  br no\nno:"), accesses, 1, nil, "incomplete: an object that is made in the loop lives on"},
		{"malloc, use after free", around("", "  %p = malloc ptr i64 4\n  free %p\n  store i32 1, %p"), cleanup, 2, nil, "rejected: valid-deref"},
		{"leak before", around("  %p = malloc ptr i64 4", ""), cleanup, 1, nil, "rejected: valid-memcleanup"},
		{"free of an older block", around("  %p = malloc ptr i64 4", "  free %p"), accesses, 1, nil, "rejected: valid-free"},
		{"use of an older block that is freed", around("  %p = malloc ptr i64 4", "  store i32 1, %p\n  %c = nondet i1 input \"c\"\n  condbr %c, yes, no\nyes:\n  free %p\n  br no\nno:"), Options{Targets: []ir.CheckKind{ir.InvalidDeref}}, 1, nil, "rejected: valid-deref"},
		{"local", around(local, "  lifetimestart %a\n  store i32 1, %a\n  %x = load i32 %a\n  %ok = eq i1 %x, i32 1\n  check assertion %ok \"x\"\n  lifetimeend %a"), Options{Targets: []ir.CheckKind{ir.InvalidDeref, ir.Assertion}}, 1, nil, "ok"},
		{"local pointer", around(pointer, "  lifetimestart %a\n  store @h, %a\n  %x = load ptr %a\n  store i32 1, %x\n  lifetimeend %a"), Options{Targets: []ir.CheckKind{ir.InvalidDeref, ir.Assertion}}, 1, nil, "ok"},
		{"local, used too late", around(local, "  store i32 1, %a\n  lifetimeend %a"), accesses, 1, nil, "rejected: valid-deref"},
		{"local, used too late, k 4", around(local, "  store i32 1, %a\n  lifetimeend %a"), accesses, 4, nil, "rejected: valid-deref"},
		{"local, started only", around(local, "  lifetimestart %a\n  store i32 1, %a"), accesses, 1, nil, "ok"},
		{"local, kept from the round before", around(local+"\n  store i32 0, %a", "  %x = load i32 %a\n  %ok = eq i1 %x, i32 0\n  check assertion %ok \"x\"\n  lifetimestart %a"), assertions, 1, nil, "rejected: assertion: x"},
		{"local of a callee", strings.Replace(around("", "  call void @set(@h, i32 1)"), "  store %x, %p\n", "  %a = alloca ptr i64 4 align 4\n  store %x, %a\n  memcpy %p, %a, i64 4\n", 1), Options{Targets: []ir.CheckKind{ir.InvalidDeref, ir.Assertion}}, 2, nil, "ok"},
		{"array on the stack in the loop", around("", "  %t = stacksave ptr\n  %p = alloca ptr i64 4 align 4\n  store i32 1, %p\n  stackrestore %t"), accesses, 2, nil, "ok"},
		{"alloca in the loop", around("", "  %p = alloca ptr i64 4 align 4\n  store i32 1, %p"), accesses, 2, nil, "incomplete: an object that is made in the loop lives on"},
		{"end of the life of another's local", around(local, "  %c = nondet i1 input \"c\"\n  %p = select ptr %c, %a, @h\n  lifetimeend %p\n  store i32 1, %a"), accesses, 1, nil, "rejected: valid-deref"},
	})
}

// phases has a head with i counting from 0, stopping at 20, and what happens in
// the body and after it is up to the test.
func phases(body, after string) string {
	return `
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, latch]
  br body
body:
` + body + `
  br latch
latch:
  %big = eq i1 %i, i8 20
  %j0 = add i8 %i, i8 1
  %j = select i8 %big, i8 20, %j0
  %more = nondet i1 input "more"
  condbr %more, head, exit
exit:
` + after + `
  halt exit
`
}

func TestPlaces(t *testing.T) {
	at := func(n string) string {
		return "  %bad = ne i1 %i, i8 " + n + "\n  check assertion %bad \"at " + n + "\"\n"
	}
	again := func(text string) string { return strings.ReplaceAll(text, "%bad", "%bad2") }
	range20 := []claimed{"main head: phi0 <= 20"}
	both := Options{Targets: []ir.CheckKind{ir.Assertion}, All: true}
	var tests []inductionTest
	for _, o := range []Options{assertions, both} {
		for _, n := range []string{"0", "1", "3", "7", "20"} {
			for k, name := range map[int]string{1: " k 1", 3: " k 3", 5: " k 5"} {
				tests = append(tests,
					inductionTest{"in round " + n + name, phases(at(n), ""), o, k, range20, "rejected: assertion"},
					inductionTest{"after round " + n + name, phases("", at(n)), o, k, range20, "rejected: assertion"},
					inductionTest{"in the inner loop in round " + n + name, phases("  br in\nin:\n"+at(n)+"  %m = nondet i1 input \"m\"\n  condbr %m, in, out\nout:\n", ""), o, k, range20, "rejected: assertion"},
					inductionTest{"in the first round of the inner loop in round " + n + name, phases("  br in\nin:\n  %f = phi i8 [i8 0, body], [i8 1, in]\n  %s = select i8 %f0, i8 99, %i\n"+
						"  %bad = ne i1 %s, i8 "+n+"\n  check assertion %bad \"inner\"\n  %m = nondet i1 input \"m\"\n  condbr %m, in, out\nout:\n", ""), o, k, range20, "rejected: assertion"},
					inductionTest{"at another exit in round " + n + name, phases("  %is = eq i1 %i, i8 "+n+"\n  condbr %is, away, stay\naway:\n  check assertion i1 0 \"away\"\n  halt exit\nstay:\n", ""), o, k, range20, "rejected: assertion"},
					inductionTest{"then impossible in round " + n + name, phases(at(n)+"  assume %bad\n", ""), o, k, range20, "rejected: assertion"},
					inductionTest{"first impossible in round " + n + name, phases("  %not = ne i1 %i, i8 "+n+"\n  assume %not\n"+at(n), ""), o, k, range20, "ok"},
				)
			}
		}
		tests = append(tests,
			inductionTest{"in no round", phases(at("21"), again(at("21"))), o, 1, range20, "ok"},
			inductionTest{"in no round, k 5", phases(at("21"), again(at("21"))), o, 5, range20, "ok"},
			inductionTest{"assumed away with k 5", phases("  %never = ne i1 %i, i8 22\n  assume %never\n"+at("22"), ""), o, 5, nil, "ok"},
		)
	}
	for i := range tests {
		tests[i].text = strings.Replace(tests[i].text, "%s = select i8 %f0", "%f0 = eq i1 %f, i8 1\n  %s = select i8 %f0", 1)
	}
	runInductionTests(t, tests)
}

// late has an object that dies in round 5 and is used in round 9.
func late(before, dies, used string) string {
	text := phases("  %five = eq i1 %i, i8 5\n  condbr %five, dies, on\ndies:\n"+dies+"\n  br on\non:\n  %nine = eq i1 %i, i8 9\n  condbr %nine, used, off\nused:\n"+used+"\n  br off\noff:\n", "")
	return strings.Replace(text, "entry:\n", "entry:\n"+before+"\n", 1)
}

// heap and local make the object of a structure.
const heap, local = "  %p = malloc ptr i64 4", "  %p = alloca ptr i64 4 align 4"

// structureTests are programs, claims about them, and whether these are to be accepted.
var structureTests = []inductionTest{
	{"freed in round 5, used in round 9", late(heap, "  free %p", "  store i32 1, %p"), Options{Targets: []ir.CheckKind{ir.InvalidDeref}}, 1, nil, "rejected: valid-deref"},
	{"freed in round 5, and in round 9", late(heap, "  free %p", "  free %p"), accesses, 2, nil, "rejected: valid-free"},
	{"dead in round 5, used in round 9", late(local, "  lifetimeend %p", "  store i32 1, %p"), accesses, 1, nil, "rejected: valid-deref"},
	{"dead in round 5, started in round 9", late(local, "  lifetimeend %p", "  lifetimestart %p\n  store i32 1, %p"), accesses, 1, nil, "ok"},
	{"written in round 5, used in round 9", late(heap+"\n  store i32 0, %p", "  store i32 1, %p", "  %x = load i32 %p\n  %z = eq i1 %x, i32 0\n  check assertion %z \"x\""), assertions, 3, nil, "rejected: assertion"},
	{"two loops in sequence", `
entry:
  br one
one:
  %i = phi i8 [i8 0, entry], [%i2, one]
  %i2 = add i8 %i, i8 2
  %m = nondet i1 input "m"
  condbr %m, one, two
two:
  %j = phi i8 [%i, one], [%j2, two]
  %j2 = add i8 %j, i8 3
  %ok = ne i1 %j, i8 7
  check assertion %ok "j != 7"
  %n = nondet i1 input "n"
  condbr %n, two, exit
exit:
  halt exit
`, assertions, 2, []claimed{"main one: phi0 %2= 0", "main two: phi0 != 7"}, "rejected: "},
	{"two loops in sequence, right", `
entry:
  br one
one:
  %i = phi i8 [i8 0, entry], [%i2, one]
  %i2 = add i8 %i, i8 2
  %m = nondet i1 input "m"
  condbr %m, one, two
two:
  %j = phi i8 [%i, one], [%j2, two]
  %j2 = add i8 %j, i8 4
  %ok = ne i1 %j, i8 7
  check assertion %ok "j != 7"
  %n = nondet i1 input "n"
  condbr %n, two, exit
exit:
  halt exit
`, assertions, 2, []claimed{"main one: phi0 %2= 0", "main two: phi0 %2= 0"}, "ok"},
	{"two loops in sequence, only the second", `
entry:
  br one
one:
  %i = phi i8 [i8 0, entry], [%i2, one]
  %i2 = add i8 %i, i8 2
  %m = nondet i1 input "m"
  condbr %m, one, two
two:
  %j = phi i8 [%i, one], [%j2, two]
  %j2 = add i8 %j, i8 4
  %ok = ne i1 %j, i8 7
  check assertion %ok "j != 7"
  %n = nondet i1 input "n"
  condbr %n, two, exit
exit:
  halt exit
`, assertions, 2, []claimed{"main two: phi0 %2= 0"}, "rejected: invariant"},
	{"a value from before the loop in a predicate", `
entry:
  %n = nondet i8 input "n"
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, body]
  %more = ult i1 %i, %n
  condbr %more, body, exit
body:
  %j = add i8 %i, i8 1
  br head
exit:
  %ok = eq i1 %i, %n
  check assertion %ok "i == n"
  halt exit
`, assertions, 1, []claimed{"main head: phi0 - v1 <= 0"}, "ok"},
	{"k alone", `
entry:
  %n = nondet i8 input "n"
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, body]
  %more = ult i1 %i, %n
  condbr %more, body, exit
body:
  %j = add i8 %i, i8 1
  br head
exit:
  %ok = eq i1 %i, %n
  check assertion %ok "i == n"
  halt exit
`, assertions, 3, nil, "ok"},
	{"unreachable loop", `
entry:
  halt exit
head:
  %ok = eq i1 i8 1, i8 2
  check assertion %ok "never"
  br head
`, assertions, 1, nil, "ok"},
	{"a loop that no run enters", `
entry:
  %n = nondet i8 input "n"
  %no = ult i1 %n, i8 0
  condbr %no, head, exit
head:
  check assertion i1 0 "never"
  br head
exit:
  halt exit
`, assertions, 1, nil, "ok"},
	{"a loop with one round", `
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [i8 1, head]
  %again = eq i1 %i, i8 0
  %ok = ule i1 %i, i8 1
  check assertion %ok "i <= 1"
  condbr %again, head, exit
exit:
  %end = eq i1 %i, i8 1
  check assertion %end "i == 1"
  halt exit
`, assertions, 2, nil, "ok"},
	{"two edges into the head", `
entry:
  %c = nondet i1 input "c"
  condbr %c, head, head
head:
  %i = phi i8 [i8 0, entry], [i8 2, entry], [%j, head], [%k, head]
  %j = add i8 %i, i8 4
  %k = add i8 %i, i8 3
  %ok = ne i1 %i, i8 5
  check assertion %ok "i != 5"
  %d = nondet i1 input "d"
  condbr %d, head, head
`, assertions, 1, []claimed{"main head: phi0 %2= 0"}, "rejected: invariant"},
	{"entered twice", `
entry:
  %c = nondet i1 input "c"
  condbr %c, one, two
one:
  br two
two:
  condbr %c, one, exit
exit:
  halt exit
`, assertions, 1, nil, "incomplete: a loop with several entries"},
	{"entered twice, in no run", `
entry:
  %c = nondet i1 input "c"
  %no = xor i1 %c, %c
  condbr %no, next, exit
next:
  condbr %c, one, two
one:
  br two
two:
  condbr %c, one, exit
exit:
  halt exit
`, assertions, 1, nil, "ok"},
	{"recursion", fibonacci, assertions, 1, nil, "rejected: assertion: fib(21)"},
	{"pointer that moves", `
entry:
  br head
head:
  %p = phi ptr [@h, entry], [%q, head]
  store i8 1, %p
  %q = ptradd ptr %p, i64 1
  %x = load i32 @g
  %ok = eq i1 %x, i32 0
  check assertion %ok "g == 0"
  br head
`, assertions, 1, nil, "ok"},
	{"pointer that moves out of bounds", `
entry:
  br head
head:
  %p = phi ptr [@h, entry], [%q, head]
  store i8 1, %p
  %q = ptradd ptr %p, i64 1
  br head
`, accesses, 1, nil, "rejected: valid-deref"},
	{"pointer to another object", `
entry:
  br head
head:
  %p = phi ptr [@h, entry], [@g, head]
  store i8 1, %p
  %x = load i32 @g
  %ok = eq i1 %x, i32 0
  check assertion %ok "g == 0"
  br head
`, assertions, 3, nil, "rejected: assertion"},
	{"calls an unknown function in the third round", `module 64 entry @main
func @unknown()
func @main() {
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, next]
  %three = eq i1 %i, i8 3
  condbr %three, call, next
call:
  call void @unknown()
  br next
next:
  %j = add i8 %i, i8 1
  br head
}
`, assertions, 2, nil, "rejected: unknown is called"},
	{"exit in a callee in a loop, with a leak", `module 64 entry @main
func @leave(%i: i8) {
entry:
  %is = eq i1 %i, i8 5
  condbr %is, end, back
end:
  %p = malloc ptr i64 4
  halt exit
back:
  ret
}
func @main() {
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, head]
  call void @leave(%i)
  %j = add i8 %i, i8 1
  br head
}
`, Options{Targets: []ir.CheckKind{ir.MemCleanup}}, 7, nil, "rejected: valid-memcleanup"},
	{"loop in a callee, called in a loop", `module 64 entry @main
func @f(%n: i8) -> i8 {
entry:
  br head
head:
  %i = phi i8 [%n, entry], [%j, head]
  %j = add i8 %i, i8 2
  %m = nondet i1 input "m"
  condbr %m, head, exit
exit:
  ret %i
}
func @main() {
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, head]
  %j = call i8 @f(%i)
  %ok = ne i1 %j, i8 9
  check assertion %ok "even"
  br head
}
`, assertions, 1, []claimed{"main head: phi0 %2= 0", "f head: phi0 %2= 0"}, "ok"},
	{"loop in a callee, called from a second place", `module 64 entry @main
func @f(%n: i8) -> i8 {
entry:
  br head
head:
  %i = phi i8 [%n, entry], [%j, head]
  %j = add i8 %i, i8 2
  %m = nondet i1 input "m"
  condbr %m, head, exit
exit:
  ret %i
}
func @main() {
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, next]
  %j = call i8 @f(%i)
  %ok = ne i1 %j, i8 9
  check assertion %ok "even"
  %e = nondet i1 input "e"
  condbr %e, next, exit
next:
  br head
exit:
  %k = call i8 @f(i8 1)
  halt exit
}
`, assertions, 1, []claimed{"main head: phi0 %2= 0", "f head: phi0 %2= 0"}, "rejected: invariant"},
}

func TestStructures(t *testing.T) {
	runInductionTests(t, structureTests)
}

// TestExcluded has an excluded check that fails before one for which something
// is claimed: with All the run goes on.
func TestExcluded(t *testing.T) {
	text := "module 64 entry @main\n\nfunc @main() {\n" + `
entry:
  br head
head:
  %i = phi i8 [i8 0, entry], [%j, head]
  %small = ult i1 %i, i8 5
  check assertion %small "i < 5"
  %j = add i8 %i, i8 1
  %ok = ne i1 %i, i8 9
  check assertion %ok "i != 9"
  br head
` + "}\n"
	m := parse(t, text)
	instrs := m.Func("main").Blocks[2].Instrs
	first, second := Place{"main", instrs[2], ir.Assertion}, Place{"main", instrs[len(instrs)-2], ir.Assertion}
	for _, x := range []struct {
		all      bool
		excluded []Place
		k        int
		want     string
	}{
		{false, nil, 1, "rejected: assertion: i < 5"},
		{true, nil, 1, "rejected: assertion: i"},
		{false, []Place{first}, 1, "ok"},
		{true, []Place{first}, 1, "rejected: assertion: i != 9"},
		{true, []Place{first}, 12, "rejected: assertion: i != 9"},
		{true, []Place{first, second}, 1, "ok"},
		{true, []Place{second}, 3, "rejected: assertion: i < 5"},
	} {
		o := assertions
		o.All, o.Excluded = x.all, x.excluded
		if got := result(Induction(t.Context(), m, o, certificate(t, m, x.k, nil))); !strings.HasPrefix(got, x.want) {
			t.Errorf("all %v, %d excluded, k %d: %s, want %s", x.all, len(x.excluded), x.k, got, x.want)
		}
	}
}
