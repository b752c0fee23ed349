package interp

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// observe runs a program and lists its events in short: "x=5" for a Dbg,
// "!valid-deref" for a violation, the end of the run last.
func observe(t *testing.T, src string, opts Options) (string, Outcome) {
	t.Helper()
	m, err := ir.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	var log []string
	opts.Observe = func(e Event) {
		switch e.Kind {
		case Assign:
			log = append(log, fmt.Sprintf("%s=%s", e.Var.Name, e.Bits.Unsigned()))
		case Violation:
			log = append(log, "!"+e.Check.String())
		case LabelReached:
			log = append(log, e.Text)
		}
	}
	if opts.MaxSteps == 0 {
		opts.MaxSteps = 100000
	}
	out, err := Run(context.Background(), m, opts)
	if err != nil {
		t.Fatal(err)
	}
	log = append(log, out.End.String())
	return strings.Join(log, " "), out
}

// mainOf wraps the body of main; x, y, z can be observed.
func mainOf(body string) string {
	return `module 64 entry @main
global @g size 16 align 8 init "\x01\x02\x03\x04\x05\x06\x07\x08"
global @ro size 4 align 4 const init "abc"
global @ptrs size 24 align 8
  reloc 0 @g 8
  reloc 16 @f 0
declare @puts(%1: ptr) -> i32
func @f(%1: i32) -> i32 {
b1:
  %2 = add i32 %1, i32 1
  ret %2
}
func @main() {
  var "x" "long" 64
  var "y" "long" 64
  var "z" "long" 64
entry:
` + body + `
  halt abort
}
`
}

// memoryTests are programs and what is to be seen of their runs.
var memoryTests = []struct {
	name, body, want string
}{
	{"load", `
  %1 = load i32 @g
  dbg 0, %1
  %3 = ptradd ptr @g, i64 1
  %4 = load i24 %3
  dbg 0, %4
  %6 = load i64 @g
  dbg 0, %6
  %8 = load i128 @g
  dbg 0, %8`, "x=67305985 x=262914 x=578437695752307201 x=578437695752307201 aborted"},
	{"store odd widths", `
  store i1 1, @g
  %1 = load i8 @g
  dbg 0, %1
  store i12 4095, @g
  %3 = load i16 @g
  dbg 0, %3
  %5 = load i4 @g
  dbg 0, %5
  store i128 340282366920938463463374607431768211455, @g
  %7 = load i100 @g
  %8 = ctpop i100 %7
  dbg 0, %8`, "x=1 x=4095 x=15 x=100 aborted"},
	{"bounds", `
  %1 = ptradd ptr @g, i64 12
  %2 = load i32 %1
  dbg 0, %2
  %4 = ptradd ptr %1, i64 1
  %5 = load i32 %4
  store i32 9, %4
  %6 = ptradd ptr @g, i64 -1
  %7 = load i8 %6
  %8 = load i8 null
  store i8 1, null
  %9 = ptradd ptr @g, i64 16
  %10 = load i8 %9`, "x=0 !valid-deref !valid-deref !valid-deref !valid-deref !valid-deref !valid-deref aborted"},
	{"read only", `
  store i8 1, @ro
  memset @ro, i8 0, i64 1
  havoc @ro, i64 1
  memcpy @ro, @g, i64 1
  memcpy @ro, @g, i64 0
  %1 = load i8 @ro
  dbg 0, %1
  store i8 1, @f
  %2 = load i8 @f
  store i8 1, @puts`, "!valid-deref !valid-deref !valid-deref !valid-deref x=97 !valid-deref !valid-deref !valid-deref aborted"},
	{"heap", `
  %1 = malloc ptr i64 8
  store i64 77, %1
  %2 = load i64 %1
  dbg 0, %2
  %3 = isheapstart i1 %1
  dbg 0, %3
  %4 = ptradd ptr %1, i64 4
  free %4
  free null
  free @g
  free %1
  free %1
  %5 = isheapstart i1 %1
  dbg 0, %5
  %6 = load i64 %1
  %7 = eq i1 %1, %1
  dbg 0, %7
  %8 = objectsize i64 %4
  dbg 0, %8
  %9 = objectoffset i64 %4
  dbg 0, %9`, "x=77 x=1 !valid-free !valid-free !valid-free x=0 !valid-deref x=1 x=8 x=4 aborted"},
	{"sizes", `
  %1 = objectsize i64 @g
  dbg 0, %1
  %2 = objectsize i64 null
  dbg 0, %2
  %3 = inttoptr ptr i64 12345
  %4 = objectsize i64 %3
  dbg 0, %4
  %5 = objectoffset i64 %3
  dbg 0, %5
  %6 = validrange i1 @g, i64 16
  dbg 0, %6
  %7 = validrange i1 @g, i64 17
  dbg 0, %7
  %8 = validrange i1 null, i64 0
  dbg 0, %8
  %9 = validrange i1 @g, i64 -1
  dbg 0, %9
  %10 = sameobject i1 @g, @ro
  dbg 0, %10
  %11 = ptradd ptr @g, i64 1000
  %12 = sameobject i1 @g, %11
  dbg 0, %12
  %13 = validrange i1 @g, i128 18446744073709551617
  dbg 0, %13`, "x=16 x=0 x=0 x=12345 x=1 x=0 x=1 x=0 x=0 x=1 x=0 aborted"},
	{"initialised pointers", `
  %1 = load ptr @ptrs
  %2 = ptradd ptr @g, i64 8
  %3 = eq i1 %1, %2
  dbg 0, %3
  %4 = ptradd ptr @ptrs, i64 8
  %5 = load ptr %4
  %6 = eq i1 %5, null
  dbg 0, %6
  %7 = ptradd ptr @ptrs, i64 16
  %8 = load ptr %7
  %9 = call i32 %8(i32 41)
  dbg 0, %9`, "x=1 x=1 x=42 aborted"},
	{"pointer bytes are the address", `
  %1 = alloca ptr i64 8
  store @g, %1
  %2 = load i64 %1
  %3 = ptrtoint i64 @g
  %4 = eq i1 %2, %3
  dbg 0, %4
  %5 = inttoptr ptr %2
  %6 = load i8 %5
  dbg 0, %6
  store %3, %1
  %7 = load ptr %1
  %8 = sameobject i1 %7, @g
  dbg 0, %8`, "x=1 x=1 x=1 aborted"},
	// A pointer out of bounds keeps its object in memory; its address alone would
	// mean another one, or none.
	{"provenance", `
  %1 = alloca ptr i64 8
  %2 = ptradd ptr @g, i64 4096
  store %2, %1
  %3 = load ptr %1
  %4 = sameobject i1 %3, @g
  dbg 0, %4
  %5 = load i64 %1
  store %5, %1
  %6 = load ptr %1
  %7 = sameobject i1 %6, @g
  dbg 0, %7`, "x=1 x=0 aborted"},
	{"fragments", `
  %1 = alloca ptr i64 8
  %2 = alloca ptr i64 24
  %3 = ptradd ptr @g, i64 4096
  store %3, %1
  %a = ptradd ptr %2, i64 3
  memcpy %a, %1, i64 8
  %4 = load ptr %a
  %5 = sameobject i1 %4, @g
  dbg 0, %5
  %b = ptradd ptr %2, i64 16
  memcpy %b, %a, i64 4
  %c = ptradd ptr %b, i64 4
  %d = ptradd ptr %a, i64 4
  memcpy %c, %d, i64 4
  %6 = load ptr %b
  %7 = sameobject i1 %6, @g
  dbg 0, %7
  %e = load i8 %c
  store %e, %c
  %8 = load ptr %b
  %9 = sameobject i1 %8, @g
  dbg 0, %9
  memcpy %c, %a, i64 4
  %10 = load ptr %b
  %11 = sameobject i1 %10, @g
  dbg 0, %11`, "x=1 x=1 x=0 x=0 aborted"},
	{"fragments of two pointers", `
  %1 = alloca ptr i64 16
  %p = ptradd ptr @g, i64 4096
  %q = ptradd ptr @g, i64 8192
  store %p, %1
  %2 = ptradd ptr %1, i64 8
  store %q, %2
  %3 = ptradd ptr %1, i64 4
  %4 = ptradd ptr %2, i64 4
  memcpy %3, %4, i64 4
  %5 = load ptr %1
  %6 = sameobject i1 %5, @g
  dbg 0, %6
  %7 = load ptr %2
  %8 = eq i1 %7, %q
  dbg 0, %8`, "x=0 x=1 aborted"},
	{"overlapping copy", `
  %1 = alloca ptr i64 32
  %p = ptradd ptr @g, i64 4096
  store %p, %1
  %2 = ptradd ptr %1, i64 8
  store @ro, %2
  %3 = ptradd ptr %1, i64 4
  memcpy %3, %1, i64 16
  %4 = load ptr %3
  %5 = sameobject i1 %4, @g
  dbg 0, %5
  %6 = ptradd ptr %1, i64 12
  %7 = load ptr %6
  %8 = eq i1 %7, @ro
  dbg 0, %8
  memcpy %1, %3, i64 16
  %9 = load ptr %1
  %10 = eq i1 %9, %p
  dbg 0, %10
  %11 = load ptr %2
  %12 = load i8 %11
  dbg 0, %12`, "x=1 x=1 x=1 x=97 aborted"},
	{"memset clears pointers", `
  %1 = alloca ptr i64 8
  store @g, %1
  memset %1, i8 0, i64 8
  %2 = load ptr %1
  %3 = eq i1 %2, null
  dbg 0, %3
  memset %1, i8 255, i64 9
  memset %1, i8 7, i64 2
  %4 = load i32 %1
  dbg 0, %4`, "x=1 !valid-deref x=1799 aborted"},
	{"lifetime", `
  %1 = alloca ptr i64 4
  store i32 5, %1
  lifetimeend %1
  %2 = load i32 %1
  lifetimestart %1
  %3 = load i32 %1
  dbg 0, %3
  store i32 6, %1
  lifetimestart %1
  %4 = load i32 %1
  dbg 0, %4
  lifetimeend @g
  lifetimeend null
  %5 = load i8 @g
  dbg 0, %5
  lifetimeend %1
  lifetimeend %1
  store i32 1, %1`, "!valid-deref x=0 x=0 x=1 !valid-deref aborted"},
	{"stack save and restore", `
  %1 = alloca ptr i64 4
  %2 = stacksave ptr
  %3 = alloca ptr i64 4
  store i32 5, %3
  stackrestore %2
  %4 = load i32 %3
  store i32 6, %1
  %5 = load i32 %1
  dbg 0, %5
  %6 = alloca ptr i64 4
  %7 = sameobject i1 %3, %6
  dbg 0, %7
  stackrestore @g
  lifetimestart %3
  %8 = load i32 %3`, "!valid-deref x=6 x=0 !valid-deref aborted"},
	{"invalid copies", `
  memcpy @g, null, i64 4
  %1 = load i32 @g
  dbg 0, %1
  memcpy null, @g, i64 4
  memcpy null, null, i64 0
  memcpy @g, @g, i64 17`, "!valid-deref x=0 !valid-deref !valid-deref aborted"},
	{"null arithmetic", `
  %1 = ptradd ptr null, i64 8
  %2 = ptrtoint i64 %1
  dbg 0, %2
  %3 = ptradd ptr %1, i64 -8
  %4 = eq i1 %3, null
  dbg 0, %4
  free %3
  %5 = inttoptr ptr i8 200
  %6 = ptrtoint i8 %5
  dbg 0, %6
  %7 = ptrtoint i128 %5
  dbg 0, %7
  %8 = inttoptr ptr i128 18446744073709551620
  %9 = ptrtoint i64 %8
  dbg 0, %9`, "x=8 x=1 x=200 x=200 x=4 aborted"},
	{"one past the end", `
  %1 = ptradd ptr @g, i64 16
  %2 = ptrtoint i64 %1
  %3 = inttoptr ptr %2
  %4 = sameobject i1 %3, @g
  dbg 0, %4
  %5 = add i64 %2, i64 1
  %6 = inttoptr ptr %5
  %7 = sameobject i1 %6, @g
  dbg 0, %7
  %8 = ptrtoint i64 @f
  %9 = inttoptr ptr %8
  %10 = call i32 %9(i32 1)
  dbg 0, %10`, "x=0 x=0 x=2 aborted"},
	{"pointer comparisons", `
  %1 = ptradd ptr @g, i64 8
  %2 = ult i1 @g, %1
  dbg 0, %2
  %3 = ule i1 %1, @g
  dbg 0, %3
  %4 = ne i1 @g, @ro
  dbg 0, %4
  %5 = select ptr %4, %1, null
  %6 = load i8 %5
  dbg 0, %6`, "x=1 x=0 x=1 x=0 aborted"},
	{"leaks are not looked for", `
  %1 = malloc ptr i64 8`, "aborted"},
}

func TestMemory(t *testing.T) {
	for _, c := range memoryTests {
		t.Run(c.name, func(t *testing.T) {
			if got, _ := observe(t, mainOf(c.body), Options{}); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// value, content and object are choices of @main.
func value(v ir.Value, bits uint32, x uint64) ir.Choice {
	return ir.Choice{Func: "main", Value: v, Bits: bv.New(bits, x)}
}

func content(v ir.Value, b string) ir.Choice {
	return ir.Choice{Func: "main", Value: v, Bytes: []byte(b)}
}

func TestChoices(t *testing.T) {
	const body = `
  %1 = alloca ptr i64 4
  %2 = load i32 %1
  dbg 0, %2
  %3 = load i32 null
  dbg 0, %3
  %4 = udiv i32 %2, i32 0
  dbg 0, %4
  %h = havoc %1, i64 2
  %5 = load i32 %1
  dbg 0, %5
  havoc null, i64 2
  %6 = call i32 @puts(@ro)
  dbg 0, %6
  %7 = call i32 %1(i8 1)
  dbg 0, %7
  %8 = load ptr null
  %9 = load i8 %8
  dbg 0, %9
  %c = memcpy %1, null, i64 3
  %10 = load i32 %1
  dbg 0, %10
  %m = malloc ptr i64 3
  %11 = load i24 %m
  dbg 0, %11
  %l = lifetimestart %1
  %12 = load i32 %1
  dbg 0, %12`
	src := mainOf(body)
	m, err := ir.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	f := m.Func("main")
	find := func(op ir.Op) ir.Value {
		for v := range f.Values {
			if f.Values[v].Op == op {
				return ir.Value(v)
			}
		}
		t.Fatal(op)
		return 0
	}
	in := ir.Input{
		Globals: map[string]ir.GlobalChoice{"g": {Base: 0x5000}},
		Choices: []ir.Choice{
			content(1, "\x01\x02"), value(3, 32, 99), value(4, 32, 77), content(find(ir.Havoc), "\xff"), value(6, 32, 5), value(7, 32, 6),
			value(8, 64, 0x5003), content(find(ir.MemCpy), "\x09"), content(find(ir.Malloc), "\x08"), content(find(ir.LifetimeStart), "\x07"),
		},
	}
	want := "x=513 !valid-deref x=99 !div-by-zero x=77 x=255 !valid-deref x=5 !valid-deref x=6 !valid-deref x=4 !valid-deref x=9 x=8 x=7 aborted"
	if got, out := observe(t, src, Options{Oracle: Replay(in)}); got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, out)
	}
	short := in
	short.Choices = in.Choices[:3]
	if got, out := observe(t, src, Options{Oracle: Replay(short)}); !strings.HasSuffix(got, "x=77 out of choices") || out.Err != ErrOutOfChoices {
		t.Error(got, out)
	}
	wrong := in
	wrong.Choices = append([]ir.Choice{value(2, 32, 1)}, in.Choices...)
	if got, out := observe(t, src, Options{Oracle: Replay(wrong)}); got != "desynchronised" || out.Err == nil {
		t.Error(got, out)
	}
	wrong.Choices = []ir.Choice{content(1, "\x01\x02\x00\x00surplus")}
	if got, out := observe(t, src, Options{Oracle: Replay(wrong)}); got != "x=513 !valid-deref out of choices" {
		t.Error(got, out)
	}
	wrong.Choices = []ir.Choice{content(1, "1"), value(3, 16, 1)}
	if got, out := observe(t, src, Options{Oracle: Replay(wrong)}); !strings.HasSuffix(got, "desynchronised") {
		t.Error(got, out)
	}
}

func TestPrescribedAddresses(t *testing.T) {
	const body = `
  %1 = malloc ptr i64 16
  %2 = ptrtoint i64 %1
  dbg 0, %2
  free %1
  %4 = malloc ptr i64 16
  %5 = eq i1 %1, %4
  dbg 0, %5
  %6 = sameobject i1 %1, %4
  dbg 0, %6
  %7 = load i8 %1
  %8 = inttoptr ptr %2
  %9 = load i8 %8
  dbg 0, %9
  %10 = malloc ptr i64 16
  %11 = ptradd ptr %4, i64 16
  %12 = eq i1 %10, %11
  dbg 0, %12
  %13 = load i8 %11
  %14 = ptrtoint i64 %11
  %15 = inttoptr ptr %14
  %16 = load i8 %15
  dbg 0, %16`
	object := func(v ir.Value, b string, base uint64) ir.Choice {
		return ir.Choice{Func: "main", Value: v, Bytes: []byte(b), Base: base}
	}
	run := func(a, b, c uint64, g uint64) (string, Outcome) {
		return observe(t, mainOf(body), Options{Oracle: Replay(ir.Input{
			Globals: map[string]ir.GlobalChoice{"g": {Base: g}},
			Choices: []ir.Choice{object(1, "", a), object(4, "A", b), value(7, 8, 3), object(10, "B", c), value(13, 8, 0)},
		})})
	}
	// malloc, free, malloc at the same place; and a neighbour just behind it.
	want := "x=4096 x=1 x=0 !valid-deref x=65 x=1 !valid-deref x=66 aborted"
	if got, out := run(0x1000, 0x1000, 0x1010, 0); got != want {
		t.Errorf("got  %s\nwant %s\n%v", got, want, out)
	}
	for _, c := range []struct {
		a, b, c, g uint64
		msg        string
	}{
		{0x1000, 0x1000, 0x1008, 0, "not aligned"},
		{0x1000, 0x1000, 0x1000, 0, "overlaps"},
		{0x1000, 0x2000, 0x1ff0, 0, ""},
		{0x1000, 0, 0, 0x1008, "overlaps"},
		{0x1000, 0, 0, 0xff1, "not aligned"},
		{0xfffffffffffffff0, 0, 0, 0, ""},
		{0, 0xfffffffffffffff8, 0, 0, "not aligned"},
		{0x1000, 0x10000, 0x20000, 0x40000, ""},
	} {
		_, out := run(c.a, c.b, c.c, c.g)
		if c.msg == "" && out.End == Desynced && !strings.Contains(out.Text, "input decides") || c.msg != "" && !strings.Contains(out.Text, c.msg) {
			t.Errorf("%x: %v", c, out)
		}
	}
}

// TestReservedAddresses checks that objects whose address is free stay out of
// the way of prescribed ones, wherever those are.
func TestReservedAddresses(t *testing.T) {
	var src strings.Builder
	src.WriteString("module 32 entry @main\nfunc @main() {\nentry:\n")
	var in ir.Input
	for i := 1; i <= 40; i++ {
		size := 1 << (i % 20)
		fmt.Fprintf(&src, "  %%%d = malloc ptr i32 %d\n", i, size)
		base := uint64(0)
		if i%3 == 0 {
			base = uint64(i) * 0x05000000 // some in each part of the address space
		}
		in.Choices = append(in.Choices, ir.Choice{Func: "main", Value: ir.Value(i), Base: base})
	}
	src.WriteString("  halt abort\n}\n")
	if got, out := observe(t, src.String(), Options{Oracle: Replay(in)}); got != "aborted" {
		t.Error(got, out)
	}
}

// TestReservedBelow prescribes a base below all that the allocator uses, of an object that reaches into it: functions, and other objects whose
// address is free, lie elsewhere.
func TestReservedBelow(t *testing.T) {
	src := `module 64 entry @main
func @called() {
entry:
  ret
}
func @main() {
entry:
  %1 = malloc ptr i64 8
  %2 = malloc ptr i64 1048576
  call void @called()
  halt abort
}
`
	in := ir.Input{Choices: []ir.Choice{{Func: "main", Value: 1}, {Func: "main", Value: 2, Base: 0x30}}}
	if got, out := observe(t, src, Options{Oracle: Replay(in)}); got != "aborted" {
		t.Error(got, out)
	}
}

// TestAddressReuse fills a 32-bit address space several times over, with few
// bytes that are aligned much.
func TestAddressReuse(t *testing.T) {
	got, out := observe(t, `module 32 entry @main
global @keep size 4 align 4
func @main() {
entry:
  br loop
loop:
  %i = phi i32 [i32 0, entry], [%i2, loop]
  %t = stacksave ptr
  %p = alloca ptr i32 4 align 268435456
  store %p, @keep
  %a = ptrtoint i32 %p
  %q = inttoptr ptr %a
  %same = sameobject i1 %p, %q
  check assertion %same ""
  stackrestore %t
  %i2 = add i32 %i, i32 1
  %c = ult i1 %i2, i32 60
  condbr %c, loop, exit
exit:
  halt exit
}
`, Options{})
	if got != "halted" {
		t.Error(got, out)
	}
}

func TestLimits(t *testing.T) {
	for _, c := range []struct {
		body string
		opts Options
		want End
	}{
		{"  %1 = malloc ptr i64 4000000000", Options{}, MemoryLimit},
		{"  %1 = malloc ptr i64 1000", Options{MaxMemory: 1000}, MemoryLimit}, // the globals count too
		{"  %1 = malloc ptr i64 9223372036854775807", Options{MaxMemory: 1 << 63}, MemoryLimit},
		{"  br l\nl:\n  br k\nk:\n  br l\nx:", Options{MaxSteps: 1000}, StepLimit},
		{"  unsupported \"x87\"\nx:", Options{}, UnsupportedReached},
		{"  unreachable\nx:", Options{}, UnreachableReached},
		{"  assume i1 0", Options{}, AssumeFailed},
		{"  check assertion i1 0 \"\"", Options{StopAt: func(e Event) bool { return e.Check == ir.Assertion }}, Stopped},
	} {
		if _, out := observe(t, mainOf(c.body), c.opts); out.End != c.want {
			t.Errorf("%s: %v", c.body, out)
		}
	}
}

func TestExternalGlobalsAndState(t *testing.T) {
	src := `module 64 entry @main
global @e size 4 align 4 external
global @c size 4 align 4 const external
func @main() {
  var "x" "int" 32
b1:
  %1 = load i32 @e
  dbg 0, %1
  store i32 5, @c
  %2 = alloca ptr i64 4
  store i32 9, %2
  lifetimeend %2
  lifetimestart %2
  %3 = load i32 %2
  dbg 0, %3
  halt abort
}
`
	m, err := ir.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	var p, start ir.Value
	for v, d := range m.Funcs[0].Values {
		switch d.Op {
		case ir.Alloca:
			p = ir.Value(v)
		case ir.LifetimeStart:
			start = ir.Value(v)
		}
	}
	in := ir.Input{
		Globals: map[string]ir.GlobalChoice{"e": {Bytes: []byte{1, 2, 3, 4, 5}, Base: 0x1000}, "c": {Bytes: []byte("abcd")}},
		Choices: []ir.Choice{{Func: "main", Value: p, Base: 0x2000}, {Func: "main", Value: start, Base: 0x2000, Bytes: []byte{8}}},
	}
	rec := NewRecorder(Replay(in))
	var log []string
	out, err := Run(context.Background(), m, Options{Oracle: rec, Observe: func(e Event) {
		if e.Kind != Assign {
			return
		}
		b, ok := e.State.Memory(0x1000, 4)
		_, beyond := e.State.Memory(0x1001, 4)
		_, none := e.State.Memory(0x9000, 1)
		log = append(log, fmt.Sprint(e.Bits, b, ok, beyond, none))
	}})
	if err != nil || out.End != Aborted {
		t.Fatal(out, err)
	}
	if got, want := strings.Join(log, "; "), "67305985:32 [1 2 3 4] true false false; 8:32 [1 2 3 4] true false false"; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if r := rec.Input(); len(r.Globals) != 2 || len(r.Choices) != 2 {
		t.Error(r)
	}
	in.Choices[1].Base = 0x3000
	if _, out := observe(t, src, Options{Oracle: Replay(in)}); out.End != Desynced || !strings.Contains(out.Text, "cannot move") {
		t.Error(out)
	}
}

// TestRevivalClash lets another object take the place of a sleeping one.
func TestRevivalClash(t *testing.T) {
	src := `module 64 entry @main
func @main() {
b1:
  %1 = alloca ptr i64 4
  lifetimeend %1
  %3 = malloc ptr i64 4
  lifetimestart %1
  halt abort
}
`
	object := func(v ir.Value) ir.Choice { return ir.Choice{Func: "main", Value: v, Base: 0x1000} }
	in := ir.Input{Choices: []ir.Choice{object(2), object(3), content(5, "")}}
	m, err := ir.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	for i, op := range []ir.Op{ir.Alloca, ir.Malloc, ir.LifetimeStart} {
		for v, d := range m.Funcs[0].Values {
			if d.Op == op {
				in.Choices[i].Value = ir.Value(v)
			}
		}
	}
	if _, out := observe(t, src, Options{Oracle: Replay(in)}); out.End != Desynced || !strings.Contains(out.Text, "overlaps") {
		t.Error(out)
	}
	in.Choices[1].Base = 0x2000
	if _, out := observe(t, src, Options{Oracle: Replay(in)}); out.End != Aborted {
		t.Error(out)
	}
}
