package interp

import (
	"context"
	"fmt"
	"math/rand/v2"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"assay/internal/logic/bv"
	"assay/internal/program/ir"
)

// repeatsOf runs a program that looks for repeated states.
func repeatsOf(t *testing.T, src string, oracle Oracle) string {
	t.Helper()
	m, err := ir.Parse(src)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.Verify(m); err != nil {
		t.Fatal(err)
	}
	return repeatsIn(t, m, oracle, false)
}

// repeatsIn is repeatsOf for a module, perhaps with registers that need not come back.
func repeatsIn(t *testing.T, m *ir.Module, oracle Oracle, idle bool) string {
	t.Helper()
	recorder := NewRecorder(oracle)
	out, err := Run(context.Background(), m, Options{Oracle: recorder, Repeats: true, Idle: idle, MaxSteps: 100000})
	if err != nil {
		t.Fatal(err)
	}
	if out.End != Repeats {
		return out.End.String()
	}
	in := recorder.Input()
	again, err := Run(context.Background(), m, Options{Oracle: Replay(in), Repeats: true, Idle: idle, Observe: func(Event) {}})
	if err != nil || again.End != Repeats || !idle && *again.Repetition != *out.Repetition {
		t.Errorf("the replay ends with %v %v: %+v, not %+v", again, err, again.Repetition, out.Repetition)
	}
	// The decisions of the cycle, made again and again, lead nowhere else.
	r := out.Repetition
	if r.Last > len(in.Choices) || r.First > r.Last || r.FirstStep >= r.LastStep {
		t.Fatalf("wrong cycle %+v of %d choices", *r, len(in.Choices))
	}
	cycle := in.Choices[r.First:r.Last]
	for range 50 {
		for _, c := range cycle {
			if r.Recursion { // its objects are new ones
				c.Base = 0
			}
			in.Choices = append(in.Choices, c)
		}
	}
	limit := r.LastStep + 40*(r.LastStep-r.FirstStep)
	long, err := Run(context.Background(), m, Options{Oracle: Replay(in), MaxSteps: limit})
	if err != nil || long.End != StepLimit {
		t.Errorf("the decisions of the cycle lead to %v %v", long, err)
	}
	if r.Recursion {
		return fmt.Sprint("recursion ", r.Func.Name, " ", r.Visits)
	}
	return fmt.Sprint("lasso ", r.Func.Name, " ", r.Visits)
}

// repeatLoop is a program with a loop.
func repeatLoop(phis, body string) string {
	return `module 64 entry @main
global @g size 4 align 4
global @p size 8 align 8
func @main() {
b1:
  %buf = alloca ptr i64 4 align 4
  br h
h:
` + phis + body + `
out:
  ret
}
`
}

// repeatTests are programs and whether their runs come back to a state.
var repeatTests = []struct{ name, src, want string }{
	{"empty", repeatLoop("", "  br h"), "lasso main 1"},
	{"ends", repeatLoop("  %x = phi i8 [i8 0, b1], [%y, h]\n", "  %y = add i8 %x, i8 3\n  %c = ne i1 %y, i8 0\n  condbr %c, h, out"), "returned"},
	{"never hits", repeatLoop("  %x = phi i8 [i8 1, b1], [%y, h]\n", "  %y = add i8 %x, i8 2\n  %c = ne i1 %y, i8 0\n  condbr %c, h, out"), "lasso main 128"},
	{"stem", repeatLoop("  %x = phi i8 [i8 0, b1], [%y, h]\n", "  %d = ult i1 %x, i8 9\n  %z = zext i8 %d\n  %y = add i8 %x, %z\n  br h"), "lasso main 1"},
	{"memory counts", repeatLoop("", "  %x = load i32 @g\n  %y = add i32 %x, i32 1\n  store %y, @g\n  br h"), "step limit"},
	{"memory comes back", repeatLoop("", "  %x = load i32 @g\n  %y = xor i32 %x, i32 1\n  store %y, @g\n  br h"), "lasso main 2"},
	{"stack memory", repeatLoop("", "  %x = load i8 %buf\n  %y = xor i8 %x, i8 5\n  store %y, %buf\n  br h"), "lasso main 2"},
	{"large memory", repeatLoop("", "  %m = alloca ptr i64 2097152 align 4\n  br k\nk:\n  br k"), "lasso main 1"},
	{"assume blocks", repeatLoop("  %x = phi i32 [i32 0, b1], [%y, h]\n", "  %y = add i32 %x, i32 1\n  %c = ult i1 %x, i32 10\n  assume %c\n  br h"), "assumption failed"},
	{"made and freed", repeatLoop("", "  %m = malloc ptr i64 8\n  store %m, @p\n  %q = load ptr @p\n  store i32 1, %q\n  free %q\n  br h"), "lasso main 1"},
	{"leak", repeatLoop("", "  %m = malloc ptr i64 8\n  store %m, @p\n  br h"), "step limit"},
	{"dangling pointers differ", repeatLoop("  %o = phi ptr [null, b1], [%m, h]\n  %x = phi i32 [i32 0, b1], [%y, h]\n",
		"  %m = malloc ptr i64 8\n  free %m\n  %y = add i32 %x, i32 1\n  br h"), "step limit"},
	{"exchanged", repeatLoop("  %a = phi ptr [@g, b1], [%b, h]\n  %b = phi ptr [@p, b1], [%a, h]\n", "  br h"), "lasso main 2"},
	{"float stops", repeatLoop("  %x = phi f32 [f32 16777210, b1], [%y, h]\n", "  %y = fadd f32 %x, f32 1\n  br h"), "lasso main 1"},
	{"nested", `module 64 entry @main
func @main() {
b1:
  br o
o:
  %s = phi i8 [i8 0, b1], [%t, latch]
  br i
i:
  %x = phi i8 [i8 0, o], [%y, i]
  %y = add i8 %x, i8 1
  %c = ult i1 %y, i8 5
  condbr %c, i, latch
latch:
  %t = xor i8 %s, i8 1
  br o
}
`, "lasso main "},
	{"queue", `module 64 entry @main
func @main() {
b1:
  %first = malloc ptr i64 16
  br h
h:
  %head = phi ptr [%first, b1], [%new, h]
  %new = malloc ptr i64 16
  store %new, %head
  %next = load ptr %head
  free %head
  br h
}
`, "lasso main 2"},
	{"calls with escaped locals", `module 64 entry @main
global @p size 8 align 8
func @f(%x: i32) -> i32 {
b1:
  %a = alloca ptr i64 4 align 4
  store %a, @p
  store %x, %a
  %y = load i32 %a
  ret %y
}
func @main() {
b1:
  br h
h:
  %x = call i32 @f(i32 5)
  br h
}
`, "lasso main 1"},
	{"endless recursion", `module 64 entry @main
func @f(%x: i32) -> i32 {
b1:
  %n = nondet i32 input "i"
  %y = xor i32 %x, i32 1
  %r = call i32 @f(%y)
  ret %r
}
func @main() {
b1:
  %x = call i32 @f(i32 5)
  ret
}
`, "recursion f 2"},
	{"recursion that counts", `module 64 entry @main
func @f(%x: i32) -> i32 {
b1:
  %c = eq i1 %x, i32 0
  condbr %c, end, on
on:
  %y = sub i32 %x, i32 1
  %r = call i32 @f(%y)
  %q = call i32 @f(i32 0)
  ret %r
end:
  ret %x
}
func @main() {
b1:
  %x = call i32 @f(i32 50)
  ret
}
`, "returned"},
	{"recursion that counts in memory", `module 64 entry @main
global @g size 4 align 4
func @f() {
b1:
  %x = load i32 @g
  %c = eq i1 %x, i32 9
  condbr %c, end, on
on:
  %y = add i32 %x, i32 1
  store %y, @g
  call void @f()
  ret
end:
  ret
}
func @main() {
b1:
  call void @f()
  ret
}
`, "returned"},
	{"recursion over its own locals", `module 64 entry @main
func @f(%p: ptr) {
b1:
  %a = alloca ptr i64 4 align 4
  %x = load i32 %p
  %c = eq i1 %x, i32 9
  condbr %c, end, on
on:
  %y = add i32 %x, i32 1
  store %y, %a
  call void @f(%a)
  ret
end:
  ret
}
func @main() {
b1:
  %a = alloca ptr i64 4 align 4
  store i32 0, %a
  call void @f(%a)
  ret
}
`, "returned"},
	{"recursion that watches the stack", `module 64 entry @main
func @f() {
b1:
  %a = alloca ptr i64 4 align 4
  %n = ptrtoint i64 %a
  %c = ult i1 %n, i64 65700
  condbr %c, on, end
on:
  call void @f()
  ret
end:
  ret
}
func @main() {
b1:
  call void @f()
  ret
}
`, "returned"},
	{"recursion with a local", `module 64 entry @main
func @f() {
b1:
  %a = alloca ptr i64 4 align 4
  store i32 1, %a
  call void @f()
  ret
}
func @main() {
b1:
  call void @f()
  ret
}
`, "recursion f 1"},
}

func TestRepeats(t *testing.T) {
	for _, c := range repeatTests {
		t.Run(c.name, func(t *testing.T) {
			got := repeatsOf(t, c.src, basesOf{Zero{}})
			if c.name == "nested" { // Brent may start at either head
				got = got[:len(c.want)]
			}
			if got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// basesOf lets objects lie where the interpreter wants them to be, and says so.
type basesOf struct{ Oracle }

func (o basesOf) Next(r Request) (ir.Choice, error) {
	c, err := o.Oracle.Next(r)
	c.Base = r.Base
	return c, err
}

// TestSavedInProportion: states of a large memory are not copied at every visit that could be the first of a cycle.
func TestSavedInProportion(t *testing.T) {
	const size, steps = 32 << 20, 1 << 14
	m, err := ir.Parse(fmt.Sprintf(`module 64 entry @main
func @main() {
b1:
  %%buf = malloc ptr i64 %d
  br h
h:
  %%x = phi i32 [i32 0, b1], [%%y, h]
  %%y = add i32 %%x, i32 1
  br h
}
`, size))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := Run(t.Context(), m, Options{Oracle: Zero{}, Repeats: true, MaxSteps: steps})
	runtime.ReadMemStats(&after)
	if err != nil || out.End != StepLimit {
		t.Fatalf("%v %v", out.End, err)
	}
	if copied := after.TotalAlloc - before.TotalAlloc; copied > 2*(freelyCopied+copiedPerStep*steps) {
		t.Errorf("%d bytes for %d steps", copied, steps)
	}
}

// TestRepeatsInputs: the decisions of the cycle count, not only those before.
func TestRepeatsInputs(t *testing.T) {
	const src = `module 64 entry @main
func @main() {
b1:
  br h
h:
  %n = nondet i32 input "i"
  %c = eq i1 %n, i32 0
  condbr %c, out, h
out:
  ret
}
`
	if got := repeatsOf(t, src, Zero{}); got != "returned" {
		t.Errorf("zero: %s", got)
	}
	if got := repeatsOf(t, src, ones{}); got != "lasso main 1" {
		t.Errorf("one: %s", got)
	}
}

type ones struct{ Zero }

func (ones) Next(r Request) (ir.Choice, error) {
	return ir.Choice{Func: r.Func.Name, Value: r.Value, Bits: bv.New(r.Type.Bits, 1)}, nil
}

// TestIdle: a counter that is never looked at need not come back, wherever it goes on the way.
func TestIdle(t *testing.T) {
	counting := func(use string) string {
		return repeatLoop("  %x = phi i32 [i32 0, b1], [%y, h]\n", "  %y = add i32 %x, i32 1\n"+use)
	}
	calls := func(use string) string {
		return `module 64 entry @main
func @f(%a: i32) -> i32 {
b1:
  %b = add i32 %a, i32 1
` + use + `
end:
  ret %b
}
func @main() {
b1:
  br h
h:
  %x = phi i32 [i32 0, b1], [%y, h]
  %y = call i32 @f(%x)
  br h
}
`
	}
	for _, c := range []struct{ name, src, want string }{
		{"counter", counting("  br h"), "lasso main 1"},
		{"checked", counting("  %o = saddovf i1 %x, i32 1\n  %k = xor i1 %o, i1 1\n  check overflow %k \"o\"\n  br h"), "lasso main 1"},
		{"tested", counting("  %c = ne i1 %y, i32 -5\n  condbr %c, h, out"), "step limit"},
		{"stored", counting("  store %y, @g\n  br h"), "step limit"},
		{"divided by", counting("  %d = udiv i32 i32 7, %y\n  br h"), "step limit"},
		{"assumed", counting("  %c = ne i1 %y, i32 -5\n  assume %c\n  br h"), "step limit"},
		{"a size", counting("  %z = zext i64 %y\n  %m = malloc ptr %z\n  free %m\n  br h"), "step limit"},
		{"an offset", counting("  %z = zext i64 %y\n  %q = ptradd ptr @g, %z\n  br h"), "step limit"}, // pointers are not idle
		{"through a function", calls("  br end"), "lasso main 1"},
		{"tested in a function", calls("  %c = ne i1 %a, i32 -5\n  condbr %c, end, other\nother:\n  br end"), "step limit"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := ir.Parse(c.src)
			if err == nil {
				err = ir.Verify(m)
			}
			if err != nil {
				t.Fatal(err)
			}
			if got := repeatsIn(t, m, basesOf{Zero{}}, true); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// randomLoop is a loop that computes with four variables, of which some are stored, tested, or given to a function.
func randomLoop(rng *rand.Rand) string {
	var phis, body strings.Builder
	values := []string{"%x0", "%x1", "%x2", "%x3"}
	value := func() string {
		if rng.IntN(4) == 0 {
			return fmt.Sprint("i8 ", rng.IntN(256))
		}
		return values[rng.IntN(len(values))]
	}
	for i := range 8 {
		v := "%v" + strconv.Itoa(i)
		switch rng.IntN(10) {
		case 0:
			fmt.Fprintf(&body, "  %s = load i8 @g\n", v)
		case 1:
			fmt.Fprintf(&body, "  %%c%d = ult i1 %s, %s\n  %s = select i8 %%c%d, %s, %s\n", i, value(), value(), v, i, value(), value())
		case 2:
			fmt.Fprintf(&body, "  %s = call i8 @f(%s, %s)\n", v, value(), value())
		case 3:
			fmt.Fprintf(&body, "  %s = lshr i8 %s, %s\n", v, value(), value())
		default:
			fmt.Fprintf(&body, "  %s = %s i8 %s, %s\n", v, []string{"add", "xor", "mul", "sub"}[rng.IntN(4)], value(), value())
		}
		values = append(values, v)
	}
	for i := range 4 {
		fmt.Fprintf(&phis, "  %%x%d = phi i8 [i8 %d, b1], [%s, h]\n", i, rng.IntN(3), values[4+rng.IntN(8)])
	}
	if rng.IntN(3) == 0 {
		fmt.Fprintf(&body, "  store %s, @g\n", value())
	}
	if rng.IntN(2) == 0 {
		fmt.Fprintf(&body, "  %%c = eq i1 %s, %s\n  condbr %%c, out, h", value(), value())
	} else {
		body.WriteString("  br h")
	}
	result := []string{"%a", "%b", "%s"}[rng.IntN(3)]
	f := "func @f(%a: i8, %b: i8) -> i8 {\nb1:\n  %s = add i8 %a, i8 3\n"
	if rng.IntN(3) == 0 {
		f += "  %c = ult i1 %b, i8 100\n  condbr %c, low, end\nlow:\n  store %a, @g\n  br end\nend:\n"
	}
	return repeatLoop(phis.String(), body.String()) + f + "  ret " + result + "\n}\n"
}

// TestIdleRandom: what is said of the cycles of random programs is true of them.
func TestIdleRandom(t *testing.T) {
	found := 0
	for seed := range uint64(400) {
		src := randomLoop(rand.New(rand.NewPCG(seed, 77)))
		m, err := ir.Parse(src)
		if err == nil {
			err = ir.Verify(m)
		}
		if err != nil {
			t.Fatalf("%v\n%s", err, src)
		}
		steps := func(idle bool) int64 {
			out, err := Run(context.Background(), m, Options{Oracle: basesOf{Zero{}}, Repeats: true, Idle: idle, MaxSteps: 100000})
			if err != nil {
				t.Fatal(err)
			}
			return out.Steps
		}
		if steps(true) < steps(false) {
			found++
		}
		if repeatsIn(t, m, basesOf{Zero{}}, true); t.Failed() {
			t.Fatalf("seed %d\n%s", seed, src)
		}
	}
	if found < 20 {
		t.Errorf("only %d programs have an idle register that counts", found)
	}
}

func BenchmarkRepeats(b *testing.B) {
	m, err := ir.Parse(`module 64 entry @main
global @g size 4096 align 4
func @main() {
b1:
  br h
h:
  %x = phi i32 [i32 1, b1], [%y, h]
  %y = add i32 %x, i32 1
  br h
}
`)
	if err != nil {
		b.Fatal(err)
	}
	for _, repeats := range []bool{false, true} {
		b.Run(fmt.Sprint("repeats=", repeats), func(b *testing.B) {
			for b.Loop() {
				if out, err := Run(context.Background(), m, Options{Repeats: repeats, MaxSteps: 1 << 20}); err != nil || out.End != StepLimit {
					b.Fatal(out, err)
				}
			}
		})
	}
}
