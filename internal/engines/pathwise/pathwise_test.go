package pathwise

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"assay/internal/certify/accept"
	"assay/internal/evidence/verdict"
	"assay/internal/logic/bv"
	"assay/internal/logic/term"
	"assay/internal/program/ir"
)

// scanner is a program that reads up to n bytes, skips blanks, reads digits, and asserts a condition of the number.
func scanner(n int, condition string) string {
	return fmt.Sprintf(`module 64 entry @main
func @main() {
entry:
  br blanks
blanks:
  %%i = phi i8 [i8 0, entry], [%%i1, blank]
  %%more = ult i1 %%i, i8 %d
  condbr %%more, look, end
look:
  %%c = nondet i8 input "c"
  %%space = eq i1 %%c, i8 32
  condbr %%space, blank, other
other:
  %%tab = eq i1 %%c, i8 9
  condbr %%tab, blank, digits
blank:
  %%i1 = add i8 %%i, i8 1
  br blanks
digits:
  %%k = phi i8 [%%i, other], [%%k1, digit]
  %%v = phi i32 [i32 0, other], [%%v1, digit]
  %%d = phi i8 [%%c, other], [%%d1, digit]
  %%low = ule i1 i8 48, %%d
  condbr %%low, high, end2
high:
  %%in = ule i1 %%d, i8 57
  condbr %%in, digit, end2
digit:
  %%x = sub i8 %%d, i8 48
  %%w = zext i32 %%x
  %%t = mul i32 %%v, i32 10
  %%v1 = add i32 %%t, %%w
  %%k1 = add i8 %%k, i8 1
  %%ok = %s
  check assertion %%ok "v"
  %%d1 = nondet i8 input "d"
  %%left = ult i1 %%k1, i8 %d
  condbr %%left, digits, end
end2:
  br end
end:
  halt exit
}
`, n, condition, n)
}

// table calls one of two functions through a table of pointers, by an input.
const table = `module 64 entry @main
global @t size 16 align 8 init "" pointers
  reloc 0 @a 0
  reloc 8 @b 0

func @a() -> i32 {
entry:
  ret i32 1
}

func @b() -> i32 {
entry:
  ret i32 2
}

func @main() {
entry:
  %c = nondet i8 input "c"
  %small = ult i1 %c, i8 2
  assume %small
  %w = zext i64 %c
  %o = mul i64 %w, i64 8
  %p = ptradd ptr @t, %o
  %f = load ptr %p
  %r = call i32 %f()
  %want = add i8 %c, i8 1
  %want32 = zext i32 %want
  %ok = eq i1 %r, %want32
  check assertion %ok "r"
  halt exit
}
`

// sized writes the last byte of a block of an arbitrary size, at most limit, and one behind if beyond is 1.
func sized(limit, beyond int) string {
	return fmt.Sprintf(`module 64 entry @main
func @main() {
entry:
  %%n = nondet i64 input "n"
  %%small = ule i1 %%n, i64 %d
  assume %%small
  %%some = ult i1 i64 0, %%n
  assume %%some
  %%p = malloc ptr %%n
  %%last = sub i64 %%n, i64 %d
  %%q = ptradd ptr %%p, %%last
  store i8 1, %%q
  free %%p
  halt exit
}
`, limit, 1-beyond)
}

func describe(v verdict.Verdict) string {
	switch v := v.(type) {
	case verdict.True:
		c, ok := v.Certificate.(*verdict.PathTree)
		if !ok {
			return fmt.Sprintf("true by %T", v.Certificate)
		}
		return fmt.Sprintf("true, %d paths", c.Paths)
	case verdict.False:
		return fmt.Sprintf("false(%s) by %d choices", v.Violation.Kind, len(v.Input.Choices))
	case verdict.Unknown:
		return "unknown: " + v.Reasons[0].Text
	}
	return fmt.Sprintf("%T", v)
}

func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	m, err := ir.Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRun has what is proved, with the number of paths, and refuted, with the length of the input.
func TestRun(t *testing.T) {
	for _, c := range []struct{ name, program, want string }{
		{"scanner", scanner(3, "ult i1 %v1, i32 1000"), "true, 10 paths"}, // blanks and tabs are one path, digits and others two
		{"scanner, too small", scanner(3, "ult i1 %v1, i32 10"), "false(assertion) by 2 choices"},
		{"table of functions", table, "true, 2 paths"},
		{"a size", sized(4, 0), "true, 4 paths"},
		{"a size, one beyond", sized(4, 1), "false(valid-deref) by 2 choices"},
		{"a size without bound", strings.Replace(sized(4, 0), "i64 4\n", "i64 100000\n", 1), "true, 1 paths"},
	} {
		r := Run(t.Context(), parse(t, c.program), Options{Targets: []ir.CheckKind{ir.Assertion, ir.InvalidDeref, ir.InvalidFree}, Accept: accept.Program})
		if got := describe(r.Verdict); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestTimeout has paths without end: the answer says how many there are.
func TestTimeout(t *testing.T) {
	endless := parse(t, `module 64 entry @main
func @main() {
entry:
  br head
head:
  %c = nondet i8 input "c"
  %z = eq i1 %c, i8 0
  condbr %z, out, head
out:
  halt exit
}
`)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if got := describe(Run(ctx, endless, Options{Targets: []ir.CheckKind{ir.Assertion}}).Verdict); !strings.Contains(got, "paths explored") {
		t.Error(got)
	}
}

// TestAnswersByShape: what differs only in the names of variables is asked once, and a model goes over with them; what
// differs in more, in which variables are the same, or in a fact about one of them, is asked again.
func TestAnswersByShape(t *testing.T) {
	st := term.NewStore()
	c := newConditions(st)
	defer c.close()
	square := func(x, y term.ID, n uint64) term.ID { return st.Eq(st.Mul(x, y), st.ConstU(32, n)) }
	v := func(name string) term.ID { return st.Var(name, term.BitVec(32)) }
	root := &condition{feasible: true, exact: true}
	ask := func(of term.ID, feasible bool, solved int) *condition {
		t.Helper()
		y := c.with(t.Context(), root, of)
		if y.feasible != feasible || c.Stats.Solved != solved {
			t.Errorf("%s: feasible %t after %d questions, want %t after %d", st.String(of), y.feasible, c.Stats.Solved, feasible, solved)
		}
		return y
	}
	for _, names := range []string{"ab", "cd", "ef"} {
		x, y := v(names[:1]), v(names[1:])
		m := ask(square(x, y, 35), true, 1).model
		if p := c.part(square(x, y, 35)); !c.holds(p, func(n int32) bv.BV { return m.value(c, n) }) {
			t.Errorf("%s: the model is none", names)
		}
	}
	ask(square(v("g"), v("g"), 35), false, 2) // the same variable twice: no square ends so
	ask(square(v("h"), v("h"), 35), false, 2)
	ask(square(v("i"), v("i"), 36), true, 3)
	c.state(st.ULt(v("j"), st.ConstU(32, 2)))
	ask(square(v("j"), v("k"), 35), true, 4)
	c.state(st.Eq(v("l"), st.ConstU(32, 2)))
	ask(square(v("l"), v("m"), 35), false, 5)
	ask(square(v("n"), v("o"), 35), true, 5)
}

// TestModels compares models in pages with plain maps; what a model was made of stays as it is.
func TestModels(t *testing.T) {
	c := &conditions{vars: make([]variable, 300)}
	for i := range c.vars {
		c.vars[i].width = 8
	}
	random := rand.New(rand.NewPCG(1, 1))
	type pair struct {
		m    model
		want map[int32]uint64
	}
	all := []pair{{nil, map[int32]uint64{}}}
	for range 500 {
		old := all[random.IntN(len(all))]
		next := pair{slices.Clone(old.m), maps.Clone(old.want)}
		for range random.IntN(4) {
			n, v := random.Int32N(int32(len(c.vars))), random.Uint64N(256)
			next.m, next.want[n] = next.m.set(old.m, n, bv.New(8, v)), v
		}
		all = append(all, next)
	}
	for i, x := range all {
		for n := range int32(len(c.vars)) {
			if got := x.m.value(c, n).Uint64(); got != x.want[n] {
				t.Fatalf("model %d: variable %d is %d, want %d", i, n, got, x.want[n])
			}
		}
	}
}

// BenchmarkScanner explores paths, and has them walked again: at a cost about linear in their steps.
func BenchmarkScanner(b *testing.B) {
	for _, n := range []int{3, 5, 7} {
		m := parse(b, scanner(n, "ult i1 %v1, i32 4294967295"))
		for _, o := range []Options{{}, {Accept: accept.Program}} {
			b.Run(fmt.Sprintf("%d/certified=%v", n, o.Accept != nil), func(b *testing.B) {
				for b.Loop() {
					o.Targets = []ir.CheckKind{ir.InvalidDeref}
					if _, ok := Run(b.Context(), m, o).Verdict.(verdict.True); !ok {
						b.Fatal("not proved")
					}
				}
			})
		}
	}
}
