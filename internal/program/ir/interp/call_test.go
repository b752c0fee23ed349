package interp

import (
	"context"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// callTests are programs and what is to be seen of their runs.
var callTests = []struct{ name, src, want string }{
	{"recursion", `module 64 entry @main
func @fib(%n: i32) -> i32 {
  var "n" "int" 32
b1:
  %c = ult i1 %n, i32 2
  condbr %c, base, rec
base:
  ret %n
rec:
  %a = sub i32 %n, i32 1
  %x = call i32 @fib(%a)
  %b = sub i32 %n, i32 2
  %y = call i32 @fib(%b)
  %s = add i32 %x, %y
  ret %s
}
func @main() {
  var "x" "int" 32
b1:
  %1 = call i32 @fib(i32 15)
  dbg 0, %1
  ret
}
`, "x=610 returned"},
	{"several results", `module 64 entry @main
func @divmod(%a: i32, %p: ptr, %w: i128) -> i128, ptr, i32, f64 {
b1:
  %2 = udiv i32 %a, i32 10
  %3 = urem i32 %a, i32 10
  %4 = zext i128 %2
  %5 = add i128 %4, %w
  ret %5, %p, %3, f64 2.5
}
global @g size 4 align 4 init "\x09"
func @main() {
  var "x" "int" 32
b1:
  %1 = call i128 @divmod(i32 1234, @g, i128 18446744073709551616)
  %2 = extract ptr %1, 1
  %3 = extract i32 %1, 2
  %4 = extract i32 %1, 2
  %5 = extract f64 %1, 3
  dbg 0, %1
  %6 = load i8 %2
  dbg 0, %6
  dbg 0, %3
  dbg 0, %4
  dbg 0, %5
  %7 = call i128 @divmod(i32 5, null, i128 0)
  dbg 0, %7
  ret
}
`, "x=18446744073709551739 x=9 x=4 x=4 x=4612811918334230528 x=0 returned"},
	{"indirect", `module 64 entry @main
declare @ext(%1: i32) -> i32, i32
func @f(%1: i32) -> i32, i32 {
b1:
  ret %1, i32 7
}
func @v() {
b1:
  ret
}
func @main() {
  var "x" "int" 32
b1:
  %1 = call i32 @f(i32 3)
  %2 = call i32 @v2(@f)
  %3 = call i32 @v2(@v)
  %4 = call i32 @v2(@ext)
  %p = ptradd ptr @f, i64 1
  %5 = call i32 @v2(%p)
  call void (@f)(i32 1)
  call void (@v)()
  ret
}
func @v2(%p: ptr) -> i32 {
  var "x" "int" 32
b1:
  %1 = call i32 %p(i32 5)
  dbg 0, %1
  %2 = extract i32 %1, 1
  dbg 0, %2
  ret %1
}
`, "x=5 x=7 !incompatible-call x=0 x=0 x=0 x=0 !valid-deref x=0 x=0 !incompatible-call returned"},
	{"variadic", `module 64 entry @main
func @sum(%n: i32, ...) -> i64 {
  var "x" "int" 32
b1:
  %l = alloca ptr i64 24 align 8
  vastart %l
  %gp = load i32 %l
  dbg 0, %gp
  %l4 = ptradd ptr %l, i64 4
  %fp = load i32 %l4
  dbg 0, %fp
  %l8 = ptradd ptr %l, i64 8
  %area = load ptr %l8
  %l16 = ptradd ptr %l, i64 16
  %save = load ptr %l16
  dbg 0, %save
  %size = objectsize i64 %area
  dbg 0, %size
  %1 = load i64 %area
  dbg 0, %1
  %p2 = ptradd ptr %area, i64 8
  %2 = load f64 %p2
  dbg 0, %2
  %p3 = ptradd ptr %area, i64 16
  %3 = load i128 %p3
  dbg 0, %3
  %p4 = ptradd ptr %area, i64 32
  %4 = load ptr %p4
  %5 = load i8 %4
  dbg 0, %5
  vastart null
  ret %1
}
func @main() {
b1:
  %a = alloca ptr i64 1
  store i8 44, %a
  %1 = call i64 @sum(i32 4, i32 4294967295, f64 2.0, i128 3, %a)
  %2 = call i64 @sum(i32 0, i32 1, f64 0.0, i128 0, %a)
  ret
}
`, "x=48 x=176 x=0 x=40 x=4294967295 x=4611686018427387904 x=3 x=44 !valid-deref" +
		" x=48 x=176 x=0 x=40 x=1 x=0 x=0 x=44 !valid-deref returned"},
	{"variadic on 32 bits", `module 32 entry @main
func @sum(...) {
  var "x" "int" 32
b1:
  %l = alloca ptr i32 4 align 4
  vastart %l
  %area = load ptr %l
  %size = objectsize i32 %area
  dbg 0, %size
  %1 = load i8 %area
  dbg 0, %1
  %p2 = ptradd ptr %area, i32 4
  %2 = load i64 %p2
  dbg 0, %2
  %p3 = ptradd ptr %area, i32 12
  %3 = load ptr %p3
  %4 = eq i1 %3, @sum
  dbg 0, %4
  ret
}
func @main() {
b1:
  call void @sum(i8 5, i64 77, @sum)
  ret
}
`, "x=16 x=5 x=77 x=1 returned"},
	{"stack objects die on return", `module 64 entry @main
global @keep size 8 align 8
func @local(%n: i32) -> ptr {
  var "x" "int" 32
b1:
  %1 = alloca ptr i64 4
  store %n, %1
  %c = eq i1 %n, i32 0
  condbr %c, out, more
more:
  %m = sub i32 %n, i32 1
  %2 = call ptr @local(%m)
  %3 = load i32 %1
  dbg 0, %3
  %4 = load i32 %2
  ret %1
out:
  store %1, @keep
  ret %1
}
func @quiet() {
b1:
  %1 = alloca ptr i64 4
  store i32 1, %1
  ret
}
func @main() {
  var "x" "int" 32
b1:
  %1 = call ptr @local(i32 2)
  call void @quiet()
  %2 = load i32 %1
  %3 = load ptr @keep
  %4 = sameobject i1 %1, %3
  dbg 0, %4
  %5 = load i32 %3
  %a = alloca ptr i64 4
  %6 = sameobject i1 %a, %1
  dbg 0, %6
  ret
}
`, "x=1 !valid-deref x=2 !valid-deref !valid-deref x=0 !valid-deref x=0 returned"},
	{"phi cycles", `module 64 entry @main
global @a size 1
global @b size 1
func @main() {
  var "x" "int" 32
b1:
  br loop
loop:
  %i = phi i32 [i32 0, b1], [%i2, loop]
  %x = phi i32 [i32 1, b1], [%y, loop]
  %y = phi i32 [i32 2, b1], [%z, loop]
  %z = phi i32 [i32 3, b1], [%x, loop]
  %k = phi i32 [i32 9, b1], [%x, loop]
  %p = phi ptr [@a, b1], [%q, loop]
  %q = phi ptr [@b, b1], [%p, loop]
  %w = phi i128 [i128 5, b1], [%v, loop]
  %v = phi i128 [i128 6, b1], [%w, loop]
  dbg 0, %x
  dbg 0, %y
  dbg 0, %z
  dbg 0, %k
  %e = eq i1 %p, @a
  dbg 0, %e
  dbg 0, %w
  dbg 0, %v
  %i2 = add i32 %i, i32 1
  %c = ult i1 %i2, i32 2
  condbr %c, loop, out
out:
  ret
}
`, "x=1 x=2 x=3 x=9 x=1 x=5 x=6 x=2 x=3 x=1 x=1 x=0 x=6 x=5 returned"},
	{"switch", `module 64 entry @main
func @s(%n: i32, %w: i72) {
  var "x" "int" 32
b1:
  switch %n, other, 5: five, 7: seven, 6: six, 4294967295: minus
five:
  dbg 0, i32 5
  br out
six:
  dbg 0, i32 6
  br out
seven:
  dbg 0, i32 7
  br out
minus:
  dbg 0, i32 1
  br out
other:
  dbg 0, i32 0
  switch %w, out, 9: five, 4722366482869645213695: minus
out:
  %p = phi i32 [i32 5, five], [i32 6, six], [i32 7, seven], [i32 8, minus], [i32 9, other]
  dbg 0, %p
  switch %n, end
end:
  ret
}
func @main() {
b1:
  call void @s(i32 5, i72 0)
  call void @s(i32 6, i72 0)
  call void @s(i32 4294967295, i72 0)
  call void @s(i32 8, i72 9)
  call void @s(i32 1, i72 4722366482869645213695)
  call void @s(i32 1, i72 1)
  ret
}
`, "x=5 x=5 x=6 x=6 x=1 x=8 x=0 x=5 x=5 x=0 x=1 x=8 x=0 x=9 returned"},
	{"labels and several edges", `module 64 entry @main
func @main() {
  var "x" "int" 32
b1:
  label "ERROR"
  condbr i1 1, b2, b2
b2:
  %1 = phi i32 [i32 4, b1], [i32 5, b1]
  dbg 0, %1
  dbg 0
  switch %1, b3, 4: b3
b3:
  %2 = phi i32 [i32 4, b2], [i32 5, b2]
  dbg 0, %2
  halt exit
}
`, "ERROR x=4 x=0 x=5 halted"},
	{"leaks", `module 64 entry @main
global @keep size 24 align 8
func @f() -> ptr {
b1:
  %1 = malloc ptr i64 5
  %2 = malloc ptr i64 16
  ret %2
}
func @g() {
b1:
  %1 = call ptr @f()
  %2 = ptradd ptr @keep, i64 9
  store %1, %2
  %3 = malloc ptr i64 7
  %4 = ptradd ptr %3, i64 99
  %5 = ptradd ptr %1, i64 8
  store %4, %5
  ret
}
func @main() {
b1:
  call void @g()
  %1 = malloc ptr i64 1
  halt exit
}
`, "!valid-memtrack !valid-memcleanup !valid-memcleanup !valid-memcleanup !valid-memcleanup halted"},
}

func TestCalls(t *testing.T) {
	for _, c := range callTests {
		t.Run(c.name, func(t *testing.T) {
			if got, out := observe(t, c.src, Options{}); got != c.want {
				t.Errorf("got  %s\nwant %s\n%v", got, c.want, out)
			}
		})
	}
}

const deepRecursion = `module 64 entry @main
func @f(%n: i32) -> i32 {
b1:
  %a = alloca ptr i64 64
  store %n, %a
  %c = eq i1 %n, i32 0
  condbr %c, out, more
more:
  %m = sub i32 %n, i32 1
  %r = call i32 @f(%m)
  %x = load i32 %a
  %s = add i32 %r, %x
  ret %s
out:
  ret i32 0
}
func @main() {
  var "x" "int" 32
b1:
  %1 = call i32 @f(i32 100000)
  dbg 0, %1
  ret
}
`

func TestDeepRecursion(t *testing.T) {
	if got, out := observe(t, deepRecursion, Options{MaxSteps: 1 << 40}); got != "x=705082704 returned" {
		t.Error(got, out)
	}
	if got, out := observe(t, deepRecursion, Options{MaxSteps: 1 << 40, MaxFrames: 1000}); got != "stack limit" {
		t.Error(got, out)
	}
}

// TestStackMemoryIsReclaimed runs calls whose frames would need gigabytes if
// the table of objects were not popped.
func TestStackMemoryIsReclaimed(t *testing.T) {
	m, err := ir.Parse(`module 64 entry @main
func @f(%n: i32) -> i32 {
b1:
  %a = alloca ptr i64 64 align 8
  %b = alloca ptr i64 8 align 8
  lifetimestart %a
  store %n, %a
  %x = load i32 %a
  lifetimeend %a
  ret %x
}
func @main() {
b1:
  br loop
loop:
  %i = phi i32 [i32 0, b1], [%r, loop]
  %j = add i32 %i, i32 1
  %r = call i32 @f(%j)
  %c = ult i1 %r, i32 100000
  condbr %c, loop, out
out:
  halt abort
}
`)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Compile(m)
	if err != nil {
		t.Fatal(err)
	}
	mach := &machine{p: p, oracle: Zero{}, ctx: context.Background(), opts: Options{MaxFrames: 10, MaxMemory: 1 << 20}, ready: make([][]uint64, 2)}
	if mach.setup() && mach.enter(p.entry, nil, nil) && mach.poll() {
		mach.loop()
	}
	if mach.out.End != Aborted || len(mach.mem.objects) > 10 || len(mach.mem.space.byBase) > 10 {
		t.Errorf("%v with %d objects", mach.out, len(mach.mem.objects))
	}
}

func TestEvents(t *testing.T) {
	m, err := ir.Parse(strings.Replace(deepRecursion, "100000", "2", 1))
	if err != nil {
		t.Fatal(err)
	}
	var kinds []string
	last := int64(-1)
	_, err = Run(context.Background(), m, Options{Blocks: true, Observe: func(e Event) {
		kinds = append(kinds, e.Kind.String())
		if e.Step < last {
			t.Errorf("%s at step %d after %d", e.Kind, e.Step, last)
		}
		last = e.Step
		if e.Kind == Enter && e.Func.Name == "f" {
			if n := e.State.Value(e.Func.Params[0]); !n.Equal(bv.New(32, uint64(4-e.Depth))) {
				t.Errorf("n = %v at depth %d", n, e.Depth)
			}
		}
		if e.Kind == Leave && e.Func.Name == "f" && e.Depth == 2 && e.Bits.Uint64() != 3 {
			t.Errorf("f returns %v", e.Bits)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	want := "enter block enter block choice block enter block choice block enter block choice block leave leave leave assign leave"
	if got := strings.Join(kinds, " "); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOutput(t *testing.T) {
	var out strings.Builder
	got, _ := observe(t, `module 64 entry @main
global @s size 40 const init "%s: %d %5u|%-4x|%lX%%%c %llu %hhd %f\n"
global @hello size 6 const init "hello"
declare @printf(%1: ptr, ...) -> i32
declare @puts(%1: ptr) -> i32
declare @putchar(%1: i32) -> i32
func @main() {
b1:
  %1 = call i32 @printf(@s, @hello, i32 -5, i32 42, i32 255, i64 -1, i32 65, i64 -1, i32 255, f64 1.5)
  %2 = call i32 @puts(@hello)
  %3 = call i32 @putchar(i32 33)
  halt exit
}
`, Options{Output: &out})
	want := "hello: -5    42|ff  |FFFFFFFFFFFFFFFF%A 18446744073709551615 -1 1.500000\nhello\n!"
	if got != "halted" || out.String() != want {
		t.Errorf("%s\ngot  %q\nwant %q", got, out.String(), want)
	}
}

func TestContext(t *testing.T) {
	m, err := ir.Parse("module 64 entry @main\nfunc @main() {\nb1:\n  br l\nl:\n  br l\n}\n")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := Run(ctx, m, Options{}); err != context.Canceled {
		t.Error(err)
	}
	if _, err := Run(context.Background(), &ir.Module{}, Options{}); err == nil {
		t.Error("no error for a module without entry")
	}
}

// TestStopAtLeak stops at an event whose instruction is of another function
// than the one that ends the program, with a number that the latter has not.
func TestStopAtLeak(t *testing.T) {
	_, out := observe(t, `module 64 entry @main
func @f() {
b1:
  %1 = alloca ptr i64 8
  %2 = alloca ptr i64 8
  %99 = malloc ptr i64 5 !0:7:1
  ret
}
func @main() {
b1:
  call void @f()
  halt exit
}
`, Options{StopAt: func(e Event) bool { return e.Check == ir.MemTrack }})
	if out.End != Stopped || out.Func.Name != "f" || out.Pos.Line != 7 || out.Event.Check != ir.MemTrack {
		t.Error(out)
	}
}
