package assay

import (
	"strings"
	"testing"
	"time"
)

const declarations = `int __VERIFIER_nondet_int(void); unsigned __VERIFIER_nondet_uint(void); void __VERIFIER_assume(int);
#include <stdlib.h>
`

// TestEndless: programs that run for ever, by their state coming back.
func TestEndless(t *testing.T) {
	for name, source := range map[string]string{
		"a root":           `int main(void) { unsigned x = __VERIFIER_nondet_uint(), z = 0; if (x * x != 136900 || x > 60000) return 0; while (z < x) z ^= x & 12; }`,
		"empty loop":       `int main(void) { for (;;); }`,
		"chosen input":     `int main(void) { while (__VERIFIER_nondet_int()); }`,
		"input before":     `int main(void) { int x = __VERIFIER_nondet_int(), c = __VERIFIER_nondet_int(); while (x >= 0) x += c; }`,
		"assumed range":    `int main(void) { int k = __VERIFIER_nondet_int(); __VERIFIER_assume(3 <= k && k <= 4); while (k < 10) k ^= 1; }`,
		"never hits":       `int main(void) { unsigned char x = 1; while (x != 0) x += 2; }`,
		"uninitialised":    `int main(void) { int r; int i = 0; while (i < 5) i += r; }`,
		"float stops":      `int main(void) { float x = 16777200; while (x < 2e7f) x = x + 1; }`,
		"nan":              `int main(void) { float x = 0; float n = x / x; while (n != n) x = x + 0; }`,
		"through an alias": `int main(void) { int a[4]; int *p = a + 1; a[1] = 3; while (a[1] > 0) { a[1]--; *p = 3; } }`,
		"made and freed":   `int main(void) { for (;;) { int *p = malloc(4); if (!p) break; *p = 1; free(p); } }`,
		"calls":            `int g; int f(int *p) { *p = 1 - *p; return 1; } int main(void) { int x = 0; while (f(&x)) g = x; }`,
		"recursion":        `int f(int x) { return x == 0 ? 0 : f(x); } int main(void) { return f(__VERIFIER_nondet_int()); }`,
		"mutual":           `int g(int); int f(int x) { return g(1 - x); } int g(int x) { return f(x); } int main(void) { return f(1); }`,
		"inner loop":       `int main(void) { for (int i = 0; i < 10; i++) for (int j = 0; j < 10; i++) if (i > 100) i = 3; }`,
		"goto":             `int main(void) { int x = 3; again: if (x > 1) goto again; return x; }`,
		"switch":           `int main(void) { int s = 0; for (;;) switch (s) { case 0: s = 2; break; case 2: s = 0; break; default: return 1; } }`,
		"volatile":         `int main(void) { volatile int x = 1; while (x); }`,
		"function pointer": `int f(int x) { return 1 - x; } int main(void) { int (*p)(int) = f; int x = 0; while (x < 2) x = p(x); }`,
		"string":           `int main(void) { char s[4] = "abc"; int i = 0; while (s[i]) i = (i + 1) % 3; }`,
		"unknown function": `int other(void); int main(void) { while (other() == 7); }`,
		"nobody looks":     `int main(void) { unsigned long n = 0; int x = __VERIFIER_nondet_int(); while (x > 0) n++; }`,
		"variadic":         "#include <stdarg.h>\n" + `int f(int n, ...) { va_list l; va_start(l, n); int x = va_arg(l, int); va_end(l); return x; } int main(void) { while (f(1, 5) == 5); }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, declarations+source, nil)
			if r.Answer != False || r.Violated != Termination || r.Endless == nil || len(r.Replayed) == 0 {
				t.Fatalf("got %s, reasons %v", r.Line(), r.Reasons)
			}
			var steps []Step
			if err := r.Trace(t.Context(), func(s Step) error { steps = append(steps, s); return nil }); err != nil {
				t.Fatal(err)
			}
			cycle := -1
			for i, s := range steps {
				if s.Kind == StepCycle {
					cycle = i
				}
			}
			if last := steps[len(steps)-1]; cycle < 0 || last.Kind != StepViolation || last.Pos != r.Violation.Pos {
				t.Errorf("the trace does not show the cycle: %+v", steps)
			}
		})
	}
}

// TestRecurrentSets: programs that run for ever, without coming back to a state in
// reasonable time.
func TestRecurrentSets(t *testing.T) {
	for name, source := range map[string]string{
		"counter":         `unsigned long g; int main(void) { unsigned long n = 0; int x = __VERIFIER_nondet_int(); while (x > 0) g = n++; }`,
		"odd":             `int main(void) { unsigned x = 1; while (x != 100) x += 2; }`,
		"chosen in loop":  `unsigned g; int main(void) { unsigned n = 0; while (__VERIFIER_nondet_int() > 7) g = n++; }`,
		"memory counts":   `unsigned g; int main(void) { int x = __VERIFIER_nondet_int(); while (x == 5) g++; }`,
		"call":            `unsigned g; int more(int x) { g += 3; return x != 4; } int main(void) { int x = __VERIFIER_nondet_int(); while (more(x)); }`,
		"outer loop":      `unsigned long g; int main(void) { unsigned long n = 0; for (;;) for (int i = 0; i < 10; i++) g = n += i; }`,
		"inner loop":      `int main(void) { for (int i = 0; i < 3; i++) { unsigned j = 1; while (j != 0) j += 2; } }`,
		"assumption":      `unsigned g; int main(void) { unsigned n = 0; int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x > 2 && x < 6); while (x < 10) { g = n++; __VERIFIER_assume(x < 8); } }`,
		"saturated":       `unsigned g; int main(void) { unsigned n = 0; int x = 0; while (x < 10) { g = n++; if (x < 5) x++; } }`,
		"argument counts": `unsigned long g; int main(int argc, char **argv) { unsigned long n = 0; while (argc < 2) g = n++; }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := checkTermination(t, declarations+source, nil)
			if r.Answer != False || r.Endless == nil {
				t.Fatalf("got %s, reasons %v", r.Line(), r.Reasons)
			}
			c := r.Endless.Certificate
			if c == nil || c.Checker == "" {
				t.Errorf("not by a recurrent set: %+v", *r.Endless)
			}
			last := StepKind("")
			if err := r.Trace(t.Context(), func(s Step) error { last = s.Kind; return nil }); err != nil || last != StepViolation {
				t.Errorf("the trace ends with %q, %v", last, err)
			}
		})
	}
}

// TestEndlessIsNotClaimed: programs that look as if they ran for ever.
func TestEndlessIsNotClaimed(t *testing.T) {
	for name, source := range map[string]string{
		"wraps":             `int main(void) { short x = __VERIFIER_nondet_int(); while (x >= 0) x++; }`,
		"assume blocks":     `int main(void) { int x = 0; while (1) __VERIFIER_assume(x++ < 10); }`,
		"leaves late":       `int main(void) { unsigned n = 0; while (n < 3000000000u) n++; }`,
		"leaves by wrap":    `int main(void) { int x = __VERIFIER_nondet_int(); while (x > 0) x += 1; }`,
		"blocked late":      `int main(void) { unsigned n = 0; while (1) { n++; __VERIFIER_assume(n != 0); } }`,
		"exit in a call":    `unsigned n; void step(void) { if (++n == 0) exit(1); } int main(void) { for (;;) step(); }`,
		"hidden count":      `unsigned long n; int *p; int main(void) { p = (int *)&n; int x = 1; while (x) { ++*p; if (n == 0x80000000u) x = 0; } }`,
		"exit":              `int main(void) { int x = 0; while (1) if (x++ == 9) exit(0); }`,
		"abort":             `int main(void) { unsigned char x = __VERIFIER_nondet_uint(); for (;;) if (++x == 0) abort(); }`,
		"through an alias":  `int main(void) { int x = 1; int *p = &x; while (x) *p = 0; }`,
		"global":            `int n = 40; int stop(void) { return n-- == 0; } int main(void) { while (!stop()); }`,
		"static":            `int stop(void) { static int n; return ++n > 50; } int main(void) { while (!stop()); }`,
		"heap":              `int main(void) { int *p = malloc(4); *p = 60; while (*p) { int *q = malloc(4); *q = *p - 1; free(p); p = q; } free(p); }`,
		"recursion":         `int f(int x) { return x <= 0 ? 0 : f(x - 1); } int main(void) { return f(90); }`,
		"recursion, global": `int n; int f(void) { return n++ > 50 ? 0 : f(); } int main(void) { return f(); }`,
		"recursion, local":  `int f(int *p) { int x = *p + 1; return x > 50 ? 0 : f(&x); } int main(void) { int x = 0; return f(&x); }`,
		"float":             `int main(void) { float x = 1; while (x < 1e30f) x = x * 2; }`,
		"assertion":         `#include <assert.h>` + "\n" + `int main(void) { for (;;) assert(0); }`,
		"list":              `struct n { struct n *next; }; int main(void) { struct n a = {0}, b = {&a}, c = {&b}; for (struct n *p = &c; p; p = p->next); }`,
		"undefined value":   `int main(void) { int x = __VERIFIER_nondet_int(); __VERIFIER_assume(x == 0); while (1 / x == 0); }`,
		"invalid read":      `int main(void) { int a[2] = {1, 1}; int i = 2; while (a[i] == 0); }`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if r := checkTermination(t, declarations+source, func(t *Task) { t.Timeout = 1500 * time.Millisecond }); r.Answer == False {
				t.Errorf("an infinite run was claimed: %+v", *r.Endless)
			}
		})
	}
}

// TestEndlessPasses: undefined behaviour on the run is listed.
func TestEndlessPasses(t *testing.T) {
	r := checkTermination(t, declarations+`int main(void) { int x = 5; int s = 0; while (x > 0) { s = s + 0x40000000; } return s; }`, nil)
	if r.Answer != False || len(r.Passes) == 0 || !strings.Contains(r.Passes[0].Text, "overflow") {
		t.Errorf("got %s, passes %v", r.Line(), r.Passes)
	}
}

// TestEndlessFunction: [2LS Fig. 7]; the values read outside of the array do not matter.
func TestEndlessFunction(t *testing.T) {
	r := checkTermination(t, `float sasum(int n, float *sx, int incx) {
  float stemp = 0;
  int nincx = n * incx;
  for (int i = 0; incx < 0 ? i >= nincx : i <= nincx; i += incx)
    stemp += sx[i - 1];
  return stemp;
}`, func(t *Task) { t.Program.Function = "sasum" })
	if r.Answer != False {
		t.Fatalf("got %s, reasons %v", r.Line(), r.Reasons)
	}
	zero := false
	err := r.Trace(t.Context(), func(s Step) error {
		zero = zero || s.Var == "incx" && s.Value == "0"
		return nil
	})
	if err != nil || !zero {
		t.Errorf("incx is not 0 on the run: %v", err)
	}
}

// TestEndlessOverflow: what is endless only if signed arithmetic wraps is so only if the
// task says that it does, or the same loop is endless over the integers, too.
func TestEndlessOverflow(t *testing.T) {
	for name, c := range map[string]struct {
		source string
		hangs  bool
	}{
		"sum":       {`int main(void) { int x = 2147483646, z = 0; while (x >= z) { z += 1000; } }`, true},
		"any sum":   {`int main(void) { int x = 2147483647, z = 0; while (x >= z) { z += 1000; } }`, true},
		"product":   {`int main(void) { int x = __VERIFIER_nondet_int(); if (x < 100) return 0; while (x != 1) x *= 2; }`, false}, // over the integers, too
		"and of 0":  {`int main(void) { int x = __VERIFIER_nondet_int(), a = 77; while (x == 0) { a -= 3; x = x & a; } }`, false},
		"two loops": {`int main(void) { int x = 2147483647, z = 0; if (__VERIFIER_nondet_int()) while (x >= z) z += 1000; else while (z >= 0) z++; }`, true},
		"counter":   {`int main(void) { int n = 0; int x = __VERIFIER_nondet_int(); while (x > 5) n += 0x1000000; return n; }`, false},
		"state":     {`int main(void) { int n = 1; int x = __VERIFIER_nondet_int(); while (x > 5) n *= 2; return n; }`, false},
		"unsigned":  {`int main(void) { unsigned x = __VERIFIER_nondet_uint(), j = 0; while (j <= x) j++; }`, false},
		"no result": {`int main(void) { int n = 2147483647; for (;;) if (n + 1 > 5) break; }`, true},
		"anyway":    {`int main(void) { int n = 2147483647; for (;;) if (n + 1 > 5) continue; }`, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for _, s := range []Semantics{SemanticsC, SemanticsWrap} {
				want := False
				if c.hangs && s == SemanticsC {
					want = Unknown
				}
				r := checkTermination(t, declarations+c.source, func(t *Task) {
					t.Program.Semantics = s
					if want == Unknown {
						t.Timeout = 2 * time.Second
					}
				})
				if r.Answer != want {
					t.Errorf("%s: got %s, reasons %v", s, r.Line(), r.Reasons)
				}
			}
		})
	}
}
